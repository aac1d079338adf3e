-- One conversation with the daemon, with the Neovim plugin. Leaves the editor.

local done = false
require("sessiond").client(function(err, client)
  assert(not err, vim.inspect(err))
  client:request("session/inMemory", { cwd = "/" }, function(failed, state)
    assert(not failed, vim.inspect(failed))
    local message = { role = "user", content = "hello" }
    local params = { session = state.session, message = message }
    client:request("session/appendMessage", params, function()
      local asked = { session = state.session }
      client:request("session/buildSessionContext", asked, function(_, context)
        for _, each in ipairs(context.messages) do
          io.stdout:write(each.role .. ": " .. each.content .. "\n")
        end
        done = true
      end)
    end)
  end)
end)
vim.wait(30000, function()
  return done
end)
vim.cmd(done and "qall!" or "cquit!")
