--- The status line of our buffers: the title instead of a long path.

local M = {}

--- Return the text for a buffer, or nil if it is of another kind.
---@alias sessiond.Describe fun(buffer: integer): string?

---@type sessiond.Describe[]
local kinds = {}

--- Describe buffers of one more kind.
---@param describe sessiond.Describe
function M.add(describe)
  table.insert(kinds, describe)
end

--- Return what the status line of a buffer shows; for status line plugins, too.
---@param buffer? integer
---@return string
function M.text(buffer)
  buffer = buffer or vim.api.nvim_get_current_buf()
  for _, describe in ipairs(kinds) do
    local text = describe(buffer)
    if text then
      return text
    end
  end
  return "preview"
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
