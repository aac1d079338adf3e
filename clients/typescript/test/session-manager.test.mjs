// pi's method names, each with an await.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";

import { SessionManager } from "sessiond-client";

import { next, plainEnvironment, session, started } from "./support/daemon.mjs";

const user = (content) => ({ role: "user", content, timestamp: 1 });
const usage = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3, cost: { total: 0 } };

/** Every public name of pi's class. */
const STATIC = ["create", "open", "continueRecent", "inMemory", "forkFrom", "findById", "list", "listAll"];
const OWN = `setSessionFile newSession isPersisted getCwd getSessionDir usesDefaultSessionDir
  getSessionId getSessionFile appendMessage appendThinkingLevelChange appendModelChange appendUsage
  appendCompaction appendCustomEntry appendSessionInfo getSessionName appendCustomMessageEntry
  appendContextEdit getLeafId getLeafEntry getEntry getChildren getLabel appendLabelChange getBranch
  buildContextEntries buildSessionProjection buildSessionContext getHeader getEntryCount getEntries
  getTree branch resetLeaf branchWithSummary createBranchedSession`.split(/\s+/);

describe("SessionManager", { timeout: 180_000 }, () => {
  it("has all of pi's methods", () => {
    for (const name of STATIC) assert.equal(typeof SessionManager[name], "function", name);
    for (const name of OWN) assert.equal(typeof SessionManager.prototype[name], "function", name);
  });

  it("returns values of unknown types as they are, as pi does", async (t) => {
    const { client, dir } = await started(t);
    const line = { type: "future", id: "f1", parentId: "a1", timestamp: "2025-06-01T10:00:09.000Z" };
    const manager = await SessionManager.for(client).open(await session(dir, "s", [line]));
    assert.deepEqual((await manager.getEntries()).at(-1), line);
    assert.deepEqual((await manager.getTree())[0].children[0].children[0].entry, line);
  });

  it("creates, appends, branches and reads as pi does", async (t) => {
    const { client, dir } = await started(t);
    const Sessions = SessionManager.for(client);
    const manager = await Sessions.create(dir, undefined, { id: "mine" });
    assert.ok(manager instanceof SessionManager);
    assert.equal(await manager.getSessionId(), "mine");
    assert.equal(await manager.getCwd(), dir);
    assert.equal(await manager.isPersisted(), true);
    assert.equal(await manager.usesDefaultSessionDir(), true);
    assert.equal(await manager.getSessionName(), undefined);
    assert.equal(await manager.getLeafEntry(), undefined);
    const first = await manager.appendMessage(user("first"));
    const model = await manager.appendModelChange("p", "m");
    await manager.appendThinkingLevelChange("high");
    await manager.branch(first);
    const second = await manager.appendMessage(user("second"));
    await manager.appendLabelChange(first, "here");
    await manager.appendSessionInfo("a name");
    assert.equal(await manager.getLabel(first), "here");
    assert.equal(await manager.getLabel(second), undefined);
    assert.equal(await manager.getSessionName(), "a name");
    assert.equal((await manager.getEntry(model)).modelId, "m");
    assert.equal(await manager.getEntry("none"), undefined);
    assert.equal((await manager.getChildren(first)).length, 2);
    assert.deepEqual((await manager.getBranch(second)).map((each) => each.id), [first, second]);
    assert.equal((await manager.getHeader()).id, "mine");
    assert.equal(await manager.getEntryCount(), (await manager.getEntries()).length);
    const context = await manager.buildSessionContext();
    assert.deepEqual(context.messages.map((each) => each.content), ["first", "second"]);
    const projection = await manager.buildSessionProjection();
    assert.deepEqual(projection.messages.map((each) => each.content), ["first", "second"]);
    const spent = await manager.appendUsage("cache", "p", "m", usage);
    assert.deepEqual(await manager.getEntry(spent.id), spent);
    await manager.appendContextEdit(second, null);
    await manager.appendCustomEntry("c", { a: 1 });
    await manager.appendCustomMessageEntry("c", "text", true);
    await manager.appendCompaction("short", first, 10);
    await manager.branchWithSummary(null, "left");
    await manager.resetLeaf();
    assert.equal(await manager.getLeafId(), null);
    const file = await manager.getSessionFile();
    const branched = await manager.createBranchedSession(second);
    assert.notEqual(branched, file);
    assert.equal(await manager.getSessionFile(), branched);
    const again = await Sessions.open(file);
    assert.equal(await again.getSessionId(), "mine");
    await again.close();
  });

  it("nests a tree of any depth", async (t) => {
    const { client } = await started(t);
    const at = "2025-06-01T10:00:00.000Z";
    const lines = Array.from({ length: 5000 }, (_, index) => ({
      type: "custom",
      id: `e${index}`,
      parentId: index === 0 ? null : `e${index - 1}`,
      timestamp: at,
      customType: "c",
    }));
    lines.push({ type: "label", id: "l", parentId: "e1", timestamp: at, targetId: "e1", label: "L" });
    const manager = await SessionManager.for(client).inMemory("/w", undefined, lines);
    const roots = await manager.getTree();
    assert.deepEqual(roots.map((node) => node.entry.id), ["e0"]);
    const [second] = roots[0].children;
    assert.equal(second.label, "L");
    assert.equal(second.labelTimestamp, at);
    assert.deepEqual(second.children.map((node) => node.entry.id), ["e2", "l"]);
    let depth = 0;
    for (let node = roots[0]; node !== undefined; [node] = node.children) depth += 1;
    assert.equal(depth, 5000);
  });

  it("lists and finds sessions, with times as dates", async (t) => {
    const { client, dir } = await started(t);
    const Sessions = SessionManager.for(client);
    const path = await session(dir);
    const [info, ...others] = await Sessions.list("/w");
    assert.deepEqual(others, []);
    assert.equal(info.path, path);
    assert.equal(info.created.toISOString(), "2025-06-01T10:00:00.000Z");
    assert.ok(info.modified instanceof Date);
    assert.equal(info.allMessagesText, "hello hi");
    assert.deepEqual((await Sessions.listAll()).map((each) => each.path), [path]);
    assert.equal(await Sessions.findById("/w", "s"), path);
    assert.equal(await Sessions.findById("/w", "t"), undefined);
    const forked = await Sessions.forkFrom(path, dir);
    assert.equal((await forked.getHeader()).parentSession, path);
    const recent = await Sessions.continueRecent("/w");
    assert.equal(await recent.getSessionFile(), path);
  });

  it("closes the session of a manager that nobody has any more", async (t) => {
    const { dir } = await started(t);
    const path = await session(dir);
    const script = `
      import { SessionManager } from "sessiond-client";
      const client = await SessionManager.connect();
      const open = async () => (await client.daemonStatus()).openSessions;
      const kept = await SessionManager.open(${JSON.stringify(path)});
      const heard = [];
      await (async () => {
        (await SessionManager.open(${JSON.stringify(path)})).onDidChange(({ kind }) => heard.push(kind));
        for (let i = 0; i < 50; i += 1) {
          await (await SessionManager.open(${JSON.stringify(path)})).getLeafId();
        }
      })();
      while ((await open()) > 2) {
        globalThis.gc();
        await new Promise((resolve) => setImmediate(resolve));
      }
      await kept.appendMessage({ role: "user", content: "x", timestamp: 1 });
      while (heard.length === 0) await client.daemonStatus();
      console.log(await open(), heard.join());
      await kept.close();
      console.log(await open());`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--expose-gc", "--input-type=module", "--eval", script],
      { env: { ...plainEnvironment, HOME: join(dir, "home") }, timeout: 60_000, cwd: import.meta.dirname },
    );
    assert.equal(stdout, "2 appended\n1\n");
  });

  it("is closed at the end of an await using", async (t) => {
    const { client, dir } = await started(t);
    const manager = await SessionManager.for(client).open(await session(dir));
    await manager[Symbol.asyncDispose]();
    assert.equal((await client.daemonStatus()).openSessions, 0);
    await manager.close();
  });

  it("tells what became of it after a crash", async (t) => {
    const { client, dir } = await started(t);
    const Sessions = SessionManager.for(client);
    const managers = [await Sessions.open(await session(dir)), await Sessions.inMemory()];
    const heard = managers.map((manager) => next((listener) => manager.onDidChange(listener)));
    process.kill(client.pid, "SIGKILL");
    const [reconnected, lost] = await Promise.all(heard);
    assert.deepEqual([reconnected.kind, reconnected.state.leafId], ["reconnected", "a1"]);
    assert.deepEqual([lost.kind, lost.error.kind], ["lost", "SessionLost"]);
  });

  it("tells how far a listing has got", async (t) => {
    const { client, dir } = await started(t);
    const path = await session(dir);
    const told = [];
    const sessions = await SessionManager.for(client).list("/w", undefined, (...args) => told.push(args));
    assert.equal(sessions.length, 1);
    assert.ok(told.length > 0);
    const partial = told.map(([, , list]) => list).filter((list) => list !== undefined);
    assert.deepEqual(partial.at(-1).map((each) => each.path), [path]);
  });

  it("gives up a listing", async (t) => {
    const { client } = await started(t);
    const listing = SessionManager.for(client).listAll(undefined, AbortSignal.abort());
    await assert.rejects(listing, { name: "AbortError" });
  });

  it("needs no client and lets the process end", async (t) => {
    const { dir } = await started(t);
    const path = await session(dir);
    const script = `
      import { SessionManager } from "sessiond-client";
      const manager = await SessionManager.open(${JSON.stringify(path)});
      console.log(await manager.appendMessage({ role: "user", content: "x", timestamp: 1 }));`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module", "--eval", script],
      { env: { ...plainEnvironment, HOME: join(dir, "home") }, timeout: 20_000, cwd: import.meta.dirname },
    );
    assert.match(stdout, /^[0-9a-f]{16}\n$/);
  });
});
