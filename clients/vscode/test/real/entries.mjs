// Tests of which entry a command is about, in the VS Code of `vscode.test.mjs`.

import assert from "node:assert/strict";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { Lines } from "./sessions.mjs";
import { until } from "./vscode.mjs";

const options = { timeout: 90_000 };

/** `at()` returns the Desk, which is started. */
export function testEntries(at) {
  let talk;
  let path;
  const entries = async (file = path) => (await readFile(file, "utf8")).trimEnd().split("\n").map((line) => JSON.parse(line));
  const widget = () => at().page.locator(".quick-input-widget");
  const input = () => widget().locator("input.input");

  /** Whether the element with the outline is in view. */
  const inView = (frame) => frame.locator(".entry.here").evaluate((here) => {
    const { top, bottom } = document.getElementById("transcript").getBoundingClientRect();
    const box = here.getBoundingClientRect();
    return box.height > 0 && box.bottom > top && box.top < bottom;
  });

  /** Label the current entry from the palette, and return the entry that has the label. */
  const labelled = async (label, picture) => {
    await at().command("Sessions: Label This Entry");
    // The palette itself has an input as well, which goes away before the question comes.
    await widget().filter({ hasText: "An empty text removes it" }).waitFor();
    if (picture) await at().picture(picture);
    const question = await widget().textContent();
    await input().fill(label);
    await at().page.keyboard.press("Enter");
    await until(async () => (await entries()).at(-1).label === label, "the label");
    const { targetId } = (await entries()).at(-1);
    const target = (await entries()).find(({ id }) => id === targetId);
    return { question, text: [target.message.content].flat().map((each) => each.text ?? each).join() };
  };

  test("the current entry has an outline and is in view, and commands name it", options, async () => {
    const desk = at();
    talk = new Lines("99999999-entries", desk.workspace, 260);
    talk.name("Which entry is meant");
    for (let part = 1; part <= 110; part++) {
      talk.user(`Question ${part}`);
      talk.assistant(`Answer ${part}. ${"It goes on and on. ".repeat(part % 7)}`);
    }
    path = await desk.session("2026-01-01T00-00-00-000Z_99999999-entries", desk.workspace, talk.all);
    await desk.clickRow("Which entry is meant");
    const frame = await desk.transcript();
    await until(async () => (await frame.locator("#where").textContent()).startsWith("221 entries"), "the whole session");
    await frame.locator(".entry.here", { hasText: "Answer 110." }).waitFor();
    assert.equal(await inView(frame), true);
    await frame.locator("#transcript").hover();
    await desk.page.mouse.wheel(0, -1_000_000);
    await frame.locator(".entry.here", { hasText: "Which entry is meant" }).waitFor();
    await desk.page.mouse.wheel(0, 60);
    await frame.locator(".entry.here", { hasText: "Question 1" }).waitFor();
    const { question, text } = await labelled("start", "current");
    assert.equal(text, "Question 1");
    assert.match(question, /Label of User: “Question 1”\. An empty text removes it\./);
    await desk.page.mouse.wheel(0, 1_000_000);
    await frame.locator(".entry.here", { hasText: "start" }).waitFor();
    assert.equal(await inView(frame), true);
  });

  test("a rewritten file does not change which entry is meant", options, async () => {
    const desk = at();
    const frame = await desk.transcript();
    await frame.locator("#side input").fill("Question 55");
    await desk.page.keyboard.press("Enter");
    await frame.locator(".entry.here", { hasText: "Question 55" }).waitFor();
    const lines = await entries();
    const other = ["a", "b", "c"].map((id) => ({ ...talk.all[2], id: `other${id}`, parentId: null }));
    await writeFile(path, [lines[0], ...other, ...lines.slice(1)].map((line) => `${JSON.stringify(line)}\n`).join(""));
    await until(async () => (await frame.locator("#where").textContent()).includes("one of 4 branches"), "the other branches");
    await frame.locator(".entry.here", { hasText: "Question 55" }).waitFor();
    assert.equal(await inView(frame), true);
    assert.equal((await labelled("middle")).text, "Question 55");
  });

  test("a copy up to a call contains its result, and has the title of the session", options, async () => {
    const desk = at();
    const calls = new Lines("99999998-calls", desk.workspace, 261);
    calls.user("Read the file");
    calls.assistant([{ type: "text", text: "I look at it." }, { type: "toolCall", id: "c1", name: "read", arguments: { path: "a.txt" } }]);
    calls.result("c1", "the text of the file", { toolName: "read" });
    calls.assistant("It says nothing.");
    const file = await desk.session("2026-01-01T00-00-00-000Z_99999998-calls", desk.workspace, calls.all);
    const files = async () => (await readdir(dirname(file))).filter((name) => name.endsWith(".jsonl"));
    const before = await files();
    await desk.clickRow("Read the file");
    const frame = await desk.transcript();
    await frame.locator("#entries").getByText("It says nothing.").waitFor();
    await frame.locator("#entries").getByText("I look at it.").click({ button: "right" });
    const item = desk.page.locator(".monaco-menu .action-item", { hasText: "Fork Here into a New Session" });
    await item.waitFor();
    await until(async () => {
      await item.click({ timeout: 500 }).catch(() => {});
      return item.waitFor({ state: "detached", timeout: 2_000 }).then(() => true, () => false);
    }, "the menu to close");
    await until(async () => (await files()).length === before.length + 1, "the new file");
    const [name] = (await files()).filter((each) => !before.includes(each));
    assert.equal((await entries(join(dirname(file), name))).at(-1).message.toolCallId, "c1");
    await desk.page.locator(".notification-toast", { hasText: "a copy up to Assistant: “I look at it.” and the results of its calls" }).waitFor();
    const fork = await desk.transcript();
    await fork.locator("h1", { hasText: "Read the file" }).waitFor();
    await fork.locator("details.tool", { hasText: "✓" }).waitFor();
    await desk.picture("fork");
    await desk.command("Notifications: Clear All Notifications");
    await desk.command("View: Close All Editors");
  });

  test("a name cannot reverse the rest of its row", options, async () => {
    const desk = at();
    const lines = new Lines("99999997-bidi", desk.workspace, 262);
    lines.name("report \u202egpj.exe");
    lines.user("x");
    await desk.session("2026-01-01T00-00-00-000Z_99999997-bidi", desk.workspace, lines.all);
    await desk.row("report \ufffdgpj.exe").waitFor();
    await desk.picture("bidi");
  });
}
