---@meta
-- Generated from protocol/sessiond_protocol/openrpc.json by protocol/generate.py.
-- Do not edit; run `make generate`.

--- A summary that replaces everything before the first kept entry.
---@class sessiond.AppendCompactionParams
---@field session string Handle of the session.
---@field summary string
---@field tokensBefore integer Tokens of the context before compaction.
---@field newEntryId? string Id of the new entry, for safe retries: if an entry with this id exists already, it is the answer and nothing is written. Absent: the daemon chooses 8 hexadecimal digits.
---@field expectedLeafId? string|vim.NIL Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
---@field expectedTipId? string|vim.NIL Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
---@field firstKeptEntryId? string|vim.NIL First entry that stays in the context. If it is absent, null or not on the branch, no earlier entry stays (as in pi).
---@field details? any Any JSON value; never sent to a model.
---@field fromHook? boolean Whether an extension made the summary.
---@field usage? sessiond.Usage|vim.NIL Tokens and cost of making the summary.

--- Replaces the content of an earlier entry of the branch, in the context only.
---@class sessiond.AppendContextEditParams
---@field session string Handle of the session.
---@field targetId string A user, assistant or toolResult message or a custom message on the active branch; otherwise `NotEditable`.
---@field replacement sessiond.Replacement|vim.NIL The new content; null removes the target from the context.
---@field newEntryId? string Id of the new entry, for safe retries: if an entry with this id exists already, it is the answer and nothing is written. Absent: the daemon chooses 8 hexadecimal digits.
---@field expectedLeafId? string|vim.NIL Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
---@field expectedTipId? string|vim.NIL Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.

--- State of an extension; never part of the context.
---@class sessiond.AppendCustomEntryParams
---@field session string Handle of the session.
---@field customType string Name of the extension.
---@field newEntryId? string Id of the new entry, for safe retries: if an entry with this id exists already, it is the answer and nothing is written. Absent: the daemon chooses 8 hexadecimal digits.
---@field expectedLeafId? string|vim.NIL Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
---@field expectedTipId? string|vim.NIL Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
---@field data? any Anything.

--- A message of an extension; the context contains it as a user message.
---@class sessiond.AppendCustomMessageEntryParams
---@field session string Handle of the session.
---@field customType string Name of the extension.
---@field content sessiond.Content Text, or text and image blocks.
---@field display boolean Whether user interfaces show it.
---@field newEntryId? string Id of the new entry, for safe retries: if an entry with this id exists already, it is the answer and nothing is written. Absent: the daemon chooses 8 hexadecimal digits.
---@field expectedLeafId? string|vim.NIL Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
---@field expectedTipId? string|vim.NIL Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
---@field details? any Any JSON value; never sent to a model.

--- A label for an entry, or its removal.
---@class sessiond.AppendLabelChangeParams
---@field session string Handle of the session.
---@field targetId string The entry to label.
---@field newEntryId? string Id of the new entry, for safe retries: if an entry with this id exists already, it is the answer and nothing is written. Absent: the daemon chooses 8 hexadecimal digits.
---@field expectedLeafId? string|vim.NIL Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
---@field expectedTipId? string|vim.NIL Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
---@field label? string The label; absent, null or empty: the label is removed.

--- A message of the conversation.
---@class sessiond.AppendMessageParams
---@field session string Handle of the session.
---@field message sessiond.Message An object with a string `role`, except `compactionSummary` and `branchSummary`, which have entries of their own. Nothing else in it is checked.
---@field newEntryId? string Id of the new entry, for safe retries: if an entry with this id exists already, it is the answer and nothing is written. Absent: the daemon chooses 8 hexadecimal digits.
---@field expectedLeafId? string|vim.NIL Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
---@field expectedTipId? string|vim.NIL Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.

--- A change of the model.
---@class sessiond.AppendModelChangeParams
---@field session string Handle of the session.
---@field provider string
---@field modelId string
---@field newEntryId? string Id of the new entry, for safe retries: if an entry with this id exists already, it is the answer and nothing is written. Absent: the daemon chooses 8 hexadecimal digits.
---@field expectedLeafId? string|vim.NIL Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
---@field expectedTipId? string|vim.NIL Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.

--- The appended entry, which is now the handle's leaf.
---@class sessiond.AppendResult
---@field id string
---@field parentId string|vim.NIL null: the entry is a root.
---@field timestamp string ISO 8601 UTC with milliseconds.
---@field written boolean Whether the entry is in the file. It is not for a session in memory, nor while the file waits for the first user or assistant message. A written entry survives the end of the process, but not a crash of the machine.
---@field existed? boolean true: an entry with the id `newEntryId` existed already; it is the answer, and nothing was written. Absent otherwise.

--- A name for the session.
---@class sessiond.AppendSessionInfoParams
---@field session string Handle of the session.
---@field name string Line breaks become a space, ends are trimmed; empty: no name.
---@field newEntryId? string Id of the new entry, for safe retries: if an entry with this id exists already, it is the answer and nothing is written. Absent: the daemon chooses 8 hexadecimal digits.
---@field expectedLeafId? string|vim.NIL Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
---@field expectedTipId? string|vim.NIL Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.

--- A change of the thinking level.
---@class sessiond.AppendThinkingLevelChangeParams
---@field session string Handle of the session.
---@field thinkingLevel string As the agent names it, such as `high`.
---@field newEntryId? string Id of the new entry, for safe retries: if an entry with this id exists already, it is the answer and nothing is written. Absent: the daemon chooses 8 hexadecimal digits.
---@field expectedLeafId? string|vim.NIL Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
---@field expectedTipId? string|vim.NIL Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.

--- Usage outside the conversation: counted in totals, never part of the context.
---@class sessiond.AppendUsageParams
---@field session string Handle of the session.
---@field kind string Purpose of the usage, such as `cache_warm`.
---@field provider string
---@field model string
---@field usage sessiond.Usage
---@field newEntryId? string Id of the new entry, for safe retries: if an entry with this id exists already, it is the answer and nothing is written. Absent: the daemon chooses 8 hexadecimal digits.
---@field expectedLeafId? string|vim.NIL Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
---@field expectedTipId? string|vim.NIL Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
---@field note? string Text for people; an empty note is left out.

--- A message from a model.
---@class sessiond.AssistantMessage
---@field role "assistant"
---@field content? sessiond.Content|vim.NIL Text, thinking and toolCall blocks.
---@field api? string Such as `anthropic-messages`.
---@field provider? string
---@field model? string The model that was requested.
---@field responseModel? string The model that answered, according to the provider.
---@field responseId? string The provider's id of the answer.
---@field providerThinkingLevel? string
---@field thinkingLevel? string
---@field diagnostics? any Diagnostics of the provider's answer.
---@field usage? sessiond.Usage
---@field stopReason? "pending"|"stop"|"length"|"toolUse"|"error"|"aborted"|"deferred"|string Why the answer ended; answers with `error` or `aborted` are incomplete.
---@field deferred? any Where a deferred answer can be fetched.
---@field errorMessage? string
---@field rawStopReason? string The stop reason as the provider spells it.
---@field endTurn? boolean
---@field timestamp? integer Unix milliseconds.

--- A shell command that a user ran (`!` in pi).
---@class sessiond.BashExecutionMessage
---@field role "bashExecution"
---@field command? string
---@field output? string
---@field exitCode? integer|vim.NIL Absent or null: the command did not end by itself.
---@field cancelled? boolean
---@field truncated? boolean Whether `output` is truncated.
---@field fullOutputPath? string File with the whole output, if `output` is truncated.
---@field excludeFromContext? boolean Never sent to a model (`!!` in pi).
---@field timestamp? integer Unix milliseconds.

--- Whether the entry was fresh before the message. Without an entry it is not.
---@class sessiond.BeginFreshness
---@field fresh boolean
---@field dailyResetAt? integer Time of the latest daily reset, in milliseconds since the epoch; absent in mode `idle`.
---@field idleExpiresAt? number Time until which the entry is fresh, in milliseconds since the epoch; absent: no limit, or no `updatedAt`.

--- A message and options for handling it.
---@class sessiond.BeginParams
---@field context sessiond.MessageContext The message.
---@field agentId? string Whose a key without an agent is; absent: the connection's, else the default agent of the configuration.
---@field storePath? string The store; `{agentId}` in it stands for the agent. Absent: `session.store`, else the agent's own, which takes the profile of a gateway.
---@field config? table<string, any> `session`, `agents`, `channels` and `models` of a CoderClaw configuration; absent: the agent's configuration file.
---@field authorized? boolean Whether the sender may reset a session; the client decides that.
---@field dryRun? boolean Only report what would happen; nothing is written.
---@field now? number Milliseconds since the epoch, with `dryRun` only; absent: the clock's.
---@field timezone? string IANA name of the local time zone; absent: the host's.
---@field cwd? string Working directory of a new transcript; absent: the agent's `workspace` in the configuration, else the daemon's own. A thread has its parent's.

--- The session of the message, and the one that it replaced.
---@class sessiond.BeginResult
---@field sessionKey string The key as it is spelled in the store.
---@field sessionId string
---@field sessionFile string Absolute path of the transcript. Unless `dryRun` it is there; one that was not is made, with `sessionId` in its header.
---@field isNewSession boolean Whether the message starts a session.
---@field resetTriggered boolean Whether the message starts one because of a reset trigger.
---@field entry table<string, any> The present entry in the store.
---@field resetType "direct"|"group"|"thread" By which the policy was found.
---@field policy sessiond.ResetPolicy
---@field freshness sessiond.BeginFreshness
---@field archived string[] New paths of the old session's transcripts, after a trigger only. With `dryRun` the paths they would have.
---@field storePath string Absolute path of the store.
---@field bodyStripped? string The text after the trigger; absent: there is no trigger.
---@field previousEntry? table<string, any> An entry of a store, with every member it has there.
---@field forkedFrom? string Absolute path of the transcript that a new thread took along.
---@field problems? sessiond.StoreProblem[] Absent: there are none.
---@field configProblems? sessiond.ConfigProblem[] Absent: there are none.

--- A content block, by its `type`.
---@alias sessiond.Block sessiond.TextContent|sessiond.ImageContent|sessiond.ThinkingContent|sessiond.ToolCall|sessiond.UnknownBlock

--- The entry to continue from.
---@class sessiond.BranchParams
---@field session string Handle of the session.
---@field entryId string The new leaf.

--- Prompts for a model: `system`, and `branch` as one user message.
---@class sessiond.BranchPrompts
---@field system string System prompt.
---@field branch? string Prompt for `summary`; absent: there is nothing to summarise.

--- A summary of a branch that was left; its parent is where the conversation went on.
---@class sessiond.BranchSummaryEntry
---@field id? string Unique in the file; 8 hexadecimal digits from pi.
---@field parentId? string|vim.NIL The entry this one comes after; null: it is a root.
---@field timestamp? string ISO 8601 UTC with milliseconds.
---@field appendMode? string `side`: OpenClaw appended it aside, which does not move the leaf.
---@field type "branch_summary"
---@field fromId? string|vim.NIL The leaf that was left, or `root`; until pi 0.84.2 the one gone to.
---@field summary? string
---@field details? any `{readFiles, modifiedFiles}` from pi, else data of the extension.
---@field usage? sessiond.Usage Tokens and cost of making the summary.
---@field fromHook? boolean Whether an extension made the summary.

--- A summary of a branch that was left; made from a `branch_summary` entry and never stored.
---@class sessiond.BranchSummaryMessage
---@field role "branchSummary"
---@field summary? string
---@field fromId? string|vim.NIL `fromId` of the entry.
---@field timestamp? integer Unix milliseconds.

--- Moves the leaf and records a summary of the branch that is left.
---@class sessiond.BranchWithSummaryParams
---@field session string Handle of the session.
---@field entryId string|vim.NIL Entry to continue from; null: before the first entry.
---@field summary string
---@field newEntryId? string Id of the new entry, for safe retries: if an entry with this id exists already, it is the answer and nothing is written. Absent: the daemon chooses 8 hexadecimal digits.
---@field expectedLeafId? string|vim.NIL Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
---@field expectedTipId? string|vim.NIL Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
---@field details? any Any JSON value; never sent to a model.
---@field fromHook? boolean Whether an extension made the summary.
---@field usage? sessiond.Usage|vim.NIL Tokens and cost of making the summary.

--- The participants and the channel of a conversation.
---@class sessiond.BuildKeyParams
---@field agentId string The agent; an empty one is `main`.
---@field mainKey? string Name of the main session; absent: `main`.
---@field channel? string Channel; absent or blank: `unknown`.
---@field accountId? string The agent's account there; absent: `default`.
---@field peerKind? "channel"|"direct"|"group"
---@field peerId? string The other side. Absent or blank: the main session for direct messages, `unknown` for others.
---@field dmScope? "main"|"per-account-channel-peer"|"per-channel-peer"|"per-peer" What tells direct messages apart; `main`: they share one session.
---@field identityLinks? table<string, string[]> Name of a person → ids, with or without `<channel>:`. Counts where `dmScope` is not `main`.
---@field threadId? string Thread in the conversation; blank: none.
---@field parentSessionKey? string Session the thread came from.

--- A key.
---@class sessiond.BuildKeyResult
---@field sessionKey string
---@field parentSessionKey? string As it was sent; only with a thread.

--- The branch whose context is built.
---@class sessiond.BuildParams
---@field session string Handle of the session.
---@field leafId? string|vim.NIL Last entry of the branch; absent: the handle's leaf; null: before the first entry, which gives an empty context.

--- The documents held in memory.
---@class sessiond.CacheStatus
---@field documents integer
---@field bytes integer
---@field limitBytes integer
---@field hits integer
---@field misses integer
---@field evictions integer

--- The request to cancel; it is answered with -32800 unless it was finished already.
---@class sessiond.CancelParams
---@field id integer|string The id of the request.

--- A change of one file.
---
--- A rename is `removed` and `added`. A file that can no longer be read is `removed`, and `added`
--- when it can be read again.
---@class sessiond.CatalogChange
---@field kind "added"|"changed"|"removed"
---@field path string Absolute path of the file.
---@field info? sessiond.SessionInfo The present state; absent if `kind` is `removed`.

--- The changes of the last 100 ms or more; each file occurs once.
---@class sessiond.CatalogDidChangeParams
---@field subscription string
---@field sequence integer Number of this notification: one more than that of the notification before it in the subscription, so that a lost one is noticed.
---@field changes sessiond.CatalogChange[]

--- What to search for, and where; without `cwd` and `sessionDir` in all sessions.
---@class sessiond.CatalogSearchParams
---@field query string Words and "quoted phrases"; each of them must occur in the name, id, working directory or messages of a session. In mode `regex`, one regular expression. An empty query finds every session, except in mode `regex`. At most 4096 characters and 128 words; a regular expression has at most 1000 characters and repetitions of at most 10,000.
---@field cwd? string Only sessions of this working directory; resolved, `~` expanded.
---@field sessionDir? string Directory to search instead of the profile's; with `cwd` as in `session/list`.
---@field mode? "fuzzy"|"regex"|"text" `text` (default): words and phrases literally. `fuzzy`: words also match by their characters in order, scattered over the name or the working directory; a query that begins with `re:` is a regular expression (as in pi 1.5.2). `regex`: a regular expression in the syntax of Python's package `regex`, not case-sensitive; messages are joined by a space; white space at the ends is significant.
---@field limit? integer Maximum number of hits in the answer; 50 by default.
---@field cursor? string `nextCursor` of the page before; opaque.

--- A page of hits, the best score first; equal scores by `modified`, the latest first.
---@class sessiond.CatalogSearchResult
---@field hits sessiond.SearchHit[]
---@field total integer Number of hits on all pages.
---@field nextCursor? string Where the next page begins; absent: this is the last.
---@field problems? sessiond.FileProblem[] Files and directories that could not be read and are left out; absent: none.

--- The sessions to follow: send exactly one of the three members.
---@class sessiond.CatalogSubscribeParams
---@field cwd? string Sessions of this working directory.
---@field sessionDir? string Sessions in this directory.
---@field all? boolean Sessions of all working directories.

--- A snapshot.
---
--- Every later change, including the client's own, is told by `catalog/didChange`.
---@class sessiond.CatalogSubscribeResult
---@field subscription string Opaque.
---@field sequence integer Sequence number of the snapshot; the first notification has the next number.
---@field sessions sessiond.SessionInfo[] The latest `modified` first.
---@field problems? sessiond.FileProblem[] Files and directories that could not be read and are left out; absent: none.

--- A subscription to end.
---@class sessiond.CatalogUnsubscribeParams
---@field subscription string

--- The files to check: send exactly one of the three members.
---@class sessiond.CheckParams
---@field path? string A single file.
---@field cwd? string The session files of this working directory.
---@field all? boolean The session files of all working directories.

--- All files that were checked. None was changed.
---@class sessiond.CheckResult
---@field files sessiond.CheckedFile[] In order of directories and names.

--- The problems of one file.
---@class sessiond.CheckedFile
---@field path string Absolute path of the file.
---@field ok boolean Whether no problem was found.
---@field problems sessiond.Diagnostic[] In order of lines.

--- Capabilities of the client.
---@class sessiond.ClientCapabilities
---@field plainJson? boolean Set it if the client's JSON library cannot hold lone surrogates, integers beyond 2^53 or numbers like 1e400: it is then sent U+FFFD and strings in their place. Files are not affected.

--- The name and version of the client, for the log.
---@class sessiond.ClientInfo
---@field name string
---@field version? string

--- A summary that stands in the context for everything before the first kept entry.
---@class sessiond.CompactionEntry
---@field id? string Unique in the file; 8 hexadecimal digits from pi.
---@field parentId? string|vim.NIL The entry this one comes after; null: it is a root.
---@field timestamp? string ISO 8601 UTC with milliseconds.
---@field appendMode? string `side`: OpenClaw appended it aside, which does not move the leaf.
---@field type "compaction"
---@field summary? string
---@field firstKeptEntryId? string|vim.NIL First entry that stays in the context; the entry's own id: none does.
---@field tokensBefore? integer|vim.NIL Tokens of the context before compaction.
---@field details? any `{readFiles, modifiedFiles}` from pi, else data of the extension.
---@field usage? sessiond.Usage Tokens and cost of making the summary.
---@field fromHook? boolean Whether an extension made the summary.
---@field systemMessage? sessiond.SystemMessage The system message in force here; precedes the summary in the context.

--- The plan of a compaction.
---
--- `context/finishCompaction` takes it, with or without its messages.
---@class sessiond.CompactionPreparation
---@field firstKeptEntryId string First entry that stays in the context.
---@field isSplitTurn boolean Whether the first kept entry is inside a turn; the start of that turn is then summarised separately.
---@field tokensBefore integer Tokens of the context before the compaction.
---@field fileOps sessiond.FileOperations Files of the messages to summarise and of the previous compaction.
---@field previousSummary? string Summary of the previous compaction, which the new summary updates.
---@field messagesToSummarize? sessiond.Message[] Always present in an answer; may be empty.
---@field turnPrefixMessages? sessiond.Message[] The start of the split turn. Always present in an answer; may be empty.
---@field prompts? sessiond.CompactionPrompts Only with `includePrompts`.

--- Prompts for a model; each text is one user message after `system`.
---@class sessiond.CompactionPrompts
---@field system string System prompt of both.
---@field history? string Prompt for `historySummary`; absent: there is nothing to summarise.
---@field prefix? string Prompt for `prefixSummary`; absent: no turn is split.

--- Settings for compaction, as in pi, with the values for the present model.
---@class sessiond.CompactionSettings
---@field enabled? boolean Whether compaction is enabled.
---@field reserveTokens? integer Part of the context window to keep free; absent: 16,384.
---@field keepRecentTokens? integer Tokens of the latest messages to keep; absent: 20,000.
---@field reserveTokensFloor? integer Minimum of `reserveTokens`, as in CoderClaw; absent: no minimum. CoderClaw's default is 20,000.

--- A summary that replaces earlier messages; made from a `compaction` entry and never stored.
---@class sessiond.CompactionSummaryMessage
---@field role "compactionSummary"
---@field summary? string
---@field tokensBefore? integer|vim.NIL Tokens of the context before compaction.
---@field timestamp? integer Unix milliseconds.

--- A value of the configuration that has the wrong type and was ignored.
---@class sessiond.ConfigProblem
---@field path string Path in the configuration, such as `session.reset.mode`.
---@field message string Text for people.

--- Text, or a list of content blocks.
---@alias sessiond.Content string|sessiond.Block[]

--- Replaces the content of an earlier entry of the branch, in the context only.
---@class sessiond.ContextEditEntry
---@field id? string Unique in the file; 8 hexadecimal digits from pi.
---@field parentId? string|vim.NIL The entry this one comes after; null: it is a root.
---@field timestamp? string ISO 8601 UTC with milliseconds.
---@field appendMode? string `side`: OpenClaw appended it aside, which does not move the leaf.
---@field type "context_edit"
---@field targetId? string The entry edited.
---@field replacement? sessiond.Replacement|vim.NIL null takes the target out of the context.

--- The context window of the present model.
---@class sessiond.ContextUsageParams
---@field session string Handle of the session.
---@field contextWindow integer Size of the model's context window, in tokens.

--- Measure how much of the context window is used.
---@class sessiond.ContextUsageResult
---@field tokens integer|vim.NIL null: unknown, between a compaction and the next answer.
---@field contextWindow integer The context window from the request.
---@field percent number|vim.NIL Percentage of the context window, which may exceed 100; null: unknown.

--- The most recent session of a working directory, or a new one if there is none.
---@class sessiond.ContinueRecentParams
---@field cwd string Working directory; resolved, `~` expanded.
---@field sessionDir? string Directory to search instead of the profile's.

--- Cost of usage, in US dollars.
---@class sessiond.Cost
---@field input? number|vim.NIL
---@field output? number|vim.NIL
---@field cacheRead? number|vim.NIL
---@field cacheWrite? number|vim.NIL
---@field total? number|vim.NIL

--- Sum of the cost in all recorded usage, in US dollars.
---@class sessiond.CostFigures
---@field input number
---@field output number
---@field cacheRead number
---@field cacheWrite number
---@field total number Sum of the recorded totals; where a total is missing, of its parts.

--- The branch that becomes a session of its own; the handle moves to the new file.
---@class sessiond.CreateBranchedSessionParams
---@field session string Handle of the session.
---@field leafId string Last entry of the branch to copy.

--- A new session; its file is created with the first user or assistant message.
---@class sessiond.CreateParams
---@field cwd string Working directory; resolved, `~` expanded.
---@field sessionDir? string Directory for the file, instead of the profile's.
---@field id? string Id of the new session: letters, digits, `-`, `_` and `.`, with a letter or digit at both ends. Absent: a UUID version 7.
---@field parentSession? string Path of the parent session; stored in the header.

--- State of an extension, never part of the context; written by the extension.
---@class sessiond.CustomEntry
---@field id? string Unique in the file; 8 hexadecimal digits from pi.
---@field parentId? string|vim.NIL The entry this one comes after; null: it is a root.
---@field timestamp? string ISO 8601 UTC with milliseconds.
---@field appendMode? string `side`: OpenClaw appended it aside, which does not move the leaf.
---@field type "custom"
---@field customType? string Name of the extension.
---@field data? any The extension's.

--- A message of an extension, sent to a model as a user message.
---
--- It is stored as a `custom_message` entry.
---@class sessiond.CustomMessage
---@field role "custom"
---@field customType? string Name of the extension.
---@field content? sessiond.Content|vim.NIL Text, or text and image blocks.
---@field display? boolean Whether front ends show it.
---@field details? any Data of the extension; not sent to a model.
---@field timestamp? integer Unix milliseconds.

--- A message of an extension; the context contains it as a user message.
---@class sessiond.CustomMessageEntry
---@field id? string Unique in the file; 8 hexadecimal digits from pi.
---@field parentId? string|vim.NIL The entry this one comes after; null: it is a root.
---@field timestamp? string ISO 8601 UTC with milliseconds.
---@field appendMode? string `side`: OpenClaw appended it aside, which does not move the leaf.
---@field type "custom_message"
---@field customType? string Name of the extension.
---@field content? sessiond.Content|vim.NIL Text, or text and image blocks.
---@field display? boolean Whether front ends show it.
---@field details? any Data of the extension; not sent to a model.

--- The session's working directory.
---@class sessiond.CwdResult
---@field cwd string

--- Messages, tokens and cost of one day.
---@class sessiond.DayFigures
---@field day string `YYYY-MM-DD`, from midnight to midnight UTC.
---@field messages integer Number of messages of any role.
---@field tokens sessiond.TokenFigures
---@field cost sessiond.CostFigures

--- A session to delete.
---@class sessiond.DeleteParams
---@field path string The session file.
---@field permanently? boolean Delete permanently, without the trash.
---@field force? boolean Delete it even if it is open. A handle that is still open creates the file again with its next append.

--- What was done.
---@class sessiond.DeleteResult
---@field trashed boolean Whether the file is in the trash and can be restored.

--- A problem with a line of a session file. The line stays in the file unchanged.
---@class sessiond.Diagnostic
---@field line integer Number of the line, from 1; 0: the whole file.
---@field kind "malformedLine"|"notAnEntry"|"missingId"|"duplicateId"|"orphan"|"selfParent"|"cycle"|"secondHeader"|"tornTail"|"invalidUtf8"|"byteOrderMark"|"unknownVersion"|"missingTarget"|"invalidTimestamp"|"missingNewline"|"notASession"|"unreadable"|"internalError"|string Kind of the problem; later versions may add kinds.
---@field message string Text for people.

--- Entries, in the order that the method defines.
---@class sessiond.EntriesResult
---@field entries sessiond.Entry[]

--- An entry of a session, by its `type`.
---@alias sessiond.Entry sessiond.SessionMessageEntry|sessiond.ThinkingLevelChangeEntry|sessiond.ModelChangeEntry|sessiond.CompactionEntry|sessiond.BranchSummaryEntry|sessiond.CustomEntry|sessiond.CustomMessageEntry|sessiond.LabelEntry|sessiond.SessionInfoEntry|sessiond.UsageEntry|sessiond.ContextEditEntry|sessiond.LeafEntry|sessiond.ResetEntry|sessiond.UnknownEntry

--- The number of entries, without the header.
---@class sessiond.EntryCountResult
---@field count integer

--- An entry without its content.
---@class sessiond.EntryFacts
---@field id string
---@field parentId string|vim.NIL null: the entry is a root.
---@field type string
---@field timestamp string

--- One entry, if it exists.
---@class sessiond.EntryResult
---@field entry sessiond.Entry|vim.NIL null: there is no such entry.

--- The size of a context; `tokens` is the sum of the next two members.
---@class sessiond.EstimateTokensResult
---@field tokens integer
---@field usageTokens integer Tokens counted by a provider, from the last usage of a complete answer; 0: there is no valid usage. Usage from before the last compaction or context edit is not valid.
---@field trailingTokens integer Estimated tokens of the messages after that answer.
---@field lastUsageEntryId? string With `session`: the entry that has the usage.
---@field lastUsageIndex? integer With `messages`: index of the message that has the usage.

--- What is known of a session. Exactly one of `resetType` and `policy`.
---@class sessiond.EvaluateFreshnessParams
---@field now number Milliseconds since the epoch.
---@field updatedAt? number|vim.NIL `updatedAt` of the entry, in milliseconds, as it was before the message. Absent: the entry has none and is fresh; null counts as 0.
---@field resetType? "direct"|"group"|"thread" By which `config` knows the policy.
---@field policy? sessiond.GivenPolicy
---@field config? table<string, any> `session`, `agents`, `channels` and `models` of a CoderClaw configuration.
---@field channel? string For `session.resetByChannel`, which goes first.
---@field timezone? string IANA name of the local time zone; absent: the host's.

--- Whether the session continues. At the exact limit it does.
---@class sessiond.EvaluateFreshnessResult
---@field fresh boolean
---@field policy sessiond.ResetPolicy
---@field dailyResetAt? integer Time of the latest daily reset, in milliseconds since the epoch; absent in mode `idle`.
---@field idleExpiresAt? number Time until which the entry is fresh, in milliseconds since the epoch; absent: no limit, or no `updatedAt`.
---@field configProblems? sessiond.ConfigProblem[] Absent: there are none.

--- The session to export, by exactly one of `path` and `session`, and the format.
---@class sessiond.ExportParams
---@field format "html"|"jsonl"|"markdown" `jsonl`: a session file with a new header, the same id and only the branch, as pi exports it; labels and settings are included, and entries keep their bytes except for `parentId` and `appendMode`. `markdown`: the branch as text. `html`: one self-contained page with all branches, which first shows the branch.
---@field path? string A session file; it is not changed.
---@field session? string Handle of an open session, also before its file is written.
---@field outputPath? string File to write, with mode 0600; missing directories are created with mode 0700. Absent: the answer contains the export. An existing file is replaced and keeps its mode (as in pi), but a session file never is: that is `AlreadyExists`.
---@field leafId? string|vim.NIL Last entry of the branch; null: before the first entry, which gives an empty branch; absent: the handle's leaf, or the last entry of a file.

--- The path of the export, or the export itself.
---@class sessiond.ExportResult
---@field path? string Absolute path of the file that was written.
---@field content? string The export, if no `outputPath` was given.

--- Paths that tools were called with; each list has no duplicates.
---@class sessiond.FileOperations
---@field read string[]
---@field written string[]
---@field edited string[]

--- The reason why a file, or a directory with its content, is missing from an answer.
---@class sessiond.FileProblem
---@field path string Absolute path of the file or directory.
---@field kind "unreadable"|"internalError"|string `unreadable`: the system refuses to read it. `internalError`: the daemon failed to handle it; the log has the details. Later versions may add kinds.
---@field message string Text for people.

--- A session id to find.
---@class sessiond.FindByIdParams
---@field cwd string Working directory; resolved, `~` expanded.
---@field id string The whole id.
---@field sessionDir? string Directory to search instead of the profile's.

--- The file that was found.
---@class sessiond.FindByIdResult
---@field path string|vim.NIL Path of its file; null: no session has this id.
---@field problems? sessiond.FileProblem[] Files and directories that could not be read and are left out; absent: none.

--- The entry to continue from, and the model's summary of the branch that is left.
---@class sessiond.FinishBranchSummaryParams
---@field session string Handle of the session.
---@field targetId string The entry to continue from, as in `context/navigate`.
---@field newEntryId? string Id of the new entry, for safe retries: if an entry with this id exists already, it is the answer and nothing is written. Absent: the daemon chooses 8 hexadecimal digits.
---@field expectedLeafId? string|vim.NIL Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
---@field expectedTipId? string|vim.NIL Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
---@field summary? string The model's text; pi's preamble and the lists of files are added to it. Absent: there was no message to summarise, and the entry says so.
---@field fileOps? sessiond.FileOperations `fileOps` of `context/prepareBranchSummary`; absent: computed from the whole branch that is left.
---@field label? string Label for the summary's entry; it is stored in another entry, which becomes the leaf.
---@field usage? sessiond.Usage|vim.NIL Tokens and cost of making the summary.

--- The entry of the summary.
---@class sessiond.FinishBranchSummaryResult
---@field id string
---@field parentId string|vim.NIL null: the entry is a root.
---@field timestamp string ISO 8601 UTC with milliseconds.
---@field written boolean Whether the entry is in the file. It is not for a session in memory, nor while the file waits for the first user or assistant message. A written entry survives the end of the process, but not a crash of the machine.
---@field existed? boolean true: an entry with the id `newEntryId` existed already; it is the answer, and nothing was written. Absent otherwise.
---@field editorText? string Text for the user to edit, as in `context/navigate`.

--- A plan and the model's summaries.
---@class sessiond.FinishCompactionParams
---@field session string Handle of the session.
---@field preparation sessiond.CompactionPreparation The answer of `context/prepareCompaction`.
---@field newEntryId? string Id of the new entry, for safe retries: if an entry with this id exists already, it is the answer and nothing is written. Absent: the daemon chooses 8 hexadecimal digits.
---@field expectedLeafId? string|vim.NIL Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
---@field expectedTipId? string|vim.NIL Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
---@field historySummary? string Summary of `messagesToSummarize`. It may be absent only if a turn is split and there were no such messages: then the previous summary is used, or `No prior history.`
---@field prefixSummary? string Summary of `turnPrefixMessages`; required if a turn is split, otherwise not allowed.
---@field usage? sessiond.Usage|vim.NIL Tokens and cost of making the summaries.

--- A session to copy completely into a new file, which names it as its parent.
---@class sessiond.ForkFromParams
---@field sourcePath string The session file to copy.
---@field targetCwd string Working directory of the new session.
---@field sessionDir? string Directory for the new file, instead of the profile's.
---@field id? string Id of the new session, as in `session/create`.

--- The changes of one store in the last 100 ms or more; each key occurs once.
---@class sessiond.GatewayDidChangeParams
---@field subscription string
---@field sequence integer Number of this notification: one more than that of the notification before it in the subscription, so that a lost one is noticed.
---@field agentId string Whose store it is.
---@field storePath string Absolute path of the store.
---@field changes sessiond.StoreChange[]

--- The stores to follow.
---@class sessiond.GatewaySubscribeParams
---@field storePath? string The store; `{agentId}` in it stands for the agent. Absent: `session.store`, else the agent's own, which takes the profile of a gateway.
---@field config? table<string, any> `session`, `agents`, `channels` and `models` of a CoderClaw configuration; absent: the agent's configuration file.
---@field agentId? string Only this agent's store. Absent: those of all agents, also of agents to come, or the one they share.

--- A snapshot. Every later change, own ones included, is a `gateway/didChange`.
---@class sessiond.GatewaySubscribeResult
---@field subscription string Opaque.
---@field sequence integer Sequence number of the snapshot; the first notification has the next number.
---@field sessions sessiond.StoredSession[] Store by store, the default agent's first.
---@field problems? sessiond.StoreProblem[] Absent: there are none.
---@field configProblems? sessiond.ConfigProblem[] Absent: there are none.

--- A subscription to end.
---@class sessiond.GatewayUnsubscribeParams
---@field subscription string

--- The branch to read.
---@class sessiond.GetBranchParams
---@field session string Handle of the session.
---@field fromId? string Last entry of the branch; absent: the leaf.

--- The entry whose children are read.
---@class sessiond.GetChildrenParams
---@field session string Handle of the session.
---@field parentId string|vim.NIL The parent; null: read the entries without a parent.

--- Which page of the file's entries to read.
---@class sessiond.GetEntriesParams
---@field session string Handle of the session.
---@field cursor? string Start after this position: the `nextCursor` of the page before, or the id of an entry, of which the last occurrence counts.
---@field after? string Deprecated name of `cursor`; if both are sent they must be equal.
---@field limit? integer Maximum number of entries in the answer.

--- Entries in file order.
---@class sessiond.GetEntriesResult
---@field entries sessiond.Entry[]
---@field total integer Number of entries in the file.
---@field nextCursor? string Where the next page begins; absent: this is the last.
---@field nextAfter? string Deprecated name of `nextCursor`.

--- The id of an entry.
---@class sessiond.GetEntryParams
---@field session string Handle of the session.
---@field id string Id of the entry.

--- How much of each entry the answer contains.
---@class sessiond.GetTreeParams
---@field session string Handle of the session.
---@field detail? "full"|"outline" `full` (default): `TreeNode`s; `outline`: `OutlineNode`s.

--- A policy as `gateway/evaluateFreshness` answers it.
---@class sessiond.GivenPolicy
---@field mode "daily"|"idle"
---@field atHour? integer Hour of the daily reset, in local time.
---@field idleMinutes? integer Minutes without use after which the session expires; absent: it does not expire by idleness.

--- A session's header.
---@alias sessiond.Header sessiond.SessionHeader|sessiond.UnknownEntry

--- The header line.
---@class sessiond.HeaderResult
---@field header sessiond.Header

--- An image.
---@class sessiond.ImageContent
---@field type "image"
---@field data? string The image in base64.
---@field mimeType? string Such as `image/png`.

--- A session without a file.
---@class sessiond.InMemoryParams
---@field cwd? string Working directory; absent: that of the daemon.
---@field id? string Id of the session, as in `session/create`.
---@field entries? sessiond.Entry[] Initial entries, in file order; a header may come first.

--- Other processes that have the session open, as far as is known.
---@class sessiond.InUse
---@field pids integer[] Ids of the processes.

--- The origin of an inbound message, with CoderClaw's names.
---@class sessiond.InboundContext
---@field SessionKey? string Names the session; goes before all else.
---@field From? string Sender or group, as `telegram:group:-100` or a number.
---@field ChatType? string `direct`, `group` or `channel`.
---@field Provider? string Channel, where `From` does not begin with one. An empty one is none.

--- Settings of the connection. Without `initialize`, those of the command line apply.
---@class sessiond.InitializeParams
---@field clientInfo? sessiond.ClientInfo
---@field processId? integer Id of the client's process; the daemon exits when that process has ended. A process that does not run on the daemon's machine is not watched.
---@field profile? "clanker"|"coderclaw"|"companion"|"indusagi"|"openclaw"|"pi" The agent program whose directories and rules apply.
---@field agentDir? string Directory of the agent program, instead of the profile's.
---@field agentId? string Agent of a gateway profile; absent: that of the command line, or `main`.
---@field positionEncoding? "utf-16"|"utf-32"|"utf-8" Unit of positions in text; `utf-16` by default.
---@field capabilities? sessiond.ClientCapabilities

--- The settings that apply to the connection.
---@class sessiond.InitializeResult
---@field serverInfo sessiond.ServerInfo
---@field protocolVersion string Version of this contract: `"1"`.
---@field profile "clanker"|"coderclaw"|"companion"|"indusagi"|"openclaw"|"pi"
---@field agentDir string Absolute path of the agent's directory.
---@field sessionsDir string Absolute path of the directory that holds the sessions.
---@field positionEncoding "utf-16"|"utf-32"|"utf-8"
---@field capabilities sessiond.ServerCapabilities

--- Whether the session belongs to a file.
---@class sessiond.IsPersistedResult
---@field persisted boolean

--- A reply, or the part of it received so far.
---@class sessiond.IsSilentReplyParams
---@field text string The text received so far.
---@field token? string The token that marks a silent reply.
---@field streaming? boolean Whether more text may follow.

--- Show the text if both are false.
---@class sessiond.IsSilentReplyResult
---@field silent boolean It starts with the token, or ends with it, apart from punctuation.
---@field hold boolean While streaming: the end of the text could become the token. Wait for more.

--- A label of a user for an entry. The last one per target counts.
---@class sessiond.LabelEntry
---@field id? string Unique in the file; 8 hexadecimal digits from pi.
---@field parentId? string|vim.NIL The entry this one comes after; null: it is a root.
---@field timestamp? string ISO 8601 UTC with milliseconds.
---@field appendMode? string `side`: OpenClaw appended it aside, which does not move the leaf.
---@field type "label"
---@field targetId? string The entry marked.
---@field label? string|vim.NIL Absent, null or empty clears the label.

--- The present label of an entry.
---@class sessiond.LabelResult
---@field label string|vim.NIL null: none.

--- Moves the leaf of the file; written by OpenClaw. Never part of a branch.
---
--- It is ignored if an id in it does not come before it in the file.
---@class sessiond.LeafEntry
---@field id? string Unique in the file; 8 hexadecimal digits from pi.
---@field parentId? string|vim.NIL The entry this one comes after; null: it is a root.
---@field timestamp? string ISO 8601 UTC with milliseconds.
---@field appendMode? string `side`: OpenClaw appended it aside, which does not move the leaf.
---@field type "leaf"
---@field targetId? string|vim.NIL The leaf from here on; null: before any entry.
---@field appendParentId? string|vim.NIL The entry OpenClaw appends under next; absent: the target. An entry under it goes on from the leaf all the same.

--- The handle's position.
---@class sessiond.LeafIdResult
---@field leafId string|vim.NIL null: before the first entry.

--- The sessions of all working directories.
---@class sessiond.ListAllParams
---@field limit? integer Maximum number of sessions in the answer.
---@field cursor? string `nextCursor` of the page before; opaque.
---@field includeText? boolean Add `allMessagesText` to every session.
---@field named? boolean Only sessions that have a name.
---@field workDoneToken? integer|string Token under which progress is reported; absent: no reports.
---@field partialResultToken? integer|string Token under which `$/progress` reports `PartialSessions` while the list is made; the answer still contains the whole page.
---@field sessionDir? string A single directory to search, instead of all of the profile's.

--- What holds where a session says nothing, by `agents.defaults`.
---@class sessiond.ListDefaults
---@field modelProvider string|vim.NIL null: not configured.
---@field model string|vim.NIL null: not configured.
---@field contextTokens number `agents.defaults.contextTokens`, else what `models.providers` says of the model, else 200,000.

--- The sessions of one working directory.
---@class sessiond.ListParams
---@field cwd string Working directory; resolved, `~` expanded.
---@field limit? integer Maximum number of sessions in the answer.
---@field cursor? string `nextCursor` of the page before; opaque.
---@field includeText? boolean Add `allMessagesText` to every session.
---@field named? boolean Only sessions that have a name.
---@field workDoneToken? integer|string Token under which progress is reported; absent: no reports.
---@field partialResultToken? integer|string Token under which `$/progress` reports `PartialSessions` while the list is made; the answer still contains the whole page.
---@field sessionDir? string Directory to search instead of the profile's. If it is not the default one of `cwd`, only sessions of that `cwd` are listed.

--- A page of sessions, the latest `modified` first.
---@class sessiond.ListResult
---@field sessions sessiond.SessionInfo[]
---@field total integer Number of sessions on all pages.
---@field nextCursor? string Where the next page begins; absent: this is the last.
---@field problems? sessiond.FileProblem[] Files and directories that could not be read and are left out; absent: none.

--- Messages with the roles that providers accept.
---@class sessiond.LlmMessagesResult
---@field messages sessiond.Message[] Messages with the roles system, user, assistant and toolResult; others are converted to these.

--- The store of one agent. What goes is said by `session.maintenance` and `cron`.
---@class sessiond.MaintainParams
---@field agentId? string Whose a key without an agent is; absent: the connection's, else the default agent of the configuration.
---@field storePath? string The store; `{agentId}` in it stands for the agent. Absent: `session.store`, else the agent's own, which takes the profile of a gateway.
---@field config? table<string, any> `session`, `agents`, `channels` and `models` of a CoderClaw configuration; absent: the agent's configuration file.
---@field mode? "enforce"|"warn" `warn`: nothing is touched, and `problems` say what `enforce` would take out. Absent: the configuration's, else `warn`.
---@field dryRun? boolean Only report what would be done; the names of archives are then estimates.

--- What was done: entries were removed from the store, and transcripts were renamed.
---@class sessiond.MaintainResult
---@field mode "enforce"|"warn"
---@field storePath string Absolute path of the store.
---@field pruned string[] Keys of sessions unused for longer than `pruneAfter`.
---@field capped string[] Keys of those beyond `maxEntries`; their transcripts stay.
---@field reaped string[] Keys of runs of jobs older than `cron.sessionRetention`; their transcripts stay.
---@field rotated string|vim.NIL The store as it was, if it was larger than `rotateBytes`.
---@field archived string[] Transcripts of pruned sessions, as they are called now. One that a session still uses stays.
---@field removed string[] Archives of deleted sessions that were older than `pruneAfter`, deleted from directories in which something was archived.
---@field problems? sessiond.StoreProblem[] Absent: there are none.
---@field configProblems? sessiond.ConfigProblem[] Absent: there are none.

--- A session before its next turn. Exactly one of `entry` and `sessionKey`.
---
--- With `entry` no file is looked at, and without `config` nothing is configured.
---@class sessiond.MemoryFlushParams
---@field agentId? string Whose a key without an agent is; absent: the connection's, else the default agent of the configuration.
---@field storePath? string The store; `{agentId}` in it stands for the agent. Absent: `session.store`, else the agent's own, which takes the profile of a gateway.
---@field config? table<string, any> `session`, `agents`, `channels` and `models` of a CoderClaw configuration; absent: the agent's configuration file.
---@field sessionKey? string Its key, in any spelling a gateway understands; the store is read.
---@field entry? table<string, any> Its entry, of which `totalTokens`, `totalTokensFresh`, `compactionCount` and `memoryFlushCompactionCount` count.
---@field contextWindow? number Tokens the model takes; absent: `agents.defaults.contextTokens`, else 200,000.
---@field sandboxed? boolean The turn runs in a sandbox.
---@field workspaceAccess? string Of the sandbox: `none`, `ro` or `rw`, which alone lets a flush write.
---@field heartbeat? boolean The turn is a heartbeat.
---@field cliProvider? boolean The model is one that is run as a command.
---@field now? number The time that the prompt names, in milliseconds since the epoch; absent: the host's time.
---@field timezone? string IANA name, for the prompt; absent: `agents.defaults.userTimezone`, else the host's.

--- Whether to run a turn that saves memories first.
---@class sessiond.MemoryFlushResult
---@field flush boolean
---@field reason "due"|"disabled"|"workspaceNotWritable"|"heartbeat"|"cliProvider"|"tokensUnknown"|"windowTooSmall"|"belowThreshold"|"alreadyFlushed"|string `due`, or the first reason against it.
---@field threshold integer Number of tokens at which the flush is due; 0: the context window is too small.
---@field prompt? string Prompt for the agent.
---@field systemPrompt? string Text to append to its system prompt, after a blank line.
---@field problems? sessiond.StoreProblem[] Absent: there are none.
---@field configProblems? sessiond.ConfigProblem[] Absent: there are none.

--- A message, by its `role`.
---@alias sessiond.Message sessiond.UserMessage|sessiond.AssistantMessage|sessiond.ToolResultMessage|sessiond.BashExecutionMessage|sessiond.CustomMessage|sessiond.BranchSummaryMessage|sessiond.CompactionSummaryMessage|sessiond.SystemMessage|sessiond.UnknownMessage

--- An inbound message, with CoderClaw's names. Members that no rule reads are ignored.
---@class sessiond.MessageContext
---@field SessionKey? string Names the session; goes before all else.
---@field From? string Sender or group, as `telegram:group:-100` or a number.
---@field ChatType? string `direct`, `group` or `channel`.
---@field Provider? string Channel, where `From` does not begin with one. An empty one is none.
---@field CommandSource? string `native`: a native command of the channel.
---@field CommandTargetSessionKey? string Session of a native command, used instead of `SessionKey`.
---@field BodyForCommands? string Text that is searched for reset triggers; absent: `CommandBody`.
---@field CommandBody? string Used instead of an absent `BodyForCommands`.
---@field RawBody? string Used instead of an absent `CommandBody`; absent: `Body`.
---@field Body? string The message, possibly with history, timestamps and names around it.
---@field To? string Whom it was sent to; replies go there.
---@field OriginatingTo? string Where replies go; before `To`.
---@field OriginatingChannel? string Channel that replies go to.
---@field Surface? string Channel the message was seen on.
---@field AccountId? string The agent's account on the channel.
---@field MessageThreadId? string|number Thread or topic; 0 and the empty string are some.
---@field ThreadLabel? string The thread's name; becomes the session's.
---@field ThreadStarterBody? string The message the thread is about.
---@field ParentSessionKey? string Key of the parent session, whose transcript a new thread copies.
---@field GroupSubject? string The group's title.
---@field GroupChannel? string The channel's name, as `#general`.
---@field GroupSpace? string Server or workspace the channel is in.
---@field SenderName? string Name of the sender.
---@field ConversationLabel? string Display name of the conversation.

--- Messages of the whole file, including other branches and compacted messages.
---@class sessiond.MessageFigures
---@field byRole table<string, integer> Number of message entries by role; the key is empty for messages without a role.

--- The messages to measure: send exactly one of the two members.
---@class sessiond.MessagesParams
---@field session? string Handle of the session: measure the context at its leaf.
---@field messages? sessiond.Message[] Messages in order, each an object with a string `role`. Other members that are missing or have an unexpected type count as 0.

--- Whose the sessions become that lie in `sessions` in the state directory.
---@class sessiond.MigrateParams
---@field agentId? string Whose a key without an agent is; absent: the connection's, else the default agent of the configuration.
---@field storePath? string The store; `{agentId}` in it stands for the agent. Absent: `session.store`, else the agent's own, which takes the profile of a gateway.
---@field config? table<string, any> `session`, `agents`, `channels` and `models` of a CoderClaw configuration; absent: the agent's configuration file.
---@field dryRun? boolean Only report what would be done; the new name of the legacy directory is then an estimate.

--- What was done; nothing if there is no legacy directory.
---@class sessiond.MigrateResult
---@field migrated string[] Keys in the store that hold a legacy session now.
---@field dropped string[] Keys of the legacy store that were not taken over: without a `sessionId`, or the same session as a newer one.
---@field moved string[] New paths of transcripts and other files, beside the agent's own.
---@field kept string[] Paths of what was not moved: no file, or of a name that is taken; what else it may be, `problems` tell.
---@field leftover string|vim.NIL The legacy directory as it is called now; null: it is gone, or where it was.
---@field storePath string Absolute path of the store.
---@field problems? sessiond.StoreProblem[] Absent: there are none.
---@field configProblems? sessiond.ConfigProblem[] Absent: there are none.

--- Another model from here on; written when the user changes it.
---@class sessiond.ModelChangeEntry
---@field id? string Unique in the file; 8 hexadecimal digits from pi.
---@field parentId? string|vim.NIL The entry this one comes after; null: it is a root.
---@field timestamp? string ISO 8601 UTC with milliseconds.
---@field appendMode? string `side`: OpenClaw appended it aside, which does not move the leaf.
---@field type "model_change"
---@field provider? string
---@field modelId? string

--- Messages, tokens and cost of one model.
---@class sessiond.ModelFigures
---@field provider string Empty, like `model`, for usage that names no model.
---@field model string
---@field messages integer Number of its assistant messages.
---@field tokens sessiond.TokenFigures
---@field cost sessiond.CostFigures

--- A model.
---@class sessiond.ModelRef
---@field provider string
---@field modelId string

--- The entry to move to.
---@class sessiond.NavigateParams
---@field session string Handle of the session.
---@field targetId string If it is a user message or custom message, its parent becomes the leaf, and its text is answered for editing. Any other entry becomes the leaf itself. If it is the leaf already, nothing happens.
---@field label? string Label for the target. It is stored in an entry under the new leaf, and that entry becomes the leaf. Absent, null or empty: no label.
---@field newEntryId? string Id of the label's entry, for safe retries.

--- The new position of the handle.
---@class sessiond.NavigateResult
---@field leafId string|vim.NIL null: before the first entry.
---@field editorText? string Text of the user or custom message, for the user to edit.

--- A new session for an existing handle; the working directory stays the same.
---@class sessiond.NewSessionParams
---@field session string Handle of the session.
---@field id? string Id of the new session, as in `session/create`.
---@field parentSession? string Path of the parent session; stored in the header.

--- A node of the tree, by `detail`.
---@alias sessiond.Node sessiond.TreeNode|sessiond.OutlineNode

--- A session file to open. If it is missing or empty, a new session is created there.
---@class sessiond.OpenParams
---@field path string The session file.
---@field sessionDir? string Directory for sessions branched off this one; absent: the directory of the file.
---@field cwd? string Working directory to use instead of the one in the header.
---@field readOnly? boolean Refuse writes; a file of an older version is migrated in memory only.
---@field follow? boolean Move the handle's leaf whenever the leaf of the file moves.
---@field mustExist? boolean Refuse a missing file (`SessionNotFound`).

--- An entry in the tree, without its content.
---@class sessiond.OutlineNode
---@field id string
---@field parentId string|vim.NIL As in the entry.
---@field children string[] Ids of the children, by time.
---@field type string
---@field timestamp string
---@field preview string The beginning of its text, at most 120 characters.
---@field role? string Role of a message entry.
---@field label? string Absent: none.

--- The parts of `agent:<agentId>:<rest>`, in the case they were given in.
---@class sessiond.ParsedKey
---@field agentId string
---@field rest string

--- The sorted list of the sessions read so far.
---@class sessiond.PartialSessions
---@field sessions sessiond.SessionInfo[]

--- The entry to continue from, and limits for the summary.
---@class sessiond.PrepareBranchSummaryParams
---@field session string Handle of the session; the branch of its leaf is the one that is left.
---@field targetId string The entry to continue from.
---@field tokenBudget? integer Maximum number of tokens of messages; the newest are kept. Absent or 0: no limit. pi uses the context window (128,000 if unknown) minus 16,384.
---@field includePrompts? boolean Add the complete prompts for the model.
---@field customInstructions? string Instructions for the summary, added to the prompt.
---@field replaceInstructions? boolean Use `customInstructions` instead of the standard instructions.

--- The part of the branch that is left.
---@class sessiond.PrepareBranchSummaryResult
---@field commonAncestorId string|vim.NIL Deepest entry that is on both branches; null: there is none.
---@field entries sessiond.Entry[] The entries after the common ancestor up to the leaf; may be empty.
---@field messages sessiond.Message[] Messages of the entries within the budget, after context edits, without tool results.
---@field fileOps sessiond.FileOperations
---@field totalTokens integer Estimated tokens of `messages`.
---@field prompts? sessiond.BranchPrompts Only with `includePrompts`.

--- Settings of the plan.
---@class sessiond.PrepareCompactionParams
---@field session string Handle of the session.
---@field settings? sessiond.CompactionSettings
---@field includePrompts? boolean Add the complete prompts for the model.
---@field customInstructions? string Instructions for the summaries, added to the prompts.

--- A plan, or the reason why there is none.
---@class sessiond.PrepareCompactionResult
---@field preparation sessiond.CompactionPreparation|vim.NIL null: there is nothing to compact.
---@field reason? "Already compacted"|"Nothing to compact (session too small)"|string Why there is nothing to compact, in pi's words.

--- One message.
---@class sessiond.PreviewItem
---@field role "assistant"|"other"|"system"|"tool"|"user" `tool`: it calls tools. `other`: also what tools answered.
---@field text string Its text; else `call a, b +2` with the tools it calls; else `[type]` of its first block.

--- Progress of the request that carried the token.
---@class sessiond.ProgressParams
---@field token integer|string The token from the request.
---@field value sessiond.ProgressValue `WorkDoneProgress` or `PartialSessions`, depending on the token.

--- What `$/progress` tells, by its token.
---@alias sessiond.ProgressValue sessiond.WorkDoneProgress|sessiond.PartialSessions

--- An entry and the messages that it contributes to the context.
---@class sessiond.ProjectedEntry
---@field sourceEntry sessiond.Entry
---@field messages sessiond.Message[] Messages after context edits; empty: the entry contributes none.

--- A compaction that took place. A run counts as one at most.
---@class sessiond.RecordCompactionParams
---@field sessionKey string Key of the session, in any spelling that a gateway accepts.
---@field agentId? string Whose a key without an agent is; absent: the connection's, else the default agent of the configuration.
---@field storePath? string The store; `{agentId}` in it stands for the agent. Absent: `session.store`, else the agent's own, which takes the profile of a gateway.
---@field config? table<string, any> `session`, `agents`, `channels` and `models` of a CoderClaw configuration; absent: the agent's configuration file.
---@field tokensAfter? number Tokens the context has now, where an estimate is known that is not above what it had; `inputTokens` and `outputTokens` go then. Absent or 0: unknown.

--- The entry after the change.
---@class sessiond.RecordCompactionResult
---@field entry table<string, any>|vim.NIL null: there is none, or what is there is no entry; nothing was written.
---@field count number|vim.NIL Its compactions, this one included; null as `entry`.
---@field problems? sessiond.StoreProblem[] Absent: there are none.
---@field configProblems? sessiond.ConfigProblem[] Absent: there are none.

--- A turn that saved memories has succeeded.
---@class sessiond.RecordMemoryFlushParams
---@field sessionKey string Key of the session, in any spelling that a gateway accepts.
---@field agentId? string Whose a key without an agent is; absent: the connection's, else the default agent of the configuration.
---@field storePath? string The store; `{agentId}` in it stands for the agent. Absent: `session.store`, else the agent's own, which takes the profile of a gateway.
---@field config? table<string, any> `session`, `agents`, `channels` and `models` of a CoderClaw configuration; absent: the agent's configuration file.
---@field compactions? integer How many compactions ended during the turn; more than one count as one. The next flush is due only after a further one.

--- The entry after the change.
---@class sessiond.RecordResult
---@field entry table<string, any>|vim.NIL null: there is none, or what is there is no entry; nothing was written.
---@field problems? sessiond.StoreProblem[] Absent: there are none.
---@field configProblems? sessiond.ConfigProblem[] Absent: there are none.

--- Where replies of a session go, and where a message to it came from.
---
--- What is not said stays as it was, but a new `channel` or `to` without a thread takes the thread
--- away; a save brings back the one that `origin` names. None of this is activity: `updatedAt`
--- stays, so that it does not keep a session from expiring.
---@class sessiond.RecordRouteParams
---@field sessionKey string Key of the session, in any spelling that a gateway accepts.
---@field agentId? string Whose a key without an agent is; absent: the connection's, else the default agent of the configuration.
---@field storePath? string The store; `{agentId}` in it stands for the agent. Absent: `session.store`, else the agent's own, which takes the profile of a gateway.
---@field config? table<string, any> `session`, `agents`, `channels` and `models` of a CoderClaw configuration; absent: the agent's configuration file.
---@field channel? string As in `deliveryContext`, which goes before it.
---@field to? string Likewise.
---@field accountId? string Likewise.
---@field threadId? string|number Likewise; an empty one is not said.
---@field deliveryContext? sessiond.Route
---@field context? sessiond.MessageContext A message, for `origin` and the members that tell of a group.

--- What a run used.
---
--- If `usage` says that anything was, `inputTokens` and `outputTokens` become those of the run, and
--- `totalTokens` the size of the last prompt: `promptTokens`, else input and cache of
--- `lastCallUsage`, else its sum, else its input. If none of these is known `totalTokens` goes, and
--- `totalTokensFresh` is false.
---@class sessiond.RecordUsageParams
---@field sessionKey string Key of the session, in any spelling that a gateway accepts.
---@field agentId? string Whose a key without an agent is; absent: the connection's, else the default agent of the configuration.
---@field storePath? string The store; `{agentId}` in it stands for the agent. Absent: `session.store`, else the agent's own, which takes the profile of a gateway.
---@field config? table<string, any> `session`, `agents`, `channels` and `models` of a CoderClaw configuration; absent: the agent's configuration file.
---@field usage? table<string, any> Added up over all calls of the run.
---@field lastCallUsage? table<string, any> Of its last call alone.
---@field promptTokens? number Size of the last prompt, where it is known better; 0: it is not.
---@field modelUsed? string The model that answered; absent: as before.
---@field providerUsed? string Whose model that is; absent: as before.
---@field contextTokensUsed? number The model's context window. Absent or 0: `agents.defaults.contextTokens`, else as before, else 200,000.
---@field systemPromptReport? table<string, any> What the system prompt was made of; absent: as before.

--- A new name for a session, which need not be open.
---@class sessiond.RenameParams
---@field path string The session file, which must exist.
---@field name string Line breaks become a space and white space at the ends is removed; an empty name clears it.

--- The entry that stores the name.
---
--- It is appended under the last entry of the file, so that no part of the transcript leaves the
--- active branch.
---@class sessiond.RenameResult
---@field id string Id of the `session_info` entry.

--- One action of a repair, done or planned.
---@class sessiond.RepairAction
---@field kind string Kind of the problem that it solves, or `oldVersion`: a damaged file of version 1 or 2 is migrated as well.
---@field message string Text for people.
---@field line? integer Number of the line in the file before the repair; absent: the whole file.

--- A file to repair.
---@class sessiond.RepairParams
---@field path string The session file.
---@field dryRun? boolean Only report what would be done. Send false to repair the file.

--- The problems and the actions.
---
--- Problems without an action stay in the file; readers skip them.
---@class sessiond.RepairResult
---@field problems sessiond.Diagnostic[] As found, in order of lines.
---@field actions sessiond.RepairAction[] In order of lines; empty: nothing needs to be done.
---@field backup? string Copy of the file before the repair, `<file>.bak-<time>` in the same directory; absent: nothing was written.

--- What stands in the context in place of an entry's content.
---@class sessiond.Replacement
---@field content sessiond.Content

--- The context begins after it; written by OpenClaw when a conversation starts over.
---@class sessiond.ResetEntry
---@field id? string Unique in the file; 8 hexadecimal digits from pi.
---@field parentId? string|vim.NIL The entry this one comes after; null: it is a root.
---@field timestamp? string ISO 8601 UTC with milliseconds.
---@field appendMode? string `side`: OpenClaw appended it aside, which does not move the leaf.
---@field type "reset"
---@field reason? string Such as `new` or `reset`.
---@field firstKeptEntryId? string|vim.NIL First entry before it that stays in the context; absent: none does.

--- When a session is reset.
---
--- In mode `daily` the hour and the idle minutes both apply; the first to expire counts.
---@class sessiond.ResetPolicy
---@field mode "daily"|"idle"
---@field atHour integer Hour of the daily reset, in local time.
---@field idleMinutes? integer Minutes without use after which the session expires; absent: it does not expire by idleness.

--- Exactly one of `context` and `key`.
---@class sessiond.ResolveKeyParams
---@field context? sessiond.InboundContext The message whose session is meant.
---@field key? string A key as people and old stores write it.
---@field config? table<string, any> `session`, `agents`, `channels` and `models` of a CoderClaw configuration.
---@field agentId? string Whose a `key` without an agent is; absent: the default agent's.

--- The canonical key of a session, and facts that follow from it.
---@class sessiond.ResolveKeyResult
---@field sessionKey string Empty for a blank key.
---@field kind "direct"|"global"|"group"|"unknown"
---@field agentId string Agent whose store has the session.
---@field parsed sessiond.ParsedKey|vim.NIL `key` as it was sent (with `context`: `sessionKey`) taken apart; null: it does not name an agent.
---@field shape "agent"|"legacy_or_alias"|"malformed_agent"|"missing" Of the same key.
---@field aliases string[] Other keys an old store may have the session under, to be looked for, as `sessionKey` itself, in any case.
---@field configProblems? sessiond.ConfigProblem[] Absent: there are none.

--- A model; members are null if neither the entry nor the configuration has them.
---@class sessiond.ResolvedModel
---@field modelProvider string|vim.NIL
---@field model string|vim.NIL

--- A session to restore from the trash.
---@class sessiond.RestoreParams
---@field path string Path of the file before it was deleted. If several files with this path were deleted, the latest is restored. An existing file is never replaced.

--- The destination of replies. Absent and blank members are ignored.
---@class sessiond.Route
---@field channel? string Channel, in any spelling a gateway understands.
---@field to? string Whom they are sent to.
---@field accountId? string The agent's account on the channel.
---@field threadId? string|number Thread or topic; a number is cut down. A blank one keeps the thread that is stored, even in a new place.

--- A session that was found.
---@class sessiond.SearchHit
---@field info sessiond.SessionInfo
---@field score number Lower is better: the sum over words and phrases of pi 1.5.2's scores. Below 1,000,000 for a match in the name, 1,000,000 in the id, a message or the working directory, about 2,000,000 for scattered characters.
---@field snippets sessiond.SearchSnippet[] Up to three messages that match the most words and phrases, in file order.

--- A part of a user or assistant message, on one line.
---@class sessiond.SearchSnippet
---@field entryId string Id of the message's entry; empty if the entry has none.
---@field role "assistant"|"user"
---@field text string At most 240 characters; control characters are replaced by spaces.
---@field ranges [integer, integer][] Start and end (exclusive) of each match in `text`, in units of the connection's `positionEncoding`. Empty if a match extends over several messages.

--- A session with replies to send.
---@class sessiond.SendPolicyParams
---@field sessionKey string Key of the session.
---@field config table<string, any> `session.sendPolicy` of a CoderClaw configuration.
---@field entry? table<string, any> Its entry: `sendPolicy` goes before the rules; `channel`, `lastChannel` and `chatType` stand in for what is not given.
---@field channel? string Absent: as the entry or the key says.
---@field chatType? string Absent: as the entry or the key says.

--- Whether to send.
---@class sessiond.SendPolicyResult
---@field policy "allow"|"deny"
---@field configProblems? sessiond.ConfigProblem[] Absent: there are none.

--- A conversation as one text.
---@class sessiond.SerializeResult
---@field text string The text has no thinking. Tool results are cut after 2,000 UTF-16 code units, never inside a character.

--- Capabilities of the daemon.
---@class sessiond.ServerCapabilities
---@field framing "header"|"line" Framing of this connection, in both directions.
---@field methods string[] Names of all methods and notifications that the daemon accepts.
---@field notifications string[] Names of all notifications that the daemon may send.

--- The daemon's name and version.
---@class sessiond.ServerInfo
---@field version string
---@field name "sessiond"

--- The context for a model, before its messages are converted to the roles of a provider.
---@class sessiond.SessionContextResult
---@field messages sessiond.Message[]
---@field thinkingLevel string `off` unless the branch sets another level.
---@field model sessiond.ModelRef|vim.NIL null: the branch sets no model.

--- A change of a session's file that was not made through this handle.
---@class sessiond.SessionDidChangeParams
---@field session string Handle of the session.
---@field sequence integer Number of this notification: one more than that of the notification before it for the handle, so that a lost one is noticed.
---@field path string Absolute path of the file.
---@field generation integer Number of times the file was loaded again because another program had rewritten it.
---@field kind "appended"|"deleted"|"invalid"|"restored"|"rewritten" After `deleted` or `invalid`, reads answer the last valid state until `restored` or `rewritten`.
---@field leafId string|vim.NIL The handle's present leaf; null: before the first entry.
---@field tipId string|vim.NIL Last entry of the file at present; null: there is none.
---@field entryCount integer Present number of entries.
---@field entries? sessiond.EntryFacts[] The appended entries, in file order.
---@field name? string Present name; absent: none.

--- The directory for sessions branched off this one.
---@class sessiond.SessionDirResult
---@field sessionDir string

--- Path of the session's file.
---@class sessiond.SessionFileResult
---@field sessionFile string|vim.NIL Absolute path, also before the file is written; null for a session in memory.

--- The first line of a session file; not part of the tree.
---@class sessiond.SessionHeader
---@field type "session"
---@field version? integer Version of the file format; absent: 1. OpenClaw may write 4.
---@field id? string Id of the session.
---@field timestamp? string When the session began; ISO 8601 UTC.
---@field cwd? string Working directory.
---@field parentSession? string Path of the session this one was forked from.
---@field branchedFrom? string The same, as version 1 wrote it.
---@field provider? string Initial provider; only version 1 wrote it.
---@field modelId? string Initial model; only version 1 wrote it.
---@field thinkingLevel? string Initial thinking level; only version 1 wrote it.

--- The id in the session's header.
---@class sessiond.SessionIdResult
---@field sessionId string

--- A session as lists show it. All times are ISO 8601 UTC with milliseconds.
---@class sessiond.SessionInfo
---@field path string Absolute path of the file.
---@field id string Id in the session's header.
---@field cwd string Working directory; empty: the header has none.
---@field created string Time from the header.
---@field modified string Time of the latest user or assistant message; without one, that of the header or of the file.
---@field messageCount integer Number of message entries of any role.
---@field firstMessage string Text of the first user message, or `(no messages)`.
---@field sizeBytes integer
---@field name? string Name given by a user; absent: none.
---@field parentSessionPath? string Path of the session it was forked from, from the header.
---@field inUse? sessiond.InUse Present if other processes have the session open.
---@field allMessagesText? string Text of all user and assistant messages; only with `includeText`.

--- A person's name for the session. The last one in the file counts.
---@class sessiond.SessionInfoEntry
---@field id? string Unique in the file; 8 hexadecimal digits from pi.
---@field parentId? string|vim.NIL The entry this one comes after; null: it is a root.
---@field timestamp? string ISO 8601 UTC with milliseconds.
---@field appendMode? string `side`: OpenClaw appended it aside, which does not move the leaf.
---@field type "session_info"
---@field name? string|vim.NIL Trimmed when read; empty: no name.

--- A message of the conversation.
---@class sessiond.SessionMessageEntry
---@field id? string Unique in the file; 8 hexadecimal digits from pi.
---@field parentId? string|vim.NIL The entry this one comes after; null: it is a root.
---@field timestamp? string ISO 8601 UTC with milliseconds.
---@field appendMode? string `side`: OpenClaw appended it aside, which does not move the leaf.
---@field type "message"
---@field message? sessiond.Message

--- The session's name.
---@class sessiond.SessionNameResult
---@field name string|vim.NIL null: none.

--- Params of methods that take only a session.
---@class sessiond.SessionParams
---@field session string Handle of the session.

--- The end of one session's transcript, whatever branch it is on.
---@class sessiond.SessionPreview
---@field key string As it was sent, without white space around it.
---@field status "empty"|"error"|"missing"|"ok" `missing`: there is no such session. `empty`: nothing to show, or no transcript. `error`: the transcript or the store could not be read.
---@field items sessiond.PreviewItem[]

--- The context together with the entries that contribute to it.
---@class sessiond.SessionProjectionResult
---@field entries sessiond.ProjectedEntry[]
---@field thinkingLevel string `off` unless the branch sets another level.
---@field model sessiond.ModelRef|vim.NIL null: the branch sets no model.

--- A session. A member its entry does not have, or not with such a value, is left out.
---@class sessiond.SessionRow
---@field key string In the case of stored keys, with its agent.
---@field kind "direct"|"global"|"group"|"unknown"
---@field updatedAt number|vim.NIL Milliseconds since the epoch; null: unknown.
---@field totalTokensFresh boolean Whether `totalTokens` is known to hold.
---@field label? string
---@field displayName? string Its name, else the group's, else the label, else its origin's.
---@field derivedTitle? string Name, else subject, else the beginning of the first user message, else of the session id with the day.
---@field lastMessagePreview? string Text of the last user or assistant message.
---@field channel? string
---@field subject? string
---@field groupChannel? string
---@field space? string
---@field chatType? string
---@field origin? table<string, any>
---@field sessionId? string
---@field systemSent? boolean
---@field abortedLastRun? boolean
---@field thinkingLevel? string
---@field verboseLevel? string
---@field reasoningLevel? string
---@field elevatedLevel? string
---@field sendPolicy? string
---@field inputTokens? number
---@field outputTokens? number
---@field totalTokens? number Absent unless it is known to hold.
---@field responseUsage? string
---@field modelProvider? string That of the last run, else the chosen one, else the default.
---@field model? string That of the last run, else the chosen one, else the default.
---@field contextTokens? number
---@field deliveryContext? table<string, any>
---@field lastChannel? string
---@field lastTo? string
---@field lastAccountId? string

--- An open session as its handle sees it.
---@class sessiond.SessionState
---@field session string The handle: an opaque string, valid on this connection only.
---@field sessionId string Id in the session's header.
---@field sessionFile string|vim.NIL Absolute path of the file, also before it is written; null for a session in memory.
---@field sessionDir string Directory for sessions branched off this one; empty for a session in memory.
---@field cwd string Working directory of the session.
---@field persisted boolean Whether the session belongs to a file.
---@field readOnly boolean
---@field leafId string|vim.NIL Entry under which the next one is appended; null: before the first entry. In a file just opened it is the last entry, unless a `leaf` line or entries with `appendMode: side` of OpenClaw say otherwise.
---@field tipId string|vim.NIL Last entry of the file, including `leaf` lines and entries appended with `appendMode: side`; null: there is none.
---@field entryCount integer Number of entries, without the header.
---@field version integer Version of the file format, after migration.
---@field generation integer Number of times the file was loaded again because another program had rewritten it.
---@field header sessiond.Header
---@field diagnostics sessiond.Diagnostic[]
---@field name? string Name given by a user; absent: none.
---@field inUse? sessiond.InUse Present if other processes have the session open.

--- One session of a store.
---@class sessiond.SessionUsage
---@field key string The key as it is spelled in the store.
---@field agentId string Whose store has it.
---@field sessionId string|vim.NIL
---@field updatedAt number|vim.NIL Milliseconds since the epoch, as the entry says.
---@field usage sessiond.UsageFigures|vim.NIL null: it has no transcript that can be read.
---@field label? string
---@field displayName? string
---@field channel? string
---@field contextWeight? table<string, any> `systemPromptReport` of the entry, if it has one; only if asked for.

--- Another file for an existing handle.
---
--- A handle in memory loads the file and never writes it.
---@class sessiond.SetSessionFileParams
---@field session string Handle of the session.
---@field path string The session file.

--- The context window that the context must fit into.
---@class sessiond.ShouldCompactParams
---@field session string Handle of the session.
---@field contextWindow integer Size of the model's context window, in tokens.
---@field settings? sessiond.CompactionSettings

--- Whether to compact: compaction is enabled and `contextTokens` exceed `threshold`.
---@class sessiond.ShouldCompactResult
---@field compact boolean
---@field contextTokens integer `tokens` of `context/estimateTokens`.
---@field threshold integer The context window minus the reserve; negative if the reserve is larger.

--- The session to count: send exactly one of the two members.
---@class sessiond.StatsParams
---@field path? string A session file; it is not changed.
---@field session? string Handle of an open session, also before its file is written.

--- Statistics over all entries of the file, on all branches.
---
--- Usage is counted from assistant messages, tool results, `usage` entries, and the summaries of
--- compactions and branches (as in pi 1.5.2).
---@class sessiond.StatsResult
---@field messages sessiond.MessageFigures
---@field toolCalls integer Tool calls in assistant messages.
---@field toolResults integer Messages of role `toolResult`.
---@field branches integer Number of entries without children: 1 for a session without forks.
---@field compactions integer
---@field tokens sessiond.TokenFigures
---@field cost sessiond.CostFigures
---@field byModel sessiond.ModelFigures[] In order of first use; the sums equal the totals.
---@field byDay sessiond.DayFigures[] In order of days. An entry counts for the day of its message's timestamp, else of its own timestamp; without a date it counts for no day.
---@field sizeBytes integer Size of the file; 0 before it is written.
---@field firstActivity? string Time of the earliest user or assistant message, ISO 8601 UTC with milliseconds; absent: there is none.
---@field lastActivity? string Time of the latest user or assistant message, as `modified` in lists.

--- Counters of the daemon, for people and for monitoring.
---@class sessiond.StatusResult
---@field version string
---@field pid integer
---@field uptimeMs integer Milliseconds since the start.
---@field requests integer Number of requests received so far.
---@field openSessions integer Number of open session handles.
---@field cache sessiond.CacheStatus
---@field watch sessiond.WatchStatus
---@field memoryBytes integer Resident memory of the process.

--- A change of one key.
---@class sessiond.StoreChange
---@field kind "added"|"changed"|"removed"
---@field sessionKey string As it stands in the store.
---@field entry? table<string, any> An entry of a store, with every member it has there.

--- A session by its key. No model is asked: the beginning of its transcript goes.
---@class sessiond.StoreCompactParams
---@field key string Key of the session, in any spelling that a gateway accepts.
---@field agentId? string Whose a key without an agent is; absent: the connection's, else the default agent of the configuration.
---@field storePath? string The store; `{agentId}` in it stands for the agent. Absent: `session.store`, else the agent's own, which takes the profile of a gateway.
---@field config? table<string, any> `session`, `agents`, `channels` and `models` of a CoderClaw configuration; absent: the agent's configuration file.
---@field maxLines? integer Lines that stay beside the header: the last ones, blank ones not counted, damaged ones as they are.

--- What stays is a session again.
---
--- An entry whose parent went goes under the nearest entry above it that stays, else becomes a
--- root; a compaction whose first kept entry went keeps from the first there is. A result whose
--- call went has no place in a context: what followed it goes on without it. Labels of entries that
--- went stay, and mean nothing.
---@class sessiond.StoreCompactResult
---@field ok boolean
---@field key string The key as it is spelled in the store.
---@field compacted boolean Whether anything went.
---@field reason? "no sessionId"|"no transcript" Why there was nothing to do, unless there were so few lines.
---@field kept? integer `maxLines`; all lines the transcript has, where nothing went.
---@field archived? string Absolute path of the transcript as it was.
---@field problems? sessiond.StoreProblem[] Absent: there are none.
---@field configProblems? sessiond.ConfigProblem[] Absent: there are none.

--- The session to remove; the main session of the default agent cannot be removed.
---@class sessiond.StoreDeleteParams
---@field key string Key of the session, in any spelling that a gateway accepts.
---@field agentId? string Whose a key without an agent is; absent: the connection's, else the default agent of the configuration.
---@field storePath? string The store; `{agentId}` in it stands for the agent. Absent: `session.store`, else the agent's own, which takes the profile of a gateway.
---@field config? table<string, any> `session`, `agents`, `channels` and `models` of a CoderClaw configuration; absent: the agent's configuration file.
---@field deleteTranscript? boolean Rename the session's transcript; otherwise it is not changed.
---@field force? boolean Do it even if the transcript is open for writing, here or in another process, or a gateway runs a turn on it. Without it, that is refused with `InUse`. A handle that is still open creates the file again with its next append.

--- What was done.
---@class sessiond.StoreDeleteResult
---@field ok boolean Always true.
---@field key string The key as it is spelled in the store.
---@field deleted boolean Whether the store had it.
---@field archived string[] Its transcripts as they are called now: `<path>.deleted.<time>`.
---@field problems? sessiond.StoreProblem[] Absent: there are none.
---@field configProblems? sessiond.ConfigProblem[] Absent: there are none.

--- A session by its key.
---@class sessiond.StoreGetParams
---@field sessionKey string Key of the session, in any spelling that a gateway accepts.
---@field agentId? string Whose a key without an agent is; absent: the connection's, else the default agent of the configuration.
---@field storePath? string The store; `{agentId}` in it stands for the agent. Absent: `session.store`, else the agent's own, which takes the profile of a gateway.
---@field config? table<string, any> `session`, `agents`, `channels` and `models` of a CoderClaw configuration; absent: the agent's configuration file.

--- The entry of a session.
---@class sessiond.StoreGetResult
---@field sessionKey string The key as it is spelled in the store.
---@field entry table<string, any>|vim.NIL null: there is none.
---@field storePath string Absolute path of the store.
---@field problems? sessiond.StoreProblem[] Absent: there are none.
---@field configProblems? sessiond.ConfigProblem[] Absent: there are none.

--- Which sessions are wanted; everything that is given must fit.
---
--- Without a single store for all, the stores of all agents count: of those in `agents.list`, else
--- of those with a directory.
---@class sessiond.StoreListParams
---@field storePath? string The store; `{agentId}` in it stands for the agent. Absent: `session.store`, else the agent's own, which takes the profile of a gateway.
---@field config? table<string, any> `session`, `agents`, `channels` and `models` of a CoderClaw configuration; absent: the agent's configuration file.
---@field agentId? string Only sessions of this agent.
---@field limit? integer Maximum number of sessions; the latest are listed.
---@field activeMinutes? integer Only sessions used within this number of minutes.
---@field includeGlobal? boolean Include the session `global`.
---@field includeUnknown? boolean Include the session `unknown`.
---@field includeDerivedTitles? boolean Add `derivedTitle`, for which transcripts are read.
---@field includeLastMessage? boolean Add `lastMessagePreview`, for which transcripts are read.
---@field label? string The whole label.
---@field spawnedBy? string Key of the session that spawned it.
---@field search? string Text that occurs in name, label, subject, session id or key; not case-sensitive.

--- Sessions, the latest first. It contains cron jobs, but not their runs.
---@class sessiond.StoreListResult
---@field ts integer Time of the answer, milliseconds since the epoch.
---@field path string The store; the path with `{agentId}` as it was given; `(multiple)`: each agent's own.
---@field count integer Number of sessions in `sessions`.
---@field defaults sessiond.ListDefaults
---@field sessions sessiond.SessionRow[]
---@field problems? sessiond.StoreProblem[] Absent: there are none.
---@field configProblems? sessiond.ConfigProblem[] Absent: there are none.

--- The settings to change; null removes one. Case and surrounding white space are ignored.
---@class sessiond.StorePatchParams
---@field key string Key of the session, in any spelling that a gateway accepts.
---@field agentId? string Whose a key without an agent is; absent: the connection's, else the default agent of the configuration.
---@field storePath? string The store; `{agentId}` in it stands for the agent. Absent: `session.store`, else the agent's own, which takes the profile of a gateway.
---@field config? table<string, any> `session`, `agents`, `channels` and `models` of a CoderClaw configuration; absent: the agent's configuration file.
---@field spawnedBy? string|vim.NIL Key of the session that spawned it. Subagents only, and only once.
---@field spawnDepth? number|vim.NIL A whole number from 0 on. Subagents only, and only once.
---@field label? string|vim.NIL Up to 64 characters (UTF-16 units), unlike all others in the store.
---@field thinkingLevel? string|vim.NIL `off`, `minimal`, `low`, `medium`, `high` or `xhigh`, or one of their other names: `on`, `min`, `med`, `max`, `ultrathink`, `extra high` and the like.
---@field verboseLevel? string|vim.NIL `off`, `on` or `full`.
---@field reasoningLevel? string|vim.NIL `on` or `stream`; `off` is the same as null.
---@field responseUsage? string|vim.NIL `tokens` (also `on`) or `full`; `off` is the same as null.
---@field elevatedLevel? string|vim.NIL `off`, `on`, `ask` or `full`; `off` is kept.
---@field execHost? string|vim.NIL `sandbox`, `gateway` or `node`.
---@field execSecurity? string|vim.NIL `deny`, `allowlist` or `full`.
---@field execAsk? string|vim.NIL `off`, `on-miss` or `always`.
---@field execNode? string|vim.NIL A node; not blank.
---@field model? string|vim.NIL `provider/model`, a model of the default's provider, or an alias of `agents.defaults.models`; believed as it is, since no catalogue of models is known here. null, or the default model: no override. What was recorded of the last run's model and account is taken away in any case.
---@field sendPolicy? string|vim.NIL `allow` or `deny`.
---@field groupActivation? string|vim.NIL `mention` or `always`.
---@field xhighSupported? boolean Not stored: whether the model that then holds has the level `xhigh`. If not, it is refused, or becomes `high` where it was set before. Absent: it is believed.

--- The entry after the change; it is created if there was none.
---@class sessiond.StorePatchResult
---@field ok boolean Always true.
---@field path string Absolute path of the store.
---@field key string The key as it is spelled in the store.
---@field entry table<string, any> An entry of a store, with every member it has there.
---@field resolved sessiond.ResolvedModel Of the last run, else the override, else the configured default.
---@field problems? sessiond.StoreProblem[] Absent: there are none.
---@field configProblems? sessiond.ConfigProblem[] Absent: there are none.

--- Sessions by their keys.
---@class sessiond.StorePreviewParams
---@field keys string[] Of these the first 64 that are not blank count.
---@field agentId? string Whose a key without an agent is; absent: the connection's, else the default agent of the configuration.
---@field storePath? string The store; `{agentId}` in it stands for the agent. Absent: `session.store`, else the agent's own, which takes the profile of a gateway.
---@field config? table<string, any> `session`, `agents`, `channels` and `models` of a CoderClaw configuration; absent: the agent's configuration file.
---@field limit? integer Maximum number of messages to read, at most 50; some may have nothing to show.
---@field maxChars? integer Length of a text in UTF-16 code units, at most 2000; `...` included.

--- One for each key that counts, in their order.
---@class sessiond.StorePreviewResult
---@field ts integer When this was looked at; milliseconds since the epoch.
---@field previews sessiond.SessionPreview[]
---@field problems? sessiond.StoreProblem[] Absent: there are none.
---@field configProblems? sessiond.ConfigProblem[] Absent: there are none.

--- A problem in a store. The value that caused it was skipped and is still stored.
---@class sessiond.StoreProblem
---@field kind "corruptStore"|"unreadableStore"|"unreadableEntry"|"notAnEntry"|"invalidSessionId"|"invalidSessionFile"|"maintenance"|"archiveFailed"|"moveFailed"|"replacedStore"|string `corruptStore`: cannot be understood, and is copied aside before it is written over. `unreadableStore`: cannot be read; what is said of others holds. `unreadableEntry`: an entry, or its transcript, that cannot be read, likewise. `notAnEntry`: a value that is no entry. `invalidSessionId`, `invalidSessionFile`: an entry whose session cannot go on. `maintenance`: a session that maintenance would take out if it were enforced. `archiveFailed`: a transcript of an old session that is still where it was. `moveFailed`: a file or a session of a legacy directory that is still there. `replacedStore`: OpenClaw keeps these sessions in the database at `path`; what the store says is out of date, and it cannot be written.
---@field message string Text for people.
---@field sessionKey? string Key of the value in the store.
---@field path? string The file; a copy, if one was made.

--- The session to reset.
---@class sessiond.StoreResetParams
---@field key string Key of the session, in any spelling that a gateway accepts.
---@field agentId? string Whose a key without an agent is; absent: the connection's, else the default agent of the configuration.
---@field storePath? string The store; `{agentId}` in it stands for the agent. Absent: `session.store`, else the agent's own, which takes the profile of a gateway.
---@field config? table<string, any> `session`, `agents`, `channels` and `models` of a CoderClaw configuration; absent: the agent's configuration file.
---@field reason? "new"|"reset" Reason, for people; it has no effect.
---@field force? boolean Do it even if the transcript is open for writing, here or in another process, or a gateway runs a turn on it. Without it, that is refused with `InUse`. A handle that is still open creates the file again with its next append.

--- The new session, which has no transcript yet.
---
--- The old transcript is renamed to `….reset.<time>`.
---@class sessiond.StoreResetResult
---@field ok boolean Always true.
---@field key string The key as it is spelled in the store.
---@field entry table<string, any> With a new `sessionId` and counters of 0. Levels for thinking, verbosity and reasoning, usage footer, `model`, `contextTokens`, `sendPolicy`, `label`, `origin`, the last route and `skillsSnapshot` go on, as do members that nobody knows.
---@field problems? sessiond.StoreProblem[] Absent: there are none.
---@field configProblems? sessiond.ConfigProblem[] Absent: there are none.

--- Exactly one of `key`, `sessionId` and `label`; a blank one counts as absent.
---@class sessiond.StoreResolveParams
---@field storePath? string The store; `{agentId}` in it stands for the agent. Absent: `session.store`, else the agent's own, which takes the profile of a gateway.
---@field config? table<string, any> `session`, `agents`, `channels` and `models` of a CoderClaw configuration; absent: the agent's configuration file.
---@field agentId? string With `key`: whose it is, if it names no agent. Otherwise: only sessions of this agent count.
---@field key? string Key of the session, in any spelling that a gateway accepts.
---@field sessionId? string Id of the current session, or a key as it is.
---@field label? string The whole label.
---@field spawnedBy? string Not with `key`: only sessions that this one (a key) spawned count.
---@field includeGlobal? boolean Not with `key`: `global` counts, too.
---@field includeUnknown? boolean Not with `key`: `unknown` counts, too.

--- The one session that is meant. It has its entry under this key from now on.
---@class sessiond.StoreResolveResult
---@field ok boolean Always true.
---@field key string The key as it is spelled in the store.
---@field problems? sessiond.StoreProblem[] Absent: there are none.
---@field configProblems? sessiond.ConfigProblem[] Absent: there are none.

--- Which sessions to count. Without `key` and `agentId` those of all agents.
---@class sessiond.StoreUsageParams
---@field agentId? string Whose a key without an agent is; absent: the connection's, else the default agent of the configuration.
---@field storePath? string The store; `{agentId}` in it stands for the agent. Absent: `session.store`, else the agent's own, which takes the profile of a gateway.
---@field config? table<string, any> `session`, `agents`, `channels` and `models` of a CoderClaw configuration; absent: the agent's configuration file.
---@field key? string Only this session; absent: all there are.
---@field startDate? string First day that counts; absent: the first.
---@field endDate? string Last day that counts; absent: the last.
---@field limit? integer Sessions in the answer; `totals` are those of all.
---@field includeContextWeight? boolean Tell what system prompts were made of.

--- Every transcript is counted once. Archived ones do not count.
---@class sessiond.StoreUsageResult
---@field count integer Number of sessions there are.
---@field sessions sessiond.SessionUsage[] The latest first.
---@field totals sessiond.UsageFigures Of all of them.
---@field problems? sessiond.StoreProblem[] Absent: there are none.
---@field configProblems? sessiond.ConfigProblem[] Absent: there are none.

--- A session in a store.
---@class sessiond.StoredSession
---@field agentId string Whose store it is in. Of one that agents share: the one asked for, else the default agent; whose the session is says its key.
---@field storePath string Absolute path of the store.
---@field sessionKey string As it stands in the store.
---@field entry table<string, any> An entry of a store, with every member it has there.

--- A part of the system prompt; all parts, applied in order, give the present prompt.
---@class sessiond.SystemMessage
---@field role "system"
---@field content? sessiond.Content|vim.NIL Text to append to the prompt.
---@field sections? table<string, string|vim.NIL> Named sections and their new text; null removes a section.
---@field toolsAdded? any[] Tool declarations to add or replace, by their `name`.
---@field toolsRemoved? any[] `{name}` of the tools to remove, before others are added.
---@field timestamp? integer Unix milliseconds.

--- Text.
---@class sessiond.TextContent
---@field type "text"
---@field text? string
---@field textSignature? string Signature from the provider, for replay; opaque.

--- A model's thinking.
---@class sessiond.ThinkingContent
---@field type "thinking"
---@field thinking? string
---@field thinkingSignature? string Signature from the provider, for replay; contains the payload of redacted thinking.
---@field redacted? boolean Whether the provider withheld the text.

--- Another thinking level from here on; written when the user changes it.
---@class sessiond.ThinkingLevelChangeEntry
---@field id? string Unique in the file; 8 hexadecimal digits from pi.
---@field parentId? string|vim.NIL The entry this one comes after; null: it is a root.
---@field timestamp? string ISO 8601 UTC with milliseconds.
---@field appendMode? string `side`: OpenClaw appended it aside, which does not move the leaf.
---@field type "thinking_level_change"
---@field thinkingLevel? string As the agent names it, such as `high`.

--- Sum of the tokens in all recorded usage.
---@class sessiond.TokenFigures
---@field input integer
---@field output integer
---@field cacheRead integer
---@field cacheWrite integer
---@field total integer Sum of the other four (as in pi).

--- A request of a model to call a tool.
---@class sessiond.ToolCall
---@field type "toolCall"
---@field id? string Id of the call, which the tool's result refers to.
---@field name? string Name of the tool.
---@field arguments? any An object, as the tool defines it.
---@field thoughtSignature? string Signature from the provider, for replay; opaque.
---@field namespace? string Namespace of the tool's name, if it has one.

--- The result of a tool call.
---@class sessiond.ToolResultMessage
---@field role "toolResult"
---@field toolCallId? string `id` of the `ToolCall`.
---@field toolName? string
---@field content? sessiond.Content|vim.NIL Text and image blocks.
---@field details? any Data of the tool; not sent to a model.
---@field usage? sessiond.Usage Usage of models by the tool itself.
---@field nestedCalls? any `{calls: [{id, name, arguments?, …}], complete}`: the tools that this tool called.
---@field isError? boolean
---@field timestamp? integer Unix milliseconds.

--- A session: `sessionFile` of its entry, or its id.
---@class sessiond.TranscriptPathParams
---@field sessionId? string Counts where `sessionFile` is absent or blank.
---@field topicId? string|number Topic or thread, with `sessionId`.
---@field sessionFile? string Absolute, or relative to the directory.
---@field sessionsDir? string Directory of the transcripts; absent: that of `storePath`, else the agent's own, which takes the profile of a gateway.
---@field storePath? string The store beside them; `{agentId}` in it stands for the agent.
---@field agentId? string The agent; absent: the connection's. A file of its may lie elsewhere.

--- A path; whether the file exists was not checked.
---@class sessiond.TranscriptPathResult
---@field path string Absolute and normalised.

--- An entry in the tree, complete.
---@class sessiond.TreeNode
---@field id string
---@field children string[] Ids of the children, by time.
---@field entry sessiond.Entry
---@field label? string Absent: none.
---@field labelTimestamp? string Time of the latest change of the label.

--- The tree as a flat list.
---
--- Of an id that occurs more than once, only the last entry is listed.
---@class sessiond.TreeResult
---@field roots string[] Ids of entries whose parent is not in the file.
---@field nodes sessiond.Node[] Every id exactly once.

--- A content block of an unknown type, or one that does not fit its type.
---@alias sessiond.UnknownBlock any

--- An entry of an unknown type, or one that does not fit its type.
---@alias sessiond.UnknownEntry any

--- A message of an unknown role, or one that does not fit its role.
---@alias sessiond.UnknownMessage any

--- Tokens used by calls to a model. `input` excludes tokens read from or written to a cache.
---@class sessiond.Usage
---@field input? integer|vim.NIL
---@field output? integer|vim.NIL
---@field cacheRead? integer|vim.NIL
---@field cacheWrite? integer|vim.NIL
---@field cacheWrite1h? integer|vim.NIL The part of `cacheWrite` that is kept for an hour.
---@field reasoning? integer|vim.NIL The part of `output` spent on reasoning.
---@field totalTokens? integer|vim.NIL Sum of input, output, cacheRead and cacheWrite.
---@field cost? sessiond.Cost

--- Usage outside the conversation: counted in totals, never part of the context.
---@class sessiond.UsageEntry
---@field id? string Unique in the file; 8 hexadecimal digits from pi.
---@field parentId? string|vim.NIL The entry this one comes after; null: it is a root.
---@field timestamp? string ISO 8601 UTC with milliseconds.
---@field appendMode? string `side`: OpenClaw appended it aside, which does not move the leaf.
---@field type "usage"
---@field kind? string What it was for, such as `cache_warm`.
---@field provider? string
---@field model? string
---@field usage? sessiond.Usage
---@field note? string Text for people.

--- What was used on the days that count, as `catalog/stats` counts.
---@class sessiond.UsageFigures
---@field messages sessiond.MessageFigures
---@field toolCalls integer Tool calls in assistant messages.
---@field toolResults integer Messages of role `toolResult`.
---@field compactions integer
---@field tokens sessiond.TokenFigures
---@field cost sessiond.CostFigures
---@field byModel sessiond.ModelFigures[] In the order in which the models came up.
---@field byDay sessiond.DayFigures[] In order.
---@field firstActivity? string Time of the earliest user or assistant message.
---@field lastActivity? string Time of the latest one.

--- A message from a user, or from a program that acts for one.
---@class sessiond.UserMessage
---@field role "user"
---@field content? sessiond.Content|vim.NIL Text, or text and image blocks.
---@field timestamp? integer Unix milliseconds.

--- Whether the session's directory is the default one of its working directory.
---@class sessiond.UsesDefaultSessionDirResult
---@field default boolean

--- The watcher of directories.
---@class sessiond.WatchStatus
---@field directories integer Number of directories watched.
---@field mode "native"|"off"|"polling"
---@field events integer Number of events seen since the start.

--- The progress of a request: one `begin`, any number of `report`s, one `end`.
---@class sessiond.WorkDoneProgress
---@field kind "begin"|"end"|"report"
---@field message? string Text for people.
---@field percentage? number From 0 to 100.
---@field loaded? integer Number of items done.
---@field total? integer Number of items in all.
