// The rows of the view as VS Code has them, and which of them a change alters. Without VS Code.

import type { SessionInfo } from "../daemon/daemon.ts";
import type { Catalogue, Group } from "./catalogue.ts";
import { spokenLabel, titleOf, type Facts } from "./texts.ts";
import type { Writers } from "./writers.ts";

/** Sessions of a directory that are shown at first, and with every "more". */
const PAGE = 100;
/** Directories that are shown at first, and with every "more". */
const DIRECTORIES = 200;

/** VS Code knows a row by its object, so that a row is changed in place. */
export interface DirectoryRow {
  readonly kind: "directory";
  group: Group;
}

export interface SessionRow {
  readonly kind: "session";
  info: SessionInfo;
}

export interface MoreRow {
  readonly kind: "more";
  /** A directory; empty: more directories. */
  readonly of: string;
  readonly left: number;
}

export type Row = DirectoryRow | SessionRow | MoreRow;

export class Rows {
  readonly #catalogue: Catalogue;
  readonly #writers: Writers;
  readonly #folders: () => readonly string[];
  /** Directory → how many of its sessions are shown; the empty name: how many directories. */
  readonly #limits = new Map<string, number>();
  readonly #directories = new Map<string, DirectoryRow>();
  readonly #sessions = new Map<string, { readonly row: SessionRow; look: string }>();
  /** Directory → its rows as VS Code has them, in order; the empty name: the directories. */
  readonly #given = new Map<string, string>();

  constructor(catalogue: Catalogue, writers: Writers, folders: () => readonly string[]) {
    this.#catalogue = catalogue;
    this.#writers = writers;
    this.#folders = folders;
  }

  /** What the text of a session's row depends on, besides the session. */
  factsOf({ path }: SessionInfo): Facts {
    return { now: Date.now(), cost: this.#catalogue.costOf(path), writing: this.#writers.isWriting(path) };
  }

  /** The directories. VS Code has no row besides these any more. */
  top(): Row[] {
    for (const kept of [this.#directories, this.#sessions, this.#given]) kept.clear();
    const groups = this.#groups();
    this.#given.set("", this.#orderOf(groups));
    const rows = this.#shownOf("", groups).map((group): DirectoryRow => ({ kind: "directory", group }));
    for (const row of rows) this.#directories.set(row.group.cwd, row);
    return this.#page("", rows, groups.length);
  }

  /** The rows below a directory. */
  below(directory: DirectoryRow): Row[] {
    const { cwd, sessions } = (this.#directories.get(directory.group.cwd) ?? directory).group;
    this.#given.set(cwd, this.#pathsOf(cwd, sessions));
    const rows = this.#shownOf(cwd, sessions).map((info): SessionRow => ({ kind: "session", info }));
    for (const row of rows) this.#sessions.set(row.info.path, { row, look: this.#lookOf(row.info) });
    return this.#page(cwd, rows, sessions.length);
  }

  /** Show another page of a directory, or of the directories. */
  showMore(of: string): void {
    this.#limits.set(of, this.#limit(of) + (of === "" ? DIRECTORIES : PAGE));
  }

  /**
   * The rows that look different than VS Code has them; of a directory also those below it. Undefined:
   * all rows. VS Code forgets the rows that it reads again, and a command of their menus fails meanwhile.
   */
  changed(): Row[] | undefined {
    const groups = this.#groups();
    if (this.#orderOf(groups) !== this.#given.get("")) return undefined;
    return this.#shownOf("", groups).flatMap((group) => {
      const row = this.#directories.get(group.cwd);
      return row === undefined ? [] : this.#changedOf(row, group);
    });
  }

  #changedOf(row: DirectoryRow, group: Group): Row[] {
    const { cwd, sessions } = group;
    const isSameCount = row.group.sessions.length === sessions.length;
    row.group = group;
    const given = this.#given.get(cwd);
    if (!isSameCount || (given !== undefined && given !== this.#pathsOf(cwd, sessions))) {
      this.#given.delete(cwd);
      return [row];
    }
    if (given === undefined) return [];
    return this.#shownOf(cwd, sessions).flatMap((info) => {
      const known = this.#sessions.get(info.path);
      if (known === undefined) return [];
      known.row.info = info;
      const look = this.#lookOf(info);
      if (known.look === look) return [];
      known.look = look;
      return [known.row];
    });
  }

  #groups(): Group[] {
    return this.#catalogue.groups(this.#folders());
  }

  #lookOf(info: SessionInfo): string {
    return JSON.stringify([titleOf(info), spokenLabel(info, this.factsOf(info)), info.modified, info.inUse]);
  }

  #orderOf(groups: readonly Group[]): string {
    const shown = this.#shownOf("", groups).map(({ cwd, own }) => [cwd, own]);
    return JSON.stringify([this.#catalogue.filter !== "", groups.length, shown]);
  }

  #pathsOf(cwd: string, sessions: readonly SessionInfo[]): string {
    return JSON.stringify([sessions.length, this.#shownOf(cwd, sessions).map(({ path }) => path)]);
  }

  #page(of: string, rows: Row[], total: number): Row[] {
    return total > rows.length ? [...rows, { kind: "more", of, left: total - rows.length }] : rows;
  }

  #shownOf<T>(of: string, all: readonly T[]): readonly T[] {
    return all.slice(0, this.#limit(of));
  }

  #limit(of: string): number {
    return this.#limits.get(of) ?? (of === "" ? DIRECTORIES : PAGE);
  }
}
