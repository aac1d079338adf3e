// A transcript whose session grows while it is read: the page shows the file as it is in the end.

import assert from "node:assert/strict";
import { test } from "node:test";

import type { SessionChange } from "../src/daemon/daemon.ts";
import type { FromPage, ToPage } from "../src/transcript/messages.ts";
import { Transcript } from "../src/transcript/transcript.ts";
import { fileOf } from "./support.ts";

type Entry = { readonly id: string; readonly parentId: string | null; readonly type: string };
const entry = (id: string, parentId: string | null): Entry => ({ id, parentId, type: "message" });

const viewed = (entries: Entry[]) => ({ entries, views: entries.map(({ id }) => ({ entryId: id })) });

/** A daemon with one session. Something happens before each of its answers. */
function daemonOf(entries: Entry[], between: (number: number) => void) {
  let number = 0;
  let report: (change: SessionChange) => void = () => {};
  const answer = async <T>(read: () => T): Promise<T> => {
    between((number += 1));
    return read();
  };
  const session = {
    header: {},
    cwd: "/shop",
    generation: 1,
    name: () => answer(() => null),
    leafId: () => answer(() => entries.at(-1)?.id ?? null),
    last: (count: number) => answer(() => ({ ...viewed(entries.slice(-count)), total: entries.length })),
    outline: () => answer(() => ({
      roots: [],
      nodes: entries.map(({ id }) => ({ id, children: entries.filter(({ parentId }) => parentId === id).map((child) => child.id) })),
    })),
    entries: async function* (after: string | undefined) {
      yield await answer(() => viewed(entries.slice(entries.findIndex(({ id }) => id === after) + 1)));
    },
    onChange: (listener: typeof report) => (report = listener),
    close: async () => {},
  };
  const append = (added: Entry) => {
    entries.push(added);
    report({ session: "s1", sequence: entries.length, kind: "appended", leafId: added.id, generation: 1 } as unknown as SessionChange);
  };
  return { daemon: { open: async () => session }, append, answers: () => number };
}

/** What a page shows after the messages that it got. */
function shownBy(messages: readonly ToPage[]) {
  let parts = { load: 0, entries: [] as object[], views: [] as object[] };
  let entries: object[] = [];
  let views: object[] = [];
  let leafId: string | null = null;
  for (const message of messages) {
    if (message.type === "part") {
      if (message.load !== parts.load) parts = { load: message.load, entries: [], views: [] };
      parts.entries.push(...message.entries);
      parts.views.push(...message.views);
    } else if (message.type === "replace") {
      entries = [...parts.entries];
      views = [...parts.views];
      leafId = message.structure.leafId;
    } else if (message.type === "append" && message.from === entries.length) {
      entries.push(...message.entries);
      views.push(...message.views);
      leafId = message.leafId;
    }
  }
  const ids = entries.map((each) => (each as Entry).id);
  assert.deepEqual(views.map((each) => (each as { entryId: string }).entryId), ids);
  return { ids, leafId };
}

/** Open a session to which an entry is appended before one of the answers; returns what the page shows, and the answers. */
async function opened(count: number, at: number) {
  const entries = Array.from({ length: count }, (_, number) => entry(`e${number}`, number === 0 ? null : `e${number - 1}`));
  const { daemon, append, answers } = daemonOf(entries, (number) => {
    if (number === at) append(entry("new", `e${count - 1}`));
  });
  const messages: ToPage[] = [];
  let says: (message: FromPage) => void = () => {};
  const webview = {
    html: "",
    postMessage: async (message: ToPage) => {
      messages.push(structuredClone(message));
      if (message.type === "replace") says({ type: "shown" });
    },
    onDidReceiveMessage: (listener: typeof says) => (says = listener),
  };
  const panel = { webview, onDidDispose: () => {} };
  const actions = { openFile: async () => {}, showDiff: async () => {}, showError: (error: unknown) => assert.fail(String(error)) };
  const transcript = new Transcript(panel as never, "/a.jsonl", daemon as never, fileOf(""), actions);
  const showing = transcript.show("Title");
  says({ type: "ready" });
  await showing;
  // All that is left is work that is done at once, in turns of the loop.
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(messages.filter(({ type }) => type === "notice"), []);
  return { ...shownBy(messages), expected: entries.map(({ id }) => id), answers: answers() };
}

for (const [kind, count] of [["a small session", 3], ["a session that is not read whole at first", 200]] as const) {
  test(`${kind} that grows before any answer is shown with its last entry`, async () => {
    const { answers } = await opened(count, 0);
    for (let at = 1; at <= answers; at++) {
      const { ids, leafId, expected } = await opened(count, at);
      assert.deepEqual(ids, expected, `before answer ${at}`);
      assert.equal(leafId, "new", `before answer ${at}`);
    }
  });
}
