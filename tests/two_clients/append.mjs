// Append to a session until a file exists, and print each id: node append.mjs FILE NAME END.

import { existsSync } from "node:fs";

import { Sessiond } from "sessiond-client";

const [path, name, end] = process.argv.slice(2);
const client = await Sessiond.start();

async function open() {
  for (;;) {
    try {
      return await client.sessionOpen({ path });
    } catch (error) {
      // Whether it was opened is unknown if the daemon ended meanwhile.
      console.error(String(error));
    }
  }
}

const { session } = await open();
for (let number = 0; !existsSync(end); number++) {
  const message = { role: "user", content: `${name} ${number}`, timestamp: 1767225600000 };
  console.log((await client.sessionAppendMessage({ session, message })).id);
}
await client.close();
