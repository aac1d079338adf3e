// Generated from protocol/sessiond_protocol/openrpc.json by protocol/generate.py.
// Do not edit; run `make generate`.
//! Every method of the contract, and the effect of its answer on handles.

use crate::method::{Method, Tracks};

pub(crate) const RPC_DISCOVER: Method = Method {
    name: "rpc.discover",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const DAEMON_STATUS: Method = Method {
    name: "daemon/status",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const SESSION_CREATE: Method = Method {
    name: "session/create",
    repeatable: false,
    tracks: Tracks::Opens,
};

pub(crate) const SESSION_OPEN: Method = Method {
    name: "session/open",
    repeatable: true,
    tracks: Tracks::Opens,
};

pub(crate) const SESSION_CONTINUE_RECENT: Method = Method {
    name: "session/continueRecent",
    repeatable: false,
    tracks: Tracks::Opens,
};

pub(crate) const SESSION_IN_MEMORY: Method = Method {
    name: "session/inMemory",
    repeatable: false,
    tracks: Tracks::Opens,
};

pub(crate) const SESSION_FORK_FROM: Method = Method {
    name: "session/forkFrom",
    repeatable: false,
    tracks: Tracks::Opens,
};

pub(crate) const SESSION_CLOSE: Method = Method {
    name: "session/close",
    repeatable: true,
    tracks: Tracks::Closes,
};

pub(crate) const SESSION_GET_STATE: Method = Method {
    name: "session/getState",
    repeatable: true,
    tracks: Tracks::State,
};

pub(crate) const SESSION_NEW_SESSION: Method = Method {
    name: "session/newSession",
    repeatable: false,
    tracks: Tracks::State,
};

pub(crate) const SESSION_SET_SESSION_FILE: Method = Method {
    name: "session/setSessionFile",
    repeatable: false,
    tracks: Tracks::State,
};

pub(crate) const SESSION_CREATE_BRANCHED_SESSION: Method = Method {
    name: "session/createBranchedSession",
    repeatable: false,
    tracks: Tracks::State,
};

pub(crate) const SESSION_FIND_BY_ID: Method = Method {
    name: "session/findById",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const SESSION_LIST: Method = Method {
    name: "session/list",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const SESSION_LIST_ALL: Method = Method {
    name: "session/listAll",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const SESSION_APPEND_MESSAGE: Method = Method {
    name: "session/appendMessage",
    repeatable: true,
    tracks: Tracks::Appends,
};

pub(crate) const SESSION_APPEND_THINKING_LEVEL_CHANGE: Method = Method {
    name: "session/appendThinkingLevelChange",
    repeatable: true,
    tracks: Tracks::Appends,
};

pub(crate) const SESSION_APPEND_MODEL_CHANGE: Method = Method {
    name: "session/appendModelChange",
    repeatable: true,
    tracks: Tracks::Appends,
};

pub(crate) const SESSION_APPEND_COMPACTION: Method = Method {
    name: "session/appendCompaction",
    repeatable: true,
    tracks: Tracks::Appends,
};

pub(crate) const SESSION_APPEND_CUSTOM_ENTRY: Method = Method {
    name: "session/appendCustomEntry",
    repeatable: true,
    tracks: Tracks::Appends,
};

pub(crate) const SESSION_APPEND_SESSION_INFO: Method = Method {
    name: "session/appendSessionInfo",
    repeatable: true,
    tracks: Tracks::Appends,
};

pub(crate) const SESSION_APPEND_CUSTOM_MESSAGE_ENTRY: Method = Method {
    name: "session/appendCustomMessageEntry",
    repeatable: true,
    tracks: Tracks::Appends,
};

pub(crate) const SESSION_APPEND_LABEL_CHANGE: Method = Method {
    name: "session/appendLabelChange",
    repeatable: true,
    tracks: Tracks::Appends,
};

pub(crate) const SESSION_APPEND_USAGE: Method = Method {
    name: "session/appendUsage",
    repeatable: true,
    tracks: Tracks::Appends,
};

pub(crate) const SESSION_APPEND_CONTEXT_EDIT: Method = Method {
    name: "session/appendContextEdit",
    repeatable: true,
    tracks: Tracks::Appends,
};

pub(crate) const SESSION_BRANCH_WITH_SUMMARY: Method = Method {
    name: "session/branchWithSummary",
    repeatable: true,
    tracks: Tracks::Appends,
};

pub(crate) const SESSION_PUBLISH_DRAFT: Method = Method {
    name: "session/publishDraft",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const SESSION_SET_ACTIVITY: Method = Method {
    name: "session/setActivity",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const SESSION_GET_LEAF_ID: Method = Method {
    name: "session/getLeafId",
    repeatable: true,
    tracks: Tracks::Leaf,
};

pub(crate) const SESSION_GET_LEAF_ENTRY: Method = Method {
    name: "session/getLeafEntry",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const SESSION_GET_ENTRY: Method = Method {
    name: "session/getEntry",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const SESSION_GET_SOURCE: Method = Method {
    name: "session/getSource",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const SESSION_GET_ENTRIES: Method = Method {
    name: "session/getEntries",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const SESSION_GET_ENTRY_COUNT: Method = Method {
    name: "session/getEntryCount",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const SESSION_GET_BRANCH: Method = Method {
    name: "session/getBranch",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const SESSION_GET_CHILDREN: Method = Method {
    name: "session/getChildren",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const SESSION_GET_TREE: Method = Method {
    name: "session/getTree",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const SESSION_GET_LABEL: Method = Method {
    name: "session/getLabel",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const SESSION_BRANCH: Method = Method {
    name: "session/branch",
    repeatable: true,
    tracks: Tracks::Leaf,
};

pub(crate) const SESSION_RESET_LEAF: Method = Method {
    name: "session/resetLeaf",
    repeatable: true,
    tracks: Tracks::Leaf,
};

pub(crate) const SESSION_GET_VIEW: Method = Method {
    name: "session/getView",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const SESSION_GET_UPDATES: Method = Method {
    name: "session/getUpdates",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const SESSION_BUILD_SESSION_CONTEXT: Method = Method {
    name: "session/buildSessionContext",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const SESSION_BUILD_CONTEXT_ENTRIES: Method = Method {
    name: "session/buildContextEntries",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const SESSION_BUILD_SESSION_PROJECTION: Method = Method {
    name: "session/buildSessionProjection",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const SESSION_GET_HEADER: Method = Method {
    name: "session/getHeader",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const SESSION_GET_SESSION_NAME: Method = Method {
    name: "session/getSessionName",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const SESSION_GET_CWD: Method = Method {
    name: "session/getCwd",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const SESSION_GET_SESSION_DIR: Method = Method {
    name: "session/getSessionDir",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const SESSION_GET_SESSION_ID: Method = Method {
    name: "session/getSessionId",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const SESSION_GET_SESSION_FILE: Method = Method {
    name: "session/getSessionFile",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const SESSION_IS_PERSISTED: Method = Method {
    name: "session/isPersisted",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const SESSION_USES_DEFAULT_SESSION_DIR: Method = Method {
    name: "session/usesDefaultSessionDir",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const CONTEXT_ESTIMATE_TOKENS: Method = Method {
    name: "context/estimateTokens",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const CONTEXT_SHOULD_COMPACT: Method = Method {
    name: "context/shouldCompact",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const CONTEXT_WINDOW_USAGE: Method = Method {
    name: "context/windowUsage",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const CONTEXT_TO_LLM: Method = Method {
    name: "context/toLlm",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const CONTEXT_SERIALIZE: Method = Method {
    name: "context/serialize",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const CONTEXT_PREPARE_COMPACTION: Method = Method {
    name: "context/prepareCompaction",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const CONTEXT_FINISH_COMPACTION: Method = Method {
    name: "context/finishCompaction",
    repeatable: true,
    tracks: Tracks::Appends,
};

pub(crate) const CONTEXT_PREPARE_BRANCH_SUMMARY: Method = Method {
    name: "context/prepareBranchSummary",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const CONTEXT_FINISH_BRANCH_SUMMARY: Method = Method {
    name: "context/finishBranchSummary",
    repeatable: true,
    tracks: Tracks::Appends,
};

pub(crate) const CONTEXT_NAVIGATE: Method = Method {
    name: "context/navigate",
    repeatable: true,
    tracks: Tracks::Appends,
};

pub(crate) const CATALOG_SUBSCRIBE: Method = Method {
    name: "catalog/subscribe",
    repeatable: true,
    tracks: Tracks::Subscribes { told: "catalog/didChange", ends: "catalog/unsubscribe" },
};

pub(crate) const CATALOG_UNSUBSCRIBE: Method = Method {
    name: "catalog/unsubscribe",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const CATALOG_SEARCH: Method = Method {
    name: "catalog/search",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const CATALOG_RENAME: Method = Method {
    name: "catalog/rename",
    repeatable: false,
    tracks: Tracks::Nothing,
};

pub(crate) const CATALOG_LABEL: Method = Method {
    name: "catalog/label",
    repeatable: false,
    tracks: Tracks::Nothing,
};

pub(crate) const CATALOG_DELETE: Method = Method {
    name: "catalog/delete",
    repeatable: false,
    tracks: Tracks::Nothing,
};

pub(crate) const CATALOG_RESTORE: Method = Method {
    name: "catalog/restore",
    repeatable: false,
    tracks: Tracks::Nothing,
};

pub(crate) const CATALOG_UNDO: Method = Method {
    name: "catalog/undo",
    repeatable: false,
    tracks: Tracks::Nothing,
};

pub(crate) const CATALOG_LIST_TRASH: Method = Method {
    name: "catalog/listTrash",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const CATALOG_CHECK: Method = Method {
    name: "catalog/check",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const CATALOG_REPAIR: Method = Method {
    name: "catalog/repair",
    repeatable: false,
    tracks: Tracks::Nothing,
};

pub(crate) const CATALOG_SET_MARKS: Method = Method {
    name: "catalog/setMarks",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const CATALOG_STATS: Method = Method {
    name: "catalog/stats",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const CATALOG_USAGE: Method = Method {
    name: "catalog/usage",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const CATALOG_EXPORT: Method = Method {
    name: "catalog/export",
    repeatable: false,
    tracks: Tracks::Nothing,
};

pub(crate) const CATALOG_SYNC: Method = Method {
    name: "catalog/sync",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const CATALOG_AGENTS: Method = Method {
    name: "catalog/agents",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const GATEWAY_RESOLVE_KEY: Method = Method {
    name: "gateway/resolveKey",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const GATEWAY_EVALUATE_FRESHNESS: Method = Method {
    name: "gateway/evaluateFreshness",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const GATEWAY_IS_SILENT_REPLY: Method = Method {
    name: "gateway/isSilentReply",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const GATEWAY_PLAN_MEMORY_FLUSH: Method = Method {
    name: "gateway/planMemoryFlush",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const GATEWAY_GET: Method = Method {
    name: "gateway/get",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const GATEWAY_PATCH: Method = Method {
    name: "gateway/patch",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const GATEWAY_RESET: Method = Method {
    name: "gateway/reset",
    repeatable: false,
    tracks: Tracks::Nothing,
};

pub(crate) const GATEWAY_DELETE: Method = Method {
    name: "gateway/delete",
    repeatable: false,
    tracks: Tracks::Nothing,
};

pub(crate) const GATEWAY_LIST: Method = Method {
    name: "gateway/list",
    repeatable: true,
    tracks: Tracks::Nothing,
};

pub(crate) const GATEWAY_RECORD_USAGE: Method = Method {
    name: "gateway/recordUsage",
    repeatable: false,
    tracks: Tracks::Nothing,
};

pub(crate) const GATEWAY_RECORD_COMPACTION: Method = Method {
    name: "gateway/recordCompaction",
    repeatable: false,
    tracks: Tracks::Nothing,
};

pub(crate) const GATEWAY_RECORD_MEMORY_FLUSH: Method = Method {
    name: "gateway/recordMemoryFlush",
    repeatable: false,
    tracks: Tracks::Nothing,
};

pub(crate) const GATEWAY_BEGIN: Method = Method {
    name: "gateway/begin",
    repeatable: false,
    tracks: Tracks::Nothing,
};

pub(crate) const GATEWAY_MAINTAIN: Method = Method {
    name: "gateway/maintain",
    repeatable: false,
    tracks: Tracks::Nothing,
};

pub(crate) const GATEWAY_SUBSCRIBE: Method = Method {
    name: "gateway/subscribe",
    repeatable: true,
    tracks: Tracks::Subscribes { told: "gateway/didChange", ends: "gateway/unsubscribe" },
};

pub(crate) const GATEWAY_UNSUBSCRIBE: Method = Method {
    name: "gateway/unsubscribe",
    repeatable: true,
    tracks: Tracks::Nothing,
};

/// Every method of the contract.
const METHODS: &[&Method] = &[
    &RPC_DISCOVER,
    &DAEMON_STATUS,
    &SESSION_CREATE,
    &SESSION_OPEN,
    &SESSION_CONTINUE_RECENT,
    &SESSION_IN_MEMORY,
    &SESSION_FORK_FROM,
    &SESSION_CLOSE,
    &SESSION_GET_STATE,
    &SESSION_NEW_SESSION,
    &SESSION_SET_SESSION_FILE,
    &SESSION_CREATE_BRANCHED_SESSION,
    &SESSION_FIND_BY_ID,
    &SESSION_LIST,
    &SESSION_LIST_ALL,
    &SESSION_APPEND_MESSAGE,
    &SESSION_APPEND_THINKING_LEVEL_CHANGE,
    &SESSION_APPEND_MODEL_CHANGE,
    &SESSION_APPEND_COMPACTION,
    &SESSION_APPEND_CUSTOM_ENTRY,
    &SESSION_APPEND_SESSION_INFO,
    &SESSION_APPEND_CUSTOM_MESSAGE_ENTRY,
    &SESSION_APPEND_LABEL_CHANGE,
    &SESSION_APPEND_USAGE,
    &SESSION_APPEND_CONTEXT_EDIT,
    &SESSION_BRANCH_WITH_SUMMARY,
    &SESSION_PUBLISH_DRAFT,
    &SESSION_SET_ACTIVITY,
    &SESSION_GET_LEAF_ID,
    &SESSION_GET_LEAF_ENTRY,
    &SESSION_GET_ENTRY,
    &SESSION_GET_SOURCE,
    &SESSION_GET_ENTRIES,
    &SESSION_GET_ENTRY_COUNT,
    &SESSION_GET_BRANCH,
    &SESSION_GET_CHILDREN,
    &SESSION_GET_TREE,
    &SESSION_GET_LABEL,
    &SESSION_BRANCH,
    &SESSION_RESET_LEAF,
    &SESSION_GET_VIEW,
    &SESSION_GET_UPDATES,
    &SESSION_BUILD_SESSION_CONTEXT,
    &SESSION_BUILD_CONTEXT_ENTRIES,
    &SESSION_BUILD_SESSION_PROJECTION,
    &SESSION_GET_HEADER,
    &SESSION_GET_SESSION_NAME,
    &SESSION_GET_CWD,
    &SESSION_GET_SESSION_DIR,
    &SESSION_GET_SESSION_ID,
    &SESSION_GET_SESSION_FILE,
    &SESSION_IS_PERSISTED,
    &SESSION_USES_DEFAULT_SESSION_DIR,
    &CONTEXT_ESTIMATE_TOKENS,
    &CONTEXT_SHOULD_COMPACT,
    &CONTEXT_WINDOW_USAGE,
    &CONTEXT_TO_LLM,
    &CONTEXT_SERIALIZE,
    &CONTEXT_PREPARE_COMPACTION,
    &CONTEXT_FINISH_COMPACTION,
    &CONTEXT_PREPARE_BRANCH_SUMMARY,
    &CONTEXT_FINISH_BRANCH_SUMMARY,
    &CONTEXT_NAVIGATE,
    &CATALOG_SUBSCRIBE,
    &CATALOG_UNSUBSCRIBE,
    &CATALOG_SEARCH,
    &CATALOG_RENAME,
    &CATALOG_LABEL,
    &CATALOG_DELETE,
    &CATALOG_RESTORE,
    &CATALOG_UNDO,
    &CATALOG_LIST_TRASH,
    &CATALOG_CHECK,
    &CATALOG_REPAIR,
    &CATALOG_SET_MARKS,
    &CATALOG_STATS,
    &CATALOG_USAGE,
    &CATALOG_EXPORT,
    &CATALOG_SYNC,
    &CATALOG_AGENTS,
    &GATEWAY_RESOLVE_KEY,
    &GATEWAY_EVALUATE_FRESHNESS,
    &GATEWAY_IS_SILENT_REPLY,
    &GATEWAY_PLAN_MEMORY_FLUSH,
    &GATEWAY_GET,
    &GATEWAY_PATCH,
    &GATEWAY_RESET,
    &GATEWAY_DELETE,
    &GATEWAY_LIST,
    &GATEWAY_RECORD_USAGE,
    &GATEWAY_RECORD_COMPACTION,
    &GATEWAY_RECORD_MEMORY_FLUSH,
    &GATEWAY_BEGIN,
    &GATEWAY_MAINTAIN,
    &GATEWAY_SUBSCRIBE,
    &GATEWAY_UNSUBSCRIBE,
];

/// The method with this name, if the contract has one.
pub(crate) fn named(name: &str) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name == name).copied()
}
