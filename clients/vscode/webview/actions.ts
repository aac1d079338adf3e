// The buttons of a tool call: open the file that it names, and compare what it changed.

import type { FromPage } from "../src/transcript/messages.ts";

const CONTENTS = ["content", "contents", "file_text"];
const LINES = ["offset", "line", "start_line"];

export function actionsOf(send: (message: FromPage) => void): (call: Block, edits: boolean, view: View) => HTMLElement[] {
  return (call, edits, { entryId }) => {
    const { path, callId } = call;
    if (!path) return [];
    const given = new Map(call.arguments?.map(({ name, text }) => [name, text]));
    const open = button("act", "Open file", `Open file ${path}`, () => send({ type: "openFile", path, line: lineOf(given) }));
    const changes = edits || CONTENTS.some((name) => given.has(name));
    if (!changes || callId === undefined) return [open];
    return [open, button("act", "Compare", `Compare ${path} before and after this edit`, () => send({ type: "diff", entryId, callId }))];
  };
}

/** The first line that a call reads or changes, as far as its arguments tell. */
function lineOf(given: ReadonlyMap<string, string>): number | undefined {
  const range = /^\[(\d+)/.exec(given.get("view_range") ?? "")?.[1];
  const values = [...LINES.map((name) => given.get(name)), range].map(Number);
  return values.find((value) => Number.isInteger(value) && value >= 1);
}
