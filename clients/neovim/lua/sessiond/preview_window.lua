--- The window beside or below a list that shows a preview.

local surface = require("sessiond.surface")

local M = {}

--- Windows with fewer columns get the preview below the list, else it is at the right.
local WIDE = 120

---@class sessiond.PreviewWindow
---@field surface? sessiond.Surface nil while the window is closed
local PreviewWindow = {}
PreviewWindow.__index = PreviewWindow

---@return sessiond.PreviewWindow
function M.new()
  return setmetatable({}, PreviewWindow)
end

---@return integer[] windows that show the preview
function PreviewWindow:_windows()
  return self.surface and self.surface:alive() and vim.fn.win_findbuf(self.surface.buffer) or {}
end

--- Open the window, unless it is open. Return whether it was opened.
---@param window integer that of the list
---@param name string name of the buffer
---@param actions {set_window: fun(), hide: fun()} sets the options of the new window; called by `q`
---@return boolean
function PreviewWindow:open(window, name, actions)
  if #self:_windows() > 0 then
    return false
  end
  if not (self.surface and self.surface:alive()) then
    self.surface = surface.new(name, "sessiondpreview")
    vim.bo[self.surface.buffer].buflisted = false
    self.surface:map("q", actions.hide, "hide the preview")
  end
  vim.api.nvim_win_call(window, function()
    local wide = vim.api.nvim_win_get_width(window) >= WIDE
    local size = wide and math.floor(vim.api.nvim_win_get_width(window) / 2)
      or math.floor(vim.api.nvim_win_get_height(window) / 2)
    vim.cmd(("noautocmd keepalt %s %dsplit"):format(wide and "rightbelow vertical" or "rightbelow", size))
    vim.api.nvim_win_set_buf(0, self.surface.buffer)
    actions.set_window()
    vim.opt_local.wrap = true
    vim.opt_local.linebreak = true
    vim.opt_local.cursorline = false
  end)
  return true
end

--- Show lines from the first one.
---@param lines sessiond.Line[]
function PreviewWindow:show(lines)
  self.surface:show(lines, false)
  for _, each in ipairs(self:_windows()) do
    vim.api.nvim_win_set_cursor(each, { 1, 0 })
  end
end

function PreviewWindow:close()
  if self.surface and self.surface:alive() then
    vim.api.nvim_buf_delete(self.surface.buffer, { force = true })
  end
  self.surface = nil
end

return M
