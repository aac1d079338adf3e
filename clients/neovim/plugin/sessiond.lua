if vim.g.loaded_sessiond == 1 then
  return
end
vim.g.loaded_sessiond = 1

local command = vim.api.nvim_create_user_command
local autocmd = vim.api.nvim_create_autocmd

command("Sessions", function(call)
  require("sessiond.commands").sessions(call.bang, call.mods)
end, { bang = true, desc = "List the sessions of this directory (! of all)" })

command("SessionTree", function(call)
  require("sessiond.commands").tree(call.bang, call.mods)
end, { bang = true, desc = "Show the tree of the session" })

command("SessionRename", function(call)
  require("sessiond.commands").rename(call.args)
end, {
  nargs = "*",
  complete = function(lead)
    return require("sessiond.commands").complete_name(lead)
  end,
  desc = "Name the session",
})

command("SessionMark", function(call)
  require("sessiond.commands").mark(call.args)
end, {
  nargs = "*",
  complete = function(lead)
    return require("sessiond.commands").complete_mark(lead)
  end,
  desc = "Pin, hide or tag the session",
})

command("SessionReply", function(call)
  require("sessiond.writing").reply(call.args, call.mods)
end, { nargs = "*", desc = "Append a message of yours to the session" })

command("SessionFork", function(call)
  require("sessiond.writing").fork(call.args, call.mods)
end, {
  nargs = "?",
  complete = function(lead)
    return require("sessiond.writing").complete_entry(lead)
  end,
  desc = "Copy the branch up to an entry into a new session",
})

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

for name, keys in pairs({
  list = "<Cmd>Sessions<CR>",
  ["list-all"] = "<Cmd>Sessions!<CR>",
  search = ":<C-U>SessionSearch<Space>",
  tree = "<Cmd>SessionTree<CR>",
  reply = "<Cmd>SessionReply<CR>",
  fork = "<Cmd>SessionFork<CR>",
  rename = "<Cmd>SessionRename<CR>",
  mark = ":<C-U>SessionMark<Space>",
  delete = "<Cmd>SessionDelete<CR>",
  restore = "<Cmd>SessionRestore<CR>",
}) do
  vim.keymap.set("n", ("<Plug>(sessiond-%s)"):format(name), keys, { desc = "sessiond: " .. name })
end

local group = vim.api.nvim_create_augroup("sessiond", {})

autocmd("BufReadCmd", {
  group = group,
  pattern = "sessiond://*",
  callback = function(event)
    local name = vim.api.nvim_buf_get_name(event.buf)
    if vim.startswith(name, "sessiond://reply/") then
      -- A reply is only in its buffer.
      return
    end
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
