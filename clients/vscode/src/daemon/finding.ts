// Where the program sessiond is. Knows nothing of VS Code, so that it can be tested without it.

import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { join } from "node:path";

export interface Surroundings {
  /** The setting; empty: none. */
  readonly setting: string;
  /** Directories of the workspace whose virtual environments may be used; none if it is not trusted. */
  readonly folders: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** Paths to try, the first one first. A setting is the only candidate. */
export function candidates({ setting, folders, env, home }: Surroundings): string[] {
  if (setting !== "") return [expanded(setting, home)];
  const data = env["XDG_DATA_HOME"] || join(home, ".local/share");
  const directories = [
    ...folders.flatMap((folder) => [join(folder, ".venv/bin"), join(folder, "venv/bin")]),
    ...(env["VIRTUAL_ENV"] ? [join(env["VIRTUAL_ENV"], "bin")] : []),
    ...(env["PATH"] ?? "").split(":").filter((directory) => directory.startsWith("/")),
    // pipx and uv put links here, which need not be on the PATH of a desktop.
    ...[env["PIPX_BIN_DIR"], env["UV_TOOL_BIN_DIR"], env["XDG_BIN_HOME"]].filter((given) => !!given),
    join(home, ".local/bin"),
    join(env["PIPX_HOME"] || join(data, "pipx"), "venvs/sessiond/bin"),
    join(env["UV_TOOL_DIR"] || join(data, "uv/tools"), "sessiond/bin"),
  ] as string[];
  const named = env["SESSIOND"] ? [expanded(env["SESSIOND"], home)] : [];
  return [...new Set([...named, ...directories.map((directory) => join(directory, "sessiond"))])];
}

/** The first candidate that can be executed, or undefined. */
export async function find(
  surroundings: Surroundings,
  executable: (path: string) => Promise<boolean>,
): Promise<string | undefined> {
  for (const path of candidates(surroundings)) if (await executable(path)) return path;
  return undefined;
}

/** Whether a path leads to a file that can be run; a directory of that name cannot. */
export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

export function expanded(path: string, home: string): string {
  return path === "~" || path.startsWith("~/") ? join(home, path.slice(1)) : path;
}
