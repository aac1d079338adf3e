// The plan of a repair as text. Without VS Code.

import type { RepairResult } from "../daemon/operations.ts";
import { counted } from "../sessions/texts.ts";

/** What a repair would do, for people to read before they agree. */
export function planText(title: string, path: string, plan: RepairResult): string {
  const { actions, problems } = plan;
  const lines = [`Check of “${title}”`, path, ""];
  if (actions.length === 0) lines.push("A repair would change nothing.");
  else {
    lines.push(`A repair would do the following. The present file is kept beside it as a backup.`, "");
    lines.push(...actions.map(({ line, kind, message }) => `  ${placeOf(line)}  ${oneLine(message)} (${kind})`));
  }
  lines.push("", `${counted(problems.length, "problem")} found${problems.length === 0 ? "." : ":"}`);
  if (problems.length > 0) lines.push("", ...problems.map(({ line, kind, message }) => `  ${placeOf(line)}  ${oneLine(message)} (${kind})`));
  const remaining = problems.filter(({ line, kind }) => !actions.some((each) => each.kind === kind && (each.line ?? 0) === line));
  if (actions.length > 0 && remaining.length > 0) {
    lines.push("", `${counted(remaining.length, "problem")} without an action: the lines stay in the file, and readers skip them.`);
  }
  return `${lines.join("\n")}\n`;
}

/** Whether two plans do the same. */
export function samePlan(one: RepairResult, other: RepairResult): boolean {
  return JSON.stringify([one.actions, one.problems]) === JSON.stringify([other.actions, other.problems]);
}

const placeOf = (line: number | undefined) => (line ? `line ${line}` : "file").padEnd(10);

const oneLine = (text: string) => text.replace(/[\s\p{Cc}]+/gu, " ").trim();
