import assert from "node:assert/strict";
import { test } from "node:test";

import { fileNameOf } from "../src/commands/names.ts";
import { planText, samePlan } from "../src/commands/plans.ts";
import { usageText } from "../src/commands/tables.ts";
import { info } from "./support.ts";

const TORN = { line: 3, kind: "tornTail", message: "The last line\nis incomplete" };
const ORPHAN = { line: 2, kind: "orphan", message: "The parent is missing" };
const PLAN = { problems: [ORPHAN, TORN], actions: [{ line: 3, kind: "tornTail", message: "Move the line to the backup" }] };

test("a plan names what a repair does, and what it leaves", () => {
  assert.equal(
    planText("Parser", "/a.jsonl", PLAN),
    `Check of “Parser”
/a.jsonl

A repair would do the following. The present file is kept beside it as a backup.

  line 3      Move the line to the backup (tornTail)

2 problems found:

  line 2      The parent is missing (orphan)
  line 3      The last line is incomplete (tornTail)

1 problem without an action: the lines stay in the file, and readers skip them.
`,
  );
  assert.match(planText("Parser", "/a.jsonl", { problems: [ORPHAN], actions: [] }), /A repair would change nothing\./);
});

test("two plans are the same if they do the same", () => {
  assert.ok(samePlan(PLAN, { ...PLAN }));
  assert.ok(!samePlan(PLAN, { ...PLAN, actions: [] }));
});

const sums = (input: number, total: number) => ({
  entries: 1,
  withoutCost: 0,
  tokens: { input, output: 20, cacheRead: 0, cacheWrite: 0, total: input + 20 },
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total },
});

test("the usage is a table with the sum below", () => {
  const rows = [{ key: "2026-03-01", sums: sums(1500, 0.5), models: [] }, { key: "", sums: sums(1, 0), models: [] }];
  const result = { rows, sums: { ...sums(1501, 0.5), withoutCost: 2 }, sessionCount: 1, omittedCopies: 3, currency: "USD" as const, timezone: "CET" };
  assert.deepEqual(usageText("day", result).split("\n"), [
    "Usage by day",
    "",
    "Day         Input  Output  Cache read  Cache write     Cost",
    "───────────────────────────────────────────────────────────",
    "2026-03-01  1,500      20           0            0    $0.50",
    "unknown         1      20           0            0  $0.0000",
    "───────────────────────────────────────────────────────────",
    "Total       1,501      20           0            0    $0.50",
    "",
    "1 session. Cost in US dollars, as the agents recorded it. Days in the time zone CET.",
    "2 entries without a recorded cost: the true cost is higher.",
    "3 entries that a fork copied counted once.",
    "",
  ]);
});

test("sessions in the usage have their titles, in one line", () => {
  const rows = [{ key: "/a.jsonl", info: info("/a.jsonl", { name: "Fix\nthe parser" }), sums: sums(1, 1), models: [] }];
  const result = { rows, sums: sums(1, 1), sessionCount: 1, omittedCopies: 0, currency: "USD" as const, timezone: "CET" };
  assert.match(usageText("session", result), /^Fix the parser +1 /m);
});

test("a title becomes the name of a file", () => {
  assert.equal(fileNameOf("Fix: a/b \\ c?"), "Fix a b c");
  assert.equal(fileNameOf("../../etc/passwd"), "etc passwd");
  assert.equal(fileNameOf("\u202e..."), "session");
  assert.equal(fileNameOf("x".repeat(200)).length, 80);
});
