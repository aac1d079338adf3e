// Milliseconds to export and to use a big page: `node measure.mjs [megabytes]`. Not a test.

import { performance } from "node:perf_hooks";

import { exported, opened, start, stop } from "./support/browser.mjs";
import { large } from "./support/session.mjs";

const megabytes = Number(process.argv[2] ?? 79);
const closing = [];

async function timed(what, work) {
  const begun = performance.now();
  const made = await work();
  console.log(`${what}: ${Math.round(performance.now() - begun)} ms`);
  return made;
}

await start();
try {
  const session = large(megabytes);
  console.log(`${megabytes} MB, ${session.lines.length.toLocaleString("en")} lines`);
  const path = await timed("exported", () => exported("large", session));
  const { page } = await timed("opened", () => opened({ after: (work) => closing.push(work) }, path));
  await timed("searched", async () => {
    await page.locator("#search").fill("needle in the haystack");
    await page.getByText("1 entry found").waitFor();
  });
  await timed("jumped to the end", async () => {
    await page.locator("#search").press("Enter");
    await page.locator(".entry.here").getByText("The needle in the haystack").waitFor();
  });
} finally {
  for (const work of closing) await work();
  await stop();
}
