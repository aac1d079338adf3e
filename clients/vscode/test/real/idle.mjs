// An extension that does nothing, to compare with: its activation, its views of one row, its page.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

const MANIFEST = {
  name: "idle",
  publisher: "idle",
  displayName: "Idle",
  version: "0.0.1",
  engines: { vscode: "^1.95.0" },
  main: "./main.js",
  contributes: {
    commands: [
      { command: "idle.run", title: "Run", category: "Idle" },
      { command: "idle.page", title: "Page", category: "Idle" },
    ],
    viewsContainers: {
      activitybar: [
        { id: "idle", title: "Idle", icon: "icon.svg" },
        { id: "second", title: "Second", icon: "icon.svg" },
      ],
    },
    views: { idle: [{ id: "idle.rows", name: "Idle" }], second: [{ id: "second.rows", name: "Second" }] },
  },
};

const MAIN = `const vscode = require("vscode");
const rows = (name) => ({ getChildren: (of) => (of ? [] : [name]), getTreeItem: (each) => new vscode.TreeItem(each) });
exports.activate = ({ subscriptions }) => {
  subscriptions.push(
    vscode.window.createTreeView("idle.rows", { treeDataProvider: rows("Idle row") }),
    vscode.window.createTreeView("second.rows", { treeDataProvider: rows("Second row") }),
    vscode.commands.registerCommand("idle.run", () => {}),
    vscode.commands.registerCommand("idle.page", () => {
      const panel = vscode.window.createWebviewPanel("idle", "Idle", vscode.ViewColumn.Active, { enableScripts: true });
      panel.webview.html = "<!doctype html><p>Idle page";
    }),
  );
};
`;

/** Put the extension where VS Code looks for extensions. */
export async function installIdle(desk) {
  const directory = join(desk.directory, "extensions/idle.idle-0.0.1");
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "package.json"), JSON.stringify(MANIFEST));
  await writeFile(join(directory, "main.js"), MAIN);
  await writeFile(join(directory, "icon.svg"), '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M4 4h16v16H4z"/></svg>');
}
