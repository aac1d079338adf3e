// Generated from protocol/sessiond_protocol/openrpc.json by protocol/generate.py.
// Do not edit; run `make generate`.

import type { CallOptions } from "../call-options.js";
import { alone, withRest } from "../short-form.js";
import type {
  AppendCompactionParams,
  AppendContextEditParams,
  AppendCustomEntryParams,
  AppendCustomMessageEntryParams,
  AppendLabelChangeParams,
  AppendMessageParams,
  AppendModelChangeParams,
  AppendResult,
  AppendSessionInfoParams,
  AppendThinkingLevelChangeParams,
  AppendUsageParams,
  BranchParams,
  BranchWithSummaryParams,
  BuildParams,
  CreateBranchedSessionParams,
  CwdResult,
  EntriesResult,
  EntryCountResult,
  EntryResult,
  FinishBranchSummaryParams,
  FinishBranchSummaryResult,
  FinishCompactionParams,
  GetBranchParams,
  GetChildrenParams,
  GetEntriesParams,
  GetEntriesResult,
  GetEntryParams,
  GetSourceParams,
  GetSourceResult,
  GetTreeParams,
  GetUpdatesParams,
  GetUpdatesResult,
  GetViewParams,
  GetViewResult,
  HeaderResult,
  IsPersistedResult,
  LabelResult,
  LeafIdResult,
  Message,
  NavigateParams,
  NavigateResult,
  NewSessionParams,
  PrepareBranchSummaryParams,
  PrepareBranchSummaryResult,
  PrepareCompactionParams,
  PrepareCompactionResult,
  PublishDraftParams,
  SessionContextResult,
  SessionDirResult,
  SessionFileResult,
  SessionIdResult,
  SessionNameResult,
  SessionProjectionResult,
  SessionState,
  SetActivityParams,
  SetSessionFileParams,
  ShouldCompactParams,
  ShouldCompactResult,
  TreeResult,
  UsesDefaultSessionDirResult,
  WindowUsageParams,
  WindowUsageResult,
} from "./types.js";

/** The methods of an open session; they send its handle. */
export abstract class SessionMethods {
  protected abstract call(
    method: string,
    params: object,
    options: CallOptions | undefined,
  ): Promise<unknown>;

  /**
   * Close a handle; one that is not open stays closed.
   *
   * `session/close`
   */
  close(options?: CallOptions): Promise<void> {
    return this.call("session/close", {}, options) as Promise<void>;
  }

  /**
   * Read the present state of a session.
   *
   * `session/getState`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  getState(options?: CallOptions): Promise<SessionState> {
    return this.call("session/getState", {}, options) as Promise<SessionState>;
  }

  /**
   * Create a session under the same handle.
   *
   * `session/newSession`
   * @throws UnknownSession
   * @throws InvalidSessionId
   * @throws AlreadyExists
   * @throws PathNotAllowed
   * @throws ReadOnly
   */
  newSession(
    params: Omit<NewSessionParams, "session"> = {},
    options?: CallOptions,
  ): Promise<SessionState> {
    return this.call("session/newSession", params, options) as Promise<SessionState>;
  }

  /**
   * Switch the handle to another session file.
   *
   * `session/setSessionFile`
   * @throws UnknownSession
   * @throws PathNotAllowed
   * @throws ReadFailed
   * @throws Busy
   * @throws InvalidSessionFile
   * @throws WriteFailed
   */
  setSessionFile(path: string, options?: CallOptions): Promise<SessionState>;
  /**
   * Switch the handle to another session file.
   *
   * `session/setSessionFile`
   * @throws UnknownSession
   * @throws PathNotAllowed
   * @throws ReadFailed
   * @throws Busy
   * @throws InvalidSessionFile
   * @throws WriteFailed
   */
  setSessionFile(
    params: Omit<SetSessionFileParams, "session">,
    options?: CallOptions,
  ): Promise<SessionState>;
  setSessionFile(first: unknown, second?: CallOptions): Promise<SessionState> {
    return this.call("session/setSessionFile", ...alone("path", first, second)) as Promise<SessionState>;
  }

  /**
   * Copy one branch into a new session file and switch the handle to it.
   *
   * `session/createBranchedSession`
   * @throws UnknownSession
   * @throws EntryNotFound
   * @throws ReadFailed
   * @throws WriteFailed
   * @throws AlreadyExists
   * @throws PathNotAllowed
   * @throws ReadOnly
   */
  createBranchedSession(
    leafId: string,
    params?: Omit<CreateBranchedSessionParams, "session" | "leafId">,
    options?: CallOptions,
  ): Promise<SessionState>;
  /**
   * Copy one branch into a new session file and switch the handle to it.
   *
   * `session/createBranchedSession`
   * @throws UnknownSession
   * @throws EntryNotFound
   * @throws ReadFailed
   * @throws WriteFailed
   * @throws AlreadyExists
   * @throws PathNotAllowed
   * @throws ReadOnly
   */
  createBranchedSession(
    params: Omit<CreateBranchedSessionParams, "session">,
    options?: CallOptions,
  ): Promise<SessionState>;
  createBranchedSession(
    first: unknown,
    second?: object,
    third?: CallOptions,
  ): Promise<SessionState> {
    return this.call("session/createBranchedSession", ...withRest("leafId", first, second, third)) as Promise<SessionState>;
  }

  /**
   * Append a message.
   *
   * `session/appendMessage`
   * @throws UnknownSession
   * @throws LeafConflict
   * @throws IdConflict
   * @throws ReadOnly
   * @throws Busy
   * @throws WriteFailed
   * @throws ReadFailed
   * @throws InvalidSessionFile
   * @throws AlreadyExists
   */
  appendMessage(
    message: Message,
    params?: Omit<AppendMessageParams, "session" | "message">,
    options?: CallOptions,
  ): Promise<AppendResult>;
  /**
   * Append a message.
   *
   * `session/appendMessage`
   * @throws UnknownSession
   * @throws LeafConflict
   * @throws IdConflict
   * @throws ReadOnly
   * @throws Busy
   * @throws WriteFailed
   * @throws ReadFailed
   * @throws InvalidSessionFile
   * @throws AlreadyExists
   */
  appendMessage(
    params: Omit<AppendMessageParams, "session">,
    options?: CallOptions,
  ): Promise<AppendResult>;
  appendMessage(first: unknown, second?: object, third?: CallOptions): Promise<AppendResult> {
    return this.call("session/appendMessage", ...withRest("message", first, second, third, "role")) as Promise<AppendResult>;
  }

  /**
   * Record a change of the thinking level.
   *
   * `session/appendThinkingLevelChange`
   * @throws UnknownSession
   * @throws LeafConflict
   * @throws IdConflict
   * @throws ReadOnly
   * @throws Busy
   * @throws WriteFailed
   * @throws ReadFailed
   * @throws InvalidSessionFile
   * @throws AlreadyExists
   */
  appendThinkingLevelChange(
    thinkingLevel: string,
    params?: Omit<AppendThinkingLevelChangeParams, "session" | "thinkingLevel">,
    options?: CallOptions,
  ): Promise<AppendResult>;
  /**
   * Record a change of the thinking level.
   *
   * `session/appendThinkingLevelChange`
   * @throws UnknownSession
   * @throws LeafConflict
   * @throws IdConflict
   * @throws ReadOnly
   * @throws Busy
   * @throws WriteFailed
   * @throws ReadFailed
   * @throws InvalidSessionFile
   * @throws AlreadyExists
   */
  appendThinkingLevelChange(
    params: Omit<AppendThinkingLevelChangeParams, "session">,
    options?: CallOptions,
  ): Promise<AppendResult>;
  appendThinkingLevelChange(
    first: unknown,
    second?: object,
    third?: CallOptions,
  ): Promise<AppendResult> {
    return this.call("session/appendThinkingLevelChange", ...withRest("thinkingLevel", first, second, third)) as Promise<AppendResult>;
  }

  /**
   * Record a change of the model.
   *
   * `session/appendModelChange`
   * @throws UnknownSession
   * @throws LeafConflict
   * @throws IdConflict
   * @throws ReadOnly
   * @throws Busy
   * @throws WriteFailed
   * @throws ReadFailed
   * @throws InvalidSessionFile
   * @throws AlreadyExists
   */
  appendModelChange(
    params: Omit<AppendModelChangeParams, "session">,
    options?: CallOptions,
  ): Promise<AppendResult> {
    return this.call("session/appendModelChange", params, options) as Promise<AppendResult>;
  }

  /**
   * Record a summary that replaces the earlier context.
   *
   * `session/appendCompaction`
   * @throws UnknownSession
   * @throws LeafConflict
   * @throws IdConflict
   * @throws ReadOnly
   * @throws Busy
   * @throws WriteFailed
   * @throws ReadFailed
   * @throws InvalidSessionFile
   * @throws AlreadyExists
   * @throws EntryNotFound
   */
  appendCompaction(
    params: Omit<AppendCompactionParams, "session">,
    options?: CallOptions,
  ): Promise<AppendResult> {
    return this.call("session/appendCompaction", params, options) as Promise<AppendResult>;
  }

  /**
   * Store state of an extension.
   *
   * `session/appendCustomEntry`
   * @throws UnknownSession
   * @throws LeafConflict
   * @throws IdConflict
   * @throws ReadOnly
   * @throws Busy
   * @throws WriteFailed
   * @throws ReadFailed
   * @throws InvalidSessionFile
   * @throws AlreadyExists
   */
  appendCustomEntry(
    customType: string,
    params?: Omit<AppendCustomEntryParams, "session" | "customType">,
    options?: CallOptions,
  ): Promise<AppendResult>;
  /**
   * Store state of an extension.
   *
   * `session/appendCustomEntry`
   * @throws UnknownSession
   * @throws LeafConflict
   * @throws IdConflict
   * @throws ReadOnly
   * @throws Busy
   * @throws WriteFailed
   * @throws ReadFailed
   * @throws InvalidSessionFile
   * @throws AlreadyExists
   */
  appendCustomEntry(
    params: Omit<AppendCustomEntryParams, "session">,
    options?: CallOptions,
  ): Promise<AppendResult>;
  appendCustomEntry(first: unknown, second?: object, third?: CallOptions): Promise<AppendResult> {
    return this.call("session/appendCustomEntry", ...withRest("customType", first, second, third)) as Promise<AppendResult>;
  }

  /**
   * Set or clear the name of the session.
   *
   * `session/appendSessionInfo`
   * @throws UnknownSession
   * @throws LeafConflict
   * @throws IdConflict
   * @throws ReadOnly
   * @throws Busy
   * @throws WriteFailed
   * @throws ReadFailed
   * @throws InvalidSessionFile
   * @throws AlreadyExists
   */
  appendSessionInfo(
    name: string,
    params?: Omit<AppendSessionInfoParams, "session" | "name">,
    options?: CallOptions,
  ): Promise<AppendResult>;
  /**
   * Set or clear the name of the session.
   *
   * `session/appendSessionInfo`
   * @throws UnknownSession
   * @throws LeafConflict
   * @throws IdConflict
   * @throws ReadOnly
   * @throws Busy
   * @throws WriteFailed
   * @throws ReadFailed
   * @throws InvalidSessionFile
   * @throws AlreadyExists
   */
  appendSessionInfo(
    params: Omit<AppendSessionInfoParams, "session">,
    options?: CallOptions,
  ): Promise<AppendResult>;
  appendSessionInfo(first: unknown, second?: object, third?: CallOptions): Promise<AppendResult> {
    return this.call("session/appendSessionInfo", ...withRest("name", first, second, third)) as Promise<AppendResult>;
  }

  /**
   * Append a message of an extension.
   *
   * `session/appendCustomMessageEntry`
   * @throws UnknownSession
   * @throws LeafConflict
   * @throws IdConflict
   * @throws ReadOnly
   * @throws Busy
   * @throws WriteFailed
   * @throws ReadFailed
   * @throws InvalidSessionFile
   * @throws AlreadyExists
   */
  appendCustomMessageEntry(
    params: Omit<AppendCustomMessageEntryParams, "session">,
    options?: CallOptions,
  ): Promise<AppendResult> {
    return this.call("session/appendCustomMessageEntry", params, options) as Promise<AppendResult>;
  }

  /**
   * Set or clear the label of an entry.
   *
   * `session/appendLabelChange`
   * @throws UnknownSession
   * @throws LeafConflict
   * @throws IdConflict
   * @throws ReadOnly
   * @throws Busy
   * @throws WriteFailed
   * @throws ReadFailed
   * @throws InvalidSessionFile
   * @throws AlreadyExists
   * @throws EntryNotFound
   */
  appendLabelChange(
    targetId: string,
    params?: Omit<AppendLabelChangeParams, "session" | "targetId">,
    options?: CallOptions,
  ): Promise<AppendResult>;
  /**
   * Set or clear the label of an entry.
   *
   * `session/appendLabelChange`
   * @throws UnknownSession
   * @throws LeafConflict
   * @throws IdConflict
   * @throws ReadOnly
   * @throws Busy
   * @throws WriteFailed
   * @throws ReadFailed
   * @throws InvalidSessionFile
   * @throws AlreadyExists
   * @throws EntryNotFound
   */
  appendLabelChange(
    params: Omit<AppendLabelChangeParams, "session">,
    options?: CallOptions,
  ): Promise<AppendResult>;
  appendLabelChange(first: unknown, second?: object, third?: CallOptions): Promise<AppendResult> {
    return this.call("session/appendLabelChange", ...withRest("targetId", first, second, third)) as Promise<AppendResult>;
  }

  /**
   * Record usage outside the conversation.
   *
   * `session/appendUsage`
   * @throws UnknownSession
   * @throws LeafConflict
   * @throws IdConflict
   * @throws ReadOnly
   * @throws Busy
   * @throws WriteFailed
   * @throws ReadFailed
   * @throws InvalidSessionFile
   * @throws AlreadyExists
   */
  appendUsage(
    params: Omit<AppendUsageParams, "session">,
    options?: CallOptions,
  ): Promise<AppendResult> {
    return this.call("session/appendUsage", params, options) as Promise<AppendResult>;
  }

  /**
   * Replace or omit the content of an earlier entry in the context.
   *
   * `session/appendContextEdit`
   * @throws UnknownSession
   * @throws LeafConflict
   * @throws IdConflict
   * @throws ReadOnly
   * @throws Busy
   * @throws WriteFailed
   * @throws ReadFailed
   * @throws InvalidSessionFile
   * @throws AlreadyExists
   * @throws EntryNotFound
   * @throws NotEditable
   */
  appendContextEdit(
    params: Omit<AppendContextEditParams, "session">,
    options?: CallOptions,
  ): Promise<AppendResult> {
    return this.call("session/appendContextEdit", params, options) as Promise<AppendResult>;
  }

  /**
   * Continue from an earlier entry, with a summary of the branch that is left.
   *
   * `session/branchWithSummary`
   * @throws UnknownSession
   * @throws LeafConflict
   * @throws IdConflict
   * @throws ReadOnly
   * @throws Busy
   * @throws WriteFailed
   * @throws ReadFailed
   * @throws InvalidSessionFile
   * @throws AlreadyExists
   * @throws EntryNotFound
   */
  branchWithSummary(
    params: Omit<BranchWithSummaryParams, "session">,
    options?: CallOptions,
  ): Promise<AppendResult> {
    return this.call("session/branchWithSummary", params, options) as Promise<AppendResult>;
  }

  /**
   * Show the other handles of the session an answer in progress, which is not stored. It ends
   * with the next append or the end of this handle.
   *
   * `session/publishDraft`
   * @throws UnknownSession
   * @throws ReadOnly
   * @throws TooLarge
   */
  publishDraft(message: Message | null, options?: CallOptions): Promise<void>;
  /**
   * Show the other handles of the session an answer in progress, which is not stored. It ends
   * with the next append or the end of this handle.
   *
   * `session/publishDraft`
   * @throws UnknownSession
   * @throws ReadOnly
   * @throws TooLarge
   */
  publishDraft(params: Omit<PublishDraftParams, "session">, options?: CallOptions): Promise<void>;
  publishDraft(first: unknown, second?: CallOptions): Promise<void> {
    return this.call("session/publishDraft", ...alone("message", first, second, "role")) as Promise<void>;
  }

  /**
   * Say in lists what the agent of a session does, until the handle is closed. Nothing is
   * stored. Of several handles, one that waits counts before one that runs.
   *
   * `session/setActivity`
   * @throws UnknownSession
   */
  setActivity(
    state: "idle" | "running" | "waiting",
    params?: Omit<SetActivityParams, "session" | "state">,
    options?: CallOptions,
  ): Promise<void>;
  /**
   * Say in lists what the agent of a session does, until the handle is closed. Nothing is
   * stored. Of several handles, one that waits counts before one that runs.
   *
   * `session/setActivity`
   * @throws UnknownSession
   */
  setActivity(params: Omit<SetActivityParams, "session">, options?: CallOptions): Promise<void>;
  setActivity(first: unknown, second?: object, third?: CallOptions): Promise<void> {
    return this.call("session/setActivity", ...withRest("state", first, second, third)) as Promise<void>;
  }

  /**
   * Read the handle's leaf.
   *
   * `session/getLeafId`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  getLeafId(options?: CallOptions): Promise<LeafIdResult> {
    return this.call("session/getLeafId", {}, options) as Promise<LeafIdResult>;
  }

  /**
   * Read the entry at the leaf.
   *
   * `session/getLeafEntry`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  getLeafEntry(options?: CallOptions): Promise<EntryResult> {
    return this.call("session/getLeafEntry", {}, options) as Promise<EntryResult>;
  }

  /**
   * Read the entry with this id.
   *
   * `session/getEntry`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  getEntry(id: string, options?: CallOptions): Promise<EntryResult>;
  /**
   * Read the entry with this id.
   *
   * `session/getEntry`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  getEntry(params: Omit<GetEntryParams, "session">, options?: CallOptions): Promise<EntryResult>;
  getEntry(first: unknown, second?: CallOptions): Promise<EntryResult> {
    return this.call("session/getEntry", ...alone("id", first, second)) as Promise<EntryResult>;
  }

  /**
   * Read the lines or rows that an entry was made of, as its agent wrote them.
   *
   * `session/getSource`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   */
  getSource(
    entryId: string,
    params?: Omit<GetSourceParams, "session" | "entryId">,
    options?: CallOptions,
  ): Promise<GetSourceResult>;
  /**
   * Read the lines or rows that an entry was made of, as its agent wrote them.
   *
   * `session/getSource`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   */
  getSource(
    params: Omit<GetSourceParams, "session">,
    options?: CallOptions,
  ): Promise<GetSourceResult>;
  getSource(first: unknown, second?: object, third?: CallOptions): Promise<GetSourceResult> {
    return this.call("session/getSource", ...withRest("entryId", first, second, third)) as Promise<GetSourceResult>;
  }

  /**
   * Read the entries of the file, all or page by page.
   *
   * `session/getEntries`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   */
  getEntries(
    params: Omit<GetEntriesParams, "session"> = {},
    options?: CallOptions,
  ): Promise<GetEntriesResult> {
    return this.call("session/getEntries", params, options) as Promise<GetEntriesResult>;
  }

  /**
   * Count the entries.
   *
   * `session/getEntryCount`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  getEntryCount(options?: CallOptions): Promise<EntryCountResult> {
    return this.call("session/getEntryCount", {}, options) as Promise<EntryCountResult>;
  }

  /**
   * Read the entries from the root to the leaf, root first.
   *
   * `session/getBranch`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   */
  getBranch(fromId: string, options?: CallOptions): Promise<EntriesResult>;
  /**
   * Read the entries from the root to the leaf, root first.
   *
   * `session/getBranch`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   */
  getBranch(
    params?: Omit<GetBranchParams, "session">,
    options?: CallOptions,
  ): Promise<EntriesResult>;
  getBranch(first?: unknown, second?: CallOptions): Promise<EntriesResult> {
    return this.call("session/getBranch", ...alone("fromId", first, second)) as Promise<EntriesResult>;
  }

  /**
   * Read the children of an entry, in file order.
   *
   * `session/getChildren`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   */
  getChildren(parentId: string | null, options?: CallOptions): Promise<EntriesResult>;
  /**
   * Read the children of an entry, in file order.
   *
   * `session/getChildren`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   */
  getChildren(
    params: Omit<GetChildrenParams, "session">,
    options?: CallOptions,
  ): Promise<EntriesResult>;
  getChildren(first: unknown, second?: CallOptions): Promise<EntriesResult> {
    return this.call("session/getChildren", ...alone("parentId", first, second)) as Promise<EntriesResult>;
  }

  /**
   * Read the whole tree as a flat list.
   *
   * `session/getTree`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  getTree(detail: "full" | "outline", options?: CallOptions): Promise<TreeResult>;
  /**
   * Read the whole tree as a flat list.
   *
   * `session/getTree`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  getTree(params?: Omit<GetTreeParams, "session">, options?: CallOptions): Promise<TreeResult>;
  getTree(first?: unknown, second?: CallOptions): Promise<TreeResult> {
    return this.call("session/getTree", ...alone("detail", first, second)) as Promise<TreeResult>;
  }

  /**
   * Read the label of an entry.
   *
   * `session/getLabel`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  getLabel(id: string, options?: CallOptions): Promise<LabelResult>;
  /**
   * Read the label of an entry.
   *
   * `session/getLabel`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  getLabel(params: Omit<GetEntryParams, "session">, options?: CallOptions): Promise<LabelResult>;
  getLabel(first: unknown, second?: CallOptions): Promise<LabelResult> {
    return this.call("session/getLabel", ...alone("id", first, second)) as Promise<LabelResult>;
  }

  /**
   * Move the leaf to an entry.
   *
   * `session/branch`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   */
  branch(entryId: string, options?: CallOptions): Promise<LeafIdResult>;
  /**
   * Move the leaf to an entry.
   *
   * `session/branch`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   */
  branch(params: Omit<BranchParams, "session">, options?: CallOptions): Promise<LeafIdResult>;
  branch(first: unknown, second?: CallOptions): Promise<LeafIdResult> {
    return this.call("session/branch", ...alone("entryId", first, second)) as Promise<LeafIdResult>;
  }

  /**
   * Move the leaf before the first entry.
   *
   * `session/resetLeaf`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  resetLeaf(options?: CallOptions): Promise<LeafIdResult> {
    return this.call("session/resetLeaf", {}, options) as Promise<LeafIdResult>;
  }

  /**
   * Read the entries from the root to the leaf as a person sees them, page by page. A result
   * knows its call; what a call changed is shown once, by its result if that has a diff. After
   * new results read the entries with their calls again.
   *
   * `session/getView`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   */
  getView(
    params: Omit<GetViewParams, "session"> = {},
    options?: CallOptions,
  ): Promise<GetViewResult> {
    return this.call("session/getView", params, options) as Promise<GetViewResult>;
  }

  /**
   * Read a branch as `session/update` notifications of the Agent Client Protocol, version 1:
   * messages, thoughts, tool calls with diffs and locations, and plans.
   *
   * `session/getUpdates`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   */
  getUpdates(
    params: Omit<GetUpdatesParams, "session"> = {},
    options?: CallOptions,
  ): Promise<GetUpdatesResult> {
    return this.call("session/getUpdates", params, options) as Promise<GetUpdatesResult>;
  }

  /**
   * The messages, thinking level and model of a branch.
   *
   * `session/buildSessionContext`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   */
  buildSessionContext(leafId: string | null, options?: CallOptions): Promise<SessionContextResult>;
  /**
   * The messages, thinking level and model of a branch.
   *
   * `session/buildSessionContext`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   */
  buildSessionContext(
    params?: Omit<BuildParams, "session">,
    options?: CallOptions,
  ): Promise<SessionContextResult>;
  buildSessionContext(first?: unknown, second?: CallOptions): Promise<SessionContextResult> {
    return this.call("session/buildSessionContext", ...alone("leafId", first, second)) as Promise<SessionContextResult>;
  }

  /**
   * The entries of a branch that remain in the context after compaction.
   *
   * `session/buildContextEntries`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   */
  buildContextEntries(leafId: string | null, options?: CallOptions): Promise<EntriesResult>;
  /**
   * The entries of a branch that remain in the context after compaction.
   *
   * `session/buildContextEntries`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   */
  buildContextEntries(
    params?: Omit<BuildParams, "session">,
    options?: CallOptions,
  ): Promise<EntriesResult>;
  buildContextEntries(first?: unknown, second?: CallOptions): Promise<EntriesResult> {
    return this.call("session/buildContextEntries", ...alone("leafId", first, second)) as Promise<EntriesResult>;
  }

  /**
   * The context of a branch, entry by entry.
   *
   * `session/buildSessionProjection`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   */
  buildSessionProjection(
    leafId: string | null,
    options?: CallOptions,
  ): Promise<SessionProjectionResult>;
  /**
   * The context of a branch, entry by entry.
   *
   * `session/buildSessionProjection`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   */
  buildSessionProjection(
    params?: Omit<BuildParams, "session">,
    options?: CallOptions,
  ): Promise<SessionProjectionResult>;
  buildSessionProjection(first?: unknown, second?: CallOptions): Promise<SessionProjectionResult> {
    return this.call("session/buildSessionProjection", ...alone("leafId", first, second)) as Promise<SessionProjectionResult>;
  }

  /**
   * The session's header.
   *
   * `session/getHeader`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  getHeader(options?: CallOptions): Promise<HeaderResult> {
    return this.call("session/getHeader", {}, options) as Promise<HeaderResult>;
  }

  /**
   * The session's name.
   *
   * `session/getSessionName`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  getSessionName(options?: CallOptions): Promise<SessionNameResult> {
    return this.call("session/getSessionName", {}, options) as Promise<SessionNameResult>;
  }

  /**
   * The session's working directory.
   *
   * `session/getCwd`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  getCwd(options?: CallOptions): Promise<CwdResult> {
    return this.call("session/getCwd", {}, options) as Promise<CwdResult>;
  }

  /**
   * The directory for sessions branched off this one.
   *
   * `session/getSessionDir`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  getSessionDir(options?: CallOptions): Promise<SessionDirResult> {
    return this.call("session/getSessionDir", {}, options) as Promise<SessionDirResult>;
  }

  /**
   * The id in the session's header.
   *
   * `session/getSessionId`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  getSessionId(options?: CallOptions): Promise<SessionIdResult> {
    return this.call("session/getSessionId", {}, options) as Promise<SessionIdResult>;
  }

  /**
   * The path of the session's file, also before it is written.
   *
   * `session/getSessionFile`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  getSessionFile(options?: CallOptions): Promise<SessionFileResult> {
    return this.call("session/getSessionFile", {}, options) as Promise<SessionFileResult>;
  }

  /**
   * Whether the session belongs to a file.
   *
   * `session/isPersisted`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  isPersisted(options?: CallOptions): Promise<IsPersistedResult> {
    return this.call("session/isPersisted", {}, options) as Promise<IsPersistedResult>;
  }

  /**
   * Whether its directory is the default one of its working directory.
   *
   * `session/usesDefaultSessionDir`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  usesDefaultSessionDir(options?: CallOptions): Promise<UsesDefaultSessionDirResult> {
    return this.call("session/usesDefaultSessionDir", {}, options) as Promise<UsesDefaultSessionDirResult>;
  }

  /**
   * Decide whether the context should be compacted.
   *
   * `context/shouldCompact`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  contextShouldCompact(
    contextWindow: number,
    params?: Omit<ShouldCompactParams, "session" | "contextWindow">,
    options?: CallOptions,
  ): Promise<ShouldCompactResult>;
  /**
   * Decide whether the context should be compacted.
   *
   * `context/shouldCompact`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  contextShouldCompact(
    params: Omit<ShouldCompactParams, "session">,
    options?: CallOptions,
  ): Promise<ShouldCompactResult>;
  contextShouldCompact(
    first: unknown,
    second?: object,
    third?: CallOptions,
  ): Promise<ShouldCompactResult> {
    return this.call("context/shouldCompact", ...withRest("contextWindow", first, second, third)) as Promise<ShouldCompactResult>;
  }

  /**
   * Measure how much of the context window is used.
   *
   * `context/windowUsage`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  contextWindowUsage(contextWindow: number, options?: CallOptions): Promise<WindowUsageResult>;
  /**
   * Measure how much of the context window is used.
   *
   * `context/windowUsage`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  contextWindowUsage(
    params: Omit<WindowUsageParams, "session">,
    options?: CallOptions,
  ): Promise<WindowUsageResult>;
  contextWindowUsage(first: unknown, second?: CallOptions): Promise<WindowUsageResult> {
    return this.call("context/windowUsage", ...alone("contextWindow", first, second)) as Promise<WindowUsageResult>;
  }

  /**
   * Plan a compaction and prepare the prompts for its summaries.
   *
   * `context/prepareCompaction`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  contextPrepareCompaction(
    params: Omit<PrepareCompactionParams, "session"> = {},
    options?: CallOptions,
  ): Promise<PrepareCompactionResult> {
    return this.call("context/prepareCompaction", params, options) as Promise<PrepareCompactionResult>;
  }

  /**
   * Append a compaction from a plan and a model's summaries.
   *
   * `context/finishCompaction`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   * @throws LeafConflict
   * @throws IdConflict
   * @throws ReadOnly
   * @throws Busy
   * @throws WriteFailed
   * @throws InvalidSessionFile
   * @throws AlreadyExists
   */
  contextFinishCompaction(
    params: Omit<FinishCompactionParams, "session">,
    options?: CallOptions,
  ): Promise<AppendResult> {
    return this.call("context/finishCompaction", params, options) as Promise<AppendResult>;
  }

  /**
   * Find what a move to another entry leaves, and prepare the prompts for its summary.
   *
   * `context/prepareBranchSummary`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   */
  contextPrepareBranchSummary(
    targetId: string,
    params?: Omit<PrepareBranchSummaryParams, "session" | "targetId">,
    options?: CallOptions,
  ): Promise<PrepareBranchSummaryResult>;
  /**
   * Find what a move to another entry leaves, and prepare the prompts for its summary.
   *
   * `context/prepareBranchSummary`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   */
  contextPrepareBranchSummary(
    params: Omit<PrepareBranchSummaryParams, "session">,
    options?: CallOptions,
  ): Promise<PrepareBranchSummaryResult>;
  contextPrepareBranchSummary(
    first: unknown,
    second?: object,
    third?: CallOptions,
  ): Promise<PrepareBranchSummaryResult> {
    return this.call("context/prepareBranchSummary", ...withRest("targetId", first, second, third)) as Promise<PrepareBranchSummaryResult>;
  }

  /**
   * Move to another entry, with a model's summary of the branch that is left.
   *
   * `context/finishBranchSummary`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   * @throws LeafConflict
   * @throws IdConflict
   * @throws ReadOnly
   * @throws Busy
   * @throws WriteFailed
   * @throws InvalidSessionFile
   * @throws AlreadyExists
   */
  contextFinishBranchSummary(
    targetId: string,
    params?: Omit<FinishBranchSummaryParams, "session" | "targetId">,
    options?: CallOptions,
  ): Promise<FinishBranchSummaryResult>;
  /**
   * Move to another entry, with a model's summary of the branch that is left.
   *
   * `context/finishBranchSummary`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   * @throws LeafConflict
   * @throws IdConflict
   * @throws ReadOnly
   * @throws Busy
   * @throws WriteFailed
   * @throws InvalidSessionFile
   * @throws AlreadyExists
   */
  contextFinishBranchSummary(
    params: Omit<FinishBranchSummaryParams, "session">,
    options?: CallOptions,
  ): Promise<FinishBranchSummaryResult>;
  contextFinishBranchSummary(
    first: unknown,
    second?: object,
    third?: CallOptions,
  ): Promise<FinishBranchSummaryResult> {
    return this.call("context/finishBranchSummary", ...withRest("targetId", first, second, third)) as Promise<FinishBranchSummaryResult>;
  }

  /**
   * Move to another entry by pi's rules, without a summary.
   *
   * `context/navigate`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   * @throws LeafConflict
   * @throws IdConflict
   * @throws ReadOnly
   * @throws Busy
   * @throws WriteFailed
   * @throws InvalidSessionFile
   * @throws AlreadyExists
   */
  contextNavigate(
    targetId: string,
    params?: Omit<NavigateParams, "session" | "targetId">,
    options?: CallOptions,
  ): Promise<NavigateResult>;
  /**
   * Move to another entry by pi's rules, without a summary.
   *
   * `context/navigate`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   * @throws LeafConflict
   * @throws IdConflict
   * @throws ReadOnly
   * @throws Busy
   * @throws WriteFailed
   * @throws InvalidSessionFile
   * @throws AlreadyExists
   */
  contextNavigate(
    params: Omit<NavigateParams, "session">,
    options?: CallOptions,
  ): Promise<NavigateResult>;
  contextNavigate(first: unknown, second?: object, third?: CallOptions): Promise<NavigateResult> {
    return this.call("context/navigate", ...withRest("targetId", first, second, third)) as Promise<NavigateResult>;
  }
}
