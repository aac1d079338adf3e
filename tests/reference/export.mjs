// What the reference's own exportToJsonl makes of a session file, at several leaves:
//   node export.mjs ROOT SESSION DIRECTORY LEAF_ID…  →  DIRECTORY/LEAF_ID.jsonl

import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [root, session, directory, ...leaves] = process.argv.slice(2);
const core = resolve(root, "node_modules/@mariozechner/pi-coding-agent/dist/core");
const load = (name) => import(pathToFileURL(resolve(core, name)).href);
const { SessionManager } = await load("session-manager.js");
const { AgentSession } = await load("agent-session.js");

const sessionManager = SessionManager.open(session);
for (const leafId of leaves) {
  sessionManager.branch(leafId);
  // The method needs nothing of a session but its manager.
  const { exportToJsonl } = AgentSession.prototype;
  exportToJsonl.call({ sessionManager }, join(directory, `${leafId}.jsonl`));
}
