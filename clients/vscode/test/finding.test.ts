import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { candidates, find, isExecutable } from "../src/daemon/finding.ts";
import { startWith } from "../src/daemon/starting.ts";

const NOTHING = { setting: "", folders: [], env: {}, home: "/home/ada" };

test("a setting is the only candidate, and may begin with the home directory", () => {
  assert.deepEqual(candidates({ ...NOTHING, setting: "~/bin/sessiond", env: { PATH: "/usr/bin" } }), ["/home/ada/bin/sessiond"]);
});

test("the workspace comes before the PATH, and pipx and uv come last", () => {
  const found = candidates({ ...NOTHING, folders: ["/home/me/shop"], env: { PATH: "/usr/bin:/bin" } });
  assert.deepEqual(found, [
    "/home/me/shop/.venv/bin/sessiond",
    "/home/me/shop/venv/bin/sessiond",
    "/usr/bin/sessiond",
    "/bin/sessiond",
    "/home/ada/.local/bin/sessiond",
    "/home/ada/.local/share/pipx/venvs/sessiond/bin/sessiond",
    "/home/ada/.local/share/uv/tools/sessiond/bin/sessiond",
  ]);
});

test("the variable SESSIOND comes first, and no directory is tried twice", () => {
  const env = { SESSIOND: "/opt/sessiond", PATH: "/home/ada/.local/bin:/usr/bin" };
  const found = candidates({ ...NOTHING, env });
  assert.equal(found[0], "/opt/sessiond");
  assert.equal(found.filter((path) => path === "/home/ada/.local/bin/sessiond").length, 1);
});

test("the directories of pipx and uv follow their variables", () => {
  const env = { PIPX_HOME: "/p", UV_TOOL_DIR: "/u", PIPX_BIN_DIR: "/pb", UV_TOOL_BIN_DIR: "/ub" };
  const found = candidates({ ...NOTHING, env });
  for (const path of ["/p/venvs/sessiond/bin/sessiond", "/u/sessiond/bin/sessiond", "/pb/sessiond", "/ub/sessiond"]) {
    assert.ok(found.includes(path), path);
  }
});

test("a relative directory of the PATH is not tried: the workspace would decide what runs", () => {
  const found = candidates({ ...NOTHING, env: { PATH: ".:bin::/usr/bin" } });
  assert.ok(found.every((path) => path.startsWith("/")));
  assert.ok(!found.includes("/sessiond"));
});

test("the first candidate that can be executed is found, or none", async () => {
  const surroundings = { ...NOTHING, env: { PATH: "/a:/b:/c" } };
  assert.equal(await find(surroundings, async (path) => path >= "/b" && path < "/d"), "/b/sessiond");
  assert.equal(await find(surroundings, async () => false), undefined);
});

test("of real files, one that can be run is found; a directory or a text of that name is not", async () => {
  const home = await mkdtemp(join(tmpdir(), "sessiond-finding-"));
  try {
    const put = async (path: string, mode: number) => {
      await mkdir(dirname(join(home, path)), { recursive: true });
      await writeFile(join(home, path), "#!/bin/sh\n", { mode });
    };
    await mkdir(join(home, "one/sessiond"), { recursive: true });
    await put("two/sessiond", 0o644);
    await put(".local/share/uv/tools/sessiond/bin/sessiond", 0o755);
    const surroundings = { ...NOTHING, home, env: { PATH: `${home}/one:${home}/two` } };
    assert.equal(await find(surroundings, isExecutable), join(home, ".local/share/uv/tools/sessiond/bin/sessiond"));
    await put(".local/share/pipx/venvs/sessiond/bin/sessiond", 0o755);
    assert.equal(await find(surroundings, isExecutable), join(home, ".local/share/pipx/venvs/sessiond/bin/sessiond"));
    await put("shop/.venv/bin/sessiond", 0o755);
    assert.equal(await find({ ...surroundings, folders: [join(home, "shop")] }, isExecutable), join(home, "shop/.venv/bin/sessiond"));
  } finally {
    await rm(home, { recursive: true });
  }
});

const USUAL = { profile: "all", agentDirectory: "", shared: true, roots: [] } as const;

test("the usual settings leave everything to the daemon", () => {
  const { args, shared, initialize } = startWith("/bin/sessiond", "/home/ada", USUAL);
  assert.deepEqual([args, shared, initialize], [[], true, { clientInfo: { name: "sessiond for VS Code" }, allAgents: true }]);
});

test("profile, directory of the agent, sharing and roots reach the daemon", () => {
  const settings = { profile: "clanker", agentDirectory: " ~/agents ", shared: false, roots: ["~/work", "/srv", " "] } as const;
  const { args, shared, initialize } = startWith("/bin/sessiond", "/home/ada", settings);
  assert.deepEqual(args, ["--root", "/home/ada/work", "--root", "/srv"]);
  assert.equal(shared, false);
  assert.deepEqual([initialize.profile, initialize.agentDir], ["clanker", "/home/ada/agents"]);
});
