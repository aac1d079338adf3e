// Keeps the catalogue equal to what the daemon reports, and says when the view has to be drawn again.

import type { CatalogChange, Daemon } from "../daemon/daemon.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Writers } from "./writers.ts";

/** Sessions of each folder that are read before the whole list is there. */
const FIRST = 50;
/** Beyond this number of changed sessions their costs are read together. */
const ONE_BY_ONE = 10;

export class Live {
  readonly #daemon: Daemon;
  readonly #catalogue: Catalogue;
  readonly #writers: Writers;
  readonly #redraw: () => void;
  #unfollow: (() => void) | undefined;
  #settling: NodeJS.Timeout | undefined;

  constructor(daemon: Daemon, catalogue: Catalogue, writers: Writers, redraw: () => void) {
    this.#daemon = daemon;
    this.#catalogue = catalogue;
    this.#writers = writers;
    this.#redraw = redraw;
  }

  /** Throws what the daemon throws when it cannot be started. */
  async start(folders: readonly string[]): Promise<void> {
    this.stop();
    let complete = false;
    const first = folders.map(async (folder) => {
      const sessions = await this.#daemon.latest(folder, FIRST);
      if (complete || sessions.length === 0) return;
      this.#catalogue.add(sessions);
      this.#redraw();
    });
    const following = this.#daemon.follow({
      snapshot: (sessions) => {
        complete = true;
        this.#catalogue.replace(sessions);
        this.#redraw();
        void this.#readCosts();
      },
      changed: (changes) => this.#changed(changes),
    });
    await Promise.allSettled(first);
    this.#unfollow = await following;
  }

  dispose(): void {
    this.stop();
  }

  stop(): void {
    this.#unfollow?.();
    this.#unfollow = undefined;
    clearTimeout(this.#settling);
  }

  #changed(changes: readonly CatalogChange[]): void {
    const grown = changes.filter(({ path, info, kind }) => {
      const before = this.#catalogue.get(path);
      return kind === "changed" && info !== undefined && before?.sizeBytes !== info.sizeBytes;
    });
    for (const { path } of grown) this.#writers.wrote(path);
    this.#catalogue.apply(changes);
    this.#redraw();
    this.#settle();
    const present = changes.filter(({ info }) => info !== undefined).map(({ path }) => path);
    if (present.length > ONE_BY_ONE) void this.#readCosts();
    else for (const path of present) void this.#readCost(path);
  }

  /** Draw again when the mark of a session has to disappear. */
  #settle(): void {
    clearTimeout(this.#settling);
    const next = this.#writers.settle();
    if (next === undefined) return;
    this.#settling = setTimeout(() => {
      this.#settle();
      this.#redraw();
    }, next);
  }

  async #readCosts(): Promise<void> {
    const costs = await this.#daemon.costs().catch(() => undefined);
    if (costs === undefined) return;
    this.#catalogue.setCosts(costs);
    this.#redraw();
  }

  async #readCost(path: string): Promise<void> {
    const cost = await this.#daemon.cost(path).catch(() => undefined);
    if (cost === undefined || cost === this.#catalogue.costOf(path)) return;
    this.#catalogue.setCost(path, cost);
    this.#redraw();
  }
}
