--- The status line of transcripts and trees: the title instead of a long path.

local M = {}

--- Return what the status line of a buffer shows; for status line plugins, too.
---@param buffer? integer
---@return string
function M.text(buffer)
  buffer = buffer or vim.api.nvim_get_current_buf()
  local transcript = require("sessiond.transcript").of(buffer)
  if transcript then
    return transcript:title() .. (transcript.note and "  ! " .. transcript.note or "")
  end
  local tree = require("sessiond.tree").of(buffer)
  if tree then
    local shown = require("sessiond.transcript").find(tree.path)
    return "tree" .. (shown and " of " .. shown:title() or "")
  end
  local list = require("sessiond.list").of(buffer)
  return list and list.options.title or "preview"
end

--- Whether the user or a plugin had set a status line before the first of ours.
---@type boolean?
local chosen

--- Use a short status line in the current window, unless the user has chosen one.
function M.set()
  if chosen == nil then
    chosen = vim.api.nvim_get_option_info("statusline").was_set
  end
  if not chosen then
    vim.wo.statusline = " %<%{v:lua.require'sessiond.status'.text()}%= %l/%L "
  end
end

return M
