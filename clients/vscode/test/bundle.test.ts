import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

test("activation loads VS Code and modules of Node, and not the client", async () => {
  const bundle = await readFile(new URL("../dist/extension.cjs", import.meta.url), "utf8");
  const required = [...bundle.matchAll(/(.{0,60})require\("([^"]+)"\)/g)].map(([, before = "", name = ""]) => ({ before, name }));
  const others = required.filter(({ name }) => name !== "vscode" && !name.startsWith("node:"));
  assert.deepEqual(others.map(({ name }) => name), ["./client.cjs"]);
  assert.ok(others[0]?.before.includes("Promise.resolve().then("), "the client is loaded at once");
  assert.equal(/StreamMessageReader/.test(bundle), false);
});
