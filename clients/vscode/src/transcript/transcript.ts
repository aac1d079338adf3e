// One open transcript: reads the session, keeps its page equal to the file, answers its buttons.

import * as vscode from "vscode";

import type { Daemon, OpenSession, SessionChange } from "../daemon/daemon.ts";
import { callIn } from "./edits.ts";
import { emptyPage, type FromPage, type Tip, type ToPage } from "./messages.ts";
import { pageOf } from "./page.ts";
import { continues, outlineOf, structureOf, type Described, type Outline } from "./structure.ts";

/** Entries that are shown first; the rest of a large session follows. */
const FIRST = 150;
/** Entries in one message to the page. */
const PART = 400;

export interface Actions {
  readonly openFile: (path: string, line: number | undefined, cwd: string) => Promise<void>;
  readonly showDiff: (call: object, cwd: string) => Promise<void>;
}

export class Transcript {
  readonly path: string;
  readonly #panel: vscode.WebviewPanel;
  readonly #daemon: Daemon;
  readonly #directory: string;
  readonly #actions: Actions;
  #session: OpenSession | undefined;
  /** The entries that the page has, in file order. */
  #entries: object[] = [];
  #generation = 0;
  #load = 0;
  #closed = false;
  #closing: Promise<void> | undefined;
  /** Work on the page is done in order. */
  #queue: Promise<void> = Promise.resolve();
  #updateWaiting = false;
  /** Name and leaf after the last change. */
  #tip: Tip = { name: null, leafId: null };
  /** Ids of the entries in the tree. */
  #known = new Set<string>();
  #started = false;
  #ready: () => void = () => {};
  #answered: (id: string | undefined) => void = () => {};
  #shown: () => void = () => {};
  readonly #whenShown = new Promise<void>((resolve) => (this.#shown = resolve));
  readonly #whenReady = new Promise<void>((resolve) => (this.#ready = resolve));

  constructor(panel: vscode.WebviewPanel, path: string, daemon: Daemon, directory: string, actions: Actions) {
    this.#panel = panel;
    this.path = path;
    this.#daemon = daemon;
    this.#directory = directory;
    this.#actions = actions;
    panel.webview.onDidReceiveMessage((message: FromPage) => {
      this.#received(message).catch((error: unknown) => {
        void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
      });
    });
    panel.onDidDispose(() => void this.close());
  }

  /** Open the session and show it. Throws what the daemon answers. */
  async show(title: string): Promise<void> {
    // VS Code starts the page while the daemon reads the session.
    this.#panel.webview.html = await pageOf(this.#directory, title, emptyPage(this.path));
    const session = await this.#daemon.open(this.path);
    if (this.#closed) return session.close();
    this.#session = session;
    session.onChange((change) => this.#changed(change));
    const [{ entries, total }, described] = await Promise.all([session.last(FIRST), this.#described(session)]);
    const isWhole = entries.length === total;
    const outline = isWhole ? await session.outline() : outlineOf(entries);
    this.#then(() => {
      const load = (this.#load += 1);
      this.#generation = session.generation;
      this.#send({ type: "part", load, entries });
      this.#replace(load, described, outline, entries);
    });
    // The end must be on the screen before the rest of a large session occupies the page.
    if (!isWhole) this.#then(() => this.#whenShown.then(() => this.#reload()));
    return undefined;
  }

  reveal(id: string): void {
    this.#then(() => this.#send({ type: "reveal", id }));
  }

  /** The id of the entry at which the reader is, as the page says. */
  async entryShown(): Promise<string | undefined> {
    await this.#whenReady;
    const answer = new Promise<string | undefined>((resolve) => (this.#answered = resolve));
    this.#send({ type: "where" });
    return answer;
  }

  #changed(change: SessionChange): void {
    const { kind } = change;
    if (kind === "deleted") this.#notice("The file of this session was deleted. This is its last state.");
    else if (kind === "invalid") this.#notice("The file is no longer a session. This is its last valid state.");
    else if (kind === "lost") this.#notice("The connection to sessiond was lost. This is the last state.");
    else if (kind === "appended" && change.generation === this.#generation) {
      this.#tip = { name: change.name ?? null, leafId: change.leafId };
      this.#updateSoon();
    }
    else {
      if ("generation" in change) this.#generation = change.generation;
      this.#then(() => this.#reload());
    }
  }

  /** One update answers for all changes that arrived before it begins. */
  #updateSoon(): void {
    if (this.#updateWaiting) return;
    this.#updateWaiting = true;
    this.#then(() => {
      this.#updateWaiting = false;
      return this.#update();
    });
  }

  async #update(): Promise<void> {
    const session = this.#session;
    const last = this.#entries.at(-1) as { id?: unknown } | undefined;
    if (session === undefined || typeof last?.id !== "string") return this.#reload();
    const entries = await collected(session, last.id);
    const from = this.#entries.length;
    this.#entries.push(...entries);
    const tip = this.#tip;
    if (continues(this.#known, entries)) return this.#send({ type: "append", from, entries, ...tip });
    const outline = await session.outline();
    this.#known = new Set(outline.nodes.map(({ id }) => id));
    const structure = structureOf({ ...(await this.#described(session)), ...tip }, outline, this.#entries);
    return this.#send({ type: "append", from, entries, ...tip, structure });
  }

  /** Read the whole session and replace what the page shows. */
  async #reload(): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    const load = (this.#load += 1);
    this.#generation = session.generation;
    const entries: object[] = [];
    for await (const page of session.entries(undefined, PART)) {
      if (this.#closed) return;
      entries.push(...page);
      this.#send({ type: "part", load, entries: page });
    }
    this.#replace(load, await this.#described(session), await session.outline(), entries);
  }

  #replace(load: number, described: Described, outline: Outline, entries: object[]): void {
    this.#entries = entries;
    this.#known = new Set(outline.nodes.map(({ id }) => id));
    this.#tip = described;
    this.#send({ type: "replace", load, structure: structureOf(described, outline, entries) });
  }

  async #described(session: OpenSession): Promise<Described> {
    const { header, cwd } = session;
    return { header, cwd, name: await session.name(), leafId: await session.leafId() };
  }

  #notice(text: string): void {
    this.#then(() => this.#send({ type: "notice", text }));
  }

  #send(message: ToPage): void {
    if (!this.#closed) void this.#panel.webview.postMessage(message);
  }

  #then(work: () => Promise<void> | void): void {
    this.#queue = this.#queue
      .then(() => this.#whenReady)
      .then(work)
      .catch((error: unknown) => {
        this.#send({ type: "notice", text: error instanceof Error ? error.message : String(error) });
      });
  }

  async #received(message: FromPage): Promise<void> {
    const cwd = this.#session?.cwd ?? "";
    if (message.type === "shown") this.#shown();
    else if (message.type === "ready") {
      // Later pages of this tab are new ones: VS Code ends the page of a hidden tab.
      if (this.#started) {
        this.#shown();
        this.#then(() => this.#reload());
      }
      this.#started = true;
      this.#ready();
    }
    else if (message.type === "here") this.#answered(message.id);
    else if (message.type === "openFile") await this.#actions.openFile(message.path, message.line, cwd);
    else if (message.type === "diff") {
      const call = callIn(this.#entries, message.entryId, message.callId);
      if (call !== undefined) await this.#actions.showDiff(call, cwd);
    }
  }

  /** Close the handle, which belongs to the tab. */
  close(): Promise<void> {
    this.#closed = true;
    this.#closing ??= this.#session?.close() ?? Promise.resolve();
    return this.#closing;
  }
}

async function collected(session: OpenSession, after: string | undefined): Promise<object[]> {
  const entries: object[] = [];
  for await (const page of session.entries(after, PART)) entries.push(...page);
  return entries;
}
