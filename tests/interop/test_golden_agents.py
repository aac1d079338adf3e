"""Files that real agents wrote (tests/golden/agents) are read without a complaint, and as pi reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from reference.pi import Pi
from support.app import daemon as served
from support.process import Daemon
from test_found_files import compare_found_file

GOLDEN = Path(__file__).parents[1] / "golden" / "agents"
SESSIONS = sorted(GOLDEN.glob("**/*.jsonl"))
PI_SESSIONS = sorted(GOLDEN.glob("*.jsonl"))
KEY = "agent:main:main"


@pytest.mark.node
@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.name)
def test_pi_reads_it_the_same(path: Path, daemon: Daemon, pi: Pi, roots: tuple[Path, Path]) -> None:
    compare_found_file(path.stem, path.read_bytes(), daemon, pi, roots)


@pytest.mark.parametrize("path", PI_SESSIONS, ids=lambda path: path.stem)
async def test_a_session_of_pi_holds_the_conversation(path: Path, tmp_path: Path) -> None:
    async with served(tmp_path) as client:
        state = await client.request("session/open", {"path": str(path), "readOnly": True})
        session = {"session": state["session"]}
        assert state["diagnostics"] == []
        assert state["name"] == "A name"
        context = await client.request("session/buildSessionContext", session)
        llm = await client.request("context/toLlm", {"messages": context["messages"]})
        checked = await client.request("catalog/check", {"path": str(path)})
    assert [file["problems"] for file in checked["files"]] == [[]]
    entries = [json.loads(line) for line in path.read_bytes().splitlines()[1:]]
    assert state["entryCount"] == len(entries)
    said = [texts(each) for each in llm["messages"] if each["role"] != "system"]
    # The error and the abort were summarised; the command of the user came after what was kept.
    (compaction,) = [entry for entry in entries if entry["type"] == "compaction"]
    assert compaction["summary"] in said[0]
    assert said[-3:] == ["Ran `echo out`\n```\nout\n\n```", "goodbye", "heard: goodbye"]


def texts(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "".join(each["text"] for each in content)


async def test_a_store_of_openclaw_is_listed_and_patched(tmp_path: Path) -> None:
    store = lay_store(tmp_path)
    before = json.loads(store.read_text())
    async with served(tmp_path, profile="openclaw") as client:
        (listed,) = (await client.request("gateway/list", {"includeLastMessage": True}))["sessions"]
        assert (listed["key"], listed["sessionId"]) == (KEY, before[KEY]["sessionId"])
        assert (listed["totalTokens"], listed["model"]) == (120, "plain")
        assert listed["lastMessagePreview"] == "heard: go on \u2028 😀"
        found = await client.request("gateway/get", {"sessionKey": "main"})
        path = found["entry"]["sessionFile"]
        state = await client.request("session/open", {"path": path, "readOnly": True})
        assert state["diagnostics"] == []
        await client.request("gateway/patch", {"key": KEY, "label": "a label"})
    after = json.loads(store.read_text())
    assert after[KEY].pop("label") == "a label"
    assert after[KEY].pop("updatedAt") >= before[KEY].pop("updatedAt")
    assert after == before


def lay_store(home: Path) -> Path:
    """The recorded store and its transcript below `home`, as OpenClaw would have written them."""
    folder = home / ".openclaw" / "agents" / "main" / "sessions"
    folder.mkdir(parents=True)
    for file in (GOLDEN / "openclaw-2026.2.21").iterdir():
        text = file.read_text().replace("/home/someone", str(home))
        (folder / file.name).write_text(text)
    return folder / "sessions.json"
