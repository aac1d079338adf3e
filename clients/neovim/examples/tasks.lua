-- Twelve things that scripts do with sessions, each in a few lines.
--
--     FOLDER=… nvim --headless -u NONE --cmd 'set rtp+=clients/neovim' -c 'luafile tasks.lua'

local sessiond = require("sessiond")
local folder = vim.env.FOLDER

local function say(...)
  io.stdout:write(table.concat({ ... }, " "), "\n")
end

--- Wait for the answer to a request to the client, or to a session.
local function ask(target, method, params)
  return sessiond.await(function(done)
    target:request(method, params, done)
  end)
end

sessiond.run(function(client)
  -- List the sessions of a folder.
  local listed = 0
  for _ in client:sessions({ cwd = folder }) do
    listed = listed + 1
  end
  say("list:", listed)

  -- Search in them.
  local found = 0
  for _ in client:search("hello", { cwd = folder }) do
    found = found + 1
  end
  say("search:", found)

  -- Open the latest.
  local session = sessiond.await(function(done)
    client:continue_recent({ cwd = folder }, done)
  end)
  local opened = session.state
  say("open:", opened.entryCount)
  local read_to = session.tip_id

  -- Follow what others append.
  local other = sessiond.await(function(done)
    client:open({ path = opened.sessionFile }, done)
  end)
  ask(other, "session/appendMessage", { message = sessiond.user_text("from elsewhere") })
  local change = sessiond.await(function(done)
    session:on_change(function(change)
      done(nil, change)
    end)
  end)
  say("follow:", change.kind)

  -- Append, unless somebody else has appended meanwhile.
  local mine = { message = sessiond.user_text("mine"), expectedTipId = read_to }
  local ok, err = pcall(ask, session, "session/appendMessage", mine)
  if not ok then
    say("append:", err.kind)
    -- Read what is new, and try again: `tip_id` is current.
    mine.expectedTipId = session.tip_id
    local again = ask(session, "session/appendMessage", mine)
    say("again:", tostring(again.id == session.tip_id))
  end

  -- Go on from an earlier entry: the next append begins a branch.
  local first = ask(session, "session/getEntries", { limit = 1 }).entries[1]
  local leaf = ask(session, "session/branch", { entryId = first.id }).leafId
  say("branch:", tostring(leaf == first.id))

  -- Copy a branch into a session of its own.
  local fork = sessiond.await(function(done)
    client:fork_from({ sourcePath = opened.sessionFile, targetCwd = folder, leafId = leaf }, done)
  end)
  say("fork:", fork.state.entryCount)

  -- Label an entry.
  ask(session, "session/appendLabelChange", { targetId = first.id, label = "start" })
  say("label:", ask(session, "session/getLabel", { id = first.id }).label)

  -- Name the session.
  ask(session, "session/appendSessionInfo", { name = "Greetings" })
  say("rename:", ask(session, "session/getSessionName").name)

  -- Export it as Markdown, or as one HTML page.
  local exported = ask(session, "catalog/export", { format = "markdown" })
  say("export:", tostring(exported.content:find("hello", 1, true) ~= nil))

  -- Add up tokens and costs.
  local usage = ask(client, "catalog/usage", { cwd = folder, by = "model" })
  say("usage:", usage.sessionCount)

  -- Nothing is to be done when the daemon ends: it is started again, with all that was open.
  local before = ask(session, "session/getLeafId").leafId
  vim.loop.kill(ask(client, "daemon/status").pid, "sigkill")
  say("recover:", tostring(ask(session, "session/getLeafId").leafId == before))
end, function(err)
  if err then
    io.stderr:write(type(err) == "table" and err.message or tostring(err), "\n")
  end
  vim.cmd(err and "cquit" or "qall!")
end)
