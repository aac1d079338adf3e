--- A source for snacks.picker.

local choose_module = require("sessiond.choose")
local preview = require("sessiond.preview")
local surface = require("sessiond.surface")

local M = {}

local mods_of = { confirm = false, edit_split = "split", edit_vsplit = "vertical", edit_tab = "tab", tab = "tab" }

---@param options sessiond.ListOptions
---@param items sessiond.Item[]
---@param choose fun(item: sessiond.Item, mods?: string)
---@param settings? table options of snacks.picker
function M.pick(options, items, choose, settings)
  local shown = {}
  for index, item in ipairs(items) do
    shown[index] = { idx = index, text = choose_module.line(item, options.with_cwd), item = item }
  end
  local actions = {}
  for name, mods in pairs(mods_of) do
    actions[name] = function(picker, chosen)
      picker:close()
      if chosen then
        vim.schedule(function()
          choose(chosen.item, mods or nil)
        end)
      end
    end
  end
  require("snacks").picker.pick(vim.tbl_deep_extend("force", {
    source = "sessiond",
    title = options.title,
    items = shown,
    format = "text",
    preview = function(context)
      local path = context.item.item.info.path
      context.preview:reset()
      context.preview:set_title(vim.fn.fnamemodify(path, ":t"))
      context.preview:wo({ number = false, relativenumber = false, wrap = true, linebreak = true })
      preview.lines(context.item.item, function(lines)
        local buffer = context.preview.win.buf
        if context.picker:current() == context.item and vim.api.nvim_buf_is_valid(buffer) then
          surface.fill(buffer, lines)
        end
      end)
      return true
    end,
    actions = actions,
    confirm = actions.confirm,
  }, settings or {}))
end

return M
