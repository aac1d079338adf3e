--- The daemon of this editor, started when it is first needed.

local client_module = require("sessiond.client")
local config = require("sessiond.config")

local M = {}

--- Neovim's function, as it was when this module was loaded by the first command.
M.notify = vim.notify

---@type sessiond.Client?
local client

---@type fun()[]
local ready_listeners = {}

--- Call a function whenever a daemon is ready: after each start, and after each restart.
---@param listener fun()
function M.on_ready(listener)
  table.insert(ready_listeners, listener)
end

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
    client:on("ready", function()
      for _, listener in ipairs(ready_listeners) do
        listener()
      end
    end)
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

--- Shut the daemon down and wait for its end. The next command starts it again, and the buffers open their
--- sessions again.
function M.stop()
  if client then
    client:stop_now(1000)
    client = nil
  end
end

--- Return a message that fits on one line of the screen, so that Neovim does not ask to press Enter.
--- The whole message is in `g:sessiond_message`.
local function fitting(message)
  message = message:gsub("%s*\n%s*", " ")
  local home = vim.fn.expand("~")
  if home ~= "/" and home ~= "" then
    message = message:gsub(vim.pesc(home) .. "/", "~/")
  end
  return require("sessiond.render").fit(message, math.max(20, vim.v.echospace))
end

--- Show a message to the user.
---@param message string
---@param level? integer
function M.say(message, level)
  if not message:find("^sessiond") then
    message = "sessiond: " .. message
  end
  vim.g.sessiond_message = message
  -- A function of the user or of another plugin shows messages in a place of its own.
  local own = M.notify == vim.notify
  vim.notify(own and fitting(message) or message, level or vim.log.levels.INFO)
end

--- Show an error to the user.
---@param err sessiond.Error
function M.complain(err)
  M.say(err.message, vim.log.levels.ERROR)
end

return M
