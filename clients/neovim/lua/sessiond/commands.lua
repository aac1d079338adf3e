--- The commands.

local ask = require("sessiond.ask")
local choose = require("sessiond.choose")
local config = require("sessiond.config")
local daemon = require("sessiond.daemon")
local list = require("sessiond.list")
local render = require("sessiond.render")
local shown = require("sessiond.shown")
local transcript = require("sessiond.transcript")
local tree = require("sessiond.tree")

local M = {}

--- How long a completion waits for the daemon.
local COMPLETION_MS = 2000

--- `:Sessions`: list sessions, and show the one that the user chooses.
---@param all boolean
---@param mods string
function M.sessions(all, mods)
  choose.item(list.sessions_of(not all and vim.fn.getcwd() or nil), mods)
end

--- Let the user choose a session for something else than to read it.
---@param all boolean
---@param hint string what Enter does
---@param chosen fun(info: sessiond.SessionInfo)
local function choose_for(all, hint, chosen)
  local options = list.sessions_of(not all and vim.fn.getcwd() or nil)
  options.hint = hint
  options.choose = function(item)
    local listed = list.of(vim.api.nvim_get_current_buf())
    if listed then
      listed:quit()
    end
    chosen(item.info)
  end
  choose.item(options, "")
end

--- `:SessionTree`: show the tree of the session in the current buffer, or of one the user chooses.
---@param all boolean
---@param mods string
function M.tree(all, mods)
  local path = shown.session()
  if path then
    return tree.open(path, mods)
  end
  choose_for(all, "<CR> show the tree", function(info)
    tree.open(info.path, mods)
  end)
end

---@param path string
---@param name string
local function give(path, name)
  daemon.ready(function(not_ready, client)
    if not_ready then
      return daemon.complain(not_ready)
    end
    client:request("catalog/rename", { path = path, name = name }, function(err)
      if err then
        return daemon.complain(err)
      end
      daemon.say(name == "" and "The session has no name now" or ("The session is named %q"):format(name))
    end)
  end)
end

--- `:SessionRename`: give the session in the current buffer, or under the cursor, a name.
---@param name string empty: ask for it
function M.rename(name)
  local path = shown.session()
  if not path then
    return daemon.say("This buffer shows no session; choose one with :Sessions", vim.log.levels.ERROR)
  end
  if name ~= "" then
    return give(path, name)
  end
  ask.input({ prompt = "Name of the session: ", default = shown.name() or "" }, function(given)
    give(path, given)
  end)
end

local MARKS = { pin = { pinned = true }, unpin = { pinned = false }, hide = { hidden = true }, unhide = { hidden = false } }

--- Return the params that words of |:SessionMark| mean, or the word that means nothing.
---@param words string
---@return table? change
---@return string? wrong
local function marks_of(words)
  local change = {}
  for _, word in ipairs(vim.split(words, "%s+", { trimempty = true })) do
    local sign, tag = word:match("^(%-?)#(.+)$")
    if MARKS[word] then
      change = vim.tbl_extend("force", change, MARKS[word])
    elseif tag then
      local member = sign == "" and "addTags" or "removeTags"
      change[member] = vim.list_extend(change[member] or {}, { tag })
    else
      return nil, word
    end
  end
  return change
end

--- `:SessionMark`: pin, hide or tag the session in the current buffer, or under the cursor.
---@param words string empty: ask for them
function M.mark(words)
  local path = shown.session()
  if not path then
    return daemon.say("This buffer shows no session; choose one with :Sessions", vim.log.levels.ERROR)
  end
  if words == "" then
    return ask.input({ prompt = "pin, unpin, hide, unhide, #tag or -#tag: " }, function(given)
      if vim.trim(given) ~= "" then
        M.mark(given)
      end
    end)
  end
  local change, wrong = marks_of(words)
  if not change then
    return daemon.say(("%q is no mark: pin, unpin, hide, unhide, #tag or -#tag"):format(wrong), vim.log.levels.ERROR)
  end
  change.paths = { path }
  daemon.ready(function(not_ready, client)
    if not_ready then
      return daemon.complain(not_ready)
    end
    client:request("catalog/setMarks", change, function(err, result)
      if err then
        return daemon.complain(err)
      end
      local marks = render.marks({ marks = result.marks[1] })
      daemon.say(marks == "" and "The session has no marks now" or ("The session is marked: %s"):format(marks))
    end)
  end)
end

--- Complete the words of |:SessionMark|.
---@param lead string
---@return string[]
function M.complete_mark(lead)
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, { "pin", "unpin", "hide", "unhide", "#", "-#" })
end

--- Complete the present name for |:SessionRename|, to change it.
---@param lead string
---@return string[]
function M.complete_name(lead)
  local name = shown.name()
  return name and vim.startswith(name, lead) and { name } or {}
end

--- Get the client of a daemon that runs; else show the error.
---@param done fun(client: sessiond.Client)
local function connected(done)
  daemon.ready(function(err, client)
    if err then
      return daemon.complain(err)
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
---@param or_else fun(err: sessiond.Error) called if a program has the session open for writing
---@param force? boolean
local function delete(client, path, or_else, force)
  client:request("catalog/delete", { path = path, force = force }, function(err, result)
    if err then
      return (err.kind == "InUse" and or_else or daemon.complain)(err)
    end
    for _, each in ipairs(viewers(path)) do
      vim.api.nvim_buf_delete(each.surface.buffer, { force = true })
    end
    daemon.say((result.trashed and "moved to the trash: " or "deleted: ") .. path)
  end)
end

--- Move a session to the trash, after asking.
---@param path string
---@param title string
---@param unasked? boolean
local function delete_at(path, title, unasked)
  connected(function(client)
    local described = { render.fit(title, render.TITLE_COLUMNS), vim.fn.fnamemodify(path, ":~") }
    local question = ("Move this session to the trash?\n%s\n%s"):format(unpack(described))
    if unasked then
      return delete(client, path, daemon.complain)
    end
    if not ask.confirm(question) then
      return
    end
    delete(client, path, function(err)
      local warning = "%s\nMove it to the trash anyway? If that program goes on writing, the file appears again."
      if ask.confirm(warning:format(err.message)) then
        delete(client, path, daemon.complain, true)
      end
    end)
  end)
end

--- `:SessionDelete`: delete the session in the current buffer, or under the cursor, or one that the
--- user chooses.
---@param unasked boolean
function M.delete(unasked)
  local path, info = shown.session()
  if not path then
    return choose_for(false, "<CR> delete", function(chosen)
      delete_at(chosen.path, render.title(chosen), unasked)
    end)
  end
  local view = transcript.find(path)
  local state = view and view.state
  local title = info and render.title(info) or state and (state.name or view.outline:first_message())
  delete_at(path, title and render.one_line(title) or vim.fn.fnamemodify(path, ":t"), unasked)
end

--- Get the sessions in the trash, the latest first.
---@param client sessiond.Client
---@param done fun(sessions: sessiond.TrashedSession[])
local function trashed(client, done)
  client:request("catalog/listTrash", {}, function(err, result)
    if err then
      return daemon.complain(err)
    end
    done(result.sessions)
  end)
end

--- `:SessionRestore`: take a session out of the trash, by its path, or one that the user chooses.
---@param path string empty: choose
function M.restore(path)
  connected(function(client)
    local function restore(place)
      client:request("catalog/restore", { path = place }, function(err, info)
        if err then
          return daemon.complain(err)
        end
        daemon.say("restored: " .. info.path)
      end)
    end
    if path ~= "" then
      return restore(vim.fn.fnamemodify(path, ":p"))
    end
    trashed(client, function(sessions)
      if #sessions == 0 then
        return daemon.say("The trash has no session")
      end
      ask.select(sessions, {
        prompt = "Restore",
        kind = "sessiond",
        format_item = function(each)
          local time = each.deleted and render.time(each.deleted, config.values.time_format) or "at some time"
          return ("%s  ·  deleted %s  ·  %s"):format(render.title(each.info), time, each.path)
        end,
      }, function(each)
        restore(each.path)
      end)
    end)
  end)
end

--- Complete paths for |:SessionRestore|.
---@param lead string
---@return string[]
function M.complete_deleted(lead)
  local paths
  connected(function(client)
    trashed(client, function(sessions)
      paths = vim.tbl_map(function(each)
        return each.path
      end, sessions)
    end)
  end)
  vim.wait(COMPLETION_MS, function()
    return paths
  end, 10)
  return vim.tbl_filter(function(path)
    return vim.startswith(path, lead)
  end, paths or {})
end

--- Get the hits of a search.
---@param query string
---@param cwd? string
---@param done fun(err?: sessiond.Error, items?: sessiond.Item[])
local function find(query, cwd, done)
  daemon.ready(function(not_ready, client)
    if not_ready then
      return done(not_ready)
    end
    local params = { query = query, cwd = cwd }
    params.sessionDir = config.values.session_dir and vim.fn.expand(config.values.session_dir)
    client:request("catalog/search", params, function(err, result)
      done(err, result and vim.tbl_map(function(hit)
        return { info = hit.info, snippet = hit.snippets and hit.snippets[1] }
      end, result.hits))
    end)
  end)
end

--- `:SessionSearch`: search sessions, and show the one the user chooses, at the hit.
---@param query string
---@param all boolean
---@param mods string
function M.search(query, all, mods)
  local cwd = not all and vim.fn.getcwd() or nil
  local nothing = ("Nothing found for %q"):format(query)
  find(query, cwd, function(err, items)
    if err then
      return daemon.complain(err)
    elseif #items == 0 then
      return daemon.say(nothing)
    end
    local first = items
    choose.item({
      title = "Found: " .. query,
      name = "-search/" .. query,
      with_cwd = all,
      empty = nothing,
      load = function(done)
        if first then
          items, first = first, nil
          return done(nil, items)
        end
        find(query, cwd, done)
      end,
    }, mods)
  end)
end

return M
