// One conversation with the daemon, with the TypeScript client.

import { Sessiond } from "sessiond-client";

const client = await Sessiond.start();
const { session } = await client.sessionInMemory({ cwd: "/" });
await client.sessionAppendMessage({ session, message: { role: "user", content: "hello" } });
const { messages } = await client.sessionBuildSessionContext({ session });
for (const { role, content } of messages) console.log(`${role}: ${content}`);
await client.close();
