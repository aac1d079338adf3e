// Runs commands, and says what went wrong.

import * as vscode from "vscode";

import { Missing } from "../daemon/daemon.ts";
import { firstLineOf, isRetryable } from "../daemon/errors.ts";

/** Run a command; an error becomes a message with what can be done about it. */
export async function said(log: vscode.LogOutputChannel, work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
    if (error instanceof Missing) {
      const how = "Show How to Install It";
      const answer = await vscode.window.showErrorMessage("The program sessiond was not found.", how);
      if (answer === how) await vscode.commands.executeCommand("sessiond.showInstallation");
      return;
    }
    const show = "Show Log";
    const again = "Try Again";
    // After Busy or a full disk nothing was written, and the same command can succeed later.
    const text = firstLineOf(error);
    const answer = await vscode.window.showErrorMessage(text || "sessiond failed", ...(isRetryable(error) ? [again] : []), show);
    if (answer === show) log.show();
    if (answer === again) await said(log, work);
  }
}
