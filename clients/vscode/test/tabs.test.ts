// Tabs of the built extension whose connection is not there yet, or is made anew.

import assert from "node:assert/strict";
import { appendFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { activated, DAEMON, directory, HEADER, path, run, stub, text, user } from "./running.ts";
import type { Panel } from "./vscode-stub.ts";

const extension = activated();

/** Wait until there is a value; fails after 20 s. */
async function until<T>(find: () => T | undefined | Promise<T | undefined>, what: () => string): Promise<T> {
  for (const deadline = Date.now() + 20_000; Date.now() < deadline; ) {
    const found = await find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`waited too long for ${what()}`);
}

/** Wait until a page was told something. */
const told = (panel: Panel, matches: (message: Panel["posted"][number]) => boolean) =>
  until(() => panel.posted.find(matches), () => `a message after ${JSON.stringify(panel.posted)}`);

/** Whether a message to the page has an entry. */
const has = (id: string) => ({ entries }: Panel["posted"][number]) => ((entries ?? []) as { id?: unknown }[]).some((entry) => entry.id === id);

const info = () => ({ path, id: "", cwd: "", firstMessage: "first" });

test("a tab that is restored without a program stays, and shows its session when the setting names one", async () => {
  stub.settings["path"] = "/nowhere/sessiond";
  const panel = stub.restore({ path });
  panel.says({ type: "ready" });
  const { text: said } = await told(panel, ({ type }) => type === "notice");
  assert.equal(said, "The program sessiond was not found.");
  assert.equal(panel.closed, false);
  stub.settings["path"] = DAEMON;
  stub.configured();
  await told(panel, has("bbbb"));
  await told(panel, ({ type }) => type === "replace");
  panel.dispose();
});

test("an open tab goes on in the connection that a restart makes", async () => {
  await run("open", { kind: "session", info: info() });
  const [panel] = stub.panels;
  assert.ok(panel);
  panel.says({ type: "ready" });
  await told(panel, ({ type }) => type === "replace");
  await run("restart");
  await appendFile(path, text(user("cccc", "bbbb", "after the restart")));
  await told(panel, has("cccc"));
  panel.dispose();
});

test("after the daemon was lost, tabs and the view go on with the next one", async () => {
  const broken = join(directory, "broken");
  const program = join(directory, "fragile");
  await writeFile(program, `#!/bin/sh\n[ ! -e '${broken}' ] || exit 1\nexec '${DAEMON}' "$@"\n`, { mode: 0o755 });
  stub.settings["path"] = program;
  await run("restart");
  await run("open", { kind: "session", info: info() });
  const [panel] = stub.panels;
  assert.ok(panel);
  panel.says({ type: "ready" });
  await told(panel, ({ type }) => type === "replace");
  await writeFile(broken, "");
  process.kill((await extension.api.client()).pid ?? 0, "SIGKILL");
  await told(panel, ({ text }) => /connection to sessiond was lost/.test(String(text)));
  assert.deepEqual(stub.messages.at(-1)?.slice(1), ["Restart sessiond", "Show Log"]);
  await rm(broken);
  const second = join(directory, "agent/sessions/--shop--/b.jsonl");
  await writeFile(second, text({ ...HEADER, id: "22222222-bbbb" }, user("aaaa", null, "another")));
  await appendFile(path, text(user("cccc", "bbbb", "after the loss")));
  // Any request starts the daemon again.
  await extension.api.client();
  await told(panel, has("cccc"));
  const counts = async () => (await Promise.all((await stub.rows.getChildren()).map((row) => stub.rows.getChildren(row)))).map((rows) => rows.length);
  await until(async () => (await counts())[0] === 2 || undefined, () => "both sessions in the view");
  panel.dispose();
  await rm(second);
  stub.settings["path"] = DAEMON;
});

test("a tab that is restored without its session is closed, and says why", async () => {
  await rm(path);
  const panel = stub.restore({ path });
  await until(() => panel.closed || undefined, () => "the end of the tab");
  assert.ok(stub.messages.some(([message = ""]) => message.includes(path)));
});

test("a tab without the path of a session is closed", () => {
  for (const state of [undefined, {}, { path: 7 }]) assert.equal(stub.restore(state).closed, true);
});
