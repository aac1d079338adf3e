-- What users see: commands are run in this Neovim, against the real daemon.

local config = require("sessiond.config")
local daemon = require("sessiond.daemon")
local client_module = require("sessiond.client")
local support = require("support")

local uv = vim.uv or vim.loop
local equal, becomes, has, lines = support.equal, support.becomes, support.has, support.lines
local message = support.message

local M = {}
local cases = {}

local function case(name, run)
  table.insert(cases, { name = name, run = run })
end

--- What was said to people since the case began.
local said = {}
--- How often something was chosen from.
local offered = {}

--- A directory with a session of two messages, and Neovim in it.
local function folder(more)
  local cwd = support.directory()
  vim.cmd("cd " .. vim.fn.fnameescape(cwd))
  local path = support.session(cwd, "one", {
    support.header("one", cwd),
    message("u1", nil, 1, "user", '"hello"'),
    message("a1", "u1", 2, "assistant", '[{"type":"text","text":"hi\\nthere"}]', ',"model":"m"'),
    unpack(more or {}),
  })
  return cwd, path
end

--- Choose the item at this place from now on, with |vim.ui.select()|.
local function choosing(place)
  config.values.picker = "select"
  vim.ui.select = function(items, options, chosen)
    local texts = {}
    for index, item in ipairs(items) do
      texts[index] = options.format_item(item)
    end
    table.insert(offered, { prompt = options.prompt, texts = texts })
    chosen(items[place], place)
  end
end

local HELLO = {
  "# hello",
  "CWD  ·  2 entries",
  "",
  "## User  2025-06-01 10:00:01",
  "hello",
  "",
  "## Assistant  2025-06-01 10:00:02  m",
  "hi",
  "there",
}

local function with_cwd(expected, cwd)
  return vim.tbl_map(function(line)
    return (line:gsub("CWD", (cwd:gsub("%%", "%%%%"))))
  end, expected)
end

--- Run a command and wait until the buffer of the session is current and shows something.
local function read(command)
  choosing(1)
  vim.cmd(command or "Sessions")
  support.await("transcript", function()
    return vim.bo.filetype == "sessiond" and #lines() > 3
  end)
  return vim.api.nvim_get_current_buf()
end

--- Show the transcript and the tree of the session of `folder`; return their buffers.
local function read_with_tree()
  local buffer = read()
  vim.cmd("SessionTree")
  becomes({ "· user: hello", "* assistant: hi there" }, lines)
  return buffer, vim.api.nvim_get_current_buf()
end

--- Wait until both show the entry "more" after the two of `folder`.
local function both_show_more(cwd, buffer, tree)
  becomes({ cwd .. "  ·  3 entries", "more" }, function()
    return { lines(buffer)[2], lines(buffer)[#lines(buffer)] }
  end)
  becomes("* user: more", function()
    return lines(tree)[3]
  end)
end

local function status()
  local answer
  daemon.client():request("daemon/status", nil, function(_, result)
    answer = result
  end)
  return support.await("daemon/status", function()
    return answer
  end)
end

--- Press keys as a person does, mappings included.
local function press(keys)
  local codes = vim.api.nvim_replace_termcodes(keys, true, false, true)
  vim.api.nvim_feedkeys(codes, "mtx", false)
end

case("Sessions offers those of this directory, the latest first, and shows the one chosen", function()
  local cwd, path = folder()
  support.session(cwd, "two", {
    support.header("two", cwd),
    message("u1", nil, 30, "user", '"second\\nsession"'),
    support.entry("n1", "u1", 31, '"session_info","name":"named"'),
  })
  choosing(2)
  vim.cmd("Sessions")
  becomes(with_cwd(HELLO, cwd), lines)
  equal("sessiond://" .. path, vim.api.nvim_buf_get_name(0))
  equal({
    prompt = "Sessions of " .. vim.fn.fnamemodify(cwd, ":~"),
    texts = {
      "named  ·  1 message  ·  2025-06-01 10:00:30",
      "hello  ·  2 messages  ·  2025-06-01 10:00:02",
    },
  }, offered[1])
  equal({ false, false, "nofile" }, { vim.bo.modifiable, vim.bo.modified, vim.bo.buftype })
  equal(#HELLO, vim.api.nvim_win_get_cursor(0)[1], "the cursor is at the end")
end)

case("Sessions! offers those of all directories, with the directory", function()
  folder()
  local cwd = folder()
  choosing(99)
  vim.cmd("Sessions!")
  support.await("choice", function()
    return offered[1]
  end)
  equal("Sessions of all directories", offered[1].prompt)
  assert(#offered[1].texts >= 2)
  has(vim.fn.fnamemodify(cwd, ":~"), table.concat(offered[1].texts, "\n"))
end)

case("Sessions says where there are none", function()
  local cwd = support.directory()
  vim.cmd("cd " .. vim.fn.fnameescape(cwd))
  choosing(1)
  vim.cmd("Sessions")
  becomes({ "sessiond: There are no sessions of this directory. a lists those of all directories." }, function()
    return said
  end)
end)

case("a session that another program begins is in the next list", function()
  local cwd = folder()
  read()
  support.session(cwd, "later", {
    support.header("later", cwd),
    message("u1", nil, 50, "user", '"later"'),
  })
  choosing(99)
  becomes("later  ·  1 message  ·  2025-06-01 10:00:50", function()
    vim.cmd("Sessions")
    vim.wait(50)
    return offered[#offered].texts[1]
  end)
end)

case("every kind of entry is shown as its view says", function()
  local e = support.entry
  local cost = ',"usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":3,"cost":{"input":0,'
    .. '"output":0,"cacheRead":0,"cacheWrite":0,"total":0.0312}},"provider":"p","model":"m","stopReason":"toolUse"'
  local cwd, path = folder({
    message(
      "a2",
      "a1",
      3,
      "assistant",
      '[{"type":"thinking","thinking":"hm\\nso"},{"type":"toolCall","id":"t","name":"edit",'
        .. '"arguments":{"path":"a.lua","edits":[{"oldText":"x","newText":"y\\nz"}]}},'
        .. '{"type":"toolCall","id":"u","name":"bash","arguments":{"command":"ls","timeout":5,"env":"A\\nB"}}]',
      cost
    ),
    message("r1", "a2", 4, "toolResult", '[{"type":"text","text":"\\u001b[31mdone\\u001b[0m"}]', ',"toolName":"edit","toolCallId":"t"'),
    message("r2", "r1", 5, "toolResult", '"no"', ',"toolName":"bash","isError":true,"toolCallId":"u"'),
    message("r3", "r2", 5, "toolResult", '""', ',"toolName":"edit","details":{"diff":" 9 a\\n-10 b\\n+10 B\\n   ..."}'),
    e("b1", "r3", 6, '"message","message":{"role":"bashExecution","command":"ls","output":"f\\n","exitCode":2}'),
    e("t1", "b1", 7, '"thinking_level_change","thinkingLevel":"high"'),
    e("m1", "t1", 8, '"model_change","provider":"p","modelId":"m"'),
    e("c1", "m1", 9, '"compaction","summary":"so far","tokensBefore":1200,"firstKeptEntryId":"a2"'),
    e("s1", "c1", 10, '"branch_summary","summary":"other","fromId":"x"'),
    e("x1", "s1", 11, '"custom","customType":"ext","data":{"k":1}'),
    e("x2", "x1", 12, '"custom_message","customType":"ext","content":"note","display":false'),
    e("l1", "x2", 13, '"label","targetId":"a1","label":"start"'),
    e("n1", "l1", 14, '"session_info","name":"My name"'),
    e("z1", "n1", 17, '"hologram","depth":3'),
    message("u2", "z1", 18, "user", '[{"type":"text","text":"see"},{"type":"image","data":"QUJD","mimeType":"image/png"}]'),
    message("a3", "u2", 19, "assistant", '[{"type":"odd"}]', ',"stopReason":"error","errorMessage":"over\\nloaded"'),
    "no entry",
  })
  local buffer = read()
  equal("sessiond://" .. path, vim.api.nvim_buf_get_name(0))
  local shown = lines()
  has("! line ", shown[3])
  shown[3] = ""
  equal({
    "# My name",
    cwd .. "  ·  18 entries",
    "",
    "## User  2025-06-01 10:00:01",
    "hello",
    "",
    "## Assistant  2025-06-01 10:00:02  m  [start]",
    "hi",
    "there",
    "",
    "## Assistant  2025-06-01 10:00:03  p/m  $0.0312",
    "(thinking)",
    "  hm",
    "  so",
    "→ edit  a.lua",
    "-x",
    "+y",
    "+z",
    "→ bash  ls",
    "    timeout: 5",
    "    env:",
    "      A",
    "      B",
    "",
    "## Tool result: edit  2025-06-01 10:00:04",
    "← edit  a.lua",
    "done",
    "",
    "## Tool result: bash (error)  2025-06-01 10:00:05",
    "← bash  ls",
    "no",
    "",
    "## Tool result: edit  2025-06-01 10:00:05",
    "← edit",
    "    9  a",
    "   10 -b",
    "   10 +B",
    "      …",
    "",
    "## Command  2025-06-01 10:00:06  exit code 2",
    "$ ls",
    "f",
    "",
    "## Thinking level: high  2025-06-01 10:00:07",
    "",
    "## Model: p/m  2025-06-01 10:00:08",
    "",
    "## Summary of compacted messages  2025-06-01 10:00:09  1,200 tokens before",
    "so far",
    "",
    "## Summary of another branch  2025-06-01 10:00:10",
    "other",
    "",
    "## Custom entry: ext  2025-06-01 10:00:11",
    "",
    "## ext  2025-06-01 10:00:12  hidden",
    "note",
    "",
    "## Label of a1: start  2025-06-01 10:00:13",
    "",
    "## Name: My name  2025-06-01 10:00:14",
    "",
    "## Entry of type hologram  2025-06-01 10:00:17",
    "",
    "## User  2025-06-01 10:00:18",
    "see",
    "[image image/png, 3 bytes]",
    "",
    "## Assistant  2025-06-01 10:00:19",
    "[odd]",
    '    {"type":"odd"}',
    "! over loaded",
  }, shown)
  local namespace = vim.api.nvim_get_namespaces().sessiond
  local function group(line)
    return vim.api.nvim_buf_get_extmarks(buffer, namespace, { line - 1, 0 }, { line - 1, -1 }, { details = true })[1][4].hl_group
  end
  equal({ "SessiondRemoved", "SessiondAdded", "SessiondAdded" }, { group(16), group(17), group(18) })
  equal({ "SessiondTool", "SessiondError" }, { group(25), group(29) })
  -- Thinking, calls and output are closed.
  equal({ 12, 14 }, { vim.fn.foldclosed(13), vim.fn.foldclosedend(13) })
  equal({ -1, 19, 26, 30 }, vim.tbl_map(vim.fn.foldclosed, { 16, 23, 27, 31 }))
end)

case("a kind of block that is not known is shown as its text", function()
  local render = require("sessiond.render")
  local item = { entryId = "i", role = "x", time = "", title = "X", blocks = { { kind = "hologram", text = "a\nb" } } }
  local shown = render.item(item, { limit = 3, time_format = "%Y" })
  equal({ "## X", "a", "b", "" }, vim.tbl_map(function(line)
    return line.text
  end, shown))
  item.blocks = vim.tbl_map(function(kind)
    return { kind = kind, closed = true, omittedChars = 7 }
  end, { "text", "thinking", "call", "diff", "result", "command", "image", "summary", "error", "data" })
  for _, line in ipairs(render.item(item, { limit = 3, time_format = "%Y" })) do
    assert(type(line.text) == "string" and not line.text:find("\n"))
  end
end)

case("a result that arrives later is joined to its call, and its diff takes the place of the call's", function()
  local _, path = folder({
    message(
      "a2",
      "a1",
      3,
      "assistant",
      '[{"type":"toolCall","id":"t","name":"edit","arguments":{"path":"a.lua","oldText":"x","newText":"y"}}]'
    ),
  })
  read()
  equal({ "→ edit  a.lua", "-x", "+y" }, vim.list_slice(lines(), 12))
  support.append(path, message("r1", "a2", 4, "toolResult", '"ok"', ',"toolName":"edit","toolCallId":"t","details":{"diff":"-3 x\\n+3 y"}'))
  becomes({
    "→ edit  a.lua",
    "",
    "## Tool result: edit  2025-06-01 10:00:04",
    "← edit  a.lua",
    "ok",
    "    3 -x",
    "    3 +y",
  }, function()
    return vim.list_slice(lines(), 12)
  end)
end)

case("a branch of many pages is read whole", function()
  local more = {}
  for number = 1, 1200 do
    local parent = number == 1 and "a1" or "m" .. number - 1
    more[number] = message("m" .. number, parent, 3, "user", ('"%d"'):format(number))
  end
  local _, path = folder(more)
  read()
  equal({ 1202 * 3 + 3, "1200" }, { #lines(), lines()[#lines()] })
  support.append(path, message("more", "m1200", 4, "user", '"more"'))
  becomes("more", function()
    return lines()[#lines()]
  end)
end)

case("times are understood as UTC", function()
  local render = require("sessiond.render")
  equal(0, render.seconds("1970-01-01T00:00:00.000Z"))
  equal(951782400, render.seconds("2000-02-29T00:00:00Z"))
  equal(1748772061, render.seconds("2025-06-01T10:01:01.999Z"))
  equal(nil, render.seconds("yesterday"))
  equal("yesterday", render.time("yesterday", "%Y"))
end)

case("long output is cut, and x shows it whole", function()
  local output = {}
  for number = 1, 60 do
    output[number] = tostring(number)
  end
  local text = vim.json.encode(table.concat(output, "\n"))
  folder({ message("r1", "a1", 3, "toolResult", text, ',"toolName":"read"') })
  read()
  equal("… 40 more lines", lines()[#lines()])
  local short = #lines()
  press("x")
  equal({ short + 39, "60" }, { #lines(), lines()[#lines()] })
  press("x")
  equal(short, #lines())
end)

case("entries fold, and ]] and [[ go from one to the next", function()
  folder()
  read()
  vim.cmd("normal! zM")
  equal({ 4, 6 }, { vim.fn.foldclosed(5), vim.fn.foldclosedend(5) })
  equal({ 7, 9 }, { vim.fn.foldclosed(8), vim.fn.foldclosedend(8) })
  vim.cmd("normal! zR")
  press("gg]]")
  equal(4, vim.api.nvim_win_get_cursor(0)[1])
  press("]]")
  equal(7, vim.api.nvim_win_get_cursor(0)[1])
  press("[[")
  equal(4, vim.api.nvim_win_get_cursor(0)[1])
end)

case("what another program appends shows, and a cursor at the end follows", function()
  local cwd, path = folder()
  local buffer = read()
  vim.cmd("split")
  vim.cmd("normal! gg")
  local reading = vim.api.nvim_get_current_win()
  vim.cmd("wincmd p")
  local following = vim.api.nvim_get_current_win()
  support.append(path, message("u2", "a1", 3, "user", '"more"'))
  local expected = with_cwd(HELLO, cwd)
  expected[2] = cwd .. "  ·  3 entries"
  vim.list_extend(expected, { "", "## User  2025-06-01 10:00:03", "more" })
  becomes(expected, function()
    return lines(buffer)
  end)
  equal(#expected, vim.api.nvim_win_get_cursor(following)[1], "this one follows")
  equal(1, vim.api.nvim_win_get_cursor(reading)[1], "this one stays")
  for number = 1, 30 do
    local parent = number == 1 and "u2" or "x" .. number - 1
    support.append(path, message("x" .. number, parent, 4, "user", ('"%d"'):format(number)))
  end
  becomes({ cwd .. "  ·  33 entries", "30" }, function()
    return { lines(buffer)[2], lines(buffer)[#lines(buffer)] }
  end)
  equal(#lines(buffer), vim.api.nvim_win_get_cursor(following)[1])
end)

case("another branch begun elsewhere is followed, and labels and names appear", function()
  local cwd, path = folder()
  read()
  support.append(path, message("u2", "u1", 5, "user", '"other way"'))
  becomes({ "## User  2025-06-01 10:00:05", "other way" }, function()
    return { lines()[7], lines()[8] }
  end)
  equal(8, #lines())
  support.append(path, support.entry("l1", "u2", 6, '"label","targetId":"u1","label":"begin"'))
  support.append(path, support.entry("n1", "l1", 7, '"session_info","name":"Named elsewhere"'))
  becomes({ "# Named elsewhere", cwd .. "  ·  5 entries", "## User  2025-06-01 10:00:01  [begin]" }, function()
    return { lines()[1], lines()[2], lines()[4] }
  end)
end)

case("a deleted file is said to be deleted, what was read stays, and it may come back", function()
  local cwd, path = folder()
  local text = support.read(path)
  read()
  uv.fs_unlink(path)
  local expected = with_cwd(HELLO, cwd)
  expected[3] = "! the file was deleted"
  becomes(expected, lines)
  support.write(path, text)
  becomes(with_cwd(HELLO, cwd), lines)
end)

case("looking at a version 1 file leaves every byte as it is", function()
  local cwd = support.directory()
  vim.cmd("cd " .. vim.fn.fnameescape(cwd))
  local text = ('{"type":"session","id":"v1","timestamp":"2025-06-01T10:00:00.000Z","cwd":%q}\n'):format(cwd)
    .. '{"type":"message","timestamp":"2025-06-01T10:00:01.000Z","message":{"role":"user","content":"old"}}\n'
  local path = support.sessions_dir(cwd) .. "/v1.jsonl"
  support.write(path, text)
  read()
  equal({ "## User  2025-06-01 10:00:01", "old" }, { lines()[4], lines()[5] })
  vim.cmd("SessionTree")
  becomes({ "* user: old" }, lines)
  equal(text, support.read(path))
end)

--- u1 - a1 - u2 - a2   and   a1 - u3 (labelled) - l1, the leaf
local function branches()
  return folder({
    message("u2", "a1", 3, "user", '"first way"'),
    message("a2", "u2", 4, "assistant", '[{"type":"text","text":"done first"}]'),
    message("u3", "a1", 5, "user", '"second way"'),
    support.entry("l1", "u3", 6, '"label","targetId":"u3","label":"try"'),
  })
end

local TREE = {
  "· user: hello",
  "· assistant: hi there",
  "  ├─ user: first way",
  "  │  assistant: done first",
  "· └─ user: second way  [try]",
  "*    label: try",
}

case("SessionTree shows the branches, labels and the leaf, and folds", function()
  local _, path = branches()
  read()
  vim.cmd("SessionTree")
  becomes(TREE, lines)
  equal("sessiond://tree" .. path, vim.api.nvim_buf_get_name(0))
  equal(6, vim.api.nvim_win_get_cursor(0)[1], "the entry the transcript's cursor was on")
  vim.cmd("normal! zM")
  equal({ 3, 4 }, { vim.fn.foldclosed(3), vim.fn.foldclosedend(4) })
  equal({ 5, 6 }, { vim.fn.foldclosed(5), vim.fn.foldclosedend(6) })
  equal({ -1, -1 }, { vim.fn.foldclosed(1), vim.fn.foldclosed(2) })
end)

case("in the tree Enter shows the entry, on any branch", function()
  local cwd = branches()
  local buffer = read()
  vim.cmd("SessionTree")
  becomes(TREE, lines)
  vim.api.nvim_win_set_cursor(0, { 2, 0 })
  press("<CR>")
  becomes({ buffer, "## Assistant  2025-06-01 10:00:02  m" }, function()
    return { vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_line() }
  end)
  vim.cmd("wincmd p")
  vim.api.nvim_win_set_cursor(0, { 3, 0 })
  press("<CR>")
  becomes("## User  2025-06-01 10:00:03", vim.api.nvim_get_current_line)
  equal(cwd .. "  ·  6 entries  ·  not the latest branch (press R for that)", lines()[2])
  equal("done first", lines()[#lines()], "the branch is shown to its end")
  equal(2, #vim.api.nvim_tabpage_list_wins(0))
  press("R")
  becomes("## Label of u3: try  2025-06-01 10:00:06", function()
    return lines()[#lines()]
  end)
end)

case("a transcript shows the answer in progress of another handle below it", function()
  local _, path = folder()
  require("sessiond.transcript").open(path)
  local function last()
    return lines()[#lines()]
  end
  becomes("there", last)
  local writer
  daemon.ready(function(_, client)
    client:open({ path = path }, function(_, session)
      writer = session
      session:request("session/publishDraft", {
        message = { role = "assistant", content = { { type = "text", text = "I am writ" } } },
      })
    end)
  end)
  becomes("I am writ", last)
  has("not finished", table.concat(lines(), "\n"))
  writer:close()
  becomes("there", last)
end)

case("SessionTree without a session offers some, and the tree grows with the file", function()
  local _, path = folder()
  choosing(1)
  vim.cmd("SessionTree")
  becomes({ "· user: hello", "* assistant: hi there" }, lines)
  support.append(path, message("u2", "u1", 3, "user", '"again"'))
  becomes({ "· user: hello", "  ├─ assistant: hi there", "* └─ user: again" }, lines)
  press("<CR>")
  support.await("transcript", function()
    return vim.bo.filetype == "sessiond" and #lines() > 3
  end)
end)

case("a long conversation stays at the margin of the tree", function()
  local more = {}
  for number = 1, 4000 do
    local parent = number == 1 and "a1" or "m" .. number - 1
    more[number] = message("m" .. number, parent, 3, "user", ('"%d"'):format(number))
  end
  folder(more)
  read()
  vim.cmd("SessionTree")
  support.await("tree", function()
    return #lines() == 4002
  end)
  equal("* user: 4000", lines()[4002])
end)

case("SessionRename names the session for everybody, and the buffers show it", function()
  local cwd, path = folder()
  local buffer = read()
  vim.cmd("SessionRename Two words")
  becomes({ "# Two words", cwd .. "  ·  3 entries" }, function()
    return { lines(buffer)[1], lines(buffer)[2] }
  end)
  local last = vim.json.decode(vim.trim(support.read(path)):match("[^\n]*$"))
  equal({ "session_info", "Two words", "a1" }, { last.type, last.name, last.parentId })
  becomes({ 'sessiond: The session is named "Two words"' }, function()
    return said
  end)
  vim.ui.input = function(options, given)
    equal("Two words", options.default)
    given("Asked for")
  end
  vim.cmd("SessionTree")
  vim.cmd("SessionRename")
  becomes("# Asked for", function()
    return lines(buffer)[1]
  end)
end)

case("SessionRename elsewhere says what to do", function()
  vim.cmd("SessionRename x")
  equal({ "sessiond: This buffer shows no session; choose one with :Sessions" }, said)
end)

--- Answer the questions of |confirm()| from now on, and return what is asked.
local function confirming(answer)
  local asked = {}
  vim.fn.confirm = function(question)
    table.insert(asked, question)
    return answer
  end
  return asked
end

local function last_said()
  return said[#said]
end

case("SessionDelete asks, moves the session to the trash, and SessionRestore brings it back", function()
  local _, path = folder()
  local before = support.read(path)
  local buffer, tree = read_with_tree()
  local asked = confirming(2)
  vim.cmd("SessionDelete")
  support.await("question", function()
    return asked[1]
  end)
  equal({ "Move this session to the trash?\nhello\n" .. vim.fn.fnamemodify(path, ":~") }, asked)
  equal(1, status().openSessions)
  equal(before, support.read(path))
  asked = confirming(1)
  vim.cmd("SessionDelete")
  becomes({ "sessiond: moved to the trash: " .. path }, function()
    return said
  end)
  equal(1, #asked)
  equal(nil, support.read(path))
  equal(before, support.read(vim.env.HOME .. "/.local/share/Trash/files/one.jsonl"))
  equal({ false, false }, { vim.api.nvim_buf_is_valid(buffer), vim.api.nvim_buf_is_valid(tree) })
  equal(0, status().openSessions)
  equal({ path }, vim.fn.getcompletion("SessionRestore " .. path:sub(1, -4), "cmdline"))
  offered = {}
  vim.cmd("SessionRestore")
  becomes("sessiond: restored: " .. path, last_said)
  equal("Restore", offered[1].prompt)
  equal("hello  ·  deleted", offered[1].texts[1]:match("^.*deleted"))
  equal(before, support.read(path))
  -- The list hears of it a moment later.
  offered = {}
  support.await("the session in the list", function()
    vim.cmd("Sessions")
    return offered[1]
  end)
  becomes("# hello", function()
    return lines()[1]
  end)
end)

case("SessionMark pins, tags and hides, and the list follows", function()
  folder()
  read()
  local columns = vim.o.columns
  vim.o.columns = 160
  vim.cmd("SessionMark pin #bug #later")
  becomes({ "sessiond: The session is marked: pinned #bug #later" }, function()
    return said
  end)
  vim.cmd("SessionMark x")
  equal("sessiond: \"x\" is no mark: pin, unpin, hide, unhide, #tag or -#tag", said[2])
  require("sessiond.list").open(require("sessiond.list").sessions_of(vim.fn.getcwd()))
  support.await("the marks in the list", function()
    return (lines()[3] or ""):find("★ hello  #bug #later", 1, true) ~= nil
  end)
  vim.cmd("SessionMark hide -#bug")
  becomes({ "No session matches." }, function()
    return { lines()[3] }
  end)
  require("sessiond.list").of(vim.api.nvim_get_current_buf()):narrow("hidden")
  support.await("the hidden session", function()
    return (lines()[3] or ""):find("★ hello  hidden #later", 1, true) ~= nil
  end)
  -- Marks belong to ids, which other tests use, too.
  vim.cmd("SessionMark unpin unhide -#later")
  becomes("sessiond: The session has no marks now", last_said)
  vim.o.columns = columns
  equal({ "pin" }, vim.fn.getcompletion("SessionMark p", "cmdline"))
end)

case("SessionDelete! elsewhere offers sessions and does not ask; the latest is restored first", function()
  vim.fn.delete(vim.env.HOME .. "/.local/share/Trash", "rf")
  local cwd, path = folder()
  local other = support.session(cwd, "two", {
    support.header("two", cwd),
    message("u1", nil, 30, "user", '"second"'),
  })
  local asked = confirming(2)
  choosing(2)
  vim.cmd("SessionDelete!")
  becomes("sessiond: moved to the trash: " .. path, last_said)
  choosing(1)
  vim.cmd("SessionDelete!")
  becomes("sessiond: moved to the trash: " .. other, last_said)
  equal({}, asked)
  equal("", vim.fn.glob(support.sessions_dir(cwd) .. "/*"))
  vim.cmd("SessionRestore")
  becomes("sessiond: restored: " .. other, last_said)
  support.write(path, "new\n")
  vim.cmd("SessionRestore " .. path)
  becomes("sessiond: File exists already: " .. path, last_said)
  equal("new\n", support.read(path))
  support.remove(path)
  vim.cmd("SessionRestore " .. path)
  becomes("sessiond: restored: " .. path, last_said)
  vim.cmd("SessionRestore")
  becomes("sessiond: The trash has no session", last_said)
end)

case("SessionDelete deletes a session that another program only shows", function()
  local _, path = folder()
  read()
  local other = client_module.new({ command = { support.daemon } })
  local shown
  other:open({ path = path, readOnly = true }, function(_, session)
    shown = session
  end)
  support.await("handle", function()
    return shown
  end)
  vim.cmd("SessionDelete!")
  becomes("sessiond: moved to the trash: " .. path, last_said)
  other:stop()
end)

case("SessionDelete asks again if a program has the session open for writing", function()
  local cwd, path = folder()
  local buffer = read()
  local other
  daemon.client():open({ path = path }, function(_, session)
    other = session
  end)
  support.await("handle", function()
    return other
  end)
  vim.cmd("SessionDelete!")
  local refusal
  support.await("refusal", function()
    refusal = (last_said() or ""):match("^sessiond: (Session is open on this connection as .*)$")
    return refusal
  end)
  has(path, refusal)
  -- The buffer goes on.
  support.append(path, message("u2", "a1", 3, "user", '"again"'))
  becomes(cwd .. "  ·  3 entries", function()
    return lines(buffer)[2]
  end)
  local asked = {}
  vim.fn.confirm = function(question)
    table.insert(asked, question)
    return #asked == 2 and 2 or 1
  end
  vim.cmd("SessionDelete")
  support.await("both questions", function()
    return asked[2]
  end)
  local warning = "\nMove it to the trash anyway? If that program goes on writing, the file appears again."
  equal(refusal .. warning, asked[2])
  assert(support.read(path))
  vim.cmd("SessionDelete")
  becomes("sessiond: moved to the trash: " .. path, last_said)
  equal(nil, support.read(path))
  other:close()
end)

case("SessionSearch finds what was said, and opens the session there", function()
  local cwd = branches()
  choosing(1)
  vim.cmd('SessionSearch "done first"')
  becomes("## Assistant  2025-06-01 10:00:04", vim.api.nvim_get_current_line)
  equal(cwd .. "  ·  6 entries  ·  not the latest branch (press R for that)", lines()[2])
  equal(1, #offered[1].texts)
  has("assistant: done first", offered[1].texts[1])
  vim.cmd("SessionSearch nowhere-to-be-found")
  becomes({ 'sessiond: Nothing found for "nowhere-to-be-found"' }, function()
    return said
  end)
end)

case("Sessions lists sessions in a buffer with a preview, which follows the files", function()
  local cwd, path = folder()
  local other = support.session(cwd, "two", {
    support.header("two", cwd),
    message("u1", nil, 30, "user", '"second\\nsession"'),
    support.entry("n1", "u1", 31, '"session_info","name":"named"'),
  })
  vim.cmd("Sessions")
  local function titles()
    return vim.tbl_map(function(line)
      return line:sub(7):match("^(.-)%s%s+") or line
    end, vim.list_slice(lines(), 3))
  end
  becomes({ "named", "hello" }, titles)
  equal(("Sessions of %s (2)"):format(vim.fn.fnamemodify(cwd, ":~")), lines()[1])
  equal({ false, "sessiondlist", 3 }, {
    vim.bo.modifiable,
    vim.bo.filetype,
    vim.api.nvim_win_get_cursor(0)[1],
  })
  local function previewed()
    for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
      local buffer = vim.api.nvim_win_get_buf(window)
      if vim.bo[buffer].filetype == "sessiondpreview" then
        return lines(buffer)
      end
    end
  end
  becomes("# named", function()
    return (previewed() or {})[1]
  end)
  vim.api.nvim_win_set_cursor(0, { 4, 0 })
  vim.cmd("doautocmd CursorMoved")
  becomes("there", function()
    return (previewed() or {})[9]
  end)
  press("p")
  equal(nil, previewed())
  support.session(cwd, "later", {
    support.header("later", cwd),
    message("u1", nil, 50, "user", '"later"'),
  })
  becomes({ "later", "named", "hello" }, titles)
  equal(5, vim.api.nvim_win_get_cursor(0)[1], "the cursor stays at its session")
  confirming(1)
  press("D")
  becomes({ "later", "named" }, titles)
  equal(nil, support.read(path))
  vim.api.nvim_win_set_cursor(0, { 4, 0 })
  press("<CR>")
  becomes("sessiond://" .. other, function()
    return vim.api.nvim_buf_get_name(0)
  end)
end)

case("a list of a directory without sessions says so, and q brings the buffer before it back", function()
  local cwd = support.directory()
  vim.cmd("cd " .. vim.fn.fnameescape(cwd))
  local before = vim.api.nvim_get_current_buf()
  vim.cmd("Sessions")
  becomes("There are no sessions of this directory. a lists those of all directories.", function()
    return lines()[3]
  end)
  equal({}, said)
  press("<CR>")
  press("q")
  equal(before, vim.api.nvim_get_current_buf())
end)

case("q in a transcript or a tree shows the buffer before it, if there is no other window", function()
  local _, path = folder()
  vim.cmd("Sessions")
  becomes("hello", function()
    return (lines()[3] or ""):match("hello")
  end)
  local list = vim.api.nvim_get_current_buf()
  vim.cmd("silent! only")
  press("<CR>")
  becomes("sessiond://" .. path, function()
    return vim.api.nvim_buf_get_name(0)
  end)
  vim.cmd("silent! only")
  press("q")
  equal(list, vim.api.nvim_get_current_buf())
  press("<CR>")
  becomes("sessiond", function()
    return vim.bo.filetype
  end)
  vim.cmd("silent! only")
  vim.cmd("SessionTree")
  local tree = vim.api.nvim_get_current_buf()
  press("q")
  equal("sessiond", vim.bo.filetype)
  vim.cmd("SessionTree")
  vim.cmd("silent! only")
  equal(tree, vim.api.nvim_get_current_buf())
  press("q")
  equal("sessiond", vim.bo.filetype)
end)

case("the daemon is in a session of its own, and ends with Neovim in any way", function()
  local directory = support.directory()
  local script = directory .. "/editor.lua"
  local body = [[
    vim.opt.runtimepath:prepend(%q)
    require("sessiond").client(function(_, client)
      client:request("daemon/status", nil, function(_, status)
        local file = io.open(%q, "w")
        file:write(status.pid)
        file:close()
      end)
    end)
  ]]
  support.write(script, body:format(support.root, directory .. "/pid"))
  local arguments = { "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", "luafile " .. script }
  local editor, pid = uv.spawn(vim.v.progpath, { args = arguments }, function() end)
  local daemon_pid = support.await("the daemon", function()
    return tonumber(support.read(directory .. "/pid") or "")
  end)
  local group = vim.trim(vim.fn.system({ "ps", "-o", "pgid=", "-p", tostring(daemon_pid) }))
  assert(tonumber(group) ~= pid and tonumber(group) ~= uv.os_getpid(), group)
  equal(daemon_pid, tonumber(group))
  uv.kill(pid, "sigkill")
  support.await("the end of the daemon", function()
    return uv.kill(daemon_pid, 0) ~= 0
  end)
  editor:close()
end)

case("the search lists hits in a buffer, and Enter goes to the hit", function()
  branches()
  vim.cmd('SessionSearch "done first"')
  becomes('Found: "done first" (1)', function()
    return lines()[1]
  end)
  has("assistant: done first", lines()[3])
  press("<CR>")
  becomes("## Assistant  2025-06-01 10:00:04", vim.api.nvim_get_current_line)
end)

case("Markdown is highlighted in each message on its own", function()
  local marks = require("sessiond.markdown").marks({
    "# Title",
    "- a `*code*` and **bold**",
    "```lua",
    "**x**",
  })
  local found = {}
  for _, each in ipairs(marks) do
    if vim.startswith(each.group, "Sessiond") then
      table.insert(found, { each.line, each.from, each.to, each.group })
    end
  end
  equal({
    { 1, 0, 7, "SessiondHeading" },
    { 2, 0, 1, "SessiondListMarker" },
    { 2, 4, 12, "SessiondCode" },
    { 2, 17, 25, "SessiondStrong" },
    { 3, 0, 6, "SessiondFence" },
    { 4, 0, 5, "SessiondCode" },
  }, found)
  folder({
    message("u2", "a1", 3, "user", '"```\\nnever ended"'),
    message("u3", "u2", 4, "user", '"**bold**"'),
  })
  local buffer = read()
  local namespace = vim.api.nvim_get_namespaces().sessiond
  local last = #lines(buffer) - 1
  local extmarks = vim.api.nvim_buf_get_extmarks(buffer, namespace, { last, 0 }, { last, -1 }, { details = true })
  equal({ "SessiondStrong" }, vim.tbl_map(function(each)
    return each[4].hl_group
  end, extmarks))
end)

case("a long message is shown on one line, and is whole in a variable", function()
  local notify = vim.notify
  vim.notify = daemon.notify
  daemon.say(("long "):rep(100))
  vim.notify = notify
  equal("sessiond: " .. ("long "):rep(100), vim.g.sessiond_message)
  local last = vim.fn.execute("messages"):match("[^\n]*$")
  has("sessiond: long long", last)
  assert(vim.fn.strdisplaywidth(last) <= vim.v.echospace, last)
end)

case("the status line shows the title, unless the user chose another", function()
  folder()
  read()
  has("sessiond.status", vim.wo.statusline)
  equal("hello", require("sessiond.status").text())
  vim.cmd("enew")
  equal("", vim.wo.statusline)
end)

case("after the daemon is killed the buffers live on", function()
  local cwd, path = folder()
  local buffer, tree = read_with_tree()
  local before = status().pid
  uv.kill(before, "sigkill")
  support.await("restart", function()
    return daemon.client().restarts > 0 and daemon.client().state == "ready"
  end)
  assert(status().pid ~= before)
  support.append(path, message("u2", "a1", 3, "user", '"more"'))
  both_show_more(cwd, buffer, tree)
  equal(1, status().openSessions)
end)

case("an unanswered append is carried out once, and a handle keeps its leaf", function()
  local _, path = folder()
  local client, session, answer
  daemon.ready(function(_, ready)
    client = ready
  end)
  support.await("client", function()
    return client
  end)
  client:open({ path = path }, function(err, opened)
    assert(not err, err and err.message)
    session = opened
  end)
  support.await("session", function()
    return session
  end)
  session:request("session/branch", { entryId = "u1" })
  local pid = status().pid
  -- Stopped, it reads nothing; killed, it answers nothing.
  uv.kill(pid, "sigstop")
  local created
  session:request("session/appendMessage", { message = { role = "user", content = "once" } }, function(err, result)
    answer = { err = err, result = result }
  end)
  client:request("session/create", { cwd = "/w" }, function(err)
    created = err
  end)
  uv.kill(pid, "sigkill")
  support.await("answer", function()
    return answer
  end)
  equal({ nil, "u1" }, { answer.err, answer.result.parentId })
  local _, times = support.read(path):gsub("once", "")
  equal(1, times)
  equal("Lost", created.kind)
  has("session/create may have been carried out", created.message)
  local leaf
  session:request("session/getLeafId", nil, function(_, result)
    leaf = result.leafId
  end)
  becomes(answer.result.id, function()
    return leaf
  end)
  session:close()
end)

--- Run a function as scripts do, and return its result; raise its error.
local function script(body)
  local answer
  require("sessiond").run(body, function(err, result)
    answer = { err, result }
  end)
  support.await("the script", function()
    return answer
  end)
  if answer[1] then
    error(answer[1], 0)
  end
  return answer[2]
end

local await = require("sessiond").await

-- What a call fails with; `call` takes the function that is called with it.
local function failure(call)
  local failed
  call(function(err)
    failed = err
  end)
  return support.await("error", function()
    return failed
  end)
end

local function kill_daemon()
  local restarts = daemon.client().restarts
  uv.kill(status().pid, "sigkill")
  support.await("restart", function()
    return daemon.client().restarts > restarts and daemon.client().state == "ready"
  end)
end

case("scripts append to a session, and iterate over pages of entries, sessions and hits", function()
  local cwd, path = folder()
  local found = script(function(client)
    local session = await(function(done)
      client:open({ path = path, mustExist = true }, done)
    end)
    local added = await(function(done)
      session:append({ role = "user", content = "third" }, done)
    end)
    local ids, paths, hits = {}, {}, {}
    for entry in session:entries({ limit = 1 }) do
      table.insert(ids, entry.id)
    end
    for info in client:sessions({ cwd = cwd, limit = 1 }) do
      table.insert(paths, info.path)
    end
    for hit in client:search("third", { cwd = cwd }) do
      table.insert(hits, hit.info.path)
    end
    local branch = await(function(done)
      session:request("session/getBranch", { fromId = "a1" }, done)
    end)
    session:close()
    return { ids, added.id, paths, hits, #branch.entries }
  end)
  equal({ { "u1", "a1", found[2] }, found[2], { path }, { path }, 2 }, found)
end)

case("a session is opened by its id, and opening makes no session unless it is asked to", function()
  local cwd = support.directory()
  local path = support.session(cwd, "by-id", { support.header("by-id", cwd) })
  local missing = cwd .. "/missing.jsonl"
  local function open(params)
    return pcall(script, function(client)
      return await(function(done)
        client:open(params, done)
      end).state
    end)
  end
  local _, state = open({ id = "by-id" })
  equal(path, state.sessionFile)
  for _, params in ipairs({ { id = "unknown" }, { path = missing } }) do
    local _, err = open(params)
    equal("SessionNotFound", err.kind)
  end
  local _, created = open({ path = missing, mustExist = false })
  equal(0, created.entryCount)
end)

case("deep and large values and unusual ids pass both ways, and what is too deep is refused", function()
  local _, path = folder()
  local function nested(depth)
    local value = {}
    for _ = 2, depth do
      value = { value }
    end
    return value
  end
  local values = { nested(400), ("0123456789abcdef"):rep(65536), { jsonrpc = "2.0", id = 1, method = "exit" } }
  local found = script(function(client)
    local session = await(function(done)
      client:open({ path = path, mustExist = true }, done)
    end)
    local function append(data, id)
      return await(function(done)
        session:request("session/appendCustomEntry", { customType = "c", data = data, newEntryId = id }, done)
      end)
    end
    local entries = {}
    for number, data in ipairs(values) do
      local id = ('ä "quoted" \\ 😀 %d'):format(number)
      equal(id, append(data, id).id)
      local answer = await(function(done)
        session:request("session/getEntry", { id = id }, done)
      end)
      table.insert(entries, answer.entry.data)
    end
    local _, refused = pcall(append, nested(600))
    session:close()
    return { entries, refused.code }
  end)
  equal({ values, -32600 }, found)
end)

case("iterators also work outside of run, and errors are raised with their kind", function()
  local cwd, path = folder()
  daemon.ready(function() end)
  local client = daemon.client()
  local count = 0
  for info in client:sessions({ cwd = cwd }) do
    equal(path, info.path)
    count = count + 1
  end
  equal(1, count)
  local ok, err = pcall(client:search("(", { mode = "regex" }))
  equal({ false, "InvalidQuery" }, { ok, err.kind })
  local _, nowhere = pcall(script, function()
    await(function(done)
      client:open({ path = "/nowhere/s.jsonl", mustExist = true }, done)
    end)
  end)
  equal("SessionNotFound", nowhere.kind)
  equal(nowhere.message, tostring(nowhere))
end)

case("after a crash subscriptions go on, and a session whose file is gone is lost, not made anew", function()
  local cwd, path = folder()
  local gone = support.session(cwd, "gone", {
    support.header("gone", cwd),
    message("u1", nil, 1, "user", '"gone"'),
  })
  local events, kept, lost, reconnected = {}, {}, {}, nil
  local session, stale
  script(function(client)
    client:on_reconnected(function(event)
      reconnected = event
    end)
    await(function(done)
      client:subscribe_catalog({ cwd = cwd }, function(event)
        table.insert(events, event)
      end, done)
    end)
    session = await(function(done)
      client:open({ path = path }, done)
    end)
    session:on_change(function(change)
      table.insert(kept, change.kind)
    end)
    stale = await(function(done)
      client:open({ path = gone }, done)
    end)
    stale:on_change(function(change)
      table.insert(lost, change)
    end)
  end)
  local pid = status().pid
  uv.kill(pid, "sigstop")
  uv.fs_unlink(gone)
  uv.kill(pid, "sigkill")
  support.await("restart", function()
    return reconnected
  end)
  equal({ { "reconnected" }, { stale } }, { kept, reconnected.lost })
  equal({ "lost", "SessionNotFound" }, { lost[#lost].kind, lost[#lost].error.kind })
  equal(nil, support.read(gone))
  equal({ "reconnected", 1 }, { events[#events].kind, #events[#events].snapshot.sessions })
  support.append(path, message("u2", "a1", 3, "user", '"more"'))
  support.await("a change", function()
    return events[#events].kind == "changed" and kept[#kept] == "appended"
  end)
  equal(path, events[#events].changes[1].path)
  equal(nil, support.read(gone))
  session:close()
end)

--- Without members that are null, and those that a later version has added.
local function known(value)
  if type(value) ~= "table" then
    if value == vim.NIL then
      return nil
    end
    return value
  end
  local found = {}
  for name, each in pairs(value) do
    if name ~= "addedLater" then
      found[name] = known(each)
    end
  end
  return found
end

case("a later daemon is a daemon, and what is known of its answers stays", function()
  local protocol = vim.fn.fnamemodify(support.root, ":h:h") .. "/protocol"
  local future = vim.json.decode(support.read(protocol .. "/future/answers.json"))
  local client = client_module.new({ command = { "python3", protocol .. "/tests/future_daemon.py" } })
  local render = require("sessiond.render")
  local views, lines_drawn = 0, 0
  for _, answer in ipairs(future.answers) do
    for _, method in ipairs(answer.methods) do
      if method ~= "initialize" and method ~= "shutdown" then
        local result = await(function(done)
          client:request(method, {}, done)
        end)
        equal(known(answer.result), known(result), method)
        views = views + (method == "session/getView" and 1 or 0)
        for _, item in ipairs(method == "session/getView" and result.items or {}) do
          lines_drawn = lines_drawn + #render.item(item, { limit = 3, time_format = "%Y" })
        end
      end
    end
  end
  assert(views > 0 and lines_drawn > views, "views are drawn")
  for index, sent in ipairs(future.errors) do
    local ok, err = pcall(await, function(done)
      client:request("session/open", { path = ("error: %d"):format(index - 1) }, done)
    end)
    equal({ false, sent.code, (sent.data or {}).kind or "Unknown" }, { ok, err.code, err.kind })
  end
  local events = {}
  await(function(done)
    client:subscribe_gateway({}, function(event)
      table.insert(events, event)
    end, done)
  end)
  support.await("a change", function()
    return events[1]
  end)
  equal({ "added", "addedLater" }, { events[1].changes[1].kind, events[1].changes[2].kind })
  client:stop_now(5000)
end)

case("a change of an unknown kind takes no session out of the list", function()
  local ready, hear = daemon.ready, nil
  local client = {
    subscribe_catalog = function(_, _, listener, done)
      hear = listener
      done(nil, { snapshot = { sessions = { { path = "/a", modified = "1" } } }, close = function() end })
    end,
  }
  daemon.ready = function(done)
    done(nil, client)
  end
  local list = function()
    return await(function(done)
      require("sessiond.catalog").list("/unknown kind", done)
    end)
  end
  local ok, err = pcall(function()
    equal(1, #list())
    hear({ kind = "changed", changes = { { kind = "archived", path = "/a" } } })
    equal(1, #list())
    hear({ kind = "changed", changes = { { kind = "archived", path = "/a", info = { path = "/a", modified = "2" } } } })
    equal("2", list()[1].modified)
    hear({ kind = "changed", changes = { { kind = "removed", path = "/a" } } })
    equal({}, list())
  end)
  daemon.ready = ready
  assert(ok, err)
end)

--- A client of a daemon that is disturbed at a method, and the file that exists after the daemon was ended so;
--- see proxy.py.
local function disturbed_client(method, moment)
  local proxy = vim.fn.fnamemodify(support.root, ":h:h") .. "/tests/two_clients/proxy.py"
  local dir = support.directory()
  local command = { "python3", proxy, dir .. "/log", dir .. "/fuse", method, moment, "1", "--", support.daemon }
  return client_module.new({ command = command }), dir .. "/fuse"
end

--- Kill the real daemon behind a client, and wait until another is ready.
local function kill_behind(client)
  local restarts, pid = client.restarts, nil
  client:request("daemon/status", nil, function(_, result)
    pid = result.pid
  end)
  support.await("daemon/status", function()
    return pid
  end)
  uv.kill(pid, "sigkill")
  support.await("restart", function()
    return client.restarts > restarts and client.state == "ready"
  end)
end

case("a session whose file is another session after a crash is lost", function()
  local _, path = folder()
  local client = client_module.new({ command = { support.daemon } })
  local session = await(function(done)
    client:open({ path = path }, done)
  end)
  local pid = await(function(done)
    client:request("daemon/status", nil, done)
  end).pid
  uv.kill(pid, "sigstop")
  support.write(path, (support.read(path):gsub('"id":"one"', '"id":"other"', 1)))
  uv.kill(pid, "sigkill")
  local failed = failure(function(done)
    session:request("session/getEntries", nil, done)
  end)
  has("another session", failed.message)
  local status_after = await(function(done)
    client:request("daemon/status", nil, done)
  end)
  equal(0, status_after.openSessions)
  client:stop_now(5000)
end)

case("a change behind the answer to open waits for the first listener", function()
  local _, path = folder()
  local client = disturbed_client("session/open", "change")
  local session = await(function(done)
    client:open({ path = path }, done)
  end)
  await(function(done)
    session:request("session/getEntryCount", nil, done)
  end)
  local heard = {}
  session:on_change(function(change)
    table.insert(heard, change)
  end)
  equal({ 1, "appended", 3 }, { #heard, heard[1].kind, heard[1].entryCount })
  client:stop_now(5000)
end)

case("after a crash a change follows the state and the snapshot that are older", function()
  local cwd, path = folder()
  local client = disturbed_client("session/open", "change")
  local session = await(function(done)
    client:open({ path = path }, done)
  end)
  await(function(done)
    session:request("session/branch", { entryId = "u1" }, done)
  end)
  local kinds = {}
  session:on_change(function(change)
    table.insert(kinds, change.kind)
  end)
  for _ = 1, 2 do
    kill_behind(client)
    local leaf = await(function(done)
      session:request("session/getLeafId", nil, done)
    end)
    equal("u1", leaf.leafId)
  end
  equal({ "appended", "reconnected", "appended", "reconnected", "appended" }, kinds)
  client:stop_now(5000)

  client = disturbed_client("catalog/subscribe", "change")
  local events = {}
  await(function(done)
    client:subscribe_catalog({ cwd = cwd }, function(event)
      table.insert(events, event.kind)
    end, done)
  end)
  kill_behind(client)
  support.await("the second change", function()
    return #events == 3
  end)
  equal({ "changed", "reconnected", "changed" }, events)
  client:stop_now(5000)
end)

case("after a stop the next command opens again what the buffers show", function()
  local cwd, path = folder()
  local buffer, tree = read_with_tree()
  vim.cmd("tabnew")
  config.values.picker = "list"
  vim.cmd("Sessions")
  local list = vim.api.nvim_get_current_buf()
  support.await("the list", function()
    return (lines(list)[3] or ""):find("hello", 1, true)
  end)
  require("sessiond").stop()
  support.append(path, message("u2", "a1", 3, "user", '"more"'))
  daemon.ready(function() end)
  both_show_more(cwd, buffer, tree)
  support.await("the number of messages in the list", function()
    return (lines(list)[3] or ""):find("3 messages", 1, true)
  end)
  equal(1, status().openSessions)
  vim.cmd("tabclose")
end)

case("a buffer that is wiped out while its session is opened leaves no handle open", function()
  local _, path = folder()
  vim.cmd("edit sessiond://" .. path)
  vim.cmd("enew | silent! bwipeout " .. vim.fn.fnameescape("sessiond://" .. path))
  vim.cmd("edit sessiond://" .. path)
  support.await("transcript", function()
    return #lines() > 3
  end)
  vim.cmd("enew | silent! bwipeout " .. vim.fn.fnameescape("sessiond://" .. path))
  becomes(0, function()
    return status().openSessions
  end)
end)

case("after a crash a session is opened again with the file that it was switched to", function()
  local cwd, path = folder()
  local session = script(function(client)
    local opened = await(function(done)
      client:open({ path = path }, done)
    end)
    await(function(done)
      opened:request("session/createBranchedSession", { leafId = "u1" }, done)
    end)
    return opened
  end)
  local other = session.state.sessionFile
  assert(other ~= path)
  equal({ "u1" }, { session.state.leafId })
  kill_daemon()
  equal({ other, cwd }, { session.state.sessionFile, session.state.cwd })
  session:close()
end)

case("after a crash a session that follows, and went back to an entry, is there again", function()
  local _, path = folder()
  local session = script(function(client)
    local opened = await(function(done)
      client:open({ path = path, follow = true }, done)
    end)
    await(function(done)
      opened:request("session/branch", { entryId = "u1" }, done)
    end)
    return opened
  end)
  kill_daemon()
  local appended = script(function()
    return await(function(done)
      session:append(require("sessiond").user_text("other"), done)
    end)
  end)
  equal("u1", appended.parentId)
  session:close()
end)

case("after a crash during the restart a session keeps its leaf", function()
  local cwd, path = folder()
  local client, fuse = disturbed_client("session/open", "after")
  local session = await(function(done)
    client:continue_recent({ cwd = cwd, sessionDir = vim.fn.fnamemodify(path, ":h") }, done)
  end)
  support.append(path, message("u2", "a1", 3, "user", '"more"'))
  kill_behind(client)
  local leaf = await(function(done)
    session:request("session/getLeafId", done)
  end)
  equal("a1", leaf.leafId)
  assert(support.read(fuse))
  client:stop_now(5000)
end)

case("after a crash a session is at the end if its entry was removed", function()
  local _, path = folder()
  support.append(path, message("u2", "a1", 3, "user", '"more"'))
  local session = script(function(client)
    local opened = await(function(done)
      client:open({ path = path }, done)
    end)
    await(function(done)
      opened:append(require("sessiond").user_text("last"), done)
    end)
    return opened
  end)
  local pid, restarts = status().pid, daemon.client().restarts
  uv.kill(pid, "sigstop")
  local kept = vim.list_slice(vim.split(support.read(path), "\n"), 1, 4)
  support.write(path, table.concat(kept, "\n") .. "\n")
  uv.kill(pid, "sigkill")
  support.await("restart", function()
    return daemon.client().restarts > restarts
  end)
  equal(nil, session.lost)
  equal("u2", session.state.leafId)
  session:close()
end)

case("a closed session refuses requests, also after a crash, and another one keeps its handle", function()
  local _, path = folder()
  local seen = script(function(client)
    local function opened()
      return await(function(done)
        client:open({ path = path }, done)
      end)
    end
    local closed, kept = opened(), opened()
    for _ = 1, 2 do
      await(function(done)
        closed:close(done)
      end)
    end
    local before = kept.handle
    uv.kill(status().pid, "sigkill")
    await(function(done)
      kept:request("session/getLeafId", done)
    end)
    equal(before, kept.handle)
    local ok, err = pcall(await, function(done)
      closed:append(require("sessiond").user_text("lost"), done)
    end)
    local entries = await(function(done)
      kept:request("session/getEntryCount", done)
    end)
    kept:close()
    return { ok, err.kind, entries.count }
  end)
  equal({ false, "Closed", 2 }, seen)
end)

case("a subscription that was being closed in a crash leaves the others alone", function()
  local cwd, path = folder()
  require("sessiond").stop()
  local kinds = {}
  local closed = script(function(client)
    local function subscribed(listener)
      return await(function(done)
        client:subscribe_catalog({ cwd = cwd }, listener, done)
      end)
    end
    local first = subscribed(function() end)
    subscribed(function(event)
      table.insert(kinds, event.kind)
    end)
    return first
  end)
  local pid, restarts = status().pid, daemon.client().restarts
  uv.kill(pid, "sigstop")
  closed:close()
  uv.kill(pid, "sigkill")
  support.await("restart", function()
    return daemon.client().restarts > restarts
  end)
  status() -- What was sent before it was carried out.
  support.append(path, message("u2", "a1", 3, "user", '"more"'))
  becomes({ "reconnected", "changed" }, function()
    return kinds
  end)
  require("sessiond").stop()
end)

case("after a crash a subscription to the stores of a gateway goes on", function()
  require("sessiond").stop()
  local dir = support.directory()
  local store = dir .. "/agents/main/sessions/sessions.json"
  support.write(store, "{}")
  require("sessiond").setup({ profile = "coderclaw", agent_dir = dir })
  local events = {}
  script(function(client)
    await(function(done)
      client:subscribe_gateway({}, function(event)
        table.insert(events, event)
      end, done)
    end)
  end)
  kill_daemon()
  support.await("the snapshot", function()
    return events[1]
  end)
  equal("reconnected", events[1].kind)
  support.write(store, '{"agent:main:main":{"sessionId":"one","updatedAt":1}}')
  support.await("a change", function()
    return events[2]
  end)
  equal({ "changed", "agent:main:main" }, { events[2].kind, events[2].changes[1].sessionKey })
end)

case("the examples of the README run, in a directory without sessions", function()
  local cwd = support.directory()
  vim.cmd("cd " .. vim.fn.fnameescape(cwd))
  local printed, count = {}, 0
  local text = support.read(support.root .. "/README.md"):match("## Scripts.*")
  for code in text:gmatch("```lua\n(.-)```") do
    count = count + 1
    local environment = setmetatable({
      print = function(...)
        table.insert(printed, table.concat(vim.tbl_map(tostring, { ... }), " "))
      end,
    }, { __index = _G })
    setfenv(assert(loadstring(code)), environment)()
  end
  equal(2, count)
  support.await("the entry", function()
    return vim.startswith(printed[#printed] or "", "message ")
  end)
  equal({}, said)
end)

case("a list says whose each session is if there are several agents", function()
  local lines = require("sessiond.list_lines")
  local info = { modified = "2026-01-01T00:00:00.000Z", cwd = "/w", messageCount = 2, firstMessage = "hi" }
  assert(lines.item({ info = info }, true, 80).text:find("  /w$"))
  info.agent = "codex"
  assert(lines.item({ info = info }, true, 80).text:find("codex  /w$"))
  assert(lines.item({ info = info }, false, 80).text:find("codex  2 messages$"))
end)

case("without a profile the sessions of all agents are asked for", function()
  local before = vim.deepcopy(config.values)
  config.values.profile, config.values.agent_dir = nil, nil
  local all = config.initialize()
  config.values.profile = "pi"
  local one = config.initialize()
  config.values = before
  assert(all.allAgents == true and all.profile == nil)
  assert(one.allAgents == nil and one.profile == "pi")
end)

case("appends of clients that share a daemon are in the file once each", function()
  local _, path = folder()
  -- The path of a socket must be short.
  local runtime = assert(uv.fs_mkdtemp("/tmp/sdXXXXXX"))
  local clients, sessions, acknowledged = {}, {}, 0
  for number = 1, 3 do
    clients[number] = client_module.new({
      command = { support.daemon },
      env = { SESSIOND_SHARED = "1", SESSIOND_IDLE_EXIT = "0.1", XDG_RUNTIME_DIR = runtime },
      initialize = config.initialize(),
    })
    clients[number]:start(function(err)
      assert(not err, err and err.message)
      clients[number]:open({ path = path }, function(failed, opened)
        assert(not failed, failed and failed.message)
        sessions[number] = opened
      end)
    end)
  end
  support.await("sessions", function()
    return #vim.tbl_keys(sessions) == 3
  end)
  local pid
  clients[1]:request("daemon/status", nil, function(_, answer)
    assert(answer.shared and answer.connections == 3)
    pid = answer.pid
  end)
  support.await("status", function()
    return pid
  end)
  local expected = {}
  for count = 1, 20 do
    if count == 11 then
      uv.kill(pid, "sigkill")
    end
    for number, session in pairs(sessions) do
      local text = ("%d-%d"):format(number, count)
      table.insert(expected, text)
      session:request("session/appendMessage", { message = { role = "user", content = text } }, function(err)
        assert(not err, err and err.message)
        acknowledged = acknowledged + 1
      end)
    end
  end
  becomes(60, function()
    return acknowledged
  end)
  local found = {}
  for text in support.read(path):gmatch('"content":"(%d%-%d+)"') do
    table.insert(found, text)
  end
  table.sort(expected)
  table.sort(found)
  equal(expected, found)
  for _, client in ipairs(clients) do
    equal(1, client.restarts)
    client:stop_now(1000)
  end
  support.remove(runtime)
end)

--- A command that answers `initialize` and then ends. Every start leaves a line in the file.
local function ending_command(starts)
  local body = '{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"x","version":"0"},'
    .. '"protocolVersion":"1","capabilities":{"methods":[],"notifications":[]}}}'
  local script = ("echo started >> %s; printf 'Content-Length: %d\\r\\n\\r\\n%%s' '%s'; sleep 0.1; exit 3"):format(
    starts,
    #body,
    body
  )
  return { "sh", "-c", script }
end

case("a daemon is shared unless the option or the environment says otherwise", function()
  local config = require("sessiond.config")
  local before, values = vim.env.SESSIOND_SHARED, config.values
  local shared = function(environment, options)
    vim.env.SESSIOND_SHARED = environment
    config.set(options)
    return config.environment().SESSIOND_SHARED
  end
  equal("1", shared(nil, {}))
  equal("0", shared(nil, { shared = false }))
  equal(nil, shared("0", {}))
  equal("1", shared("0", { shared = true }))
  vim.env.SESSIOND_SHARED, config.values = before, values
end)

case("checkhealth starts the command in the environment of the plugin", function()
  local values, noted = config.values, support.directory() .. "/noted"
  local command = support.directory() .. "/sessiond"
  support.write(command, ('#!/bin/sh\necho "$SESSIOND_SHARED" >%s\nexit 1\n'):format(noted))
  assert(uv.fs_chmod(command, tonumber("700", 8)))
  config.set({ path = command, shared = true })
  vim.cmd("checkhealth sessiond")
  config.values = values
  equal("1\n", support.read(noted))
end)

case("a subscription that is closed while it asks for a new snapshot stays closed", function()
  local sent, kinds, subscription = {}, {}, nil
  local client = { subscriptions = {}, state = "ready" }
  function client:request(method, params, done)
    table.insert(sent, { method = method, id = params.subscription, done = done })
  end
  function client:_when_ready(report)
    report()
  end
  require("sessiond.subscription").open(client, "catalog", {}, function(event)
    table.insert(kinds, event.kind)
  end, function(_, opened)
    subscription = opened
  end)
  sent[1].done(nil, { subscription = "one", sequence = 1 })
  subscription:_hear("catalog/didChange", { subscription = "one", sequence = 3 })
  subscription:close()
  sent[3].done(nil, { subscription = "two", sequence = 1 })
  equal(
    { "catalog/subscribe", "catalog/unsubscribe one", "catalog/subscribe", "catalog/unsubscribe two" },
    vim.tbl_map(function(each)
      return each.method .. (each.id and " " .. each.id or "")
    end, sent)
  )
  equal({}, kinds)
end)

case("a daemon that ends again and again is given up", function()
  local starts = support.directory() .. "/starts"
  local client = client_module.new({ command = ending_command(starts) })
  local failed = failure(function(done)
    client:request("session/listAll", nil, done)
  end)
  equal("Lost", failed.kind)
  has("sessiond ended unexpectedly (code 3)", failed.message)
  equal("started\nstarted\nstarted\n", support.read(starts))
end)

case("a daemon of another version is refused by one error", function()
  local script = vim.fn.fnamemodify(support.root .. "/../../tests/two_clients/other_version.py", ":p")
  for _, mode in ipairs({ "refuses", "ignores" }) do
    local client = client_module.new({ command = { "python3", script, mode } })
    local failed = failure(function(done)
      client:start(done)
    end)
    equal({ "UnsupportedVersion", { "2" } }, { failed.kind, failed.data.supported }, mode)
  end
end)

case("a command that is not the daemon is started once", function()
  local client = client_module.new({ command = { "false" } })
  local failed = failure(function(done)
    client:start(done)
  end)
  has("sessiond ended unexpectedly (code 1)", failed.message)
  equal("new", client.state)
end)

case("a cancelled request is answered at once, and the next as ever", function()
  folder()
  read()
  local client, answers = daemon.client(), {}
  local request = client:request("session/listAll", { includeText = true }, function(err)
    table.insert(answers, err and err.kind or "answered")
  end)
  client:cancel(request)
  client:cancel(request)
  assert(status().pid)
  equal({ "RequestCancelled" }, answers)
end)

case("a missing command is said clearly", function()
  require("sessiond").stop()
  require("sessiond").setup({ path = "/nowhere/sessiond" })
  vim.cmd("Sessions")
  equal({
    'sessiond is missing: "/nowhere/sessiond" is not executable. Install it or set `path`;'
      .. " see :help sessiond-install",
  }, said)
  vim.cmd("checkhealth sessiond")
  has("sessiond is missing", table.concat(lines(), "\n"))
end)

case("an unknown profile is said clearly", function()
  require("sessiond").stop()
  require("sessiond").setup({ profile = "nobody's" })
  vim.cmd("Sessions")
  support.await("error", function()
    return said[1]
  end)
  has("profile", said[1])
end)

case("options go to the daemon", function()
  require("sessiond").stop()
  local dir = support.directory()
  require("sessiond").setup({ agent_dir = dir .. "/agent", args = { "--read-only" } })
  local cwd = support.directory()
  vim.cmd("cd " .. vim.fn.fnameescape(cwd))
  support.write(
    ("%s/agent/sessions/--%s--/s.jsonl"):format(dir, cwd:sub(2):gsub("/", "-")),
    support.header("s", cwd) .. "\n" .. message("u1", nil, 1, "user", '"elsewhere"') .. "\n"
  )
  read()
  equal("# elsewhere", lines()[1])
  vim.cmd("SessionRename x")
  support.await("error", function()
    return said[1]
  end)
  has("for reading only", said[1])
end)

case("a wrong option is named", function()
  local _, unknown = pcall(require("sessiond").setup, { pat = "x" })
  has('unknown option "pat"', unknown)
  local _, wrong = pcall(require("sessiond").setup, { args = "x" })
  has('option "args" must be a table', wrong)
end)

case("checkhealth says how things are", function()
  vim.cmd("checkhealth sessiond")
  local text = table.concat(lines(), "\n")
  has("OK", text)
  has("answers", text)
  has("profile pi, sessions in " .. vim.env.HOME .. "/.pi/agent/sessions", text)
  assert(not text:find("ERROR"), text)
end)

case("the buffer's name opens it again, and wiping it out closes the handle", function()
  local cwd, path = folder()
  require("sessiond").stop()
  vim.cmd("edit " .. vim.fn.fnameescape("sessiond://" .. path))
  becomes(with_cwd(HELLO, cwd), lines)
  vim.cmd("edit")
  becomes(with_cwd(HELLO, cwd), lines)
  equal(1, status().openSessions)
  local buffer = vim.api.nvim_get_current_buf()
  vim.cmd("SessionTree")
  becomes({ "· user: hello", "* assistant: hi there" }, lines)
  equal(1, status().openSessions)
  vim.cmd("bwipeout")
  vim.cmd("bwipeout " .. buffer)
  equal(0, status().openSessions)
end)

case("a file that is not there is said clearly", function()
  vim.cmd("edit sessiond:///nowhere/s.jsonl")
  support.await("error", function()
    return said[1]
  end)
  has("/nowhere/s.jsonl", said[1])
  has("/nowhere/s.jsonl", lines()[1])
end)

case("every tag of the help can be found", function()
  local copy = support.directory()
  support.write(copy .. "/doc/sessiond.txt", support.read(support.root .. "/doc/sessiond.txt"))
  vim.cmd("helptags " .. copy .. "/doc")
  local tags = support.read(copy .. "/doc/tags")
  for _, name in ipairs({ ":Sessions", ":SessionTree", ":SessionRename", ":SessionSearch", ":SessionDelete", ":SessionRestore" }) do
    has(name .. "\t", tags)
  end
  for name in pairs(config.values) do
    has(("sessiond-%s\t"):format(name:gsub("_", "-")), tags)
  end
  for line in support.read(copy .. "/doc/sessiond.txt"):gmatch("[^\n]+") do
    assert(vim.fn.strdisplaywidth(line) <= 78, line)
    for tag in line:gmatch("|([^|%s]+)|") do
      has(tag .. "\t", tags .. support.read(vim.env.VIMRUNTIME .. "/doc/tags"))
    end
  end
end)

--- Start another Neovim with a screen, in a directory, as a person does; return it and a way to ask it.
local function person(cwd)
  local child = vim.fn.jobstart({
    vim.v.progpath,
    "--embed",
    "--headless",
    "-u",
    "NONE",
    "-i",
    "NONE",
    "-n",
  }, { rpc = true, cwd = cwd })
  local function ask(...)
    return vim.rpcrequest(child, ...)
  end
  ask("nvim_ui_attach", 140, 40, vim.empty_dict())
  ask("nvim_command", "set runtimepath^=" .. vim.fn.fnameescape(support.root))
  ask("nvim_command", "runtime! plugin/*.lua")
  return child, ask
end

local function in_normal_mode(ask)
  support.await("normal mode", function()
    local mode = ask("nvim_get_mode")
    return not mode.blocking and mode.mode == "n"
  end)
end

--- Wait until a window of a Neovim shows a line with this text.
local function sees(ask, text)
  support.await("a window with " .. text, function()
    return ask("nvim_exec_lua", [[
      for _, window in ipairs(vim.api.nvim_list_wins()) do
        local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
        if table.concat(lines, "\n"):find(..., 1, true) then
          return true
        end
      end
      return false
    ]], { text })
  end)
end

case("a person types :Sessions, chooses from the list, interrupts a question, and ends the editor", function()
  local cwd = folder()
  local child, ask = person(cwd)
  ask("nvim_input", ":Sessions<CR>")
  sees(ask, "2 messages")
  sees(ask, "## Assistant")
  ask("nvim_input", "r")
  support.await("the question", function()
    local mode = ask("nvim_get_mode")
    return mode.mode == "c" or mode.blocking
  end)
  ask("nvim_input", "<C-C>")
  in_normal_mode(ask)
  ask("nvim_input", "<CR>")
  becomes(with_cwd(HELLO, cwd), function()
    in_normal_mode(ask)
    return ask("nvim_buf_get_lines", 0, 0, -1, false)
  end)
  equal(1, #ask("nvim_list_wins"), "the preview is closed")
  equal("", ask("nvim_get_vvar", "errmsg"))
  local pid
  ask("nvim_exec_lua", [[
    require("sessiond").client(function(_, client)
      client:request("daemon/status", nil, function(_, result) vim.g.daemon = result.pid end)
    end)
  ]], {})
  support.await("pid", function()
    pid = ask("nvim_exec_lua", "return vim.g.daemon", {})
    return pid ~= vim.NIL and pid
  end)
  ask("nvim_input", ":qall<CR>")
  equal({ 0 }, vim.fn.jobwait({ child }, support.DEADLINE_MS))
  support.await("end of the daemon", function()
    return uv.kill(pid, 0) ~= 0
  end)
end)

case("a filter narrows the list while it is typed, and the preview follows", function()
  local cwd = folder()
  local child, ask = person(cwd)
  for number, word in ipairs({ "parser", "Printer", "parses" }) do
    support.session(cwd, word, {
      support.header(word, cwd),
      message("u1", nil, 10 + number, "user", ('"fix the %s"'):format(word)),
    })
  end
  local function texts()
    return ask("nvim_exec_lua", [[
      local texts = {}
      for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
        local buffer = vim.api.nvim_win_get_buf(window)
        texts[vim.bo[buffer].filetype] = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
      end
      return texts
    ]], {})
  end
  local function titles()
    return vim.tbl_map(function(line)
      return line:sub(7):match("^(.-)%s%s+") or line
    end, vim.list_slice(texts().sessiondlist or {}, 3))
  end
  local function previewed()
    return (texts().sessiondpreview or {})[1]
  end
  ask("nvim_input", ":Sessions<CR>")
  becomes({ "fix the parses", "fix the Printer", "fix the parser", "hello" }, titles)
  ask("nvim_input", "/pars fix")
  becomes({ "fix the parses", "fix the parser" }, titles)
  becomes("# fix the parses", previewed)
  ask("nvim_input", "<Down>")
  becomes("# fix the parser", previewed)
  ask("nvim_input", "<C-U>P")
  becomes({ "fix the Printer" }, titles)
  becomes("# fix the Printer", previewed)
  ask("nvim_input", "xyz")
  becomes({ "No session matches." }, titles)
  ask("nvim_input", "<BS><BS><BS><Esc>")
  in_normal_mode(ask)
  becomes({ "fix the Printer" }, titles)
  has("(1 of 4)", texts().sessiondlist[1])
  -- What another program adds is filtered, too.
  support.session(cwd, "later", { support.header("later", cwd), message("u1", nil, 50, "user", '"later"') })
  support.session(cwd, "Press", { support.header("Press", cwd), message("u1", nil, 51, "user", '"a Press"') })
  becomes({ "a Press", "fix the Printer" }, titles)
  ask("nvim_input", "<BS>")
  becomes(6, function()
    return #titles()
  end)
  ask("nvim_input", "/hello<CR>")
  becomes("# hello", function()
    return ask("nvim_buf_get_lines", 0, 0, 1, false)[1]
  end)
  equal(1, #ask("nvim_list_wins"), "the line of the filter and the preview are closed")
  equal("n", ask("nvim_get_mode").mode)
  equal("", ask("nvim_get_vvar", "errmsg"))
  ask("nvim_input", ":qall<CR>")
  equal({ 0 }, vim.fn.jobwait({ child }, support.DEADLINE_MS))
end)

case("hostile texts are shown without delay, and spoil nothing else", function()
  local cwd = folder()
  local function json(text)
    return vim.json.encode(text)
  end
  support.session(cwd, "control", {
    support.header("control", cwd),
    message("u1", nil, 30, "user", '"nul\\u0000 bell\\u0007 esc\\u001b[31mred\\u001b]0;t\\u0007 \\u202eover\\r\\nnext\\u007f"'),
  })
  local long = ("```%s`"):format(("a"):rep(300000))
  local markup = { ("["):rep(300000), long, ("`a"):rep(150000), ("](x[a"):rep(60000), "# **end**" }
  support.session(cwd, "long", {
    support.header("long", cwd),
    message("u1", nil, 31, "user", json(table.concat(markup, "\n"))),
    message("u2", "u1", 32, "user", json(("line\n"):rep(3000) .. "the end" .. (" "):rep(300000))),
  })
  vim.cmd("Sessions")
  becomes(5, function()
    return #lines()
  end)
  local shown = table.concat(lines(), "\n")
  has("nul␀ bell␇ escred ", shown)
  assert(#shown < 2000, #shown)
  press("/[[[<CR>")
  local function last()
    return lines()[#lines()]
  end
  becomes("… 1001 more lines", last)
  has(("["):rep(5000) .. "… 295000 more bytes", lines()[5])
  press("x")
  becomes("the end", last)
  equal(300000, #lines()[5])
  vim.cmd("Sessions")
  becomes(5, function()
    return #lines()
  end)
  press("/nul<CR>")
  becomes("next", last)
  equal("nul bell escred \226\128\174over", lines()[5])
end)

--- Return the last entry of a session file.
local function last_entry(path)
  return vim.json.decode(vim.trim(support.read(path)):match("[^\n]*$"))
end

case("an answer is built with all that pi needs, and the session knows its present leaf and tip", function()
  local _, path = folder()
  local found = script(function(client)
    local session = await(function(done)
      client:open({ path = path }, done)
    end)
    local added = await(function(done)
      session:append(require("sessiond").assistant_message("hi", "p", "m"), done)
    end)
    return { added.id, session.leaf_id, session.tip_id }
  end)
  local entry = last_entry(path)
  equal({ entry.id, entry.id, entry.id }, found)
  equal({ "stop", "p" }, { entry.message.stopReason, entry.message.provider })
end)

case("SessionReply appends a message with the current time, and the buffer shows it", function()
  local _, path = folder()
  local buffer = read()
  local before = os.time()
  vim.cmd("SessionReply Go on | please")
  becomes("Go on | please", function()
    return lines(buffer)[#lines(buffer)]
  end)
  local entry = last_entry(path)
  equal({ "a1", "user", "Go on | please" }, { entry.parentId, entry.message.role, entry.message.content })
  assert(math.abs(entry.message.timestamp / 1000 - before) < 60, entry.message.timestamp)
  becomes("sessiond: The reply was appended to hello", last_said)
end)

case("a reply is written in a buffer, is sent once by :write, and is kept if it cannot be sent", function()
  local _, path = folder()
  local buffer = read()
  vim.api.nvim_feedkeys("c", "xt", false)
  equal({ "acwrite", "markdown", "sessiond://reply" .. path }, {
    vim.bo.buftype,
    vim.bo.filetype,
    vim.api.nvim_buf_get_name(0),
  })
  vim.cmd("write")
  becomes("sessiond: The reply is empty", last_said)
  local reply = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_lines(reply, 0, -1, false, { "One", "", "* two" })
  local ok = pcall(vim.cmd, "quit")
  assert(not ok, "a reply that was not sent is not lost by :quit")
  -- The session grows, and its buffer has not shown that yet.
  local transcript = require("sessiond.transcript").of(buffer)
  transcript.reading = true
  support.append(path, message("u2", "a1", 3, "user", '"in between"'))
  vim.cmd("write")
  becomes("sessiond: Nothing was written: the session has new entries. Read them and send the reply again", last_said)
  equal("u2", last_entry(path).id)
  equal({ "One", "", "* two" }, lines(reply))
  vim.cmd("silent undo")
  equal({ "" }, lines(reply))
  vim.cmd("silent redo")
  transcript.reading = false
  transcript:reload()
  becomes("in between", function()
    return lines(buffer)[#lines(buffer)]
  end)
  vim.cmd("write | write")
  becomes("* two", function()
    return lines(buffer)[#lines(buffer)]
  end)
  becomes(false, function()
    return vim.api.nvim_buf_is_valid(reply)
  end)
  equal({ "u2", "One\n\n* two" }, { last_entry(path).parentId, last_entry(path).message.content })
  local _, count = support.read(path):gsub("%* two", "")
  equal(1, count)
  -- In a session buffer there is nothing to undo.
  local text = lines(buffer)
  vim.api.nvim_set_current_buf(buffer)
  pcall(vim.cmd, "silent undo")
  equal(text, lines(buffer))
  vim.v.errmsg = ""
end)

case("a reply to an older branch goes under that branch, which is then the latest", function()
  local _, path = branches()
  choosing(1)
  vim.cmd('SessionSearch "done first"')
  becomes("## Assistant  2025-06-01 10:00:04", vim.api.nvim_get_current_line)
  local shown = require("sessiond.transcript").of(vim.api.nvim_get_current_buf())
  local tip = shown.tip
  vim.cmd("SessionReply once more")
  becomes("once more", function()
    return lines()[#lines()]
  end)
  equal({ tip, "once more" }, { last_entry(path).parentId, last_entry(path).message.content })
  becomes(nil, function()
    return shown.tip
  end)
end)

case("SessionFork copies the branch up to the entry at the cursor, and leaves the session as it is", function()
  local cwd, path = folder({ support.entry("l1", "a1", 4, '"label","targetId":"u1","label":"start here"') })
  read()
  local before = support.read(path)
  vim.api.nvim_win_set_cursor(0, { 5, 0 })
  press("F")
  becomes(cwd .. "  ·  2 entries", function()
    return lines()[2]
  end)
  local copy = vim.api.nvim_buf_get_name(0):sub(#"sessiond://" + 1)
  assert(copy ~= path and vim.fn.fnamemodify(copy, ":h") == vim.fn.fnamemodify(path, ":h"), copy)
  -- The branch, and its labels.
  has('"id":"u1"', support.read(copy))
  assert(not support.read(copy):find('"id":"a1"', 1, true))
  equal({ "u1", "start here" }, { last_entry(copy).targetId, last_entry(copy).label })
  becomes("sessiond: This session is a copy of the branch: " .. copy, last_said)
  vim.cmd("edit sessiond://" .. vim.fn.fnameescape(path))
  becomes("there", function()
    return lines()[9]
  end)
  equal({ "start here" }, vim.fn.getcompletion("SessionFork s", "cmdline"))
  vim.cmd("SessionFork start here")
  becomes(cwd .. "  ·  2 entries", function()
    return lines()[2]
  end)
  equal(before, support.read(path))
  vim.cmd("edit sessiond://" .. vim.fn.fnameescape(path))
  vim.cmd("SessionFork nothing")
  becomes('sessiond: No entry has the id or label "nothing"', last_said)
end)

case("SessionReply writes to no session under the cursor of a list", function()
  local _, path = folder()
  local before = support.read(path)
  config.values.picker = "list"
  vim.cmd("Sessions")
  support.await("the list", function()
    return (lines()[3] or ""):find("hello", 1, true)
  end)
  vim.api.nvim_win_set_cursor(0, { 3, 0 })
  vim.cmd("SessionReply now")
  becomes("sessiond: A list shows no conversation to reply to; open the session first", last_said)
  equal(before, support.read(path))
end)

case("SessionFork at an entry with tool calls takes their results along", function()
  local call = '[{"type":"toolCall","id":"c","name":"ls","arguments":{}}]'
  local cwd = folder({
    message("a2", "a1", 3, "assistant", call, ',"model":"m"'),
    message("r2", "a2", 4, "toolResult", '[{"type":"text","text":"x"}]', ',"toolCallId":"c","toolName":"ls"'),
    message("u3", "r2", 5, "user", '"go on"'),
  })
  read()
  vim.cmd("SessionFork a2")
  becomes(cwd .. "  ·  4 entries", function()
    return lines()[2]
  end)
end)

case("a stop is no loss: listeners hear that the client has ended", function()
  local _, path = folder()
  local events = {}
  local client = client_module.new({ command = config.command(), initialize = config.initialize() })
  client:on_lost(function()
    table.insert(events, "client lost")
  end)
  local session
  client:open({ path = path }, function(_, opened)
    session = opened
  end)
  support.await("session", function()
    return session
  end)
  session:on_change(function(change)
    table.insert(events, change.kind)
  end)
  client:stop_now(5000)
  equal({ "ended" }, events)
end)

case("commands that need a session say so elsewhere, and each has a mapping", function()
  for _, command in ipairs({ "SessionReply x", "SessionReply", "SessionFork" }) do
    said = {}
    vim.cmd(command)
    equal({ "sessiond: This buffer shows no session; choose one with :Sessions" }, said)
  end
  for name in pairs({ list = 1, ["list-all"] = 1, search = 1, tree = 1, reply = 1, fork = 1, rename = 1,
    delete = 1, restore = 1 }) do
    local keys = vim.fn.maparg(("<Plug>(sessiond-%s)"):format(name), "n")
    equal(2, vim.fn.exists(":" .. keys:match("Session%a+")), keys)
  end
  folder()
  read()
  vim.cmd("SessionRename Old name")
  becomes("# Old name", function()
    return lines()[1]
  end)
  equal({ "Old name" }, vim.fn.getcompletion("SessionRename ", "cmdline"))
end)

local function reset()
  said, offered = {}, {}
  vim.cmd("silent! tabonly | silent! only | enew")
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if buffer ~= vim.api.nvim_get_current_buf() then
      vim.api.nvim_buf_delete(buffer, { force = true })
    end
  end
  config.values.picker = M.defaults.picker
  if not vim.deep_equal(config.values, M.defaults) then
    require("sessiond").stop()
    require("sessiond").setup()
  end
end

--- Run the cases and return how many failed.
---@param only? string part of names
function M.run(only)
  M.defaults = vim.deepcopy(config.values)
  vim.o.columns, vim.o.lines = 120, 40
  vim.notify = function(text)
    table.insert(said, text)
  end
  local select, input = vim.ui.select, vim.ui.input
  local passed, failed = 0, 0
  for _, each in ipairs(cases) do
    if not only or each.name:find(only, 1, true) then
      reset()
      local ok, problem = xpcall(each.run, debug.traceback)
      vim.ui.select, vim.ui.input = select, input
      -- Neovim puts its own there again when it is called.
      vim.fn.confirm = nil
      -- Errors in callbacks do not come up through the case.
      local errors = vim.v.errmsg
      vim.v.errmsg = ""
      if ok and errors ~= "" then
        ok, problem = false, errors
      end
      if ok then
        passed = passed + 1
      else
        failed = failed + 1
        support.say(("FAILED %s\n%s\nsaid: %s\n"):format(each.name, problem, vim.inspect(said)))
      end
    end
  end
  reset()
  require("sessiond").stop()
  support.say(("cases: %d passed, %d failed"):format(passed, failed))
  return failed
end

return M
