// The messages between the extension and the page of a transcript.

import type { ViewItem } from "sessiond-client";

/** A session in the form of the exported page; entries refer to others by index. */
export interface PageData {
  readonly header: unknown;
  readonly cwd: string;
  readonly name: string | null;
  readonly leafId: string | null;
  readonly labels: readonly (readonly [string, string])[];
  readonly roots: readonly number[];
  readonly children: readonly (readonly [number, readonly number[]])[];
  readonly entries: readonly object[];
  /** What a person sees of each entry. */
  readonly views: readonly ViewItem[];
  /** Path of the session file; the page keeps it for the next start of VS Code. */
  readonly path: string;
}

/** A page whose session is still read: VS Code starts the page meanwhile. */
export function emptyPage(path: string): PageData {
  return { header: null, cwd: "", name: null, leafId: null, labels: [], roots: [], children: [], entries: [], views: [], path };
}

/** An entry of a transcript. */
export interface Place {
  readonly entryId: string;
  /** Id of the last result of its tool calls, otherwise its own: where a copy of the branch ends. */
  readonly endId: string;
}

/** What the page remembers when VS Code ends it. */
export interface PageState {
  readonly path: string;
  /** Id of the entry in view; undefined: the page follows the end. */
  readonly here?: string | undefined;
}

/** Everything but the entries and the path. */
export type Structure = Omit<PageData, "entries" | "views" | "path">;

/** What an append changes besides the entries. */
export interface Tip {
  readonly name: string | null;
  readonly leafId: string | null;
}

export type ToPage =
  /** Entries that come later as parts of one session, in file order. */
  | { readonly type: "part"; readonly load: number; readonly entries: readonly object[]; readonly views: readonly ViewItem[] }
  /** The parts are complete: show them in place of everything shown so far. */
  | { readonly type: "replace"; readonly load: number; readonly structure: Structure }
  /** Entries that were appended. Without a structure each is below its parent, and labels are as before. */
  | ({ readonly type: "append"; readonly from: number; readonly entries: readonly object[]; readonly views: readonly ViewItem[] } & Tip & { readonly structure?: Structure })
  | { readonly type: "notice"; readonly text: string }
  | { readonly type: "reveal"; readonly id: string }
  /** The title of the session has changed. */
  | { readonly type: "title"; readonly text: string }
  /** Asks for `here`. */
  | { readonly type: "where" };

export type FromPage =
  /** The page is there, without entries; it says so again whenever VS Code has made it anew. */
  | { readonly type: "ready" }
  /** What the page has been sent is on the screen. */
  | { readonly type: "shown" }
  /** The entry at which the reader is, if it has an id. */
  | { readonly type: "here"; readonly place: Place | undefined }
  | { readonly type: "openFile"; readonly path: string; readonly line: number | undefined }
  | { readonly type: "diff"; readonly entryId: string; readonly callId: string };
