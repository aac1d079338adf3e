// The command that shows the usage of all sessions.

import * as vscode from "vscode";

import { usage } from "../daemon/operations.ts";
import type { Commands, Parts } from "./parts.ts";
import { GROUPINGS, usageText } from "./tables.ts";

export function usageCommands({ daemon, reports }: Parts): Commands {
  return {
    usage: async () => {
      const chosen = await vscode.window.showQuickPick(GROUPINGS, { title: "Usage of All Sessions", placeHolder: "Tokens and cost", ignoreFocusOut: true });
      if (chosen === undefined) return;
      const working = { location: vscode.ProgressLocation.Notification, title: "Adding up the usage of all sessions…" };
      const found = await vscode.window.withProgress(working, () => usage(daemon, chosen.by));
      await reports.show(`Usage ${chosen.label.toLowerCase()}`, usageText(chosen.by, found));
    },
  };
}
