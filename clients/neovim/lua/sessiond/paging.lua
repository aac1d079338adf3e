--- Iterators over the items of all pages of a request.

local await = require("sessiond.await")

local M = {}

--- Iterate over the items of all pages. Each page is requested when its first item is needed.
--- Raises the error of an answer.
---@param target sessiond.Client|sessiond.Session
---@param method string
---@param params? table
---@param member string the array in the result
---@return fun(): any
function M.items(target, method, params, member)
  local page, index, cursor, last = {}, 0, nil, false
  return function()
    while index >= #page do
      if last then
        return nil
      end
      local result = await.await(function(done)
        local wanted = cursor and vim.tbl_extend("force", params or {}, { cursor = cursor }) or params
        return target:request(method, wanted, done)
      end)
      page, index, cursor = result[member], 0, result.nextCursor
      last = type(cursor) ~= "string"
    end
    index = index + 1
    return page[index]
  end
end

return M
