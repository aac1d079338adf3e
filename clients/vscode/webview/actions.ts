// The buttons of a tool call: open the file that it names, and compare what it changed.

import type { FromPage } from "../src/transcript/messages.ts";

const CONTENTS = ["content", "contents", "file_text"];

export function actionsOf(send: (message: FromPage) => void): (call: Call, entry: Entry) => HTMLElement[] {
  return (call, entry) => {
    const given = obj(call.arguments);
    const path = pathOf(given);
    if (path === "") return [];
    const open = button("act", "Open file", `Open file ${path}`, () => send({ type: "openFile", path, line: lineOf(given) }));
    const { id: entryId } = entry;
    const { id: callId } = call;
    const edits = editOf(given) !== "" || CONTENTS.some((name) => typeof given[name] === "string");
    if (!edits || typeof entryId !== "string" || typeof callId !== "string") return [open];
    return [open, button("act", "Compare", `Compare ${path} before and after this edit`, () => send({ type: "diff", entryId, callId }))];
  };
}

/** The first line that a call reads or changes, as far as its arguments tell. */
function lineOf(given: Record<string, unknown>): number | undefined {
  const range = given["view_range"];
  const values = [given["offset"], given["line"], given["start_line"], Array.isArray(range) ? range[0] : undefined];
  return values.find((value): value is number => typeof value === "number" && value >= 1);
}
