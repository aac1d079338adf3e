// Compiled, never run: what users rely on from the types.

import {
  SessionManager,
  Sessiond,
  SessiondError,
  isSessiondError,
  userText,
  type CatalogChange,
  type Entry,
  type SessionChange,
  type StoreChange,
  type UserMessage,
} from "sessiond-client";

export async function use(client: Sessiond): Promise<string | null> {
  const { session, leafId } = await client.sessionOpen({ path: "/x", readOnly: true });
  await client.sessionBuildSessionContext({ session, leafId: null });
  await client.sessionAppendMessage({ session, message: { role: "user", content: "x", timestamp: 1 } });
  const { entries } = await client.request("session/getBranch", { session });
  entries.map(text);
  client.onSessionDidChange(({ kind, entryCount }) => `${kind} ${entryCount + 1}`);
  const own = await client.open("/x", { readOnly: true }, { timeout: 10 });
  await own.appendMessage(userText("x"), { expectedLeafId: null }, { timeout: 10 });
  await own.appendMessage({ role: "user", content: "x", timestamp: 1 });
  await own.appendMessage({ message: userText("x"), newEntryId: "a" }, { timeout: 10 });
  const { entry } = await own.getEntry("a", { timeout: 10 });
  const { entry: same } = await own.getEntry({ id: "a" });
  void [entry, same, (await own.getBranch()).entries, (await client.catalogDelete("/x")).trashed];
  // @ts-expect-error: neither a message nor params
  await own.appendMessage({ content: "x" });
  // @ts-expect-error: options are the third argument if there are more params
  await own.appendMessage(userText("x"), { timeout: 10 });
  // @ts-expect-error: an id is a string
  await own.getEntry(1);
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
    case "label":
      return entry.targetId;
    default:
      return entry.id ?? "";
  }
}

export function failed(error: unknown): string | null {
  if (isSessiondError(error, "LeafConflict")) return error.data.leafId;
  if (error instanceof SessiondError && error.is("WriteFailed")) return error.data.strerror;
  return null;
}

export function ofSession(change: SessionChange): string {
  switch (change.kind) {
    case "appended":
      return change.entries.map(({ id }) => id).join();
    case "reconnected":
      return change.state.session;
    case "lost":
      return change.error.message;
    default:
      // @ts-expect-error: there may be none
      return change.entries.join();
  }
}

export function ofCatalogue(change: CatalogChange): string {
  if (change.kind === "added" || change.kind === "changed") return change.info.id;
  return change.info?.id ?? `${change.kind} ${change.path}`;
}

export function ofStore(change: StoreChange): unknown {
  switch (change.kind) {
    case "added":
    case "changed":
      return change.entry["sessionId"];
    case "removed":
      return change.sessionKey;
    default:
      return String(change.kind);
  }
}

export async function ofSubscription(client: Sessiond): Promise<string[]> {
  const found: string[] = [];
  for await (const event of await client.subscribeCatalog()) {
    if (event.kind === "changed") found.push(...event.changes.map(ofCatalogue));
    else if (event.kind === "reconnected") found.push(...event.snapshot.sessions.map(({ id }) => id));
    else found.push(event.error.message);
  }
  return found;
}

/** What an append takes, a read returns as the same type. */
export const untimed: UserMessage = { role: "user", content: "x" };
