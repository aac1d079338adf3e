// The commands of the palette and of the menus.

import * as vscode from "vscode";

import { Missing, isReadable, type Daemon, type SessionInfo } from "../daemon/daemon.ts";
import { INSTALLATION } from "../daemon/settings.ts";
import type { Catalogue, Order } from "../sessions/catalogue.ts";
import type { Costs } from "../sessions/costs.ts";
import { search } from "../sessions/search.ts";
import { descriptionOf, titleOf } from "../sessions/texts.ts";
import type { Node, SessionsView } from "../sessions/view.ts";
import type { Transcripts } from "../transcript/transcripts.ts";
import { offerUndo, remove, rename, restore, type Deleted } from "./changing.ts";

export interface Parts {
  readonly daemon: Daemon;
  readonly catalogue: Catalogue;
  readonly costs: Costs;
  readonly view: SessionsView;
  readonly tree: vscode.TreeView<Node>;
  readonly transcripts: Transcripts;
  readonly log: vscode.LogOutputChannel;
  readonly restart: () => Promise<void>;
}

const ORDERS: readonly { label: string; order: Order }[] = [
  { label: "Latest message first", order: "latest" },
  { label: "Newest session first", order: "created" },
  { label: "By title", order: "title" },
  { label: "Most messages first", order: "messages" },
  { label: "Highest cost first", order: "cost" },
];

export function registerCommands(parts: Parts): vscode.Disposable[] {
  const { daemon, catalogue, view, transcripts, log } = parts;
  const deleted: Deleted[] = [];
  const forget = (path: string) => {
    const at = deleted.findIndex((each) => each.path === path);
    if (at >= 0) deleted.splice(at, 1);
  };
  const setFilter = async (text: string) => {
    catalogue.filter = text.trim();
    (parts.tree as { message?: string | undefined }).message = catalogue.filter === "" ? undefined : `Filter: ${catalogue.filter}`;
    await vscode.commands.executeCommand("setContext", "sessiond.filtered", catalogue.filter !== "");
    view.redraw();
  };
  /** A command about one session: that of the menu, else the selected one, else one that is chosen. */
  const about = (work: (info: SessionInfo, node?: Node) => Promise<unknown>) => async (node?: Node) => {
    const info = chosen(node) ?? chosen(parts.tree.visible ? parts.tree.selection[0] : undefined) ?? (await pick(parts));
    if (info !== undefined) await work(info, node);
  };
  const commands: Record<string, (...given: never[]) => unknown> = {
    open: about((info, node) => transcripts.show(info.path, { preserveFocus: node !== undefined })),
    search: () => search(daemon, (path, entryId) => void said(log, () => transcripts.show(path, { entryId }))),
    filter: async () => {
      const text = await vscode.window.showInputBox({
        title: "Filter the List",
        prompt: "Words in titles, directories and ids. Search in All Sessions also finds messages.",
        value: catalogue.filter,
      });
      if (text !== undefined) await setFilter(text);
    },
    clearFilter: () => setFilter(""),
    sort: async () => {
      const items = ORDERS.map((each) => ({ ...each, description: each.order === catalogue.order ? "now" : "" }));
      const found = await vscode.window.showQuickPick(items, { title: "Sort the List" });
      if (found === undefined) return;
      catalogue.order = found.order;
      if (found.order === "cost") parts.costs.show();
      view.redraw();
    },
    more: (of: string) => view.showMore(of),
    rename: about((info) => rename(daemon, info)),
    copyId: about((info) => vscode.env.clipboard.writeText(info.id) as Promise<void>),
    delete: about(async (info) => {
      if (!(await remove(daemon, info, () => transcripts.close(info.path)))) return;
      const gone = { path: info.path, title: titleOf(info) };
      deleted.push(gone);
      await offerUndo(daemon, gone);
    }),
    restore: async () => {
      const path = await restore(daemon, deleted);
      if (path !== undefined) forget(path);
    },
    showLog: () => log.show(),
    restart: parts.restart,
    showInstallation: async () => {
      const copy = "Copy the Command";
      const text = "sessiond is a Python program (3.11 or later). Install it in a terminal with:";
      const answer = await vscode.window.showInformationMessage(text, { modal: true, detail: INSTALLATION }, copy);
      if (answer === copy) await vscode.env.clipboard.writeText(INSTALLATION);
    },
  };
  return Object.entries(commands).map(([name, run]) =>
    vscode.commands.registerCommand(`sessiond.${name}`, (...given: unknown[]) => said(log, () => run(...(given as never[])))),
  );
}

function chosen(node: Node | undefined): SessionInfo | undefined {
  return node?.kind === "session" ? node.info : undefined;
}

/** Let the user choose one of the latest sessions. */
async function pick({ catalogue }: Parts): Promise<SessionInfo | undefined> {
  const sessions = catalogue.groups([]).flatMap((group) => group.sessions);
  const items = sessions.map((info) => ({
    label: titleOf(info),
    description: descriptionOf(info, { now: Date.now(), cost: catalogue.costOf(info.path), writing: false }),
    detail: info.cwd,
    info,
  }));
  const options = { title: "Choose a Session", matchOnDetail: true };
  return (await vscode.window.showQuickPick(items, options))?.info;
}

/** Run a command; an error becomes a message that says what to do. */
export async function said(log: vscode.LogOutputChannel, work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
    if (error instanceof Missing) {
      const how = "Show How to Install It";
      const answer = await vscode.window.showErrorMessage("The program sessiond was not found.", how);
      if (answer === how) await vscode.commands.executeCommand("sessiond.showInstallation");
      return;
    }
    const show = "Show Log";
    const text = isReadable(error) ? error.message.split("\n")[0] : String(error);
    const answer = await vscode.window.showErrorMessage(text ?? "sessiond failed", show);
    if (answer === show) log.show();
  }
}
