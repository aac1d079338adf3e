--- Lists of sessions, kept current by notifications of the daemon.

local config = require("sessiond.config")
local daemon = require("sessiond.daemon")

local M = {}

---@class sessiond.Subscription
---@field id string
---@field sequence integer
---@field client sessiond.Client
---@field infos table<string, sessiond.SessionInfo> by path

--- The only subscription: that of the last list.
---@type sessiond.Subscription?
local subscribed
---@type string?
local scope_of_it

local function sorted(infos)
  local list = vim.tbl_values(infos)
  table.sort(list, function(one, other)
    if one.modified ~= other.modified then
      return one.modified > other.modified
    end
    return one.path < other.path
  end)
  return list
end

local function forget()
  if subscribed then
    for _, off in ipairs(subscribed.off) do
      off()
    end
    if subscribed.client.state == "ready" then
      subscribed.client:request("catalog/unsubscribe", { subscription = subscribed.id })
    end
    subscribed = nil
  end
end

local function hear(change)
  if not subscribed or change.subscription ~= subscribed.id then
    return
  end
  if change.sequence ~= subscribed.sequence + 1 then
    -- A notification was missed: request the next list again.
    return forget()
  end
  subscribed.sequence = change.sequence
  for _, each in ipairs(change.changes) do
    subscribed.infos[each.path] = each.kind ~= "removed" and each.info or nil
  end
  vim.cmd("silent doautocmd <nomodeline> User SessiondCatalogChanged")
end

local function subscribe(client, params, scope, done)
  forget()
  client:request("catalog/subscribe", params, function(err, result)
    if err then
      return done(err)
    end
    local infos = {}
    for _, info in ipairs(result.sessions) do
      infos[info.path] = info
    end
    forget()
    subscribed = {
      id = result.subscription,
      sequence = result.sequence,
      client = client,
      infos = infos,
      off = {
        client:on("catalog/didChange", hear),
        client:on("restarted", function()
          subscribed = nil
        end),
      },
    }
    scope_of_it = scope
    done(nil, result.sessions)
  end)
end

--- Get the sessions of the working directory, or all sessions, newest first.
---@param all boolean
---@param done fun(err?: sessiond.Error, sessions?: sessiond.SessionInfo[])
function M.list(all, done)
  daemon.ready(function(not_ready, client)
    if not_ready then
      return done(not_ready)
    end
    local cwd, dir = vim.fn.getcwd(), config.values.session_dir
    dir = dir and vim.fn.expand(dir)
    if client:serves("catalog/subscribe") and client:tells("catalog/didChange") then
      local params = dir and { sessionDir = dir } or all and { all = true } or { cwd = cwd }
      local scope = vim.inspect(params)
      if subscribed and scope_of_it == scope and subscribed.client == client then
        return done(nil, sorted(subscribed.infos))
      end
      return subscribe(client, params, scope, done)
    end
    local function answer(err, result)
      done(err, result and result.sessions)
    end
    if all then
      client:session_list_all({ sessionDir = dir }, answer)
    else
      client:session_list({ cwd = cwd, sessionDir = dir }, answer)
    end
  end)
end

return M
