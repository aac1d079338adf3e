-- Measures the Neovim plugin's client; dev/bench/clients.py documents the figures and runs this program.

local here = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h")
vim.opt.runtimepath:prepend(here .. "/../../../clients/neovim")

local uv = vim.uv or vim.loop
local TIMEOUT_MS = 200000

-- Each answer sends the next request, as callbacks do in the plugin: `vim.wait` between them would
-- be measured, too.
local function median(session, method, warm, count)
  local taken, last = {}, nil
  local function ask(left)
    local start = uv.hrtime()
    session:request(method, nil, function(err, result)
      assert(not err, err and err.message)
      table.insert(taken, (uv.hrtime() - start) / 1e9)
      if left > 1 then
        ask(left - 1)
      else
        last = result
      end
    end)
  end
  ask(warm + count)
  assert(vim.wait(TIMEOUT_MS, function()
    return last ~= nil
  end), "no answer to " .. method)
  taken = vim.list_slice(taken, warm + 1)
  table.sort(taken)
  return taken[math.floor(count / 2) + 1], last
end

local function measured()
  local client = require("sessiond.client").new({ command = { vim.env.SESSIOND } })
  local session
  client:open({ path = vim.env.SESSION }, function(err, opened)
    assert(not err, err and err.message)
    session = opened
  end)
  assert(vim.wait(TIMEOUT_MS, function()
    return session ~= nil
  end), "the session was not opened")
  local small = median(session, "session/getLeafId", 50, 500)
  local values, result = median(session, "session/getEntries", 1, 5)
  client:stop_now(5000)
  return vim.json.encode({ entries = #result.entries, small = small, values = values })
end

local ok, line = xpcall(measured, debug.traceback)
io[ok and "stdout" or "stderr"]:write(line .. "\n")
vim.cmd(ok and "qall!" or "cquit!")
