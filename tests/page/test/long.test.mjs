// A session of 5,000 entries is as usable as a short one.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { exported, opened, picture, start, stop } from "../support/browser.mjs";
import { long } from "../support/session.mjs";

const COUNT = 5000;
let path;
let short;

before(async () => {
  await start();
  path = await exported("long", long(COUNT));
  short = await exported("short", long(COUNT / 4));
});
after(stop);

/** Use a page as a reader does. Return the seconds of processor time that each step took. */
async function used(t, path) {
  const steps = {};
  const { page, incidents, worked } = await opened(t, path);
  let before = 0;
  const done = async (step) => {
    const now = await worked();
    steps[step] = now - before;
    before = now;
  };
  const inSight = () => page.waitForFunction(() => {
    const { top } = document.querySelector(".entry.here").getBoundingClientRect();
    return top >= 0 && top < window.innerHeight / 2;
  });
  await done("opened");
  assert.ok((await page.locator("#tree .row").count()) < 100, "only rows in sight exist");
  await page.locator("#search").fill("needle in the haystack");
  await page.getByText("1 entry found").waitFor();
  await done("searched");
  await page.locator("#search").press("Enter");
  await page.locator(".entry.here").getByText("The needle in the haystack").waitFor();
  await inSight();
  await done("jumped to the end");
  await page.locator("#search").press("Escape");
  await page.locator("#tree").focus();
  await page.keyboard.press("Home");
  for (let i = 0; i < 40; i++) await page.keyboard.press("PageDown");
  await page.keyboard.press("Enter");
  await inSight();
  await done("walked through the tree");
  await page.locator("#fold").click();
  await done("opened all");
  await page.locator("#transcript").evaluate((box) => {
    box.scrollTop = 0;
    return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  });
  await done("scrolled to the top");
  assert.deepEqual(incidents, []);
  return { page, steps };
}

test("it opens, is searched, scrolled and walked with work in proportion to its length", async (t) => {
  const { page, steps: large } = await used(t, path);
  assert.ok((await page.locator(".entry").count()) > 4000);
  await picture(page, "long");
  const { steps: small } = await used(t, short);
  for (const [step, seconds] of Object.entries(large)) {
    t.diagnostic(`${step}: ${small[step].toFixed(3)} s and ${seconds.toFixed(3)} s`);
    // Four times the entries: sixteen times the work would be too much. Less than 0.1 s is not compared.
    assert.ok(seconds < 8 * Math.max(small[step], 0.1), `${step} took ${seconds} s, and ${small[step]} s for a quarter`);
  }
});

test("everything is filled in after a while, so that the browser's own search finds it", async (t) => {
  const { page } = await opened(t, path);
  await page.waitForFunction(() => !document.querySelector(".entry:not([data-filled])"), null, { timeout: 20_000 });
});

test("hits are marked in entries that are filled in after the search", async (t) => {
  const { page, incidents } = await opened(t, short);
  const atOnce = await page.evaluate(() => {
    showBranch(outline.leaf); // no entry has its content yet
    finding.field.value = '"what of"';
    find();
    return CSS.highlights.get("found").size;
  });
  assert.equal(atOnce, 0);
  const questions = await page.evaluate(() => transcript.path.filter((index) => views[index].role === "user").length);
  await page.waitForFunction((count) => CSS.highlights.get("found").size === count, questions - 1);
  const texts = await page.evaluate(() => [...new Set([...CSS.highlights.get("found")].map(String))]);
  assert.deepEqual(texts, ["what of"]);
  assert.deepEqual(incidents, []);
});
