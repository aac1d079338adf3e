--- The line in which the filter of a list is typed; every key narrows the list.

local render = require("sessiond.render")

local M = {}

local COLUMNS = 40
--- The row of the list's window that has the hint about keys.
local ROW = 1

--- Return a function that tells whether an item contains all words of a filter. Capital letters count
--- only if the filter has some. Hidden sessions are left out unless one of the words is "hidden".
---@param filter string
---@param with_cwd boolean whether the list shows directories
---@return fun(item: sessiond.Item): boolean
function M.matcher(filter, with_cwd)
  local exact = filter:lower() ~= filter
  local words = vim.split(filter, "%s+", { trimempty = true })
  local with_hidden = vim.tbl_contains(words, "hidden")
  return function(item)
    if (item.info.marks or {}).hidden and not with_hidden and not item.snippet then
      return false
    end
    local text = M._text(item, with_cwd)
    text = exact and text or text:lower()
    for _, word in ipairs(words) do
      if not text:find(word, 1, true) then
        return false
      end
    end
    return true
  end
end

--- Longest part of a message that a filter looks at, in bytes.
local LONGEST = 2000

--- Return what a filter is compared with: the name, the first message, and what else the list shows.
function M._text(item, with_cwd)
  local info, snippet = item.info, item.snippet
  local parts = {
    info.name or "",
    info.firstMessage:sub(1, LONGEST),
    with_cwd and info.cwd or "",
    render.marks(info),
  }
  if snippet then
    table.insert(parts, snippet.text:sub(1, LONGEST))
  end
  return table.concat(parts, "\n")
end

---@class sessiond.FilterActions
---@field narrow fun(filter: string) called with the whole text after every change
---@field move fun(lines: integer)
---@field choose fun(mods: string)

--- Open the line over a window, with a filter in it to change.
---@param window integer
---@param filter string
---@param actions sessiond.FilterActions
function M.open(window, filter, actions)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = "wipe"
  vim.bo[buffer].filetype = "sessiondfilter"
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, { filter })
  local float = vim.api.nvim_open_win(buffer, true, {
    relative = "win",
    win = window,
    row = ROW,
    col = 0,
    width = math.min(COLUMNS, vim.api.nvim_win_get_width(window)),
    height = 1,
    style = "minimal",
  })
  vim.wo[float].winhighlight = "NormalFloat:Pmenu"
  vim.wo[float].wrap = false

  local function narrow()
    actions.narrow(vim.api.nvim_buf_get_lines(buffer, 0, 1, false)[1])
  end
  local function close()
    if vim.api.nvim_win_is_valid(float) then
      narrow()
      vim.cmd("stopinsert")
      vim.api.nvim_win_close(float, true)
      if vim.api.nvim_win_is_valid(window) then
        vim.api.nvim_set_current_win(window)
      end
    end
  end
  local function map(keys, action)
    for _, key in ipairs(keys) do
      vim.keymap.set({ "i", "n" }, key, action, { buffer = buffer, nowait = true })
    end
  end
  local function choosing(mods)
    return function()
      close()
      actions.choose(mods)
    end
  end
  map({ "<CR>" }, choosing(""))
  map({ "<C-x>" }, choosing("split"))
  map({ "<C-v>" }, choosing("vertical"))
  map({ "<C-t>" }, choosing("tab"))
  map({ "<Down>", "<C-n>", "<C-j>" }, function()
    actions.move(1)
  end)
  map({ "<Up>", "<C-p>", "<C-k>" }, function()
    actions.move(-1)
  end)
  map({ "<Esc>" }, close)
  map({ "<C-c>" }, function()
    close()
    actions.narrow("")
  end)
  -- Not the event TextChangedI: Neovim leaves it out while it has more keys to handle.
  local due = false
  vim.api.nvim_buf_attach(buffer, false, {
    on_lines = function()
      if not due then
        due = true
        vim.schedule(function()
          due = false
          if vim.api.nvim_buf_is_valid(buffer) then
            narrow()
          end
        end)
      end
    end,
  })
  vim.api.nvim_create_autocmd("WinLeave", { buffer = buffer, once = true, callback = vim.schedule_wrap(close) })
  vim.cmd("startinsert!")
end

return M
