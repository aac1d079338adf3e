// An entry's content as nodes. `context` describes the transcript around the entry:
// `{allOpen, resultOf, actionsOf}`; resultOf(call) returns `{body, label, place}` or null, where
// place(nodes) puts the nodes of the result into an element of its own; actionsOf(call) returns
// the buttons that an editor adds to a tool call.

function bodyNodes(entry, context) {
  const nodes = contentNodes(entry, bodyOf(entry), context);
  return nodes.length ? [el("div", "body", ...nodes)] : [];
}

function contentNodes(entry, body, context) {
  switch (roleOf(entry)) {
    case "assistant": {
      const error = str(body.errorMessage);
      return [...blockNodes(body.content, context), ...(error ? [el("p", "error", visible(error))] : [])];
    }
    case "toolResult":
      return [resultNode(body, context)];
    case "bashExecution":
      return commandNodes(body, context);
    case "compaction":
    case "branch_summary":
      return [part(context, "summary", "Summary", shorten(str(entry.summary)), markdown(str(entry.summary)), true)];
    case "system":
      return [part(context, "system", "System message", "", blockNodes(body.content, context))];
    case "custom":
      return entry.data === undefined ? [] : [part(context, "data", "Data", "", json(entry.data))];
    case "context_edit":
      return entry.replacement === null ? [] : [part(context, "data", "Replacement", "", json(entry.replacement))];
  }
  if (body.content !== undefined) return blockNodes(body.content, context);
  return KINDS.has(roleOf(entry)) ? [] : [part(context, "data", "Entry", "", json(entry))];
}

const blockNodes = (content, context) => blocksOf(content).flatMap((block) => nodesOfBlock(block, context));

function nodesOfBlock(block, context) {
  switch (block.type) {
    case "text":
      return markdown(str(block.text));
    case "image":
      return [image(block)];
    case "thinking":
      return str(block.thinking).trim()
        ? [part(context, "thinking", "Thinking", shorten(str(block.thinking)), markdown(str(block.thinking)))]
        : [];
    case "toolCall":
      return [callCard(block, context)];
    default:
      return [part(context, "data", str(block.type) || "Block", "", json(block))];
  }
}

const COMMANDS = new Set(["command", "cmd", "script"]);
const CONTENTS = new Set(["content", "contents", "text", "code", "oldText", "newText", "old_string", "new_string", "old_str", "new_str", "file_text"]);
const READERS = /^(?:read|view|cat|open)(?:_?file)?$/i;

const pathOf = (given) => str(given.path) || str(given.file_path) || str(given.filePath) || str(given.file);

/** A tool call with its result. The changes of a file are shown open. */
function callCard(call, context) {
  const given = obj(call.arguments);
  const language = languageOfPath(pathOf(given));
  const result = context.resultOf(call);
  const body = result?.body ?? {};
  const change = str(obj(body.details).diff).trim() ? obj(body.details).diff : editOf(given);
  const shown = argumentNodes(call.arguments, language);
  const nodes = change ? [...clippedDiff(change, language), part(context, "data", "Arguments", "", shown)] : shown;
  if (result) nodes.push(result.place(outputNodes(body, READERS.test(str(call.name)) ? language : "", context)));
  const made = part(context, "tool", str(call.name) || "tool", glance(call), nodes, Boolean(change));
  const failure = result ? failureOf(body) : "no result";
  const state = [" ", el("span", "state", failure || "✓")];
  if (result?.label) state.push(" ", el("span", "badge", result.label));
  made.firstChild.firstChild.after(...state);
  if (result && failure) made.classList.add("failed");
  const actions = context.actionsOf(call);
  // Beside the card: a summary is a button itself, and a long one hides what comes after its text.
  return actions.length ? el("div", "call", made, el("div", "actions", ...actions)) : made;
}

function failureOf(body) {
  const details = obj(body.details);
  const code = num(details.exitCode) || num(details.exit_code);
  if (code) return `✗ exit ${code}`;
  return body.isError === true ? "✗ failed" : "";
}

/** The lines that a call removes from a file and adds to it, if its arguments show them. */
function editOf(given) {
  const edits = list(given.edits).length ? list(given.edits).map(obj) : [given];
  const changes = edits.map((edit) => {
    const before = str(edit.oldText) || str(edit.old_string) || str(edit.old_str);
    const after = str(edit.newText) || str(edit.new_string) || str(edit.new_str);
    return before ? changeOf(before, after) : "";
  });
  return changes.filter(Boolean).join("\n ...\n");
}

function argumentNodes(given, language) {
  if (given !== obj(given)) return given === undefined ? [] : json(given);
  return Object.entries(given).flatMap(([name, value]) => [
    el("div", "name", name),
    ...(typeof value === "string" ? preformatted(value, languageOfArgument(name, language)) : json(value)),
  ]);
}

function languageOfArgument(name, language) {
  if (COMMANDS.has(name)) return "shell";
  return CONTENTS.has(name) ? language : "";
}

const DIFF = /^diff --git |^--- [^\n]*\n\+\+\+ /m;

/** The result of a tool; a text that is a diff is shown as a diff. */
function outputNodes(body, language, context) {
  return blocksOf(body.content).flatMap((block) => {
    if (block.type !== "text") return nodesOfBlock(block, context);
    const text = str(block.text);
    if (!text) return [];
    return DIFF.test(text.slice(0, 4000)) ? clippedDiff(text) : preformatted(text, language);
  });
}

/** A result whose call is not on the branch. */
function resultNode(body, context) {
  const nodes = outputNodes(body, "", context);
  const change = str(obj(body.details).diff);
  if (change.trim()) nodes.push(el("div", "name", "Change"), ...clippedDiff(change));
  const said = blocksOf(body.content).find((block) => block.type === "text");
  const failed = failureOf(body);
  const made = part(context, "result", failed ? "Failed" : "Output", shorten(firstLine(said?.text)), nodes, Boolean(change.trim()));
  if (failed) made.classList.add("failed");
  return made;
}

const firstLine = (text) => /\S.*/.exec(str(text))?.[0] ?? "";

function commandNodes(body, context) {
  const nodes = preformatted(`$ ${str(body.command)}`, "shell");
  const output = str(body.output);
  if (output) nodes.push(part(context, "result", "Output", shorten(firstLine(output)), preformatted(output)));
  const notes = [];
  if (body.cancelled === true) notes.push("cancelled");
  else if (num(body.exitCode)) notes.push(`exit code ${num(body.exitCode)}`);
  if (body.truncated === true) notes.push(`output cut off; all of it: ${str(body.fullOutputPath)}`);
  if (notes.length) nodes.push(el("p", "muted", notes.join(" · ")));
  return nodes;
}

/** A part that opens and closes. */
function part(context, kind, title, words, nodes, open = false) {
  const made = el("details", kind);
  const summary = el("summary", "", el("span", "kind", title));
  if (words) summary.append(" ", el("span", "glance", words));
  made.append(summary, el("div", "inside", ...(nodes.length ? nodes : [el("p", "muted", "(empty)")])));
  made.open = open || context.allOpen;
  return made;
}
