// One conversation with the daemon, with the TypeScript client.

import { Sessiond, userText } from "sessiond-client";

const client = await Sessiond.start();
const session = await client.inMemory({ cwd: "/" });
await session.appendMessage(userText("hello"));
const { messages } = await session.buildSessionContext();
for (const { role, content } of messages) console.log(`${role}: ${content}`);
await client.close();
