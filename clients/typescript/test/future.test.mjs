// Answers of a later daemon: nothing fails, and nothing is lost that this version knows.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";

import { Sessiond, SessiondError, Unknown } from "sessiond-client";

const require = createRequire(import.meta.url);
const { fits, revive } = require("../dist/shapes.js");
const { methodFacts, notificationShapes } = require("../dist/generated/methods.js");

const protocol = new URL("../../../protocol/", import.meta.url);
const future = JSON.parse(readFileSync(new URL("future/answers.json", protocol), "utf8"));
const daemon = fileURLToPath(new URL("tests/future_daemon.py", protocol));
const added = "addedLater";
const answers = future.answers.flatMap(({ methods, result }) => methods.map((name) => [name, result]));
const told = future.notifications.slice(0, -1).map(({ method, params }) => [method, params]);

/** Without what was added, and with the kind of a change where it was. */
function known(value) {
  if (Array.isArray(value)) return value.map(known);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([name]) => name !== added);
  return Object.fromEntries(members.map(([name, each]) => [name === "unknownKind" ? "kind" : name, known(each)]));
}

function unknown(value, found = new Set()) {
  if (typeof value !== "object" || value === null) return found;
  if (value instanceof Unknown) found.add(value.constructor.name);
  if ("unknownKind" in value) found.add("unknownKind");
  for (const each of Object.values(value)) unknown(each, found);
  return found;
}

describe("a later daemon", { timeout: 180_000 }, () => {
  it("sends answers of which everything known stays", () => {
    const found = new Set();
    for (const [values, shapeOf] of [
      [answers, (name) => methodFacts[name].result],
      [told, (name) => notificationShapes[name]],
    ]) {
      for (const [name, value] of values) {
        if (/^(initialize|shutdown)$/.test(name)) continue; // without functions
        assert.ok(fits(shapeOf(name), value), `${name} ${JSON.stringify(value)}`);
        const revived = revive(shapeOf(name), structuredClone(value));
        assert.deepEqual(known(JSON.parse(JSON.stringify(revived))), known(value), name);
        unknown(revived, found);
      }
    }
    assert.deepEqual([...found].sort(), ["UnknownBlock", "UnknownEntry", "UnknownMessage", "unknownKind"]);
  });

  it("is a daemon", async (t) => {
    const client = await Sessiond.start({ path: "python3", args: [daemon], shared: false });
    t.after(() => client.close());
    assert.equal(client.settings.positionEncoding, "utf-16");
    for await (const { changes } of await client.subscribeGateway()) {
      assert.deepEqual(changes.slice(0, 2).map(({ kind, unknownKind }) => [kind, unknownKind]), [
        ["added", undefined],
        [undefined, added],
      ]);
      break;
    }
    for (const [index, { code, data }] of future.errors.entries()) {
      await assert.rejects(client.request("session/open", { path: `error: ${index}` }), (error) => {
        assert.ok(error instanceof SessiondError);
        assert.deepEqual([error.code, error.kind], [code, data?.kind ?? "Unknown"]);
        return true;
      });
    }
    assert.equal((await client.daemonStatus()).watch.mode, "native");
    assert.equal((await client.daemonStatus()).watch.mode, added);
  });
});
