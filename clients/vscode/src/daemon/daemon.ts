// The daemon as the view and the transcripts use it; operations.ts has what the commands ask of it.
// The client library is loaded when the daemon is first needed.

import { randomUUID } from "node:crypto";

import type {
  CatalogChange,
  InitializeParams,
  OutlineNode,
  SearchHit,
  Session,
  SessionChange,
  SessionInfo,
  Sessiond,
  ViewItem,
} from "sessiond-client";

import { isClientError, messageOf } from "./errors.ts";

export { isReadable, isSessiondError } from "./errors.ts";
/** Marks that a session gets or loses; absent ones stay. */
export interface Marks {
  readonly pinned?: boolean;
  readonly hidden?: boolean;
  readonly addTags?: string[];
  readonly removeTags?: string[];
}

export type { CatalogChange, OutlineNode, SearchHit, SessionChange, SessionInfo };
export type { Sessiond as Client };

/** How to start the daemon. */
export interface Start {
  readonly path: string;
  readonly args: readonly string[];
  readonly shared: boolean;
  readonly initialize: InitializeParams;
}

/** `lost`: the daemon ended, and could not be started again; `failed`: it could not be started at first. */
export type Status = "stopped" | "starting" | "ready" | "missing" | "failed" | "lost";

export interface CatalogFollower {
  /** All sessions at present; called again after a restart of the daemon. */
  readonly snapshot: (sessions: readonly SessionInfo[]) => void;
  readonly changed: (changes: readonly CatalogChange[]) => void;
  /** There will be no more changes, because the daemon could not be started again. */
  readonly lost: () => void;
}

/** No program was found; the message says where the extension looked. */
export class Missing extends Error {}

export class Daemon {
  readonly #start: () => Promise<Start>;
  readonly #log: (line: string) => void;
  readonly #statusChanged: (status: Status, error?: unknown) => void;
  #client: Promise<Sessiond> | undefined;
  #status: Status = "stopped";
  /** Number of stops: what happens to a connection that began before the last one is not reported. */
  #stops = 0;
  #ended = false;

  constructor(
    start: () => Promise<Start>,
    log: (line: string) => void,
    statusChanged: (status: Status, error?: unknown) => void,
  ) {
    this.#start = start;
    this.#log = log;
    this.#statusChanged = statusChanged;
  }

  get status(): Status {
    return this.#status;
  }

  /** The client, started when it is first needed. Throws Missing, ClientError, SessiondError. */
  client(): Promise<Sessiond> {
    if (this.#ended) return Promise.reject(new Error("The extension was deactivated."));
    this.#client ??= this.#started();
    return this.#client;
  }

  /** End the connection for good: what still runs must not start another daemon. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.stop();
  }

  /** End the connection; the next call starts another one. */
  async stop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    this.#stops += 1;
    this.#say("stopped");
    await (await client?.catch(() => undefined))?.close();
  }

  /** Report all sessions and then every change. The result ends that. */
  async follow(follower: CatalogFollower): Promise<() => void> {
    const subscription = await (await this.client()).subscribeCatalog();
    follower.snapshot(subscription.snapshot.sessions);
    const changes = subscription[Symbol.asyncIterator]();
    void (async () => {
      for await (const change of changes) {
        if (change.kind === "changed") follower.changed(change.changes);
        else if (change.kind === "reconnected") follower.snapshot(change.snapshot.sessions);
        else follower.lost();
      }
    })();
    return () => {
      void changes.return();
      // A connection that has ended has no subscription any more.
      subscription.close().catch(() => {});
    };
  }

  /** The latest sessions of one directory. */
  async latest(cwd: string, limit: number): Promise<SessionInfo[]> {
    return (await (await this.client()).sessionList({ cwd, limit })).sessions;
  }

  /**
   * Read the sessions of all directories, and report the latest ones among those read so far. The
   * first report comes long before a list of thousands of new files is complete.
   */
  async readAll(limit: number, report: (sessions: readonly SessionInfo[]) => void): Promise<void> {
    const client = await this.client();
    const partialResultToken = randomUUID();
    const listening = client.onProgress(({ token, value }) => {
      if (token === partialResultToken && "sessions" in value) report(value.sessions);
    });
    try {
      report((await client.sessionListAll({ limit, partialResultToken })).sessions);
    } finally {
      listening.dispose();
    }
  }

  /** Recorded costs, in US dollars, of the sessions of a directory, by path; empty: of all sessions. */
  async costs(cwd: string): Promise<Map<string, number>> {
    const only = cwd === "" ? {} : { cwd };
    const { rows } = await (await this.client()).catalogUsage({ by: "session", copies: true, ...only });
    return new Map(rows.flatMap(({ key, sums: { cost } }) => (cost === undefined ? [] : [[key, cost.total] as const])));
  }

  async cost(path: string): Promise<number | undefined> {
    return (await (await this.client()).catalogStats({ path })).cost?.total;
  }

  async search(query: string, signal: AbortSignal): Promise<SearchHit[]> {
    const client = await this.client();
    return (await client.catalogSearch({ query, limit: 50 }, { signal })).hits;
  }

  async rename(path: string, name: string): Promise<void> {
    await (await this.client()).catalogRename({ path, name });
  }

  async mark(path: string, marks: Marks): Promise<void> {
    await (await this.client()).catalogSetMarks({ paths: [path], ...marks });
  }

  async delete(path: string, force = false): Promise<void> {
    await (await this.client()).catalogDelete({ path, force });
  }

  async restore(path: string): Promise<void> {
    await (await this.client()).catalogRestore({ path });
  }

  async open(path: string): Promise<OpenSession> {
    const client = await this.client();
    return new OpenSession(await client.open({ path, readOnly: true, follow: true, mustExist: true }));
  }

  async #started(): Promise<Sessiond> {
    const stops = this.#stops;
    const failed = (status: Status, error: unknown) => {
      if (stops !== this.#stops) return;
      this.#client = undefined;
      this.#say(status, error);
    };
    this.#say("starting");
    try {
      const { path, args, shared, initialize } = await this.#start();
      this.#log(`start ${[path, ...args].join(" ")}`);
      const { Sessiond } = await import("sessiond-client");
      const client = await Sessiond.start({ path, args, shared, initialize, log: this.#log });
      client.onLost((error) => failed("lost", error));
      client.onReconnected(() => this.#log("the daemon ended; a new one was started"));
      if (stops === this.#stops) this.#say("ready");
      return client;
    } catch (error) {
      const missing = error instanceof Missing || (isClientError(error) && error.kind === "DaemonNotFound");
      this.#log(messageOf(error));
      failed(missing ? "missing" : "failed", error);
      throw error;
    }
  }

  #say(status: Status, error?: unknown): void {
    this.#status = status;
    this.#statusChanged(status, error);
  }
}

/** Entries as they are stored, and what a person sees of each. */
export interface Entries {
  readonly entries: object[];
  readonly views: ViewItem[];
}

/** A session that is open for reading. Its leaf follows the file. */
export class OpenSession {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  get header(): unknown {
    return this.#session.state.header;
  }

  get cwd(): string {
    return this.#session.state.cwd;
  }

  /** How often another program has replaced the content of the file. */
  get generation(): number {
    return this.#session.state.generation;
  }

  /** The structure of the tree, with labels, but without the content of entries. */
  async outline(): Promise<{ roots: string[]; nodes: OutlineNode[] }> {
    return (await this.#session.getTree({ detail: "outline" })) as { roots: string[]; nodes: OutlineNode[] };
  }

  /** Entries after an entry (from the first one without it), page by page. */
  async *entries(after: string | undefined, limit: number): AsyncGenerator<Entries> {
    let cursor = after;
    do {
      const page = await this.#session.getEntries({ cursor, limit, views: true });
      yield { entries: page.entries, views: page.views ?? [] };
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }

  /** The last entries of the file, and the number of all. */
  async last(count: number): Promise<Entries & { total: number }> {
    const { entries, views, total } = await this.#session.getEntries({ last: count, views: true });
    return { entries, views: views ?? [], total };
  }

  async name(): Promise<string | null> {
    return (await this.#session.getSessionName()).name;
  }

  async leafId(): Promise<string | null> {
    return (await this.#session.getLeafId()).leafId;
  }

  /** Listen for changes, in order, until the session is closed. */
  onChange(listener: (change: SessionChange) => void): void {
    this.#session.onChange(listener);
  }

  async close(): Promise<void> {
    // A connection that has ended has no handle any more.
    await this.#session.close().catch(() => {});
  }
}
