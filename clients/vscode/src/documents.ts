// Documents of VS Code whose text is in no file: they can be read, searched and copied, not changed.

import * as vscode from "vscode";

export class ReadOnlyTexts implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #scheme: string;
  readonly #texts = new Map<string, string>();
  readonly #registered: vscode.Disposable;
  #count = 0;

  constructor(scheme: string) {
    this.#scheme = scheme;
    this.#registered = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#texts.delete(uri.toString())),
    );
  }

  /** The address of a new document; the end of the path is the title of its tab. */
  add(path: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: this.#scheme, path, query: String((this.#count += 1)) });
    this.#texts.set(uri.toString(), text);
    return uri;
  }

  /** Show a text in an editor. */
  async show(title: string, text: string, options: vscode.TextDocumentShowOptions = {}): Promise<vscode.Uri> {
    const uri = this.add(`/${title.replaceAll("/", "∕")}`, text);
    await vscode.window.showTextDocument(uri, { preview: false, ...options });
    return uri;
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? "";
  }

  dispose(): void {
    this.#registered.dispose();
  }
}
