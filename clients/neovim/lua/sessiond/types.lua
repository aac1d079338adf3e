---@meta
-- Generated from protocol/sessiond_protocol/openrpc.json by protocol/generate.py.
-- Do not edit; run `make generate`.

--- An agent whose directory of sessions exists.
---@class sessiond.AgentSummary
---@field agent "clanker"|"claude-code"|"coderclaw"|"codex"|"companion"|"copilot"|"gemini-cli"|"indusagi"|"omp"|"openclaw"|"opencode"|"pi"|"qwen-code"|string Name of the agent's profile.
---@field agentDir string Absolute path of the agent's directory.
---@field sessionsDir string Directory or database of its sessions.
---@field sessions integer Number of its sessions, without subagents.
---@field readOnly boolean Whether sessiond only reads them; the agent alone writes them.
---@field versions string[] Versions of the agent that its latest 50 sessions name, in the order of their last use; empty if its files name none.

--- Nothing: the directories are those of the connection and of its variables.
---@class sessiond.AgentsParams

--- The agents that have sessions on this machine.
---@class sessiond.AgentsResult
---@field agents sessiond.AgentSummary[] In the order of the profiles.
---@field unread sessiond.UnreadAgent[] Agents that are not read yet.
---@field problems? sessiond.FileProblem[] Files and directories that could not be read and are left out; absent: none.

--- A summary that replaces everything before the first kept entry.
---@class sessiond.AppendCompactionParams
---@field session string Handle of the session.
---@field summary string Text of the summary.
---@field tokensBefore integer Tokens of the context before compaction.
---@field newEntryId? string Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
---@field expectedLeafId? string|vim.NIL Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
---@field expectedTipId? string|vim.NIL Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
---@field unchecked? boolean true: also append what pi cannot read, for readers that can. Otherwise it is `InvalidParams`.
---@field firstKeptEntryId? string|vim.NIL First entry that stays in the context, on the branch of the leaf. If it is absent or null, no earlier entry stays. With `unchecked` it may be any id; if it is not on the branch, no earlier entry stays (as in pi).
---@field details? any Any JSON value; never sent to a model.
---@field fromHook? boolean Whether an extension made the summary.
---@field usage? sessiond.Usage|vim.NIL Tokens and cost of making the summary.

--- Replaces the content of an earlier entry of the branch, in the context only.
---@class sessiond.AppendContextEditParams
---@field session string Handle of the session.
---@field targetId string A user, assistant or toolResult message or a custom message on the active branch; otherwise `NotEditable`.
---@field replacement sessiond.Replacement|vim.NIL The new content; null removes the target from the context.
---@field newEntryId? string Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
---@field expectedLeafId? string|vim.NIL Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
---@field expectedTipId? string|vim.NIL Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
---@field unchecked? boolean true: also append what pi cannot read, for readers that can. Otherwise it is `InvalidParams`.

--- State of an extension; never part of the context.
---@class sessiond.AppendCustomEntryParams
---@field session string Handle of the session.
---@field customType string Name of the extension.
---@field newEntryId? string Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
---@field expectedLeafId? string|vim.NIL Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
---@field expectedTipId? string|vim.NIL Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
---@field data? any Anything.

--- A message of an extension; the context contains it as a user message.
---@class sessiond.AppendCustomMessageEntryParams
---@field session string Handle of the session.
---@field customType string Name of the extension.
---@field content sessiond.Content Text, or text and image blocks.
---@field display boolean Whether user interfaces show it.
---@field newEntryId? string Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
---@field expectedLeafId? string|vim.NIL Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
---@field expectedTipId? string|vim.NIL Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
---@field unchecked? boolean true: also append what pi cannot read, for readers that can. Otherwise it is `InvalidParams`.
---@field details? any Any JSON value; never sent to a model.

--- A label for an entry, or its removal.
---@class sessiond.AppendLabelChangeParams
---@field session string Handle of the session.
---@field targetId string The entry to label.
---@field newEntryId? string Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
---@field expectedLeafId? string|vim.NIL Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
---@field expectedTipId? string|vim.NIL Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
---@field label? string The label; absent, null or empty: the label is removed.

--- A message of the conversation.
---@class sessiond.AppendMessageParams
---@field session string Handle of the session.
---@field message sessiond.Message An object with a string `role`, except `compactionSummary` and `branchSummary`, which have entries of their own. In a message of a role that pi knows, what pi needs to read it is checked, unless `unchecked`; a `timestamp` is not needed.
---@field newEntryId? string Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
---@field expectedLeafId? string|vim.NIL Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
---@field expectedTipId? string|vim.NIL Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
---@field unchecked? boolean true: also append what pi cannot read, for readers that can. Otherwise it is `InvalidParams`.

--- A change of the model.
---@class sessiond.AppendModelChangeParams
---@field session string Handle of the session.
---@field provider string Provider of the model, such as `anthropic`.
---@field modelId string Id of the model.
---@field newEntryId? string Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
---@field expectedLeafId? string|vim.NIL Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
---@field expectedTipId? string|vim.NIL Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.

--- The appended entry.
---@class sessiond.AppendResult
---@field id string Id of the new entry.
---@field parentId string|vim.NIL null: the entry is a root.
---@field leafId string|vim.NIL The handle's leaf: the entry, or the one of its label; after a retry perhaps an entry that follows it.
---@field timestamp string ISO 8601 UTC with milliseconds.
---@field written boolean Whether the entry is in the file. It is not for a session in memory, nor while the file waits for the first user or assistant message. A written entry survives the end of the process, but not a crash of the machine.
---@field existed? boolean true: an entry with the id `newEntryId` existed already; it is the answer, and nothing was written. Absent otherwise.

--- A name for the session.
---@class sessiond.AppendSessionInfoParams
---@field session string Handle of the session.
---@field name string Line breaks become a space, ends are trimmed; empty: no name.
---@field newEntryId? string Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
---@field expectedLeafId? string|vim.NIL Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
---@field expectedTipId? string|vim.NIL Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.

--- A change of the thinking level.
---@class sessiond.AppendThinkingLevelChangeParams
---@field session string Handle of the session.
---@field thinkingLevel string As the agent names it, such as `high`.
---@field newEntryId? string Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
---@field expectedLeafId? string|vim.NIL Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
---@field expectedTipId? string|vim.NIL Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.

--- Usage outside the conversation: counted in totals, never part of the context.
---@class sessiond.AppendUsageParams
---@field session string Handle of the session.
---@field kind string Purpose of the usage, such as `cache_warm`.
---@field provider string Provider of the model, such as `anthropic`.
---@field model string Id of the model.
---@field usage sessiond.Usage Tokens and cost.
---@field newEntryId? string Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
---@field expectedLeafId? string|vim.NIL Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
---@field expectedTipId? string|vim.NIL Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
---@field unchecked? boolean true: also append what pi cannot read, for readers that can. Otherwise it is `InvalidParams`.
---@field note? string Text for people; an empty note is left out.

--- A message from a model.
---@class sessiond.AssistantMessage
---@field content sessiond.Block[] Text, thinking and toolCall blocks.
---@field api string Such as `anthropic-messages`.
---@field provider string Provider of the model, such as `anthropic`.
---@field model string The model that was requested.
---@field usage sessiond.Usage Tokens and cost.
---@field stopReason "pending"|"stop"|"length"|"toolUse"|"error"|"aborted"|"deferred"|string Why the answer ended; answers with `error` or `aborted` are incomplete.
---@field role "assistant"
---@field responseModel? string The model that answered, according to the provider.
---@field responseId? string The provider's id of the answer.
---@field providerThinkingLevel? string The thinking level as the provider spells it.
---@field thinkingLevel? string The thinking level, such as `off` or `high`.
---@field diagnostics? any Diagnostics of the provider's answer.
---@field deferred? any Where a deferred answer can be fetched.
---@field errorMessage? string Why the turn failed.
---@field rawStopReason? string The stop reason as the provider spells it.
---@field endTurn? boolean Whether the model ended its turn.
---@field timestamp? integer|vim.NIL Unix milliseconds; absent or null: not known. Appends do not need it.

--- A shell command that a user ran (`!` in pi).
---@class sessiond.BashExecutionMessage
---@field command string The command line.
---@field output string What it printed.
---@field cancelled boolean Whether the command was cancelled.
---@field truncated boolean Whether `output` is truncated.
---@field role "bashExecution"
---@field exitCode? integer|vim.NIL Absent or null: the command did not end by itself.
---@field fullOutputPath? string File with the whole output, if `output` is truncated.
---@field excludeFromContext? boolean Never sent to a model (`!!` in pi).
---@field timestamp? integer|vim.NIL Unix milliseconds; absent or null: not known. Appends do not need it.

--- Whether the entry was fresh before the message; false if there was no entry.
---@class sessiond.BeginFreshness
---@field fresh boolean Whether the session has not expired.
---@field dailyResetAt? integer Time of the latest daily reset, in milliseconds since the epoch; absent in mode `idle`.
---@field idleExpiresAt? number Time until which the entry is fresh, in milliseconds since the epoch; absent: no limit, or no `updatedAt`.

--- A message and options for handling it.
---@class sessiond.BeginParams
---@field context sessiond.MessageContext The message.
---@field agentId? string The agent of a key that names none; absent: that of the connection, else the default agent of the configuration.
---@field storePath? string Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
---@field config? table<string, any> `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
---@field authorized? boolean Whether the sender may reset a session; the client decides that.
---@field dryRun? boolean Only report what would happen; nothing is written.
---@field now? number Milliseconds since the epoch, only with `dryRun`; absent: the clock.
---@field timezone? string IANA name of the local time zone; absent: the host's.
---@field cwd? string Working directory of a new transcript; absent: the agent's `workspace` in the configuration, else that of the daemon. A thread uses that of its parent.

--- The session of the message, and the one that it replaced.
---@class sessiond.BeginResult
---@field sessionKey string The key as it is spelled in the store.
---@field sessionId string Id of the session.
---@field sessionFile string Absolute path of the transcript. A missing one is created with `sessionId` in its header, except with `dryRun`.
---@field isNewSession boolean Whether the message starts a session.
---@field resetTriggered boolean Whether a reset trigger in the message starts the session.
---@field entry table<string, any> The present entry in the store.
---@field resetType "direct"|"group"|"thread"|string The type by which the policy was chosen.
---@field policy sessiond.ResetPolicy When the session expires.
---@field freshness sessiond.BeginFreshness Whether the session had expired before the message.
---@field archived string[] New paths of the old session's transcripts, only after a trigger; none with `dryRun`.
---@field storePath string Absolute path of the store.
---@field bodyStripped? string The text after the trigger; absent: there is no trigger.
---@field previousEntry? table<string, any> An entry of a store, with all its members.
---@field forkedFrom? string Absolute path of the transcript that was copied for a new thread.
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

--- A summary of a branch that was left; the conversation continues from its parent.
---@class sessiond.BranchSummaryEntry
---@field id string Unique in the file; pi writes 8 hexadecimal digits.
---@field parentId string|vim.NIL Id of the parent entry; null: the entry is a root.
---@field timestamp string ISO 8601 UTC with milliseconds.
---@field fromId string The leaf that was left, or `root`; until pi 0.84.2 the new leaf.
---@field summary string Text of the summary.
---@field appendMode? string `side`: the entry does not move the leaf; written by OpenClaw.
---@field type "branch_summary"
---@field details? any `{readFiles, modifiedFiles}` from pi, or data of an extension.
---@field usage? sessiond.Usage Tokens and cost of making the summary.
---@field fromHook? boolean Whether an extension made the summary.

--- A summary of a branch that was left; made from a `branch_summary` entry and never stored.
---@class sessiond.BranchSummaryMessage
---@field summary string Text of the summary.
---@field fromId string|vim.NIL `fromId` of the entry.
---@field role "branchSummary"
---@field timestamp? integer|vim.NIL Unix milliseconds; absent or null: not known. Appends do not need it.

--- Moves the leaf and records a summary of the branch that is left.
---@class sessiond.BranchWithSummaryParams
---@field session string Handle of the session.
---@field entryId string|vim.NIL Entry to continue from; null: before the first entry.
---@field summary string Text of the summary.
---@field newEntryId? string Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
---@field expectedLeafId? string|vim.NIL Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
---@field expectedTipId? string|vim.NIL Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
---@field unchecked? boolean true: also append what pi cannot read, for readers that can. Otherwise it is `InvalidParams`.
---@field details? any Any JSON value; never sent to a model.
---@field fromHook? boolean Whether an extension made the summary.
---@field usage? sessiond.Usage|vim.NIL Tokens and cost of making the summary.

--- The branch whose context is built.
---@class sessiond.BuildParams
---@field session string Handle of the session.
---@field leafId? string|vim.NIL Last entry of the branch; absent: the handle's leaf; null: before the first entry, which gives an empty context.

--- The documents held in memory.
---@class sessiond.CacheStatus
---@field documents integer Number of documents in memory.
---@field bytes integer Memory that they use, in bytes.
---@field limitBytes integer Limit of that memory, in bytes.
---@field hits integer How often a document was in memory.
---@field misses integer How often a document had to be read.
---@field evictions integer How often a document was removed from memory to make room.

--- The request to cancel; it is answered with -32800 unless it was finished already.
---@class sessiond.CancelParams
---@field id integer|string The id of the request.

--- A change of one file, or of the marks of its session.
---
--- A session that leaves or enters the list by its marks is `removed` or `added`. A rename is
--- `removed` and `added`. A file that can no longer be read is `removed`, and `added` when it can
--- be read again.
---@class sessiond.CatalogChange
---@field kind "added"|"changed"|"removed"|string `added`, `changed` or `removed`.
---@field path string Absolute path of the file.
---@field info? sessiond.SessionInfo The present state; absent if `kind` is `removed`.

--- The changes of the last 100 ms or more; each file occurs once.
---@class sessiond.CatalogDidChangeParams
---@field subscription string Handle of the subscription.
---@field sequence integer Number of this notification: one more than that of the notification before it in the subscription, so that a lost one is noticed.
---@field changes sessiond.CatalogChange[] What changed, one per file or key.

--- A part of the agent's sessions; without `cwd` and `sessionDir` all of them.
---@class sessiond.CatalogScope
---@field cwd? string Only sessions of this working directory; resolved, `~` expanded.
---@field sessionDir? string Directory of sessions instead of the profile's; with `cwd` as in `session/list`.
---@field workDoneToken? integer|string Token under which progress is reported; absent: no reports.

--- What to search for, and where.
---@class sessiond.CatalogSearchParams
---@field query string Words and "quoted phrases"; each of them must occur in the name, id, working directory or one message of a session. In mode `regex`, one regular expression. An empty query finds every session, except in mode `regex`. At most 4096 characters and 128 words; a regular expression has at most 1000 characters and repetitions of at most 1000.
---@field cwd? string Only sessions of this working directory; resolved, `~` expanded.
---@field sessionDir? string Directory of sessions instead of the profile's; with `cwd` as in `session/list`.
---@field workDoneToken? integer|string Token under which progress is reported; absent: no reports.
---@field mode? "fuzzy"|"regex"|"text" `text` (default): words and phrases literally. `fuzzy`: words also match by their characters in order, scattered over the name or the working directory; a query that begins with `re:` is a regular expression (as in pi 1.6.0). `regex`: a regular expression in the syntax of RE2, without references, lookahead and lookbehind, not case-sensitive, matched in each message by itself; white space at the ends is significant.
---@field fields? ("calls"|"commands"|"labels"|"results"|"said"|"summaries"|"thinking")[] What is searched, by default `said`; with `roles`, `tools`, `files` or `model` all. Of what nobody said, the first 24 kB and the last 8 kB. With one of these filters names, ids and directories do not count, and an empty query finds each session with such a text.
---@field roles? ("assistant"|"bashExecution"|"branch_summary"|"compaction"|"label"|"toolResult"|"user")[] Only texts of these roles.
---@field tools? string[] Only calls and results of these tools.
---@field files? string[] Only calls that name one of these files, or a path that ends with it.
---@field model? string Only what was said or done by models whose id contains this.
---@field currentBranch? boolean Only texts of the branch that a session is opened at. Reads the files of the sessions with such texts.
---@field agent? string Only sessions of this agent, one of those of `initialize`.
---@field since? string Only texts since this day, `YYYY-MM-DD` in `timezone`.
---@field until? string Only texts until this day, included.
---@field timezone? string IANA name; by default the zone of the daemon's machine.
---@field suggest? boolean Whether to answer `suggestions` if nothing is found.
---@field limit? integer Maximum number of hits in the answer; 50 by default.
---@field cursor? string `nextCursor` of the page before; opaque.

--- A page of hits, the least distance first.
---
--- Of equal distances those with all words in one text come first, then the latest `modified`.
---@class sessiond.CatalogSearchResult
---@field hits sessiond.SearchHit[] The results, the best first.
---@field total integer Number of hits on all pages, without those in `alsoIn`; of more than a thousand it may be a little too large.
---@field nextCursor? string Where the next page begins; absent: this is the last.
---@field problems? sessiond.FileProblem[] Files and directories that could not be read and are left out; absent: none.
---@field suggestions? sessiond.SearchSuggestion[] If nothing was found and `suggest` was sent: at most three other searches, in other fields and directories, with other spellings and with fewer words.

--- The sessions to follow.
---@class sessiond.CatalogSubscribeParams
---@field cwd? string Only sessions of this working directory; resolved, `~` expanded.
---@field sessionDir? string Directory of sessions instead of the profile's; with `cwd` as in `session/list`.
---@field workDoneToken? integer|string Token under which progress is reported; absent: no reports.
---@field subagents? boolean Also sessions that agents began, for their subagents.
---@field tag? string Only sessions with this tag.
---@field hidden? "exclude"|"include"|"only" Whether hidden sessions are in the list: `include` by default.
---@field pinnedFirst? boolean Pinned sessions come before all others.
---@field subscription? string The handle to give; one that is in use on this connection is `InvalidParams`. Absent: the daemon chooses.
---@field resumeToken? string From an earlier answer, also of another daemon: only what changed since then is answered. One that belongs to other params is ignored.
---@field limit? integer Maximum number of sessions in the snapshot, the latest; changes are reported of all. Without effect where only changes are answered.

--- A snapshot, or what changed since an earlier one.
---
--- Every later change, including the client's own, is reported by `catalog/didChange`.
---@class sessiond.CatalogSubscribeResult
---@field subscription string Opaque.
---@field sequence integer Sequence number of the snapshot; the first notification has the next number.
---@field sessions sessiond.SessionInfo[] The latest `modified` first: all, or those that were added or changed since.
---@field resumeToken? string For a later subscription: what the client knows now; opaque.
---@field removed? string[] Present if only changes are answered: paths of the sessions that are gone since.
---@field nextCursor? string Present if `limit` left sessions out: `session/list` (or `session/listAll` without `cwd`) goes on with it.
---@field problems? sessiond.FileProblem[] Files and directories that could not be read and are left out; absent: none.

--- A subscription to end.
---@class sessiond.CatalogUnsubscribeParams
---@field subscription string Handle of the subscription.

--- The usage to add up.
---@class sessiond.CatalogUsageParams
---@field cwd? string Only sessions of this working directory; resolved, `~` expanded.
---@field sessionDir? string Directory of sessions instead of the profile's; with `cwd` as in `session/list`.
---@field workDoneToken? integer|string Token under which progress is reported; absent: no reports.
---@field by? "agent"|"block"|"day"|"model"|"month"|"project"|"session"|"week" The unit of a row; `day` by default. A block is a window of five hours that begins with the hour of its first entry. A project is a repository with its worktrees, or a directory outside of repositories.
---@field thenBy? "agent"|"block"|"day"|"model"|"month"|"project"|"session"|"week" The unit of the rows into which each row is divided; absent: none.
---@field timezone? string IANA name of the time zone for days; by default that of the daemon's machine. Exact in zones that differ from UTC by whole quarters of an hour, as all zones do since 1972.
---@field since? string First day to count, as `YYYY-MM-DD` in `timezone`.
---@field until? string Last day to count, as `YYYY-MM-DD` in `timezone`.
---@field project? string Only sessions of the project of this directory: see `session/listAll`.
---@field model? string Only usage whose `provider/model` contains this text, in any case.
---@field copies? boolean Whether an entry that is in several sessions counts in each of them. By default it counts once, for the session that was created first, because the entries that a fork copies cost nothing. Entries with the same id, time and tokens are treated as copies.
---@field prices? boolean Whether to calculate the cost of entries that record none, with the prices of the package genai-prices; refused (`Unsupported`) where that is not installed.

--- Usage by rows: periods in order of time, others by cost, the highest first.
---@class sessiond.CatalogUsageResult
---@field rows sessiond.UsageRow[] The sums, one row per group.
---@field sums sessiond.UsageSums The sums.
---@field sessionCount integer Number of sessions with an entry that counts.
---@field omittedCopies integer Number of entries that are copies and did not count again.
---@field currency "USD"|string Of all costs, as the agents write them.
---@field timezone string The IANA name that was given; else the abbreviation of the machine's zone at present.
---@field prices? sessiond.PriceData The prices that were used; only with `prices`.
---@field problems? sessiond.FileProblem[] Files and directories that could not be read and are left out; absent: none.

--- The files to check: those of a scope, or a single one.
---@class sessiond.CheckParams
---@field cwd? string Only sessions of this working directory; resolved, `~` expanded.
---@field sessionDir? string Directory of sessions instead of the profile's; with `cwd` as in `session/list`.
---@field workDoneToken? integer|string Token under which progress is reported; absent: no reports.
---@field path? string A single file, without members of a scope.

--- All files that were checked. None was changed.
---@class sessiond.CheckResult
---@field files sessiond.CheckedFile[] In order of directories and names.

--- The problems of one file.
---@class sessiond.CheckedFile
---@field path string Absolute path of the file.
---@field ok boolean Whether no problem was found.
---@field problems sessiond.Diagnostic[] In order of lines.
---@field unknown? sessiond.UnknownLines[] What a newer version of an agent has written; it is shown as `custom` entries. Absent: nothing.

--- Capabilities of the client.
---@class sessiond.ClientCapabilities
---@field plainJson? boolean Set it if the client's JSON library cannot hold lone surrogates, integers beyond 2^53 or numbers like 1e400: it is then sent U+FFFD and strings in their place. Files are not affected.

--- The name and version of the client, for the log.
---@class sessiond.ClientInfo
---@field name string Name of the program.
---@field version? string Version of the program.

--- A summary that replaces everything before the first kept entry in the context.
---@class sessiond.CompactionEntry
---@field id string Unique in the file; pi writes 8 hexadecimal digits.
---@field parentId string|vim.NIL Id of the parent entry; null: the entry is a root.
---@field timestamp string ISO 8601 UTC with milliseconds.
---@field summary string Text of the summary.
---@field firstKeptEntryId string First entry that stays in the context; its own id: no entry stays.
---@field tokensBefore integer Tokens of the context before compaction.
---@field appendMode? string `side`: the entry does not move the leaf; written by OpenClaw.
---@field type "compaction"
---@field details? any `{readFiles, modifiedFiles}` from pi, or data of an extension.
---@field usage? sessiond.Usage Tokens and cost of making the summary.
---@field fromHook? boolean Whether an extension made the summary.
---@field systemMessage? sessiond.SystemMessage The system message that applies here; the context has it first.

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
---@field summary string Text of the summary.
---@field tokensBefore integer Tokens of the context before compaction.
---@field role "compactionSummary"
---@field timestamp? integer|vim.NIL Unix milliseconds; absent or null: not known. Appends do not need it.

--- A value of the configuration that has the wrong type and was ignored.
---@class sessiond.ConfigProblem
---@field path string Path in the configuration, such as `session.reset.mode`.
---@field message string Text for people.

--- Text, or a list of content blocks.
---@alias sessiond.Content string|sessiond.Block[]

--- Replaces the content of an earlier entry of the branch, in the context only.
---@class sessiond.ContextEditEntry
---@field id string Unique in the file; pi writes 8 hexadecimal digits.
---@field parentId string|vim.NIL Id of the parent entry; null: the entry is a root.
---@field timestamp string ISO 8601 UTC with milliseconds.
---@field targetId string The edited entry.
---@field replacement sessiond.Replacement|vim.NIL The new content; null removes the target from the context.
---@field appendMode? string `side`: the entry does not move the leaf; written by OpenClaw.
---@field type "context_edit"

--- The most recent session of a working directory, or a new one if there is none.
---@class sessiond.ContinueRecentParams
---@field cwd string Working directory; resolved, `~` expanded.
---@field sessionDir? string Directory to search instead of the profile's.
---@field follow? boolean Move the handle's leaf whenever the leaf of the file moves, so that appends of others and own ones continue one branch. A handle that is moved to another entry stops following.
---@field session? string The handle to give; one that is in use on this connection is `InvalidParams`. Absent: the daemon chooses.

--- Cost of usage, in US dollars; null: the price is not known.
---@class sessiond.Cost
---@field input number|vim.NIL Cost of the input in US dollars.
---@field output number|vim.NIL Cost of the output in US dollars.
---@field cacheRead number|vim.NIL Cost of reading from the provider's cache, in US dollars.
---@field cacheWrite number|vim.NIL Cost of writing to the provider's cache, in US dollars.
---@field total number|vim.NIL Whole cost in US dollars.
---@field totalFromProvider? boolean Whether the provider reported `total`; otherwise it is an estimate.

--- Sum of the cost in all recorded usage, in US dollars.
---@class sessiond.CostFigures
---@field input number Cost of the input in US dollars.
---@field output number Cost of the output in US dollars.
---@field cacheRead number Cost of reading from the provider's cache, in US dollars.
---@field cacheWrite number Cost of writing to the provider's cache, in US dollars.
---@field total number Sum of the recorded totals; where a total is missing, of its parts.

--- The branch that becomes a session of its own; the handle moves to the new file.
---@class sessiond.CreateBranchedSessionParams
---@field session string Handle of the session.
---@field leafId string Last entry of the branch to copy.
---@field withResults? boolean If `leafId` is an answer with tool calls, also copy the results of these calls; else the copy ends with calls without results, which providers refuse.

--- A new session; its file is created with the first user or assistant message.
---@class sessiond.CreateParams
---@field cwd string Working directory; resolved, `~` expanded.
---@field sessionDir? string Directory for the file, instead of the profile's.
---@field id? string Id of the new session: letters, digits, `-`, `_` and `.`, with a letter or digit at both ends. Absent: a UUID version 7.
---@field parentSession? string Path of the parent session; stored in the header.
---@field follow? boolean Move the handle's leaf whenever the leaf of the file moves, so that appends of others and own ones continue one branch. A handle that is moved to another entry stops following.
---@field session? string The handle to give; one that is in use on this connection is `InvalidParams`. Absent: the daemon chooses.

--- State of an extension; never part of the context.
---@class sessiond.CustomEntry
---@field id string Unique in the file; pi writes 8 hexadecimal digits.
---@field parentId string|vim.NIL Id of the parent entry; null: the entry is a root.
---@field timestamp string ISO 8601 UTC with milliseconds.
---@field customType string Name of the extension.
---@field appendMode? string `side`: the entry does not move the leaf; written by OpenClaw.
---@field type "custom"
---@field data? any Data of the extension.

--- A message of an extension, sent to a model as a user message.
---
--- It is stored as a `custom_message` entry.
---@class sessiond.CustomMessage
---@field customType string Name of the extension.
---@field content sessiond.Content Text, or text and image blocks.
---@field display boolean Whether front ends show it.
---@field role "custom"
---@field details? any Data of the extension; not sent to a model.
---@field timestamp? integer|vim.NIL Unix milliseconds; absent or null: not known. Appends do not need it.

--- A message of an extension; the context contains it as a user message.
---@class sessiond.CustomMessageEntry
---@field id string Unique in the file; pi writes 8 hexadecimal digits.
---@field parentId string|vim.NIL Id of the parent entry; null: the entry is a root.
---@field timestamp string ISO 8601 UTC with milliseconds.
---@field customType string Name of the extension.
---@field content sessiond.Content Text, or text and image blocks.
---@field display boolean Whether front ends show it.
---@field appendMode? string `side`: the entry does not move the leaf; written by OpenClaw.
---@field type "custom_message"
---@field details? any Data of the extension; not sent to a model.

--- The session's working directory.
---@class sessiond.CwdResult
---@field cwd string Working directory of the session.

--- Messages, tokens and cost of one day.
---@class sessiond.DayFigures
---@field day string `YYYY-MM-DD`, from midnight to midnight in `timezone`.
---@field messages integer Number of messages of any role.
---@field tokens sessiond.TokenFigures Numbers of tokens.
---@field cost? sessiond.CostFigures Absent: there is usage, and none of it records a cost.
---@field withoutCost? integer Number of entries with usage that record no cost: the true cost is higher. Absent: there are none.
---@field calculated? integer Number of entries whose cost was not recorded, but calculated for `prices`. Absent: there are none.

--- A session to delete.
---@class sessiond.DeleteParams
---@field path string The session file.
---@field permanently? boolean Delete permanently, without the trash.
---@field force? boolean Delete it even if a program has it open for writing. A handle that is still open creates the file again with its next append.
---@field change? string Any name of the change; with one, `catalog/undo` can take it back. Deletions in a row with the same name are taken back together.

--- What was done.
---@class sessiond.DeleteResult
---@field trashed boolean Whether the file is in the trash and can be restored.
---@field undoable? boolean Whether `catalog/undo` can take it back: not with `--root` or `--store`. Absent: the change had no name.

--- A problem with a line of a session file. The line stays in the file unchanged.
---@class sessiond.Diagnostic
---@field line integer Number of the line, from 1; 0: the whole file.
---@field kind "malformedLine"|"notAnEntry"|"missingId"|"duplicateId"|"orphan"|"selfParent"|"cycle"|"secondHeader"|"tornTail"|"invalidUtf8"|"byteOrderMark"|"unknownVersion"|"missingTarget"|"invalidTimestamp"|"missingNewline"|"malformedEntry"|"notASession"|"unreadable"|"internalError"|string Kind of the problem; later versions may add kinds.
---@field message string Text for people.

--- An answer that is not finished and not stored.
---@class sessiond.Draft
---@field message sessiond.Message As it was published; members that are not known yet may be missing.
---@field view sessiond.ViewItem What a person sees of it, as in `session/getView`; `entryId` is empty.

--- Entries, in the order that the method defines.
---@class sessiond.EntriesResult
---@field entries sessiond.Entry[] The entries.

--- An entry of a session, by its `type`.
---@alias sessiond.Entry sessiond.SessionMessageEntry|sessiond.ThinkingLevelChangeEntry|sessiond.ModelChangeEntry|sessiond.CompactionEntry|sessiond.BranchSummaryEntry|sessiond.CustomEntry|sessiond.CustomMessageEntry|sessiond.LabelEntry|sessiond.SessionInfoEntry|sessiond.UsageEntry|sessiond.ContextEditEntry|sessiond.LeafEntry|sessiond.ResetEntry|sessiond.UnknownEntry

--- The number of entries, without the header.
---@class sessiond.EntryCountResult
---@field count integer Number of entries.

--- An entry without its content.
---@class sessiond.EntryFacts
---@field id string Id of the entry.
---@field parentId string|vim.NIL null: the entry is a root.
---@field type string Type of the entry.
---@field timestamp string ISO 8601 UTC with milliseconds.

--- A label for an entry of a session, which need not be open.
---@class sessiond.EntryLabelParams
---@field path string The session file, which must exist.
---@field entryId string The entry to label.
---@field label? string The label; absent, null or empty: the label is removed.
---@field change? string Any name of the change; with one, `catalog/undo` can take it back. Deletions in a row with the same name are taken back together.

--- The entry that stores the label, appended under the last entry of the file.
---@class sessiond.EntryLabelResult
---@field id string Id of the `label` entry.
---@field undoable? boolean Whether `catalog/undo` can take it back: not with `--root` or `--store`. Absent: the change had no name.

--- One entry, if it exists.
---@class sessiond.EntryResult
---@field entry sessiond.Entry|vim.NIL null: there is no such entry.

--- The size of a context; `tokens` is the sum of the next two members.
---@class sessiond.EstimateTokensResult
---@field tokens integer Estimated number of tokens.
---@field usageTokens integer Tokens counted by a provider, from the last usage of a complete answer; 0: there is no valid usage. Usage from before the last compaction or context edit is not valid.
---@field trailingTokens integer Estimated tokens of the messages after that answer.
---@field lastUsageEntryId? string With `session`: the entry that has the usage.
---@field lastUsageIndex? integer With `messages`: index of the message that has the usage.

--- Facts about a session, and exactly one of `resetType` and `policy`.
---@class sessiond.EvaluateFreshnessParams
---@field now number Milliseconds since the epoch.
---@field updatedAt? number|vim.NIL `updatedAt` of the entry before the message, in milliseconds. Absent: the entry has none and is fresh; null counts as 0.
---@field resetType? "direct"|"group"|"thread" Type by which `config` has the policy.
---@field policy? sessiond.GivenPolicy When the session expires.
---@field config? table<string, any> `session`, `agents`, `channels` and `cron` of a CoderClaw configuration.
---@field channel? string For `session.resetByChannel`, which comes first.
---@field timezone? string IANA name of the local time zone; absent: the host's.

--- Whether the session continues; at the exact limit it does.
---@class sessiond.EvaluateFreshnessResult
---@field fresh boolean Whether the session has not expired.
---@field policy sessiond.ResetPolicy When the session expires.
---@field dailyResetAt? integer Time of the latest daily reset, in milliseconds since the epoch; absent in mode `idle`.
---@field idleExpiresAt? number Time until which the entry is fresh, in milliseconds since the epoch; absent: no limit, or no `updatedAt`.
---@field configProblems? sessiond.ConfigProblem[] Absent: there are none.

--- The session to export, by exactly one of `path` and `session`, and the format.
---@class sessiond.ExportParams
---@field format "html"|"jsonl"|"markdown" `jsonl`: a session file with a new header, the same id and only the branch, as pi exports it; labels and settings are included, and entries keep their bytes except for `parentId` and `appendMode`. `markdown`: the branch as text. `html`: one self-contained page with all branches, which first shows the branch; only the branch if `leafId` is sent.
---@field path? string A session file; it is not changed.
---@field session? string Handle of an open session, also before its file is written.
---@field outputPath? string File to write, with mode 0600; missing directories are created with mode 0700. Absent: the answer contains the export. A page or Markdown that an export has written is replaced and keeps its mode; any other file is `AlreadyExists`, unless `force` is sent.
---@field leafId? string|vim.NIL Last entry of the branch; null: before the first entry, which gives an empty branch; absent: the handle's leaf, or the last entry of a file. If it is sent, the export has nothing that is not on this branch: no other branch, and no name or label that was given later.
---@field mask? boolean true: keys and passwords of known forms are masked in everything that is exported, also in the data of a page, and the home directory becomes `~`. false: they stay. With either the answer has `secrets`.
---@field maskAlso? string[] With `mask`: further texts to mask wherever they stand, in any case, such as the name of a customer; at most 100, none empty.
---@field conversation? boolean Export only what was said: messages of the user and texts of the agent, names, and labels of these; no thinking, tools, commands, settings and summaries.
---@field force? boolean Replace whatever file is at `outputPath`; but never a backup, an open session, or a file below a directory of an agent or beside the store of a gateway.
---@field ownId? boolean `jsonl`: give the export an id of its own and the exported file as `parentSession`, so that it can lie beside the session. By default it has the session's id and no parent, as pi exports it.

--- The path of the export, or the export itself.
---@class sessiond.ExportResult
---@field path? string Absolute path of the file that was written.
---@field content? string The export, if no `outputPath` was given.
---@field secrets? integer If `mask` was sent: the number of exported entries with a key or password of a known form, which were masked if `mask` is true.

--- Paths that tools were called with; each list has no duplicates.
---@class sessiond.FileOperations
---@field read string[] Paths of files that were read.
---@field written string[] Paths of files that were written.
---@field edited string[] Paths of files that were edited.

--- The reason why a file, or a directory with its content, is missing from an answer.
---@class sessiond.FileProblem
---@field path string Absolute path of the file or directory.
---@field kind "unreadable"|"internalError"|"timedOut"|string `unreadable`: the system refuses to read it. `internalError`: the daemon failed to handle it; the log has the details. `timedOut`: there was no time left to search it. Later versions may add kinds.
---@field message string Text for people.

--- A session id to find, or its beginning.
---@class sessiond.FindByIdParams
---@field id string The whole id, or with `prefix` how it begins; `HOST:ID` then means a copy in a store of a session that is written on that host.
---@field cwd? string Working directory; resolved, `~` expanded. Absent: all directories.
---@field sessionDir? string Directory to search instead of the profile's.
---@field prefix? boolean The id may be the beginning of one: the session whose id is the same, else the only one whose id begins so. All directories are searched; of several sessions those of `cwd` count, then those of the connection's own agent. Of several files with one id the latest counts.
---@field unique? boolean With `prefix`: if several files have the id, answer all of them as `candidates`, because what is to be changed must be named by its path.

--- The file that was found.
---@class sessiond.FindByIdResult
---@field path string|vim.NIL Path of its file; null: no session, or more than one.
---@field candidates? sessiond.SessionInfo[] With `prefix`: the sessions that can be meant, the latest first.
---@field problems? sessiond.FileProblem[] Files and directories that could not be read and are left out; absent: none.

--- The entry to continue from, and the model's summary of the branch that is left.
---@class sessiond.FinishBranchSummaryParams
---@field session string Handle of the session.
---@field targetId string The entry to continue from, as in `context/navigate`.
---@field newEntryId? string Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
---@field expectedLeafId? string|vim.NIL Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
---@field expectedTipId? string|vim.NIL Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
---@field summary? string The model's text; pi's preamble and the lists of files are added to it. Absent: there was no message to summarise, and the entry says so.
---@field fileOps? sessiond.FileOperations `fileOps` of `context/prepareBranchSummary`; absent: computed from the whole branch that is left.
---@field label? string Label for the summary's entry; it is stored in another entry, which becomes the leaf.
---@field usage? sessiond.Usage|vim.NIL Tokens and cost of making the summary.

--- The entry of the summary.
---@class sessiond.FinishBranchSummaryResult
---@field id string Id of the new entry.
---@field parentId string|vim.NIL null: the entry is a root.
---@field leafId string|vim.NIL The handle's leaf: the entry, or the one of its label; after a retry perhaps an entry that follows it.
---@field timestamp string ISO 8601 UTC with milliseconds.
---@field written boolean Whether the entry is in the file. It is not for a session in memory, nor while the file waits for the first user or assistant message. A written entry survives the end of the process, but not a crash of the machine.
---@field existed? boolean true: an entry with the id `newEntryId` existed already; it is the answer, and nothing was written. Absent otherwise.
---@field editorText? string Text for the user to edit, as in `context/navigate`.

--- A plan and the model's summaries.
---@class sessiond.FinishCompactionParams
---@field session string Handle of the session.
---@field preparation sessiond.CompactionPreparation The answer of `context/prepareCompaction`.
---@field newEntryId? string Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
---@field expectedLeafId? string|vim.NIL Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
---@field expectedTipId? string|vim.NIL Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
---@field historySummary? string Summary of `messagesToSummarize`. It may be absent only if a turn is split and there were no such messages: then the previous summary is used, or `No prior history.`
---@field prefixSummary? string Summary of `turnPrefixMessages`; required if a turn is split, otherwise not allowed.
---@field usage? sessiond.Usage|vim.NIL Tokens and cost of making the summaries.

--- A session to copy into a new file, which names it as its parent.
---@class sessiond.ForkFromParams
---@field sourcePath string The session file to copy.
---@field targetCwd string Working directory of the new session.
---@field sessionDir? string Directory for the new file, instead of the profile's.
---@field id? string Id of the new session, as in `session/create`.
---@field leafId? string Copy only the branch that ends with this entry, as `session/createBranchedSession` does; absent: the whole session.
---@field withResults? boolean If `leafId` is an answer with tool calls, also copy the results of these calls; else the copy ends with calls without results, which providers refuse.
---@field follow? boolean Move the handle's leaf whenever the leaf of the file moves, so that appends of others and own ones continue one branch. A handle that is moved to another entry stops following.
---@field session? string The handle to give; one that is in use on this connection is `InvalidParams`. Absent: the daemon chooses.

--- The changes of one store in the last 100 ms or more; each key occurs once.
---@class sessiond.GatewayDidChangeParams
---@field subscription string Handle of the subscription.
---@field sequence integer Number of this notification: one more than that of the notification before it in the subscription, so that a lost one is noticed.
---@field agentId string The agent of the store.
---@field storePath string Absolute path of the store.
---@field changes sessiond.StoreChange[] May be empty if `problems` is present.
---@field problems? sessiond.StoreProblem[] All present problems of the store; absent if they are the same as before. `replacedStore`: OpenClaw's database has appeared and cannot be read.

--- The stores to follow.
---@class sessiond.GatewaySubscribeParams
---@field storePath? string Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
---@field config? table<string, any> `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
---@field agentId? string Only the store of this agent. Absent: the stores of all agents, including later ones, or the store that they share.
---@field subscription? string The handle to give; one that is in use on this connection is `InvalidParams`. Absent: the daemon chooses.

--- A snapshot.
---
--- Every later change, including the client's own, is reported by `gateway/didChange`.
---@class sessiond.GatewaySubscribeResult
---@field subscription string Opaque.
---@field sequence integer Sequence number of the snapshot; the first notification has the next number.
---@field sessions sessiond.StoredSession[] By store, that of the default agent first.
---@field problems? sessiond.StoreProblem[] Absent: there are none.
---@field configProblems? sessiond.ConfigProblem[] Absent: there are none.

--- A subscription to end.
---@class sessiond.GatewayUnsubscribeParams
---@field subscription string Handle of the subscription.

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
---@field limit? integer Maximum number of entries in the answer.
---@field last? integer Start at most this number of entries before the end of the file, if that is after the `cursor`.
---@field views? boolean Whether to answer `views` also.

--- Entries in file order.
---@class sessiond.GetEntriesResult
---@field entries sessiond.Entry[] The entries.
---@field total integer Number of entries in the file.
---@field nextCursor? string Where the next page begins; absent: this is the last.
---@field views? sessiond.ViewItem[] What a person sees of each of the `entries`, as `session/getView` answers it; a call does not name its result, which another branch may not have, and always shows its diff.

--- The id of an entry.
---@class sessiond.GetEntryParams
---@field session string Handle of the session.
---@field id string Id of the entry.

--- The entry whose source is read.
---@class sessiond.GetSourceParams
---@field session string Handle of the session.
---@field entryId string Id of the entry.
---@field maxBytes? integer Maximum number of bytes of each record; absent: 65536.

--- What an entry was made of, in the order of the file.
---@class sessiond.GetSourceResult
---@field records sessiond.SourceRecord[] Several where an agent keeps parts of a message apart. Without `line` where no line of a file has the entry's id: in databases, in memory, in files of version 1.

--- How much of each entry the answer contains.
---@class sessiond.GetTreeParams
---@field session string Handle of the session.
---@field detail? "full"|"outline" `full` (default): `TreeNode`s; `outline`: `OutlineNode`s.

--- Which part of a branch to read.
---@class sessiond.GetUpdatesParams
---@field session string Handle of the session.
---@field leafId? string Last entry of the branch; absent: the leaf.
---@field cursor? string Start after this position: the `nextCursor` of the page before, or the id of an entry of the branch.
---@field limit? integer Maximum number of entries in a page; each may be several updates.

--- A page of a branch, the oldest first.
---@class sessiond.GetUpdatesResult
---@field updates sessiond.SessionUpdate[] In the order in which to send them.
---@field total integer Number of entries on the branch.
---@field nextCursor? string Where the next page begins; absent: this is the last.

--- Which part of a branch to read.
---@class sessiond.GetViewParams
---@field session string Handle of the session.
---@field leafId? string Last entry of the branch; absent: the leaf.
---@field cursor? string Start after this position: the `nextCursor` of the page before, or the id of an entry of the branch.
---@field last? integer Start at most this number of entries before the end of the branch, if that is after the `cursor`.
---@field around? string Id of an entry, as of a search hit: start at half of `limit` before it. If the branch does not have it, the branch that ends at it is read. Replaces `cursor` and `last`.
---@field limit? integer Maximum number of entries in the answer.
---@field maxChars? integer Maximum number of characters of each text; `omittedChars` tells how many are missing. Absent: all of them.

--- Entries of a branch as a person sees them, the oldest first.
---@class sessiond.GetViewResult
---@field items sessiond.ViewItem[] One for each entry.
---@field total integer Number of entries on the branch.
---@field nextCursor? string Where the next page begins; absent: this is the last.

--- A policy in the form that `gateway/evaluateFreshness` answers.
---@class sessiond.GivenPolicy
---@field mode "daily"|"idle" `daily`: expires at an hour of the day; `idle`: only after time without use.
---@field atHour? integer Hour of the daily reset, in local time.
---@field idleMinutes? integer Minutes without use after which the session expires; absent: it does not expire by idleness.

--- A session's header.
---@alias sessiond.Header sessiond.SessionHeader|sessiond.UnknownEntry

--- The header line.
---@class sessiond.HeaderResult
---@field header sessiond.Header The session's header.

--- An image.
---@class sessiond.ImageContent
---@field data string The image in base64.
---@field mimeType string Such as `image/png`.
---@field type "image"

--- A session without a file.
---@class sessiond.InMemoryParams
---@field cwd? string Working directory; absent: that of the daemon.
---@field id? string Id of the session, as in `session/create`.
---@field entries? sessiond.Entry[] Initial entries, in file order; a header may come first.
---@field follow? boolean Move the handle's leaf whenever the leaf of the file moves, so that appends of others and own ones continue one branch. A handle that is moved to another entry stops following.
---@field session? string The handle to give; one that is in use on this connection is `InvalidParams`. Absent: the daemon chooses.

--- The origin of an inbound message, with CoderClaw's names.
---@class sessiond.InboundContext
---@field SessionKey? string Key of the session; overrides all other members.
---@field From? string Sender or group, as `telegram:group:-100` or a number.
---@field ChatType? string `direct`, `group` or `channel`.
---@field Provider? string Channel, if `From` does not begin with one; empty: no channel.

--- Settings of the connection. Without `initialize`, those of the command line apply.
---@class sessiond.InitializeParams
---@field clientInfo? sessiond.ClientInfo Name and version of the client.
---@field processId? integer Id of the client's process; the daemon exits when that process has ended. A process that does not run on the daemon's machine is not watched.
---@field profile? "clanker"|"claude-code"|"coderclaw"|"codex"|"companion"|"copilot"|"gemini-cli"|"indusagi"|"omp"|"openclaw"|"opencode"|"pi"|"qwen-code" The agent program whose directories and rules apply.
---@field agentDir? string Directory of the agent program, instead of the profile's.
---@field agentId? string Agent of a gateway profile; absent: that of the command line. Without either it is `main`, and lists and searches show the sessions of all agents.
---@field allAgents? boolean Whether lists, searches and usage are of all agents on this machine. New sessions follow `profile`.
---@field positionEncoding? "utf-16"|"utf-32"|"utf-8" Unit of positions in text; `utf-16` by default.
---@field capabilities? sessiond.ClientCapabilities What this side supports.
---@field protocolVersions? string[] The versions of this contract that the client speaks; absent: any. The answer's `protocolVersion` is the one that applies.

--- The settings that apply to the connection.
---@class sessiond.InitializeResult
---@field serverInfo sessiond.ServerInfo Name and version of the daemon.
---@field protocolVersion string Version of this contract: `"1"`.
---@field profile "clanker"|"claude-code"|"coderclaw"|"codex"|"companion"|"copilot"|"gemini-cli"|"indusagi"|"omp"|"openclaw"|"opencode"|"pi"|"qwen-code"|string The agent whose sessions are served by default.
---@field agentDir string Absolute path of the agent's directory.
---@field sessionsDir string Absolute path of the directory that holds the sessions; of a gateway, those of the agent.
---@field positionEncoding "utf-16"|"utf-32"|"utf-8"|string Unit of positions in text.
---@field capabilities sessiond.ServerCapabilities What this side supports.
---@field agents? sessiond.ListedAgent[] With `allAgents`: those that are listed.

--- A part of the usage of a row.
---@class sessiond.InnerUsageRow
---@field key string What the part is about, as `key` of `UsageRow`, by `thenBy`.
---@field sums sessiond.UsageSums The sums.
---@field info? sessiond.SessionInfo The session, if `thenBy` is `session`.

--- Whether the session belongs to a file.
---@class sessiond.IsPersistedResult
---@field persisted boolean Whether the session belongs to a file.

--- A reply, or the part of it received so far.
---@class sessiond.IsSilentReplyParams
---@field text string The text received so far.
---@field token? string The token that marks a silent reply.
---@field streaming? boolean Whether more text may follow.

--- Show the text if both are false.
---@class sessiond.IsSilentReplyResult
---@field silent boolean It starts with the token, or ends with it, apart from punctuation.
---@field hold boolean While streaming: the end of the text could become the token. Wait for more.

--- A user's label for an entry. The last label of a target applies.
---@class sessiond.LabelEntry
---@field id string Unique in the file; pi writes 8 hexadecimal digits.
---@field parentId string|vim.NIL Id of the parent entry; null: the entry is a root.
---@field timestamp string ISO 8601 UTC with milliseconds.
---@field targetId string The labelled entry.
---@field appendMode? string `side`: the entry does not move the leaf; written by OpenClaw.
---@field type "label"
---@field label? string|vim.NIL Absent, null or empty: the label is removed.

--- The present label of an entry.
---@class sessiond.LabelResult
---@field label string|vim.NIL null: none.

--- Moves the leaf of the file; written by OpenClaw. Never part of a branch.
---
--- It is ignored if one of its ids does not occur before it in the file.
---@class sessiond.LeafEntry
---@field id string Unique in the file; pi writes 8 hexadecimal digits.
---@field parentId string|vim.NIL Id of the parent entry; null: the entry is a root.
---@field timestamp string ISO 8601 UTC with milliseconds.
---@field appendMode? string `side`: the entry does not move the leaf; written by OpenClaw.
---@field type "leaf"
---@field targetId? string|vim.NIL The leaf from here on; null: before the first entry.
---@field appendParentId? string|vim.NIL The parent of OpenClaw's next entry; absent: the target. Entries with this parent still continue from the leaf.

--- The handle's position.
---@class sessiond.LeafIdResult
---@field leafId string|vim.NIL null: before the first entry.

--- The sessions of all working directories.
---@class sessiond.ListAllParams
---@field limit? integer Maximum number of sessions in the answer.
---@field cursor? string `nextCursor` of the page before; opaque.
---@field includeText? boolean Add `allMessagesText` to every session.
---@field includeUsage? boolean Add `usage` to every session of the page.
---@field prices? boolean Whether to calculate the cost of entries that record none, with the prices of the package genai-prices; refused (`Unsupported`) where that is not installed.
---@field includeShortId? boolean Add `shortId` to every session of the page.
---@field named? boolean Only sessions that have a name.
---@field since? string Only sessions that were last used on this day (`YYYY-MM-DD` in `timezone`) or later, or at this time (ISO 8601) or later.
---@field until? string Only sessions that were created on this day or earlier, or before this time. With `since`: the time between the creation and the last use of the session overlaps the one that is asked for.
---@field timezone? string IANA name of the time zone for days; by default that of the daemon's machine.
---@field model? string Only sessions that used a model whose `provider/model` contains this text, in any case.
---@field agents? string[] Only sessions of these agents, by the names of their profiles.
---@field sort? "cost"|"messages"|"modified"|"size"|"used" What comes first: the latest (by default), largest, longest or most expensive session. With `used` a fork without messages of its own is as late as its creation (`lastUsed`).
---@field subagents? boolean Also sessions that agents began, for their subagents.
---@field past? boolean Also transcripts that a gateway put away when a conversation ended.
---@field tag? string Only sessions with this tag.
---@field hidden? "exclude"|"include"|"only" Whether hidden sessions are in the list: `include` by default.
---@field pinnedFirst? boolean Pinned sessions come before all others.
---@field workDoneToken? integer|string Token under which progress is reported; absent: no reports.
---@field partialResultToken? integer|string Token under which `$/progress` reports `PartialSessions` while the list is made; the answer still contains the whole page.
---@field sessionDir? string A single directory to search, instead of all of the profile's.
---@field project? string Only sessions of the project of this directory: those of the nearest repository (a directory with `.git`) around it, else of the directory and what is below it. The home directory and `/` are no projects: there only sessions of the directory itself are listed.

--- The defaults for sessions, from `agents.defaults`.
---@class sessiond.ListDefaults
---@field modelProvider string|vim.NIL null: not configured.
---@field model string|vim.NIL null: not configured.
---@field contextTokens number `agents.defaults.contextTokens`, else 200,000.

--- The sessions of one working directory.
---@class sessiond.ListParams
---@field cwd string Working directory; resolved, `~` expanded.
---@field limit? integer Maximum number of sessions in the answer.
---@field cursor? string `nextCursor` of the page before; opaque.
---@field includeText? boolean Add `allMessagesText` to every session.
---@field includeUsage? boolean Add `usage` to every session of the page.
---@field prices? boolean Whether to calculate the cost of entries that record none, with the prices of the package genai-prices; refused (`Unsupported`) where that is not installed.
---@field includeShortId? boolean Add `shortId` to every session of the page.
---@field named? boolean Only sessions that have a name.
---@field since? string Only sessions that were last used on this day (`YYYY-MM-DD` in `timezone`) or later, or at this time (ISO 8601) or later.
---@field until? string Only sessions that were created on this day or earlier, or before this time. With `since`: the time between the creation and the last use of the session overlaps the one that is asked for.
---@field timezone? string IANA name of the time zone for days; by default that of the daemon's machine.
---@field model? string Only sessions that used a model whose `provider/model` contains this text, in any case.
---@field agents? string[] Only sessions of these agents, by the names of their profiles.
---@field sort? "cost"|"messages"|"modified"|"size"|"used" What comes first: the latest (by default), largest, longest or most expensive session. With `used` a fork without messages of its own is as late as its creation (`lastUsed`).
---@field subagents? boolean Also sessions that agents began, for their subagents.
---@field past? boolean Also transcripts that a gateway put away when a conversation ended.
---@field tag? string Only sessions with this tag.
---@field hidden? "exclude"|"include"|"only" Whether hidden sessions are in the list: `include` by default.
---@field pinnedFirst? boolean Pinned sessions come before all others.
---@field workDoneToken? integer|string Token under which progress is reported; absent: no reports.
---@field partialResultToken? integer|string Token under which `$/progress` reports `PartialSessions` while the list is made; the answer still contains the whole page.
---@field sessionDir? string Directory to search instead of the profile's. If it is not the default one of `cwd`, only sessions of that `cwd` are listed.
---@field exactCwd? boolean Only sessions whose working directory is `cwd`, also in its default directory, which others with the same encoded name share (as in pi: all of them).

--- A page of sessions, in the order of `sort`.
---@class sessiond.ListResult
---@field sessions sessiond.SessionInfo[] The sessions.
---@field total integer Number of sessions on all pages.
---@field nextCursor? string Where the next page begins; absent: this is the last.
---@field prices? sessiond.PriceData The prices that were used; only with `prices`.
---@field problems? sessiond.FileProblem[] Files and directories that could not be read and are left out; absent: none.

--- The sessions in the trash that were deleted from a scope, the latest first.
---@class sessiond.ListTrashResult
---@field sessions sessiond.TrashedSession[] The sessions.
---@field problems? sessiond.FileProblem[] Files and directories that could not be read and are left out; absent: none.

--- An agent whose sessions are listed.
---@class sessiond.ListedAgent
---@field agent "clanker"|"claude-code"|"coderclaw"|"codex"|"companion"|"copilot"|"gemini-cli"|"indusagi"|"omp"|"openclaw"|"opencode"|"pi"|"qwen-code"|string Name of the agent's profile.
---@field sessionsDir string Directory or database of its sessions.

--- Messages with the roles that providers accept.
---@class sessiond.LlmMessagesResult
---@field messages sessiond.Message[] Messages with the roles system, user, assistant and toolResult; others are converted to these.

--- The store of one agent. `session.maintenance` and `cron` define what is removed.
---@class sessiond.MaintainParams
---@field agentId? string The agent of a key that names none; absent: that of the connection, else the default agent of the configuration.
---@field storePath? string Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
---@field config? table<string, any> `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
---@field mode? "enforce"|"warn" `warn`: only report what `enforce` would do. Absent: that of the configuration, else `warn`.
---@field dryRun? boolean Only report what would be done.

--- What was done, or with `dryRun` and in mode `warn`, what would be done.
---@class sessiond.MaintainResult
---@field mode "enforce"|"warn"|string `enforce`: entries were removed; `warn`: they would be.
---@field storePath string Absolute path of the store.
---@field pruned string[] Keys of sessions unused for longer than `pruneAfter`.
---@field capped string[] Keys of sessions beyond `maxEntries`; their transcripts stay.
---@field reaped string[] Keys of cron runs older than `cron.sessionRetention`; their transcripts stay.
---@field archived string[] New paths of the transcripts of pruned sessions, or their paths if nothing was done. A transcript that another session uses is not archived.
---@field removed string[] Archives of deleted sessions older than `pruneAfter`; they were deleted from the directories in which something was archived.
---@field problems? sessiond.StoreProblem[] Absent: there are none.
---@field configProblems? sessiond.ConfigProblem[] Absent: there are none.

--- A directory that has another path on the other side.
---@class sessiond.MappedDirectory
---@field here string The directory on this side.
---@field there string The one in its place; `~` is the home there.

--- A message, by its `role`.
---@alias sessiond.Message sessiond.UserMessage|sessiond.AssistantMessage|sessiond.ToolResultMessage|sessiond.BashExecutionMessage|sessiond.CustomMessage|sessiond.BranchSummaryMessage|sessiond.CompactionSummaryMessage|sessiond.SystemMessage|sessiond.UnknownMessage

--- An inbound message, with CoderClaw's names. Members that no rule reads are ignored.
---@class sessiond.MessageContext
---@field SessionKey? string Key of the session; overrides all other members.
---@field From? string Sender or group, as `telegram:group:-100` or a number.
---@field ChatType? string `direct`, `group` or `channel`.
---@field Provider? string Channel, if `From` does not begin with one; empty: no channel.
---@field CommandSource? string `native`: a native command of the channel.
---@field CommandTargetSessionKey? string Session of a native command, used instead of `SessionKey`.
---@field BodyForCommands? string The text alone, at whose start a reset trigger is looked for; absent: `CommandBody`.
---@field CommandBody? string Used instead of an absent `BodyForCommands`.
---@field RawBody? string Used instead of an absent `CommandBody`; absent: `Body`.
---@field Body? string The message, possibly with history, timestamps and names around it.
---@field To? string The recipient; replies are sent to it.
---@field OriginatingTo? string Where replies are sent; overrides `To`.
---@field OriginatingChannel? string Channel to which replies are sent.
---@field Surface? string Channel on which the message was received.
---@field AccountId? string The agent's account on the channel.
---@field MessageThreadId? string|number Thread or topic; 0 and the empty string are valid.
---@field ThreadLabel? string Name of the thread; becomes that of the session.
---@field ThreadStarterBody? string The first message of the thread.
---@field ParentSessionKey? string Key of the parent session, whose transcript a new thread copies.
---@field GroupSubject? string The group's title.
---@field GroupChannel? string The channel's name, as `#general`.
---@field GroupSpace? string Server or workspace of the channel.
---@field SenderName? string Name of the sender.
---@field ConversationLabel? string Display name of the conversation.

--- Messages of the whole file, including other branches and compacted messages.
---@class sessiond.MessageFigures
---@field byRole table<string, integer> Number of messages by role; the key is empty for messages without a role. An answer that an agent keeps in several entries (`partOf`) is one message.

--- The messages to measure: send exactly one of the two members.
---@class sessiond.MessagesParams
---@field session? string Handle of the session: measure the context at its leaf.
---@field messages? sessiond.Message[] Messages in order, each an object with a string `role`. Other members that are missing or have an unexpected type count as 0.

--- A change of the model by the user; it applies from here on.
---@class sessiond.ModelChangeEntry
---@field id string Unique in the file; pi writes 8 hexadecimal digits.
---@field parentId string|vim.NIL Id of the parent entry; null: the entry is a root.
---@field timestamp string ISO 8601 UTC with milliseconds.
---@field provider string Provider of the model, such as `anthropic`.
---@field modelId string Id of the model.
---@field appendMode? string `side`: the entry does not move the leaf; written by OpenClaw.
---@field type "model_change"

--- Messages, tokens and cost of one model.
---@class sessiond.ModelFigures
---@field provider string Empty, like `model`, for usage that names no model.
---@field model string Id of the model.
---@field messages integer Number of its assistant messages.
---@field tokens sessiond.TokenFigures Numbers of tokens.
---@field cost? sessiond.CostFigures Absent: there is usage, and none of it records a cost.
---@field withoutCost? integer Number of entries with usage that record no cost: the true cost is higher. Absent: there are none.
---@field calculated? integer Number of entries whose cost was not recorded, but calculated for `prices`. Absent: there are none.

--- A model.
---@class sessiond.ModelRef
---@field provider string Provider of the model, such as `anthropic`.
---@field modelId string Id of the model.

--- The usage of one model.
---@class sessiond.ModelUsage
---@field provider string Empty, like `model`, for usage that names no model.
---@field model string Id of the model.
---@field sums sessiond.UsageSums The sums.

--- The entry to move to.
---
--- The conditions hold for the move, too; `newEntryId` is the id of the label's entry.
---@class sessiond.NavigateParams
---@field session string Handle of the session.
---@field targetId string If it is a user message or custom message, its parent becomes the leaf, and its text is answered for editing. Any other entry becomes the leaf itself. If it is the leaf already, nothing happens.
---@field newEntryId? string Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
---@field expectedLeafId? string|vim.NIL Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
---@field expectedTipId? string|vim.NIL Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
---@field label? string Label for the target. It is stored in an entry under the new leaf, and that entry becomes the leaf. Absent, null or empty: no label.

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

--- A session to open, by its file or its id.
---
--- If the file is missing or empty, a new session is created there. A missing file whose name does
--- not end in `.jsonl`, such as an id, is `SessionNotFound`.
---@class sessiond.OpenParams
---@field path? string The session file; absent: `id` names the session.
---@field id? string Instead of `path`: the whole id of a session in any directory that the daemon serves; of several files with one id the latest counts. An unknown id is `SessionNotFound`.
---@field sessionDir? string Directory for sessions branched off this one; absent: the directory of the file.
---@field cwd? string Working directory to use instead of the one in the header; with `id`: only a session of this working directory.
---@field readOnly? boolean Refuse writes; a file of an older version is migrated in memory only.
---@field leafId? string|vim.NIL The handle's leaf (null: before the first entry), such as the one it had on an earlier connection. Absent, or while the file has no such entry: the leaf of the file.
---@field follow? boolean Move the handle's leaf whenever the leaf of the file moves, so that appends of others and own ones continue one branch. A handle that is moved to another entry stops following.
---@field mustExist? boolean Refuse a missing file (`SessionNotFound`).
---@field session? string The handle to give; one that is in use on this connection is `InvalidParams`. Absent: the daemon chooses.

--- Other processes that have the session open for writing, as far as is known.
---@class sessiond.OtherProcesses
---@field pids integer[] Ids of the processes.

--- An entry in the tree, without its content.
---@class sessiond.OutlineNode
---@field id string Id of the entry.
---@field parentId string|vim.NIL As in the entry.
---@field children string[] Ids of the children, by time.
---@field type string Type of the entry.
---@field timestamp string ISO 8601 UTC with milliseconds.
---@field preview string The beginning of its text, at most 120 characters.
---@field role? string Role of a message entry.
---@field label? string Absent: none.

--- The parts of `agent:<agentId>:<rest>`, in their original case.
---@class sessiond.ParsedKey
---@field agentId string Id of the agent.
---@field rest string The key without the agent.

--- The sorted list of the sessions read so far, up to the `limit` of the request.
---@class sessiond.PartialSessions
---@field sessions sessiond.SessionInfo[] The sessions.

--- A session before its next turn. Exactly one of `entry` and `sessionKey`.
---
--- With `entry` no file is read, and an absent `config` is then empty.
---@class sessiond.PlanMemoryFlushParams
---@field agentId? string The agent of a key that names none; absent: that of the connection, else the default agent of the configuration.
---@field storePath? string Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
---@field config? table<string, any> `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
---@field sessionKey? string Key, in any spelling that a gateway accepts; the store is read.
---@field entry? table<string, any> Entry of the session; the rule reads `totalTokens`, `totalTokensFresh`, `compactionCount` and `memoryFlushCompactionCount`.
---@field contextWindow? number Context window; absent: `agents.defaults.contextTokens`, else 200,000.
---@field sandboxed? boolean Whether the turn is sandboxed.
---@field workspaceAccess? string Access of the sandbox: `none`, `ro` or `rw`; a flush needs `rw`.
---@field heartbeat? boolean Whether the turn is a heartbeat.
---@field cliProvider? boolean Whether the model is run as a command.
---@field now? number Time in the prompt, in milliseconds since the epoch; absent: the host's time.
---@field timezone? string IANA name of the time zone in the prompt; absent: `agents.defaults.userTimezone`, else the host's.

--- Whether to run a turn that saves memories first.
---@class sessiond.PlanMemoryFlushResult
---@field flush boolean Whether to run a turn that saves memories first.
---@field reason "due"|"disabled"|"workspaceNotWritable"|"heartbeat"|"cliProvider"|"tokensUnknown"|"windowTooSmall"|"belowThreshold"|"alreadyFlushed"|string `due`, or the first reason why not.
---@field threshold integer Number of tokens at which the flush is due; 0: the context window is too small.
---@field prompt? string Prompt for the agent.
---@field systemPrompt? string Text to append to its system prompt, after a blank line.
---@field problems? sessiond.StoreProblem[] Absent: there are none.
---@field configProblems? sessiond.ConfigProblem[] Absent: there are none.

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
---@field fileOps sessiond.FileOperations Files that the summarized messages used.
---@field totalTokens integer Estimated tokens of `messages`.
---@field prompts? sessiond.BranchPrompts Only with `includePrompts`.

--- Settings of the plan.
---@class sessiond.PrepareCompactionParams
---@field session string Handle of the session.
---@field settings? sessiond.CompactionSettings The settings of compaction.
---@field includePrompts? boolean Add the complete prompts for the model.
---@field customInstructions? string Instructions for the summaries, added to the prompts.

--- A plan, or the reason why there is none.
---@class sessiond.PrepareCompactionResult
---@field preparation sessiond.CompactionPreparation|vim.NIL null: there is nothing to compact.
---@field reason? "Already compacted"|"Nothing to compact (session too small)"|string Why there is nothing to compact, in pi's words.

--- The prices with which costs were calculated.
---@class sessiond.PriceData
---@field package string The package that carries them.
---@field version string Its version, which says how old they are.

--- Progress of the request that carried the token.
---@class sessiond.ProgressParams
---@field token integer|string The token from the request.
---@field value sessiond.ProgressValue `WorkDoneProgress` or `PartialSessions`, depending on the token.

--- The value of `$/progress`, by its token.
---@alias sessiond.ProgressValue sessiond.WorkDoneProgress|sessiond.PartialSessions

--- An entry and the messages that it contributes to the context.
---@class sessiond.ProjectedEntry
---@field sourceEntry sessiond.Entry The entry.
---@field messages sessiond.Message[] Messages after context edits; empty: the entry contributes none.

--- The present state of an answer.
---@class sessiond.PublishDraftParams
---@field session string Handle of the session.
---@field message sessiond.Message|vim.NIL The whole message as far as it goes, with a `role`, of at most 256 kB; null: there is none.

--- A compaction that took place; at most one is counted per run.
---@class sessiond.RecordCompactionParams
---@field sessionKey string Key of the session, in any spelling that a gateway accepts.
---@field agentId? string The agent of a key that names none; absent: that of the connection, else the default agent of the configuration.
---@field storePath? string Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
---@field config? table<string, any> `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
---@field tokensAfter? number Estimated tokens of the context now, if not above the number before; it also removes `inputTokens` and `outputTokens`. Absent or 0: unknown.

--- The entry after the change.
---@class sessiond.RecordCompactionResult
---@field entry table<string, any>|vim.NIL null: the store has no entry under the key; nothing was written.
---@field count number|vim.NIL Compactions of the session, with this one; null: no entry.
---@field problems? sessiond.StoreProblem[] Absent: there are none.
---@field configProblems? sessiond.ConfigProblem[] Absent: there are none.

--- A turn that saved memories successfully.
---@class sessiond.RecordMemoryFlushParams
---@field sessionKey string Key of the session, in any spelling that a gateway accepts.
---@field agentId? string The agent of a key that names none; absent: that of the connection, else the default agent of the configuration.
---@field storePath? string Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
---@field config? table<string, any> `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
---@field compactions? integer Number of compactions that ended during the turn; more than one count as one. The next flush is due only after another compaction.

--- The entry after the change.
---@class sessiond.RecordResult
---@field entry table<string, any>|vim.NIL null: the store has no entry under the key; nothing was written.
---@field problems? sessiond.StoreProblem[] Absent: there are none.
---@field configProblems? sessiond.ConfigProblem[] Absent: there are none.

--- The usage of a run.
---
--- If `usage` has a count above 0, `inputTokens` and `outputTokens` become those of the run, and
--- `totalTokens` becomes the size of the last prompt: `promptTokens`, else input and cache of
--- `lastCallUsage`, else its sum, else its input. If none of these is known, `totalTokens` is
--- removed and `totalTokensFresh` is false.
---@class sessiond.RecordUsageParams
---@field sessionKey string Key of the session, in any spelling that a gateway accepts.
---@field agentId? string The agent of a key that names none; absent: that of the connection, else the default agent of the configuration.
---@field storePath? string Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
---@field config? table<string, any> `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
---@field usage? sessiond.TokenCounts Sum over all calls of the run.
---@field lastCallUsage? sessiond.TokenCounts Usage of the last call.
---@field promptTokens? number Size of the last prompt, if it is known exactly; 0: unknown.
---@field model? string The model that answered; absent: unchanged.
---@field provider? string Provider of the model; absent: unchanged.
---@field contextWindow? number The model's context window. Absent or 0: `agents.defaults.contextTokens`, else the previous value, else 200,000.
---@field systemPromptReport? table<string, any> The parts of the system prompt; absent: unchanged.

--- A new name for a session, which need not be open.
---@class sessiond.RenameParams
---@field path string The session file, which must exist.
---@field name string Line breaks become a space and white space at the ends is removed; an empty name clears it.
---@field change? string Any name of the change; with one, `catalog/undo` can take it back. Deletions in a row with the same name are taken back together.

--- The entry that stores the name.
---
--- It is appended under the last entry of the file, so that no part of the transcript leaves the
--- active branch.
---@class sessiond.RenameResult
---@field id string Id of the `session_info` entry.
---@field undoable? boolean Whether `catalog/undo` can take it back: not with `--root` or `--store`. Absent: the change had no name.

--- One action of a repair, done or planned.
---@class sessiond.RepairAction
---@field kind string Kind of the problem that it solves, or `oldVersion`: a damaged file of version 1 or 2 is migrated as well.
---@field message string Text for people.
---@field line? integer Number of the line in the file before the repair; absent: the whole file.

--- A file to repair.
---@class sessiond.RepairParams
---@field path string The session file.
---@field dryRun boolean true: only report what would be done. false: repair the file.

--- The problems and the actions.
---
--- Problems without an action stay in the file; readers skip them.
---@class sessiond.RepairResult
---@field problems sessiond.Diagnostic[] As found, in order of lines.
---@field actions sessiond.RepairAction[] In order of lines; empty: nothing needs to be done.
---@field backup? string Copy of the file before the repair, `<file>.bak-<time>` in the same directory; absent: nothing was written.

--- The content that replaces the content of an entry in the context.
---@class sessiond.Replacement
---@field content sessiond.Content The new content.

--- Starts the context again after this entry; written by OpenClaw for a new conversation.
---@class sessiond.ResetEntry
---@field id string Unique in the file; pi writes 8 hexadecimal digits.
---@field parentId string|vim.NIL Id of the parent entry; null: the entry is a root.
---@field timestamp string ISO 8601 UTC with milliseconds.
---@field appendMode? string `side`: the entry does not move the leaf; written by OpenClaw.
---@field type "reset"
---@field reason? string Such as `new` or `reset`.
---@field firstKeptEntryId? string|vim.NIL First earlier entry that stays in the context; absent: no entry stays.

--- When a session is reset.
---
--- In mode `daily` both the hour and the idle minutes apply, whichever expires first.
---@class sessiond.ResetPolicy
---@field mode "daily"|"idle"|string `daily`: expires at an hour of the day; `idle`: only after time without use.
---@field atHour integer Hour of the daily reset, in local time.
---@field idleMinutes? integer Minutes without use after which the session expires; absent: it does not expire by idleness.

--- Exactly one of `context` and `key`.
---@class sessiond.ResolveKeyParams
---@field context? sessiond.InboundContext A message of the session.
---@field key? string A key as people and old stores write it.
---@field config? table<string, any> `session`, `agents`, `channels` and `cron` of a CoderClaw configuration.
---@field agentId? string The agent of a `key` that names none; absent: the default agent.

--- The canonical key of a session, and facts that follow from it.
---@class sessiond.ResolveKeyResult
---@field sessionKey string Empty for a blank key.
---@field kind "direct"|"global"|"group"|"unknown"|string `direct`, `group`, `global` or `unknown`, by the key.
---@field agentId string Agent whose store has the session.
---@field parsed sessiond.ParsedKey|vim.NIL The parts of `key` as it was sent (with `context`: of `sessionKey`); null: it does not name an agent.
---@field aliases string[] Other keys under which an old store may have the session. They and `sessionKey` may occur there in upper or lower case.
---@field configProblems? sessiond.ConfigProblem[] Absent: there are none.

--- A session to restore from the trash.
---@class sessiond.RestoreParams
---@field path string Path of the file before it was deleted. If several files with this path were deleted, the latest is restored. An existing file is never replaced.

--- A session that was found.
---@class sessiond.SearchHit
---@field info sessiond.SessionInfo The session.
---@field distance number Lower is better: the sum over words and phrases of pi 1.6.0's scores. Below 1,000,000 for a match in the name, 1,000,000 in the id, a message or the working directory, about 2,000,000 for scattered characters.
---@field snippets sessiond.SearchSnippet[] Up to three texts in file order: first those with all words and phrases are chosen, then those with the most and rarest.
---@field matchCount integer Number of texts with any of the words and phrases; 0 if the session matches by its name, id or directory alone.
---@field hasMoreMatches? boolean True: only the first 40 texts with all words and the first 40 with each were counted, and there are more.
---@field alsoIn? string[] Paths of other hits of this page that have the same texts of the same entries, as forks do.

--- A part of a text, on one line.
---@class sessiond.SearchSnippet
---@field entryId string Id of the message's entry; empty if the entry has none.
---@field role "assistant"|"bashExecution"|"branch_summary"|"compaction"|"label"|"toolResult"|"user"|string Role of the message.
---@field text string At most 240 characters, with the first match in the first 60; control characters are replaced by spaces. Where the text is cut, at a word if one is near, is an ellipsis.
---@field ranges [integer, integer][] Start and end (exclusive) of each match in `text`, in units of the connection's `positionEncoding`.
---@field field? "calls"|"commands"|"labels"|"results"|"said"|"summaries"|"thinking"|string Absent: `said`.
---@field time? string When it was said or done; absent: unknown.
---@field tool? string Of a call or a result: the tool.
---@field file? string Of a call: the file that it names.
---@field onCurrentBranch? boolean False: the entry is not on the branch that the session is opened at. Absent: it is, or that is not known: a page of hits reads 16 MB of sessions at most for it.

--- Another search, which finds something; what is absent stays as it was sent.
---@class sessiond.SearchSuggestion
---@field query string What to search for.
---@field total integer Number of its hits.
---@field fields? ("calls"|"commands"|"labels"|"results"|"said"|"summaries"|"thinking"|string)[] The fields that have the texts.
---@field everywhere? boolean True: without `cwd`.

--- A conversation as one text.
---@class sessiond.SerializeResult
---@field text string The text has no thinking. Tool results are cut after 2,000 UTF-16 code units, never inside a character.

--- Capabilities of the daemon.
---@class sessiond.ServerCapabilities
---@field framing "header"|"line"|string Framing of this connection, in both directions.
---@field methods string[] Names of all methods and notifications that the daemon accepts.
---@field notifications string[] Names of all notifications that the daemon may send.

--- The daemon's name and version.
---@class sessiond.ServerInfo
---@field version string Version of the program.
---@field name "sessiond"|string Name of the program.

--- The present work of the agent of a session.
---@class sessiond.SessionActivity
---@field state "idle"|"running"|"waiting"|string `waiting`: for a person. Later versions may add states.
---@field text? string Its work, or the thing it waits for; text for people.

--- The context for a model, before its messages are converted to the roles of a provider.
---@class sessiond.SessionContextResult
---@field messages sessiond.Message[] The messages.
---@field thinkingLevel string `off` unless the branch sets another level.
---@field model sessiond.ModelRef|vim.NIL null: the branch sets no model.

--- The present draft of a session, unless this handle published it.
---@class sessiond.SessionDidChangeDraftParams
---@field session string Handle of the session.
---@field draft sessiond.Draft|vim.NIL Replaces the draft before; null: there is none any more.

--- A change of a session's file that was not made through this handle.
---@class sessiond.SessionDidChangeParams
---@field session string Handle of the session.
---@field sequence integer Number of this notification: one more than that of the notification before it for the handle, so that a lost one is noticed.
---@field path string Absolute path of the file.
---@field generation integer Number of times the file was loaded again because another program had rewritten it.
---@field kind "appended"|"deleted"|"invalid"|"restored"|"rewritten"|string After `deleted` or `invalid`, reads answer the last valid state until `restored` or `rewritten`.
---@field leafId string|vim.NIL The handle's present leaf; null: before the first entry.
---@field tipId string|vim.NIL Last entry of the file at present; null: there is none.
---@field entryCount integer Present number of entries.
---@field entries? sessiond.EntryFacts[] The appended entries, in file order; none if what was appended is no entry.
---@field name? string Present name; absent: none.
---@field diagnostics? sessiond.Diagnostic[] The first 100 problems of lines appended since the notification before, also of a last line that has no end yet.

--- The directory for sessions branched off this one.
---@class sessiond.SessionDirResult
---@field sessionDir string Directory of the session's file.

--- Path of the session's file.
---@class sessiond.SessionFileResult
---@field sessionFile string|vim.NIL Absolute path, also before the file is written; null for a session in memory.

--- The first line of a session file; not part of the tree.
---@class sessiond.SessionHeader
---@field id string Id of the session.
---@field timestamp string Start of the session; ISO 8601 UTC.
---@field cwd string Working directory.
---@field type "session"
---@field version? integer Version of the file format; absent: 1. OpenClaw may write 4.
---@field parentSession? string Path of the session this one was forked from.
---@field branchedFrom? string The name of `parentSession` in version 1.
---@field provider? string Initial provider; only version 1 wrote it.
---@field modelId? string Initial model; only version 1 wrote it.
---@field thinkingLevel? string Initial thinking level; only version 1 wrote it.

--- The file in which a mirrored session is written; its copy in the store is read-only.
---@class sessiond.SessionHome
---@field host string Name of the host, as its mirror gives it.
---@field path string Absolute path of the file on that host.

--- The id in the session's header.
---@class sessiond.SessionIdResult
---@field sessionId string Id of the session.

--- A session as lists show it. All times are ISO 8601 UTC with milliseconds.
---@class sessiond.SessionInfo
---@field path string Absolute path of the file.
---@field id string Id in the session's header.
---@field cwd string Working directory; empty: the header has none.
---@field created string Time from the header.
---@field modified string Time of the latest user or assistant message; without one, that of the header or of the file.
---@field messageCount integer Number of message entries of any role.
---@field firstMessage string Text of the first user message, or `(no messages)`.
---@field sizeBytes integer Size of the file in bytes.
---@field agent? string With `allAgents`: profile of its agent; absent: it is in no agent's place.
---@field name? string Name given by a user; absent: none.
---@field parentSessionPath? string Path of the session it was forked from, from the header; of a subagent's session, that of the session that began it.
---@field subagent? sessiond.SubagentRun Present: an agent began the session.
---@field isPast? boolean True: a gateway put the transcript away when its conversation ended.
---@field lastUsed? string When a fork was created, if it has no later message; absent: `modified` says when the session was last used.
---@field revision? string Differs whenever the session has changed, also by a rename; opaque.
---@field marks? sessiond.SessionMarks Set by `catalog/setMarks`; absent: the session has none.
---@field home? sessiond.SessionHome Where the session is written, if this is a copy that a mirror keeps in the store; absent: here.
---@field inUse? sessiond.OtherProcesses Present if other processes have the session open for writing through sessiond. Agents that write by themselves, such as pi, are not seen so: see `activeSince`.
---@field activeSince? string Time of the last write of another program to the file, as far as the daemon knows; absent: only this daemon has written to it, or it is in a store.
---@field activity? sessiond.SessionActivity As a handle has set it in this daemon (`session/setActivity`), or `running` if another program wrote to the file in the last minute, or in the last 30 with a prompt, a call or a result as its last message. Absent: nothing is known.
---@field allMessagesText? string Text of all user and assistant messages; only with `includeText`.
---@field shortId? string Only with `includeShortId`: the shortest beginning of the id, of at least 8 characters, that names this session alone among all of the directory or profile. If not all ids are known it has 13 characters, which say when the session was created (UUID version 7).
---@field usage? sessiond.SessionUsage Only with `includeUsage`; absent: the session has recorded none.

--- A user's name for the session. The last name in the file applies.
---@class sessiond.SessionInfoEntry
---@field id string Unique in the file; pi writes 8 hexadecimal digits.
---@field parentId string|vim.NIL Id of the parent entry; null: the entry is a root.
---@field timestamp string ISO 8601 UTC with milliseconds.
---@field appendMode? string `side`: the entry does not move the leaf; written by OpenClaw.
---@field type "session_info"
---@field name? string Trimmed when read; empty: no name.

--- The marks that a person gave a session in sessiond.
---@class sessiond.SessionMarks
---@field pinned boolean Whether lists may have it first.
---@field hidden boolean Whether lists may leave it out.
---@field tags string[] Sorted; empty: none.

--- A message of the conversation.
---@class sessiond.SessionMessageEntry
---@field id string Unique in the file; pi writes 8 hexadecimal digits.
---@field parentId string|vim.NIL Id of the parent entry; null: the entry is a root.
---@field timestamp string ISO 8601 UTC with milliseconds.
---@field message sessiond.Message The message.
---@field appendMode? string `side`: the entry does not move the leaf; written by OpenClaw.
---@field type "message"

--- The session's name.
---@class sessiond.SessionNameResult
---@field name string|vim.NIL null: none.

--- Params of methods that take only a session.
---@class sessiond.SessionParams
---@field session string Handle of the session.

--- The context together with the entries that contribute to it.
---@class sessiond.SessionProjectionResult
---@field entries sessiond.ProjectedEntry[] The entries.
---@field thinkingLevel string `off` unless the branch sets another level.
---@field model sessiond.ModelRef|vim.NIL null: the branch sets no model.

--- A session: its entry, and what follows from it.
---@class sessiond.SessionRow
---@field key string The canonical key, with the agent.
---@field agentId string The agent of the store.
---@field kind "direct"|"global"|"group"|"unknown"|string `direct`, `group`, `global` or `unknown`, by the key.
---@field updatedAt number|vim.NIL Milliseconds since the epoch; null: unknown.
---@field totalTokensFresh boolean Whether `totalTokens` is up to date.
---@field entry table<string, any> The entry without `skillsSnapshot` and `systemPromptReport`, which `gateway/get` answers.
---@field sessionId? string Id of the session.
---@field displayName? string Name of the session, else of the group, else label, else origin.
---@field derivedTitle? string Label, else name, else subject, else the beginning of the first user message after the last reset, else the beginning of the session id.
---@field lastMessagePreview? string Text of the last user or assistant message.
---@field channel? string Channel of the entry, else of the key.
---@field modelProvider? string That of the last run, else the override.
---@field model? string That of the last run, else the override.
---@field totalTokens? number Absent if it may be outdated.

--- An open session as its handle sees it.
---@class sessiond.SessionState
---@field session string The handle: an opaque string, valid on this connection only.
---@field sessionId string Id in the session's header.
---@field sessionFile string|vim.NIL Absolute path of the file, also before it is written; null for a session in memory.
---@field sessionDir string Directory for sessions branched off this one; empty for a session in memory.
---@field cwd string Working directory of the session.
---@field persisted boolean Whether the session belongs to a file.
---@field readOnly boolean Whether appends are refused: the session was opened for reading only, only its agent may write it, or it has a `home` elsewhere.
---@field leafId string|vim.NIL Entry under which the next one is appended; null: before the first entry. In a file just opened it is the last entry, unless a `leaf` line or entries with `appendMode: side` of OpenClaw say otherwise.
---@field tipId string|vim.NIL Last entry of the file, including `leaf` lines and entries appended with `appendMode: side`; null: there is none.
---@field entryCount integer Number of entries, without the header.
---@field version integer Version of the file format, after migration.
---@field generation integer Number of times the file was loaded again because another program had rewritten it.
---@field header sessiond.Header The session's header.
---@field diagnostics sessiond.Diagnostic[] The first 100 problems of the file; `catalog/check` reports all.
---@field agent? string With `allAgents`: profile of its agent; absent: it is in no agent's place.
---@field readOnlyReason? string Why the session cannot be written, and what to do instead; text for people. Absent: it can, or the client chose to read only.
---@field home? sessiond.SessionHome Where the session is written, if this is a copy that a mirror keeps in the store; absent: here.
---@field name? string Name given by a user; absent: none.
---@field inUse? sessiond.OtherProcesses Present if other processes have the session open for writing.
---@field draft? sessiond.Draft An answer in progress that another handle has published; `session/didChangeDraft` reports how it goes on.
---@field diagnosticCount? integer Number of problems of the file; absent: `diagnostics` has all of them.

--- The params of one `session/update`, ready to be sent.
---@class sessiond.SessionUpdate
---@field sessionId string Id in the session's header.
---@field update any A `SessionUpdate` of ACP, version 1.

--- What the entries of a session have recorded, including those that it shares with others.
---@class sessiond.SessionUsage
---@field tokens integer Tokens of all kinds.
---@field withoutCost integer Number of entries that used tokens without a recorded cost; if it is not 0, the true cost is higher.
---@field models string[] `provider/model` of each model, as recorded.
---@field cost? number US dollars; absent: no cost is recorded.
---@field calculated? integer Number of entries whose cost was not recorded, but calculated for `prices`. Absent: there are none.

--- The work of the agent behind a handle from now on.
---@class sessiond.SetActivityParams
---@field session string Handle of the session; it may be read-only.
---@field state "idle"|"running"|"waiting" `waiting`: for a person, such as for a permission.
---@field text? string Its work, or the thing it waits for; text for people.

--- Sessions, and the marks that all of them get or lose; absent ones stay as they are.
---@class sessiond.SetMarksParams
---@field paths string[] The session files, which must exist; at most 1000.
---@field pinned? boolean Whether they are pinned from now on.
---@field hidden? boolean Whether they are hidden from now on.
---@field addTags? string[] Words of at most 64 characters, without white space, commas and control characters.
---@field removeTags? string[] Tags that they lose; a tag that is in `addTags`, too, stays.

--- The marks that the sessions have now.
---@class sessiond.SetMarksResult
---@field marks sessiond.SessionMarks[] In the order of `paths`.

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
---@field settings? sessiond.CompactionSettings The settings of compaction.

--- Whether to compact: compaction is enabled and `tokens` exceed `threshold`.
---@class sessiond.ShouldCompactResult
---@field compact boolean Whether the context should be compacted now.
---@field tokens integer The `tokens` of `context/estimateTokens`.
---@field threshold integer The context window minus the reserve; negative if the reserve is larger.

--- A line of a file or a row of a database, as the agent wrote it.
---@class sessiond.SourceRecord
---@field sizeBytes integer Number of bytes, without a line feed.
---@field text string Its beginning; bytes that are not UTF-8 are shown as U+FFFD.
---@field truncated boolean Whether the text is only the beginning of the record.
---@field path? string The file; absent: the session has none.
---@field line? integer Number of the line, from 1; absent: it is no line of a file.
---@field byteOffset? integer Number of bytes before the line.

--- The session to count: send exactly one of the two members.
---@class sessiond.StatsParams
---@field path? string A session file; it is not changed.
---@field session? string Handle of an open session, also before its file is written.
---@field timezone? string IANA name of the time zone for days; by default that of the daemon's machine.
---@field since? string First day to count, as `YYYY-MM-DD` in `timezone`. With it or `until` entries without a date do not count; `branches` and `sizeBytes` are always those of the whole file.
---@field until? string Last day to count, as `YYYY-MM-DD` in `timezone`.
---@field prices? boolean Whether to calculate the cost of entries that record none, with the prices of the package genai-prices; refused (`Unsupported`) where that is not installed.

--- Statistics over all entries of the file, on all branches.
---
--- Usage is counted from assistant messages, tool results, `usage` entries, and the summaries of
--- compactions and branches (as in pi 1.6.0).
---@class sessiond.StatsResult
---@field messages sessiond.MessageFigures Numbers of messages.
---@field toolCalls integer Tool calls in assistant messages.
---@field toolResults integer Messages of role `toolResult`.
---@field branches integer Number of entries without children: 1 for a session without forks.
---@field compactions integer Number of compactions.
---@field tokens sessiond.TokenFigures Numbers of tokens.
---@field byModel sessiond.ModelFigures[] In order of first use; the sums equal the totals.
---@field byDay sessiond.DayFigures[] In order of days. An entry counts for the day of its message's timestamp, else of its own timestamp; without a date it counts for no day.
---@field sizeBytes integer Size of the file; 0 before it is written.
---@field cost? sessiond.CostFigures Absent: there is usage, and none of it records a cost.
---@field withoutCost? integer Number of entries with usage that record no cost: the true cost is higher. Absent: there are none.
---@field calculated? integer Number of entries whose cost was not recorded, but calculated for `prices`. Absent: there are none.
---@field firstActivity? string Time of the earliest user or assistant message, ISO 8601 UTC with milliseconds; absent: there is none.
---@field lastActivity? string Time of the latest user or assistant message, as `modified` in lists.
---@field prices? sessiond.PriceData The prices that were used; only with `prices`.

--- Counters of the daemon, for people and for monitoring.
---@class sessiond.StatusResult
---@field version string Version of the program.
---@field pid integer Process id.
---@field uptimeMs integer Milliseconds since the start.
---@field requests integer Number of requests received so far.
---@field openSessions integer Number of open session handles.
---@field cache sessiond.CacheStatus The cache of documents.
---@field watch sessiond.WatchStatus How changes of files are noticed.
---@field memoryBytes integer Resident memory of the process.
---@field shared? boolean Whether the process also serves other clients (`--shared`).
---@field connections? integer Number of clients served now.
---@field store? sessiond.StoreStatus Absent: sessions are in files.

--- A change of one key.
---@class sessiond.StoreChange
---@field kind "added"|"changed"|"removed"|string `added`, `changed` or `removed`.
---@field sessionKey string The key as it is spelled in the store.
---@field entry? table<string, any> An entry of a store, with all its members.

--- The session to remove; the main session of the default agent cannot be removed.
---@class sessiond.StoreDeleteParams
---@field key string Key of the session, in any spelling that a gateway accepts.
---@field agentId? string The agent of a key that names none; absent: that of the connection, else the default agent of the configuration.
---@field storePath? string Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
---@field config? table<string, any> `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
---@field deleteTranscript? boolean Archive the session's transcript by renaming it.
---@field force? boolean Do it even if the transcript is open for writing, here or in another process, or a gateway runs a turn on it; otherwise the request then fails with `InUse`. A handle that is still open creates the file again with its next append.

--- What was done.
---@class sessiond.StoreDeleteResult
---@field key string The key as it is spelled in the store.
---@field deleted boolean Whether the store had the session.
---@field archived string[] New paths of its transcripts: `<path>.deleted.<time>`.
---@field problems? sessiond.StoreProblem[] Absent: there are none.
---@field configProblems? sessiond.ConfigProblem[] Absent: there are none.

--- A session by its key.
---@class sessiond.StoreGetParams
---@field sessionKey string Key of the session, in any spelling that a gateway accepts.
---@field agentId? string The agent of a key that names none; absent: that of the connection, else the default agent of the configuration.
---@field storePath? string Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
---@field config? table<string, any> `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.

--- The entry of a session.
---@class sessiond.StoreGetResult
---@field sessionKey string The key as it is spelled in the store.
---@field agentId string The agent whose store has the session.
---@field entry table<string, any>|vim.NIL null: there is none.
---@field storePath string Absolute path of the store.
---@field transcript? string Absolute path of the transcript, or where it would lie if there is none; absent: the entry names no valid session, or one outside the roots.
---@field problems? sessiond.StoreProblem[] Absent: there are none.
---@field configProblems? sessiond.ConfigProblem[] Absent: there are none.

--- Filters for the list; a session must match all of them.
---
--- Unless all agents share a store, the stores of all agents are listed: of the agents in
--- `agents.list`, or if it is absent of the agents that have a directory.
---@class sessiond.StoreListParams
---@field storePath? string Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
---@field config? table<string, any> `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
---@field agentId? string Only sessions of this agent.
---@field limit? integer Maximum number of sessions; the latest are listed.
---@field activeMinutes? integer Only sessions used within this number of minutes.
---@field includeGlobal? boolean Include the session `global`.
---@field includeUnknown? boolean Include the session `unknown`.
---@field includeDerivedTitles? boolean Add `derivedTitle`; this reads the transcripts.
---@field includeLastMessage? boolean Add `lastMessagePreview`; this reads the transcripts.
---@field label? string The whole label.
---@field spawnedBy? string Key of the session that spawned it.
---@field archived? boolean Only archived sessions (`archivedAt`), or only the others.
---@field search? string Text that occurs in name, label, subject, session id or key; not case-sensitive.

--- Sessions, the latest first; cron jobs are included, their runs are not.
---@class sessiond.StoreListResult
---@field ts integer Time of the answer, milliseconds since the epoch.
---@field path string Path of the store; with `{agentId}` as it was given; `(multiple)`: each agent has a store.
---@field count integer Number of sessions in `sessions`.
---@field defaults sessiond.ListDefaults Settings of sessions that have none of their own.
---@field sessions sessiond.SessionRow[] The sessions.
---@field problems? sessiond.StoreProblem[] Absent: there are none.
---@field configProblems? sessiond.ConfigProblem[] Absent: there are none.

--- The settings to change; null removes one. Other values are refused with those allowed.
---@class sessiond.StorePatchParams
---@field key string Key of the session, in any spelling that a gateway accepts.
---@field agentId? string The agent of a key that names none; absent: that of the connection, else the default agent of the configuration.
---@field storePath? string Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
---@field config? table<string, any> `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
---@field label? string|vim.NIL Up to 64 characters (UTF-16 code units); unique in the store.
---@field thinkingLevel? string|vim.NIL `off`, `minimal`, `low`, `medium`, `high` or `xhigh`.
---@field verboseLevel? string|vim.NIL `off`, `on` or `full`.
---@field reasoningLevel? string|vim.NIL `on` or `stream`; `off` is the same as null.
---@field responseUsage? string|vim.NIL `tokens` or `full`; `off` is the same as null.
---@field elevatedLevel? string|vim.NIL `off`, `on`, `ask` or `full`; `off` is kept.
---@field execHost? string|vim.NIL `sandbox`, `gateway` or `node`.
---@field execSecurity? string|vim.NIL `deny`, `allowlist` or `full`.
---@field execAsk? string|vim.NIL `off`, `on-miss` or `always`.
---@field execNode? string|vim.NIL Name of a node; not blank.
---@field model? string|vim.NIL `provider/model`, or a model of the default's provider. It is not checked, because the daemon has no list of models. null: no override. The recorded model and account of the last run are removed in any case.
---@field sendPolicy? string|vim.NIL `allow` or `deny`.
---@field groupActivation? string|vim.NIL `mention` or `always`.

--- The entry after the change; it is created if there was none.
---@class sessiond.StorePatchResult
---@field path string Absolute path of the store.
---@field key string The key as it is spelled in the store.
---@field entry table<string, any> An entry of a store, with all its members.
---@field problems? sessiond.StoreProblem[] Absent: there are none.
---@field configProblems? sessiond.ConfigProblem[] Absent: there are none.

--- A problem in a store. The value that caused it was skipped and is still stored.
---@class sessiond.StoreProblem
---@field kind "corruptStore"|"unreadableStore"|"unreadableEntry"|"notAnEntry"|"invalidSessionId"|"invalidSessionFile"|"archiveFailed"|"replacedStore"|string `corruptStore`: the store is not valid; it is copied before it is replaced. `unreadableStore`: the store cannot be read; the answer about other stores is complete. `unreadableEntry`: an entry or its transcript cannot be read; the answer about other entries is complete. `notAnEntry`: a value that is not an entry. `invalidSessionId`, `invalidSessionFile`: an entry whose session cannot continue. `archiveFailed`: a transcript of an old session that could not be renamed. `replacedStore`: OpenClaw keeps these sessions in the database at `path`, which cannot be read; the store is outdated.
---@field message string Text for people.
---@field sessionKey? string Key of the value in the store.
---@field path? string Path of the file, or of its copy.

--- The session to reset.
---@class sessiond.StoreResetParams
---@field key string Key of the session, in any spelling that a gateway accepts.
---@field agentId? string The agent of a key that names none; absent: that of the connection, else the default agent of the configuration.
---@field storePath? string Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
---@field config? table<string, any> `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
---@field reason? "new"|"reset" Reason, for people; it has no effect.
---@field force? boolean Do it even if the transcript is open for writing, here or in another process, or a gateway runs a turn on it; otherwise the request then fails with `InUse`. A handle that is still open creates the file again with its next append.

--- The new session, which has no transcript yet.
---
--- The old transcript is renamed to `….reset.<time>`.
---@class sessiond.StoreResetResult
---@field key string The key as it is spelled in the store.
---@field entry table<string, any> The new entry, with a new `sessionId` and counters of 0. The levels for thinking, verbosity and reasoning, the usage footer, `model`, `contextTokens`, `sendPolicy`, `label`, `origin`, the last route, `skillsSnapshot` and unknown members are kept.
---@field archived? string[] New paths of the old transcripts: `<path>.reset.<time>`.
---@field problems? sessiond.StoreProblem[] Absent: there are none.
---@field configProblems? sessiond.ConfigProblem[] Absent: there are none.

--- The store in PostgreSQL, as this daemon sees it.
---@class sessiond.StoreStatus
---@field server string Its URL, without user and password.
---@field requests integer Number of requests that wait for the store or are worked on there.
---@field untold integer Number of changed sessions of which other hosts are still to hear.
---@field lastError? string Why it failed the last time; absent: it never has.
---@field lastErrorAt? string When that was, ISO 8601 UTC with milliseconds.

--- A session in a store.
---@class sessiond.StoredSession
---@field agentId string The agent of the store. If agents share the store: the agent of the request, else the default agent; the key names the agent of the session.
---@field storePath string Absolute path of the store.
---@field sessionKey string The key as it is spelled in the store.
---@field entry table<string, any> An entry of a store, with all its members.

--- What is known of a session that an agent began.
---@class sessiond.SubagentRun
---@field kind? string Kind of the subagent, as its agent names it.
---@field toolCallId? string The tool call in the parent session that began it.

--- A session that has moved, or a part of it.
---@class sessiond.SyncMove
---@field session string Its id; of a subagent, the id of its parent and a path below it.
---@field agent string The agent whose session it is.
---@field kind "session"|"entries"|"bytes"|"deletion"|string `session`: a file that one side did not have. `entries`: entries that it lacked. `bytes`: the continuation of a file that only its agent writes. `deletion`: a session that moved to the trash. Later versions may add kinds.
---@field direction "pull"|"push"|string `pull`: to this side. `push`: to the other.
---@field cwd string Its working directory, with `~` for the home; may be empty.
---@field entries? integer Number of entries that moved; absent for other content.

--- Another place, and what moves between it and this one; `host` or `directory` is required.
---@class sessiond.SyncParams
---@field host? string A machine as `ssh` names it, on which sessiond is installed.
---@field directory? string A folder with a replica of the sessions, which other machines may use, too. It is created if it is missing.
---@field program? string How sessiond is called on `host`; default `sessiond`.
---@field direction? "pull"|"push" `pull`: change only this side. `push`: only the other. Default: both.
---@field dryRun? boolean Report what would move, and write nothing.
---@field deletions? boolean Move a session to the trash if the other side has it, unchanged, in its trash. By default it stays, and does not come back there.
---@field agents? string[] Only sessions of these agents, by the names of their profiles; default: the profile of the client, or all that it lists.
---@field project? string Only sessions of the project of this directory, as in `session/listAll`.
---@field since? string Only sessions whose file changed on one of the sides on this day (`YYYY-MM-DD`) or later, or at this time (ISO 8601) or later.
---@field map? sessiond.MappedDirectory[] Directories with other paths on the other side. Those below the home directory need none: they are below the home there.
---@field workDoneToken? integer|string Token under which progress is reported; absent: no reports.

--- A session or a file that was left alone.
---@class sessiond.SyncProblem
---@field name string The session, as in `SyncMove`, or a path.
---@field message string Text for people.

--- Everything that moved, and what was left alone.
---@class sessiond.SyncResult
---@field moves sessiond.SyncMove[] In a dry run, those that would be made.
---@field problems sessiond.SyncProblem[] Empty if nothing was left alone.
---@field compared integer Number of sessions on both sides together.

--- A part of the system prompt; all parts, applied in order, give the present prompt.
---@class sessiond.SystemMessage
---@field content sessiond.Content Text to append to the prompt.
---@field role "system"
---@field sections? table<string, string|vim.NIL> Named sections and their new text; null removes a section.
---@field toolsAdded? any[] Tool declarations to add or replace, by their `name`.
---@field toolsRemoved? any[] `{name}` of the tools to remove, before others are added.
---@field timestamp? integer|vim.NIL Unix milliseconds; absent or null: not known. Appends do not need it.

--- Text.
---@class sessiond.TextContent
---@field text string The text.
---@field type "text"
---@field textSignature? string Signature from the provider, for replay; opaque.

--- A model's thinking.
---@class sessiond.ThinkingContent
---@field thinking string Text of the thinking.
---@field type "thinking"
---@field thinkingSignature? string Signature from the provider, for replay; contains the payload of redacted thinking.
---@field redacted? boolean Whether the provider withheld the text.

--- A change of the thinking level by the user; it applies from here on.
---@class sessiond.ThinkingLevelChangeEntry
---@field id string Unique in the file; pi writes 8 hexadecimal digits.
---@field parentId string|vim.NIL Id of the parent entry; null: the entry is a root.
---@field timestamp string ISO 8601 UTC with milliseconds.
---@field thinkingLevel string As the agent names it, such as `high`.
---@field appendMode? string `side`: the entry does not move the leaf; written by OpenClaw.
---@field type "thinking_level_change"

--- The messages to convert: send exactly one of `session` and `messages`.
---@class sessiond.ToLlmParams
---@field session? string Handle of the session: measure the context at its leaf.
---@field messages? sessiond.Message[] Messages in order, each an object with a string `role`. Other members that are missing or have an unexpected type count as 0.
---@field repair? boolean Make providers accept what an interrupted turn left: each call without a result gets one (`No result provided`), and results without a call, aborted answers and answers that ended in an error are left out.

--- Numbers of tokens, with the names of pi's `usage`; its other members are ignored.
---@class sessiond.TokenCounts
---@field input? number Of prompts, without those in the cache.
---@field output? number Of answers.
---@field cacheRead? number Of prompts, read from the cache.
---@field cacheWrite? number Of prompts, written to the cache.
---@field totalTokens? number The sum; it is used if the parts of the prompt are unknown.

--- Sum of the tokens in all recorded usage.
---@class sessiond.TokenFigures
---@field input integer Number of input tokens.
---@field output integer Number of output tokens.
---@field cacheRead integer Number of tokens read from the provider's cache.
---@field cacheWrite integer Number of tokens written to the provider's cache.
---@field total integer Sum of the other four (as in pi).

--- A request of a model to call a tool.
---@class sessiond.ToolCall
---@field id string Id of the call, which the tool's result refers to.
---@field name string Name of the tool.
---@field arguments table<string, any> As the tool defines them.
---@field type "toolCall"
---@field thoughtSignature? string Signature from the provider, for replay; opaque.
---@field namespace? string Namespace of the tool's name, if it has one.
---@field argumentsError? string Why the text of the model is no object; `arguments` is then empty.

--- The result of a tool call.
---@class sessiond.ToolResultMessage
---@field toolCallId string `id` of the `ToolCall`.
---@field toolName string Name of the tool.
---@field content sessiond.Block[] Text and image blocks.
---@field isError boolean Whether the tool failed.
---@field role "toolResult"
---@field details? any Data of the tool; not sent to a model.
---@field usage? sessiond.Usage Usage of models by the tool itself.
---@field nestedCalls? any `{calls: [{id, name, arguments?, …}], complete}`: the tools that this tool called.
---@field timestamp? integer|vim.NIL Unix milliseconds; absent or null: not known. Appends do not need it.

--- A session in the trash.
---@class sessiond.TrashedSession
---@field path string Where it was, and what `catalog/restore` takes.
---@field file string Where it is now.
---@field info sessiond.SessionInfo What lists would say of it; its `path` is the former one.
---@field deleted? string When it was deleted, ISO 8601 UTC; absent: the trash does not say.

--- An entry in the tree, complete.
---@class sessiond.TreeNode
---@field id string Id of the entry.
---@field children string[] Ids of the children, by time.
---@field entry sessiond.Entry The entry.
---@field label? string Absent: none.
---@field labelTimestamp? string Time of the latest change of the label.

--- The tree as a flat list.
---
--- Of an id that occurs more than once, only the last entry is listed.
---@class sessiond.TreeResult
---@field roots string[] Ids of entries whose parent is not in the file.
---@field nodes sessiond.Node[] Every id exactly once.

--- The changes that were taken back, and those that could not be; none if nothing is left.
---@class sessiond.UndoResult
---@field changes sessiond.UndoneChange[] What changed, one per file or key.
---@field problems? sessiond.FileProblem[] Why something was not taken back; `changed`: it was changed again since, and stays. Other failures are tried again by the next `catalog/undo`.

--- A change that was taken back.
---@class sessiond.UndoneChange
---@field kind "delete"|"label"|"rename"|string The change that there was.
---@field path string The session file.
---@field name? string The name that the session has again; only for `rename`, and maybe empty.
---@field entryId? string The entry, for `label`.
---@field label? string The label that the entry has again; only for `label`, and maybe empty.

--- A content block of an unknown type, or one that does not fit its type.
---@alias sessiond.UnknownBlock any

--- An entry of an unknown type, or one that does not fit its type.
---@alias sessiond.UnknownEntry any

--- Lines or rows of another agent's format that sessiond does not know yet.
---@class sessiond.UnknownLines
---@field type string Their type, as the agent names it.
---@field count integer Number of entries.

--- A message of an unknown role, or one that does not fit its role.
---@alias sessiond.UnknownMessage any

--- An agent whose sessions exist, and which sessiond does not read yet.
---@class sessiond.UnreadAgent
---@field name string Name of the agent, for people.
---@field directory string Directory of its sessions.

--- Tokens used by calls to a model. `input` excludes tokens read from or written to a cache.
---@class sessiond.Usage
---@field input integer Number of input tokens.
---@field output integer Number of output tokens.
---@field cacheRead integer Number of tokens read from the provider's cache.
---@field cacheWrite integer Number of tokens written to the provider's cache.
---@field cost sessiond.Cost Costs in US dollars.
---@field cacheWrite1h? integer The part of `cacheWrite` that is kept for an hour.
---@field reasoning? integer The part of `output` spent on reasoning.
---@field totalTokens? integer Sum of input, output, cacheRead and cacheWrite; old pis did not write it.

--- Usage outside the conversation: counted in totals, never part of the context.
---@class sessiond.UsageEntry
---@field id string Unique in the file; pi writes 8 hexadecimal digits.
---@field parentId string|vim.NIL Id of the parent entry; null: the entry is a root.
---@field timestamp string ISO 8601 UTC with milliseconds.
---@field kind string Purpose, such as `cache_warm`.
---@field provider string Provider of the model, such as `anthropic`.
---@field model string Id of the model.
---@field usage sessiond.Usage Tokens and cost.
---@field appendMode? string `side`: the entry does not move the leaf; written by OpenClaw.
---@field type "usage"
---@field note? string Text for people.

--- The usage of one day, week, month, model, project, agent or session.
---@class sessiond.UsageRow
---@field key string `YYYY-MM-DD`, the ISO week (`2026-W03`, from Monday), `YYYY-MM`, when the block begins (`YYYY-MM-DD HH:MM`), `provider/model`, the directory of the project, the agent, or the path of the session. Empty for entries without time, model or directory.
---@field sums sessiond.UsageSums The sums.
---@field models sessiond.ModelUsage[] By model; they add up to `sums`.
---@field info? sessiond.SessionInfo The session; only in rows by `session`.
---@field rows? sessiond.InnerUsageRow[] The parts of this row by `thenBy`, in the order of rows; they add up to `sums`.

--- Sums over entries.
---
--- Every assistant message counts, and every tool result, `usage` entry, and summary of a
--- compaction or a branch that has recorded usage.
---@class sessiond.UsageSums
---@field entries integer Number of entries.
---@field withoutCost integer Number of these entries without a cost. The true cost is higher if this is not 0.
---@field tokens sessiond.TokenFigures Numbers of tokens.
---@field cost? sessiond.CostFigures Absent: there is usage, and none of it records a cost.
---@field calculated? integer Number of entries whose cost was not recorded, but calculated for `prices`. Absent: there are none.

--- A message from a user, or from a program that acts for one.
---@class sessiond.UserMessage
---@field content sessiond.Content Text, or text and image blocks.
---@field role "user"
---@field timestamp? integer|vim.NIL Unix milliseconds; absent or null: not known. Appends do not need it.

--- Whether the session's directory is the default one of its working directory.
---@class sessiond.UsesDefaultSessionDirResult
---@field default boolean Whether the session is in the default directory of its agent.

--- One argument of a tool call.
---@class sessiond.ViewArgument
---@field name string Name of the argument.
---@field text string The value if it is a string, otherwise its JSON.

--- A part of an entry. A kind that is not known is drawn as its `text`.
---@class sessiond.ViewBlock
---@field kind "text"|"thinking"|"call"|"diff"|"result"|"command"|"image"|"summary"|"error"|"data"|string `text`: Markdown as it was written; `thinking`; `call`: a tool call, whose text is its main argument on one line; `diff`: the change of a file by a call; `result`: the output of a tool; `command`: the output of a command of the user; `image`: its type and size; `summary`: Markdown; `error`: why an answer failed; `data`: JSON.
---@field text? string What it says, without terminal sequences; absent: it is empty.
---@field title? string Of a `command` the command itself, of a `result` the main argument of its call, of `data` its type.
---@field closed? boolean Whether a client that can fold shows only the beginning at first.
---@field tool? string Name of the tool.
---@field callId? string Id of the call that this block belongs to.
---@field path? string The file that the call is about, as the call names it.
---@field arguments? sessiond.ViewArgument[] Arguments of a call, without those that a `diff` shows.
---@field changes? sessiond.ViewChange[] Lines of a diff.
---@field failed? boolean Whether the tool or command failed.
---@field exitCode? integer Exit code of a command, if it is recorded.
---@field mimeType? string Such as `image/png`.
---@field sizeBytes? integer Size of an image.
---@field callEntryId? string The entry with the call that this is the result of.
---@field resultEntryId? string The entry with the result of this call.
---@field omittedChars? integer Number of characters that `maxChars` has cut.

--- One line of a diff.
---@class sessiond.ViewChange
---@field kind "added"|"removed"|"same"|"gap"|string `gap`: lines are left out here; `text` may be a heading of the diff.
---@field text? string The line; absent: it is empty.
---@field line? integer Line number, if the source of the diff has one: in the new file for `added`, else in the old one.

--- One entry as a person sees it.
---@class sessiond.ViewItem
---@field entryId string Id of the entry.
---@field type string Type of the entry.
---@field role string Role of a message, else the type of the entry.
---@field time string As written in the entry.
---@field title string Who speaks, or what the entry sets, in words.
---@field isSetting? boolean Whether the title says everything: a model, a name, a label.
---@field notes? string[] Short remarks for the heading, such as `aborted` or `hidden`.
---@field model? string Provider and model of an answer, joined by a slash.
---@field tokens? integer Tokens that the entry records, of all kinds.
---@field cost? number In US dollars, if recorded.
---@field label? string The present label.
---@field partOf? string Some agents keep an answer in several entries: the id of the first one, if this is a later one. It needs no heading of its own.
---@field blocks? sessiond.ViewBlock[] Empty if there is none, as for a setting; 0.2 left it out then.

--- The watcher of directories.
---@class sessiond.WatchStatus
---@field directories integer Number of directories watched.
---@field mode "native"|"off"|"polling"|string `native`: by the system's events; `polling`; or `off`.
---@field events integer Number of events seen since the start.

--- The context window of the present model.
---@class sessiond.WindowUsageParams
---@field session string Handle of the session.
---@field contextWindow integer Size of the model's context window, in tokens.

--- Measure how much of the context window is used.
---@class sessiond.WindowUsageResult
---@field tokens integer|vim.NIL null: unknown, between a compaction and the next answer.
---@field contextWindow integer The context window from the request.
---@field percent number|vim.NIL Percentage of the context window, which may exceed 100; null: unknown.

--- The progress of a request: one `begin`, any number of `report`s, one `end`.
---@class sessiond.WorkDoneProgress
---@field kind "begin"|"end"|"report"|string `begin`, `report` or `end`.
---@field message? string Text for people.
---@field percentage? number From 0 to 100.
---@field loaded? integer Number of items done.
---@field total? integer Number of items in all.
