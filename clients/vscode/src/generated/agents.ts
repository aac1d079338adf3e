// Generated from the daemon's agents by protocol/generate.py.
// Do not edit; run `make generate`.

/** How an agent goes on with a session. */
export interface Resuming {
  readonly command: string;
  /** The variable in which the agent expects its directory. */
  readonly variable?: string;
}

/** By the names of profiles. Agents without a command are left out. */
export const RESUMING: ReadonlyMap<string, Resuming> = new Map<string, Resuming>([
  ["pi", { command: "pi --session ${file}", variable: "PI_CODING_AGENT_DIR" }],
  ["clanker", { command: "clanker --session ${file}", variable: "CLANKER_CODING_AGENT_DIR" }],
  ["indusagi", { command: "indusagi --session ${file}", variable: "INDUSAGI_CODING_AGENT_DIR" }],
  ["companion", { command: "companion --session ${file}", variable: "COMPANION_CODING_AGENT_DIR" }],
  ["omp", { command: "omp --resume ${file}", variable: "PI_CODING_AGENT_DIR" }],
  ["claude-code", { command: "claude --resume ${id}" }],
  ["codex", { command: "codex resume ${id}" }],
  ["opencode", { command: "opencode -s ${id}" }],
  ["gemini-cli", { command: "gemini --resume ${id}" }],
  ["qwen-code", { command: "qwen --resume ${id}" }],
  ["copilot", { command: "copilot --resume ${id}" }],
]);
