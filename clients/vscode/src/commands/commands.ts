// The commands of the palette and of the menus.

import * as vscode from "vscode";

import { INSTALLATION } from "../daemon/settings.ts";
import { aboutOf } from "./about.ts";
import { branchingCommands } from "./branching.ts";
import { changingCommands } from "./changing.ts";
import { copyingCommands } from "./copying.ts";
import { exportingCommands } from "./exporting.ts";
import { listingCommands } from "./listing.ts";
import type { Commands, Parts } from "./parts.ts";
import { repairingCommands } from "./repairing.ts";
import { restoringCommands } from "./restoring.ts";
import { resumingCommands } from "./resuming.ts";
import { said } from "./said.ts";
import { usageCommands } from "./usage.ts";

export function registerCommands(parts: Parts): vscode.Disposable[] {
  const { log } = parts;
  const about = aboutOf(parts);
  const commands: Commands = {
    ...listingCommands(parts),
    ...changingCommands(parts, about),
    ...restoringCommands(parts),
    ...branchingCommands(parts, about),
    ...exportingCommands(parts, about),
    ...repairingCommands(parts, about),
    ...resumingCommands(parts, about),
    ...copyingCommands(about),
    ...usageCommands(parts),
    showLog: () => log.show(),
    restart: parts.restart,
    showInstallation,
  };
  return Object.entries(commands).map(([name, run]) =>
    vscode.commands.registerCommand(`sessiond.${name}`, (...given: unknown[]) => said(log, () => run(...(given as never[])))),
  );
}

async function showInstallation(): Promise<void> {
  const copy = "Copy the Command";
  const text = "sessiond is a Python program (3.11 or later). Install it in a terminal, in a checkout of it, with:";
  const answer = await vscode.window.showInformationMessage(text, { modal: true, detail: INSTALLATION }, copy);
  if (answer === copy) await vscode.env.clipboard.writeText(INSTALLATION);
}
