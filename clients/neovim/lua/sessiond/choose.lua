--- Lets the user choose a session or a hit, with the list buffer or with |vim.ui.select()|.

local ask = require("sessiond.ask")
local config = require("sessiond.config")
local daemon = require("sessiond.daemon")
local filter = require("sessiond.filter")
local list = require("sessiond.list")
local render = require("sessiond.render")

local M = {}

---@param item sessiond.Item
---@param with_cwd boolean
---@return string
local function line_of(item, with_cwd)
  local line = render.info(item.info, with_cwd, config.values.time_format)
  local snippet = item.snippet
  return snippet and ("%s  ·  %s: %s"):format(line, snippet.role, render.one_line(snippet.text)) or line
end

--- Show the transcript of an item, at the hit.
---@param item sessiond.Item
---@param mods? string
function M.show(item, mods)
  local snippet = item.snippet
  -- Without an id there is no entry to go to.
  local entry = snippet and snippet.entryId ~= "" and snippet.entryId or nil
  require("sessiond.transcript").open(item.info.path, { mods = mods, entry = entry })
end

--- Let the user choose an item of a list, and call `options.choose` with it, or show its transcript.
---@param options sessiond.ListOptions
---@param mods string
function M.item(options, mods)
  if config.values.picker == "list" then
    return list.open(options, mods)
  end
  options.load(function(err, items)
    if err then
      return daemon.complain(err)
    end
    items = vim.tbl_filter(filter.matcher("", options.with_cwd), items)
    if #items == 0 then
      return daemon.say(options.empty)
    end
    ask.select(items, {
      prompt = options.title,
      kind = "sessiond",
      format_item = function(item)
        return line_of(item, options.with_cwd)
      end,
    }, function(item)
      local choose = options.choose or M.show
      choose(item, mods)
    end)
  end)
end

return M
