--- The process of the daemon: how Neovim starts it and speaks JSON-RPC with it.

local M = {}

---@class sessiond.ProcessListeners
---@field notification fun(method: string, params: table)
---@field ended fun(code: integer, signal: integer)

--- Start a process. Return the connection of |vim.lsp.rpc|, or nil if it cannot be started.
---@param command string[]
---@param env? table<string, string>
---@param listeners sessiond.ProcessListeners
---@return table?
function M.start(command, env, listeners)
  local dispatchers = {
    notification = listeners.notification,
    on_exit = vim.schedule_wrap(listeners.ended),
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
  -- In a session of its own, so that CTRL-C in the terminal is for Neovim alone.
  local extra = { env = env, detached = true }
  local start, ok, rpc = require("vim.lsp.rpc").start, nil, nil
  local can_start = vim.fn.executable(command[1]) == 1
  if vim.fn.has("nvim-0.9") == 0 and can_start and vim.fn.executable("setsid") == 1 then
    command = vim.list_extend({ "setsid" }, command)
  end
  if vim.fn.has("nvim-0.10") == 1 then
    ok, rpc = pcall(start, command, dispatchers, extra)
  else
    local args = vim.list_extend({}, command, 2)
    ok, rpc = pcall(start, command[1], args, dispatchers, extra)
  end
  return ok and rpc or nil
end

--- Return the path of the log file to which Neovim writes the stderr of the daemon.
---@return string
function M.log()
  return require("vim.lsp.log").get_filename()
end

--- Return the version of this plugin.
---@return string
function M.version()
  return "0.2.0"
end

return M
