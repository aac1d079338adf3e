--- The connection: one sessiond process, requests to it, and its notifications.
---
--- If the process ends unexpectedly, it is started again. Sessions are opened again, subscriptions are
--- made again, and unanswered requests are sent again where that is safe.

local contract = require("sessiond.contract")
local failures = require("sessiond.failures")
local paging = require("sessiond.paging")
local Session = require("sessiond.session")
local Subscription = require("sessiond.subscription")

local uv = vim.uv or vim.loop

--- After this many unexpected ends in a row without an answer, the client stops restarting.
local CRASHES = 3
--- How often one request is sent at most, since the request itself may crash the process.
local ATTEMPTS = 3
local PAUSE_MS = 100

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

---@class sessiond.Client : sessiond.Api
---@field options sessiond.ClientOptions
---@field state "new"|"starting"|"ready"|"stopping"|"stopped"
---@field info? sessiond.InitializeResult
---@field open_sessions table<sessiond.Session, true>
---@field subscriptions table<sessiond.Subscription, true>
---@field restarts integer
local Client = setmetatable({}, { __index = contract.Api })
Client.__index = Client

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
    _served = {},
    _heard = {},
    _serial = 0,
    _crashes = 0,
  }, Client)
end

--- Return whether the daemon serves a method; false until it is ready.
---@param method string
---@return boolean
function Client:serves(method)
  return self._served[method] == true
end

--- Return whether the daemon sends a notification; false until it is ready.
---@param method string
---@return boolean
function Client:tells(method)
  return self._heard[method] == true
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
---@param params? table a `null` in it is |vim.NIL|
---@param done? fun(err?: sessiond.Error, result?: any)
---@param session? sessiond.Session its handle is added to the params
---@return sessiond.Request
function Client:request(method, params, done, session)
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

--- Open a session file. The session stays valid when the daemon is restarted.
---@param params sessiond.OpenParams
---@param done fun(err?: sessiond.Error, session?: sessiond.Session)
function Client:open(params, done)
  self:_enter("session/open", params, done)
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
  self:request(method, params, function(err, state)
    if err then
      return done(err)
    end
    local session = Session.new(self, state, params and params.follow == true)
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

--- Start the daemon, unless it is running.
---@param done? fun(err?: sessiond.Error, info?: sessiond.InitializeResult)
function Client:start(done)
  if self.state == "new" or self.state == "starting" then
    if done then
      self._starting = self._starting or {}
      table.insert(self._starting, done)
    end
    if self.state == "new" then
      self.state = "starting"
      self:_spawn()
    end
  elseif done then
    done(self.state ~= "ready" and failure(0, "Lost", "sessiond was stopped") or nil, self.info)
  end
end

--- Shut the daemon down, after it has answered the requests that it received.
---@param done? fun()
function Client:stop(done)
  if not self._rpc then
    self.state = "stopped"
    if done then
      done()
    end
    return
  end
  self._stopped = done
  local rpc, before = self._rpc, self.state
  self.state = "stopping"
  local function exit()
    rpc.notify("exit")
  end
  if before ~= "ready" or not rpc.request("shutdown", nil, exit) then
    exit()
  end
end

--- Shut the daemon down and wait for its end, at most `timeout_ms`; for when the editor exits.
---@param timeout_ms integer
function Client:stop_now(timeout_ms)
  local stopped = false
  self:stop(function()
    stopped = true
  end)
  vim.wait(timeout_ms, function()
    return stopped
  end, 10)
end

function Client:_spawn()
  local command = self.options.command
  local rpc
  local dispatchers = {
    notification = function(method, params)
      if rpc == self._rpc then
        self:_hear(method, params)
      end
    end,
    on_exit = vim.schedule_wrap(function(code, signal)
      self:_ended(rpc, code, signal)
    end),
    -- A body that Neovim cannot parse as JSON, which should not happen with plainJson.
    on_error = function(code, err)
      vim.schedule(function()
        vim.notify(
          ("sessiond: a message could not be read (%s): %s"):format(code, vim.inspect(err)),
          vim.log.levels.ERROR
        )
      end)
    end,
  }
  local extra = { env = self.options.env, detached = false }
  local start, ok = require("vim.lsp.rpc").start, nil
  if vim.fn.has("nvim-0.10") == 1 then
    ok, rpc = pcall(start, command, dispatchers, extra)
  else
    local args = vim.list_extend({}, command, 2)
    ok, rpc = pcall(start, command[1], args, dispatchers, extra)
  end
  if not ok or not rpc then
    self.state = "new"
    local message = ("sessiond could not be started as %q"):format(table.concat(command, " "))
    return self:_give_up(failure(0, "NotStarted", message))
  end
  self._rpc = rpc
  local params = vim.tbl_deep_extend("force", {
    clientInfo = { name = "neovim", version = M.version() },
    processId = uv.os_getpid(),
    capabilities = { plainJson = true },
  }, self.options.initialize or {})
  rpc.request("initialize", params, function(err, info)
    if rpc ~= self._rpc or self.state ~= "starting" then
      return
    end
    if err then
      self.state = "stopping"
      rpc.notify("exit")
      self:_give_up(understood(err))
    else
      rpc.notify("initialized", vim.empty_dict())
      self:_settle(info)
    end
  end)
end

--- After the answer to `initialize`: open the sessions again, then send the waiting requests.
function Client:_settle(info)
  local again = self.info ~= nil
  self.info = info
  self._served, self._heard = {}, {}
  for _, name in ipairs(info.capabilities.methods or {}) do
    self._served[name] = true
  end
  for _, name in ipairs(info.capabilities.notifications or {}) do
    self._heard[name] = true
  end
  local again_open = vim.list_extend(vim.tbl_keys(self.open_sessions), vim.tbl_keys(self.subscriptions))
  local left, lost = #again_open, {}
  if left == 0 then
    return self:_ready(again, lost)
  end
  for _, each in ipairs(again_open) do
    each:_renew(self._rpc, function(err)
      if err then
        self.open_sessions[each], self.subscriptions[each] = nil, nil
        if getmetatable(each) == Session.Class then
          table.insert(lost, each)
        end
        each:_lose(err)
      end
      left = left - 1
      if left == 0 then
        self:_ready(again, lost)
      end
    end)
  end
end

function Client:_ready(again, lost)
  self.state = "ready"
  local waiting = self._waiting
  self._waiting = {}
  for _, request in ipairs(waiting) do
    self:_send(request)
  end
  for _, done in ipairs(self._starting or {}) do
    done(nil, self.info)
  end
  self._starting = nil
  if again then
    self.restarts = self.restarts + 1
    for session in pairs(self.open_sessions) do
      session:_changed({ kind = "reconnected", state = session.state })
    end
    for subscription in pairs(self.subscriptions) do
      subscription:_reconnected()
    end
    self:_emit("reconnected", { lost = lost })
  end
end

---@param request sessiond.Request
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

function Client:_fail(request, err)
  vim.schedule(function()
    request.done(err)
  end)
end

function Client:_hear(method, params)
  for session in pairs(method == "session/didChange" and self.open_sessions or {}) do
    if session.handle == params.session then
      session:_hear(params)
    end
  end
  for subscription in pairs(vim.tbl_extend("force", {}, self.subscriptions)) do
    subscription:_hear(method, params)
  end
  self:_emit(method, params)
end

---@return boolean
local function repeatable(request)
  local method = contract.methods[request.method]
  if not method or request.attempts >= ATTEMPTS then
    return false
  end
  if method.appends then
    return type(request.params) == "table" and request.params.newEntryId ~= nil
  end
  return method.repeatable
end

function Client:_ended(rpc, code, signal)
  if rpc ~= self._rpc then
    return
  end
  self._rpc = nil
  local how = signal ~= 0 and ("signal " .. signal) or ("code " .. code)
  local asked = self.state == "stopping" or self.state == "stopped"
  local flying = vim.tbl_keys(self._flying)
  table.sort(flying, function(one, other)
    return one.serial < other.serial
  end)
  self._flying = {}
  if asked then
    self.state = "stopped"
    self:_give_up(failure(0, "Lost", "sessiond has ended"), flying)
    self:_lose_all(failure(0, "Lost", "sessiond was stopped"))
    if self._stopped then
      self._stopped()
    end
  else
    self._crashes = self._crashes + 1
    local message = ("sessiond ended unexpectedly (%s); its log is in %s"):format(how, M.log())
    if not self.info or self._crashes >= CRASHES then
      self.state, self._crashes = "new", 0
      local err = failure(0, "Lost", message)
      self:_give_up(err, flying)
      self:_lose_all(err)
    else
      self:_restart(flying, message)
    end
  end
  if self.options.on_exit then
    self.options.on_exit(code)
  end
end

function Client:_lose_all(err)
  local all = vim.tbl_extend("error", self.open_sessions, self.subscriptions)
  self.open_sessions, self.subscriptions = {}, {}
  for each in pairs(all) do
    each:_lose(err)
  end
  self:_emit("lost", { error = err })
end

function Client:_restart(flying, message)
  for session in pairs(self.open_sessions) do
    -- The next process may give the same handle to another session.
    session.handle = nil
  end
  local again = {}
  for _, request in ipairs(flying) do
    if repeatable(request) then
      table.insert(again, request)
    else
      local unknown = message .. ("; %s may have been carried out"):format(request.method)
      self:_fail(request, failure(0, "Lost", unknown))
    end
  end
  self._waiting = vim.list_extend(again, self._waiting)
  self.state = "starting"
  vim.defer_fn(function()
    if self.state == "starting" and not self._rpc then
      self:_spawn()
    end
  end, PAUSE_MS * (self._crashes - 1))
end

--- Fail all waiting requests with an error.
function Client:_give_up(err, flying)
  local waiting, starting = self._waiting, self._starting or {}
  self._waiting, self._starting = {}, nil
  for _, request in ipairs(vim.list_extend(vim.list_extend({}, flying or {}), waiting)) do
    self:_fail(request, err)
  end
  for _, done in ipairs(starting) do
    vim.schedule(function()
      done(err)
    end)
  end
end

--- Return the path of the log file to which Neovim writes the stderr of the daemon.
---@return string
function M.log()
  return require("vim.lsp.log").get_filename()
end

--- Return the version of this plugin.
---@return string
function M.version()
  return "0.1.0"
end

return M
