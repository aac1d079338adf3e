--- The daemon of this editor, started when it is first needed.

local client_module = require("sessiond.client")
local config = require("sessiond.config")

local M = {}

---@type sessiond.Client?
local client

--- Get the client once it is ready, or an error.
---@param done fun(err?: sessiond.Error, client?: sessiond.Client)
function M.ready(done)
  local command, problem = config.command()
  if not client or client.state == "stopped" then
    if problem then
      return done({ code = 0, kind = "NotStarted", message = problem, retryable = false, data = {} })
    end
    client = client_module.new({
      command = command,
      env = config.environment(),
      initialize = config.initialize(),
    })
  end
  local started = client
  started:start(function(err)
    if err then
      return done(err)
    end
    done(nil, started)
  end)
end

--- Return the client, if the daemon was started.
---@return sessiond.Client?
function M.client()
  return client
end

--- Shut the daemon down and wait for its end. Open sessions are closed. The next command starts it again.
function M.stop()
  if client then
    client:stop_now(1000)
    client = nil
  end
end

--- Show a message to the user.
---@param message string
---@param level? integer
function M.say(message, level)
  if not message:find("^sessiond") then
    message = "sessiond: " .. message
  end
  vim.notify(message, level or vim.log.levels.INFO)
end

--- Show an error to the user.
---@param err sessiond.Error
function M.complain(err)
  M.say(err.message, vim.log.levels.ERROR)
end

return M
