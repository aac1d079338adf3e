-- All tests, or with $ONLY those whose name has it. Run by run-tests, within Neovim.

local root = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h:h")
package.path = root .. "/tests/?.lua;" .. package.path
vim.opt.runtimepath:prepend(root)
vim.cmd("runtime plugin/sessiond.lua")

-- A global that nobody declared is a mistake of spelling.
setmetatable(_G, {
  __index = function(_, name)
    if vim.startswith(debug.getinfo(2, "S").source, "@" .. root) then
      error("no global is named " .. name, 2)
    end
  end,
  __newindex = function(_, name)
    error("assignment to global " .. name, 2)
  end,
})

local support = require("support")

local function main()
  local version = vim.version()
  support.say(("neovim %d.%d.%d"):format(version.major, version.minor, version.patch))
  return require("cases").run(vim.env.ONLY)
end

local ok, failed = xpcall(main, debug.traceback)
if not ok then
  support.say(failed)
end
vim.cmd(ok and failed == 0 and "qall!" or "cquit!")
