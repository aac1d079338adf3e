--- Messages to append.

local uv = vim.uv or vim.loop

local M = {}

--- Return the current time in milliseconds.
local function now()
  local seconds, microseconds = uv.gettimeofday()
  return seconds * 1000 + math.floor(microseconds / 1000)
end

--- Return a message of the user with the current time.
---@param text string
---@return sessiond.UserMessage
function M.user_text(text)
  return { role = "user", content = text, timestamp = now() }
end

--- Return an answer of a model with all members that pi needs, with the current time. Set its `usage`; until
--- then it has no tokens, at a price that is not known.
---@param content string|sessiond.Block[]
---@param provider string
---@param model string
---@return sessiond.AssistantMessage
function M.assistant_message(content, provider, model)
  local blocks = type(content) == "string" and { { type = "text", text = content } } or content
  local reason = "stop"
  for _, block in ipairs(blocks) do
    reason = block.type == "toolCall" and "toolUse" or reason
  end
  local unknown = vim.NIL
  return {
    role = "assistant",
    content = blocks,
    api = "",
    provider = provider,
    model = model,
    usage = {
      input = 0,
      output = 0,
      cacheRead = 0,
      cacheWrite = 0,
      totalTokens = 0,
      cost = { input = unknown, output = unknown, cacheRead = unknown, cacheWrite = unknown, total = unknown },
    },
    stopReason = reason,
    timestamp = now(),
  }
end

return M
