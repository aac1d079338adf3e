// How the daemon is started with the settings of the user. Without VS Code.

import type { Start } from "./daemon.ts";
import { expanded } from "./finding.ts";

export interface Settings {
  /** The agent whose sessions are shown; "all": every agent of this machine, and new sessions are pi's. */
  readonly profile: NonNullable<Start["initialize"]["profile"]> | "all";
  /** Empty: the usual directory of the agent. */
  readonly agentDirectory: string;
  readonly shared: boolean;
  /** Directories that the daemon may read and write; empty: no restriction. */
  readonly roots: readonly string[];
}

/** Start the program at that path; `~` in directories is the home directory. */
export function startWith(path: string, home: string, { profile, agentDirectory, shared, roots }: Settings): Start {
  const agentDir = agentDirectory.trim();
  const whose = profile === "all" ? (agentDir === "" ? { allAgents: true } : {}) : { profile };
  return {
    path,
    args: roots.map((root) => root.trim()).filter((root) => root !== "").flatMap((root) => ["--root", expanded(root, home)]),
    shared,
    initialize: {
      clientInfo: { name: "sessiond for VS Code" },
      ...whose,
      ...(agentDir === "" ? {} : { agentDir: expanded(agentDir, home) }),
    },
  };
}
