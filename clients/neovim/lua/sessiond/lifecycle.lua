--- The life of the process behind a client: its start, its end, and what follows an unexpected end.
---
--- If the process ends unexpectedly, it is started again. Sessions are opened again, subscriptions are
--- made again, and unanswered requests are sent again where that is safe.

local contract = require("sessiond.contract")
local failures = require("sessiond.failures")
local process = require("sessiond.process")

local uv = vim.uv or vim.loop

--- After this many unexpected ends in a row without an answer, the client stops restarting.
local CRASHES = 3
--- How often one request is sent at most, since the request itself may crash the process.
local ATTEMPTS = 3
local PAUSE_MS = 100
local PROTOCOL_VERSION = "1"

local failure, understood = failures.new, failures.from_answer

--- Return the error for an answer of another version of the protocol, or nil.
local function other_version(version)
  if version ~= PROTOCOL_VERSION then
    local text = "the daemon speaks protocol version %s, and this plugin version %s"
    local data = { kind = "UnsupportedVersion", retryable = false, supported = { version } }
    return { code = 1021, message = text:format(version, PROTOCOL_VERSION), data = data }
  end
end

--- Methods of every client.
---@class sessiond.Client
local Client = {}

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
  local rpc
  rpc = process.start(self.options.command, self.options.env, {
    notification = function(method, params)
      if rpc == self._rpc then
        self:_hear(method, params)
      end
    end,
    ended = function(code, signal)
      self:_ended(rpc, code, signal)
    end,
  })
  if not rpc then
    self.state = "new"
    local command = table.concat(self.options.command, " ")
    return self:_give_up(failure(0, "NotStarted", ("sessiond could not be started as %q"):format(command)))
  end
  self._rpc, self._reports = rpc, {}
  local params = vim.tbl_deep_extend("force", {
    clientInfo = { name = "neovim", version = process.version() },
    processId = uv.os_getpid(),
    protocolVersions = { PROTOCOL_VERSION },
    capabilities = { plainJson = true },
  }, self.options.initialize or {})
  rpc.request("initialize", params, function(err, info)
    if rpc ~= self._rpc or self.state ~= "starting" then
      return
    end
    err = err or other_version(info.protocolVersion)
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
  local again_open = vim.list_extend(vim.tbl_keys(self.open_sessions), vim.tbl_keys(self.subscriptions))
  local left, lost = #again_open, {}
  if left == 0 then
    return self:_ready(again, lost)
  end
  for _, each in ipairs(again_open) do
    each:_renew(self._rpc, function(err)
      if err then
        if self.open_sessions[each] then
          table.insert(lost, each)
        end
        self.open_sessions[each], self.subscriptions[each] = nil, nil
        each:_lose(err)
      end
      left = left - 1
      if left == 0 then
        self:_ready(again, lost)
      end
    end)
  end
end

--- Call a function at once, or, while the daemon is being started again, after the listeners have heard of
--- that: what a new daemon says is newer than the states and snapshots that they get.
---@param report fun()
function Client:_when_ready(report)
  if self._reports then
    table.insert(self._reports, report)
  else
    report()
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
  self:_emit("ready", {})
  local reports = self._reports or {}
  self._reports = nil
  for _, report in ipairs(reports) do
    report()
  end
end

---@param request sessiond.Request
--- Return whether a request that was not answered may be sent again.
---@return boolean
local function repeatable(request)
  local method = contract.methods[request.method]
  if not method or request.attempts >= ATTEMPTS then
    return false
  end
  if vim.endswith(request.method, "/unsubscribe") then
    -- The subscription ended with the daemon. The next one gives its handle to another subscription.
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
    self:_lose_all(failure(0, "Lost", "sessiond was stopped"), "ended")
    if self._stopped then
      self._stopped()
    end
  else
    self._crashes = self._crashes + 1
    local message = ("sessiond ended unexpectedly (%s); its log is in %s"):format(how, process.log())
    if not self.info or self._crashes >= CRASHES then
      self.state, self._crashes = "new", 0
      local err = failure(0, "Lost", message)
      self:_give_up(err, flying)
      self:_lose_all(err, "lost")
      self:_emit("lost", { error = err })
    else
      self:_restart(flying, message)
    end
  end
  if self.options.on_exit then
    self.options.on_exit(code)
  end
end

--- End all sessions and subscriptions.
---@param err sessiond.Error why they cannot be used any more
---@param kind "lost"|"ended" what their listeners hear: `ended` if the client was stopped
function Client:_lose_all(err, kind)
  local all = vim.tbl_extend("error", self.open_sessions, self.subscriptions)
  self.open_sessions, self.subscriptions = {}, {}
  for each in pairs(all) do
    each:_lose(err, kind)
  end
end

function Client:_restart(flying, message)
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

return Client
