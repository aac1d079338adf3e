// The command that exports a session, or a branch of it, to a file.

import { homedir } from "node:os";
import { join } from "node:path";

import * as vscode from "vscode";

import { calledOf, exportTo, exported, type ExportFormat } from "../daemon/operations.ts";
import { localFolders } from "../daemon/settings.ts";
import { titleOf } from "../sessions/texts.ts";
import type { About } from "./about.ts";
import { fileNameOf } from "./names.ts";
import type { Commands, Parts, Target } from "./parts.ts";

const FORMATS: readonly { readonly label: string; readonly detail: string; readonly format: ExportFormat; readonly extension: string }[] = [
  { label: "Page (HTML)", detail: "One file with all branches, the tree and a search. It needs no network.", format: "html", extension: "html" },
  { label: "Markdown", detail: "The branch as text.", format: "markdown", extension: "md" },
  { label: "JSON lines", detail: "The branch as a session file, as pi exports it.", format: "jsonl", extension: "jsonl" },
];

export function exportingCommands({ daemon }: Parts, about: About): Commands {
  const run = async ({ info, place }: Target) => {
    const entryId = place?.endId;
    const title = place === undefined ? "Export Session" : "Export the Branch up to This Entry";
    const what = place === undefined ? "" : ` of the branch up to ${(await calledOf(daemon, info.path, place.entryId)).name}`;
    const chosen = await vscode.window.showQuickPick(FORMATS, { title, placeHolder: `Format${what}`, matchOnDetail: true, ignoreFocusOut: true });
    if (chosen === undefined) return;
    const { format, extension } = chosen;
    const target = await vscode.window.showSaveDialog({
      title,
      saveLabel: "Export",
      defaultUri: vscode.Uri.file(join(localFolders()[0] ?? homedir(), `${fileNameOf(titleOf(info))}.${extension}`)),
      filters: { [chosen.label]: [extension] },
    });
    if (target === undefined) return;
    if (target.scheme === "file") await exportTo(daemon, info.path, format, entryId, target.fsPath);
    else await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(await exported(daemon, info.path, format, entryId)));
    const open = "Open";
    if ((await vscode.window.showInformationMessage(`Exported to ${target.fsPath}`, open)) !== open) return;
    if (format === "html") await vscode.env.openExternal(target);
    else await vscode.window.showTextDocument(target);
  };
  return { export: about.session(run), exportBranch: about.entry((info, place) => run({ info, place })) };
}
