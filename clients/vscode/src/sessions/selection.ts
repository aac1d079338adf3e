// The row that the user selected.

import type { Row } from "./rows.ts";

/** Milliseconds for which a selected row may be unknown, and between two looks at it. */
const [LIMIT, STEP] = [5_000, 20];

/**
 * The selected row; undefined: none. VS Code has no rows while it reads them again: then this waits,
 * so that a click in that moment is not lost.
 */
export async function selectedRow(tree: { readonly selection: readonly Row[] }): Promise<Row | undefined> {
  for (const end = Date.now() + LIMIT; tree.selection.length === 0 && Date.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, STEP));
  }
  return tree.selection[0];
}
