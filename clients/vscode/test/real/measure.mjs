// Measure the extension in VS Code: `SESSIOND=… node test/real/measure.mjs [RUNS]`. It is no test.
//
// Every figure is the median of some runs, each in a new window with a new daemon that has seen no
// session, and its ratio to the same step of an extension that does nothing, in the same window:
// on a busy machine only the ratio tells something.

import { loadavg } from "node:os";

import { installIdle } from "./idle.mjs";
import { Lines } from "./sessions.mjs";
import { Desk, until } from "./vscode.mjs";

const SESSIONS = 10_000;
const DIRECTORIES = 100;
const MEGABYTES = 20;
const RUNS = Number(process.argv[2] ?? 5);

const times = new Map();

async function timed(what, work) {
  const began = performance.now();
  await work();
  note(what, performance.now() - began);
}

function note(what, time) {
  times.set(what, [...(times.get(what) ?? []), time]);
}

function report(what, idle, budget) {
  const median = (name) => [...(times.get(name) ?? [])].sort((a, b) => a - b)[Math.floor(times.get(name).length / 2)];
  const ratio = idle === undefined ? "" : `, ${(median(what) / median(idle)).toFixed(2)} x the idle extension (${Math.round(median(idle))} ms)`;
  const each = times.get(what).map(Math.round).join(" ");
  console.log(`${what}: ${Math.round(median(what))} ms${ratio}; budget ${budget}; runs ${each}`);
}

async function write(desk) {
  const large = new Lines("ffffffff-large", desk.workspace, 250);
  large.user("A large session");
  const output = "Output of a tool, with numbers such as 123456789.\n".repeat(100);
  for (let size = 0, part = 0; size < MEGABYTES * 1e6; part++) {
    const call = `c${part}`;
    large.assistant([{ type: "text", text: `Step ${part}.` }, { type: "toolCall", id: call, name: "bash", arguments: { command: `run ${part}` } }]);
    large.result(call, output);
    size += output.length + 600;
  }
  large.assistant("The end of the large session.");
  await desk.session("2026-01-01T00-00-00-000Z_ffffffff-large", desk.workspace, large.all);
  for (let number = 0; number < SESSIONS; number++) {
    const cwd = number % DIRECTORIES === 0 ? desk.workspace : `/home/me/project-${number % DIRECTORIES}`;
    const lines = new Lines(`${number.toString(16).padStart(8, "0")}-many`, cwd, (number % 2000) / 10);
    lines.user(`Question ${number}`);
    lines.assistant(`Answer ${number}`);
    await desk.session(`2026-01-01T00-00-00-000Z_${number}`, cwd, lines.all);
  }
  return large.all.length - 1;
}

/** The times that VS Code shows for both extensions. */
async function activations(desk) {
  await desk.command("Idle: Run");
  await desk.command("Sessions: Show Log of sessiond");
  await desk.command("Developer: Show Running Extensions");
  const rows = desk.page.locator(".runtime-extensions-editor .monaco-list-row");
  await rows.first().hover();
  for (const [name, what] of [["Idle", "activation, idle"], ["sessiond", "activation"]]) {
    const row = rows.filter({ hasText: new RegExp(`^${name}.*Activation: `) }).first();
    // The list is sorted by these times, and only the rows in sight are there.
    await until(async () => (await row.count()) > 0 || (await desk.page.mouse.wheel(0, 200)), `the activation of ${name}`);
    note(what, Number(/Activation: (\d+)ms/.exec(await row.textContent())[1]));
    await desk.page.mouse.wheel(0, -10_000);
  }
  await desk.command("View: Close All Editors");
}

const desk = await Desk.open();
try {
  const entries = await write(desk);
  await installIdle(desk);
  await desk.start();
  for (let run = 0; run < RUNS; run++) {
    if (run > 0) await desk.newWindow();
    const { page } = desk;
    await page.locator('.activitybar [aria-label^="Agent Sessions"]').first().waitFor({ timeout: 90_000 });
    await activations(desk);
    await page.locator('.activitybar [aria-label^="Idle"]').first().click();
    await desk.row("Idle row").waitFor();
    // Once more: the first view of a window is slower than every later one.
    await desk.command("View: Show Explorer");
    await page.locator('.activitybar [aria-label^="Second"]').first().click();
    await timed("first row, idle", () => desk.placeOf(".sidebar", "Second row"));
    await timed("first row", async () => {
      await desk.showView();
      await desk.placeOf(".sidebar", "A large session");
    });
    const own = SESSIONS / DIRECTORIES + 1;
    await timed("all rows", () => until(() => desk.row(`${own} sessions`).count(), "the whole list"));
    await desk.command("Idle: Page");
    await (await desk.webview()).getByText("Idle page").waitFor();
    await desk.command("View: Close All Editors");
    await timed("readable, idle", async () => {
      await desk.command("Idle: Page");
      await (await desk.webview()).getByText("Idle page").waitFor();
    });
    await desk.command("View: Close All Editors");
    await timed("readable", async () => {
      await desk.clickRow("A large session");
      const frame = await desk.transcript();
      await frame.locator("#entries").getByText("The end of the large session.").waitFor();
    });
    await timed("the rest", async () => {
      const frame = await desk.transcript();
      await until(async () => (await frame.locator("#where").textContent()).startsWith(`${entries.toLocaleString("en")} entries`), "all entries");
    });
    await desk.picture("measured");
  }
  console.log(`load ${loadavg().map((each) => each.toFixed(1)).join(" ")}, ${RUNS} runs`);
  report("activation", "activation, idle", "150 ms");
  report("first row", "first row, idle", "1000 ms");
  report("all rows", undefined, "none");
  report("readable", "readable, idle", "1500 ms");
  report("the rest", undefined, "none");
} finally {
  await desk.close();
}
