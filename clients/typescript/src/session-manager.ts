// pi's SessionManager on top of the daemon: the same methods and values, but asynchronous.

import { randomUUID } from "node:crypto";

import { Sessiond } from "./client.js";
import type { Disposable } from "./events.js";
import type { SessionChange } from "./feeds.js";
import type {
  Content,
  ContextEditEntry,
  Entry,
  Header,
  Message,
  SessionInfo as WireSessionInfo,
  SessionState,
  Usage,
} from "./generated/types.js";
import type {
  PiSessionHeader,
  PiTreeNode,
  PiUsageEntry,
  SessionContext,
  SessionEntry,
  SessionProjection,
} from "./pi-types.js";
import type { Session } from "./session.js";
import { nested } from "./tree.js";

/** A session in a list, with times as `Date`. */
export type PiSessionInfo = Omit<WireSessionInfo, "created" | "modified" | "allMessagesText"> & {
  created: Date;
  modified: Date;
  allMessagesText: string;
};

export interface NewSessionOptions {
  id?: string | undefined;
  parentSession?: string | undefined;
}

export type SessionListProgress = (
  loaded: number,
  total: number,
  partialSessions?: readonly PiSessionInfo[],
) => void;

/** Closes the sessions of managers that nobody refers to any more, as in pi nobody closes one. */
const unused = new FinalizationRegistry<Session>((session) => {
  session.close().catch(() => {});
});

/**
 * One open session, with its own leaf. It is closed by `close`, at the end of an `await using`, or some
 * time after the last reference to the manager is gone.
 *
 * The static methods share one daemon. It is started when first needed and does not keep the
 * process alive. `SessionManager.for(client)` is the same class for a client of yours.
 */
export class SessionManager {
  /** The client that makes the calls. */
  readonly client: Sessiond;
  /** The handle, to pass to methods of the client as long as the manager is in use. */
  readonly session: string;
  readonly #opened: Session;

  private constructor(client: Sessiond, opened: Session) {
    this.client = client;
    this.session = opened.handle;
    this.#opened = opened;
    unused.register(this, opened, this);
  }

  /** The client behind the static methods. */
  static connect(): Promise<Sessiond> {
    shared ??= Sessiond.start({ background: true }).catch((error: unknown) => {
      shared = undefined;
      throw error;
    });
    return shared;
  }

  /** Return this class for another client. */
  static for(client: Sessiond): typeof SessionManager {
    return class extends SessionManager {
      static override connect(): Promise<Sessiond> {
        return Promise.resolve(client);
      }
    };
  }

  /** Create a session; its file is written with the first user or assistant message. */
  static async create(
    cwd: string,
    sessionDir?: string,
    options?: NewSessionOptions,
  ): Promise<SessionManager> {
    const client = await this.connect();
    return new SessionManager(client, await client.create({ cwd, sessionDir, ...options }));
  }

  /** Open a session file; a missing or empty file becomes a new session. */
  static async open(path: string, sessionDir?: string, cwd?: string): Promise<SessionManager> {
    const client = await this.connect();
    return new SessionManager(client, await client.open({ path, sessionDir, cwd, mustExist: false }));
  }

  /** Open the most recent session of a working directory, or create one. */
  static async continueRecent(cwd: string, sessionDir?: string): Promise<SessionManager> {
    const client = await this.connect();
    return new SessionManager(client, await client.continueRecent({ cwd, sessionDir }));
  }

  /** Create a session without a file. */
  static async inMemory(
    cwd: string = process.cwd(),
    options?: NewSessionOptions,
    entries?: readonly (Header | Entry | PiSessionHeader | SessionEntry)[],
  ): Promise<SessionManager> {
    const client = await this.connect();
    const opened = await client.inMemory({
      cwd,
      id: options?.id,
      entries: entries as Entry[] | undefined,
    });
    return new SessionManager(client, opened);
  }

  /** Copy a session into a new file for another working directory, and open the copy. */
  static async forkFrom(
    sourcePath: string,
    targetCwd: string,
    sessionDir?: string,
    options?: NewSessionOptions,
  ): Promise<SessionManager> {
    const client = await this.connect();
    const params = { sourcePath, targetCwd, sessionDir, id: options?.id };
    return new SessionManager(client, await client.forkFrom(params));
  }

  /** Return the file of the session with this id. */
  static async findById(
    cwd: string,
    id: string,
    sessionDir?: string,
  ): Promise<string | undefined> {
    const client = await this.connect();
    return (await client.sessionFindById({ cwd, id, sessionDir })).path ?? undefined;
  }

  /** List the sessions of a working directory, the latest first. */
  static async list(
    cwd: string,
    sessionDir?: string,
    onProgress?: SessionListProgress,
    signal?: AbortSignal,
  ): Promise<PiSessionInfo[]> {
    const client = await this.connect();
    return listed(client, onProgress, (tokens) =>
      client.sessionList({ cwd, sessionDir, includeText: true, ...tokens }, { signal }),
    );
  }

  /** List the sessions of all working directories, the latest first. */
  static listAll(onProgress?: SessionListProgress, signal?: AbortSignal): Promise<PiSessionInfo[]>;
  static listAll(
    sessionDir?: string,
    onProgress?: SessionListProgress,
    signal?: AbortSignal,
  ): Promise<PiSessionInfo[]>;
  static async listAll(
    first?: string | SessionListProgress,
    second?: SessionListProgress | AbortSignal,
    third?: AbortSignal,
  ): Promise<PiSessionInfo[]> {
    const given = [first, second, third];
    const sessionDir = typeof first === "string" ? first : undefined;
    const onProgress = given.find((each) => typeof each === "function");
    const signal = given.find((each) => each instanceof AbortSignal);
    const client = await this.connect();
    return listed(client, onProgress as SessionListProgress | undefined, (tokens) =>
      client.sessionListAll({ sessionDir, includeText: true, ...tokens }, { signal }),
    );
  }

  /**
   * Listen for changes that were not made with this handle, and for `reconnected` and `lost` after a
   * crash of the daemon. The manager is in use as long as somebody listens.
   */
  onDidChange(listener: (change: SessionChange) => void): Disposable {
    return this.#opened.onChange((change) => listener.call(this, change));
  }

  /** The session as it is now. */
  getState(): Promise<SessionState> {
    return this.#opened.getState();
  }

  /** Close the session. Its file stays. */
  close(): Promise<void> {
    unused.unregister(this);
    return this.#opened.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async setSessionFile(path: string): Promise<void> {
    await this.#opened.setSessionFile({ path });
  }

  /** Create a new session under the same handle, and return its file. */
  async newSession(options?: NewSessionOptions): Promise<string | undefined> {
    const state = await this.#opened.newSession(options);
    return state.sessionFile ?? undefined;
  }

  /** Copy the branch that ends in an entry to a new session, switch to it, and return its file. */
  async createBranchedSession(leafId: string): Promise<string | undefined> {
    const state = await this.#opened.createBranchedSession({ leafId });
    return state.sessionFile ?? undefined;
  }

  async isPersisted(): Promise<boolean> {
    return (await this.#opened.isPersisted()).persisted;
  }

  async getCwd(): Promise<string> {
    return (await this.#opened.getCwd()).cwd;
  }

  async getSessionDir(): Promise<string> {
    return (await this.#opened.getSessionDir()).sessionDir;
  }

  async usesDefaultSessionDir(): Promise<boolean> {
    return (await this.#opened.usesDefaultSessionDir()).default;
  }

  async getSessionId(): Promise<string> {
    return (await this.#opened.getSessionId()).sessionId;
  }

  async getSessionFile(): Promise<string | undefined> {
    return (await this.#opened.getSessionFile()).sessionFile ?? undefined;
  }

  async getSessionName(): Promise<string | undefined> {
    return (await this.#opened.getSessionName()).name ?? undefined;
  }

  async getHeader(): Promise<PiSessionHeader> {
    return (await this.#opened.getHeader()).header as PiSessionHeader;
  }

  /** Append a message and return the id of its entry, as the other append methods do. */
  async appendMessage(message: Message): Promise<string> {
    return (await this.#opened.appendMessage({ message })).id;
  }

  async appendThinkingLevelChange(thinkingLevel: string): Promise<string> {
    return (await this.#opened.appendThinkingLevelChange({ thinkingLevel })).id;
  }

  async appendModelChange(provider: string, modelId: string): Promise<string> {
    return (await this.#opened.appendModelChange({ provider, modelId })).id;
  }

  /** Append usage and return the entry, as pi does. */
  async appendUsage(
    kind: string,
    provider: string,
    model: string,
    usage: Usage,
    note?: string,
  ): Promise<PiUsageEntry> {
    const params = { kind, provider, model, usage, note };
    const { id, parentId, timestamp } = await this.#opened.appendUsage(params);
    const entry = { type: "usage", kind, provider, model, usage, id, parentId, timestamp };
    return (note === undefined ? entry : { ...entry, note }) as PiUsageEntry;
  }

  async appendCompaction(
    summary: string,
    firstKeptEntryId: string | null,
    tokensBefore: number,
    details?: unknown,
    fromHook?: boolean,
    usage?: Usage,
  ): Promise<string> {
    const params = { summary, firstKeptEntryId, tokensBefore, details, fromHook, usage };
    return (await this.#opened.appendCompaction(params)).id;
  }

  async appendCustomEntry(customType: string, data?: unknown): Promise<string> {
    return (await this.#opened.appendCustomEntry({ customType, data })).id;
  }

  async appendSessionInfo(name: string): Promise<string> {
    return (await this.#opened.appendSessionInfo({ name })).id;
  }

  async appendCustomMessageEntry(
    customType: string,
    content: Content,
    display: boolean,
    details?: unknown,
  ): Promise<string> {
    return (await this.#opened.appendCustomMessageEntry({ customType, content, display, details })).id;
  }

  async appendContextEdit(
    targetId: string,
    replacement: NonNullable<ContextEditEntry["replacement"]> | null,
  ): Promise<string> {
    return (await this.#opened.appendContextEdit({ targetId, replacement })).id;
  }

  async appendLabelChange(targetId: string, label: string | undefined): Promise<string> {
    return (await this.#opened.appendLabelChange({ targetId, label })).id;
  }

  async getLeafId(): Promise<string | null> {
    return (await this.#opened.getLeafId()).leafId;
  }

  async getLeafEntry(): Promise<SessionEntry | undefined> {
    return entryOf(await this.#opened.getLeafEntry());
  }

  async getEntry(id: string): Promise<SessionEntry | undefined> {
    return entryOf(await this.#opened.getEntry({ id }));
  }

  async getEntries(): Promise<SessionEntry[]> {
    return entriesOf(await this.#opened.getEntries());
  }

  async getEntryCount(): Promise<number> {
    return (await this.#opened.getEntryCount()).count;
  }

  /** Return the entries from the root to an entry, or to the leaf. */
  async getBranch(fromId?: string): Promise<SessionEntry[]> {
    return entriesOf(await this.#opened.getBranch({ fromId }));
  }

  async getChildren(parentId: string): Promise<SessionEntry[]> {
    return entriesOf(await this.#opened.getChildren({ parentId }));
  }

  /** Return the tree with nested children. */
  async getTree(): Promise<PiTreeNode[]> {
    return nested(await this.#opened.getTree()) as PiTreeNode[];
  }

  async getLabel(id: string): Promise<string | undefined> {
    return (await this.#opened.getLabel({ id })).label ?? undefined;
  }

  /** Move the leaf to an earlier entry. */
  async branch(entryId: string): Promise<void> {
    await this.#opened.branch({ entryId });
  }

  /** Move the leaf before the first entry. */
  async resetLeaf(): Promise<void> {
    await this.#opened.resetLeaf();
  }

  async branchWithSummary(
    entryId: string | null,
    summary: string,
    details?: unknown,
    fromHook?: boolean,
    usage?: Usage,
  ): Promise<string> {
    return (await this.#opened.branchWithSummary({ entryId, summary, details, fromHook, usage })).id;
  }

  async buildSessionContext(): Promise<SessionContext> {
    return (await this.#opened.buildSessionContext()) as SessionContext;
  }

  async buildContextEntries(): Promise<SessionEntry[]> {
    return entriesOf(await this.#opened.buildContextEntries());
  }

  async buildSessionProjection(): Promise<SessionProjection> {
    const answer = await this.#opened.buildSessionProjection();
    const projection = answer as Omit<SessionProjection, "messages">;
    const messages = projection.entries.flatMap((each) => each.messages);
    return { ...projection, messages };
  }
}

function entryOf({ entry }: { entry: Entry | null }): SessionEntry | undefined {
  return (entry as SessionEntry | null) ?? undefined;
}

function entriesOf({ entries }: { entries: Entry[] }): SessionEntry[] {
  return entries as SessionEntry[];
}

let shared: Promise<Sessiond> | undefined;

interface Tokens {
  workDoneToken?: string;
  partialResultToken?: string;
}

async function listed(
  client: Sessiond,
  onProgress: SessionListProgress | undefined,
  list: (tokens: Tokens) => Promise<{ sessions: WireSessionInfo[] }>,
): Promise<PiSessionInfo[]> {
  if (onProgress === undefined) return (await list({})).sessions.map(withDates);
  const token = randomUUID();
  const tokens = { workDoneToken: token, partialResultToken: `${token}/sessions` };
  let loaded = 0;
  let total = 0;
  const listening = client.onProgress(({ token: told, value }) => {
    if (told === tokens.workDoneToken && "kind" in value) {
      loaded = value.loaded ?? loaded;
      total = value.total ?? total;
      onProgress(loaded, total);
    } else if (told === tokens.partialResultToken && "sessions" in value) {
      onProgress(loaded, total, value.sessions.map(withDates));
    }
  });
  try {
    return (await list(tokens)).sessions.map(withDates);
  } finally {
    listening.dispose();
  }
}

function withDates(info: WireSessionInfo): PiSessionInfo {
  return {
    ...info,
    created: new Date(info.created),
    modified: new Date(info.modified),
    allMessagesText: info.allMessagesText ?? "",
  };
}
