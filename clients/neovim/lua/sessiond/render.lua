--- Entries as lines of text. Stored entries may have any shape, so every member is checked.

local text = require("sessiond.text")

local M = {}

M.split, M.one_line, M.fit = text.split, text.one_line, text.fit

--- Bytes of a line, and lines of an entry, that are shown before `x` is pressed.
local LONGEST_LINE = 5000
local MOST_LINES = 2000

--- The group of lines that are part of a text in Markdown.
M.PROSE = "prose"

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

local function add(lines, more, indent)
  for _, line in ipairs(more) do
    table.insert(lines, line == "" and "" or (indent or "") .. line)
  end
end

--- Return the first lines, and a line with the number of lines left out.
local function limited(lines, limit)
  if limit <= 0 or #lines <= limit + 1 then
    return lines
  end
  local first = vim.list_slice(lines, 1, limit)
  table.insert(first, ("… %d more lines"):format(#lines - limit))
  return first
end

local function sorted_keys(members)
  local keys = vim.tbl_keys(members)
  table.sort(keys, function(one, other)
    return tostring(one) < tostring(other)
  end)
  return keys
end

--- Return the lines of a JSON value, with members sorted by name.
local function value_lines(value, depth)
  if value == vim.NIL or value == nil then
    return { "null" }
  elseif type(value) == "string" then
    local lines = M.split(value)
    return #lines == 0 and { '""' } or lines
  elseif type(value) ~= "table" then
    return { tostring(value) }
  elseif next(value) == nil then
    return { getmetatable(value) and "{}" or "[]" }
  elseif depth == 0 then
    return { "…" }
  end
  local lines = {}
  for _, key in ipairs(sorted_keys(value)) do
    local inner = value_lines(value[key], depth - 1)
    local head = type(key) == "number" and "-" or tostring(key) .. ":"
    if #inner == 1 then
      table.insert(lines, head .. " " .. inner[1])
    else
      table.insert(lines, head)
      add(lines, inner, "  ")
    end
  end
  return lines
end

local function members_but(members, names)
  local rest = {}
  for name, value in pairs(members) do
    if not vim.tbl_contains(names, name) then
      rest[name] = value
    end
  end
  return rest
end

local function grouped(lines, group)
  lines.groups = {}
  for index = 1, #lines do
    lines.groups[index] = group
  end
  return lines
end

--- Return the lines of a text in Markdown.
local function prose(value)
  return grouped(M.split(value), M.PROSE)
end

local function block_lines(block, limit)
  if type(block) ~= "table" then
    return value_lines(block, 1)
  end
  local lines = {}
  if block.type == "text" then
    return prose(block.text)
  elseif block.type == "thinking" then
    table.insert(lines, block.redacted == true and "(thinking withheld)" or "(thinking)")
    add(lines, M.split(block.thinking), "  ")
    return grouped(lines, "SessiondThinking")
  elseif block.type == "image" then
    table.insert(lines, ("[image %s]"):format(text_of(block.mimeType)))
  elseif block.type == "toolCall" then
    table.insert(lines, "→ " .. text_of(block.name))
    lines.groups = { "SessiondTool" }
    if type(block.arguments) ~= "table" or next(block.arguments) ~= nil then
      add(lines, limited(value_lines(block.arguments, 4), limit), "    ")
    end
  else
    table.insert(lines, ("[%s]"):format(text_of(block.type)))
    add(lines, limited(value_lines(members_but(block, { "type" }), 4), limit), "    ")
  end
  return lines
end

local function content_lines(content, limit)
  if type(content) ~= "table" then
    return prose(content)
  end
  local lines = { groups = {} }
  for _, block in ipairs(content) do
    local more = block_lines(block, limit)
    for index, group in pairs(more.groups or {}) do
      lines.groups[#lines + index] = group
    end
    add(lines, more)
  end
  return lines
end

---@class sessiond.Shown
---@field title string
---@field lines string[]
---@field groups table<integer, string> highlights of lines by index, or `PROSE`
---@field group string highlight of the title

local messages = {}

function messages.user(message, limit)
  return "user", content_lines(message.content, limit), "SessiondUser"
end

function messages.assistant(message, limit)
  local lines = content_lines(message.content, limit)
  if message.stopReason == "error" or message.stopReason == "aborted" then
    table.insert(lines, ("! %s %s"):format(message.stopReason, M.one_line(message.errorMessage)))
  end
  local model = of("string", message.model)
  return "assistant" .. (model and " " .. model or ""), lines, "SessiondAssistant"
end

function messages.toolResult(message, limit)
  local title = "tool result " .. text_of(message.toolName)
  local lines = limited(content_lines(message.content, 0), limit)
  -- The output of a tool is not Markdown.
  lines.groups = nil
  if message.isError == true then
    return title .. " (error)", lines, "SessiondError"
  end
  return title, lines, "SessiondTool"
end

function messages.bashExecution(message, limit)
  local lines = {}
  add(lines, M.split("$ " .. text_of(message.command)))
  add(lines, limited(M.split(message.output), limit))
  local code = of("number", message.exitCode)
  if message.cancelled == true then
    table.insert(lines, "(cancelled)")
  elseif code and code ~= 0 then
    table.insert(lines, ("(exit code %d)"):format(code))
  end
  return "shell", lines, "SessiondTool"
end

function messages.custom(message, limit)
  local title = "custom message " .. text_of(message.customType)
  return title, content_lines(message.content, limit), "SessiondMeta"
end

function messages.system(message, limit)
  local lines = content_lines(message.content, 0)
  if type(message.sections) == "table" then
    add(lines, value_lines(message.sections, 2))
  end
  return "system", limited(lines, limit), "SessiondMeta"
end

local entries = {}

function entries.message(entry, limit)
  local message = of("table", entry.message) or {}
  local show = messages[message.role]
  if show then
    return show(message, limit)
  end
  local rest = members_but(message, { "role" })
  local title = "message " .. text_of(message.role)
  return title, limited(value_lines(rest, 4), limit), "SessiondMeta"
end

function entries.thinking_level_change(entry)
  return "thinking level " .. text_of(entry.thinkingLevel), {}, "SessiondMeta"
end

function entries.model_change(entry)
  local title = ("model %s/%s"):format(text_of(entry.provider), text_of(entry.modelId))
  return title, {}, "SessiondMeta"
end

function entries.compaction(entry)
  local tokens = of("number", entry.tokensBefore)
  local title = "compaction" .. (tokens and (" (%d tokens before)"):format(tokens) or "")
  return title, prose(entry.summary), "SessiondSummary"
end

function entries.branch_summary(entry)
  return "summary of an abandoned branch", prose(entry.summary), "SessiondSummary"
end

function entries.custom(entry)
  return "custom " .. text_of(entry.customType), {}, "SessiondMeta"
end

function entries.custom_message(entry, limit)
  return messages.custom(entry, limit)
end

function entries.label(entry)
  local label, target = text_of(entry.label), text_of(entry.targetId)
  if label == "" then
    return "label removed from " .. target, {}, "SessiondMeta"
  end
  return ("label [%s] on %s"):format(M.one_line(label), target), {}, "SessiondMeta"
end

function entries.session_info(entry)
  return "name " .. M.one_line(entry.name), {}, "SessiondMeta"
end

function entries.usage(entry)
  local parts = { text_of(entry.kind), text_of(entry.provider), text_of(entry.model) }
  return ("usage %s %s/%s"):format(unpack(parts)), {}, "SessiondMeta"
end

function entries.context_edit(entry, limit)
  local title = "context edit of " .. text_of(entry.targetId)
  local replacement = of("table", entry.replacement)
  if not replacement then
    return title .. ": removed from the context", {}, "SessiondMeta"
  end
  return title, content_lines(replacement.content, limit), "SessiondMeta"
end

--- Cut very many lines, and very long ones, in place.
local function shorten(lines)
  for index = #lines, MOST_LINES + 2, -1 do
    lines[index] = nil
  end
  for index, line in ipairs(lines) do
    lines[index] = text.cut(line, LONGEST_LINE)
  end
end

--- Return the title and lines of an entry.
---@param entry sessiond.Entry
---@param limit integer lines of tool output; 0: all
---@return sessiond.Shown
function M.entry(entry, limit)
  local show = entries[entry.type]
  local title, lines, group
  if show then
    title, lines, group = show(entry, limit)
  else
    local rest = members_but(entry, { "type", "id", "parentId", "timestamp" })
    title, group = text_of(entry.type), "SessiondMeta"
    lines = limited(value_lines(rest, 4), limit)
  end
  if limit > 0 then
    local count = #lines
    shorten(lines)
    if #lines < count then
      lines[#lines] = ("… %d more lines"):format(count - MOST_LINES)
    end
  end
  return { title = M.one_line(title), lines = lines, groups = lines.groups or {}, group = group }
end

local roles = {
  user = "SessiondUser",
  assistant = "SessiondAssistant",
  toolResult = "SessiondTool",
  bashExecution = "SessiondTool",
}

--- Return the line of a node of the tree.
---@param node sessiond.OutlineNode
---@return string text
---@return string group
function M.node(node)
  local kind = of("string", node.role) or node.type
  local group = roles[node.role] or "SessiondMeta"
  if node.type == "compaction" or node.type == "branch_summary" then
    group = "SessiondSummary"
  end
  local preview = M.one_line(node.preview)
  local label = of("string", node.label)
  local text = kind .. (preview ~= "" and ": " .. preview or "")
  return text .. (label and ("  [%s]"):format(M.one_line(label)) or ""), group
end

--- Return the lines of entries, one after the other, each with a heading.
---@param entries sessiond.Entry[]
---@param options {limit: integer, time_format: string, label: fun(id: string): string?}
---@param lines sessiond.Line[] to which they are added
---@param begins fun(entry: sessiond.Entry, line: integer) called with the line of each heading
function M.entries(entries, options, lines, begins)
  for _, entry in ipairs(entries) do
    local shown = M.entry(entry, options.limit)
    local label = options.label(entry.id)
    local heading = ("## %s  %s%s"):format(
      shown.title,
      M.time(entry.timestamp, options.time_format),
      label and ("  [%s]"):format(M.one_line(label)) or ""
    )
    table.insert(lines, { text = heading, group = shown.group })
    begins(entry, #lines)
    for index, text in ipairs(shown.lines) do
      local group = shown.groups[index]
      local is_prose = group == M.PROSE
      table.insert(lines, { text = text, prose = is_prose, group = not is_prose and group or nil })
    end
    table.insert(lines, { text = "" })
  end
end

--- Columns of a title outside of a list, at most.
M.TITLE_COLUMNS = 72

--- Return the title of a session: its name, or the beginning of its first message.
---@param info sessiond.SessionInfo
---@return string
function M.title(info)
  return M.one_line(info.name) ~= "" and M.one_line(info.name) or M.one_line(info.firstMessage)
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
