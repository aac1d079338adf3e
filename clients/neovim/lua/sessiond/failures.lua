--- Errors: those that the daemon answers, and those of the client.

local contract = require("sessiond.contract")

local M = {}

---@class sessiond.Error
---@field code integer code of JSON-RPC or the contract; 0: an error of the client
---@field kind string such as `EntryNotFound`; errors of the client are `Lost`, `NotStarted` and `Interrupted`
---@field message string for people
---@field retryable boolean
---@field data table

-- An error that nobody catches is shown as its message.
local Error = {
  __tostring = function(err)
    return err.message
  end,
}

--- Return an error of the client.
---@param code integer
---@param kind string
---@param message string
---@return sessiond.Error
function M.new(code, kind, message)
  local err = { code = code, kind = kind, message = message, retryable = false, data = {} }
  return setmetatable(err, Error)
end

--- Return the error of an answer.
---@param err table the error object of the answer
---@return sessiond.Error
function M.from_answer(err)
  local data = type(err.data) == "table" and err.data or {}
  return setmetatable({
    code = err.code,
    kind = data.kind or contract.errors[err.code] or "Unknown",
    message = err.message,
    retryable = data.retryable == true,
    data = data,
  }, Error)
end

return M
