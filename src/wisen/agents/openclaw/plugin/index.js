// Calls wisen at OpenClaw's events and passes on its answers. It learns, stores and decides nothing itself.
//
// Everything fails open: no handler throws, and none waits longer than the timeout. There are two kinds of hosts: those
// that let an installed plug-in add text to a tool's result before the model reads it, and older ones, where text can only
// be added to the record of that result.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";

const AGENT = "openclaw";
const SHELL = "/bin/sh";
const TIMEOUT_MS = 2500; // milliseconds; the client itself gives up after one second
const MAX_TEXT = 1 << 20; // characters of a result that are used: its head and its tail
const MAX_REMEMBERED = 512; // sessions and calls that are remembered
const SHELLS = new Set(["exec", "bash"]);
const ROOMS = new Set(["group", "channel", "room"]);
const RESET_REASONS = new Set(["new", "reset", "idle", "daily"]);
const SHARED_KEY = Symbol.for("wisen.openclaw");
const MARKS = /<\/?wisen\d+[^>]*>\n?/g;

export default {
  id: "wisen",
  name: "wisen",
  description: "Delivers lessons from earlier sessions to the agent, and stops known mistakes.",
  register(api) {
    const config = api.pluginConfig ?? {};
    if (typeof config.home !== "string" || !config.home) return;
    const callbacks = sharedCallbacks(config);
    callbacks.workspaceOf = (agent) => api.runtime.agent.resolveAgentWorkspaceDir(api.config, agent);
    const on = (name, handler) => api.on(name, failOpen(api, name, handler));
    on("before_prompt_build", (event, ctx) => callbacks.prompt(event, ctx));
    on("before_tool_call", (event, ctx) => callbacks.beforeCall(event, ctx));
    on("agent_end", (event, ctx) => callbacks.end("stop", event, ctx));
    on("session_end", (event, ctx) => callbacks.end("session-end", event, ctx));
    on("tool_result_persist", (event, ctx) => callbacks.record(event, ctx));
    if (canAddToResults(api)) {
      const handler = failOpen(api, "tool result", (event, ctx) => callbacks.result(event, ctx));
      api.registerAgentToolResultMiddleware(handler, { runtimes: ["openclaw"] });
    }
  },
};

// The host may load this file several times in one process, and call different handlers of different copies.
function sharedCallbacks(config) {
  const known = (globalThis[SHARED_KEY] ??= new Map());
  const key = config.home;
  if (!known.has(key)) known.set(key, new Callbacks(new Client(config)));
  return known.get(key);
}

// The client: one process per question, with the event as JSON on its input and an answer or nothing on its output.
// It runs the launcher in wisen's home, which knows where wisen is installed; if it is missing, there is no answer.
class Client {
  constructor({ home }) {
    this.home = home;
    this.command = [`${home}/hook`, AGENT];
    this.cache = { at: undefined, guards: false };
  }

  // The client's answer to an event; undefined if it has none or times out.
  ask(event, payload) {
    return new Promise((resolve) => {
      const child = spawn(SHELL, [...this.command, event], { stdio: ["pipe", "pipe", "ignore"], cwd: "/" });
      const chunks = [];
      const end = () => {
        clearTimeout(timer);
        resolve(parseAnswer(Buffer.concat(chunks)));
      };
      const timer = setTimeout(() => {
        child.kill("SIGKILL");
        resolve(undefined);
      }, TIMEOUT_MS);
      child.on("error", end);
      child.on("close", end);
      child.stdin.on("error", () => {});
      child.stdout.on("error", () => {});
      child.stdout.on("data", (chunk) => chunks.push(chunk));
      child.stdin.end(JSON.stringify(payload));
    });
  }

  // The same for hosts that do not wait for promises.
  askNow(event, payload) {
    const input = JSON.stringify(payload);
    const stdio = ["pipe", "pipe", "ignore"];
    const options = { input, stdio, cwd: "/", timeout: TIMEOUT_MS, killSignal: "SIGKILL" };
    const done = spawnSync(SHELL, [...this.command, event], options);
    return done.error ? undefined : parseAnswer(done.stdout);
  }

  // Whether there are any guards, by the snapshot of the last cycle: without guards nothing is run before calls.
  get guards() {
    const path = `${this.home}/snapshots/current.json`;
    let at;
    try {
      at = statSync(path).mtimeMs;
    } catch {
      return false;
    }
    if (at !== this.cache.at) {
      let guards = true; // if it cannot be read, the client is asked, which reports what is wrong
      try {
        guards = Object.keys(JSON.parse(readFileSync(path, "utf8")).guards ?? {}).length > 0;
      } catch {}
      this.cache = { at, guards };
    }
    return this.cache.guards;
  }
}

// The handlers of the events of a session.
class Callbacks {
  constructor(client) {
    this.client = client;
    this.sessions = new Map(); // by key: the id and the working directory
    this.restarted = new Map(); // ids of sessions that start again under the same id
    this.calls = new Map(); // by call id: its arguments, if the result does not contain them
    this.notes = new Map(); // by call id: text for its result
    this.questions = new Map(); // the same, only for the case that nobody was there to ask
    this.done = new Map(); // ids of calls whose results were handled
  }

  // The session block on every turn, since the system prompt is rebuilt each time, and then the text for the prompt.
  async prompt(event, ctx) {
    const payload = this.payload(ctx);
    if (!payload || isRoom(ctx.sessionKey)) return undefined;
    const source = take(this.restarted, payload.session_id) ? "clear" : "again";
    const start = contextIn(await this.client.ask("session-start", { ...payload, source }));
    const typed = typeof event.currentUserMessage === "string" ? event.currentUserMessage : event.prompt;
    const promptContext = isTyped(typed, ctx) ? contextIn(await this.client.ask("prompt", { ...payload, prompt: typed })) : undefined;
    return {
      ...(start ? { appendSystemContext: start } : {}),
      ...(promptContext ? { appendContext: promptContext } : {}),
    };
  }

  async beforeCall(event, ctx) {
    const call = event.toolCallId ?? ctx.toolCallId;
    const payload = this.payload(ctx);
    remember(this.calls, call, event.params);
    if (!payload || !this.client.guards) return undefined;
    const answer = await this.client.ask("before-call", { ...payload, ...callPayload(event.toolName, event.params, call) });
    const reason = answer?.permissionDecisionReason;
    if (answer?.permissionDecision === "deny") return { block: true, blockReason: reason };
    remember(this.notes, call, contextIn(answer)); // a warning can only be added to the result of a call
    if (answer?.permissionDecision !== "ask") return undefined;
    remember(this.questions, call, reason);
    const plain = reason.replace(MARKS, "").trim();
    const title = "wisen: one of your guards asks about this call";
    const onResolution = (decision) => {
      if (decision !== "cancelled" && decision !== "timeout") take(this.questions, call); // the user was asked
    };
    return { requireApproval: { title, description: clip(plain, 256), severity: "warning", onResolution } };
  }

  // For hosts that let text be added to results before the model reads them.
  async result(event, ctx) {
    const call = event.toolCallId;
    const { content, details } = event.result ?? {};
    const result = { content, details, isError: event.isError };
    const note = this.note(call, result);
    take(this.calls, call);
    remember(this.done, call, true);
    const failure = this.failure(event.toolName, event.args, call, result, ctx);
    const fix = failure && contextIn(await this.client.ask("failure", failure));
    const texts = [note, fix].filter(Boolean);
    if (!texts.length || !Array.isArray(content)) return undefined;
    return { result: { ...event.result, content: [...content, ...texts.map(block)] } };
  }

  // For older hosts: the content list of the record is the one sent to the model, so text is added in place.
  record(event, ctx) {
    const message = event.message;
    if (event.isSynthetic || message?.role !== "toolResult" || !Array.isArray(message.content)) return undefined;
    const call = event.toolCallId ?? message.toolCallId;
    if (take(this.done, call)) return undefined;
    const note = this.note(call, message);
    const failure = this.failure(message.toolName, take(this.calls, call), call, message, ctx);
    const fix = failure && contextIn(this.client.askNow("failure", failure));
    message.content.push(...[note, fix].filter(Boolean).map(block));
    return undefined;
  }

  // The text of a guard for a call.
  note(call, result) {
    const question = take(this.questions, call);
    return take(this.notes, call) ?? (result.isError && result.details?.exitCode === undefined ? question : undefined);
  }

  async end(name, event, ctx) {
    const payload = this.payload({ ...ctx, sessionId: event.sessionId ?? ctx.sessionId });
    if (!payload) return;
    if (name === "session-end" && RESET_REASONS.has(event.reason)) {
      remember(this.restarted, event.nextSessionId ?? payload.session_id, true);
    }
    await this.client.ask(name, payload);
  }

  // The payload of a failed call; undefined if it did not fail, or was stopped before it ran. Only an exit code shows
  // that a command failed.
  failure(tool, params, call, result, ctx) {
    const details = result.details ?? {};
    const failed = SHELLS.has(tool) ? details.exitCode > 0 : result.isError && details.status !== "blocked";
    const payload = failed ? this.payload(ctx, details.cwd) : undefined;
    if (!payload) return undefined;
    const texts = (result.content ?? []).filter((each) => each?.type === "text").map((each) => each.text);
    return { ...payload, ...callPayload(tool, params, call), error: clip(texts.join("\n"), MAX_TEXT) };
  }

  // The session and directory of an event; undefined if the host does not name the session.
  payload(ctx, cwd) {
    const key = ctx?.sessionKey;
    const known = this.sessions.get(key) ?? {};
    const id = ctx?.sessionId ?? known.id;
    if (!id) return undefined;
    const place = ctx.workspaceDir ?? known.place ?? this.workspace(ctx);
    remember(this.sessions, key, { id, place });
    return { session_id: id, cwd: cwd ?? place };
  }

  // The working directory of an agent, for events without one.
  workspace(ctx) {
    try {
      return this.workspaceOf(ctx.agentId) || "";
    } catch {
      return "";
    }
  }
}

// Whether the host lets an installed plug-in add to results; 2026.5 allows only its own, and treats others as an error.
function canAddToResults(api) {
  const [year, month] = String(api.runtime?.version ?? "").split(".").map(Number);
  const recent = year > 2026 || (year === 2026 && month >= 8);
  return recent && typeof api.registerAgentToolResultMiddleware === "function";
}

// A handler that never throws: errors are logged by name only, and the turn continues.
function failOpen(api, name, handler) {
  const failed = (error) => {
    api.logger?.warn?.(`wisen: ${name} failed: ${error?.name ?? "unknown"}`);
    return undefined;
  };
  return (event, ctx) => {
    try {
      const done = handler(event ?? {}, ctx ?? {});
      return done instanceof Promise ? done.catch(failed) : done;
    } catch (error) {
      return failed(error);
    }
  };
}

function parseAnswer(output) {
  try {
    return JSON.parse(output.toString("utf8")).hookSpecificOutput;
  } catch {
    return undefined;
  }
}

function contextIn(answer) {
  const text = answer?.additionalContext;
  return typeof text === "string" && text ? text : undefined;
}

// A call as the client reads it. A command may run outside of the workspace.
function callPayload(tool, params, call) {
  const place = params?.workdir;
  const elsewhere = typeof place === "string" && place.startsWith("/") ? { cwd: place } : {};
  return { tool_name: tool, tool_input: params ?? {}, tool_use_id: call ?? "", ...elsewhere };
}

// Whether a person typed a prompt, as far as the host knows: not a schedule, and not another session.
function isTyped(prompt, ctx) {
  const origin = ctx.inputProvenance?.kind ?? "external_user";
  return typeof prompt === "string" && prompt !== "" && (ctx.trigger ?? "user") === "user" && origin === "external_user";
}

// In a chat of several people nothing of the user's is delivered.
function isRoom(key) {
  const parts = String(key ?? "").toLowerCase().split(":");
  const name = parts[0] === "agent" ? parts.slice(2) : parts;
  return name.slice(1, 3).some((each) => ROOMS.has(each));
}

function block(text) {
  return { type: "text", text };
}

function clip(text, most) {
  const half = most >> 1;
  return text.length <= most ? text : `${text.slice(0, half - 1)}…${text.slice(-half)}`;
}

function remember(map, key, value) {
  if (key === undefined || value === undefined) return;
  map.delete(key);
  map.set(key, value);
  if (map.size > MAX_REMEMBERED) map.delete(map.keys().next().value);
}

function take(map, key) {
  const value = map.get(key);
  map.delete(key);
  return value;
}
