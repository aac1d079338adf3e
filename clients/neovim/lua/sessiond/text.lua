--- Texts of session files as lines that Neovim can show: they may have any length and any character.

local M = {}

--- Bytes of a text that are looked at to show it on one line of the screen.
local ONE_LINE = 2000

--- Return the value if it is a string, else an empty one.
---@param value any
---@return string
function M.of(value)
  return type(value) == "string" and value or ""
end

local pictures = { ["\127"] = "␡" }
for code = 0, 31 do
  -- U+2400 and the following.
  pictures[string.char(code)] = "\226\144" .. string.char(128 + code)
end
pictures["\t"], pictures["\n"] = nil, nil

--- Return text without the escape sequences of terminals, and with pictures of other control characters.
local function visible(text)
  text = text:gsub("\27%[[0-9;?]*[ -/]*[@-~]", ""):gsub("\r\n?", "\n")
  return (text:gsub("%c", pictures))
end

--- Return the first bytes of a text, without a part of a character at their end.
local function beginning(text, bytes)
  if #text <= bytes then
    return text
  end
  return (text:sub(1, bytes):gsub("[\192-\255][\128-\191]*$", ""))
end

--- Split text into lines.
---@param text any
---@return string[]
function M.split(text)
  text = visible(M.of(text))
  -- Not with a pattern: "%s+$" begins again at every space.
  local last = #text
  while last > 0 and text:find("^%s", last) do
    last = last - 1
  end
  return last == 0 and {} or vim.split(text:sub(1, last), "\n", { plain = true })
end

--- Return the beginning of a text as one line.
---@param text any
---@return string
function M.one_line(text)
  return vim.trim((visible(beginning(M.of(text), ONE_LINE)):gsub("%s+", " ")))
end

--- Return text cut to a number of columns.
---@param text string
---@param columns integer
---@return string
function M.fit(text, columns)
  if vim.fn.strdisplaywidth(text) <= columns then
    return text
  end
  local cut = vim.fn.strcharpart(text, 0, math.max(0, columns - 1))
  while vim.fn.strdisplaywidth(cut) > columns - 1 do
    cut = vim.fn.strcharpart(cut, 0, vim.fn.strchars(cut) - 1)
  end
  return cut .. "…"
end

--- Return a line cut to a number of bytes.
---@param line string
---@param bytes integer
---@return string
function M.cut(line, bytes)
  local first = beginning(line, bytes)
  return #first == #line and line or ("%s… %d more bytes"):format(first, #line - #first)
end

return M
