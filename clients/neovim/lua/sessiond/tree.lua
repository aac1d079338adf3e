--- Buffers `sessiond://tree/{path}`: the tree of a session.

local config = require("sessiond.config")
local daemon = require("sessiond.daemon")
local opened = require("sessiond.opened")
local outline = require("sessiond.outline")
local render = require("sessiond.render")
local status = require("sessiond.status")
local surface = require("sessiond.surface")
local transcript = require("sessiond.transcript")

local M = {}

local PREFIX = "sessiond://tree"

---@class sessiond.Tree
---@field path string
---@field surface sessiond.Surface
---@field session? sessiond.Session
---@field rows sessiond.Row[] by line
local Tree = {}
Tree.__index = Tree

---@type table<integer, sessiond.Tree> by buffer
local trees = {}

--- Return the tree in a buffer.
---@param buffer integer
---@return sessiond.Tree?
function M.of(buffer)
  return trees[buffer]
end

status.add(function(buffer)
  local shown = trees[buffer]
  local conversation = shown and transcript.find(shown.path)
  return shown and "tree" .. (conversation and " of " .. conversation:title() or "")
end)

--- Return the tree of a session, if a buffer shows it.
---@param path string
---@return sessiond.Tree?
function M.find(path)
  for _, each in pairs(trees) do
    if each.path == path then
      return each
    end
  end
end

--- Show the tree of a session beside the current window.
---@param path string
---@param mods? string modifiers of a command, such as `topleft`
---@param done? fun(err?: sessiond.Error, tree?: sessiond.Tree)
function M.open(path, mods, done)
  local self = M.find(path) or M._new(path)
  local at = transcript.of(vim.api.nvim_get_current_buf())
  local entry = at and at:entry_at(vim.api.nvim_win_get_cursor(0)[1])
  local window = vim.fn.win_findbuf(self.surface.buffer)[1]
  if window then
    vim.api.nvim_set_current_win(window)
  else
    local beside = not mods or mods == ""
    surface.enter(self.surface.buffer, beside and "topleft vertical" or mods)
    if beside then
      vim.api.nvim_win_set_width(0, math.min(config.values.tree_width, math.floor(vim.o.columns / 2)))
    end
    M._set_window()
  end
  self:reload(function(err)
    if err then
      daemon.complain(err)
    else
      self:_select(entry)
    end
    if done then
      done(err, self)
    end
  end)
end

--- Fill a buffer named `sessiond://tree/…`.
---@param buffer integer
function M.read(buffer)
  local self = trees[buffer]
  if not self then
    self = M._new(vim.api.nvim_buf_get_name(buffer):sub(#PREFIX + 1), buffer)
    M._set_window()
  end
  self:reload(function(err)
    if err then
      daemon.complain(err)
    end
  end)
end

function M._new(path, buffer)
  local self = setmetatable({ path = path, rows = {} }, Tree)
  self.surface = surface.new(PREFIX .. path, "sessiondtree", buffer)
  buffer = self.surface.buffer
  trees[buffer] = self
  self.surface:map("<CR>", function()
    self:jump()
  end, "go to the entry in the transcript")
  self.surface:map("F", "<Cmd>SessionFork<CR>", "copy the branch up to the entry into a new session")
  self.surface:map("r", "<Cmd>SessionRename<CR>", "rename the session")
  self.surface:map("R", function()
    self:reload()
  end, "read again")
  self.surface:map_close()
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
      trees[buffer] = nil
      opened.close(self.path, self)
    end,
    once = true,
  })
  return self
end

--- Set the options of the current window: one fold per branch, all open.
function M._set_window()
  vim.opt_local.foldmethod = "expr"
  vim.opt_local.foldexpr = "v:lua.require'sessiond.tree'.fold(v:lnum)"
  vim.opt_local.foldlevel = 99
  vim.opt_local.wrap = false
  vim.opt_local.cursorline = true
  vim.opt_local.number = false
  vim.opt_local.relativenumber = false
  status.set()
end

--- The 'foldexpr' of trees.
---@param line integer
---@return string|integer
function M.fold(line)
  local self = trees[vim.api.nvim_get_current_buf()]
  local row = self and self.rows[line]
  if not row then
    return 0
  end
  return row.first and ">" .. row.depth or row.depth
end

---@param done? fun(err?: sessiond.Error)
function Tree:reload(done)
  done = done or function(err)
    if err then
      daemon.complain(err)
    end
  end
  if self.session and not self.session.lost then
    return self:_read(done)
  end
  opened.open(self.path, self, function(change)
    if change.kind == "lost" or change.kind == "ended" then
      self.session = nil
    elseif change.kind ~= "draft" then
      self:_changed()
    end
  end, function(err, session)
    if err then
      return done(err)
    end
    self.session = session
    self:_read(done)
  end)
end

--- Read the tree again; once for all changes that arrive while it is being read.
function Tree:_changed()
  if self.reading then
    self.again = true
    return
  end
  self:reload(function(err)
    if err then
      daemon.complain(err)
    end
  end)
end

function Tree:_read(done)
  self.reading, self.again = true, false
  local requests = { { "session/getLeafId" }, { "session/getTree", { detail = "outline" } } }
  self.session:request_all(requests, function(failed, leaf, tree)
    self.reading = false
    if failed then
      return done(failed)
    end
    if self.again then
      return self:_read(done)
    end
    self:_draw(outline.new(tree), leaf.leafId)
    done()
  end)
end

function Tree:_draw(tree, leaf)
  if not self.surface:alive() then
    return
  end
  local active = tree:path_to(leaf)
  local lines = {}
  self.rows = tree:rows()
  for index, row in ipairs(self.rows) do
    local text, group = render.node(row.node)
    local id = row.node.id
    local mark = id == leaf and "* " or active[id] and "· " or "  "
    lines[index] = {
      text = mark .. row.guides .. text,
      group = id == leaf and "SessiondLeaf" or group,
    }
  end
  if #lines == 0 then
    lines[1] = { text = "  (no entries)", group = "SessiondFacts" }
  end
  self.surface:show(lines, true)
end

--- Move the cursor to an entry.
---@param id? string
function Tree:_select(id)
  local window = vim.fn.win_findbuf(self.surface.buffer)[1]
  for line, row in ipairs(window and self.rows or {}) do
    if row.node.id == id then
      vim.api.nvim_win_set_cursor(window, { line, 0 })
    end
  end
end

--- Show the entry under the cursor in the window of the transcript, or in the previous window.
function Tree:jump()
  local row = self.rows[vim.api.nvim_win_get_cursor(0)[1]]
  if not row then
    return
  end
  local shown = transcript.find(self.path)
  local target
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if shown and vim.api.nvim_win_get_buf(window) == shown.surface.buffer then
      target = target or window
    end
  end
  if target then
    vim.api.nvim_set_current_win(target)
  else
    local here = vim.api.nvim_get_current_win()
    vim.cmd("wincmd p")
    if vim.api.nvim_get_current_win() == here then
      vim.cmd("rightbelow vsplit")
    end
  end
  transcript.open(self.path, { entry = row.node.id })
end

return M
