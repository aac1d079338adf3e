// All open transcripts: one tab for each session, which is there again after VS Code was restarted.

import * as vscode from "vscode";

import type { Daemon } from "../daemon/daemon.ts";
import { firstLineOf, isAnswer } from "../daemon/errors.ts";
import type { Place } from "./messages.ts";
import { Transcript, type Actions } from "./transcript.ts";

const VIEW = "sessiond.transcript";

/** Tabs whose page is kept while they are hidden; those beyond it are made anew when they are shown. */
const RETAINED = 6;

interface Shown {
  readonly entryId?: string | undefined;
  readonly preserveFocus?: boolean;
}

export class Transcripts implements vscode.WebviewPanelSerializer {
  readonly #open = new Map<string, { transcript: Transcript; panel: vscode.WebviewPanel }>();
  readonly #daemon: Daemon;
  readonly #directory: string;
  readonly #actions: Actions;
  readonly #titleOf: (path: string) => string | undefined;

  constructor(daemon: Daemon, directory: string, actions: Actions, titleOf: (path: string) => string | undefined) {
    this.#daemon = daemon;
    this.#directory = directory;
    this.#actions = actions;
    this.#titleOf = titleOf;
  }

  register(): vscode.Disposable {
    return vscode.window.registerWebviewPanelSerializer(VIEW, this);
  }

  /**
   * Show a session, and in it an entry. With `preserveFocus` the keys stay where they are, as when
   * a file is chosen in the explorer; but VS Code gives them to a page with a find widget when it hides
   * that page (its issue 248324). Throws what the daemon answers.
   */
  async show(path: string, { entryId, preserveFocus = false }: Shown = {}): Promise<void> {
    const known = this.#open.get(path);
    if (known !== undefined) {
      known.panel.reveal(undefined, preserveFocus);
      if (entryId !== undefined) known.transcript.reveal(entryId);
      return;
    }
    const title = this.#titleOf(path) ?? "Session";
    const panel = vscode.window.createWebviewPanel(VIEW, shortened(title), { viewColumn: vscode.ViewColumn.Active, preserveFocus }, {
      ...OPTIONS,
      retainContextWhenHidden: this.#open.size < RETAINED,
      enableFindWidget: true,
    });
    const transcript = this.#add(panel, path);
    try {
      await transcript.show(title);
      if (entryId !== undefined) transcript.reveal(entryId);
    } catch (error) {
      panel.dispose();
      throw error;
    }
  }

  /** The path of the session whose transcript is the active editor. */
  get active(): string | undefined {
    for (const [path, { panel }] of this.#open) if (panel.active) return path;
    return undefined;
  }

  /** The entry at which the reader of a session is; undefined if it is not open. */
  async entryShown(path: string): Promise<Place | undefined> {
    return this.#open.get(path)?.transcript.entryShown();
  }

  /** Close the tab of a session, and wait until its handle is closed. */
  async close(path: string): Promise<void> {
    const known = this.#open.get(path);
    known?.panel.dispose();
    await known?.transcript.close();
  }

  /** After a restart of VS Code: the page kept the path of its session. */
  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const path = (state as { path?: unknown } | undefined)?.path;
    if (typeof path !== "string") return panel.dispose();
    panel.webview.options = OPTIONS;
    const transcript = this.#add(panel, path);
    await transcript.show(this.#titleOf(path) ?? panel.title).catch((error: unknown) => {
      // Without an answer the session is shown as soon as there is a connection.
      if (!isAnswer(error)) return transcript.notice(firstLineOf(error));
      panel.dispose();
      this.#actions.showError(error);
    });
  }

  /** The connection has ended: the tabs stay as they are until `open`. */
  disconnected(): void {
    for (const { transcript } of this.#open.values()) transcript.disconnected();
  }

  /** Open the sessions of the tabs that are not open, in a new connection. */
  async open(): Promise<void> {
    const opened = [...this.#open.values()].map(({ transcript }) =>
      transcript.open().catch((error: unknown) => transcript.notice(firstLineOf(error))));
    await Promise.all(opened);
  }

  /** Set the titles of the tabs and the headings of their pages again. */
  retitle(): void {
    for (const [path, { panel, transcript }] of this.#open) {
      const title = this.#titleOf(path);
      if (title === undefined || title === transcript.title) continue;
      panel.title = shortened(title);
      transcript.retitle(title);
    }
  }

  #add(panel: vscode.WebviewPanel, path: string): Transcript {
    const transcript = new Transcript(panel, path, this.#daemon, this.#directory, this.#actions);
    this.#open.set(path, { transcript, panel });
    panel.onDidDispose(() => this.#open.delete(path));
    return transcript;
  }
}

/** Scripts are needed; everything else that a webview could do is off. */
const OPTIONS: vscode.WebviewOptions = { enableScripts: true, enableForms: false, localResourceRoots: [] };

const shortened = (title: string) => (title.length > 40 ? `${title.slice(0, 39).replace(/\p{Surrogate}$/u, "")}…` : title);
