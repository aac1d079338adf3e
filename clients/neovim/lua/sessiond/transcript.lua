--- Buffers `sessiond://{path}`: one branch of a session, which grows with the file.

local config = require("sessiond.config")
local daemon = require("sessiond.daemon")
local opened = require("sessiond.opened")
local outline = require("sessiond.outline")
local render = require("sessiond.render")
local status = require("sessiond.status")
local surface = require("sessiond.surface")

local M = {}

local SCHEME = "sessiond://"

---@class sessiond.Transcript
---@field path string
---@field surface sessiond.Surface
---@field session? sessiond.Session
---@field state? sessiond.SessionState
---@field outline? sessiond.Outline
---@field entries sessiond.Entry[] of the branch shown, root first
---@field tip? string last entry of the branch to show; nil: follow the latest branch
---@field note? string the problem with the file, shown to the user
---@field whole boolean whether long output is shown whole
---@field starts table<integer, string> line → id of the entry that begins there
---@field line_of table<string, integer> id → line
---@field waiting function[] callbacks for when the session has been read and drawn
local Transcript = {}
Transcript.__index = Transcript

---@type table<integer, sessiond.Transcript> by buffer
local transcripts = {}

---@param path string
---@return string
function M.name(path)
  return SCHEME .. path
end

--- Return the transcript in a buffer.
---@param buffer integer
---@return sessiond.Transcript?
function M.of(buffer)
  return transcripts[buffer]
end

status.add(function(buffer)
  local shown = transcripts[buffer]
  return shown and shown:title() .. (shown.note and "  ! " .. shown.note or "")
end)

--- Return the transcript of a session, if a buffer shows it.
---@param path string
---@return sessiond.Transcript?
function M.find(path)
  for _, each in pairs(transcripts) do
    if each.path == path then
      return each
    end
  end
end

--- Show a session in the current window.
---@param path string
---@param options? {mods?: string, entry?: string}
---@param done? fun(err?: sessiond.Error, transcript?: sessiond.Transcript)
function M.open(path, options, done)
  options = options or {}
  local self = M.find(path) or M._new(path)
  surface.enter(self.surface.buffer, options.mods)
  local window = vim.api.nvim_get_current_win()
  M._set_window()
  local function shown(err)
    if err then
      daemon.complain(err)
    elseif options.entry then
      self:jump(options.entry, window)
    end
    if done then
      done(err, self)
    end
  end
  if self.session and not self.session.lost then
    shown()
  else
    self:attach(shown)
  end
end

--- Fill a buffer named `sessiond://…`, for |:edit| and saved sessions of Vim.
---@param buffer integer
function M.read(buffer)
  local self = transcripts[buffer]
  if self then
    return self:reload()
  end
  self = M._new(vim.api.nvim_buf_get_name(buffer):sub(#SCHEME + 1), buffer)
  M._set_window()
  self:attach(function(err)
    if err then
      daemon.complain(err)
    end
  end)
end

function M._new(path, buffer)
  local self = setmetatable({
    path = path,
    entries = {},
    starts = {},
    line_of = {},
    waiting = {},
    whole = false,
  }, Transcript)
  self.surface = surface.new(M.name(path), "sessiond", buffer)
  buffer = self.surface.buffer
  transcripts[buffer] = self
  self:_map()
  local group = vim.api.nvim_create_augroup("sessiond_" .. buffer, {})
  vim.api.nvim_create_autocmd("BufWinEnter", {
    group = group,
    buffer = buffer,
    callback = M._set_window,
  })
  vim.api.nvim_create_autocmd("BufEnter", {
    group = group,
    buffer = buffer,
    callback = function()
      self:_look()
    end,
  })
  vim.api.nvim_create_autocmd({ "BufUnload", "BufWipeout" }, {
    group = group,
    buffer = buffer,
    callback = function()
      transcripts[buffer] = nil
      opened.close(self.path, self)
    end,
    once = true,
  })
  return self
end

--- Set the options of the current window: one fold per entry, all open.
function M._set_window()
  vim.opt_local.foldmethod = "expr"
  vim.opt_local.foldexpr = "v:lua.require'sessiond.transcript'.fold(v:lnum)"
  vim.opt_local.foldlevel = 99
  vim.opt_local.wrap = true
  vim.opt_local.linebreak = true
  status.set()
end

--- The 'foldexpr' of transcripts.
---@param line integer
---@return string|integer
function M.fold(line)
  local self = transcripts[vim.api.nvim_get_current_buf()]
  if not self or line < 4 then
    return 0
  end
  return self.starts[line] and ">1" or "="
end

function Transcript:_map()
  local map = function(key, action, description)
    self.surface:map(key, action, description)
  end
  self.surface:map_close()
  map("R", function()
    self:latest()
  end, "read again, and follow the latest branch")
  map("x", function()
    self.whole = not self.whole
    self:_draw()
  end, "show long output in full, or shortened")
  map("]]", function()
    self:_step(1)
  end, "next entry")
  map("[[", function()
    self:_step(-1)
  end, "previous entry")
  -- Use the commands: their modules require this module.
  map("gO", "<Cmd>SessionTree<CR>", "tree of the session")
  map("c", "<Cmd>SessionReply<CR>", "write a reply")
  map("F", "<Cmd>SessionFork<CR>", "copy the branch up to the entry into a new session")
  map("r", "<Cmd>SessionRename<CR>", "rename the session")
end

function Transcript:_step(direction)
  local line = vim.api.nvim_win_get_cursor(0)[1] + direction
  while line >= 1 and line <= #self.surface.lines do
    if self.starts[line] then
      vim.cmd("normal! m'")
      vim.api.nvim_win_set_cursor(0, { line, 0 })
      return
    end
    line = line + direction
  end
end

--- Open the session and show it.
function Transcript:attach(done)
  opened.open(self.path, self, function(change)
    self:_changed(change)
  end, function(err, session)
    if err then
      self.note = err.message
      self:_draw()
      return done(err)
    end
    self.session, self.note = session, nil
    self:reload(done)
  end)
end

--- Read the session again, and draw it.
---@param done? fun(err?: sessiond.Error)
function Transcript:reload(done)
  if done then
    table.insert(self.waiting, done)
  end
  if not self.session or self.session.lost then
    return self:attach(function(err)
      if err then
        self:_shown(err)
      end
    end)
  end
  if self.reading then
    self.again = true
    return
  end
  self.reading, self.again = true, false
  local requests = {
    { "session/getState" },
    { "session/getTree", { detail = "outline" } },
    { "session/getBranch", { fromId = self.tip } },
  }
  self.session:request_all(requests, function(failed, state, tree, branch)
    self.reading = false
    if failed and failed.kind == "EntryNotFound" and self.tip then
      -- The file was rewritten without the branch.
      self.tip = nil
      return self:reload()
    end
    if failed then
      return self:_shown(failed)
    end
    self.state, self.outline, self.entries = state, outline.new(tree), branch.entries
    if self.again then
      return self:reload()
    end
    self:_draw()
    self:_shown()
  end)
end

function Transcript:_shown(err)
  local waiting = self.waiting
  self.waiting = {}
  for _, done in ipairs(waiting) do
    done(err)
  end
  if err and #waiting == 0 then
    daemon.complain(err)
  end
end

local notes = {
  deleted = "the file was deleted",
  invalid = "the file is not a valid session at the moment",
}

function Transcript:_changed(change)
  if change.kind == "lost" then
    self.note = change.error.message .. "; R opens it again"
    return self:_draw()
  end
  self.note = notes[change.kind]
  if self.note then
    self:_draw()
  elseif change.kind ~= "appended" or self.tip or self.reading or #self.entries == 0 then
    self:reload()
  else
    self:_grow(change)
  end
end

--- Read the appended entries only, if they continue the branch shown; else read everything.
function Transcript:_grow(change)
  self.reading = true
  local last = self.entries[#self.entries]
  self.session:request("session/getEntries", { cursor = last.id }, function(err, result)
    self.reading = false
    local again = self.again or err ~= nil
    local tip = last.id
    for _, entry in ipairs(result and result.entries or {}) do
      again = again or entry.parentId ~= tip
      again = again or entry.type == "label" or entry.type == "session_info"
      tip = entry.id
    end
    if again then
      return self:reload()
    end
    vim.list_extend(self.entries, result.entries)
    self.outline:add(result.entries)
    self.state.entryCount = math.max(change.entryCount or 0, result.total or 0)
    self:_draw()
    self:_shown()
  end)
end

--- If the daemon sends no notifications, check for changes when the buffer is entered.
function Transcript:_look()
  local client = daemon.client()
  if not self.session or self.session.lost or not client or client:tells("session/didChange") then
    return
  end
  self.session:request("session/getState", nil, function(err, state)
    if not err and not vim.deep_equal(state, self.state) then
      self:reload()
    end
  end)
end

--- Return the title of the session: its name, or the beginning of its first message.
---@return string
function Transcript:title()
  local state = self.state
  if not state then
    return vim.fn.fnamemodify(self.path, ":t")
  end
  local name = state.name or (self.outline and self.outline:first_message()) or state.sessionId
  return render.fit(render.one_line(name), render.TITLE_COLUMNS)
end

function Transcript:_head()
  local lines = {}
  local state = self.state
  if state then
    table.insert(lines, { text = "# " .. self:title(), group = "SessiondTitle" })
    local facts = ("%s  ·  %d entries"):format(state.cwd, state.entryCount)
    if self.tip then
      facts = facts .. "  ·  not the latest branch (press R for that)"
    end
    table.insert(lines, { text = facts, group = "SessiondFacts" })
  else
    table.insert(lines, { text = "# " .. self.path, group = "SessiondTitle" })
    table.insert(lines, { text = "", group = nil })
  end
  table.insert(lines, { text = self.note and "! " .. self.note or "", group = "SessiondError" })
  return lines
end

function Transcript:_draw()
  if not self.surface:alive() then
    return
  end
  local lines = self:_head()
  self.starts, self.line_of = {}, {}
  render.entries(self.entries, {
    limit = self.whole and 0 or config.values.output_lines,
    time_format = config.values.time_format,
    label = function(id)
      return self.outline and self.outline:label(id)
    end,
  }, lines, function(entry, line)
    self.starts[line], self.line_of[entry.id] = entry.id, line
  end)
  if #lines > 3 then
    table.remove(lines)
  end
  self.surface:show(lines, true)
end

--- Follow the latest branch again.
function Transcript:latest()
  self.tip = nil
  self:reload()
end

--- Move the cursor to an entry. If it is on another branch, show that branch.
---@param id string
---@param window integer
function Transcript:jump(id, window)
  local function go(err)
    local line = self.line_of[id]
    if err or not line then
      return daemon.say(err and err.message or ("Entry %s was not found"):format(id), vim.log.levels.ERROR)
    end
    if vim.api.nvim_win_is_valid(window) then
      vim.api.nvim_win_call(window, function()
        vim.cmd("normal! m'")
        vim.api.nvim_win_set_cursor(window, { line, 0 })
        vim.cmd("normal! zvzt")
      end)
    end
  end
  if self.line_of[id] then
    return go()
  end
  local function turn(err)
    if err or self.line_of[id] then
      return go(err)
    end
    local tip = self.outline:tip_of(id)
    self.tip = tip ~= self.state.leafId and tip or nil
    self:reload(go)
  end
  -- The entry may have been appended since the last read.
  if self.outline and self.outline:has(id) then
    turn()
  else
    self:reload(turn)
  end
end

--- Return the id of the entry at a line.
---@param line integer
---@return string?
function Transcript:entry_at(line)
  for at = line, 1, -1 do
    if self.starts[at] then
      return self.starts[at]
    end
  end
end

return M
