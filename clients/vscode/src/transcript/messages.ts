// The messages between the extension and the page of a transcript.

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
  /** Path of the session file; the page keeps it for the next start of VS Code. */
  readonly path: string;
}

/** Everything but the entries and the path. */
export type Structure = Omit<PageData, "entries" | "path">;

export type ToPage =
  /** Entries that come later as parts of one session, in file order. */
  | { readonly type: "part"; readonly load: number; readonly entries: readonly object[] }
  /** The parts are complete: show them in place of everything shown so far. */
  | { readonly type: "replace"; readonly load: number; readonly structure: Structure }
  /** Entries that were appended, and the present structure. */
  | { readonly type: "append"; readonly from: number; readonly entries: readonly object[]; readonly structure: Structure }
  | { readonly type: "notice"; readonly text: string }
  | { readonly type: "reveal"; readonly id: string }
  /** Asks for `here`. */
  | { readonly type: "where" };

export type FromPage =
  /** The page is there; `count` is the number of entries that it has. */
  | { readonly type: "ready"; readonly count: number }
  /** The entry at which the reader is, if it has an id. */
  | { readonly type: "here"; readonly id: string | undefined }
  | { readonly type: "openFile"; readonly path: string; readonly line: number | undefined }
  | { readonly type: "diff"; readonly entryId: string; readonly callId: string };
