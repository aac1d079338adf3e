// Code written against pi's SessionManager, with an await before every call.
//
//     node pi.mjs [folder]

import { SessionManager, userText } from "sessiond-client";

const manager = await SessionManager.continueRecent(process.argv[2] ?? process.cwd());
const first = await manager.appendMessage(userText("One way"));
await manager.appendSessionInfo("two ways");
await manager.branchWithSummary(first, "That led nowhere");
await manager.appendMessage(userText("Another way"));

const open = (await manager.getTree()).map((node) => [node, 0]);
while (open.length > 0) {
  const [node, depth] = open.pop();
  console.log(" ".repeat(depth) + (node.entry.type ?? "an unknown entry"));
  open.push(...node.children.toReversed().map((child) => [child, depth + 1]));
}
