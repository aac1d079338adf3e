// Measure the extension in VS Code: `SESSIOND=… node measure.mjs`. It is no test.

import { Lines } from "./sessions.mjs";
import { Desk, until } from "./vscode.mjs";

const SESSIONS = 10_000;
const DIRECTORIES = 100;
const MEGABYTES = 20;

const desk = await Desk.open();
async function timed(what, work) {
  const began = performance.now();
  await work();
  console.log(`${what}: ${Math.round(performance.now() - began)} ms`);
}

try {
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
  await desk.start();
  const ready = () => desk.page.locator('.activitybar [aria-label^="Agent Sessions"]').first().waitFor({ timeout: 90_000 });
  await ready();
  const list = async () => {
    await desk.showView();
    await desk.row("A large session").waitFor();
  };
  await timed(`first row of ${SESSIONS} sessions, never seen before`, list);
  // The first page has 50 sessions of the workspace; the whole list has all of them.
  const own = SESSIONS / DIRECTORIES + 1;
  await timed("all of them", () => until(() => desk.row(`${own} sessions`).count(), "the whole list"));
  await desk.openFolder(desk.workspace);
  await ready();
  await timed("first row in a window that was loaded again", list);
  await timed(`a session of ${MEGABYTES} MB until its end can be read`, async () => {
    await desk.row("A large session").click();
    const frame = await desk.transcript();
    await frame.locator("#entries").getByText("The end of the large session.").waitFor();
  });
  await timed("the rest of it", async () => {
    const frame = await desk.transcript();
    const all = large.all.length - 1;
    await until(async () => (await frame.locator("#where").textContent()).startsWith(`${all.toLocaleString("en")} entries`), "all entries");
  });
  await desk.picture("measured");
  await desk.command("Developer: Show Running Extensions");
  const row = desk.page.locator(".runtime-extensions-editor .monaco-list-row", { hasText: "sessiond" }).first();
  await row.waitFor();
  console.log((await row.textContent()).replace(/\s+/g, " "));
} finally {
  await desk.close();
}
