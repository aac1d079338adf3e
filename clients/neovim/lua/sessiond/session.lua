--- An open session: a handle that survives a restart of the daemon.

local contract = require("sessiond.contract")

local uv = vim.uv or vim.loop

---@class sessiond.Session
---@field client sessiond.Client
---@field params sessiond.OpenParams with which it is opened again
---@field handle? string as of now; none while the daemon is started again
---@field state sessiond.SessionState as it was when it was opened
---@field lost? sessiond.Error why it cannot be used any more
local Session = {}
Session.__index = Session

local M = {}

---@param client sessiond.Client
---@param params sessiond.OpenParams
---@param state sessiond.SessionState
---@return sessiond.Session
function M.new(client, params, state)
  return setmetatable({
    client = client,
    params = params,
    handle = state.session,
    state = state,
    _listeners = {},
  }, Session)
end

--- 16 random hexadecimal digits: too many for two ids to meet by chance.
---@return string
local function new_entry_id()
  local bytes = uv.random(8)
  return (bytes:gsub(".", function(byte)
    return ("%02x"):format(byte:byte())
  end))
end

--- Send a request about this session. An append gets an id of its own, so that it is safe to send
--- it again.
---@param method string
---@param params? table without `session`
---@param done? fun(err?: sessiond.Error, result?: any)
---@return sessiond.Request
function Session:request(method, params, done)
  local known = contract.methods[method]
  if known and known.appends then
    params = vim.tbl_extend("keep", params or {}, { newEntryId = new_entry_id() })
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

--- Listen to changes, as `session/didChange` says them.
---@param listener fun(change: sessiond.SessionDidChangeParams)
function Session:on_change(listener)
  table.insert(self._listeners, listener)
end

--- Let go of the handle.
---@param done? fun(err?: sessiond.Error)
function Session:close(done)
  if self.lost or not self.client.sessions[self] then
    if done then
      done()
    end
    return
  end
  self._listeners = {}
  self:request("session/close", nil, done)
  self.client.sessions[self] = nil
end

--- Remember where the leaf is, for a restart.
function Session:_moved(method, known, result)
  if method == "session/branch" or method == "session/resetLeaf" then
    self._leaf = { id = result.leafId ~= vim.NIL and result.leafId or nil }
  elseif known and known.appends then
    self._leaf = { id = result.id }
  end
end

--- What brings the leaf back after the session was opened anew.
---@return string? method
---@return table? params
function Session:_restoring()
  if self.params.follow or not self._leaf then
    return nil
  end
  if self._leaf.id then
    return "session/branch", { session = self.handle, entryId = self._leaf.id }
  end
  return "session/resetLeaf", { session = self.handle }
end

function Session:_changed(change)
  for _, listener in ipairs(self._listeners) do
    listener(change)
  end
end

---@param err sessiond.Error
function Session:_lose(err)
  self.lost = err
  self:_changed({ kind = "lost", message = err.message })
end

return M
