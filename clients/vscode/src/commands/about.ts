// Finds the session, or the entry of a transcript, that a command is about.

import * as vscode from "vscode";

import { described } from "../daemon/operations.ts";
import { descriptionOf, directed, titleOf } from "../sessions/texts.ts";
import type { Row } from "../sessions/rows.ts";
import type { Place } from "../transcript/messages.ts";
import type { Known, Parts, Target } from "./parts.ts";

/** What VS Code passes to a command of the context menu of a transcript: the path of the session, and an entry if it was on one. */
interface PageContext extends Partial<Place> {
  readonly session: string;
}

/** What the manifest passes with a key of the view. VS Code replaces it by the focused row, as for the buttons of views. */
interface OfView {
  readonly $treeViewId: string;
}

/** What VS Code passes: nothing from the palette. */
type Given = readonly [about?: Row | PageContext | OfView | undefined, others?: unknown];

export interface About {
  /** A command about a session: that of the menu, the transcript that is shown, the selected row, or a choice. */
  session(work: (target: Target) => Promise<unknown>): (...given: Given) => Promise<void>;
  /** A command about an entry: that of the menu, or the one at which the transcript is. */
  entry(work: (info: Known, place: Place) => Promise<unknown>): (...given: Given) => Promise<void>;
}

export function aboutOf(parts: Parts): About {
  const known = async (path: string, place?: Place): Promise<Target> => {
    // A session that was just created is not in the list yet.
    return { info: parts.catalogue.get(path) ?? (await described(parts.daemon, path)), place };
  };
  const selected = (): Target | undefined => {
    const row = parts.tree.selection[0];
    return row?.kind === "session" ? { info: row.info, place: undefined } : undefined;
  };
  const find = async (all: Given): Promise<Target | undefined> => {
    const given = givenIn(all);
    if (given !== undefined && "kind" in given) return given.kind === "session" ? { info: given.info, place: undefined } : undefined;
    await parts.started();
    if (given !== undefined && "session" in given) {
      const { session, entryId, endId = entryId } = given;
      return known(session, entryId === undefined || endId === undefined ? undefined : { entryId, endId });
    }
    if (given !== undefined && "$treeViewId" in given) return selected();
    const active = parts.transcripts.active;
    if (active !== undefined) return known(active);
    return (parts.tree.visible ? selected() : undefined) ?? pick(parts);
  };
  return {
    session: (work) => async (...given) => {
      const target = await find(given);
      if (target !== undefined) await work(target);
    },
    entry: (work) => async (...given) => {
      const target = await find(given);
      if (target === undefined) return;
      const place = target.place ?? (await parts.transcripts.entryShown(target.info.path));
      if (place === undefined) throw new Error("No entry of the transcript is chosen.");
      await work(target.info, place);
    },
  };
}

/**
 * What a command is about; undefined: it comes from the palette. VS Code forgets the rows while it reads
 * the list again: then it passes nothing for a row, and the command must not be about another session.
 */
export function givenIn<T>(given: readonly [about?: T | undefined, others?: unknown]): T | undefined {
  const isLost = given.length > 0 && given[0] === undefined && (given[1] === undefined || Array.isArray(given[1]));
  if (isLost) throw new Error("The list has changed in the meantime. Choose the command again.");
  return given[0];
}

/** Let the user choose one of the sessions, the latest first. */
export async function pick({ catalogue, writers }: Parts): Promise<Target | undefined> {
  const sessions = catalogue.groups([]).flatMap((group) => group.sessions);
  const items = sessions.map((info) => ({
    label: titleOf(info),
    description: descriptionOf(info, { now: Date.now(), cost: catalogue.costOf(info.path), writing: writers.isWriting(info.path) }),
    detail: directed(info.cwd),
    info,
  }));
  const chosen = await vscode.window.showQuickPick(items, { title: "Choose a Session", matchOnDetail: true });
  return chosen === undefined ? undefined : { info: chosen.info, place: undefined };
}
