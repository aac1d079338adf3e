// Calls, handles and subscriptions after an unexpected end of the daemon.

import assert from "node:assert/strict";
import { access, appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";

import { ClientError, JsonText, userText } from "sessiond-client";

import { crashing, directory, faked, interrupted, next, plainEnvironment, session, started } from "./support/daemon.mjs";

describe("after a crash of the real daemon", { timeout: 180_000 }, () => {
  it("sessions are open again under their handles, with their leaves", async (t) => {
    const { client, dir } = await started(t);
    const tip = await client.sessionOpen({ path: await session(dir, "tip") });
    const moved = await client.sessionOpen({ path: await session(dir, "moved") });
    const reset = await client.sessionOpen({ path: await session(dir, "reset") });
    const guarded = await client.sessionOpen({ path: await session(dir, "guarded"), readOnly: true });
    await client.sessionClose({ session: tip.session });
    await client.sessionBranch({ session: moved.session, entryId: "u1" });
    await client.sessionResetLeaf({ session: reset.session });
    const restarted = next((listener) => client.onReconnected(listener));
    process.kill(client.pid, "SIGKILL");
    const { exit, sessions, lost } = await restarted;
    assert.equal(exit.signal, "SIGKILL");
    assert.equal(lost.size, 0);
    const handles = [moved.session, reset.session, guarded.session];
    assert.deepEqual(sessions.map((each) => each.session), handles);
    const leaf = async (handle) => (await client.sessionGetLeafId({ session: handle })).leafId;
    assert.equal(await leaf(moved.session), "u1");
    assert.equal(await leaf(reset.session), null);
    const state = await client.sessionGetState({ session: guarded.session });
    assert.equal(state.session, guarded.session);
    assert.equal(state.sessionId, "guarded");
    assert.equal(state.readOnly, true);
    const again = await client.sessionOpen({ path: state.sessionFile });
    assert.ok(![...handles, tip.session].includes(again.session), "a handle is given once");
    await client.sessionBranch({ session: again.session, entryId: "u1" });
    assert.equal(await leaf(guarded.session), "a1");
  });

  it("appends under way are in the file once each, in their order", async (t) => {
    const { client, dir } = await started(t);
    const path = await session(dir);
    const { session: handle } = await client.sessionOpen({ path });
    const texts = Array.from({ length: 200 }, (_, index) => `message ${index}`);
    const appends = texts.map((content) =>
      client.sessionAppendMessage({ session: handle, message: { role: "user", content, timestamp: 1 } }),
    );
    await appends[20];
    process.kill(client.pid, "SIGKILL");
    const made = await Promise.all(appends);
    const lines = (await readFile(path, "utf-8")).trimEnd().split("\n").slice(3).map(JSON.parse);
    assert.deepEqual(lines.map((line) => line.message.content), texts);
    assert.deepEqual(lines.map((line) => line.id), made.map((each) => each.id));
    assert.deepEqual(lines.map((line) => line.parentId), ["a1", ...made.slice(0, -1).map((each) => each.id)]);
  });

  it("appends of clients that share a daemon are in the file once each", async (t) => {
    const dir = await directory(t);
    const path = await session(dir);
    // The path of a socket must be short.
    const runtime = await mkdtemp("/tmp/sd");
    t.after(() => rm(runtime, { recursive: true, force: true }));
    const env = { ...plainEnvironment, XDG_RUNTIME_DIR: runtime, SESSIOND_IDLE_EXIT: "0.1" };
    const writers = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const { client } = await started(t, { dir, env, shared: true });
        return { client, handle: (await client.sessionOpen({ path })).session };
      }),
    );
    assert.equal((await writers[0].client.daemonStatus()).connections, writers.length);
    let acknowledged = 0;
    const write = async ({ client, handle }, number) => {
      for (let count = 0; count < 20; count += 1) {
        const content = `${number}-${count}`;
        await client.sessionAppendMessage({ session: handle, message: { role: "user", content, timestamp: 1 } });
        acknowledged += 1;
        if (acknowledged === 30 || acknowledged === 60) {
          process.kill((await client.daemonStatus()).pid, "SIGKILL");
        }
      }
    };
    await Promise.all(writers.map(write));
    const lines = (await readFile(path, "utf-8")).trimEnd().split("\n").slice(3).map(JSON.parse);
    const expected = writers.flatMap((_, number) =>
      Array.from({ length: 20 }, (__, count) => `${number}-${count}`),
    );
    assert.deepEqual(lines.map((line) => line.message.content).sort(), expected.sort());
  });

  it("a session keeps its leaf when the daemon crashes again while it is opened", async (t) => {
    const { client, dir } = await crashing(t, "session/open", "after");
    const path = await session(dir);
    const opened = await client.continueRecent("/w");
    const line = { type: "custom", id: "tip", parentId: "a1", timestamp: "t", customType: "c" };
    await appendFile(path, `${JSON.stringify(line)}\n`);
    process.kill((await client.daemonStatus()).pid, "SIGKILL");
    const { parentId } = await opened.appendCustomEntry({ customType: "c" });
    assert.equal(parentId, "a1");
    await access(join(dir, "fuse"));
  });

  it("a branch summary whose answer was lost is the leaf all the same", async (t) => {
    const { client, dir } = await started(t);
    const path = await session(dir);
    const { session: handle } = await client.sessionOpen({ path });
    const calls = [
      client.sessionBranchWithSummary({ session: handle, entryId: "u1", summary: "left" }),
      client.sessionAppendCustomEntry({ session: handle, customType: "c" }),
    ];
    process.kill(client.pid, "SIGKILL");
    const [summary, custom] = await Promise.all(calls);
    assert.equal(summary.parentId, "u1");
    assert.equal(custom.parentId, summary.id);
    assert.equal((await client.sessionGetEntryCount({ session: handle })).count, 4);
  });

  it("a summary whose answer was lost is the leaf without a repair", async (t) => {
    const { client, dir } = await crashing(t, "session/branchWithSummary", "after");
    const opened = await client.open(await session(dir));
    const summary = await opened.branchWithSummary({ entryId: "u1", summary: "left" });
    assert.equal(summary.existed, true);
    assert.equal((await opened.getLeafId()).leafId, summary.id);
    const log = await readFile(join(dir, "log"), "utf-8");
    assert.equal(log.includes('"session/branch"'), false);
  });

  it("a session whose file is another session is lost", async (t) => {
    const { client, dir } = await started(t);
    const path = await session(dir);
    const opened = await client.open(path);
    process.kill(client.pid, "SIGSTOP");
    const text = await readFile(path, "utf-8");
    await writeFile(path, text.replace('"id":"s"', '"id":"other"'));
    process.kill(client.pid, "SIGKILL");
    await assert.rejects(opened.getEntries(), (error) => {
      return error.kind === "SessionLost" && /another session/.test(error.cause.message);
    });
    assert.equal((await client.daemonStatus()).openSessions, 0);
  });

  it("a session in memory is lost, and so are entries not yet written", async (t) => {
    const { client } = await started(t);
    const memory = await client.sessionInMemory({});
    const unwritten = await client.sessionCreate({ cwd: "/w" });
    await client.sessionAppendSessionInfo({ session: unwritten.session, name: "named" });
    const empty = await client.create("/w");
    const restarted = next((listener) => client.onReconnected(listener));
    process.kill(client.pid, "SIGKILL");
    assert.deepEqual([...(await restarted).lost.keys()], [memory.session, unwritten.session]);
    for (const { session: handle } of [memory, unwritten]) {
      await assert.rejects(client.sessionGetLeafId({ session: handle }), (error) => {
        return error instanceof ClientError && error.kind === "SessionLost";
      });
    }
    assert.equal((await empty.appendMessage({ message: userText("first") })).written, true);
  });
});

/** Wait for a line of the log, which may come after the answer. */
async function logged(log, line) {
  while (!log.includes(line)) await new Promise((resolve) => setImmediate(resolve));
}

describe("after a crash", { timeout: 180_000 }, () => {
  it("reads are asked again, and what cannot be repeated fails with what came after it", async (t) => {
    const { client, starts } = await faked(t);
    const { session: one } = await client.sessionOpen({ path: "/one" });
    const { session: two } = await client.sessionOpen({ path: "/two" });
    const created = client.sessionCreate({ cwd: "/w" });
    const read = client.sessionGetLeafId({ session: two });
    const branched = client.request("session/newSession", { session: one });
    const after = client.sessionGetLeafId({ session: one });
    const interrupted = (error) => error instanceof ClientError && error.kind === "Interrupted";
    await Promise.all([
      assert.rejects(created, interrupted),
      assert.rejects(branched, interrupted),
      assert.rejects(after, interrupted),
    ]);
    assert.equal((await read).leafId, `leaf of ${two}`);
    assert.equal(await starts(), 2);
  });

  it("handles and names of subscriptions stay as they are", async (t) => {
    const { client, log } = await faked(t);
    const { session: gone } = await client.sessionOpen({ path: "/gone" });
    const { session: kept } = await client.sessionOpen({ path: "/kept" });
    const { subscription } = await client.request("catalog/subscribe", {});
    await client.sessionClose({ session: gone });
    const restarted = next((listener) => client.onReconnected(listener));
    process.kill(client.pid, "SIGKILL");
    const { sessions, subscriptions } = await restarted;
    assert.deepEqual(sessions.map(({ session }) => session), [kept]);
    assert.deepEqual([...subscriptions.keys()], [subscription]);
    const { session: other } = await client.sessionOpen({ path: "/other" });
    assert.equal(new Set([gone, kept, other]).size, 3);
    const text = `{"label": "\\"x\\"", "session" : "${kept}" }`;
    const { leafId } = await client.request("session/getLeafId", new JsonText(text));
    assert.equal(leafId, `leaf of ${kept}`);
    const heard = next((listener) => client.onSessionDidChange(listener));
    const params = { session: kept, sequence: 1, kind: "appended", leafId: "l", tipId: "t" };
    await client.request("notify", { method: "session/didChange", params });
    assert.deepEqual(await heard, params);
    await logged(log, `session/getLeafId ${JSON.stringify(JSON.parse(text))}`);
  });

  it("a change in one write with the answer to open waits for its listener", async (t) => {
    const { client, dir } = await interrupted(t, "session/open");
    const opened = await client.open(await session(dir));
    await opened.getEntryCount();
    const heard = [];
    opened.onChange((change) => heard.push(change.entryCount));
    assert.deepEqual(heard, [3]);
    const streamed = (await client.open(await session(dir, "other"))).changes();
    assert.equal((await streamed.next()).value.entryCount, 3);
  });

  it("a change right after a restart follows the new state, and the leaf stays", async (t) => {
    const { client, dir } = await interrupted(t, "session/open");
    const opened = await client.open(await session(dir));
    await opened.branch("u1");
    const changes = opened.changes();
    await changes.next();
    for (let restarts = 0; restarts < 2; restarts += 1) {
      process.kill((await client.daemonStatus()).pid, "SIGKILL");
      const { value: again } = await changes.next();
      assert.deepEqual([again.kind, again.state.entryCount], ["reconnected", 2]);
      const { value: change } = await changes.next();
      assert.deepEqual([change.kind, change.entryCount], ["appended", 3]);
      assert.equal((await opened.getLeafId()).leafId, "u1");
    }
  });

  it("a change right after a restart follows the new snapshot", async (t) => {
    const { client, dir } = await interrupted(t, "catalog/subscribe");
    await session(dir);
    const subscription = await client.subscribeCatalog();
    const changes = subscription[Symbol.asyncIterator]();
    await changes.next();
    process.kill((await client.daemonStatus()).pid, "SIGKILL");
    assert.equal((await changes.next()).value.kind, "reconnected");
    assert.equal((await changes.next()).value.changes[0].kind, "removed");
  });

  it("three daemons in a row that end without an answer are enough", async (t) => {
    const { client, starts } = await faked(t, "once");
    const failed = next((listener) => client.onLost(listener));
    const read = client.daemonStatus();
    process.kill(client.pid, "SIGKILL");
    await assert.rejects(read, (error) => error.kind === "DaemonFailed");
    assert.match((await failed).message, /exit code 7|SIGKILL/);
    assert.equal(await starts(), 3);
    await assert.rejects(client.daemonStatus(), (error) => error.kind === "DaemonFailed");
  });

  it("nothing is started again when that is not wanted", async (t) => {
    const { client, starts } = await faked(t, "", { restart: false });
    const read = client.daemonStatus();
    process.kill(client.pid, "SIGKILL");
    await assert.rejects(read, (error) => error.kind === "DaemonFailed");
    assert.equal(await starts(), 1);
  });
});

describe("cancellation", { timeout: 180_000 }, () => {
  it("tells the daemon, and fails the call with the signal's reason", async (t) => {
    const { client, logged } = await faked(t);
    const controller = new AbortController();
    const call = client.open("/late", {}, { signal: controller.signal });
    await logged('session/open {"path":"/late"');
    controller.abort(new Error("enough"));
    await assert.rejects(call, /enough/);
    // The daemon opened it nevertheless.
    await logged('session/close {"session":"session-');
  });

  it("does not wait for a daemon that is stopped", async (t) => {
    const { client } = await started(t);
    process.kill(client.pid, "SIGSTOP");
    const controller = new AbortController();
    const call = client.daemonStatus({ signal: controller.signal });
    setImmediate(() => controller.abort());
    await assert.rejects(call, { name: "AbortError" });
    process.kill(client.pid, "SIGCONT");
  });

  it("of a call that closes a session ends its changes as well", async (t) => {
    const { client } = await started(t);
    const own = await client.inMemory();
    const changes = own.changes();
    process.kill(client.pid, "SIGSTOP");
    const call = own.close({ timeout: 20 });
    await assert.rejects(call, { name: "TimeoutError" });
    process.kill(client.pid, "SIGCONT");
    assert.equal((await changes.next()).done, true);
  });

  it("sends nothing when the signal came first", async (t) => {
    const { client, log } = await faked(t);
    await assert.rejects(client.daemonStatus({ signal: AbortSignal.abort() }), { name: "AbortError" });
    await client.close();
    assert.ok(!log.some((line) => line.startsWith("daemon/status")));
  });
});

describe("closing", { timeout: 180_000 }, () => {
  it("leaves no daemon behind that was about to be started again", async (t) => {
    const { client, log } = await faked(t);
    const exited = next((listener) => client.onDidExit(listener));
    process.kill(client.pid, "SIGKILL");
    await exited;
    const call = client.sessionGetLeafId({ session: "s1" });
    await Promise.all([assert.rejects(call, (error) => error.kind === "Closed"), client.close()]);
    assert.equal(client.pid, undefined);
    assert.deepEqual(log.filter((line) => line.startsWith("shutdown")).length, 1);
  });

  it("kills a daemon that does not end, and fails what it never answered", async (t) => {
    const { client } = await faked(t, "stubborn");
    const call = client.daemonStatus();
    const exit = next((listener) => client.onDidExit(listener));
    await Promise.all([assert.rejects(call, (error) => error.kind === "Closed"), client.close()]);
    assert.equal((await exit).signal, "SIGKILL");
  });
});

describe("Ctrl-C in a program", { skip: process.platform !== "linux" }, () => {
  it("does not reach its daemon, which has a process group of its own", async (t) => {
    const { client } = await started(t);
    const groupOf = async (pid) => (await readFile(`/proc/${pid}/stat`, "utf-8")).replace(/^.*\) /s, "").split(" ")[2];
    assert.notEqual(await groupOf(client.pid), await groupOf("self"));
  });
});
