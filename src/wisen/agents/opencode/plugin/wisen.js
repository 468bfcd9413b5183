// What opencode runs to call wisen: it asks the hook client at each moment, and hands on what that says.
// It reads and asks, and writes nothing. Whatever goes wrong, opencode goes on as if it were not there.

import { spawn, spawnSync } from "node:child_process"
import { readFileSync, statSync } from "node:fs"

const AGENT = "opencode"
const PATIENCE = 1500 // milliseconds; the client itself gives up before
const SHELL = "bash"

export default async ({ directory }, options) => {
  const { home } = options ?? {}
  if (typeof home !== "string" || !home) return {}

  const parents = new Map() // sessions of sub-agents, and who began them
  const sources = new Map() // what the next message of a session begins: the session itself, or it after a summary
  const started = new Set() // sessions whose beginning was told
  const warnings = new Map() // what could not be said before a call, because opencode hears only a refusal there
  let seen = { modified: -1, guards: false }
  let last = ""

  // The launcher of wisen's home, which knows where wisen is; where it is gone, there is no answer.
  const words = (event) => [`${home}/hook`, AGENT, event]
  const told = (session, more) => JSON.stringify({ session_id: root(session), cwd: directory, ...more })

  function root(session) {
    return parents.has(session) ? root(parents.get(session)) : session
  }

  // The client's answer to an event; nothing where it has none, fails or takes too long.
  function ask(event, session, more) {
    return new Promise((resolve) => {
      const pieces = []
      const child = spawn("/bin/sh", words(event), { stdio: ["pipe", "pipe", "ignore"] })
      const timer = setTimeout(() => {
        child.kill("SIGKILL")
        resolve({})
      }, PATIENCE)
      const end = () => {
        clearTimeout(timer)
        resolve(read(Buffer.concat(pieces).toString("utf8")))
      }
      child.on("error", end)
      child.on("close", end)
      child.stdout.on("data", (piece) => pieces.push(piece))
      child.stdin.on("error", () => {})
      child.stdin.end(told(session, more))
    }).catch(() => ({}))
  }

  // The same for an event that is answered with nothing: opencode may end right behind it.
  function tell(event, session) {
    const stdio = ["pipe", "ignore", "ignore"]
    spawnSync("/bin/sh", words(event), { input: told(session), stdio, timeout: PATIENCE, killSignal: "SIGKILL" })
  }

  // Whether there are any guards: before calls nobody is asked while there are none.
  function guarded() {
    const page = `${home}/snapshots/current.json`
    try {
      const modified = statSync(page).mtimeMs
      if (modified !== seen.modified) {
        seen = { modified, guards: Object.keys(JSON.parse(readFileSync(page, "utf8")).guards ?? {}).length > 0 }
      }
      return seen.guards
    } catch (error) {
      return error.code !== "ENOENT" // what is broken there is the client's to tell
    }
  }

  try {
    process.once("exit", () => quietly(() => last && tell("session-end", last))())
  } catch {}

  return {
    event: quietly(async ({ event }) => {
      const { sessionID, info } = event.properties ?? {}
      if (event.type === "session.created" && info?.parentID) parents.set(info.id, info.parentID)
      else if (event.type === "session.created") sources.set(info.id, "startup")
      else if (event.type === "session.compacted") sources.set(sessionID, "compact")
      else if (event.type === "session.idle" && !parents.has(sessionID)) {
        last = sessionID
        tell("stop", sessionID)
      }
    }),

    "chat.message": quietly(async ({ sessionID }, { parts }) => {
      if (parents.has(sessionID) || !parts.length) return
      const found = []
      if (!started.has(sessionID) || sources.has(sessionID)) {
        const source = sources.get(sessionID) ?? "resume"
        started.add(sessionID)
        sources.delete(sessionID)
        found.push(context(await ask("session-start", sessionID, { source })))
      }
      const typed = parts.filter((part) => part.type === "text" && !part.synthetic && !part.ignored)
      const prompt = unquoted(typed.map((part) => part.text).join("\n"))
      found.push(context(await ask("prompt", sessionID, { prompt })))
      const text = found.filter(Boolean).join("\n")
      const { id, messageID } = parts[parts.length - 1]
      // Behind what was typed, and marked as not typed.
      if (text) parts.push({ id: `${id}wisen`, sessionID, messageID, type: "text", synthetic: true, text })
    }),

    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      const call = { tool_name: tool, tool_input: args, tool_use_id: callID }
      const answer = await quietly(async () => (guarded() ? await ask("before-call", sessionID, call) : {}))()
      const said = answer?.hookSpecificOutput ?? {}
      if (said.permissionDecision) throw new Error(said.permissionDecisionReason)
      if (said.additionalContext) warnings.set(callID, said.additionalContext)
    },

    "tool.execute.after": quietly(async ({ tool, sessionID, callID, args }, output) => {
      const found = [warnings.get(callID)]
      warnings.delete(callID)
      const code = output.metadata?.exit
      if (tool === SHELL && Number.isInteger(code) && code !== 0) {
        const error = `Exit code ${code}\n${output.output}`
        const call = { tool_name: tool, tool_input: args, tool_use_id: callID, error }
        found.push(context(await ask("failure", sessionID, call)))
      }
      const text = found.filter(Boolean).join("\n")
      if (text && typeof output.output === "string") output.output += `\n${text}`
    }),
  }
}

// What is to be said to the model.
const context = (answer) => answer?.hookSpecificOutput?.additionalContext ?? ""

// `opencode run "a prompt"` hands it on in quotes.
const unquoted = (prompt) => (/^"(?:\\"|[^"])*"$/.test(prompt) ? prompt.slice(1, -1).replaceAll('\\"', '"') : prompt)

function read(printed) {
  try {
    return JSON.parse(printed) ?? {}
  } catch {
    return {}
  }
}

const quietly =
  (does) =>
  (...given) => {
    try {
      const done = does(...given)
      return done instanceof Promise ? done.catch(() => undefined) : done
    } catch {
      return undefined
    }
  }
