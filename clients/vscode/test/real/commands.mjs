// Tests of the commands about sessions and entries, in the VS Code of `vscode.test.mjs`.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { access, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";

import { Lines } from "./sessions.mjs";
import { until } from "./vscode.mjs";

const options = { timeout: 90_000 };
/** A name that a shell would act on, if it were not quoted. */
const HOSTILE = "2026-01-01T00-00-00-000Z_55555555-it's $(touch pwned)";

/** `at()` returns the Desk, which is started. */
export function testCommands(at) {
  let talk;
  let path;
  const row = (text) => at().row(text);
  const entries = async (file = path) => (await readFile(file, "utf8")).trimEnd().split("\n").map((line) => JSON.parse(line));
  const toast = (text) => at().page.locator(".notification-toast", { hasText: text });
  const dialog = (text) => at().page.locator(".monaco-dialog-box", { hasText: text });
  const input = () => at().page.locator(".quick-input-widget input.input");

  /** Open the context menu of an element of the transcript and choose from it. */
  const choose = async (element, title, picture) => {
    await element.click({ button: "right" });
    await chosen(title, picture);
  };

  /** Open the context menu of a row of the view and choose from it. */
  const chooseOfRow = async (text, title) => {
    await at().clickRow(text, { button: "right" });
    await chosen(title);
  };

  const chosen = async (title, picture) => {
    const item = at().page.locator(".monaco-menu .action-item", { hasText: title });
    await item.waitFor();
    if (picture) await at().picture(picture);
    // A menu ignores the mouse shortly after it was opened.
    await until(async () => {
      await item.click({ timeout: 500 }).catch(() => {});
      return item.waitFor({ state: "detached", timeout: 2_000 }).then(() => true, () => false);
    }, "the menu to close");
  };

  /** Files of sessions of the workspace. */
  const files = async () => (await readdir(dirname(path))).filter((name) => name.endsWith(".jsonl"));

  const shown = async (text) => {
    const frame = await at().transcript();
    await frame.locator("#entries").getByText(text).first().waitFor();
    return frame;
  };

  test("an entry is labelled from its context menu, and the tree shows the label", options, async () => {
    const desk = at();
    talk = new Lines("55555555-talk", desk.workspace, 230);
    talk.name("Choose a database");
    talk.user("Which database do we take?");
    talk.assistant("SQLite is enough for now.");
    talk.user("And for many writers?");
    talk.assistant("Then PostgreSQL.");
    path = await desk.session(HOSTILE, desk.workspace, talk.all);
    await desk.clickRow("Choose a database");
    const frame = await shown("Then PostgreSQL.");
    await choose(frame.locator(".entry", { hasText: "SQLite is enough" }), "Label This Entry", "menu");
    await input().fill("decision");
    await desk.page.keyboard.press("Enter");
    await frame.locator(".row .badge", { hasText: "decision" }).waitFor();
    await frame.locator("#entries .entry .badge", { hasText: "decision" }).waitFor();
    const last = (await entries()).at(-1);
    assert.deepEqual([last.type, last.label, last.targetId], ["label", "decision", talk.all[3].id]);
    await desk.picture("label");
  });

  test("the palette labels the entry at which the reader is", options, async () => {
    const frame = await at().transcript();
    await frame.locator(".row", { hasText: "And for many writers?" }).click();
    await at().command("Sessions: Label This Entry");
    await input().fill("question");
    await at().page.keyboard.press("Enter");
    await frame.locator(".row", { hasText: "And for many writers?" }).locator(".badge", { hasText: "question" }).waitFor();
  });

  test("a session is forked at a row of the tree", options, async () => {
    const before = await files();
    const frame = await at().transcript();
    await choose(frame.locator(".row", { hasText: "SQLite is enough" }), "Fork Here into a New Session");
    await until(async () => (await files()).length === before.length + 1, "the new file");
    const [name] = (await files()).filter((each) => !before.includes(each));
    const made = await entries(join(dirname(path), name));
    assert.equal(made[0].parentSession, path);
    assert.deepEqual(made.filter(({ type }) => type === "message").map(({ id }) => id), [talk.all[2].id, talk.all[3].id]);
    await toast("The new session is a copy").waitFor();
    const fork = await at().transcript();
    await fork.locator("#entries").getByText("SQLite is enough").first().waitFor();
    assert.equal(await fork.locator("#entries").getByText("Then PostgreSQL.").count(), 0);
    await at().command("View: Close Editor");
    await at().command("Notifications: Clear All Notifications");
  });

  test("a branch that another program overtook is answered with choices", options, async () => {
    const desk = at();
    await desk.clickRow("Choose a database");
    const frame = await shown("Then PostgreSQL.");
    await choose(frame.locator(".entry", { hasText: "And for many writers?" }), "Branch from Here");
    await input().waitFor();
    // The agent goes on while the user types.
    talk.last = (await entries()).at(-1).id;
    const answer = talk.assistant("One more thing.");
    await desk.append(path, answer);
    await frame.locator("#entries").getByText("One more thing.").waitFor();
    await input().fill("another way");
    await desk.page.keyboard.press("Enter");
    await dialog("Another program has continued").waitFor();
    await desk.picture("conflict");
    assert.equal((await entries()).at(-1).id, answer.id, "nothing was written");
    await dialog("Another program").locator(".monaco-button", { hasText: "Branch Anyway" }).click();
    await until(async () => (await entries()).at(-1).label === "another way", "the branch");
    // A message of the user is written anew: the branch begins before it.
    assert.equal((await entries()).at(-1).parentId, talk.all[3].id);
    await toast("continues from here").waitFor();
    await frame.locator("#where").getByText("one of 2 branches").waitFor();
    // The other branch is shown again from its row in the tree.
    assert.equal(await frame.locator("#entries").getByText("One more thing.").count(), 0);
    await choose(frame.locator(".row", { hasText: "One more thing." }), "Show This Branch");
    await frame.locator("#entries").getByText("One more thing.").waitFor();
    await desk.command("Notifications: Clear All Notifications");
  });

  test("a session is exported in each format", options, async () => {
    const desk = at();
    const found = { "Page (HTML)": ["html", /^<!doctype html>/], Markdown: ["md", /SQLite is enough/], "JSON lines": ["jsonl", /^\{"type":"session"/] };
    for (const [format, [extension, content]] of Object.entries(found)) {
      await desk.command("Sessions: Export Session");
      await desk.pick(format);
      const target = join(desk.workspace, `exported.${extension}`);
      await until(async () => (await input().inputValue()).endsWith(`Choose a database.${extension}`), "the proposed name");
      await input().fill(target);
      await desk.page.keyboard.press("Enter");
      await toast(`exported.${extension}`).waitFor();
      assert.match(await readFile(target, "utf8"), content);
    }
    await desk.command("Notifications: Clear All Notifications");
  });

  test("a repair shows its plan first, and keeps a backup", options, async () => {
    const desk = at();
    const damaged = new Lines("66666666-damaged", desk.workspace, 240);
    damaged.user("A damaged session");
    const file = await desk.session("2026-01-01T00-00-00-000Z_66666666-damaged", desk.workspace, damaged.all);
    const good = await readFile(file, "utf8");
    const bad = `${good}{"type": "mess\n${JSON.stringify(damaged.assistant("After the damage."))}\n`;
    await writeFile(file, bad);
    await desk.clickRow("A damaged session");
    await shown("After the damage.");
    await desk.command("Sessions: Check and Repair Session");
    await desk.page.locator(".tab.active", { hasText: "Repair of" }).waitFor();
    await desk.page.locator(".view-line", { hasText: /line.3/ }).first().waitFor();
    await desk.picture("repair");
    assert.equal(await readFile(file, "utf8"), bad, "nothing is written before the user agrees");
    await toast("as the document describes?").locator(".monaco-button", { hasText: "Repair" }).click();
    await toast("was repaired").waitFor();
    assert.equal(await readFile(file, "utf8"), good + bad.split("\n").slice(-2).join("\n"));
    const backup = (await readdir(dirname(file))).find((name) => name.startsWith(`${basename(file)}.bak-`));
    assert.equal(await readFile(join(dirname(file), backup), "utf8"), bad);
    await toast("was repaired").locator(".monaco-button", { hasText: "Compare with the Backup" }).click();
    await desk.page.locator(".tab.active", { hasText: "backup ↔ repaired" }).waitFor();
    await desk.command("View: Close All Editors");
  });

  test("the usage is a report", options, async () => {
    const desk = at();
    await desk.command("Sessions: Show Usage of All Sessions");
    await desk.pick("By model");
    await desk.page.locator(".view-line", { hasText: "mock/mock-1" }).first().waitFor();
    await desk.picture("usage");
    await desk.command("View: Close All Editors");
  });

  test("a session is resumed in a terminal, in its directory, whatever its name is", options, async () => {
    const desk = at();
    await desk.clickRow("Choose a database");
    await shown("SQLite is enough");
    await desk.append(path, talk.assistant("Another agent is working here."));
    await row("Choose a database, ").and(row("a program is writing to it")).waitFor();
    await desk.command("Sessions: Resume in a Terminal");
    await dialog("is writing to").locator(".monaco-button", { hasText: "Resume Anyway" }).click();
    const file = join(desk.directory, "resumed");
    await until(() => access(file).then(() => true, () => false), "the agent");
    const [cwd, directory, ...words] = (await readFile(file, "utf8")).split("\n").slice(0, -1);
    assert.deepEqual([cwd, directory, words], [desk.workspace, desk.agent, ["--session", path]]);
    await assert.rejects(access(join(desk.workspace, "pwned")));
    // The terminal takes a part of the page; its end is still in view.
    const box = (await desk.transcript()).locator("#transcript");
    await until(() => box.evaluate((each) => each.scrollHeight > each.clientHeight && each.scrollHeight - each.scrollTop - each.clientHeight < 48), "the end");
    await desk.picture("resume");
    await desk.command("Terminal: Kill All Terminals");
    await desk.command("View: Close All Editors");
  });

  test("a session that is open elsewhere is deleted only if the user insists", options, async () => {
    const desk = at();
    const other = spawn(desk.program, [], { env: desk.env, stdio: ["pipe", "pipe", "ignore"] });
    try {
      const answered = new Promise((resolve) => other.stdout.once("data", resolve));
      const file = (await readdir(dirname(path))).find((name) => name.includes("66666666") && name.endsWith(".jsonl"));
      const params = { path: join(dirname(path), file) };
      other.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "session/open", params })}\n`);
      await answered;
      await chooseOfRow("A damaged session", "Delete Session");
      await dialog("to the trash?").locator(".monaco-button", { hasText: "Move to Trash" }).click();
      await dialog(`process ${other.pid}`).waitFor();
      await desk.picture("in-use");
      await dialog(`process ${other.pid}`).locator(".monaco-button", { hasText: "Cancel" }).click();
      await access(params.path);
    } finally {
      other.kill();
    }
  });

  test("the menu of a row works while an agent writes to another session", options, async (t) => {
    const desk = at();
    const busy = new Lines("88888888-busy", desk.workspace, 299);
    busy.name("A busy session");
    const file = await desk.session("2026-01-01T00-00-00-000Z_88888888-busy", desk.workspace, busy.all);
    await row("A busy session").waitFor();
    const writing = setInterval(() => void desk.append(file, busy.assistant("It goes on.")), 40);
    t.after(() => clearInterval(writing));
    await row("A busy session").and(row("a program is writing to it")).waitFor();
    for (let times = 0; times < 5; times++) {
      await chooseOfRow("Race condition", "Delete Session");
      await dialog("to the trash?").waitFor();
      await desk.page.keyboard.press("Escape");
      await dialog("to the trash?").waitFor({ state: "detached" });
    }
    clearInterval(writing);
    await rm(file);
    await row("A busy session").waitFor({ state: "detached" });
  });

  test("the trash is listed with a preview, and a session is restored from it", options, async () => {
    const desk = at();
    const gone = new Lines("77777777-gone", desk.workspace, 245);
    gone.user("A session for the trash");
    gone.assistant("It comes back.");
    const file = await desk.session("2026-01-01T00-00-00-000Z_77777777-gone", desk.workspace, gone.all);
    await chooseOfRow("A session for the trash", "Delete Session");
    await dialog("to the trash?").locator(".monaco-button", { hasText: "Move to Trash" }).click();
    await row("A session for the trash").waitFor({ state: "detached" });
    await desk.command("Notifications: Clear All Notifications");
    await desk.command("Sessions: Restore a Session from the Trash");
    const item = desk.page.locator(".quick-input-list .monaco-list-row", { hasText: "A session for the trash" });
    await item.hover();
    await item.locator(".codicon-open-preview").click();
    await desk.page.locator(".view-line", { hasText: "It comes back." }).first().waitFor();
    await desk.picture("trash");
    await desk.pick("A session for the trash");
    await row("A session for the trash").waitFor();
    await access(file);
    await desk.command("Notifications: Clear All Notifications");
    await desk.command("View: Close All Editors");
  });
}
