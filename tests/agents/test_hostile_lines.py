"""Lines whose members have any type, or bytes that are no text, in files of other agents."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import claude_lines, codex_lines
from support.app import daemon

from sessiond.agents.claude.lines import ClaudeTranslator
from sessiond.agents.codex.lines import CodexTranslator
from sessiond.runtime.errors import SessionNotFound

CLAUDE = claude_lines.TURN
CODEX = codex_lines.Rollout().meta().turn().text
VALUES = [None, True, 0, -1, 1e300, "", "\ud83d", [], [[]], {}, {"type": 5}, [{"type": "text"}]]


def nothing(thread_id: str, _end: int) -> list[bytes]:
    raise SessionNotFound(thread_id)


def made_for(content: str) -> ClaudeTranslator | CodexTranslator:
    if content is CLAUDE:
        return ClaudeTranslator(claude_lines.SESSION)
    return CodexTranslator(codex_lines.THREAD, nothing, lambda _: None)


def members(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every object and list below a value, with a key or an index of each."""
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from members(value[key])


@pytest.mark.parametrize("content", [CLAUDE, CODEX], ids=["claude-code", "codex"])
@given(data=st.data())
def test_a_member_of_any_type_gives_entries_or_a_diagnostic(content: str, data: st.DataObject):
    lines = [json.loads(line) for line in content.splitlines()]
    number = data.draw(st.integers(0, len(lines) - 1))
    changed = copy.deepcopy(lines[number])
    where, key = data.draw(st.sampled_from(list(members(changed))))
    where[key] = data.draw(st.sampled_from(VALUES))
    lines[number] = changed
    made = made_for(content)
    for line in lines:
        raw = json.dumps(line).encode()
        for entry in made.translate(raw):
            assert entry == raw or isinstance(json.loads(entry)["type"], str)


@pytest.mark.parametrize("profile", ["claude-code", "codex"])
async def test_bytes_that_are_no_text_are_replaced(tmp_path: Path, profile: str):
    is_codex = profile == "codex"
    file = codex_lines.lay(tmp_path, CODEX) if is_codex else claude_lines.lay(tmp_path)
    file.write_bytes(file.read_bytes().replace(b"teddy", b"te\xffddy"))
    async with daemon(tmp_path, profile=profile) as client:
        state = await client.request("session/open", {"path": str(file), "readOnly": True})
        assert {each["kind"] for each in state["diagnostics"]} <= {"invalidUtf8"}
        (found,) = (await client.request("session/listAll", {}))["sessions"]
        assert "te\ufffdddy" in found["firstMessage"]
        context = await client.request("session/buildSessionContext", {"session": state["session"]})
        assert json.dumps(context, ensure_ascii=False).count("te\ufffdddy") > 1
