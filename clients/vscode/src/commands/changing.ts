// Commands that change a session as a whole: rename and delete.

import * as vscode from "vscode";

import { isSessiondError, type Daemon } from "../daemon/daemon.ts";
import { titleOf } from "../sessions/texts.ts";
import type { About } from "./about.ts";
import type { Commands, Known, Parts } from "./parts.ts";

export function changingCommands({ daemon, transcripts }: Parts, about: About): Commands {
  return {
    rename: about.session(async ({ info }) => rename(daemon, info)),
    pin: about.session(({ info }) => daemon.mark(info.path, { pinned: info.marks?.pinned !== true })),
    hide: about.session(({ info }) => daemon.mark(info.path, { hidden: info.marks?.hidden !== true })),
    tag: about.session(({ info }) => tag(daemon, info)),
    delete: about.session(async ({ info }) => {
      if (!(await remove(daemon, info, () => transcripts.show(info.path)))) return;
      await transcripts.close(info.path);
      const restore = "Restore";
      if ((await vscode.window.showInformationMessage(`“${titleOf(info)}” is in the trash.`, restore)) === restore) await daemon.restore(info.path);
    }),
  };
}

async function rename(daemon: Daemon, info: Known): Promise<void> {
  const name = await vscode.window.showInputBox({
    title: "Rename Session",
    prompt: "An empty name removes the name; the first message is then the title.",
    value: info.name ?? "",
    placeHolder: titleOf(info),
    ignoreFocusOut: true,
  });
  if (name !== undefined && name !== (info.name ?? "")) await daemon.rename(info.path, name.trim());
}

async function tag(daemon: Daemon, info: Known): Promise<void> {
  const before = info.marks?.tags ?? [];
  const text = await vscode.window.showInputBox({
    title: "Tag Session",
    prompt: "Words with spaces between them. The filter of the list finds them.",
    value: before.join(" "),
    ignoreFocusOut: true,
  });
  if (text === undefined) return;
  const tags = text.split(/\s+/).filter((word) => word !== "");
  await daemon.mark(info.path, { addTags: tags, removeTags: before.filter((word) => !tags.includes(word)) });
}

/** Returns whether the session is deleted. */
async function remove(daemon: Daemon, info: Known, show: () => Promise<void>): Promise<boolean> {
  const question = `Move “${titleOf(info)}” to the trash?`;
  const chosen = await vscode.window.showWarningMessage(question, { modal: true, detail: "It can be restored." }, "Move to Trash");
  if (chosen === undefined) return false;
  try {
    await daemon.delete(info.path);
  } catch (error) {
    if (!isSessiondError(error, "InUse")) throw error;
    const anyway = "Move It Anyway";
    const look = "Show Session";
    const detail = `${error.message}\nIf that program goes on writing, the file appears again.`;
    const answer = await vscode.window.showWarningMessage(question, { modal: true, detail }, anyway, look);
    if (answer === look) await show();
    if (answer !== anyway) return false;
    await daemon.delete(info.path, true);
  }
  return true;
}
