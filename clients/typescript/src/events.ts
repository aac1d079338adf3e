/** Ends what was begun, such as listening; doing so again does nothing. */
export interface Disposable {
  dispose(): void;
  [Symbol.dispose](): void;
}

export type Listener<T> = (value: T) => void;

/** Calls its listeners in the order they came. What one throws does not keep the others from it. */
export class Emitter<T> {
  readonly #listeners = new Set<{ readonly call: Listener<T> }>();

  listen(call: Listener<T>): Disposable {
    const listener = { call };
    this.#listeners.add(listener);
    const dispose = () => void this.#listeners.delete(listener);
    return { dispose, [Symbol.dispose]: dispose };
  }

  fire(value: T): void {
    for (const { call } of [...this.#listeners]) {
      try {
        call(value);
      } catch (error) {
        // As an event target does: reported, not swallowed, and nobody else's business.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
