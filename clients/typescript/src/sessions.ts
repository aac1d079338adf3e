// What the user has open, so that all of it is there again after a crash.

import { ClientError, SessiondError } from "./errors.js";
import { ConnectionLost, type Connection } from "./connection.js";
import type { SessionState } from "./generated/types.js";
import type { Json } from "./pending.js";

interface OpenSession {
  state: SessionState;
  readonly follow: boolean;
  leafId: string | null;
  tipId: string | null;
}

interface Subscribed {
  readonly method: string;
  readonly params: Json;
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
  readonly #sessions = new Map<string, OpenSession>();
  readonly #subscriptions = new Map<string, Subscribed>();
  readonly #lost = new Map<string, ClientError>();

  /** Throws `SessionLost` if the params name a session that could not be opened again. */
  check(params: Json | undefined): void {
    const lost = this.#lost.get(String(params?.["session"]));
    if (lost !== undefined) throw lost;
  }

  /** Note what an answer says of sessions and subscriptions. */
  answered(method: string, params: Json, result: unknown): void {
    if (method === "session/close") this.#sessions.delete(String(params["session"]));
    if (method.endsWith("/unsubscribe")) this.#subscriptions.delete(String(params["subscription"]));
    if (typeof result !== "object" || result === null) return;
    if ("sessionId" in result && "leafId" in result) {
      const state = result as SessionState;
      const follow = this.#sessions.get(state.session)?.follow ?? params["follow"] === true;
      const { leafId, tipId } = state;
      this.#sessions.set(state.session, { state, follow, leafId, tipId });
    } else if ("subscription" in result) {
      const handle = String(result.subscription);
      this.#subscriptions.set(handle, { method, params: { ...params, subscription: handle } });
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

  /** Open everything again in a new daemon. Throws ConnectionLost. */
  async restore(connection: Connection): Promise<Restored> {
    const lost = new Map<string, ClientError>();
    const ended = new Map<string, SessiondError>();
    const subscriptions = new Map<string, unknown>();
    const states = [...this.#sessions].map(([handle, open]) =>
      reopened(connection, handle, open).then(
        (state) => {
          // Before the next message, which may be a change.
          this.answered("session/open", {}, state);
          return state;
        },
        (error: unknown) => {
          lost.set(handle, asLost(open, error));
          return undefined;
        },
      ),
    );
    const snapshots = [...this.#subscriptions].map(([handle, { method, params }]) =>
      connection.request(method, params).then(
        (snapshot) => void subscriptions.set(handle, snapshot),
        (error: unknown) => void ended.set(handle, refused(error)),
      ),
    );
    const [all] = await Promise.all([Promise.all(states), ...snapshots]);
    const sessions = all.filter((state) => state !== undefined);
    // Only now: if the daemon ends meanwhile, everything is tried again in the next one.
    for (const [handle, error] of lost) {
      this.#sessions.delete(handle);
      this.#lost.set(handle, error);
    }
    for (const handle of ended.keys()) this.#subscriptions.delete(handle);
    return { sessions, lost, subscriptions, ended };
  }

  #moved(params: Json, to: Json): boolean {
    const open = this.#sessions.get(String(params["session"]));
    if (open === undefined) return false;
    if ("leafId" in to) open.leafId = to["leafId"] as string | null;
    if ("tipId" in to) open.tipId = to["tipId"] as string | null;
    return true;
  }
}

async function reopened(
  connection: Connection,
  session: string,
  { state: before, follow, leafId, tipId }: OpenSession,
): Promise<SessionState> {
  if (before.sessionFile === null) throw new Error("it was only in the memory of the daemon");
  // An empty session need not have a file.
  const filled = tipId !== null;
  const params: Json = { session, path: before.sessionFile, mustExist: filled };
  if (before.sessionDir !== "") params["sessionDir"] = before.sessionDir;
  if (before.cwd !== "") params["cwd"] = before.cwd;
  if (before.readOnly) params["readOnly"] = true;
  if (follow) params["follow"] = true;
  if (!follow || leafId !== tipId) params["leafId"] = leafId;
  const state = (await connection.request("session/open", params)) as SessionState;
  if (!filled || state.sessionId === before.sessionId) return state;
  await connection.request("session/close", { session });
  throw new Error("its file is another session now");
}

/** Return why a session is lost; throws what ends the whole restart. */
function asLost({ state: { sessionFile } }: OpenSession, error: unknown): ClientError {
  if (error instanceof ConnectionLost) throw error;
  const text =
    sessionFile === null
      ? "the daemon ended, and this session was only in its memory"
      : `the daemon ended, and the session could not be opened again: ${sessionFile}`;
  return new ClientError("SessionLost", text, error);
}

function refused(error: unknown): SessiondError {
  if (error instanceof SessiondError) return error;
  throw error;
}
