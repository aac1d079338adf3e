-- What the tests have in common: directories, files, waiting, windows.

local uv = vim.uv or vim.loop
local M = {}

M.root = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h:h")
M.daemon = vim.env.SESSIOND or "sessiond"

--- How long anything may take that is waited for.
M.DEADLINE_MS = 30000

function M.say(text)
  io.stdout:write(text .. "\n")
  io.stdout:flush()
end

--- A new empty directory, by its real path.
function M.directory()
  local path = vim.fn.tempname()
  vim.fn.mkdir(path, "p")
  return assert(uv.fs_realpath(path))
end

function M.remove(path)
  vim.fn.delete(path, "rf")
end

---@return string? contents nil if there is no such file
function M.read(path)
  local file = io.open(path, "rb")
  if not file then
    return nil
  end
  local text = file:read("*a")
  file:close()
  return text
end

function M.write(path, text, mode)
  vim.fn.mkdir(vim.fn.fnamemodify(path, ":h"), "p")
  local file = assert(io.open(path, mode or "wb"))
  file:write(text)
  file:close()
end

--- Wait until a function returns something true, and return that.
function M.await(what, done)
  local found
  local ok = vim.wait(M.DEADLINE_MS, function()
    found = done()
    return found
  end, 20)
  if not ok then
    error("waited in vain: " .. what, 2)
  end
  return found
end

local function shown(value)
  return type(value) == "string" and value or vim.inspect(value)
end

function M.equal(expected, actual, what)
  if not vim.deep_equal(expected, actual) then
    error(("%s\nexpected: %s\ngot:      %s"):format(what or "differs", shown(expected), shown(actual)), 2)
  end
end

--- Wait until something is equal; if it never is, say how it differs.
function M.becomes(expected, get, what)
  vim.wait(M.DEADLINE_MS, function()
    return vim.deep_equal(expected, get())
  end, 20)
  M.equal(expected, get(), what)
end

function M.has(part, text)
  if not text:find(part, 1, true) then
    error(("expected %q in:\n%s"):format(part, text), 2)
  end
end

--- The lines of a buffer; by default of the current one.
function M.lines(buffer)
  return vim.api.nvim_buf_get_lines(buffer or 0, 0, -1, false)
end

--- An entry's line for a session file.
function M.entry(id, parent, second, members)
  local head = ('"id":%q,"parentId":%s,"timestamp":"2025-06-01T10:00:%02d.000Z"'):format(
    id,
    parent and ("%q"):format(parent) or "null",
    second
  )
  return ('{"type":%s}'):format(members:gsub("^(\"[%w_]+\")", "%1," .. head:gsub("%%", "%%%%"), 1))
end

function M.header(id, cwd)
  return ('{"type":"session","version":3,"id":%q,"timestamp":"2025-06-01T10:00:00.000Z","cwd":%q}'):format(
    id,
    cwd
  )
end

--- A message's line: `content` is JSON.
function M.message(id, parent, second, role, content, more)
  local members = ('"message","message":{"role":%q,"content":%s%s}'):format(role, content, more or "")
  return M.entry(id, parent, second, members)
end

--- Where pi keeps the sessions of a directory.
function M.sessions_dir(cwd)
  return vim.env.HOME .. "/.pi/agent/sessions/--" .. cwd:sub(2):gsub("/", "-") .. "--"
end

--- Write a session file for the directory and return its path.
function M.session(cwd, name, lines)
  local path = M.sessions_dir(cwd) .. "/" .. name .. ".jsonl"
  M.write(path, table.concat(lines, "\n") .. "\n")
  return path
end

--- What another program does.
function M.append(path, line)
  M.write(path, line .. "\n", "ab")
end

return M
