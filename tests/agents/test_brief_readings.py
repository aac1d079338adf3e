"""Lists and usage are the same from a brief reading as from the whole translation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import claude_lines, codex_lines
from support.sessions_on_disk import settle

from sessiond.agents.claude.agent import CLAUDE
from sessiond.agents.codex.agent import CODEX
from sessiond.agents.line_translation import LineTranslation
from sessiond.catalog.index.database import SearchCache
from sessiond.catalog.listing import Listing
from sessiond.catalog.scope import SessionScope
from sessiond.catalog.summaries import Summary, resume, summarise, take_lines
from sessiond.catalog.usage import readings
from sessiond.catalog.usage.count import count_usage, read_usage
from sessiond.catalog.usage.readings import UsageReadings
from sessiond.files.identity import FileState
from sessiond.format.header import parse_header
from sessiond.format.line import parse_lines
from sessiond.runtime.isolation import Faults

STATE = FileState(1, 1, 1, 1, 1)
HEADER = parse_header(b'{"type":"session","version":3,"id":"x","timestamp":"","cwd":"/"}')


def facts(translation: LineTranslation, path: str, data: bytes, *, is_brief: bool) -> Any:
    """Return what lists and usage say of a session with these lines."""
    translator = translation.translator(path)
    translate = translation.brief(translator) if is_brief else translator.translate
    lines = [made for line in data.split(b"\n") for made in translate(line)]
    header = lines[:1] if lines and b'"type":"session"' in lines[0] else []
    assert HEADER is not None
    summary = Summary(path, HEADER, STATE)
    take_lines(summary, parse_lines(b"".join(line + b"\n" for line in lines[1:])))
    usage = count_usage(lines, STATE)
    return (
        header,
        (summary.name, summary.message_count, summary.first_message, summary.latest),
        (summary.directories, summary.moved_to),
        (usage.models, usage.parts, usage.keys, usage.entries),
    )


def claude_pool() -> list[str]:
    """Lines of all kinds, in an order in which they may stand in a session."""
    user, answer, text = claude_lines.user, claude_lines.answer, claude_lines.text
    said, line, result, call = (
        claude_lines.said,
        claude_lines.line,
        claude_lines.result,
        claude_lines.call,
    )
    model: dict[str, Any] = {"model": "<synthetic>", "id": "s", "content": [text("No.")]}
    return [
        *claude_lines.TURN.splitlines(),
        user(10, 7, "<command-name>/look</command-name><command-args>at it</command-args>"),
        user(11, 10, [result("c1", "a"), result("c2", [text("b")])]),
        user(12, 11, [result("c3", "a"), text("and I say")]),
        user(13, 12, [text("<system-reminder>x</system-reminder>typed")]),
        user(14, 13, "meta", isMeta=True),
        user(15, 14, "so far", isCompactSummary=True),
        user(16, 15, []),
        user(17, 16, [result("c4", "moved")], cwd="/elsewhere"),
        answer(18, 17, "m3", call("t1", "Task", prompt="x")),
        answer(19, 18, "m1", text("goes on")),
        answer(20, 19, "m4", text("failed"), isApiErrorMessage=True),
        said("assistant", 21, 20, message=model),
        said("assistant", 22, 21, message={"id": None, "content": "a string", "model": "m"}),
        said("assistant", 23, 22, message={"id": "m5", "content": [1, {"type": 3}], "usage": "?"}),
        said("system", 24, 23, subtype="compact_boundary", compactMetadata={"preTokens": 7}),
        line("summary", summary="A title", leafUuid=claude_lines.uuid(7)),
        line("custom-title", customTitle="Named"),
        line("cost-state", totalCostUSD=0.5, modelUsage={"claude-opus-5-5": {"costUSD": 0.4}}),
        line("last-prompt", leafUuid=claude_lines.uuid(5)),
        line("strange", content=1),
    ]


def codex_pool() -> list[str]:
    rollout = codex_lines.Rollout().meta().turn()
    usage = {"input_tokens": 5, "cached_input_tokens": 9, "output_tokens": 2}
    counted = {"total_token_usage": {"total_tokens": 130}, "last_token_usage": usage}
    (
        rollout.event("token_count", info=counted)
        .event("token_count", info=counted)
        .event("token_count", info=None)
        .event("thread_name_updated", thread_name="Named")
        .event("thread_rolled_back", num_turns=1)
        .event("error", message="no")
        .event("agent_message", message="again")
        .item("reasoning", summary=[], encrypted_content="x")
        .item("reasoning", summary=[{"text": ""}, {"type": "summary_text"}])
        .item("custom_tool_call", name="apply_patch", input="*** Begin Patch", call_id="c2")
        .item("custom_tool_call_output", call_id="c2", output={"content": "x", "success": False})
        .item("local_shell_call", action={"command": ["ls"]}, id="c3")
        .item("message", role="developer", content=[{"text": "hidden"}])
        .item("message", role=7, content=[])
        .item("ghost_snapshot", ghost=1)
        .item("strange", more=1)
        .line("compacted", {"message": "so far"})
        .line("turn_context", {"model": "gpt-10"})
        .line("turn_context", {"type": "x", "model": 3})
        .line("token_usage_record", {"type": "x", "response_id": "r", "usage": usage})
        .line("token_usage_record", {"usage": {"input_tokens": -1}})
    )
    # As the program writes them: without spaces.
    lines = [json.loads(line) for line in rollout.text.splitlines()]
    return [json.dumps(line, separators=(",", ":"), ensure_ascii=False) for line in lines]


def damaged(lines: list[str]) -> st.SearchStrategy[bytes]:
    """Sessions of some of the lines, in any order, of which some are damaged."""
    whole = st.sampled_from([line.rstrip("\n").encode() for line in lines])
    cut = st.builds(lambda line, at: line[:at], whole, st.integers(0, 400))
    byte = st.builds(lambda line, at: line[:at] + b"\xb4" + line[at:], whole, st.integers(0, 400))
    spaced = whole.map(lambda line: json.dumps(json.loads(line)).encode())
    joined = st.builds(lambda one, other: one + other, cut, whole)
    line = st.one_of(whole, whole, whole, whole, cut, byte, spaced, joined)
    first = st.sampled_from([line.rstrip("\n").encode() for line in lines[:2]])
    return st.builds(
        lambda first, rest: b"\n".join([first, *rest]), first, st.lists(line, max_size=30)
    )


CLAUDE_PATH = f"/h/.claude/projects/{claude_lines.DIRECTORY}/{claude_lines.SESSION}.jsonl"
CODEX_PATH = f"/h/.codex/sessions/2026/03/04/rollout-2026-03-04T05-00-00-{codex_lines.THREAD}.jsonl"


@given(damaged(claude_pool()[1:]))
def test_a_session_of_claude_code(data: bytes):
    whole = facts(CLAUDE.translation, CLAUDE_PATH, data, is_brief=False)
    assert facts(CLAUDE.translation, CLAUDE_PATH, data, is_brief=True) == whole


@given(damaged(codex_pool()))
def test_a_rollout_of_codex(data: bytes):
    whole = facts(CODEX.translation, CODEX_PATH, data, is_brief=False)
    assert facts(CODEX.translation, CODEX_PATH, data, is_brief=True) == whole


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_a_brief_reading_goes_on_where_it_ended(tmp_path: Path, agent: str):
    lines = claude_pool() if agent == "claude" else codex_pool()
    text = "".join(line.rstrip("\n") + "\n" for line in lines)
    lay = claude_lines.lay if agent == "claude" else codex_lines.lay
    lay(tmp_path, "".join(line.rstrip("\n") + "\n" for line in lines[:8]))
    file = next(tmp_path.rglob("*.jsonl"))
    summary, usage = summarise(str(file)), read_usage(str(file))
    file.write_text(text)
    assert summary is not None
    grown, whole = resume(summary), summarise(str(file))
    assert grown is not None
    assert whole is not None
    assert (grown.message_count, grown.latest, grown.name, grown.tail) == (
        whole.message_count,
        whole.latest,
        whole.name,
        whole.tail,
    )
    assert read_usage(str(file), usage).parts == read_usage(str(file)).parts


async def test_one_reading_makes_the_list_and_the_usage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    claude_lines.lay(tmp_path)
    file = next(tmp_path.rglob("*.jsonl"))
    settle([file])
    store = SearchCache(str(tmp_path / "index.db"))
    listed = Listing(SessionScope(str(file.parent))).read(cache=store).newest_first()
    monkeypatch.setattr(readings, "read_usage", lambda *_: pytest.fail("read twice"))
    faults = Faults()
    (found,) = await UsageReadings(store).get(list(listed), faults)
    store.close()
    assert not list(faults)
    # Two answers, and what they cost.
    assert sum(part[2][0] for part in found[1].parts) == 3
