// The view in the activity bar: directories, their sessions, and "more" after each page of them.

import { basename } from "node:path";

import * as vscode from "vscode";

import type { SessionInfo } from "../daemon/daemon.ts";
import type { Catalogue, Group } from "./catalogue.ts";
import type { Row, Rows } from "./rows.ts";
import { counted, descriptionOf, directed, marksOf, money, spokenLabel, titleOf, type Facts } from "./texts.ts";

/** Milliseconds in which changes are drawn together. */
const TOGETHER = 250;
/** Milliseconds after which the ages of sessions are drawn again. */
const AGING = 60_000;
/**
 * The command of each row, about the selected one. It has no arguments: VS Code keeps those in the
 * extension host and forgets them there as soon as a row changes, so that a click a moment later fails.
 */
const OPEN_ROW = "sessiond.openRow";

export class SessionsView implements vscode.TreeDataProvider<Row> {
  readonly #catalogue: Catalogue;
  readonly #rows: Rows;
  readonly #changed = new vscode.EventEmitter<Row[] | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #aging: NodeJS.Timeout;
  #waiting: NodeJS.Timeout | undefined;
  #again = false;
  /** Number of reads of the whole list that VS Code waits for. */
  #reading = 0;
  /** Called with a directory when its sessions are shown. */
  shown: (cwd: string) => void = () => {};

  constructor(catalogue: Catalogue, rows: Rows) {
    this.#catalogue = catalogue;
    this.#rows = rows;
    this.#aging = setInterval(this.redraw, AGING).unref();
  }

  /** Draw now, or together with other changes if it was drawn a moment ago. */
  readonly redraw = (): void => {
    if (this.#waiting !== undefined) {
      this.#again = true;
      return;
    }
    this.#again = false;
    this.#draw();
    this.#waiting = setTimeout(() => {
      this.#waiting = undefined;
      if (this.#again) this.redraw();
    }, TOGETHER);
  };

  showMore(of: string): void {
    this.#rows.showMore(of);
    this.#draw();
  }

  dispose(): void {
    clearInterval(this.#aging);
    clearTimeout(this.#waiting);
  }

  #draw(): void {
    // A read that is under way shows the present state; to change the list would begin it again.
    if (this.#reading > 0) return;
    const rows = this.#rows.changed();
    if (rows === undefined || rows.length > 0) this.#changed.fire(rows);
  }

  async getChildren(row?: Row): Promise<Row[]> {
    if (row === undefined) {
      // VS Code shows progress meanwhile, in place of "No sessions yet".
      this.#reading += 1;
      await this.#catalogue.filled;
      this.#reading -= 1;
      return this.#rows.top();
    }
    if (row.kind !== "directory") return [];
    this.shown(row.group.cwd);
    return this.#rows.below(row);
  }

  getTreeItem(row: Row): vscode.TreeItem {
    switch (row.kind) {
      case "directory":
        return directoryItem(row.group, this.#catalogue.filter !== "");
      case "session":
        return sessionItem(row.info, this.#rows.factsOf(row.info));
      case "more":
        return moreItem(row.of, row.left);
    }
  }
}

function sessionItem(info: SessionInfo, facts: Facts): vscode.TreeItem {
  const item = new vscode.TreeItem(titleOf(info));
  item.id = `session:${info.path}`;
  item.description = descriptionOf(info, facts);
  item.iconPath = iconOf(info, facts.writing);
  item.contextValue = "session";
  item.accessibilityInformation = { label: spokenLabel(info, facts) };
  item.tooltip = tooltipOf(info, facts.cost);
  item.command = { command: OPEN_ROW, title: "Open Session" };
  return item;
}

function directoryItem({ cwd, own, sessions }: Group, filtered: boolean): vscode.TreeItem {
  const shown = directed(cwd);
  const { Expanded, Collapsed } = vscode.TreeItemCollapsibleState;
  const name = cwd === "" ? "No directory" : basename(shown) || shown;
  const item = new vscode.TreeItem(name, own || filtered ? Expanded : Collapsed);
  // The id has the filter, because VS Code keeps what was collapsed by id.
  item.id = `directory:${filtered ? "filtered:" : ""}${cwd}`;
  item.description = own ? `this workspace · ${sessions.length}` : `${sessions.length} · ${shown}`;
  item.tooltip = shown;
  item.iconPath = new vscode.ThemeIcon(own ? "root-folder" : "folder");
  item.contextValue = "directory";
  item.accessibilityInformation = { label: `${own ? "This workspace, " : ""}${shown || name}, ${counted(sessions.length, "session")}` };
  return item;
}

function moreItem(of: string, left: number): vscode.TreeItem {
  const item = new vscode.TreeItem(`${counted(left, of === "" ? "more directory" : "more session").replace("directorys", "directories")}…`);
  item.id = `more:${of}`;
  item.iconPath = new vscode.ThemeIcon("ellipsis");
  item.command = { command: OPEN_ROW, title: "Show More" };
  return item;
}

function iconOf(info: SessionInfo, writing: boolean): vscode.ThemeIcon {
  if (writing) return new vscode.ThemeIcon("record", new vscode.ThemeColor("charts.green"));
  if (info.inUse !== undefined) return new vscode.ThemeIcon("circle-filled", new vscode.ThemeColor("charts.blue"));
  return new vscode.ThemeIcon(info.marks?.pinned === true ? "pinned" : "comment-discussion");
}

/** Plain text: a session must not be able to put links or pictures there. */
function tooltipOf(info: SessionInfo, cost: number | undefined): string {
  return [
    titleOf(info),
    directed(info.cwd),
    `${counted(info.messageCount, "message")}${cost ? `, ${money(cost)}` : ""}`,
    ...(marksOf(info) === "" ? [] : [`Marks: ${marksOf(info)}`]),
    `Last message ${new Date(info.modified).toLocaleString()}`,
    `Id ${info.id}`,
    ...(info.inUse === undefined ? [] : [`Open for writing in process ${info.inUse.pids.join(", ")}`]),
  ].join("\n");
}
