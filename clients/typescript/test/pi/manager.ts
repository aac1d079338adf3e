// Compiled, never run: code for pi's SessionManager fits this one with an `await` before each call.

import type {
  SessionManager as Pi,
  SessionEntry as PiEntry,
} from "@earendil-works/pi-coding-agent/session-manager";
import { SessionManager } from "sessiond-client";

type Awaiting<T> = {
  [Name in keyof T]: T[Name] extends (...given: infer Given) => infer Result
    ? (...given: Given) => Promise<Awaited<Result>>
    : never;
};

/** Public in its type, but only for pi's own use. */
type Internal = "_persist";

export async function use(manager: SessionManager): Promise<PiEntry[]> {
  const same: Awaiting<Omit<Pi, Internal>> = manager;
  await same.getBranch();
  const entries: PiEntry[] = await manager.getBranch();
  return entries;
}

type Made<T> = {
  [Name in keyof T]: T[Name] extends (...given: infer Given) => infer Result
    ? (...given: Given) => Promise<Awaited<Result> extends Pi ? SessionManager : Awaited<Result>>
    : never;
};

export const statics: Made<Omit<typeof Pi, "prototype">> = SessionManager;

// The comparison would prove nothing if pi's types were not found.
type Message = Extract<PiEntry, { type: "message" }>["message"];
// @ts-expect-error: a type that pi does not have
export const entry: PiEntry["type"] = "nothing";
// @ts-expect-error: the message has no content
export const message: Message = { role: "user", timestamp: 1 };
// @ts-expect-error: one method is missing
export const less: Awaiting<Omit<Pi, Internal>> = {} as Omit<SessionManager, "getBranch">;
// @ts-expect-error: one method returns something else
export const other: Awaiting<Pick<Pi, "getEntryCount">> = {} as Pick<SessionManager, "getEntries">;
