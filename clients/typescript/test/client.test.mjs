// The client with a real daemon.

import assert from "node:assert/strict";
import { appendFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, it } from "node:test";

import {
  ClientError,
  JsonText,
  Sessiond,
  SessiondError,
  isSessiondError,
} from "sessiond-client";

import { directory, entry, next, plainEnvironment, session, started } from "./support/daemon.mjs";

const at = "2025-06-01T10:00:09.000Z";

describe("Sessiond", { timeout: 180_000 }, () => {
  it("has every method that the daemon serves, and every notification it sends", async (t) => {
    const { client } = await started(t);
    const { methods, notifications } = client.settings.capabilities;
    const own = /^(initialize|initialized|shutdown|exit|\$\/.*)$/;
    for (const name of methods.filter((each) => !own.test(each))) {
      assert.equal(typeof client[camel(name)], "function", name);
    }
    for (const name of notifications) {
      const camelled = camel(name);
      const listen = `on${camelled[0].toUpperCase()}${camelled.slice(1)}`;
      assert.equal(typeof client[listen], "function", name);
    }
  });

  it("shares a daemon with others that ask for it", async (t) => {
    // The path of a socket must be short.
    const runtime = await mkdtemp("/tmp/sd");
    t.after(() => rm(runtime, { recursive: true, force: true }));
    const env = { ...plainEnvironment, XDG_RUNTIME_DIR: runtime, SESSIOND_IDLE_EXIT: "0.1" };
    const status = async (options) => (await started(t, { env, ...options })).client.daemonStatus();
    const [one, two] = [await status({ shared: true }), await status({ shared: true })];
    const alone = await status({ shared: false });
    assert.equal(one.pid, two.pid);
    assert.notEqual(one.pid, alone.pid);
    assert.deepEqual([one.shared, two.connections, alone.shared], [true, 2, false]);
  });

  it("lists, opens, appends and reads", async (t) => {
    const { client, dir } = await started(t);
    const path = await session(dir);
    const { sessions } = await client.sessionList({ cwd: "/w" });
    assert.deepEqual(sessions.map((each) => each.path), [path]);
    const { session: handle, leafId } = await client.sessionOpen({ path });
    assert.equal(leafId, "a1");
    const message = { role: "user", content: "again", timestamp: 1 };
    const { id, parentId } = await client.sessionAppendMessage({ session: handle, message });
    assert.match(id, /^[0-9a-f]{16}$/);
    assert.equal(parentId, "a1");
    const { entries } = await client.sessionGetBranch({ session: handle });
    assert.deepEqual(entries.map((each) => each.id), ["u1", "a1", id]);
    assert.deepEqual(entries[2].message, message);
  });

  it("reports a change that another program made", async (t) => {
    const { client, dir } = await started(t);
    const path = await session(dir);
    const { session: handle } = await client.sessionOpen({ path });
    const heard = next((listener) => client.onSessionDidChange(listener));
    await appendFile(path, `${JSON.stringify(entry("u2", "a1", at, { role: "user", content: "x", timestamp: 1 }))}\n`);
    const change = await heard;
    assert.equal(change.session, handle);
    assert.equal(change.kind, "appended");
    assert.deepEqual(change.entries.map((each) => each.id), ["u2"]);
  });

  it("tells of sessions that come and change", async (t) => {
    const { client, dir } = await started(t);
    const one = await session(dir, "one");
    const { subscription, sessions } = await client.catalogSubscribe({ cwd: "/w" });
    assert.deepEqual(sessions.map((each) => each.path), [one]);
    const heard = next((listener) => client.onCatalogDidChange(listener));
    const two = await session(dir, "two");
    const { subscription: told, changes } = await heard;
    assert.equal(told, subscription);
    assert.deepEqual(changes.map(({ kind, path }) => [kind, path]), [["added", two]]);
    await client.catalogUnsubscribe({ subscription });
  });

  it("gives errors their kind and data", async (t) => {
    const { client, dir } = await started(t);
    const path = join(dir, "none.jsonl");
    const missing = await failure(client.sessionOpen({ path, mustExist: true }));
    assert.ok(missing instanceof SessiondError && isSessiondError(missing, "SessionNotFound"));
    assert.equal(missing.code, 1002);
    assert.equal(missing.method, "session/open");
    assert.deepEqual(missing.data, { path });
    const params = await failure(client.request("session/open", { path: 3 }));
    assert.ok(params.is("InvalidParams") && !params.retryable);
    assert.deepEqual(params.data, { pointer: "/path" });
    const method = await failure(client.request("no/such"));
    assert.ok(method.is("MethodNotFound"));
    const handle = await failure(client.sessionGetLeafId({ session: "none" }));
    assert.ok(handle.is("UnknownSession"));
    assert.deepEqual(handle.data, { session: "none" });
  });

  it("keeps null, absent and a value apart", async (t) => {
    const { client, dir } = await started(t);
    const { session: handle } = await client.sessionOpen({ path: await session(dir) });
    const count = async (params) =>
      (await client.sessionBuildSessionContext({ session: handle, ...params })).messages.length;
    assert.equal(await count({}), 2);
    assert.equal(await count({ leafId: undefined }), 2);
    assert.equal(await count({ leafId: null }), 0);
    assert.equal(await count({ leafId: "u1" }), 1);
  });

  it("passes on what it does not know as it is, both ways", async (t) => {
    const { client, dir } = await started(t);
    const lines = [
      { type: "future", id: "f1", parentId: "a1", timestamp: at, more: { deep: [1] } },
      { type: "session_info", id: "i1", parentId: "f1", timestamp: at, name: 3 },
      entry("m1", "i1", at, { role: "oracle", content: 1, timestamp: 5 }),
      entry("m2", "m1", at, { role: "user", content: [{ type: "video" }, { type: "text", text: 3 }, { type: "text", text: "x", extra: 1 }], timestamp: 1 }),
    ];
    const { session: handle } = await client.sessionOpen({ path: await session(dir, "s", lines) });
    const { entries } = await client.sessionGetEntries({ session: handle, cursor: "a1" });
    assert.deepEqual(entries, lines);
    const line = { type: "future", id: "f1", parentId: null, timestamp: at };
    const { session: copy } = await client.sessionInMemory({ entries: [line] });
    assert.deepEqual((await client.sessionGetEntry({ session: copy, id: "f1" })).entry, line);
  });

  it("carries lone surrogates and unusual member names both ways", async (t) => {
    const { client } = await started(t);
    const data = JSON.parse('{"cut":"\\ud83d","__proto__":{"a":1},"jsonrpc":"1","id":null}');
    const { session: handle } = await client.sessionInMemory({});
    const { id } = await client.sessionAppendCustomEntry({ session: handle, customType: "c", data });
    const { entry: found } = await client.sessionGetEntry({ session: handle, id });
    assert.deepEqual(found.data, data);
    assert.ok(Object.hasOwn(found.data, "__proto__"));
  });

  it("carries deep and large values and unusual ids both ways, and says what is too deep", async (t) => {
    const { client } = await started(t);
    const { session: handle } = await client.sessionInMemory({});
    const nested = (depth) => JSON.parse("[".repeat(depth) + "]".repeat(depth));
    const append = (data, newEntryId) =>
      client.sessionAppendCustomEntry({ session: handle, customType: "c", data, newEntryId });
    const values = [nested(400), "0123456789abcdef".repeat(65_536), { jsonrpc: "2.0", id: 1, method: "exit" }];
    for (const [number, data] of values.entries()) {
      const id = `ä "quoted" \\ 😀 ${number}`;
      assert.equal((await append(data, id)).id, id);
      const { entry: found } = await client.sessionGetEntry({ session: handle, id });
      assert.deepEqual(found.data, data);
    }
    await assert.rejects(append(nested(600)), (error) => error.code === -32600);
  });

  it("sends params given as text to the byte", async (t) => {
    const { client, dir } = await started(t);
    const path = await session(dir);
    const { session: handle } = await client.sessionOpen({ path });
    const text = `{"session":${JSON.stringify(handle)},"customType":"c","data":{"n":123456789012345678901234567890}}`;
    await client.request("session/appendCustomEntry", new JsonText(text));
    assert.match(await readFile(path, "utf-8"), /"data":\{"n":123456789012345678901234567890\}/);
  });

  it("reports values that cannot be encoded as JSON, and continues", async (t) => {
    const { client } = await started(t);
    const { session: handle } = await client.sessionInMemory({});
    const error = await failure(
      client.sessionAppendCustomEntry({ session: handle, customType: "c", data: 1n }),
    );
    assert.ok(error instanceof ClientError && error.kind === "Unsendable");
    assert.equal((await client.sessionGetEntryCount({ session: handle })).count, 0);
  });

  it("fails calls that are too large for the daemon", async (t) => {
    const dir = await directory(t);
    const args = ["--agent-dir", dir, "--max-message", "20000"];
    const { client } = await started(t, { dir, args });
    const { session: handle } = await client.sessionInMemory({});
    const message = { role: "user", content: "x".repeat(30_000), timestamp: 1 };
    const [error, count] = await Promise.all([
      failure(client.sessionAppendMessage({ session: handle, message })),
      client.sessionGetEntryCount({ session: handle }),
    ]);
    assert.ok(error.is("TooLarge"));
    assert.equal(error.data.limit, 20_000);
    assert.equal(count.count, 0);
  });

  it("answers calls sent at once in their order", async (t) => {
    const { client, dir } = await started(t);
    const path = await session(dir);
    const { session: handle } = await client.sessionOpen({ path });
    const texts = Array.from({ length: 50 }, (_, index) => `message ${index}`);
    const made = await Promise.all(
      texts.map((content) =>
        client.sessionAppendMessage({ session: handle, message: { role: "user", content, timestamp: 1 } }),
      ),
    );
    const { entries } = await client.sessionGetEntries({ session: handle, cursor: "a1" });
    assert.deepEqual(entries.map((each) => each.message.content), texts);
    assert.deepEqual(entries.map((each) => each.id), made.map((each) => each.id));
  });

  it("ends in an orderly way, having answered what was under way", async (t) => {
    const { client, dir } = await started(t);
    const { session: handle } = await client.sessionOpen({ path: await session(dir) });
    const exit = next((listener) => client.onDidExit(listener));
    const message = { role: "user", content: "last", timestamp: 1 };
    const last = client.sessionAppendMessage({ session: handle, message });
    await client.close();
    assert.equal((await last).written, true);
    assert.deepEqual([(await exit).code, (await exit).signal], [0, null]);
    const error = await failure(client.daemonStatus());
    assert.ok(error instanceof ClientError && error.kind === "Closed");
    await client.close();
  });

  it("says how to get the daemon when it is missing", async () => {
    const error = await failure(Sessiond.start({ path: "/no/such/sessiond" }));
    assert.ok(error instanceof ClientError && error.kind === "DaemonNotFound");
    assert.match(error.message, /\/no\/such\/sessiond .*install sessiond.*SESSIOND/s);
  });

  it("shows the daemon's last words when it does not start", async () => {
    const options = { env: plainEnvironment, args: ["--no-such-option"] };
    const error = await failure(Sessiond.start(options));
    assert.ok(error instanceof ClientError && error.kind === "DaemonFailed");
    assert.match(error.message, /exit code 2.*--no-such-option/s);
  });

  it("refuses a daemon of another version by one error", async (t) => {
    const script = fileURLToPath(new URL("../../../tests/two_clients/other_version.py", import.meta.url));
    for (const mode of ["refuses", "ignores"]) {
      const error = await failure(Sessiond.start({ path: "python3", args: [script, mode] }));
      assert.ok(error instanceof SessiondError && error.is("UnsupportedVersion"), `${mode}: ${error}`);
      assert.deepEqual(error.data.supported, ["2"]);
    }
  });

  it("passes on what initialize was refused for", async (t) => {
    const dir = await directory(t);
    const error = await failure(
      Sessiond.start({ env: plainEnvironment, initialize: { agentDir: "/", profile: "none" }, cwd: dir }),
    );
    assert.ok(error instanceof SessiondError && error.is("InvalidParams"));
  });
});

function camel(name) {
  const [first, ...rest] = name.match(/[A-Za-z][a-z]*/g).map((word) => word.toLowerCase());
  return first + rest.map((word) => word[0].toUpperCase() + word.slice(1)).join("");
}

async function failure(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return assert.fail("it did not fail");
}
