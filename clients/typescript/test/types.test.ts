// Compiled, never run: what users rely on from the types.

import {
  SessionManager,
  Sessiond,
  SessiondError,
  UnknownMessage,
  isSessiondError,
  type Entry,
} from "sessiond-client";

export async function use(client: Sessiond): Promise<string | null> {
  const { session, leafId } = await client.sessionOpen({ path: "/x", readOnly: true });
  await client.sessionBuildSessionContext({ session, leafId: null });
  await client.sessionAppendMessage({ session, message: { role: "user", content: "x", timestamp: 1 } });
  await client.sessionAppendMessage({ session, message: new UnknownMessage({ role: "oracle" }) });
  const { entries } = await client.request("session/getBranch", { session });
  entries.map(text);
  client.onSessionDidChange(({ kind, entryCount }) => `${kind satisfies string} ${entryCount + 1}`);
  // @ts-expect-error: a member that is missing
  await client.sessionAppendModelChange({ session, provider: "p" });
  // @ts-expect-error: null is no value here
  await client.sessionOpen({ path: null });
  await using manager = { [Symbol.asyncDispose]: () => client.close() };
  void manager;
  const tree = await (await SessionManager.inMemory()).getTree();
  return leafId ?? tree[0]?.children[0]?.label ?? null;
}

function text(entry: Entry): string {
  switch (entry.type) {
    case "message":
      return entry.message.role === "user" ? String(entry.message.content) : "";
    case "session_info":
      return entry.name ?? "";
    case undefined:
      return JSON.stringify(entry.raw);
    default:
      return entry.id ?? "";
  }
}

export function failed(error: unknown): string | null {
  if (isSessiondError(error, "LeafConflict")) return error.data.leafId;
  if (error instanceof SessiondError && error.is("WriteFailed")) return error.data.strerror;
  return null;
}
