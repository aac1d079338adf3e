// What the commands work with.

import type * as vscode from "vscode";

import type { Daemon, SessionInfo } from "../daemon/daemon.ts";
import type { ReadOnlyTexts } from "../documents.ts";
import type { Catalogue } from "../sessions/catalogue.ts";
import type { Costs } from "../sessions/costs.ts";
import type { Row } from "../sessions/rows.ts";
import type { SessionsView } from "../sessions/view.ts";
import type { Writers } from "../sessions/writers.ts";
import type { Place } from "../transcript/messages.ts";
import type { Transcripts } from "../transcript/transcripts.ts";

export interface Parts {
  readonly daemon: Daemon;
  readonly catalogue: Catalogue;
  readonly costs: Costs;
  readonly writers: Writers;
  readonly view: SessionsView;
  readonly tree: vscode.TreeView<Row>;
  readonly transcripts: Transcripts;
  readonly reports: ReadOnlyTexts;
  /** Plans of repairs: their editors have a button. */
  readonly plans: ReadOnlyTexts;
  readonly log: vscode.LogOutputChannel;
  /** Start the daemon and read the list, unless that was done. */
  readonly started: () => Promise<void>;
  readonly restart: () => Promise<void>;
}

/** Commands by their names without `sessiond.`; they get what VS Code passes to a command. */
export type Commands = Readonly<Record<string, (...given: never[]) => unknown>>;

/** What commands need to know of a session. */
export type Known = Pick<SessionInfo, "path" | "id" | "cwd" | "name" | "firstMessage" | "inUse" | "agent"> & Pick<Partial<SessionInfo>, "marks">;

/** The session that a command is about, and an entry of it if one was chosen. */
export interface Target {
  readonly info: Known;
  readonly place: Place | undefined;
}
