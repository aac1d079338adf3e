--- Waiting for answers in straight code instead of callbacks.

local failures = require("sessiond.failures")

local M = {}

--- How long an answer may take when the editor waits for it.
local TIMEOUT_MS = 60000

--- The coroutines started by `run`.
---@type table<thread, true>
local running = setmetatable({}, { __mode = "k" })

--- Wait for one answer, and return its result; raise its error. `start` gets a callback
--- `done(err, result)`. In a function started by `run` the editor stays usable meanwhile; elsewhere the
--- editor waits, at most a minute, and `CTRL-C` ends the wait.
---@generic T
---@param start fun(done: fun(err?: sessiond.Error, result?: T)): any
---@return T
function M.await(start)
  local thread = coroutine.running()
  local answer, suspended
  local function done(err, result)
    if answer then
      return -- A listener calls it again, which would wake whatever is waited for by then.
    end
    answer = { err = err, result = result }
    if suspended then
      coroutine.resume(thread)
    end
  end
  start(done)
  if not answer and running[thread or false] then
    suspended = true
    coroutine.yield()
  elseif not answer then
    local ok, why = vim.wait(TIMEOUT_MS, function()
      return answer ~= nil
    end, 5)
    if not ok then
      local message = why == -2 and "Interrupted" or "sessiond did not answer within a minute"
      error(failures.new(0, "Interrupted", message), 0)
    end
  end
  if answer.err then
    error(answer.err, 0)
  end
  return answer.result
end

--- Run a function in which `await` and the iterators do not block the editor.
---@param body fun(...): any
---@param done fun(err?: any, result?: any) `err` is a `sessiond.Error`, or a string from Lua
---@param ... any arguments of the function
function M.run(body, done, ...)
  local arguments = { n = select("#", ...), ... }
  local thread = coroutine.create(function()
    local ok, result = xpcall(function()
      return body(unpack(arguments, 1, arguments.n))
    end, function(err)
      return type(err) == "string" and debug.traceback(err, 2) or err
    end)
    if ok then
      done(nil, result)
    else
      done(result)
    end
  end)
  running[thread] = true
  local ok, err = coroutine.resume(thread)
  if not ok then
    error(err, 0)
  end
end

return M
