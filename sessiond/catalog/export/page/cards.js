// An entry's content as nodes. `context` describes the transcript around the entry:
// `{allOpen, entry, resultOf, actionsOf}`; resultOf(call) returns `{view, label, place}` or null, where
// place(nodes) puts the nodes of the result into an element of its own; actionsOf(call, edits) returns
// the buttons that an editor adds to a tool call.

function bodyNodes(view, context) {
  const nodes = nodesOf(view, context);
  return nodes.length ? [el("div", "body", ...nodes)] : [];
}

function nodesOf(view, context) {
  const found = blocksOf(view);
  const pictures = picturesOf(context.entry);
  return found.flatMap((block) => {
    switch (block.kind) {
      case "text":
        return markdown(str(block.text));
      case "thinking":
        return [part(context, "thinking", "Thinking", shorten(str(block.text)), markdown(str(block.text)), !block.closed)];
      case "call":
        return [callCard(block, diffOf(view, block.callId), context)];
      case "diff":
        // A call's card has its diff.
        return found.some((other) => isCall(other) && other.callId === block.callId) ? [] : changeNodes(block);
      case "result":
        return [resultPart(block, context)];
      case "command":
        return commandNodes(block, context);
      case "image":
        return [image(pictures.shift() ?? {})];
      case "summary":
        return [part(context, "summary", "Summary", shorten(str(block.text)), markdown(str(block.text)), !block.closed)];
      case "error":
        return [el("p", "error", visible(str(block.text) || "The answer failed."))];
      case "data":
        return [part(context, "data", str(block.title) || "Data", "", valueNodes(str(block.text)), !block.closed)];
    }
    return preformatted(str(block.text));
  });
}

/** The images of an entry, whose data are in the entry alone. */
function picturesOf(entry) {
  const body = obj(obj(entry).message ?? entry);
  return list(body.content).map(obj).filter(({ type }) => type === "image");
}

/** The diff of a view that belongs to a call; undefined if there is none. */
const diffOf = (view, callId) => blocksOf(view).find((block) => block.kind === "diff" && block.callId === callId);

const COMMANDS = new Set(["command", "cmd", "script"]);
const CONTENTS = new Set(["content", "contents", "text", "code", "file_text"]);
const READERS = /^(?:read|view|cat|open)(?:_?file)?$/i;

/** A tool call with its result. The changes of a file are shown open. */
function callCard(call, proposed, context) {
  const language = languageOfPath(str(call.path));
  const result = context.resultOf(call);
  const output = result && blocksOf(result.view)[0];
  const made = result && blocksOf(result.view).find(({ kind }) => kind === "diff");
  const change = made ?? proposed;
  const shown = (call.arguments ?? []).flatMap(({ name, text }) => [
    el("div", "name", str(name)),
    ...valueNodes(str(text), COMMANDS.has(name) ? "shell" : CONTENTS.has(name) ? language : ""),
  ]);
  const nodes = change ? [...changeNodes(change, language), part(context, "data", "Arguments", "", shown)] : shown;
  if (result) nodes.push(result.place(resultNodes(result.view, READERS.test(str(call.tool)) ? language : "", result.context)));
  const card = part(context, "tool", str(call.tool) || "tool", str(call.text), nodes, Boolean(change) || !call.closed);
  const failure = result ? failureOf(output) : "no result";
  const state = [" ", el("span", "state", failure || "✓")];
  if (result?.label) state.push(" ", el("span", "badge", result.label));
  card.firstChild.firstChild.after(...state);
  if (result && failure) card.classList.add("failed");
  const actions = context.actionsOf(call, Boolean(change));
  // Beside the card: a summary is a button itself, and a long one hides what comes after its text.
  return actions.length ? el("div", "call", card, el("div", "actions", ...actions)) : card;
}

function failureOf({ failed, exitCode }) {
  if (!failed) return "";
  return exitCode ? `✗ exit ${exitCode}` : "✗ failed";
}

/** A value that is a text or JSON. */
function valueNodes(text, language = "") {
  if (/^[[{]/.test(text)) {
    try {
      return json(JSON.parse(text));
    } catch {
      // It only begins like JSON.
    }
  }
  return preformatted(text, language);
}

/** What a result has besides its diff, in the card of its call. */
function resultNodes(view, language, context) {
  const [result, ...others] = blocksOf(view);
  const text = str(result.text);
  const rest = { ...view, blocks: others.filter(({ kind }) => kind !== "diff") };
  return [...(text ? preformatted(text, language) : []), ...nodesOf(rest, context)];
}

/** A result whose call is not on the branch. */
function resultPart(result, context) {
  const text = str(result.text);
  const failed = failureOf(result);
  const made = part(context, "result", failed ? "Failed" : "Output", shorten(firstLine(text)), text ? preformatted(text) : [], !result.closed);
  if (failed) made.classList.add("failed");
  return made;
}

const firstLine = (text) => /\S.*/.exec(str(text))?.[0] ?? "";

function commandNodes(command, context) {
  const nodes = preformatted(`$ ${str(command.title)}`, "shell");
  const output = str(command.text);
  if (output) nodes.push(part(context, "result", "Output", shorten(firstLine(output)), preformatted(output), !command.closed));
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
