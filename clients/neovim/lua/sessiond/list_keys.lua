--- The keys of lists.

local M = {}

--- Map the keys in the buffer of a list.
---@param list sessiond.List
---@param list_all fun() shows the sessions of all directories
function M.map(list, list_all)
  local function map(key, action, description)
    list.surface:map(key, action, description)
  end
  local function at(action)
    return function()
      local item = list:item()
      if item then
        action(item)
      end
    end
  end
  map("<CR>", function()
    list:choose("")
  end, "open the session")
  map("<2-LeftMouse>", function()
    list:choose("")
  end, "open the session")
  map("<C-x>", function()
    list:choose("split")
  end, "open the session in a split")
  map("<C-v>", function()
    list:choose("vertical")
  end, "open the session in a vertical split")
  map("<C-t>", function()
    list:choose("tab")
  end, "open the session in a tab page")
  map("/", function()
    list:ask_filter()
  end, "filter the list while typing")
  map("<BS>", function()
    list:narrow("")
  end, "show all sessions again")
  map("p", function()
    list:toggle_preview()
  end, "show or hide the preview")
  map("t", at(function(item)
    list:leave()
    require("sessiond.tree").open(item.info.path)
  end), "tree of the session")
  -- The commands act on the session under the cursor.
  map("r", at(function()
    vim.cmd("SessionRename")
  end), "rename the session")
  map("m", at(function()
    vim.cmd("SessionMark")
  end), "pin, hide or tag the session")
  map("D", at(function()
    vim.cmd("SessionDelete")
  end), "move the session to the trash")
  map("U", function()
    vim.cmd("SessionRestore")
  end, "take a session out of the trash")
  map("s", function()
    require("sessiond.ask").input({ prompt = "Search sessions for: " }, function(query)
      if query ~= "" then
        vim.cmd(("SessionSearch%s %s"):format(list.options.with_cwd and "!" or "", query))
      end
    end)
  end, "search what was said")
  map("a", function()
    list_all()
  end, "sessions of all directories")
  map("R", function()
    list:reload()
  end, "list again")
  map("q", function()
    list:quit()
  end, "close the list")
end

return M
