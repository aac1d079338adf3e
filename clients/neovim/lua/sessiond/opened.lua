--- Sessions that buffers show: one read-only handle per file, shared by its buffers.

local daemon = require("sessiond.daemon")

local M = {}

---@class sessiond.Viewer a transcript or a tree
---@field reload fun(self: sessiond.Viewer) reads the session again; opens it if it is lost

---@class sessiond.Opened
---@field path string
---@field session sessiond.Session
---@field viewers table<sessiond.Viewer, fun(change: table)>
---@field sequence integer

---@type table<string, sessiond.Opened>
local opened = {}
---@class sessiond.Opening what waits until a file is open
---@field viewer sessiond.Viewer
---@field on_change fun(change: table)
---@field closed? boolean whether the viewer was closed meanwhile
---@field opened fun(err?: sessiond.Error, session?: sessiond.Session)

---@type table<string, sessiond.Opening[]>
local opening = {}

---@param path string
---@param err? sessiond.Error
---@param one? sessiond.Opened
local function answer(path, err, one)
  local waiting = vim.tbl_filter(function(each)
    return not each.closed
  end, opening[path])
  opening[path] = nil
  if one then
    opened[path] = one
    for _, each in ipairs(waiting) do
      one.viewers[each.viewer] = each.on_change
    end
    M._close_unused(one)
  end
  for _, each in ipairs(waiting) do
    each.opened(err, one and one.session)
  end
end

--- Open a file for a viewer, and call `on_change` with every change. If the viewer is closed meanwhile,
--- nothing is called.
---@param path string
---@param viewer sessiond.Viewer
---@param on_change fun(change: table) a `session/didChange`, or one of the client's
---@param done fun(err?: sessiond.Error, session?: sessiond.Session)
function M.open(path, viewer, on_change, done)
  local known = opened[path]
  if known and not known.session.lost then
    known.viewers[viewer] = on_change
    return done(nil, known.session)
  end
  local this = { viewer = viewer, on_change = on_change, opened = done }
  if opening[path] then
    return table.insert(opening[path], this)
  end
  opening[path] = { this }
  daemon.ready(function(not_ready, client)
    if not_ready then
      return answer(path, not_ready)
    end
    local params = { path = path, readOnly = true, follow = true, mustExist = true }
    client:open(params, function(err, session)
      if err then
        return answer(path, err)
      end
      local one = {
        path = path,
        session = session,
        viewers = known and known.viewers or {},
        sequence = 0,
      }
      answer(path, nil, one)
      session:on_change(function(change)
        M._tell(one, change)
      end)
    end)
  end)
end

--- Pass a change on. After a gap in the sequence the viewers read everything again.
function M._tell(one, change)
  if change.kind == "reconnected" then
    one.sequence = 0
  elseif change.sequence then
    if change.sequence ~= one.sequence + 1 then
      change = vim.tbl_extend("force", change, { kind = "rewritten" })
    end
    one.sequence = change.sequence
  end
  for _, on_change in ipairs(vim.tbl_values(one.viewers)) do
    on_change(change)
  end
end

--- Remove a viewer. Close the handle with the last one.
---@param path string
---@param viewer sessiond.Viewer
function M.close(path, viewer)
  for _, each in ipairs(opening[path] or {}) do
    each.closed = each.closed or each.viewer == viewer
  end
  local one = opened[path]
  if one then
    one.viewers[viewer] = nil
    M._close_unused(one)
  end
end

---@param one sessiond.Opened
function M._close_unused(one)
  if next(one.viewers) == nil then
    opened[one.path] = nil
    one.session:close()
  end
end

--- Let the viewers read again what was lost with a daemon that was stopped or given up.
daemon.on_ready(function()
  for _, one in pairs(vim.tbl_extend("force", {}, opened)) do
    local lost = one.session.lost
    for _, viewer in ipairs(lost and lost.kind == "Lost" and vim.tbl_keys(one.viewers) or {}) do
      viewer:reload()
    end
  end
end)

return M
