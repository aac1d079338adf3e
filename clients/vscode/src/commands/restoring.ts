// The command that shows the trash, and restores a session from it.

import * as vscode from "vscode";

import type { Daemon } from "../daemon/daemon.ts";
import { exported, trashed, type TrashedSession } from "../daemon/operations.ts";
import type { ReadOnlyTexts } from "../documents.ts";
import { counted, titleOf } from "../sessions/texts.ts";
import type { Commands, Parts } from "./parts.ts";

const PREVIEW: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("open-preview"), tooltip: "Preview" };

interface Item extends vscode.QuickPickItem {
  readonly trashed: TrashedSession;
}

export function restoringCommands({ daemon, reports, transcripts, started }: Parts): Commands {
  return {
    restore: async () => {
      await started();
      const chosen = await choose(daemon, reports);
      if (chosen === undefined) return;
      await daemon.restore(chosen.path);
      const open = "Open";
      if ((await vscode.window.showInformationMessage(`“${titleOf(chosen.info)}” was restored.`, open)) === open) await transcripts.show(chosen.path);
    },
  };
}

/** Show the list; its items can be previewed before one is chosen. */
async function choose(daemon: Daemon, reports: ReadOnlyTexts): Promise<TrashedSession | undefined> {
  const box = vscode.window.createQuickPick<Item>();
  box.title = "Restore a Session from the Trash";
  box.placeholder = "Session to restore; the button at its end shows it";
  box.matchOnDetail = true;
  // The preview must not close the list.
  box.ignoreFocusOut = true;
  box.busy = true;
  try {
    return await new Promise<TrashedSession | undefined>((resolve, reject) => {
      box.onDidHide(() => resolve(undefined));
      box.onDidAccept(() => box.selectedItems[0] !== undefined && resolve(box.selectedItems[0].trashed));
      box.onDidTriggerItemButton(({ item }) => void preview(daemon, reports, item.trashed).catch(reject));
      box.show();
      trashed(daemon).then((found) => {
        box.busy = false;
        box.items = found.map(itemOf);
        if (found.length === 0) box.placeholder = "The trash contains no session";
      }, reject);
    });
  } finally {
    box.dispose();
  }
}

async function preview(daemon: Daemon, reports: ReadOnlyTexts, session: TrashedSession): Promise<void> {
  await reports.show(`${titleOf(session.info)} (in the trash).md`, await exported(daemon, session.file, "markdown", undefined), { preserveFocus: true });
}

function itemOf(session: TrashedSession): Item {
  const { deleted, info } = session;
  return {
    label: titleOf(info),
    description: deleted === undefined ? "" : `deleted ${new Date(deleted).toLocaleString()}`,
    detail: [counted(info.messageCount, "message"), info.cwd].filter((part) => part !== "").join(" · "),
    buttons: [PREVIEW],
    trashed: session,
  };
}
