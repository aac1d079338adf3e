// The sessions of a folder; the latest of them is opened, appended to, and listened to.
//
//     node five-lines.mjs [folder]

import { Sessiond } from "sessiond-client";

const client = await Sessiond.start();
const { sessions } = await client.sessionList({ cwd: process.argv[2] ?? process.cwd() });
const { session } = await client.sessionOpen({ path: sessions[0].path });
client.onSessionDidChange(({ kind, entryCount }) => console.log(kind, entryCount));
await client.sessionAppendMessage({ session, message: { role: "user", content: "Hello" } });

const { count } = await client.sessionGetEntryCount({ session });
console.log(`${sessions[0].firstMessage}: ${count} entries`);
await client.close();
