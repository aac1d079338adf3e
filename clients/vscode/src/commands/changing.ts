// Commands that change a session: rename, delete, restore.

import * as vscode from "vscode";

import { isSessiondError, type Daemon, type SessionInfo } from "../daemon/daemon.ts";
import { titleOf } from "../sessions/texts.ts";

/** A session that was deleted in this window, and can be restored. */
export interface Deleted {
  readonly path: string;
  readonly title: string;
}

export async function rename(daemon: Daemon, info: SessionInfo): Promise<void> {
  const name = await vscode.window.showInputBox({
    title: "Rename Session",
    prompt: "An empty name removes the name; the first message is then the title.",
    value: info.name ?? "",
    placeHolder: titleOf(info),
  });
  if (name !== undefined && name !== (info.name ?? "")) await daemon.rename(info.path, name.trim());
}

/**
 * Returns whether the session is deleted. `release` closes it where this window has it open,
 * because an open session is not deleted.
 */
export async function remove(daemon: Daemon, info: SessionInfo, release: () => Promise<void>): Promise<boolean> {
  const question = `Move “${titleOf(info)}” to the trash?`;
  const chosen = await vscode.window.showWarningMessage(question, { modal: true, detail: "It can be restored." }, "Move to Trash");
  if (chosen === undefined) return false;
  await release();
  try {
    await daemon.delete(info.path);
  } catch (error) {
    if (!isSessiondError(error, "InUse")) throw error;
    const detail = "Another program has this session open. It may go on writing, and then the file appears again.";
    const anyway = await vscode.window.showWarningMessage(question, { modal: true, detail }, "Move It Anyway");
    if (anyway === undefined) return false;
    await daemon.delete(info.path, true);
  }
  return true;
}

export async function offerUndo(daemon: Daemon, deleted: Deleted): Promise<void> {
  const undo = await vscode.window.showInformationMessage(`“${deleted.title}” is in the trash.`, "Restore");
  if (undo !== undefined) await daemon.restore(deleted.path);
}

/** Restore one of the sessions that were deleted in this window. */
export async function restore(daemon: Daemon, deleted: readonly Deleted[]): Promise<string | undefined> {
  if (deleted.length === 0) {
    void vscode.window.showInformationMessage("No session was deleted in this window.");
    return undefined;
  }
  const items = deleted.map(({ path, title }) => ({ label: title, description: path, path })).reverse();
  const chosen = await vscode.window.showQuickPick(items, { title: "Restore Deleted Session", placeHolder: "Session to restore" });
  if (chosen !== undefined) await daemon.restore(chosen.path);
  return chosen?.path;
}
