// Commands at an entry: label it, fork a session there, branch from it.

import * as vscode from "vscode";

import { branchFrom, branchPoint, calledOf, Continued, forkAt, forkInto, setLabel } from "../daemon/operations.ts";
import { localFolders } from "../daemon/settings.ts";
import { titleOf } from "../sessions/texts.ts";
import type { Place } from "../transcript/messages.ts";
import type { About } from "./about.ts";
import type { Commands, Known, Parts } from "./parts.ts";

const LABEL_OF_BRANCH = "branch";

export function branchingCommands(parts: Parts, about: About): Commands {
  const { daemon, transcripts } = parts;

  const showFork = async (path: string, what: string) => {
    await transcripts.show(path);
    const resume = "Resume in a Terminal";
    const can = vscode.workspace.isTrusted ? [resume] : [];
    const answer = await vscode.window.showInformationMessage(`The new session is ${what}; the old one is unchanged.`, ...can);
    if (answer === resume) await vscode.commands.executeCommand("sessiond.resume", { session: path });
  };

  const branch = async (info: Known, { entryId, endId }: Place) => {
    let point = await branchPoint(daemon, info.path, { entryId, endId });
    const { name } = point.called;
    const results = point.leafId === endId && endId !== entryId ? " and the results of its calls" : "";
    const before = point.text === undefined ? `after ${name}${results}` : `before ${name}, whose text is copied to the clipboard`;
    const label = await vscode.window.showInputBox({
      title: "Branch from Here",
      ignoreFocusOut: true,
      prompt: `The session continues ${before}. The label marks that entry in the tree.`,
      value: point.called.label || LABEL_OF_BRANCH,
      validateInput: (value) => (value.trim() === "" ? "The label must not be empty: it is what is stored in the new branch." : undefined),
    });
    if (label === undefined) return;
    for (;;) {
      try {
        await branchFrom(daemon, info.path, entryId, point, label.trim());
        break;
      } catch (error) {
        if (!(error instanceof Continued)) throw error;
        const answer = await afterConflict(titleOf(info));
        if (answer === "show") return transcripts.show(info.path, { entryId: error.tipId ?? undefined });
        if (answer === undefined) return;
        point = { ...point, tipId: error.tipId };
      }
    }
    if (point.text !== undefined) await vscode.env.clipboard.writeText(point.text);
    await transcripts.show(info.path, { entryId: point.leafId ?? entryId });
    void vscode.window.showInformationMessage(`“${titleOf(info)}” continues from here.${point.text === undefined ? "" : " The text of the message is in the clipboard."}`);
  };

  return {
    label: about.entry(async (info, { entryId }) => {
      const { name, label: before } = await calledOf(daemon, info.path, entryId);
      const prompt = `Label of ${name}. An empty text removes it.`;
      const label = await vscode.window.showInputBox({ title: "Label This Entry", prompt, value: before, ignoreFocusOut: true });
      if (label !== undefined && label.trim() !== before) await setLabel(daemon, info.path, entryId, label.trim());
    }),
    forkHere: about.entry(async (info, { entryId, endId }) => {
      const { name } = await calledOf(daemon, info.path, entryId);
      const results = endId === entryId ? "" : " and the results of its calls";
      await showFork(await forkAt(daemon, info.path, endId), `a copy up to ${name}${results}`);
    }),
    fork: about.session(async ({ info }) => {
      const cwd = await chooseDirectory(info.cwd);
      if (cwd !== undefined) await showFork(await forkInto(daemon, info.path, cwd), "a copy");
    }),
    branchHere: about.entry(branch),
    showBranch: about.entry(async (info, { entryId }) => transcripts.show(info.path, { entryId })),
  };
}

/** Another program has appended in the meantime: nothing was written, and the user decides. */
async function afterConflict(title: string): Promise<"branch" | "show" | undefined> {
  const answers = { "Branch Anyway": "branch", "Show What Is New": "show" } as const;
  const detail =
    "Nothing was written. A branch is a new continuation from an earlier entry. What the other program has written stays in the" +
    " session, and that program goes on there if it is still running.";
  const words = Object.keys(answers) as (keyof typeof answers)[];
  const answer = await vscode.window.showWarningMessage(`Another program has continued “${title}” in the meantime.`, { modal: true, detail }, ...words);
  return answer === undefined ? undefined : answers[answer];
}

/** The directory in which a copy is continued. */
async function chooseDirectory(cwd: string): Promise<string | undefined> {
  const other = "Another Directory…";
  const known = [...new Set([cwd, ...localFolders()])].filter((directory) => directory !== "");
  const items = [...known.map((label) => ({ label, description: label === cwd ? "the directory of the session" : "this workspace" })), { label: other, description: "" }];
  const chosen = await vscode.window.showQuickPick(items, { title: "Fork Session", placeHolder: "Directory in which the copy is continued", ignoreFocusOut: true });
  if (chosen?.label !== other) return chosen?.label;
  const found = await vscode.window.showOpenDialog({ title: "Fork Session", openLabel: "Fork", canSelectFolders: true, canSelectFiles: false });
  return found?.[0]?.fsPath;
}
