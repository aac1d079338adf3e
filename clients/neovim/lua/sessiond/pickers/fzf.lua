--- A source for fzf-lua.

local choose_module = require("sessiond.choose")
local preview = require("sessiond.preview")
local surface = require("sessiond.surface")

local M = {}

--- Return the previewer, which shows sessions in fzf-lua's window.
local function previewer(items)
  local base = require("fzf-lua.previewer.builtin").base
  local Previewer = base:extend()

  function Previewer:new(...)
    Previewer.super.new(self, ...)
    return setmetatable(self, Previewer)
  end

  function Previewer:populate_preview_buf(line)
    local item = items[tonumber(line:match("^%d+"))]
    local buffer = self:get_tmp_buffer()
    self:set_preview_buf(buffer)
    if item then
      preview.lines(item, function(lines)
        surface.fill(buffer, lines)
        self.win:update_preview_scrollbar()
      end)
    end
  end

  function Previewer:gen_winopts()
    return vim.tbl_extend("force", self.winopts, { wrap = true, number = false })
  end

  return Previewer
end

---@param options sessiond.ListOptions
---@param items sessiond.Item[]
---@param choose fun(item: sessiond.Item, mods?: string)
---@param settings? table options of fzf-lua
function M.pick(options, items, choose, settings)
  local lines = {}
  for index, item in ipairs(items) do
    lines[index] = ("%d\t%s"):format(index, (choose_module.line(item, options.with_cwd):gsub("\t", " ")))
  end
  local function action(mods)
    return function(selected)
      local item = selected[1] and items[tonumber(selected[1]:match("^%d+"))]
      if item then
        choose(item, mods)
      end
    end
  end
  require("fzf-lua").fzf_exec(lines, vim.tbl_deep_extend("force", {
    prompt = options.title .. "> ",
    previewer = previewer(items),
    fzf_opts = { ["--delimiter"] = "\t", ["--with-nth"] = "2..", ["--no-multi"] = "" },
    actions = {
      ["default"] = action(),
      ["ctrl-s"] = action("split"),
      ["ctrl-v"] = action("vertical"),
      ["ctrl-t"] = action("tab"),
    },
  }, settings or {}))
end

return M
