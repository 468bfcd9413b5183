// The plug-in through which opencode calls wisen: it asks the hook client at each event and passes on the answers.
// It writes nothing. Whatever goes wrong, opencode continues as if the plug-in were not there.

import { spawn, spawnSync } from "node:child_process"
import { readFileSync, statSync } from "node:fs"

const AGENT = "opencode"
const TIMEOUT_MS = 1500 // milliseconds; the client itself gives up before
const SHELL = "bash"

export default async ({ directory }, options) => {
  const { home } = options ?? {}
  if (typeof home !== "string" || !home) return {}

  const parents = new Map() // sessions of sub-agents, and the sessions that started them
  const sources = new Map() // what the next message of a session starts: the session itself, or its continuation after a summary
  const started = new Set() // sessions whose start was reported
  const warnings = new Map() // text for the result of a call, because before a call opencode accepts only a rejection
  let cache = { modified: -1, guards: false }
  let last = ""

  // The launcher in wisen's home, which knows where wisen is installed; if it is missing, there is no answer.
  const command = (event) => [`${home}/hook`, AGENT, event]
  const payload = (session, more) => JSON.stringify({ session_id: rootSession(session), cwd: directory, ...more })

  function rootSession(session) {
    return parents.has(session) ? rootSession(parents.get(session)) : session
  }

  // The client's answer to an event; empty if it has none, fails or times out.
  function ask(event, session, more) {
    return new Promise((resolve) => {
      const chunks = []
      const child = spawn("/bin/sh", command(event), { stdio: ["pipe", "pipe", "ignore"] })
      const timer = setTimeout(() => {
        child.kill("SIGKILL")
        resolve({})
      }, TIMEOUT_MS)
      const end = () => {
        clearTimeout(timer)
        resolve(parse(Buffer.concat(chunks).toString("utf8")))
      }
      child.on("error", end)
      child.on("close", end)
      child.stdout.on("data", (chunk) => chunks.push(chunk))
      child.stdin.on("error", () => {})
      child.stdin.end(payload(session, more))
    }).catch(() => ({}))
  }

  // The same for an event without an answer, synchronously: opencode may exit right after it.
  function notify(event, session) {
    const stdio = ["pipe", "ignore", "ignore"]
    spawnSync("/bin/sh", command(event), { input: payload(session), stdio, timeout: TIMEOUT_MS, killSignal: "SIGKILL" })
  }

  // Whether there are any guards: without guards the client is not asked before calls.
  function hasGuards() {
    const snapshot = `${home}/snapshots/current.json`
    try {
      const modified = statSync(snapshot).mtimeMs
      if (modified !== cache.modified) {
        cache = { modified, guards: Object.keys(JSON.parse(readFileSync(snapshot, "utf8")).guards ?? {}).length > 0 }
      }
      return cache.guards
    } catch (error) {
      return error.code !== "ENOENT" // the client reports what is broken
    }
  }

  try {
    process.once("exit", () => failOpen(() => last && notify("session-end", last))())
  } catch {}

  return {
    event: failOpen(async ({ event }) => {
      const { sessionID, info } = event.properties ?? {}
      if (event.type === "session.created" && info?.parentID) parents.set(info.id, info.parentID)
      else if (event.type === "session.created") sources.set(info.id, "startup")
      else if (event.type === "session.compacted") sources.set(sessionID, "compact")
      else if (event.type === "session.idle" && !parents.has(sessionID)) {
        last = sessionID
        notify("stop", sessionID)
      }
    }),

    "chat.message": failOpen(async ({ sessionID }, { parts }) => {
      if (parents.has(sessionID) || !parts.length) return
      const texts = []
      if (!started.has(sessionID) || sources.has(sessionID)) {
        const source = sources.get(sessionID) ?? "resume"
        started.add(sessionID)
        sources.delete(sessionID)
        texts.push(context(await ask("session-start", sessionID, { source })))
      }
      const typed = parts.filter((part) => part.type === "text" && !part.synthetic && !part.ignored)
      const prompt = unquoted(typed.map((part) => part.text).join("\n"))
      texts.push(context(await ask("prompt", sessionID, { prompt })))
      const text = texts.filter(Boolean).join("\n")
      const { id, messageID } = parts[parts.length - 1]
      // After what was typed, and marked as not typed.
      if (text) parts.push({ id: `${id}wisen`, sessionID, messageID, type: "text", synthetic: true, text })
    }),

    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      const call = { tool_name: tool, tool_input: args, tool_use_id: callID }
      const answer = await failOpen(async () => (hasGuards() ? await ask("before-call", sessionID, call) : {}))()
      const output = answer?.hookSpecificOutput ?? {}
      if (output.permissionDecision) throw new Error(output.permissionDecisionReason)
      if (output.additionalContext) warnings.set(callID, output.additionalContext)
    },

    "tool.execute.after": failOpen(async ({ tool, sessionID, callID, args }, output) => {
      const texts = [warnings.get(callID)]
      warnings.delete(callID)
      const code = output.metadata?.exit
      if (tool === SHELL && Number.isInteger(code) && code !== 0) {
        const error = `Exit code ${code}\n${output.output}`
        const call = { tool_name: tool, tool_input: args, tool_use_id: callID, error }
        texts.push(context(await ask("failure", sessionID, call)))
      }
      const text = texts.filter(Boolean).join("\n")
      if (text && typeof output.output === "string") output.output += `\n${text}`
    }),
  }
}

// The text for the model.
const context = (answer) => answer?.hookSpecificOutput?.additionalContext ?? ""

// `opencode run "a prompt"` passes it on in quotes.
const unquoted = (prompt) => (/^"(?:\\"|[^"])*"$/.test(prompt) ? prompt.slice(1, -1).replaceAll('\\"', '"') : prompt)

function parse(printed) {
  try {
    return JSON.parse(printed) ?? {}
  } catch {
    return {}
  }
}

const failOpen =
  (handler) =>
  (...args) => {
    try {
      const done = handler(...args)
      return done instanceof Promise ? done.catch(() => undefined) : done
    } catch {
      return undefined
    }
  }
