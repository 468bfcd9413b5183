// Calls wisen at OpenClaw's events and hands its answers on. It learns, keeps and decides nothing itself.
//
// Everything fails open: no handler throws, and none waits longer than PATIENCE. Two hosts are known: those that let an
// installed plugin add to a tool's result before the model reads it, and older ones, where only the record of that
// result can be added to.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";

const AGENT = "openclaw";
const SHELL = "/bin/sh";
const PATIENCE = 2500; // milliseconds; the client itself gives up after one second
const LONGEST = 1 << 20; // characters of a result that are looked at: its head and its tail
const MOST = 512; // sessions and calls that are remembered
const SHELLS = new Set(["exec", "bash"]);
const ROOMS = new Set(["group", "channel", "room"]);
const OVER = new Set(["new", "reset", "idle", "daily"]);
const SHARED = Symbol.for("wisen.openclaw");
const MARKS = /<\/?wisen\d+[^>]*>\n?/g;

export default {
  id: "wisen",
  name: "wisen",
  description: "Tells the agent what was learnt from earlier sessions, and stops known mistakes.",
  register(api) {
    const config = api.pluginConfig ?? {};
    if (typeof config.home !== "string" || !config.home) return;
    const moments = shared(config);
    moments.workspaceOf = (agent) => api.runtime.agent.resolveAgentWorkspaceDir(api.config, agent);
    const on = (name, handler) => api.on(name, calmly(api, name, handler));
    on("before_prompt_build", (event, ctx) => moments.prompt(event, ctx));
    on("before_tool_call", (event, ctx) => moments.beforeCall(event, ctx));
    on("agent_end", (event, ctx) => moments.end("stop", event, ctx));
    on("session_end", (event, ctx) => moments.end("session-end", event, ctx));
    on("tool_result_persist", (event, ctx) => moments.record(event, ctx));
    if (letsAddToResults(api)) {
      const handler = calmly(api, "tool result", (event, ctx) => moments.result(event, ctx));
      api.registerAgentToolResultMiddleware(handler, { runtimes: ["openclaw"] });
    }
  },
};

// The host may load this file several times in one process, and call one half of it here and the other there.
function shared(config) {
  const known = (globalThis[SHARED] ??= new Map());
  const key = config.home;
  if (!known.has(key)) known.set(key, new Moments(new Client(config)));
  return known.get(key);
}

// The client: one process for a question, with the event as JSON on its input and an answer or nothing on its output.
// What is run is the launcher of wisen's home, which knows where wisen is; where it is gone, there is no answer.
class Client {
  constructor({ home }) {
    this.home = home;
    this.words = [`${home}/hook`, AGENT];
    this.seen = { at: undefined, guards: false };
  }

  // What the client answers to an event; undefined where it says nothing, or not in time.
  ask(event, payload) {
    return new Promise((resolve) => {
      const child = spawn(SHELL, [...this.words, event], { stdio: ["pipe", "pipe", "ignore"], cwd: "/" });
      const pieces = [];
      const end = () => {
        clearTimeout(timer);
        resolve(answerIn(Buffer.concat(pieces)));
      };
      const timer = setTimeout(() => {
        child.kill("SIGKILL");
        resolve(undefined);
      }, PATIENCE);
      child.on("error", end);
      child.on("close", end);
      child.stdin.on("error", () => {});
      child.stdout.on("error", () => {});
      child.stdout.on("data", (piece) => pieces.push(piece));
      child.stdin.end(JSON.stringify(payload));
    });
  }

  // The same where the host does not wait for promises.
  askNow(event, payload) {
    const input = JSON.stringify(payload);
    const stdio = ["pipe", "pipe", "ignore"];
    const options = { input, stdio, cwd: "/", timeout: PATIENCE, killSignal: "SIGKILL" };
    const done = spawnSync(SHELL, [...this.words, event], options);
    return done.error ? undefined : answerIn(done.stdout);
  }

  // Whether any guard is at work, by what the last cycle wrote: without one nothing is called before calls.
  get guards() {
    const path = `${this.home}/snapshots/current.json`;
    let at;
    try {
      at = statSync(path).mtimeMs;
    } catch {
      return false;
    }
    if (at !== this.seen.at) {
      let guards = true; // where that cannot be read the client is asked, which tells what is wrong
      try {
        guards = Object.keys(JSON.parse(readFileSync(path, "utf8")).guards ?? {}).length > 0;
      } catch {}
      this.seen = { at, guards };
    }
    return this.seen.guards;
  }
}

// What is done at each moment of a session.
class Moments {
  constructor(client) {
    this.client = client;
    this.sessions = new Map(); // by key: the id, and where it works
    this.anew = new Map(); // ids of sessions that begin anew under the same id
    this.calls = new Map(); // by id of a call: its arguments, where the result does not tell them
    this.notes = new Map(); // by id of a call: what is to be told with its result
    this.asked = new Map(); // the same where it is to be told only if nobody was there to ask
    this.done = new Map(); // ids of calls whose results were looked at
  }

  // The block on every turn, since the system prompt is made anew each time; what matters to a prompt behind it.
  async prompt(event, ctx) {
    const payload = this.payload(ctx);
    if (!payload || isRoom(ctx.sessionKey)) return undefined;
    const source = take(this.anew, payload.session_id) ? "clear" : "again";
    const start = told(await this.client.ask("session-start", { ...payload, source }));
    const typed = typeof event.currentUserMessage === "string" ? event.currentUserMessage : event.prompt;
    const matters = isTyped(typed, ctx) ? told(await this.client.ask("prompt", { ...payload, prompt: typed })) : undefined;
    return {
      ...(start ? { appendSystemContext: start } : {}),
      ...(matters ? { appendContext: matters } : {}),
    };
  }

  async beforeCall(event, ctx) {
    const call = event.toolCallId ?? ctx.toolCallId;
    const payload = this.payload(ctx);
    remember(this.calls, call, event.params);
    if (!payload || !this.client.guards) return undefined;
    const answer = await this.client.ask("before-call", { ...payload, ...called(event.toolName, event.params, call) });
    const reason = answer?.permissionDecisionReason;
    if (answer?.permissionDecision === "deny") return { block: true, blockReason: reason };
    remember(this.notes, call, told(answer)); // a call cannot be warned about, only its result added to
    if (answer?.permissionDecision !== "ask") return undefined;
    remember(this.asked, call, reason);
    const plain = reason.replace(MARKS, "").trim();
    const title = "wisen: a guard of yours asks about this call";
    const onResolution = (decision) => {
      if (decision !== "cancelled" && decision !== "timeout") take(this.asked, call); // the user was asked
    };
    return { requireApproval: { title, description: clipped(plain, 256), severity: "warning", onResolution } };
  }

  // Where the host lets results be added to before the model reads them.
  async result(event, ctx) {
    const call = event.toolCallId;
    const { content, details } = event.result ?? {};
    const result = { content, details, isError: event.isError };
    const note = this.note(call, result);
    take(this.calls, call);
    remember(this.done, call, true);
    const failure = this.failure(event.toolName, event.args, call, result, ctx);
    const fix = failure && told(await this.client.ask("failure", failure));
    const texts = [note, fix].filter(Boolean);
    if (!texts.length || !Array.isArray(content)) return undefined;
    return { result: { ...event.result, content: [...content, ...texts.map(block)] } };
  }

  // On older hosts: the list of what a result holds is the one that the model is told from, so it is added to in place.
  record(event, ctx) {
    const message = event.message;
    if (event.isSynthetic || message?.role !== "toolResult" || !Array.isArray(message.content)) return undefined;
    const call = event.toolCallId ?? message.toolCallId;
    if (take(this.done, call)) return undefined;
    const note = this.note(call, message);
    const failure = this.failure(message.toolName, take(this.calls, call), call, message, ctx);
    const fix = failure && told(this.client.askNow("failure", failure));
    message.content.push(...[note, fix].filter(Boolean).map(block));
    return undefined;
  }

  // What a guard said to a call.
  note(call, result) {
    const asked = take(this.asked, call);
    return take(this.notes, call) ?? (result.isError && result.details?.exitCode === undefined ? asked : undefined);
  }

  async end(name, event, ctx) {
    const payload = this.payload({ ...ctx, sessionId: event.sessionId ?? ctx.sessionId });
    if (!payload) return;
    if (name === "session-end" && OVER.has(event.reason)) {
      remember(this.anew, event.nextSessionId ?? payload.session_id, true);
    }
    await this.client.ask(name, payload);
  }

  // A failed call as the client reads it; undefined where it did not fail, or was stopped before it was made. Only a
  // code tells that a command failed.
  failure(tool, params, call, result, ctx) {
    const details = result.details ?? {};
    const failed = SHELLS.has(tool) ? details.exitCode > 0 : result.isError && details.status !== "blocked";
    const payload = failed ? this.payload(ctx, details.cwd) : undefined;
    if (!payload) return undefined;
    const texts = (result.content ?? []).filter((each) => each?.type === "text").map((each) => each.text);
    return { ...payload, ...called(tool, params, call), error: clipped(texts.join("\n"), LONGEST) };
  }

  // Whose event it is and where; undefined where the host does not tell the session.
  payload(ctx, cwd) {
    const key = ctx?.sessionKey;
    const known = this.sessions.get(key) ?? {};
    const id = ctx?.sessionId ?? known.id;
    if (!id) return undefined;
    const place = ctx.workspaceDir ?? known.place ?? this.workspace(ctx);
    remember(this.sessions, key, { id, place });
    return { session_id: id, cwd: cwd ?? place };
  }

  // Where an agent works, where an event does not tell.
  workspace(ctx) {
    try {
      return this.workspaceOf(ctx.agentId) || "";
    } catch {
      return "";
    }
  }
}

// Whether the host lets an installed plugin add to results; 2026.5 lets only its own, and calls it an error to ask.
function letsAddToResults(api) {
  const [year, month] = String(api.runtime?.version ?? "").split(".").map(Number);
  const recent = year > 2026 || (year === 2026 && month >= 8);
  return recent && typeof api.registerAgentToolResultMiddleware === "function";
}

// A handler that never throws: what goes wrong is logged by its kind alone, and the turn goes on.
function calmly(api, name, handler) {
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

function answerIn(output) {
  try {
    return JSON.parse(output.toString("utf8")).hookSpecificOutput;
  } catch {
    return undefined;
  }
}

function told(answer) {
  const text = answer?.additionalContext;
  return typeof text === "string" && text ? text : undefined;
}

// A call as the client reads it. A command may run elsewhere than in the workspace.
function called(tool, params, call) {
  const place = params?.workdir;
  const elsewhere = typeof place === "string" && place.startsWith("/") ? { cwd: place } : {};
  return { tool_name: tool, tool_input: params ?? {}, tool_use_id: call ?? "", ...elsewhere };
}

// Whether a prompt is a person's, as far as the host tells: not a schedule's, and not another session's.
function isTyped(prompt, ctx) {
  const origin = ctx.inputProvenance?.kind ?? "external_user";
  return typeof prompt === "string" && prompt !== "" && (ctx.trigger ?? "user") === "user" && origin === "external_user";
}

// In a chat of several people nothing of the user's is told.
function isRoom(key) {
  const parts = String(key ?? "").toLowerCase().split(":");
  const name = parts[0] === "agent" ? parts.slice(2) : parts;
  return name.slice(1, 3).some((each) => ROOMS.has(each));
}

function block(text) {
  return { type: "text", text };
}

function clipped(text, most) {
  const half = most >> 1;
  return text.length <= most ? text : `${text.slice(0, half - 1)}…${text.slice(-half)}`;
}

function remember(map, key, value) {
  if (key === undefined || value === undefined) return;
  map.delete(key);
  map.set(key, value);
  if (map.size > MOST) map.delete(map.keys().next().value);
}

function take(map, key) {
  const value = map.get(key);
  map.delete(key);
  return value;
}
