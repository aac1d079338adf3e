"""Sessions of other agents that lie outside the agents' directories: how they begin decides."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from support import claude_lines, codex_lines
from support.app import daemon, user
from support.client import RpcError
from support.session_lines import header, line

from sessiond.agents.sessions import recognize, translation_of


def claude(home: Path) -> Path:
    return claude_lines.lay(home)


def codex(home: Path) -> Path:
    return codex_lines.lay(home, codex_lines.Rollout().meta().turn().text)


@pytest.mark.parametrize(("lay", "agent"), [(claude, "claude-code"), (codex, "codex")])
async def test_a_copy_is_read_as_its_original(
    tmp_path: Path, lay: Callable[[Path], Path], agent: str
):
    original = lay(tmp_path)
    copy = tmp_path / "elsewhere" / "copy.jsonl"
    copy.parent.mkdir()
    shutil.copy(original, copy)
    before = copy.read_bytes()
    async with daemon(tmp_path) as client:
        # Nobody has read it before: neither opening nor a change may take it for a file of pi's.
        with pytest.raises(RpcError, match="alone writes"):
            await client.request("catalog/repair", {"path": str(copy), "dryRun": False})
        entries = []
        for path in (original, copy):
            state = await client.request("session/open", {"path": str(path)})
            assert state["agent"] == agent
            assert state["readOnly"]
            assert "alone writes" in state["readOnlyReason"]
            handle = state["session"]
            found = await client.request("session/getEntries", {"session": handle})
            entries.append((state["sessionId"], found["entries"]))
        assert entries[0] == entries[1]
        with pytest.raises(RpcError, match="reading only"):
            await client.request("session/appendMessage", {"session": handle, "message": user("x")})
        asked = {"cwd": state["cwd"], "sessionDir": str(copy.parent)}
        (info,) = (await client.request("session/list", asked))["sessions"]
        assert (info["path"], info["agent"]) == (str(copy), agent)
        asked = {"sourcePath": str(copy), "targetCwd": "/w", "sessionDir": str(tmp_path / "pi")}
        fork = await client.request("session/forkFrom", asked)
        assert json.loads(Path(fork["sessionFile"]).read_text().splitlines()[0])["version"] == 3
    assert copy.read_bytes() == before


async def test_a_copy_that_is_replaced_by_a_session_of_pi_is_one(tmp_path: Path):
    copy = shutil.copy(claude(tmp_path), tmp_path / "copy.jsonl")
    asked = {"path": str(copy)}
    async with daemon(tmp_path) as client:
        state = await client.request("session/open", asked)
        await client.request("session/close", {"session": state["session"]})
        Path(copy).write_text(header() + line("a"))
        (checked,) = (await client.request("catalog/check", asked))["files"]
        assert checked["ok"]
        state = await client.request("session/open", asked)
        assert not state.get("readOnly")


@pytest.mark.parametrize("text", ["", "[1]\n", header() + line("a"), '{"type":"other"}\n'])
def test_what_does_not_begin_like_an_agents_session_is_nobodys(tmp_path: Path, text: str):
    file = tmp_path / "s.jsonl"
    file.write_text(text)
    assert recognize(str(file)) is translation_of(str(file)) is None
    assert recognize(str(tmp_path / "none.jsonl")) is None
