import type { CallOptions } from "./call-options.js";
import { closed } from "./errors.js";
import type { Disposable } from "./events.js";
import type { Feed, SessionChange, Stream, SubscriptionChange } from "./feeds.js";
import { SessionMethods } from "./generated/session-methods.js";
import type { Entry, GetEntriesParams, SessionState } from "./generated/types.js";
import { pages, type Items, type Paged } from "./pages.js";

/** What a session needs of its client. */
export interface Caller {
  request(method: string, params?: object, options?: CallOptions): Promise<unknown>;
}

const ENTRIES = 500;

/**
 * An open session, with its own leaf. Its methods are those of the contract that take a `session`.
 * It stays usable when the daemon crashes and is started again.
 */
export class Session extends SessionMethods {
  /** The handle, to pass to methods of the client. */
  readonly handle: string;
  readonly #caller: Caller;
  readonly #feed: Feed<SessionChange>;
  readonly #known: () => SessionState | undefined;
  #state: SessionState;

  constructor(
    caller: Caller,
    state: SessionState,
    feed: Feed<SessionChange>,
    known: () => SessionState | undefined,
  ) {
    super();
    this.#caller = caller;
    this.#known = known;
    this.handle = state.session;
    this.#state = state;
    this.#feed = feed;
    feed.observe((change) => {
      if (change.kind === "reconnected") this.#state = change.state;
    });
  }

  /** The last state that the daemon reported: on opening, or in answer to `getState`. */
  get state(): SessionState {
    return this.#state;
  }

  /** The entry under which the next one is appended; current. null: before the first entry. */
  get leafId(): string | null {
    return (this.#known() ?? this.#state).leafId;
  }

  /** The last entry of the file; current. null: there is none. */
  get tipId(): string | null {
    return (this.#known() ?? this.#state).tipId;
  }

  /**
   * The changes that were not made with this handle. The first stream begins with the opening of the
   * session, or with the last 1,024 changes; later ones begin now. A stream ends when the session is
   * closed or lost. `break` ends it as well.
   */
  changes(): Stream<SessionChange> {
    return this.#feed.stream();
  }

  /**
   * Call a function with every change that was not made with this handle: the first one also with
   * those since the opening of the session, if no stream got them.
   */
  onChange(listener: (change: SessionChange) => void): Disposable {
    return this.#feed.listen(listener);
  }

  /** All entries of the file, read page by page. */
  entries(params: Paged<GetEntriesParams> = {}, options?: CallOptions): Items<Entry> {
    const { pageSize = ENTRIES, ...rest } = params;
    return pages(
      (position) => this.getEntries({ ...rest, ...position }, options),
      (page) => page.entries,
      pageSize,
    );
  }

  /** Close the session. Its file stays. */
  override close(options?: CallOptions): Promise<void> {
    return closed(super.close(options));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  protected override async call(
    method: string,
    params: object,
    options: CallOptions | undefined,
  ): Promise<unknown> {
    const result = await this.#caller.request(method, { ...params, session: this.handle }, options);
    if (isState(result)) this.#state = result;
    return result;
  }
}

function isState(result: unknown): result is SessionState {
  return typeof result === "object" && result !== null && "sessionId" in result && "leafId" in result;
}

/** A subscription: a snapshot, and the changes after it. */
export class Subscription<Snapshot extends { readonly subscription: string }, Change>
  implements AsyncIterable<SubscriptionChange<Snapshot, Change>>
{
  readonly #feed: Feed<SubscriptionChange<Snapshot, Change>>;
  readonly #stream: Stream<SubscriptionChange<Snapshot, Change>>;
  readonly #end: (handle: string) => Promise<void>;
  #snapshot: Snapshot;

  constructor(
    snapshot: Snapshot,
    feed: Feed<SubscriptionChange<Snapshot, Change>>,
    end: (handle: string) => Promise<void>,
  ) {
    this.#snapshot = snapshot;
    this.#feed = feed;
    this.#stream = feed.stream();
    this.#end = end;
    feed.observe((change) => {
      if (change.kind === "reconnected") this.#snapshot = change.snapshot;
    });
  }

  /** The state at the beginning, or after the last `reconnected`. */
  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** Call a function with every change. */
  onChange(listener: (change: SubscriptionChange<Snapshot, Change>) => void): Disposable {
    return this.#feed.listen(listener);
  }

  /** Return the stream of changes since the snapshot: always the same one. */
  [Symbol.asyncIterator](): Stream<SubscriptionChange<Snapshot, Change>> {
    return this.#stream;
  }

  /** End the subscription. */
  async close(): Promise<void> {
    await closed(this.#end(this.#snapshot.subscription));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
