// Keeps the catalogue equal to what the daemon reports, and says when the view has to be drawn again.

import type { CatalogChange, Daemon } from "../daemon/daemon.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Costs } from "./costs.ts";
import type { Writers } from "./writers.ts";

/** Sessions of each folder that are read before the others, and of all while they are read. */
const FIRST = 50;

export class Live {
  readonly #daemon: Daemon;
  readonly #catalogue: Catalogue;
  readonly #writers: Writers;
  readonly #costs: Costs;
  readonly #redraw: () => void;
  #unfollow: (() => void) | undefined;
  #isLost = false;
  #settling: NodeJS.Timeout | undefined;
  /** Number of starts: what an earlier one still reports is old. */
  #starts = 0;

  constructor(daemon: Daemon, catalogue: Catalogue, writers: Writers, costs: Costs, redraw: () => void) {
    this.#daemon = daemon;
    this.#catalogue = catalogue;
    this.#writers = writers;
    this.#costs = costs;
    this.#redraw = redraw;
  }

  /**
   * Show the sessions of the folders, then the latest ones of all while they are read, then follow
   * all. In this order, because reading thousands of files would delay the first row. Throws what
   * the daemon throws when it cannot be started.
   */
  async start(folders: readonly string[]): Promise<void> {
    this.stop();
    const number = this.#starts;
    const isOld = () => number !== this.#starts;
    const add = (sessions: Parameters<Catalogue["add"]>[0]) => {
      if (isOld() || sessions.length === 0) return;
      this.#catalogue.add(sessions);
      this.#catalogue.fill();
      this.#redraw();
    };
    try {
      const first = folders.map(async (folder) => add(await this.#daemon.latest(folder, FIRST)));
      await Promise.allSettled(first);
      // A failure of these lists is one of the subscription, too.
      await this.#daemon.readAll(FIRST, add).catch(() => {});
      if (isOld()) return;
      const unfollow = await this.#daemon.follow({
        snapshot: (sessions) => {
          if (isOld()) return;
          this.#catalogue.replace(sessions);
          this.#catalogue.fill();
          this.#redraw();
        },
        changed: (changes) => this.#changed(changes),
        lost: () => (this.#isLost ||= !isOld()),
      });
      if (isOld()) unfollow();
      else this.#unfollow = unfollow;
    } catch (error) {
      // Its connection was ended on purpose.
      if (!isOld()) throw error;
    } finally {
      if (!isOld()) this.#catalogue.fill();
    }
  }

  /** Whether the connection was lost: the catalogue is in its last state until the next start. */
  get isLost(): boolean {
    return this.#isLost;
  }

  dispose(): void {
    this.stop();
  }

  stop(): void {
    this.#starts += 1;
    this.#isLost = false;
    this.#unfollow?.();
    this.#unfollow = undefined;
    this.#costs.forget();
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
    this.#costs.changed(changes.flatMap(({ info }) => (info === undefined ? [] : [info])));
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
}
