// Generated from protocol/sessiond_protocol/openrpc.json by protocol/generate.py.
// Do not edit; run `make generate`.
//! Every method of the contract, as a call of a client or of a session.

use crate::client::Client;
use crate::error::Error;
use crate::generated::methods::*;
use crate::json::Raw;
use crate::method::{new_id, Nothing};
use crate::session::Session;
use crate::subscription::Subscription;
use crate::types::*;

impl Client {
    /// `rpc.discover`: Read the OpenRPC document of this daemon.
    pub async fn rpc_discover(&self) -> Result<Raw, Error> {
        self.call(&RPC_DISCOVER, &Nothing {}).await
    }

    /// `daemon/status`: Read the counters of the daemon.
    pub async fn daemon_status(&self) -> Result<StatusResult, Error> {
        self.call(&DAEMON_STATUS, &Nothing {}).await
    }

    /// `session/create`: Create a session.
    ///
    /// Errors: `InvalidSessionId`, `AlreadyExists`, `PathNotAllowed`, `WriteFailed`.
    pub async fn create(
        &self,
        params: impl Into<CreateParams>,
    ) -> Result<Session, Error> {
        let mut params = params.into();
        params.session.get_or_insert_with(new_id);
        self.open_with(&SESSION_CREATE, &params).await
    }

    /// `session/open`: Open a session; files of versions 1 and 2 are migrated on disk unless `readOnly`.
    ///
    /// Errors: `PathNotAllowed`, `ReadFailed`, `Busy`, `InvalidSessionFile`, `WriteFailed`, `SessionNotFound`, `AlreadyExists`.
    pub async fn open(
        &self,
        params: impl Into<OpenParams>,
    ) -> Result<Session, Error> {
        let mut params = params.into();
        params.session.get_or_insert_with(new_id);
        self.open_with(&SESSION_OPEN, &params).await
    }

    /// `session/continueRecent`: Open the most recent session of a working directory, or create one.
    ///
    /// Errors: `PathNotAllowed`, `ReadFailed`, `Busy`, `InvalidSessionFile`, `WriteFailed`.
    pub async fn continue_recent(
        &self,
        params: impl Into<ContinueRecentParams>,
    ) -> Result<Session, Error> {
        let mut params = params.into();
        params.session.get_or_insert_with(new_id);
        self.open_with(&SESSION_CONTINUE_RECENT, &params).await
    }

    /// `session/inMemory`: Create a session that has no file.
    ///
    /// Errors: `InvalidSessionId`, `InvalidSessionFile`.
    pub async fn in_memory(
        &self,
        params: impl Into<InMemoryParams>,
    ) -> Result<Session, Error> {
        let mut params = params.into();
        params.session.get_or_insert_with(new_id);
        self.open_with(&SESSION_IN_MEMORY, &params).await
    }

    /// `session/forkFrom`: Copy a session into a new file for another working directory and open the copy.
    ///
    /// Errors: `PathNotAllowed`, `ReadFailed`, `Busy`, `InvalidSessionFile`, `WriteFailed`, `SessionNotFound`, `EntryNotFound`, `InvalidSessionId`, `AlreadyExists`.
    pub async fn fork_from(
        &self,
        params: impl Into<ForkFromParams>,
    ) -> Result<Session, Error> {
        let mut params = params.into();
        params.session.get_or_insert_with(new_id);
        self.open_with(&SESSION_FORK_FROM, &params).await
    }

    /// `session/findById`: Find the file of the session with this id.
    ///
    /// Errors: `PathNotAllowed`, `ReadFailed`.
    pub async fn find_by_id(
        &self,
        params: impl Into<FindByIdParams>,
    ) -> Result<FindByIdResult, Error> {
        self.call(&SESSION_FIND_BY_ID, &params.into()).await
    }

    /// `session/list`: List the sessions of a working directory.
    ///
    /// Errors: `InvalidCursor`, `PathNotAllowed`, `ReadFailed`.
    pub async fn list(
        &self,
        params: impl Into<ListParams>,
    ) -> Result<ListResult, Error> {
        self.call(&SESSION_LIST, &params.into()).await
    }

    /// `session/listAll`: List the sessions of all working directories.
    ///
    /// Errors: `InvalidCursor`, `PathNotAllowed`, `ReadFailed`.
    pub async fn list_all(
        &self,
        params: impl Into<ListAllParams>,
    ) -> Result<ListResult, Error> {
        self.call(&SESSION_LIST_ALL, &params.into()).await
    }

    /// `context/estimateTokens`: Estimate the tokens of a context.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub async fn context_estimate_tokens(
        &self,
        params: impl Into<MessagesParams>,
    ) -> Result<EstimateTokensResult, Error> {
        self.call(&CONTEXT_ESTIMATE_TOKENS, &params.into()).await
    }

    /// `context/toLlm`: Convert messages to the form in which a model is sent them.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub async fn context_to_llm(
        &self,
        params: impl Into<ToLlmParams>,
    ) -> Result<LlmMessagesResult, Error> {
        self.call(&CONTEXT_TO_LLM, &params.into()).await
    }

    /// `context/serialize`: Convert a conversation to text, for a model to read but not to continue.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub async fn context_serialize(
        &self,
        params: impl Into<MessagesParams>,
    ) -> Result<SerializeResult, Error> {
        self.call(&CONTEXT_SERIALIZE, &params.into()).await
    }

    /// `catalog/subscribe`: Read a snapshot of the sessions and subscribe to every later change.
    ///
    /// Errors: `PathNotAllowed`, `ReadFailed`.
    pub async fn catalog_subscribe(
        &self,
        params: impl Into<CatalogSubscribeParams>,
    ) -> Result<Subscription<CatalogSubscribeResult, CatalogDidChangeParams>, Error> {
        let mut params = params.into();
        params.subscription.get_or_insert_with(new_id);
        self.subscribe_with(&CATALOG_SUBSCRIBE, &params).await
    }

    /// `catalog/search`: Find sessions by names, directories, and what was said and done. After 30 s it answers what it has found, and names in `problems` what it has not searched.
    ///
    /// Errors: `InvalidCursor`, `InvalidQuery`, `PathNotAllowed`, `TimedOut`, `Unsupported`.
    pub async fn catalog_search(
        &self,
        params: impl Into<CatalogSearchParams>,
    ) -> Result<CatalogSearchResult, Error> {
        self.call(&CATALOG_SEARCH, &params.into()).await
    }

    /// `catalog/rename`: Name a session under the leaf of its file; no handle's leaf moves.
    ///
    /// Errors: `SessionNotFound`, `InvalidSessionFile`, `WriteFailed`, `PathNotAllowed`, `ReadOnly`, `Busy`, `ReadFailed`.
    pub async fn catalog_rename(
        &self,
        params: impl Into<RenameParams>,
    ) -> Result<RenameResult, Error> {
        self.call(&CATALOG_RENAME, &params.into()).await
    }

    /// `catalog/label`: Label an entry under the leaf of its file; no handle's leaf moves.
    ///
    /// Errors: `SessionNotFound`, `EntryNotFound`, `InvalidSessionFile`, `WriteFailed`, `PathNotAllowed`, `ReadOnly`, `Busy`, `ReadFailed`.
    pub async fn catalog_label(
        &self,
        params: impl Into<EntryLabelParams>,
    ) -> Result<EntryLabelResult, Error> {
        self.call(&CATALOG_LABEL, &params.into()).await
    }

    /// `catalog/delete`: Move a session to the trash, or delete it permanently; by default not while it is open for writing.
    ///
    /// Errors: `SessionNotFound`, `InvalidSessionFile`, `WriteFailed`, `PathNotAllowed`, `ReadOnly`, `ReadFailed`, `InUse`.
    pub async fn catalog_delete(
        &self,
        params: impl Into<DeleteParams>,
    ) -> Result<DeleteResult, Error> {
        self.call(&CATALOG_DELETE, &params.into()).await
    }

    /// `catalog/restore`: Restore a session from the trash to its former path.
    ///
    /// Errors: `SessionNotFound`, `WriteFailed`, `PathNotAllowed`, `ReadOnly`, `AlreadyExists`, `Unsupported`, `ReadFailed`.
    pub async fn catalog_restore(
        &self,
        params: impl Into<RestoreParams>,
    ) -> Result<SessionInfo, Error> {
        self.call(&CATALOG_RESTORE, &params.into()).await
    }

    /// `catalog/undo`: Take back the last change of this user that has a name, then the one before.
    ///
    /// Errors: `PathNotAllowed`, `ReadOnly`, `WriteFailed`, `Unsupported`.
    pub async fn catalog_undo(&self) -> Result<UndoResult, Error> {
        self.call(&CATALOG_UNDO, &Nothing {}).await
    }

    /// `catalog/listTrash`: List the sessions in the trash.
    ///
    /// Errors: `PathNotAllowed`, `Unsupported`.
    pub async fn catalog_list_trash(
        &self,
        params: impl Into<CatalogScope>,
    ) -> Result<ListTrashResult, Error> {
        self.call(&CATALOG_LIST_TRASH, &params.into()).await
    }

    /// `catalog/check`: Check session files for damage; nothing is written.
    ///
    /// Errors: `SessionNotFound`, `PathNotAllowed`, `ReadFailed`.
    pub async fn catalog_check(
        &self,
        params: impl Into<CheckParams>,
    ) -> Result<CheckResult, Error> {
        self.call(&CATALOG_CHECK, &params.into()).await
    }

    /// `catalog/repair`: Repair a session file and keep a backup, or only report what would be done.
    ///
    /// Errors: `SessionNotFound`, `InvalidSessionFile`, `WriteFailed`, `PathNotAllowed`, `ReadOnly`, `Busy`, `ReadFailed`.
    pub async fn catalog_repair(
        &self,
        params: impl Into<RepairParams>,
    ) -> Result<RepairResult, Error> {
        self.call(&CATALOG_REPAIR, &params.into()).await
    }

    /// `catalog/setMarks`: Pin, hide or tag sessions. No session file is changed: the daemon keeps marks in a file of its own, by agent and session id. All of them are changed, or none.
    ///
    /// Errors: `SessionNotFound`, `InvalidSessionFile`, `WriteFailed`, `PathNotAllowed`, `ReadOnly`, `Busy`, `ReadFailed`, `Unsupported`.
    pub async fn catalog_set_marks(
        &self,
        params: impl Into<SetMarksParams>,
    ) -> Result<SetMarksResult, Error> {
        self.call(&CATALOG_SET_MARKS, &params.into()).await
    }

    /// `catalog/stats`: Count a session's messages, tool calls, tokens and cost, by model and by day.
    ///
    /// Errors: `UnknownSession`, `SessionNotFound`, `InvalidSessionFile`, `PathNotAllowed`, `ReadFailed`, `Unsupported`.
    pub async fn catalog_stats(
        &self,
        params: impl Into<StatsParams>,
    ) -> Result<StatsResult, Error> {
        self.call(&CATALOG_STATS, &params.into()).await
    }

    /// `catalog/usage`: Add up tokens and cost of sessions by time, model, project, agent or session.
    ///
    /// Errors: `PathNotAllowed`, `ReadFailed`, `Unsupported`.
    pub async fn catalog_usage(
        &self,
        params: impl Into<CatalogUsageParams>,
    ) -> Result<CatalogUsageResult, Error> {
        self.call(&CATALOG_USAGE, &params.into()).await
    }

    /// `catalog/export`: Export a session, or a branch of it, as JSON lines, Markdown or a page.
    ///
    /// Errors: `UnknownSession`, `SessionNotFound`, `InvalidSessionFile`, `EntryNotFound`, `PathNotAllowed`, `ReadOnly`, `AlreadyExists`, `ReadFailed`, `WriteFailed`.
    pub async fn catalog_export(
        &self,
        params: impl Into<ExportParams>,
    ) -> Result<ExportResult, Error> {
        self.call(&CATALOG_EXPORT, &params.into()).await
    }

    /// `catalog/sync`: Give this machine and another place the same sessions.
    ///
    /// Errors: `PathNotAllowed`, `ReadOnly`, `Unsupported`, `ReadFailed`, `WriteFailed`.
    pub async fn catalog_sync(
        &self,
        params: impl Into<SyncParams>,
    ) -> Result<SyncResult, Error> {
        self.call(&CATALOG_SYNC, &params.into()).await
    }

    /// `catalog/agents`: Say which agents have sessions here, where, and how many.
    ///
    /// Errors: `ReadFailed`.
    pub async fn catalog_agents(&self) -> Result<AgentsResult, Error> {
        self.call(&CATALOG_AGENTS, &Nothing {}).await
    }

    /// `gateway/resolveKey`: Find the canonical key of a session, from a message or another spelling.
    pub async fn gateway_resolve_key(
        &self,
        params: impl Into<ResolveKeyParams>,
    ) -> Result<ResolveKeyResult, Error> {
        self.call(&GATEWAY_RESOLVE_KEY, &params.into()).await
    }

    /// `gateway/evaluateFreshness`: Decide whether a session continues or has expired, daily or by idleness.
    pub async fn gateway_evaluate_freshness(
        &self,
        params: impl Into<EvaluateFreshnessParams>,
    ) -> Result<EvaluateFreshnessResult, Error> {
        self.call(&GATEWAY_EVALUATE_FRESHNESS, &params.into()).await
    }

    /// `gateway/isSilentReply`: Decide whether a reply is silent; the text of a silent reply is not shown.
    pub async fn gateway_is_silent_reply(
        &self,
        params: impl Into<IsSilentReplyParams>,
    ) -> Result<IsSilentReplyResult, Error> {
        self.call(&GATEWAY_IS_SILENT_REPLY, &params.into()).await
    }

    /// `gateway/planMemoryFlush`: Decide whether the agent should save memories before a compaction, and build the prompt.
    ///
    /// Errors: `PathNotAllowed`, `ReadFailed`, `Busy`, `Unsupported`.
    pub async fn gateway_plan_memory_flush(
        &self,
        params: impl Into<PlanMemoryFlushParams>,
    ) -> Result<PlanMemoryFlushResult, Error> {
        self.call(&GATEWAY_PLAN_MEMORY_FLUSH, &params.into()).await
    }

    /// `gateway/get`: Read the entry of a session.
    ///
    /// Errors: `PathNotAllowed`, `ReadFailed`, `Busy`, `Unsupported`.
    pub async fn gateway_get(
        &self,
        params: impl Into<StoreGetParams>,
    ) -> Result<StoreGetResult, Error> {
        self.call(&GATEWAY_GET, &params.into()).await
    }

    /// `gateway/patch`: Change settings of a session: all of them, or none if one is refused.
    ///
    /// Errors: `PathNotAllowed`, `ReadFailed`, `Unsupported`, `GatewayRejected`, `ReadOnly`, `Busy`, `WriteFailed`.
    pub async fn gateway_patch(
        &self,
        params: impl Into<StorePatchParams>,
    ) -> Result<StorePatchResult, Error> {
        self.call(&GATEWAY_PATCH, &params.into()).await
    }

    /// `gateway/reset`: Start a new session under a key, and archive the old transcript.
    ///
    /// Errors: `PathNotAllowed`, `ReadFailed`, `Unsupported`, `GatewayRejected`, `ReadOnly`, `Busy`, `WriteFailed`, `InUse`.
    pub async fn gateway_reset(
        &self,
        params: impl Into<StoreResetParams>,
    ) -> Result<StoreResetResult, Error> {
        self.call(&GATEWAY_RESET, &params.into()).await
    }

    /// `gateway/delete`: Remove a session from its store, and archive its transcript.
    ///
    /// Errors: `PathNotAllowed`, `ReadFailed`, `Unsupported`, `GatewayRejected`, `ReadOnly`, `Busy`, `WriteFailed`, `InUse`.
    pub async fn gateway_delete(
        &self,
        params: impl Into<StoreDeleteParams>,
    ) -> Result<StoreDeleteResult, Error> {
        self.call(&GATEWAY_DELETE, &params.into()).await
    }

    /// `gateway/list`: List the sessions of all agents.
    ///
    /// Errors: `PathNotAllowed`, `ReadFailed`, `Busy`, `Unsupported`.
    pub async fn gateway_list(
        &self,
        params: impl Into<StoreListParams>,
    ) -> Result<StoreListResult, Error> {
        self.call(&GATEWAY_LIST, &params.into()).await
    }

    /// `gateway/recordUsage`: Record the usage of a run: tokens, model and context window.
    ///
    /// Errors: `GatewayRejected`, `Unsupported`, `ReadOnly`, `PathNotAllowed`, `Busy`, `ReadFailed`, `WriteFailed`.
    pub async fn gateway_record_usage(
        &self,
        params: impl Into<RecordUsageParams>,
    ) -> Result<RecordResult, Error> {
        self.call(&GATEWAY_RECORD_USAGE, &params.into()).await
    }

    /// `gateway/recordCompaction`: Count a compaction, and record the tokens that it left.
    ///
    /// Errors: `GatewayRejected`, `Unsupported`, `ReadOnly`, `PathNotAllowed`, `Busy`, `ReadFailed`, `WriteFailed`.
    pub async fn gateway_record_compaction(
        &self,
        params: impl Into<RecordCompactionParams>,
    ) -> Result<RecordCompactionResult, Error> {
        self.call(&GATEWAY_RECORD_COMPACTION, &params.into()).await
    }

    /// `gateway/recordMemoryFlush`: Record that memories were saved, so that they are not saved again too early.
    ///
    /// Errors: `GatewayRejected`, `Unsupported`, `ReadOnly`, `PathNotAllowed`, `Busy`, `ReadFailed`, `WriteFailed`.
    pub async fn gateway_record_memory_flush(
        &self,
        params: impl Into<RecordMemoryFlushParams>,
    ) -> Result<RecordResult, Error> {
        self.call(&GATEWAY_RECORD_MEMORY_FLUSH, &params.into()).await
    }

    /// `gateway/begin`: Find or start the session of an inbound message, and record it.
    ///
    /// Errors: `GatewayRejected`, `Unsupported`, `InvalidSessionFile`, `PathNotAllowed`, `ReadOnly`, `Busy`, `ReadFailed`, `WriteFailed`.
    pub async fn gateway_begin(
        &self,
        params: impl Into<BeginParams>,
    ) -> Result<BeginResult, Error> {
        self.call(&GATEWAY_BEGIN, &params.into()).await
    }

    /// `gateway/maintain`: Remove old or excess sessions from a store.
    ///
    /// Errors: `GatewayRejected`, `Unsupported`, `PathNotAllowed`, `ReadOnly`, `Busy`, `ReadFailed`, `WriteFailed`.
    pub async fn gateway_maintain(
        &self,
        params: impl Into<MaintainParams>,
    ) -> Result<MaintainResult, Error> {
        self.call(&GATEWAY_MAINTAIN, &params.into()).await
    }

    /// `gateway/subscribe`: Read a snapshot of the stores and subscribe to every later change.
    ///
    /// Errors: `PathNotAllowed`, `Unsupported`.
    pub async fn gateway_subscribe(
        &self,
        params: impl Into<GatewaySubscribeParams>,
    ) -> Result<Subscription<GatewaySubscribeResult, GatewayDidChangeParams>, Error> {
        let mut params = params.into();
        params.subscription.get_or_insert_with(new_id);
        self.subscribe_with(&GATEWAY_SUBSCRIBE, &params).await
    }
}

impl Session {
    /// `session/close`: Close a handle; one that is not open stays closed.
    pub async fn close(&self) -> Result<(), Error> {
        self.call(&SESSION_CLOSE, &Nothing {}).await
    }

    /// `session/getState`: Read the present state of a session.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub async fn get_state(&self) -> Result<SessionState, Error> {
        self.call(&SESSION_GET_STATE, &Nothing {}).await
    }

    /// `session/newSession`: Create a session under the same handle.
    ///
    /// Errors: `UnknownSession`, `InvalidSessionId`, `AlreadyExists`, `PathNotAllowed`, `ReadOnly`.
    pub async fn new_session(
        &self,
        params: impl Into<NewSessionParams>,
    ) -> Result<SessionState, Error> {
        self.call(&SESSION_NEW_SESSION, &params.into()).await
    }

    /// `session/setSessionFile`: Switch the handle to another session file.
    ///
    /// Errors: `UnknownSession`, `PathNotAllowed`, `ReadFailed`, `Busy`, `InvalidSessionFile`, `WriteFailed`.
    pub async fn set_session_file(
        &self,
        params: impl Into<SetSessionFileParams>,
    ) -> Result<SessionState, Error> {
        self.call(&SESSION_SET_SESSION_FILE, &params.into()).await
    }

    /// `session/createBranchedSession`: Copy one branch into a new session file and switch the handle to it.
    ///
    /// Errors: `UnknownSession`, `EntryNotFound`, `ReadFailed`, `WriteFailed`, `AlreadyExists`, `PathNotAllowed`, `ReadOnly`.
    pub async fn create_branched_session(
        &self,
        params: impl Into<CreateBranchedSessionParams>,
    ) -> Result<SessionState, Error> {
        self.call(&SESSION_CREATE_BRANCHED_SESSION, &params.into()).await
    }

    /// `session/appendMessage`: Append a message.
    ///
    /// Errors: `UnknownSession`, `LeafConflict`, `IdConflict`, `ReadOnly`, `Busy`, `WriteFailed`, `ReadFailed`, `InvalidSessionFile`, `AlreadyExists`.
    pub async fn append_message(
        &self,
        params: impl Into<AppendMessageParams>,
    ) -> Result<AppendResult, Error> {
        let mut params = params.into();
        params.new_entry_id.get_or_insert_with(new_id);
        self.call(&SESSION_APPEND_MESSAGE, &params).await
    }

    /// `session/appendThinkingLevelChange`: Record a change of the thinking level.
    ///
    /// Errors: `UnknownSession`, `LeafConflict`, `IdConflict`, `ReadOnly`, `Busy`, `WriteFailed`, `ReadFailed`, `InvalidSessionFile`, `AlreadyExists`.
    pub async fn append_thinking_level_change(
        &self,
        params: impl Into<AppendThinkingLevelChangeParams>,
    ) -> Result<AppendResult, Error> {
        let mut params = params.into();
        params.new_entry_id.get_or_insert_with(new_id);
        self.call(&SESSION_APPEND_THINKING_LEVEL_CHANGE, &params).await
    }

    /// `session/appendModelChange`: Record a change of the model.
    ///
    /// Errors: `UnknownSession`, `LeafConflict`, `IdConflict`, `ReadOnly`, `Busy`, `WriteFailed`, `ReadFailed`, `InvalidSessionFile`, `AlreadyExists`.
    pub async fn append_model_change(
        &self,
        params: impl Into<AppendModelChangeParams>,
    ) -> Result<AppendResult, Error> {
        let mut params = params.into();
        params.new_entry_id.get_or_insert_with(new_id);
        self.call(&SESSION_APPEND_MODEL_CHANGE, &params).await
    }

    /// `session/appendCompaction`: Record a summary that replaces the earlier context.
    ///
    /// Errors: `UnknownSession`, `LeafConflict`, `IdConflict`, `ReadOnly`, `Busy`, `WriteFailed`, `ReadFailed`, `InvalidSessionFile`, `AlreadyExists`, `EntryNotFound`.
    pub async fn append_compaction(
        &self,
        params: impl Into<AppendCompactionParams>,
    ) -> Result<AppendResult, Error> {
        let mut params = params.into();
        params.new_entry_id.get_or_insert_with(new_id);
        self.call(&SESSION_APPEND_COMPACTION, &params).await
    }

    /// `session/appendCustomEntry`: Store state of an extension.
    ///
    /// Errors: `UnknownSession`, `LeafConflict`, `IdConflict`, `ReadOnly`, `Busy`, `WriteFailed`, `ReadFailed`, `InvalidSessionFile`, `AlreadyExists`.
    pub async fn append_custom_entry(
        &self,
        params: impl Into<AppendCustomEntryParams>,
    ) -> Result<AppendResult, Error> {
        let mut params = params.into();
        params.new_entry_id.get_or_insert_with(new_id);
        self.call(&SESSION_APPEND_CUSTOM_ENTRY, &params).await
    }

    /// `session/appendSessionInfo`: Set or clear the name of the session.
    ///
    /// Errors: `UnknownSession`, `LeafConflict`, `IdConflict`, `ReadOnly`, `Busy`, `WriteFailed`, `ReadFailed`, `InvalidSessionFile`, `AlreadyExists`.
    pub async fn append_session_info(
        &self,
        params: impl Into<AppendSessionInfoParams>,
    ) -> Result<AppendResult, Error> {
        let mut params = params.into();
        params.new_entry_id.get_or_insert_with(new_id);
        self.call(&SESSION_APPEND_SESSION_INFO, &params).await
    }

    /// `session/appendCustomMessageEntry`: Append a message of an extension.
    ///
    /// Errors: `UnknownSession`, `LeafConflict`, `IdConflict`, `ReadOnly`, `Busy`, `WriteFailed`, `ReadFailed`, `InvalidSessionFile`, `AlreadyExists`.
    pub async fn append_custom_message_entry(
        &self,
        params: impl Into<AppendCustomMessageEntryParams>,
    ) -> Result<AppendResult, Error> {
        let mut params = params.into();
        params.new_entry_id.get_or_insert_with(new_id);
        self.call(&SESSION_APPEND_CUSTOM_MESSAGE_ENTRY, &params).await
    }

    /// `session/appendLabelChange`: Set or clear the label of an entry.
    ///
    /// Errors: `UnknownSession`, `LeafConflict`, `IdConflict`, `ReadOnly`, `Busy`, `WriteFailed`, `ReadFailed`, `InvalidSessionFile`, `AlreadyExists`, `EntryNotFound`.
    pub async fn append_label_change(
        &self,
        params: impl Into<AppendLabelChangeParams>,
    ) -> Result<AppendResult, Error> {
        let mut params = params.into();
        params.new_entry_id.get_or_insert_with(new_id);
        self.call(&SESSION_APPEND_LABEL_CHANGE, &params).await
    }

    /// `session/appendUsage`: Record usage outside the conversation.
    ///
    /// Errors: `UnknownSession`, `LeafConflict`, `IdConflict`, `ReadOnly`, `Busy`, `WriteFailed`, `ReadFailed`, `InvalidSessionFile`, `AlreadyExists`.
    pub async fn append_usage(
        &self,
        params: impl Into<AppendUsageParams>,
    ) -> Result<AppendResult, Error> {
        let mut params = params.into();
        params.new_entry_id.get_or_insert_with(new_id);
        self.call(&SESSION_APPEND_USAGE, &params).await
    }

    /// `session/appendContextEdit`: Replace or omit the content of an earlier entry in the context.
    ///
    /// Errors: `UnknownSession`, `LeafConflict`, `IdConflict`, `ReadOnly`, `Busy`, `WriteFailed`, `ReadFailed`, `InvalidSessionFile`, `AlreadyExists`, `EntryNotFound`, `NotEditable`.
    pub async fn append_context_edit(
        &self,
        params: impl Into<AppendContextEditParams>,
    ) -> Result<AppendResult, Error> {
        let mut params = params.into();
        params.new_entry_id.get_or_insert_with(new_id);
        self.call(&SESSION_APPEND_CONTEXT_EDIT, &params).await
    }

    /// `session/branchWithSummary`: Continue from an earlier entry, with a summary of the branch that is left.
    ///
    /// Errors: `UnknownSession`, `LeafConflict`, `IdConflict`, `ReadOnly`, `Busy`, `WriteFailed`, `ReadFailed`, `InvalidSessionFile`, `AlreadyExists`, `EntryNotFound`.
    pub async fn branch_with_summary(
        &self,
        params: impl Into<BranchWithSummaryParams>,
    ) -> Result<AppendResult, Error> {
        let mut params = params.into();
        params.new_entry_id.get_or_insert_with(new_id);
        self.call(&SESSION_BRANCH_WITH_SUMMARY, &params).await
    }

    /// `session/publishDraft`: Show the other handles of the session an answer in progress, which is not stored. It ends with the next append or the end of this handle.
    ///
    /// Errors: `UnknownSession`, `ReadOnly`, `TooLarge`.
    pub async fn publish_draft(
        &self,
        params: impl Into<PublishDraftParams>,
    ) -> Result<(), Error> {
        self.call(&SESSION_PUBLISH_DRAFT, &params.into()).await
    }

    /// `session/setActivity`: Say in lists what the agent of a session does, until the handle is closed. Nothing is stored. Of several handles, one that waits counts before one that runs.
    ///
    /// Errors: `UnknownSession`.
    pub async fn set_activity(
        &self,
        params: impl Into<SetActivityParams>,
    ) -> Result<(), Error> {
        self.call(&SESSION_SET_ACTIVITY, &params.into()).await
    }

    /// `session/getLeafId`: Read the handle's leaf.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub async fn get_leaf_id(&self) -> Result<LeafIdResult, Error> {
        self.call(&SESSION_GET_LEAF_ID, &Nothing {}).await
    }

    /// `session/getLeafEntry`: Read the entry at the leaf.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub async fn get_leaf_entry(&self) -> Result<EntryResult, Error> {
        self.call(&SESSION_GET_LEAF_ENTRY, &Nothing {}).await
    }

    /// `session/getEntry`: Read the entry with this id.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub async fn get_entry(
        &self,
        params: impl Into<GetEntryParams>,
    ) -> Result<EntryResult, Error> {
        self.call(&SESSION_GET_ENTRY, &params.into()).await
    }

    /// `session/getSource`: Read the lines or rows that an entry was made of, as its agent wrote them.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`, `EntryNotFound`.
    pub async fn get_source(
        &self,
        params: impl Into<GetSourceParams>,
    ) -> Result<GetSourceResult, Error> {
        self.call(&SESSION_GET_SOURCE, &params.into()).await
    }

    /// `session/getEntries`: Read the entries of the file, all or page by page.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`, `EntryNotFound`.
    pub async fn get_entries(
        &self,
        params: impl Into<GetEntriesParams>,
    ) -> Result<GetEntriesResult, Error> {
        self.call(&SESSION_GET_ENTRIES, &params.into()).await
    }

    /// `session/getEntryCount`: Count the entries.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub async fn get_entry_count(&self) -> Result<EntryCountResult, Error> {
        self.call(&SESSION_GET_ENTRY_COUNT, &Nothing {}).await
    }

    /// `session/getBranch`: Read the entries from the root to the leaf, root first.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`, `EntryNotFound`.
    pub async fn get_branch(
        &self,
        params: impl Into<GetBranchParams>,
    ) -> Result<EntriesResult, Error> {
        self.call(&SESSION_GET_BRANCH, &params.into()).await
    }

    /// `session/getChildren`: Read the children of an entry, in file order.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`, `EntryNotFound`.
    pub async fn get_children(
        &self,
        params: impl Into<GetChildrenParams>,
    ) -> Result<EntriesResult, Error> {
        self.call(&SESSION_GET_CHILDREN, &params.into()).await
    }

    /// `session/getTree`: Read the whole tree as a flat list.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub async fn get_tree(
        &self,
        params: impl Into<GetTreeParams>,
    ) -> Result<TreeResult, Error> {
        self.call(&SESSION_GET_TREE, &params.into()).await
    }

    /// `session/getLabel`: Read the label of an entry.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub async fn get_label(
        &self,
        params: impl Into<GetEntryParams>,
    ) -> Result<LabelResult, Error> {
        self.call(&SESSION_GET_LABEL, &params.into()).await
    }

    /// `session/branch`: Move the leaf to an entry.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`, `EntryNotFound`.
    pub async fn branch(
        &self,
        params: impl Into<BranchParams>,
    ) -> Result<LeafIdResult, Error> {
        self.call(&SESSION_BRANCH, &params.into()).await
    }

    /// `session/resetLeaf`: Move the leaf before the first entry.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub async fn reset_leaf(&self) -> Result<LeafIdResult, Error> {
        self.call(&SESSION_RESET_LEAF, &Nothing {}).await
    }

    /// `session/getView`: Read the entries from the root to the leaf as a person sees them, page by page. A result knows its call; what a call changed is shown once, by its result if that has a diff. After new results read the entries with their calls again.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`, `EntryNotFound`.
    pub async fn get_view(
        &self,
        params: impl Into<GetViewParams>,
    ) -> Result<GetViewResult, Error> {
        self.call(&SESSION_GET_VIEW, &params.into()).await
    }

    /// `session/getUpdates`: Read a branch as `session/update` notifications of the Agent Client Protocol, version 1: messages, thoughts, tool calls with diffs and locations, and plans.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`, `EntryNotFound`.
    pub async fn get_updates(
        &self,
        params: impl Into<GetUpdatesParams>,
    ) -> Result<GetUpdatesResult, Error> {
        self.call(&SESSION_GET_UPDATES, &params.into()).await
    }

    /// `session/buildSessionContext`: The messages, thinking level and model of a branch.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`, `EntryNotFound`.
    pub async fn build_session_context(
        &self,
        params: impl Into<BuildParams>,
    ) -> Result<SessionContextResult, Error> {
        self.call(&SESSION_BUILD_SESSION_CONTEXT, &params.into()).await
    }

    /// `session/buildContextEntries`: The entries of a branch that remain in the context after compaction.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`, `EntryNotFound`.
    pub async fn build_context_entries(
        &self,
        params: impl Into<BuildParams>,
    ) -> Result<EntriesResult, Error> {
        self.call(&SESSION_BUILD_CONTEXT_ENTRIES, &params.into()).await
    }

    /// `session/buildSessionProjection`: The context of a branch, entry by entry.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`, `EntryNotFound`.
    pub async fn build_session_projection(
        &self,
        params: impl Into<BuildParams>,
    ) -> Result<SessionProjectionResult, Error> {
        self.call(&SESSION_BUILD_SESSION_PROJECTION, &params.into()).await
    }

    /// `session/getHeader`: The session's header.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub async fn get_header(&self) -> Result<HeaderResult, Error> {
        self.call(&SESSION_GET_HEADER, &Nothing {}).await
    }

    /// `session/getSessionName`: The session's name.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub async fn get_session_name(&self) -> Result<SessionNameResult, Error> {
        self.call(&SESSION_GET_SESSION_NAME, &Nothing {}).await
    }

    /// `session/getCwd`: The session's working directory.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub async fn get_cwd(&self) -> Result<CwdResult, Error> {
        self.call(&SESSION_GET_CWD, &Nothing {}).await
    }

    /// `session/getSessionDir`: The directory for sessions branched off this one.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub async fn get_session_dir(&self) -> Result<SessionDirResult, Error> {
        self.call(&SESSION_GET_SESSION_DIR, &Nothing {}).await
    }

    /// `session/getSessionId`: The id in the session's header.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub async fn get_session_id(&self) -> Result<SessionIdResult, Error> {
        self.call(&SESSION_GET_SESSION_ID, &Nothing {}).await
    }

    /// `session/getSessionFile`: The path of the session's file, also before it is written.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub async fn get_session_file(&self) -> Result<SessionFileResult, Error> {
        self.call(&SESSION_GET_SESSION_FILE, &Nothing {}).await
    }

    /// `session/isPersisted`: Whether the session belongs to a file.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub async fn is_persisted(&self) -> Result<IsPersistedResult, Error> {
        self.call(&SESSION_IS_PERSISTED, &Nothing {}).await
    }

    /// `session/usesDefaultSessionDir`: Whether its directory is the default one of its working directory.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub async fn uses_default_session_dir(&self) -> Result<UsesDefaultSessionDirResult, Error> {
        self.call(&SESSION_USES_DEFAULT_SESSION_DIR, &Nothing {}).await
    }

    /// `context/shouldCompact`: Decide whether the context should be compacted.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub async fn context_should_compact(
        &self,
        params: impl Into<ShouldCompactParams>,
    ) -> Result<ShouldCompactResult, Error> {
        self.call(&CONTEXT_SHOULD_COMPACT, &params.into()).await
    }

    /// `context/windowUsage`: Measure how much of the context window is used.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub async fn context_window_usage(
        &self,
        params: impl Into<WindowUsageParams>,
    ) -> Result<WindowUsageResult, Error> {
        self.call(&CONTEXT_WINDOW_USAGE, &params.into()).await
    }

    /// `context/prepareCompaction`: Plan a compaction and prepare the prompts for its summaries.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub async fn context_prepare_compaction(
        &self,
        params: impl Into<PrepareCompactionParams>,
    ) -> Result<PrepareCompactionResult, Error> {
        self.call(&CONTEXT_PREPARE_COMPACTION, &params.into()).await
    }

    /// `context/finishCompaction`: Append a compaction from a plan and a model's summaries.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`, `EntryNotFound`, `LeafConflict`, `IdConflict`, `ReadOnly`, `Busy`, `WriteFailed`, `InvalidSessionFile`, `AlreadyExists`.
    pub async fn context_finish_compaction(
        &self,
        params: impl Into<FinishCompactionParams>,
    ) -> Result<AppendResult, Error> {
        let mut params = params.into();
        params.new_entry_id.get_or_insert_with(new_id);
        self.call(&CONTEXT_FINISH_COMPACTION, &params).await
    }

    /// `context/prepareBranchSummary`: Find what a move to another entry leaves, and prepare the prompts for its summary.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`, `EntryNotFound`.
    pub async fn context_prepare_branch_summary(
        &self,
        params: impl Into<PrepareBranchSummaryParams>,
    ) -> Result<PrepareBranchSummaryResult, Error> {
        self.call(&CONTEXT_PREPARE_BRANCH_SUMMARY, &params.into()).await
    }

    /// `context/finishBranchSummary`: Move to another entry, with a model's summary of the branch that is left.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`, `EntryNotFound`, `LeafConflict`, `IdConflict`, `ReadOnly`, `Busy`, `WriteFailed`, `InvalidSessionFile`, `AlreadyExists`.
    pub async fn context_finish_branch_summary(
        &self,
        params: impl Into<FinishBranchSummaryParams>,
    ) -> Result<FinishBranchSummaryResult, Error> {
        let mut params = params.into();
        params.new_entry_id.get_or_insert_with(new_id);
        self.call(&CONTEXT_FINISH_BRANCH_SUMMARY, &params).await
    }

    /// `context/navigate`: Move to another entry by pi's rules, without a summary.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`, `EntryNotFound`, `LeafConflict`, `IdConflict`, `ReadOnly`, `Busy`, `WriteFailed`, `InvalidSessionFile`, `AlreadyExists`.
    pub async fn context_navigate(
        &self,
        params: impl Into<NavigateParams>,
    ) -> Result<NavigateResult, Error> {
        let mut params = params.into();
        params.new_entry_id.get_or_insert_with(new_id);
        self.call(&CONTEXT_NAVIGATE, &params).await
    }
}
