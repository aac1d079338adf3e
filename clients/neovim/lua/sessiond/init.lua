--- List, read, follow, rename and delete sessions of coding agents. See :help sessiond.

local M = {}

--- Set options; see :help sessiond-options. Options of the daemon take effect at its next start.
---@param options? sessiond.Options|table
function M.setup(options)
  require("sessiond.config").set(options)
end

--- Get the client for scripts, once it is ready. It has a function for every method, such as
--- `client:request("session/list", { cwd = "/w" }, function(err, result) end)`.
---@param done fun(err?: sessiond.Error, client?: sessiond.Client)
function M.client(done)
  require("sessiond.daemon").ready(done)
end

--- Run a function in which |sessiond-await| and the iterators do not block the editor. It gets the
--- client: `run(function(client) for info in client:sessions() do print(info.path) end end)`.
---@param body fun(client: sessiond.Client): any
---@param done? fun(err?: any, result?: any) without it, errors are shown
function M.run(body, done)
  local function finished(err, result)
    if done then
      done(err, result)
    elseif err then
      require("sessiond.daemon").say(tostring(err), vim.log.levels.ERROR)
    end
  end
  M.client(function(err, client)
    if err then
      return finished(err)
    end
    require("sessiond.await").run(body, finished, client)
  end)
end

--- Wait for one answer; see |sessiond-await|.
---@param start fun(done: fun(err?: sessiond.Error, result?: any))
---@return any
function M.await(start)
  return require("sessiond.await").await(start)
end

--- Return a message of the user with the current time, for `session:append`.
---@param text string
---@return sessiond.UserMessage
function M.user_text(text)
  return require("sessiond.messages").user_text(text)
end

--- Return an answer of a model, for `session:append`; set its `usage`.
---@param content string|sessiond.Block[]
---@param provider string
---@param model string
---@return sessiond.AssistantMessage
function M.assistant_message(content, provider, model)
  return require("sessiond.messages").assistant_message(content, provider, model)
end

--- Shut the daemon down. The next command starts it again.
function M.stop()
  require("sessiond.daemon").stop()
end

return M
