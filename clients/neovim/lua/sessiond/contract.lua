-- Generated from protocol/sessiond_protocol/openrpc.json by protocol/generate.py.
-- Do not edit; run `make generate`.

local M = {}

--- Facts about a method.
---@class sessiond.Method
---@field session boolean whether it takes a session handle
---@field appends boolean whether `newEntryId` makes a retry safe
---@field repeatable boolean whether it may be sent again after the daemon has crashed

--- The requests by name.
---@type table<string, sessiond.Method>
M.methods = {
  ["initialize"] = { session = false, appends = false, repeatable = false },
  ["shutdown"] = { session = false, appends = false, repeatable = false },
  ["rpc.discover"] = { session = false, appends = false, repeatable = true },
  ["daemon/status"] = { session = false, appends = false, repeatable = true },
  ["session/create"] = { session = false, appends = false, repeatable = false },
  ["session/open"] = { session = false, appends = false, repeatable = true },
  ["session/continueRecent"] = { session = false, appends = false, repeatable = false },
  ["session/inMemory"] = { session = false, appends = false, repeatable = false },
  ["session/forkFrom"] = { session = false, appends = false, repeatable = false },
  ["session/close"] = { session = true, appends = false, repeatable = true },
  ["session/getState"] = { session = true, appends = false, repeatable = true },
  ["session/newSession"] = { session = true, appends = false, repeatable = false },
  ["session/setSessionFile"] = { session = true, appends = false, repeatable = false },
  ["session/createBranchedSession"] = { session = true, appends = false, repeatable = false },
  ["session/findById"] = { session = false, appends = false, repeatable = true },
  ["session/list"] = { session = false, appends = false, repeatable = true },
  ["session/listAll"] = { session = false, appends = false, repeatable = true },
  ["session/appendMessage"] = { session = true, appends = true, repeatable = true },
  ["session/appendThinkingLevelChange"] = { session = true, appends = true, repeatable = true },
  ["session/appendModelChange"] = { session = true, appends = true, repeatable = true },
  ["session/appendCompaction"] = { session = true, appends = true, repeatable = true },
  ["session/appendCustomEntry"] = { session = true, appends = true, repeatable = true },
  ["session/appendSessionInfo"] = { session = true, appends = true, repeatable = true },
  ["session/appendCustomMessageEntry"] = { session = true, appends = true, repeatable = true },
  ["session/appendLabelChange"] = { session = true, appends = true, repeatable = true },
  ["session/appendUsage"] = { session = true, appends = true, repeatable = true },
  ["session/appendContextEdit"] = { session = true, appends = true, repeatable = true },
  ["session/branchWithSummary"] = { session = true, appends = true, repeatable = true },
  ["session/getLeafId"] = { session = true, appends = false, repeatable = true },
  ["session/getLeafEntry"] = { session = true, appends = false, repeatable = true },
  ["session/getEntry"] = { session = true, appends = false, repeatable = true },
  ["session/getSource"] = { session = true, appends = false, repeatable = true },
  ["session/getEntries"] = { session = true, appends = false, repeatable = true },
  ["session/getEntryCount"] = { session = true, appends = false, repeatable = true },
  ["session/getBranch"] = { session = true, appends = false, repeatable = true },
  ["session/getChildren"] = { session = true, appends = false, repeatable = true },
  ["session/getTree"] = { session = true, appends = false, repeatable = true },
  ["session/getLabel"] = { session = true, appends = false, repeatable = true },
  ["session/branch"] = { session = true, appends = false, repeatable = true },
  ["session/resetLeaf"] = { session = true, appends = false, repeatable = true },
  ["session/getView"] = { session = true, appends = false, repeatable = true },
  ["session/buildSessionContext"] = { session = true, appends = false, repeatable = true },
  ["session/buildContextEntries"] = { session = true, appends = false, repeatable = true },
  ["session/buildSessionProjection"] = { session = true, appends = false, repeatable = true },
  ["session/getHeader"] = { session = true, appends = false, repeatable = true },
  ["session/getSessionName"] = { session = true, appends = false, repeatable = true },
  ["session/getCwd"] = { session = true, appends = false, repeatable = true },
  ["session/getSessionDir"] = { session = true, appends = false, repeatable = true },
  ["session/getSessionId"] = { session = true, appends = false, repeatable = true },
  ["session/getSessionFile"] = { session = true, appends = false, repeatable = true },
  ["session/isPersisted"] = { session = true, appends = false, repeatable = true },
  ["session/usesDefaultSessionDir"] = { session = true, appends = false, repeatable = true },
  ["context/estimateTokens"] = { session = true, appends = false, repeatable = true },
  ["context/shouldCompact"] = { session = true, appends = false, repeatable = true },
  ["context/windowUsage"] = { session = true, appends = false, repeatable = true },
  ["context/toLlm"] = { session = true, appends = false, repeatable = true },
  ["context/serialize"] = { session = true, appends = false, repeatable = true },
  ["context/prepareCompaction"] = { session = true, appends = false, repeatable = true },
  ["context/finishCompaction"] = { session = true, appends = true, repeatable = true },
  ["context/prepareBranchSummary"] = { session = true, appends = false, repeatable = true },
  ["context/finishBranchSummary"] = { session = true, appends = true, repeatable = true },
  ["context/navigate"] = { session = true, appends = true, repeatable = true },
  ["catalog/subscribe"] = { session = false, appends = false, repeatable = true },
  ["catalog/unsubscribe"] = { session = false, appends = false, repeatable = true },
  ["catalog/search"] = { session = false, appends = false, repeatable = true },
  ["catalog/rename"] = { session = false, appends = false, repeatable = false },
  ["catalog/delete"] = { session = false, appends = false, repeatable = false },
  ["catalog/restore"] = { session = false, appends = false, repeatable = false },
  ["catalog/listTrash"] = { session = false, appends = false, repeatable = true },
  ["catalog/check"] = { session = false, appends = false, repeatable = true },
  ["catalog/repair"] = { session = false, appends = false, repeatable = false },
  ["catalog/stats"] = { session = true, appends = false, repeatable = true },
  ["catalog/usage"] = { session = false, appends = false, repeatable = true },
  ["catalog/export"] = { session = true, appends = false, repeatable = false },
  ["gateway/resolveKey"] = { session = false, appends = false, repeatable = true },
  ["gateway/evaluateFreshness"] = { session = false, appends = false, repeatable = true },
  ["gateway/isSilentReply"] = { session = false, appends = false, repeatable = true },
  ["gateway/planMemoryFlush"] = { session = false, appends = false, repeatable = true },
  ["gateway/get"] = { session = false, appends = false, repeatable = true },
  ["gateway/patch"] = { session = false, appends = false, repeatable = true },
  ["gateway/reset"] = { session = false, appends = false, repeatable = false },
  ["gateway/delete"] = { session = false, appends = false, repeatable = false },
  ["gateway/list"] = { session = false, appends = false, repeatable = true },
  ["gateway/recordUsage"] = { session = false, appends = false, repeatable = false },
  ["gateway/recordCompaction"] = { session = false, appends = false, repeatable = false },
  ["gateway/recordMemoryFlush"] = { session = false, appends = false, repeatable = false },
  ["gateway/begin"] = { session = false, appends = false, repeatable = false },
  ["gateway/maintain"] = { session = false, appends = false, repeatable = false },
  ["gateway/subscribe"] = { session = false, appends = false, repeatable = true },
  ["gateway/unsubscribe"] = { session = false, appends = false, repeatable = true },
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

return M
