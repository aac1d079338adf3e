--- Highlights for Markdown in messages.
---
--- Each message is highlighted on its own, so that a code block that one message does not end has no
--- effect on the next.

local M = {}

--- Longest block of code, in lines, that is highlighted by its language.
local LONGEST_CODE = 400

--- Longest line, in bytes, and longest text, in lines, in which markup is highlighted. Patterns may take
--- the square of the length.
local LONGEST_LINE = 1000
local MOST_LINES = 2000

---@class sessiond.Mark
---@field line integer from 1
---@field from integer first byte, from 0
---@field to integer byte after the last
---@field group string

--- Patterns of inline markup: what is matched, and its group.
local inline = {
  { "%*%*[^*]+%*%*", "SessiondStrong" },
  { "__[^_]+__", "SessiondStrong" },
  { "%f[%w*]%*[^*%s][^*]*%*%f[^%w*]", "SessiondEmphasis" },
  { "%[[^%]]+%]%([^)%s]+%)", "SessiondLink" },
  { "https?://[%w%-._~:/?#@!$&'*+,;=%%]+", "SessiondLink" },
}

local function mark(marks, line, from, to, group)
  table.insert(marks, { line = line, from = from, to = to, group = group })
end

local function inline_marks(marks, text, line)
  if #text > LONGEST_LINE then
    return
  end
  local covered = text
  local function find(pattern, group)
    local start = 1
    while true do
      local from, to = covered:find(pattern, start)
      if not from then
        return
      end
      mark(marks, line, from - 1, to, group)
      if group == "SessiondCode" then
        -- Nothing in code is markup.
        covered = covered:sub(1, from - 1) .. (" "):rep(to - from + 1) .. covered:sub(to + 1)
      end
      start = to + 1
    end
  end
  find("`[^`]+`", "SessiondCode")
  for _, each in ipairs(inline) do
    find(each[1], each[2])
  end
end

local function prose_marks(marks, text, line)
  local group = text:match("^#+%s") and "SessiondHeading" or text:match("^%s*>") and "SessiondQuote"
  if group then
    mark(marks, line, 0, #text, group)
  end
  local indent, bullet = text:match("^(%s*)([-*+])%s")
  if not bullet then
    indent, bullet = text:match("^(%s*)(%d+[.)])%s")
  end
  if bullet then
    mark(marks, line, #indent, #indent + #bullet, "SessiondListMarker")
  end
  inline_marks(marks, text, line)
end

--- Add marks for code whose language Neovim has a parser and a query for.
local function code_marks(marks, code, language, first)
  if language == "" or #code > LONGEST_CODE or not (vim.treesitter and vim.treesitter.get_string_parser) then
    return
  end
  local text = table.concat(code, "\n")
  -- A language without a parser, or an older Neovim without these functions, leaves the code plain.
  pcall(function()
    language = vim.treesitter.language.get_lang(language) or language
    local query = vim.treesitter.query.get(language, "highlights")
    local root = vim.treesitter.get_string_parser(text, language):parse()[1]:root()
    for id, node in query:iter_captures(root, text) do
      local name = query.captures[id]
      local from_row, from, to_row, to = node:range()
      -- Captures with other purposes have no colour.
      local last = (name:sub(1, 1) == "_" or name == "spell") and from_row - 1 or to_row
      for row = from_row, last do
        local line = code[row + 1] or ""
        local start, stop = row == from_row and from or 0, row == to_row and to or #line
        if stop > start then
          mark(marks, first + row, start, math.min(stop, #line), "@" .. name .. "." .. language)
        end
      end
    end
  end)
end

--- Return the highlights of a text.
---@param lines string[]
---@return sessiond.Mark[]
function M.marks(lines)
  local marks, line = {}, 1
  while line <= math.min(#lines, MOST_LINES) do
    local indent, fence, language = nil, nil, nil
    if #lines[line] <= LONGEST_LINE then
      indent, fence, language = lines[line]:match("^(%s*)(```+)%s*([%w_+#-]*)[^`]*$")
      if not fence then
        indent, fence, language = lines[line]:match("^(%s*)(~~~+)%s*([%w_+#-]*)[^~]*$")
      end
    end
    if fence then
      mark(marks, line, #indent, #lines[line], "SessiondFence")
      local first, code = line + 1, {}
      line = first
      while line <= #lines and not lines[line]:match("^%s*" .. fence .. "+%s*$") do
        mark(marks, line, 0, #lines[line], "SessiondCode")
        table.insert(code, lines[line])
        line = line + 1
      end
      code_marks(marks, code, language, first)
      if line <= #lines then
        mark(marks, line, 0, #lines[line], "SessiondFence")
      end
    else
      prose_marks(marks, lines[line], line)
    end
    line = line + 1
  end
  return marks
end

return M
