--- The text of lists: the lines above the items, and one line for each item.

local render = require("sessiond.render")

local M = {}

--- Return the line of an item: age, title, and the number of messages, the directory or the hit.
---@param item sessiond.Item
---@param with_cwd boolean whether directories are shown
---@param columns integer width of the window
---@return sessiond.Line
function M.item(item, with_cwd, columns)
  local info = item.info
  local right = item.snippet and item.snippet.role .. ": " .. render.one_line(item.snippet.text)
    or with_cwd and vim.fn.fnamemodify(info.cwd, ":~")
    or ("%d message%s"):format(info.messageCount, info.messageCount == 1 and "" or "s")
  if info.agent and not item.snippet then
    right = ("%s  %s"):format(info.agent, right)
  end
  local share = (item.snippet or with_cwd) and math.floor(columns / 2) or columns - 20
  local width = math.max(10, share - 6)
  local own_marks = render.marks(info):gsub("^pinned ?", "")
  if own_marks ~= "" then
    own_marks = "  " .. render.fit(own_marks, math.floor(width / 2))
  end
  local star = info.marks and info.marks.pinned and "★ " or ""
  local title = render.fit(star .. render.title(info), width - vim.fn.strdisplaywidth(own_marks))
  local age = ("%4s  "):format(render.age(info.modified))
  local padding = own_marks .. (" "):rep(width - vim.fn.strdisplaywidth(title .. own_marks) + 2)
  local marks = { { 0, #age, "SessiondFacts" } }
  if render.one_line(info.name) ~= "" then
    table.insert(marks, { #age, #age + #title, "SessiondName" })
  end
  local start = #age + #title + #padding
  local text = age .. title .. padding .. render.fit(right, math.max(8, columns - width - 8))
  table.insert(marks, { start, #text, "SessiondFacts" })
  return { text = text, marks = marks }
end

--- Return the two lines above the items: the title, and the filter or the keys.
---@param list sessiond.List
---@return sessiond.Line[]
function M.head(list)
  local count, keys = tostring(#list.shown), list.options.hint or "<CR> open"
  if list.filter ~= "" then
    count = ("%d of %d"):format(#list.shown, #list.items)
    keys = ("matching %q  / change  <BS> show all  "):format(list.filter) .. keys
  else
    keys = keys .. "  / filter  p preview  t tree  s search  a all  r rename  m mark  D delete  q close"
  end
  return {
    { text = ("%s (%s)"):format(list.options.title, count), group = "SessiondTitle" },
    { text = keys, group = "SessiondFacts" },
  }
end

--- Return the line that says why a list shows no items.
---@param list sessiond.List
---@return sessiond.Line
function M.empty(list)
  local text = #list.items > 0 and "No session matches." or list.options.empty
  if list.loading then
    text = "…"
  elseif list.note then
    text = "! " .. list.note
  end
  return { text = text, group = "SessiondFacts" }
end

return M
