--- The commands.

local catalog = require("sessiond.catalog")
local config = require("sessiond.config")
local daemon = require("sessiond.daemon")
local opened = require("sessiond.opened")
local render = require("sessiond.render")
local transcript = require("sessiond.transcript")
local tree = require("sessiond.tree")

local M = {}

--- Return the file of the session that the current buffer shows.
---@return string?
local function current_path()
  local buffer = vim.api.nvim_get_current_buf()
  local shown = transcript.of(buffer) or tree.of(buffer)
  return shown and shown.path
end

local function pick(sessions, prompt, with_cwd, chosen)
  vim.ui.select(sessions, {
    prompt = prompt,
    kind = "sessiond",
    format_item = function(info)
      return render.info(info, with_cwd, config.values.time_format)
    end,
  }, function(info)
    if info then
      chosen(info)
    end
  end)
end

local function choose(all, chosen)
  catalog.list(all, function(err, sessions)
    if err then
      return daemon.complain(err)
    end
    if #sessions == 0 then
      local where = all and "There are no sessions"
        or ("There are no sessions in %s; :Sessions! lists all"):format(vim.fn.getcwd())
      return daemon.say(where)
    end
    pick(sessions, all and "All sessions" or "Sessions", all, chosen)
  end)
end

--- `:Sessions`: let the user choose a session, and show it.
---@param all boolean
---@param mods string
function M.sessions(all, mods)
  choose(all, function(info)
    transcript.open(info.path, { mods = mods })
  end)
end

--- `:SessionTree`: show the tree of the session in the current buffer, or of one the user chooses.
---@param all boolean
---@param mods string
function M.tree(all, mods)
  local path = current_path()
  if path then
    return tree.open(path, mods)
  end
  choose(all, function(info)
    tree.open(info.path, mods)
  end)
end

---@param client sessiond.Client
local function rename(client, path, name, done)
  if client:serves("catalog/rename") then
    return client:request("catalog/rename", { path = path, name = name }, done)
  end
  -- Open another handle, since that of the buffers is read-only.
  client:open({ path = path, mustExist = true }, function(err, session)
    if err then
      return done(err)
    end
    session:request("session/appendSessionInfo", { name = name }, function(failed)
      session:close()
      done(failed)
    end)
  end)
end

--- `:SessionRename`: give the session in the current buffer a name.
---@param name string empty: ask for it
function M.rename(name)
  local path = current_path()
  if not path then
    return daemon.say("This buffer shows no session; choose one with :Sessions", vim.log.levels.ERROR)
  end
  local function give(new)
    if not new then
      return
    end
    daemon.ready(function(not_ready, client)
      if not_ready then
        return daemon.complain(not_ready)
      end
      rename(client, path, new, function(err)
        if err then
          return daemon.complain(err)
        end
        daemon.say(new == "" and "The session has no name now" or ("The session is named %q"):format(new))
        local shown = transcript.find(path)
        if shown and not client:tells("session/didChange") then
          shown:reload()
        end
      end)
    end)
  end
  if name ~= "" then
    return give(name)
  end
  local shown = transcript.find(path)
  local default = shown and shown.state and shown.state.name or ""
  vim.ui.input({ prompt = "Name of the session: ", default = default }, give)
end

--- Sessions deleted from this Neovim, newest first.
---@type {path: string, title: string, time: integer}[]
local deleted = {}

local function forget_deleted(path)
  deleted = vim.tbl_filter(function(each)
    return each.path ~= path
  end, deleted)
end

--- Get the client, if its daemon serves the method; else show an error.
---@param method string
---@param done fun(client: sessiond.Client)
local function serving(method, done)
  daemon.ready(function(err, client)
    if err then
      return daemon.complain(err)
    end
    if not client:serves(method) then
      return daemon.say(("This sessiond has no %s"):format(method), vim.log.levels.ERROR)
    end
    done(client)
  end)
end

--- Return the transcript and the tree of a session, if buffers show them.
---@param path string
---@return (sessiond.Transcript|sessiond.Tree)[]
local function viewers(path)
  local views = { transcript.find(path) }
  views[#views + 1] = tree.find(path)
  return views
end

---@param client sessiond.Client
---@param path string
---@param title string
local function delete(client, path, title)
  -- A session that this Neovim has open cannot be deleted, so close it first. Keep the buffers until
  -- the session is deleted.
  opened.release(path, function()
    client:request("catalog/delete", { path = path }, function(err, result)
      if err then
        local message = err.message
        if err.kind == "InUse" and err.data.pids then
          message = ("%s (process %s)"):format(message, table.concat(err.data.pids, ", "))
        end
        daemon.say(message, vim.log.levels.ERROR)
        for _, each in ipairs(viewers(path)) do
          each:reload()
        end
        return
      end
      for _, each in ipairs(viewers(path)) do
        vim.api.nvim_buf_delete(each.surface.buffer, { force = true })
      end
      forget_deleted(path)
      if result.trashed then
        table.insert(deleted, 1, { path = path, title = title, time = os.time() })
      end
      daemon.say((result.trashed and "moved to the trash: " or "deleted: ") .. path)
    end)
  end)
end

--- `:SessionDelete`: delete the session in the current buffer, or one that the user chooses.
---@param unasked boolean
function M.delete(unasked)
  serving("catalog/delete", function(client)
    local function sure(path, title)
      local question = ("Move this session to the trash?\n%s\n%s"):format(title, path)
      if unasked or vim.fn.confirm(question, "&Yes\n&No", 2, "Question") == 1 then
        delete(client, path, title)
      end
    end
    local path = current_path()
    if not path then
      return choose(false, function(info)
        sure(info.path, render.info(info, false, config.values.time_format))
      end)
    end
    local shown = transcript.find(path)
    local state = shown and shown.state
    local title = state and (state.name or shown.outline:first_message())
    sure(path, title and render.one_line(title) or vim.fn.fnamemodify(path, ":t"))
  end)
end

--- `:SessionRestore`: take a session out of the trash, by its path, or one that the user chooses from
--- those deleted from this Neovim.
---@param path string empty: choose
function M.restore(path)
  serving("catalog/restore", function(client)
    local function restore(place)
      client:request("catalog/restore", { path = place }, function(err, info)
        if err then
          return daemon.complain(err)
        end
        forget_deleted(place)
        daemon.say("restored: " .. info.path)
      end)
    end
    if path ~= "" then
      return restore(vim.fn.fnamemodify(path, ":p"))
    end
    if #deleted == 0 then
      return daemon.say("No session was deleted from this Neovim; give :SessionRestore a path")
    end
    vim.ui.select(deleted, {
      prompt = "Restore",
      kind = "sessiond",
      format_item = function(each)
        local time = os.date(config.values.time_format, each.time)
        return ("%s  ·  deleted %s  ·  %s"):format(each.title, time, each.path)
      end,
    }, function(each)
      if each then
        restore(each.path)
      end
    end)
  end)
end

--- Complete paths for |:SessionRestore|.
---@param lead string
---@return string[]
function M.complete_deleted(lead)
  local paths = {}
  for _, each in ipairs(deleted) do
    if vim.startswith(each.path, lead) then
      table.insert(paths, each.path)
    end
  end
  return paths
end

--- Return one line for a hit of the search.
local function hit_line(hit, with_cwd)
  local line = render.info(hit.info, with_cwd, config.values.time_format)
  local snippet = hit.snippets and hit.snippets[1]
  return snippet and ("%s  ·  %s: %s"):format(line, snippet.role, render.one_line(snippet.text)) or line
end

---@param client sessiond.Client
local function search(client, query, all, mods)
  local params = { query = query, cwd = not all and vim.fn.getcwd() or nil }
  params.sessionDir = config.values.session_dir and vim.fn.expand(config.values.session_dir)
  client:request("catalog/search", params, function(err, result)
    if err then
      return daemon.complain(err)
    end
    if #result.hits == 0 then
      return daemon.say(("Nothing found for %q"):format(query))
    end
    vim.ui.select(result.hits, {
      prompt = ("Found %q"):format(query),
      kind = "sessiond",
      format_item = function(hit)
        return hit_line(hit, all)
      end,
    }, function(hit)
      if hit then
        local snippet = hit.snippets and hit.snippets[1]
        -- Without an id there is no entry to go to.
        local entry = snippet and snippet.entryId ~= "" and snippet.entryId or nil
        transcript.open(hit.info.path, { mods = mods, entry = entry })
      end
    end)
  end)
end

local function filter(query, all, mods)
  daemon.say("This sessiond cannot search; only names and first messages are compared")
  catalog.list(all, function(err, sessions)
    if err then
      return daemon.complain(err)
    end
    local wanted = query:lower()
    local hits = vim.tbl_filter(function(info)
      local text = (info.name or "") .. "\n" .. info.firstMessage
      return text:lower():find(wanted, 1, true) ~= nil
    end, sessions)
    if #hits == 0 then
      return daemon.say(("Nothing found for %q"):format(query))
    end
    pick(hits, ("Found %q"):format(query), all, function(info)
      transcript.open(info.path, { mods = mods })
    end)
  end)
end

--- `:SessionSearch`: search sessions, and show the one the user chooses, at the hit.
---@param query string
---@param all boolean
---@param mods string
function M.search(query, all, mods)
  daemon.ready(function(not_ready, client)
    if not_ready then
      return daemon.complain(not_ready)
    end
    if client:serves("catalog/search") then
      search(client, query, all, mods)
    else
      filter(query, all, mods)
    end
  end)
end

return M
