// Generated from protocol/sessiond_protocol/openrpc.json by protocol/generate.py.
// Do not edit; run `make generate`.
//! Every method of the contract, as a call that waits for its answer.

use crate::blocking::{Client, Session, Subscription};
use crate::error::Error;
use crate::json::Raw;
use crate::types::*;

impl Client {
    /// `rpc.discover`: Read the OpenRPC document of this daemon.
    pub fn rpc_discover(&self) -> Result<Raw, Error> {
        self.block_on(self.inner().rpc_discover())
    }

    /// `daemon/status`: Read the counters of the daemon.
    pub fn daemon_status(&self) -> Result<StatusResult, Error> {
        self.block_on(self.inner().daemon_status())
    }

    /// `session/create`: Create a session.
    ///
    /// Errors: `InvalidSessionId`, `AlreadyExists`, `PathNotAllowed`, `WriteFailed`.
    pub fn create(
        &self,
        params: impl Into<CreateParams>,
    ) -> Result<Session, Error> {
        self.block_on(self.inner().create(params))
            .map(|opened| self.session(opened))
    }

    /// `session/open`: Open a session file; versions 1 and 2 are migrated on disk unless `readOnly`.
    ///
    /// Errors: `PathNotAllowed`, `ReadFailed`, `Busy`, `InvalidSessionFile`, `WriteFailed`, `SessionNotFound`, `AlreadyExists`.
    pub fn open(
        &self,
        params: impl Into<OpenParams>,
    ) -> Result<Session, Error> {
        self.block_on(self.inner().open(params))
            .map(|opened| self.session(opened))
    }

    /// `session/continueRecent`: Open the most recent session of a working directory, or create one.
    ///
    /// Errors: `PathNotAllowed`, `ReadFailed`, `Busy`, `InvalidSessionFile`, `WriteFailed`.
    pub fn continue_recent(
        &self,
        params: impl Into<ContinueRecentParams>,
    ) -> Result<Session, Error> {
        self.block_on(self.inner().continue_recent(params))
            .map(|opened| self.session(opened))
    }

    /// `session/inMemory`: Create a session that has no file.
    ///
    /// Errors: `InvalidSessionId`, `InvalidSessionFile`.
    pub fn in_memory(
        &self,
        params: impl Into<InMemoryParams>,
    ) -> Result<Session, Error> {
        self.block_on(self.inner().in_memory(params))
            .map(|opened| self.session(opened))
    }

    /// `session/forkFrom`: Copy a session into a new file for another working directory and open the copy.
    ///
    /// Errors: `PathNotAllowed`, `ReadFailed`, `Busy`, `InvalidSessionFile`, `WriteFailed`, `SessionNotFound`, `EntryNotFound`, `InvalidSessionId`, `AlreadyExists`.
    pub fn fork_from(
        &self,
        params: impl Into<ForkFromParams>,
    ) -> Result<Session, Error> {
        self.block_on(self.inner().fork_from(params))
            .map(|opened| self.session(opened))
    }

    /// `session/findById`: Find the file of the session with this id.
    ///
    /// Errors: `PathNotAllowed`, `ReadFailed`.
    pub fn find_by_id(
        &self,
        params: impl Into<FindByIdParams>,
    ) -> Result<FindByIdResult, Error> {
        self.block_on(self.inner().find_by_id(params))
    }

    /// `session/list`: List the sessions of a working directory.
    ///
    /// Errors: `InvalidCursor`, `PathNotAllowed`, `ReadFailed`.
    pub fn list(
        &self,
        params: impl Into<ListParams>,
    ) -> Result<ListResult, Error> {
        self.block_on(self.inner().list(params))
    }

    /// `session/listAll`: List the sessions of all working directories.
    ///
    /// Errors: `InvalidCursor`, `PathNotAllowed`, `ReadFailed`.
    pub fn list_all(
        &self,
        params: impl Into<ListAllParams>,
    ) -> Result<ListResult, Error> {
        self.block_on(self.inner().list_all(params))
    }

    /// `context/estimateTokens`: Estimate the tokens of a context.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub fn context_estimate_tokens(
        &self,
        params: impl Into<MessagesParams>,
    ) -> Result<EstimateTokensResult, Error> {
        self.block_on(self.inner().context_estimate_tokens(params))
    }

    /// `context/toLlm`: Convert messages to the form in which a model is sent them.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub fn context_to_llm(
        &self,
        params: impl Into<MessagesParams>,
    ) -> Result<LlmMessagesResult, Error> {
        self.block_on(self.inner().context_to_llm(params))
    }

    /// `context/serialize`: Convert a conversation to text, for a model to read but not to continue.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub fn context_serialize(
        &self,
        params: impl Into<MessagesParams>,
    ) -> Result<SerializeResult, Error> {
        self.block_on(self.inner().context_serialize(params))
    }

    /// `catalog/subscribe`: Read a snapshot of the sessions and subscribe to every later change.
    ///
    /// Errors: `PathNotAllowed`, `ReadFailed`.
    pub fn catalog_subscribe(
        &self,
        params: impl Into<CatalogSubscribeParams>,
    ) -> Result<Subscription<CatalogSubscribeResult, CatalogDidChangeParams>, Error> {
        self.block_on(self.inner().catalog_subscribe(params))
            .map(|opened| self.subscription(opened))
    }

    /// `catalog/search`: Find sessions by names, directories, and what was said and done; fails after 30 s.
    ///
    /// Errors: `InvalidCursor`, `InvalidQuery`, `PathNotAllowed`, `TimedOut`, `Unsupported`.
    pub fn catalog_search(
        &self,
        params: impl Into<CatalogSearchParams>,
    ) -> Result<CatalogSearchResult, Error> {
        self.block_on(self.inner().catalog_search(params))
    }

    /// `catalog/rename`: Name a session under the leaf of its file; no handle's leaf moves.
    ///
    /// Errors: `SessionNotFound`, `InvalidSessionFile`, `WriteFailed`, `PathNotAllowed`, `ReadOnly`, `Busy`, `ReadFailed`.
    pub fn catalog_rename(
        &self,
        params: impl Into<RenameParams>,
    ) -> Result<RenameResult, Error> {
        self.block_on(self.inner().catalog_rename(params))
    }

    /// `catalog/delete`: Move a session to the trash, or delete it permanently; by default not while it is open for writing.
    ///
    /// Errors: `SessionNotFound`, `InvalidSessionFile`, `WriteFailed`, `PathNotAllowed`, `ReadOnly`, `ReadFailed`, `InUse`.
    pub fn catalog_delete(
        &self,
        params: impl Into<DeleteParams>,
    ) -> Result<DeleteResult, Error> {
        self.block_on(self.inner().catalog_delete(params))
    }

    /// `catalog/restore`: Restore a session from the trash to its former path.
    ///
    /// Errors: `SessionNotFound`, `WriteFailed`, `PathNotAllowed`, `ReadOnly`, `AlreadyExists`, `Unsupported`, `ReadFailed`.
    pub fn catalog_restore(
        &self,
        params: impl Into<RestoreParams>,
    ) -> Result<SessionInfo, Error> {
        self.block_on(self.inner().catalog_restore(params))
    }

    /// `catalog/listTrash`: List the sessions in the trash.
    ///
    /// Errors: `PathNotAllowed`, `Unsupported`.
    pub fn catalog_list_trash(
        &self,
        params: impl Into<CatalogScope>,
    ) -> Result<ListTrashResult, Error> {
        self.block_on(self.inner().catalog_list_trash(params))
    }

    /// `catalog/check`: Check session files for damage; nothing is written.
    ///
    /// Errors: `SessionNotFound`, `PathNotAllowed`, `ReadFailed`.
    pub fn catalog_check(
        &self,
        params: impl Into<CheckParams>,
    ) -> Result<CheckResult, Error> {
        self.block_on(self.inner().catalog_check(params))
    }

    /// `catalog/repair`: Repair a session file and keep a backup, or only report what would be done.
    ///
    /// Errors: `SessionNotFound`, `InvalidSessionFile`, `WriteFailed`, `PathNotAllowed`, `ReadOnly`, `Busy`, `ReadFailed`.
    pub fn catalog_repair(
        &self,
        params: impl Into<RepairParams>,
    ) -> Result<RepairResult, Error> {
        self.block_on(self.inner().catalog_repair(params))
    }

    /// `catalog/stats`: Count a session's messages, tool calls, tokens and cost, by model and by day.
    ///
    /// Errors: `UnknownSession`, `SessionNotFound`, `InvalidSessionFile`, `PathNotAllowed`, `ReadFailed`.
    pub fn catalog_stats(
        &self,
        params: impl Into<StatsParams>,
    ) -> Result<StatsResult, Error> {
        self.block_on(self.inner().catalog_stats(params))
    }

    /// `catalog/usage`: Add up tokens and cost of sessions by day, week, month, model, project or session.
    ///
    /// Errors: `PathNotAllowed`, `ReadFailed`.
    pub fn catalog_usage(
        &self,
        params: impl Into<CatalogUsageParams>,
    ) -> Result<CatalogUsageResult, Error> {
        self.block_on(self.inner().catalog_usage(params))
    }

    /// `catalog/export`: Export a session, or a branch of it, as JSON lines, Markdown or a page.
    ///
    /// Errors: `UnknownSession`, `SessionNotFound`, `InvalidSessionFile`, `EntryNotFound`, `PathNotAllowed`, `ReadOnly`, `AlreadyExists`, `ReadFailed`, `WriteFailed`.
    pub fn catalog_export(
        &self,
        params: impl Into<ExportParams>,
    ) -> Result<ExportResult, Error> {
        self.block_on(self.inner().catalog_export(params))
    }

    /// `gateway/resolveKey`: Find the canonical key of a session, from a message or another spelling.
    pub fn gateway_resolve_key(
        &self,
        params: impl Into<ResolveKeyParams>,
    ) -> Result<ResolveKeyResult, Error> {
        self.block_on(self.inner().gateway_resolve_key(params))
    }

    /// `gateway/evaluateFreshness`: Decide whether a session continues or has expired, daily or by idleness.
    pub fn gateway_evaluate_freshness(
        &self,
        params: impl Into<EvaluateFreshnessParams>,
    ) -> Result<EvaluateFreshnessResult, Error> {
        self.block_on(self.inner().gateway_evaluate_freshness(params))
    }

    /// `gateway/isSilentReply`: Decide whether a reply is silent; the text of a silent reply is not shown.
    pub fn gateway_is_silent_reply(
        &self,
        params: impl Into<IsSilentReplyParams>,
    ) -> Result<IsSilentReplyResult, Error> {
        self.block_on(self.inner().gateway_is_silent_reply(params))
    }

    /// `gateway/planMemoryFlush`: Decide whether the agent should save memories before a compaction, and build the prompt.
    ///
    /// Errors: `PathNotAllowed`, `ReadFailed`, `Busy`, `Unsupported`.
    pub fn gateway_plan_memory_flush(
        &self,
        params: impl Into<PlanMemoryFlushParams>,
    ) -> Result<PlanMemoryFlushResult, Error> {
        self.block_on(self.inner().gateway_plan_memory_flush(params))
    }

    /// `gateway/get`: Read the entry of a session.
    ///
    /// Errors: `PathNotAllowed`, `ReadFailed`, `Busy`, `Unsupported`.
    pub fn gateway_get(
        &self,
        params: impl Into<StoreGetParams>,
    ) -> Result<StoreGetResult, Error> {
        self.block_on(self.inner().gateway_get(params))
    }

    /// `gateway/patch`: Change settings of a session: all of them, or none if one is refused.
    ///
    /// Errors: `PathNotAllowed`, `ReadFailed`, `Unsupported`, `GatewayRejected`, `ReadOnly`, `Busy`, `WriteFailed`.
    pub fn gateway_patch(
        &self,
        params: impl Into<StorePatchParams>,
    ) -> Result<StorePatchResult, Error> {
        self.block_on(self.inner().gateway_patch(params))
    }

    /// `gateway/reset`: Start a new session under a key, and archive the old transcript.
    ///
    /// Errors: `PathNotAllowed`, `ReadFailed`, `Unsupported`, `GatewayRejected`, `ReadOnly`, `Busy`, `WriteFailed`, `InUse`.
    pub fn gateway_reset(
        &self,
        params: impl Into<StoreResetParams>,
    ) -> Result<StoreResetResult, Error> {
        self.block_on(self.inner().gateway_reset(params))
    }

    /// `gateway/delete`: Remove a session from its store, and archive its transcript.
    ///
    /// Errors: `PathNotAllowed`, `ReadFailed`, `Unsupported`, `GatewayRejected`, `ReadOnly`, `Busy`, `WriteFailed`, `InUse`.
    pub fn gateway_delete(
        &self,
        params: impl Into<StoreDeleteParams>,
    ) -> Result<StoreDeleteResult, Error> {
        self.block_on(self.inner().gateway_delete(params))
    }

    /// `gateway/list`: List the sessions of all agents.
    ///
    /// Errors: `PathNotAllowed`, `ReadFailed`, `Busy`, `Unsupported`.
    pub fn gateway_list(
        &self,
        params: impl Into<StoreListParams>,
    ) -> Result<StoreListResult, Error> {
        self.block_on(self.inner().gateway_list(params))
    }

    /// `gateway/recordUsage`: Record the usage of a run: tokens, model and context window.
    ///
    /// Errors: `GatewayRejected`, `Unsupported`, `ReadOnly`, `PathNotAllowed`, `Busy`, `ReadFailed`, `WriteFailed`.
    pub fn gateway_record_usage(
        &self,
        params: impl Into<RecordUsageParams>,
    ) -> Result<RecordResult, Error> {
        self.block_on(self.inner().gateway_record_usage(params))
    }

    /// `gateway/recordCompaction`: Count a compaction, and record the tokens that it left.
    ///
    /// Errors: `GatewayRejected`, `Unsupported`, `ReadOnly`, `PathNotAllowed`, `Busy`, `ReadFailed`, `WriteFailed`.
    pub fn gateway_record_compaction(
        &self,
        params: impl Into<RecordCompactionParams>,
    ) -> Result<RecordCompactionResult, Error> {
        self.block_on(self.inner().gateway_record_compaction(params))
    }

    /// `gateway/recordMemoryFlush`: Record that memories were saved, so that they are not saved again too early.
    ///
    /// Errors: `GatewayRejected`, `Unsupported`, `ReadOnly`, `PathNotAllowed`, `Busy`, `ReadFailed`, `WriteFailed`.
    pub fn gateway_record_memory_flush(
        &self,
        params: impl Into<RecordMemoryFlushParams>,
    ) -> Result<RecordResult, Error> {
        self.block_on(self.inner().gateway_record_memory_flush(params))
    }

    /// `gateway/begin`: Find or start the session of an inbound message, and record it.
    ///
    /// Errors: `GatewayRejected`, `Unsupported`, `InvalidSessionFile`, `PathNotAllowed`, `ReadOnly`, `Busy`, `ReadFailed`, `WriteFailed`.
    pub fn gateway_begin(
        &self,
        params: impl Into<BeginParams>,
    ) -> Result<BeginResult, Error> {
        self.block_on(self.inner().gateway_begin(params))
    }

    /// `gateway/maintain`: Remove old or excess sessions from a store.
    ///
    /// Errors: `GatewayRejected`, `Unsupported`, `PathNotAllowed`, `ReadOnly`, `Busy`, `ReadFailed`, `WriteFailed`.
    pub fn gateway_maintain(
        &self,
        params: impl Into<MaintainParams>,
    ) -> Result<MaintainResult, Error> {
        self.block_on(self.inner().gateway_maintain(params))
    }

    /// `gateway/subscribe`: Read a snapshot of the stores and subscribe to every later change.
    ///
    /// Errors: `PathNotAllowed`, `Unsupported`.
    pub fn gateway_subscribe(
        &self,
        params: impl Into<GatewaySubscribeParams>,
    ) -> Result<Subscription<GatewaySubscribeResult, GatewayDidChangeParams>, Error> {
        self.block_on(self.inner().gateway_subscribe(params))
            .map(|opened| self.subscription(opened))
    }
}

impl Session {
    /// `session/close`: Close a handle; one that is not open stays closed.
    pub fn close(&self) -> Result<(), Error> {
        self.block_on(self.inner().close())
    }

    /// `session/getState`: Read the present state of a session.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub fn get_state(&self) -> Result<SessionState, Error> {
        self.block_on(self.inner().get_state())
    }

    /// `session/newSession`: Create a session under the same handle.
    ///
    /// Errors: `UnknownSession`, `InvalidSessionId`, `AlreadyExists`, `PathNotAllowed`, `ReadOnly`.
    pub fn new_session(
        &self,
        params: impl Into<NewSessionParams>,
    ) -> Result<SessionState, Error> {
        self.block_on(self.inner().new_session(params))
    }

    /// `session/setSessionFile`: Switch the handle to another session file.
    ///
    /// Errors: `UnknownSession`, `PathNotAllowed`, `ReadFailed`, `Busy`, `InvalidSessionFile`, `WriteFailed`.
    pub fn set_session_file(
        &self,
        params: impl Into<SetSessionFileParams>,
    ) -> Result<SessionState, Error> {
        self.block_on(self.inner().set_session_file(params))
    }

    /// `session/createBranchedSession`: Copy one branch into a new session file and switch the handle to it.
    ///
    /// Errors: `UnknownSession`, `EntryNotFound`, `ReadFailed`, `WriteFailed`, `AlreadyExists`, `PathNotAllowed`, `ReadOnly`.
    pub fn create_branched_session(
        &self,
        params: impl Into<CreateBranchedSessionParams>,
    ) -> Result<SessionState, Error> {
        self.block_on(self.inner().create_branched_session(params))
    }

    /// `session/appendMessage`: Append a message.
    ///
    /// Errors: `UnknownSession`, `LeafConflict`, `ReadOnly`, `Busy`, `WriteFailed`, `ReadFailed`, `InvalidSessionFile`, `AlreadyExists`.
    pub fn append_message(
        &self,
        params: impl Into<AppendMessageParams>,
    ) -> Result<AppendResult, Error> {
        self.block_on(self.inner().append_message(params))
    }

    /// `session/appendThinkingLevelChange`: Record a change of the thinking level.
    ///
    /// Errors: `UnknownSession`, `LeafConflict`, `ReadOnly`, `Busy`, `WriteFailed`, `ReadFailed`, `InvalidSessionFile`, `AlreadyExists`.
    pub fn append_thinking_level_change(
        &self,
        params: impl Into<AppendThinkingLevelChangeParams>,
    ) -> Result<AppendResult, Error> {
        self.block_on(self.inner().append_thinking_level_change(params))
    }

    /// `session/appendModelChange`: Record a change of the model.
    ///
    /// Errors: `UnknownSession`, `LeafConflict`, `ReadOnly`, `Busy`, `WriteFailed`, `ReadFailed`, `InvalidSessionFile`, `AlreadyExists`.
    pub fn append_model_change(
        &self,
        params: impl Into<AppendModelChangeParams>,
    ) -> Result<AppendResult, Error> {
        self.block_on(self.inner().append_model_change(params))
    }

    /// `session/appendCompaction`: Record a summary that replaces the earlier context.
    ///
    /// Errors: `UnknownSession`, `LeafConflict`, `ReadOnly`, `Busy`, `WriteFailed`, `ReadFailed`, `InvalidSessionFile`, `AlreadyExists`.
    pub fn append_compaction(
        &self,
        params: impl Into<AppendCompactionParams>,
    ) -> Result<AppendResult, Error> {
        self.block_on(self.inner().append_compaction(params))
    }

    /// `session/appendCustomEntry`: Store state of an extension.
    ///
    /// Errors: `UnknownSession`, `LeafConflict`, `ReadOnly`, `Busy`, `WriteFailed`, `ReadFailed`, `InvalidSessionFile`, `AlreadyExists`.
    pub fn append_custom_entry(
        &self,
        params: impl Into<AppendCustomEntryParams>,
    ) -> Result<AppendResult, Error> {
        self.block_on(self.inner().append_custom_entry(params))
    }

    /// `session/appendSessionInfo`: Set or clear the name of the session.
    ///
    /// Errors: `UnknownSession`, `LeafConflict`, `ReadOnly`, `Busy`, `WriteFailed`, `ReadFailed`, `InvalidSessionFile`, `AlreadyExists`.
    pub fn append_session_info(
        &self,
        params: impl Into<AppendSessionInfoParams>,
    ) -> Result<AppendResult, Error> {
        self.block_on(self.inner().append_session_info(params))
    }

    /// `session/appendCustomMessageEntry`: Append a message of an extension.
    ///
    /// Errors: `UnknownSession`, `LeafConflict`, `ReadOnly`, `Busy`, `WriteFailed`, `ReadFailed`, `InvalidSessionFile`, `AlreadyExists`.
    pub fn append_custom_message_entry(
        &self,
        params: impl Into<AppendCustomMessageEntryParams>,
    ) -> Result<AppendResult, Error> {
        self.block_on(self.inner().append_custom_message_entry(params))
    }

    /// `session/appendLabelChange`: Set or clear the label of an entry.
    ///
    /// Errors: `UnknownSession`, `LeafConflict`, `ReadOnly`, `Busy`, `WriteFailed`, `ReadFailed`, `InvalidSessionFile`, `AlreadyExists`, `EntryNotFound`.
    pub fn append_label_change(
        &self,
        params: impl Into<AppendLabelChangeParams>,
    ) -> Result<AppendResult, Error> {
        self.block_on(self.inner().append_label_change(params))
    }

    /// `session/appendUsage`: Record usage outside the conversation.
    ///
    /// Errors: `UnknownSession`, `LeafConflict`, `ReadOnly`, `Busy`, `WriteFailed`, `ReadFailed`, `InvalidSessionFile`, `AlreadyExists`.
    pub fn append_usage(
        &self,
        params: impl Into<AppendUsageParams>,
    ) -> Result<AppendResult, Error> {
        self.block_on(self.inner().append_usage(params))
    }

    /// `session/appendContextEdit`: Replace or omit the content of an earlier entry in the context.
    ///
    /// Errors: `UnknownSession`, `LeafConflict`, `ReadOnly`, `Busy`, `WriteFailed`, `ReadFailed`, `InvalidSessionFile`, `AlreadyExists`, `EntryNotFound`, `NotEditable`.
    pub fn append_context_edit(
        &self,
        params: impl Into<AppendContextEditParams>,
    ) -> Result<AppendResult, Error> {
        self.block_on(self.inner().append_context_edit(params))
    }

    /// `session/branchWithSummary`: Continue from an earlier entry, with a summary of the branch that is left.
    ///
    /// Errors: `UnknownSession`, `LeafConflict`, `ReadOnly`, `Busy`, `WriteFailed`, `ReadFailed`, `InvalidSessionFile`, `AlreadyExists`, `EntryNotFound`.
    pub fn branch_with_summary(
        &self,
        params: impl Into<BranchWithSummaryParams>,
    ) -> Result<AppendResult, Error> {
        self.block_on(self.inner().branch_with_summary(params))
    }

    /// `session/getLeafId`: Read the handle's leaf.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub fn get_leaf_id(&self) -> Result<LeafIdResult, Error> {
        self.block_on(self.inner().get_leaf_id())
    }

    /// `session/getLeafEntry`: Read the entry at the leaf.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub fn get_leaf_entry(&self) -> Result<EntryResult, Error> {
        self.block_on(self.inner().get_leaf_entry())
    }

    /// `session/getEntry`: Read the entry with this id.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub fn get_entry(
        &self,
        params: impl Into<GetEntryParams>,
    ) -> Result<EntryResult, Error> {
        self.block_on(self.inner().get_entry(params))
    }

    /// `session/getSource`: Read the lines or rows that an entry was made of, as its agent wrote them.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`, `EntryNotFound`.
    pub fn get_source(
        &self,
        params: impl Into<GetSourceParams>,
    ) -> Result<GetSourceResult, Error> {
        self.block_on(self.inner().get_source(params))
    }

    /// `session/getEntries`: Read the entries of the file, all or page by page.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`, `EntryNotFound`.
    pub fn get_entries(
        &self,
        params: impl Into<GetEntriesParams>,
    ) -> Result<GetEntriesResult, Error> {
        self.block_on(self.inner().get_entries(params))
    }

    /// `session/getEntryCount`: Count the entries.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub fn get_entry_count(&self) -> Result<EntryCountResult, Error> {
        self.block_on(self.inner().get_entry_count())
    }

    /// `session/getBranch`: Read the entries from the root to the leaf, root first.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`, `EntryNotFound`.
    pub fn get_branch(
        &self,
        params: impl Into<GetBranchParams>,
    ) -> Result<EntriesResult, Error> {
        self.block_on(self.inner().get_branch(params))
    }

    /// `session/getChildren`: Read the children of an entry, in file order.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`, `EntryNotFound`.
    pub fn get_children(
        &self,
        params: impl Into<GetChildrenParams>,
    ) -> Result<EntriesResult, Error> {
        self.block_on(self.inner().get_children(params))
    }

    /// `session/getTree`: Read the whole tree as a flat list.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub fn get_tree(
        &self,
        params: impl Into<GetTreeParams>,
    ) -> Result<TreeResult, Error> {
        self.block_on(self.inner().get_tree(params))
    }

    /// `session/getLabel`: Read the label of an entry.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub fn get_label(
        &self,
        params: impl Into<GetEntryParams>,
    ) -> Result<LabelResult, Error> {
        self.block_on(self.inner().get_label(params))
    }

    /// `session/branch`: Move the leaf to an entry.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`, `EntryNotFound`.
    pub fn branch(
        &self,
        params: impl Into<BranchParams>,
    ) -> Result<LeafIdResult, Error> {
        self.block_on(self.inner().branch(params))
    }

    /// `session/resetLeaf`: Move the leaf before the first entry.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub fn reset_leaf(&self) -> Result<LeafIdResult, Error> {
        self.block_on(self.inner().reset_leaf())
    }

    /// `session/getView`: Read the entries from the root to the leaf as a person sees them, page by page. A result knows its call; what a call changed is shown once, by its result if that has a diff. After new results read the entries with their calls again.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`, `EntryNotFound`.
    pub fn get_view(
        &self,
        params: impl Into<GetViewParams>,
    ) -> Result<GetViewResult, Error> {
        self.block_on(self.inner().get_view(params))
    }

    /// `session/buildSessionContext`: The messages, thinking level and model of a branch.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`, `EntryNotFound`.
    pub fn build_session_context(
        &self,
        params: impl Into<BuildParams>,
    ) -> Result<SessionContextResult, Error> {
        self.block_on(self.inner().build_session_context(params))
    }

    /// `session/buildContextEntries`: The entries of a branch that remain in the context after compaction.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`, `EntryNotFound`.
    pub fn build_context_entries(
        &self,
        params: impl Into<BuildParams>,
    ) -> Result<EntriesResult, Error> {
        self.block_on(self.inner().build_context_entries(params))
    }

    /// `session/buildSessionProjection`: The context of a branch, entry by entry.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`, `EntryNotFound`.
    pub fn build_session_projection(
        &self,
        params: impl Into<BuildParams>,
    ) -> Result<SessionProjectionResult, Error> {
        self.block_on(self.inner().build_session_projection(params))
    }

    /// `session/getHeader`: The session's header.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub fn get_header(&self) -> Result<HeaderResult, Error> {
        self.block_on(self.inner().get_header())
    }

    /// `session/getSessionName`: The session's name.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub fn get_session_name(&self) -> Result<SessionNameResult, Error> {
        self.block_on(self.inner().get_session_name())
    }

    /// `session/getCwd`: The session's working directory.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub fn get_cwd(&self) -> Result<CwdResult, Error> {
        self.block_on(self.inner().get_cwd())
    }

    /// `session/getSessionDir`: The directory for sessions branched off this one.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub fn get_session_dir(&self) -> Result<SessionDirResult, Error> {
        self.block_on(self.inner().get_session_dir())
    }

    /// `session/getSessionId`: The id in the session's header.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub fn get_session_id(&self) -> Result<SessionIdResult, Error> {
        self.block_on(self.inner().get_session_id())
    }

    /// `session/getSessionFile`: The path of the session's file, also before it is written.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub fn get_session_file(&self) -> Result<SessionFileResult, Error> {
        self.block_on(self.inner().get_session_file())
    }

    /// `session/isPersisted`: Whether the session belongs to a file.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub fn is_persisted(&self) -> Result<IsPersistedResult, Error> {
        self.block_on(self.inner().is_persisted())
    }

    /// `session/usesDefaultSessionDir`: Whether its directory is the default one of its working directory.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub fn uses_default_session_dir(&self) -> Result<UsesDefaultSessionDirResult, Error> {
        self.block_on(self.inner().uses_default_session_dir())
    }

    /// `context/shouldCompact`: Decide whether the context should be compacted.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub fn context_should_compact(
        &self,
        params: impl Into<ShouldCompactParams>,
    ) -> Result<ShouldCompactResult, Error> {
        self.block_on(self.inner().context_should_compact(params))
    }

    /// `context/windowUsage`: Measure how much of the context window is used.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub fn context_window_usage(
        &self,
        params: impl Into<WindowUsageParams>,
    ) -> Result<WindowUsageResult, Error> {
        self.block_on(self.inner().context_window_usage(params))
    }

    /// `context/prepareCompaction`: Plan a compaction and prepare the prompts for its summaries.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`.
    pub fn context_prepare_compaction(
        &self,
        params: impl Into<PrepareCompactionParams>,
    ) -> Result<PrepareCompactionResult, Error> {
        self.block_on(self.inner().context_prepare_compaction(params))
    }

    /// `context/finishCompaction`: Append a compaction from a plan and a model's summaries.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`, `EntryNotFound`, `LeafConflict`, `ReadOnly`, `Busy`, `WriteFailed`, `InvalidSessionFile`, `AlreadyExists`.
    pub fn context_finish_compaction(
        &self,
        params: impl Into<FinishCompactionParams>,
    ) -> Result<AppendResult, Error> {
        self.block_on(self.inner().context_finish_compaction(params))
    }

    /// `context/prepareBranchSummary`: Find what a move to another entry leaves, and prepare the prompts for its summary.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`, `EntryNotFound`.
    pub fn context_prepare_branch_summary(
        &self,
        params: impl Into<PrepareBranchSummaryParams>,
    ) -> Result<PrepareBranchSummaryResult, Error> {
        self.block_on(self.inner().context_prepare_branch_summary(params))
    }

    /// `context/finishBranchSummary`: Move to another entry, with a model's summary of the branch that is left.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`, `EntryNotFound`, `LeafConflict`, `ReadOnly`, `Busy`, `WriteFailed`, `InvalidSessionFile`, `AlreadyExists`.
    pub fn context_finish_branch_summary(
        &self,
        params: impl Into<FinishBranchSummaryParams>,
    ) -> Result<FinishBranchSummaryResult, Error> {
        self.block_on(self.inner().context_finish_branch_summary(params))
    }

    /// `context/navigate`: Move to another entry by pi's rules, without a summary.
    ///
    /// Errors: `UnknownSession`, `ReadFailed`, `EntryNotFound`, `LeafConflict`, `ReadOnly`, `Busy`, `WriteFailed`, `InvalidSessionFile`, `AlreadyExists`.
    pub fn context_navigate(
        &self,
        params: impl Into<NavigateParams>,
    ) -> Result<NavigateResult, Error> {
        self.block_on(self.inner().context_navigate(params))
    }
}
