// What a tool call did to a file, as far as its arguments tell. Without VS Code.

export interface FileEdit {
  readonly path: string;
  /** Pairs of old and new text; for a call that writes a whole file there is none. */
  readonly changes: readonly (readonly [before: string, after: string])[];
  /** The whole content that the call wrote; undefined if it changed parts. */
  readonly content: string | undefined;
}

/** Names of arguments in the tools of pi and of other agents. */
const PATHS = ["path", "file_path", "filePath", "file"];
const OLD = ["oldText", "old_string", "old_str"];
const NEW = ["newText", "new_string", "new_str"];
const CONTENT = ["content", "contents", "file_text"];

/** The edit that a `toolCall` block made, or undefined if it is no edit. */
export function editOf(call: object): FileEdit | undefined {
  const given = record((call as { arguments?: unknown }).arguments);
  const path = first(given, PATHS);
  if (path === undefined) return undefined;
  const edits = Array.isArray(given["edits"]) ? given["edits"].map(record) : [given];
  const changes = edits.flatMap((edit): [string, string][] => {
    const before = first(edit, OLD);
    return before === undefined ? [] : [[before, first(edit, NEW) ?? ""]];
  });
  const content = first(given, CONTENT);
  if (changes.length === 0 && content === undefined) return undefined;
  return { path, changes, content: changes.length === 0 ? content : undefined };
}

/** The `toolCall` block with an id in the last entry with an id, or undefined. */
export function callIn(entries: readonly object[], entryId: string, callId: string): object | undefined {
  const found = entries.findLast((each) => (each as { id?: unknown }).id === entryId);
  const { content } = record(record(found)["message"]);
  const blocks = Array.isArray(content) ? content.map(record) : [];
  return blocks.find((block) => block["type"] === "toolCall" && block["id"] === callId);
}

export interface Sides {
  readonly before: string;
  /** undefined: the file as it is now. */
  readonly after: string | undefined;
  readonly note: "applied" | "proposed" | "parts";
}

/**
 * The two sides of a comparison. If the file still has the new text, the edit is undone on the
 * left side; if it has the old text, the edit is carried out on the right side; otherwise only the
 * texts of the call are compared. `present` is the content of the file; undefined: it is missing.
 */
export function sidesOf({ changes, content }: FileEdit, present: string | undefined): Sides {
  if (content !== undefined) {
    return present === undefined ? { before: "", after: content, note: "proposed" } : { before: content, after: undefined, note: "applied" };
  }
  const undone = present === undefined ? undefined : replaced(present, changes.map(([old, made]) => [made, old]).reverse() as [string, string][]);
  if (undone !== undefined) return { before: undone, after: undefined, note: "applied" };
  const done = present === undefined ? undefined : replaced(present, changes);
  if (done !== undefined) return { before: present as string, after: done, note: "proposed" };
  const join = (side: 0 | 1) => changes.map((change) => change[side]).join("\n\n");
  return { before: join(0), after: join(1), note: "parts" };
}

/** Replace each text once, or return undefined if one of them is missing. */
function replaced(text: string, changes: readonly (readonly [string, string])[]): string | undefined {
  for (const [from, to] of changes) {
    const at = from === "" ? -1 : text.indexOf(from);
    if (at < 0) return undefined;
    text = text.slice(0, at) + to + text.slice(at + from.length);
  }
  return text;
}

function first(given: Record<string, unknown>, names: readonly string[]): string | undefined {
  for (const name of names) if (typeof given[name] === "string") return given[name];
  return undefined;
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
