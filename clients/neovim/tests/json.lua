-- JSON whose objects are written as they were read: Lua tables know no order of keys, and vectors
-- compare files byte by byte.

local M = {}

--- Keys of objects in the order they were read.
local keys_of = setmetatable({}, { __mode = "k" })

local value_at

local function skip(text, at)
  return text:find("[^ \t\r\n]", at)
end

local function string_at(text, at)
  local finish = at
  repeat
    finish = text:find('["\\]', finish + 1)
    local escape = text:sub(finish, finish) == "\\"
    finish = escape and finish + 1 or finish
  until not escape
  return vim.json.decode(text:sub(at, finish)), finish + 1
end

local function array_at(text, at)
  local items = {}
  at = skip(text, at + 1)
  while text:sub(at, at) ~= "]" do
    items[#items + 1], at = value_at(text, at)
    at = skip(text, at)
    at = text:sub(at, at) == "," and skip(text, at + 1) or at
  end
  return items, at + 1
end

local function object_at(text, at)
  local members, keys = vim.empty_dict(), {}
  at = skip(text, at + 1)
  while text:sub(at, at) ~= "}" do
    local key
    key, at = string_at(text, at)
    keys[#keys + 1] = key
    members[key], at = value_at(text, skip(text, skip(text, at) + 1))
    at = skip(text, at)
    at = text:sub(at, at) == "," and skip(text, at + 1) or at
  end
  keys_of[members] = keys
  return members, at + 1
end

function value_at(text, at)
  local first = text:sub(at, at)
  if first == "{" then
    return object_at(text, at)
  elseif first == "[" then
    return array_at(text, at)
  elseif first == '"' then
    return string_at(text, at)
  end
  local word = text:match("^[%w.+-]+", at)
  return vim.json.decode("[" .. word .. "]")[1], at + #word
end

--- A text that is known to be JSON.
function M.decode(text)
  return (value_at(text, skip(text, 1)))
end

--- The value as text; its objects as `decode` gave them, or copies of those.
function M.encode(value)
  if type(value) ~= "table" then
    local whole = type(value) == "number" and value == math.floor(value)
    return whole and ("%.0f"):format(value) or vim.json.encode(value)
  end
  local keys, parts = keys_of[value], {}
  if keys then
    for index, key in ipairs(keys) do
      parts[index] = vim.json.encode(key) .. ":" .. M.encode(value[key])
    end
    return "{" .. table.concat(parts, ",") .. "}"
  end
  for index, item in ipairs(value) do
    parts[index] = M.encode(item)
  end
  return "[" .. table.concat(parts, ",") .. "]"
end

--- Call a function on every leaf and return a copy with what it returns.
function M.map(value, leaf)
  if type(value) ~= "table" then
    return leaf(value)
  end
  local copy = setmetatable({}, getmetatable(value))
  for name, item in pairs(value) do
    copy[name] = M.map(item, leaf)
  end
  keys_of[copy] = keys_of[value]
  return copy
end

return M
