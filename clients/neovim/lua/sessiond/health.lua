--- :checkhealth sessiond

local config = require("sessiond.config")
local client_module = require("sessiond.client")

local M = {}

-- The functions lost their prefix in Neovim 0.10.
local health = vim.health or require("health")
local start = health.start or health.report_start
local ok = health.ok or health.report_ok
local info = health.info or health.report_info
local fail = health.error or health.report_error

local WAIT_MS = 10000

function M.check()
  start("sessiond")
  if vim.fn.has("nvim-0.7") == 0 then
    return fail("Neovim 0.7 or later is needed")
  end
  ok("Neovim is recent enough")
  local command, problem = config.command()
  if problem then
    return fail(problem, { "pip install .   (in a checkout of sessiond)", "require('sessiond').setup{ path = … }" })
  end
  ok(("command: %s (%s)"):format(table.concat(command, " "), vim.fn.exepath(command[1])))

  local client = client_module.new({
    command = command,
    env = config.environment(),
    initialize = config.initialize(),
  })
  local answer
  client:start(function(err, result)
    answer = { err = err, result = result }
  end)
  vim.wait(WAIT_MS, function()
    return answer
  end, 20)
  if not answer then
    client:stop_now(0)
    return fail(("sessiond did not answer within %d seconds"):format(WAIT_MS / 1000))
  end
  if answer.err then
    return fail(answer.err.message, { "See the log: " .. require("sessiond.process").log() })
  end
  local result = answer.result
  ok(("%s %s answers"):format(result.serverInfo.name, result.serverInfo.version))
  info(("profile %s, sessions in %s"):format(result.profile, result.sessionsDir))
  client:stop_now(2000)
end

return M
