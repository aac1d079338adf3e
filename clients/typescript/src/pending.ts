// Calls that wait for their answers: what is known of one, and what is decided about it alone.

import { randomBytes } from "node:crypto";

import { methodFacts, type MethodFacts } from "./generated/methods.js";
import type { JsonText } from "./json-text.js";

export type Json = Record<string, unknown>;

export interface Call {
  readonly method: string;
  readonly params: Json | undefined;
  /** Sent in place of `params`, which are then its parsed form. */
  readonly text: JsonText | undefined;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** How many times the daemon ended during the call. */
  interruptions: number;
  readonly forget: () => void;
}

const UNKNOWN: MethodFacts = { repeatable: false, appends: false };

export function factsOf(method: string): MethodFacts {
  return (Object.hasOwn(methodFacts, method) ? methodFacts[method] : undefined) ?? UNKNOWN;
}

let count = 0;

/**
 * Copy the params, and add an id for a new entry, so that it is safe to send them again, or a handle
 * for what they open, which it keeps when the daemon is started again.
 */
export function prepared(method: string, params: object | undefined): Json | undefined {
  const { appends, opens } = factsOf(method);
  if (params === undefined && opens === undefined) return undefined;
  const own: Json = { ...params };
  if (appends) own["newEntryId"] ??= randomBytes(8).toString("hex");
  if (opens !== undefined) own[opens] ??= `${opens}-${(count += 1)}`;
  return own;
}

/** Return the params in a text, or no params if it cannot be parsed. */
export function parsed({ text }: JsonText): Json {
  try {
    return { ...(JSON.parse(text) as object) };
  } catch {
    return {};
  }
}
