// The session: its entries, how they hang together, and what each says in a line.

const session = JSON.parse(document.getElementById("session").textContent);
const entries = session.entries;
const labels = new Map(session.labels);

const parents = new Int32Array(entries.length).fill(-1);
const children = new Map(session.children);
for (const [parent, found] of children) for (const child of found) parents[child] = parent;

/** Indices as they stand in the tree, every parent before its children. */
const order = (() => {
  const found = [];
  const stack = [...session.roots].reverse();
  while (stack.length) {
    const index = stack.pop();
    found.push(index);
    const below = children.get(index) ?? [];
    for (let at = below.length - 1; at >= 0; at--) stack.push(below[at]);
  }
  return found;
})();

const byId = new Map(order.map((index) => [entries[index].id, index]));

/** From the root to that entry; empty for -1. */
function pathTo(index) {
  const found = [];
  for (let at = index; at >= 0; at = parents[at]) found.push(at);
  return found.reverse();
}

/** The end of the branch that goes on from an entry by the latest child each time. */
function endOf(index) {
  for (let below; (below = children.get(index)); ) index = below[below.length - 1];
  return index;
}

/** The value a line of type `message` carries, else the entry itself. */
const bodyOf = (entry) => (entry.type === "message" ? obj(entry.message) : entry);

const roleOf = (entry) =>
  entry.type === "message" ? str(obj(entry.message).role) || "message" : str(entry.type);

const KINDS = new Map([
  ["user", ["user", "You"]],
  ["assistant", ["assistant", "Assistant"]],
  ["toolResult", ["tool", "Result"]],
  ["bashExecution", ["tool", "Command"]],
  ["system", ["note", "System"]],
  ["compaction", ["note", "Compaction"]],
  ["branch_summary", ["note", "Branch summary"]],
  ["reset", ["note", "Context reset"]],
  ["custom_message", ["note", ""]],
  ["custom", ["note", ""]],
  ["model_change", ["set", "Model"]],
  ["thinking_level_change", ["set", "Thinking"]],
  ["label", ["set", "Label"]],
  ["session_info", ["set", "Name"]],
  ["usage", ["set", "Usage"]],
  ["context_edit", ["set", "Context edit"]],
  ["leaf", ["set", "Leaf"]],
]);

/** Whose colour an entry has, and what stands before its text. */
function kindOf(entry) {
  const role = roleOf(entry);
  const [kind, title] = KINDS.get(role) ?? [entry.type === "message" ? "note" : "set", role];
  if (entry.type === "custom") return ["set", str(entry.customType) || "Custom"];
  const failed = role === "toolResult" && obj(entry.message).isError === true;
  const stopped = role === "assistant" && str(obj(entry.message).stopReason) === "error";
  return [failed || stopped ? "error" : kind, title || str(bodyOf(entry).customType) || "Custom"];
}

const isSetting = (entry) => kindOf(entry)[0] === "set";

/** A block's or a string's content as blocks. */
const blocksOf = (content) =>
  typeof content === "string" ? [{ type: "text", text: content }] : list(content).map(obj);

/** What a tool call is about: its first short argument. */
function glance(call) {
  for (const value of Object.values(obj(call.arguments))) {
    if (typeof value === "string" && value) return shorten(value);
  }
  return "";
}

/** The same without the signs of Markdown. */
const spoken = (text) =>
  shorten(text.slice(0, 400).replace(/^ *(?:#{1,6}|[-*+>]) +/gm, "").replace(/\*\*|`+/g, ""));

const shorten = (text) => visible(text.slice(0, 400)).replace(/\s+/g, " ").trim().slice(0, 160);

/** What an entry says in a line. */
function preview(entry) {
  const body = bodyOf(entry);
  switch (entry.type) {
    case "compaction":
    case "branch_summary":
      return spoken(str(entry.summary));
    case "model_change":
      return shorten(`${str(entry.provider)}/${str(entry.modelId)}`);
    case "thinking_level_change":
      return shorten(str(entry.thinkingLevel));
    case "label":
      return str(entry.label) ? shorten(str(entry.label)) : "taken away";
    case "session_info":
      return shorten(str(entry.name));
    case "usage":
      return shorten(`${str(entry.kind)} ${str(entry.provider)}/${str(entry.model)}`);
    case "context_edit":
      return entry.replacement === null ? "taken out of the context" : "replaced in the context";
    case "reset":
      return shorten(str(entry.reason));
    case "leaf":
      return str(entry.targetId) ? `goes on from ${shorten(str(entry.targetId))}` : "goes on before any entry";
    case "custom":
      return "";
  }
  if (body.role === "bashExecution") return shorten(`$ ${str(body.command)}`);
  const found = blocksOf(body.content);
  const said = found.find((block) => block.type === "text" && str(block.text).trim());
  const tool = body.role === "toolResult" ? `${str(body.toolName)} ` : "";
  if (said) return tool ? shorten(tool + str(said.text)) : spoken(said.text);
  const calls = found.filter((block) => block.type === "toolCall");
  if (calls.length) return shorten(calls.map((call) => `${str(call.name)} ${glance(call)}`).join(", "));
  if (found.some((block) => block.type === "image")) return `${tool}[image]`;
  return shorten(tool || str(body.errorMessage) || str(found[0]?.thinking));
}

/** Every text of an entry that is shown, for the search. */
function textsOf(entry) {
  const body = bodyOf(entry);
  const texts = [str(labels.get(entry.id))];
  for (const name of ["command", "output", "summary", "errorMessage", "toolName", "customType", "name", "label", "provider", "model", "modelId", "thinkingLevel", "reason"]) {
    texts.push(str(body[name]));
  }
  for (const block of blocksOf(body.content)) {
    texts.push(str(block.text), str(block.thinking));
    if (block.type === "toolCall") {
      texts.push(str(block.name));
      for (const value of Object.values(obj(block.arguments))) {
        texts.push(typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
      }
    }
  }
  return texts;
}

const folded = [];

/** Whether an entry holds the text, which is in lower case. */
function holds(index, query) {
  folded[index] ??= visible(textsOf(entries[index]).filter(Boolean).join("\n")).toLowerCase();
  return folded[index].includes(query);
}

/** Usage added up over all entries, as `catalog/stats` counts it. */
function totals() {
  const sum = { messages: 0, tokens: 0, input: 0, output: 0, cache: 0, cost: 0, models: new Set() };
  for (const entry of entries) {
    const body = bodyOf(entry);
    if (entry.type === "message") sum.messages++;
    if (body.role === "assistant" && str(body.model)) sum.models.add(str(body.model));
    const counts =
      (entry.type === "message" && ["assistant", "toolResult"].includes(body.role)) ||
      ["usage", "compaction", "branch_summary"].includes(entry.type);
    if (!counts) continue;
    const usage = obj(body.usage);
    const cost = obj(usage.cost);
    sum.input += num(usage.input);
    sum.output += num(usage.output);
    sum.cache += num(usage.cacheRead) + num(usage.cacheWrite);
    sum.cost += typeof cost.total === "number" ? num(cost.total) : num(cost.input) + num(cost.output) + num(cost.cacheRead) + num(cost.cacheWrite);
  }
  sum.tokens = sum.input + sum.output + sum.cache;
  return sum;
}
