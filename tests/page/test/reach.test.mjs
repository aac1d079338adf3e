// Reaching things: addresses, copies, keys, paper, and people who do not see the page.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { exported, opened, picture, start, stop } from "../support/browser.mjs";
import { conversation, long, work } from "../support/session.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let path;
let talk;

before(async () => {
  await start();
  talk = work();
  path = await exported("reach", talk.session);
});
after(stop);

const hash = (page) => page.evaluate(() => location.hash);

test("the page is called by its first message if the session has no name", async (t) => {
  const { page } = await opened(t, path);
  assert.equal(await page.title(), "Please **change** the parser and say why");
});

test("the address follows the position and leads back to it", async (t) => {
  const longPath = await exported("positions", long(600));
  const { page, incidents } = await opened(t, longPath);
  assert.equal(await hash(page), "");
  const entries = await page.evaluate(() => history.length);
  await page.locator("#transcript").evaluate((box) => (box.scrollTop = 4000));
  await page.waitForFunction(() => location.hash);
  const address = await hash(page);
  const shown = await page.locator("#tree .row.here .words").innerText();
  assert.equal(await page.evaluate(() => history.length), entries, "no step back for each position");
  const { page: again } = await opened(t, longPath, { hash: address });
  assert.equal(await again.locator("#tree .row.here .words").innerText(), shown);
  await again.waitForFunction(() => Math.abs(document.querySelector(".entry.here").getBoundingClientRect().top - document.getElementById("transcript").getBoundingClientRect().top) < 100);
  assert.deepEqual(incidents, []);
});

test("an address leads to another branch, and the keys change it", async (t) => {
  const { page } = await opened(t, path, { hash: `#${talk.other}` });
  assert.match(await page.locator(".entry.here").innerText(), /Another way/);
  assert.doesNotMatch(await page.locator("#entries").innerText(), /The third answer/);
  await page.keyboard.press("j");
  await page.waitForFunction((id) => location.hash === `#${id}`, talk.otherEnd);
  await page.evaluate((id) => (location.hash = id), talk.third);
  await page.getByText("The third answer").last().waitFor();
});

test("blocks, messages and links are copied", async (t) => {
  const { page } = await opened(t, path, { permissions: ["clipboard-read", "clipboard-write"] });
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  const said = page.locator(`.entry:has(> header time a[href="#${talk.user}"])`);
  await said.getByRole("button", { name: "Copy this message" }).click();
  await said.getByText("Copied").waitFor();
  assert.equal(await copied(), "Please **change** the parser\nand say why");
  await said.getByRole("button", { name: "Copy a link" }).click();
  await page.waitForFunction(async (end) => (await navigator.clipboard.readText()).endsWith(end), `#${talk.user}`);
  assert.equal(await copied(), `${pathToFileURL(path).href}#${talk.user}`);
  const code = page.locator(".code:has(.t-comment)").last();
  await code.hover();
  await code.getByRole("button", { name: "Copy this block" }).click();
  await page.waitForFunction(async () => (await navigator.clipboard.readText()).startsWith("# a"));
  assert.equal(await copied(), '# a comment\ndef f(x): return "text" + str(42)');
});

test("a long block is copied as a whole, even if it is shown in part", async (t) => {
  const { session } = conversation();
  const text = "0123456789".repeat(5000);
  session.user(`\`\`\`\nx\n\`\`\``);
  session.add({ type: "message", message: { role: "bashExecution", command: "x", output: text } });
  const { page } = await opened(t, await exported("copies", session), { permissions: ["clipboard-read", "clipboard-write"] });
  await page.locator("#fold").click();
  const block = page.locator(".code", { hasText: "0123456789" }).last();
  assert.equal((await block.locator("pre").innerText()).length, 20000);
  await block.getByRole("button", { name: "Copy this block" }).click({ force: true });
  await page.waitForFunction(async () => (await navigator.clipboard.readText()).length === 50000);
});

test("? lists the keys in a dialog that keeps the focus", async (t) => {
  const { page } = await opened(t, path);
  const dialog = page.getByRole("dialog", { name: "Keys" });
  await page.locator("#fold").focus();
  await page.keyboard.press("?");
  assert.ok(await dialog.isVisible());
  const focused = () => page.evaluate(() => document.activeElement.id);
  for (const key of ["Tab", "Tab", "Shift+Tab"]) {
    assert.equal(await focused(), "help-close");
    await page.keyboard.press(key);
  }
  await page.keyboard.press("o");
  assert.equal(await page.locator("#fold").getAttribute("aria-pressed"), "false", "the page behind it has no keys");
  await picture(page, "help");
  await page.keyboard.press("Escape");
  assert.equal(await dialog.isVisible(), false);
  assert.equal(await focused(), "fold");
  await page.locator("#keys").click();
  await dialog.getByRole("button", { name: "Close" }).click();
  assert.equal(await dialog.isVisible(), false);
});

test("paper holds everything that is closed on the screen, which is closed again after", async (t) => {
  const { page } = await opened(t, path);
  const closed = () => page.locator("details:not([open])").count();
  const before = await closed();
  assert.ok(before > 3);
  await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  assert.equal(await closed(), 0);
  assert.ok(await page.getByText("no such file").last().isVisible());
  assert.equal(await page.locator("button:visible").count(), 0);
  await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
  assert.equal(await closed(), before);
});

test("the tree draws branches as branches, the active path marked", async (t) => {
  const { page } = await opened(t, path);
  const drawn = () =>
    page.locator("#tree .row").evaluateAll((all) =>
      all.map((row) => [
        [...row.querySelectorAll(".guide")].map((guide) => `${guide.className} at ${guide.style.left}`).join(),
        row.querySelector(".words").textContent,
      ]),
    );
  const tree = (await drawn()).slice(-5);
  // Three branches leave the same answer; the last of them is the active one.
  assert.deepEqual(tree, [
    ["guide tee later at 0px", "Command $ git diff"],
    ["guide tee later at 0px", "User Another way"],
    ["guide pass later at 0px", "Assistant The other answer"],
    ["guide end own at 0px", "User A third way"],
    ["", "Assistant The third answer"],
  ]);
  await page.getByRole("treeitem", { name: "The other answer" }).click();
  const after = (await drawn()).slice(-5).map(([guides]) => guides.replace(/^guide | at 0px$/g, ""));
  assert.deepEqual(after, ["tee later", "tee own", "pass", "end", ""]);
  assert.match(await page.locator("#tree .row.leaf").innerText(), /The other answer/);
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing in ${colorScheme} colours`, async (t) => {
    const pages = [path, await exported("axe", conversation().session)];
    for (const each of pages) {
      const { page } = await opened(t, each, { colorScheme });
      await check(page, "as it opens");
      await page.locator("#fold").click();
      await page.locator("#filter").selectOption("all");
      await page.evaluate(() => document.querySelectorAll(".raw-entry").forEach((button) => button.click()));
      await page.locator(".entry .md a").last().hover();
      await check(page, "with everything open");
      if (each === path) await picture(page, `open-${colorScheme}`);
      await page.locator("#search").fill("nowhere");
      await page.getByText("No entries found").waitFor();
      await check(page, "with nothing found");
      await page.locator("#search").press("Escape");
      await page.locator("#keys").click();
      await check(page, "with the keys");
    }
  });
}

test("axe finds nothing on a narrow screen", async (t) => {
  const { page } = await opened(t, path, { viewport: { width: 400, height: 800 }, hasTouch: true });
  await check(page, "narrow");
  await picture(page, "work-narrow");
});

async function check(page, what) {
  await page.waitForFunction(() => !document.querySelector(".entry:not([data-filled])"));
  const findings = await page.evaluate(`${AXE};
    axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ": " + node.html.slice(0, 160) + " " + node.failureSummary.slice(0, 300))))`);
  assert.deepEqual(findings, [], what);
}
