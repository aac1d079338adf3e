--- A client: requests to the daemon, its notifications, sessions and subscriptions.

local contract = require("sessiond.contract")
local failures = require("sessiond.failures")
local lifecycle = require("sessiond.lifecycle")
local paging = require("sessiond.paging")
local Session = require("sessiond.session")
local Subscription = require("sessiond.subscription")

---@class sessiond.Request
---@field method string
---@field params? table
---@field done function
---@field session? sessiond.Session
---@field serial integer
---@field attempts integer
---@field id? integer

---@class sessiond.ClientOptions
---@field command string[]
---@field env? table<string, string>
---@field initialize? table params of `initialize`
---@field on_exit? fun(code: integer) called after each end of the process

---@class sessiond.Client
---@field options sessiond.ClientOptions
---@field state "new"|"starting"|"ready"|"stopping"|"stopped"
---@field info? sessiond.InitializeResult
---@field open_sessions table<sessiond.Session, true>
---@field subscriptions table<sessiond.Subscription, true>
---@field restarts integer
local Client = {}
Client.__index = Client
for name, method in pairs(lifecycle) do
  Client[name] = method
end

local M = {}

local failure, understood = failures.new, failures.from_answer

---@param options sessiond.ClientOptions
---@return sessiond.Client
function M.new(options)
  return setmetatable({
    options = options,
    state = "new",
    restarts = 0,
    open_sessions = {},
    subscriptions = {},
    _flying = {},
    _waiting = {},
    _listeners = {},
    _serial = 0,
    _crashes = 0,
  }, Client)
end

--- Listen to a notification, or to all of them with `*`.
---@param method string
---@param listener fun(params: table, method: string)
---@return fun() off ends the listening
function Client:on(method, listener)
  local listeners = self._listeners[method] or {}
  self._listeners[method] = listeners
  listeners[#listeners + 1] = listener
  return function()
    for index, each in ipairs(listeners) do
      if each == listener then
        table.remove(listeners, index)
        return
      end
    end
  end
end

--- Call a listener after the daemon has ended and the client has opened everything in a new one:
--- `{ lost = … }` has the sessions that could not be opened again.
---@param listener fun(event: {lost: sessiond.Session[]})
---@return fun() off ends the listening
function Client:on_reconnected(listener)
  return self:on("reconnected", listener)
end

--- Call a listener when the daemon has ended and the client starts no other: `{ error = … }`. A later
--- request starts the daemon again, unless `stop` was called; sessions and subscriptions stay lost.
---@param listener fun(event: {error: sessiond.Error})
---@return fun() off ends the listening
function Client:on_lost(listener)
  return self:on("lost", listener)
end

function Client:_emit(method, params)
  for _, name in ipairs({ method, "*" }) do
    for _, listener in ipairs(vim.list_extend({}, self._listeners[name] or {})) do
      listener(params, method)
    end
  end
end

--- Send a request as soon as the daemon is ready. Start the daemon if it is not running.
---@param method string
---@param params? table a `null` in it is |vim.NIL|; may be left out before `done`
---@param done? fun(err?: sessiond.Error, result?: any)
---@param session? sessiond.Session its handle is added to the params
---@return sessiond.Request
function Client:request(method, params, done, session)
  if type(params) == "function" then
    params, done = nil, params
  end
  self._serial = self._serial + 1
  local request = {
    method = method,
    params = params,
    done = done or function() end,
    session = session,
    serial = self._serial,
    attempts = 0,
  }
  if self.state == "stopping" or self.state == "stopped" then
    self:_fail(request, failure(0, "Lost", "sessiond was stopped"))
  elseif self.state == "ready" then
    self:_send(request)
  else
    table.insert(self._waiting, request)
    self:start()
  end
  return request
end

---@param method string
---@param params? table
function Client:notify(method, params)
  if method == "exit" then
    self.state = "stopping"
  end
  if self._rpc then
    self._rpc.notify(method, params)
  end
end

--- Cancel a request. Its callback gets the error `RequestCancelled` at once.
---@param request sessiond.Request
function Client:cancel(request)
  local known = self._flying[request]
  for index, each in ipairs(self._waiting) do
    if each == request then
      table.remove(self._waiting, index)
      known = true
      break
    end
  end
  if not known then
    return
  end
  if self._flying[request] then
    self._flying[request] = nil
    self:notify("$/cancelRequest", { id = request.id })
  end
  self:_fail(request, failure(-32800, "RequestCancelled", request.method .. " was cancelled"))
end

--- Open a session by its `path` or its `id`. It stays valid when the daemon is restarted. A missing file
--- becomes a new session only with `mustExist = false`.
---@param params sessiond.OpenParams
---@param done fun(err?: sessiond.Error, session?: sessiond.Session)
function Client:open(params, done)
  self:_enter("session/open", vim.tbl_extend("keep", params, { mustExist = true }), done)
end

--- Create a session. Its file appears with the first message.
---@param params sessiond.CreateParams
---@param done fun(err?: sessiond.Error, session?: sessiond.Session)
function Client:create(params, done)
  self:_enter("session/create", params, done)
end

--- Open the most recent session of a working directory, or create one.
---@param params sessiond.ContinueRecentParams
---@param done fun(err?: sessiond.Error, session?: sessiond.Session)
function Client:continue_recent(params, done)
  self:_enter("session/continueRecent", params, done)
end

--- Copy a session for another working directory and open the copy.
---@param params sessiond.ForkFromParams
---@param done fun(err?: sessiond.Error, session?: sessiond.Session)
function Client:fork_from(params, done)
  self:_enter("session/forkFrom", params, done)
end

--- Create a session without a file. It is lost when the daemon ends.
---@param params? sessiond.InMemoryParams
---@param done fun(err?: sessiond.Error, session?: sessiond.Session)
function Client:in_memory(params, done)
  self:_enter("session/inMemory", params, done)
end

function Client:_enter(method, params, done)
  params = vim.tbl_extend("keep", params or {}, { session = Session.new_id() })
  self:request(method, params, function(err, state)
    if err then
      return done(err)
    end
    local session = Session.new(self, state, params.follow == true)
    self.open_sessions[session] = true
    done(nil, session)
  end)
end

--- Subscribe to a list of sessions. After a restart of the daemon the subscription is made again.
---@param params sessiond.CatalogSubscribeParams
---@param listener fun(event: sessiond.SubscriptionEvent)
---@param done? fun(err?: sessiond.Error, subscription?: sessiond.Subscription)
function Client:subscribe_catalog(params, listener, done)
  Subscription.open(self, "catalog", params, listener, done)
end

--- Subscribe to the stores of a gateway. After a restart of the daemon the subscription is made again.
---@param params sessiond.GatewaySubscribeParams
---@param listener fun(event: sessiond.SubscriptionEvent)
---@param done? fun(err?: sessiond.Error, subscription?: sessiond.Subscription)
function Client:subscribe_gateway(params, listener, done)
  Subscription.open(self, "gateway", params, listener, done)
end

--- Iterate over the sessions of a working directory, or of all without `cwd`, page by page:
--- `for info in client:sessions({ cwd = "/w" }) do`. The iterator waits for each page; see
--- |sessiond-await|.
---@param params? sessiond.ListParams|sessiond.ListAllParams
---@return fun(): sessiond.SessionInfo?
function Client:sessions(params)
  local method = params and params.cwd and "session/list" or "session/listAll"
  return paging.items(self, method, params, "sessions")
end

--- Iterate over the hits of a search, page by page: `for hit in client:search("parser") do`.
---@param query string
---@param params? sessiond.CatalogSearchParams
---@return fun(): sessiond.SearchHit?
function Client:search(query, params)
  params = vim.tbl_extend("force", params or {}, { query = query })
  return paging.items(self, "catalog/search", params, "hits")
end

function Client:_send(request)
  if request.session and request.session.lost then
    return self:_fail(request, request.session.lost)
  end
  local rpc, params = self._rpc, request.params
  if request.session then
    params = vim.tbl_extend("force", params or {}, { session = request.session.handle })
  end
  request.attempts = request.attempts + 1
  self._flying[request] = true
  local ok, sent, id = pcall(rpc.request, request.method, params, function(err, result)
    if not self._flying[request] then
      return
    end
    self._flying[request] = nil
    self._crashes = 0
    if err then
      request.done(understood(err))
    else
      request.done(nil, result)
    end
  end)
  if ok then
    -- Without an id the process has ended; the request is sent again after the restart.
    request.id = sent and id or nil
  else
    self._flying[request] = nil
    self:_fail(request, failure(0, "InvalidParams", tostring(sent)))
  end
end

--- Fail a request that is not sent.
---@param method string
---@param done? fun(err?: sessiond.Error, result?: any)
---@param err sessiond.Error
---@return sessiond.Request
function Client:_refuse(method, done, err)
  local request = { method = method, done = done or function() end, serial = 0, attempts = 0 }
  self:_fail(request, err)
  return request
end

function Client:_fail(request, err)
  vim.schedule(function()
    request.done(err)
  end)
end

function Client:_hear(method, params)
  local hears = { ["session/didChange"] = "_hear", ["session/didChangeDraft"] = "_hear_draft" }
  for session in pairs(hears[method] and self.open_sessions or {}) do
    if session.handle == params.session then
      session[hears[method]](session, params)
    end
  end
  for subscription in pairs(vim.tbl_extend("force", {}, self.subscriptions)) do
    subscription:_hear(method, params)
  end
  self:_emit(method, params)
end

return M
