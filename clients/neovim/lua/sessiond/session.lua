--- An open session, whose handle survives a restart of the daemon.

local contract = require("sessiond.contract")
local failures = require("sessiond.failures")
local paging = require("sessiond.paging")

local uv = vim.uv or vim.loop

---@class sessiond.Session
---@field client sessiond.Client
---@field follow boolean whether the leaf follows that of the file
---@field handle string the same in every daemon
---@field state sessiond.SessionState the latest state that the daemon answered
---@field leaf_id string|vim.NIL the entry under which the next one is appended; current
---@field tip_id string|vim.NIL the last entry of the file; current
---@field lost? sessiond.Error why it cannot be used any more
local Session = {}
Session.__index = Session

local M = { Class = Session }

--- How many changes are kept for the first listener.
local KEPT = 1024

---@param client sessiond.Client
---@param state sessiond.SessionState
---@param follow boolean
---@return sessiond.Session
function M.new(client, state, follow)
  return setmetatable({
    client = client,
    follow = follow,
    handle = state.session,
    state = state,
    leaf_id = state.leafId,
    tip_id = state.tipId,
    _listeners = {},
    _early = {},
  }, Session)
end

--- Return 16 random hexadecimal digits, enough to make equal ids very unlikely.
---@return string
function M.new_id()
  local bytes = uv.random(8)
  return (bytes:gsub(".", function(byte)
    return ("%02x"):format(byte:byte())
  end))
end

--- Send a request about this session. An append gets an id from the client, so that it is safe to
--- send again.
---@param method string
---@param params? table without `session`; may be left out before `done`
---@param done? fun(err?: sessiond.Error, result?: any)
---@return sessiond.Request
function Session:request(method, params, done)
  if type(params) == "function" then
    params, done = nil, params
  end
  if self._closed then
    return self.client:_refuse(method, done, failures.new(0, "Closed", "The session is closed"))
  end
  local known = contract.methods[method]
  if known and known.appends then
    params = vim.tbl_extend("keep", params or {}, { newEntryId = M.new_id() })
  end
  return self.client:request(method, params, function(err, result)
    if not err then
      self:_moved(method, known, result)
    end
    if done then
      done(err, result)
    end
  end, self)
end

--- Send several requests at once, and wait for all answers, which may arrive in any order.
---@param requests {[1]: string, [2]?: table}[] methods and params
---@param done fun(err?: sessiond.Error, ...: any) the first error, or the results in order
function Session:request_all(requests, done)
  local results, left, failed = {}, #requests, nil
  for index, each in ipairs(requests) do
    self:request(each[1], each[2], function(err, result)
      failed = failed or err
      results[index] = result
      left = left - 1
      if left == 0 then
        done(failed, unpack(results, 1, #requests))
      end
    end)
  end
end

--- Append a message, such as `{ role = "user", content = "hello" }`.
---@param message sessiond.Message
---@param done? fun(err?: sessiond.Error, result?: sessiond.AppendResult)
---@return sessiond.Request
function Session:append(message, done)
  return self:request("session/appendMessage", { message = message }, done)
end

--- Iterate over all entries in file order, page by page: `for entry in session:entries() do`. The
--- iterator waits for each page; see |sessiond-await|.
---@param params? {cursor?: string, limit?: integer} `limit` is the length of a page
---@return fun(): sessiond.Entry?
function Session:entries(params)
  params = vim.tbl_extend("keep", params or {}, { limit = 1000 })
  return paging.items(self, "session/getEntries", params, "entries")
end

--- Call a listener with every change: the params of `session/didChange`, and those of the client:
--- `{ kind = "reconnected", state = … }`, `{ kind = "lost", error = … }` and, when the client is stopped,
--- `{ kind = "ended", error = … }`; and `{ kind = "draft", draft = … }` when another handle publishes an answer in
--- progress, or that ends. The first listener is also called with the changes since the session was
--- opened, the last 1,024.
---@param listener fun(change: sessiond.SessionDidChangeParams|table)
function Session:on_change(listener)
  local early = self._early or {}
  self._early = nil
  table.insert(self._listeners, listener)
  for _, change in ipairs(early) do
    listener(change)
  end
end

--- Close the session. Requests that were made before are carried out. It is no error if the session is closed
--- or lost already.
---@param done? fun(err?: sessiond.Error)
function Session:close(done)
  done = done or function() end
  if self.lost or self._closed then
    return done()
  end
  self._listeners = {}
  self:request("session/close", nil, function(err)
    self.client.open_sessions[self] = nil
    local gone = err and (err.kind == "Lost" or err.kind == "UnknownSession")
    done(not gone and err or nil)
  end)
  self._closed = true
end

--- Remember the file and the leaf, to restore them after a restart.
function Session:_moved(method, known, result)
  if method == "session/branch" or method == "session/resetLeaf" then
    self.leaf_id = result.leafId
  elseif known and known.appends then
    self.leaf_id = result.leafId
    self.tip_id = not result.existed and result.id or self.tip_id
  elseif type(result) == "table" and result.session and result.entryCount then
    self.state, self.leaf_id, self.tip_id = result, result.leafId, result.tipId
  end
end

--- Open the session in a new process of the daemon, at its leaf. A file that is gone by then becomes
--- no new session.
---@param rpc table
---@param done fun(err?: sessiond.Error)
function Session:_renew(rpc, done)
  local before = self.state
  if type(before.sessionFile) ~= "string" then
    return done(failures.new(0, "Lost", "The session was in the memory of a daemon that ended"))
  end
  -- An empty session need not have a file.
  local leaf, filled = self.leaf_id, type(self.tip_id) == "string"
  if self.follow and leaf == self.tip_id then
    leaf = nil
  end
  rpc.request("session/open", {
    session = self.handle,
    path = before.sessionFile,
    sessionDir = before.sessionDir ~= "" and before.sessionDir or nil,
    cwd = before.cwd ~= "" and before.cwd or nil,
    readOnly = before.readOnly,
    leafId = leaf,
    follow = self.follow,
    mustExist = filled,
  }, function(err, state)
    if err then
      return done(failures.from_answer(err))
    end
    if filled and state.sessionId ~= before.sessionId then
      return rpc.request("session/close", { session = self.handle }, function()
        done(failures.new(0, "Lost", before.sessionFile .. " is another session now"))
      end)
    end
    self.state, self.leaf_id, self.tip_id = state, state.leafId, state.tipId
    done()
  end)
end

--- Take the params of `session/didChange`.
function Session:_hear(change)
  self.leaf_id, self.tip_id = change.leafId, change.tipId
  self.client:_when_ready(function()
    self:_changed(change)
  end)
end

--- Take the params of `session/didChangeDraft`. The state keeps the newest draft, so listeners that come later
--- need not hear of the others.
function Session:_hear_draft(params)
  if not self.state then
    return
  end
  self.state.draft = type(params.draft) == "table" and params.draft or nil
  for _, listener in ipairs(self._listeners) do
    listener({ kind = "draft", draft = self.state.draft })
  end
end

function Session:_changed(change)
  if self._early then
    table.insert(self._early, change)
    if #self._early > KEPT then
      table.remove(self._early, 1)
    end
  end
  for _, listener in ipairs(self._listeners) do
    listener(change)
  end
end

---@param err sessiond.Error
---@param kind? "lost"|"ended"
function Session:_lose(err, kind)
  self.lost = err
  self:_changed({ kind = kind or "lost", error = err })
end

return M
