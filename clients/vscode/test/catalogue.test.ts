import assert from "node:assert/strict";
import { test } from "node:test";

import { Catalogue } from "../src/sessions/catalogue.ts";
import { QUIET_AFTER, Writers } from "../src/sessions/writers.ts";
import { info } from "./support.ts";

const day = (number: number) => `2026-01-0${number}T00:00:00.000Z`;
const SESSIONS = [
  info("a", { modified: day(1), cwd: "/shop", messageCount: 9, name: "zebra" }),
  info("b", { modified: day(3), cwd: "/site", messageCount: 5, name: "Äpfel" }),
  info("c", { modified: day(2), cwd: "/shop", messageCount: 1, name: "item 10" }),
  info("d", { modified: day(4), cwd: "/site", messageCount: 7, name: "item 9" }),
];

function catalogue(): Catalogue {
  const made = new Catalogue();
  made.replace(SESSIONS);
  return made;
}

const shape = (groups: ReturnType<Catalogue["groups"]>) => groups.map(({ cwd, sessions }) => [cwd, sessions.map(({ path }) => path).join("")]);

test("the folders of the workspace come first, then directories by their latest session", () => {
  assert.deepEqual(shape(catalogue().groups([])), [["/site", "db"], ["/shop", "ca"]]);
  assert.deepEqual(shape(catalogue().groups(["/shop"])), [["/shop", "ca"], ["/site", "db"]]);
});

test("a folder without sessions is not shown", () => {
  assert.deepEqual(shape(catalogue().groups(["/empty"])), [["/site", "db"], ["/shop", "ca"]]);
});

test("sessions are sorted within their directory", () => {
  const made = catalogue();
  for (const [path, cost] of [["a", 1], ["c", 2], ["b", 3]] as const) made.setCost(path, cost);
  const sorted = (order: Catalogue["order"]) => {
    made.order = order;
    return Object.fromEntries(shape(made.groups(["/shop"])));
  };
  assert.deepEqual(sorted("messages"), { "/shop": "ac", "/site": "db" });
  assert.deepEqual(sorted("title"), { "/shop": "ca", "/site": "bd" });
  assert.deepEqual(sorted("cost"), { "/shop": "ca", "/site": "bd" });
});

test("the filter finds sessions with all words, in any case", () => {
  const made = catalogue();
  made.filter = "ITEM shop";
  assert.deepEqual(shape(made.groups([])), [["/shop", "c"]]);
  made.filter = "id-d";
  assert.deepEqual(shape(made.groups([])), [["/site", "d"]]);
  made.filter = "nothing";
  assert.deepEqual(shape(made.groups([])), []);
});

test("pinned sessions come first in their directory, hidden ones only if the filter names them", () => {
  const made = new Catalogue();
  const marks = { pinned: false, hidden: false, tags: [] };
  made.replace([
    info("a", { modified: day(1), marks: { ...marks, pinned: true, tags: ["Later"] } }),
    info("b", { modified: day(3), marks: { ...marks, hidden: true } }),
    info("c", { modified: day(2) }),
  ]);
  const order = () => made.groups([]).flatMap(({ sessions }) => sessions.map(({ path }) => path)).join("");
  assert.equal(order(), "ac");
  made.order = "created";
  assert.equal(order().length, 2);
  made.filter = "hidden";
  assert.equal(order(), "b");
  made.filter = "#later";
  assert.equal(order(), "a");
});

test("changes add, replace and remove sessions", () => {
  const made = catalogue();
  made.apply([
    { kind: "removed", path: "d" },
    { kind: "changed", path: "a", info: info("a", { modified: day(5) }) },
    { kind: "added", path: "e", info: info("e", { modified: day(6), cwd: "/new" }) },
    { kind: "archived" as never, path: "b" },
  ]);
  assert.deepEqual(shape(made.groups([])), [["/new", "e"], ["/shop", "ac"], ["/site", "b"]]);
});

test("a session is being written to until it was quiet for a time", () => {
  let now = 0;
  const writers = new Writers(() => now);
  writers.wrote("a");
  now = 5000;
  writers.wrote("b");
  assert.equal(writers.settle(), QUIET_AFTER - 5000);
  now = QUIET_AFTER;
  assert.ok(!writers.isWriting("a") && writers.isWriting("b"));
  assert.equal(writers.settle(), 5000);
  now = QUIET_AFTER + 5000;
  assert.equal(writers.settle(), undefined);
  assert.ok(!writers.isWriting("b"));
});
