import type { Entry, TreeNode, TreeResult } from "./generated/types.js";

/** An entry with everything below it, as pi's `getTree` gives it. */
export interface SessionTreeNode {
  readonly id: string;
  readonly entry: Entry;
  children: SessionTreeNode[];
  readonly label?: string | undefined;
  readonly labelTimestamp?: string | undefined;
}

/**
 * Put together the flat tree that `sessionGetTree` answers (with `detail` absent or `full`).
 * Deep sessions nest deep: walk the result with a list of what is left to do, not by recursion.
 */
export function nested(tree: TreeResult): SessionTreeNode[] {
  const built = new Map<string, SessionTreeNode>();
  for (const node of tree.nodes as TreeNode[]) {
    built.set(node.id, { ...node, children: [] });
  }
  const found = (ids: readonly string[]) => ids.flatMap((id) => built.get(id) ?? []);
  for (const { id, children } of tree.nodes) {
    const node = built.get(id);
    if (node !== undefined) node.children = found(children);
  }
  return found(tree.roots);
}
