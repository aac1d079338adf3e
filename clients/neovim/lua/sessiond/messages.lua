--- Messages to append.

local uv = vim.uv or vim.loop

local M = {}

--- Return a message of the user with the current time.
---@param text string
---@return sessiond.UserMessage
function M.user_text(text)
  local seconds, microseconds = uv.gettimeofday()
  return { role = "user", content = text, timestamp = seconds * 1000 + math.floor(microseconds / 1000) }
end

return M
