// The session in this page: its entries and the tree that they form.

const data = document.getElementById("session");
const session = JSON.parse(data.textContent);
const entries = session.entries;
/** What a person sees of each entry. */
const views = session.views;
const labels = new Map(session.labels);

/** Index of an entry → index of its parent, -1 for a root; and → indices of its children. */
const parents = [];
const children = new Map();
/** Indices in the order of the tree, every parent before its children. */
const order = [];
const byId = new Map();

/** Set the tree over the present entries; an editor does so again when the session has grown. */
function grow(roots, childrenOf) {
  children.clear();
  parents.length = 0;
  for (let index = 0; index < entries.length; index++) parents.push(-1);
  for (const [parent, found] of childrenOf) {
    children.set(parent, found);
    for (const child of found) parents[child] = parent;
  }
  order.length = 0;
  const stack = [...roots].reverse();
  while (stack.length) {
    const index = stack.pop();
    order.push(index);
    const below = children.get(index) ?? [];
    for (let at = below.length - 1; at >= 0; at--) stack.push(below[at]);
  }
  byId.clear();
  for (const index of order) byId.set(views[index].entryId, index);
}

grow(session.roots, session.children);

/** From the root to that entry; empty for -1. */
function pathTo(index) {
  const found = [];
  for (let at = index; at >= 0; at = parents[at]) found.push(at);
  return found.reverse();
}

/** The end of the branch that continues from an entry with the latest child each time. */
function endOf(index) {
  for (let below; (below = children.get(index)); ) index = below[below.length - 1];
  return index;
}

// In the page these characters are escaped; a line that has such an escape itself is in `stored`.
const ESCAPED = /\\u(?:003c|003e|0026|2028|2029)/g;

let lines = null;

/** The lines of the session's file, the header first. An editor's page has none. */
function storedLines() {
  if (lines) return lines;
  // The header is the second line of the data, and the entries begin in the fourth.
  const [, header, , ...rest] = data.textContent.split("\n");
  const exact = new Map(session.stored);
  const unescaped = (line) => line.replace(/,$/, "").replace(ESCAPED, (escape) => String.fromCharCode(parseInt(escape.slice(2), 16)));
  lines = header === undefined ? [] : [header, ...rest.slice(0, entries.length)].map((line, at) => exact.get(at) ?? unescaped(line));
  return lines;
}

/** The line of an entry, in an editor's page with the same values. */
const storedLine = (index) => storedLines()[index + 1] ?? JSON.stringify(entries[index]);

const folded = [];

/** Whether an entry holds all texts, which are in lower case. */
function holds(index, texts) {
  folded[index] ??= [str(labels.get(views[index].entryId)), ...textsOf(views[index])].filter(Boolean).join("\n").toLowerCase();
  return texts.every((text) => folded[index].includes(text));
}

/** Sum of the usage of all entries, as in `catalog/stats`. */
function totals() {
  const sum = { messages: 0, tokens: 0, input: 0, output: 0, cache: 0, cost: 0, models: new Set() };
  for (const entry of entries) {
    const body = entry.type === "message" ? obj(entry.message) : entry;
    if (entry.type === "message" && !str(entry.partOf)) sum.messages++;
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
