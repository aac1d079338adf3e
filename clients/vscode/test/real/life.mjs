// How the extension lives in VS Code: windows that are loaded again, several windows, one daemon for
// all, hidden tabs, workspaces that are not trusted; in the VS Code of `vscode.test.mjs`.

import assert from "node:assert/strict";
import { access, chmod, mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { test } from "node:test";

import { Lines } from "./sessions.mjs";
import { until } from "./vscode.mjs";

const options = { timeout: 180_000 };
const TABS = 7;

/** `at()` returns the Desk, which is started. Afterwards its settings are others. */
export function testLife(at) {
  const talks = [];
  const tab = (name) => at().page.locator(".tabs-container .tab", { hasText: name });

  /** Append to a talk, and wait until the window shows it. */
  const told = async (talk, text) => {
    const desk = at();
    await desk.append(talk.path, talk.lines.assistant(text));
    await (await desk.transcript()).locator("#entries").getByText(text).waitFor();
  };

  test("tabs that lose their page while they are hidden show their session, and what was appended", options, async () => {
    const desk = at();
    await desk.newWindow();
    await desk.showView();
    for (let number = 0; number < TABS; number++) {
      const lines = new Lines(`7777${number}-talk`, desk.workspace, 285);
      lines.name(`Talk ${number}.`);
      lines.user(`The question of talk ${number}.`);
      lines.assistant(`The answer of talk ${number}.`);
      const path = await desk.session(`2026-01-01T00-00-00-000Z_7777${number}-talk`, desk.workspace, lines.all);
      talks.push({ lines, path });
    }
    for (let number = 0; number < TABS; number++) {
      await desk.clickRow(`Talk ${number}.`, { clickCount: 2 });
      await (await desk.transcript()).locator("#entries").getByText(`The question of talk ${number}.`).waitFor();
    }
    // The page of the last tab is not kept, that of the first one is.
    await tab("Talk 0.").click();
    await (await desk.transcript()).locator("#entries").getByText("The question of talk 0.").waitFor();
    const last = talks.at(-1);
    await desk.append(last.path, last.lines.assistant("Said while it was hidden."));
    await told(talks[0], "Said in the first tab.");
    await tab(`Talk ${TABS - 1}.`).click();
    await (await desk.transcript()).locator("#entries").getByText("Said while it was hidden.").waitFor();
    await told(last, "Said when it was shown again.");
  });

  test("the daemon is killed under many open transcripts, and each goes on", options, async () => {
    const desk = at();
    for (const pid of await desk.daemons()) process.kill(pid, "SIGKILL");
    for (const [number, talk] of talks.entries()) {
      await tab(`Talk ${number}.`).click();
      await told(talk, `After the crash of talk ${number}.`);
    }
  });

  test("a window that is loaded again has its transcripts, and one daemon", options, async () => {
    const desk = at();
    for (const { path } of talks) await desk.stored(basename(path));
    await desk.page.reload();
    await desk.page.locator(".monaco-workbench").waitFor({ timeout: 60_000 });
    // The extensions start anew.
    await desk.row("Talk 0.").waitFor({ timeout: 90_000 });
    await tab(`Talk ${TABS - 1}.`).click();
    await (await desk.transcript()).locator("#entries").getByText(`After the crash of talk ${TABS - 1}.`).waitFor();
    await tab("Talk 3.").click();
    await told(talks[3], "Said after the window was loaded again.");
    await until(async () => (await desk.daemons()).length === 1, "the end of the daemon of the window before");
  });

  test("two windows share one daemon, and go on when it is killed", options, async () => {
    const desk = at();
    desk.settings["sessiond.shared"] = true;
    await desk.saveSettings();
    await desk.newWindow();
    await desk.showView();
    await desk.clickRow("Talk 3.", { clickCount: 2, timeout: 90_000 });
    await told(talks[3], "Said to the first window.");
    assert.equal((await desk.sharedDaemons()).length, 1);
    const first = desk.page;
    const second = await desk.anotherWindow();
    try {
      desk.page = second;
      await desk.showView();
      await desk.clickRow("Talk 5.", { clickCount: 2 });
      await told(talks[5], "Said to the second window.");
      assert.equal((await desk.sharedDaemons()).length, 1);
      for (const pid of await desk.sharedDaemons()) process.kill(pid, "SIGKILL");
      await told(talks[5], "Said to the second window after the crash.");
      desk.page = first;
      await told(talks[3], "Said to the first window after the crash.");
    } finally {
      desk.page = first;
      desk.settings["sessiond.shared"] = false;
      await second.context().close();
    }
  });

  test("a workspace that is not trusted decides nothing that runs", options, async () => {
    const desk = at();
    const folder = join(desk.directory, "stranger");
    const marks = ["environment", "setting"].map((name) => join(desk.directory, `ran-${name}`));
    const [inEnvironment, inSettings] = [join(folder, ".venv/bin/sessiond"), join(folder, "sessiond")];
    await mkdir(join(folder, ".venv/bin"), { recursive: true });
    await mkdir(join(folder, ".vscode"));
    for (const [number, program] of [inEnvironment, inSettings].entries()) {
      await writeFile(program, `#!/bin/sh\ntouch '${marks[number]}'\nexec '${desk.program}' "$@"\n`);
      await chmod(program, 0o755);
    }
    await writeFile(join(folder, ".vscode/settings.json"), JSON.stringify({ "sessiond.path": inSettings }));
    const ran = async () => (await Promise.all(marks.map((mark) => access(mark).then(() => true, () => false)))).join();
    desk.settings["security.workspace.trust.enabled"] = true;
    delete desk.settings["sessiond.path"];
    await desk.saveSettings();
    await desk.newWindow(folder);
    await desk.showView();
    await desk.page.locator(".sidebar .monaco-button", { hasText: "Show How to Install It" }).waitFor();
    assert.equal(await ran(), "false,false");
    await desk.picture("untrusted");
    // The palette has no command for this until VS Code has done all that it does when it is idle.
    await desk.page.locator(".statusbar-item", { hasText: "Restricted Mode" }).click();
    await desk.page.locator(".workspace-trust-editor .monaco-button", { hasText: /^Trust$/ }).first().click();
    await until(async () => (await ran()) === "false,true", "the program of the setting");
  });
}
