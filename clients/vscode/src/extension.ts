// Puts the parts together. Nothing is started before the view or a command asks for it.

import * as vscode from "vscode";

import { registerCommands } from "./commands/commands.ts";
import { said } from "./commands/said.ts";
import { setContext } from "./contexts.ts";
import { Daemon, Missing, type Client } from "./daemon/daemon.ts";
import { connectionSettings, localFolders, startFromSettings } from "./daemon/settings.ts";
import { ReadOnlyTexts } from "./documents.ts";
import { Catalogue } from "./sessions/catalogue.ts";
import { Costs } from "./sessions/costs.ts";
import { Live } from "./sessions/live.ts";
import { Rows, type Row } from "./sessions/rows.ts";
import { titleOf } from "./sessions/texts.ts";
import { SessionsView } from "./sessions/view.ts";
import { Writers } from "./sessions/writers.ts";
import { fileActions } from "./transcript/files.ts";
import { Transcripts } from "./transcript/transcripts.ts";

/** What `vscode.extensions.getExtension("sessiond.sessiond").activate()` returns. */
export interface Api {
  /** The typed client of the daemon; it is started if it does not run. */
  client(): Promise<Client>;
}

let daemon: Daemon | undefined;

export function activate(context: vscode.ExtensionContext): Api {
  const log = vscode.window.createOutputChannel("sessiond", { log: true });
  const catalogue = new Catalogue();
  const writers = new Writers();
  /** The settings of the present connection; undefined: there is none. */
  let used: string | undefined;
  const beginning = () => {
    used = connectionSettings();
    return startFromSettings();
  };
  const own = (daemon = new Daemon(beginning, (line) => log.info(line), (status) => {
    void setContext("state", status);
    if (status === "lost") void sayLost();
    if (status !== "ready") return;
    void transcripts.open();
    if (live.isLost) void start();
  }));
  const view = new SessionsView(catalogue, new Rows(catalogue, writers, localFolders));
  const tree = vscode.window.createTreeView<Row>("sessiond.sessions", { treeDataProvider: view, showCollapseAll: true });
  const nameOf = (path: string) => {
    const info = catalogue.get(path);
    return info === undefined ? undefined : titleOf(info);
  };
  const transcripts = new Transcripts(own, context.extensionPath, fileActions(context.subscriptions), nameOf);
  const costs = new Costs(own, catalogue, view.redraw);
  view.shown = (cwd) => costs.show(cwd);
  const live = new Live(own, catalogue, writers, costs, () => {
    view.redraw();
    transcripts.retitle();
  });
  const reports = new ReadOnlyTexts("sessiond-report");
  const plans = new ReadOnlyTexts("sessiond-plan");
  let begun: Promise<void> | undefined;
  const start = () => {
    const reading: Promise<void> = said(log, async () => {
      void setContext("listed", false);
      await live.start(localFolders()).catch((error: unknown) => {
        // The view itself says that the program is missing.
        if (!(error instanceof Missing)) throw error;
      });
      // Until the latest start is done an empty list does not mean that there are no sessions.
      if (begun === reading) void setContext("listed", true);
    });
    return (begun = reading);
  };
  const started = () => begun ?? start();
  const restart = async () => {
    used = undefined;
    live.stop();
    transcripts.disconnected();
    await own.stop();
    await start();
  };
  const sayLost = async () => {
    const [again, show] = ["Restart sessiond", "Show Log"] as const;
    const text = "sessiond has ended several times. Lists and transcripts show the last state.";
    const answer = await vscode.window.showErrorMessage(text, again, show);
    if (answer === again) await said(log, restart);
    if (answer === show) log.show();
  };
  context.subscriptions.push(
    log,
    tree,
    view,
    reports,
    plans,
    transcripts.register(),
    ...registerCommands({ daemon: own, catalogue, costs, writers, view, tree, transcripts, reports, plans, log, started, restart }),
    vscode.workspace.onDidChangeConfiguration(() => void (used !== undefined && used !== connectionSettings() && restart())),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void (used !== undefined && own.status !== "ready" && restart())),
    vscode.workspace.onDidChangeWorkspaceFolders(() => view.redraw()),
    tree.onDidChangeVisibility(({ visible }) => void (visible && started())),
    live,
  );
  if (tree.visible) void start();
  return { client: () => own.client() };
}

export async function deactivate(): Promise<void> {
  await daemon?.end();
}
