-- Generated from protocol/sessiond_protocol/openrpc.json by protocol/generate.py.
-- Do not edit; run `make generate`.

local M = {}

--- Facts about a method.
---@class sessiond.Method
---@field params string[] names of the members of its params
---@field session boolean whether it takes a session handle
---@field appends boolean whether `newEntryId` makes a retry safe
---@field repeatable boolean whether it may be sent again after the daemon has crashed

--- The requests by name.
---@type table<string, sessiond.Method>
M.methods = {
  ["initialize"] = { params = { "clientInfo", "processId", "profile", "agentDir", "agentId", "allAgents", "positionEncoding", "capabilities", "protocolVersions" }, session = false, appends = false, repeatable = false },
  ["shutdown"] = { params = {}, session = false, appends = false, repeatable = false },
  ["rpc.discover"] = { params = {}, session = false, appends = false, repeatable = true },
  ["daemon/status"] = { params = {}, session = false, appends = false, repeatable = true },
  ["session/create"] = { params = { "cwd", "sessionDir", "id", "parentSession" }, session = false, appends = false, repeatable = false },
  ["session/open"] = { params = { "path", "sessionDir", "cwd", "readOnly", "follow", "mustExist" }, session = false, appends = false, repeatable = true },
  ["session/continueRecent"] = { params = { "cwd", "sessionDir" }, session = false, appends = false, repeatable = false },
  ["session/inMemory"] = { params = { "cwd", "id", "entries" }, session = false, appends = false, repeatable = false },
  ["session/forkFrom"] = { params = { "sourcePath", "targetCwd", "sessionDir", "id", "leafId" }, session = false, appends = false, repeatable = false },
  ["session/close"] = { params = { "session" }, session = true, appends = false, repeatable = true },
  ["session/getState"] = { params = { "session" }, session = true, appends = false, repeatable = true },
  ["session/newSession"] = { params = { "session", "id", "parentSession" }, session = true, appends = false, repeatable = false },
  ["session/setSessionFile"] = { params = { "session", "path" }, session = true, appends = false, repeatable = false },
  ["session/createBranchedSession"] = { params = { "session", "leafId" }, session = true, appends = false, repeatable = false },
  ["session/findById"] = { params = { "cwd", "id", "sessionDir", "prefix" }, session = false, appends = false, repeatable = true },
  ["session/list"] = { params = { "cwd", "limit", "cursor", "includeText", "named", "subagents", "workDoneToken", "partialResultToken", "sessionDir" }, session = false, appends = false, repeatable = true },
  ["session/listAll"] = { params = { "limit", "cursor", "includeText", "named", "subagents", "workDoneToken", "partialResultToken", "sessionDir" }, session = false, appends = false, repeatable = true },
  ["session/appendMessage"] = { params = { "session", "message", "newEntryId", "expectedLeafId", "expectedTipId", "unchecked" }, session = true, appends = true, repeatable = true },
  ["session/appendThinkingLevelChange"] = { params = { "session", "thinkingLevel", "newEntryId", "expectedLeafId", "expectedTipId" }, session = true, appends = true, repeatable = true },
  ["session/appendModelChange"] = { params = { "session", "provider", "modelId", "newEntryId", "expectedLeafId", "expectedTipId" }, session = true, appends = true, repeatable = true },
  ["session/appendCompaction"] = { params = { "session", "summary", "tokensBefore", "newEntryId", "expectedLeafId", "expectedTipId", "unchecked", "firstKeptEntryId", "details", "fromHook", "usage" }, session = true, appends = true, repeatable = true },
  ["session/appendCustomEntry"] = { params = { "session", "customType", "newEntryId", "expectedLeafId", "expectedTipId", "data" }, session = true, appends = true, repeatable = true },
  ["session/appendSessionInfo"] = { params = { "session", "name", "newEntryId", "expectedLeafId", "expectedTipId" }, session = true, appends = true, repeatable = true },
  ["session/appendCustomMessageEntry"] = { params = { "session", "customType", "content", "display", "newEntryId", "expectedLeafId", "expectedTipId", "unchecked", "details" }, session = true, appends = true, repeatable = true },
  ["session/appendLabelChange"] = { params = { "session", "targetId", "newEntryId", "expectedLeafId", "expectedTipId", "label" }, session = true, appends = true, repeatable = true },
  ["session/appendUsage"] = { params = { "session", "kind", "provider", "model", "usage", "newEntryId", "expectedLeafId", "expectedTipId", "unchecked", "note" }, session = true, appends = true, repeatable = true },
  ["session/appendContextEdit"] = { params = { "session", "targetId", "replacement", "newEntryId", "expectedLeafId", "expectedTipId", "unchecked" }, session = true, appends = true, repeatable = true },
  ["session/branchWithSummary"] = { params = { "session", "entryId", "summary", "newEntryId", "expectedLeafId", "expectedTipId", "unchecked", "details", "fromHook", "usage" }, session = true, appends = true, repeatable = true },
  ["session/getLeafId"] = { params = { "session" }, session = true, appends = false, repeatable = true },
  ["session/getLeafEntry"] = { params = { "session" }, session = true, appends = false, repeatable = true },
  ["session/getEntry"] = { params = { "session", "id" }, session = true, appends = false, repeatable = true },
  ["session/getSource"] = { params = { "session", "entryId", "maxBytes" }, session = true, appends = false, repeatable = true },
  ["session/getEntries"] = { params = { "session", "cursor", "limit", "last", "views" }, session = true, appends = false, repeatable = true },
  ["session/getEntryCount"] = { params = { "session" }, session = true, appends = false, repeatable = true },
  ["session/getBranch"] = { params = { "session", "fromId" }, session = true, appends = false, repeatable = true },
  ["session/getChildren"] = { params = { "session", "parentId" }, session = true, appends = false, repeatable = true },
  ["session/getTree"] = { params = { "session", "detail" }, session = true, appends = false, repeatable = true },
  ["session/getLabel"] = { params = { "session", "id" }, session = true, appends = false, repeatable = true },
  ["session/branch"] = { params = { "session", "entryId" }, session = true, appends = false, repeatable = true },
  ["session/resetLeaf"] = { params = { "session" }, session = true, appends = false, repeatable = true },
  ["session/getView"] = { params = { "session", "leafId", "cursor", "last", "limit", "maxChars" }, session = true, appends = false, repeatable = true },
  ["session/buildSessionContext"] = { params = { "session", "leafId" }, session = true, appends = false, repeatable = true },
  ["session/buildContextEntries"] = { params = { "session", "leafId" }, session = true, appends = false, repeatable = true },
  ["session/buildSessionProjection"] = { params = { "session", "leafId" }, session = true, appends = false, repeatable = true },
  ["session/getHeader"] = { params = { "session" }, session = true, appends = false, repeatable = true },
  ["session/getSessionName"] = { params = { "session" }, session = true, appends = false, repeatable = true },
  ["session/getCwd"] = { params = { "session" }, session = true, appends = false, repeatable = true },
  ["session/getSessionDir"] = { params = { "session" }, session = true, appends = false, repeatable = true },
  ["session/getSessionId"] = { params = { "session" }, session = true, appends = false, repeatable = true },
  ["session/getSessionFile"] = { params = { "session" }, session = true, appends = false, repeatable = true },
  ["session/isPersisted"] = { params = { "session" }, session = true, appends = false, repeatable = true },
  ["session/usesDefaultSessionDir"] = { params = { "session" }, session = true, appends = false, repeatable = true },
  ["context/estimateTokens"] = { params = { "session", "messages" }, session = true, appends = false, repeatable = true },
  ["context/shouldCompact"] = { params = { "session", "contextWindow", "settings" }, session = true, appends = false, repeatable = true },
  ["context/windowUsage"] = { params = { "session", "contextWindow" }, session = true, appends = false, repeatable = true },
  ["context/toLlm"] = { params = { "session", "messages" }, session = true, appends = false, repeatable = true },
  ["context/serialize"] = { params = { "session", "messages" }, session = true, appends = false, repeatable = true },
  ["context/prepareCompaction"] = { params = { "session", "settings", "includePrompts", "customInstructions" }, session = true, appends = false, repeatable = true },
  ["context/finishCompaction"] = { params = { "session", "preparation", "newEntryId", "expectedLeafId", "expectedTipId", "historySummary", "prefixSummary", "usage" }, session = true, appends = true, repeatable = true },
  ["context/prepareBranchSummary"] = { params = { "session", "targetId", "tokenBudget", "includePrompts", "customInstructions", "replaceInstructions" }, session = true, appends = false, repeatable = true },
  ["context/finishBranchSummary"] = { params = { "session", "targetId", "newEntryId", "expectedLeafId", "expectedTipId", "summary", "fileOps", "label", "usage" }, session = true, appends = true, repeatable = true },
  ["context/navigate"] = { params = { "session", "targetId", "newEntryId", "expectedLeafId", "expectedTipId", "label" }, session = true, appends = true, repeatable = true },
  ["catalog/subscribe"] = { params = { "cwd", "sessionDir", "subagents" }, session = false, appends = false, repeatable = true },
  ["catalog/unsubscribe"] = { params = { "subscription" }, session = false, appends = false, repeatable = true },
  ["catalog/search"] = { params = { "query", "cwd", "sessionDir", "mode", "fields", "roles", "tools", "files", "model", "currentBranch", "agent", "since", "until", "timezone", "limit", "cursor" }, session = false, appends = false, repeatable = true },
  ["catalog/rename"] = { params = { "path", "name" }, session = false, appends = false, repeatable = false },
  ["catalog/delete"] = { params = { "path", "permanently", "force" }, session = false, appends = false, repeatable = false },
  ["catalog/restore"] = { params = { "path" }, session = false, appends = false, repeatable = false },
  ["catalog/listTrash"] = { params = { "cwd", "sessionDir" }, session = false, appends = false, repeatable = true },
  ["catalog/check"] = { params = { "cwd", "sessionDir", "path" }, session = false, appends = false, repeatable = true },
  ["catalog/repair"] = { params = { "path", "dryRun" }, session = false, appends = false, repeatable = false },
  ["catalog/stats"] = { params = { "path", "session", "timezone", "since", "until" }, session = true, appends = false, repeatable = true },
  ["catalog/usage"] = { params = { "cwd", "sessionDir", "by", "thenBy", "timezone", "since", "until", "model", "copies" }, session = false, appends = false, repeatable = true },
  ["catalog/export"] = { params = { "format", "path", "session", "outputPath", "leafId", "mask", "conversation", "ownId" }, session = true, appends = false, repeatable = false },
  ["gateway/resolveKey"] = { params = { "context", "key", "config", "agentId" }, session = false, appends = false, repeatable = true },
  ["gateway/evaluateFreshness"] = { params = { "now", "updatedAt", "resetType", "policy", "config", "channel", "timezone" }, session = false, appends = false, repeatable = true },
  ["gateway/isSilentReply"] = { params = { "text", "token", "streaming" }, session = false, appends = false, repeatable = true },
  ["gateway/planMemoryFlush"] = { params = { "agentId", "storePath", "config", "sessionKey", "entry", "contextWindow", "sandboxed", "workspaceAccess", "heartbeat", "cliProvider", "now", "timezone" }, session = false, appends = false, repeatable = true },
  ["gateway/get"] = { params = { "sessionKey", "agentId", "storePath", "config" }, session = false, appends = false, repeatable = true },
  ["gateway/patch"] = { params = { "key", "agentId", "storePath", "config", "label", "thinkingLevel", "verboseLevel", "reasoningLevel", "responseUsage", "elevatedLevel", "execHost", "execSecurity", "execAsk", "execNode", "model", "sendPolicy", "groupActivation" }, session = false, appends = false, repeatable = true },
  ["gateway/reset"] = { params = { "key", "agentId", "storePath", "config", "reason", "force" }, session = false, appends = false, repeatable = false },
  ["gateway/delete"] = { params = { "key", "agentId", "storePath", "config", "deleteTranscript", "force" }, session = false, appends = false, repeatable = false },
  ["gateway/list"] = { params = { "storePath", "config", "agentId", "limit", "activeMinutes", "includeGlobal", "includeUnknown", "includeDerivedTitles", "includeLastMessage", "label", "spawnedBy", "archived", "search" }, session = false, appends = false, repeatable = true },
  ["gateway/recordUsage"] = { params = { "sessionKey", "agentId", "storePath", "config", "usage", "lastCallUsage", "promptTokens", "model", "provider", "contextWindow", "systemPromptReport" }, session = false, appends = false, repeatable = false },
  ["gateway/recordCompaction"] = { params = { "sessionKey", "agentId", "storePath", "config", "tokensAfter" }, session = false, appends = false, repeatable = false },
  ["gateway/recordMemoryFlush"] = { params = { "sessionKey", "agentId", "storePath", "config", "compactions" }, session = false, appends = false, repeatable = false },
  ["gateway/begin"] = { params = { "context", "agentId", "storePath", "config", "authorized", "dryRun", "now", "timezone", "cwd" }, session = false, appends = false, repeatable = false },
  ["gateway/maintain"] = { params = { "agentId", "storePath", "config", "mode", "dryRun" }, session = false, appends = false, repeatable = false },
  ["gateway/subscribe"] = { params = { "storePath", "config", "agentId" }, session = false, appends = false, repeatable = true },
  ["gateway/unsubscribe"] = { params = { "subscription" }, session = false, appends = false, repeatable = true },
}

--- Notifications that the daemon may send.
M.notifications = {
  ["$/progress"] = true,
  ["session/didChange"] = true,
  ["catalog/didChange"] = true,
  ["gateway/didChange"] = true,
}

--- Names of errors by code, for errors without `data.kind`.
---@type table<integer, string>
M.errors = {
  [-32700] = "ParseError",
  [-32600] = "InvalidRequest",
  [-32601] = "MethodNotFound",
  [-32602] = "InvalidParams",
  [-32603] = "InternalError",
  [-32800] = "RequestCancelled",
}

--- One function per method, with the name of the method.
---@class sessiond.Api
---@field request fun(self, method: string, params: table?, done: function?): table
local Api = {}
M.Api = Api

--- Read the OpenRPC document of this daemon.
---@param params table?
---@param done? fun(err?: sessiond.Error, result?: table<string, any>)
function Api:rpc_discover(params, done)
  return self:request("rpc.discover", params, done)
end

--- Read the counters of the daemon.
---@param params table?
---@param done? fun(err?: sessiond.Error, result?: sessiond.StatusResult)
function Api:daemon_status(params, done)
  return self:request("daemon/status", params, done)
end

--- Create a session.
---@param params sessiond.CreateParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.SessionState)
function Api:session_create(params, done)
  return self:request("session/create", params, done)
end

--- Open a session file; versions 1 and 2 are migrated on disk unless `readOnly`.
---@param params sessiond.OpenParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.SessionState)
function Api:session_open(params, done)
  return self:request("session/open", params, done)
end

--- Open the most recent session of a working directory, or create one.
---@param params sessiond.ContinueRecentParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.SessionState)
function Api:session_continue_recent(params, done)
  return self:request("session/continueRecent", params, done)
end

--- Create a session that has no file.
---@param params sessiond.InMemoryParams?
---@param done? fun(err?: sessiond.Error, result?: sessiond.SessionState)
function Api:session_in_memory(params, done)
  return self:request("session/inMemory", params, done)
end

--- Copy a session into a new file for another working directory and open the copy.
---@param params sessiond.ForkFromParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.SessionState)
function Api:session_fork_from(params, done)
  return self:request("session/forkFrom", params, done)
end

--- Close a handle; one that is not open stays closed.
---@param params sessiond.SessionParams
---@param done? fun(err?: sessiond.Error, result?: nil)
function Api:session_close(params, done)
  return self:request("session/close", params, done)
end

--- Read the present state of a session.
---@param params sessiond.SessionParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.SessionState)
function Api:session_get_state(params, done)
  return self:request("session/getState", params, done)
end

--- Create a session under the same handle.
---@param params sessiond.NewSessionParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.SessionState)
function Api:session_new_session(params, done)
  return self:request("session/newSession", params, done)
end

--- Switch the handle to another session file.
---@param params sessiond.SetSessionFileParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.SessionState)
function Api:session_set_session_file(params, done)
  return self:request("session/setSessionFile", params, done)
end

--- Copy one branch into a new session file and switch the handle to it.
---@param params sessiond.CreateBranchedSessionParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.SessionState)
function Api:session_create_branched_session(params, done)
  return self:request("session/createBranchedSession", params, done)
end

--- Find the file of the session with this id.
---@param params sessiond.FindByIdParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.FindByIdResult)
function Api:session_find_by_id(params, done)
  return self:request("session/findById", params, done)
end

--- List the sessions of a working directory.
---@param params sessiond.ListParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.ListResult)
function Api:session_list(params, done)
  return self:request("session/list", params, done)
end

--- List the sessions of all working directories.
---@param params sessiond.ListAllParams?
---@param done? fun(err?: sessiond.Error, result?: sessiond.ListResult)
function Api:session_list_all(params, done)
  return self:request("session/listAll", params, done)
end

--- Append a message.
---@param params sessiond.AppendMessageParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.AppendResult)
function Api:session_append_message(params, done)
  return self:request("session/appendMessage", params, done)
end

--- Record a change of the thinking level.
---@param params sessiond.AppendThinkingLevelChangeParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.AppendResult)
function Api:session_append_thinking_level_change(params, done)
  return self:request("session/appendThinkingLevelChange", params, done)
end

--- Record a change of the model.
---@param params sessiond.AppendModelChangeParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.AppendResult)
function Api:session_append_model_change(params, done)
  return self:request("session/appendModelChange", params, done)
end

--- Record a summary that replaces the earlier context.
---@param params sessiond.AppendCompactionParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.AppendResult)
function Api:session_append_compaction(params, done)
  return self:request("session/appendCompaction", params, done)
end

--- Store state of an extension.
---@param params sessiond.AppendCustomEntryParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.AppendResult)
function Api:session_append_custom_entry(params, done)
  return self:request("session/appendCustomEntry", params, done)
end

--- Set or clear the name of the session.
---@param params sessiond.AppendSessionInfoParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.AppendResult)
function Api:session_append_session_info(params, done)
  return self:request("session/appendSessionInfo", params, done)
end

--- Append a message of an extension.
---@param params sessiond.AppendCustomMessageEntryParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.AppendResult)
function Api:session_append_custom_message_entry(params, done)
  return self:request("session/appendCustomMessageEntry", params, done)
end

--- Set or clear the label of an entry.
---@param params sessiond.AppendLabelChangeParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.AppendResult)
function Api:session_append_label_change(params, done)
  return self:request("session/appendLabelChange", params, done)
end

--- Record usage outside the conversation.
---@param params sessiond.AppendUsageParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.AppendResult)
function Api:session_append_usage(params, done)
  return self:request("session/appendUsage", params, done)
end

--- Replace or omit the content of an earlier entry in the context.
---@param params sessiond.AppendContextEditParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.AppendResult)
function Api:session_append_context_edit(params, done)
  return self:request("session/appendContextEdit", params, done)
end

--- Continue from an earlier entry, with a summary of the branch that is left.
---@param params sessiond.BranchWithSummaryParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.AppendResult)
function Api:session_branch_with_summary(params, done)
  return self:request("session/branchWithSummary", params, done)
end

--- Read the handle's leaf.
---@param params sessiond.SessionParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.LeafIdResult)
function Api:session_get_leaf_id(params, done)
  return self:request("session/getLeafId", params, done)
end

--- Read the entry at the leaf.
---@param params sessiond.SessionParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.EntryResult)
function Api:session_get_leaf_entry(params, done)
  return self:request("session/getLeafEntry", params, done)
end

--- Read the entry with this id.
---@param params sessiond.GetEntryParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.EntryResult)
function Api:session_get_entry(params, done)
  return self:request("session/getEntry", params, done)
end

--- Read the lines or rows that an entry was made of, as its agent wrote them.
---@param params sessiond.GetSourceParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.GetSourceResult)
function Api:session_get_source(params, done)
  return self:request("session/getSource", params, done)
end

--- Read the entries of the file, all or page by page.
---@param params sessiond.GetEntriesParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.GetEntriesResult)
function Api:session_get_entries(params, done)
  return self:request("session/getEntries", params, done)
end

--- Count the entries.
---@param params sessiond.SessionParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.EntryCountResult)
function Api:session_get_entry_count(params, done)
  return self:request("session/getEntryCount", params, done)
end

--- Read the entries from the root to the leaf, root first.
---@param params sessiond.GetBranchParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.EntriesResult)
function Api:session_get_branch(params, done)
  return self:request("session/getBranch", params, done)
end

--- Read the children of an entry, in file order.
---@param params sessiond.GetChildrenParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.EntriesResult)
function Api:session_get_children(params, done)
  return self:request("session/getChildren", params, done)
end

--- Read the whole tree as a flat list.
---@param params sessiond.GetTreeParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.TreeResult)
function Api:session_get_tree(params, done)
  return self:request("session/getTree", params, done)
end

--- Read the label of an entry.
---@param params sessiond.GetEntryParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.LabelResult)
function Api:session_get_label(params, done)
  return self:request("session/getLabel", params, done)
end

--- Move the leaf to an entry.
---@param params sessiond.BranchParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.LeafIdResult)
function Api:session_branch(params, done)
  return self:request("session/branch", params, done)
end

--- Move the leaf before the first entry.
---@param params sessiond.SessionParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.LeafIdResult)
function Api:session_reset_leaf(params, done)
  return self:request("session/resetLeaf", params, done)
end

--- Read the entries from the root to the leaf as a person sees them, page by page. A result knows its call; what a call changed is shown once, by its result if that has a diff. After new results read the entries with their calls again.
---@param params sessiond.GetViewParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.GetViewResult)
function Api:session_get_view(params, done)
  return self:request("session/getView", params, done)
end

--- The messages, thinking level and model of a branch.
---@param params sessiond.BuildParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.SessionContextResult)
function Api:session_build_session_context(params, done)
  return self:request("session/buildSessionContext", params, done)
end

--- The entries of a branch that remain in the context after compaction.
---@param params sessiond.BuildParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.EntriesResult)
function Api:session_build_context_entries(params, done)
  return self:request("session/buildContextEntries", params, done)
end

--- The context of a branch, entry by entry.
---@param params sessiond.BuildParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.SessionProjectionResult)
function Api:session_build_session_projection(params, done)
  return self:request("session/buildSessionProjection", params, done)
end

--- The session's header.
---@param params sessiond.SessionParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.HeaderResult)
function Api:session_get_header(params, done)
  return self:request("session/getHeader", params, done)
end

--- The session's name.
---@param params sessiond.SessionParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.SessionNameResult)
function Api:session_get_session_name(params, done)
  return self:request("session/getSessionName", params, done)
end

--- The session's working directory.
---@param params sessiond.SessionParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.CwdResult)
function Api:session_get_cwd(params, done)
  return self:request("session/getCwd", params, done)
end

--- The directory for sessions branched off this one.
---@param params sessiond.SessionParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.SessionDirResult)
function Api:session_get_session_dir(params, done)
  return self:request("session/getSessionDir", params, done)
end

--- The id in the session's header.
---@param params sessiond.SessionParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.SessionIdResult)
function Api:session_get_session_id(params, done)
  return self:request("session/getSessionId", params, done)
end

--- The path of the session's file, also before it is written.
---@param params sessiond.SessionParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.SessionFileResult)
function Api:session_get_session_file(params, done)
  return self:request("session/getSessionFile", params, done)
end

--- Whether the session belongs to a file.
---@param params sessiond.SessionParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.IsPersistedResult)
function Api:session_is_persisted(params, done)
  return self:request("session/isPersisted", params, done)
end

--- Whether its directory is the default one of its working directory.
---@param params sessiond.SessionParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.UsesDefaultSessionDirResult)
function Api:session_uses_default_session_dir(params, done)
  return self:request("session/usesDefaultSessionDir", params, done)
end

--- Estimate the tokens of a context.
---@param params sessiond.MessagesParams?
---@param done? fun(err?: sessiond.Error, result?: sessiond.EstimateTokensResult)
function Api:context_estimate_tokens(params, done)
  return self:request("context/estimateTokens", params, done)
end

--- Decide whether the context should be compacted.
---@param params sessiond.ShouldCompactParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.ShouldCompactResult)
function Api:context_should_compact(params, done)
  return self:request("context/shouldCompact", params, done)
end

--- Measure how much of the context window is used.
---@param params sessiond.WindowUsageParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.WindowUsageResult)
function Api:context_window_usage(params, done)
  return self:request("context/windowUsage", params, done)
end

--- Convert messages to the form in which a model is sent them.
---@param params sessiond.MessagesParams?
---@param done? fun(err?: sessiond.Error, result?: sessiond.LlmMessagesResult)
function Api:context_to_llm(params, done)
  return self:request("context/toLlm", params, done)
end

--- Convert a conversation to text, for a model to read but not to continue.
---@param params sessiond.MessagesParams?
---@param done? fun(err?: sessiond.Error, result?: sessiond.SerializeResult)
function Api:context_serialize(params, done)
  return self:request("context/serialize", params, done)
end

--- Plan a compaction and prepare the prompts for its summaries.
---@param params sessiond.PrepareCompactionParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.PrepareCompactionResult)
function Api:context_prepare_compaction(params, done)
  return self:request("context/prepareCompaction", params, done)
end

--- Append a compaction from a plan and a model's summaries.
---@param params sessiond.FinishCompactionParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.AppendResult)
function Api:context_finish_compaction(params, done)
  return self:request("context/finishCompaction", params, done)
end

--- Find what a move to another entry leaves, and prepare the prompts for its summary.
---@param params sessiond.PrepareBranchSummaryParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.PrepareBranchSummaryResult)
function Api:context_prepare_branch_summary(params, done)
  return self:request("context/prepareBranchSummary", params, done)
end

--- Move to another entry, with a model's summary of the branch that is left.
---@param params sessiond.FinishBranchSummaryParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.FinishBranchSummaryResult)
function Api:context_finish_branch_summary(params, done)
  return self:request("context/finishBranchSummary", params, done)
end

--- Move to another entry by pi's rules, without a summary.
---@param params sessiond.NavigateParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.NavigateResult)
function Api:context_navigate(params, done)
  return self:request("context/navigate", params, done)
end

--- Read a snapshot of the sessions and subscribe to every later change.
---@param params sessiond.CatalogSubscribeParams?
---@param done? fun(err?: sessiond.Error, result?: sessiond.CatalogSubscribeResult)
function Api:catalog_subscribe(params, done)
  return self:request("catalog/subscribe", params, done)
end

--- End the subscription.
---@param params sessiond.CatalogUnsubscribeParams
---@param done? fun(err?: sessiond.Error, result?: nil)
function Api:catalog_unsubscribe(params, done)
  return self:request("catalog/unsubscribe", params, done)
end

--- Find sessions by names, directories, and what was said and done; fails after 30 s.
---@param params sessiond.CatalogSearchParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.CatalogSearchResult)
function Api:catalog_search(params, done)
  return self:request("catalog/search", params, done)
end

--- Name a session under the leaf of its file; no handle's leaf moves.
---@param params sessiond.RenameParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.RenameResult)
function Api:catalog_rename(params, done)
  return self:request("catalog/rename", params, done)
end

--- Move a session to the trash, or delete it permanently; by default not while it is open for writing.
---@param params sessiond.DeleteParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.DeleteResult)
function Api:catalog_delete(params, done)
  return self:request("catalog/delete", params, done)
end

--- Restore a session from the trash to its former path.
---@param params sessiond.RestoreParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.SessionInfo)
function Api:catalog_restore(params, done)
  return self:request("catalog/restore", params, done)
end

--- List the sessions in the trash.
---@param params sessiond.CatalogScope?
---@param done? fun(err?: sessiond.Error, result?: sessiond.ListTrashResult)
function Api:catalog_list_trash(params, done)
  return self:request("catalog/listTrash", params, done)
end

--- Check session files for damage; nothing is written.
---@param params sessiond.CheckParams?
---@param done? fun(err?: sessiond.Error, result?: sessiond.CheckResult)
function Api:catalog_check(params, done)
  return self:request("catalog/check", params, done)
end

--- Repair a session file and keep a backup, or only report what would be done.
---@param params sessiond.RepairParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.RepairResult)
function Api:catalog_repair(params, done)
  return self:request("catalog/repair", params, done)
end

--- Count a session's messages, tool calls, tokens and cost, by model and by day.
---@param params sessiond.StatsParams?
---@param done? fun(err?: sessiond.Error, result?: sessiond.StatsResult)
function Api:catalog_stats(params, done)
  return self:request("catalog/stats", params, done)
end

--- Add up tokens and cost of sessions by day, week, month, model, project or session.
---@param params sessiond.CatalogUsageParams?
---@param done? fun(err?: sessiond.Error, result?: sessiond.CatalogUsageResult)
function Api:catalog_usage(params, done)
  return self:request("catalog/usage", params, done)
end

--- Export a session, or a branch of it, as JSON lines, Markdown or a page.
---@param params sessiond.ExportParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.ExportResult)
function Api:catalog_export(params, done)
  return self:request("catalog/export", params, done)
end

--- Find the canonical key of a session, from a message or another spelling.
---@param params sessiond.ResolveKeyParams?
---@param done? fun(err?: sessiond.Error, result?: sessiond.ResolveKeyResult)
function Api:gateway_resolve_key(params, done)
  return self:request("gateway/resolveKey", params, done)
end

--- Decide whether a session continues or has expired, daily or by idleness.
---@param params sessiond.EvaluateFreshnessParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.EvaluateFreshnessResult)
function Api:gateway_evaluate_freshness(params, done)
  return self:request("gateway/evaluateFreshness", params, done)
end

--- Decide whether a reply is silent; the text of a silent reply is not shown.
---@param params sessiond.IsSilentReplyParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.IsSilentReplyResult)
function Api:gateway_is_silent_reply(params, done)
  return self:request("gateway/isSilentReply", params, done)
end

--- Decide whether the agent should save memories before a compaction, and build the prompt.
---@param params sessiond.PlanMemoryFlushParams?
---@param done? fun(err?: sessiond.Error, result?: sessiond.PlanMemoryFlushResult)
function Api:gateway_plan_memory_flush(params, done)
  return self:request("gateway/planMemoryFlush", params, done)
end

--- Read the entry of a session.
---@param params sessiond.StoreGetParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.StoreGetResult)
function Api:gateway_get(params, done)
  return self:request("gateway/get", params, done)
end

--- Change settings of a session: all of them, or none if one is refused.
---@param params sessiond.StorePatchParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.StorePatchResult)
function Api:gateway_patch(params, done)
  return self:request("gateway/patch", params, done)
end

--- Start a new session under a key, and archive the old transcript.
---@param params sessiond.StoreResetParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.StoreResetResult)
function Api:gateway_reset(params, done)
  return self:request("gateway/reset", params, done)
end

--- Remove a session from its store, and archive its transcript.
---@param params sessiond.StoreDeleteParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.StoreDeleteResult)
function Api:gateway_delete(params, done)
  return self:request("gateway/delete", params, done)
end

--- List the sessions of all agents.
---@param params sessiond.StoreListParams?
---@param done? fun(err?: sessiond.Error, result?: sessiond.StoreListResult)
function Api:gateway_list(params, done)
  return self:request("gateway/list", params, done)
end

--- Record the usage of a run: tokens, model and context window.
---@param params sessiond.RecordUsageParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.RecordResult)
function Api:gateway_record_usage(params, done)
  return self:request("gateway/recordUsage", params, done)
end

--- Count a compaction, and record the tokens that it left.
---@param params sessiond.RecordCompactionParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.RecordCompactionResult)
function Api:gateway_record_compaction(params, done)
  return self:request("gateway/recordCompaction", params, done)
end

--- Record that memories were saved, so that they are not saved again too early.
---@param params sessiond.RecordMemoryFlushParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.RecordResult)
function Api:gateway_record_memory_flush(params, done)
  return self:request("gateway/recordMemoryFlush", params, done)
end

--- Find or start the session of an inbound message, and record it.
---@param params sessiond.BeginParams
---@param done? fun(err?: sessiond.Error, result?: sessiond.BeginResult)
function Api:gateway_begin(params, done)
  return self:request("gateway/begin", params, done)
end

--- Remove old or excess sessions from a store.
---@param params sessiond.MaintainParams?
---@param done? fun(err?: sessiond.Error, result?: sessiond.MaintainResult)
function Api:gateway_maintain(params, done)
  return self:request("gateway/maintain", params, done)
end

--- Read a snapshot of the stores and subscribe to every later change.
---@param params sessiond.GatewaySubscribeParams?
---@param done? fun(err?: sessiond.Error, result?: sessiond.GatewaySubscribeResult)
function Api:gateway_subscribe(params, done)
  return self:request("gateway/subscribe", params, done)
end

--- End the subscription.
---@param params sessiond.GatewayUnsubscribeParams
---@param done? fun(err?: sessiond.Error, result?: nil)
function Api:gateway_unsubscribe(params, done)
  return self:request("gateway/unsubscribe", params, done)
end

--- One function per method of a session; the handle is added to the params.
---@class sessiond.SessionApi
---@field request fun(self, method: string, params: table?, done: function?): table
local SessionApi = {}
M.SessionApi = SessionApi

--- Read the present state of a session.
---@param params? nil none
---@param done? fun(err?: sessiond.Error, result?: sessiond.SessionState)
function SessionApi:get_state(params, done)
  return self:request("session/getState", params, done)
end

--- Create a session under the same handle.
---@param params? sessiond.NewSessionParams|table `id?, parentSession?`
---@param done? fun(err?: sessiond.Error, result?: sessiond.SessionState)
function SessionApi:new_session(params, done)
  return self:request("session/newSession", params, done)
end

--- Switch the handle to another session file.
---@param params? sessiond.SetSessionFileParams|table `path`
---@param done? fun(err?: sessiond.Error, result?: sessiond.SessionState)
function SessionApi:set_session_file(params, done)
  return self:request("session/setSessionFile", params, done)
end

--- Copy one branch into a new session file and switch the handle to it.
---@param params? sessiond.CreateBranchedSessionParams|table `leafId`
---@param done? fun(err?: sessiond.Error, result?: sessiond.SessionState)
function SessionApi:create_branched_session(params, done)
  return self:request("session/createBranchedSession", params, done)
end

--- Append a message.
---@param params? sessiond.AppendMessageParams|table `message, newEntryId?, expectedLeafId?, expectedTipId?, unchecked?`
---@param done? fun(err?: sessiond.Error, result?: sessiond.AppendResult)
function SessionApi:append_message(params, done)
  return self:request("session/appendMessage", params, done)
end

--- Record a change of the thinking level.
---@param params? sessiond.AppendThinkingLevelChangeParams|table `thinkingLevel, newEntryId?, expectedLeafId?, expectedTipId?`
---@param done? fun(err?: sessiond.Error, result?: sessiond.AppendResult)
function SessionApi:append_thinking_level_change(params, done)
  return self:request("session/appendThinkingLevelChange", params, done)
end

--- Record a change of the model.
---@param params? sessiond.AppendModelChangeParams|table `provider, modelId, newEntryId?, expectedLeafId?, expectedTipId?`
---@param done? fun(err?: sessiond.Error, result?: sessiond.AppendResult)
function SessionApi:append_model_change(params, done)
  return self:request("session/appendModelChange", params, done)
end

--- Record a summary that replaces the earlier context.
---@param params? sessiond.AppendCompactionParams|table `summary, tokensBefore, newEntryId?, expectedLeafId?, expectedTipId?, unchecked?, firstKeptEntryId?, details?, fromHook?, usage?`
---@param done? fun(err?: sessiond.Error, result?: sessiond.AppendResult)
function SessionApi:append_compaction(params, done)
  return self:request("session/appendCompaction", params, done)
end

--- Store state of an extension.
---@param params? sessiond.AppendCustomEntryParams|table `customType, newEntryId?, expectedLeafId?, expectedTipId?, data?`
---@param done? fun(err?: sessiond.Error, result?: sessiond.AppendResult)
function SessionApi:append_custom_entry(params, done)
  return self:request("session/appendCustomEntry", params, done)
end

--- Set or clear the name of the session.
---@param params? sessiond.AppendSessionInfoParams|table `name, newEntryId?, expectedLeafId?, expectedTipId?`
---@param done? fun(err?: sessiond.Error, result?: sessiond.AppendResult)
function SessionApi:append_session_info(params, done)
  return self:request("session/appendSessionInfo", params, done)
end

--- Append a message of an extension.
---@param params? sessiond.AppendCustomMessageEntryParams|table `customType, content, display, newEntryId?, expectedLeafId?, expectedTipId?, unchecked?, details?`
---@param done? fun(err?: sessiond.Error, result?: sessiond.AppendResult)
function SessionApi:append_custom_message_entry(params, done)
  return self:request("session/appendCustomMessageEntry", params, done)
end

--- Set or clear the label of an entry.
---@param params? sessiond.AppendLabelChangeParams|table `targetId, newEntryId?, expectedLeafId?, expectedTipId?, label?`
---@param done? fun(err?: sessiond.Error, result?: sessiond.AppendResult)
function SessionApi:append_label_change(params, done)
  return self:request("session/appendLabelChange", params, done)
end

--- Record usage outside the conversation.
---@param params? sessiond.AppendUsageParams|table `kind, provider, model, usage, newEntryId?, expectedLeafId?, expectedTipId?, unchecked?, note?`
---@param done? fun(err?: sessiond.Error, result?: sessiond.AppendResult)
function SessionApi:append_usage(params, done)
  return self:request("session/appendUsage", params, done)
end

--- Replace or omit the content of an earlier entry in the context.
---@param params? sessiond.AppendContextEditParams|table `targetId, replacement, newEntryId?, expectedLeafId?, expectedTipId?, unchecked?`
---@param done? fun(err?: sessiond.Error, result?: sessiond.AppendResult)
function SessionApi:append_context_edit(params, done)
  return self:request("session/appendContextEdit", params, done)
end

--- Continue from an earlier entry, with a summary of the branch that is left.
---@param params? sessiond.BranchWithSummaryParams|table `entryId, summary, newEntryId?, expectedLeafId?, expectedTipId?, unchecked?, details?, fromHook?, usage?`
---@param done? fun(err?: sessiond.Error, result?: sessiond.AppendResult)
function SessionApi:branch_with_summary(params, done)
  return self:request("session/branchWithSummary", params, done)
end

--- Read the handle's leaf.
---@param params? nil none
---@param done? fun(err?: sessiond.Error, result?: sessiond.LeafIdResult)
function SessionApi:get_leaf_id(params, done)
  return self:request("session/getLeafId", params, done)
end

--- Read the entry at the leaf.
---@param params? nil none
---@param done? fun(err?: sessiond.Error, result?: sessiond.EntryResult)
function SessionApi:get_leaf_entry(params, done)
  return self:request("session/getLeafEntry", params, done)
end

--- Read the entry with this id.
---@param params? sessiond.GetEntryParams|table `id`
---@param done? fun(err?: sessiond.Error, result?: sessiond.EntryResult)
function SessionApi:get_entry(params, done)
  return self:request("session/getEntry", params, done)
end

--- Read the lines or rows that an entry was made of, as its agent wrote them.
---@param params? sessiond.GetSourceParams|table `entryId, maxBytes?`
---@param done? fun(err?: sessiond.Error, result?: sessiond.GetSourceResult)
function SessionApi:get_source(params, done)
  return self:request("session/getSource", params, done)
end

--- Read the entries of the file, all or page by page.
---@param params? sessiond.GetEntriesParams|table `cursor?, limit?, last?, views?`
---@param done? fun(err?: sessiond.Error, result?: sessiond.GetEntriesResult)
function SessionApi:get_entries(params, done)
  return self:request("session/getEntries", params, done)
end

--- Count the entries.
---@param params? nil none
---@param done? fun(err?: sessiond.Error, result?: sessiond.EntryCountResult)
function SessionApi:get_entry_count(params, done)
  return self:request("session/getEntryCount", params, done)
end

--- Read the entries from the root to the leaf, root first.
---@param params? sessiond.GetBranchParams|table `fromId?`
---@param done? fun(err?: sessiond.Error, result?: sessiond.EntriesResult)
function SessionApi:get_branch(params, done)
  return self:request("session/getBranch", params, done)
end

--- Read the children of an entry, in file order.
---@param params? sessiond.GetChildrenParams|table `parentId`
---@param done? fun(err?: sessiond.Error, result?: sessiond.EntriesResult)
function SessionApi:get_children(params, done)
  return self:request("session/getChildren", params, done)
end

--- Read the whole tree as a flat list.
---@param params? sessiond.GetTreeParams|table `detail?`
---@param done? fun(err?: sessiond.Error, result?: sessiond.TreeResult)
function SessionApi:get_tree(params, done)
  return self:request("session/getTree", params, done)
end

--- Read the label of an entry.
---@param params? sessiond.GetEntryParams|table `id`
---@param done? fun(err?: sessiond.Error, result?: sessiond.LabelResult)
function SessionApi:get_label(params, done)
  return self:request("session/getLabel", params, done)
end

--- Move the leaf to an entry.
---@param params? sessiond.BranchParams|table `entryId`
---@param done? fun(err?: sessiond.Error, result?: sessiond.LeafIdResult)
function SessionApi:branch(params, done)
  return self:request("session/branch", params, done)
end

--- Move the leaf before the first entry.
---@param params? nil none
---@param done? fun(err?: sessiond.Error, result?: sessiond.LeafIdResult)
function SessionApi:reset_leaf(params, done)
  return self:request("session/resetLeaf", params, done)
end

--- Read the entries from the root to the leaf as a person sees them, page by page. A result knows its call; what a call changed is shown once, by its result if that has a diff. After new results read the entries with their calls again.
---@param params? sessiond.GetViewParams|table `leafId?, cursor?, last?, limit?, maxChars?`
---@param done? fun(err?: sessiond.Error, result?: sessiond.GetViewResult)
function SessionApi:get_view(params, done)
  return self:request("session/getView", params, done)
end

--- The messages, thinking level and model of a branch.
---@param params? sessiond.BuildParams|table `leafId?`
---@param done? fun(err?: sessiond.Error, result?: sessiond.SessionContextResult)
function SessionApi:build_session_context(params, done)
  return self:request("session/buildSessionContext", params, done)
end

--- The entries of a branch that remain in the context after compaction.
---@param params? sessiond.BuildParams|table `leafId?`
---@param done? fun(err?: sessiond.Error, result?: sessiond.EntriesResult)
function SessionApi:build_context_entries(params, done)
  return self:request("session/buildContextEntries", params, done)
end

--- The context of a branch, entry by entry.
---@param params? sessiond.BuildParams|table `leafId?`
---@param done? fun(err?: sessiond.Error, result?: sessiond.SessionProjectionResult)
function SessionApi:build_session_projection(params, done)
  return self:request("session/buildSessionProjection", params, done)
end

--- The session's header.
---@param params? nil none
---@param done? fun(err?: sessiond.Error, result?: sessiond.HeaderResult)
function SessionApi:get_header(params, done)
  return self:request("session/getHeader", params, done)
end

--- The session's name.
---@param params? nil none
---@param done? fun(err?: sessiond.Error, result?: sessiond.SessionNameResult)
function SessionApi:get_session_name(params, done)
  return self:request("session/getSessionName", params, done)
end

--- The session's working directory.
---@param params? nil none
---@param done? fun(err?: sessiond.Error, result?: sessiond.CwdResult)
function SessionApi:get_cwd(params, done)
  return self:request("session/getCwd", params, done)
end

--- The directory for sessions branched off this one.
---@param params? nil none
---@param done? fun(err?: sessiond.Error, result?: sessiond.SessionDirResult)
function SessionApi:get_session_dir(params, done)
  return self:request("session/getSessionDir", params, done)
end

--- The id in the session's header.
---@param params? nil none
---@param done? fun(err?: sessiond.Error, result?: sessiond.SessionIdResult)
function SessionApi:get_session_id(params, done)
  return self:request("session/getSessionId", params, done)
end

--- The path of the session's file, also before it is written.
---@param params? nil none
---@param done? fun(err?: sessiond.Error, result?: sessiond.SessionFileResult)
function SessionApi:get_session_file(params, done)
  return self:request("session/getSessionFile", params, done)
end

--- Whether the session belongs to a file.
---@param params? nil none
---@param done? fun(err?: sessiond.Error, result?: sessiond.IsPersistedResult)
function SessionApi:is_persisted(params, done)
  return self:request("session/isPersisted", params, done)
end

--- Whether its directory is the default one of its working directory.
---@param params? nil none
---@param done? fun(err?: sessiond.Error, result?: sessiond.UsesDefaultSessionDirResult)
function SessionApi:uses_default_session_dir(params, done)
  return self:request("session/usesDefaultSessionDir", params, done)
end

--- Estimate the tokens of a context.
---@param params? sessiond.MessagesParams|table `messages?`
---@param done? fun(err?: sessiond.Error, result?: sessiond.EstimateTokensResult)
function SessionApi:context_estimate_tokens(params, done)
  return self:request("context/estimateTokens", params, done)
end

--- Decide whether the context should be compacted.
---@param params? sessiond.ShouldCompactParams|table `contextWindow, settings?`
---@param done? fun(err?: sessiond.Error, result?: sessiond.ShouldCompactResult)
function SessionApi:context_should_compact(params, done)
  return self:request("context/shouldCompact", params, done)
end

--- Measure how much of the context window is used.
---@param params? sessiond.WindowUsageParams|table `contextWindow`
---@param done? fun(err?: sessiond.Error, result?: sessiond.WindowUsageResult)
function SessionApi:context_window_usage(params, done)
  return self:request("context/windowUsage", params, done)
end

--- Convert messages to the form in which a model is sent them.
---@param params? sessiond.MessagesParams|table `messages?`
---@param done? fun(err?: sessiond.Error, result?: sessiond.LlmMessagesResult)
function SessionApi:context_to_llm(params, done)
  return self:request("context/toLlm", params, done)
end

--- Convert a conversation to text, for a model to read but not to continue.
---@param params? sessiond.MessagesParams|table `messages?`
---@param done? fun(err?: sessiond.Error, result?: sessiond.SerializeResult)
function SessionApi:context_serialize(params, done)
  return self:request("context/serialize", params, done)
end

--- Plan a compaction and prepare the prompts for its summaries.
---@param params? sessiond.PrepareCompactionParams|table `settings?, includePrompts?, customInstructions?`
---@param done? fun(err?: sessiond.Error, result?: sessiond.PrepareCompactionResult)
function SessionApi:context_prepare_compaction(params, done)
  return self:request("context/prepareCompaction", params, done)
end

--- Append a compaction from a plan and a model's summaries.
---@param params? sessiond.FinishCompactionParams|table `preparation, newEntryId?, expectedLeafId?, expectedTipId?, historySummary?, prefixSummary?, usage?`
---@param done? fun(err?: sessiond.Error, result?: sessiond.AppendResult)
function SessionApi:context_finish_compaction(params, done)
  return self:request("context/finishCompaction", params, done)
end

--- Find what a move to another entry leaves, and prepare the prompts for its summary.
---@param params? sessiond.PrepareBranchSummaryParams|table `targetId, tokenBudget?, includePrompts?, customInstructions?, replaceInstructions?`
---@param done? fun(err?: sessiond.Error, result?: sessiond.PrepareBranchSummaryResult)
function SessionApi:context_prepare_branch_summary(params, done)
  return self:request("context/prepareBranchSummary", params, done)
end

--- Move to another entry, with a model's summary of the branch that is left.
---@param params? sessiond.FinishBranchSummaryParams|table `targetId, newEntryId?, expectedLeafId?, expectedTipId?, summary?, fileOps?, label?, usage?`
---@param done? fun(err?: sessiond.Error, result?: sessiond.FinishBranchSummaryResult)
function SessionApi:context_finish_branch_summary(params, done)
  return self:request("context/finishBranchSummary", params, done)
end

--- Move to another entry by pi's rules, without a summary.
---@param params? sessiond.NavigateParams|table `targetId, newEntryId?, expectedLeafId?, expectedTipId?, label?`
---@param done? fun(err?: sessiond.Error, result?: sessiond.NavigateResult)
function SessionApi:context_navigate(params, done)
  return self:request("context/navigate", params, done)
end

--- Count a session's messages, tool calls, tokens and cost, by model and by day.
---@param params? sessiond.StatsParams|table `path?, timezone?, since?, until?`
---@param done? fun(err?: sessiond.Error, result?: sessiond.StatsResult)
function SessionApi:catalog_stats(params, done)
  return self:request("catalog/stats", params, done)
end

--- Export a session, or a branch of it, as JSON lines, Markdown or a page.
---@param params? sessiond.ExportParams|table `format, path?, outputPath?, leafId?, mask?, conversation?, ownId?`
---@param done? fun(err?: sessiond.Error, result?: sessiond.ExportResult)
function SessionApi:catalog_export(params, done)
  return self:request("catalog/export", params, done)
end

return M
