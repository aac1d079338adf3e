// A new daemon for every test, with a temporary agent directory.

import { mkdtemp, mkdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { Sessiond } from "sessiond-client";

/** The environment, without variables that change the directories of the daemon. */
export const plainEnvironment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(SESSIOND_|PI_)/.test(name)),
);

export const PROXY = fileURLToPath(new URL("../../../../tests/two_clients/proxy.py", import.meta.url));

export async function directory(t) {
  const path = await realpath(await mkdtemp(join(tmpdir(), "sessiond-client-")));
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

export async function started(t, options = {}) {
  const dir = options.dir ?? (await directory(t));
  const client = await Sessiond.start({
    env: plainEnvironment,
    args: ["--agent-dir", join(dir, "agent")],
    ...options,
  });
  t.after(() => client.close());
  return { client, dir };
}

/** A client of the scripted daemon in fake.mjs. `logged` waits for a line of its log that begins so. */
export async function faked(t, mode = "", options = {}) {
  const dir = await directory(t);
  const log = [];
  const counter = join(dir, "starts");
  let heard = () => {};
  const { client } = await started(t, {
    dir,
    path: process.execPath,
    args: [fileURLToPath(new URL("fake.mjs", import.meta.url)), mode, counter],
    log: (line) => heard(log.push(line)),
    closeTimeout: 500,
    ...options,
  });
  const logged = async (line) => {
    while (!log.some((each) => each.startsWith(line))) await new Promise((resolve) => (heard = resolve));
  };
  return { client, log, logged, starts: async () => Number(await readFile(counter, "utf-8")) };
}

/** A client of a real daemon, which ends once, `before` or `after` the first call of a method; see proxy.py. */
export async function crashing(t, method, moment) {
  const dir = await directory(t);
  const daemon = [process.env.SESSIOND, "--agent-dir", join(dir, "agent")];
  const args = [PROXY, join(dir, "log"), join(dir, "fuse"), method, moment, "1", "--", ...daemon];
  return started(t, { dir, path: "python3", args });
}

/** A client of a real daemon, with a change right behind each answer to a method; see proxy.py. */
export async function interrupted(t, method) {
  const dir = await directory(t);
  const daemon = [process.env.SESSIOND, "--agent-dir", join(dir, "agent")];
  const args = [PROXY, join(dir, "log"), "-", method, "change", "0", "--", ...daemon];
  return started(t, { dir, path: "python3", args });
}

/** Write a session file with a user's and an assistant's message, and return its path. */
export async function session(dir, name = "s", lines = []) {
  const path = join(dir, "agent", "sessions", "--w--", `${name}.jsonl`);
  await mkdir(join(path, ".."), { recursive: true });
  const at = "2025-06-01T10:00:0";
  const all = [
    { type: "session", version: 3, id: name, timestamp: `${at}0.000Z`, cwd: "/w" },
    entry("u1", null, `${at}1.000Z`, { role: "user", content: "hello", timestamp: 1 }),
    entry("a1", "u1", `${at}2.000Z`, assistant("hi")),
    ...lines,
  ];
  await writeFile(path, all.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return path;
}

/** Return a message with the members that pi requires. */
export function assistant(text) {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  return {
    role: "assistant",
    content: [{ type: "text", text }],
    api: "anthropic-messages",
    provider: "p",
    model: "m",
    usage: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3, cost },
    stopReason: "stop",
    timestamp: 2,
  };
}

export function entry(id, parentId, timestamp, message) {
  return { type: "message", id, parentId, timestamp, message };
}

/** Wait for the next value of an event. */
export function next(listen, milliseconds = 30_000) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("nothing was heard")), milliseconds);
    const listening = listen((value) => {
      clearTimeout(timer);
      listening.dispose();
      resolve(value);
    });
  });
}
