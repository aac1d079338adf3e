// Print the entries that an agent appends to a session, until Ctrl-C.
//
//     node watch.mjs session.jsonl

import { Sessiond } from "sessiond-client";

const client = await Sessiond.start();
const { session, sessionId } = await client.sessionOpen({
  path: process.argv[2],
  readOnly: true,
  follow: true,
  mustExist: true,
});
console.log(`watching ${sessionId}`);

client.onSessionDidChange(async ({ kind, entries = [] }) => {
  if (kind !== "appended") console.log(kind);
  for (const { id } of entries) {
    const { entry } = await client.sessionGetEntry({ session, id });
    if (entry?.type === "message") console.log(`${entry.message.role}: ${text(entry.message)}`);
    else console.log(entry?.type ?? "an unknown entry");
  }
});
process.once("SIGINT", () => client.close());

function text({ content }) {
  if (typeof content === "string") return content;
  return (content ?? []).flatMap((block) => (block.type === "text" ? [block.text] : [])).join(" ");
}
