"""A watch over formats: the newest agents write, and their own reading is compared with ours.

Each runs against a model of ours, in a home of its own. Codex's app server, Claude Code's SDK and
opencode's server say which sessions there are, what they are called, and what was said and run.
"""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard
from support.app import daemon
from support.client import Client

from real_agents.app_server import AppServer
from real_agents.model import Model, work
from real_agents.where import (
    CLAUDE,
    CLAUDE_SDK,
    CODEX,
    OPENCODE,
    claude_environment,
    codex_settings,
    environment,
    needs,
    opencode_settings,
    output_of,
)

pytestmark = [pytest.mark.node, pytest.mark.timeout(300)]
Turn = tuple[str, str]
"""Who: "user", "assistant" or "ran"; and what was said or run."""


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    """The directory in which the agents work."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


async def sessions_of(client: Client, cwd: Path, **more: Any) -> dict[str, dict[str, Any]]:
    """All sessions that we list, by their ids."""
    listed = await client.request("session/list", {"cwd": str(cwd), **more})
    assert "problems" not in listed
    return {info["id"]: info for info in listed["sessions"]}


async def opened(client: Client, path: str) -> str:
    state = await client.request("session/open", {"path": path, "readOnly": True})
    assert state["diagnostics"] == []
    handle: str = state["session"]
    return handle


async def branch(client: Client, handle: str) -> list[dict[str, Any]]:
    answer: dict[str, Any] = await client.request("session/getBranch", {"session": handle})
    entries: list[dict[str, Any]] = answer["entries"]
    return entries


async def turns(client: Client, path: str) -> list[Turn]:
    """What was said and run on the current branch of a session."""
    handle = await opened(client, path)
    return [turn for entry in await branch(client, handle) for turn in _turns(entry)]


def _turns(entry: dict[str, Any]) -> Iterator[Turn]:
    message = entry.get("message", {})
    content = message.get("content", [])
    if message.get("role") in {"user", "assistant"}:
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for block in blocks:
            if block["type"] == "text":
                yield message["role"], block["text"].strip()
            elif block["type"] == "toolCall":
                arguments = block["arguments"]
                command = arguments.get("command", arguments.get("cmd"))
                yield "ran", command if isinstance(command, str) else block["name"]


async def unknown_lines(client: Client, cwd: Path) -> dict[str, Any]:
    """Types of lines in these sessions that we do not know."""
    checked = await client.request("catalog/check", {"cwd": str(cwd)})
    return {file["path"]: file["unknown"] for file in checked["files"] if file.get("unknown")}


def _codex_turns(items: list[dict[str, Any]]) -> list[Turn]:
    made: list[Turn] = []
    for item in items:
        if item["type"] == "userMessage":
            made.append(("user", "\n".join(block["text"] for block in item["content"])))
        elif item["type"] == "agentMessage":
            made.append(("assistant", item["text"]))
        elif item["type"] == "commandExecution":
            made += [("ran", action["command"]) for action in item["commandActions"]]
    return made


@needs(CODEX)
async def test_codex_reads_its_threads_as_we_do(tmp_path: Path, cwd: Path):
    with Model(work) as model:
        env = environment(tmp_path, OPENAI_API_KEY="k")
        codex_settings(tmp_path, model.url)
        run = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
        for said in (["run it"], ["resume", "--last", "and again"]):
            output_of(["node", str(CODEX), *run, *said], cwd, env)
        with AppServer(cwd, env) as codex:
            (first,) = (thread["id"] for thread in codex.threads(archived=False))
            forked = codex.ask("thread/fork", threadId=first)["thread"]["id"]
            codex.turn(forked, "on the fork")
            again = codex.ask("thread/fork", threadId=forked)["thread"]["id"]
            codex.turn(again, "on the fork of the fork, run it")
            codex.ask("thread/name/set", threadId=again, name="Forked twice")
            codex.ask("thread/archive", threadId=forked)
            named = {thread["id"]: thread for thread in codex.threads(archived=False)}
            archived = {thread["id"]: thread for thread in codex.threads(archived=True)}
            theirs = {thread: _codex_turns(codex.items(thread)) for thread in {**named, **archived}}
        _compress(Path(named[first]["path"]))
        with AppServer(cwd, env) as codex:
            assert _codex_turns(codex.items(first)) == theirs[first], "it reads what is compressed"
    assert set(archived) == {forked}
    assert ("ran", "echo teddy") in theirs[first]
    assert theirs[again][: len(theirs[forked])] == theirs[forked]
    async with daemon(tmp_path, profile="codex") as client:
        ours = await sessions_of(client, cwd)
        assert set(ours) == {first, forked, again}
        assert ours[again]["name"] == named[again]["name"] == "Forked twice"
        for thread, said in theirs.items():
            assert await turns(client, ours[thread]["path"]) == said
            assert ours[thread]["firstMessage"] == {**named, **archived}[thread]["preview"]
        assert await unknown_lines(client, cwd) == {}


def _compress(rollout: Path) -> None:
    """Compress a thread as Codex does with old ones."""
    packed = zstandard.ZstdCompressor().compress(rollout.read_bytes())
    rollout.with_name(rollout.name + ".zst").write_bytes(packed)
    rollout.unlink()


_READ_WITH_SDK = """
import { listSessions, getSessionMessages, listSubagents, getSubagentMessages } from SDK
const dir = process.argv[1]
const sessions = await listSessions({ dir })
for (const session of sessions) {
  session.messages = await getSessionMessages(session.sessionId, { dir })
  session.subagents = {}
  for (const id of await listSubagents(session.sessionId, { dir }))
    session.subagents[id] = await getSubagentMessages(session.sessionId, id, { dir })
}
console.log(JSON.stringify(sessions))
"""


@needs(CLAUDE)
@needs(CLAUDE_SDK)
async def test_claude_code_reads_its_sessions_as_we_do(tmp_path: Path, cwd: Path):
    with Model(work) as model:
        env = claude_environment(tmp_path, model.url, IS_SANDBOX="1")

        def claude(*arguments: str) -> str:
            run = [str(CLAUDE), "-p", *arguments, "--dangerously-skip-permissions"]
            said: str = json.loads(output_of([*run, "--output-format", "json"], cwd, env))[
                "session_id"
            ]
            return said

        first = claude("run it")
        claude("and again", "--resume", first)
        forked = claude("on the fork", "--resume", first, "--fork-session")
        claude("/rename A title of mine", "--resume", forked)
        compacted = claude("run it before the summary")
        claude("/compact", "--resume", compacted)
        claude("after the summary", "--resume", compacted)
        delegating = claude("delegate it")
        script = _READ_WITH_SDK.replace("SDK", json.dumps(CLAUDE_SDK.as_uri()))
        run = ["node", "--input-type=module", "-e", script, "--", str(cwd)]
        theirs = {each["sessionId"]: each for each in json.loads(output_of(run, cwd, env))}
    assert set(theirs) == {first, forked, compacted, delegating}
    assert len(theirs[delegating]["subagents"]) == 1
    async with daemon(
        tmp_path, profile="claude-code", env={"CLAUDE_CONFIG_DIR": str(tmp_path / ".claude")}
    ) as client:
        ours = await sessions_of(client, cwd)
        assert set(ours) == set(theirs)
        assert ours[forked]["name"] == theirs[forked]["customTitle"] == "A title of mine"
        for name, session in theirs.items():
            assert await _uuids(client, ours[name]["path"]) == _said_in(session["messages"])
        with_subagents = await sessions_of(client, cwd, subagents=True)
        for name, messages in theirs[delegating]["subagents"].items():
            (subagent,) = (info for key, info in with_subagents.items() if name in key)
            assert subagent["parentSessionPath"] == ours[delegating]["path"]
            assert await _uuids(client, subagent["path"]) == _said_in(messages)
        assert await unknown_lines(client, cwd) == {}


def _said_in(messages: list[dict[str, Any]]) -> list[str]:
    return [message["uuid"] for message in messages]


async def _uuids(client: Client, path: str) -> list[str]:
    """The ids of Claude Code's messages that the model would see in this order."""
    handle = await opened(client, path)
    found: list[str] = []
    for entry in _after_summary(await branch(client, handle)):
        asked = {"session": handle, "entryId": entry["id"], "maxBytes": 1_000_000}
        for record in (await client.request("session/getSource", asked))["records"]:
            line = json.loads(record["text"])
            is_said = line["type"] in {"user", "assistant"} and not line.get("isMeta")
            if is_said and line["uuid"] not in found:
                found.append(line["uuid"])
    return found


def _after_summary(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The last summary, what it kept, and what came later."""
    names = [entry["id"] for entry in entries]
    summaries = [at for at, entry in enumerate(entries) if entry["type"] == "compaction"]
    if not summaries:
        return entries
    last = summaries[-1]
    kept = names.index(entries[last]["firstKeptEntryId"])
    return [entries[last], *entries[kept:last], *entries[last + 1 :]]


@contextlib.contextmanager
def opencode_server(cwd: Path, env: dict[str, str]) -> Iterator[str]:
    """Run opencode's server; yields where it answers."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [str(OPENCODE), "serve", "--port", str(port)],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        url = f"http://127.0.0.1:{port}"
        until = time.monotonic() + 100
        while True:
            try:
                _ask(url, "/session", seconds=10)
                break
            except OSError:
                assert process.poll() is None
                assert time.monotonic() < until
                time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        process.wait()


def _ask(url: str, path: str, method: str = "GET", /, seconds: float = 100, **body: Any) -> Any:
    request = urllib.request.Request(  # noqa: S310 - a server of this test
        url + path,
        method=method,
        data=json.dumps(body).encode() if method != "GET" else None,
        headers={"content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=seconds) as answer:  # noqa: S310 - as above
        return json.loads(answer.read())


def _opencode_turns(messages: list[dict[str, Any]]) -> list[Turn]:
    made: list[Turn] = []
    for message in messages:
        for part in message["parts"]:
            if part["type"] == "text" and part["text"]:
                made.append((message["info"]["role"], part["text"].strip()))
            elif part["type"] == "tool":
                made.append(("ran", part["state"]["input"]["command"]))
    return made


@needs(OPENCODE)
async def test_opencode_reads_its_sessions_as_we_do(tmp_path: Path, cwd: Path):
    with Model(work) as model:
        env = opencode_settings(tmp_path, model.url)
        output_of([str(OPENCODE), "run", "run it"], cwd, env)
        output_of([str(OPENCODE), "run", "--continue", "and again"], cwd, env)
        with opencode_server(cwd, env) as url:
            (first,) = (each["id"] for each in _ask(url, "/session"))
            forked = _ask(url, f"/session/{first}/fork", "POST")["id"]
            _ask(url, f"/session/{forked}", "PATCH", title="Forked in opencode")
            part = {"type": "text", "text": "on the fork"}
            _ask(url, f"/session/{forked}/message", "POST", parts=[part])
            titles = {each["id"]: each["title"] for each in _ask(url, "/session")}
            theirs = {
                each: _opencode_turns(_ask(url, f"/session/{each}/message")) for each in titles
            }
    assert ("ran", "echo teddy") in theirs[first]
    async with daemon(tmp_path, profile="opencode") as client:
        ours = await sessions_of(client, cwd)
        assert {name: info["name"] for name, info in ours.items()} == titles
        for name, said in theirs.items():
            assert await turns(client, ours[name]["path"]) == said
        assert await unknown_lines(client, cwd) == {}
