// Tells VS Code on which entry a context menu was opened: with the mouse or the keys, on a message
// or on a row of the tree.

/** The element that carries the context of the last menu. */
let carrier: HTMLElement | undefined;

/** The id of an entry; undefined if it has none that is text. */
export function idAt(index: number): string | undefined {
  const id = entries[index]?.id;
  return typeof id === "string" ? id : undefined;
}

// VS Code reads the attribute when the event has reached the window.
document.addEventListener(
  "contextmenu",
  ({ target }) => {
    if (carrier !== undefined) delete carrier.dataset["vscodeContext"];
    carrier = undefined;
    if (!(target instanceof Element) || target.closest("input, select, dialog") !== null) return;
    const entryId = idAt(indexOf(target));
    carrier = target instanceof HTMLElement ? target : document.body;
    const section = entryId === undefined ? {} : { webviewSection: "entry", entryId };
    carrier.dataset["vscodeContext"] = JSON.stringify({ session: session.path, ...section });
  },
  { capture: true },
);

/** The entry of a row or of a message; with the keys that of the active row, or the one in view. */
function indexOf(target: Element): number {
  const row = target.closest<HTMLElement>(".row");
  if (row !== null) return Number(row.dataset["index"]);
  if (target.closest("#tree") !== null) return outline.shown[outline.active] ?? -1;
  return indexAround(target) ?? outline.here;
}
