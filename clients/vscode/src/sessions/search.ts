// The search in all sessions: results with the words around each hit, while the user types.

import * as vscode from "vscode";

import type { Daemon, SearchHit } from "../daemon/daemon.ts";
import { firstLineOf } from "../daemon/errors.ts";
import { ageOf, directed, titleOf } from "./texts.ts";

const PAUSE = 120;

interface Item extends vscode.QuickPickItem {
  readonly path: string;
  readonly entryId: string | undefined;
}

export function search(daemon: Daemon, open: (path: string, entryId?: string) => void): void {
  const box = vscode.window.createQuickPick<Item>();
  box.title = "Search in all sessions";
  box.placeholder = 'Words and "phrases" in names, messages, directories and ids';
  // The daemon has found the items already; VS Code would hide those whose text does not match.
  (box as unknown as { sortByLabel: boolean }).sortByLabel = false;
  let running: AbortController | undefined;
  let waiting: NodeJS.Timeout | undefined;
  const run = async (query: string) => {
    running?.abort();
    if (query.trim() === "") {
      box.items = [];
      box.busy = false;
      return;
    }
    const own = (running = new AbortController());
    box.busy = true;
    try {
      const hits = await daemon.search(query, own.signal);
      if (own.signal.aborted) return;
      box.items = hits.flatMap(itemsOf);
      if (hits.length === 0) box.items = [{ label: "No session found", alwaysShow: true, path: "", entryId: undefined }];
    } catch (error) {
      if (own.signal.aborted) return;
      box.items = [{ label: firstLineOf(error), alwaysShow: true, path: "", entryId: undefined }];
    }
    box.busy = false;
  };
  box.onDidChangeValue((value) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => void run(value), PAUSE);
  });
  box.onDidAccept(() => {
    const [item] = box.selectedItems;
    if (item === undefined || item.path === "") return;
    box.hide();
    open(item.path, item.entryId);
  });
  box.onDidHide(() => {
    clearTimeout(waiting);
    running?.abort();
    box.dispose();
  });
  box.show();
}

/** One item for each snippet; the session itself if it was found by its name, directory or id. */
function itemsOf({ info, snippets }: SearchHit): Item[] {
  const label = `$(comment-discussion) ${plain(titleOf(info))}`;
  const description = `${ageOf(info.modified, Date.now())} · ${directed(info.cwd)}`;
  const common = { label, description, alwaysShow: true, path: info.path };
  if (snippets.length === 0) return [{ ...common, entryId: undefined }];
  return snippets.map(({ entryId, role, text }) => ({
    ...common,
    detail: `${role === "user" ? "You" : "Assistant"}: ${plain(directed(text))}`,
    entryId: entryId || undefined,
  }));
}

/** A text without the signs of an icon, `$(name)`. */
const plain = (text: string) => text.replace(/\$\(/g, "$\u200b(");
