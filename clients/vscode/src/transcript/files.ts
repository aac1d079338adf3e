// Opens the files that a transcript names: in an editor, or in the diff editor of VS Code.

import { homedir } from "node:os";
import { basename, isAbsolute, join } from "node:path";

import * as vscode from "vscode";

import { messageOf } from "../daemon/errors.ts";
import { expanded } from "../daemon/finding.ts";
import { ReadOnlyTexts } from "../documents.ts";
import { editOf, sidesOf } from "./edits.ts";
import type { Actions } from "./transcript.ts";

const SCHEME = "sessiond-edit";
const NOTES = { applied: "before the edit ↔ now", proposed: "now ↔ with the edit", parts: "the changed texts" };

/** Beside the transcript, so that both can be read. */
const BESIDE = { viewColumn: vscode.ViewColumn.Beside, preview: true };

export function fileActions(subscriptions: vscode.Disposable[]): Actions {
  const texts = new ReadOnlyTexts(SCHEME);
  subscriptions.push(texts);
  return {
    openFile: async (path, line, cwd) => {
      const uri = uriOf(path, cwd);
      try {
        const document = await vscode.workspace.openTextDocument(uri);
        const at = new vscode.Position(Math.max(0, Math.min((line ?? 1) - 1, document.lineCount - 1)), 0);
        await vscode.window.showTextDocument(document, { ...BESIDE, selection: new vscode.Range(at, at) });
      } catch {
        void vscode.window.showWarningMessage(`The file cannot be opened: ${uri.fsPath}`);
      }
    },
    showDiff: async (call, cwd) => {
      const edit = editOf(call);
      if (edit === undefined) return;
      const uri = uriOf(edit.path, cwd);
      const { before, after, note } = sidesOf(edit, await contentOf(uri));
      const left = texts.add(uri.path, before);
      const right = after === undefined ? uri : texts.add(uri.path, after);
      await vscode.commands.executeCommand("vscode.diff", left, right, `${basename(uri.path)} (${NOTES[note]})`, BESIDE);
    },
    showError: (error) => void vscode.window.showErrorMessage(messageOf(error)),
  };
}

/** A path of a tool call: relative ones begin at the directory of the session. */
function uriOf(path: string, cwd: string): vscode.Uri {
  const whole = expanded(path, homedir());
  return vscode.Uri.file(isAbsolute(whole) ? whole : join(cwd, whole));
}

async function contentOf(uri: vscode.Uri): Promise<string | undefined> {
  try {
    return (await vscode.workspace.openTextDocument(uri)).getText();
  } catch {
    return undefined;
  }
}
