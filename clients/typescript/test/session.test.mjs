// Session objects, their changes, subscriptions, pages, limits of time and streams.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { appendFile, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";

import { ClientError, SessionManager, Sessiond, assistantMessage, userText } from "sessiond-client";

import { PROXY, assistant, directory, entry, faked, next, plainEnvironment, session, started } from "./support/daemon.mjs";

const user = (content) => ({ role: "user", content, timestamp: 1 });
const line = (id, parentId) =>
  `${JSON.stringify(entry(id, parentId, "2025-06-01T10:00:09.000Z", user(id)))}\n`;
const collected = async (values) => {
  const found = [];
  for await (const value of values) found.push(value);
  return found;
};

describe("Session", { timeout: 180_000 }, () => {
  it("has the methods of the contract, and reports changes of others", async (t) => {
    const { client, dir } = await started(t);
    const path = await session(dir);
    const own = await client.open({ path });
    assert.equal(own.state.sessionFile, path);
    const { id } = await own.appendMessage({ message: user("mine") });
    assert.equal((await own.getLeafId()).leafId, id);
    const heard = [];
    const listening = own.onChange(({ kind }) => heard.push(kind));
    const changes = own.changes();
    await appendFile(path, line("u2", id));
    for await (const change of changes) {
      assert.deepEqual([change.kind, change.entries.map((each) => each.id)], ["appended", ["u2"]]);
      break;
    }
    assert.deepEqual(await changes.next(), { value: undefined, done: true });
    assert.deepEqual(heard, ["appended"]);
    listening.dispose();
    const rest = collected(own.changes());
    await own.close();
    assert.deepEqual(await rest, []);
  });

  it("is opened by its id, and opening makes no session unless it is asked to", async (t) => {
    const { client, dir } = await started(t);
    const own = await client.create(dir, { id: "by-id" });
    await own.appendMessage(userText("hello"));
    const again = await client.open({ id: "by-id" });
    assert.equal(again.state.sessionFile, own.state.sessionFile);
    const missing = join(dir, "missing.jsonl");
    await assert.rejects(client.open({ id: "unknown" }), { kind: "SessionNotFound" });
    await assert.rejects(client.open(missing), { kind: "SessionNotFound" });
    const made = await client.open(missing, { mustExist: false });
    assert.equal(made.state.entryCount, 0);
    const manager = await SessionManager.for(client).open(join(dir, "pi.jsonl"));
    assert.equal(await manager.getEntryCount(), 0);
  });

  it("builds answers, and knows its present leaf and tip", async (t) => {
    const { client, dir } = await started(t);
    const own = await client.create(dir);
    assert.deepEqual([own.leafId, own.tipId], [null, null]);
    const call = { type: "toolCall", id: "c", name: "ls", arguments: {} };
    for (const [content, reason] of [["hi", "stop"], [[call], "toolUse"]]) {
      const { id } = await own.appendMessage(assistantMessage(content, "p", "m"));
      const { entry: found } = await own.getLeafEntry();
      assert.deepEqual([found.message.stopReason, found.message.usage.cost.total], [reason, null]);
      assert.deepEqual([own.leafId, own.tipId], [id, id]);
    }
    const other = await client.open(own.state.sessionFile);
    const changes = own.changes();
    const { id } = await other.appendMessage(userText("theirs"));
    await changes.next();
    assert.equal(own.tipId, id);
    assert.notEqual(own.leafId, id);
  });

  it("takes the one argument of a call without an object around it", async (t) => {
    const { client, dir } = await started(t);
    const own = await client.create(dir, { id: "own" });
    assert.equal(own.state.sessionId, "own");
    const before = Date.now();
    const { id } = await own.appendMessage(userText("hello"));
    const { entry: found } = await own.getEntry(id);
    assert.deepEqual([found.message.role, found.message.content], ["user", "hello"]);
    assert.ok(before <= found.message.timestamp && found.message.timestamp <= Date.now());
    const odd = { role: "oracle", message: { role: "user" } };
    const second = await own.appendMessage(odd, { newEntryId: "second" });
    assert.deepEqual([second.id, second.parentId], ["second", id]);
    await own.appendMessage({ message: odd });
    const { entries } = await own.getBranch("second");
    assert.deepEqual(entries.map((each) => each.id), [id, "second"]);
    assert.deepEqual(entries[1].message, odd);
    assert.equal((await own.getBranch()).entries.length, 3);
    assert.equal((await own.buildSessionContext(null)).messages.length, 0);
    assert.deepEqual((await own.getChildren(null)).entries.map((each) => each.id), [id]);
    const again = await client.open(own.state.sessionFile, { readOnly: true }, { timeout: 30_000 });
    assert.deepEqual([again.state.readOnly, again.state.sessionId], [true, "own"]);
    assert.equal((await client.sessionGetEntries(again.handle, { limit: 1 })).entries.length, 1);
    assert.equal((await collected(client.sessions(dir))).length, 1);
    assert.equal((await collected(client.search("hello", { pageSize: 1 }))).length, 1);
    assert.equal((await client.continueRecent(dir)).state.sessionId, "own");
  });

  it("keeps a limited number of changes that are not read", async (t) => {
    const { client } = await faked(t);
    const subscribed = await client.subscribeCatalog();
    const unread = subscribed[Symbol.asyncIterator]();
    const own = await client.open("/x");
    const changes = own.changes();
    const count = 1500;
    const last = next((hear) => client.onSessionDidChange((params) => {
      if (params.sequence === count) hear(params);
    }), 30_000);
    await client.request("flood", { count, session: own.handle, subscription: subscribed.snapshot.subscription });
    await last;
    for (const stream of [unread, changes]) {
      const { value } = await stream.next();
      assert.equal(value.sequence, count - 1024 + 1);
    }
  });

  it("reads entries, sessions and results of a search page by page", async (t) => {
    const { client, dir } = await started(t);
    const own = await client.create({ cwd: dir });
    for (const name of ["one", "two", "three"]) await own.appendMessage({ message: user(name) });
    const entries = await collected(own.entries({ pageSize: 2 }));
    assert.deepEqual(entries.map((each) => each.message.content), ["one", "two", "three"]);
    const other = await client.create({ cwd: join(dir, "other") });
    await other.appendMessage({ message: user("four two") });
    const ids = async (sessions) => (await collected(sessions)).map((each) => each.id).toSorted();
    const all = [own.state.sessionId, other.state.sessionId].toSorted();
    assert.deepEqual(await ids(client.sessions({ pageSize: 1 })), all);
    assert.deepEqual(await ids(client.sessions({ cwd: dir })), [own.state.sessionId]);
    const hits = await collected(client.search({ query: "two", pageSize: 1 }));
    assert.equal(hits.length, 2);
    assert.deepEqual(await collected(client.sessions({ cwd: join(dir, "nothing") })), []);
  });

  it("is reconnected, or lost and never created anew, when the daemon has crashed", async (t) => {
    const { client, dir } = await started(t);
    const kept = await client.open({ path: await session(dir, "kept") });
    const goes = await client.open({ path: await session(dir, "goes") });
    const memory = await client.inMemory();
    const streams = [kept, goes, memory].map((each) => each.changes());
    const gone = goes.state.sessionFile;
    process.kill(client.pid, "SIGSTOP");
    await rm(gone);
    process.kill(client.pid, "SIGKILL");
    const [first, second, third] = await Promise.all(
      streams.map(async (stream) => (await stream.next()).value),
    );
    assert.equal(first.kind, "reconnected");
    assert.equal(first.state.session, kept.handle);
    assert.equal(kept.state, first.state);
    for (const [lost, stream] of [[second, streams[1]], [third, streams[2]]]) {
      assert.equal(lost.kind, "lost");
      assert.ok(lost.error instanceof ClientError && lost.error.kind === "SessionLost");
      assert.deepEqual(await stream.next(), { value: undefined, done: true });
    }
    await assert.rejects(goes.getState(), { kind: "SessionLost" });
    await assert.rejects(stat(gone), { code: "ENOENT" });
    await appendFile(kept.state.sessionFile, line("u2", "a1"));
    assert.equal((await streams[0].next()).value.kind, "appended");
  });

  it("can be closed again, also when it is lost or its client is closed", async (t) => {
    const { client, dir } = await started(t);
    const sessions = [await client.open(await session(dir)), await client.inMemory()];
    const manager = await SessionManager.for(client).inMemory();
    const subscription = await client.subscribeCatalog();
    await sessions[0].close();
    const restarted = next((listener) => client.onReconnected(listener));
    process.kill(client.pid, "SIGKILL");
    await restarted;
    const all = [...sessions, manager, subscription];
    for (let times = 0; times < 2; times += 1) {
      for (const each of all) await each.close();
      await client.close();
    }
    await assert.rejects(sessions[0].getState(), { kind: "Closed" });
  });

  it("takes a subscription up again", async (t) => {
    const { client, dir } = await started(t);
    const subscription = await client.subscribeCatalog();
    assert.deepEqual(subscription.snapshot.sessions, []);
    await session(dir, "one");
    const changes = subscription[Symbol.asyncIterator]();
    const { value: added } = await changes.next();
    assert.deepEqual([added.kind, added.changes.map((each) => each.kind)], ["changed", ["added"]]);
    process.kill(client.pid, "SIGKILL");
    const { value: again } = await changes.next();
    assert.deepEqual([again.kind, again.snapshot.sessions.length], ["reconnected", 1]);
    assert.equal(subscription.snapshot, again.snapshot);
    await session(dir, "two");
    assert.equal((await changes.next()).value.kind, "changed");
    await subscription.close();
    assert.equal((await changes.next()).done, true);
  });

  it("says to every session and subscription that the client is lost", async (t) => {
    const { client, dir } = await started(t, { restart: false });
    const own = await client.open({ path: await session(dir) });
    const subscription = await client.subscribeCatalog();
    const changes = Promise.all([collected(own.changes()), collected(subscription)]);
    process.kill(client.pid, "SIGKILL");
    for (const [{ kind, error }] of await changes) {
      assert.deepEqual([kind, error.kind], ["lost", "DaemonFailed"]);
    }
  });
});

describe("calls", { timeout: 180_000 }, () => {
  it("that open something after their time limit leave nothing open", async (t) => {
    const { client, logged } = await faked(t);
    // Long enough that the daemon has begun: what it has not begun when it is cancelled, it never opens.
    const limit = { timeout: 1000 };
    await assert.rejects(client.open("/late", {}, limit), { name: "TimeoutError" });
    await assert.rejects(client.subscribeCatalog({ cwd: "/late" }, limit), { name: "TimeoutError" });
    await logged('session/close {"session":"session-');
    await logged('catalog/unsubscribe {"subscription":"subscription-');
    const own = await client.open("/x");
    assert.equal((await own.getLeafId()).leafId, `leaf of ${own.handle}`);
  });

  it("fail with an error whose stack names the caller", async (t) => {
    const { client } = await started(t);
    const own = await client.inMemory();
    const closed = await started(t);
    await closed.client.close();
    async function culprit(call) {
      return call();
    }
    const calls = {
      SessiondError: () => own.branch("none"),
      ClientError: () => closed.client.daemonStatus(),
      "ClientError ": () => Sessiond.start({ path: "/no/such/sessiond" }),
      TimeoutError: () => client.daemonStatus({ timeout: 0 }),
    };
    const { pid } = await client.daemonStatus();
    for (const [kind, call] of Object.entries(calls)) {
      const name = kind.trim();
      // It must not answer before the time is up.
      if (name === "TimeoutError") process.kill(pid, "SIGSTOP");
      const error = await culprit(call).catch((caught) => caught);
      process.kill(pid, "SIGCONT");
      assert.equal(error.name, name);
      assert.ok(error.stack.startsWith(`${name}: ${error.message}\n    at `), error.stack);
      assert.match(error.stack, /culprit/);
      assert.match(error.stack, /session\.test\.mjs/);
    }
  });

  it("that fail together each name their own caller", async (t) => {
    const { client } = await faked(t);
    const one = () => client.daemonStatus();
    const two = () => client.daemonStatus();
    const calls = [one(), two()];
    const [first, second] = await Promise.all([...calls.map((call) => call.catch((error) => error)), client.close()]);
    assert.match(first.stack, / one /);
    assert.match(second.stack, / two /);
  });

  it("return the messages that they take as the same type", async (t) => {
    const { client } = await started(t);
    const own = await client.inMemory();
    const { timestamp, ...untimed } = assistant("x");
    const content = [{ type: "text", text: "x" }];
    const messages = [
      { role: "user", content: "x" },
      { role: "user", content, timestamp: null },
      { role: "system", content: "x" },
      untimed,
      { role: "toolResult", toolCallId: "c", toolName: "t", content, isError: false },
    ];
    for (const message of messages) {
      await own.appendMessage(message);
      const { entry } = await own.getLeafEntry();
      assert.deepEqual(entry.message, message);
      }
  });

  it("name the member that is missing, as params or alone", async (t) => {
    const { client } = await started(t);
    const own = await client.inMemory();
    const message = { content: "no role" };
    const paths = [];
    for (const call of [() => own.appendMessage(message), () => own.appendMessage({ message })]) {
      paths.push((await call().catch((error) => error)).data.pointer);
    }
    assert.deepEqual(paths, ["/message/role", "/message/role"]);
    const { id } = await own.appendMessage({ message: { role: "user", content: "x" }, newEntryId: "mine" });
    assert.equal(id, "mine");
  });

  it("end after a time limit", async (t) => {
    const { client } = await started(t);
    process.kill(client.pid, "SIGSTOP");
    await assert.rejects(client.daemonStatus({ timeout: 20 }), { name: "TimeoutError" });
    process.kill(client.pid, "SIGCONT");
    assert.equal(typeof (await client.daemonStatus({ timeout: 30_000 })), "object");
  });

  it("go over streams that are given", async (t) => {
    const dir = await directory(t);
    const child = spawn(process.env.SESSIOND, ["--agent-dir", join(dir, "agent")], {
      env: plainEnvironment,
      stdio: ["pipe", "pipe", "ignore"],
    });
    const client = await Sessiond.start({ streams: { input: child.stdin, output: child.stdout } });
    assert.equal(client.pid, undefined);
    const own = await client.inMemory();
    const changes = own.changes();
    assert.equal((await own.getEntryCount()).count, 0);
    const lost = new Promise((resolve) => client.onLost(resolve));
    child.kill("SIGKILL");
    assert.equal((await lost).kind, "DaemonFailed");
    assert.equal((await changes.next()).value.kind, "lost");
    await client.close();
  });

  it("name this process to a daemon that it started, and not over given streams", async (t) => {
    const dir = await directory(t);
    const sent = async (name, start) => {
      const log = join(dir, name);
      const daemon = [process.env.SESSIOND, "--agent-dir", join(dir, "agent")];
      const client = await start("python3", [PROXY, log, "-", "-", "before", "0", "--", ...daemon]);
      await client.close();
      return JSON.parse((await readFile(log, "utf-8")).split("\n")[0]).params.processId;
    };
    assert.equal(await sent("started", (path, args) => Sessiond.start({ path, args })), process.pid);
    const over = (path, args) => {
      const { stdin, stdout } = spawn(path, args, { stdio: ["pipe", "pipe", "ignore"] });
      return Sessiond.start({ streams: { input: stdin, output: stdout } });
    };
    assert.equal(await sent("given", over), undefined);
  });
});
