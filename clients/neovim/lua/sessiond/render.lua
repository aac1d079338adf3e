--- What a person sees of entries and sessions as lines of text.

local text = require("sessiond.text")

local M = {}

M.split, M.one_line, M.fit = text.split, text.one_line, text.fit

--- Bytes of a line, and lines of an entry, that are shown before `x` is pressed.
local LONGEST_LINE = 5000
local MOST_LINES = 2000

--- Return the value if it has this type, else nil.
local function of(kind, value)
  if type(value) == kind then
    return value
  end
end

local text_of = text.of

--- Return an ISO 8601 time in UTC as seconds since the epoch.
---@param time any
---@return integer?
function M.seconds(time)
  local pattern = "^(%d%d%d%d)%-(%d%d)%-(%d%d)T(%d%d):(%d%d):(%d%d)[%d.]*Z$"
  local parts = { text_of(time):match(pattern) }
  if #parts == 0 then
    return nil
  end
  local year, month, day, hour, minute, second = unpack(vim.tbl_map(tonumber, parts))
  -- Days since 1970 in the Gregorian calendar, with years that begin in March.
  if month <= 2 then
    year, month = year - 1, month + 12
  end
  local leap_days = math.floor(year / 4) - math.floor(year / 100) + math.floor(year / 400)
  local days = 365 * year + leap_days + math.floor((153 * (month - 3) + 2) / 5) + day - 719469
  return days * 86400 + hour * 3600 + minute * 60 + second
end

--- Return a time in local time.
---@param time any
---@param format string
---@return string
function M.time(time, format)
  local seconds = M.seconds(time)
  return seconds and os.date(format, seconds) or text_of(time)
end

local groups = {
  user = "SessiondUser",
  assistant = "SessiondAssistant",
  toolResult = "SessiondTool",
  bashExecution = "SessiondTool",
  compaction = "SessiondSummary",
  branch_summary = "SessiondSummary",
}

local signs = { added = "+", removed = "-", same = " " }
local change_groups = { added = "SessiondAdded", removed = "SessiondRemoved" }

--- Return the line of a diff: its number, if one is known, its sign and its text.
local function change_line(change, numbered)
  local sign = signs[change.kind]
  local body = sign and sign .. (change.text or "") or change.text or "…"
  local number = numbered and ("%5s "):format(change.line or "") or ""
  return { text = number .. body, group = change_groups[change.kind] or not sign and "SessiondMeta" or nil }
end

--- Return the lines of a text.
local function lines_of(value, indent, group, is_prose)
  local lines = M.split(value)
  for index, line in ipairs(lines) do
    lines[index] = { text = line == "" and "" or (indent or "") .. line, group = group, prose = is_prose }
  end
  return lines
end

--- Return the words that are there, on one line.
local function joined(...)
  local words = {}
  for index = 1, select("#", ...) do
    local word = M.one_line(select(index, ...))
    if word ~= "" then
      table.insert(words, word)
    end
  end
  return table.concat(words, "  ")
end

--- How blocks are drawn: from a block to the line at its head, if it has one, and the lines below.
local drawn = {}

function drawn.text(block)
  return nil, lines_of(block.text, "", nil, true)
end

drawn.summary = drawn.text

function drawn.thinking(block)
  return "(thinking)", lines_of(block.text, "  ", "SessiondThinking"), "SessiondThinking"
end

function drawn.call(block)
  local lines = {}
  for _, each in ipairs(block.arguments or {}) do
    if each.text ~= block.text then
      local value = M.split(each.text)
      local rest = #value > 1 and lines_of(each.text, "      ") or {}
      local first = #value == 1 and " " .. value[1] or ""
      table.insert(lines, { text = ("    %s:%s"):format(M.one_line(each.name), first) })
      vim.list_extend(lines, rest)
    end
  end
  return joined("→ " .. text_of(block.tool), block.text), lines, "SessiondTool"
end

function drawn.diff(block)
  local numbered = false
  for _, change in ipairs(block.changes or {}) do
    numbered = numbered or change.line ~= nil
  end
  return nil, vim.tbl_map(function(change)
    return change_line(change, numbered)
  end, block.changes or {})
end

function drawn.result(block)
  return joined("← " .. text_of(block.tool), block.title), lines_of(block.text), "SessiondTool"
end

function drawn.command(block)
  local lines = lines_of("$ " .. text_of(block.title), "", "SessiondTool")
  return nil, vim.list_extend(lines, lines_of(block.text))
end

function drawn.image(block)
  return joined("[image " .. text_of(block.text) .. "]"), {}
end

function drawn.error(block)
  return "! " .. M.one_line(block.text or "failed"), {}, "SessiondError"
end

function drawn.data(block)
  return ("[%s]"):format(M.one_line(block.title)), lines_of(block.text, "    ")
end

--- Add a note after the first lines if there are more than `most`.
local function cut(lines, most)
  local left = #lines - most
  if most <= 0 or left <= 1 then
    return lines
  end
  return vim.list_extend(vim.list_slice(lines, 1, most), { { text = ("… %d more lines"):format(left) } })
end

--- Return the lines of a block; a closed one is a fold.
local function block_lines(block, limit)
  local draw = drawn[block.kind] or drawn.text
  local head, lines, group = draw(block)
  if limit > 0 then
    local is_prose = draw == drawn.text or draw == drawn.thinking
    lines = cut(lines, is_prose and MOST_LINES or math.min(limit, MOST_LINES))
    for _, line in ipairs(lines) do
      line.text = text.cut(line.text, LONGEST_LINE)
    end
  end
  if block.omittedChars then
    table.insert(lines, { text = ("… %d more characters"):format(block.omittedChars) })
  end
  if head then
    table.insert(lines, 1, { text = head, group = group })
  end
  for index, line in ipairs(lines) do
    line.fold = not block.closed and 1 or index == 1 and ">2" or 2
  end
  return lines
end

local function heading(item, time_format)
  if item.partOf then
    -- A later part of an answer stands below the heading of the first.
    return "…"
  end
  local parts = { M.time(item.time, time_format) }
  table.insert(parts, item.model)
  table.insert(parts, item.cost and ("$%.4f"):format(item.cost))
  vim.list_extend(parts, item.notes or {})
  table.insert(parts, item.label and ("[%s]"):format(item.label))
  return joined("## " .. item.title, unpack(parts))
end

---@class sessiond.DrawOptions
---@field limit integer lines of tool output; 0: all
---@field time_format string

--- Return the lines of what a person sees of an entry, the heading first.
---@param item sessiond.ViewItem
---@param options sessiond.DrawOptions
---@return sessiond.Line[]
function M.item(item, options)
  local lines = { { text = heading(item, options.time_format), group = groups[item.role] or "SessiondMeta", fold = ">1" } }
  for _, block in ipairs(item.blocks or {}) do
    if block.failed then
      lines[1].group = "SessiondError"
    end
    vim.list_extend(lines, block_lines(block, options.limit))
  end
  table.insert(lines, { text = "", fold = 1 })
  return lines
end

--- Return the line of a node of the tree.
---@param node sessiond.OutlineNode
---@return string text
---@return string group
function M.node(node)
  local kind = of("string", node.role) or node.type
  local group = groups[kind] or "SessiondMeta"
  local preview = M.one_line(node.preview)
  local label = of("string", node.label)
  local text = kind .. (preview ~= "" and ": " .. preview or "")
  return text .. (label and ("  [%s]"):format(M.one_line(label)) or ""), group
end

--- Columns of a title outside of a list, at most.
M.TITLE_COLUMNS = 72

--- Return the title of a session: its name, or the beginning of its first message.
---@param info sessiond.SessionInfo
---@return string
function M.title(info)
  return M.one_line(info.name) ~= "" and M.one_line(info.name) or M.one_line(info.firstMessage)
end

--- Return the marks of a session as words, tags with a `#`.
---@param info sessiond.SessionInfo
---@return string
function M.marks(info)
  local marks = info.marks
  if not marks then
    return ""
  end
  local words = { marks.pinned and "pinned" or nil, marks.hidden and "hidden" or nil }
  words = vim.tbl_values(words)
  for _, tag in ipairs(marks.tags) do
    table.insert(words, "#" .. tag)
  end
  return M.one_line(table.concat(words, " "))
end

--- Return how long ago a time was, in a few characters.
---@param time any
---@return string
function M.age(time)
  local seconds = M.seconds(time)
  if not seconds then
    return "?"
  end
  seconds = math.max(0, os.time() - seconds)
  for _, unit in ipairs({ { 60, 1, "now" }, { 3600, 60, "m" }, { 86400, 3600, "h" }, { 8640000, 86400, "d" } }) do
    if seconds < unit[1] then
      return unit[3] == "now" and "now" or math.floor(seconds / unit[2]) .. unit[3]
    end
  end
  return math.floor(seconds / 2629746) .. "mo"
end

--- Return the line of a session for a list that others draw.
---@param info sessiond.SessionInfo
---@param with_cwd boolean
---@param time_format string
---@return string
function M.info(info, with_cwd, time_format)
  local parts = {
    M.fit(M.title(info), M.TITLE_COLUMNS),
    ("%d message%s"):format(info.messageCount, info.messageCount == 1 and "" or "s"),
    M.time(info.modified, time_format),
  }
  if with_cwd then
    table.insert(parts, vim.fn.fnamemodify(info.cwd, ":~"))
  end
  return table.concat(parts, "  ·  ")
end

return M
