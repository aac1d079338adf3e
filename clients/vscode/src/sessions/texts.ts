// What the list says about a session. Pure functions, without VS Code.

import type { SessionInfo } from "../daemon/daemon.ts";

const LONGEST = 120;
const NONE = "(no messages)";

/** The name of a session, else the beginning of its first message. */
export function titleOf(info: Pick<SessionInfo, "name" | "firstMessage">): string {
  const text = (info.name ?? "").trim() || (info.firstMessage === NONE ? "" : info.firstMessage);
  return onOneLine(text, LONGEST) || "No messages";
}

/** A text on one line, with its direction as its letters have it, and cut if it is longer than `most`. */
export function onOneLine(text: string, most = Infinity): string {
  const line = directed(text).replace(/[\s\p{Cc}]+/gu, " ").trim();
  return line.length > most ? `${line.slice(0, most - 1).replace(/\p{Surrogate}$/u, "")}…` : line;
}

/** A text without the characters that change the direction of what is around it, such as the rest of a row. */
export const directed = (text: string) => text.replace(/[\u202a-\u202e\u2066-\u2069]/g, "\ufffd");

/** The marks of a session as words, tags with a `#`. */
export function marksOf({ marks }: Pick<SessionInfo, "marks">): string {
  if (marks === undefined) return "";
  const words = [marks.pinned ? "pinned" : "", marks.hidden ? "hidden" : "", ...marks.tags.map((tag) => `#${tag}`)];
  return onOneLine(words.join(" "));
}

const UNITS: readonly (readonly [number, string, string])[] = [
  [365 * 86_400, "y", "year"],
  [30 * 86_400, "mo", "month"],
  [7 * 86_400, "w", "week"],
  [86_400, "d", "day"],
  [3_600, "h", "hour"],
  [60, "min", "minute"],
];

/** The time since then: `now`, `5 min`, `3 h`, `2 d`. Empty for a text that is no time. */
export function ageOf(time: string, now: number): string {
  const [amount, unit] = ageIn(time, now);
  if (unit === undefined) return amount < 0 ? "" : "now";
  return `${amount} ${unit[1]}`;
}

/** The same in words, for screen readers. */
export function spokenAge(time: string, now: number): string {
  const [amount, unit] = ageIn(time, now);
  if (unit === undefined) return amount < 0 ? "" : "just now";
  return `${counted(amount, unit[2])} ago`;
}

function ageIn(time: string, now: number): [number, (typeof UNITS)[number] | undefined] {
  const then = Date.parse(time);
  if (Number.isNaN(then)) return [-1, undefined];
  const seconds = Math.max(0, (now - then) / 1000);
  const unit = UNITS.find(([length]) => seconds >= length);
  return [unit === undefined ? 0 : Math.floor(seconds / unit[0]), unit];
}

export function money(dollars: number): string {
  return `$${dollars.toFixed(dollars < 0.1 ? 4 : 2)}`;
}

export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

export interface Facts {
  readonly now: number;
  readonly cost: number | undefined;
  /** Whether a program writes to the session now. */
  readonly writing: boolean;
}

/** The text beside the title: age, messages, cost, and a mark. */
export function descriptionOf(info: SessionInfo, { now, cost, writing }: Facts): string {
  return [
    writing ? "writing" : info.inUse === undefined ? "" : "in use",
    marksOf(info),
    ageOf(info.modified, now),
    String(info.messageCount),
    cost ? money(cost) : "",
    info.agent ?? "",
  ]
    .filter((part) => part !== "")
    .join(" · ");
}

/** What a screen reader says. */
export function spokenLabel(info: SessionInfo, { now, cost, writing }: Facts): string {
  return [
    titleOf(info),
    marksOf(info),
    spokenAge(info.modified, now),
    counted(info.messageCount, "message"),
    cost ? `cost ${money(cost)}` : "",
    info.agent === undefined ? "" : `of ${info.agent}`,
    writing ? "a program is writing to it" : info.inUse === undefined ? "" : "open for writing in another program",
  ]
    .filter((part) => part !== "")
    .join(", ");
}
