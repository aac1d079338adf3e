// Tool calls with their results, code in colours, and Markdown.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { exported, opened, picture, start, stop } from "../support/browser.mjs";
import { work } from "../support/session.mjs";

let path;
let talk;

before(async () => {
  await start();
  talk = work();
  path = await exported("work", talk.session);
});
after(stop);

const cards = (page) => page.locator("details.tool");
const entry = (page, id) => page.locator(`.entry:has(> header time a[href="#${id}"])`);

test("a call and its result are one card, which says whether it worked", async (t) => {
  const { page, incidents } = await opened(t, path);
  const states = await cards(page).evaluateAll((all) => all.map((card) => card.querySelector("summary").innerText.replace(/\s+/g, " ")));
  assert.deepEqual(states, [
    "read ✓ src/parse.py",
    'bash ✗ exit 2 for x in *; do echo "$x"; done # all',
    "edit ✓ the edit src/parse.py",
    "edit no result b.js",
    "write no result c.rs",
  ]);
  assert.equal(await cards(page).nth(0).locator(".result").count(), 1);
  assert.equal(await entry(page, talk.lost).locator("details.result").count(), 1, "a result without a call stays");
  assert.deepEqual(incidents, []);
});

test("what an edit changed is open, everything else closed", async (t) => {
  const { page } = await opened(t, path);
  const open = await cards(page).evaluateAll((all) => all.map((card) => card.open));
  assert.deepEqual(open, [false, false, true, true, false]);
  const changed = cards(page).nth(2).locator(".diff").first();
  assert.deepEqual(await changed.locator(".removed").allInnerTexts(), ["-12     return None"]);
  assert.deepEqual(await changed.locator(".added").allInnerTexts(), ["+12     return 42"]);
  assert.deepEqual(await cards(page).nth(3).locator(".diff > span").allInnerTexts(), ["-let a;", "+const a = 1;"]);
  assert.equal(await changed.locator(".added .t-keyword").innerText(), "return");
});

test("a link to a result opens the card that contains it", async (t) => {
  const { page } = await opened(t, path, { hash: `#${talk.read}` });
  const here = page.locator(".entry.here");
  assert.match(await here.innerText(), /def parse\(text\)/);
  assert.ok(await here.isVisible());
  assert.match(await page.locator("#tree .row.here").innerText(), /read def parse/);
});

test("a result comes into sight with the whole card, and the card belongs to it", async (t) => {
  const { page } = await opened(t, path, { hash: `#${talk.edited}`, viewport: { width: 1000, height: 400 } });
  const top = () => cards(page).nth(2).evaluate((card) => card.getBoundingClientRect().top - document.getElementById("transcript").getBoundingClientRect().top);
  assert.match(await page.locator(".entry.here").innerText(), /Successfully replaced/);
  await page.waitForFunction(() => performance.now() > transcript.quietUntil);
  assert.ok(Math.abs(await top()) < 40, `${await top()}`);
  assert.equal(await page.evaluate(() => entries[indexAround(document.querySelector(".diff .removed"))].id), talk.edited);
});

test("the tools are left out of the transcript and of the tree alike", async (t) => {
  const { page } = await opened(t, path);
  await page.locator("#filter").selectOption("plain");
  assert.equal(await page.locator("#entries .entry:visible").count(), 6, "with the entry of the label");
  assert.equal(await page.locator("details:visible").count(), 0);
  assert.equal(await entry(page, talk.calls).isVisible(), false, "a message of calls alone");
  assert.equal(await entry(page, talk.edit).isVisible(), true);
  await page.keyboard.press("Home");
  await page.locator("#transcript").focus();
  await page.keyboard.press("j");
  assert.match(await page.locator(".entry.here").innerText(), /I change it/);
  // What is named by a search or an address is shown all the same.
  await page.locator("#search").fill("no such file");
  await page.locator("#search").press("Enter");
  assert.equal(await page.locator("#filter").inputValue(), "talk");
  assert.match(await page.locator(".entry.here").innerText(), /no such file/);
  assert.ok(await page.locator(".entry.here").isVisible());
});

test("code has the colours of its language, and its text is unchanged", async (t) => {
  const { page } = await opened(t, path);
  const code = entry(page, talk.said).locator("pre").first();
  assert.equal(await code.innerText(), '# a comment\ndef f(x): return "text" + str(42)');
  const kinds = await code.locator("span").evaluateAll((all) => all.map((part) => [part.className, part.textContent]));
  assert.deepEqual(kinds, [
    ["t-comment", "# a comment"],
    ["t-keyword", "def"],
    ["t-name", "f"],
    ["t-keyword", "return"],
    ["t-string", '"text"'],
    ["t-name", "str"],
    ["t-number", "42"],
  ]);
  const shades = await code.locator("span").evaluateAll((all) => new Set(all.map((part) => getComputedStyle(part).color)).size);
  assert.equal(shades, 5);
  const change = entry(page, talk.said).locator("pre.diff");
  assert.deepEqual(await change.locator(".hunk").allInnerTexts(), ["--- a/x", "+++ b/x", "@@ -1 +1 @@"]);
  assert.deepEqual(await change.locator(".added").allInnerTexts(), ["+new"]);
  assert.equal(await entry(page, talk.said).locator("pre").last().locator("span").count(), 0, "a language that is not known");
  const command = cards(page).nth(1).locator("pre").first();
  assert.deepEqual(await command.locator(".t-keyword").allTextContents(), ["for", "in", "do", "echo", "done"]);
  assert.equal(await cards(page).nth(0).locator(".result .t-comment").textContent(), "# none");
});

test("every language leaves its code as it is, and works in proportion to its length", async (t) => {
  const { page, worked } = await opened(t, path);
  const names = await page.evaluate(() => [...new Map([...NAMES].map(([name, language]) => [language, name])).values()]);
  const texts = ["a", " ", "\"", "'\\", "<!--", "/*", "--[[", "a-b:", "a =", "$({[", "0x1.2e", "- ", "é\ud83d😀#@_1(\n", "[a"];
  const wrong = [];
  for (const name of names) {
    for (const text of texts) {
      const colour = async (length) => {
        const begun = await worked();
        const unchanged = await page.evaluate(([name, text, length]) => {
          const code = text.repeat(length / text.length);
          return el("pre", "", ...coloured(code, name)).textContent === code;
        }, [name, text, length]);
        if (!unchanged) wrong.push([name, "text", text]);
        return (await worked()) - begun;
      };
      // Four times the text is four times the work, and sixteen times if it is read again from each place. Work of a
      // few milliseconds is too little to compare, and a collection of garbage may fall into any of it.
      const small = Math.max(await colour(15_000), 0.02);
      let large = await colour(60_000);
      for (let again = 0; again < 3 && large > 8 * small; again++) large = Math.min(large, await colour(60_000));
      if (large > 8 * small) wrong.push([name, "slow", text, small, large]);
    }
  }
  assert.deepEqual(wrong, []);
});

test("links with titles, addresses, tasks, aligned tables and images by their words", async (t) => {
  const { page, incidents } = await opened(t, path);
  const said = entry(page, talk.said).locator(".md");
  const links = await said.locator("a").evaluateAll((all) => all.map((link) => [link.textContent, link.getAttribute("href"), link.title]));
  assert.deepEqual(links, [
    ["the manual", "https://example.org/a_(b)", "The manual\nhttps://example.org/a_(b)"],
    ["spaced", "https://example.org/a%20b", "https://example.org/a%20b"],
    ["https://example.org/auto", "https://example.org/auto", "https://example.org/auto"],
    ["ada@example.org", "mailto:ada@example.org", "mailto:ada@example.org"],
    ["https://example.org", "https://example.org/", "https://example.org/"],
    ["[image: A chart]", "https://example.org/chart.png", "Sales\nhttps://example.org/chart.png"],
    ["[image: badge]", "https://example.org/ci", "https://example.org/ci"],
  ]);
  assert.match(await said.innerText(), /\[image: without description\]/);
  assert.equal(await said.locator("img").count(), 0);
  assert.deepEqual(await said.locator("li.task > .box").evaluateAll((all) => all.map((box) => box.getAttribute("aria-label"))), ["not done", "done", "done"]);
  assert.equal(await said.locator("li.task").first().innerText(), "☐ write it");
  const sides = await said.locator("td").evaluateAll((all) => all.map((cell) => [cell.textContent, getComputedStyle(cell).textAlign]));
  assert.deepEqual(sides, [["a|b", "left"], ["1", "left"], ["2", "center"], ["3", "right"]]);
  assert.deepEqual(incidents, []);
  await picture(page, "work-light");
});
