--- The beginning of a session, for previews of lists.

local config = require("sessiond.config")
local daemon = require("sessiond.daemon")
local render = require("sessiond.render")

local M = {}

--- How many entries a preview shows.
local ENTRIES = 20

--- Lines of a tool's output, and characters of each text, in a preview.
local OUTPUT_LINES = 5
local CHARACTERS = 20000

---@class sessiond.Item an item of a list: a session, or a hit of a search
---@field info sessiond.SessionInfo
---@field snippet? sessiond.SearchSnippet

--- The previews shown last, by path, with the time of the session's last change.
---@type table<string, {modified: string, lines: sessiond.Line[]}>
local kept = {}
local order = {}
local KEPT = 30

local function key_of(item)
  return item.info.path .. "\n" .. (item.snippet and item.snippet.entryId or "")
end

local function lines_of(item, found, items, total)
  local lines = {
    { text = "# " .. render.fit(render.title(item.info), render.TITLE_COLUMNS), group = "SessiondTitle" },
    {
      text = ("%s  ·  %d messages"):format(vim.fn.fnamemodify(item.info.cwd, ":~"), item.info.messageCount),
      group = "SessiondFacts",
    },
    { text = "" },
  }
  local options = { limit = OUTPUT_LINES, time_format = config.values.time_format }
  if found then
    vim.list_extend(lines, render.item(found, options))
    table.insert(lines, { text = "… found above; the session begins:", group = "SessiondFacts" })
    table.insert(lines, { text = "" })
  end
  for _, each in ipairs(items) do
    vim.list_extend(lines, render.item(each, options))
  end
  if total > #items then
    table.insert(lines, { text = ("… %d more entries"):format(total - #items), group = "SessiondFacts" })
  end
  return lines
end

local function keep(item, lines)
  local key = key_of(item)
  if not kept[key] then
    table.insert(order, key)
  end
  kept[key] = { modified = item.info.modified, lines = lines }
  if #order > KEPT then
    kept[table.remove(order, 1)] = nil
  end
end

--- Get the lines of a preview.
---@param item sessiond.Item
---@param done fun(lines: sessiond.Line[])
function M.lines(item, done)
  local known = kept[key_of(item)]
  if known and known.modified == item.info.modified then
    return done(known.lines)
  end
  local function fail(err)
    done({ { text = "! " .. err.message, group = "SessiondError" } })
  end
  daemon.ready(function(not_ready, client)
    if not_ready then
      return fail(not_ready)
    end
    client:open({ path = item.info.path, readOnly = true, mustExist = true }, function(err, session)
      if err then
        return fail(err)
      end
      local requests = { { "session/getView", { limit = ENTRIES, maxChars = CHARACTERS } } }
      if item.snippet and item.snippet.entryId ~= "" then
        local hit = { leafId = item.snippet.entryId, last = 1, maxChars = CHARACTERS }
        table.insert(requests, { "session/getView", hit })
      end
      session:request_all(requests, function(failed, page, hit)
        session:close()
        if failed then
          return fail(failed)
        end
        local lines = lines_of(item, hit and hit.items[1], page.items, page.total)
        keep(item, lines)
        done(lines)
      end)
    end)
  end)
end

return M
