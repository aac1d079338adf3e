/** Removes a listener. Calling it again does nothing. */
export interface Disposable {
  dispose(): void;
  [Symbol.dispose](): void;
}

export type Listener<T> = (value: T) => void;

/** Calls its listeners in the order in which they were added. An error of one does not stop the others. */
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
        // Report it as an uncaught error, as event targets do.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
