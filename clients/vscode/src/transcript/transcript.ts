// One open transcript: reads the session, keeps its page equal to the file, answers its buttons.

import type * as vscode from "vscode";

import type { Daemon, Entries, OpenSession, SessionChange } from "../daemon/daemon.ts";
import { messageOf } from "../daemon/errors.ts";
import { callIn } from "./edits.ts";
import { emptyPage, type FromPage, type Place, type Tip, type ToPage } from "./messages.ts";
import { pageOf } from "./page.ts";
import { continues, outlineOf, structureOf, type Described, type Outline } from "./structure.ts";

/** Entries that are shown first; the rest of a large session follows. */
const FIRST = 150;
/** Entries in one message to the page. */
const PART = 400;

/** The last entries of a session, with what the page needs to show them. */
interface End extends Entries {
  readonly described: Described;
  readonly isWhole: boolean;
  readonly outline: Outline;
}

export interface Actions {
  readonly openFile: (path: string, line: number | undefined, cwd: string) => Promise<void>;
  readonly showDiff: (call: object, cwd: string) => Promise<void>;
  /** Tell the user that something went wrong. */
  readonly showError: (error: unknown) => void;
}

export class Transcript {
  readonly path: string;
  readonly #panel: vscode.WebviewPanel;
  readonly #daemon: Daemon;
  readonly #directory: string;
  readonly #actions: Actions;
  /** Undefined: it is not open yet, or its connection has ended. */
  #session: OpenSession | undefined;
  #opening: Promise<void> = Promise.resolve();
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
  #title = "";
  #ready: () => void = () => {};
  #answered: (place: Place | undefined) => void = () => {};
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
      this.#received(message).catch(actions.showError);
    });
    panel.onDidDispose(() => void this.close());
  }

  /** Show the page and then the session. Throws what the daemon answers. */
  async show(title: string): Promise<void> {
    this.#title = title;
    // VS Code starts the page while the daemon reads the session.
    this.#panel.webview.html = await pageOf(this.#directory, title, emptyPage(this.path));
    await this.open();
  }

  /** Open the session, if it is not open in the present connection. Throws what the daemon answers. */
  open(): Promise<void> {
    this.#opening = this.#opening.catch(() => {}).then(() => this.#open());
    return this.#opening;
  }

  /** The connection has ended, and the handle with it. The page keeps what it shows. */
  disconnected(): void {
    this.#session = undefined;
  }

  /** Show a text above the transcript, until the next change. */
  notice(text: string): void {
    this.#then(() => this.#send({ type: "notice", text }));
  }

  async #open(): Promise<void> {
    if (this.#session !== undefined || this.#closed) return;
    const session = await this.#daemon.open(this.path);
    if (this.#closed) return session.close();
    this.#session = session;
    this.#generation = session.generation;
    session.onChange((change) => {
      if (session === this.#session) this.#changed(change);
    });
    if (this.#entries.length > 0) return this.#then(() => this.#reload());
    const reading = this.#readEnd(session);
    // Changes that arrive meanwhile are shown after it.
    this.#then(async () => {
      const { described, entries, views, outline, isWhole } = await reading;
      const load = (this.#load += 1);
      this.#send({ type: "part", load, entries, views });
      this.#replace(load, described, outline, entries);
      // The end must be on the screen before the rest of a large session occupies the page.
      if (!isWhole) this.#then(() => this.#whenShown.then(() => this.#reload()));
    });
    await reading;
    return undefined;
  }

  async #readEnd(session: OpenSession): Promise<End> {
    const [described, { entries, views, total }] = await Promise.all([this.#described(session), session.last(FIRST)]);
    const isWhole = entries.length === total;
    return { described, entries, views, isWhole, outline: isWhole ? await session.outline() : outlineOf(entries) };
  }

  /** The heading of the page. */
  get title(): string {
    return this.#title;
  }

  retitle(title: string): void {
    this.#title = title;
    this.#send({ type: "title", text: title });
  }

  reveal(id: string): void {
    this.#then(() => this.#send({ type: "reveal", id }));
  }

  /** The entry at which the reader is, as the page says. */
  async entryShown(): Promise<Place | undefined> {
    await this.#whenReady;
    const answer = new Promise<Place | undefined>((resolve) => (this.#answered = resolve));
    this.#send({ type: "where" });
    return answer;
  }

  #changed(change: SessionChange): void {
    const { kind } = change;
    if (kind === "deleted") this.notice("The file of this session was deleted. This is its last state.");
    else if (kind === "invalid") this.notice("The file is no longer a session. This is its last valid state.");
    else if (kind === "lost") {
      this.disconnected();
      this.notice("The connection to sessiond was lost. This is the last state.");
    }
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
    const { entries, views } = await collected(session, last.id);
    const from = this.#entries.length;
    this.#entries.push(...entries);
    const tip = this.#tip;
    if (continues(this.#known, entries)) return this.#send({ type: "append", from, entries, views, ...tip });
    const outline = await session.outline();
    this.#known = new Set(outline.nodes.map(({ id }) => id));
    const structure = structureOf({ ...(await this.#described(session)), ...tip }, outline, this.#entries);
    return this.#send({ type: "append", from, entries, views, ...tip, structure });
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
      entries.push(...page.entries);
      this.#send({ type: "part", load, ...page });
    }
    this.#replace(load, await this.#described(session), await session.outline(), entries);
  }

  #replace(load: number, described: Described, outline: Outline, entries: object[]): void {
    this.#entries = entries;
    this.#known = new Set(outline.nodes.map(({ id }) => id));
    this.#send({ type: "replace", load, structure: structureOf(described, outline, entries) });
  }

  async #described(session: OpenSession): Promise<Described> {
    const { header, cwd } = session;
    const before = this.#tip;
    const [name, leafId] = await Promise.all([session.name(), session.leafId()]);
    // A change that arrived meanwhile has the later name and leaf.
    if (this.#tip === before) this.#tip = { name, leafId };
    return { header, cwd, ...this.#tip };
  }

  #send(message: ToPage): void {
    if (!this.#closed) void this.#panel.webview.postMessage(message);
  }

  #then(work: () => Promise<void> | void): void {
    this.#queue = this.#queue
      .then(() => this.#whenReady)
      .then(work)
      .catch((error: unknown) => {
        this.#send({ type: "notice", text: messageOf(error) });
      });
  }

  async #received(message: FromPage): Promise<void> {
    const cwd = this.#session?.cwd ?? "";
    if (message.type === "shown") this.#shown();
    else if (message.type === "ready") {
      // Later pages of this tab are new ones: VS Code ends the page of a hidden tab.
      if (this.#started) {
        this.#shown();
        this.#send({ type: "title", text: this.#title });
        this.#then(() => this.#reload());
      }
      this.#started = true;
      this.#ready();
    }
    else if (message.type === "here") this.#answered(message.place);
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

async function collected(session: OpenSession, after: string | undefined): Promise<Entries> {
  const found: Entries = { entries: [], views: [] };
  for await (const { entries, views } of session.entries(after, PART)) {
    found.entries.push(...entries);
    found.views.push(...views);
  }
  return found;
}
