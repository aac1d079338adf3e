// Generated from protocol/sessiond_protocol/openrpc.json by protocol/generate.py.
// Do not edit; run `make generate`.


import { Unknown } from "../unknown.js";

/** A summary in place of everything before the first kept entry. */
export interface AppendCompactionParams {
  /** Handle of the session. */
  session: string;
  summary: string;
  /** Tokens of the context before compaction. */
  tokensBefore: number;
  /**
   * Id for the entry, for safe retries: if an entry with it is there already, that one is
   * answered and nothing is written. Absent: 8 hexadecimal digits.
   */
  newEntryId?: string | undefined;
  /** Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`. */
  expectedLeafId?: string | null | undefined;
  /**
   * Write only if the file's last entry is this (null: there is none), so that nobody else has
   * written meanwhile; else `LeafConflict`.
   */
  expectedTipId?: string | null | undefined;
  /**
   * First entry to stay in the context; absent or null keeps nothing, and so does, as in pi, an
   * id that is not on the branch.
   */
  firstKeptEntryId?: string | null | undefined;
  /** Anything; never sent to a model. */
  details?: unknown;
  /** Whether an extension made the summary. */
  fromHook?: boolean | undefined;
  /** What making the summary took. */
  usage?: Usage | null | undefined;
}

/** Another content for an earlier entry of the branch, in the context only. */
export interface AppendContextEditParams {
  /** Handle of the session. */
  session: string;
  /**
   * A user, assistant or toolResult message or a custom message on the active branch, else
   * `NotEditable`.
   */
  targetId: string;
  /** null takes the target out of the context. */
  replacement: Replacement | null;
  /**
   * Id for the entry, for safe retries: if an entry with it is there already, that one is
   * answered and nothing is written. Absent: 8 hexadecimal digits.
   */
  newEntryId?: string | undefined;
  /** Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`. */
  expectedLeafId?: string | null | undefined;
  /**
   * Write only if the file's last entry is this (null: there is none), so that nobody else has
   * written meanwhile; else `LeafConflict`.
   */
  expectedTipId?: string | null | undefined;
}

/** State of an extension, never part of the context. */
export interface AppendCustomEntryParams {
  /** Handle of the session. */
  session: string;
  /** Names the extension. */
  customType: string;
  /**
   * Id for the entry, for safe retries: if an entry with it is there already, that one is
   * answered and nothing is written. Absent: 8 hexadecimal digits.
   */
  newEntryId?: string | undefined;
  /** Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`. */
  expectedLeafId?: string | null | undefined;
  /**
   * Write only if the file's last entry is this (null: there is none), so that nobody else has
   * written meanwhile; else `LeafConflict`.
   */
  expectedTipId?: string | null | undefined;
  /** Anything. */
  data?: unknown;
}

/** A message of an extension, part of the context as a user message. */
export interface AppendCustomMessageEntryParams {
  /** Handle of the session. */
  session: string;
  /** Names the extension. */
  customType: string;
  /** Text, or text and image blocks. */
  content: Content;
  /** Whether front ends show it. */
  display: boolean;
  /**
   * Id for the entry, for safe retries: if an entry with it is there already, that one is
   * answered and nothing is written. Absent: 8 hexadecimal digits.
   */
  newEntryId?: string | undefined;
  /** Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`. */
  expectedLeafId?: string | null | undefined;
  /**
   * Write only if the file's last entry is this (null: there is none), so that nobody else has
   * written meanwhile; else `LeafConflict`.
   */
  expectedTipId?: string | null | undefined;
  /** Anything; never sent to a model. */
  details?: unknown;
}

/** A label for an entry, or its removal. */
export interface AppendLabelChangeParams {
  /** Handle of the session. */
  session: string;
  /** The entry to label. */
  targetId: string;
  /**
   * Id for the entry, for safe retries: if an entry with it is there already, that one is
   * answered and nothing is written. Absent: 8 hexadecimal digits.
   */
  newEntryId?: string | undefined;
  /** Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`. */
  expectedLeafId?: string | null | undefined;
  /**
   * Write only if the file's last entry is this (null: there is none), so that nobody else has
   * written meanwhile; else `LeafConflict`.
   */
  expectedTipId?: string | null | undefined;
  /** Absent, null or empty clears the label. */
  label?: string | undefined;
}

/** A message of the conversation. */
export interface AppendMessageParams {
  /** Handle of the session. */
  session: string;
  /**
   * An object with a string `role` other than `compactionSummary` and `branchSummary`, which
   * have entries of their own. Nothing else in it is checked.
   */
  message: Message;
  /**
   * Id for the entry, for safe retries: if an entry with it is there already, that one is
   * answered and nothing is written. Absent: 8 hexadecimal digits.
   */
  newEntryId?: string | undefined;
  /** Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`. */
  expectedLeafId?: string | null | undefined;
  /**
   * Write only if the file's last entry is this (null: there is none), so that nobody else has
   * written meanwhile; else `LeafConflict`.
   */
  expectedTipId?: string | null | undefined;
}

/** Another model from here on. */
export interface AppendModelChangeParams {
  /** Handle of the session. */
  session: string;
  provider: string;
  modelId: string;
  /**
   * Id for the entry, for safe retries: if an entry with it is there already, that one is
   * answered and nothing is written. Absent: 8 hexadecimal digits.
   */
  newEntryId?: string | undefined;
  /** Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`. */
  expectedLeafId?: string | null | undefined;
  /**
   * Write only if the file's last entry is this (null: there is none), so that nobody else has
   * written meanwhile; else `LeafConflict`.
   */
  expectedTipId?: string | null | undefined;
}

/** The entry that was appended, now the handle's leaf. */
export interface AppendResult {
  id: string;
  /** null: the entry is a root. */
  parentId: string | null;
  /** ISO 8601 UTC with milliseconds. */
  timestamp: string;
  /**
   * Whether it is in the file; false in memory and while the file waits for its first user or
   * assistant message. What was written survives the death of the process, not of the machine.
   */
  written: boolean;
}

/** A name for the session. */
export interface AppendSessionInfoParams {
  /** Handle of the session. */
  session: string;
  /** Line breaks become a space, ends are trimmed; empty: no name. */
  name: string;
  /**
   * Id for the entry, for safe retries: if an entry with it is there already, that one is
   * answered and nothing is written. Absent: 8 hexadecimal digits.
   */
  newEntryId?: string | undefined;
  /** Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`. */
  expectedLeafId?: string | null | undefined;
  /**
   * Write only if the file's last entry is this (null: there is none), so that nobody else has
   * written meanwhile; else `LeafConflict`.
   */
  expectedTipId?: string | null | undefined;
}

/** Another thinking level from here on. */
export interface AppendThinkingLevelChangeParams {
  /** Handle of the session. */
  session: string;
  /** As the agent names it, such as `high`. */
  thinkingLevel: string;
  /**
   * Id for the entry, for safe retries: if an entry with it is there already, that one is
   * answered and nothing is written. Absent: 8 hexadecimal digits.
   */
  newEntryId?: string | undefined;
  /** Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`. */
  expectedLeafId?: string | null | undefined;
  /**
   * Write only if the file's last entry is this (null: there is none), so that nobody else has
   * written meanwhile; else `LeafConflict`.
   */
  expectedTipId?: string | null | undefined;
}

/** Usage beside the conversation: counted in totals, never part of the context. */
export interface AppendUsageParams {
  /** Handle of the session. */
  session: string;
  /** What it was for, such as `cache_warm`. */
  kind: string;
  provider: string;
  model: string;
  usage: Usage;
  /**
   * Id for the entry, for safe retries: if an entry with it is there already, that one is
   * answered and nothing is written. Absent: 8 hexadecimal digits.
   */
  newEntryId?: string | undefined;
  /** Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`. */
  expectedLeafId?: string | null | undefined;
  /**
   * Write only if the file's last entry is this (null: there is none), so that nobody else has
   * written meanwhile; else `LeafConflict`.
   */
  expectedTipId?: string | null | undefined;
  /** For people; an empty one is left out. */
  note?: string | undefined;
}

/** What a model answered. */
export interface AssistantMessage {
  role: "assistant";
  /** Text, thinking and toolCall blocks. */
  content?: Content | null | undefined;
  /** Such as `anthropic-messages`. */
  api?: string | undefined;
  provider?: string | undefined;
  /** The model that was asked. */
  model?: string | undefined;
  /** The model that answered, as the provider says. */
  responseModel?: string | undefined;
  /** The provider's. */
  responseId?: string | undefined;
  providerThinkingLevel?: string | undefined;
  thinkingLevel?: string | undefined;
  /** Of the provider's answer. */
  diagnostics?: unknown;
  usage?: Usage | undefined;
  /** Why the answer ended; `error` and `aborted` answers are not whole. */
  stopReason?: "pending" | "stop" | "length" | "toolUse" | "error" | "aborted" | "deferred" | (string & {}) | undefined;
  /** Where a deferred answer can be fetched. */
  deferred?: unknown;
  errorMessage?: string | undefined;
  /** The provider's word. */
  rawStopReason?: string | undefined;
  endTurn?: boolean | undefined;
  /** Unix milliseconds. */
  timestamp?: number | undefined;
}

/** A shell command a person ran (`!` in pi). */
export interface BashExecutionMessage {
  role: "bashExecution";
  command?: string | undefined;
  output?: string | undefined;
  /** Absent or null: it did not end by itself. */
  exitCode?: number | null | undefined;
  cancelled?: boolean | undefined;
  /** Whether `output` is cut. */
  truncated?: boolean | undefined;
  /** File with the whole output, if it was cut. */
  fullOutputPath?: string | undefined;
  /** Never sent to a model (`!!` in pi). */
  excludeFromContext?: boolean | undefined;
  /** Unix milliseconds. */
  timestamp?: number | undefined;
}

/** A content block, by its `type`. */
export type Block =
  | TextContent
  | ImageContent
  | ThinkingContent
  | ToolCall
  | UnknownBlock;

/** Where to go on from. */
export interface BranchParams {
  /** Handle of the session. */
  session: string;
  /** The new leaf. */
  entryId: string;
}

/** A summary of a branch that was left; its parent is where the conversation went on. */
export interface BranchSummaryEntry {
  /** Unique in the file; 8 hexadecimal digits from pi. */
  id?: string | undefined;
  /** The entry this one comes after; null: it is a root. */
  parentId?: string | null | undefined;
  /** ISO 8601 UTC with milliseconds. */
  timestamp?: string | undefined;
  type: "branch_summary";
  /** The leaf that was left, or `root`; until pi 0.84.2 the one gone to. */
  fromId?: string | null | undefined;
  summary?: string | undefined;
  /** `{readFiles, modifiedFiles}` from pi; else the extension's. */
  details?: unknown;
  /** What making the summary took. */
  usage?: Usage | undefined;
  /** Whether an extension made the summary. */
  fromHook?: boolean | undefined;
}

/** A summary of a branch that was left; made from a `branch_summary` entry, never stored. */
export interface BranchSummaryMessage {
  role: "branchSummary";
  summary?: string | undefined;
  /** As in the entry it was made from. */
  fromId?: string | null | undefined;
  /** Unix milliseconds. */
  timestamp?: number | undefined;
}

/** A move of the leaf with a summary of what is left behind. */
export interface BranchWithSummaryParams {
  /** Handle of the session. */
  session: string;
  /** Entry to go on from; null: before any entry. */
  entryId: string | null;
  summary: string;
  /**
   * Id for the entry, for safe retries: if an entry with it is there already, that one is
   * answered and nothing is written. Absent: 8 hexadecimal digits.
   */
  newEntryId?: string | undefined;
  /** Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`. */
  expectedLeafId?: string | null | undefined;
  /**
   * Write only if the file's last entry is this (null: there is none), so that nobody else has
   * written meanwhile; else `LeafConflict`.
   */
  expectedTipId?: string | null | undefined;
  /** Anything; never sent to a model. */
  details?: unknown;
  /** Whether an extension made the summary. */
  fromHook?: boolean | undefined;
  /** What making the summary took. */
  usage?: Usage | null | undefined;
}

/** The branch whose context is built. */
export interface BuildParams {
  /** Handle of the session. */
  session: string;
  /**
   * Last entry of the branch; absent: the handle's leaf; null: before any entry, so that the
   * context is empty.
   */
  leafId?: string | null | undefined;
}

/** The documents held in memory. */
export interface CacheStatus {
  documents: number;
  bytes: number;
  limitBytes: number;
  hits: number;
  misses: number;
  evictions: number;
}

/** Which request to give up; it is answered with -32800 unless it was done already. */
export interface CancelParams {
  /** The request's id, as it was sent. */
  id: number | string;
}

/** What became of one file. A rename is `removed` and `added`. */
export interface CatalogChange {
  kind: "added" | "changed" | "removed";
  /** Absolute path of the file. */
  path: string;
  /** As it is now; absent when removed. */
  info?: SessionInfo | undefined;
}

/** Changes of the last 100 ms or more, each file once. */
export interface CatalogDidChangeParams {
  subscription: string;
  /** Grows by one per message for the subscription, so a gap shows. */
  sequence: number;
  changes: CatalogChange[];
}

/** Which sessions to follow: exactly one of the three. */
export interface CatalogSubscribeParams {
  /** Those of this working directory. */
  cwd?: string | undefined;
  /** Those in this directory. */
  sessionDir?: string | undefined;
  /** Those of all working directories. */
  all?: boolean | undefined;
}

/** A snapshot. Every later change, own ones included, is a `catalog/didChange`. */
export interface CatalogSubscribeResult {
  /** Opaque. */
  subscription: string;
  /** The first notification has the next one. */
  sequence: number;
  /** The latest `modified` first. */
  sessions: SessionInfo[];
}

/** A subscription to end. */
export interface CatalogUnsubscribeParams {
  subscription: string;
}

/** What the client can take in. */
export interface ClientCapabilities {
  /**
   * The client's JSON library cannot hold a lone surrogate, an integer beyond 2^53 or a number
   * like 1e400: it gets U+FFFD and strings in their place. Files are not affected.
   */
  plainJson?: boolean | undefined;
}

/** Who is calling; goes into the log. */
export interface ClientInfo {
  name: string;
  version?: string | undefined;
}

/** A summary that stands in the context for everything before the first kept entry. */
export interface CompactionEntry {
  /** Unique in the file; 8 hexadecimal digits from pi. */
  id?: string | undefined;
  /** The entry this one comes after; null: it is a root. */
  parentId?: string | null | undefined;
  /** ISO 8601 UTC with milliseconds. */
  timestamp?: string | undefined;
  type: "compaction";
  summary?: string | undefined;
  /** First entry that stays in the context; the entry's own id: none does. */
  firstKeptEntryId?: string | null | undefined;
  /** Tokens of the context before compaction. */
  tokensBefore?: number | null | undefined;
  /** `{readFiles, modifiedFiles}` from pi; else the extension's. */
  details?: unknown;
  /** What making the summary took. */
  usage?: Usage | undefined;
  /** Whether an extension made the summary. */
  fromHook?: boolean | undefined;
  /** The system message in force here; precedes the summary in the context. */
  systemMessage?: SystemMessage | undefined;
}

/** A summary in place of earlier messages; made from a `compaction` entry, never stored. */
export interface CompactionSummaryMessage {
  role: "compactionSummary";
  summary?: string | undefined;
  /** Tokens of the context before compaction. */
  tokensBefore?: number | null | undefined;
  /** Unix milliseconds. */
  timestamp?: number | undefined;
}

/** Text, or a list of content blocks. */
export type Content = string | Block[];

/** Another content for an earlier entry of the branch, in the context only. */
export interface ContextEditEntry {
  /** Unique in the file; 8 hexadecimal digits from pi. */
  id?: string | undefined;
  /** The entry this one comes after; null: it is a root. */
  parentId?: string | null | undefined;
  /** ISO 8601 UTC with milliseconds. */
  timestamp?: string | undefined;
  type: "context_edit";
  /** The entry edited. */
  targetId?: string | undefined;
  /** null takes the target out of the context. */
  replacement?: Replacement | null | undefined;
}

/** The most recent session of a working directory, or a new one if there is none. */
export interface ContinueRecentParams {
  /** Working directory; resolved, `~` expanded. */
  cwd: string;
  /** Directory to look in, in place of the profile's. */
  sessionDir?: string | undefined;
}

/** What usage cost, in US dollars. */
export interface Cost {
  input?: number | null | undefined;
  output?: number | null | undefined;
  cacheRead?: number | null | undefined;
  cacheWrite?: number | null | undefined;
  total?: number | null | undefined;
}

/** A leaf whose branch becomes a session of its own; the handle moves to the new file. */
export interface CreateBranchedSessionParams {
  /** Handle of the session. */
  session: string;
  /** Last entry of the branch to take. */
  leafId: string;
}

/** A new session; its file appears with the first user or assistant message. */
export interface CreateParams {
  /** Working directory; resolved, `~` expanded. */
  cwd: string;
  /** Directory for the file, in place of the profile's. */
  sessionDir?: string | undefined;
  /**
   * Id of the new session: letters, digits, `-`, `_`, `.`, a letter or digit at both ends.
   * Absent: a UUID version 7.
   */
  id?: string | undefined;
  /** Path of the session this one goes back to; kept in the header. */
  parentSession?: string | undefined;
}

/** State of an extension, never part of the context; written by the extension. */
export interface CustomEntry {
  /** Unique in the file; 8 hexadecimal digits from pi. */
  id?: string | undefined;
  /** The entry this one comes after; null: it is a root. */
  parentId?: string | null | undefined;
  /** ISO 8601 UTC with milliseconds. */
  timestamp?: string | undefined;
  type: "custom";
  /** Names the extension. */
  customType?: string | undefined;
  /** The extension's. */
  data?: unknown;
}

/** A message of an extension, sent to a model as a user's. Stored as `custom_message` entry. */
export interface CustomMessage {
  role: "custom";
  /** Names the extension. */
  customType?: string | undefined;
  /** Text, or text and image blocks. */
  content?: Content | null | undefined;
  /** Whether front ends show it. */
  display?: boolean | undefined;
  /** The extension's; not sent to a model. */
  details?: unknown;
  /** Unix milliseconds. */
  timestamp?: number | undefined;
}

/** A message of an extension, part of the context as a user message. */
export interface CustomMessageEntry {
  /** Unique in the file; 8 hexadecimal digits from pi. */
  id?: string | undefined;
  /** The entry this one comes after; null: it is a root. */
  parentId?: string | null | undefined;
  /** ISO 8601 UTC with milliseconds. */
  timestamp?: string | undefined;
  type: "custom_message";
  /** Names the extension. */
  customType?: string | undefined;
  /** Text, or text and image blocks. */
  content?: Content | null | undefined;
  /** Whether front ends show it. */
  display?: boolean | undefined;
  /** The extension's; not sent to a model. */
  details?: unknown;
}

/** The session's working directory. */
export interface CwdResult {
  cwd: string;
}

/** Something wrong with a line of a session file. The line stays in the file as it is. */
export interface Diagnostic {
  /** Number of the line in the file, from 1. */
  line: number;
  /** What is wrong; readers must expect kinds they do not know. */
  kind: "malformedLine" | "notAnEntry" | "missingId" | "duplicateId" | "orphan" | "selfParent" | "cycle" | "secondHeader" | "tornTail" | "invalidUtf8" | "byteOrderMark" | "unknownVersion" | "missingTarget" | "invalidTimestamp" | (string & {});
  /** For people. */
  message: string;
}

/** Entries in the order the method names. */
export interface EntriesResult {
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
  | UnknownEntry;

/** How many entries there are, the header not counted. */
export interface EntryCountResult {
  count: number;
}

/** An entry without its content. */
export interface EntryFacts {
  id: string;
  /** null: the entry is a root. */
  parentId: string | null;
  type: string;
  timestamp: string;
}

/** One entry, or none. */
export interface EntryResult {
  /** null: there is none. */
  entry: Entry | null;
}

/** A session id to look for. */
export interface FindByIdParams {
  /** Working directory; resolved, `~` expanded. */
  cwd: string;
  /** The whole id. */
  id: string;
  /** Directory to look in, in place of the profile's. */
  sessionDir?: string | undefined;
}

/** Where the session is. */
export interface FindByIdResult {
  /** Its file; null: there is none with this id. */
  path: string | null;
}

/** A session to copy whole into a new file that names it as parent. */
export interface ForkFromParams {
  /** The session file to copy. */
  sourcePath: string;
  /** Working directory of the new session. */
  targetCwd: string;
  /** Directory for the new file, in place of the profile's. */
  sessionDir?: string | undefined;
  /** Id of the new session, as in `session/create`. */
  id?: string | undefined;
}

/** A branch to walk. */
export interface GetBranchParams {
  /** Handle of the session. */
  session: string;
  /** Last entry of the branch; absent: the leaf. */
  fromId?: string | undefined;
}

/** An entry whose children are asked for. */
export interface GetChildrenParams {
  /** Handle of the session. */
  session: string;
  /** The parent; null: entries that have none. */
  parentId: string | null;
}

/** A window of the file's entries. */
export interface GetEntriesParams {
  /** Handle of the session. */
  session: string;
  /** Begin behind this: an entry's id, meaning its last occurrence, or a `nextAfter`. */
  after?: string | undefined;
  /** Greatest number of entries in the answer. */
  limit?: number | undefined;
}

/** Entries in file order. */
export interface GetEntriesResult {
  entries: Entry[];
  /** Number of entries in the file. */
  total: number;
  /** `after` of the next window; opaque; absent: nothing follows. */
  nextAfter?: string | undefined;
}

/** An id to look up. */
export interface GetEntryParams {
  /** Handle of the session. */
  session: string;
  /** Id of the entry. */
  id: string;
}

/** How much of each entry the tree carries. */
export interface GetTreeParams {
  /** Handle of the session. */
  session: string;
  /** `full` (default): `TreeNode`s; `outline`: `OutlineNode`s. */
  detail?: "full" | "outline" | undefined;
}

/** A session's header. */
export type Header =
  | SessionHeader
  | UnknownEntry;

/** The header line. */
export interface HeaderResult {
  header: Header;
}

/** An image. */
export interface ImageContent {
  type: "image";
  /** The image in base64. */
  data?: string | undefined;
  /** Such as `image/png`. */
  mimeType?: string | undefined;
}

/** A session without a file. */
export interface InMemoryParams {
  /** Working directory; absent: that of the daemon. */
  cwd?: string | undefined;
  /** Id of the session, as in `session/create`. */
  id?: string | undefined;
  /** Entries to begin with, in file order; a header may come first. */
  entries?: Entry[] | undefined;
}

/** Who else has a session open, as far as can be told. */
export interface InUse {
  /** Other processes that have it open. */
  pids: number[];
}

/** Settings of the connection. A client that skips `initialize` gets the command line's. */
export interface InitializeParams {
  clientInfo?: ClientInfo | undefined;
  /** Process of the client; the daemon exits when that process is gone. */
  processId?: number | undefined;
  /** The agent whose directories and rules apply. */
  profile?: "clanker" | "coderclaw" | "companion" | "indusagi" | "openclaw" | "pi" | undefined;
  /** Directory of the agent, in place of the profile's. */
  agentDir?: string | undefined;
  /** Agent of a gateway profile; `main` unless the command line says else. */
  agentId?: string | undefined;
  /** Unit in which positions in text are counted; `utf-16` by default. */
  positionEncoding?: "utf-16" | "utf-32" | "utf-8" | undefined;
  capabilities?: ClientCapabilities | undefined;
}

/** The settings in force. */
export interface InitializeResult {
  serverInfo: ServerInfo;
  /** Version of this contract: `"1"`. */
  protocolVersion: string;
  profile: "clanker" | "coderclaw" | "companion" | "indusagi" | "openclaw" | "pi";
  /** Absolute path of the agent's directory. */
  agentDir: string;
  /** Absolute path of the directory that holds the sessions. */
  sessionsDir: string;
  positionEncoding: "utf-16" | "utf-32" | "utf-8";
  capabilities: ServerCapabilities;
}

/** Whether the session belongs to a file. */
export interface IsPersistedResult {
  persisted: boolean;
}

/** A person's mark on an entry. The last one per target counts. */
export interface LabelEntry {
  /** Unique in the file; 8 hexadecimal digits from pi. */
  id?: string | undefined;
  /** The entry this one comes after; null: it is a root. */
  parentId?: string | null | undefined;
  /** ISO 8601 UTC with milliseconds. */
  timestamp?: string | undefined;
  type: "label";
  /** The entry marked. */
  targetId?: string | undefined;
  /** Absent, null or empty clears the label. */
  label?: string | null | undefined;
}

/** The label in force. */
export interface LabelResult {
  /** null: none. */
  label: string | null;
}

/** The handle's position. */
export interface LeafIdResult {
  /** null: before any entry. */
  leafId: string | null;
}

/** The sessions of all working directories. */
export interface ListAllParams {
  /** Greatest number of sessions in the answer. */
  limit?: number | undefined;
  /** `nextCursor` of the page before; opaque. */
  cursor?: string | undefined;
  /** Add `allMessagesText` to every session. */
  includeText?: boolean | undefined;
  /** Only sessions that have a name. */
  named?: boolean | undefined;
  /** Asks for progress under this token. */
  workDoneToken?: number | string | undefined;
  /**
   * Asks for `$/progress` with `PartialSessions` under this token while the listing goes on; the
   * answer still carries the full page.
   */
  partialResultToken?: number | string | undefined;
  /** A single directory to look in, in place of all of the profile's. */
  sessionDir?: string | undefined;
}

/** The sessions of one working directory. */
export interface ListParams {
  /** Working directory; resolved, `~` expanded. */
  cwd: string;
  /** Greatest number of sessions in the answer. */
  limit?: number | undefined;
  /** `nextCursor` of the page before; opaque. */
  cursor?: string | undefined;
  /** Add `allMessagesText` to every session. */
  includeText?: boolean | undefined;
  /** Only sessions that have a name. */
  named?: boolean | undefined;
  /** Asks for progress under this token. */
  workDoneToken?: number | string | undefined;
  /**
   * Asks for `$/progress` with `PartialSessions` under this token while the listing goes on; the
   * answer still carries the full page.
   */
  partialResultToken?: number | string | undefined;
  /**
   * Directory to look in, in place of the profile's; of a directory that is not the default one
   * of `cwd`, only sessions of that `cwd` are listed.
   */
  sessionDir?: string | undefined;
}

/** A page of sessions, the latest `modified` first. */
export interface ListResult {
  sessions: SessionInfo[];
  /** Number of sessions on all pages. */
  total: number;
  /** Where the next page begins; absent: this is the last. */
  nextCursor?: string | undefined;
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

/** Another model from here on; written when the user changes it. */
export interface ModelChangeEntry {
  /** Unique in the file; 8 hexadecimal digits from pi. */
  id?: string | undefined;
  /** The entry this one comes after; null: it is a root. */
  parentId?: string | null | undefined;
  /** ISO 8601 UTC with milliseconds. */
  timestamp?: string | undefined;
  type: "model_change";
  provider?: string | undefined;
  modelId?: string | undefined;
}

/** A model. */
export interface ModelRef {
  provider: string;
  modelId: string;
}

/** A fresh session for a handle; the working directory stays. */
export interface NewSessionParams {
  /** Handle of the session. */
  session: string;
  /** Id of the new session, as in `session/create`. */
  id?: string | undefined;
  /** Path of the session this one goes back to; kept in the header. */
  parentSession?: string | undefined;
}

/** A node of the tree, by `detail`. */
export type Node = TreeNode | OutlineNode;

/** A session file to open. One that is missing or empty becomes a new session there. */
export interface OpenParams {
  /** The session file. */
  path: string;
  /** Directory for sessions branched off; absent: that of the file. */
  sessionDir?: string | undefined;
  /** Working directory in place of the one in the header. */
  cwd?: string | undefined;
  /** Refuse writes; an old file is migrated in memory only. */
  readOnly?: boolean | undefined;
  /** Let the leaf move with the file's last entry. */
  follow?: boolean | undefined;
  /** Refuse a missing file (`SessionNotFound`). */
  mustExist?: boolean | undefined;
}

/** An entry in the tree, in short. */
export interface OutlineNode {
  id: string;
  /** As in the entry. */
  parentId: string | null;
  /** Ids, by time. */
  children: string[];
  type: string;
  timestamp: string;
  /** What it says, at most 120 characters. */
  preview: string;
  /** Role of a message entry. */
  role?: string | undefined;
  /** Absent: none. */
  label?: string | undefined;
}

/** The whole sorted list as far as it is known. */
export interface PartialSessions {
  sessions: SessionInfo[];
}

/** Progress of the request that carried the token. */
export interface ProgressParams {
  /** As the request carried it. */
  token: number | string;
  /** By the token: `WorkDoneProgress` or a partial result. */
  value: ProgressValue;
}

/** What `$/progress` tells, by its token. */
export type ProgressValue = WorkDoneProgress | PartialSessions;

/** An entry and what it adds to the context. */
export interface ProjectedEntry {
  sourceEntry: Entry;
  /** After context edits; empty: it adds nothing. */
  messages: Message[];
}

/** What stands in the context in place of an entry's content. */
export interface Replacement {
  content: Content;
}

/** What this daemon serves. */
export interface ServerCapabilities {
  /** Framing of this connection, both ways. */
  framing: "header" | "line";
  /** Every method and notification it takes, by name. */
  methods: string[];
  /** Every notification it may send. */
  notifications: string[];
}

/** Which daemon answers. */
export interface ServerInfo {
  version: string;
  name: "sessiond";
}

/** What a model would be sent, before conversion to its own roles. */
export interface SessionContextResult {
  messages: Message[];
  /** `off` unless the branch says else. */
  thinkingLevel: string;
  /** null: the branch names none. */
  model: ModelRef | null;
}

/** A change of a session's file that this handle did not make itself. */
export interface SessionDidChangeParams {
  /** Handle of the session. */
  session: string;
  /** Grows by one per message for the handle, so a gap shows. */
  sequence: number;
  /** Absolute path of the file. */
  path: string;
  /** Number of reloads caused by somebody rewriting the file. */
  generation: number;
  /** `deleted`, `invalid`: reads answer the last good state until `restored` or `rewritten`. */
  kind: "appended" | "deleted" | "invalid" | "restored" | "rewritten";
  /** The handle's leaf now; null: before any entry. */
  leafId: string | null;
  /** Last entry of the file now; null: there is none. */
  tipId: string | null;
  /** Number of entries now. */
  entryCount: number;
  /** What was appended, in file order. */
  entries?: EntryFacts[] | undefined;
  /** Name now; absent: none. */
  name?: string | undefined;
}

/** The directory for sessions branched off. */
export interface SessionDirResult {
  sessionDir: string;
}

/** The session's file, written or not yet. */
export interface SessionFileResult {
  /** null: in memory. */
  sessionFile: string | null;
}

/** The first line of a session file; not part of the tree. */
export interface SessionHeader {
  type: "session";
  /** Version of the file format; absent: 1. */
  version?: number | undefined;
  /** Id of the session. */
  id?: string | undefined;
  /** When the session began; ISO 8601 UTC. */
  timestamp?: string | undefined;
  /** Working directory. */
  cwd?: string | undefined;
  /** Path of the session this one was forked from. */
  parentSession?: string | undefined;
  /** The same, as version 1 wrote it. */
  branchedFrom?: string | undefined;
  /** Initial provider; only version 1 wrote it. */
  provider?: string | undefined;
  /** Initial model; only version 1 wrote it. */
  modelId?: string | undefined;
  /** Initial thinking level; only version 1 wrote it. */
  thinkingLevel?: string | undefined;
}

/** The id in the session's header. */
export interface SessionIdResult {
  sessionId: string;
}

/** A session file as lists show it; times are ISO 8601 UTC with milliseconds. */
export interface SessionInfo {
  /** Absolute path of the file. */
  path: string;
  /** Id in the session's header. */
  id: string;
  /** Working directory; empty: the header has none. */
  cwd: string;
  /** Time in the header. */
  created: string;
  /** Time of the latest user or assistant message, else of the header or file. */
  modified: string;
  /** Number of message entries of any role. */
  messageCount: number;
  /** Text of the first user message, or `(no messages)`. */
  firstMessage: string;
  sizeBytes: number;
  /** Name a person gave it; absent: none. */
  name?: string | undefined;
  /** The session it was forked from, as the header says. */
  parentSessionPath?: string | undefined;
  /** Present when other processes have it open. */
  inUse?: InUse | undefined;
  /** Text of all user and assistant messages; only with `includeText`. */
  allMessagesText?: string | undefined;
}

/** A person's name for the session. The last one in the file counts. */
export interface SessionInfoEntry {
  /** Unique in the file; 8 hexadecimal digits from pi. */
  id?: string | undefined;
  /** The entry this one comes after; null: it is a root. */
  parentId?: string | null | undefined;
  /** ISO 8601 UTC with milliseconds. */
  timestamp?: string | undefined;
  type: "session_info";
  /** Trimmed when read; empty: no name. */
  name?: string | null | undefined;
}

/** A message of the conversation. */
export interface SessionMessageEntry {
  /** Unique in the file; 8 hexadecimal digits from pi. */
  id?: string | undefined;
  /** The entry this one comes after; null: it is a root. */
  parentId?: string | null | undefined;
  /** ISO 8601 UTC with milliseconds. */
  timestamp?: string | undefined;
  type: "message";
  message?: Message | undefined;
}

/** The session's name. */
export interface SessionNameResult {
  /** null: none. */
  name: string | null;
}

/** Params of methods that need nothing but the session. */
export interface SessionParams {
  /** Handle of the session. */
  session: string;
}

/** The context together with the entries it comes from. */
export interface SessionProjectionResult {
  entries: ProjectedEntry[];
  /** `off` unless the branch says else. */
  thinkingLevel: string;
  /** null: the branch names none. */
  model: ModelRef | null;
}

/** An open session as its handle sees it. */
export interface SessionState {
  /** The handle: an opaque string, good for this connection. */
  session: string;
  /** Id in the session's header. */
  sessionId: string;
  /** Absolute path of the file, written or not yet; null: in memory. */
  sessionFile: string | null;
  /** Directory for sessions branched off; empty: in memory. */
  sessionDir: string;
  /** Working directory of the session. */
  cwd: string;
  /** Whether the session belongs to a file. */
  persisted: boolean;
  readOnly: boolean;
  /** Entry under which the next one goes; null: before any entry. */
  leafId: string | null;
  /** Last entry of the file; null: there is none. */
  tipId: string | null;
  /** Number of entries, the header not counted. */
  entryCount: number;
  /** Version of the file format, after migration. */
  version: number;
  /** Number of reloads caused by somebody rewriting the file. */
  generation: number;
  header: Header;
  diagnostics: Diagnostic[];
  /** Name a person gave it; absent: none. */
  name?: string | undefined;
  /** Present when other processes have it open. */
  inUse?: InUse | undefined;
}

/** Another file for a handle. An in-memory handle loads it and never writes it. */
export interface SetSessionFileParams {
  /** Handle of the session. */
  session: string;
  /** The session file. */
  path: string;
}

/** The daemon's state, for people and for monitoring. */
export interface StatusResult {
  version: string;
  pid: number;
  /** Milliseconds since the start. */
  uptimeMs: number;
  /** Number of requests received so far. */
  requests: number;
  /** Number of open session handles. */
  openSessions: number;
  cache: CacheStatus;
  watch: WatchStatus;
  /** Resident memory of the process. */
  memoryBytes: number;
}

/** A part of the system prompt. All of them, replayed in order, give the one in force. */
export interface SystemMessage {
  role: "system";
  /** Text added to what came before. */
  content?: Content | null | undefined;
  /** Named sections set to a text; null takes one out. */
  sections?: { [name: string]: string | null } | undefined;
  /** Declarations of tools, set by their `name`. */
  toolsAdded?: unknown[] | undefined;
  /** `{name}` of tools taken out, before adding. */
  toolsRemoved?: unknown[] | undefined;
  /** Unix milliseconds. */
  timestamp?: number | undefined;
}

/** Text. */
export interface TextContent {
  type: "text";
  text?: string | undefined;
  /** The provider's, for replay; opaque. */
  textSignature?: string | undefined;
}

/** A model's thinking. */
export interface ThinkingContent {
  type: "thinking";
  thinking?: string | undefined;
  /** The provider's, for replay; holds the payload of redacted thinking. */
  thinkingSignature?: string | undefined;
  /** Whether the provider withheld the text. */
  redacted?: boolean | undefined;
}

/** Another thinking level from here on; written when the user changes it. */
export interface ThinkingLevelChangeEntry {
  /** Unique in the file; 8 hexadecimal digits from pi. */
  id?: string | undefined;
  /** The entry this one comes after; null: it is a root. */
  parentId?: string | null | undefined;
  /** ISO 8601 UTC with milliseconds. */
  timestamp?: string | undefined;
  type: "thinking_level_change";
  /** As the agent names it, such as `high`. */
  thinkingLevel?: string | undefined;
}

/** A model's wish to call a tool. */
export interface ToolCall {
  type: "toolCall";
  /** By which the tool's result names it. */
  id?: string | undefined;
  /** Name of the tool. */
  name?: string | undefined;
  /** An object, as the tool defines it. */
  arguments?: unknown;
  /** The provider's, for replay; opaque. */
  thoughtSignature?: string | undefined;
  /** Where the tool's name belongs, if not among all. */
  namespace?: string | undefined;
}

/** What a tool gave back. */
export interface ToolResultMessage {
  role: "toolResult";
  /** `id` of the `ToolCall`. */
  toolCallId?: string | undefined;
  toolName?: string | undefined;
  /** Text and image blocks. */
  content?: Content | null | undefined;
  /** The tool's own; not sent to a model. */
  details?: unknown;
  /** What the tool itself spent on models. */
  usage?: Usage | undefined;
  /** `{calls: [{id, name, arguments?, …}], complete}`: tools it called. */
  nestedCalls?: unknown;
  isError?: boolean | undefined;
  /** Unix milliseconds. */
  timestamp?: number | undefined;
}

/** An entry in the tree, whole. */
export interface TreeNode {
  id: string;
  /** Ids, by time. */
  children: string[];
  entry: Entry;
  /** Absent: none. */
  label?: string | undefined;
  /** Time of the latest change of the label. */
  labelTimestamp?: string | undefined;
}

/** The tree, flat. An id that occurs twice stands once; its last occurrence counts. */
export interface TreeResult {
  /** Ids of entries without parent in the file. */
  roots: string[];
  /** Every id once. */
  nodes: Node[];
}

/** A content block of a type not known here, or one that does not fit its type. */
export class UnknownBlock extends Unknown {
  declare readonly type?: undefined;
}

/** An entry of a type not known here, or one that does not fit its type. */
export class UnknownEntry extends Unknown {
  declare readonly type?: undefined;

  get id(): string | undefined {
    return this.member("id", "string") as string | undefined;
  }

  get parentId(): string | null | undefined {
    return this.member("parentId", "string", "null") as string | null | undefined;
  }

  get timestamp(): string | undefined {
    return this.member("timestamp", "string") as string | undefined;
  }
}

/** A message of a role not known here, or one that does not fit its role. */
export class UnknownMessage extends Unknown {
  declare readonly role?: undefined;

  get timestamp(): number | undefined {
    return this.member("timestamp", "number") as number | undefined;
  }
}

/** Tokens that calls to a model took. Input excludes what was read from or put into a cache. */
export interface Usage {
  input?: number | null | undefined;
  output?: number | null | undefined;
  cacheRead?: number | null | undefined;
  cacheWrite?: number | null | undefined;
  /** The part of `cacheWrite` that is kept for an hour. */
  cacheWrite1h?: number | null | undefined;
  /** The part of `output` spent on reasoning. */
  reasoning?: number | null | undefined;
  /** Sum of input, output, cacheRead and cacheWrite. */
  totalTokens?: number | null | undefined;
  cost?: Cost | undefined;
}

/** Usage beside the conversation: counted in totals, never part of the context. */
export interface UsageEntry {
  /** Unique in the file; 8 hexadecimal digits from pi. */
  id?: string | undefined;
  /** The entry this one comes after; null: it is a root. */
  parentId?: string | null | undefined;
  /** ISO 8601 UTC with milliseconds. */
  timestamp?: string | undefined;
  type: "usage";
  /** What it was for, such as `cache_warm`. */
  kind?: string | undefined;
  provider?: string | undefined;
  model?: string | undefined;
  usage?: Usage | undefined;
  /** For people. */
  note?: string | undefined;
}

/** What a person, or a program in their place, said. */
export interface UserMessage {
  role: "user";
  /** Text, or text and image blocks. */
  content?: Content | null | undefined;
  /** Unix milliseconds. */
  timestamp?: number | undefined;
}

/** Whether the session's directory is the default one of its working directory. */
export interface UsesDefaultSessionDirResult {
  default: boolean;
}

/** The watcher of directories. */
export interface WatchStatus {
  /** Number of directories watched. */
  directories: number;
  mode: "native" | "off" | "polling";
  /** Number of events seen since the start. */
  events: number;
}

/** How far work has got: one `begin`, any number of `report`s, one `end`. */
export interface WorkDoneProgress {
  kind: "begin" | "end" | "report";
  /** For people. */
  message?: string | undefined;
  /** From 0 to 100. */
  percentage?: number | undefined;
  /** Number of items done. */
  loaded?: number | undefined;
  /** Number of items in all. */
  total?: number | undefined;
}
