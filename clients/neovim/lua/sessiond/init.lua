--- List, read, follow, rename and delete sessions of coding agents. See :help sessiond.

local M = {}

--- Set options; see :help sessiond-options. Options of the daemon take effect at its next start.
---@param options? sessiond.Options|table
function M.setup(options)
  require("sessiond.config").set(options)
end

--- Get the client for scripts, once it is ready. It has a function for every method, such as
--- `client:session_list({ cwd = "/w" }, function(err, result) end)`.
---@param done fun(err?: sessiond.Error, client?: sessiond.Client)
function M.client(done)
  require("sessiond.daemon").ready(done)
end

--- Shut the daemon down. The next command starts it again.
function M.stop()
  require("sessiond.daemon").stop()
end

return M
