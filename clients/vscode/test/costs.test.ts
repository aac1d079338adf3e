import assert from "node:assert/strict";
import { test } from "node:test";

import { Catalogue } from "../src/sessions/catalogue.ts";
import { Costs } from "../src/sessions/costs.ts";
import { info } from "./support.ts";

function made(failing = false) {
  const asked: string[] = [];
  const answer = async <T>(question: string, value: T) => {
    asked.push(question);
    if (failing) throw new Error("no daemon");
    return value;
  };
  const daemon = {
    costs: (cwd: string) => answer(`directory ${cwd}`, new Map([["a", 1]])),
    cost: (path: string) => answer(`session ${path}`, 2),
  };
  const catalogue = new Catalogue();
  return { asked, catalogue, costs: new Costs(daemon, catalogue, () => {}) };
}

test("the costs of a directory are read once, when it is shown", async () => {
  const { asked, catalogue, costs } = made();
  costs.changed([info("a")]);
  assert.deepEqual(asked, []);
  costs.show("/shop");
  costs.show("/shop");
  await Promise.resolve();
  assert.deepEqual(asked, ["directory /shop"]);
  costs.changed([info("a"), info("b", { cwd: "/site" })]);
  assert.deepEqual(asked, ["directory /shop", "session a"]);
  await new Promise(setImmediate);
  assert.equal(catalogue.costOf("a"), 2);
});

test("the costs of all sessions are read for the order by cost, and then those of no directory again", () => {
  const { asked, costs } = made();
  costs.show();
  costs.show("/shop");
  assert.deepEqual(asked, ["directory "]);
  costs.changed(Array.from({ length: 11 }, (_, at) => info(`${at}`)));
  assert.deepEqual(asked, ["directory ", "directory /shop"]);
});

test("costs that could not be read are asked for again", async () => {
  const { asked, costs } = made(true);
  costs.show("/shop");
  await new Promise(setImmediate);
  costs.show("/shop");
  assert.equal(asked.length, 2);
});
