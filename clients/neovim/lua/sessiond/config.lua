--- Options and their defaults.

local M = {}

---@class sessiond.Options
---@field path? string the command; default: $SESSIOND, else `sessiond` on $PATH
---@field args string[] further arguments of the command
---@field env? table<string, string> further variables of its environment
---@field shared? boolean share one daemon with other editors and agents; default: $SESSIOND_SHARED, else true
---@field profile? string the agent whose sessions are served, as "pi"; default: all agents of this machine
---@field agent_dir? string the agent's directory, instead of the profile's
---@field agent_id? string id of the agent, for coderclaw and openclaw
---@field session_dir? string list the sessions in this directory
---@field output_lines integer lines of tool output shown before `x` is pressed; 0: all
---@field time_format string for |os.date()|
---@field tree_width integer columns of the tree's window
---@field picker "list"|"select" what :Sessions and :SessionSearch offer sessions with
---@field preview boolean whether lists show a preview

---@type sessiond.Options
local defaults = {
  args = {},
  output_lines = 20,
  time_format = "%Y-%m-%d %H:%M:%S",
  tree_width = 60,
  picker = "list",
  preview = true,
}

local kinds = {
  path = "string",
  args = "table",
  env = "table",
  shared = "boolean",
  profile = "string",
  agent_dir = "string",
  agent_id = "string",
  session_dir = "string",
  output_lines = "number",
  time_format = "string",
  tree_width = "number",
  picker = "string",
  preview = "boolean",
}

local pickers = { "list", "select" }

---@type sessiond.Options
M.values = vim.deepcopy(defaults)

--- Set the user's options. Raises an error that names the wrong option.
---@param options? table
function M.set(options)
  for name, value in pairs(options or {}) do
    if not kinds[name] then
      error(("sessiond: unknown option %q; see :help sessiond-options"):format(name), 0)
    end
    if type(value) ~= kinds[name] then
      error(("sessiond: option %q must be a %s"):format(name, kinds[name]), 0)
    end
  end
  if options and options.picker and not vim.tbl_contains(pickers, options.picker) then
    error(("sessiond: option \"picker\" must be one of %s"):format(table.concat(pickers, ", ")), 0)
  end
  M.values = vim.tbl_extend("force", vim.deepcopy(defaults), options or {})
end

--- Return the command to start, and the problem with it, if there is one.
---@return string[] command
---@return string? problem for people
function M.command()
  local path = M.values.path or vim.env.SESSIOND
  if not path or path == "" then
    path = "sessiond"
  end
  path = vim.fn.expand(path)
  local command = { path }
  vim.list_extend(command, M.values.args)
  if vim.fn.executable(path) == 0 then
    return command,
      ("sessiond is missing: %q is not executable. Install it or set `path`; see :help sessiond-install"):format(
        path
      )
  end
  return command
end

--- Return the variables to add to the environment of the command.
---@return table<string, string>
function M.environment()
  local shared = M.values.shared
  local variables = {}
  if shared ~= nil then
    variables.SESSIOND_SHARED = shared and "1" or "0"
  elseif not vim.env.SESSIOND_SHARED then
    variables.SESSIOND_SHARED = "1"
  end
  return vim.tbl_extend("force", variables, M.values.env or {})
end

--- Return the params of `initialize`.
---@return table
function M.initialize()
  local expand = function(path)
    return path and vim.fn.fnamemodify(vim.fn.expand(path), ":p"):gsub("(.)/$", "%1")
  end
  return {
    -- Without a choice the sessions of every agent on this machine are shown.
    allAgents = not M.values.profile and not M.values.agent_dir or nil,
    profile = M.values.profile,
    agentDir = expand(M.values.agent_dir),
    agentId = M.values.agent_id,
  }
end

return M
