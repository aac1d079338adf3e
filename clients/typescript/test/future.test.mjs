// Answers of a later daemon: nothing fails, and nothing is lost.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";

import { Sessiond, SessiondError } from "sessiond-client";

const protocol = new URL("../../../protocol/", import.meta.url);
const future = JSON.parse(readFileSync(new URL("future/answers.json", protocol), "utf8"));
const daemon = fileURLToPath(new URL("tests/future_daemon.py", protocol));

async function started(t) {
  const client = await Sessiond.start({ path: "python3", args: [daemon], shared: false });
  t.after(() => client.close());
  return client;
}

/** Without the handle, which the client chooses. */
function unnamed(result) {
  if (typeof result !== "object" || result === null) return result;
  return { ...result, session: undefined, subscription: undefined };
}

describe("a later daemon", { timeout: 180_000 }, () => {
  it("sends answers that arrive as they are", async (t) => {
    const client = await started(t);
    for (const { methods, result } of future.answers) {
      for (const method of methods) {
        if (/^(initialize|shutdown)$/.test(method)) continue; // without functions
        assert.deepEqual(unnamed(await client.request(method)), unnamed(result), method);
      }
    }
  });

  it("is a daemon", async (t) => {
    const client = await started(t);
    assert.equal(client.settings.positionEncoding, "utf-16");
    for await (const { changes } of await client.subscribeGateway()) {
      assert.deepEqual(changes.slice(0, 2).map(({ kind }) => kind), ["added", "addedLater"]);
      break;
    }
    for (const [index, { code, data }] of future.errors.entries()) {
      await assert.rejects(client.request("session/open", { path: `error: ${index}` }), (error) => {
        assert.ok(error instanceof SessiondError);
        assert.deepEqual([error.code, error.kind], [code, data?.kind ?? "Unknown"]);
        return true;
      });
    }
  });
});
