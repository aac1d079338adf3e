// Values that conditions in the manifest ask for.

import * as vscode from "vscode";

/** Set `sessiond.<name>`, as conditions (`when`) name it. */
export async function setContext(name: string, value: unknown): Promise<void> {
  await vscode.commands.executeCommand("setContext", `sessiond.${name}`, value);
}
