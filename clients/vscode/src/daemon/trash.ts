// The sessions in the trash. The program lists them itself; the daemon has no method for it.

import { execFile } from "node:child_process";
import { dirname } from "node:path";

import type { SessionInfo, Start } from "./daemon.ts";

/** A session in the trash. */
export interface Trashed {
  readonly id: string;
  /** Where it was, and will be again. */
  readonly path: string;
  /** When it was deleted, in local time: `YYYY-MM-DDThh:mm:ss`. */
  readonly deleted: string;
  /** Where it is now. */
  readonly file: string;
  /** What lists say of it; undefined if it cannot be read. */
  readonly info: SessionInfo | undefined;
}

type Row = Omit<Trashed, "info">;

/**
 * The sessions in the trash, the last one that was deleted first; `sessionsIn` lists the sessions in
 * a directory. Throws if the program fails.
 */
export async function trashed(start: Start, sessionsIn: (directory: string) => Promise<SessionInfo[]>): Promise<Trashed[]> {
  const { path, args } = commandOf(start);
  const rows = rowsOf(await run(path, args));
  const infos = new Map<string, SessionInfo>();
  for (const directory of new Set(rows.map(({ file }) => dirname(file)))) {
    // Without a title the session can still be restored.
    const found = await sessionsIn(directory).catch(() => []);
    for (const info of found) infos.set(info.path, info);
  }
  return rows.map((row) => ({ ...row, info: infos.get(row.file) }));
}

/** The command that lists the trash for the same agent, with the same restrictions as the daemon. */
export function commandOf({ path, args, initialize: { profile, agentDir } }: Pick<Start, "path" | "args" | "initialize">): { path: string; args: string[] } {
  const options = [["--profile", profile], ["--agent-dir", agentDir]].flatMap(([name, value]) => (value ? [name as string, value] : []));
  return { path, args: ["trash", "list", "--json", ...args, ...options] };
}

/** The rows of its answer. Throws SyntaxError. */
export function rowsOf(output: string): Row[] {
  return (JSON.parse(output) as { sessions: Row[] }).sessions;
}

/** The output of the program. Exit code 1 means that the trash is empty. */
function run(path: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(path, args, { maxBuffer: 64 * 1024 * 1024 }, (error, output, said) => {
      if (error === null || error.code === 1) resolve(output);
      else reject(new Error(`The trash cannot be listed: ${said.trim().split("\n").at(-1) || error.message}`));
    });
  });
}
