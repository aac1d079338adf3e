// Every conversation in protocol/vectors, replayed through the client with a real daemon.

import { readFile, readdir } from "node:fs/promises";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";

import { directory } from "./support/daemon.mjs";
import { replay } from "./support/replay.mjs";

const folder = new URL("../../../protocol/vectors/", import.meta.url);
const names = (await readdir(fileURLToPath(folder))).filter((name) => name.endsWith(".json"));

describe("vectors", { concurrency: 4 }, () => {
  let passed = 0;
  after(() => console.log(`vectors: ${passed} of ${names.length} passed`));
  for (const name of names.sort()) {
    it(name, { timeout: 60_000 }, async (t) => {
      await replay(JSON.parse(await readFile(new URL(name, folder), "utf-8")), await directory(t));
      passed += 1;
    });
  }
});
