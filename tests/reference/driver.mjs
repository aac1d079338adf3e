// Drives the reference's own SessionManager: one JSON command per line on stdin, one answer per
// line on stdout. The argument is the directory of pi's package. Lines end at LF alone: Node's
// readline would also split at U+2028, which texts contain.
//
//   {"op": "create", "cwd": …, "sessionDir"?: …}              → {"result": handle}
//   {"op": "open", "path": …, "sessionDir"?: …, "cwd"?: …}    → {"result": handle}
//   {"op": "continueRecent", "cwd": …, "sessionDir"?: …}      → {"result": handle}
//   {"op": "inMemory", "cwd"?: …}                             → {"result": handle}
//   {"op": "forkFrom", "sourcePath": …, "targetCwd": …, "sessionDir"?: …} → {"result": handle}
//   {"op": "list", "cwd": …, "sessionDir"?: …}                → {"result": [SessionInfo]}
//   {"op": "listAll"}                                         → {"result": [SessionInfo]}
//   {"op": "call", "handle": …, "method": …, "args"?: […]}    → {"result": whatever it returned}
//   {"op": "snapshot", "handle": …}                           → {"result": everything readable}
//   {"op": "canonical", "lines": [text]}                      → {"result": [text]}, re-serialised
//   {"op": "close", "handle": …}                              → {}
//
// `{"$undefined": true}` among the arguments stands for undefined. What throws answers
// {"error": message}. An undefined result is left out of the answer.

import { sessionManager } from "./bundle.mjs";

const SessionManager = await sessionManager(process.argv[2]);

const handles = new Map();
let lastHandle = 0;

function keep(manager) {
  const handle = `h${++lastHandle}`;
  handles.set(handle, manager);
  return handle;
}

function managerOf(command) {
  const manager = handles.get(command.handle);
  if (!manager) throw new Error(`driver: no handle ${command.handle}`);
  return manager;
}

function argument(value) {
  return value !== null && typeof value === "object" && value.$undefined === true
    ? undefined
    : value;
}

/** The tree as a flat table, because deep sessions nest too far for JSON readers. */
function flatTree(roots) {
  const nodes = [];
  const stack = [...roots];
  while (stack.length > 0) {
    const { entry, children, label, labelTimestamp } = stack.pop();
    nodes.push({
      id: entry.id,
      children: children.map((child) => child.entry.id),
      label,
      labelTimestamp,
      entry,
    });
    stack.push(...children);
  }
  return { roots: roots.map((node) => node.entry.id), nodes };
}

function projection(manager) {
  const { messages, ...found } = manager.buildSessionProjection?.() ?? {};
  return messages && found;
}

function snapshot(manager) {
  return {
    entries: manager.getEntries(),
    header: manager.getHeader(),
    branch: manager.getBranch(),
    tree: flatTree(manager.getTree()),
    context: manager.buildSessionContext(),
    // The older releases lack these two.
    contextEntries: manager.buildContextEntries?.(),
    projection: projection(manager),
    leafId: manager.getLeafId(),
    leafEntry: manager.getLeafEntry() ?? null,
    rootChildren: manager.getChildren(null),
    name: manager.getSessionName(),
    sessionId: manager.getSessionId(),
    sessionFile: manager.getSessionFile() ?? null,
    sessionDir: manager.getSessionDir(),
    cwd: manager.getCwd(),
    persisted: manager.isPersisted(),
  };
}

const operations = {
  create: (c) => keep(SessionManager.create(c.cwd, c.sessionDir)),
  open: (c) => keep(SessionManager.open(c.path, c.sessionDir, c.cwd)),
  continueRecent: (c) => keep(SessionManager.continueRecent(c.cwd, c.sessionDir)),
  inMemory: (c) => keep(SessionManager.inMemory(c.cwd)),
  forkFrom: (c) => keep(SessionManager.forkFrom(c.sourcePath, c.targetCwd, c.sessionDir)),
  list: (c) => SessionManager.list(c.cwd, c.sessionDir),
  listAll: () => SessionManager.listAll(),
  call: (c) => managerOf(c)[c.method](...(c.args ?? []).map(argument)),
  snapshot: (c) => snapshot(managerOf(c)),
  canonical: (c) => c.lines.map((line) => JSON.stringify(JSON.parse(line))),
  close: (c) => {
    handles.delete(c.handle);
  },
};

async function answer(line) {
  try {
    const command = JSON.parse(line);
    const operation = operations[command.op];
    if (!operation) throw new Error(`driver: no operation ${command.op}`);
    return { result: await operation(command) };
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
    process.stdout.write(`${JSON.stringify(await answer(line))}\n`);
  }
}
