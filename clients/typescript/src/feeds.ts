// The changes of sessions and subscriptions, passed on to listeners and streams.

import type { Disposable, Listener } from "./events.js";
import { Emitter } from "./events.js";
import type { SessionDidChangeParams, SessionState } from "./generated/types.js";

/** The daemon ended, and the session is open again in a new one: read it again. */
export interface SessionReconnected {
  readonly kind: "reconnected";
  readonly state: SessionState;
}

/** The session or subscription could not be opened again. This is the last event. */
export interface Lost {
  readonly kind: "lost";
  readonly error: Error;
}

/** A change of a session that was not made with its handle, or what became of it after a crash. */
export type SessionChange = SessionDidChangeParams | SessionReconnected | Lost;

/** A change of a subscription; after `reconnected`, `snapshot` replaces the state so far. */
export type SubscriptionChange<Snapshot, Change> =
  | ({ readonly kind: "changed" } & Change)
  | { readonly kind: "reconnected"; readonly snapshot: Snapshot }
  | Lost;

/** How many values a stream keeps. */
const KEPT = 1024;

/**
 * An async iterator over values as they arrive. It keeps 1,024 of them until they are read; beyond
 * that it drops the oldest. Changes have a `sequence`, in which a gap shows how many were dropped.
 */
export class Stream<T> implements AsyncIterableIterator<T, undefined> {
  readonly #values: T[] = [];
  readonly #waiting: ((result: IteratorResult<T, undefined>) => void)[] = [];
  readonly #stop: (stream: Stream<T>) => void;
  #ended = false;

  constructor(stop: (stream: Stream<T>) => void) {
    this.#stop = stop;
  }

  push(value: T): void {
    const next = this.#waiting.shift();
    if (next !== undefined) return next({ value, done: false });
    if (this.#values.length === KEPT) this.#values.shift();
    this.#values.push(value);
  }

  /** End the stream after the values that are in it. */
  end(): void {
    this.#ended = true;
    for (const next of this.#waiting.splice(0)) next({ value: undefined, done: true });
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#values.length > 0) {
      return Promise.resolve({ value: this.#values.shift() as T, done: false });
    }
    if (this.#ended) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** End the stream, and drop the values in it. `break` in a loop does this. */
  return(): Promise<IteratorResult<T, undefined>> {
    this.#values.length = 0;
    this.end();
    this.#stop(this);
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/**
 * Passes on values to listeners and streams, until it ends. The first listener or stream also gets the
 * values before it, of which the last 1,024 are kept.
 */
export class Feed<T> {
  readonly #listeners = new Emitter<T>();
  readonly #streams = new Set<Stream<T>>();
  #early: T[] | undefined = [];
  #ended = false;

  listen(listener: Listener<T>): Disposable {
    const early = new Emitter<T>();
    early.listen(listener);
    for (const value of this.#takeEarly()) early.fire(value);
    return this.#listeners.listen(listener);
  }

  /** Listen to what follows, and leave the values so far to another listener. */
  observe(listener: Listener<T>): void {
    this.#listeners.listen(listener);
  }

  stream(): Stream<T> {
    const stream = new Stream<T>((ended) => this.#streams.delete(ended));
    for (const value of this.#takeEarly()) stream.push(value);
    if (this.#ended) stream.end();
    else this.#streams.add(stream);
    return stream;
  }

  fire(value: T): void {
    if (this.#ended) return;
    if (this.#early !== undefined) {
      if (this.#early.length === KEPT) this.#early.shift();
      this.#early.push(value);
    }
    for (const stream of this.#streams) stream.push(value);
    this.#listeners.fire(value);
  }

  end(): void {
    this.#ended = true;
    for (const stream of this.#streams) stream.end();
    this.#streams.clear();
  }

  #takeEarly(): readonly T[] {
    const early = this.#early ?? [];
    this.#early = undefined;
    return early;
  }
}
