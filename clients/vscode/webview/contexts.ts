// Tells VS Code on which entry a context menu was opened: with the mouse or the keys, on a message
// or on a row of the tree.

import type { Place } from "../src/transcript/messages.ts";
import { current } from "./following.ts";

/** The element that carries the context of the last menu. */
let carrier: HTMLElement | undefined;

/** What commands need to know of an entry; undefined if there is none. */
export function placeAt(index: number): Place | undefined {
  const entryId = views[index]?.entryId;
  return entryId === undefined ? undefined : { entryId, endId: views[endOfCalls(index)]?.entryId ?? entryId };
}

/** The answer with the call of a result; undefined if the entry is none. */
const callerOf = (index: number) => blocksOf(views[index] ?? {}).find(({ kind }) => kind === "result")?.callEntryId;

/** The last result of the calls of which an entry has one or all: they are one card, and no agent continues between them. */
function endOfCalls(index: number): number {
  const caller = callerOf(index) ?? views[index]?.entryId;
  for (let end = index; ; ) {
    const found = (children.get(end) ?? []).filter((child) => callerOf(child) === caller);
    const next = found.find((child) => outline.onBranch[child]) ?? found[0];
    if (next === undefined) return end;
    end = next;
  }
}

// VS Code reads the attribute when the event has reached the window.
document.addEventListener(
  "contextmenu",
  ({ target }) => {
    if (carrier !== undefined) delete carrier.dataset["vscodeContext"];
    carrier = undefined;
    if (!(target instanceof Element) || target.closest("input, select, dialog") !== null) return;
    const place = placeAt(indexOf(target));
    carrier = target instanceof HTMLElement ? target : document.body;
    const section = place === undefined ? {} : { webviewSection: "entry", ...place };
    carrier.dataset["vscodeContext"] = JSON.stringify({ session: session.path, ...section });
  },
  { capture: true },
);

/** The entry of a row or of a message; with the keys that of the active row, or the one in view. */
function indexOf(target: Element): number {
  const row = target.closest<HTMLElement>(".row");
  if (row !== null) return Number(row.dataset["index"]);
  if (target.closest("#tree") !== null) return outline.shown[outline.active] ?? -1;
  return indexAround(target) ?? current();
}
