// The command line that resumes a session, quoted for the shell of the terminal. Without VS Code.

import { basename } from "node:path";

import { RESUMING } from "../generated/agents.ts";

/** What the placeholders `${file}`, `${id}` and `${cwd}` stand for. */
export interface Values {
  readonly file: string;
  readonly id: string;
  readonly cwd: string;
}

/** A value cannot be written in a command line, for example because it has a line break. */
export class Unquotable extends Error {}

/** The command for a profile, or undefined if none is known. */
export function defaultCommand(profile: string): string | undefined {
  return RESUMING.get(profile)?.command;
}

/** The variable in which the agent of a profile expects its directory, or undefined. */
export function directoryVariable(profile: string): string | undefined {
  return RESUMING.get(profile)?.variable;
}

/**
 * Put the values into a command. Each is one word for the shell at that path, whatever it
 * contains; quotation marks around a placeholder are not needed, and are removed. A command
 * without `${file}` and `${id}` gets the file as its last word. Throws Unquotable.
 */
export function commandLine(command: string, values: Values, shell: string): string {
  const whole = /\$\{(?:file|id)\}/.test(command) ? command : `${command} \${file}`;
  return whole.replace(/(["']?)\$\{(file|id|cwd)\}\1/g, (_, __, name: keyof Values) => quoted(values[name], shell));
}

/** A text as one word of a shell. Throws Unquotable. */
export function quoted(text: string, shell: string): string {
  // A terminal acts on control characters before the shell sees them, also inside quotation marks.
  if (/[\p{Cc}\p{Surrogate}]/u.test(text)) {
    throw new Unquotable(`The name contains a character that cannot be typed in a terminal: ${JSON.stringify(text)}`);
  }
  if (/^[\w./][\w./:@+-]*$/.test(text)) return text;
  switch (basename(shell).toLowerCase().replace(/\.exe$/, "")) {
    case "fish":
      return `'${text.replace(/[\\']/g, "\\$&")}'`;
    case "pwsh":
    case "powershell":
      // PowerShell also accepts typographic quotation marks.
      return `'${text.replace(/['\u2018-\u201b]/g, "$&$&")}'`;
    case "elvish":
      return `'${text.replaceAll("'", "''")}'`;
    case "nu":
      return inNushell(text);
    case "csh":
    case "tcsh":
      // The history is expanded also inside quotation marks.
      return `'${text.replaceAll("'", "'\\''").replaceAll("!", "\\!")}'`;
    default:
      return `'${text.replaceAll("'", "'\\''")}'`;
  }
}

/** A raw string: it ends with as many signs as it begins with. */
function inNushell(text: string): string {
  let signs = "#";
  while (text.includes(`'${signs}`)) signs += "#";
  return `r${signs}'${text}'${signs}`;
}
