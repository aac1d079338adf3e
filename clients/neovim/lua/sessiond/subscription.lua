--- A subscription to lists of sessions or to the stores of a gateway, which survives a restart of the
--- daemon.

local failures = require("sessiond.failures")

---@class sessiond.SubscriptionEvent
---@field kind "changed"|"reconnected"|"lost"|"ended"
---@field changes? table[] with `changed`: one per file or key
---@field snapshot? sessiond.CatalogSubscribeResult|sessiond.GatewaySubscribeResult with `reconnected`
---@field error? sessiond.Error with `lost`

---@class sessiond.Subscription
---@field client sessiond.Client
---@field family "catalog"|"gateway"
---@field params table
---@field snapshot sessiond.CatalogSubscribeResult|sessiond.GatewaySubscribeResult the latest one
---@field lost? sessiond.Error
local Subscription = {}
Subscription.__index = Subscription

local M = {}

--- Subscribe, and call the listener with every later event.
---@param client sessiond.Client
---@param family "catalog"|"gateway"
---@param params table
---@param listener fun(event: sessiond.SubscriptionEvent)
---@param done? fun(err?: sessiond.Error, subscription?: sessiond.Subscription)
function M.open(client, family, params, listener, done)
  local self = setmetatable({
    client = client,
    family = family,
    params = params or vim.empty_dict(),
    _listener = listener,
  }, Subscription)
  client:request(family .. "/subscribe", self.params, function(err, result)
    if not err then
      self:_take(result)
      client.subscriptions[self] = true
    end
    if done then
      done(err, not err and self or nil)
    end
  end)
end

--- End the subscription.
function Subscription:close()
  if self.client.subscriptions[self] then
    self.client.subscriptions[self] = nil
    -- Without an id a new snapshot is on its way, whose subscription ends when it arrives.
    if self.client.state == "ready" and self.id then
      self:_end(self.id)
    end
  end
end

function Subscription:_end(id)
  self.client:request(self.family .. "/unsubscribe", { subscription = id })
end

function Subscription:_take(result)
  self.id, self.sequence, self.snapshot = result.subscription, result.sequence, result
end

function Subscription:_hear(method, params)
  if method ~= self.family .. "/didChange" or params.subscription ~= self.id then
    return
  end
  self.client:_when_ready(function()
    self:_changed(params)
  end)
end

function Subscription:_changed(params)
  if params.subscription ~= self.id then
    return
  end
  if params.sequence == self.sequence + 1 then
    self.sequence = params.sequence
    self._listener(vim.tbl_extend("force", params, { kind = "changed" }))
    return
  end
  -- A notification was missed: continue with a new snapshot.
  local before = self.id
  self.id = nil
  self:_end(before)
  self.client:request(self.family .. "/subscribe", self.params, function(err, result)
    -- It may have been closed meanwhile, or subscribed in a new process of the daemon.
    if self.id or not self.client.subscriptions[self] then
      return not err and self:_end(result.subscription)
    end
    if err then
      self.client.subscriptions[self] = nil
      return self:_lose(err)
    end
    self:_take(result)
    self:_reconnected()
  end)
end

--- Subscribe in a new process of the daemon.
---@param rpc table
---@param done fun(err?: sessiond.Error)
function Subscription:_renew(rpc, done)
  self.id = nil
  rpc.request(self.family .. "/subscribe", self.params, function(err, result)
    if err then
      return done(failures.from_answer(err))
    end
    self:_take(result)
    if not self.client.subscriptions[self] then
      -- It was closed meanwhile.
      rpc.request(self.family .. "/unsubscribe", { subscription = self.id }, function() end)
    end
    done()
  end)
end

function Subscription:_reconnected()
  self._listener({ kind = "reconnected", snapshot = self.snapshot })
end

---@param err sessiond.Error
---@param kind? "lost"|"ended"
function Subscription:_lose(err, kind)
  self.lost = err
  self._listener({ kind = kind or "lost", error = err })
end

return M
