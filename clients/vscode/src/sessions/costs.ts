// The costs of the sessions that are shown: read once for each directory, then for each session that
// grows. The costs of thousands of sessions that nobody looks at are never read.

import type { Daemon, SessionInfo } from "../daemon/daemon.ts";
import type { Catalogue } from "./catalogue.ts";

/** Beyond this number of changed sessions the costs of their directories are read. */
const ONE_BY_ONE = 10;

export class Costs {
  readonly #daemon: Pick<Daemon, "cost" | "costs">;
  readonly #catalogue: Catalogue;
  readonly #redraw: () => void;
  /** Directories whose costs are known or asked for; the empty name: all. */
  readonly #asked = new Set<string>();

  constructor(daemon: Pick<Daemon, "cost" | "costs">, catalogue: Catalogue, redraw: () => void) {
    this.#daemon = daemon;
    this.#catalogue = catalogue;
    this.#redraw = redraw;
  }

  /** The sessions of a directory are shown; without a directory the costs of all are needed. */
  show(cwd = ""): void {
    if (this.#asked.has(cwd) || this.#asked.has("")) return;
    this.#asked.add(cwd);
    void this.#read(cwd);
  }

  /** These sessions have changed. */
  changed(sessions: readonly SessionInfo[]): void {
    const known = sessions.filter(({ cwd }) => this.#asked.has(cwd) || this.#asked.has(""));
    if (known.length <= ONE_BY_ONE) for (const { path } of known) void this.#readOne(path);
    else for (const cwd of new Set(known.map(({ cwd }) => cwd))) void this.#read(cwd);
  }

  /** Another daemon may have other sessions. */
  forget(): void {
    this.#asked.clear();
  }

  async #read(cwd: string): Promise<void> {
    const costs = await this.#daemon.costs(cwd).catch(() => undefined);
    if (costs === undefined) return void this.#asked.delete(cwd);
    for (const [path, cost] of costs) this.#catalogue.setCost(path, cost);
    this.#redraw();
  }

  async #readOne(path: string): Promise<void> {
    const cost = await this.#daemon.cost(path).catch(() => undefined);
    if (cost === undefined || cost === this.#catalogue.costOf(path)) return;
    this.#catalogue.setCost(path, cost);
    this.#redraw();
  }
}
