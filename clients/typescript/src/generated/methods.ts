// Generated from protocol/sessiond_protocol/openrpc.json by protocol/generate.py.
// Do not edit; run `make generate`.

import type { CallOptions } from "../call-options.js";
import type { Disposable } from "../events.js";
import { alone, withRest } from "../short-form.js";
import type {
  AgentsParams,
  AgentsResult,
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
  BeginParams,
  BeginResult,
  BranchParams,
  BranchWithSummaryParams,
  BuildParams,
  CatalogDidChangeParams,
  CatalogScope,
  CatalogSearchParams,
  CatalogSearchResult,
  CatalogSubscribeParams,
  CatalogSubscribeResult,
  CatalogUnsubscribeParams,
  CatalogUsageParams,
  CatalogUsageResult,
  CheckParams,
  CheckResult,
  ContinueRecentParams,
  CreateBranchedSessionParams,
  CreateParams,
  CwdResult,
  DeleteParams,
  DeleteResult,
  EntriesResult,
  EntryCountResult,
  EntryLabelParams,
  EntryLabelResult,
  EntryResult,
  EstimateTokensResult,
  EvaluateFreshnessParams,
  EvaluateFreshnessResult,
  ExportParams,
  ExportResult,
  FindByIdParams,
  FindByIdResult,
  FinishBranchSummaryParams,
  FinishBranchSummaryResult,
  FinishCompactionParams,
  ForkFromParams,
  GatewayDidChangeParams,
  GatewaySubscribeParams,
  GatewaySubscribeResult,
  GatewayUnsubscribeParams,
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
  InMemoryParams,
  IsPersistedResult,
  IsSilentReplyParams,
  IsSilentReplyResult,
  LabelResult,
  LeafIdResult,
  ListAllParams,
  ListParams,
  ListResult,
  ListTrashResult,
  LlmMessagesResult,
  MaintainParams,
  MaintainResult,
  MessagesParams,
  NavigateParams,
  NavigateResult,
  NewSessionParams,
  OpenParams,
  PlanMemoryFlushParams,
  PlanMemoryFlushResult,
  PrepareBranchSummaryParams,
  PrepareBranchSummaryResult,
  PrepareCompactionParams,
  PrepareCompactionResult,
  ProgressParams,
  PublishDraftParams,
  RecordCompactionParams,
  RecordCompactionResult,
  RecordMemoryFlushParams,
  RecordResult,
  RecordUsageParams,
  RenameParams,
  RenameResult,
  RepairParams,
  RepairResult,
  ResolveKeyParams,
  ResolveKeyResult,
  RestoreParams,
  SerializeResult,
  SessionContextResult,
  SessionDidChangeDraftParams,
  SessionDidChangeParams,
  SessionDirResult,
  SessionFileResult,
  SessionIdResult,
  SessionInfo,
  SessionNameResult,
  SessionParams,
  SessionProjectionResult,
  SessionState,
  SetActivityParams,
  SetMarksParams,
  SetMarksResult,
  SetSessionFileParams,
  ShouldCompactParams,
  ShouldCompactResult,
  StatsParams,
  StatsResult,
  StatusResult,
  StoreDeleteParams,
  StoreDeleteResult,
  StoreGetParams,
  StoreGetResult,
  StoreListParams,
  StoreListResult,
  StorePatchParams,
  StorePatchResult,
  StoreResetParams,
  StoreResetResult,
  SyncParams,
  SyncResult,
  ToLlmParams,
  TreeResult,
  UndoResult,
  UsesDefaultSessionDirResult,
  WindowUsageParams,
  WindowUsageResult,
} from "./types.js";

/** One function per method, with the name of the method. */
export abstract class Methods {
  protected abstract call(
    method: string,
    params: object | undefined,
    options: CallOptions | undefined,
  ): Promise<unknown>;

  protected abstract listen(
    notification: string,
    listener: (params: never) => void,
  ): Disposable;

  /**
   * Read the OpenRPC document of this daemon.
   *
   * `rpc.discover`
   */
  rpcDiscover(options?: CallOptions): Promise<{ [name: string]: unknown }> {
    return this.call("rpc.discover", undefined, options) as Promise<{ [name: string]: unknown }>;
  }

  /**
   * Read the counters of the daemon.
   *
   * `daemon/status`
   */
  daemonStatus(options?: CallOptions): Promise<StatusResult> {
    return this.call("daemon/status", undefined, options) as Promise<StatusResult>;
  }

  /**
   * Create a session.
   *
   * `session/create`
   * @throws InvalidSessionId
   * @throws AlreadyExists
   * @throws PathNotAllowed
   * @throws WriteFailed
   */
  sessionCreate(
    cwd: string,
    params?: Omit<CreateParams, "cwd">,
    options?: CallOptions,
  ): Promise<SessionState>;
  /**
   * Create a session.
   *
   * `session/create`
   * @throws InvalidSessionId
   * @throws AlreadyExists
   * @throws PathNotAllowed
   * @throws WriteFailed
   */
  sessionCreate(params: CreateParams, options?: CallOptions): Promise<SessionState>;
  sessionCreate(first: unknown, second?: object, third?: CallOptions): Promise<SessionState> {
    return this.call("session/create", ...withRest("cwd", first, second, third)) as Promise<SessionState>;
  }

  /**
   * Open a session; files of versions 1 and 2 are migrated on disk unless `readOnly`.
   *
   * `session/open`
   * @throws PathNotAllowed
   * @throws ReadFailed
   * @throws Busy
   * @throws InvalidSessionFile
   * @throws WriteFailed
   * @throws SessionNotFound
   * @throws AlreadyExists
   */
  sessionOpen(
    path: string,
    params?: Omit<OpenParams, "path">,
    options?: CallOptions,
  ): Promise<SessionState>;
  /**
   * Open a session; files of versions 1 and 2 are migrated on disk unless `readOnly`.
   *
   * `session/open`
   * @throws PathNotAllowed
   * @throws ReadFailed
   * @throws Busy
   * @throws InvalidSessionFile
   * @throws WriteFailed
   * @throws SessionNotFound
   * @throws AlreadyExists
   */
  sessionOpen(params: OpenParams, options?: CallOptions): Promise<SessionState>;
  sessionOpen(first: unknown, second?: object, third?: CallOptions): Promise<SessionState> {
    return this.call("session/open", ...withRest("path", first, second, third)) as Promise<SessionState>;
  }

  /**
   * Open the most recent session of a working directory, or create one.
   *
   * `session/continueRecent`
   * @throws PathNotAllowed
   * @throws ReadFailed
   * @throws Busy
   * @throws InvalidSessionFile
   * @throws WriteFailed
   */
  sessionContinueRecent(
    cwd: string,
    params?: Omit<ContinueRecentParams, "cwd">,
    options?: CallOptions,
  ): Promise<SessionState>;
  /**
   * Open the most recent session of a working directory, or create one.
   *
   * `session/continueRecent`
   * @throws PathNotAllowed
   * @throws ReadFailed
   * @throws Busy
   * @throws InvalidSessionFile
   * @throws WriteFailed
   */
  sessionContinueRecent(params: ContinueRecentParams, options?: CallOptions): Promise<SessionState>;
  sessionContinueRecent(
    first: unknown,
    second?: object,
    third?: CallOptions,
  ): Promise<SessionState> {
    return this.call("session/continueRecent", ...withRest("cwd", first, second, third)) as Promise<SessionState>;
  }

  /**
   * Create a session that has no file.
   *
   * `session/inMemory`
   * @throws InvalidSessionId
   * @throws InvalidSessionFile
   */
  sessionInMemory(params: InMemoryParams = {}, options?: CallOptions): Promise<SessionState> {
    return this.call("session/inMemory", params, options) as Promise<SessionState>;
  }

  /**
   * Copy a session into a new file for another working directory and open the copy.
   *
   * `session/forkFrom`
   * @throws PathNotAllowed
   * @throws ReadFailed
   * @throws Busy
   * @throws InvalidSessionFile
   * @throws WriteFailed
   * @throws SessionNotFound
   * @throws EntryNotFound
   * @throws InvalidSessionId
   * @throws AlreadyExists
   */
  sessionForkFrom(params: ForkFromParams, options?: CallOptions): Promise<SessionState> {
    return this.call("session/forkFrom", params, options) as Promise<SessionState>;
  }

  /**
   * Close a handle; one that is not open stays closed.
   *
   * `session/close`
   */
  sessionClose(session: string, options?: CallOptions): Promise<void>;
  /**
   * Close a handle; one that is not open stays closed.
   *
   * `session/close`
   */
  sessionClose(params: SessionParams, options?: CallOptions): Promise<void>;
  sessionClose(first: unknown, second?: CallOptions): Promise<void> {
    return this.call("session/close", ...alone("session", first, second)) as Promise<void>;
  }

  /**
   * Read the present state of a session.
   *
   * `session/getState`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  sessionGetState(session: string, options?: CallOptions): Promise<SessionState>;
  /**
   * Read the present state of a session.
   *
   * `session/getState`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  sessionGetState(params: SessionParams, options?: CallOptions): Promise<SessionState>;
  sessionGetState(first: unknown, second?: CallOptions): Promise<SessionState> {
    return this.call("session/getState", ...alone("session", first, second)) as Promise<SessionState>;
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
  sessionNewSession(
    session: string,
    params?: Omit<NewSessionParams, "session">,
    options?: CallOptions,
  ): Promise<SessionState>;
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
  sessionNewSession(params: NewSessionParams, options?: CallOptions): Promise<SessionState>;
  sessionNewSession(first: unknown, second?: object, third?: CallOptions): Promise<SessionState> {
    return this.call("session/newSession", ...withRest("session", first, second, third)) as Promise<SessionState>;
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
  sessionSetSessionFile(
    params: SetSessionFileParams,
    options?: CallOptions,
  ): Promise<SessionState> {
    return this.call("session/setSessionFile", params, options) as Promise<SessionState>;
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
  sessionCreateBranchedSession(
    params: CreateBranchedSessionParams,
    options?: CallOptions,
  ): Promise<SessionState> {
    return this.call("session/createBranchedSession", params, options) as Promise<SessionState>;
  }

  /**
   * Find the file of the session with this id.
   *
   * `session/findById`
   * @throws PathNotAllowed
   * @throws ReadFailed
   */
  sessionFindById(
    id: string,
    params?: Omit<FindByIdParams, "id">,
    options?: CallOptions,
  ): Promise<FindByIdResult>;
  /**
   * Find the file of the session with this id.
   *
   * `session/findById`
   * @throws PathNotAllowed
   * @throws ReadFailed
   */
  sessionFindById(params: FindByIdParams, options?: CallOptions): Promise<FindByIdResult>;
  sessionFindById(first: unknown, second?: object, third?: CallOptions): Promise<FindByIdResult> {
    return this.call("session/findById", ...withRest("id", first, second, third)) as Promise<FindByIdResult>;
  }

  /**
   * List the sessions of a working directory.
   *
   * `session/list`
   * @throws InvalidCursor
   * @throws PathNotAllowed
   * @throws ReadFailed
   */
  sessionList(
    cwd: string,
    params?: Omit<ListParams, "cwd">,
    options?: CallOptions,
  ): Promise<ListResult>;
  /**
   * List the sessions of a working directory.
   *
   * `session/list`
   * @throws InvalidCursor
   * @throws PathNotAllowed
   * @throws ReadFailed
   */
  sessionList(params: ListParams, options?: CallOptions): Promise<ListResult>;
  sessionList(first: unknown, second?: object, third?: CallOptions): Promise<ListResult> {
    return this.call("session/list", ...withRest("cwd", first, second, third)) as Promise<ListResult>;
  }

  /**
   * List the sessions of all working directories.
   *
   * `session/listAll`
   * @throws InvalidCursor
   * @throws PathNotAllowed
   * @throws ReadFailed
   */
  sessionListAll(params: ListAllParams = {}, options?: CallOptions): Promise<ListResult> {
    return this.call("session/listAll", params, options) as Promise<ListResult>;
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
  sessionAppendMessage(params: AppendMessageParams, options?: CallOptions): Promise<AppendResult> {
    return this.call("session/appendMessage", params, options) as Promise<AppendResult>;
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
  sessionAppendThinkingLevelChange(
    params: AppendThinkingLevelChangeParams,
    options?: CallOptions,
  ): Promise<AppendResult> {
    return this.call("session/appendThinkingLevelChange", params, options) as Promise<AppendResult>;
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
  sessionAppendModelChange(
    params: AppendModelChangeParams,
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
  sessionAppendCompaction(
    params: AppendCompactionParams,
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
  sessionAppendCustomEntry(
    params: AppendCustomEntryParams,
    options?: CallOptions,
  ): Promise<AppendResult> {
    return this.call("session/appendCustomEntry", params, options) as Promise<AppendResult>;
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
  sessionAppendSessionInfo(
    params: AppendSessionInfoParams,
    options?: CallOptions,
  ): Promise<AppendResult> {
    return this.call("session/appendSessionInfo", params, options) as Promise<AppendResult>;
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
  sessionAppendCustomMessageEntry(
    params: AppendCustomMessageEntryParams,
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
  sessionAppendLabelChange(
    params: AppendLabelChangeParams,
    options?: CallOptions,
  ): Promise<AppendResult> {
    return this.call("session/appendLabelChange", params, options) as Promise<AppendResult>;
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
  sessionAppendUsage(params: AppendUsageParams, options?: CallOptions): Promise<AppendResult> {
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
  sessionAppendContextEdit(
    params: AppendContextEditParams,
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
  sessionBranchWithSummary(
    params: BranchWithSummaryParams,
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
  sessionPublishDraft(params: PublishDraftParams, options?: CallOptions): Promise<void> {
    return this.call("session/publishDraft", params, options) as Promise<void>;
  }

  /**
   * Say in lists what the agent of a session does, until the handle is closed. Nothing is
   * stored. Of several handles, one that waits counts before one that runs.
   *
   * `session/setActivity`
   * @throws UnknownSession
   */
  sessionSetActivity(params: SetActivityParams, options?: CallOptions): Promise<void> {
    return this.call("session/setActivity", params, options) as Promise<void>;
  }

  /**
   * Read the handle's leaf.
   *
   * `session/getLeafId`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  sessionGetLeafId(session: string, options?: CallOptions): Promise<LeafIdResult>;
  /**
   * Read the handle's leaf.
   *
   * `session/getLeafId`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  sessionGetLeafId(params: SessionParams, options?: CallOptions): Promise<LeafIdResult>;
  sessionGetLeafId(first: unknown, second?: CallOptions): Promise<LeafIdResult> {
    return this.call("session/getLeafId", ...alone("session", first, second)) as Promise<LeafIdResult>;
  }

  /**
   * Read the entry at the leaf.
   *
   * `session/getLeafEntry`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  sessionGetLeafEntry(session: string, options?: CallOptions): Promise<EntryResult>;
  /**
   * Read the entry at the leaf.
   *
   * `session/getLeafEntry`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  sessionGetLeafEntry(params: SessionParams, options?: CallOptions): Promise<EntryResult>;
  sessionGetLeafEntry(first: unknown, second?: CallOptions): Promise<EntryResult> {
    return this.call("session/getLeafEntry", ...alone("session", first, second)) as Promise<EntryResult>;
  }

  /**
   * Read the entry with this id.
   *
   * `session/getEntry`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  sessionGetEntry(params: GetEntryParams, options?: CallOptions): Promise<EntryResult> {
    return this.call("session/getEntry", params, options) as Promise<EntryResult>;
  }

  /**
   * Read the lines or rows that an entry was made of, as its agent wrote them.
   *
   * `session/getSource`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   */
  sessionGetSource(params: GetSourceParams, options?: CallOptions): Promise<GetSourceResult> {
    return this.call("session/getSource", params, options) as Promise<GetSourceResult>;
  }

  /**
   * Read the entries of the file, all or page by page.
   *
   * `session/getEntries`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   */
  sessionGetEntries(
    session: string,
    params?: Omit<GetEntriesParams, "session">,
    options?: CallOptions,
  ): Promise<GetEntriesResult>;
  /**
   * Read the entries of the file, all or page by page.
   *
   * `session/getEntries`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   */
  sessionGetEntries(params: GetEntriesParams, options?: CallOptions): Promise<GetEntriesResult>;
  sessionGetEntries(
    first: unknown,
    second?: object,
    third?: CallOptions,
  ): Promise<GetEntriesResult> {
    return this.call("session/getEntries", ...withRest("session", first, second, third)) as Promise<GetEntriesResult>;
  }

  /**
   * Count the entries.
   *
   * `session/getEntryCount`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  sessionGetEntryCount(session: string, options?: CallOptions): Promise<EntryCountResult>;
  /**
   * Count the entries.
   *
   * `session/getEntryCount`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  sessionGetEntryCount(params: SessionParams, options?: CallOptions): Promise<EntryCountResult>;
  sessionGetEntryCount(first: unknown, second?: CallOptions): Promise<EntryCountResult> {
    return this.call("session/getEntryCount", ...alone("session", first, second)) as Promise<EntryCountResult>;
  }

  /**
   * Read the entries from the root to the leaf, root first.
   *
   * `session/getBranch`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   */
  sessionGetBranch(
    session: string,
    params?: Omit<GetBranchParams, "session">,
    options?: CallOptions,
  ): Promise<EntriesResult>;
  /**
   * Read the entries from the root to the leaf, root first.
   *
   * `session/getBranch`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   */
  sessionGetBranch(params: GetBranchParams, options?: CallOptions): Promise<EntriesResult>;
  sessionGetBranch(first: unknown, second?: object, third?: CallOptions): Promise<EntriesResult> {
    return this.call("session/getBranch", ...withRest("session", first, second, third)) as Promise<EntriesResult>;
  }

  /**
   * Read the children of an entry, in file order.
   *
   * `session/getChildren`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   */
  sessionGetChildren(params: GetChildrenParams, options?: CallOptions): Promise<EntriesResult> {
    return this.call("session/getChildren", params, options) as Promise<EntriesResult>;
  }

  /**
   * Read the whole tree as a flat list.
   *
   * `session/getTree`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  sessionGetTree(
    session: string,
    params?: Omit<GetTreeParams, "session">,
    options?: CallOptions,
  ): Promise<TreeResult>;
  /**
   * Read the whole tree as a flat list.
   *
   * `session/getTree`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  sessionGetTree(params: GetTreeParams, options?: CallOptions): Promise<TreeResult>;
  sessionGetTree(first: unknown, second?: object, third?: CallOptions): Promise<TreeResult> {
    return this.call("session/getTree", ...withRest("session", first, second, third)) as Promise<TreeResult>;
  }

  /**
   * Read the label of an entry.
   *
   * `session/getLabel`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  sessionGetLabel(params: GetEntryParams, options?: CallOptions): Promise<LabelResult> {
    return this.call("session/getLabel", params, options) as Promise<LabelResult>;
  }

  /**
   * Move the leaf to an entry.
   *
   * `session/branch`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   */
  sessionBranch(params: BranchParams, options?: CallOptions): Promise<LeafIdResult> {
    return this.call("session/branch", params, options) as Promise<LeafIdResult>;
  }

  /**
   * Move the leaf before the first entry.
   *
   * `session/resetLeaf`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  sessionResetLeaf(session: string, options?: CallOptions): Promise<LeafIdResult>;
  /**
   * Move the leaf before the first entry.
   *
   * `session/resetLeaf`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  sessionResetLeaf(params: SessionParams, options?: CallOptions): Promise<LeafIdResult>;
  sessionResetLeaf(first: unknown, second?: CallOptions): Promise<LeafIdResult> {
    return this.call("session/resetLeaf", ...alone("session", first, second)) as Promise<LeafIdResult>;
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
  sessionGetView(
    session: string,
    params?: Omit<GetViewParams, "session">,
    options?: CallOptions,
  ): Promise<GetViewResult>;
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
  sessionGetView(params: GetViewParams, options?: CallOptions): Promise<GetViewResult>;
  sessionGetView(first: unknown, second?: object, third?: CallOptions): Promise<GetViewResult> {
    return this.call("session/getView", ...withRest("session", first, second, third)) as Promise<GetViewResult>;
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
  sessionGetUpdates(
    session: string,
    params?: Omit<GetUpdatesParams, "session">,
    options?: CallOptions,
  ): Promise<GetUpdatesResult>;
  /**
   * Read a branch as `session/update` notifications of the Agent Client Protocol, version 1:
   * messages, thoughts, tool calls with diffs and locations, and plans.
   *
   * `session/getUpdates`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   */
  sessionGetUpdates(params: GetUpdatesParams, options?: CallOptions): Promise<GetUpdatesResult>;
  sessionGetUpdates(
    first: unknown,
    second?: object,
    third?: CallOptions,
  ): Promise<GetUpdatesResult> {
    return this.call("session/getUpdates", ...withRest("session", first, second, third)) as Promise<GetUpdatesResult>;
  }

  /**
   * The messages, thinking level and model of a branch.
   *
   * `session/buildSessionContext`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   */
  sessionBuildSessionContext(
    session: string,
    params?: Omit<BuildParams, "session">,
    options?: CallOptions,
  ): Promise<SessionContextResult>;
  /**
   * The messages, thinking level and model of a branch.
   *
   * `session/buildSessionContext`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   */
  sessionBuildSessionContext(
    params: BuildParams,
    options?: CallOptions,
  ): Promise<SessionContextResult>;
  sessionBuildSessionContext(
    first: unknown,
    second?: object,
    third?: CallOptions,
  ): Promise<SessionContextResult> {
    return this.call("session/buildSessionContext", ...withRest("session", first, second, third)) as Promise<SessionContextResult>;
  }

  /**
   * The entries of a branch that remain in the context after compaction.
   *
   * `session/buildContextEntries`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   */
  sessionBuildContextEntries(
    session: string,
    params?: Omit<BuildParams, "session">,
    options?: CallOptions,
  ): Promise<EntriesResult>;
  /**
   * The entries of a branch that remain in the context after compaction.
   *
   * `session/buildContextEntries`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   */
  sessionBuildContextEntries(params: BuildParams, options?: CallOptions): Promise<EntriesResult>;
  sessionBuildContextEntries(
    first: unknown,
    second?: object,
    third?: CallOptions,
  ): Promise<EntriesResult> {
    return this.call("session/buildContextEntries", ...withRest("session", first, second, third)) as Promise<EntriesResult>;
  }

  /**
   * The context of a branch, entry by entry.
   *
   * `session/buildSessionProjection`
   * @throws UnknownSession
   * @throws ReadFailed
   * @throws EntryNotFound
   */
  sessionBuildSessionProjection(
    session: string,
    params?: Omit<BuildParams, "session">,
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
  sessionBuildSessionProjection(
    params: BuildParams,
    options?: CallOptions,
  ): Promise<SessionProjectionResult>;
  sessionBuildSessionProjection(
    first: unknown,
    second?: object,
    third?: CallOptions,
  ): Promise<SessionProjectionResult> {
    return this.call("session/buildSessionProjection", ...withRest("session", first, second, third)) as Promise<SessionProjectionResult>;
  }

  /**
   * The session's header.
   *
   * `session/getHeader`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  sessionGetHeader(session: string, options?: CallOptions): Promise<HeaderResult>;
  /**
   * The session's header.
   *
   * `session/getHeader`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  sessionGetHeader(params: SessionParams, options?: CallOptions): Promise<HeaderResult>;
  sessionGetHeader(first: unknown, second?: CallOptions): Promise<HeaderResult> {
    return this.call("session/getHeader", ...alone("session", first, second)) as Promise<HeaderResult>;
  }

  /**
   * The session's name.
   *
   * `session/getSessionName`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  sessionGetSessionName(session: string, options?: CallOptions): Promise<SessionNameResult>;
  /**
   * The session's name.
   *
   * `session/getSessionName`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  sessionGetSessionName(params: SessionParams, options?: CallOptions): Promise<SessionNameResult>;
  sessionGetSessionName(first: unknown, second?: CallOptions): Promise<SessionNameResult> {
    return this.call("session/getSessionName", ...alone("session", first, second)) as Promise<SessionNameResult>;
  }

  /**
   * The session's working directory.
   *
   * `session/getCwd`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  sessionGetCwd(session: string, options?: CallOptions): Promise<CwdResult>;
  /**
   * The session's working directory.
   *
   * `session/getCwd`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  sessionGetCwd(params: SessionParams, options?: CallOptions): Promise<CwdResult>;
  sessionGetCwd(first: unknown, second?: CallOptions): Promise<CwdResult> {
    return this.call("session/getCwd", ...alone("session", first, second)) as Promise<CwdResult>;
  }

  /**
   * The directory for sessions branched off this one.
   *
   * `session/getSessionDir`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  sessionGetSessionDir(session: string, options?: CallOptions): Promise<SessionDirResult>;
  /**
   * The directory for sessions branched off this one.
   *
   * `session/getSessionDir`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  sessionGetSessionDir(params: SessionParams, options?: CallOptions): Promise<SessionDirResult>;
  sessionGetSessionDir(first: unknown, second?: CallOptions): Promise<SessionDirResult> {
    return this.call("session/getSessionDir", ...alone("session", first, second)) as Promise<SessionDirResult>;
  }

  /**
   * The id in the session's header.
   *
   * `session/getSessionId`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  sessionGetSessionId(session: string, options?: CallOptions): Promise<SessionIdResult>;
  /**
   * The id in the session's header.
   *
   * `session/getSessionId`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  sessionGetSessionId(params: SessionParams, options?: CallOptions): Promise<SessionIdResult>;
  sessionGetSessionId(first: unknown, second?: CallOptions): Promise<SessionIdResult> {
    return this.call("session/getSessionId", ...alone("session", first, second)) as Promise<SessionIdResult>;
  }

  /**
   * The path of the session's file, also before it is written.
   *
   * `session/getSessionFile`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  sessionGetSessionFile(session: string, options?: CallOptions): Promise<SessionFileResult>;
  /**
   * The path of the session's file, also before it is written.
   *
   * `session/getSessionFile`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  sessionGetSessionFile(params: SessionParams, options?: CallOptions): Promise<SessionFileResult>;
  sessionGetSessionFile(first: unknown, second?: CallOptions): Promise<SessionFileResult> {
    return this.call("session/getSessionFile", ...alone("session", first, second)) as Promise<SessionFileResult>;
  }

  /**
   * Whether the session belongs to a file.
   *
   * `session/isPersisted`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  sessionIsPersisted(session: string, options?: CallOptions): Promise<IsPersistedResult>;
  /**
   * Whether the session belongs to a file.
   *
   * `session/isPersisted`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  sessionIsPersisted(params: SessionParams, options?: CallOptions): Promise<IsPersistedResult>;
  sessionIsPersisted(first: unknown, second?: CallOptions): Promise<IsPersistedResult> {
    return this.call("session/isPersisted", ...alone("session", first, second)) as Promise<IsPersistedResult>;
  }

  /**
   * Whether its directory is the default one of its working directory.
   *
   * `session/usesDefaultSessionDir`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  sessionUsesDefaultSessionDir(
    session: string,
    options?: CallOptions,
  ): Promise<UsesDefaultSessionDirResult>;
  /**
   * Whether its directory is the default one of its working directory.
   *
   * `session/usesDefaultSessionDir`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  sessionUsesDefaultSessionDir(
    params: SessionParams,
    options?: CallOptions,
  ): Promise<UsesDefaultSessionDirResult>;
  sessionUsesDefaultSessionDir(
    first: unknown,
    second?: CallOptions,
  ): Promise<UsesDefaultSessionDirResult> {
    return this.call("session/usesDefaultSessionDir", ...alone("session", first, second)) as Promise<UsesDefaultSessionDirResult>;
  }

  /**
   * Estimate the tokens of a context.
   *
   * `context/estimateTokens`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  contextEstimateTokens(
    params: MessagesParams = {},
    options?: CallOptions,
  ): Promise<EstimateTokensResult> {
    return this.call("context/estimateTokens", params, options) as Promise<EstimateTokensResult>;
  }

  /**
   * Decide whether the context should be compacted.
   *
   * `context/shouldCompact`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  contextShouldCompact(
    params: ShouldCompactParams,
    options?: CallOptions,
  ): Promise<ShouldCompactResult> {
    return this.call("context/shouldCompact", params, options) as Promise<ShouldCompactResult>;
  }

  /**
   * Measure how much of the context window is used.
   *
   * `context/windowUsage`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  contextWindowUsage(params: WindowUsageParams, options?: CallOptions): Promise<WindowUsageResult> {
    return this.call("context/windowUsage", params, options) as Promise<WindowUsageResult>;
  }

  /**
   * Convert messages to the form in which a model is sent them.
   *
   * `context/toLlm`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  contextToLlm(params: ToLlmParams = {}, options?: CallOptions): Promise<LlmMessagesResult> {
    return this.call("context/toLlm", params, options) as Promise<LlmMessagesResult>;
  }

  /**
   * Convert a conversation to text, for a model to read but not to continue.
   *
   * `context/serialize`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  contextSerialize(params: MessagesParams = {}, options?: CallOptions): Promise<SerializeResult> {
    return this.call("context/serialize", params, options) as Promise<SerializeResult>;
  }

  /**
   * Plan a compaction and prepare the prompts for its summaries.
   *
   * `context/prepareCompaction`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  contextPrepareCompaction(
    session: string,
    params?: Omit<PrepareCompactionParams, "session">,
    options?: CallOptions,
  ): Promise<PrepareCompactionResult>;
  /**
   * Plan a compaction and prepare the prompts for its summaries.
   *
   * `context/prepareCompaction`
   * @throws UnknownSession
   * @throws ReadFailed
   */
  contextPrepareCompaction(
    params: PrepareCompactionParams,
    options?: CallOptions,
  ): Promise<PrepareCompactionResult>;
  contextPrepareCompaction(
    first: unknown,
    second?: object,
    third?: CallOptions,
  ): Promise<PrepareCompactionResult> {
    return this.call("context/prepareCompaction", ...withRest("session", first, second, third)) as Promise<PrepareCompactionResult>;
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
    params: FinishCompactionParams,
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
    params: PrepareBranchSummaryParams,
    options?: CallOptions,
  ): Promise<PrepareBranchSummaryResult> {
    return this.call("context/prepareBranchSummary", params, options) as Promise<PrepareBranchSummaryResult>;
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
    params: FinishBranchSummaryParams,
    options?: CallOptions,
  ): Promise<FinishBranchSummaryResult> {
    return this.call("context/finishBranchSummary", params, options) as Promise<FinishBranchSummaryResult>;
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
  contextNavigate(params: NavigateParams, options?: CallOptions): Promise<NavigateResult> {
    return this.call("context/navigate", params, options) as Promise<NavigateResult>;
  }

  /**
   * Read a snapshot of the sessions and subscribe to every later change.
   *
   * `catalog/subscribe`
   * @throws PathNotAllowed
   * @throws ReadFailed
   */
  catalogSubscribe(
    params: CatalogSubscribeParams = {},
    options?: CallOptions,
  ): Promise<CatalogSubscribeResult> {
    return this.call("catalog/subscribe", params, options) as Promise<CatalogSubscribeResult>;
  }

  /**
   * End the subscription.
   *
   * `catalog/unsubscribe`
   */
  catalogUnsubscribe(subscription: string, options?: CallOptions): Promise<void>;
  /**
   * End the subscription.
   *
   * `catalog/unsubscribe`
   */
  catalogUnsubscribe(params: CatalogUnsubscribeParams, options?: CallOptions): Promise<void>;
  catalogUnsubscribe(first: unknown, second?: CallOptions): Promise<void> {
    return this.call("catalog/unsubscribe", ...alone("subscription", first, second)) as Promise<void>;
  }

  /**
   * Find sessions by names, directories, and what was said and done. After 30 s it answers what
   * it has found, and names in `problems` what it has not searched.
   *
   * `catalog/search`
   * @throws InvalidCursor
   * @throws InvalidQuery
   * @throws PathNotAllowed
   * @throws TimedOut
   * @throws Unsupported
   */
  catalogSearch(
    query: string,
    params?: Omit<CatalogSearchParams, "query">,
    options?: CallOptions,
  ): Promise<CatalogSearchResult>;
  /**
   * Find sessions by names, directories, and what was said and done. After 30 s it answers what
   * it has found, and names in `problems` what it has not searched.
   *
   * `catalog/search`
   * @throws InvalidCursor
   * @throws InvalidQuery
   * @throws PathNotAllowed
   * @throws TimedOut
   * @throws Unsupported
   */
  catalogSearch(params: CatalogSearchParams, options?: CallOptions): Promise<CatalogSearchResult>;
  catalogSearch(
    first: unknown,
    second?: object,
    third?: CallOptions,
  ): Promise<CatalogSearchResult> {
    return this.call("catalog/search", ...withRest("query", first, second, third)) as Promise<CatalogSearchResult>;
  }

  /**
   * Name a session under the leaf of its file; no handle's leaf moves.
   *
   * `catalog/rename`
   * @throws SessionNotFound
   * @throws InvalidSessionFile
   * @throws WriteFailed
   * @throws PathNotAllowed
   * @throws ReadOnly
   * @throws Busy
   * @throws ReadFailed
   */
  catalogRename(params: RenameParams, options?: CallOptions): Promise<RenameResult> {
    return this.call("catalog/rename", params, options) as Promise<RenameResult>;
  }

  /**
   * Label an entry under the leaf of its file; no handle's leaf moves.
   *
   * `catalog/label`
   * @throws SessionNotFound
   * @throws EntryNotFound
   * @throws InvalidSessionFile
   * @throws WriteFailed
   * @throws PathNotAllowed
   * @throws ReadOnly
   * @throws Busy
   * @throws ReadFailed
   */
  catalogLabel(params: EntryLabelParams, options?: CallOptions): Promise<EntryLabelResult> {
    return this.call("catalog/label", params, options) as Promise<EntryLabelResult>;
  }

  /**
   * Move a session to the trash, or delete it permanently; by default not while it is open for
   * writing.
   *
   * `catalog/delete`
   * @throws SessionNotFound
   * @throws InvalidSessionFile
   * @throws WriteFailed
   * @throws PathNotAllowed
   * @throws ReadOnly
   * @throws ReadFailed
   * @throws InUse
   */
  catalogDelete(
    path: string,
    params?: Omit<DeleteParams, "path">,
    options?: CallOptions,
  ): Promise<DeleteResult>;
  /**
   * Move a session to the trash, or delete it permanently; by default not while it is open for
   * writing.
   *
   * `catalog/delete`
   * @throws SessionNotFound
   * @throws InvalidSessionFile
   * @throws WriteFailed
   * @throws PathNotAllowed
   * @throws ReadOnly
   * @throws ReadFailed
   * @throws InUse
   */
  catalogDelete(params: DeleteParams, options?: CallOptions): Promise<DeleteResult>;
  catalogDelete(first: unknown, second?: object, third?: CallOptions): Promise<DeleteResult> {
    return this.call("catalog/delete", ...withRest("path", first, second, third)) as Promise<DeleteResult>;
  }

  /**
   * Restore a session from the trash to its former path.
   *
   * `catalog/restore`
   * @throws SessionNotFound
   * @throws WriteFailed
   * @throws PathNotAllowed
   * @throws ReadOnly
   * @throws AlreadyExists
   * @throws Unsupported
   * @throws ReadFailed
   */
  catalogRestore(path: string, options?: CallOptions): Promise<SessionInfo>;
  /**
   * Restore a session from the trash to its former path.
   *
   * `catalog/restore`
   * @throws SessionNotFound
   * @throws WriteFailed
   * @throws PathNotAllowed
   * @throws ReadOnly
   * @throws AlreadyExists
   * @throws Unsupported
   * @throws ReadFailed
   */
  catalogRestore(params: RestoreParams, options?: CallOptions): Promise<SessionInfo>;
  catalogRestore(first: unknown, second?: CallOptions): Promise<SessionInfo> {
    return this.call("catalog/restore", ...alone("path", first, second)) as Promise<SessionInfo>;
  }

  /**
   * Take back the last change of this user that has a name, then the one before.
   *
   * `catalog/undo`
   * @throws PathNotAllowed
   * @throws ReadOnly
   * @throws WriteFailed
   * @throws Unsupported
   */
  catalogUndo(options?: CallOptions): Promise<UndoResult> {
    return this.call("catalog/undo", undefined, options) as Promise<UndoResult>;
  }

  /**
   * List the sessions in the trash.
   *
   * `catalog/listTrash`
   * @throws PathNotAllowed
   * @throws Unsupported
   */
  catalogListTrash(params: CatalogScope = {}, options?: CallOptions): Promise<ListTrashResult> {
    return this.call("catalog/listTrash", params, options) as Promise<ListTrashResult>;
  }

  /**
   * Check session files for damage; nothing is written.
   *
   * `catalog/check`
   * @throws SessionNotFound
   * @throws PathNotAllowed
   * @throws ReadFailed
   */
  catalogCheck(params: CheckParams = {}, options?: CallOptions): Promise<CheckResult> {
    return this.call("catalog/check", params, options) as Promise<CheckResult>;
  }

  /**
   * Repair a session file and keep a backup, or only report what would be done.
   *
   * `catalog/repair`
   * @throws SessionNotFound
   * @throws InvalidSessionFile
   * @throws WriteFailed
   * @throws PathNotAllowed
   * @throws ReadOnly
   * @throws Busy
   * @throws ReadFailed
   */
  catalogRepair(params: RepairParams, options?: CallOptions): Promise<RepairResult> {
    return this.call("catalog/repair", params, options) as Promise<RepairResult>;
  }

  /**
   * Pin, hide or tag sessions. No session file is changed: the daemon keeps marks in a file of
   * its own, by agent and session id. All of them are changed, or none.
   *
   * `catalog/setMarks`
   * @throws SessionNotFound
   * @throws InvalidSessionFile
   * @throws WriteFailed
   * @throws PathNotAllowed
   * @throws ReadOnly
   * @throws Busy
   * @throws ReadFailed
   * @throws Unsupported
   */
  catalogSetMarks(params: SetMarksParams, options?: CallOptions): Promise<SetMarksResult> {
    return this.call("catalog/setMarks", params, options) as Promise<SetMarksResult>;
  }

  /**
   * Count a session's messages, tool calls, tokens and cost, by model and by day.
   *
   * `catalog/stats`
   * @throws UnknownSession
   * @throws SessionNotFound
   * @throws InvalidSessionFile
   * @throws PathNotAllowed
   * @throws ReadFailed
   * @throws Unsupported
   */
  catalogStats(params: StatsParams = {}, options?: CallOptions): Promise<StatsResult> {
    return this.call("catalog/stats", params, options) as Promise<StatsResult>;
  }

  /**
   * Add up tokens and cost of sessions by time, model, project, agent or session.
   *
   * `catalog/usage`
   * @throws PathNotAllowed
   * @throws ReadFailed
   * @throws Unsupported
   */
  catalogUsage(
    params: CatalogUsageParams = {},
    options?: CallOptions,
  ): Promise<CatalogUsageResult> {
    return this.call("catalog/usage", params, options) as Promise<CatalogUsageResult>;
  }

  /**
   * Export a session, or a branch of it, as JSON lines, Markdown or a page.
   *
   * `catalog/export`
   * @throws UnknownSession
   * @throws SessionNotFound
   * @throws InvalidSessionFile
   * @throws EntryNotFound
   * @throws PathNotAllowed
   * @throws ReadOnly
   * @throws AlreadyExists
   * @throws ReadFailed
   * @throws WriteFailed
   */
  catalogExport(
    format: "html" | "jsonl" | "markdown",
    params?: Omit<ExportParams, "format">,
    options?: CallOptions,
  ): Promise<ExportResult>;
  /**
   * Export a session, or a branch of it, as JSON lines, Markdown or a page.
   *
   * `catalog/export`
   * @throws UnknownSession
   * @throws SessionNotFound
   * @throws InvalidSessionFile
   * @throws EntryNotFound
   * @throws PathNotAllowed
   * @throws ReadOnly
   * @throws AlreadyExists
   * @throws ReadFailed
   * @throws WriteFailed
   */
  catalogExport(params: ExportParams, options?: CallOptions): Promise<ExportResult>;
  catalogExport(first: unknown, second?: object, third?: CallOptions): Promise<ExportResult> {
    return this.call("catalog/export", ...withRest("format", first, second, third)) as Promise<ExportResult>;
  }

  /**
   * Give this machine and another place the same sessions.
   *
   * `catalog/sync`
   * @throws PathNotAllowed
   * @throws ReadOnly
   * @throws Unsupported
   * @throws ReadFailed
   * @throws WriteFailed
   */
  catalogSync(params: SyncParams = {}, options?: CallOptions): Promise<SyncResult> {
    return this.call("catalog/sync", params, options) as Promise<SyncResult>;
  }

  /**
   * Say which agents have sessions here, where, and how many.
   *
   * `catalog/agents`
   * @throws ReadFailed
   */
  catalogAgents(options?: CallOptions): Promise<AgentsResult> {
    return this.call("catalog/agents", undefined, options) as Promise<AgentsResult>;
  }

  /**
   * Find the canonical key of a session, from a message or another spelling.
   *
   * `gateway/resolveKey`
   */
  gatewayResolveKey(
    params: ResolveKeyParams = {},
    options?: CallOptions,
  ): Promise<ResolveKeyResult> {
    return this.call("gateway/resolveKey", params, options) as Promise<ResolveKeyResult>;
  }

  /**
   * Decide whether a session continues or has expired, daily or by idleness.
   *
   * `gateway/evaluateFreshness`
   */
  gatewayEvaluateFreshness(
    now: number,
    params?: Omit<EvaluateFreshnessParams, "now">,
    options?: CallOptions,
  ): Promise<EvaluateFreshnessResult>;
  /**
   * Decide whether a session continues or has expired, daily or by idleness.
   *
   * `gateway/evaluateFreshness`
   */
  gatewayEvaluateFreshness(
    params: EvaluateFreshnessParams,
    options?: CallOptions,
  ): Promise<EvaluateFreshnessResult>;
  gatewayEvaluateFreshness(
    first: unknown,
    second?: object,
    third?: CallOptions,
  ): Promise<EvaluateFreshnessResult> {
    return this.call("gateway/evaluateFreshness", ...withRest("now", first, second, third)) as Promise<EvaluateFreshnessResult>;
  }

  /**
   * Decide whether a reply is silent; the text of a silent reply is not shown.
   *
   * `gateway/isSilentReply`
   */
  gatewayIsSilentReply(
    text: string,
    params?: Omit<IsSilentReplyParams, "text">,
    options?: CallOptions,
  ): Promise<IsSilentReplyResult>;
  /**
   * Decide whether a reply is silent; the text of a silent reply is not shown.
   *
   * `gateway/isSilentReply`
   */
  gatewayIsSilentReply(
    params: IsSilentReplyParams,
    options?: CallOptions,
  ): Promise<IsSilentReplyResult>;
  gatewayIsSilentReply(
    first: unknown,
    second?: object,
    third?: CallOptions,
  ): Promise<IsSilentReplyResult> {
    return this.call("gateway/isSilentReply", ...withRest("text", first, second, third)) as Promise<IsSilentReplyResult>;
  }

  /**
   * Decide whether the agent should save memories before a compaction, and build the prompt.
   *
   * `gateway/planMemoryFlush`
   * @throws PathNotAllowed
   * @throws ReadFailed
   * @throws Busy
   * @throws Unsupported
   */
  gatewayPlanMemoryFlush(
    params: PlanMemoryFlushParams = {},
    options?: CallOptions,
  ): Promise<PlanMemoryFlushResult> {
    return this.call("gateway/planMemoryFlush", params, options) as Promise<PlanMemoryFlushResult>;
  }

  /**
   * Read the entry of a session.
   *
   * `gateway/get`
   * @throws PathNotAllowed
   * @throws ReadFailed
   * @throws Busy
   * @throws Unsupported
   */
  gatewayGet(
    sessionKey: string,
    params?: Omit<StoreGetParams, "sessionKey">,
    options?: CallOptions,
  ): Promise<StoreGetResult>;
  /**
   * Read the entry of a session.
   *
   * `gateway/get`
   * @throws PathNotAllowed
   * @throws ReadFailed
   * @throws Busy
   * @throws Unsupported
   */
  gatewayGet(params: StoreGetParams, options?: CallOptions): Promise<StoreGetResult>;
  gatewayGet(first: unknown, second?: object, third?: CallOptions): Promise<StoreGetResult> {
    return this.call("gateway/get", ...withRest("sessionKey", first, second, third)) as Promise<StoreGetResult>;
  }

  /**
   * Change settings of a session: all of them, or none if one is refused.
   *
   * `gateway/patch`
   * @throws PathNotAllowed
   * @throws ReadFailed
   * @throws Unsupported
   * @throws GatewayRejected
   * @throws ReadOnly
   * @throws Busy
   * @throws WriteFailed
   */
  gatewayPatch(
    key: string,
    params?: Omit<StorePatchParams, "key">,
    options?: CallOptions,
  ): Promise<StorePatchResult>;
  /**
   * Change settings of a session: all of them, or none if one is refused.
   *
   * `gateway/patch`
   * @throws PathNotAllowed
   * @throws ReadFailed
   * @throws Unsupported
   * @throws GatewayRejected
   * @throws ReadOnly
   * @throws Busy
   * @throws WriteFailed
   */
  gatewayPatch(params: StorePatchParams, options?: CallOptions): Promise<StorePatchResult>;
  gatewayPatch(first: unknown, second?: object, third?: CallOptions): Promise<StorePatchResult> {
    return this.call("gateway/patch", ...withRest("key", first, second, third)) as Promise<StorePatchResult>;
  }

  /**
   * Start a new session under a key, and archive the old transcript.
   *
   * `gateway/reset`
   * @throws PathNotAllowed
   * @throws ReadFailed
   * @throws Unsupported
   * @throws GatewayRejected
   * @throws ReadOnly
   * @throws Busy
   * @throws WriteFailed
   * @throws InUse
   */
  gatewayReset(
    key: string,
    params?: Omit<StoreResetParams, "key">,
    options?: CallOptions,
  ): Promise<StoreResetResult>;
  /**
   * Start a new session under a key, and archive the old transcript.
   *
   * `gateway/reset`
   * @throws PathNotAllowed
   * @throws ReadFailed
   * @throws Unsupported
   * @throws GatewayRejected
   * @throws ReadOnly
   * @throws Busy
   * @throws WriteFailed
   * @throws InUse
   */
  gatewayReset(params: StoreResetParams, options?: CallOptions): Promise<StoreResetResult>;
  gatewayReset(first: unknown, second?: object, third?: CallOptions): Promise<StoreResetResult> {
    return this.call("gateway/reset", ...withRest("key", first, second, third)) as Promise<StoreResetResult>;
  }

  /**
   * Remove a session from its store, and archive its transcript.
   *
   * `gateway/delete`
   * @throws PathNotAllowed
   * @throws ReadFailed
   * @throws Unsupported
   * @throws GatewayRejected
   * @throws ReadOnly
   * @throws Busy
   * @throws WriteFailed
   * @throws InUse
   */
  gatewayDelete(
    key: string,
    params?: Omit<StoreDeleteParams, "key">,
    options?: CallOptions,
  ): Promise<StoreDeleteResult>;
  /**
   * Remove a session from its store, and archive its transcript.
   *
   * `gateway/delete`
   * @throws PathNotAllowed
   * @throws ReadFailed
   * @throws Unsupported
   * @throws GatewayRejected
   * @throws ReadOnly
   * @throws Busy
   * @throws WriteFailed
   * @throws InUse
   */
  gatewayDelete(params: StoreDeleteParams, options?: CallOptions): Promise<StoreDeleteResult>;
  gatewayDelete(first: unknown, second?: object, third?: CallOptions): Promise<StoreDeleteResult> {
    return this.call("gateway/delete", ...withRest("key", first, second, third)) as Promise<StoreDeleteResult>;
  }

  /**
   * List the sessions of all agents.
   *
   * `gateway/list`
   * @throws PathNotAllowed
   * @throws ReadFailed
   * @throws Busy
   * @throws Unsupported
   */
  gatewayList(params: StoreListParams = {}, options?: CallOptions): Promise<StoreListResult> {
    return this.call("gateway/list", params, options) as Promise<StoreListResult>;
  }

  /**
   * Record the usage of a run: tokens, model and context window.
   *
   * `gateway/recordUsage`
   * @throws GatewayRejected
   * @throws Unsupported
   * @throws ReadOnly
   * @throws PathNotAllowed
   * @throws Busy
   * @throws ReadFailed
   * @throws WriteFailed
   */
  gatewayRecordUsage(
    sessionKey: string,
    params?: Omit<RecordUsageParams, "sessionKey">,
    options?: CallOptions,
  ): Promise<RecordResult>;
  /**
   * Record the usage of a run: tokens, model and context window.
   *
   * `gateway/recordUsage`
   * @throws GatewayRejected
   * @throws Unsupported
   * @throws ReadOnly
   * @throws PathNotAllowed
   * @throws Busy
   * @throws ReadFailed
   * @throws WriteFailed
   */
  gatewayRecordUsage(params: RecordUsageParams, options?: CallOptions): Promise<RecordResult>;
  gatewayRecordUsage(first: unknown, second?: object, third?: CallOptions): Promise<RecordResult> {
    return this.call("gateway/recordUsage", ...withRest("sessionKey", first, second, third)) as Promise<RecordResult>;
  }

  /**
   * Count a compaction, and record the tokens that it left.
   *
   * `gateway/recordCompaction`
   * @throws GatewayRejected
   * @throws Unsupported
   * @throws ReadOnly
   * @throws PathNotAllowed
   * @throws Busy
   * @throws ReadFailed
   * @throws WriteFailed
   */
  gatewayRecordCompaction(
    sessionKey: string,
    params?: Omit<RecordCompactionParams, "sessionKey">,
    options?: CallOptions,
  ): Promise<RecordCompactionResult>;
  /**
   * Count a compaction, and record the tokens that it left.
   *
   * `gateway/recordCompaction`
   * @throws GatewayRejected
   * @throws Unsupported
   * @throws ReadOnly
   * @throws PathNotAllowed
   * @throws Busy
   * @throws ReadFailed
   * @throws WriteFailed
   */
  gatewayRecordCompaction(
    params: RecordCompactionParams,
    options?: CallOptions,
  ): Promise<RecordCompactionResult>;
  gatewayRecordCompaction(
    first: unknown,
    second?: object,
    third?: CallOptions,
  ): Promise<RecordCompactionResult> {
    return this.call("gateway/recordCompaction", ...withRest("sessionKey", first, second, third)) as Promise<RecordCompactionResult>;
  }

  /**
   * Record that memories were saved, so that they are not saved again too early.
   *
   * `gateway/recordMemoryFlush`
   * @throws GatewayRejected
   * @throws Unsupported
   * @throws ReadOnly
   * @throws PathNotAllowed
   * @throws Busy
   * @throws ReadFailed
   * @throws WriteFailed
   */
  gatewayRecordMemoryFlush(
    sessionKey: string,
    params?: Omit<RecordMemoryFlushParams, "sessionKey">,
    options?: CallOptions,
  ): Promise<RecordResult>;
  /**
   * Record that memories were saved, so that they are not saved again too early.
   *
   * `gateway/recordMemoryFlush`
   * @throws GatewayRejected
   * @throws Unsupported
   * @throws ReadOnly
   * @throws PathNotAllowed
   * @throws Busy
   * @throws ReadFailed
   * @throws WriteFailed
   */
  gatewayRecordMemoryFlush(
    params: RecordMemoryFlushParams,
    options?: CallOptions,
  ): Promise<RecordResult>;
  gatewayRecordMemoryFlush(
    first: unknown,
    second?: object,
    third?: CallOptions,
  ): Promise<RecordResult> {
    return this.call("gateway/recordMemoryFlush", ...withRest("sessionKey", first, second, third)) as Promise<RecordResult>;
  }

  /**
   * Find or start the session of an inbound message, and record it.
   *
   * `gateway/begin`
   * @throws GatewayRejected
   * @throws Unsupported
   * @throws InvalidSessionFile
   * @throws PathNotAllowed
   * @throws ReadOnly
   * @throws Busy
   * @throws ReadFailed
   * @throws WriteFailed
   */
  gatewayBegin(params: BeginParams, options?: CallOptions): Promise<BeginResult> {
    return this.call("gateway/begin", params, options) as Promise<BeginResult>;
  }

  /**
   * Remove old or excess sessions from a store.
   *
   * `gateway/maintain`
   * @throws GatewayRejected
   * @throws Unsupported
   * @throws PathNotAllowed
   * @throws ReadOnly
   * @throws Busy
   * @throws ReadFailed
   * @throws WriteFailed
   */
  gatewayMaintain(params: MaintainParams = {}, options?: CallOptions): Promise<MaintainResult> {
    return this.call("gateway/maintain", params, options) as Promise<MaintainResult>;
  }

  /**
   * Read a snapshot of the stores and subscribe to every later change.
   *
   * `gateway/subscribe`
   * @throws PathNotAllowed
   * @throws Unsupported
   */
  gatewaySubscribe(
    params: GatewaySubscribeParams = {},
    options?: CallOptions,
  ): Promise<GatewaySubscribeResult> {
    return this.call("gateway/subscribe", params, options) as Promise<GatewaySubscribeResult>;
  }

  /**
   * End the subscription.
   *
   * `gateway/unsubscribe`
   */
  gatewayUnsubscribe(subscription: string, options?: CallOptions): Promise<void>;
  /**
   * End the subscription.
   *
   * `gateway/unsubscribe`
   */
  gatewayUnsubscribe(params: GatewayUnsubscribeParams, options?: CallOptions): Promise<void>;
  gatewayUnsubscribe(first: unknown, second?: CallOptions): Promise<void> {
    return this.call("gateway/unsubscribe", ...alone("subscription", first, second)) as Promise<void>;
  }

  /**
   * The progress of a request that carried a token.
   *
   * `$/progress`
   */
  onProgress(listener: (params: ProgressParams) => void): Disposable {
    return this.listen("$/progress", listener);
  }

  /**
   * The session's file was changed, but not through this handle.
   *
   * `session/didChange`
   */
  onSessionDidChange(listener: (params: SessionDidChangeParams) => void): Disposable {
    return this.listen("session/didChange", listener);
  }

  /**
   * Another handle of the session has published a draft, or its draft has ended.
   *
   * `session/didChangeDraft`
   */
  onSessionDidChangeDraft(listener: (params: SessionDidChangeDraftParams) => void): Disposable {
    return this.listen("session/didChangeDraft", listener);
  }

  /**
   * Session files were added, changed or removed.
   *
   * `catalog/didChange`
   */
  onCatalogDidChange(listener: (params: CatalogDidChangeParams) => void): Disposable {
    return this.listen("catalog/didChange", listener);
  }

  /**
   * Sessions of a store were added, changed or removed.
   *
   * `gateway/didChange`
   */
  onGatewayDidChange(listener: (params: GatewayDidChangeParams) => void): Disposable {
    return this.listen("gateway/didChange", listener);
  }
}

/** Params and result of every method, by name. */
export interface MethodTypes {
  "rpc.discover": { params: undefined; result: { [name: string]: unknown } };
  "daemon/status": { params: undefined; result: StatusResult };
  "session/create": { params: CreateParams; result: SessionState };
  "session/open": { params: OpenParams; result: SessionState };
  "session/continueRecent": { params: ContinueRecentParams; result: SessionState };
  "session/inMemory": { params: InMemoryParams; result: SessionState };
  "session/forkFrom": { params: ForkFromParams; result: SessionState };
  "session/close": { params: SessionParams; result: null };
  "session/getState": { params: SessionParams; result: SessionState };
  "session/newSession": { params: NewSessionParams; result: SessionState };
  "session/setSessionFile": { params: SetSessionFileParams; result: SessionState };
  "session/createBranchedSession": { params: CreateBranchedSessionParams; result: SessionState };
  "session/findById": { params: FindByIdParams; result: FindByIdResult };
  "session/list": { params: ListParams; result: ListResult };
  "session/listAll": { params: ListAllParams; result: ListResult };
  "session/appendMessage": { params: AppendMessageParams; result: AppendResult };
  "session/appendThinkingLevelChange": { params: AppendThinkingLevelChangeParams; result: AppendResult };
  "session/appendModelChange": { params: AppendModelChangeParams; result: AppendResult };
  "session/appendCompaction": { params: AppendCompactionParams; result: AppendResult };
  "session/appendCustomEntry": { params: AppendCustomEntryParams; result: AppendResult };
  "session/appendSessionInfo": { params: AppendSessionInfoParams; result: AppendResult };
  "session/appendCustomMessageEntry": { params: AppendCustomMessageEntryParams; result: AppendResult };
  "session/appendLabelChange": { params: AppendLabelChangeParams; result: AppendResult };
  "session/appendUsage": { params: AppendUsageParams; result: AppendResult };
  "session/appendContextEdit": { params: AppendContextEditParams; result: AppendResult };
  "session/branchWithSummary": { params: BranchWithSummaryParams; result: AppendResult };
  "session/publishDraft": { params: PublishDraftParams; result: null };
  "session/setActivity": { params: SetActivityParams; result: null };
  "session/getLeafId": { params: SessionParams; result: LeafIdResult };
  "session/getLeafEntry": { params: SessionParams; result: EntryResult };
  "session/getEntry": { params: GetEntryParams; result: EntryResult };
  "session/getSource": { params: GetSourceParams; result: GetSourceResult };
  "session/getEntries": { params: GetEntriesParams; result: GetEntriesResult };
  "session/getEntryCount": { params: SessionParams; result: EntryCountResult };
  "session/getBranch": { params: GetBranchParams; result: EntriesResult };
  "session/getChildren": { params: GetChildrenParams; result: EntriesResult };
  "session/getTree": { params: GetTreeParams; result: TreeResult };
  "session/getLabel": { params: GetEntryParams; result: LabelResult };
  "session/branch": { params: BranchParams; result: LeafIdResult };
  "session/resetLeaf": { params: SessionParams; result: LeafIdResult };
  "session/getView": { params: GetViewParams; result: GetViewResult };
  "session/getUpdates": { params: GetUpdatesParams; result: GetUpdatesResult };
  "session/buildSessionContext": { params: BuildParams; result: SessionContextResult };
  "session/buildContextEntries": { params: BuildParams; result: EntriesResult };
  "session/buildSessionProjection": { params: BuildParams; result: SessionProjectionResult };
  "session/getHeader": { params: SessionParams; result: HeaderResult };
  "session/getSessionName": { params: SessionParams; result: SessionNameResult };
  "session/getCwd": { params: SessionParams; result: CwdResult };
  "session/getSessionDir": { params: SessionParams; result: SessionDirResult };
  "session/getSessionId": { params: SessionParams; result: SessionIdResult };
  "session/getSessionFile": { params: SessionParams; result: SessionFileResult };
  "session/isPersisted": { params: SessionParams; result: IsPersistedResult };
  "session/usesDefaultSessionDir": { params: SessionParams; result: UsesDefaultSessionDirResult };
  "context/estimateTokens": { params: MessagesParams; result: EstimateTokensResult };
  "context/shouldCompact": { params: ShouldCompactParams; result: ShouldCompactResult };
  "context/windowUsage": { params: WindowUsageParams; result: WindowUsageResult };
  "context/toLlm": { params: ToLlmParams; result: LlmMessagesResult };
  "context/serialize": { params: MessagesParams; result: SerializeResult };
  "context/prepareCompaction": { params: PrepareCompactionParams; result: PrepareCompactionResult };
  "context/finishCompaction": { params: FinishCompactionParams; result: AppendResult };
  "context/prepareBranchSummary": { params: PrepareBranchSummaryParams; result: PrepareBranchSummaryResult };
  "context/finishBranchSummary": { params: FinishBranchSummaryParams; result: FinishBranchSummaryResult };
  "context/navigate": { params: NavigateParams; result: NavigateResult };
  "catalog/subscribe": { params: CatalogSubscribeParams; result: CatalogSubscribeResult };
  "catalog/unsubscribe": { params: CatalogUnsubscribeParams; result: null };
  "catalog/search": { params: CatalogSearchParams; result: CatalogSearchResult };
  "catalog/rename": { params: RenameParams; result: RenameResult };
  "catalog/label": { params: EntryLabelParams; result: EntryLabelResult };
  "catalog/delete": { params: DeleteParams; result: DeleteResult };
  "catalog/restore": { params: RestoreParams; result: SessionInfo };
  "catalog/undo": { params: undefined; result: UndoResult };
  "catalog/listTrash": { params: CatalogScope; result: ListTrashResult };
  "catalog/check": { params: CheckParams; result: CheckResult };
  "catalog/repair": { params: RepairParams; result: RepairResult };
  "catalog/setMarks": { params: SetMarksParams; result: SetMarksResult };
  "catalog/stats": { params: StatsParams; result: StatsResult };
  "catalog/usage": { params: CatalogUsageParams; result: CatalogUsageResult };
  "catalog/export": { params: ExportParams; result: ExportResult };
  "catalog/sync": { params: SyncParams; result: SyncResult };
  "catalog/agents": { params: AgentsParams; result: AgentsResult };
  "gateway/resolveKey": { params: ResolveKeyParams; result: ResolveKeyResult };
  "gateway/evaluateFreshness": { params: EvaluateFreshnessParams; result: EvaluateFreshnessResult };
  "gateway/isSilentReply": { params: IsSilentReplyParams; result: IsSilentReplyResult };
  "gateway/planMemoryFlush": { params: PlanMemoryFlushParams; result: PlanMemoryFlushResult };
  "gateway/get": { params: StoreGetParams; result: StoreGetResult };
  "gateway/patch": { params: StorePatchParams; result: StorePatchResult };
  "gateway/reset": { params: StoreResetParams; result: StoreResetResult };
  "gateway/delete": { params: StoreDeleteParams; result: StoreDeleteResult };
  "gateway/list": { params: StoreListParams; result: StoreListResult };
  "gateway/recordUsage": { params: RecordUsageParams; result: RecordResult };
  "gateway/recordCompaction": { params: RecordCompactionParams; result: RecordCompactionResult };
  "gateway/recordMemoryFlush": { params: RecordMemoryFlushParams; result: RecordResult };
  "gateway/begin": { params: BeginParams; result: BeginResult };
  "gateway/maintain": { params: MaintainParams; result: MaintainResult };
  "gateway/subscribe": { params: GatewaySubscribeParams; result: GatewaySubscribeResult };
  "gateway/unsubscribe": { params: GatewayUnsubscribeParams; result: null };
}

/** Facts that the client needs to repeat a call and to reopen handles. */
export interface MethodFacts {
  /** Whether it may be sent again if the daemon ended before it answered. */
  readonly repeatable: boolean;
  /** Whether it takes `newEntryId`. */
  readonly appends: boolean;
  /** What it opens: the member that has the handle. */
  readonly opens?: "session" | "subscription";
}

export const methodFacts: Readonly<Record<string, MethodFacts>> = {
  "rpc.discover": { repeatable: true, appends: false },
  "daemon/status": { repeatable: true, appends: false },
  "session/create": { repeatable: false, appends: false, opens: "session" },
  "session/open": { repeatable: true, appends: false, opens: "session" },
  "session/continueRecent": { repeatable: false, appends: false, opens: "session" },
  "session/inMemory": { repeatable: false, appends: false, opens: "session" },
  "session/forkFrom": { repeatable: false, appends: false, opens: "session" },
  "session/close": { repeatable: true, appends: false },
  "session/getState": { repeatable: true, appends: false },
  "session/newSession": { repeatable: false, appends: false },
  "session/setSessionFile": { repeatable: false, appends: false },
  "session/createBranchedSession": { repeatable: false, appends: false },
  "session/findById": { repeatable: true, appends: false },
  "session/list": { repeatable: true, appends: false },
  "session/listAll": { repeatable: true, appends: false },
  "session/appendMessage": { repeatable: true, appends: true },
  "session/appendThinkingLevelChange": { repeatable: true, appends: true },
  "session/appendModelChange": { repeatable: true, appends: true },
  "session/appendCompaction": { repeatable: true, appends: true },
  "session/appendCustomEntry": { repeatable: true, appends: true },
  "session/appendSessionInfo": { repeatable: true, appends: true },
  "session/appendCustomMessageEntry": { repeatable: true, appends: true },
  "session/appendLabelChange": { repeatable: true, appends: true },
  "session/appendUsage": { repeatable: true, appends: true },
  "session/appendContextEdit": { repeatable: true, appends: true },
  "session/branchWithSummary": { repeatable: true, appends: true },
  "session/publishDraft": { repeatable: true, appends: false },
  "session/setActivity": { repeatable: true, appends: false },
  "session/getLeafId": { repeatable: true, appends: false },
  "session/getLeafEntry": { repeatable: true, appends: false },
  "session/getEntry": { repeatable: true, appends: false },
  "session/getSource": { repeatable: true, appends: false },
  "session/getEntries": { repeatable: true, appends: false },
  "session/getEntryCount": { repeatable: true, appends: false },
  "session/getBranch": { repeatable: true, appends: false },
  "session/getChildren": { repeatable: true, appends: false },
  "session/getTree": { repeatable: true, appends: false },
  "session/getLabel": { repeatable: true, appends: false },
  "session/branch": { repeatable: true, appends: false },
  "session/resetLeaf": { repeatable: true, appends: false },
  "session/getView": { repeatable: true, appends: false },
  "session/getUpdates": { repeatable: true, appends: false },
  "session/buildSessionContext": { repeatable: true, appends: false },
  "session/buildContextEntries": { repeatable: true, appends: false },
  "session/buildSessionProjection": { repeatable: true, appends: false },
  "session/getHeader": { repeatable: true, appends: false },
  "session/getSessionName": { repeatable: true, appends: false },
  "session/getCwd": { repeatable: true, appends: false },
  "session/getSessionDir": { repeatable: true, appends: false },
  "session/getSessionId": { repeatable: true, appends: false },
  "session/getSessionFile": { repeatable: true, appends: false },
  "session/isPersisted": { repeatable: true, appends: false },
  "session/usesDefaultSessionDir": { repeatable: true, appends: false },
  "context/estimateTokens": { repeatable: true, appends: false },
  "context/shouldCompact": { repeatable: true, appends: false },
  "context/windowUsage": { repeatable: true, appends: false },
  "context/toLlm": { repeatable: true, appends: false },
  "context/serialize": { repeatable: true, appends: false },
  "context/prepareCompaction": { repeatable: true, appends: false },
  "context/finishCompaction": { repeatable: true, appends: true },
  "context/prepareBranchSummary": { repeatable: true, appends: false },
  "context/finishBranchSummary": { repeatable: true, appends: true },
  "context/navigate": { repeatable: true, appends: true },
  "catalog/subscribe": { repeatable: true, appends: false, opens: "subscription" },
  "catalog/unsubscribe": { repeatable: true, appends: false },
  "catalog/search": { repeatable: true, appends: false },
  "catalog/rename": { repeatable: false, appends: false },
  "catalog/label": { repeatable: false, appends: false },
  "catalog/delete": { repeatable: false, appends: false },
  "catalog/restore": { repeatable: false, appends: false },
  "catalog/undo": { repeatable: false, appends: false },
  "catalog/listTrash": { repeatable: true, appends: false },
  "catalog/check": { repeatable: true, appends: false },
  "catalog/repair": { repeatable: false, appends: false },
  "catalog/setMarks": { repeatable: true, appends: false },
  "catalog/stats": { repeatable: true, appends: false },
  "catalog/usage": { repeatable: true, appends: false },
  "catalog/export": { repeatable: false, appends: false },
  "catalog/sync": { repeatable: true, appends: false },
  "catalog/agents": { repeatable: true, appends: false },
  "gateway/resolveKey": { repeatable: true, appends: false },
  "gateway/evaluateFreshness": { repeatable: true, appends: false },
  "gateway/isSilentReply": { repeatable: true, appends: false },
  "gateway/planMemoryFlush": { repeatable: true, appends: false },
  "gateway/get": { repeatable: true, appends: false },
  "gateway/patch": { repeatable: true, appends: false },
  "gateway/reset": { repeatable: false, appends: false },
  "gateway/delete": { repeatable: false, appends: false },
  "gateway/list": { repeatable: true, appends: false },
  "gateway/recordUsage": { repeatable: false, appends: false },
  "gateway/recordCompaction": { repeatable: false, appends: false },
  "gateway/recordMemoryFlush": { repeatable: false, appends: false },
  "gateway/begin": { repeatable: false, appends: false },
  "gateway/maintain": { repeatable: false, appends: false },
  "gateway/subscribe": { repeatable: true, appends: false, opens: "subscription" },
  "gateway/unsubscribe": { repeatable: true, appends: false },
};

export const notifications = ["$/progress", "session/didChange", "session/didChangeDraft", "catalog/didChange", "gateway/didChange"] as const;
