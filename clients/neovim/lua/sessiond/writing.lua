--- Commands that write: a reply to the session shown, and a copy of one of its branches.

local daemon = require("sessiond.daemon")
local messages = require("sessiond.messages")
local shown = require("sessiond.shown")
local transcript = require("sessiond.transcript")

local M = {}

local REPLY = "sessiond://reply"
local APPENDED = "The reply was appended to %s"
local NO_SESSION = "This buffer shows no session; choose one with :Sessions"

--- Open a session for writing, call `work`, and close it after `work` has called its argument.
---@param path string
---@param work fun(session: sessiond.Session, done: fun(err?: sessiond.Error, ...))
---@param done fun(err?: sessiond.Error, ...)
local function with_session(path, work, done)
  daemon.ready(function(not_ready, client)
    if not_ready then
      return done(not_ready)
    end
    client:open({ path = path, mustExist = true }, function(err, session)
      if err then
        return done(err)
      end
      work(session, function(...)
        session:close()
        done(...)
      end)
    end)
  end)
end

--- Append a message of the user to the branch that the transcript shows. If the session has entries below
--- it that the transcript does not show yet, nothing is written.
---@param path string
---@param text string
---@param done fun(err?: sessiond.Error)
local function send(path, text, done)
  local view = transcript.find(path)
  local last = view and view.items[#view.items]
  local tip = view and view.tip
  with_session(path, function(session, finish)
    local function append(err)
      if err then
        return finish(err)
      end
      local params = { message = messages.user_text(text), expectedLeafId = tip or last and last.entryId }
      session:request("session/appendMessage", params, function(failed)
        finish(failed)
        if tip and not failed then
          -- The reply is on the latest branch now.
          view:latest()
        end
      end)
    end
    if tip then
      session:request("session/branch", { entryId = tip }, append)
    else
      append()
    end
  end, done)
end

--- Return the title of a session, or the name of its file.
local function title(path)
  local view = transcript.find(path)
  return view and view:title() or vim.fn.fnamemodify(path, ":t")
end

---@param err sessiond.Error
local function refused(err)
  if err.kind == "LeafConflict" then
    return daemon.say(
      "Nothing was written: the session has new entries. Read them and send the reply again",
      vim.log.levels.ERROR
    )
  end
  daemon.complain(err)
end

--- Write the text of a reply's buffer to its session, and close the buffer if that succeeds.
---@param buffer integer
local function send_buffer(buffer)
  local text = vim.trim(table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n"))
  if text == "" then
    return daemon.say("The reply is empty", vim.log.levels.WARN)
  elseif vim.b[buffer].sessiond_sending then
    return daemon.say("The reply is being sent", vim.log.levels.WARN)
  end
  vim.b[buffer].sessiond_sending = true
  local tick = vim.api.nvim_buf_get_changedtick(buffer)
  local path = vim.api.nvim_buf_get_name(buffer):sub(#REPLY + 1)
  send(path, text, function(err)
    local alive = vim.api.nvim_buf_is_valid(buffer)
    if alive then
      vim.b[buffer].sessiond_sending = false
    end
    if err then
      return refused(err)
    end
    if alive and vim.api.nvim_buf_get_changedtick(buffer) == tick then
      vim.api.nvim_buf_delete(buffer, { force = true })
    end
    daemon.say(APPENDED:format(title(path)))
  end)
end

--- Show a buffer for a reply, whose `:write` appends it.
---@param path string
---@param mods string
local function compose(path, mods)
  local buffer = vim.fn.bufadd(REPLY .. path)
  local window = vim.fn.win_findbuf(buffer)[1]
  if window then
    return vim.api.nvim_set_current_win(window)
  end
  vim.cmd((mods == "" and "belowright 8" or mods .. " ") .. "split")
  if vim.bo[buffer].buftype ~= "acwrite" then
    vim.bo[buffer].buftype = "acwrite"
    vim.bo[buffer].bufhidden = "wipe"
    vim.bo[buffer].swapfile = false
    vim.bo[buffer].filetype = "markdown"
    vim.api.nvim_create_autocmd("BufWriteCmd", {
      buffer = buffer,
      callback = function()
        send_buffer(buffer)
      end,
    })
  end
  vim.api.nvim_win_set_buf(0, buffer)
  daemon.say(":write sends the reply, :quit! discards it")
end

--- Return the file of the session that the current buffer shows; without one, say so.
---@return string? path
---@return sessiond.SessionInfo? info what the list says of it, if the buffer is a list
local function shown_session()
  local path, info = shown.session()
  if not path then
    daemon.say(NO_SESSION, vim.log.levels.ERROR)
  end
  return path, info
end

--- `:SessionReply`: append a message of the user to the session shown.
---@param text string empty: show a buffer to write it in
---@param mods string
function M.reply(text, mods)
  local path, info = shown_session()
  if not path then
    return
  end
  if info then
    return daemon.say("A list shows no conversation to reply to; open the session first", vim.log.levels.ERROR)
  end
  if vim.trim(text) == "" then
    return compose(path, mods)
  end
  send(path, text, function(err)
    if err then
      return refused(err)
    end
    daemon.say(APPENDED:format(title(path)))
  end)
end

--- Return the entries that the transcript of a session knows, by id.
---@param path? string
---@return table<string, sessiond.OutlineNode>
local function nodes_of(path)
  local view = path and transcript.find(path)
  return view and view.outline and view.outline.nodes or {}
end

--- Return the id of the entry with this id or label in the session shown.
local function entry_named(path, name)
  for id, node in pairs(nodes_of(path)) do
    if id == name or node.label == name then
      return id
    end
  end
end

--- `:SessionFork`: copy the branch that ends with an entry and the results of its calls into a new session, and
--- show the copy.
---@param name string id or label of the entry; empty: the one at the cursor, else the leaf
---@param mods string
function M.fork(name, mods)
  local path = shown_session()
  if not path then
    return
  end
  local entry = name == "" and shown.entry() or entry_named(path, name)
  if name ~= "" and not entry then
    return daemon.say(("No entry has the id or label %q"):format(name), vim.log.levels.ERROR)
  end
  with_session(path, function(session, finish)
    local leaf = entry or session.state.leafId
    if not leaf then
      return finish({ message = "The session has no entries to copy" })
    end
    local params = { leafId = leaf, withResults = true }
    session:request("session/createBranchedSession", params, function(err, state)
      finish(err, state)
    end)
  end, function(err, state)
    if err then
      return daemon.complain(err)
    end
    transcript.open(state.sessionFile, { mods = mods }, function(failed)
      if not failed then
        daemon.say("This session is a copy of the branch: " .. state.sessionFile)
      end
    end)
  end)
end

--- Complete labels and ids of entries for |:SessionFork|.
---@param lead string
---@return string[]
function M.complete_entry(lead)
  local names = {}
  for id, node in pairs(nodes_of((shown.session()))) do
    for _, name in ipairs({ id, node.label }) do
      if vim.startswith(name, lead) then
        table.insert(names, name)
      end
    end
  end
  table.sort(names)
  return names
end

return M
