--- Questions to the user. `CTRL-C` answers each of them with nothing.

local M = {}

--- Call a function that asks; return whether the user did not interrupt it.
local function asked(ask, ...)
  local ok, problem = pcall(ask, ...)
  if not ok and not tostring(problem):find("Keyboard interrupt", 1, true) then
    error(problem, 0)
  end
  return ok
end

--- Ask for a line of text.
---@param options table for |vim.ui.input()|
---@param done fun(text: string) not called if the user cancels
function M.input(options, done)
  asked(vim.ui.input, options, function(text)
    if text then
      done(text)
    end
  end)
end

--- Let the user choose an item.
---@param items any[]
---@param options table for |vim.ui.select()|
---@param done fun(item: any) not called if the user cancels
function M.select(items, options, done)
  asked(vim.ui.select, items, options, function(item)
    if item then
      done(item)
    end
  end)
end

--- Ask a question that is answered with yes or no.
---@param question string
---@return boolean
function M.confirm(question)
  local yes = false
  asked(function()
    yes = vim.fn.confirm(question, "&Yes\n&No", 2, "Question") == 1
  end)
  return yes
end

return M
