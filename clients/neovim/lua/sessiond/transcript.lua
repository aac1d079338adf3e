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

--- How many entries are read at once: Neovim does nothing else while it decodes an answer.
local PAGE = 500

---@class sessiond.Transcript
---@field path string
---@field surface sessiond.Surface
---@field session? sessiond.Session
---@field state? sessiond.SessionState
---@field outline? sessiond.Outline
---@field items sessiond.ViewItem[] the branch shown, root first
---@field drawn table<sessiond.ViewItem, sessiond.Line[]> the lines of items that have been drawn
---@field tip? string last entry of the branch to show; nil: follow the latest branch
---@field note? string the problem with the file, shown to the user
---@field whole boolean whether long output is shown whole
---@field starts table<integer, string> line → id of the entry that begins there
---@field line_of table<string, integer> id → line
---@field folds table<integer, string|integer> line → value of 'foldexpr'
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
    items = {},
    drawn = {},
    starts = {},
    line_of = {},
    folds = {},
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

--- Set the options of the current window: one open fold per entry, with closed ones for thinking, calls
--- and results.
function M._set_window()
  vim.opt_local.foldmethod = "expr"
  vim.opt_local.foldexpr = "v:lua.require'sessiond.transcript'.fold(v:lnum)"
  vim.opt_local.foldtext = "v:lua.require'sessiond.transcript'.fold_text()"
  vim.opt_local.foldlevel = 1
  vim.opt_local.wrap = true
  vim.opt_local.linebreak = true
  status.set()
end

--- The 'foldexpr' of transcripts.
---@param line integer
---@return string|integer
function M.fold(line)
  local self = transcripts[vim.api.nvim_get_current_buf()]
  return self and self.folds[line] or 0
end

--- The 'foldtext' of transcripts: the first line, and the number of the others.
---@return string
function M.fold_text()
  local first = vim.fn.getline(vim.v.foldstart)
  return ("%s  … %d more lines "):format(first, vim.v.foldend - vim.v.foldstart)
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
    self.drawn = {}
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
  self:_read({ leafId = self.tip }, { { "session/getTree", { detail = "outline" } } }, function(items, tree)
    self.outline, self.items, self.drawn = outline.new(tree), items, {}
  end)
end

--- Read the state, the entries that these params of `session/getView` select, page by page, and the answers
--- to other requests; call `take` with them, and draw.
---@param params sessiond.GetViewParams
---@param others {[1]: string, [2]?: table}[]
---@param take fun(items: sessiond.ViewItem[], ...: any)
function Transcript:_read(params, others, take)
  self.reading, self.again = true, false
  local items, answers = {}, {}
  local function done(failed)
    self.reading = false
    if failed and failed.kind == "EntryNotFound" then
      -- The file was rewritten, or goes on elsewhere.
      self.tip = nil
      return self:reload()
    end
    if failed then
      return self:_shown(failed)
    end
    take(items, unpack(answers))
    if self.again then
      return self:reload()
    end
    self:_draw()
    self:_shown()
  end
  local function pages(failed, page)
    if failed then
      return done(failed)
    end
    vim.list_extend(items, page.items)
    if not page.nextCursor then
      return done()
    end
    local following = vim.tbl_extend("force", params, { cursor = page.nextCursor, limit = PAGE })
    self.session:request("session/getView", following, pages)
  end
  local first = vim.tbl_extend("force", params, { limit = PAGE })
  local requests = { { "session/getState" }, { "session/getView", first } }
  self.session:request_all(vim.list_extend(requests, others), function(failed, state, page, ...)
    answers = { ... }
    self.state = state or self.state
    pages(failed, page)
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
  if change.kind == "lost" or change.kind == "ended" then
    self.note = change.error.message .. "; R opens it again"
    return self:_draw()
  elseif change.kind == "draft" then
    return self:_draw()
  end
  self.note = notes[change.kind]
  if self.note then
    self:_draw()
  elseif change.kind ~= "appended" or self.tip or self.reading or #self.items == 0 then
    self:reload()
  else
    self:_grow()
  end
end

--- Return how many items stay as they are when results arrive: those before the last answer of a model, if
--- results of its calls are missing.
function Transcript:_settled()
  for at = #self.items, 1, -1 do
    local item = self.items[at]
    if item.role == "user" then
      break
    elseif item.role == "assistant" then
      for _, block in ipairs(item.blocks or {}) do
        if block.kind == "call" and not block.resultEntryId then
          return at - 1
        end
      end
      break
    end
  end
  return #self.items
end

--- Read what has been appended, and the entries that this changes.
function Transcript:_grow()
  local settled = self:_settled()
  local before = self.items[settled]
  self:_read({ cursor = before and before.entryId }, {}, function(items)
    for _, item in ipairs(items) do
      -- A label changes the item of another entry.
      self.again = self.again or item.type == "label" and not self.line_of[item.entryId]
    end
    self.outline:add(items, before and before.entryId)
    self.items = vim.list_extend(vim.list_slice(self.items, 1, settled), items)
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

--- Return what is wrong with lines of the file.
---@param state sessiond.SessionState
---@return string?
local function damage(state)
  local first = state.diagnostics[1]
  if not first then
    return nil
  end
  local others = (state.diagnosticCount or #state.diagnostics) - 1
  local more = others > 0 and ("  (and %d more)"):format(others) or ""
  return render.one_line(("line %d: %s"):format(first.line, first.message)) .. more
end

function Transcript:_head()
  local lines = {}
  local state = self.state
  if state then
    table.insert(lines, { text = "# " .. self:title(), group = "SessiondTitle" })
    local noun = state.entryCount == 1 and "entry" or "entries"
    local facts = ("%s  ·  %d %s"):format(state.cwd, state.entryCount, noun)
    if self.tip then
      facts = facts .. "  ·  not the latest branch (press R for that)"
    end
    table.insert(lines, { text = facts, group = "SessiondFacts" })
  else
    table.insert(lines, { text = "# " .. self.path, group = "SessiondTitle" })
    table.insert(lines, { text = "", group = nil })
  end
  local note = self.note or state and damage(state)
  table.insert(lines, { text = note and "! " .. note or "", group = "SessiondError" })
  return lines
end

function Transcript:_draw()
  if not self.surface:alive() then
    return
  end
  local lines = self:_head()
  self.starts, self.line_of, self.folds = {}, {}, {}
  local options = {
    limit = self.whole and 0 or config.values.output_lines,
    time_format = config.values.time_format,
  }
  local drawn = {}
  for _, item in ipairs(self.items) do
    drawn[item] = self.drawn[item] or render.item(item, options)
    self.starts[#lines + 1], self.line_of[item.entryId] = item.entryId, #lines + 1
    for _, line in ipairs(drawn[item]) do
      table.insert(lines, line)
      self.folds[#lines] = line.fold
    end
  end
  self.drawn = drawn
  local draft = not self.tip and self.session and self.session.state.draft
  if draft then
    local view = vim.tbl_extend("force", draft.view, { notes = { "not finished" } })
    for _, line in ipairs(render.item(view, options)) do
      table.insert(lines, line)
      self.folds[#lines] = line.fold
    end
  end
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
