--- Lists of sessions, kept current by notifications of the daemon.

local config = require("sessiond.config")
local daemon = require("sessiond.daemon")

local M = {}

--- The only subscription: that of the last list.
---@type {scope: string, client: sessiond.Client, subscription: sessiond.Subscription, infos: table<string, sessiond.SessionInfo>}?
local subscribed

local function sorted(infos)
  local list = vim.tbl_values(infos)
  table.sort(list, function(one, other)
    local pinned = (one.marks or {}).pinned or false
    if pinned ~= ((other.marks or {}).pinned or false) then
      return pinned
    end
    if one.modified ~= other.modified then
      return one.modified > other.modified
    end
    return one.path < other.path
  end)
  return list
end

local function forget()
  if subscribed then
    subscribed.subscription:close()
    subscribed = nil
  end
end

local function by_path(sessions)
  local infos = {}
  for _, info in ipairs(sessions) do
    infos[info.path] = info
  end
  return infos
end

--- Whether the subscription was lost with its daemon, so that the lists shown are not current.
local lost = false

local function tell()
  vim.cmd("silent doautocmd <nomodeline> User SessiondCatalogChanged")
end

daemon.on_ready(function()
  if lost then
    lost = false
    tell()
  end
end)

---@param event sessiond.SubscriptionEvent
local function hear(event)
  if not subscribed then
    return
  end
  if event.kind == "lost" or event.kind == "ended" then
    subscribed, lost = nil, true
    return
  elseif event.kind == "reconnected" then
    subscribed.infos = by_path(event.snapshot.sessions)
  else
    for _, each in ipairs(event.changes) do
      if each.info or each.kind == "removed" then
        subscribed.infos[each.path] = each.info
      end
    end
  end
  tell()
end

local function subscribe(client, params, scope, done)
  forget()
  client:subscribe_catalog(params, hear, function(err, subscription)
    if err then
      return done(err)
    end
    forget()
    local infos = by_path(subscription.snapshot.sessions)
    subscribed = { scope = scope, client = client, subscription = subscription, infos = infos }
    done(nil, sorted(infos))
  end)
end

--- Get the sessions of a directory, or all sessions, pinned ones first, then newest first.
---@param cwd? string nil: of all directories
---@param done fun(err?: sessiond.Error, sessions?: sessiond.SessionInfo[])
function M.list(cwd, done)
  daemon.ready(function(not_ready, client)
    if not_ready then
      return done(not_ready)
    end
    local dir = config.values.session_dir
    dir = dir and vim.fn.expand(dir)
    local params = dir and { sessionDir = dir } or cwd and { cwd = cwd } or {}
    local scope = vim.inspect(params)
    if subscribed and subscribed.scope == scope and subscribed.client == client then
      return done(nil, sorted(subscribed.infos))
    end
    subscribe(client, params, scope, done)
  end)
end

return M
