// The kind and the texts of an entry. Nothing here depends on the other entries of the session.

/** The message of a line of type `message`, else the entry itself. */
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

/** The kind of an entry, which sets its colour, and the title before its text. */
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

/** Whether a message of the assistant only calls tools. */
const isToolsOnly = (entry) => {
  if (roleOf(entry) !== "assistant") return false;
  const body = bodyOf(entry);
  const found = blocksOf(body.content);
  const calls = found.some((block) => block.type === "toolCall");
  return calls && !str(body.errorMessage) && !found.some((block) => block.type === "text" && str(block.text).trim());
};

/** Whether an entry only calls tools or has a tool's result. */
const isTool = (entry) => ["toolResult", "bashExecution"].includes(roleOf(entry)) || isToolsOnly(entry);

/** The text of an entry as it was written, to be copied. */
function sourceOf(entry) {
  const body = bodyOf(entry);
  if (body.role === "bashExecution") return `$ ${str(body.command)}\n${str(body.output)}`;
  if (["compaction", "branch_summary"].includes(entry.type)) return str(entry.summary);
  const texts = blocksOf(body.content).filter((block) => block.type === "text");
  return texts.map((block) => str(block.text)).join("\n\n");
}

/** The first short argument of a tool call. */
function glance(call) {
  for (const value of Object.values(obj(call.arguments))) {
    if (typeof value === "string" && value) return shorten(value);
  }
  return "";
}

/** Like shorten(), without Markdown characters. */
const spoken = (text) =>
  shorten(text.slice(0, 400).replace(/^ *(?:#{1,6}|[-*+>]) +/gm, "").replace(/\*\*|`+/g, ""));

/** A one-line preview of an entry. */
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
      return str(entry.label) ? shorten(str(entry.label)) : "removed";
    case "session_info":
      return shorten(str(entry.name));
    case "usage":
      return shorten(`${str(entry.kind)} ${str(entry.provider)}/${str(entry.model)}`);
    case "context_edit":
      return entry.replacement === null ? "removed from the context" : "replaced in the context";
    case "reset":
      return shorten(str(entry.reason));
    case "leaf":
      return str(entry.targetId) ? `continues from ${shorten(str(entry.targetId))}` : "continues before the first entry";
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

/** All texts of an entry that are shown, for the search. */
function textsOf(entry) {
  const body = bodyOf(entry);
  const texts = [];
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
