import assert from "node:assert/strict";
import { test } from "node:test";

import { callIn, editOf, sidesOf } from "../src/transcript/edits.ts";
import { inScript, inText } from "../src/transcript/page.ts";
import { continues, outlineOf, structureOf } from "../src/transcript/structure.ts";

const DESCRIBED = { header: {}, cwd: "/shop", name: null, leafId: null };

function node(id: string, children: string[], label?: string) {
  const more = label === undefined ? {} : { label };
  return { id, parentId: null, children, type: "message", timestamp: "", preview: "", ...more };
}

const OUTLINE = { roots: ["a"], nodes: [node("a", ["b", "d"]), node("b", ["c"], "start"), node("c", []), node("d", [])] };

test("the structure refers to entries by index", () => {
  const entries = ["a", "b", "c", "d"].map((id) => ({ id }));
  const { roots, children, labels } = structureOf(DESCRIBED, OUTLINE, entries);
  assert.deepEqual(roots, [0]);
  assert.deepEqual(children, [[0, [1, 3]], [1, [2]]]);
  assert.deepEqual(labels, [["b", "start"]]);
});

test("in the end of a file, an entry whose parent is before it is a root", () => {
  const { roots, children } = structureOf(DESCRIBED, OUTLINE, [{ id: "b" }, { id: "c" }, { id: "d" }]);
  assert.deepEqual(roots, [0, 2]);
  assert.deepEqual(children, [[0, [1]]]);
});

test("of entries with the same id the last one is in the tree; entries without id are not", () => {
  const { roots, children } = structureOf(DESCRIBED, OUTLINE, [{ id: "a" }, {}, { id: "b" }, { id: "b" }]);
  assert.deepEqual(roots, [0]);
  assert.deepEqual(children, [[0, [3]]]);
});

test("entries tell their outline themselves; of an id that occurs twice, the first is in it", () => {
  const entries = [{ id: "b", parentId: "a" }, { id: "c", parentId: "b" }, {}, { id: "d", parentId: "b" }, { id: "b", parentId: "d" }];
  const { roots, nodes } = outlineOf(entries);
  assert.deepEqual(roots, ["b"]);
  assert.deepEqual(nodes, [{ id: "b", children: ["c", "d"] }, { id: "c", children: [] }, { id: "d", children: [] }]);
});

test("the tree is read again unless all appended entries are new, plain, and below entries that are there", () => {
  const plain = { id: "b", parentId: "a", type: "message" };
  const known = new Set(["a"]);
  assert.ok(continues(known, [plain, { ...plain, id: "c", parentId: "b" }]));
  assert.deepEqual([...known], ["a", "b", "c"]);
  const others = [{ ...plain, id: "a" }, { ...plain, parentId: "z" }, { ...plain, parentId: null }, { ...plain, type: "label" }, { ...plain, appendMode: "side" }, { ...plain, id: 1 }];
  for (const other of others) assert.equal(continues(new Set(["a"]), [other]), false, JSON.stringify(other));
});

test("data of a session ends neither its element nor its attribute", () => {
  const text = '</script><!--&"\u2028';
  const escaped = inScript(JSON.stringify({ text }));
  assert.doesNotMatch(escaped, /[<>&\u2028]/);
  assert.deepEqual(JSON.parse(escaped), { text });
  assert.equal(inText(`<b a="1" c='&'>`), "&#60;b a=&#34;1&#34; c=&#39;&#38;&#39;&#62;");
});

const call = (given: object) => ({ type: "toolCall", arguments: given });

test("an edit is recognised by its arguments, in the spelling of several agents", () => {
  assert.deepEqual(editOf(call({ path: "a", oldText: "x", newText: "y" })), { path: "a", changes: [["x", "y"]], content: undefined });
  assert.deepEqual(editOf(call({ file_path: "a", old_string: "x" })), { path: "a", changes: [["x", ""]], content: undefined });
  assert.deepEqual(editOf(call({ path: "a", edits: [{ oldText: "1", newText: "2" }, { oldText: "3", newText: "4" }] }))?.changes, [["1", "2"], ["3", "4"]]);
  assert.deepEqual(editOf(call({ path: "a", content: "all" })), { path: "a", changes: [], content: "all" });
  for (const other of [{ path: "a" }, { oldText: "x" }, { path: 1, content: "x" }]) assert.equal(editOf(call(other)), undefined);
  assert.equal(editOf({ type: "toolCall", arguments: "text" }), undefined);
});

test("a tool call is found in its entry", () => {
  const block = { type: "toolCall", id: "c1", name: "edit" };
  const message = { role: "assistant", content: [{ type: "text" }, block] };
  assert.deepEqual(callIn([{ id: "a" }, { id: "b", message }], "b", "c1"), block);
  for (const [entry, call] of [["a", "c1"], ["b", "c2"]] as const) assert.equal(callIn([{ id: "b", message }], entry, call), undefined);
  assert.equal(callIn([{ id: "b", message: { content: "text" } }], "b", "c1"), undefined);
});

test("an edit that is in the file is undone on the left side", () => {
  const edit = { path: "a", changes: [["one", "two"], ["red", "blue"]] as const, content: undefined };
  assert.deepEqual(sidesOf(edit, "two blue."), { before: "one red.", after: undefined, note: "applied" });
});

test("edits of the same place are undone in the reverse order", () => {
  const edit = { path: "a", changes: [["a", "b"], ["b", "c"]] as const, content: undefined };
  assert.deepEqual(sidesOf(edit, "c"), { before: "a", after: undefined, note: "applied" });
});

test("an edit that is not in the file yet is carried out on the right side", () => {
  const edit = { path: "a", changes: [["one", "two"]] as const, content: undefined };
  assert.deepEqual(sidesOf(edit, "one $& red"), { before: "one $& red", after: "two $& red", note: "proposed" });
});

test("otherwise the texts of the call are compared", () => {
  const edit = { path: "a", changes: [["one", "two"]] as const, content: undefined };
  assert.deepEqual(sidesOf(edit, "three"), { before: "one", after: "two", note: "parts" });
  assert.deepEqual(sidesOf(edit, undefined), { before: "one", after: "two", note: "parts" });
});

test("a written file is compared with the file as it is now", () => {
  const edit = { path: "a", changes: [], content: "all" };
  assert.deepEqual(sidesOf(edit, "other"), { before: "all", after: undefined, note: "applied" });
  assert.deepEqual(sidesOf(edit, undefined), { before: "", after: "all", note: "proposed" });
});
