// What the scripts of the exported page declare, as far as the script for editors uses it. They are
// one script: all of them share these names.

type Entry = Record<string, unknown> & { readonly id?: unknown; readonly type?: unknown };
type View = import("sessiond-client").ViewItem;
type Block = NonNullable<View["blocks"]>[number];

declare const session: { readonly path: string; cwd: string; header: unknown };
declare const entries: Entry[];
declare const views: View[];
declare const labels: Map<string, string>;
declare const byId: Map<unknown, number>;
declare const folded: string[];
declare function grow(roots: readonly number[], childrenOf: readonly (readonly [number, readonly number[]])[]): void;
declare function pathTo(index: number): number[];

declare const outline: {
  readonly box: HTMLElement;
  readonly shown: readonly number[];
  onBranch: Uint8Array;
  leaf: number;
  here: number;
  active: number;
  moved: (index: number) => void;
};
declare const position: { inView: () => number | undefined };
declare function entryAtTop(): number | undefined;
declare function encircle(index: number): HTMLElement | undefined;
/** Whether the entry is shown while the reader hides tools. */
declare function isShown(index: number): boolean;
declare function blocksOf(view: Partial<View>): readonly Block[];
declare const children: Map<number, readonly number[]>;
declare function mark(index: number): void;

declare const transcript: {
  readonly box: HTMLElement;
  readonly list: HTMLElement;
  readonly articles: Map<number, HTMLElement>;
  path: number[];
  readonly owners: Map<number, number>;
  quietUntil: number;
  actionsOf: (call: Block, edits: boolean, view: View) => HTMLElement[];
};
declare function showBranch(leaf: number): void;
declare function joinResults(): void;
declare function articleFor(index: number): HTMLElement;
declare function fill(article: HTMLElement): void;
declare function indexAround(element: Element): number | undefined;
declare function shownAt(index: number): HTMLElement | undefined;

/** Show or hide the tree. */
declare function side(): void;
declare function find(): void;
declare function go(index: number): void;
declare function sayBranch(): void;
declare function sayFacts(): void;
declare function byName(id: string): HTMLElement;
declare function el(tag: string, className: string, ...children: (Node | string | null)[]): HTMLElement;
declare function button(className: string, words: string, name: string, pressed: () => void): HTMLButtonElement;

declare function acquireVsCodeApi(): {
  postMessage(message: unknown): void;
  setState(state: import("../src/transcript/messages.ts").PageState): void;
  getState(): import("../src/transcript/messages.ts").PageState | undefined;
};
