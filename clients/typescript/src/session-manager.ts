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

/** pi knows no unknown arm. */

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
    return new SessionManager(client, await client.open({ path, sessionDir, cwd }));
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
    return this.client.sessionGetState(this.#self);
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
    await this.client.sessionSetSessionFile({ ...this.#self, path });
  }

  /** Create a new session under the same handle, and return its file. */
  async newSession(options?: NewSessionOptions): Promise<string | undefined> {
    const state = await this.client.sessionNewSession({ ...this.#self, ...options });
    return state.sessionFile ?? undefined;
  }

  /** Copy the branch that ends in an entry to a new session, switch to it, and return its file. */
  async createBranchedSession(leafId: string): Promise<string | undefined> {
    const state = await this.client.sessionCreateBranchedSession({ ...this.#self, leafId });
    return state.sessionFile ?? undefined;
  }

  async isPersisted(): Promise<boolean> {
    return (await this.client.sessionIsPersisted(this.#self)).persisted;
  }

  async getCwd(): Promise<string> {
    return (await this.client.sessionGetCwd(this.#self)).cwd;
  }

  async getSessionDir(): Promise<string> {
    return (await this.client.sessionGetSessionDir(this.#self)).sessionDir;
  }

  async usesDefaultSessionDir(): Promise<boolean> {
    return (await this.client.sessionUsesDefaultSessionDir(this.#self)).default;
  }

  async getSessionId(): Promise<string> {
    return (await this.client.sessionGetSessionId(this.#self)).sessionId;
  }

  async getSessionFile(): Promise<string | undefined> {
    return (await this.client.sessionGetSessionFile(this.#self)).sessionFile ?? undefined;
  }

  async getSessionName(): Promise<string | undefined> {
    return (await this.client.sessionGetSessionName(this.#self)).name ?? undefined;
  }

  async getHeader(): Promise<PiSessionHeader> {
    return (await this.client.sessionGetHeader(this.#self)).header as PiSessionHeader;
  }

  /** Append a message and return the id of its entry, as the other append methods do. */
  async appendMessage(message: Message): Promise<string> {
    return (await this.client.sessionAppendMessage({ ...this.#self, message })).id;
  }

  async appendThinkingLevelChange(thinkingLevel: string): Promise<string> {
    const params = { ...this.#self, thinkingLevel };
    return (await this.client.sessionAppendThinkingLevelChange(params)).id;
  }

  async appendModelChange(provider: string, modelId: string): Promise<string> {
    const params = { ...this.#self, provider, modelId };
    return (await this.client.sessionAppendModelChange(params)).id;
  }

  /** Append usage and return the entry, as pi does. */
  async appendUsage(
    kind: string,
    provider: string,
    model: string,
    usage: Usage,
    note?: string,
  ): Promise<PiUsageEntry> {
    const params = { ...this.#self, kind, provider, model, usage, note };
    const { id, parentId, timestamp } = await this.client.sessionAppendUsage(params);
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
    const rest = { summary, firstKeptEntryId, tokensBefore, details, fromHook, usage };
    return (await this.client.sessionAppendCompaction({ ...this.#self, ...rest })).id;
  }

  async appendCustomEntry(customType: string, data?: unknown): Promise<string> {
    const params = { ...this.#self, customType, data };
    return (await this.client.sessionAppendCustomEntry(params)).id;
  }

  async appendSessionInfo(name: string): Promise<string> {
    return (await this.client.sessionAppendSessionInfo({ ...this.#self, name })).id;
  }

  async appendCustomMessageEntry(
    customType: string,
    content: Content,
    display: boolean,
    details?: unknown,
  ): Promise<string> {
    const params = { ...this.#self, customType, content, display, details };
    return (await this.client.sessionAppendCustomMessageEntry(params)).id;
  }

  async appendContextEdit(
    targetId: string,
    replacement: NonNullable<ContextEditEntry["replacement"]> | null,
  ): Promise<string> {
    const params = { ...this.#self, targetId, replacement };
    return (await this.client.sessionAppendContextEdit(params)).id;
  }

  async appendLabelChange(targetId: string, label: string | undefined): Promise<string> {
    const params = { ...this.#self, targetId, label };
    return (await this.client.sessionAppendLabelChange(params)).id;
  }

  async getLeafId(): Promise<string | null> {
    return (await this.client.sessionGetLeafId(this.#self)).leafId;
  }

  async getLeafEntry(): Promise<SessionEntry | undefined> {
    return entryOf(await this.client.sessionGetLeafEntry(this.#self));
  }

  async getEntry(id: string): Promise<SessionEntry | undefined> {
    return entryOf(await this.client.sessionGetEntry({ ...this.#self, id }));
  }

  async getEntries(): Promise<SessionEntry[]> {
    return entriesOf(await this.client.sessionGetEntries(this.#self));
  }

  async getEntryCount(): Promise<number> {
    return (await this.client.sessionGetEntryCount(this.#self)).count;
  }

  /** Return the entries from the root to an entry, or to the leaf. */
  async getBranch(fromId?: string): Promise<SessionEntry[]> {
    return entriesOf(await this.client.sessionGetBranch({ ...this.#self, fromId }));
  }

  async getChildren(parentId: string): Promise<SessionEntry[]> {
    return entriesOf(await this.client.sessionGetChildren({ ...this.#self, parentId }));
  }

  /** Return the tree with nested children. */
  async getTree(): Promise<PiTreeNode[]> {
    return nested(await this.client.sessionGetTree(this.#self)) as PiTreeNode[];
  }

  async getLabel(id: string): Promise<string | undefined> {
    return (await this.client.sessionGetLabel({ ...this.#self, id })).label ?? undefined;
  }

  /** Move the leaf to an earlier entry. */
  async branch(entryId: string): Promise<void> {
    await this.client.sessionBranch({ ...this.#self, entryId });
  }

  /** Move the leaf before the first entry. */
  async resetLeaf(): Promise<void> {
    await this.client.sessionResetLeaf(this.#self);
  }

  async branchWithSummary(
    entryId: string | null,
    summary: string,
    details?: unknown,
    fromHook?: boolean,
    usage?: Usage,
  ): Promise<string> {
    const params = { ...this.#self, entryId, summary, details, fromHook, usage };
    return (await this.client.sessionBranchWithSummary(params)).id;
  }

  async buildSessionContext(): Promise<SessionContext> {
    return (await this.client.sessionBuildSessionContext(this.#self)) as SessionContext;
  }

  async buildContextEntries(): Promise<SessionEntry[]> {
    return entriesOf(await this.client.sessionBuildContextEntries(this.#self));
  }

  async buildSessionProjection(): Promise<SessionProjection> {
    const answer = await this.client.sessionBuildSessionProjection(this.#self);
    const projection = answer as Omit<SessionProjection, "messages">;
    const messages = projection.entries.flatMap((each) => each.messages);
    return { ...projection, messages };
  }

  get #self(): { session: string } {
    return { session: this.session };
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
