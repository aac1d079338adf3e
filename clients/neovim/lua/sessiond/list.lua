--- Buffers that list sessions or the hits of a search, with a preview.

local catalog = require("sessiond.catalog")
local config = require("sessiond.config")
local daemon = require("sessiond.daemon")
local filter = require("sessiond.filter")
local preview = require("sessiond.preview")
local render = require("sessiond.render")
local status = require("sessiond.status")
local surface = require("sessiond.surface")

local M = {}

local PREFIX = "sessiond://list"
--- Windows with fewer columns get the preview below the list, else it is at the right.
local WIDE = 120
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
---@field preview? sessiond.Surface
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
    self = setmetatable({ items = {}, shown = {}, filter = "", with_preview = config.values.preview }, List)
    self.surface = surface.new(PREFIX .. options.name, "sessiondlist")
    vim.bo[self.surface.buffer].buflisted = false
    lists[self.surface.buffer] = self
    self:_map()
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
        self:_close_preview()
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

function List:_map()
  local function map(key, action, description)
    self.surface:map(key, action, description)
  end
  local function at(action)
    return function()
      local item = self:item()
      if item then
        action(item)
      end
    end
  end
  map("<CR>", function()
    self:choose("")
  end, "open the session")
  map("<2-LeftMouse>", function()
    self:choose("")
  end, "open the session")
  map("<C-x>", function()
    self:choose("split")
  end, "open the session in a split")
  map("<C-v>", function()
    self:choose("vertical")
  end, "open the session in a vertical split")
  map("<C-t>", function()
    self:choose("tab")
  end, "open the session in a tab page")
  map("/", function()
    self:ask_filter()
  end, "filter the list while typing")
  map("<BS>", function()
    self:narrow("")
  end, "show all sessions again")
  map("p", function()
    self:toggle_preview()
  end, "show or hide the preview")
  map("t", at(function(item)
    self:leave()
    require("sessiond.tree").open(item.info.path)
  end), "tree of the session")
  -- The commands act on the session under the cursor.
  map("r", at(function()
    vim.cmd("SessionRename")
  end), "rename the session")
  map("D", at(function()
    vim.cmd("SessionDelete")
  end), "move the session to the trash")
  map("U", function()
    vim.cmd("SessionRestore")
  end, "take a session out of the trash")
  map("s", function()
    require("sessiond.ask").input({ prompt = "Search sessions for: " }, function(query)
      if query ~= "" then
        vim.cmd(("SessionSearch%s %s"):format(self.options.with_cwd and "!" or "", query))
      end
    end)
  end, "search what was said")
  map("a", function()
    M.open(M.sessions_of(nil))
  end, "sessions of all directories")
  map("R", function()
    self:reload()
  end, "list again")
  map("q", function()
    self:quit()
  end, "close the list")
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
  self:_close_preview()
  if self.options.choose then
    return self.options.choose(item, mods)
  end
  local snippet = item.snippet
  local entry = snippet and snippet.entryId ~= "" and snippet.entryId or nil
  require("sessiond.transcript").open(item.info.path, { mods = mods, entry = entry })
end

--- Show the buffer that was there before the list.
function List:leave()
  self:_close_preview()
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

--- Return the line of an item: age, title, and the number of messages, the directory or the hit.
function List:_line(item, columns)
  local info = item.info
  local right = item.snippet and item.snippet.role .. ": " .. render.one_line(item.snippet.text)
    or self.options.with_cwd and vim.fn.fnamemodify(info.cwd, ":~")
    or ("%d message%s"):format(info.messageCount, info.messageCount == 1 and "" or "s")
  local share = (item.snippet or self.options.with_cwd) and math.floor(columns / 2) or columns - 20
  local width = math.max(10, share - 6)
  local title = render.fit(render.title(info), width)
  local age = ("%4s  "):format(render.age(info.modified))
  local padding = (" "):rep(width - vim.fn.strdisplaywidth(title) + 2)
  local marks = { { 0, #age, "SessiondFacts" } }
  if render.one_line(info.name) ~= "" then
    table.insert(marks, { #age, #age + #title, "SessiondName" })
  end
  local start = #age + #title + #padding
  local text = age .. title .. padding .. render.fit(right, math.max(8, columns - width - 8))
  table.insert(marks, { start, #text, "SessiondFacts" })
  return { text = text, marks = marks }
end

--- Return the two lines above the items: the title, and the filter or the keys.
function List:_head()
  local count, keys = tostring(#self.items), self.options.hint or "<CR> open"
  if self.filter ~= "" then
    count = ("%d of %d"):format(#self.shown, #self.items)
    keys = ("matching %q  / change  <BS> show all  "):format(self.filter) .. keys
  else
    keys = keys .. "  / filter  p preview  t tree  s search  a all  r rename  D delete  q close"
  end
  return {
    { text = ("%s (%s)"):format(self.options.title, count), group = "SessiondTitle" },
    { text = keys, group = "SessiondFacts" },
  }
end

function List:_why_empty()
  if self.loading then
    return "…"
  elseif self.note then
    return "! " .. self.note
  end
  return #self.items > 0 and "No session matches." or self.options.empty
end

function List:_draw(first)
  if not self.surface:alive() then
    return
  end
  local window = vim.fn.win_findbuf(self.surface.buffer)[1]
  local at = not first and self:item()
  local matches = filter.matcher(self.filter, self.options.with_cwd)
  self.shown = self.filter == "" and self.items or vim.tbl_filter(matches, self.items)
  local lines, columns = self:_head(), columns_of(self)
  for index, item in ipairs(self.shown) do
    lines[HEAD + index] = self:_line(item, columns)
  end
  if #self.shown == 0 then
    lines[HEAD + 1] = { text = self:_why_empty(), group = "SessiondFacts" }
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
    self:_close_preview()
  end
end

function List:_show_preview()
  local window = vim.fn.win_findbuf(self.surface.buffer)[1]
  local item = self:item()
  if not self.with_preview or not window or not item then
    return self:_close_preview()
  end
  preview.lines(item, function(lines)
    local now = self:item()
    if not now or now.info.path ~= item.info.path or not self.with_preview then
      return
    end
    self:_open_preview(window)
    self.preview:show(lines, false)
    for _, each in ipairs(vim.fn.win_findbuf(self.preview.buffer)) do
      vim.api.nvim_win_set_cursor(each, { 1, 0 })
    end
  end)
end

function List:_open_preview(window)
  if self.preview and self.preview:alive() and #vim.fn.win_findbuf(self.preview.buffer) > 0 then
    return
  end
  if not (self.preview and self.preview:alive()) then
    self.preview = surface.new(PREFIX .. "-preview" .. self.surface.buffer, "sessiondpreview")
    vim.bo[self.preview.buffer].buflisted = false
    self.preview:map("q", function()
      self:toggle_preview()
    end, "hide the preview")
  end
  vim.api.nvim_win_call(window, function()
    local wide = vim.api.nvim_win_get_width(window) >= WIDE
    local size = wide and math.floor(vim.api.nvim_win_get_width(window) / 2)
      or math.floor(vim.api.nvim_win_get_height(window) / 2)
    vim.cmd(("noautocmd keepalt %s %dsplit"):format(wide and "rightbelow vertical" or "rightbelow", size))
    vim.api.nvim_win_set_buf(0, self.preview.buffer)
    M._set_window()
    vim.opt_local.wrap = true
    vim.opt_local.linebreak = true
    vim.opt_local.cursorline = false
  end)
  self:_draw()
end

function List:_close_preview()
  if self.preview and self.preview:alive() then
    vim.api.nvim_buf_delete(self.preview.buffer, { force = true })
  end
  self.preview = nil
end

return M
