// The packaged extension in VS Code itself. One VS Code for all tests, which follow each other.

import assert from "node:assert/strict";
import { access, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";

import { testCommands } from "./commands.mjs";
import { testEntries } from "./entries.mjs";
import { testHostile } from "./hostile.mjs";
import { testLife } from "./life.mjs";
import { Lines } from "./sessions.mjs";
import { Desk, until } from "./vscode.mjs";

const CHECKOUT = "def sell(item):\n    with lock(item):\n        item.stock -= 1\n";
const EDIT = { path: "src/checkout.py", oldText: "    item.stock -= 1\n", newText: "    with lock(item):\n        item.stock -= 1\n" };

let desk;
let page;
let shop;
let path;

before(async () => {
  desk = await Desk.open();
  await writeFile(join(desk.workspace, "src/checkout.py"), CHECKOUT);
  shop = new Lines("11111111-aaaa", desk.workspace, 200);
  shop.name("Race condition in the checkout");
  shop.user("Two checkouts at once sell the **last item** twice. [click](command:workbench.action.quit) <img src=x onerror=alert(1)>");
  const fork = shop.assistant([
    { type: "text", text: "I look at `src/checkout.py`." },
    { type: "toolCall", id: "c1", name: "edit", arguments: EDIT },
  ]);
  const result = shop.result("c1", "Edited src/checkout.py");
  shop.assistant("An abandoned answer.", fork.id);
  shop.assistant("Done: the stock is changed under a lock.", result.id);
  path = await desk.session("2026-01-01T00-00-00-000Z_11111111-aaaa", desk.workspace, shop.all);
  for (const [name, minute] of [["parser", 100], ["site", 150]]) {
    const lines = new Lines(`2222${name}`, `/home/me/${name}`, minute);
    lines.user(`Fix the ${name}`);
    lines.assistant(`The ${name} works again.`);
    await desk.session(`2026-01-01T00-00-00-000Z_2222${name}`, `/home/me/${name}`, lines.all);
  }
  const long = new Lines("33333333-long", desk.workspace, 10);
  long.user("Tell a long story");
  for (let part = 1; part <= 200; part++) long.assistant(`Part ${part}.\n\n${"It goes on and on. ".repeat(12)}`);
  await desk.session("2026-01-01T00-00-00-000Z_33333333-long", desk.workspace, long.all);
  await desk.start();
  page = desk.page;
  await desk.showView();
}, { timeout: 240_000 });

after(() => desk?.close(), { timeout: 30_000 });
afterEach(async (t) => {
  if (!t.passed) await desk.picture(`failed ${t.name}`);
});

const row = (text) => desk.row(text);
const focused = (text) => page.locator(".sidebar .monaco-list:focus .monaco-list-row.focused", { hasText: text });

/** Select the row of the checkout, and move the focus with the keys to the row above, which contains a text. */
async function focusAboveCheckout(text) {
  await desk.clickRow("Race condition");
  await shown("And refunds?");
  for (let left = 3; ; left -= 1) {
    await desk.command("Agent Sessions: Focus on Sessions View");
    await focused("Race condition").waitFor();
    await page.keyboard.press("ArrowUp");
    // The editor of the transcript may take the focus, and the key, later than its text is shown.
    const moved = await focused(text).waitFor({ timeout: 5_000 }).then(() => true, () => false);
    if (moved) return;
    assert.ok(left > 0, `no key reached the row above: ${text}`);
  }
}

/** Wait for the transcript that contains a text; its editor takes the focus when it opens. */
async function shown(text) {
  await (await desk.transcript()).getByText(text).first().waitFor();
}

const options = { timeout: 90_000 };

test("the view shows the sessions of the workspace first, with age, messages and cost", options, async () => {
  await row("Race condition").waitFor();
  await row("cost").first().waitFor();
  const labels = await page.locator(".sidebar .monaco-list-row").evaluateAll((rows) => rows.map((each) => each.getAttribute("aria-label")));
  assert.match(labels[0], /^This workspace, .*shop, 2 sessions/);
  assert.match(labels[1], /^Race condition in the checkout, 1 hour ago, 5 messages, cost \$0\.0249/);
  assert.match(labels[3], /\/home\/me\/site, 1 session/);
  assert.match(labels[4], /\/home\/me\/parser, 1 session/);
  await desk.picture("view");
});

test("a session opens as a transcript, and nothing in it can run or lead to a command", options, async () => {
  await desk.clickRow("Race condition");
  const frame = await desk.transcript();
  await frame.getByText("the stock is changed under a lock").first().waitFor();
  assert.equal(await frame.locator("#entries img").count(), 0);
  assert.equal(await frame.locator('a[href^="command:"]').count(), 0);
  assert.equal(await frame.locator("#entries .diff .added").count(), 2);
  const policy = await frame.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute("content");
  assert.match(policy, /^default-src 'none'; script-src 'sha256-[^ ]+'; style-src 'sha256-[^ ]+'; img-src data:;/);
});

test("what an agent appends is shown, the result of a tool in the card of its call", options, async () => {
  const frame = await desk.transcript();
  await desk.append(path, shop.user("And refunds?"));
  await frame.locator("#entries").getByText("And refunds?").waitFor();
  await desk.append(path, shop.assistant([{ type: "toolCall", id: "c2", name: "read", arguments: { path: "src/checkout.py", offset: 2 } }]));
  const card = frame.locator("details.tool", { hasText: "read" });
  await card.getByText("no result").waitFor();
  await desk.append(path, shop.result("c2", "with lock(item):", { toolName: "read" }));
  await card.getByText("✓").waitFor();
  await row("a program is writing to it").waitFor();
  const left = await frame.locator("#transcript").evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
  assert.ok(left < 48, `${left} pixels below`);
  await desk.picture("transcript");
});

test("a tool call leads to its file and line, and an edit to the diff editor", options, async () => {
  const frame = await desk.transcript();
  await frame.locator(".call", { hasText: "read" }).getByRole("button", { name: /^Open/ }).click();
  await page.locator(".tab.active", { hasText: "checkout.py" }).waitFor();
  await page.locator(".statusbar-item", { hasText: "Ln 2, Col 1" }).waitFor();
  // A page that follows its end stays there until its reader scrolls.
  await frame.locator("#transcript").hover();
  await page.mouse.wheel(0, -1000);
  await frame.getByRole("button", { name: /^Compare/ }).click();
  await page.locator(".tab.active", { hasText: "before the edit" }).waitFor();
  const compared = page.locator(".monaco-diff-editor");
  await compared.locator(".view-line", { hasText: "item.stock" }).first().waitFor();
  assert.notEqual(await compared.locator(".line-insert, .char-insert").count(), 0);
  await desk.picture("diff");
  await desk.command("View: Close All Editors");
});

test("a reader who scrolled up stays there while the session grows", options, async () => {
  await desk.clickRow("Tell a long story");
  const frame = await desk.transcript();
  const box = frame.locator("#transcript");
  await frame.getByText("Part 200.").first().waitFor();
  // The rest of the session has arrived when its first entry is in the tree.
  await until(async () => (await frame.locator("#where").textContent()).startsWith("201 entries"), "the whole session");
  await until(() => box.evaluate((each) => each.scrollHeight - each.scrollTop - each.clientHeight < 48), "the end");
  await box.hover();
  await page.mouse.wheel(0, -1500);
  await until(() => box.evaluate((each) => each.scrollHeight - each.scrollTop - each.clientHeight > 1000), "the place above");
  const top = () => box.evaluate((each) => {
    const { left, top: y, width } = each.getBoundingClientRect();
    return document.elementFromPoint(left + width / 2, y + 40)?.closest(".entry")?.textContent?.match(/Part \d+/)?.[0];
  });
  const seen = await top();
  const long = (await readFile(join(desk.agent, "sessions", (await folder()), "2026-01-01T00-00-00-000Z_33333333-long.jsonl"), "utf8")).trimEnd().split("\n");
  const last = JSON.parse(long.at(-1));
  const more = new Lines("3333", desk.workspace, 250);
  more.last = last.id;
  await desk.append(join(desk.agent, "sessions", await folder(), "2026-01-01T00-00-00-000Z_33333333-long.jsonl"), { ...more.assistant("The very end."), id: "end" });
  await until(async () => (await frame.locator("#where").textContent()).startsWith("202 entries"), "the append");
  assert.equal(await top(), seen);
});

const folder = async () => `--${desk.workspace.slice(1).replace(/[/\\:]/g, "-")}--`;

test("a search shows the words around a hit and opens the session there", options, async () => {
  await desk.command("Sessions: Search in All Sessions");
  const input = page.locator(".quick-input-widget input.input");
  await input.fill("parser again");
  await page.locator(".quick-input-list .monaco-list-row", { hasText: "The parser works again" }).waitFor();
  await desk.picture("search");
  await desk.pick("The parser works again");
  const frame = await desk.transcript();
  await frame.locator(".entry.here", { hasText: "The parser works again" }).waitFor();
});

test("a session is renamed", options, async () => {
  await focusAboveCheckout("Tell a long story");
  await page.keyboard.press("Enter");
  await shown("Part 200.");
  await desk.command("Sessions: Rename Session");
  const input = page.locator(".quick-input-widget input.input");
  await input.waitFor();
  await input.fill("The story");
  await page.keyboard.press("Enter");
  await row("The story").waitFor();
});

test("a session is deleted and restored", options, async () => {
  const file = join(desk.agent, "sessions", await folder(), "2026-01-01T00-00-00-000Z_33333333-long.jsonl");
  await desk.clickRow("The story");
  await shown("Part 200.");
  // Keys are about the row with the focus, which is not the selected one.
  await focusAboveCheckout("The story");
  await page.keyboard.press("Delete");
  const question = page.locator(".monaco-dialog-box", { hasText: "Move “The story” to the trash?" });
  await question.locator(".monaco-button", { hasText: "Move to Trash" }).click();
  await row("The story").waitFor({ state: "detached" });
  await assert.rejects(access(file));
  await page.locator(".notification-toast .monaco-button", { hasText: "Restore" }).click();
  await row("The story").waitFor();
  await access(file);
});

testCommands(() => desk);
testEntries(() => desk);

test("after the daemon was killed, open transcripts and the view go on", options, async () => {
  await desk.clickRow("The story");
  await shown("Part 200.");
  await desk.clickRow("Race condition");
  const frame = await desk.transcript();
  await frame.locator("#entries").getByText("And refunds?").waitFor();
  const [pid] = await desk.daemons();
  process.kill(pid, "SIGKILL");
  await desk.append(path, shop.assistant("Written while the daemon was dead."));
  const story = join(desk.agent, "sessions", await folder(), "2026-01-01T00-00-00-000Z_33333333-long.jsonl");
  const more = new Lines("3434", desk.workspace, 251);
  more.last = "end";
  await desk.append(story, more.assistant("The other transcript goes on, too."));
  await frame.locator("#entries").getByText("Written while the daemon was dead.").waitFor();
  await page.locator(".tab", { hasText: "The story" }).click();
  await shown("The other transcript goes on, too.");
  await page.locator(".tab", { hasText: "Race condition" }).click();
  const later = new Lines("44444444-later", desk.workspace, 299);
  later.user("A session after the crash");
  await desk.session("2026-01-01T00-00-00-000Z_44444444-later", desk.workspace, later.all);
  await row("A session after the crash").waitFor();
});

test("it can be read in a dark theme and in high contrast", options, async () => {
  for (const [name, theme, kind] of [["dark", "Dark Modern", "vscode-dark"], ["contrast", "Dark High Contrast", "vscode-high-contrast"], ["light", "Light Modern", "vscode-light"]]) {
    await desk.theme(theme);
    const frame = await desk.transcript();
    await frame.locator(`body.${kind}`).waitFor();
    const { text, card } = await frame.locator(".entry").last().evaluate((each) => {
      const style = getComputedStyle(each);
      return { text: style.color, card: style.backgroundColor };
    });
    const lightness = (colour) => colour.match(/\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
    assert.ok(Math.abs(lightness(text) - lightness(card)) > 300, `${name}: ${text} on ${card}`);
    await desk.picture(`transcript-${name}`);
  }
});

testHostile(() => desk);

test("without sessiond the view says how to install it, and only shows the command", options, async () => {
  const folder = join(desk.directory, "other");
  await mkdir(join(folder, ".vscode"), { recursive: true });
  await writeFile(join(folder, ".vscode/settings.json"), '{ "sessiond.path": "/nowhere/sessiond" }');
  await desk.openFolder(folder);
  await desk.showView();
  await desk.page.locator(".sidebar .monaco-button", { hasText: "Show How to Install It" }).click();
  await desk.page.locator(".monaco-dialog-box", { hasText: "pipx install" }).waitFor();
  await desk.picture("missing");
});

testLife(() => desk);
