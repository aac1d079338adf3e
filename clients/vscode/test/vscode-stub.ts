// VS Code as far as the built extension needs it without a window: it records commands and answers
// questions as a test says.

import Module, { createRequire } from "node:module";

type Run = (...given: unknown[]) => Promise<unknown>;

interface Loader {
  _load(name: string, ...rest: unknown[]): unknown;
}

export interface Stub {
  readonly commands: ReadonlyMap<string, Run>;
  /** Messages that were shown, with their choices. */
  readonly messages: string[][];
  /** The details below the messages in dialogs. */
  readonly details: string[];
  /** The answer to each message; undefined: it is closed. */
  answer: (text: string, choices: readonly string[]) => string | undefined;
  /** What the user types into an input box or chooses in a list. */
  input: (options: { title?: string; prompt?: string }) => Promise<unknown>;
  readonly settings: Record<string, unknown>;
  trusted: boolean;
  /** Texts that were copied. */
  readonly copied: string[];
  /** Lines that were typed in terminals, with the options of their terminal. */
  readonly typed: { readonly line: string; readonly options: object }[];
  /** Tabs of transcripts. */
  readonly panels: Panel[];
  /** Show a tab again, as after a restart of VS Code; its page kept this state. */
  restore: (state: unknown) => Panel;
  /** What the view reads its rows from. */
  rows: { getChildren(row?: unknown): Promise<unknown[]> };
  /** The selected rows of the view that VS Code knows. */
  selection: readonly unknown[];
  /** Report a change of the settings that names none of them. */
  configured: () => void;
  /** Texts that were shown in an editor. */
  readonly documents: string[];
  /** What happens while the user reads a document. */
  reading: () => Promise<void>;
}

/** A tab of a transcript. */
export interface Panel {
  readonly webview: { html: string };
  /** Messages to the page. */
  readonly posted: { readonly type: string; readonly [member: string]: unknown }[];
  /** The page says something. */
  says: (message: object) => void;
  closed: boolean;
  dispose(): void;
}

/** Anything: it can be called, constructed and read, and the result can be so too. */
function anything(): unknown {
  const target = function () {};
  return new Proxy(target, {
    get: (_, name) => (name === "then" || typeof name === "symbol" ? undefined : anything()),
    apply: () => anything(),
    construct: () => anything() as object,
  });
}

/** Load the built extension with a stub in place of VS Code. */
export function loaded(extension: string): { stub: Stub; activate: (context: object) => unknown; deactivate: () => Promise<void> } {
  const commands = new Map<string, Run>();
  const providers = new Map<string, { provideTextDocumentContent(uri: object): string }>();
  const stub: Stub = { commands, messages: [], details: [], answer: () => undefined, input: async () => undefined, settings: {}, trusted: true, copied: [], typed: [], panels: [], documents: [], reading: async () => {}, restore: () => { throw new Error("no serializer"); }, configured: () => {}, selection: [], rows: { getChildren: async () => [] } };
  const newPanel = () => {
    const closing: (() => void)[] = [];
    const posted: Panel["posted"] = [];
    const panel = {
      active: true,
      title: "",
      closed: false,
      posted,
      says: (_: object) => {},
      webview: {
        html: "",
        options: {},
        postMessage: async (message: Panel["posted"][number]) => posted.push(message) > 0,
        onDidReceiveMessage: (listener: (message: object) => void) => (panel.says = listener),
      },
      reveal: () => {},
      onDidDispose: (listener: () => void) => closing.push(listener),
      dispose: () => {
        panel.closed = true;
        closing.splice(0).forEach((listener) => listener());
      },
      onDidChangeViewState: () => anything(),
    };
    stub.panels.push(panel);
    return panel;
  };
  const show = async (text: string, ...rest: unknown[]) => {
    const choices = rest.filter((each) => typeof each === "string");
    stub.messages.push([text, ...choices]);
    for (const each of rest) if (typeof each === "object" && each !== null && "detail" in each) stub.details.push(String(each.detail));
    return stub.answer(text, choices);
  };
  const own: Record<string, Record<string, unknown>> = {
    commands: {
      registerCommand: (name: string, run: Run) => {
        commands.set(name, run);
        return { dispose: () => commands.delete(name) };
      },
      executeCommand: async (name: string, ...given: unknown[]) => commands.get(name)?.(...given),
    },
    window: {
      showInformationMessage: show,
      showWarningMessage: show,
      showErrorMessage: show,
      showInputBox: (options: { title?: string }) => stub.input(options),
      showQuickPick: (_: unknown, options: { title?: string }) => stub.input(options),
      showTextDocument: async (uri: { scheme: string }) => {
        stub.documents.push(providers.get(uri.scheme)?.provideTextDocumentContent(uri) ?? "");
        await stub.reading();
      },
      createWebviewPanel: newPanel,
      registerWebviewPanelSerializer: (_: string, serializer: { deserializeWebviewPanel(panel: object, state: unknown): Promise<void> }) => {
        stub.restore = (state) => {
          const panel = newPanel();
          void serializer.deserializeWebviewPanel(panel, state);
          return panel;
        };
        return anything();
      },
      createTerminal: (options: object) => ({ show: () => {}, sendText: (line: string) => stub.typed.push({ line, options }) }),
      createTreeView: (_: string, { treeDataProvider }: { treeDataProvider: Stub["rows"] }) => (stub.rows = treeDataProvider) && ({ visible: false, get selection() { return stub.selection; }, onDidChangeVisibility: () => anything(), dispose: () => {} }),
    },
    env: { clipboard: { writeText: async (text: string) => stub.copied.push(text) }, shell: "/bin/bash" },
    workspace: {
      get isTrusted() {
        return stub.trusted;
      },
      workspaceFolders: [],
      onDidChangeConfiguration: (listener: (event: object) => void) => {
        stub.configured = () => listener({ affectsConfiguration: () => false });
        return anything();
      },
      getConfiguration: () => ({ get: (name: string, usual: unknown) => stub.settings[name] ?? usual }),
      registerTextDocumentContentProvider: (scheme: string, provider: { provideTextDocumentContent(uri: object): string }) => {
        providers.set(scheme, provider);
        return { dispose: () => providers.delete(scheme) };
      },
    },
    Uri: {
      from: (parts: { scheme: string; path: string; query: string }) => ({ ...parts, toString: () => `${parts.scheme}:${parts.path}?${parts.query}` }),
      file: (fsPath: string) => ({ scheme: "file", fsPath, toString: () => `file://${fsPath}` }),
    },
  };
  const layered = (part: Record<string, unknown>) => new Proxy(part, { get: (target, name) => (name in target ? target[name as string] : anything()) });
  // As the prototype, because the bundle copies the module's own members when it is loaded.
  const parts = new Proxy({}, { get: (_, name) => (name in own ? layered(own[name as string] as Record<string, unknown>) : anything()) });
  const vscode = Object.create(parts) as unknown;
  const loader = Module as unknown as Loader;
  const load = loader._load;
  loader._load = (name, ...rest) => (name === "vscode" ? vscode : load.call(loader, name, ...rest));
  try {
    return { stub, ...(createRequire(import.meta.url)(extension) as { activate: () => unknown; deactivate: () => Promise<void> }) };
  } finally {
    loader._load = load;
  }
}
