// The command that starts the agent on a session in a terminal.

import { homedir } from "node:os";
import { stat } from "node:fs/promises";

import * as vscode from "vscode";

import { expanded } from "../daemon/finding.ts";
import { described, forkInto } from "../daemon/operations.ts";
import { localFolders } from "../daemon/settings.ts";
import { titleOf } from "../sessions/texts.ts";
import type { About } from "./about.ts";
import type { Commands, Known, Parts } from "./parts.ts";
import { commandLine, defaultCommand, directoryVariable } from "./shell.ts";

export function resumingCommands({ daemon, writers, transcripts }: Parts, about: About): Commands {
  /** The session to resume: itself, or a copy if another program is working in it. */
  const free = async (info: Known): Promise<Known | undefined> => {
    if (info.inUse === undefined && !writers.isWriting(info.path)) return info;
    const fork = "Fork and Resume the Copy";
    const anyway = "Resume Anyway";
    const text = `Another program ${info.inUse === undefined ? "is writing to" : "has opened"} “${titleOf(info)}”.`;
    const detail = "Two agents in one session write to different branches, and each knows only its own.";
    const answer = await vscode.window.showWarningMessage(text, { modal: true, detail }, fork, anyway);
    if (answer === anyway) return info;
    return answer === fork ? described(daemon, await forkInto(daemon, info.path, info.cwd)) : undefined;
  };

  return {
    resume: about.session(async ({ info }) => {
      if (!vscode.workspace.isTrusted) throw new Error("An agent is not started in a workspace that is not trusted.");
      const settings = vscode.workspace.getConfiguration("sessiond");
      const chosenProfile = settings.get("profile", "all");
      const profile = info.agent ?? (chosenProfile === "all" ? "pi" : chosenProfile);
      const command = settings.get("resumeCommand", "").trim() || defaultCommand(profile);
      if (command === undefined) return askForCommand(profile);
      const cwd = await directoryFor(info.cwd);
      if (cwd === undefined) return;
      const chosen = await free(info);
      if (chosen === undefined) return;
      const line = commandLine(command, { file: chosen.path, id: chosen.id, cwd }, vscode.env.shell);
      const directory = settings.get("agentDirectory", "").trim();
      const variable = directoryVariable(profile);
      const env = directory === "" || variable === undefined ? {} : { [variable]: expanded(directory, homedir()) };
      const terminal = vscode.window.createTerminal({ name: titleOf(info), cwd, env, iconPath: new vscode.ThemeIcon("comment-discussion") });
      terminal.show();
      terminal.sendText(line);
      if (chosen !== info) await transcripts.show(chosen.path, { preserveFocus: true });
    }),
  };
}

async function askForCommand(profile: string): Promise<void> {
  const open = "Open the Setting";
  const text = `No command is known that resumes sessions of ${profile}. Set one in sessiond.resumeCommand.`;
  const answer = await vscode.window.showInformationMessage(text, open);
  if (answer === open) await vscode.commands.executeCommand("workbench.action.openSettings", "sessiond.resumeCommand");
}

/** The directory of a session, or another one if it is missing and the user agrees. */
async function directoryFor(cwd: string): Promise<string | undefined> {
  const exists = await stat(cwd).then((found) => found.isDirectory(), () => false);
  if (exists) return cwd;
  const instead = localFolders()[0] ?? homedir();
  const detail = cwd === "" ? "The session names no directory." : `The directory of the session is missing: ${cwd}`;
  const here = `Start in ${instead}`;
  return (await vscode.window.showWarningMessage("Resume the session in another directory?", { modal: true, detail }, here)) === here ? instead : undefined;
}
