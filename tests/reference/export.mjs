// What the reference's own exportToJsonl makes of a session file, at several leaves:
//   node export.mjs PACKAGE SESSION DIRECTORY LEAF_ID…  →  DIRECTORY/LEAF_ID.jsonl

import { join } from "node:path";

import { everything } from "./bundle.mjs";

const [package_, session, directory, ...leaves] = process.argv.slice(2);
const { AgentSession, SessionManager } = await everything(package_);

const sessionManager = SessionManager.open(session);
for (const leafId of leaves) {
  sessionManager.branch(leafId);
  // The method needs nothing of a session but its manager.
  const { exportToJsonl } = AgentSession.prototype;
  exportToJsonl.call({ sessionManager }, join(directory, `${leafId}.jsonl`));
}
