--- `:Telescope sessiond`: sessions of the working directory; `:Telescope sessiond all`: of all.

local function source(all)
  return function(settings)
    local options = require("sessiond.list").sessions_of(not all and vim.fn.getcwd() or nil)
    options.load(function(err, items)
      if err then
        return require("sessiond.daemon").complain(err)
      end
      require("sessiond.pickers.telescope").pick(options, items, require("sessiond.choose").show, settings)
    end)
  end
end

return require("telescope").register_extension({
  exports = { sessiond = source(false), sessions = source(false), all = source(true) },
})
