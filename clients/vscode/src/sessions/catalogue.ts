// The sessions that the view shows: grouped by directory, sorted, filtered. Without VS Code.

import type { CatalogChange, SessionInfo } from "../daemon/daemon.ts";
import { marksOf, titleOf } from "./texts.ts";

export type Order = "latest" | "created" | "title" | "messages" | "cost";

export interface Group {
  readonly cwd: string;
  /** Whether it is a folder of the workspace. */
  readonly own: boolean;
  readonly sessions: readonly SessionInfo[];
}

export class Catalogue {
  readonly #byPath = new Map<string, SessionInfo>();
  readonly #costs = new Map<string, number>();
  #filled: () => void = () => {};
  /** Resolves when there is something to show, or nothing will come. */
  readonly filled = new Promise<void>((resolve) => (this.#filled = resolve));
  order: Order = "latest";
  /** Words that all must occur; empty: no filter. Hidden sessions are left out unless one is `hidden`. */
  filter = "";

  /** There is something to show, or nothing will come. */
  fill(): void {
    this.#filled();
  }

  replace(sessions: readonly SessionInfo[]): void {
    this.#byPath.clear();
    this.add(sessions);
  }

  add(sessions: readonly SessionInfo[]): void {
    for (const info of sessions) this.#byPath.set(info.path, info);
  }

  apply(changes: readonly CatalogChange[]): void {
    for (const { path, info, kind } of changes) {
      if (info !== undefined) this.#byPath.set(path, info);
      else if (kind === "removed") this.#byPath.delete(path);
    }
  }

  get(path: string): SessionInfo | undefined {
    return this.#byPath.get(path);
  }

  get size(): number {
    return this.#byPath.size;
  }

  setCost(path: string, cost: number): void {
    this.#costs.set(path, cost);
  }

  costOf(path: string): number | undefined {
    return this.#costs.get(path);
  }

  /** Folders of the workspace first, in their order, then other directories in the order of sessions. */
  groups(folders: readonly string[]): Group[] {
    const matches = matcher(this.filter);
    const found = [...this.#byPath.values()].filter(matches).sort(this.#comparison());
    const groups = new Map<string, SessionInfo[]>(folders.map((folder) => [folder, []]));
    for (const info of found) {
      const group = groups.get(info.cwd);
      if (group === undefined) groups.set(info.cwd, [info]);
      else group.push(info);
    }
    return [...groups]
      .map(([cwd, sessions]) => ({ cwd, own: folders.includes(cwd), sessions }))
      .filter(({ sessions }) => sessions.length > 0);
  }

  #comparison(): (a: SessionInfo, b: SessionInfo) => number {
    const latest = (a: SessionInfo, b: SessionInfo) => compared(b.modified, a.modified) || compared(a.path, b.path);
    const by: Record<Order, (a: SessionInfo, b: SessionInfo) => number> = {
      latest,
      created: (a, b) => compared(b.created, a.created),
      title: (a, b) => COLLATOR.compare(titleOf(a), titleOf(b)),
      messages: (a, b) => b.messageCount - a.messageCount,
      cost: (a, b) => (this.costOf(b.path) ?? 0) - (this.costOf(a.path) ?? 0),
    };
    const first = by[this.order];
    // As in the daemon's lists: another order is that of a figure.
    const pinned = (info: SessionInfo) => Number(this.order === "latest" && info.marks?.pinned === true);
    return (a, b) => pinned(b) - pinned(a) || first(a, b) || latest(a, b);
  }
}

const COLLATOR = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

const compared = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function matcher(filter: string): (info: SessionInfo) => boolean {
  const words = filter.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const withHidden = words.includes("hidden");
  return (info) => {
    if (info.marks?.hidden === true && !withHidden) return false;
    if (words.length === 0) return true;
    const text = `${info.name ?? ""}\n${info.firstMessage}\n${info.cwd}\n${info.id}\n${marksOf(info)}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
}
