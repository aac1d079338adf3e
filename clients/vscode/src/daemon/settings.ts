// The settings of the extension, as the daemon needs them.

import { homedir } from "node:os";

import * as vscode from "vscode";

import { Missing, type Start } from "./daemon.ts";
import { candidates, find, isExecutable, type Surroundings } from "./finding.ts";
import { startWith } from "./starting.ts";

export const INSTALLATION = "pipx install .";

/** Settings that only take effect in a new connection. */
const OF_THE_CONNECTION = ["path", "profile", "agentDirectory", "shared", "roots"];

/**
 * The settings that a connection is made with, as text that can be compared. An event of VS Code does
 * not always name what has changed, for example when it finds in a remote window that a setting is one
 * of the local machine.
 */
export function connectionSettings(): string {
  const settings = vscode.workspace.getConfiguration("sessiond");
  return JSON.stringify(OF_THE_CONNECTION.map((name) => settings.get(name)));
}

/** The folders of the workspace that are directories of this machine. */
export function localFolders(): string[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.filter(({ uri }) => uri.scheme === "file").map(({ uri }) => uri.fsPath);
}

/** Throws Missing. */
export async function startFromSettings(): Promise<Start> {
  const settings = vscode.workspace.getConfiguration("sessiond");
  const home = homedir();
  const surroundings: Surroundings = {
    setting: settings.get("path", "").trim(),
    // The content of a workspace must not decide what runs before the user trusts it.
    folders: vscode.workspace.isTrusted ? localFolders() : [],
    env: process.env,
    home,
  };
  const path = await find(surroundings, isExecutable);
  if (path === undefined) {
    throw new Missing(`The program sessiond was not found.\nThese paths were tried:\n  ${candidates(surroundings).join("\n  ")}`);
  }
  return startWith(path, home, {
    profile: settings.get("profile", "all"),
    agentDirectory: settings.get("agentDirectory", ""),
    shared: settings.get("shared", true),
    roots: settings.get<string[]>("roots", []),
  });
}
