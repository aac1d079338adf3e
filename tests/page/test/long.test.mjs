// A session of 5,000 entries is as usable as a short one.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { exported, opened, picture, start, stop } from "../support/browser.mjs";
import { long } from "../support/session.mjs";

const COUNT = 5000;
// Milliseconds: far above what it takes on an idle machine, so that a busy one does not fail.
const OPENED = 10_000;
const ANSWERED = 4000;

let path;

before(async () => {
  await start();
  path = await exported("long", long(COUNT));
});
after(stop);

async function timed(t, what, limit, work) {
  const begun = performance.now();
  await work();
  const taken = Math.round(performance.now() - begun);
  t.diagnostic(`${what}: ${taken} ms`);
  assert.ok(taken < limit, `${what} took ${taken} ms`);
}

test("it opens, is searched, scrolled and walked without a wait", async (t) => {
  let page;
  let incidents;
  await timed(t, "opened", OPENED, async () => ({ page, incidents } = await opened(t, path)));
  assert.ok((await page.locator(".entry").count()) > 4000);
  assert.ok((await page.locator("#tree .row").count()) < 100, "only rows in sight exist");
  await timed(t, "searched", ANSWERED, async () => {
    await page.locator("#search").fill("needle in the haystack");
    await page.getByText("1 entry found").waitFor();
  });
  await timed(t, "jumped to the end", ANSWERED, async () => {
    await page.locator("#search").press("Enter");
    await page.locator(".entry.here").getByText("The needle in the haystack").waitFor();
  });
  const inSight = () => page.locator(".entry.here").evaluate((entry) => {
    const { top } = entry.getBoundingClientRect();
    return top >= 0 && top < window.innerHeight / 2;
  });
  await page.waitForTimeout(200);
  assert.ok(await inSight(), "the entry that was found is in sight");
  await page.locator("#search").press("Escape");
  await timed(t, "end of the tree and another branch", ANSWERED, async () => {
    await page.locator("#tree").focus();
    await page.keyboard.press("Home");
    for (let i = 0; i < 40; i++) await page.keyboard.press("PageDown");
    await page.keyboard.press("Enter");
  });
  await page.waitForTimeout(300);
  assert.ok(await inSight());
  await timed(t, "opened all", ANSWERED, () => page.locator("#fold").click());
  await timed(t, "scrolled to the top", ANSWERED, () => page.locator("#transcript").evaluate((box) => {
    box.scrollTop = 0;
    return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  }));
  assert.deepEqual(incidents, []);
  await picture(page, "long");
});

test("everything is filled in after a while, so that the browser's own search finds it", async (t) => {
  const { page } = await opened(t, path);
  await page.waitForFunction(() => !document.querySelector(".entry:not([data-filled])"), null, { timeout: 20_000 });
});
