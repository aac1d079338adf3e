// The page of a transcript: the exported page with the script for editors. It has no network, and
// its policy allows only the one script and the one style that the build has put into it.

import { readFile } from "node:fs/promises";
import { join } from "node:path";

import type { PageData } from "./messages.ts";

let template: Promise<string> | undefined;

/** The whole page, with a session as data that cannot run. `directory` is that of the extension. */
export async function pageOf(directory: string, title: string, data: PageData): Promise<string> {
  template ??= readFile(join(directory, "dist/transcript.html"), "utf8");
  const values: Record<string, string> = { title: inText(title), data: inScript(JSON.stringify(data)) };
  return (await template).replace(/\{\{(title|data)\}\}/g, (_, name: string) => values[name] ?? "");
}

/** JSON inside a script element: no character that HTML or JavaScript treats specially. */
export function inScript(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export function inText(text: string): string {
  return text.replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
