if vim.g.loaded_sessiond == 1 then
  return
end
vim.g.loaded_sessiond = 1

local command = vim.api.nvim_create_user_command
local autocmd = vim.api.nvim_create_autocmd

command("Sessions", function(call)
  require("sessiond.commands").sessions(call.bang, call.mods)
end, { bang = true, desc = "List a session of this directory (! of all)" })

command("SessionTree", function(call)
  require("sessiond.commands").tree(call.bang, call.mods)
end, { bang = true, desc = "Show the tree of the session" })

command("SessionRename", function(call)
  require("sessiond.commands").rename(call.args)
end, { nargs = "*", desc = "Name the session" })

command("SessionDelete", function(call)
  require("sessiond.commands").delete(call.bang)
end, { bang = true, desc = "Move the session to the trash (! without asking)" })

command("SessionRestore", function(call)
  require("sessiond.commands").restore(call.args)
end, {
  nargs = "?",
  complete = function(lead)
    return require("sessiond.commands").complete_deleted(lead)
  end,
  desc = "Take a deleted session out of the trash",
})

command("SessionSearch", function(call)
  require("sessiond.commands").search(call.args, call.bang, call.mods)
end, { nargs = "+", bang = true, desc = "Find sessions (! in all directories)" })

local group = vim.api.nvim_create_augroup("sessiond", {})

autocmd("BufReadCmd", {
  group = group,
  pattern = "sessiond://*",
  callback = function(event)
    local name = vim.api.nvim_buf_get_name(event.buf)
    local kind = vim.startswith(name, "sessiond://tree/") and "tree"
      or vim.startswith(name, "sessiond://list") and "list"
      or "transcript"
    require("sessiond." .. kind).read(event.buf)
  end,
})

autocmd("ColorScheme", {
  group = group,
  callback = function()
    require("sessiond.surface").define_groups()
  end,
})

autocmd("VimLeavePre", {
  group = group,
  callback = function()
    -- If the module was never loaded, no daemon was started.
    local daemon = package.loaded["sessiond.daemon"]
    if daemon then
      daemon.stop()
    end
  end,
})
