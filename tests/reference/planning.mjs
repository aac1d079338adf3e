// Drives the planning functions that the reference exports: one JSON command per line on stdin, one
// answer per line on stdout, as in driver.mjs.
//
//   {"op": "tokens", "messages": […]}                → one estimate per message
//   {"op": "context", "messages": […]}               → estimateContextTokens
//   {"op": "shouldCompact", "tokens", "window", "settings"}
//   {"op": "prepare", "path": [entry], "settings"}   → prepareCompaction, sets as arrays; null
//   {"op": "leave", "entries": [entry], "from", "to"} → collectEntriesForBranchSummary, as ids
//   {"op": "branch", "entries": [entry], "budget"}   → prepareBranchEntries, sets as arrays
//   {"op": "toLlm", "messages": […]}                 → convertToLlm
//   {"op": "repair", "messages": […]}                → transformMessages of the same
//   {"op": "serialize", "messages": […]}             → serializeConversation of the same
//   {"op": "files", "messages": […]}                 → the two lists, and their text
//   {"op": "json", "texts": [text]}                  → each as JSON.stringify writes it
//   {"op": "entries", "texts": [text]}               → Object.entries of each

import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { everything } from "./bundle.mjs";

const pi = await everything(process.argv[2]);
const transforming = join(process.argv[2], "../pi-ai-1.6.0/dist/api/transform-messages.js");
const { transformMessages } = await import(pathToFileURL(transforming).href);

/** The model that wrote all answers of the tests. */
const MODEL = { provider: "p", api: "a", id: "m", input: ["text", "image"] };

const arrays = (ops) => ({
  read: [...ops.read],
  written: [...ops.written],
  edited: [...ops.edited],
});

function prepared(found) {
  return found === undefined ? null : { ...found, fileOps: arrays(found.fileOps) };
}

/** As much of a SessionManager as collectEntriesForBranchSummary looks at. */
function session(entries) {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  return {
    getEntry: (id) => byId.get(id),
    getBranch(id) {
      const path = [];
      for (let entry = byId.get(id); entry; entry = byId.get(entry.parentId)) path.unshift(entry);
      return path;
    },
  };
}

function leave(command) {
  const found = pi.collectEntriesForBranchSummary(session(command.entries), command.from, command.to);
  return { ids: found.entries.map((entry) => entry.id), ancestor: found.commonAncestorId };
}

function branch(command) {
  const found = pi.prepareBranchEntries(command.entries, command.budget);
  return { ...found, fileOps: arrays(found.fileOps) };
}

function files(messages) {
  const ops = pi.createFileOps();
  for (const message of messages) pi.extractFileOpsFromMessage(message, ops);
  const lists = pi.computeFileLists(ops);
  const text = pi.formatFileOperations(lists.readFiles, lists.modifiedFiles);
  return { ...lists, ops: arrays(ops), text };
}

const operations = {
  tokens: (c) => c.messages.map(pi.estimateTokens),
  context: (c) => pi.estimateContextTokens(c.messages),
  shouldCompact: (c) => pi.shouldCompact(c.tokens, c.window, c.settings),
  prepare: (c) => prepared(pi.prepareCompaction(c.path, c.settings)),
  leave,
  branch,
  toLlm: (c) => pi.convertToLlm(c.messages),
  repair: (c) => transformMessages(pi.convertToLlm(c.messages), MODEL),
  serialize: (c) => pi.serializeConversation(pi.convertToLlm(c.messages)),
  files: (c) => files(c.messages),
  json: (c) => c.texts.map((text) => JSON.stringify(JSON.parse(text))),
  entries: (c) => c.texts.map((text) => Object.entries(JSON.parse(text)).map(([name]) => name)),
};

function answer(line) {
  try {
    const command = JSON.parse(line);
    return { result: operations[command.op](command) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

let pending = Buffer.alloc(0);
for await (const chunk of process.stdin) {
  pending = pending.length > 0 ? Buffer.concat([pending, chunk]) : chunk;
  let end;
  while ((end = pending.indexOf(0x0a)) !== -1) {
    const line = pending.toString("utf8", 0, end);
    pending = pending.subarray(end + 1);
    process.stdout.write(`${JSON.stringify(answer(line))}\n`);
  }
}
