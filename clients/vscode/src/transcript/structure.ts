// The structure of a session for its page, from the outline that the daemon answers. Without VS Code.

import type { OutlineNode } from "../daemon/daemon.ts";
import type { Structure } from "./messages.ts";

export interface Outline {
  readonly roots: readonly string[];
  readonly nodes: readonly Pick<OutlineNode, "id" | "children" | "label">[];
}

export interface Described {
  readonly header: unknown;
  readonly cwd: string;
  readonly name: string | null;
  readonly leafId: string | null;
}

/**
 * Roots and children as indices of `entries`, which may be the end of the file only: an entry
 * whose parent is not among them is then a root. Of an id that occurs more than once the last
 * entry counts, as in the outline.
 */
export function structureOf(
  { header, cwd, name, leafId }: Described,
  outline: Outline,
  entries: readonly object[],
): Structure {
  const indices = new Map<string, number>();
  entries.forEach((entry, index) => {
    const { id } = entry as { id?: unknown };
    if (typeof id === "string") indices.set(id, index);
  });
  const children: [number, number[]][] = [];
  const below = new Set<number>();
  for (const node of outline.nodes) {
    const parent = indices.get(node.id);
    if (parent === undefined) continue;
    const found = node.children.map((id) => indices.get(id)).filter((index) => index !== undefined);
    for (const index of found) below.add(index);
    if (found.length > 0) children.push([parent, found]);
  }
  const known = outline.nodes.map((node) => indices.get(node.id)).filter((index) => index !== undefined);
  return {
    header,
    cwd,
    name,
    leafId,
    labels: outline.nodes.filter((node) => node.label !== undefined).map((node) => [node.id, node.label as string]),
    roots: known.filter((index) => !below.has(index)).sort((a, b) => a - b),
    children,
  };
}

/** The outline of entries as far as they tell it themselves, without labels. */
export function outlineOf(entries: readonly object[]): Outline {
  const nodes = new Map<string, { id: string; children: string[] }>();
  const roots: string[] = [];
  for (const entry of entries) {
    const { id, parentId } = entry as { id?: unknown; parentId?: unknown };
    if (typeof id !== "string" || nodes.has(id)) continue;
    (nodes.get(parentId as string)?.children ?? roots).push(id);
    nodes.set(id, { id, children: [] });
  }
  return { roots, nodes: [...nodes.values()] };
}

/** Entries of these types are in the tree below their parent, and change no other entry. */
const PLAIN = new Set(["message", "model_change", "thinking_level_change", "usage", "compaction", "branch_summary", "custom", "custom_message", "session_info"]);

/**
 * Whether appended entries only continue the tree, so that it need not be read again: each has a new
 * id and a parent that is there. `known` has the ids before them, and then also theirs.
 */
export function continues(known: Set<string>, entries: readonly object[]): boolean {
  return entries.every((entry) => {
    const { id, parentId, type, appendMode } = entry as Record<string, unknown>;
    if (typeof id !== "string" || known.has(id) || !PLAIN.has(type as string) || appendMode !== undefined) return false;
    known.add(id);
    return typeof parentId === "string" && known.has(parentId);
  });
}
