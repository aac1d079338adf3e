--- A read-only buffer, whose lines are replaced only where they differ.

local markdown = require("sessiond.markdown")

local M = {}

local namespace = vim.api.nvim_create_namespace("sessiond")

---@class sessiond.Line
---@field text string
---@field group? string highlight of the whole line
---@field prose? boolean whether it is part of a text in Markdown
---@field fold? string|integer its value for 'foldexpr'
---@field marks? {[1]: integer, [2]: integer, [3]: string}[] highlights of parts: first byte, end, group

---@class sessiond.Surface
---@field buffer integer
---@field lines string[]
local Surface = {}
Surface.__index = Surface

--- Use a buffer, or create one with this name.
---@param name string
---@param filetype string
---@param buffer? integer
---@return sessiond.Surface
function M.new(name, filetype, buffer)
  if not buffer then
    buffer = vim.api.nvim_create_buf(true, false)
    vim.api.nvim_buf_set_name(buffer, name)
  end
  local options = vim.bo[buffer]
  options.buftype = "nofile"
  options.bufhidden = "hide"
  options.swapfile = false
  options.undolevels = -1
  options.modeline = false
  options.modifiable = false
  options.filetype = filetype
  return setmetatable({ buffer = buffer, lines = { "" } }, Surface)
end

--- Show these lines. With `follow`, a cursor on the last line stays on the last line.
---@param lines sessiond.Line[]
---@param follow boolean
function Surface:show(lines, follow)
  local texts = {}
  for index, line in ipairs(lines) do
    texts[index] = line.text
  end
  local first, last_old, last_new = 1, #self.lines, #texts
  while first <= last_old and first <= last_new and self.lines[first] == texts[first] do
    first = first + 1
  end
  while last_old >= first and last_new >= first and self.lines[last_old] == texts[last_new] do
    last_old, last_new = last_old - 1, last_new - 1
  end
  local windows = follow and self:_at_the_end() or {}
  if last_old >= first or last_new >= first then
    local options = vim.bo[self.buffer]
    options.modifiable = true
    local changed = vim.list_slice(texts, first, last_new)
    vim.api.nvim_buf_set_lines(self.buffer, first - 1, last_old, false, changed)
    options.modifiable = false
    options.modified = false
    self.lines = texts
    for _, window in ipairs(windows) do
      vim.api.nvim_win_set_cursor(window, { #texts, 0 })
    end
  end
  self:_highlight(lines, first)
end

---@return integer[] windows
function Surface:_at_the_end()
  return vim.tbl_filter(function(window)
    return vim.api.nvim_win_get_cursor(window)[1] >= #self.lines
  end, vim.fn.win_findbuf(self.buffer))
end

function Surface:_mark(line, from, to, group)
  vim.api.nvim_buf_set_extmark(self.buffer, namespace, line - 1, from, { end_col = to, hl_group = group })
end

function Surface:_highlight(lines, first)
  -- A text in Markdown is highlighted as a whole.
  while first > 1 and lines[first] and lines[first].prose and lines[first - 1].prose do
    first = first - 1
  end
  vim.api.nvim_buf_clear_namespace(self.buffer, namespace, first - 1, -1)
  local texts = {}
  for index = first, #lines + 1 do
    local line = lines[index] or {}
    if line.prose then
      table.insert(texts, line.text)
    elseif #texts > 0 then
      for _, each in ipairs(markdown.marks(texts)) do
        self:_mark(index - 1 - #texts + each.line, each.from, each.to, each.group)
      end
      texts = {}
    end
    if line.group then
      self:_mark(index, 0, #line.text, line.group)
    end
    for _, each in ipairs(line.marks or {}) do
      self:_mark(index, each[1], each[2], each[3])
    end
  end
end

--- Show lines in a buffer of another plugin, with their highlights.
---@param buffer integer
---@param lines sessiond.Line[]
function M.fill(buffer, lines)
  if not vim.api.nvim_buf_is_valid(buffer) then
    return
  end
  local modifiable = vim.bo[buffer].modifiable
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.tbl_map(function(line)
    return line.text
  end, lines))
  vim.bo[buffer].modifiable = modifiable
  setmetatable({ buffer = buffer, lines = {} }, Surface):_highlight(lines, 1)
end

--- Map a key in normal mode.
function Surface:map(key, action, description)
  vim.keymap.set("n", key, action, {
    buffer = self.buffer,
    nowait = true,
    desc = "sessiond: " .. description,
  })
end

--- Map `q`: close the window; in the last one, show the buffer that was there before.
function Surface:map_close()
  self:map("q", function()
    if pcall(vim.api.nvim_win_close, 0, false) then
      return
    end
    local before = vim.fn.bufnr("#")
    if before > 0 and before ~= self.buffer and vim.api.nvim_buf_is_loaded(before) then
      vim.api.nvim_win_set_buf(0, before)
    else
      vim.cmd("enew")
    end
  end, "close the window")
end

--- Return whether the buffer is loaded.
---@return boolean
function Surface:alive()
  return vim.api.nvim_buf_is_loaded(self.buffer)
end

--- Show the buffer in the current window, or in a new one if a command has modifiers.
---@param buffer integer
---@param mods? string such as `vertical`
function M.enter(buffer, mods)
  if mods and mods ~= "" then
    vim.cmd(mods .. " split")
  end
  vim.api.nvim_win_set_buf(0, buffer)
end

local groups = {
  SessiondTitle = "Title",
  SessiondFacts = "Comment",
  SessiondUser = "Identifier",
  SessiondAssistant = "Function",
  SessiondTool = "Type",
  SessiondMeta = "Comment",
  SessiondSummary = "PreProc",
  SessiondError = "ErrorMsg",
  SessiondLeaf = "Special",
  SessiondThinking = "Comment",
  SessiondAdded = "DiffAdd",
  SessiondRemoved = "DiffDelete",
  SessiondName = "Identifier",
  SessiondHeading = "Title",
  SessiondCode = "String",
  SessiondFence = "Comment",
  SessiondLink = "Underlined",
  SessiondListMarker = "Special",
  SessiondQuote = "Comment",
}

local attributes = {
  SessiondStrong = "cterm=bold gui=bold",
  SessiondEmphasis = "cterm=italic gui=italic",
}

--- Define the highlight groups that neither the user nor a colour scheme has defined.
function M.define_groups()
  for name, link in pairs(groups) do
    vim.cmd(("highlight default link %s %s"):format(name, link))
  end
  for name, value in pairs(attributes) do
    vim.cmd(("highlight default %s %s"):format(name, value))
  end
end

M.define_groups()

return M
