--- An open session, whose handle survives a restart of the daemon.

local contract = require("sessiond.contract")

local uv = vim.uv or vim.loop

---@class sessiond.Session
---@field client sessiond.Client
---@field params sessiond.OpenParams to open it again with
---@field handle? string the current one; nil while the daemon is restarted
---@field state sessiond.SessionState the state when it was opened
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

--- Return 16 random hexadecimal digits, enough to make equal ids very unlikely.
---@return string
local function new_entry_id()
  local bytes = uv.random(8)
  return (bytes:gsub(".", function(byte)
    return ("%02x"):format(byte:byte())
  end))
end

--- Send a request about this session. An append gets an id from the client, so that it is safe to
--- send again.
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

--- Call a listener with every change: the params of `session/didChange`.
---@param listener fun(change: sessiond.SessionDidChangeParams)
function Session:on_change(listener)
  table.insert(self._listeners, listener)
end

--- Close the session.
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

--- Remember the leaf, to restore it after a restart.
function Session:_moved(method, known, result)
  if method == "session/branch" or method == "session/resetLeaf" then
    self._leaf = { id = result.leafId ~= vim.NIL and result.leafId or nil }
  elseif known and known.appends then
    self._leaf = { id = result.id }
  end
end

--- Return the request that restores the leaf after the session was opened again.
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
