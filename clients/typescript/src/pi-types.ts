// The values of pi's SessionManager. As in pi, the types have no unknown arm: a file may hold other
// values, which are returned as they are.

import type * as wire from "./generated/types.js";

/** A type without unknown arms; members of any JSON value are `any`, so that pi's types fit. */
type Plain<T> = unknown extends T
  ? any
  : T extends wire.UnknownEntry | wire.UnknownMessage | wire.UnknownBlock
    ? never
    : T extends readonly (infer Item)[]
      ? Plain<Item>[]
      : T extends object
        ? { [Name in keyof T]: Plain<T[Name]> }
        : T;

/** A plain type with other types of some members. */
type Of<T, Members> = Omit<Plain<T>, keyof Members> & Members;

/** The values of a type of known strings. */
type Literals<T> = T extends string ? (string extends T ? never : T) : never;

type Text = Plain<wire.TextContent>;
type Image = Plain<wire.ImageContent>;
type Thinking = Plain<wire.ThinkingContent>;
type Call = Plain<wire.ToolCall>;
type Written = string | (Text | Image)[];
type Cost = { [Name in keyof wire.Cost]: Exclude<wire.Cost[Name], null> };
type Usage = Of<wire.Usage, { totalTokens: number; cost: Cost }>;

/** A message with other types of some members; pi's messages have a timestamp. */
type MessageOf<T, Members = unknown> = Of<T, Members & { timestamp: number }>;

type System = MessageOf<wire.SystemMessage, { content: string | Text[] }>;
type User = MessageOf<wire.UserMessage, { content: Written }>;
type Assistant = MessageOf<
  wire.AssistantMessage,
  {
    content: (Text | Thinking | Call)[];
    usage: Usage;
    stopReason: Literals<wire.AssistantMessage["stopReason"]>;
    thinkingLevel?: any;
  }
>;
type ToolResult = MessageOf<wire.ToolResultMessage, { content: (Text | Image)[]; usage?: Usage }>;
type Bash = MessageOf<wire.BashExecutionMessage, { exitCode: number | undefined }>;
type Custom = MessageOf<wire.CustomMessage, { content: Written }>;

/** A message as pi types it. */
export type AgentMessage =
  | System
  | User
  | Assistant
  | ToolResult
  | Bash
  | Custom
  | MessageOf<wire.BranchSummaryMessage>
  | MessageOf<wire.CompactionSummaryMessage>;

type Edit = Of<
  wire.ContextEditEntry,
  { replacement: { content: Written | (Text | Thinking | Call)[] } | null }
>;

/** A usage entry as pi types it. */
export type PiUsageEntry = Of<wire.UsageEntry, { usage: Usage }>;

/** An entry as pi types it. */
export type SessionEntry =
  | Of<wire.SessionMessageEntry, { message: AgentMessage }>
  | Plain<wire.ThinkingLevelChangeEntry>
  | Plain<wire.ModelChangeEntry>
  | PiUsageEntry
  | Of<wire.CompactionEntry, { usage?: Usage; systemMessage?: System }>
  | Of<wire.BranchSummaryEntry, { usage?: Usage }>
  | Plain<wire.CustomEntry>
  | Of<wire.CustomMessageEntry, { content: Written }>
  | Edit
  | Of<wire.LabelEntry, { label: string | undefined }>
  | Plain<wire.SessionInfoEntry>;

/** A header as pi types it. */
export type PiSessionHeader = Plain<wire.SessionHeader>;

/** An entry with its descendants. */
export interface PiTreeNode {
  readonly id: string;
  entry: SessionEntry;
  children: PiTreeNode[];
  label?: string;
  labelTimestamp?: string;
}

interface Settings {
  thinkingLevel: string;
  model: { provider: string; modelId: string } | null;
}

/** What is sent to a model. */
export interface SessionContext extends Settings {
  messages: AgentMessage[];
}

/** What is sent to a model, with the entry that each message is from. */
export interface SessionProjection extends SessionContext {
  entries: { sourceEntry: SessionEntry; messages: AgentMessage[] }[];
}
