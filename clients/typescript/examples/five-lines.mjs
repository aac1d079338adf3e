// Open the latest session of a folder, or create one, append to it, and listen for changes.
//
//     node five-lines.mjs [folder]

import { Sessiond } from "sessiond-client";

const client = await Sessiond.start();
const cwd = process.argv[2] ?? process.cwd();
const { session, sessionId } = await client.sessionContinueRecent({ cwd });
client.onSessionDidChange(({ kind, entryCount }) => console.log(kind, entryCount));
const message = { role: "user", content: "Hello", timestamp: Date.now() };
await client.sessionAppendMessage({ session, message });

const { count } = await client.sessionGetEntryCount({ session });
console.log(`${sessionId}: ${count} entries`);
await client.close();
