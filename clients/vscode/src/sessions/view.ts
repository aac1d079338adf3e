// The view in the activity bar: directories, their sessions, and "more" after each page of them.

import { basename } from "node:path";

import * as vscode from "vscode";

import type { SessionInfo } from "../daemon/daemon.ts";
import type { Catalogue, Group } from "./catalogue.ts";
import { counted, descriptionOf, money, spokenLabel, titleOf } from "./texts.ts";
import type { Writers } from "./writers.ts";

/** Sessions of a directory that are shown at first, and with every "more". */
const PAGE = 100;
/** Directories that are shown at first, and with every "more". */
const DIRECTORIES = 200;
/** Milliseconds in which changes are drawn together. */
const TOGETHER = 100;

export type Node =
  | { readonly kind: "directory"; readonly group: Group }
  | { readonly kind: "session"; readonly info: SessionInfo }
  | { readonly kind: "more"; readonly of: string; readonly left: number };

export class SessionsView implements vscode.TreeDataProvider<Node> {
  readonly #catalogue: Catalogue;
  readonly #writers: Writers;
  readonly #folders: () => readonly string[];
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  /** Directory → how many of its sessions are shown; the empty name: how many directories. */
  readonly #shown = new Map<string, number>();
  #waiting: NodeJS.Timeout | undefined;
  #again = false;
  /** Called with a directory when its sessions are shown. */
  shown: (cwd: string) => void = () => {};

  constructor(catalogue: Catalogue, writers: Writers, folders: () => readonly string[]) {
    this.#catalogue = catalogue;
    this.#writers = writers;
    this.#folders = folders;
  }

  /** Draw now, or together with other changes if it was drawn a moment ago. */
  readonly redraw = (): void => {
    if (this.#waiting !== undefined) {
      this.#again = true;
      return;
    }
    this.#again = false;
    this.#changed.fire(undefined);
    this.#waiting = setTimeout(() => {
      this.#waiting = undefined;
      if (this.#again) this.redraw();
    }, TOGETHER);
  };

  showMore(of: string): void {
    this.#shown.set(of, this.#limit(of) + (of === "" ? DIRECTORIES : PAGE));
    this.#changed.fire(undefined);
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (node === undefined) {
      // VS Code shows progress meanwhile, in place of "No sessions yet".
      await this.#catalogue.filled;
      const groups = this.#catalogue.groups(this.#folders());
      return this.#page("", groups.map((group): Node => ({ kind: "directory", group })));
    }
    if (node.kind !== "directory") return [];
    const { cwd, sessions } = node.group;
    this.shown(cwd);
    const shown = sessions.slice(0, this.#limit(cwd) + 1);
    return this.#page(cwd, shown.map((info): Node => ({ kind: "session", info })), sessions.length);
  }

  getTreeItem(node: Node): vscode.TreeItem {
    switch (node.kind) {
      case "directory":
        return directoryItem(node.group, this.#catalogue.filter !== "");
      case "session":
        return this.#sessionItem(node.info);
      case "more":
        return moreItem(node.of, node.left);
    }
  }

  #page(of: string, nodes: Node[], total = nodes.length): Node[] {
    const limit = this.#limit(of);
    if (total <= limit) return nodes;
    return [...nodes.slice(0, limit), { kind: "more", of, left: total - limit }];
  }

  #limit(of: string): number {
    return this.#shown.get(of) ?? (of === "" ? DIRECTORIES : PAGE);
  }

  #sessionItem(info: SessionInfo): vscode.TreeItem {
    const writing = this.#writers.isWriting(info.path);
    const facts = { now: Date.now(), cost: this.#catalogue.costOf(info.path), writing };
    const item = new vscode.TreeItem(titleOf(info));
    item.id = `session:${info.path}`;
    item.description = descriptionOf(info, facts);
    item.iconPath = iconOf(info, writing);
    item.contextValue = "session";
    item.accessibilityInformation = { label: spokenLabel(info, facts) };
    item.tooltip = tooltipOf(info, facts.cost);
    item.command = { command: "sessiond.open", title: "Open Session", arguments: [{ kind: "session", info }] };
    return item;
  }
}

function directoryItem({ cwd, own, sessions }: Group, filtered: boolean): vscode.TreeItem {
  const { Expanded, Collapsed } = vscode.TreeItemCollapsibleState;
  const name = cwd === "" ? "No directory" : basename(cwd) || cwd;
  const item = new vscode.TreeItem(name, own || filtered ? Expanded : Collapsed);
  // The id has the filter, because VS Code keeps what was collapsed by id.
  item.id = `directory:${filtered ? "filtered:" : ""}${cwd}`;
  item.description = own ? `this workspace · ${sessions.length}` : `${sessions.length} · ${cwd}`;
  item.tooltip = cwd;
  item.iconPath = new vscode.ThemeIcon(own ? "root-folder" : "folder");
  item.contextValue = "directory";
  item.accessibilityInformation = { label: `${own ? "This workspace, " : ""}${cwd || name}, ${counted(sessions.length, "session")}` };
  return item;
}

function moreItem(of: string, left: number): vscode.TreeItem {
  const item = new vscode.TreeItem(`${counted(left, of === "" ? "more directory" : "more session").replace("directorys", "directories")}…`);
  item.id = `more:${of}`;
  item.iconPath = new vscode.ThemeIcon("ellipsis");
  item.command = { command: "sessiond.more", title: "Show More", arguments: [of] };
  return item;
}

function iconOf(info: SessionInfo, writing: boolean): vscode.ThemeIcon {
  if (writing) return new vscode.ThemeIcon("record", new vscode.ThemeColor("charts.green"));
  if (info.inUse !== undefined) return new vscode.ThemeIcon("circle-filled", new vscode.ThemeColor("charts.blue"));
  return new vscode.ThemeIcon("comment-discussion");
}

/** Plain text: a session must not be able to put links or pictures there. */
function tooltipOf(info: SessionInfo, cost: number | undefined): string {
  return [
    titleOf(info),
    `${info.cwd}`,
    `${counted(info.messageCount, "message")}${cost ? `, ${money(cost)}` : ""}`,
    `Last message ${new Date(info.modified).toLocaleString()}`,
    `Id ${info.id}`,
    ...(info.inUse === undefined ? [] : [`Open in process ${info.inUse.pids.join(", ")}`]),
  ].join("\n");
}
