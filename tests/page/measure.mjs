// Time to export and to use a big page: `node measure.mjs [megabytes]`. Not a test.
//
// Processor time is that of the browser with all its processes, on Linux; it is comparable between
// runs on a busy machine, as the elapsed time is not.

import { readdirSync, readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";

import { exported, opened, start, stop } from "./support/browser.mjs";
import { large } from "./support/session.mjs";

const megabytes = Number(process.argv[2] ?? 79);
const closing = [];

/** Milliseconds of processor time of all processes below this one that still run. */
function processorTime() {
  const processes = new Map();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "").split(" ");
      processes.set(Number(pid), { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) });
    } catch {
      // It has ended meanwhile.
    }
  }
  const isBelow = (pid) => pid === process.pid || (processes.has(pid) && isBelow(processes.get(pid).parent));
  let ticks = 0;
  for (const [pid, { ticks: own }] of processes) if (pid !== process.pid && isBelow(pid)) ticks += own;
  return ticks * 10;
}

async function timed(what, work) {
  const begun = performance.now();
  const before = processorTime();
  const made = await work();
  const used = processorTime() - before;
  console.log(`${what}: ${Math.round(performance.now() - begun)} ms, ${used} ms of processor time`);
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
