// Open the latest session of a folder, or create one, append to it, and listen for changes.
//
//     node five-lines.mjs [folder]

import { Sessiond, userText } from "sessiond-client";

const client = await Sessiond.start();
const cwd = process.argv[2] ?? process.cwd();
const session = await client.continueRecent(cwd);
session.onChange(({ kind }) => console.log(kind));
await session.appendMessage(userText("Hello"));

const { count } = await session.getEntryCount();
console.log(`${session.state.sessionId}: ${count} entries`);
await client.close();
