// Commands that copy something about a session.

import * as vscode from "vscode";

import type { About } from "./about.ts";
import type { Commands } from "./parts.ts";

export function copyingCommands(about: About): Commands {
  return {
    copyId: about.session(async ({ info }) => vscode.env.clipboard.writeText(info.id)),
    copyPath: about.session(async ({ info }) => vscode.env.clipboard.writeText(info.path)),
    copyEntryId: about.entry(async (_, { entryId }) => vscode.env.clipboard.writeText(entryId)),
  };
}
