// The examples are run as a user runs them.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { appendFile, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { assistant, directory, entry, plainEnvironment, session } from "./support/daemon.mjs";

const example = (name) => fileURLToPath(new URL(`../examples/${name}`, import.meta.url));
const environment = (dir) => ({ ...plainEnvironment, SESSIOND_AGENT_DIR: join(dir, "agent") });

async function run(name, dir, ...args) {
  const options = { env: environment(dir), timeout: 30_000 };
  return (await promisify(execFile)(process.execPath, [example(name), ...args], options)).stdout;
}

describe("examples", { timeout: 180_000 }, () => {
  it("five-lines.mjs", async (t) => {
    const dir = await directory(t);
    await session(dir);
    assert.equal(await run("five-lines.mjs", dir, "/w"), "s: 3 entries\n");
    assert.match(await run("five-lines.mjs", dir, dir), /^[0-9a-f-]+: 1 entries\n$/);
  });

  it("the README's first program, in a folder without sessions", async (t) => {
    const dir = await directory(t);
    const readme = await readFile(new URL("../README.md", import.meta.url), "utf-8");
    const program = readme.match(/```js\n([^]*?)```/)[1];
    const script = join(dir, "program.mjs");
    await writeFile(script, program);
    await mkdir(join(dir, "node_modules"));
    await symlink(fileURLToPath(new URL("..", import.meta.url)), join(dir, "node_modules/sessiond-client"));
    const options = { cwd: dir, env: environment(dir), timeout: 30_000 };
    const { stdout } = await promisify(execFile)(process.execPath, [script], options);
    assert.match(stdout, /^message [0-9a-f]{8,16}\n$/);
  });

  it("pi.mjs", async (t) => {
    const dir = await directory(t);
    const tree = ["message", " session_info", " branch_summary", "  message", ""];
    assert.equal(await run("pi.mjs", dir, dir), tree.join("\n"));
  });

  it("watch.mjs", async (t) => {
    const dir = await directory(t);
    const path = await session(dir);
    const child = spawn(process.execPath, [example("watch.mjs"), path], { env: environment(dir) });
    t.after(() => child.kill("SIGKILL"));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    assert.equal((await lines.next()).value, "watching s");
    const line = entry("a2", "a1", "2025-06-01T10:00:03.000Z", assistant("working"));
    await appendFile(path, `${JSON.stringify(line)}\n`);
    assert.equal((await lines.next()).value, "assistant: working");
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGINT");
    assert.equal(await ended, 0);
  });
});
