// The kind and the texts of an entry. All functions take its view, which says what a person sees of
// it (`ViewItem` of the protocol); nothing here depends on the other entries of the session.

const KINDS = new Map([
  ["user", "user"],
  ["assistant", "assistant"],
  ["toolResult", "tool"],
  ["bashExecution", "tool"],
]);

const blocksOf = (view) => view.blocks ?? [];

/** The kind of an entry, which sets its colour. */
function kindOf(view) {
  if (view.isSetting) return "set";
  const failed = blocksOf(view).some(({ kind, failed }) => kind === "error" || (kind === "result" && failed));
  return failed ? "error" : (KINDS.get(view.role) ?? "note");
}

const isSetting = (view) => view.isSetting === true;

const isCall = (block) => block.kind === "call";

/** Whether a message of the assistant only calls tools. */
const isToolsOnly = (view) =>
  view.role === "assistant" &&
  blocksOf(view).some(isCall) &&
  !blocksOf(view).some(({ kind }) => kind === "text" || kind === "error");

/** Whether an entry only calls tools or has a tool's result. */
const isTool = (view) => ["toolResult", "bashExecution"].includes(view.role) || isToolsOnly(view);

const SAID = new Set(["text", "image", "error"]);

/** Whether the user or the agent says something in an entry. */
const isSaid = (view) => ["user", "assistant"].includes(view.role) && blocksOf(view).some(({ kind }) => SAID.has(kind));

/** The text of an entry as it was written, to be copied. */
function sourceOf(view) {
  return blocksOf(view)
    .filter(({ kind }) => ["text", "summary", "result", "command"].includes(kind))
    .map(({ kind, title, text }) => (kind === "command" ? `$ ${str(title)}\n${str(text)}` : str(text)))
    .join("\n\n");
}

/** Like shorten(), without Markdown characters. */
const spoken = (text) =>
  shorten(text.slice(0, 400).replace(/^ *(?:#{1,6}|[-*+>]) +/gm, "").replace(/\*\*|`+/g, ""));

/** A one-line preview of an entry. */
function preview(view) {
  const found = blocksOf(view);
  const said = found.find(({ kind }) => ["text", "summary"].includes(kind));
  if (said) return spoken(str(said.text));
  const calls = found.filter(isCall);
  if (calls.length) return calls.map((call) => shorten(`${str(call.tool)} ${str(call.text)}`)).join(", ").slice(0, 160);
  const [first] = found;
  if (first === undefined) return "";
  if (first.kind === "command") return shorten(`$ ${str(first.title)}`);
  if (first.kind === "image" || found[1]?.kind === "image" && !str(first.text)) return "[image]";
  return shorten(str(first.text) || str(first.title));
}

/** All texts of an entry that are shown, for the search. */
function textsOf(view) {
  const texts = [view.title, view.model, ...(view.notes ?? [])];
  for (const block of blocksOf(view)) {
    texts.push(block.title, block.tool, block.text);
    for (const { name, text } of block.arguments ?? []) texts.push(name, text);
  }
  return texts.map(str);
}
