// What the user has open, so that all of it is there again after a crash.

import { ClientError, SessiondError } from "./errors.js";
import { ConnectionLost, type Connection } from "./connection.js";
import { Feed, type SessionChange, type SubscriptionChange } from "./feeds.js";
import type { SessionState } from "./generated/types.js";
import type { Json } from "./pending.js";

type Change = SessionChange | SubscriptionChange<unknown, object>;

/** A session, which has a state, or a subscription. */
interface Handle {
  readonly name: string;
  /** What opened it. */
  readonly method: string;
  readonly params: Json;
  /** The state as far as it is known. */
  state?: SessionState;
  /** Missing as long as nobody has asked for changes. */
  feed?: Feed<Change>;
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

/** The open sessions and subscriptions, by their handles, which no restart changes. */
export class Open {
  readonly #sessions = new Map<string, Handle>();
  readonly #subscriptions = new Map<string, Handle>();
  readonly #lost = new Map<string, ClientError>();

  /** Throws `SessionLost` if the params name a session that could not be opened again. */
  check(params: Json | undefined): void {
    const lost = this.#lost.get(String(params?.["session"]));
    if (lost !== undefined) throw lost;
  }

  /** Return the changes of an open session; those of a closed one have ended. */
  session(name: string): Feed<SessionChange> {
    return feedOf(this.#sessions.get(name)) as Feed<SessionChange>;
  }

  /** Return what reads the state of an open session as far as it is known, also after its end. */
  known(name: string): () => SessionState | undefined {
    const handle = this.#sessions.get(name);
    return () => handle?.state;
  }

  /** The caller names the types of the method that made the subscription. */
  subscription<Snapshot, Notified>(name: string): Feed<SubscriptionChange<Snapshot, Notified>> {
    const feed: unknown = feedOf(this.#subscriptions.get(name));
    return feed as Feed<SubscriptionChange<Snapshot, Notified>>;
  }

  /** Note what an answer says of sessions and subscriptions. */
  answered(method: string, params: Json, result: unknown): void {
    if (method === "session/close") close(this.#sessions, String(params["session"]));
    if (method.endsWith("/unsubscribe")) close(this.#subscriptions, String(params["subscription"]));
    if (typeof result !== "object" || result === null) return;
    if ("sessionId" in result && "leafId" in result) {
      const state = result as SessionState;
      const handle = this.#sessions.get(state.session) ?? { name: state.session, method, params };
      this.#sessions.set(handle.name, Object.assign(handle, { state }));
    } else if ("subscription" in result) {
      const name = String(result.subscription);
      this.#subscriptions.set(name, { name, method, params: { ...params, subscription: name } });
    } else if ("leafId" in result) {
      const { id, leafId, existed } = result as { id?: string; leafId: string; existed?: true };
      this.#moved(params, { leafId, ...(id !== undefined && !existed ? { tipId: id } : {}) });
    }
  }

  /** Note what a notification says; returns whether it is about something open. */
  notified(params: Json): boolean {
    if ("subscription" in params) return this.#subscriptions.has(String(params["subscription"]));
    return !("session" in params) || this.#moved(params, params);
  }

  /** Pass a notification on to those who ask for the changes of its session or subscription. */
  pass(notification: string, params: Json): void {
    if (notification === "session/didChange") {
      const change = params as unknown as SessionChange;
      this.#sessions.get(String(params["session"]))?.feed?.fire(change);
    } else if (notification.endsWith("/didChange")) {
      const change = { ...params, kind: "changed" } as const;
      this.#subscriptions.get(String(params["subscription"]))?.feed?.fire(change);
    }
  }

  /** Open everything again in a new daemon. Throws ConnectionLost. */
  async restore(connection: Connection): Promise<Restored> {
    const lost = new Map<string, ClientError>();
    const subscriptions = new Map<string, unknown>();
    const ended = new Map<string, SessiondError>();
    const reopening = [...this.#sessions.values()].map(async (handle) => {
      try {
        // Before the next message, which may be a change.
        return [(handle.state = await reopened(connection, handle))];
      } catch (error) {
        lost.set(handle.name, asLost(handle, error));
        return [];
      }
    });
    const subscribing = [...this.#subscriptions.values()].map(async ({ name, method, params }) => {
      try {
        subscriptions.set(name, await connection.request(method, params));
      } catch (error) {
        ended.set(name, refused(error));
      }
    });
    const [states] = await Promise.all([Promise.all(reopening), ...subscribing]);
    // Only now: if the daemon ends meanwhile, everything is tried again in the next one.
    for (const [name, error] of lost) this.#lost.set(name, error);
    return { sessions: states.flat(), lost, subscriptions, ended };
  }

  /** Tell sessions and subscriptions what became of them. */
  restored({ sessions, lost, subscriptions, ended }: Restored): void {
    for (const state of sessions) {
      this.#sessions.get(state.session)?.feed?.fire({ kind: "reconnected", state });
    }
    for (const [name, snapshot] of subscriptions) {
      this.#subscriptions.get(name)?.feed?.fire({ kind: "reconnected", snapshot });
    }
    for (const [name, error] of lost) close(this.#sessions, name, error);
    for (const [name, error] of ended) close(this.#subscriptions, name, error);
  }

  /** End everything: after `lost`, if there is an error. */
  end(error?: ClientError): void {
    for (const handles of [this.#sessions, this.#subscriptions]) {
      for (const name of handles.keys()) close(handles, name, error);
    }
  }

  #moved(params: Json, to: Json): boolean {
    const open = this.#sessions.get(String(params["session"]));
    if (open?.state === undefined) return false;
    const { leafId, tipId } = { ...open.state, ...to };
    // A copy: what the daemon answered belongs to the user.
    open.state = { ...open.state, leafId, tipId };
    return true;
  }
}

function feedOf(handle: Handle | undefined): Feed<Change> {
  if (handle !== undefined) return (handle.feed ??= new Feed());
  const closed = new Feed<Change>();
  closed.end();
  return closed;
}

/** End the changes of what is closed: after `lost`, if there is an error. */
function close(handles: Map<string, Handle>, name: string, error?: Error): void {
  const feed = handles.get(name)?.feed;
  if (error !== undefined) feed?.fire({ kind: "lost", error });
  feed?.end();
  handles.delete(name);
}

async function reopened(connection: Connection, handle: Handle): Promise<SessionState> {
  const { name: session, params: { follow }, state: before } = handle;
  if (!before?.sessionFile) throw new Error("it was only in the memory of the daemon");
  const { sessionFile: path, sessionDir, cwd, readOnly, leafId, tipId } = before;
  // An empty session need not have a file.
  const mustExist = tipId !== null;
  const params: Json = { session, path, mustExist, readOnly, follow: follow === true };
  if (sessionDir !== "") params["sessionDir"] = sessionDir;
  if (cwd !== "") params["cwd"] = cwd;
  if (follow !== true || leafId !== tipId) params["leafId"] = leafId;
  const state = (await connection.request("session/open", params)) as SessionState;
  if (!mustExist || state.sessionId === before.sessionId) return state;
  await connection.request("session/close", { session });
  throw new Error("its file is another session now");
}

/** Return why a session is lost; throws what ends the whole restart. */
function asLost({ state }: Handle, error: unknown): ClientError {
  if (error instanceof ConnectionLost) throw error;
  const text =
    state?.sessionFile == null
      ? "the daemon ended, and this session was only in its memory"
      : `the daemon ended, and the session could not be opened again: ${state.sessionFile}`;
  return new ClientError("SessionLost", text, error);
}

function refused(error: unknown): SessiondError {
  if (error instanceof SessiondError) return error;
  throw error;
}
