// Which sessions are being written to: those whose file has changed in the last seconds.

/** Milliseconds after the last change of a file for which it counts as being written to. */
export const QUIET_AFTER = 15_000;

export class Writers {
  readonly #last = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  wrote(path: string): void {
    this.#last.set(path, this.#now());
  }

  isWriting(path: string): boolean {
    const last = this.#last.get(path);
    return last !== undefined && this.#now() - last < QUIET_AFTER;
  }

  /** Forget those that have become quiet; returns the milliseconds until the next one does. */
  settle(): number | undefined {
    let next: number | undefined;
    for (const [path, last] of this.#last) {
      const left = last + QUIET_AFTER - this.#now();
      if (left <= 0) this.#last.delete(path);
      else next = Math.min(next ?? left, left);
    }
    return next;
  }
}
