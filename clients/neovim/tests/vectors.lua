-- Replays protocol/vectors through the plugin's client against the real daemon. The README there
-- says what the members mean. Values arrive as `plainJson` gives them; Neovim's client drops
-- members that are null, so that null and absent are the same here.

local client_module = require("sessiond.client")
local json = require("json")
local support = require("support")

local uv = vim.uv or vim.loop
local M = {}

local WAIT_MS = 30000
local NOTIFICATION_MS = 30000

-- Params go out as the text in the vector: Neovim's encoder keeps no key order.
local texts = {}
local encode = vim.json.encode
vim.json.encode = function(value, ...)
  local encoded = encode(value, ...)
  return (encoded:gsub('"@text:(%d+)@"', function(number)
    return texts[tonumber(number)]
  end))
end

local dict = getmetatable(vim.empty_dict())

local function is_array(value)
  if next(value) == nil then
    return getmetatable(value) ~= dict
  end
  return value[1] ~= nil
end

local function is_object(value)
  return type(value) == "table" and not is_array(value)
end

local function shown(value)
  local text = value == nil and "nothing" or vim.inspect(value)
  return #text > 1500 and text:sub(1, 1500) .. "…" or text
end

local function mismatch(where, expected, actual)
  error(("%s: expected %s, got %s"):format(where, shown(expected), shown(actual)), 0)
end

local HEX = "[0-9a-f]"
local function is(pattern)
  return function(value)
    return type(value) == "string" and value:match("^" .. pattern .. "$") ~= nil
  end
end

local any = {
  value = function()
    return true
  end,
  string = function(value)
    return type(value) == "string"
  end,
  integer = function(value)
    return type(value) == "number" and value == math.floor(value)
  end,
  array = function(value)
    return type(value) == "table" and is_array(value)
  end,
  object = is_object,
  time = is("%d%d%d%d%-%d%d%-%d%dT%d%d:%d%d:%d%d%.%d%d%dZ"),
  -- The client chooses wider ids than the daemon.
  id = function(value)
    return is(HEX:rep(8))(value) or is(HEX:rep(16))(value)
  end,
  uuid = is(table.concat({
    HEX:rep(8),
    HEX:rep(4),
    HEX:rep(4),
    HEX:rep(4),
    HEX:rep(12),
  }, "%-")),
}

local match

local special = {
  ["$any"] = function(kind, actual)
    return any[kind](actual)
  end,
  ["$oneOf"] = function(values, actual, where)
    for _, value in ipairs(values) do
      if pcall(match, value, actual, where) then
        return true
      end
    end
    return false
  end,
  ["$between"] = function(ends, actual)
    return type(actual) == "string"
      and #actual >= #ends[1] + #ends[2]
      and actual:sub(1, #ends[1]) == ends[1]
      and actual:sub(#actual - #ends[2] + 1) == ends[2]
  end,
  ["$subset"] = function(members, actual, where)
    if not is_object(actual) then
      return false
    end
    for name, value in pairs(members) do
      match(value, actual[name], where .. "." .. name)
    end
    return true
  end,
  ["$unordered"] = function(items, actual, where)
    if type(actual) ~= "table" or not is_array(actual) or #actual ~= #items then
      return false
    end
    local left = vim.list_extend({}, actual)
    for _, item in ipairs(items) do
      local found
      for index, value in ipairs(left) do
        if pcall(match, item, value, where) then
          found = index
          break
        end
      end
      if not found then
        mismatch(where .. "[any]", item, left)
      end
      table.remove(left, found)
    end
    return true
  end,
}

function match(expected, actual, where)
  if type(expected) ~= "table" then
    if expected == vim.NIL then
      expected = nil
    end
    if actual == vim.NIL then
      actual = nil
    end
    if expected ~= actual then
      mismatch(where, expected, actual)
    end
    return
  end
  local name, operand = next(expected)
  if special[name] and next(expected, name) == nil then
    if not special[name](operand, actual, where) then
      mismatch(where, expected, actual)
    end
  elseif
    type(actual) ~= "table"
    -- An object whose members were all null looks like an empty array.
    or (next(actual) ~= nil and is_array(expected) ~= is_array(actual))
    or (getmetatable(actual) == dict and is_array(expected))
  then
    mismatch(where, expected, actual)
  elseif is_array(expected) then
    if #expected ~= #actual then
      mismatch(where, expected, actual)
    end
    for index, value in ipairs(expected) do
      match(value, actual[index], ("%s[%d]"):format(where, index - 1))
    end
  else
    for member, value in pairs(expected) do
      match(value, actual[member], where .. "." .. member)
    end
    for member in pairs(actual) do
      if expected[member] == nil then
        mismatch(where, expected, actual)
      end
    end
  end
end
M.match = match

local Replay = {}
Replay.__index = Replay

function Replay:fill(value)
  return json.map(value, function(leaf)
    if type(leaf) ~= "string" then
      return leaf
    end
    local whole = leaf:match("^%${([%w_]+)}$")
    if whole then
      return self.values[whole]
    end
    return (
      leaf:gsub("%${([%w_]+)}", function(name)
        local found = self.values[name]
        return type(found) == "number" and ("%d"):format(found) or found
      end)
    )
  end)
end

function Replay:content(step)
  if step.base64 then
    return support.unbase64(step.base64)
  end
  local filled = self:fill(step.text)
  if type(filled) == "string" then
    return filled
  end
  return #filled == 0 and "" or table.concat(filled, "\n") .. "\n"
end

function Replay:wait(what, done, timeout)
  local ok = vim.wait(timeout or WAIT_MS, done, 20)
  if not ok then
    error("no " .. what, 0)
  end
end

function Replay:answer(method, params)
  local answer
  self.client:request(method, params, function(err, result)
    answer = { err = err, result = result }
  end)
  self:wait("answer to " .. method, function()
    return answer
  end)
  return answer
end

function Replay:capture(step, result)
  for name, path in pairs(step.capture or {}) do
    local value = result
    for part in path:gmatch("[^.]+") do
      value = is_array(value) and value[tonumber(part) + 1] or value[part]
    end
    self.values[name] = value
  end
end

function Replay:compare(step, answer)
  if step.error then
    if not answer.err then
      mismatch("error", step.error, answer.result)
    end
    match({ ["$subset"] = self:fill(step.error) }, {
      code = answer.err.code,
      message = answer.err.message,
      data = answer.err.data,
    }, "error")
    return
  end
  if answer.err then
    mismatch("result", step.result or step.resultText, answer.err)
  end
  if step.plain then
    match(self:fill(step.plain.result), answer.result, "result")
  elseif step.resultText then
    match(vim.json.decode(self:fill(step.resultText)), answer.result, "result")
  elseif step.result ~= nil then
    match(self:fill(step.result), answer.result, "result")
  end
  self:capture(step, answer.result)
end

local run = {}

function run.request(self, step)
  local params
  local text = self:fill(step.paramsText)
  if step.params ~= nil then
    text = json.encode(self:fill(step.params))
  end
  if text then
    table.insert(texts, text)
    params = ("@text:%d@"):format(#texts)
  end
  self:compare(step, self:answer(step.request, params))
end

function run.notify(self, step)
  self.client:notify(step.notify, step.params and self:fill(step.params))
  if step.exitCode then
    self:wait("end of the process", function()
      return self.exit_code
    end)
    match(step.exitCode, self.exit_code, "exit code")
  end
end

function run.notification(self, step)
  local found
  self:wait(step.notification, function()
    for index, heard in ipairs(self.heard) do
      if heard.method == step.notification then
        found = table.remove(self.heard, index).params
        return true
      end
    end
  end, NOTIFICATION_MS)
  match(self:fill(step.params), found, "params")
  self:capture(step, found)
end

function run.edit(self, step)
  local path = self:fill(step.edit)
  if step.append then
    support.write(path, self:content({ text = step.append }), "ab")
  elseif step.write then
    support.write(path, self:content({ text = step.write }))
  elseif step.replace then
    support.write(path .. ".new", self:content({ text = step.replace }))
    assert(uv.fs_rename(path .. ".new", path))
  elseif step.truncate then
    local file = assert(uv.fs_open(path, "r+", 0))
    assert(uv.fs_ftruncate(file, step.truncate))
    uv.fs_close(file)
  else
    assert(step.delete, "an edit that is not known")
    assert(uv.fs_unlink(path))
  end
end

function run.check(self, step)
  local path = self:fill(step.check)
  local expected = step.text ~= vim.NIL and self:content(step) or nil
  local actual = support.read(path)
  if expected ~= actual then
    mismatch("file " .. path, expected, actual)
  end
end

local function lay(self, files)
  for _, file in ipairs(files or {}) do
    local path = self:fill(file.path)
    vim.fn.mkdir(vim.fn.fnamemodify(path, ":h"), "p")
    support.write(path, self:content(file))
    if file.modified then
      assert(uv.fs_utime(path, file.modified, file.modified))
    end
  end
end

--- Lay the files of a vector and start its daemon.
---@param path string
local function prepare(path)
  local vector = json.decode(assert(support.read(path)))
  local self = setmetatable({
    name = vim.fn.fnamemodify(path, ":t:r"),
    vector = vector,
    values = { dir = support.directory() },
    heard = {},
  }, Replay)
  for name, repeated in pairs(vector.generate or {}) do
    self.values[name] = repeated[1]:rep(repeated[2])
  end
  lay(self, vector.files)
  local opening = vector.initialize or {}
  local command = { support.daemon, "--agent-dir", self.values.dir .. "/agent" }
  vim.list_extend(command, self:fill(vector.options or {}))
  self.client = client_module.new({
    command = command,
    -- The process of a vector that looks at its own counters serves nothing else.
    env = { SESSIOND_SHARED = vim.tbl_contains(vector.covers, "daemon/status") and "0" or "1" },
    initialize = self:fill(opening.params),
    on_exit = function(code)
      self.exit_code = code
    end,
  })
  self.client:on("*", function(params, method)
    table.insert(self.heard, { method = method, params = params })
  end)
  self.client:start(function(err, info)
    self.opened = { err = err, result = info }
  end)
  return self
end

--- Replay a vector. Raises an error that says what differs.
local function replay(self)
  local ok, problem = pcall(function()
    self:wait("answer to initialize", function()
      return self.opened
    end)
    self:compare(self.vector.initialize or {}, self.opened)
    for number, step in ipairs(self.vector.steps) do
      local kind = support.first_of(step, { "request", "notify", "notification", "edit", "check" })
      local done, reason = pcall(run[kind], self, step)
      if not done then
        error(("step %d (%s): %s"):format(number, step[kind], reason), 0)
      end
    end
  end)
  self.client:stop()
  if not ok then
    error(problem, 0)
  end
end

--- Replay all of them.
---@return integer passed
---@return integer count
function M.all()
  local passed = 0
  local paths = vim.fn.glob(support.root .. "/../../protocol/vectors/*.json", true, true)
  assert(#paths > 0, "there are no vectors")
  local ready = prepare(paths[1])
  for index in ipairs(paths) do
    -- The next daemon starts while this one works.
    local this = ready
    ready = paths[index + 1] and prepare(paths[index + 1])
    local ok, problem = pcall(replay, this)
    if ok then
      passed = passed + 1
    else
      support.say(("FAILED vector %s: %s"):format(this.name, problem))
    end
  end
  return passed, #paths
end

return M
