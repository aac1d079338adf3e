--- Sessions of coding agents: choose, read, follow, rename, delete. See :help sessiond.

local M = {}

--- Set options; see :help sessiond-options. Options of the daemon hold from its next start on.
---@param options? sessiond.Options|table
function M.setup(options)
  require("sessiond.config").set(options)
end

--- The client, ready, for scripts: a function for every method, such as
--- `client:session_list({ cwd = "/w" }, function(err, result) end)`.
---@param done fun(err?: sessiond.Error, client?: sessiond.Client)
function M.client(done)
  require("sessiond.daemon").ready(done)
end

--- End the daemon. The next command starts another one.
function M.stop()
  require("sessiond.daemon").stop()
end

return M
