// The handles and subscriptions of the user, and their restoration after a crash.

import { ClientError, SessiondError } from "./errors.js";
import type { Connection } from "./connection.js";
import type { MethodFacts } from "./generated/methods.js";
import type { SessionState } from "./generated/types.js";
import type { Call, Json } from "./pending.js";

interface OpenSession {
  readonly handle: string;
  /** The handle in the current daemon; undefined: the session is lost. */
  current: string | undefined;
  path: string | null;
  sessionId: string;
  sessionDir: string;
  cwd: string;
  readOnly: boolean;
  follow: boolean;
  leafId: string | null;
  tipId: string | null;
  /**
   * The leaf to restore, and whether it followed, until the session is open again: another crash
   * meanwhile must not make the tip of the file the leaf.
   */
  place?: { readonly leafId: string | null; readonly followed: boolean } | undefined;
  lostBy?: unknown;
  readonly count: Counter;
}

interface Subscription {
  readonly handle: string;
  current: string;
  readonly method: string;
  readonly params: Json;
  readonly count: Counter;
}

/** Keeps `sequence` growing across a restart, with a gap for missed notifications. */
interface Counter {
  last: number;
  offset: number;
}

/** The result of a restart for the open handles. */
export interface Restored {
  /** The current states of the sessions that are open again. */
  readonly sessions: readonly SessionState[];
  /** Sessions that could not be opened again, such as those in memory: handle and error. */
  readonly lost: ReadonlyMap<string, ClientError>;
  /** New snapshots of subscriptions, by handle. */
  readonly subscriptions: ReadonlyMap<string, unknown>;
  /** Subscriptions that could not be made again: handle and error. */
  readonly ended: ReadonlyMap<string, SessiondError>;
}

/**
 * Maps the handles of the user, which never change, to those of the current daemon, which counts
 * its handles from the start. Handles are translated in both directions.
 */
export class Handles {
  readonly #sessions = new Map<string, OpenSession>();
  readonly #subscriptions = new Map<string, Subscription>();
  /** How many daemons there were before the current one, each of which counted from the start. */
  #restarts = 0;

  /** Return what to send: params with the handles of the current daemon. Throws `SessionLost`. */
  outward({ params, text }: Pick<Call, "params"> & Partial<Pick<Call, "text">>): object | undefined {
    const current = new Map<string, string>();
    const { session, subscription } = params ?? {};
    if (typeof session === "string") {
      const open = this.#sessions.get(session);
      if (open !== undefined && open.current === undefined) throw lost(open);
      current.set("session", open?.current ?? this.#ended(session));
    }
    if (typeof subscription === "string") {
      const kept = this.#subscriptions.get(subscription);
      current.set("subscription", kept?.current ?? this.#ended(subscription));
    }
    const changed = [...current].filter(([name, handle]) => params?.[name] !== handle);
    if (changed.length === 0) return text ?? params;
    return text?.with(new Map(changed)) ?? { ...params, ...Object.fromEntries(changed) };
  }

  /** Remember the handles in an answer, and return it with the handles of the user. */
  answered(method: string, params: Json, facts: MethodFacts, result: unknown): unknown {
    const open = this.#sessions.get(String(params["session"]));
    if (method === "session/close") {
      this.#sessions.delete(String(params["session"]));
    } else if (method.endsWith("/unsubscribe")) {
      this.#subscriptions.delete(String(params["subscription"]));
    } else if (facts.tells === "state") {
      const state = result as SessionState;
      const known = open ?? find(this.#sessions, state.session) ?? this.#add(state.session);
      if (params["follow"] === true) known.follow = true;
      noteState(known, state);
      return { ...state, session: known.handle };
    } else if (facts.tells === "subscription") {
      const snapshot = result as { subscription: string; sequence?: number };
      const handle = this.#named(snapshot.subscription);
      const count = { last: snapshot.sequence ?? 0, offset: 0 };
      const current = snapshot.subscription;
      this.#subscriptions.set(handle, { handle, current, method, params, count });
      return { ...snapshot, subscription: handle };
    } else if (facts.tells === "entry" && open !== undefined) {
      open.leafId = open.tipId = (result as { id: string }).id;
    } else if (facts.tells === "leaf" && open !== undefined) {
      open.leafId = (result as { leafId: string | null }).leafId;
    }
    return result;
  }

  /** Return an error with the handle of the user. */
  refused(params: Json | undefined, error: unknown): unknown {
    if (error instanceof SessiondError && error.is("UnknownSession") && params !== undefined) {
      const data = { kind: error.kind, retryable: error.retryable, session: params["session"] };
      return new SessiondError(error.method, error.code, error.message, data);
    }
    return error;
  }

  /** Return a notification with the handle of the user; undefined if no handle matches. */
  notified(params: Json): Json | undefined {
    const kept =
      "session" in params
        ? find(this.#sessions, params["session"])
        : "subscription" in params
          ? find(this.#subscriptions, params["subscription"])
          : undefined;
    if (kept === undefined) {
      return "session" in params || "subscription" in params ? undefined : params;
    }
    const renamed: Json = { ...params };
    renamed["session" in params ? "session" : "subscription"] = kept.handle;
    if (typeof params["sequence"] === "number") {
      kept.count.last = params["sequence"] + kept.count.offset;
      renamed["sequence"] = kept.count.last;
    }
    if ("leafId" in kept) {
      if ("leafId" in params) kept.leafId = params["leafId"] as string | null;
      if ("tipId" in params) kept.tipId = params["tipId"] as string | null;
    }
    return renamed;
  }

  /** Open all sessions and subscriptions again in a new daemon. Throws ConnectionLost. */
  async restore(connection: Connection): Promise<Restored> {
    const sessions = [...this.#sessions.values()];
    this.#restarts += 1;
    // The new daemon may give an old handle to another session, so forget all old ones first.
    for (const open of sessions) open.current = undefined;
    const states = await Promise.all(sessions.map((open) => reopened(connection, open)));
    const subscriptions = new Map<string, unknown>();
    const ended = new Map<string, SessiondError>();
    for (const each of [...this.#subscriptions.values()]) {
      try {
        subscriptions.set(each.handle, await resubscribed(connection, each));
      } catch (error) {
        if (!(error instanceof SessiondError)) throw error;
        ended.set(each.handle, error);
        this.#subscriptions.delete(each.handle);
      }
    }
    const gone = sessions.filter((open) => open.current === undefined);
    return {
      sessions: states.filter((state) => state !== undefined),
      lost: new Map(gone.map((open) => [open.handle, lost(open)])),
      subscriptions,
      ended,
    };
  }

  #add(current: string): OpenSession {
    const handle = this.#named(current);
    const open: OpenSession = {
      handle,
      current,
      path: null,
      sessionId: "",
      sessionDir: "",
      cwd: "",
      readOnly: false,
      follow: false,
      leafId: null,
      tipId: null,
      count: { last: 0, offset: 0 },
    };
    this.#sessions.set(handle, open);
    return open;
  }

  /** Return the user's handle for one that the current daemon has just given. */
  #named(current: string): string {
    return this.#restarts === 0 ? current : `${current}+${this.#restarts}`;
  }

  /** Return a closed handle as one that the current daemon does not know either. */
  #ended(handle: string): string {
    return this.#restarts === 0 || handle.includes("+") ? handle : `${handle}+0`;
  }
}

async function reopened(
  connection: Connection,
  open: OpenSession,
): Promise<SessionState | undefined> {
  if (open.path === null) return undefined;
  open.place ??= { leafId: open.leafId, followed: open.follow && open.leafId === open.tipId };
  const { leafId: wanted, followed } = open.place;
  try {
    const params: Json = { path: open.path, mustExist: true };
    if (open.sessionDir !== "") params["sessionDir"] = open.sessionDir;
    if (open.cwd !== "") params["cwd"] = open.cwd;
    if (open.readOnly) params["readOnly"] = true;
    if (open.follow) params["follow"] = true;
    const state = (await connection.request("session/open", params)) as SessionState;
    if (state.sessionId !== open.sessionId) {
      await connection.request("session/close", { session: state.session });
      open.lostBy = new Error("its file is another session now");
      return undefined;
    }
    open.current = state.session;
    open.count.offset = open.count.last + 1;
    // Before the next message, which may be a change.
    noteState(open, state);
    if (!followed && state.leafId !== wanted) {
      state.leafId = open.leafId = await moved(connection, state, wanted);
    }
    open.place = undefined;
    return { ...state, session: open.handle };
  } catch (error) {
    if (!(error instanceof SessiondError)) throw error;
    open.current = undefined;
    open.lostBy = error;
    return undefined;
  }
}

/** Restore the leaf. If its entry no longer exists, keep the leaf of the new handle. */
async function moved(
  connection: Connection,
  { session, leafId }: SessionState,
  wanted: string | null,
): Promise<string | null> {
  try {
    if (wanted === null) await connection.request("session/resetLeaf", { session });
    else await connection.request("session/branch", { session, entryId: wanted });
    return wanted;
  } catch (error) {
    if (error instanceof SessiondError && error.is("EntryNotFound")) return leafId;
    throw error;
  }
}

async function resubscribed(connection: Connection, kept: Subscription): Promise<unknown> {
  const snapshot = (await connection.request(kept.method, { ...kept.params })) as {
    subscription: string;
    sequence?: number;
  };
  kept.current = snapshot.subscription;
  kept.count.offset = kept.count.last + 1 - (snapshot.sequence ?? 0);
  return { ...snapshot, subscription: kept.handle, sequence: kept.count.last + 1 };
}

function noteState(open: OpenSession, state: SessionState): void {
  open.current ??= state.session;
  open.path = state.sessionFile;
  open.sessionId = state.sessionId;
  open.sessionDir = state.sessionDir;
  open.cwd = state.cwd;
  open.readOnly = state.readOnly;
  open.leafId = state.leafId;
  open.tipId = state.tipId;
}

function find<T extends { current: string | undefined }>(
  kept: ReadonlyMap<string, T>,
  current: unknown,
): T | undefined {
  for (const each of kept.values()) if (each.current === current) return each;
  return undefined;
}

function lost(open: OpenSession): ClientError {
  const text =
    open.path === null
      ? "the daemon ended, and this session was only in its memory"
      : `the daemon ended, and the session could not be opened again: ${open.path}`;
  return new ClientError("SessionLost", text, open.lostBy);
}
