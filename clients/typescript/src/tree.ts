import type { Entry, TreeNode, TreeResult } from "./generated/types.js";

/** An entry with its descendants, as pi's `getTree` returns it. */
export interface SessionTreeNode {
  readonly id: string;
  readonly entry: Entry;
  children: SessionTreeNode[];
  readonly label?: string | undefined;
  readonly labelTimestamp?: string | undefined;
}

/**
 * Nest the flat tree that `sessionGetTree` answers (with `detail` absent or `full`).
 * Sessions can be very deep: walk the result with a stack of your own, not by recursion.
 */
export function nested(tree: TreeResult): SessionTreeNode[] {
  const built = new Map<string, SessionTreeNode>();
  for (const node of tree.nodes as TreeNode[]) {
    built.set(node.id, { ...node, children: [] });
  }
  const nodesOf = (ids: readonly string[]) => ids.flatMap((id) => built.get(id) ?? []);
  for (const { id, children } of tree.nodes) {
    const node = built.get(id);
    if (node !== undefined) node.children = nodesOf(children);
  }
  return nodesOf(tree.roots);
}
