// Twelve things that programs do with sessions, each in a few lines.
//
// node tasks.mjs FOLDER

import { Sessiond, SessiondError, userText } from "sessiond-client";

const folder = process.argv[2];
const client = await Sessiond.start();

// List the sessions of a folder.
const listed = [];
for await (const info of client.sessions(folder)) listed.push(info);
console.log("list:", listed.length);

// Search in them.
const hits = [];
for await (const hit of client.search("hello", { cwd: folder })) hits.push(hit);
console.log("search:", hits.length);

// Open the latest.
const session = await client.continueRecent(folder);
console.log("open:", session.state.entryCount);
let expectedTipId = session.tipId;

// Follow what others append.
const other = await client.open(session.state.sessionFile);
await other.appendMessage({ message: userText("from elsewhere") });
const { value: change } = await session.changes().next();
console.log("follow:", change.kind);

// Append, unless somebody else has appended meanwhile.
try {
  await session.appendMessage({ message: userText("mine"), expectedTipId });
} catch (error) {
  if (!(error instanceof SessiondError && error.is("LeafConflict"))) throw error;
  console.log("append:", error.kind);
  // Read what is new, and try again: `tipId` is current.
  expectedTipId = session.tipId;
  const { id } = await session.appendMessage({ message: userText("mine"), expectedTipId });
  console.log("again:", id === session.tipId);
}

// Go on from an earlier entry: the next append begins a branch.
const [first] = (await session.getEntries({ limit: 1 })).entries;
const { leafId } = await session.branch({ entryId: first.id });
console.log("branch:", leafId === first.id);

// Copy a branch into a session of its own.
const sourcePath = session.state.sessionFile;
const fork = await client.forkFrom({ sourcePath, targetCwd: folder, leafId });
console.log("fork:", fork.state.entryCount);

// Label an entry.
await session.appendLabelChange({ targetId: first.id, label: "start" });
console.log("label:", (await session.getLabel({ id: first.id })).label);

// Name the session.
await session.appendSessionInfo({ name: "Greetings" });
console.log("rename:", (await session.getSessionName()).name);

// Export it as Markdown, or as one HTML page.
const exported = await client.catalogExport({ format: "markdown", session: session.handle });
console.log("export:", exported.content.includes("hello"));

// Add up tokens and costs.
const usage = await client.catalogUsage({ cwd: folder, by: "model" });
console.log("usage:", usage.sessionCount);

// Nothing is to be done when the daemon ends: it is started again, with all that was open.
const before = (await session.getLeafId()).leafId;
process.kill(client.pid, "SIGKILL");
console.log("recover:", (await session.getLeafId()).leafId === before);

await client.close();
