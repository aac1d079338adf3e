// The commands that check a session and repair it. The plan is shown first, and the user agrees to it.

import * as vscode from "vscode";

import { planOf, repair, type RepairResult } from "../daemon/operations.ts";
import { counted, titleOf } from "../sessions/texts.ts";
import type { About } from "./about.ts";
import type { Commands, Known, Parts } from "./parts.ts";
import { planText, samePlan } from "./plans.ts";

interface Plan {
  readonly info: Known;
  readonly plan: RepairResult;
}

export function repairingCommands({ daemon, reports, plans: documents }: Parts, about: About): Commands {
  /** The plans that are shown, by the address of their document. */
  const plans = new Map<string, Plan>();

  const show = async (info: Known, plan: RepairResult, words: string) => {
    const title = titleOf(info);
    const text = planText(title, info.path, plan);
    if (plan.actions.length === 0) {
      await reports.show(`Check of ${title}`, text);
      void vscode.window.showInformationMessage(`${words}${counted(plan.problems.length, "problem")} in “${title}”; a repair would change nothing.`);
      return;
    }
    const uri = await documents.show(`Repair of ${title}`, text);
    plans.set(uri.toString(), { info, plan });
    const question = `${words}Repair “${title}” as the document describes? The present file is kept as a backup.`;
    if ((await vscode.window.showWarningMessage(question, "Repair")) === "Repair") await apply(uri);
  };

  const apply = async (uri: vscode.Uri): Promise<void> => {
    const found = plans.get(uri.toString());
    if (found === undefined) throw new Error("This plan has been carried out, or is no longer valid. Check the session again.");
    plans.delete(uri.toString());
    const { info, plan } = found;
    const now = await planOf(daemon, info.path);
    // The user has agreed to this plan and no other.
    if (!samePlan(plan, now)) return show(info, now, "The file has changed since. ");
    const { backup } = await repair(daemon, info.path);
    const compare = "Compare with the Backup";
    const text = `“${titleOf(info)}” was repaired.`;
    const answer = await vscode.window.showInformationMessage(text, ...(backup === undefined ? [] : [compare]));
    if (answer === compare && backup !== undefined) {
      await vscode.commands.executeCommand("vscode.diff", vscode.Uri.file(backup), vscode.Uri.file(info.path), `${titleOf(info)} (backup ↔ repaired)`);
    }
  };

  return {
    check: about.session(async ({ info }) => {
      const plan = await planOf(daemon, info.path);
      if (plan.problems.length > 0 || plan.actions.length > 0) await show(info, plan, "");
      else void vscode.window.showInformationMessage(`No problem was found in “${titleOf(info)}”.`);
    }),
    repair: async (given?: vscode.Uri) => {
      const uri = given ?? vscode.window.activeTextEditor?.document.uri;
      if (uri !== undefined) await apply(uri);
    },
  };
}
