--- A source for telescope.nvim.

local choose_module = require("sessiond.choose")
local preview = require("sessiond.preview")
local surface = require("sessiond.surface")

local M = {}

--- How telescope's ways to open a file are spelled as modifiers of a command.
local mods_of = { default = "", horizontal = "split", vertical = "vertical", tab = "tab" }

---@param options sessiond.ListOptions
---@param items sessiond.Item[]
---@param choose fun(item: sessiond.Item, mods?: string)
---@param settings? table options of telescope
function M.pick(options, items, choose, settings)
  local actions = require("telescope.actions")
  local state = require("telescope.actions.state")
  local values = require("telescope.config").values
  local previewers = require("telescope.previewers")
  settings = settings or {}
  require("telescope.pickers")
    .new(settings, {
      prompt_title = options.title,
      finder = require("telescope.finders").new_table({
        results = items,
        entry_maker = function(item)
          local line = choose_module.line(item, options.with_cwd)
          return { value = item, display = line, ordinal = line }
        end,
      }),
      sorter = values.generic_sorter(settings),
      previewer = previewers.new_buffer_previewer({
        title = "Session",
        get_buffer_by_name = function(_, entry)
          return entry.value.info.path
        end,
        define_preview = function(self, entry)
          local buffer, window = self.state.bufnr, self.state.winid
          if window and vim.api.nvim_win_is_valid(window) then
            vim.wo[window].wrap = true
          end
          preview.lines(entry.value, function(lines)
            surface.fill(buffer, lines)
          end)
        end,
      }),
      attach_mappings = function(prompt)
        for name, mods in pairs(mods_of) do
          local action = name == "default" and actions.select_default or actions["select_" .. name]
          action:replace(function()
            local entry = state.get_selected_entry()
            actions.close(prompt)
            if entry then
              choose(entry.value, mods ~= "" and mods or nil)
            end
          end)
        end
        return true
      end,
    })
    :find()
end

return M
