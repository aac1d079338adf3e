import assert from "node:assert/strict";
import { test } from "node:test";

import { ageOf, descriptionOf, spokenLabel, titleOf } from "../src/sessions/texts.ts";
import { info } from "./support.ts";

const NOW = Date.parse("2026-03-10T12:00:00.000Z");

test("names cannot change the direction of the rest of their row", () => {
  const override = "\u202eexe\u202c \u2066x\u2069";
  assert.equal(titleOf(info("a", { name: override })), "\ufffdexe\ufffd \ufffdx\ufffd");
  assert.equal(titleOf(info("a", { firstMessage: "שלום עולם" })), "שלום עולם");
});

test("the title is the name, else the first message on one line, else a remark", () => {
  assert.equal(titleOf(info("a", { name: " Parser " })), "Parser");
  assert.equal(titleOf(info("a", { firstMessage: "Fix\n\tthe \u001b[1mparser" })), "Fix the [1mparser");
  assert.equal(titleOf(info("a", { firstMessage: "(no messages)" })), "No messages");
});

test("a long title ends with an ellipsis and never with half a character", () => {
  const title = titleOf(info("a", { firstMessage: `${"x".repeat(118)}😀${"y".repeat(100)}` }));
  assert.equal(title, `${"x".repeat(118)}…`);
});

test("ages are in the largest whole unit", () => {
  const cases: [string, string][] = [
    ["2026-03-10T11:59:30.000Z", "now"],
    ["2026-03-10T11:58:59.000Z", "1 min"],
    ["2026-03-10T09:00:00.000Z", "3 h"],
    ["2026-03-08T11:00:00.000Z", "2 d"],
    ["2026-02-20T12:00:00.000Z", "2 w"],
    ["2025-12-01T12:00:00.000Z", "3 mo"],
    ["2023-03-01T12:00:00.000Z", "3 y"],
    ["2026-03-11T12:00:00.000Z", "now"],
    ["yesterday", ""],
  ];
  for (const [time, age] of cases) assert.equal(ageOf(time, NOW), age, time);
});

test("the description and the label for screen readers tell age, messages, cost and use", () => {
  const session = info("a", { name: "Parser", modified: "2026-03-10T09:00:00.000Z", messageCount: 12, inUse: { pids: [7] } });
  assert.equal(descriptionOf(session, { now: NOW, cost: 0.25, writing: false }), "in use · 3 h · 12 · $0.25");
  assert.equal(descriptionOf(session, { now: NOW, cost: undefined, writing: true }), "writing · 3 h · 12");
  const marked = { ...session, marks: { pinned: true, hidden: false, tags: ["bug"] } };
  assert.equal(descriptionOf(marked, { now: NOW, cost: undefined, writing: true }), "writing · pinned #bug · 3 h · 12");
  const other = { ...session, agent: "codex" };
  assert.equal(descriptionOf(other, { now: NOW, cost: undefined, writing: true }), "writing · 3 h · 12 · codex");
  assert.equal(
    spokenLabel(session, { now: NOW, cost: 0.0125, writing: false }),
    "Parser, 3 hours ago, 12 messages, cost $0.0125, open for writing in another program",
  );
  assert.equal(spokenLabel(info("a", { name: "P", messageCount: 1 }), { now: NOW, cost: 0, writing: true }), "P, 2 months ago, 1 message, a program is writing to it");
});
