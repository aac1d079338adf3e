// The usage report as text. Without VS Code.

import type { CatalogUsageResult, UsageGrouping } from "../daemon/operations.ts";
import { basename } from "node:path";
import { counted, money, titleOf } from "../sessions/texts.ts";

export const GROUPINGS: readonly { readonly by: UsageGrouping; readonly label: string; readonly head: string }[] = [
  { by: "day", label: "By day", head: "Day" },
  { by: "week", label: "By week", head: "Week" },
  { by: "month", label: "By month", head: "Month" },
  { by: "model", label: "By model", head: "Model" },
  { by: "project", label: "By directory", head: "Directory" },
  { by: "session", label: "By session", head: "Session" },
];

const WIDEST = 60;

/** A table of tokens and cost, with the sum in its last row. */
export function usageText(by: UsageGrouping, { rows, sums: total, sessionCount, timezone, omittedCopies, problems = [] }: CatalogUsageResult): string {
  const { head, label } = GROUPINGS.find((each) => each.by === by) ?? { head: "", label: by };
  const cells = rows.map(({ key, info, sums }) => [shortened(info === undefined ? key || "unknown" : titleOf(info)), ...figures(sums)]);
  const table = aligned([[head, "Input", "Output", "Cache read", "Cache write", "Cost"], ...cells, ["Total", ...figures(total)]]);
  const notes = [
    `${counted(sessionCount, "session")}. Cost in US dollars, as the agents recorded it. Days in the time zone ${timezone}.`,
    total.withoutCost === 0 ? "" : `${counted(total.withoutCost, "entry").replace("entrys", "entries")} without a recorded cost: the true cost is higher.`,
    omittedCopies === 0 ? "" : `${counted(omittedCopies, "entry").replace("entrys", "entries")} that a fork copied counted once.`,
    ...problems.map(({ path, message }) => `Left out: ${basename(path)}: ${message.replace(/\s+/g, " ")}`),
  ].filter((note) => note !== "");
  return [`Usage ${label.toLowerCase()}`, "", ...table, "", ...notes, ""].join("\n");
}

function figures({ tokens, cost }: CatalogUsageResult["sums"]): string[] {
  const counts = [tokens.input, tokens.output, tokens.cacheRead, tokens.cacheWrite].map((count) => count.toLocaleString("en"));
  return [...counts, cost === undefined ? "–" : money(cost.total)];
}

/** Rows of a table: the first column to the left, figures to the right, a line below the head and above the sum. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  const lines = rows.map((row) => row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join("  ").trimEnd());
  const rule = "─".repeat(widths.reduce((sum, width) => sum + width + 2, -2));
  return [lines[0] ?? "", rule, ...lines.slice(1, -1), rule, lines.at(-1) ?? ""];
}

const shortened = (text: string) => (text.length > WIDEST ? `${text.slice(0, WIDEST - 1).replace(/\p{Surrogate}$/u, "")}…` : text);
