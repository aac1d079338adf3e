import assert from "node:assert/strict";
import { test } from "node:test";

import { Catalogue } from "../src/sessions/catalogue.ts";
import { Rows, type DirectoryRow, type Row } from "../src/sessions/rows.ts";
import { spokenLabel } from "../src/sessions/texts.ts";
import { Writers } from "../src/sessions/writers.ts";
import { info } from "./support.ts";

const FOLDERS = ["/shop"];

/** VS Code as far as the view needs it: it keeps what it was told, and reads again only what changed. */
class Reader {
  readonly #rows: Rows;
  readonly #below = new Map<Row, Row[]>();
  readonly #texts = new Map<Row, string>();
  #top: Row[] = [];
  /** Rows that were forgotten for a time, because they were read again. */
  forgotten: Row[] = [];

  constructor(rows: Rows) {
    this.#rows = rows;
    this.update();
  }

  update(): void {
    const changed = this.#rows.changed();
    this.forgotten = [];
    if (changed === undefined) {
      this.forgotten = [...this.#texts.keys()];
      this.#texts.clear();
      this.#below.clear();
      this.#top = this.#rows.top();
      for (const row of this.#top) this.#read(row);
    }
    for (const row of changed ?? []) {
      assert.ok(this.#texts.has(row), "a row that VS Code does not have");
      this.#read(row);
    }
  }

  get shown(): string[] {
    return this.#top.flatMap((row) => [row, ...(this.#below.get(row) ?? [])]).map((row) => this.#texts.get(row) as string);
  }

  #read(row: Row): void {
    this.#texts.set(row, this.#textOf(row));
    if (row.kind !== "directory") return;
    for (const each of this.#below.get(row) ?? []) this.#texts.delete(each);
    this.forgotten.push(...(this.#below.get(row) ?? []));
    const below = this.#rows.below(row);
    this.#below.set(row, below);
    for (const each of below) this.#read(each);
  }

  #textOf(row: Row): string {
    if (row.kind === "more") return `${row.of} and ${row.left} more`;
    if (row.kind === "session") return `${row.info.path} ${spokenLabel(row.info, this.#rows.factsOf(row.info))}`;
    return `${row.group.cwd} ${row.group.own} ${row.group.sessions.length}`;
  }
}

const stamp = (second: number) => new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();

/** Numbers below `limit`, the same ones in each run. */
function numbers(seed: number) {
  let state = seed;
  return (limit: number) => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * limit);
  };
}

/** What the view has to show, in the plainest way. */
function expected(catalogue: Catalogue, writers: Writers, limits: ReadonlyMap<string, number>): string[] {
  const more = (of: string, left: number) => (left > 0 ? [`${of} and ${left} more`] : []);
  const groups = catalogue.groups(FOLDERS);
  const directories = groups.slice(0, limits.get("") ?? 200).flatMap(({ cwd, own, sessions }) => {
    const limit = limits.get(cwd) ?? 100;
    const texts = sessions.slice(0, limit).map((each) => {
      const facts = { now: Date.now(), cost: catalogue.costOf(each.path), writing: writers.isWriting(each.path) };
      return `${each.path} ${spokenLabel(each, facts)}`;
    });
    return [`${cwd} ${own} ${sessions.length}`, ...texts, ...more(cwd, sessions.length - limit)];
  });
  return [...directories, ...more("", groups.length - (limits.get("") ?? 200))];
}

for (let seed = 1; seed <= 8; seed++) {
  test(`after any changes the view shows all of them, seed ${seed}`, () => {
    const next = numbers(seed);
    const catalogue = new Catalogue();
    const writers = new Writers();
    const rows = new Rows(catalogue, writers, () => FOLDERS);
    const limits = new Map<string, number>();
    const reader = new Reader(rows);
    for (let step = 0; step < 150; step++) {
      const path = `/s${next(seed % 2 === 0 ? 12 : 400)}.jsonl`;
      const cwd = ["/shop", "/site", `/parser${next(300)}`][next(3)] as string;
      const changes: (() => void)[] = [
        () => catalogue.add([info(path, { cwd: catalogue.get(path)?.cwd ?? cwd, modified: stamp(step), messageCount: step })]),
        () => catalogue.add(Array.from({ length: next(60) }, (_, number) => info(`/n${step}-${number}`, { cwd: `${cwd}${next(3)}` }))),
        () => catalogue.apply([{ path, kind: "removed" } as never]),
        () => catalogue.setCost(path, step),
        () => writers.wrote(path),
        () => (catalogue.order = (["latest", "title", "messages", "cost"] as const)[next(4)] ?? "latest"),
        () => (catalogue.filter = ["", "", "s1", "shop", "nothing"][next(5)] ?? ""),
        () => {
          const of = ["", cwd][next(2)] as string;
          rows.showMore(of);
          limits.set(of, (limits.get(of) ?? (of === "" ? 200 : 100)) + (of === "" ? 200 : 100));
        },
      ];
      for (let count = 1 + next(3); count > 0; count--) changes[next(changes.length)]?.();
      reader.update();
      assert.deepEqual(reader.shown, expected(catalogue, writers, limits), `step ${step}`);
    }
  });
}

test("a session that grows in its place is the only row that is drawn again", () => {
  const catalogue = new Catalogue();
  const rows = new Rows(catalogue, new Writers(), () => FOLDERS);
  catalogue.add([info("/a", { modified: stamp(2) }), info("/b", { modified: stamp(1) })]);
  const reader = new Reader(rows);
  catalogue.add([info("/a", { modified: stamp(3), messageCount: 9 })]);
  assert.deepEqual(rows.changed()?.map((row) => (row.kind === "session" ? row.info.path : row.kind)), ["/a"]);
  assert.deepEqual(rows.changed(), []);
  reader.update();
  assert.deepEqual(reader.forgotten, []);
});

test("a new order in one directory leaves the rows of the others", () => {
  const catalogue = new Catalogue();
  const rows = new Rows(catalogue, new Writers(), () => FOLDERS);
  catalogue.add([info("/a", { modified: stamp(2) }), info("/b", { modified: stamp(1) }), info("/c", { cwd: "/site", modified: stamp(0) })]);
  const reader = new Reader(rows);
  catalogue.add([info("/b", { modified: stamp(3) })]);
  reader.update();
  assert.deepEqual(reader.forgotten.map((row) => (row.kind === "session" ? row.info.path : row.kind)), ["/a", "/b"]);
  const [shop] = rows.top() as DirectoryRow[];
  assert.deepEqual(shop?.group.sessions.map(({ path }) => path), ["/b", "/a"]);
});
