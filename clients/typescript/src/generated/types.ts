// Generated from protocol/sessiond_protocol/openrpc.json by protocol/generate.py.
// Do not edit; run `make generate`.


declare const unlisted: unique symbol;

/**
 * A string that this version does not know, such as the `type` of a later entry. It has a type of
 * its own, so that a `switch` over the known ones narrows; `String(value)` returns it.
 */
export interface Unlisted {
  readonly [unlisted]: true;
  toString(): string;
}

/** An agent whose directory of sessions exists. */
export interface AgentSummary {
  /** Name of the agent's profile. */
  agent: "clanker" | "claude-code" | "coderclaw" | "codex" | "companion" | "copilot" | "gemini-cli" | "indusagi" | "omp" | "openclaw" | "opencode" | "pi" | "qwen-code" | (string & {});
  /** Absolute path of the agent's directory. */
  agentDir: string;
  /** Directory or database of its sessions. */
  sessionsDir: string;
  /** Number of its sessions, without subagents. */
  sessions: number;
  /** Whether sessiond only reads them; the agent alone writes them. */
  readOnly: boolean;
  /**
   * Versions of the agent that its latest 50 sessions name, in the order of their last use;
   * empty if its files name none.
   */
  versions: string[];
}

/** Nothing: the directories are those of the connection and of its variables. */
export interface AgentsParams {
}

/** The agents that have sessions on this machine. */
export interface AgentsResult {
  /** In the order of the profiles. */
  agents: AgentSummary[];
  /** Agents that are not read yet. */
  unread: UnreadAgent[];
  /** Files and directories that could not be read and are left out; absent: none. */
  problems?: FileProblem[] | undefined;
}

/** A summary that replaces everything before the first kept entry. */
export interface AppendCompactionParams {
  /** Handle of the session. */
  session: string;
  /** Text of the summary. */
  summary: string;
  /** Tokens of the context before compaction. */
  tokensBefore: number;
  /**
   * Id of the new entry, for safe retries: if this entry exists already, it is the answer and
   * nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the
   * daemon chooses 8 hexadecimal digits.
   */
  newEntryId?: string | undefined;
  /**
   * Write only if this is the handle's leaf (null: before the first entry); otherwise
   * `LeafConflict`.
   */
  expectedLeafId?: string | null | undefined;
  /**
   * Write only if this is the last entry of the file (null: there is none), which means that no
   * other program has written in between; otherwise `LeafConflict`.
   */
  expectedTipId?: string | null | undefined;
  /**
   * true: also append what pi cannot read, for readers that can. Otherwise it is
   * `InvalidParams`.
   */
  unchecked?: boolean | undefined;
  /**
   * First entry that stays in the context, on the branch of the leaf. If it is absent or null,
   * no earlier entry stays. With `unchecked` it may be any id; if it is not on the branch, no
   * earlier entry stays (as in pi).
   */
  firstKeptEntryId?: string | null | undefined;
  /** Any JSON value; never sent to a model. */
  details?: unknown;
  /** Whether an extension made the summary. */
  fromHook?: boolean | undefined;
  /** Tokens and cost of making the summary. */
  usage?: Usage | null | undefined;
}

/** Replaces the content of an earlier entry of the branch, in the context only. */
export interface AppendContextEditParams {
  /** Handle of the session. */
  session: string;
  /**
   * A user, assistant or toolResult message or a custom message on the active branch; otherwise
   * `NotEditable`.
   */
  targetId: string;
  /** The new content; null removes the target from the context. */
  replacement: Replacement | null;
  /**
   * Id of the new entry, for safe retries: if this entry exists already, it is the answer and
   * nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the
   * daemon chooses 8 hexadecimal digits.
   */
  newEntryId?: string | undefined;
  /**
   * Write only if this is the handle's leaf (null: before the first entry); otherwise
   * `LeafConflict`.
   */
  expectedLeafId?: string | null | undefined;
  /**
   * Write only if this is the last entry of the file (null: there is none), which means that no
   * other program has written in between; otherwise `LeafConflict`.
   */
  expectedTipId?: string | null | undefined;
  /**
   * true: also append what pi cannot read, for readers that can. Otherwise it is
   * `InvalidParams`.
   */
  unchecked?: boolean | undefined;
}

/** State of an extension; never part of the context. */
export interface AppendCustomEntryParams {
  /** Handle of the session. */
  session: string;
  /** Name of the extension. */
  customType: string;
  /**
   * Id of the new entry, for safe retries: if this entry exists already, it is the answer and
   * nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the
   * daemon chooses 8 hexadecimal digits.
   */
  newEntryId?: string | undefined;
  /**
   * Write only if this is the handle's leaf (null: before the first entry); otherwise
   * `LeafConflict`.
   */
  expectedLeafId?: string | null | undefined;
  /**
   * Write only if this is the last entry of the file (null: there is none), which means that no
   * other program has written in between; otherwise `LeafConflict`.
   */
  expectedTipId?: string | null | undefined;
  /** Anything. */
  data?: unknown;
}

/** A message of an extension; the context contains it as a user message. */
export interface AppendCustomMessageEntryParams {
  /** Handle of the session. */
  session: string;
  /** Name of the extension. */
  customType: string;
  /** Text, or text and image blocks. */
  content: Content;
  /** Whether user interfaces show it. */
  display: boolean;
  /**
   * Id of the new entry, for safe retries: if this entry exists already, it is the answer and
   * nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the
   * daemon chooses 8 hexadecimal digits.
   */
  newEntryId?: string | undefined;
  /**
   * Write only if this is the handle's leaf (null: before the first entry); otherwise
   * `LeafConflict`.
   */
  expectedLeafId?: string | null | undefined;
  /**
   * Write only if this is the last entry of the file (null: there is none), which means that no
   * other program has written in between; otherwise `LeafConflict`.
   */
  expectedTipId?: string | null | undefined;
  /**
   * true: also append what pi cannot read, for readers that can. Otherwise it is
   * `InvalidParams`.
   */
  unchecked?: boolean | undefined;
  /** Any JSON value; never sent to a model. */
  details?: unknown;
}

/** A label for an entry, or its removal. */
export interface AppendLabelChangeParams {
  /** Handle of the session. */
  session: string;
  /** The entry to label. */
  targetId: string;
  /**
   * Id of the new entry, for safe retries: if this entry exists already, it is the answer and
   * nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the
   * daemon chooses 8 hexadecimal digits.
   */
  newEntryId?: string | undefined;
  /**
   * Write only if this is the handle's leaf (null: before the first entry); otherwise
   * `LeafConflict`.
   */
  expectedLeafId?: string | null | undefined;
  /**
   * Write only if this is the last entry of the file (null: there is none), which means that no
   * other program has written in between; otherwise `LeafConflict`.
   */
  expectedTipId?: string | null | undefined;
  /** The label; absent, null or empty: the label is removed. */
  label?: string | undefined;
}

/** A message of the conversation. */
export interface AppendMessageParams {
  /** Handle of the session. */
  session: string;
  /**
   * An object with a string `role`, except `compactionSummary` and `branchSummary`, which have
   * entries of their own. In a message of a role that pi knows, what pi needs to read it is
   * checked, unless `unchecked`; a `timestamp` is not needed.
   */
  message: Message;
  /**
   * Id of the new entry, for safe retries: if this entry exists already, it is the answer and
   * nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the
   * daemon chooses 8 hexadecimal digits.
   */
  newEntryId?: string | undefined;
  /**
   * Write only if this is the handle's leaf (null: before the first entry); otherwise
   * `LeafConflict`.
   */
  expectedLeafId?: string | null | undefined;
  /**
   * Write only if this is the last entry of the file (null: there is none), which means that no
   * other program has written in between; otherwise `LeafConflict`.
   */
  expectedTipId?: string | null | undefined;
  /**
   * true: also append what pi cannot read, for readers that can. Otherwise it is
   * `InvalidParams`.
   */
  unchecked?: boolean | undefined;
}

/** A change of the model. */
export interface AppendModelChangeParams {
  /** Handle of the session. */
  session: string;
  /** Provider of the model, such as `anthropic`. */
  provider: string;
  /** Id of the model. */
  modelId: string;
  /**
   * Id of the new entry, for safe retries: if this entry exists already, it is the answer and
   * nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the
   * daemon chooses 8 hexadecimal digits.
   */
  newEntryId?: string | undefined;
  /**
   * Write only if this is the handle's leaf (null: before the first entry); otherwise
   * `LeafConflict`.
   */
  expectedLeafId?: string | null | undefined;
  /**
   * Write only if this is the last entry of the file (null: there is none), which means that no
   * other program has written in between; otherwise `LeafConflict`.
   */
  expectedTipId?: string | null | undefined;
}

/** The appended entry. */
export interface AppendResult {
  /** Id of the new entry. */
  id: string;
  /** null: the entry is a root. */
  parentId: string | null;
  /**
   * The handle's leaf: the entry, or the one of its label; after a retry perhaps an entry that
   * follows it.
   */
  leafId: string | null;
  /** ISO 8601 UTC with milliseconds. */
  timestamp: string;
  /**
   * Whether the entry is in the file. It is not for a session in memory, nor while the file
   * waits for the first user or assistant message. A written entry survives the end of the
   * process, but not a crash of the machine.
   */
  written: boolean;
  /**
   * true: an entry with the id `newEntryId` existed already; it is the answer, and nothing was
   * written. Absent otherwise.
   */
  existed?: boolean | undefined;
}

/** A name for the session. */
export interface AppendSessionInfoParams {
  /** Handle of the session. */
  session: string;
  /** Line breaks become a space, ends are trimmed; empty: no name. */
  name: string;
  /**
   * Id of the new entry, for safe retries: if this entry exists already, it is the answer and
   * nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the
   * daemon chooses 8 hexadecimal digits.
   */
  newEntryId?: string | undefined;
  /**
   * Write only if this is the handle's leaf (null: before the first entry); otherwise
   * `LeafConflict`.
   */
  expectedLeafId?: string | null | undefined;
  /**
   * Write only if this is the last entry of the file (null: there is none), which means that no
   * other program has written in between; otherwise `LeafConflict`.
   */
  expectedTipId?: string | null | undefined;
}

/** A change of the thinking level. */
export interface AppendThinkingLevelChangeParams {
  /** Handle of the session. */
  session: string;
  /** As the agent names it, such as `high`. */
  thinkingLevel: string;
  /**
   * Id of the new entry, for safe retries: if this entry exists already, it is the answer and
   * nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the
   * daemon chooses 8 hexadecimal digits.
   */
  newEntryId?: string | undefined;
  /**
   * Write only if this is the handle's leaf (null: before the first entry); otherwise
   * `LeafConflict`.
   */
  expectedLeafId?: string | null | undefined;
  /**
   * Write only if this is the last entry of the file (null: there is none), which means that no
   * other program has written in between; otherwise `LeafConflict`.
   */
  expectedTipId?: string | null | undefined;
}

/** Usage outside the conversation: counted in totals, never part of the context. */
export interface AppendUsageParams {
  /** Handle of the session. */
  session: string;
  /** Purpose of the usage, such as `cache_warm`. */
  kind: string;
  /** Provider of the model, such as `anthropic`. */
  provider: string;
  /** Id of the model. */
  model: string;
  /** Tokens and cost. */
  usage: Usage;
  /**
   * Id of the new entry, for safe retries: if this entry exists already, it is the answer and
   * nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the
   * daemon chooses 8 hexadecimal digits.
   */
  newEntryId?: string | undefined;
  /**
   * Write only if this is the handle's leaf (null: before the first entry); otherwise
   * `LeafConflict`.
   */
  expectedLeafId?: string | null | undefined;
  /**
   * Write only if this is the last entry of the file (null: there is none), which means that no
   * other program has written in between; otherwise `LeafConflict`.
   */
  expectedTipId?: string | null | undefined;
  /**
   * true: also append what pi cannot read, for readers that can. Otherwise it is
   * `InvalidParams`.
   */
  unchecked?: boolean | undefined;
  /** Text for people; an empty note is left out. */
  note?: string | undefined;
}

/** A message from a model. */
export interface AssistantMessage {
  /** Text, thinking and toolCall blocks. */
  content: Block[];
  /** Such as `anthropic-messages`. */
  api: string;
  /** Provider of the model, such as `anthropic`. */
  provider: string;
  /** The model that was requested. */
  model: string;
  /** Tokens and cost. */
  usage: Usage;
  /** Why the answer ended; answers with `error` or `aborted` are incomplete. */
  stopReason: "pending" | "stop" | "length" | "toolUse" | "error" | "aborted" | "deferred" | (string & {});
  role: "assistant";
  /** The model that answered, according to the provider. */
  responseModel?: string | undefined;
  /** The provider's id of the answer. */
  responseId?: string | undefined;
  /** The thinking level as the provider spells it. */
  providerThinkingLevel?: string | undefined;
  /** The thinking level, such as `off` or `high`. */
  thinkingLevel?: string | undefined;
  /** Diagnostics of the provider's answer. */
  diagnostics?: unknown;
  /** Where a deferred answer can be fetched. */
  deferred?: unknown;
  /** Why the turn failed. */
  errorMessage?: string | undefined;
  /** The stop reason as the provider spells it. */
  rawStopReason?: string | undefined;
  /** Whether the model ended its turn. */
  endTurn?: boolean | undefined;
  /** Unix milliseconds; absent or null: not known. Appends do not need it. */
  timestamp?: number | null | undefined;
}

/** A shell command that a user ran (`!` in pi). */
export interface BashExecutionMessage {
  /** The command line. */
  command: string;
  /** What it printed. */
  output: string;
  /** Whether the command was cancelled. */
  cancelled: boolean;
  /** Whether `output` is truncated. */
  truncated: boolean;
  role: "bashExecution";
  /** Absent or null: the command did not end by itself. */
  exitCode?: number | null | undefined;
  /** File with the whole output, if `output` is truncated. */
  fullOutputPath?: string | undefined;
  /** Never sent to a model (`!!` in pi). */
  excludeFromContext?: boolean | undefined;
  /** Unix milliseconds; absent or null: not known. Appends do not need it. */
  timestamp?: number | null | undefined;
}

/** Whether the entry was fresh before the message; false if there was no entry. */
export interface BeginFreshness {
  /** Whether the session has not expired. */
  fresh: boolean;
  /** Time of the latest daily reset, in milliseconds since the epoch; absent in mode `idle`. */
  dailyResetAt?: number | undefined;
  /**
   * Time until which the entry is fresh, in milliseconds since the epoch; absent: no limit, or
   * no `updatedAt`.
   */
  idleExpiresAt?: number | undefined;
}

/** A message and options for handling it. */
export interface BeginParams {
  /** The message. */
  context: MessageContext;
  /**
   * The agent of a key that names none; absent: that of the connection, else the default agent
   * of the configuration.
   */
  agentId?: string | undefined;
  /**
   * Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that
   * of the agent (only with the profile of a gateway).
   */
  storePath?: string | undefined;
  /**
   * `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's
   * configuration file.
   */
  config?: { [name: string]: unknown } | undefined;
  /** Whether the sender may reset a session; the client decides that. */
  authorized?: boolean | undefined;
  /** Only report what would happen; nothing is written. */
  dryRun?: boolean | undefined;
  /** Milliseconds since the epoch, only with `dryRun`; absent: the clock. */
  now?: number | undefined;
  /** IANA name of the local time zone; absent: the host's. */
  timezone?: string | undefined;
  /**
   * Working directory of a new transcript; absent: the agent's `workspace` in the configuration,
   * else that of the daemon. A thread uses that of its parent.
   */
  cwd?: string | undefined;
}

/** The session of the message, and the one that it replaced. */
export interface BeginResult {
  /** The key as it is spelled in the store. */
  sessionKey: string;
  /** Id of the session. */
  sessionId: string;
  /**
   * Absolute path of the transcript. A missing one is created with `sessionId` in its header,
   * except with `dryRun`.
   */
  sessionFile: string;
  /** Whether the message starts a session. */
  isNewSession: boolean;
  /** Whether a reset trigger in the message starts the session. */
  resetTriggered: boolean;
  /** The present entry in the store. */
  entry: { [name: string]: unknown };
  /** The type by which the policy was chosen. */
  resetType: "direct" | "group" | "thread" | (string & {});
  /** When the session expires. */
  policy: ResetPolicy;
  /** Whether the session had expired before the message. */
  freshness: BeginFreshness;
  /** New paths of the old session's transcripts, only after a trigger; none with `dryRun`. */
  archived: string[];
  /** Absolute path of the store. */
  storePath: string;
  /** The text after the trigger; absent: there is no trigger. */
  bodyStripped?: string | undefined;
  /** An entry of a store, with all its members. */
  previousEntry?: { [name: string]: unknown } | undefined;
  /** Absolute path of the transcript that was copied for a new thread. */
  forkedFrom?: string | undefined;
  /** Absent: there are none. */
  problems?: StoreProblem[] | undefined;
  /** Absent: there are none. */
  configProblems?: ConfigProblem[] | undefined;
}

/** A content block, by its `type`. */
export type Block =
  | TextContent
  | ImageContent
  | ThinkingContent
  | ToolCall
  | UnknownBlock;

/** The entry to continue from. */
export interface BranchParams {
  /** Handle of the session. */
  session: string;
  /** The new leaf. */
  entryId: string;
}

/** Prompts for a model: `system`, and `branch` as one user message. */
export interface BranchPrompts {
  /** System prompt. */
  system: string;
  /** Prompt for `summary`; absent: there is nothing to summarise. */
  branch?: string | undefined;
}

/** A summary of a branch that was left; the conversation continues from its parent. */
export interface BranchSummaryEntry {
  /** Unique in the file; pi writes 8 hexadecimal digits. */
  id: string;
  /** Id of the parent entry; null: the entry is a root. */
  parentId: string | null;
  /** ISO 8601 UTC with milliseconds. */
  timestamp: string;
  /** The leaf that was left, or `root`; until pi 0.84.2 the new leaf. */
  fromId: string;
  /** Text of the summary. */
  summary: string;
  /** `side`: the entry does not move the leaf; written by OpenClaw. */
  appendMode?: string | undefined;
  type: "branch_summary";
  /** `{readFiles, modifiedFiles}` from pi, or data of an extension. */
  details?: unknown;
  /** Tokens and cost of making the summary. */
  usage?: Usage | undefined;
  /** Whether an extension made the summary. */
  fromHook?: boolean | undefined;
}

/** A summary of a branch that was left; made from a `branch_summary` entry and never stored. */
export interface BranchSummaryMessage {
  /** Text of the summary. */
  summary: string;
  /** `fromId` of the entry. */
  fromId: string | null;
  role: "branchSummary";
  /** Unix milliseconds; absent or null: not known. Appends do not need it. */
  timestamp?: number | null | undefined;
}

/** Moves the leaf and records a summary of the branch that is left. */
export interface BranchWithSummaryParams {
  /** Handle of the session. */
  session: string;
  /** Entry to continue from; null: before the first entry. */
  entryId: string | null;
  /** Text of the summary. */
  summary: string;
  /**
   * Id of the new entry, for safe retries: if this entry exists already, it is the answer and
   * nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the
   * daemon chooses 8 hexadecimal digits.
   */
  newEntryId?: string | undefined;
  /**
   * Write only if this is the handle's leaf (null: before the first entry); otherwise
   * `LeafConflict`.
   */
  expectedLeafId?: string | null | undefined;
  /**
   * Write only if this is the last entry of the file (null: there is none), which means that no
   * other program has written in between; otherwise `LeafConflict`.
   */
  expectedTipId?: string | null | undefined;
  /**
   * true: also append what pi cannot read, for readers that can. Otherwise it is
   * `InvalidParams`.
   */
  unchecked?: boolean | undefined;
  /** Any JSON value; never sent to a model. */
  details?: unknown;
  /** Whether an extension made the summary. */
  fromHook?: boolean | undefined;
  /** Tokens and cost of making the summary. */
  usage?: Usage | null | undefined;
}

/** The branch whose context is built. */
export interface BuildParams {
  /** Handle of the session. */
  session: string;
  /**
   * Last entry of the branch; absent: the handle's leaf; null: before the first entry, which
   * gives an empty context.
   */
  leafId?: string | null | undefined;
}

/** The documents held in memory. */
export interface CacheStatus {
  /** Number of documents in memory. */
  documents: number;
  /** Memory that they use, in bytes. */
  bytes: number;
  /** Limit of that memory, in bytes. */
  limitBytes: number;
  /** How often a document was in memory. */
  hits: number;
  /** How often a document had to be read. */
  misses: number;
  /** How often a document was removed from memory to make room. */
  evictions: number;
}

/** The request to cancel; it is answered with -32800 unless it was finished already. */
export interface CancelParams {
  /** The id of the request. */
  id: number | string;
}

/** What every `CatalogChange` has. */
export interface CatalogChangeBase {
  /** Absolute path of the file. */
  path: string;
}

/**
 * A change of one file, or of the marks of its session.
 *
 * A session that leaves or enters the list by its marks is `removed` or `added`. A rename is
 * `removed` and `added`. A file that can no longer be read is `removed`, and `added` when it
 * can
 * be read again.
 */
export type CatalogChange = CatalogChangeBase &
  (
    | {
      /** `added`, `changed` or `removed`. */
      kind: "added" | "changed";
      /** The present state; absent if `kind` is `removed`. */
      info: SessionInfo;
    }
    | {
      /** `added`, `changed` or `removed`. */
      kind: "removed";
      /** The present state; absent if `kind` is `removed`. */
      info?: SessionInfo | undefined;
    }
    | {
      /** `added`, `changed` or `removed`. */
      kind: Unlisted;
      /** The present state; absent if `kind` is `removed`. */
      info?: SessionInfo | undefined;
    }
  );

/** The changes of the last 100 ms or more; each file occurs once. */
export interface CatalogDidChangeParams {
  /** Handle of the subscription. */
  subscription: string;
  /**
   * Number of this notification: one more than that of the notification before it in the
   * subscription, so that a lost one is noticed.
   */
  sequence: number;
  /** What changed, one per file or key. */
  changes: CatalogChange[];
}

/** A part of the agent's sessions; without `cwd` and `sessionDir` all of them. */
export interface CatalogScope {
  /** Only sessions of this working directory; resolved, `~` expanded. */
  cwd?: string | undefined;
  /** Directory of sessions instead of the profile's; with `cwd` as in `session/list`. */
  sessionDir?: string | undefined;
  /** Token under which progress is reported; absent: no reports. */
  workDoneToken?: number | string | undefined;
}

/** What to search for, and where. */
export interface CatalogSearchParams {
  /**
   * Words and "quoted phrases"; each of them must occur in the name, id, working directory or
   * one message of a session. In mode `regex`, one regular expression. An empty query finds
   * every session, except in mode `regex`. At most 4096 characters and 128 words; a regular
   * expression has at most 1000 characters and repetitions of at most 1000.
   */
  query: string;
  /** Only sessions of this working directory; resolved, `~` expanded. */
  cwd?: string | undefined;
  /** Directory of sessions instead of the profile's; with `cwd` as in `session/list`. */
  sessionDir?: string | undefined;
  /** Token under which progress is reported; absent: no reports. */
  workDoneToken?: number | string | undefined;
  /**
   * `text` (default): words and phrases literally. `fuzzy`: words also match by their characters
   * in order, scattered over the name or the working directory; a query that begins with `re:`
   * is a regular expression (as in pi 1.6.0). `regex`: a regular expression in the syntax of
   * RE2, without references, lookahead and lookbehind, not case-sensitive, matched in each
   * message by itself; white space at the ends is significant.
   */
  mode?: "fuzzy" | "regex" | "text" | undefined;
  /**
   * What is searched, by default `said`; with `roles`, `tools`, `files` or `model` all. Of what
   * nobody said, the first 24 kB and the last 8 kB. With one of these filters names, ids and
   * directories do not count, and an empty query finds each session with such a text.
   */
  fields?: ("calls" | "commands" | "labels" | "results" | "said" | "summaries" | "thinking")[] | undefined;
  /** Only texts of these roles. */
  roles?: ("assistant" | "bashExecution" | "branch_summary" | "compaction" | "label" | "toolResult" | "user")[] | undefined;
  /** Only calls and results of these tools. */
  tools?: string[] | undefined;
  /** Only calls that name one of these files, or a path that ends with it. */
  files?: string[] | undefined;
  /** Only what was said or done by models whose id contains this. */
  model?: string | undefined;
  /**
   * Only texts of the branch that a session is opened at. Reads the files of the sessions with
   * such texts.
   */
  currentBranch?: boolean | undefined;
  /** Only sessions of this agent, one of those of `initialize`. */
  agent?: string | undefined;
  /** Only texts since this day, `YYYY-MM-DD` in `timezone`. */
  since?: string | undefined;
  /** Only texts until this day, included. */
  until?: string | undefined;
  /** IANA name; by default the zone of the daemon's machine. */
  timezone?: string | undefined;
  /** Whether to answer `suggestions` if nothing is found. */
  suggest?: boolean | undefined;
  /** Maximum number of hits in the answer; 50 by default. */
  limit?: number | undefined;
  /** `nextCursor` of the page before; opaque. */
  cursor?: string | undefined;
}

/**
 * A page of hits, the least distance first.
 *
 * Of equal distances those with all words in one text come first, then the latest `modified`.
 */
export interface CatalogSearchResult {
  /** The results, the best first. */
  hits: SearchHit[];
  /**
   * Number of hits on all pages, without those in `alsoIn`; of more than a thousand it may be a
   * little too large.
   */
  total: number;
  /** Where the next page begins; absent: this is the last. */
  nextCursor?: string | undefined;
  /** Files and directories that could not be read and are left out; absent: none. */
  problems?: FileProblem[] | undefined;
  /**
   * If nothing was found and `suggest` was sent: at most three other searches, in other fields
   * and directories, with other spellings and with fewer words.
   */
  suggestions?: SearchSuggestion[] | undefined;
}

/** The sessions to follow. */
export interface CatalogSubscribeParams {
  /** Only sessions of this working directory; resolved, `~` expanded. */
  cwd?: string | undefined;
  /** Directory of sessions instead of the profile's; with `cwd` as in `session/list`. */
  sessionDir?: string | undefined;
  /** Token under which progress is reported; absent: no reports. */
  workDoneToken?: number | string | undefined;
  /** Also sessions that agents began, for their subagents. */
  subagents?: boolean | undefined;
  /** Only sessions with this tag. */
  tag?: string | undefined;
  /** Whether hidden sessions are in the list: `include` by default. */
  hidden?: "exclude" | "include" | "only" | undefined;
  /** Pinned sessions come before all others. */
  pinnedFirst?: boolean | undefined;
  /**
   * The handle to give; one that is in use on this connection is `InvalidParams`. Absent: the
   * daemon chooses.
   */
  subscription?: string | undefined;
  /**
   * From an earlier answer, also of another daemon: only what changed since then is answered.
   * One that belongs to other params is ignored.
   */
  resumeToken?: string | undefined;
  /**
   * Maximum number of sessions in the snapshot, the latest; changes are reported of all. Without
   * effect where only changes are answered.
   */
  limit?: number | undefined;
}

/**
 * A snapshot, or what changed since an earlier one.
 *
 * Every later change, including the client's own, is reported by `catalog/didChange`.
 */
export interface CatalogSubscribeResult {
  /** Opaque. */
  subscription: string;
  /** Sequence number of the snapshot; the first notification has the next number. */
  sequence: number;
  /** The latest `modified` first: all, or those that were added or changed since. */
  sessions: SessionInfo[];
  /** For a later subscription: what the client knows now; opaque. */
  resumeToken?: string | undefined;
  /** Present if only changes are answered: paths of the sessions that are gone since. */
  removed?: string[] | undefined;
  /**
   * Present if `limit` left sessions out: `session/list` (or `session/listAll` without `cwd`)
   * goes on with it.
   */
  nextCursor?: string | undefined;
  /** Files and directories that could not be read and are left out; absent: none. */
  problems?: FileProblem[] | undefined;
}

/** A subscription to end. */
export interface CatalogUnsubscribeParams {
  /** Handle of the subscription. */
  subscription: string;
}

/** The usage to add up. */
export interface CatalogUsageParams {
  /** Only sessions of this working directory; resolved, `~` expanded. */
  cwd?: string | undefined;
  /** Directory of sessions instead of the profile's; with `cwd` as in `session/list`. */
  sessionDir?: string | undefined;
  /** Token under which progress is reported; absent: no reports. */
  workDoneToken?: number | string | undefined;
  /**
   * The unit of a row; `day` by default. A block is a window of five hours that begins with the
   * hour of its first entry. A project is a repository with its worktrees, or a directory
   * outside of repositories.
   */
  by?: "agent" | "block" | "day" | "model" | "month" | "project" | "session" | "week" | undefined;
  /** The unit of the rows into which each row is divided; absent: none. */
  thenBy?: "agent" | "block" | "day" | "model" | "month" | "project" | "session" | "week" | undefined;
  /**
   * IANA name of the time zone for days; by default that of the daemon's machine. Exact in zones
   * that differ from UTC by whole quarters of an hour, as all zones do since 1972.
   */
  timezone?: string | undefined;
  /** First day to count, as `YYYY-MM-DD` in `timezone`. */
  since?: string | undefined;
  /** Last day to count, as `YYYY-MM-DD` in `timezone`. */
  until?: string | undefined;
  /** Only sessions of the project of this directory: see `session/listAll`. */
  project?: string | undefined;
  /** Only usage whose `provider/model` contains this text, in any case. */
  model?: string | undefined;
  /**
   * Whether an entry that is in several sessions counts in each of them. By default it counts
   * once, for the session that was created first, because the entries that a fork copies cost
   * nothing. Entries with the same id, time and tokens are treated as copies.
   */
  copies?: boolean | undefined;
  /**
   * Whether to calculate the cost of entries that record none, with the prices of the package
   * genai-prices; refused (`Unsupported`) where that is not installed.
   */
  prices?: boolean | undefined;
}

/** Usage by rows: periods in order of time, others by cost, the highest first. */
export interface CatalogUsageResult {
  /** The sums, one row per group. */
  rows: UsageRow[];
  /** The sums. */
  sums: UsageSums;
  /** Number of sessions with an entry that counts. */
  sessionCount: number;
  /** Number of entries that are copies and did not count again. */
  omittedCopies: number;
  /** Of all costs, as the agents write them. */
  currency: "USD" | (string & {});
  /** The IANA name that was given; else the abbreviation of the machine's zone at present. */
  timezone: string;
  /** The prices that were used; only with `prices`. */
  prices?: PriceData | undefined;
  /** Files and directories that could not be read and are left out; absent: none. */
  problems?: FileProblem[] | undefined;
}

/** The files to check: those of a scope, or a single one. */
export interface CheckParams {
  /** Only sessions of this working directory; resolved, `~` expanded. */
  cwd?: string | undefined;
  /** Directory of sessions instead of the profile's; with `cwd` as in `session/list`. */
  sessionDir?: string | undefined;
  /** Token under which progress is reported; absent: no reports. */
  workDoneToken?: number | string | undefined;
  /** A single file, without members of a scope. */
  path?: string | undefined;
}

/** All files that were checked. None was changed. */
export interface CheckResult {
  /** In order of directories and names. */
  files: CheckedFile[];
}

/** The problems of one file. */
export interface CheckedFile {
  /** Absolute path of the file. */
  path: string;
  /** Whether no problem was found. */
  ok: boolean;
  /** In order of lines. */
  problems: Diagnostic[];
  /**
   * What a newer version of an agent has written; it is shown as `custom` entries. Absent:
   * nothing.
   */
  unknown?: UnknownLines[] | undefined;
}

/** Capabilities of the client. */
export interface ClientCapabilities {
  /**
   * Set it if the client's JSON library cannot hold lone surrogates, integers beyond 2^53 or
   * numbers like 1e400: it is then sent U+FFFD and strings in their place. Files are not
   * affected.
   */
  plainJson?: boolean | undefined;
}

/** The name and version of the client, for the log. */
export interface ClientInfo {
  /** Name of the program. */
  name: string;
  /** Version of the program. */
  version?: string | undefined;
}

/** A summary that replaces everything before the first kept entry in the context. */
export interface CompactionEntry {
  /** Unique in the file; pi writes 8 hexadecimal digits. */
  id: string;
  /** Id of the parent entry; null: the entry is a root. */
  parentId: string | null;
  /** ISO 8601 UTC with milliseconds. */
  timestamp: string;
  /** Text of the summary. */
  summary: string;
  /** First entry that stays in the context; its own id: no entry stays. */
  firstKeptEntryId: string;
  /** Tokens of the context before compaction. */
  tokensBefore: number;
  /** `side`: the entry does not move the leaf; written by OpenClaw. */
  appendMode?: string | undefined;
  type: "compaction";
  /** `{readFiles, modifiedFiles}` from pi, or data of an extension. */
  details?: unknown;
  /** Tokens and cost of making the summary. */
  usage?: Usage | undefined;
  /** Whether an extension made the summary. */
  fromHook?: boolean | undefined;
  /** The system message that applies here; the context has it first. */
  systemMessage?: SystemMessage | undefined;
}

/**
 * The plan of a compaction.
 *
 * `context/finishCompaction` takes it, with or without its messages.
 */
export interface CompactionPreparation {
  /** First entry that stays in the context. */
  firstKeptEntryId: string;
  /**
   * Whether the first kept entry is inside a turn; the start of that turn is then summarised
   * separately.
   */
  isSplitTurn: boolean;
  /** Tokens of the context before the compaction. */
  tokensBefore: number;
  /** Files of the messages to summarise and of the previous compaction. */
  fileOps: FileOperations;
  /** Summary of the previous compaction, which the new summary updates. */
  previousSummary?: string | undefined;
  /** Always present in an answer; may be empty. */
  messagesToSummarize?: Message[] | undefined;
  /** The start of the split turn. Always present in an answer; may be empty. */
  turnPrefixMessages?: Message[] | undefined;
  /** Only with `includePrompts`. */
  prompts?: CompactionPrompts | undefined;
}

/** Prompts for a model; each text is one user message after `system`. */
export interface CompactionPrompts {
  /** System prompt of both. */
  system: string;
  /** Prompt for `historySummary`; absent: there is nothing to summarise. */
  history?: string | undefined;
  /** Prompt for `prefixSummary`; absent: no turn is split. */
  prefix?: string | undefined;
}

/** Settings for compaction, as in pi, with the values for the present model. */
export interface CompactionSettings {
  /** Whether compaction is enabled. */
  enabled?: boolean | undefined;
  /** Part of the context window to keep free; absent: 16,384. */
  reserveTokens?: number | undefined;
  /** Tokens of the latest messages to keep; absent: 20,000. */
  keepRecentTokens?: number | undefined;
  /**
   * Minimum of `reserveTokens`, as in CoderClaw; absent: no minimum. CoderClaw's default is
   * 20,000.
   */
  reserveTokensFloor?: number | undefined;
}

/** A summary that replaces earlier messages; made from a `compaction` entry and never stored. */
export interface CompactionSummaryMessage {
  /** Text of the summary. */
  summary: string;
  /** Tokens of the context before compaction. */
  tokensBefore: number;
  role: "compactionSummary";
  /** Unix milliseconds; absent or null: not known. Appends do not need it. */
  timestamp?: number | null | undefined;
}

/** A value of the configuration that has the wrong type and was ignored. */
export interface ConfigProblem {
  /** Path in the configuration, such as `session.reset.mode`. */
  path: string;
  /** Text for people. */
  message: string;
}

/** Text, or a list of content blocks. */
export type Content = string | Block[];

/** Replaces the content of an earlier entry of the branch, in the context only. */
export interface ContextEditEntry {
  /** Unique in the file; pi writes 8 hexadecimal digits. */
  id: string;
  /** Id of the parent entry; null: the entry is a root. */
  parentId: string | null;
  /** ISO 8601 UTC with milliseconds. */
  timestamp: string;
  /** The edited entry. */
  targetId: string;
  /** The new content; null removes the target from the context. */
  replacement: Replacement | null;
  /** `side`: the entry does not move the leaf; written by OpenClaw. */
  appendMode?: string | undefined;
  type: "context_edit";
}

/** The most recent session of a working directory, or a new one if there is none. */
export interface ContinueRecentParams {
  /** Working directory; resolved, `~` expanded. */
  cwd: string;
  /** Directory to search instead of the profile's. */
  sessionDir?: string | undefined;
  /**
   * Move the handle's leaf whenever the leaf of the file moves, so that appends of others and
   * own ones continue one branch. A handle that is moved to another entry stops following.
   */
  follow?: boolean | undefined;
  /**
   * The handle to give; one that is in use on this connection is `InvalidParams`. Absent: the
   * daemon chooses.
   */
  session?: string | undefined;
}

/** Cost of usage, in US dollars; null: the price is not known. */
export interface Cost {
  /** Cost of the input in US dollars. */
  input: number | null;
  /** Cost of the output in US dollars. */
  output: number | null;
  /** Cost of reading from the provider's cache, in US dollars. */
  cacheRead: number | null;
  /** Cost of writing to the provider's cache, in US dollars. */
  cacheWrite: number | null;
  /** Whole cost in US dollars. */
  total: number | null;
  /** Whether the provider reported `total`; otherwise it is an estimate. */
  totalFromProvider?: boolean | undefined;
}

/** Sum of the cost in all recorded usage, in US dollars. */
export interface CostFigures {
  /** Cost of the input in US dollars. */
  input: number;
  /** Cost of the output in US dollars. */
  output: number;
  /** Cost of reading from the provider's cache, in US dollars. */
  cacheRead: number;
  /** Cost of writing to the provider's cache, in US dollars. */
  cacheWrite: number;
  /** Sum of the recorded totals; where a total is missing, of its parts. */
  total: number;
}

/** The branch that becomes a session of its own; the handle moves to the new file. */
export interface CreateBranchedSessionParams {
  /** Handle of the session. */
  session: string;
  /** Last entry of the branch to copy. */
  leafId: string;
  /**
   * If `leafId` is an answer with tool calls, also copy the results of these calls; else the
   * copy ends with calls without results, which providers refuse.
   */
  withResults?: boolean | undefined;
}

/** A new session; its file is created with the first user or assistant message. */
export interface CreateParams {
  /** Working directory; resolved, `~` expanded. */
  cwd: string;
  /** Directory for the file, instead of the profile's. */
  sessionDir?: string | undefined;
  /**
   * Id of the new session: letters, digits, `-`, `_` and `.`, with a letter or digit at both
   * ends. Absent: a UUID version 7.
   */
  id?: string | undefined;
  /** Path of the parent session; stored in the header. */
  parentSession?: string | undefined;
  /**
   * Move the handle's leaf whenever the leaf of the file moves, so that appends of others and
   * own ones continue one branch. A handle that is moved to another entry stops following.
   */
  follow?: boolean | undefined;
  /**
   * The handle to give; one that is in use on this connection is `InvalidParams`. Absent: the
   * daemon chooses.
   */
  session?: string | undefined;
}

/** State of an extension; never part of the context. */
export interface CustomEntry {
  /** Unique in the file; pi writes 8 hexadecimal digits. */
  id: string;
  /** Id of the parent entry; null: the entry is a root. */
  parentId: string | null;
  /** ISO 8601 UTC with milliseconds. */
  timestamp: string;
  /** Name of the extension. */
  customType: string;
  /** `side`: the entry does not move the leaf; written by OpenClaw. */
  appendMode?: string | undefined;
  type: "custom";
  /** Data of the extension. */
  data?: unknown;
}

/**
 * A message of an extension, sent to a model as a user message.
 *
 * It is stored as a `custom_message` entry.
 */
export interface CustomMessage {
  /** Name of the extension. */
  customType: string;
  /** Text, or text and image blocks. */
  content: Content;
  /** Whether front ends show it. */
  display: boolean;
  role: "custom";
  /** Data of the extension; not sent to a model. */
  details?: unknown;
  /** Unix milliseconds; absent or null: not known. Appends do not need it. */
  timestamp?: number | null | undefined;
}

/** A message of an extension; the context contains it as a user message. */
export interface CustomMessageEntry {
  /** Unique in the file; pi writes 8 hexadecimal digits. */
  id: string;
  /** Id of the parent entry; null: the entry is a root. */
  parentId: string | null;
  /** ISO 8601 UTC with milliseconds. */
  timestamp: string;
  /** Name of the extension. */
  customType: string;
  /** Text, or text and image blocks. */
  content: Content;
  /** Whether front ends show it. */
  display: boolean;
  /** `side`: the entry does not move the leaf; written by OpenClaw. */
  appendMode?: string | undefined;
  type: "custom_message";
  /** Data of the extension; not sent to a model. */
  details?: unknown;
}

/** The session's working directory. */
export interface CwdResult {
  /** Working directory of the session. */
  cwd: string;
}

/** Messages, tokens and cost of one day. */
export interface DayFigures {
  /** `YYYY-MM-DD`, from midnight to midnight in `timezone`. */
  day: string;
  /** Number of messages of any role. */
  messages: number;
  /** Numbers of tokens. */
  tokens: TokenFigures;
  /** Absent: there is usage, and none of it records a cost. */
  cost?: CostFigures | undefined;
  /**
   * Number of entries with usage that record no cost: the true cost is higher. Absent: there are
   * none.
   */
  withoutCost?: number | undefined;
  /**
   * Number of entries whose cost was not recorded, but calculated for `prices`. Absent: there
   * are none.
   */
  calculated?: number | undefined;
}

/** A session to delete. */
export interface DeleteParams {
  /** The session file. */
  path: string;
  /** Delete permanently, without the trash. */
  permanently?: boolean | undefined;
  /**
   * Delete it even if a program has it open for writing. A handle that is still open creates the
   * file again with its next append.
   */
  force?: boolean | undefined;
  /**
   * Any name of the change; with one, `catalog/undo` can take it back. Deletions in a row with
   * the same name are taken back together.
   */
  change?: string | undefined;
}

/** What was done. */
export interface DeleteResult {
  /** Whether the file is in the trash and can be restored. */
  trashed: boolean;
  /**
   * Whether `catalog/undo` can take it back: not with `--root` or `--store`. Absent: the change
   * had no name.
   */
  undoable?: boolean | undefined;
}

/** A problem with a line of a session file. The line stays in the file unchanged. */
export interface Diagnostic {
  /** Number of the line, from 1; 0: the whole file. */
  line: number;
  /** Kind of the problem; later versions may add kinds. */
  kind: "malformedLine" | "notAnEntry" | "missingId" | "duplicateId" | "orphan" | "selfParent" | "cycle" | "secondHeader" | "tornTail" | "invalidUtf8" | "byteOrderMark" | "unknownVersion" | "missingTarget" | "invalidTimestamp" | "missingNewline" | "malformedEntry" | "notASession" | "unreadable" | "internalError" | (string & {});
  /** Text for people. */
  message: string;
}

/** An answer that is not finished and not stored. */
export interface Draft {
  /** As it was published; members that are not known yet may be missing. */
  message: Message;
  /** What a person sees of it, as in `session/getView`; `entryId` is empty. */
  view: ViewItem;
}

/** Entries, in the order that the method defines. */
export interface EntriesResult {
  /** The entries. */
  entries: Entry[];
}

/** An entry of a session, by its `type`. */
export type Entry =
  | SessionMessageEntry
  | ThinkingLevelChangeEntry
  | ModelChangeEntry
  | CompactionEntry
  | BranchSummaryEntry
  | CustomEntry
  | CustomMessageEntry
  | LabelEntry
  | SessionInfoEntry
  | UsageEntry
  | ContextEditEntry
  | LeafEntry
  | ResetEntry
  | UnknownEntry;

/** The number of entries, without the header. */
export interface EntryCountResult {
  /** Number of entries. */
  count: number;
}

/** An entry without its content. */
export interface EntryFacts {
  /** Id of the entry. */
  id: string;
  /** null: the entry is a root. */
  parentId: string | null;
  /** Type of the entry. */
  type: string;
  /** ISO 8601 UTC with milliseconds. */
  timestamp: string;
}

/** A label for an entry of a session, which need not be open. */
export interface EntryLabelParams {
  /** The session file, which must exist. */
  path: string;
  /** The entry to label. */
  entryId: string;
  /** The label; absent, null or empty: the label is removed. */
  label?: string | undefined;
  /**
   * Any name of the change; with one, `catalog/undo` can take it back. Deletions in a row with
   * the same name are taken back together.
   */
  change?: string | undefined;
}

/** The entry that stores the label, appended under the last entry of the file. */
export interface EntryLabelResult {
  /** Id of the `label` entry. */
  id: string;
  /**
   * Whether `catalog/undo` can take it back: not with `--root` or `--store`. Absent: the change
   * had no name.
   */
  undoable?: boolean | undefined;
}

/** One entry, if it exists. */
export interface EntryResult {
  /** null: there is no such entry. */
  entry: Entry | null;
}

/** The size of a context; `tokens` is the sum of the next two members. */
export interface EstimateTokensResult {
  /** Estimated number of tokens. */
  tokens: number;
  /**
   * Tokens counted by a provider, from the last usage of a complete answer; 0: there is no valid
   * usage. Usage from before the last compaction or context edit is not valid.
   */
  usageTokens: number;
  /** Estimated tokens of the messages after that answer. */
  trailingTokens: number;
  /** With `session`: the entry that has the usage. */
  lastUsageEntryId?: string | undefined;
  /** With `messages`: index of the message that has the usage. */
  lastUsageIndex?: number | undefined;
}

/** Facts about a session, and exactly one of `resetType` and `policy`. */
export interface EvaluateFreshnessParams {
  /** Milliseconds since the epoch. */
  now: number;
  /**
   * `updatedAt` of the entry before the message, in milliseconds. Absent: the entry has none and
   * is fresh; null counts as 0.
   */
  updatedAt?: number | null | undefined;
  /** Type by which `config` has the policy. */
  resetType?: "direct" | "group" | "thread" | undefined;
  /** When the session expires. */
  policy?: GivenPolicy | undefined;
  /** `session`, `agents`, `channels` and `cron` of a CoderClaw configuration. */
  config?: { [name: string]: unknown } | undefined;
  /** For `session.resetByChannel`, which comes first. */
  channel?: string | undefined;
  /** IANA name of the local time zone; absent: the host's. */
  timezone?: string | undefined;
}

/** Whether the session continues; at the exact limit it does. */
export interface EvaluateFreshnessResult {
  /** Whether the session has not expired. */
  fresh: boolean;
  /** When the session expires. */
  policy: ResetPolicy;
  /** Time of the latest daily reset, in milliseconds since the epoch; absent in mode `idle`. */
  dailyResetAt?: number | undefined;
  /**
   * Time until which the entry is fresh, in milliseconds since the epoch; absent: no limit, or
   * no `updatedAt`.
   */
  idleExpiresAt?: number | undefined;
  /** Absent: there are none. */
  configProblems?: ConfigProblem[] | undefined;
}

/** The session to export, by exactly one of `path` and `session`, and the format. */
export interface ExportParams {
  /**
   * `jsonl`: a session file with a new header, the same id and only the branch, as pi exports
   * it; labels and settings are included, and entries keep their bytes except for `parentId` and
   * `appendMode`. `markdown`: the branch as text. `html`: one self-contained page with all
   * branches, which first shows the branch; only the branch if `leafId` is sent.
   */
  format: "html" | "jsonl" | "markdown";
  /** A session file; it is not changed. */
  path?: string | undefined;
  /** Handle of an open session, also before its file is written. */
  session?: string | undefined;
  /**
   * File to write, with mode 0600; missing directories are created with mode 0700. Absent: the
   * answer contains the export. A page or Markdown that an export has written is replaced and
   * keeps its mode; any other file is `AlreadyExists`, unless `force` is sent.
   */
  outputPath?: string | undefined;
  /**
   * Last entry of the branch; null: before the first entry, which gives an empty branch; absent:
   * the handle's leaf, or the last entry of a file. If it is sent, the export has nothing that
   * is not on this branch: no other branch, and no name or label that was given later.
   */
  leafId?: string | null | undefined;
  /**
   * true: keys and passwords of known forms are masked in everything that is exported, also in
   * the data of a page, and the home directory becomes `~`. false: they stay. With either the
   * answer has `secrets`.
   */
  mask?: boolean | undefined;
  /**
   * With `mask`: further texts to mask wherever they stand, in any case, such as the name of a
   * customer; at most 100, none empty.
   */
  maskAlso?: string[] | undefined;
  /**
   * Export only what was said: messages of the user and texts of the agent, names, and labels of
   * these; no thinking, tools, commands, settings and summaries.
   */
  conversation?: boolean | undefined;
  /**
   * Replace whatever file is at `outputPath`; but never a backup, an open session, or a file
   * below a directory of an agent or beside the store of a gateway.
   */
  force?: boolean | undefined;
  /**
   * `jsonl`: give the export an id of its own and the exported file as `parentSession`, so that
   * it can lie beside the session. By default it has the session's id and no parent, as pi
   * exports it.
   */
  ownId?: boolean | undefined;
}

/** The path of the export, or the export itself. */
export interface ExportResult {
  /** Absolute path of the file that was written. */
  path?: string | undefined;
  /** The export, if no `outputPath` was given. */
  content?: string | undefined;
  /**
   * If `mask` was sent: the number of exported entries with a key or password of a known form,
   * which were masked if `mask` is true.
   */
  secrets?: number | undefined;
}

/** Paths that tools were called with; each list has no duplicates. */
export interface FileOperations {
  /** Paths of files that were read. */
  read: string[];
  /** Paths of files that were written. */
  written: string[];
  /** Paths of files that were edited. */
  edited: string[];
}

/** The reason why a file, or a directory with its content, is missing from an answer. */
export interface FileProblem {
  /** Absolute path of the file or directory. */
  path: string;
  /**
   * `unreadable`: the system refuses to read it. `internalError`: the daemon failed to handle
   * it; the log has the details. `timedOut`: there was no time left to search it. Later versions
   * may add kinds.
   */
  kind: "unreadable" | "internalError" | "timedOut" | (string & {});
  /** Text for people. */
  message: string;
}

/** A session id to find, or its beginning. */
export interface FindByIdParams {
  /**
   * The whole id, or with `prefix` how it begins; `HOST:ID` then means a copy in a store of a
   * session that is written on that host.
   */
  id: string;
  /** Working directory; resolved, `~` expanded. Absent: all directories. */
  cwd?: string | undefined;
  /** Directory to search instead of the profile's. */
  sessionDir?: string | undefined;
  /**
   * The id may be the beginning of one: the session whose id is the same, else the only one
   * whose id begins so. All directories are searched; of several sessions those of `cwd` count,
   * then those of the connection's own agent. Of several files with one id the latest counts.
   */
  prefix?: boolean | undefined;
  /**
   * With `prefix`: if several files have the id, answer all of them as `candidates`, because
   * what is to be changed must be named by its path.
   */
  unique?: boolean | undefined;
}

/** The file that was found. */
export interface FindByIdResult {
  /** Path of its file; null: no session, or more than one. */
  path: string | null;
  /** With `prefix`: the sessions that can be meant, the latest first. */
  candidates?: SessionInfo[] | undefined;
  /** Files and directories that could not be read and are left out; absent: none. */
  problems?: FileProblem[] | undefined;
}

/** The entry to continue from, and the model's summary of the branch that is left. */
export interface FinishBranchSummaryParams {
  /** Handle of the session. */
  session: string;
  /** The entry to continue from, as in `context/navigate`. */
  targetId: string;
  /**
   * Id of the new entry, for safe retries: if this entry exists already, it is the answer and
   * nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the
   * daemon chooses 8 hexadecimal digits.
   */
  newEntryId?: string | undefined;
  /**
   * Write only if this is the handle's leaf (null: before the first entry); otherwise
   * `LeafConflict`.
   */
  expectedLeafId?: string | null | undefined;
  /**
   * Write only if this is the last entry of the file (null: there is none), which means that no
   * other program has written in between; otherwise `LeafConflict`.
   */
  expectedTipId?: string | null | undefined;
  /**
   * The model's text; pi's preamble and the lists of files are added to it. Absent: there was no
   * message to summarise, and the entry says so.
   */
  summary?: string | undefined;
  /**
   * `fileOps` of `context/prepareBranchSummary`; absent: computed from the whole branch that is
   * left.
   */
  fileOps?: FileOperations | undefined;
  /** Label for the summary's entry; it is stored in another entry, which becomes the leaf. */
  label?: string | undefined;
  /** Tokens and cost of making the summary. */
  usage?: Usage | null | undefined;
}

/** The entry of the summary. */
export interface FinishBranchSummaryResult {
  /** Id of the new entry. */
  id: string;
  /** null: the entry is a root. */
  parentId: string | null;
  /**
   * The handle's leaf: the entry, or the one of its label; after a retry perhaps an entry that
   * follows it.
   */
  leafId: string | null;
  /** ISO 8601 UTC with milliseconds. */
  timestamp: string;
  /**
   * Whether the entry is in the file. It is not for a session in memory, nor while the file
   * waits for the first user or assistant message. A written entry survives the end of the
   * process, but not a crash of the machine.
   */
  written: boolean;
  /**
   * true: an entry with the id `newEntryId` existed already; it is the answer, and nothing was
   * written. Absent otherwise.
   */
  existed?: boolean | undefined;
  /** Text for the user to edit, as in `context/navigate`. */
  editorText?: string | undefined;
}

/** A plan and the model's summaries. */
export interface FinishCompactionParams {
  /** Handle of the session. */
  session: string;
  /** The answer of `context/prepareCompaction`. */
  preparation: CompactionPreparation;
  /**
   * Id of the new entry, for safe retries: if this entry exists already, it is the answer and
   * nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the
   * daemon chooses 8 hexadecimal digits.
   */
  newEntryId?: string | undefined;
  /**
   * Write only if this is the handle's leaf (null: before the first entry); otherwise
   * `LeafConflict`.
   */
  expectedLeafId?: string | null | undefined;
  /**
   * Write only if this is the last entry of the file (null: there is none), which means that no
   * other program has written in between; otherwise `LeafConflict`.
   */
  expectedTipId?: string | null | undefined;
  /**
   * Summary of `messagesToSummarize`. It may be absent only if a turn is split and there were no
   * such messages: then the previous summary is used, or `No prior history.`
   */
  historySummary?: string | undefined;
  /** Summary of `turnPrefixMessages`; required if a turn is split, otherwise not allowed. */
  prefixSummary?: string | undefined;
  /** Tokens and cost of making the summaries. */
  usage?: Usage | null | undefined;
}

/** A session to copy into a new file, which names it as its parent. */
export interface ForkFromParams {
  /** The session file to copy. */
  sourcePath: string;
  /** Working directory of the new session. */
  targetCwd: string;
  /** Directory for the new file, instead of the profile's. */
  sessionDir?: string | undefined;
  /** Id of the new session, as in `session/create`. */
  id?: string | undefined;
  /**
   * Copy only the branch that ends with this entry, as `session/createBranchedSession` does;
   * absent: the whole session.
   */
  leafId?: string | undefined;
  /**
   * If `leafId` is an answer with tool calls, also copy the results of these calls; else the
   * copy ends with calls without results, which providers refuse.
   */
  withResults?: boolean | undefined;
  /**
   * Move the handle's leaf whenever the leaf of the file moves, so that appends of others and
   * own ones continue one branch. A handle that is moved to another entry stops following.
   */
  follow?: boolean | undefined;
  /**
   * The handle to give; one that is in use on this connection is `InvalidParams`. Absent: the
   * daemon chooses.
   */
  session?: string | undefined;
}

/** The changes of one store in the last 100 ms or more; each key occurs once. */
export interface GatewayDidChangeParams {
  /** Handle of the subscription. */
  subscription: string;
  /**
   * Number of this notification: one more than that of the notification before it in the
   * subscription, so that a lost one is noticed.
   */
  sequence: number;
  /** The agent of the store. */
  agentId: string;
  /** Absolute path of the store. */
  storePath: string;
  /** May be empty if `problems` is present. */
  changes: StoreChange[];
  /**
   * All present problems of the store; absent if they are the same as before. `replacedStore`:
   * OpenClaw's database has appeared and cannot be read.
   */
  problems?: StoreProblem[] | undefined;
}

/** The stores to follow. */
export interface GatewaySubscribeParams {
  /**
   * Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that
   * of the agent (only with the profile of a gateway).
   */
  storePath?: string | undefined;
  /**
   * `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's
   * configuration file.
   */
  config?: { [name: string]: unknown } | undefined;
  /**
   * Only the store of this agent. Absent: the stores of all agents, including later ones, or the
   * store that they share.
   */
  agentId?: string | undefined;
  /**
   * The handle to give; one that is in use on this connection is `InvalidParams`. Absent: the
   * daemon chooses.
   */
  subscription?: string | undefined;
}

/**
 * A snapshot.
 *
 * Every later change, including the client's own, is reported by `gateway/didChange`.
 */
export interface GatewaySubscribeResult {
  /** Opaque. */
  subscription: string;
  /** Sequence number of the snapshot; the first notification has the next number. */
  sequence: number;
  /** By store, that of the default agent first. */
  sessions: StoredSession[];
  /** Absent: there are none. */
  problems?: StoreProblem[] | undefined;
  /** Absent: there are none. */
  configProblems?: ConfigProblem[] | undefined;
}

/** A subscription to end. */
export interface GatewayUnsubscribeParams {
  /** Handle of the subscription. */
  subscription: string;
}

/** The branch to read. */
export interface GetBranchParams {
  /** Handle of the session. */
  session: string;
  /** Last entry of the branch; absent: the leaf. */
  fromId?: string | undefined;
}

/** The entry whose children are read. */
export interface GetChildrenParams {
  /** Handle of the session. */
  session: string;
  /** The parent; null: read the entries without a parent. */
  parentId: string | null;
}

/** Which page of the file's entries to read. */
export interface GetEntriesParams {
  /** Handle of the session. */
  session: string;
  /**
   * Start after this position: the `nextCursor` of the page before, or the id of an entry, of
   * which the last occurrence counts.
   */
  cursor?: string | undefined;
  /** Maximum number of entries in the answer. */
  limit?: number | undefined;
  /**
   * Start at most this number of entries before the end of the file, if that is after the
   * `cursor`.
   */
  last?: number | undefined;
  /** Whether to answer `views` also. */
  views?: boolean | undefined;
}

/** Entries in file order. */
export interface GetEntriesResult {
  /** The entries. */
  entries: Entry[];
  /** Number of entries in the file. */
  total: number;
  /** Where the next page begins; absent: this is the last. */
  nextCursor?: string | undefined;
  /**
   * What a person sees of each of the `entries`, as `session/getView` answers it; a call does
   * not name its result, which another branch may not have, and always shows its diff.
   */
  views?: ViewItem[] | undefined;
}

/** The id of an entry. */
export interface GetEntryParams {
  /** Handle of the session. */
  session: string;
  /** Id of the entry. */
  id: string;
}

/** The entry whose source is read. */
export interface GetSourceParams {
  /** Handle of the session. */
  session: string;
  /** Id of the entry. */
  entryId: string;
  /** Maximum number of bytes of each record; absent: 65536. */
  maxBytes?: number | undefined;
}

/** What an entry was made of, in the order of the file. */
export interface GetSourceResult {
  /**
   * Several where an agent keeps parts of a message apart. Without `line` where no line of a
   * file has the entry's id: in databases, in memory, in files of version 1.
   */
  records: SourceRecord[];
}

/** How much of each entry the answer contains. */
export interface GetTreeParams {
  /** Handle of the session. */
  session: string;
  /** `full` (default): `TreeNode`s; `outline`: `OutlineNode`s. */
  detail?: "full" | "outline" | undefined;
}

/** Which part of a branch to read. */
export interface GetUpdatesParams {
  /** Handle of the session. */
  session: string;
  /** Last entry of the branch; absent: the leaf. */
  leafId?: string | undefined;
  /**
   * Start after this position: the `nextCursor` of the page before, or the id of an entry of the
   * branch.
   */
  cursor?: string | undefined;
  /** Maximum number of entries in a page; each may be several updates. */
  limit?: number | undefined;
}

/** A page of a branch, the oldest first. */
export interface GetUpdatesResult {
  /** In the order in which to send them. */
  updates: SessionUpdate[];
  /** Number of entries on the branch. */
  total: number;
  /** Where the next page begins; absent: this is the last. */
  nextCursor?: string | undefined;
}

/** Which part of a branch to read. */
export interface GetViewParams {
  /** Handle of the session. */
  session: string;
  /** Last entry of the branch; absent: the leaf. */
  leafId?: string | undefined;
  /**
   * Start after this position: the `nextCursor` of the page before, or the id of an entry of the
   * branch.
   */
  cursor?: string | undefined;
  /**
   * Start at most this number of entries before the end of the branch, if that is after the
   * `cursor`.
   */
  last?: number | undefined;
  /**
   * Id of an entry, as of a search hit: start at half of `limit` before it. If the branch does
   * not have it, the branch that ends at it is read. Replaces `cursor` and `last`.
   */
  around?: string | undefined;
  /** Maximum number of entries in the answer. */
  limit?: number | undefined;
  /**
   * Maximum number of characters of each text; `omittedChars` tells how many are missing.
   * Absent: all of them.
   */
  maxChars?: number | undefined;
}

/** Entries of a branch as a person sees them, the oldest first. */
export interface GetViewResult {
  /** One for each entry. */
  items: ViewItem[];
  /** Number of entries on the branch. */
  total: number;
  /** Where the next page begins; absent: this is the last. */
  nextCursor?: string | undefined;
}

/** A policy in the form that `gateway/evaluateFreshness` answers. */
export interface GivenPolicy {
  /** `daily`: expires at an hour of the day; `idle`: only after time without use. */
  mode: "daily" | "idle";
  /** Hour of the daily reset, in local time. */
  atHour?: number | undefined;
  /** Minutes without use after which the session expires; absent: it does not expire by idleness. */
  idleMinutes?: number | undefined;
}

/** A session's header. */
export type Header =
  | SessionHeader
  | UnknownEntry;

/** The header line. */
export interface HeaderResult {
  /** The session's header. */
  header: Header;
}

/** An image. */
export interface ImageContent {
  /** The image in base64. */
  data: string;
  /** Such as `image/png`. */
  mimeType: string;
  type: "image";
}

/** A session without a file. */
export interface InMemoryParams {
  /** Working directory; absent: that of the daemon. */
  cwd?: string | undefined;
  /** Id of the session, as in `session/create`. */
  id?: string | undefined;
  /** Initial entries, in file order; a header may come first. */
  entries?: Entry[] | undefined;
  /**
   * Move the handle's leaf whenever the leaf of the file moves, so that appends of others and
   * own ones continue one branch. A handle that is moved to another entry stops following.
   */
  follow?: boolean | undefined;
  /**
   * The handle to give; one that is in use on this connection is `InvalidParams`. Absent: the
   * daemon chooses.
   */
  session?: string | undefined;
}

/** The origin of an inbound message, with CoderClaw's names. */
export interface InboundContext {
  /** Key of the session; overrides all other members. */
  SessionKey?: string | undefined;
  /** Sender or group, as `telegram:group:-100` or a number. */
  From?: string | undefined;
  /** `direct`, `group` or `channel`. */
  ChatType?: string | undefined;
  /** Channel, if `From` does not begin with one; empty: no channel. */
  Provider?: string | undefined;
}

/** Settings of the connection. Without `initialize`, those of the command line apply. */
export interface InitializeParams {
  /** Name and version of the client. */
  clientInfo?: ClientInfo | undefined;
  /**
   * Id of the client's process; the daemon exits when that process has ended. A process that
   * does not run on the daemon's machine is not watched.
   */
  processId?: number | undefined;
  /** The agent program whose directories and rules apply. */
  profile?: "clanker" | "claude-code" | "coderclaw" | "codex" | "companion" | "copilot" | "gemini-cli" | "indusagi" | "omp" | "openclaw" | "opencode" | "pi" | "qwen-code" | undefined;
  /** Directory of the agent program, instead of the profile's. */
  agentDir?: string | undefined;
  /**
   * Agent of a gateway profile; absent: that of the command line. Without either it is `main`,
   * and lists and searches show the sessions of all agents.
   */
  agentId?: string | undefined;
  /**
   * Whether lists, searches and usage are of all agents on this machine. New sessions follow
   * `profile`.
   */
  allAgents?: boolean | undefined;
  /** Unit of positions in text; `utf-16` by default. */
  positionEncoding?: "utf-16" | "utf-32" | "utf-8" | undefined;
  /** What this side supports. */
  capabilities?: ClientCapabilities | undefined;
  /**
   * The versions of this contract that the client speaks; absent: any. The answer's
   * `protocolVersion` is the one that applies.
   */
  protocolVersions?: string[] | undefined;
}

/** The settings that apply to the connection. */
export interface InitializeResult {
  /** Name and version of the daemon. */
  serverInfo: ServerInfo;
  /** Version of this contract: `"1"`. */
  protocolVersion: string;
  /** The agent whose sessions are served by default. */
  profile: "clanker" | "claude-code" | "coderclaw" | "codex" | "companion" | "copilot" | "gemini-cli" | "indusagi" | "omp" | "openclaw" | "opencode" | "pi" | "qwen-code" | (string & {});
  /** Absolute path of the agent's directory. */
  agentDir: string;
  /** Absolute path of the directory that holds the sessions; of a gateway, those of the agent. */
  sessionsDir: string;
  /** Unit of positions in text. */
  positionEncoding: "utf-16" | "utf-32" | "utf-8" | (string & {});
  /** What this side supports. */
  capabilities: ServerCapabilities;
  /** With `allAgents`: those that are listed. */
  agents?: ListedAgent[] | undefined;
}

/** A part of the usage of a row. */
export interface InnerUsageRow {
  /** What the part is about, as `key` of `UsageRow`, by `thenBy`. */
  key: string;
  /** The sums. */
  sums: UsageSums;
  /** The session, if `thenBy` is `session`. */
  info?: SessionInfo | undefined;
}

/** Whether the session belongs to a file. */
export interface IsPersistedResult {
  /** Whether the session belongs to a file. */
  persisted: boolean;
}

/** A reply, or the part of it received so far. */
export interface IsSilentReplyParams {
  /** The text received so far. */
  text: string;
  /** The token that marks a silent reply. */
  token?: string | undefined;
  /** Whether more text may follow. */
  streaming?: boolean | undefined;
}

/** Show the text if both are false. */
export interface IsSilentReplyResult {
  /** It starts with the token, or ends with it, apart from punctuation. */
  silent: boolean;
  /** While streaming: the end of the text could become the token. Wait for more. */
  hold: boolean;
}

/** A user's label for an entry. The last label of a target applies. */
export interface LabelEntry {
  /** Unique in the file; pi writes 8 hexadecimal digits. */
  id: string;
  /** Id of the parent entry; null: the entry is a root. */
  parentId: string | null;
  /** ISO 8601 UTC with milliseconds. */
  timestamp: string;
  /** The labelled entry. */
  targetId: string;
  /** `side`: the entry does not move the leaf; written by OpenClaw. */
  appendMode?: string | undefined;
  type: "label";
  /** Absent, null or empty: the label is removed. */
  label?: string | null | undefined;
}

/** The present label of an entry. */
export interface LabelResult {
  /** null: none. */
  label: string | null;
}

/**
 * Moves the leaf of the file; written by OpenClaw. Never part of a branch.
 *
 * It is ignored if one of its ids does not occur before it in the file.
 */
export interface LeafEntry {
  /** Unique in the file; pi writes 8 hexadecimal digits. */
  id: string;
  /** Id of the parent entry; null: the entry is a root. */
  parentId: string | null;
  /** ISO 8601 UTC with milliseconds. */
  timestamp: string;
  /** `side`: the entry does not move the leaf; written by OpenClaw. */
  appendMode?: string | undefined;
  type: "leaf";
  /** The leaf from here on; null: before the first entry. */
  targetId?: string | null | undefined;
  /**
   * The parent of OpenClaw's next entry; absent: the target. Entries with this parent still
   * continue from the leaf.
   */
  appendParentId?: string | null | undefined;
}

/** The handle's position. */
export interface LeafIdResult {
  /** null: before the first entry. */
  leafId: string | null;
}

/** The sessions of all working directories. */
export interface ListAllParams {
  /** Maximum number of sessions in the answer. */
  limit?: number | undefined;
  /** `nextCursor` of the page before; opaque. */
  cursor?: string | undefined;
  /** Add `allMessagesText` to every session. */
  includeText?: boolean | undefined;
  /** Add `usage` to every session of the page. */
  includeUsage?: boolean | undefined;
  /**
   * Whether to calculate the cost of entries that record none, with the prices of the package
   * genai-prices; refused (`Unsupported`) where that is not installed.
   */
  prices?: boolean | undefined;
  /** Add `shortId` to every session of the page. */
  includeShortId?: boolean | undefined;
  /** Only sessions that have a name. */
  named?: boolean | undefined;
  /**
   * Only sessions that were last used on this day (`YYYY-MM-DD` in `timezone`) or later, or at
   * this time (ISO 8601) or later.
   */
  since?: string | undefined;
  /**
   * Only sessions that were created on this day or earlier, or before this time. With `since`:
   * the time between the creation and the last use of the session overlaps the one that is asked
   * for.
   */
  until?: string | undefined;
  /** IANA name of the time zone for days; by default that of the daemon's machine. */
  timezone?: string | undefined;
  /** Only sessions that used a model whose `provider/model` contains this text, in any case. */
  model?: string | undefined;
  /** Only sessions of these agents, by the names of their profiles. */
  agents?: string[] | undefined;
  /**
   * What comes first: the latest (by default), largest, longest or most expensive session. With
   * `used` a fork without messages of its own is as late as its creation (`lastUsed`).
   */
  sort?: "cost" | "messages" | "modified" | "size" | "used" | undefined;
  /** Also sessions that agents began, for their subagents. */
  subagents?: boolean | undefined;
  /** Also transcripts that a gateway put away when a conversation ended. */
  past?: boolean | undefined;
  /** Only sessions with this tag. */
  tag?: string | undefined;
  /** Whether hidden sessions are in the list: `include` by default. */
  hidden?: "exclude" | "include" | "only" | undefined;
  /** Pinned sessions come before all others. */
  pinnedFirst?: boolean | undefined;
  /** Token under which progress is reported; absent: no reports. */
  workDoneToken?: number | string | undefined;
  /**
   * Token under which `$/progress` reports `PartialSessions` while the list is made; the answer
   * still contains the whole page.
   */
  partialResultToken?: number | string | undefined;
  /** A single directory to search, instead of all of the profile's. */
  sessionDir?: string | undefined;
  /**
   * Only sessions of the project of this directory: those of the nearest repository (a directory
   * with `.git`) around it, else of the directory and what is below it. The home directory and
   * `/` are no projects: there only sessions of the directory itself are listed.
   */
  project?: string | undefined;
}

/** The defaults for sessions, from `agents.defaults`. */
export interface ListDefaults {
  /** null: not configured. */
  modelProvider: string | null;
  /** null: not configured. */
  model: string | null;
  /** `agents.defaults.contextTokens`, else 200,000. */
  contextTokens: number;
}

/** The sessions of one working directory. */
export interface ListParams {
  /** Working directory; resolved, `~` expanded. */
  cwd: string;
  /** Maximum number of sessions in the answer. */
  limit?: number | undefined;
  /** `nextCursor` of the page before; opaque. */
  cursor?: string | undefined;
  /** Add `allMessagesText` to every session. */
  includeText?: boolean | undefined;
  /** Add `usage` to every session of the page. */
  includeUsage?: boolean | undefined;
  /**
   * Whether to calculate the cost of entries that record none, with the prices of the package
   * genai-prices; refused (`Unsupported`) where that is not installed.
   */
  prices?: boolean | undefined;
  /** Add `shortId` to every session of the page. */
  includeShortId?: boolean | undefined;
  /** Only sessions that have a name. */
  named?: boolean | undefined;
  /**
   * Only sessions that were last used on this day (`YYYY-MM-DD` in `timezone`) or later, or at
   * this time (ISO 8601) or later.
   */
  since?: string | undefined;
  /**
   * Only sessions that were created on this day or earlier, or before this time. With `since`:
   * the time between the creation and the last use of the session overlaps the one that is asked
   * for.
   */
  until?: string | undefined;
  /** IANA name of the time zone for days; by default that of the daemon's machine. */
  timezone?: string | undefined;
  /** Only sessions that used a model whose `provider/model` contains this text, in any case. */
  model?: string | undefined;
  /** Only sessions of these agents, by the names of their profiles. */
  agents?: string[] | undefined;
  /**
   * What comes first: the latest (by default), largest, longest or most expensive session. With
   * `used` a fork without messages of its own is as late as its creation (`lastUsed`).
   */
  sort?: "cost" | "messages" | "modified" | "size" | "used" | undefined;
  /** Also sessions that agents began, for their subagents. */
  subagents?: boolean | undefined;
  /** Also transcripts that a gateway put away when a conversation ended. */
  past?: boolean | undefined;
  /** Only sessions with this tag. */
  tag?: string | undefined;
  /** Whether hidden sessions are in the list: `include` by default. */
  hidden?: "exclude" | "include" | "only" | undefined;
  /** Pinned sessions come before all others. */
  pinnedFirst?: boolean | undefined;
  /** Token under which progress is reported; absent: no reports. */
  workDoneToken?: number | string | undefined;
  /**
   * Token under which `$/progress` reports `PartialSessions` while the list is made; the answer
   * still contains the whole page.
   */
  partialResultToken?: number | string | undefined;
  /**
   * Directory to search instead of the profile's. If it is not the default one of `cwd`, only
   * sessions of that `cwd` are listed.
   */
  sessionDir?: string | undefined;
  /**
   * Only sessions whose working directory is `cwd`, also in its default directory, which others
   * with the same encoded name share (as in pi: all of them).
   */
  exactCwd?: boolean | undefined;
}

/** A page of sessions, in the order of `sort`. */
export interface ListResult {
  /** The sessions. */
  sessions: SessionInfo[];
  /** Number of sessions on all pages. */
  total: number;
  /** Where the next page begins; absent: this is the last. */
  nextCursor?: string | undefined;
  /** The prices that were used; only with `prices`. */
  prices?: PriceData | undefined;
  /** Files and directories that could not be read and are left out; absent: none. */
  problems?: FileProblem[] | undefined;
}

/** The sessions in the trash that were deleted from a scope, the latest first. */
export interface ListTrashResult {
  /** The sessions. */
  sessions: TrashedSession[];
  /** Files and directories that could not be read and are left out; absent: none. */
  problems?: FileProblem[] | undefined;
}

/** An agent whose sessions are listed. */
export interface ListedAgent {
  /** Name of the agent's profile. */
  agent: "clanker" | "claude-code" | "coderclaw" | "codex" | "companion" | "copilot" | "gemini-cli" | "indusagi" | "omp" | "openclaw" | "opencode" | "pi" | "qwen-code" | (string & {});
  /** Directory or database of its sessions. */
  sessionsDir: string;
}

/** Messages with the roles that providers accept. */
export interface LlmMessagesResult {
  /**
   * Messages with the roles system, user, assistant and toolResult; others are converted to
   * these.
   */
  messages: Message[];
}

/** The store of one agent. `session.maintenance` and `cron` define what is removed. */
export interface MaintainParams {
  /**
   * The agent of a key that names none; absent: that of the connection, else the default agent
   * of the configuration.
   */
  agentId?: string | undefined;
  /**
   * Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that
   * of the agent (only with the profile of a gateway).
   */
  storePath?: string | undefined;
  /**
   * `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's
   * configuration file.
   */
  config?: { [name: string]: unknown } | undefined;
  /** `warn`: only report what `enforce` would do. Absent: that of the configuration, else `warn`. */
  mode?: "enforce" | "warn" | undefined;
  /** Only report what would be done. */
  dryRun?: boolean | undefined;
}

/** What was done, or with `dryRun` and in mode `warn`, what would be done. */
export interface MaintainResult {
  /** `enforce`: entries were removed; `warn`: they would be. */
  mode: "enforce" | "warn" | (string & {});
  /** Absolute path of the store. */
  storePath: string;
  /** Keys of sessions unused for longer than `pruneAfter`. */
  pruned: string[];
  /** Keys of sessions beyond `maxEntries`; their transcripts stay. */
  capped: string[];
  /** Keys of cron runs older than `cron.sessionRetention`; their transcripts stay. */
  reaped: string[];
  /**
   * New paths of the transcripts of pruned sessions, or their paths if nothing was done. A
   * transcript that another session uses is not archived.
   */
  archived: string[];
  /**
   * Archives of deleted sessions older than `pruneAfter`; they were deleted from the directories
   * in which something was archived.
   */
  removed: string[];
  /** Absent: there are none. */
  problems?: StoreProblem[] | undefined;
  /** Absent: there are none. */
  configProblems?: ConfigProblem[] | undefined;
}

/** A directory that has another path on the other side. */
export interface MappedDirectory {
  /** The directory on this side. */
  here: string;
  /** The one in its place; `~` is the home there. */
  there: string;
}

/** A message, by its `role`. */
export type Message =
  | UserMessage
  | AssistantMessage
  | ToolResultMessage
  | BashExecutionMessage
  | CustomMessage
  | BranchSummaryMessage
  | CompactionSummaryMessage
  | SystemMessage
  | UnknownMessage;

/** An inbound message, with CoderClaw's names. Members that no rule reads are ignored. */
export interface MessageContext {
  /** Key of the session; overrides all other members. */
  SessionKey?: string | undefined;
  /** Sender or group, as `telegram:group:-100` or a number. */
  From?: string | undefined;
  /** `direct`, `group` or `channel`. */
  ChatType?: string | undefined;
  /** Channel, if `From` does not begin with one; empty: no channel. */
  Provider?: string | undefined;
  /** `native`: a native command of the channel. */
  CommandSource?: string | undefined;
  /** Session of a native command, used instead of `SessionKey`. */
  CommandTargetSessionKey?: string | undefined;
  /** The text alone, at whose start a reset trigger is looked for; absent: `CommandBody`. */
  BodyForCommands?: string | undefined;
  /** Used instead of an absent `BodyForCommands`. */
  CommandBody?: string | undefined;
  /** Used instead of an absent `CommandBody`; absent: `Body`. */
  RawBody?: string | undefined;
  /** The message, possibly with history, timestamps and names around it. */
  Body?: string | undefined;
  /** The recipient; replies are sent to it. */
  To?: string | undefined;
  /** Where replies are sent; overrides `To`. */
  OriginatingTo?: string | undefined;
  /** Channel to which replies are sent. */
  OriginatingChannel?: string | undefined;
  /** Channel on which the message was received. */
  Surface?: string | undefined;
  /** The agent's account on the channel. */
  AccountId?: string | undefined;
  /** Thread or topic; 0 and the empty string are valid. */
  MessageThreadId?: string | number | undefined;
  /** Name of the thread; becomes that of the session. */
  ThreadLabel?: string | undefined;
  /** The first message of the thread. */
  ThreadStarterBody?: string | undefined;
  /** Key of the parent session, whose transcript a new thread copies. */
  ParentSessionKey?: string | undefined;
  /** The group's title. */
  GroupSubject?: string | undefined;
  /** The channel's name, as `#general`. */
  GroupChannel?: string | undefined;
  /** Server or workspace of the channel. */
  GroupSpace?: string | undefined;
  /** Name of the sender. */
  SenderName?: string | undefined;
  /** Display name of the conversation. */
  ConversationLabel?: string | undefined;
}

/** Messages of the whole file, including other branches and compacted messages. */
export interface MessageFigures {
  /**
   * Number of messages by role; the key is empty for messages without a role. An answer that an
   * agent keeps in several entries (`partOf`) is one message.
   */
  byRole: { [name: string]: number };
}

/** The messages to measure: send exactly one of the two members. */
export interface MessagesParams {
  /** Handle of the session: measure the context at its leaf. */
  session?: string | undefined;
  /**
   * Messages in order, each an object with a string `role`. Other members that are missing or
   * have an unexpected type count as 0.
   */
  messages?: Message[] | undefined;
}

/** A change of the model by the user; it applies from here on. */
export interface ModelChangeEntry {
  /** Unique in the file; pi writes 8 hexadecimal digits. */
  id: string;
  /** Id of the parent entry; null: the entry is a root. */
  parentId: string | null;
  /** ISO 8601 UTC with milliseconds. */
  timestamp: string;
  /** Provider of the model, such as `anthropic`. */
  provider: string;
  /** Id of the model. */
  modelId: string;
  /** `side`: the entry does not move the leaf; written by OpenClaw. */
  appendMode?: string | undefined;
  type: "model_change";
}

/** Messages, tokens and cost of one model. */
export interface ModelFigures {
  /** Empty, like `model`, for usage that names no model. */
  provider: string;
  /** Id of the model. */
  model: string;
  /** Number of its assistant messages. */
  messages: number;
  /** Numbers of tokens. */
  tokens: TokenFigures;
  /** Absent: there is usage, and none of it records a cost. */
  cost?: CostFigures | undefined;
  /**
   * Number of entries with usage that record no cost: the true cost is higher. Absent: there are
   * none.
   */
  withoutCost?: number | undefined;
  /**
   * Number of entries whose cost was not recorded, but calculated for `prices`. Absent: there
   * are none.
   */
  calculated?: number | undefined;
}

/** A model. */
export interface ModelRef {
  /** Provider of the model, such as `anthropic`. */
  provider: string;
  /** Id of the model. */
  modelId: string;
}

/** The usage of one model. */
export interface ModelUsage {
  /** Empty, like `model`, for usage that names no model. */
  provider: string;
  /** Id of the model. */
  model: string;
  /** The sums. */
  sums: UsageSums;
}

/**
 * The entry to move to.
 *
 * The conditions hold for the move, too; `newEntryId` is the id of the label's entry.
 */
export interface NavigateParams {
  /** Handle of the session. */
  session: string;
  /**
   * If it is a user message or custom message, its parent becomes the leaf, and its text is
   * answered for editing. Any other entry becomes the leaf itself. If it is the leaf already,
   * nothing happens.
   */
  targetId: string;
  /**
   * Id of the new entry, for safe retries: if this entry exists already, it is the answer and
   * nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the
   * daemon chooses 8 hexadecimal digits.
   */
  newEntryId?: string | undefined;
  /**
   * Write only if this is the handle's leaf (null: before the first entry); otherwise
   * `LeafConflict`.
   */
  expectedLeafId?: string | null | undefined;
  /**
   * Write only if this is the last entry of the file (null: there is none), which means that no
   * other program has written in between; otherwise `LeafConflict`.
   */
  expectedTipId?: string | null | undefined;
  /**
   * Label for the target. It is stored in an entry under the new leaf, and that entry becomes
   * the leaf. Absent, null or empty: no label.
   */
  label?: string | undefined;
}

/** The new position of the handle. */
export interface NavigateResult {
  /** null: before the first entry. */
  leafId: string | null;
  /** Text of the user or custom message, for the user to edit. */
  editorText?: string | undefined;
}

/** A new session for an existing handle; the working directory stays the same. */
export interface NewSessionParams {
  /** Handle of the session. */
  session: string;
  /** Id of the new session, as in `session/create`. */
  id?: string | undefined;
  /** Path of the parent session; stored in the header. */
  parentSession?: string | undefined;
}

/** A node of the tree, by `detail`. */
export type Node = TreeNode | OutlineNode;

/**
 * A session to open, by its file or its id.
 *
 * If the file is missing or empty, a new session is created there. A missing file whose name
 * does
 * not end in `.jsonl`, such as an id, is `SessionNotFound`.
 */
export interface OpenParams {
  /** The session file; absent: `id` names the session. */
  path?: string | undefined;
  /**
   * Instead of `path`: the whole id of a session in any directory that the daemon serves; of
   * several files with one id the latest counts. An unknown id is `SessionNotFound`.
   */
  id?: string | undefined;
  /** Directory for sessions branched off this one; absent: the directory of the file. */
  sessionDir?: string | undefined;
  /**
   * Working directory to use instead of the one in the header; with `id`: only a session of this
   * working directory.
   */
  cwd?: string | undefined;
  /** Refuse writes; a file of an older version is migrated in memory only. */
  readOnly?: boolean | undefined;
  /**
   * The handle's leaf (null: before the first entry), such as the one it had on an earlier
   * connection. Absent, or while the file has no such entry: the leaf of the file.
   */
  leafId?: string | null | undefined;
  /**
   * Move the handle's leaf whenever the leaf of the file moves, so that appends of others and
   * own ones continue one branch. A handle that is moved to another entry stops following.
   */
  follow?: boolean | undefined;
  /** Refuse a missing file (`SessionNotFound`). */
  mustExist?: boolean | undefined;
  /**
   * The handle to give; one that is in use on this connection is `InvalidParams`. Absent: the
   * daemon chooses.
   */
  session?: string | undefined;
}

/** Other processes that have the session open for writing, as far as is known. */
export interface OtherProcesses {
  /** Ids of the processes. */
  pids: number[];
}

/** An entry in the tree, without its content. */
export interface OutlineNode {
  /** Id of the entry. */
  id: string;
  /** As in the entry. */
  parentId: string | null;
  /** Ids of the children, by time. */
  children: string[];
  /** Type of the entry. */
  type: string;
  /** ISO 8601 UTC with milliseconds. */
  timestamp: string;
  /** The beginning of its text, at most 120 characters. */
  preview: string;
  /** Role of a message entry. */
  role?: string | undefined;
  /** Absent: none. */
  label?: string | undefined;
}

/** The parts of `agent:<agentId>:<rest>`, in their original case. */
export interface ParsedKey {
  /** Id of the agent. */
  agentId: string;
  /** The key without the agent. */
  rest: string;
}

/** The sorted list of the sessions read so far, up to the `limit` of the request. */
export interface PartialSessions {
  /** The sessions. */
  sessions: SessionInfo[];
}

/**
 * A session before its next turn. Exactly one of `entry` and `sessionKey`.
 *
 * With `entry` no file is read, and an absent `config` is then empty.
 */
export interface PlanMemoryFlushParams {
  /**
   * The agent of a key that names none; absent: that of the connection, else the default agent
   * of the configuration.
   */
  agentId?: string | undefined;
  /**
   * Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that
   * of the agent (only with the profile of a gateway).
   */
  storePath?: string | undefined;
  /**
   * `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's
   * configuration file.
   */
  config?: { [name: string]: unknown } | undefined;
  /** Key, in any spelling that a gateway accepts; the store is read. */
  sessionKey?: string | undefined;
  /**
   * Entry of the session; the rule reads `totalTokens`, `totalTokensFresh`, `compactionCount`
   * and `memoryFlushCompactionCount`.
   */
  entry?: { [name: string]: unknown } | undefined;
  /** Context window; absent: `agents.defaults.contextTokens`, else 200,000. */
  contextWindow?: number | undefined;
  /** Whether the turn is sandboxed. */
  sandboxed?: boolean | undefined;
  /** Access of the sandbox: `none`, `ro` or `rw`; a flush needs `rw`. */
  workspaceAccess?: string | undefined;
  /** Whether the turn is a heartbeat. */
  heartbeat?: boolean | undefined;
  /** Whether the model is run as a command. */
  cliProvider?: boolean | undefined;
  /** Time in the prompt, in milliseconds since the epoch; absent: the host's time. */
  now?: number | undefined;
  /**
   * IANA name of the time zone in the prompt; absent: `agents.defaults.userTimezone`, else the
   * host's.
   */
  timezone?: string | undefined;
}

/** Whether to run a turn that saves memories first. */
export interface PlanMemoryFlushResult {
  /** Whether to run a turn that saves memories first. */
  flush: boolean;
  /** `due`, or the first reason why not. */
  reason: "due" | "disabled" | "workspaceNotWritable" | "heartbeat" | "cliProvider" | "tokensUnknown" | "windowTooSmall" | "belowThreshold" | "alreadyFlushed" | (string & {});
  /** Number of tokens at which the flush is due; 0: the context window is too small. */
  threshold: number;
  /** Prompt for the agent. */
  prompt?: string | undefined;
  /** Text to append to its system prompt, after a blank line. */
  systemPrompt?: string | undefined;
  /** Absent: there are none. */
  problems?: StoreProblem[] | undefined;
  /** Absent: there are none. */
  configProblems?: ConfigProblem[] | undefined;
}

/** The entry to continue from, and limits for the summary. */
export interface PrepareBranchSummaryParams {
  /** Handle of the session; the branch of its leaf is the one that is left. */
  session: string;
  /** The entry to continue from. */
  targetId: string;
  /**
   * Maximum number of tokens of messages; the newest are kept. Absent or 0: no limit. pi uses
   * the context window (128,000 if unknown) minus 16,384.
   */
  tokenBudget?: number | undefined;
  /** Add the complete prompts for the model. */
  includePrompts?: boolean | undefined;
  /** Instructions for the summary, added to the prompt. */
  customInstructions?: string | undefined;
  /** Use `customInstructions` instead of the standard instructions. */
  replaceInstructions?: boolean | undefined;
}

/** The part of the branch that is left. */
export interface PrepareBranchSummaryResult {
  /** Deepest entry that is on both branches; null: there is none. */
  commonAncestorId: string | null;
  /** The entries after the common ancestor up to the leaf; may be empty. */
  entries: Entry[];
  /** Messages of the entries within the budget, after context edits, without tool results. */
  messages: Message[];
  /** Files that the summarized messages used. */
  fileOps: FileOperations;
  /** Estimated tokens of `messages`. */
  totalTokens: number;
  /** Only with `includePrompts`. */
  prompts?: BranchPrompts | undefined;
}

/** Settings of the plan. */
export interface PrepareCompactionParams {
  /** Handle of the session. */
  session: string;
  /** The settings of compaction. */
  settings?: CompactionSettings | undefined;
  /** Add the complete prompts for the model. */
  includePrompts?: boolean | undefined;
  /** Instructions for the summaries, added to the prompts. */
  customInstructions?: string | undefined;
}

/** A plan, or the reason why there is none. */
export interface PrepareCompactionResult {
  /** null: there is nothing to compact. */
  preparation: CompactionPreparation | null;
  /** Why there is nothing to compact, in pi's words. */
  reason?: "Already compacted" | "Nothing to compact (session too small)" | (string & {}) | undefined;
}

/** The prices with which costs were calculated. */
export interface PriceData {
  /** The package that carries them. */
  package: string;
  /** Its version, which says how old they are. */
  version: string;
}

/** Progress of the request that carried the token. */
export interface ProgressParams {
  /** The token from the request. */
  token: number | string;
  /** `WorkDoneProgress` or `PartialSessions`, depending on the token. */
  value: ProgressValue;
}

/** The value of `$/progress`, by its token. */
export type ProgressValue = WorkDoneProgress | PartialSessions;

/** An entry and the messages that it contributes to the context. */
export interface ProjectedEntry {
  /** The entry. */
  sourceEntry: Entry;
  /** Messages after context edits; empty: the entry contributes none. */
  messages: Message[];
}

/** The present state of an answer. */
export interface PublishDraftParams {
  /** Handle of the session. */
  session: string;
  /** The whole message as far as it goes, with a `role`, of at most 256 kB; null: there is none. */
  message: Message | null;
}

/** A compaction that took place; at most one is counted per run. */
export interface RecordCompactionParams {
  /** Key of the session, in any spelling that a gateway accepts. */
  sessionKey: string;
  /**
   * The agent of a key that names none; absent: that of the connection, else the default agent
   * of the configuration.
   */
  agentId?: string | undefined;
  /**
   * Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that
   * of the agent (only with the profile of a gateway).
   */
  storePath?: string | undefined;
  /**
   * `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's
   * configuration file.
   */
  config?: { [name: string]: unknown } | undefined;
  /**
   * Estimated tokens of the context now, if not above the number before; it also removes
   * `inputTokens` and `outputTokens`. Absent or 0: unknown.
   */
  tokensAfter?: number | undefined;
}

/** The entry after the change. */
export interface RecordCompactionResult {
  /** null: the store has no entry under the key; nothing was written. */
  entry: { [name: string]: unknown } | null;
  /** Compactions of the session, with this one; null: no entry. */
  count: number | null;
  /** Absent: there are none. */
  problems?: StoreProblem[] | undefined;
  /** Absent: there are none. */
  configProblems?: ConfigProblem[] | undefined;
}

/** A turn that saved memories successfully. */
export interface RecordMemoryFlushParams {
  /** Key of the session, in any spelling that a gateway accepts. */
  sessionKey: string;
  /**
   * The agent of a key that names none; absent: that of the connection, else the default agent
   * of the configuration.
   */
  agentId?: string | undefined;
  /**
   * Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that
   * of the agent (only with the profile of a gateway).
   */
  storePath?: string | undefined;
  /**
   * `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's
   * configuration file.
   */
  config?: { [name: string]: unknown } | undefined;
  /**
   * Number of compactions that ended during the turn; more than one count as one. The next flush
   * is due only after another compaction.
   */
  compactions?: number | undefined;
}

/** The entry after the change. */
export interface RecordResult {
  /** null: the store has no entry under the key; nothing was written. */
  entry: { [name: string]: unknown } | null;
  /** Absent: there are none. */
  problems?: StoreProblem[] | undefined;
  /** Absent: there are none. */
  configProblems?: ConfigProblem[] | undefined;
}

/**
 * The usage of a run.
 *
 * If `usage` has a count above 0, `inputTokens` and `outputTokens` become those of the run,
 * and
 * `totalTokens` becomes the size of the last prompt: `promptTokens`, else input and cache of
 * `lastCallUsage`, else its sum, else its input. If none of these is known, `totalTokens` is
 * removed and `totalTokensFresh` is false.
 */
export interface RecordUsageParams {
  /** Key of the session, in any spelling that a gateway accepts. */
  sessionKey: string;
  /**
   * The agent of a key that names none; absent: that of the connection, else the default agent
   * of the configuration.
   */
  agentId?: string | undefined;
  /**
   * Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that
   * of the agent (only with the profile of a gateway).
   */
  storePath?: string | undefined;
  /**
   * `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's
   * configuration file.
   */
  config?: { [name: string]: unknown } | undefined;
  /** Sum over all calls of the run. */
  usage?: TokenCounts | undefined;
  /** Usage of the last call. */
  lastCallUsage?: TokenCounts | undefined;
  /** Size of the last prompt, if it is known exactly; 0: unknown. */
  promptTokens?: number | undefined;
  /** The model that answered; absent: unchanged. */
  model?: string | undefined;
  /** Provider of the model; absent: unchanged. */
  provider?: string | undefined;
  /**
   * The model's context window. Absent or 0: `agents.defaults.contextTokens`, else the previous
   * value, else 200,000.
   */
  contextWindow?: number | undefined;
  /** The parts of the system prompt; absent: unchanged. */
  systemPromptReport?: { [name: string]: unknown } | undefined;
}

/** A new name for a session, which need not be open. */
export interface RenameParams {
  /** The session file, which must exist. */
  path: string;
  /** Line breaks become a space and white space at the ends is removed; an empty name clears it. */
  name: string;
  /**
   * Any name of the change; with one, `catalog/undo` can take it back. Deletions in a row with
   * the same name are taken back together.
   */
  change?: string | undefined;
}

/**
 * The entry that stores the name.
 *
 * It is appended under the last entry of the file, so that no part of the transcript leaves
 * the
 * active branch.
 */
export interface RenameResult {
  /** Id of the `session_info` entry. */
  id: string;
  /**
   * Whether `catalog/undo` can take it back: not with `--root` or `--store`. Absent: the change
   * had no name.
   */
  undoable?: boolean | undefined;
}

/** One action of a repair, done or planned. */
export interface RepairAction {
  /**
   * Kind of the problem that it solves, or `oldVersion`: a damaged file of version 1 or 2 is
   * migrated as well.
   */
  kind: string;
  /** Text for people. */
  message: string;
  /** Number of the line in the file before the repair; absent: the whole file. */
  line?: number | undefined;
}

/** A file to repair. */
export interface RepairParams {
  /** The session file. */
  path: string;
  /** true: only report what would be done. false: repair the file. */
  dryRun: boolean;
}

/**
 * The problems and the actions.
 *
 * Problems without an action stay in the file; readers skip them.
 */
export interface RepairResult {
  /** As found, in order of lines. */
  problems: Diagnostic[];
  /** In order of lines; empty: nothing needs to be done. */
  actions: RepairAction[];
  /**
   * Copy of the file before the repair, `<file>.bak-<time>` in the same directory; absent:
   * nothing was written.
   */
  backup?: string | undefined;
}

/** The content that replaces the content of an entry in the context. */
export interface Replacement {
  /** The new content. */
  content: Content;
}

/** Starts the context again after this entry; written by OpenClaw for a new conversation. */
export interface ResetEntry {
  /** Unique in the file; pi writes 8 hexadecimal digits. */
  id: string;
  /** Id of the parent entry; null: the entry is a root. */
  parentId: string | null;
  /** ISO 8601 UTC with milliseconds. */
  timestamp: string;
  /** `side`: the entry does not move the leaf; written by OpenClaw. */
  appendMode?: string | undefined;
  type: "reset";
  /** Such as `new` or `reset`. */
  reason?: string | undefined;
  /** First earlier entry that stays in the context; absent: no entry stays. */
  firstKeptEntryId?: string | null | undefined;
}

/**
 * When a session is reset.
 *
 * In mode `daily` both the hour and the idle minutes apply, whichever expires first.
 */
export interface ResetPolicy {
  /** `daily`: expires at an hour of the day; `idle`: only after time without use. */
  mode: "daily" | "idle" | (string & {});
  /** Hour of the daily reset, in local time. */
  atHour: number;
  /** Minutes without use after which the session expires; absent: it does not expire by idleness. */
  idleMinutes?: number | undefined;
}

/** Exactly one of `context` and `key`. */
export interface ResolveKeyParams {
  /** A message of the session. */
  context?: InboundContext | undefined;
  /** A key as people and old stores write it. */
  key?: string | undefined;
  /** `session`, `agents`, `channels` and `cron` of a CoderClaw configuration. */
  config?: { [name: string]: unknown } | undefined;
  /** The agent of a `key` that names none; absent: the default agent. */
  agentId?: string | undefined;
}

/** The canonical key of a session, and facts that follow from it. */
export interface ResolveKeyResult {
  /** Empty for a blank key. */
  sessionKey: string;
  /** `direct`, `group`, `global` or `unknown`, by the key. */
  kind: "direct" | "global" | "group" | "unknown" | (string & {});
  /** Agent whose store has the session. */
  agentId: string;
  /**
   * The parts of `key` as it was sent (with `context`: of `sessionKey`); null: it does not name
   * an agent.
   */
  parsed: ParsedKey | null;
  /**
   * Other keys under which an old store may have the session. They and `sessionKey` may occur
   * there in upper or lower case.
   */
  aliases: string[];
  /** Absent: there are none. */
  configProblems?: ConfigProblem[] | undefined;
}

/** A session to restore from the trash. */
export interface RestoreParams {
  /**
   * Path of the file before it was deleted. If several files with this path were deleted, the
   * latest is restored. An existing file is never replaced.
   */
  path: string;
}

/** A session that was found. */
export interface SearchHit {
  /** The session. */
  info: SessionInfo;
  /**
   * Lower is better: the sum over words and phrases of pi 1.6.0's scores. Below 1,000,000 for a
   * match in the name, 1,000,000 in the id, a message or the working directory, about 2,000,000
   * for scattered characters.
   */
  distance: number;
  /**
   * Up to three texts in file order: first those with all words and phrases are chosen, then
   * those with the most and rarest.
   */
  snippets: SearchSnippet[];
  /**
   * Number of texts with any of the words and phrases; 0 if the session matches by its name, id
   * or directory alone.
   */
  matchCount: number;
  /**
   * True: only the first 40 texts with all words and the first 40 with each were counted, and
   * there are more.
   */
  hasMoreMatches?: boolean | undefined;
  /** Paths of other hits of this page that have the same texts of the same entries, as forks do. */
  alsoIn?: string[] | undefined;
}

/** A part of a text, on one line. */
export interface SearchSnippet {
  /** Id of the message's entry; empty if the entry has none. */
  entryId: string;
  /** Role of the message. */
  role: "assistant" | "bashExecution" | "branch_summary" | "compaction" | "label" | "toolResult" | "user" | (string & {});
  /**
   * At most 240 characters, with the first match in the first 60; control characters are
   * replaced by spaces. Where the text is cut, at a word if one is near, is an ellipsis.
   */
  text: string;
  /**
   * Start and end (exclusive) of each match in `text`, in units of the connection's
   * `positionEncoding`.
   */
  ranges: [number, number][];
  /** Absent: `said`. */
  field?: "calls" | "commands" | "labels" | "results" | "said" | "summaries" | "thinking" | (string & {}) | undefined;
  /** When it was said or done; absent: unknown. */
  time?: string | undefined;
  /** Of a call or a result: the tool. */
  tool?: string | undefined;
  /** Of a call: the file that it names. */
  file?: string | undefined;
  /**
   * False: the entry is not on the branch that the session is opened at. Absent: it is, or that
   * is not known: a page of hits reads 16 MB of sessions at most for it.
   */
  onCurrentBranch?: boolean | undefined;
}

/** Another search, which finds something; what is absent stays as it was sent. */
export interface SearchSuggestion {
  /** What to search for. */
  query: string;
  /** Number of its hits. */
  total: number;
  /** The fields that have the texts. */
  fields?: ("calls" | "commands" | "labels" | "results" | "said" | "summaries" | "thinking" | (string & {}))[] | undefined;
  /** True: without `cwd`. */
  everywhere?: boolean | undefined;
}

/** A conversation as one text. */
export interface SerializeResult {
  /**
   * The text has no thinking. Tool results are cut after 2,000 UTF-16 code units, never inside a
   * character.
   */
  text: string;
}

/** Capabilities of the daemon. */
export interface ServerCapabilities {
  /** Framing of this connection, in both directions. */
  framing: "header" | "line" | (string & {});
  /** Names of all methods and notifications that the daemon accepts. */
  methods: string[];
  /** Names of all notifications that the daemon may send. */
  notifications: string[];
}

/** The daemon's name and version. */
export interface ServerInfo {
  /** Version of the program. */
  version: string;
  /** Name of the program. */
  name: "sessiond" | (string & {});
}

/** The present work of the agent of a session. */
export interface SessionActivity {
  /** `waiting`: for a person. Later versions may add states. */
  state: "idle" | "running" | "waiting" | (string & {});
  /** Its work, or the thing it waits for; text for people. */
  text?: string | undefined;
}

/** The context for a model, before its messages are converted to the roles of a provider. */
export interface SessionContextResult {
  /** The messages. */
  messages: Message[];
  /** `off` unless the branch sets another level. */
  thinkingLevel: string;
  /** null: the branch sets no model. */
  model: ModelRef | null;
}

/** The present draft of a session, unless this handle published it. */
export interface SessionDidChangeDraftParams {
  /** Handle of the session. */
  session: string;
  /** Replaces the draft before; null: there is none any more. */
  draft: Draft | null;
}

/** What every `SessionDidChangeParams` has. */
export interface SessionDidChangeParamsBase {
  /** Handle of the session. */
  session: string;
  /**
   * Number of this notification: one more than that of the notification before it for the
   * handle, so that a lost one is noticed.
   */
  sequence: number;
  /** Absolute path of the file. */
  path: string;
  /** Number of times the file was loaded again because another program had rewritten it. */
  generation: number;
  /** The handle's present leaf; null: before the first entry. */
  leafId: string | null;
  /** Last entry of the file at present; null: there is none. */
  tipId: string | null;
  /** Present number of entries. */
  entryCount: number;
  /** Present name; absent: none. */
  name?: string | undefined;
  /**
   * The first 100 problems of lines appended since the notification before, also of a last line
   * that has no end yet.
   */
  diagnostics?: Diagnostic[] | undefined;
}

/** A change of a session's file that was not made through this handle. */
export type SessionDidChangeParams = SessionDidChangeParamsBase &
  (
    | {
      /**
       * After `deleted` or `invalid`, reads answer the last valid state until `restored` or
       * `rewritten`.
       */
      kind: "appended";
      /** The appended entries, in file order; none if what was appended is no entry. */
      entries: EntryFacts[];
    }
    | {
      /**
       * After `deleted` or `invalid`, reads answer the last valid state until `restored` or
       * `rewritten`.
       */
      kind: "deleted" | "invalid" | "restored" | "rewritten";
      /** The appended entries, in file order; none if what was appended is no entry. */
      entries?: EntryFacts[] | undefined;
    }
    | {
      /**
       * After `deleted` or `invalid`, reads answer the last valid state until `restored` or
       * `rewritten`.
       */
      kind: Unlisted;
      /** The appended entries, in file order; none if what was appended is no entry. */
      entries?: EntryFacts[] | undefined;
    }
  );

/** The directory for sessions branched off this one. */
export interface SessionDirResult {
  /** Directory of the session's file. */
  sessionDir: string;
}

/** Path of the session's file. */
export interface SessionFileResult {
  /** Absolute path, also before the file is written; null for a session in memory. */
  sessionFile: string | null;
}

/** The first line of a session file; not part of the tree. */
export interface SessionHeader {
  /** Id of the session. */
  id: string;
  /** Start of the session; ISO 8601 UTC. */
  timestamp: string;
  /** Working directory. */
  cwd: string;
  type: "session";
  /** Version of the file format; absent: 1. OpenClaw may write 4. */
  version?: number | undefined;
  /** Path of the session this one was forked from. */
  parentSession?: string | undefined;
  /** The name of `parentSession` in version 1. */
  branchedFrom?: string | undefined;
  /** Initial provider; only version 1 wrote it. */
  provider?: string | undefined;
  /** Initial model; only version 1 wrote it. */
  modelId?: string | undefined;
  /** Initial thinking level; only version 1 wrote it. */
  thinkingLevel?: string | undefined;
}

/** The file in which a mirrored session is written; its copy in the store is read-only. */
export interface SessionHome {
  /** Name of the host, as its mirror gives it. */
  host: string;
  /** Absolute path of the file on that host. */
  path: string;
}

/** The id in the session's header. */
export interface SessionIdResult {
  /** Id of the session. */
  sessionId: string;
}

/** A session as lists show it. All times are ISO 8601 UTC with milliseconds. */
export interface SessionInfo {
  /** Absolute path of the file. */
  path: string;
  /** Id in the session's header. */
  id: string;
  /** Working directory; empty: the header has none. */
  cwd: string;
  /** Time from the header. */
  created: string;
  /**
   * Time of the latest user or assistant message; without one, that of the header or of the
   * file.
   */
  modified: string;
  /** Number of message entries of any role. */
  messageCount: number;
  /** Text of the first user message, or `(no messages)`. */
  firstMessage: string;
  /** Size of the file in bytes. */
  sizeBytes: number;
  /** With `allAgents`: profile of its agent; absent: it is in no agent's place. */
  agent?: string | undefined;
  /** Name given by a user; absent: none. */
  name?: string | undefined;
  /**
   * Path of the session it was forked from, from the header; of a subagent's session, that of
   * the session that began it.
   */
  parentSessionPath?: string | undefined;
  /** Present: an agent began the session. */
  subagent?: SubagentRun | undefined;
  /** True: a gateway put the transcript away when its conversation ended. */
  isPast?: boolean | undefined;
  /**
   * When a fork was created, if it has no later message; absent: `modified` says when the
   * session was last used.
   */
  lastUsed?: string | undefined;
  /** Differs whenever the session has changed, also by a rename; opaque. */
  revision?: string | undefined;
  /** Set by `catalog/setMarks`; absent: the session has none. */
  marks?: SessionMarks | undefined;
  /**
   * Where the session is written, if this is a copy that a mirror keeps in the store; absent:
   * here.
   */
  home?: SessionHome | undefined;
  /**
   * Present if other processes have the session open for writing through sessiond. Agents that
   * write by themselves, such as pi, are not seen so: see `activeSince`.
   */
  inUse?: OtherProcesses | undefined;
  /**
   * Time of the last write of another program to the file, as far as the daemon knows; absent:
   * only this daemon has written to it, or it is in a store.
   */
  activeSince?: string | undefined;
  /**
   * As a handle has set it in this daemon (`session/setActivity`), or `running` if another
   * program wrote to the file in the last minute, or in the last 30 with a prompt, a call or a
   * result as its last message. Absent: nothing is known.
   */
  activity?: SessionActivity | undefined;
  /** Text of all user and assistant messages; only with `includeText`. */
  allMessagesText?: string | undefined;
  /**
   * Only with `includeShortId`: the shortest beginning of the id, of at least 8 characters, that
   * names this session alone among all of the directory or profile. If not all ids are known it
   * has 13 characters, which say when the session was created (UUID version 7).
   */
  shortId?: string | undefined;
  /** Only with `includeUsage`; absent: the session has recorded none. */
  usage?: SessionUsage | undefined;
}

/** A user's name for the session. The last name in the file applies. */
export interface SessionInfoEntry {
  /** Unique in the file; pi writes 8 hexadecimal digits. */
  id: string;
  /** Id of the parent entry; null: the entry is a root. */
  parentId: string | null;
  /** ISO 8601 UTC with milliseconds. */
  timestamp: string;
  /** `side`: the entry does not move the leaf; written by OpenClaw. */
  appendMode?: string | undefined;
  type: "session_info";
  /** Trimmed when read; empty: no name. */
  name?: string | undefined;
}

/** The marks that a person gave a session in sessiond. */
export interface SessionMarks {
  /** Whether lists may have it first. */
  pinned: boolean;
  /** Whether lists may leave it out. */
  hidden: boolean;
  /** Sorted; empty: none. */
  tags: string[];
}

/** A message of the conversation. */
export interface SessionMessageEntry {
  /** Unique in the file; pi writes 8 hexadecimal digits. */
  id: string;
  /** Id of the parent entry; null: the entry is a root. */
  parentId: string | null;
  /** ISO 8601 UTC with milliseconds. */
  timestamp: string;
  /** The message. */
  message: Message;
  /** `side`: the entry does not move the leaf; written by OpenClaw. */
  appendMode?: string | undefined;
  type: "message";
}

/** The session's name. */
export interface SessionNameResult {
  /** null: none. */
  name: string | null;
}

/** Params of methods that take only a session. */
export interface SessionParams {
  /** Handle of the session. */
  session: string;
}

/** The context together with the entries that contribute to it. */
export interface SessionProjectionResult {
  /** The entries. */
  entries: ProjectedEntry[];
  /** `off` unless the branch sets another level. */
  thinkingLevel: string;
  /** null: the branch sets no model. */
  model: ModelRef | null;
}

/** A session: its entry, and what follows from it. */
export interface SessionRow {
  /** The canonical key, with the agent. */
  key: string;
  /** The agent of the store. */
  agentId: string;
  /** `direct`, `group`, `global` or `unknown`, by the key. */
  kind: "direct" | "global" | "group" | "unknown" | (string & {});
  /** Milliseconds since the epoch; null: unknown. */
  updatedAt: number | null;
  /** Whether `totalTokens` is up to date. */
  totalTokensFresh: boolean;
  /** The entry without `skillsSnapshot` and `systemPromptReport`, which `gateway/get` answers. */
  entry: { [name: string]: unknown };
  /** Id of the session. */
  sessionId?: string | undefined;
  /** Name of the session, else of the group, else label, else origin. */
  displayName?: string | undefined;
  /**
   * Label, else name, else subject, else the beginning of the first user message after the last
   * reset, else the beginning of the session id.
   */
  derivedTitle?: string | undefined;
  /** Text of the last user or assistant message. */
  lastMessagePreview?: string | undefined;
  /** Channel of the entry, else of the key. */
  channel?: string | undefined;
  /** That of the last run, else the override. */
  modelProvider?: string | undefined;
  /** That of the last run, else the override. */
  model?: string | undefined;
  /** Absent if it may be outdated. */
  totalTokens?: number | undefined;
}

/** An open session as its handle sees it. */
export interface SessionState {
  /** The handle: an opaque string, valid on this connection only. */
  session: string;
  /** Id in the session's header. */
  sessionId: string;
  /** Absolute path of the file, also before it is written; null for a session in memory. */
  sessionFile: string | null;
  /** Directory for sessions branched off this one; empty for a session in memory. */
  sessionDir: string;
  /** Working directory of the session. */
  cwd: string;
  /** Whether the session belongs to a file. */
  persisted: boolean;
  /**
   * Whether appends are refused: the session was opened for reading only, only its agent may
   * write it, or it has a `home` elsewhere.
   */
  readOnly: boolean;
  /**
   * Entry under which the next one is appended; null: before the first entry. In a file just
   * opened it is the last entry, unless a `leaf` line or entries with `appendMode: side` of
   * OpenClaw say otherwise.
   */
  leafId: string | null;
  /**
   * Last entry of the file, including `leaf` lines and entries appended with `appendMode: side`;
   * null: there is none.
   */
  tipId: string | null;
  /** Number of entries, without the header. */
  entryCount: number;
  /** Version of the file format, after migration. */
  version: number;
  /** Number of times the file was loaded again because another program had rewritten it. */
  generation: number;
  /** The session's header. */
  header: Header;
  /** The first 100 problems of the file; `catalog/check` reports all. */
  diagnostics: Diagnostic[];
  /** With `allAgents`: profile of its agent; absent: it is in no agent's place. */
  agent?: string | undefined;
  /**
   * Why the session cannot be written, and what to do instead; text for people. Absent: it can,
   * or the client chose to read only.
   */
  readOnlyReason?: string | undefined;
  /**
   * Where the session is written, if this is a copy that a mirror keeps in the store; absent:
   * here.
   */
  home?: SessionHome | undefined;
  /** Name given by a user; absent: none. */
  name?: string | undefined;
  /** Present if other processes have the session open for writing. */
  inUse?: OtherProcesses | undefined;
  /**
   * An answer in progress that another handle has published; `session/didChangeDraft` reports
   * how it goes on.
   */
  draft?: Draft | undefined;
  /** Number of problems of the file; absent: `diagnostics` has all of them. */
  diagnosticCount?: number | undefined;
}

/** The params of one `session/update`, ready to be sent. */
export interface SessionUpdate {
  /** Id in the session's header. */
  sessionId: string;
  /** A `SessionUpdate` of ACP, version 1. */
  update: unknown;
}

/** What the entries of a session have recorded, including those that it shares with others. */
export interface SessionUsage {
  /** Tokens of all kinds. */
  tokens: number;
  /**
   * Number of entries that used tokens without a recorded cost; if it is not 0, the true cost is
   * higher.
   */
  withoutCost: number;
  /** `provider/model` of each model, as recorded. */
  models: string[];
  /** US dollars; absent: no cost is recorded. */
  cost?: number | undefined;
  /**
   * Number of entries whose cost was not recorded, but calculated for `prices`. Absent: there
   * are none.
   */
  calculated?: number | undefined;
}

/** The work of the agent behind a handle from now on. */
export interface SetActivityParams {
  /** Handle of the session; it may be read-only. */
  session: string;
  /** `waiting`: for a person, such as for a permission. */
  state: "idle" | "running" | "waiting";
  /** Its work, or the thing it waits for; text for people. */
  text?: string | undefined;
}

/** Sessions, and the marks that all of them get or lose; absent ones stay as they are. */
export interface SetMarksParams {
  /** The session files, which must exist; at most 1000. */
  paths: string[];
  /** Whether they are pinned from now on. */
  pinned?: boolean | undefined;
  /** Whether they are hidden from now on. */
  hidden?: boolean | undefined;
  /** Words of at most 64 characters, without white space, commas and control characters. */
  addTags?: string[] | undefined;
  /** Tags that they lose; a tag that is in `addTags`, too, stays. */
  removeTags?: string[] | undefined;
}

/** The marks that the sessions have now. */
export interface SetMarksResult {
  /** In the order of `paths`. */
  marks: SessionMarks[];
}

/**
 * Another file for an existing handle.
 *
 * A handle in memory loads the file and never writes it.
 */
export interface SetSessionFileParams {
  /** Handle of the session. */
  session: string;
  /** The session file. */
  path: string;
}

/** The context window that the context must fit into. */
export interface ShouldCompactParams {
  /** Handle of the session. */
  session: string;
  /** Size of the model's context window, in tokens. */
  contextWindow: number;
  /** The settings of compaction. */
  settings?: CompactionSettings | undefined;
}

/** Whether to compact: compaction is enabled and `tokens` exceed `threshold`. */
export interface ShouldCompactResult {
  /** Whether the context should be compacted now. */
  compact: boolean;
  /** The `tokens` of `context/estimateTokens`. */
  tokens: number;
  /** The context window minus the reserve; negative if the reserve is larger. */
  threshold: number;
}

/** A line of a file or a row of a database, as the agent wrote it. */
export interface SourceRecord {
  /** Number of bytes, without a line feed. */
  sizeBytes: number;
  /** Its beginning; bytes that are not UTF-8 are shown as U+FFFD. */
  text: string;
  /** Whether the text is only the beginning of the record. */
  truncated: boolean;
  /** The file; absent: the session has none. */
  path?: string | undefined;
  /** Number of the line, from 1; absent: it is no line of a file. */
  line?: number | undefined;
  /** Number of bytes before the line. */
  byteOffset?: number | undefined;
}

/** The session to count: send exactly one of the two members. */
export interface StatsParams {
  /** A session file; it is not changed. */
  path?: string | undefined;
  /** Handle of an open session, also before its file is written. */
  session?: string | undefined;
  /** IANA name of the time zone for days; by default that of the daemon's machine. */
  timezone?: string | undefined;
  /**
   * First day to count, as `YYYY-MM-DD` in `timezone`. With it or `until` entries without a date
   * do not count; `branches` and `sizeBytes` are always those of the whole file.
   */
  since?: string | undefined;
  /** Last day to count, as `YYYY-MM-DD` in `timezone`. */
  until?: string | undefined;
  /**
   * Whether to calculate the cost of entries that record none, with the prices of the package
   * genai-prices; refused (`Unsupported`) where that is not installed.
   */
  prices?: boolean | undefined;
}

/**
 * Statistics over all entries of the file, on all branches.
 *
 * Usage is counted from assistant messages, tool results, `usage` entries, and the summaries
 * of
 * compactions and branches (as in pi 1.6.0).
 */
export interface StatsResult {
  /** Numbers of messages. */
  messages: MessageFigures;
  /** Tool calls in assistant messages. */
  toolCalls: number;
  /** Messages of role `toolResult`. */
  toolResults: number;
  /** Number of entries without children: 1 for a session without forks. */
  branches: number;
  /** Number of compactions. */
  compactions: number;
  /** Numbers of tokens. */
  tokens: TokenFigures;
  /** In order of first use; the sums equal the totals. */
  byModel: ModelFigures[];
  /**
   * In order of days. An entry counts for the day of its message's timestamp, else of its own
   * timestamp; without a date it counts for no day.
   */
  byDay: DayFigures[];
  /** Size of the file; 0 before it is written. */
  sizeBytes: number;
  /** Absent: there is usage, and none of it records a cost. */
  cost?: CostFigures | undefined;
  /**
   * Number of entries with usage that record no cost: the true cost is higher. Absent: there are
   * none.
   */
  withoutCost?: number | undefined;
  /**
   * Number of entries whose cost was not recorded, but calculated for `prices`. Absent: there
   * are none.
   */
  calculated?: number | undefined;
  /**
   * Time of the earliest user or assistant message, ISO 8601 UTC with milliseconds; absent:
   * there is none.
   */
  firstActivity?: string | undefined;
  /** Time of the latest user or assistant message, as `modified` in lists. */
  lastActivity?: string | undefined;
  /** The prices that were used; only with `prices`. */
  prices?: PriceData | undefined;
}

/** Counters of the daemon, for people and for monitoring. */
export interface StatusResult {
  /** Version of the program. */
  version: string;
  /** Process id. */
  pid: number;
  /** Milliseconds since the start. */
  uptimeMs: number;
  /** Number of requests received so far. */
  requests: number;
  /** Number of open session handles. */
  openSessions: number;
  /** The cache of documents. */
  cache: CacheStatus;
  /** How changes of files are noticed. */
  watch: WatchStatus;
  /** Resident memory of the process. */
  memoryBytes: number;
  /** Whether the process also serves other clients (`--shared`). */
  shared?: boolean | undefined;
  /** Number of clients served now. */
  connections?: number | undefined;
  /** Absent: sessions are in files. */
  store?: StoreStatus | undefined;
}

/** What every `StoreChange` has. */
export interface StoreChangeBase {
  /** The key as it is spelled in the store. */
  sessionKey: string;
}

/** A change of one key. */
export type StoreChange = StoreChangeBase &
  (
    | {
      /** `added`, `changed` or `removed`. */
      kind: "added" | "changed";
      /** An entry of a store, with all its members. */
      entry: { [name: string]: unknown };
    }
    | {
      /** `added`, `changed` or `removed`. */
      kind: "removed";
      /** An entry of a store, with all its members. */
      entry?: { [name: string]: unknown } | undefined;
    }
    | {
      /** `added`, `changed` or `removed`. */
      kind: Unlisted;
      /** An entry of a store, with all its members. */
      entry?: { [name: string]: unknown } | undefined;
    }
  );

/** The session to remove; the main session of the default agent cannot be removed. */
export interface StoreDeleteParams {
  /** Key of the session, in any spelling that a gateway accepts. */
  key: string;
  /**
   * The agent of a key that names none; absent: that of the connection, else the default agent
   * of the configuration.
   */
  agentId?: string | undefined;
  /**
   * Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that
   * of the agent (only with the profile of a gateway).
   */
  storePath?: string | undefined;
  /**
   * `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's
   * configuration file.
   */
  config?: { [name: string]: unknown } | undefined;
  /** Archive the session's transcript by renaming it. */
  deleteTranscript?: boolean | undefined;
  /**
   * Do it even if the transcript is open for writing, here or in another process, or a gateway
   * runs a turn on it; otherwise the request then fails with `InUse`. A handle that is still
   * open creates the file again with its next append.
   */
  force?: boolean | undefined;
}

/** What was done. */
export interface StoreDeleteResult {
  /** The key as it is spelled in the store. */
  key: string;
  /** Whether the store had the session. */
  deleted: boolean;
  /** New paths of its transcripts: `<path>.deleted.<time>`. */
  archived: string[];
  /** Absent: there are none. */
  problems?: StoreProblem[] | undefined;
  /** Absent: there are none. */
  configProblems?: ConfigProblem[] | undefined;
}

/** A session by its key. */
export interface StoreGetParams {
  /** Key of the session, in any spelling that a gateway accepts. */
  sessionKey: string;
  /**
   * The agent of a key that names none; absent: that of the connection, else the default agent
   * of the configuration.
   */
  agentId?: string | undefined;
  /**
   * Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that
   * of the agent (only with the profile of a gateway).
   */
  storePath?: string | undefined;
  /**
   * `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's
   * configuration file.
   */
  config?: { [name: string]: unknown } | undefined;
}

/** The entry of a session. */
export interface StoreGetResult {
  /** The key as it is spelled in the store. */
  sessionKey: string;
  /** The agent whose store has the session. */
  agentId: string;
  /** null: there is none. */
  entry: { [name: string]: unknown } | null;
  /** Absolute path of the store. */
  storePath: string;
  /**
   * Absolute path of the transcript, or where it would lie if there is none; absent: the entry
   * names no valid session, or one outside the roots.
   */
  transcript?: string | undefined;
  /** Absent: there are none. */
  problems?: StoreProblem[] | undefined;
  /** Absent: there are none. */
  configProblems?: ConfigProblem[] | undefined;
}

/**
 * Filters for the list; a session must match all of them.
 *
 * Unless all agents share a store, the stores of all agents are listed: of the agents in
 * `agents.list`, or if it is absent of the agents that have a directory.
 */
export interface StoreListParams {
  /**
   * Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that
   * of the agent (only with the profile of a gateway).
   */
  storePath?: string | undefined;
  /**
   * `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's
   * configuration file.
   */
  config?: { [name: string]: unknown } | undefined;
  /** Only sessions of this agent. */
  agentId?: string | undefined;
  /** Maximum number of sessions; the latest are listed. */
  limit?: number | undefined;
  /** Only sessions used within this number of minutes. */
  activeMinutes?: number | undefined;
  /** Include the session `global`. */
  includeGlobal?: boolean | undefined;
  /** Include the session `unknown`. */
  includeUnknown?: boolean | undefined;
  /** Add `derivedTitle`; this reads the transcripts. */
  includeDerivedTitles?: boolean | undefined;
  /** Add `lastMessagePreview`; this reads the transcripts. */
  includeLastMessage?: boolean | undefined;
  /** The whole label. */
  label?: string | undefined;
  /** Key of the session that spawned it. */
  spawnedBy?: string | undefined;
  /** Only archived sessions (`archivedAt`), or only the others. */
  archived?: boolean | undefined;
  /** Text that occurs in name, label, subject, session id or key; not case-sensitive. */
  search?: string | undefined;
}

/** Sessions, the latest first; cron jobs are included, their runs are not. */
export interface StoreListResult {
  /** Time of the answer, milliseconds since the epoch. */
  ts: number;
  /** Path of the store; with `{agentId}` as it was given; `(multiple)`: each agent has a store. */
  path: string;
  /** Number of sessions in `sessions`. */
  count: number;
  /** Settings of sessions that have none of their own. */
  defaults: ListDefaults;
  /** The sessions. */
  sessions: SessionRow[];
  /** Absent: there are none. */
  problems?: StoreProblem[] | undefined;
  /** Absent: there are none. */
  configProblems?: ConfigProblem[] | undefined;
}

/** The settings to change; null removes one. Other values are refused with those allowed. */
export interface StorePatchParams {
  /** Key of the session, in any spelling that a gateway accepts. */
  key: string;
  /**
   * The agent of a key that names none; absent: that of the connection, else the default agent
   * of the configuration.
   */
  agentId?: string | undefined;
  /**
   * Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that
   * of the agent (only with the profile of a gateway).
   */
  storePath?: string | undefined;
  /**
   * `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's
   * configuration file.
   */
  config?: { [name: string]: unknown } | undefined;
  /** Up to 64 characters (UTF-16 code units); unique in the store. */
  label?: string | null | undefined;
  /** `off`, `minimal`, `low`, `medium`, `high` or `xhigh`. */
  thinkingLevel?: string | null | undefined;
  /** `off`, `on` or `full`. */
  verboseLevel?: string | null | undefined;
  /** `on` or `stream`; `off` is the same as null. */
  reasoningLevel?: string | null | undefined;
  /** `tokens` or `full`; `off` is the same as null. */
  responseUsage?: string | null | undefined;
  /** `off`, `on`, `ask` or `full`; `off` is kept. */
  elevatedLevel?: string | null | undefined;
  /** `sandbox`, `gateway` or `node`. */
  execHost?: string | null | undefined;
  /** `deny`, `allowlist` or `full`. */
  execSecurity?: string | null | undefined;
  /** `off`, `on-miss` or `always`. */
  execAsk?: string | null | undefined;
  /** Name of a node; not blank. */
  execNode?: string | null | undefined;
  /**
   * `provider/model`, or a model of the default's provider. It is not checked, because the
   * daemon has no list of models. null: no override. The recorded model and account of the last
   * run are removed in any case.
   */
  model?: string | null | undefined;
  /** `allow` or `deny`. */
  sendPolicy?: string | null | undefined;
  /** `mention` or `always`. */
  groupActivation?: string | null | undefined;
}

/** The entry after the change; it is created if there was none. */
export interface StorePatchResult {
  /** Absolute path of the store. */
  path: string;
  /** The key as it is spelled in the store. */
  key: string;
  /** An entry of a store, with all its members. */
  entry: { [name: string]: unknown };
  /** Absent: there are none. */
  problems?: StoreProblem[] | undefined;
  /** Absent: there are none. */
  configProblems?: ConfigProblem[] | undefined;
}

/** A problem in a store. The value that caused it was skipped and is still stored. */
export interface StoreProblem {
  /**
   * `corruptStore`: the store is not valid; it is copied before it is replaced.
   * `unreadableStore`: the store cannot be read; the answer about other stores is complete.
   * `unreadableEntry`: an entry or its transcript cannot be read; the answer about other entries
   * is complete. `notAnEntry`: a value that is not an entry. `invalidSessionId`,
   * `invalidSessionFile`: an entry whose session cannot continue. `archiveFailed`: a transcript
   * of an old session that could not be renamed. `replacedStore`: OpenClaw keeps these sessions
   * in the database at `path`, which cannot be read; the store is outdated.
   */
  kind: "corruptStore" | "unreadableStore" | "unreadableEntry" | "notAnEntry" | "invalidSessionId" | "invalidSessionFile" | "archiveFailed" | "replacedStore" | (string & {});
  /** Text for people. */
  message: string;
  /** Key of the value in the store. */
  sessionKey?: string | undefined;
  /** Path of the file, or of its copy. */
  path?: string | undefined;
}

/** The session to reset. */
export interface StoreResetParams {
  /** Key of the session, in any spelling that a gateway accepts. */
  key: string;
  /**
   * The agent of a key that names none; absent: that of the connection, else the default agent
   * of the configuration.
   */
  agentId?: string | undefined;
  /**
   * Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that
   * of the agent (only with the profile of a gateway).
   */
  storePath?: string | undefined;
  /**
   * `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's
   * configuration file.
   */
  config?: { [name: string]: unknown } | undefined;
  /** Reason, for people; it has no effect. */
  reason?: "new" | "reset" | undefined;
  /**
   * Do it even if the transcript is open for writing, here or in another process, or a gateway
   * runs a turn on it; otherwise the request then fails with `InUse`. A handle that is still
   * open creates the file again with its next append.
   */
  force?: boolean | undefined;
}

/**
 * The new session, which has no transcript yet.
 *
 * The old transcript is renamed to `….reset.<time>`.
 */
export interface StoreResetResult {
  /** The key as it is spelled in the store. */
  key: string;
  /**
   * The new entry, with a new `sessionId` and counters of 0. The levels for thinking, verbosity
   * and reasoning, the usage footer, `model`, `contextTokens`, `sendPolicy`, `label`, `origin`,
   * the last route, `skillsSnapshot` and unknown members are kept.
   */
  entry: { [name: string]: unknown };
  /** New paths of the old transcripts: `<path>.reset.<time>`. */
  archived?: string[] | undefined;
  /** Absent: there are none. */
  problems?: StoreProblem[] | undefined;
  /** Absent: there are none. */
  configProblems?: ConfigProblem[] | undefined;
}

/** The store in PostgreSQL, as this daemon sees it. */
export interface StoreStatus {
  /** Its URL, without user and password. */
  server: string;
  /** Number of requests that wait for the store or are worked on there. */
  requests: number;
  /** Number of changed sessions of which other hosts are still to hear. */
  untold: number;
  /** Why it failed the last time; absent: it never has. */
  lastError?: string | undefined;
  /** When that was, ISO 8601 UTC with milliseconds. */
  lastErrorAt?: string | undefined;
}

/** A session in a store. */
export interface StoredSession {
  /**
   * The agent of the store. If agents share the store: the agent of the request, else the
   * default agent; the key names the agent of the session.
   */
  agentId: string;
  /** Absolute path of the store. */
  storePath: string;
  /** The key as it is spelled in the store. */
  sessionKey: string;
  /** An entry of a store, with all its members. */
  entry: { [name: string]: unknown };
}

/** What is known of a session that an agent began. */
export interface SubagentRun {
  /** Kind of the subagent, as its agent names it. */
  kind?: string | undefined;
  /** The tool call in the parent session that began it. */
  toolCallId?: string | undefined;
}

/** A session that has moved, or a part of it. */
export interface SyncMove {
  /** Its id; of a subagent, the id of its parent and a path below it. */
  session: string;
  /** The agent whose session it is. */
  agent: string;
  /**
   * `session`: a file that one side did not have. `entries`: entries that it lacked. `bytes`:
   * the continuation of a file that only its agent writes. `deletion`: a session that moved to
   * the trash. Later versions may add kinds.
   */
  kind: "session" | "entries" | "bytes" | "deletion" | (string & {});
  /** `pull`: to this side. `push`: to the other. */
  direction: "pull" | "push" | (string & {});
  /** Its working directory, with `~` for the home; may be empty. */
  cwd: string;
  /** Number of entries that moved; absent for other content. */
  entries?: number | undefined;
}

/** Another place, and what moves between it and this one; `host` or `directory` is required. */
export interface SyncParams {
  /** A machine as `ssh` names it, on which sessiond is installed. */
  host?: string | undefined;
  /**
   * A folder with a replica of the sessions, which other machines may use, too. It is created if
   * it is missing.
   */
  directory?: string | undefined;
  /** How sessiond is called on `host`; default `sessiond`. */
  program?: string | undefined;
  /** `pull`: change only this side. `push`: only the other. Default: both. */
  direction?: "pull" | "push" | undefined;
  /** Report what would move, and write nothing. */
  dryRun?: boolean | undefined;
  /**
   * Move a session to the trash if the other side has it, unchanged, in its trash. By default it
   * stays, and does not come back there.
   */
  deletions?: boolean | undefined;
  /**
   * Only sessions of these agents, by the names of their profiles; default: the profile of the
   * client, or all that it lists.
   */
  agents?: string[] | undefined;
  /** Only sessions of the project of this directory, as in `session/listAll`. */
  project?: string | undefined;
  /**
   * Only sessions whose file changed on one of the sides on this day (`YYYY-MM-DD`) or later, or
   * at this time (ISO 8601) or later.
   */
  since?: string | undefined;
  /**
   * Directories with other paths on the other side. Those below the home directory need none:
   * they are below the home there.
   */
  map?: MappedDirectory[] | undefined;
  /** Token under which progress is reported; absent: no reports. */
  workDoneToken?: number | string | undefined;
}

/** A session or a file that was left alone. */
export interface SyncProblem {
  /** The session, as in `SyncMove`, or a path. */
  name: string;
  /** Text for people. */
  message: string;
}

/** Everything that moved, and what was left alone. */
export interface SyncResult {
  /** In a dry run, those that would be made. */
  moves: SyncMove[];
  /** Empty if nothing was left alone. */
  problems: SyncProblem[];
  /** Number of sessions on both sides together. */
  compared: number;
}

/** A part of the system prompt; all parts, applied in order, give the present prompt. */
export interface SystemMessage {
  /** Text to append to the prompt. */
  content: Content;
  role: "system";
  /** Named sections and their new text; null removes a section. */
  sections?: { [name: string]: string | null } | undefined;
  /** Tool declarations to add or replace, by their `name`. */
  toolsAdded?: unknown[] | undefined;
  /** `{name}` of the tools to remove, before others are added. */
  toolsRemoved?: unknown[] | undefined;
  /** Unix milliseconds; absent or null: not known. Appends do not need it. */
  timestamp?: number | null | undefined;
}

/** Text. */
export interface TextContent {
  /** The text. */
  text: string;
  type: "text";
  /** Signature from the provider, for replay; opaque. */
  textSignature?: string | undefined;
}

/** A model's thinking. */
export interface ThinkingContent {
  /** Text of the thinking. */
  thinking: string;
  type: "thinking";
  /** Signature from the provider, for replay; contains the payload of redacted thinking. */
  thinkingSignature?: string | undefined;
  /** Whether the provider withheld the text. */
  redacted?: boolean | undefined;
}

/** A change of the thinking level by the user; it applies from here on. */
export interface ThinkingLevelChangeEntry {
  /** Unique in the file; pi writes 8 hexadecimal digits. */
  id: string;
  /** Id of the parent entry; null: the entry is a root. */
  parentId: string | null;
  /** ISO 8601 UTC with milliseconds. */
  timestamp: string;
  /** As the agent names it, such as `high`. */
  thinkingLevel: string;
  /** `side`: the entry does not move the leaf; written by OpenClaw. */
  appendMode?: string | undefined;
  type: "thinking_level_change";
}

/** The messages to convert: send exactly one of `session` and `messages`. */
export interface ToLlmParams {
  /** Handle of the session: measure the context at its leaf. */
  session?: string | undefined;
  /**
   * Messages in order, each an object with a string `role`. Other members that are missing or
   * have an unexpected type count as 0.
   */
  messages?: Message[] | undefined;
  /**
   * Make providers accept what an interrupted turn left: each call without a result gets one
   * (`No result provided`), and results without a call, aborted answers and answers that ended
   * in an error are left out.
   */
  repair?: boolean | undefined;
}

/** Numbers of tokens, with the names of pi's `usage`; its other members are ignored. */
export interface TokenCounts {
  /** Of prompts, without those in the cache. */
  input?: number | undefined;
  /** Of answers. */
  output?: number | undefined;
  /** Of prompts, read from the cache. */
  cacheRead?: number | undefined;
  /** Of prompts, written to the cache. */
  cacheWrite?: number | undefined;
  /** The sum; it is used if the parts of the prompt are unknown. */
  totalTokens?: number | undefined;
}

/** Sum of the tokens in all recorded usage. */
export interface TokenFigures {
  /** Number of input tokens. */
  input: number;
  /** Number of output tokens. */
  output: number;
  /** Number of tokens read from the provider's cache. */
  cacheRead: number;
  /** Number of tokens written to the provider's cache. */
  cacheWrite: number;
  /** Sum of the other four (as in pi). */
  total: number;
}

/** A request of a model to call a tool. */
export interface ToolCall {
  /** Id of the call, which the tool's result refers to. */
  id: string;
  /** Name of the tool. */
  name: string;
  /** As the tool defines them. */
  arguments: { [name: string]: unknown };
  type: "toolCall";
  /** Signature from the provider, for replay; opaque. */
  thoughtSignature?: string | undefined;
  /** Namespace of the tool's name, if it has one. */
  namespace?: string | undefined;
  /** Why the text of the model is no object; `arguments` is then empty. */
  argumentsError?: string | undefined;
}

/** The result of a tool call. */
export interface ToolResultMessage {
  /** `id` of the `ToolCall`. */
  toolCallId: string;
  /** Name of the tool. */
  toolName: string;
  /** Text and image blocks. */
  content: Block[];
  /** Whether the tool failed. */
  isError: boolean;
  role: "toolResult";
  /** Data of the tool; not sent to a model. */
  details?: unknown;
  /** Usage of models by the tool itself. */
  usage?: Usage | undefined;
  /** `{calls: [{id, name, arguments?, …}], complete}`: the tools that this tool called. */
  nestedCalls?: unknown;
  /** Unix milliseconds; absent or null: not known. Appends do not need it. */
  timestamp?: number | null | undefined;
}

/** A session in the trash. */
export interface TrashedSession {
  /** Where it was, and what `catalog/restore` takes. */
  path: string;
  /** Where it is now. */
  file: string;
  /** What lists would say of it; its `path` is the former one. */
  info: SessionInfo;
  /** When it was deleted, ISO 8601 UTC; absent: the trash does not say. */
  deleted?: string | undefined;
}

/** An entry in the tree, complete. */
export interface TreeNode {
  /** Id of the entry. */
  id: string;
  /** Ids of the children, by time. */
  children: string[];
  /** The entry. */
  entry: Entry;
  /** Absent: none. */
  label?: string | undefined;
  /** Time of the latest change of the label. */
  labelTimestamp?: string | undefined;
}

/**
 * The tree as a flat list.
 *
 * Of an id that occurs more than once, only the last entry is listed.
 */
export interface TreeResult {
  /** Ids of entries whose parent is not in the file. */
  roots: string[];
  /** Every id exactly once. */
  nodes: Node[];
}

/** The changes that were taken back, and those that could not be; none if nothing is left. */
export interface UndoResult {
  /** What changed, one per file or key. */
  changes: UndoneChange[];
  /**
   * Why something was not taken back; `changed`: it was changed again since, and stays. Other
   * failures are tried again by the next `catalog/undo`.
   */
  problems?: FileProblem[] | undefined;
}

/** A change that was taken back. */
export interface UndoneChange {
  /** The change that there was. */
  kind: "delete" | "label" | "rename" | (string & {});
  /** The session file. */
  path: string;
  /** The name that the session has again; only for `rename`, and maybe empty. */
  name?: string | undefined;
  /** The entry, for `label`. */
  entryId?: string | undefined;
  /** The label that the entry has again; only for `label`, and maybe empty. */
  label?: string | undefined;
}

/** A content block of an unknown type, or one that does not fit its type. */
export interface UnknownBlock {
  type: Unlisted;
  [member: string]: unknown;
}

/** An entry of an unknown type, or one that does not fit its type. */
export interface UnknownEntry {
  type: Unlisted;
  id?: string | undefined;
  parentId?: string | null | undefined;
  timestamp?: string | undefined;
  appendMode?: string | undefined;
  [member: string]: unknown;
}

/** Lines or rows of another agent's format that sessiond does not know yet. */
export interface UnknownLines {
  /** Their type, as the agent names it. */
  type: string;
  /** Number of entries. */
  count: number;
}

/** A message of an unknown role, or one that does not fit its role. */
export interface UnknownMessage {
  role: Unlisted;
  timestamp?: number | null | undefined;
  [member: string]: unknown;
}

/** An agent whose sessions exist, and which sessiond does not read yet. */
export interface UnreadAgent {
  /** Name of the agent, for people. */
  name: string;
  /** Directory of its sessions. */
  directory: string;
}

/** Tokens used by calls to a model. `input` excludes tokens read from or written to a cache. */
export interface Usage {
  /** Number of input tokens. */
  input: number;
  /** Number of output tokens. */
  output: number;
  /** Number of tokens read from the provider's cache. */
  cacheRead: number;
  /** Number of tokens written to the provider's cache. */
  cacheWrite: number;
  /** Costs in US dollars. */
  cost: Cost;
  /** The part of `cacheWrite` that is kept for an hour. */
  cacheWrite1h?: number | undefined;
  /** The part of `output` spent on reasoning. */
  reasoning?: number | undefined;
  /** Sum of input, output, cacheRead and cacheWrite; old pis did not write it. */
  totalTokens?: number | undefined;
}

/** Usage outside the conversation: counted in totals, never part of the context. */
export interface UsageEntry {
  /** Unique in the file; pi writes 8 hexadecimal digits. */
  id: string;
  /** Id of the parent entry; null: the entry is a root. */
  parentId: string | null;
  /** ISO 8601 UTC with milliseconds. */
  timestamp: string;
  /** Purpose, such as `cache_warm`. */
  kind: string;
  /** Provider of the model, such as `anthropic`. */
  provider: string;
  /** Id of the model. */
  model: string;
  /** Tokens and cost. */
  usage: Usage;
  /** `side`: the entry does not move the leaf; written by OpenClaw. */
  appendMode?: string | undefined;
  type: "usage";
  /** Text for people. */
  note?: string | undefined;
}

/** The usage of one day, week, month, model, project, agent or session. */
export interface UsageRow {
  /**
   * `YYYY-MM-DD`, the ISO week (`2026-W03`, from Monday), `YYYY-MM`, when the block begins
   * (`YYYY-MM-DD HH:MM`), `provider/model`, the directory of the project, the agent, or the path
   * of the session. Empty for entries without time, model or directory.
   */
  key: string;
  /** The sums. */
  sums: UsageSums;
  /** By model; they add up to `sums`. */
  models: ModelUsage[];
  /** The session; only in rows by `session`. */
  info?: SessionInfo | undefined;
  /** The parts of this row by `thenBy`, in the order of rows; they add up to `sums`. */
  rows?: InnerUsageRow[] | undefined;
}

/**
 * Sums over entries.
 *
 * Every assistant message counts, and every tool result, `usage` entry, and summary of a
 * compaction or a branch that has recorded usage.
 */
export interface UsageSums {
  /** Number of entries. */
  entries: number;
  /** Number of these entries without a cost. The true cost is higher if this is not 0. */
  withoutCost: number;
  /** Numbers of tokens. */
  tokens: TokenFigures;
  /** Absent: there is usage, and none of it records a cost. */
  cost?: CostFigures | undefined;
  /**
   * Number of entries whose cost was not recorded, but calculated for `prices`. Absent: there
   * are none.
   */
  calculated?: number | undefined;
}

/** A message from a user, or from a program that acts for one. */
export interface UserMessage {
  /** Text, or text and image blocks. */
  content: Content;
  role: "user";
  /** Unix milliseconds; absent or null: not known. Appends do not need it. */
  timestamp?: number | null | undefined;
}

/** Whether the session's directory is the default one of its working directory. */
export interface UsesDefaultSessionDirResult {
  /** Whether the session is in the default directory of its agent. */
  default: boolean;
}

/** One argument of a tool call. */
export interface ViewArgument {
  /** Name of the argument. */
  name: string;
  /** The value if it is a string, otherwise its JSON. */
  text: string;
}

/** A part of an entry. A kind that is not known is drawn as its `text`. */
export interface ViewBlock {
  /**
   * `text`: Markdown as it was written; `thinking`; `call`: a tool call, whose text is its main
   * argument on one line; `diff`: the change of a file by a call; `result`: the output of a
   * tool; `command`: the output of a command of the user; `image`: its type and size; `summary`:
   * Markdown; `error`: why an answer failed; `data`: JSON.
   */
  kind: "text" | "thinking" | "call" | "diff" | "result" | "command" | "image" | "summary" | "error" | "data" | (string & {});
  /** What it says, without terminal sequences; absent: it is empty. */
  text?: string | undefined;
  /**
   * Of a `command` the command itself, of a `result` the main argument of its call, of `data`
   * its type.
   */
  title?: string | undefined;
  /** Whether a client that can fold shows only the beginning at first. */
  closed?: boolean | undefined;
  /** Name of the tool. */
  tool?: string | undefined;
  /** Id of the call that this block belongs to. */
  callId?: string | undefined;
  /** The file that the call is about, as the call names it. */
  path?: string | undefined;
  /** Arguments of a call, without those that a `diff` shows. */
  arguments?: ViewArgument[] | undefined;
  /** Lines of a diff. */
  changes?: ViewChange[] | undefined;
  /** Whether the tool or command failed. */
  failed?: boolean | undefined;
  /** Exit code of a command, if it is recorded. */
  exitCode?: number | undefined;
  /** Such as `image/png`. */
  mimeType?: string | undefined;
  /** Size of an image. */
  sizeBytes?: number | undefined;
  /** The entry with the call that this is the result of. */
  callEntryId?: string | undefined;
  /** The entry with the result of this call. */
  resultEntryId?: string | undefined;
  /** Number of characters that `maxChars` has cut. */
  omittedChars?: number | undefined;
}

/** One line of a diff. */
export interface ViewChange {
  /** `gap`: lines are left out here; `text` may be a heading of the diff. */
  kind: "added" | "removed" | "same" | "gap" | (string & {});
  /** The line; absent: it is empty. */
  text?: string | undefined;
  /**
   * Line number, if the source of the diff has one: in the new file for `added`, else in the old
   * one.
   */
  line?: number | undefined;
}

/** One entry as a person sees it. */
export interface ViewItem {
  /** Id of the entry. */
  entryId: string;
  /** Type of the entry. */
  type: string;
  /** Role of a message, else the type of the entry. */
  role: string;
  /** As written in the entry. */
  time: string;
  /** Who speaks, or what the entry sets, in words. */
  title: string;
  /** Whether the title says everything: a model, a name, a label. */
  isSetting?: boolean | undefined;
  /** Short remarks for the heading, such as `aborted` or `hidden`. */
  notes?: string[] | undefined;
  /** Provider and model of an answer, joined by a slash. */
  model?: string | undefined;
  /** Tokens that the entry records, of all kinds. */
  tokens?: number | undefined;
  /** In US dollars, if recorded. */
  cost?: number | undefined;
  /** The present label. */
  label?: string | undefined;
  /**
   * Some agents keep an answer in several entries: the id of the first one, if this is a later
   * one. It needs no heading of its own.
   */
  partOf?: string | undefined;
  /** Empty if there is none, as for a setting; 0.2 left it out then. */
  blocks?: ViewBlock[] | undefined;
}

/** The watcher of directories. */
export interface WatchStatus {
  /** Number of directories watched. */
  directories: number;
  /** `native`: by the system's events; `polling`; or `off`. */
  mode: "native" | "off" | "polling" | (string & {});
  /** Number of events seen since the start. */
  events: number;
}

/** The context window of the present model. */
export interface WindowUsageParams {
  /** Handle of the session. */
  session: string;
  /** Size of the model's context window, in tokens. */
  contextWindow: number;
}

/** Measure how much of the context window is used. */
export interface WindowUsageResult {
  /** null: unknown, between a compaction and the next answer. */
  tokens: number | null;
  /** The context window from the request. */
  contextWindow: number;
  /** Percentage of the context window, which may exceed 100; null: unknown. */
  percent: number | null;
}

/** The progress of a request: one `begin`, any number of `report`s, one `end`. */
export interface WorkDoneProgress {
  /** `begin`, `report` or `end`. */
  kind: "begin" | "end" | "report" | (string & {});
  /** Text for people. */
  message?: string | undefined;
  /** From 0 to 100. */
  percentage?: number | undefined;
  /** Number of items done. */
  loaded?: number | undefined;
  /** Number of items in all. */
  total?: number | undefined;
}
