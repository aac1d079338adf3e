--- Which session, and which entry, the current buffer shows.

local list = require("sessiond.list")
local transcript = require("sessiond.transcript")
local tree = require("sessiond.tree")

local M = {}

--- Return the file of the session that the current buffer shows, and what a list says of it.
---@return string? path
---@return sessiond.SessionInfo? info
function M.session()
  local buffer = vim.api.nvim_get_current_buf()
  local view = transcript.of(buffer) or tree.of(buffer)
  if view then
    return view.path
  end
  local listed = list.of(buffer)
  local item = listed and listed:item()
  if item then
    return item.info.path, item.info
  end
end

--- Return the id of the entry at the cursor, in a transcript or a tree.
---@return string?
function M.entry()
  local buffer, line = vim.api.nvim_get_current_buf(), vim.api.nvim_win_get_cursor(0)[1]
  local read, drawn = transcript.of(buffer), tree.of(buffer)
  if read then
    return read:entry_at(line)
  end
  local row = drawn and drawn.rows[line]
  return row and row.node.id
end

--- Return the name of the session that the current buffer shows, or nil.
---@return string?
function M.name()
  local path, info = M.session()
  local view = path and transcript.find(path)
  local state = info or view and view.state
  return state and state.name
end

return M
