"""The proxy of docs/acp.md lists and loads sessions for an agent that can do neither."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from support.process import isolated_environment
from support.session_lines import header, line

PAGE = (Path(__file__).parent.parent / "docs/acp.md").read_text()
PROGRAM = "\n".join(re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))
AGENT = """
import json, sys
def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    params = request.get("params", {})
    if request["method"] == "initialize":
        result = {"protocolVersion": params["protocolVersion"], "agentCapabilities": {}}
    elif request["method"] == "session/new":
        result = {"sessionId": "own", "modes": None}
    else:
        text = " ".join([params["prompt"][0]["text"], *sys.argv[1:]])
        content = {"type": "text", "text": text}
        update = {"sessionUpdate": "agent_message_chunk", "content": content}
        session = params["sessionId"]
        send(method="session/update", params={"sessionId": session, "update": update})
        result = {"stopReason": "end_turn"}
    send(id=request["id"], result=result)
"""


@attrs.define
class Editor:
    """The editor's end of the proxy."""

    proxy: Any
    received: list[Any] = attrs.field(factory=list)
    """Notifications before the last answer."""

    def ask(self, method: str, **params: Any) -> Any:
        """Send a request and return its result, or its error."""
        self.received.clear()
        request = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
        self.proxy.stdin.write(json.dumps(request) + "\n")
        self.proxy.stdin.flush()
        while (message := json.loads(self.proxy.stdout.readline())).get("id") != 7:
            assert message["method"] == "session/update"
            self.received.append(message["params"])
        return message.get("result", message.get("error"))


@pytest.fixture
def resume() -> str:
    return ""


@pytest.fixture
def editor(tmp_path: Path, resume: str) -> Iterator[Editor]:
    folder = tmp_path / ".pi/agent/sessions/--w--"
    folder.mkdir(parents=True)
    answer = {"role": "assistant", "content": [{"type": "text", "text": "hi"}]}
    said = line("a", None, "hello") + line("b", "a", message=answer)
    (folder / "s.jsonl").write_text(header("their-id", "/w") + said)
    (tmp_path / "bin").mkdir()
    sessiond = tmp_path / "bin/sessiond"
    sessiond.write_text(f'#!/bin/sh\nexec {sys.executable} -m sessiond "$@"\n')
    sessiond.chmod(0o755)
    agent = tmp_path / "agent.py"
    agent.write_text(AGENT)
    env = isolated_environment(tmp_path, PATH=f"{tmp_path}/bin:{os.environ['PATH']}")
    if resume:
        env["ACP_RESUME"] = f"{sys.executable} {agent} {resume}"
    proxy = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, sys.executable, str(agent)],
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    yield Editor(proxy)
    proxy.stdin.close()  # type: ignore[union-attr]
    proxy.wait(30)
    proxy.stdout.close()  # type: ignore[union-attr]


def texts(updates: list[Any], session: str) -> list[tuple[str, str]]:
    assert {each["sessionId"] for each in updates} <= {session}
    every = [each["update"] for each in updates]
    return [(each["sessionUpdate"], each["content"]["text"]) for each in every]


def test_an_agent_gets_a_list_and_earlier_conversations(editor: Editor):
    able = editor.ask("initialize", protocolVersion=1)["agentCapabilities"]
    assert able == {"loadSession": True, "sessionCapabilities": {"list": {}}}
    (row,) = editor.ask("session/list")["sessions"]
    assert row.items() >= {"sessionId": "their-id", "cwd": "/w", "title": "hello"}.items()
    assert editor.ask("session/list", cwd="/elsewhere")["sessions"] == []
    loaded = editor.ask("session/load", sessionId="their-id", cwd="/w", mcpServers=[])
    assert loaded == {"modes": None}
    told = [("user_message_chunk", "hello"), ("agent_message_chunk", "hi")]
    assert texts(editor.received, "their-id") == told
    # The conversation goes on under the name that the editor knows.
    prompt = [{"type": "text", "text": "more"}]
    assert editor.ask("session/prompt", sessionId="their-id", prompt=prompt) == {
        "stopReason": "end_turn"
    }
    assert texts(editor.received, "their-id") == [("agent_message_chunk", "more")]


@pytest.mark.parametrize("resume", ["--resume {id}"])
def test_an_agent_with_a_command_for_it_continues_the_session(editor: Editor):
    editor.ask("initialize", protocolVersion=1)
    editor.ask("session/load", sessionId="their-id", cwd="/w", mcpServers=[])
    prompt = [{"type": "text", "text": "more"}]
    editor.ask("session/prompt", sessionId="their-id", prompt=prompt)
    expected = [("agent_message_chunk", "more --resume their-id")]
    assert texts(editor.received, "their-id") == expected


def test_a_session_that_is_not_there_is_an_error(editor: Editor):
    editor.ask("initialize", protocolVersion=1)
    error = editor.ask("session/load", sessionId="gone", cwd="/w", mcpServers=[])
    assert error["code"] == -32002
    assert "gone" in error["message"]
