--- Buffers that list sessions or the hits of a search, with a preview.

local catalog = require("sessiond.catalog")
local config = require("sessiond.config")
local daemon = require("sessiond.daemon")
local filter = require("sessiond.filter")
local list_keys = require("sessiond.list_keys")
local list_lines = require("sessiond.list_lines")
local preview = require("sessiond.preview")
local preview_window = require("sessiond.preview_window")
local status = require("sessiond.status")
local surface = require("sessiond.surface")

local M = {}

local PREFIX = "sessiond://list"
--- Lines above the first session.
local HEAD = 2
local PREVIEW_MS = 50

---@class sessiond.ListOptions
---@field title string
---@field name string end of the buffer's name
---@field load fun(done: fun(err?: sessiond.Error, items?: sessiond.Item[]))
---@field with_cwd boolean whether directories are shown
---@field choose? fun(item: sessiond.Item, mods: string) instead of showing the transcript
---@field hint? string what Enter does, if not to open the transcript
---@field empty string what the list says if it is empty

---@class sessiond.List
---@field surface sessiond.Surface
---@field options sessiond.ListOptions
---@field items sessiond.Item[]
---@field filter string words that the shown items contain; empty: all are shown
---@field shown sessiond.Item[] by line below the head
---@field before? integer buffer that was shown before the list
---@field preview sessiond.PreviewWindow
---@field with_preview boolean
local List = {}
List.__index = List

---@type table<integer, sessiond.List> by buffer
local lists = {}

--- Return the list in a buffer.
---@param buffer integer
---@return sessiond.List?
function M.of(buffer)
  return lists[buffer]
end

status.add(function(buffer)
  return lists[buffer] and lists[buffer].options.title
end)

--- Show a list in the current window, and a preview beside it.
---@param options sessiond.ListOptions
---@param mods? string
function M.open(options, mods)
  local before = vim.api.nvim_get_current_buf()
  local self
  for _, each in pairs(lists) do
    if each.options.name == options.name then
      self = each
    end
  end
  if not self then
    self = setmetatable({
      items = {},
      shown = {},
      filter = "",
      preview = preview_window.new(),
      with_preview = config.values.preview,
    }, List)
    self.surface = surface.new(PREFIX .. options.name, "sessiondlist")
    vim.bo[self.surface.buffer].buflisted = false
    lists[self.surface.buffer] = self
    list_keys.map(self, function()
      M.open(M.sessions_of(nil))
    end)
    self:_listen()
  end
  self.options, self.filter = options, ""
  if before ~= self.surface.buffer then
    self.before = before
  end
  surface.enter(self.surface.buffer, mods)
  M._set_window()
  self.loading = true
  self:_draw(true)
  self:reload(true)
end

--- Fill a buffer named `sessiond://list…` with the sessions of the directory in its name, or with all.
---@param buffer integer
function M.read(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  local self = lists[buffer]
  if self then
    return self:reload()
  end
  local cwd = name:sub(#PREFIX + 1)
  vim.schedule(function()
    M.open(M.sessions_of(cwd ~= "" and cwd or nil))
    vim.api.nvim_buf_delete(buffer, { force = true })
  end)
end

--- Return the options of a list of all sessions of a directory.
---@param cwd? string nil: of all directories
---@return sessiond.ListOptions
function M.sessions_of(cwd)
  return {
    title = cwd and "Sessions of " .. vim.fn.fnamemodify(cwd, ":~") or "Sessions of all directories",
    name = cwd or "",
    with_cwd = not cwd,
    empty = cwd and "There are no sessions of this directory. a lists those of all directories."
      or "There are no sessions.",
    load = function(done)
      catalog.list(cwd, function(err, sessions)
        done(err, sessions and vim.tbl_map(function(info)
          return { info = info }
        end, sessions))
      end)
    end,
  }
end

function M._set_window()
  vim.opt_local.wrap = false
  vim.opt_local.cursorline = true
  vim.opt_local.number = false
  vim.opt_local.relativenumber = false
  vim.opt_local.signcolumn = "no"
  vim.opt_local.list = false
  vim.opt_local.spell = false
  status.set()
end

function List:_listen()
  local buffer = self.surface.buffer
  local group = vim.api.nvim_create_augroup("sessiond_" .. buffer, {})
  local function on(events, callback, options)
    options = vim.tbl_extend("force", { group = group, buffer = buffer, callback = callback }, options or {})
    vim.api.nvim_create_autocmd(events, options)
  end
  on("BufWinEnter", M._set_window)
  on("CursorMoved", function()
    self:_preview_soon()
  end)
  on("BufWinLeave", function()
    -- Windows cannot be closed while Vim leaves one.
    vim.schedule(function()
      if #vim.fn.win_findbuf(buffer) == 0 then
        self.preview:close()
      end
    end)
  end)
  on({ "BufUnload", "BufWipeout" }, function()
    lists[buffer] = nil
    pcall(vim.api.nvim_del_augroup_by_name, "sessiond_" .. buffer)
  end)
  vim.api.nvim_create_autocmd("User", {
    group = group,
    pattern = "SessiondCatalogChanged",
    callback = function()
      if #vim.fn.win_findbuf(buffer) > 0 then
        self:reload()
      end
    end,
  })
  vim.api.nvim_create_autocmd("VimResized", {
    group = group,
    callback = function()
      self:_draw()
    end,
  })
end

--- Return the item under the cursor.
---@return sessiond.Item?
function List:item()
  local window = vim.fn.win_findbuf(self.surface.buffer)[1]
  return window and self.shown[vim.api.nvim_win_get_cursor(window)[1] - HEAD]
end

--- Show only the items that contain all words of a filter.
---@param text string
function List:narrow(text)
  if text ~= self.filter then
    self.filter = text
    self:_draw(true)
  end
end

--- Let the user type a filter.
function List:ask_filter()
  local window = vim.fn.win_findbuf(self.surface.buffer)[1]
  filter.open(window, self.filter, {
    narrow = function(text)
      if self.surface:alive() then
        self:narrow(text)
      end
    end,
    move = function(lines)
      local line = vim.api.nvim_win_get_cursor(window)[1] + lines
      line = math.max(HEAD + 1, math.min(line, HEAD + #self.shown, #self.surface.lines))
      vim.api.nvim_win_set_cursor(window, { line, 0 })
      self:_preview_soon()
    end,
    choose = function(mods)
      self:choose(mods)
    end,
  })
end

--- Choose the item under the cursor.
---@param mods string
function List:choose(mods)
  local item = self:item()
  if not item then
    return
  end
  self.preview:close()
  if self.options.choose then
    return self.options.choose(item, mods)
  end
  local snippet = item.snippet
  local entry = snippet and snippet.entryId ~= "" and snippet.entryId or nil
  require("sessiond.transcript").open(item.info.path, { mods = mods, entry = entry })
end

--- Show the buffer that was there before the list.
function List:leave()
  self.preview:close()
  if self.before and vim.api.nvim_buf_is_valid(self.before) then
    vim.api.nvim_win_set_buf(0, self.before)
  else
    vim.cmd("enew")
  end
end

function List:quit()
  self:leave()
  if vim.api.nvim_buf_is_valid(self.surface.buffer) then
    vim.api.nvim_buf_delete(self.surface.buffer, { force = true })
  end
end

--- Get the items again, and draw them.
---@param first? boolean whether the cursor is moved to the first item
function List:reload(first)
  self.options.load(function(err, items)
    if not self.surface:alive() then
      return
    end
    self.loading = false
    if err then
      self.note = err.message
      daemon.complain(err)
    else
      self.items, self.note = items, nil
    end
    self:_draw(first)
  end)
end

local function columns_of(self)
  local window = vim.fn.win_findbuf(self.surface.buffer)[1]
  return window and vim.api.nvim_win_get_width(window) or vim.o.columns
end

function List:_draw(first)
  if not self.surface:alive() then
    return
  end
  local window = vim.fn.win_findbuf(self.surface.buffer)[1]
  local at = not first and self:item()
  local matches = filter.matcher(self.filter, self.options.with_cwd)
  self.shown = vim.tbl_filter(matches, self.items)
  local lines, columns = list_lines.head(self), columns_of(self)
  for index, item in ipairs(self.shown) do
    lines[HEAD + index] = list_lines.item(item, self.options.with_cwd, columns)
  end
  if #self.shown == 0 then
    lines[HEAD + 1] = list_lines.empty(self)
  end
  self.surface:show(lines, false)
  if window and (first or at) then
    local line = HEAD + 1
    for index, item in ipairs(at and self.shown or {}) do
      line = item.info.path == at.info.path and HEAD + index or line
    end
    vim.api.nvim_win_set_cursor(window, { math.min(line, #lines), 0 })
  end
  self:_preview_soon()
end

--- Show the preview of the item under the cursor, once the cursor rests.
function List:_preview_soon()
  self.wanted = (self.wanted or 0) + 1
  local wanted = self.wanted
  vim.defer_fn(function()
    if self.wanted == wanted and lists[self.surface.buffer] then
      self:_show_preview()
    end
  end, PREVIEW_MS)
end

function List:toggle_preview()
  self.with_preview = not self.with_preview
  if self.with_preview then
    self:_show_preview()
  else
    self.preview:close()
  end
end

function List:_show_preview()
  local window = vim.fn.win_findbuf(self.surface.buffer)[1]
  local item = self:item()
  if not self.with_preview or not window or not item then
    return self.preview:close()
  end
  preview.lines(item, function(lines)
    local now = self:item()
    if not now or now.info.path ~= item.info.path or not self.with_preview then
      return
    end
    local actions = {
      set_window = M._set_window,
      hide = function()
        self:toggle_preview()
      end,
    }
    if self.preview:open(window, PREFIX .. "-preview" .. self.surface.buffer, actions) then
      -- The list is narrower now.
      self:_draw()
    end
    self.preview:show(lines)
  end)
end

return M
