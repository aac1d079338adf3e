// Print the entries that an agent appends to a session, until Ctrl-C.
//
//     node watch.mjs session.jsonl

import { Sessiond } from "sessiond-client";

const client = await Sessiond.start();
process.once("SIGINT", () => client.close());
const options = { readOnly: true, follow: true, mustExist: true };
const session = await client.open(process.argv[2], options);
const changes = session.changes();
console.log(`watching ${session.state.sessionId}`);

for await (const { kind, entries = [] } of changes) {
  if (kind !== "appended") console.log(kind);
  for (const { id } of entries) {
    const { entry } = await session.getEntry(id);
    if (entry?.type === "message") console.log(`${entry.message.role}: ${text(entry.message)}`);
    else console.log(entry?.type ?? "an unknown entry");
  }
}

function text({ content }) {
  if (typeof content === "string") return content;
  return (content ?? []).flatMap((block) => (block.type === "text" ? [block.text] : [])).join(" ");
}
