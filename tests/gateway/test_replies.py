"""Silence and memory flushes: CoderClaw's tables."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sessiond_protocol.gateway.replies import PlanMemoryFlushParams

from sessiond.gateway.config import Part
from sessiond.gateway.memory_flush import FlushSettings, dated, flush_reason
from sessiond.gateway.silence import could_become_silent, is_silent

TOKEN = "NO_REPLY"  # noqa: S105 - a word, not a secret


@pytest.mark.parametrize(
    "text",
    [
        *("NO_REPLY", " NO_REPLY ", "\u00a0NO_REPLY"),
        *("NO_REPLY.", "NO_REPLY: x", "NO_REPLY 👍", "NO_REPLY\u00a0x"),
        *("*NO_REPLY*", '"NO_REPLY"'),
        *("done NO_REPLY", "done NO_REPLY.", "done NO_REPLY!!\n", "text\nNO_REPLY"),
        "\n\nNO_REPLY\nblah",
        *("a NO_REPLY 日本", "éNO_REPLY", "NO_REPLYé"),
        *("\ufeffNO_REPLY x", "NO_REPLY\ud800", "NO_REPLY x NO_REPLYX"),
    ],
)
def test_a_reply_is_silent(text: str):
    assert is_silent(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "NO_REPLYING", "NO_REPLY_X", "no_reply", "x NO_REPLY y", "xNO_REPLY", "_NO_REPLY"),
        *("NO_", "NO_REPL", "NO REPLY", "\x1fNO_REPLY x", "\x85NO_REPLY x", "NO_REPLY1"),
    ],
)
def test_a_reply_is_not_silent(text: str):
    assert not is_silent(text)


def test_a_token_of_ones_own_is_taken_literally():
    assert is_silent("HEARTBEAT.OK!", "HEARTBEAT.OK")
    assert not is_silent("HEARTBEATXOK", "HEARTBEAT.OK")


@pytest.mark.parametrize(
    "text",
    [
        *(TOKEN[:size] for size in range(1, len(TOKEN))),
        *("\n NO_", "\ufeffN", "", " \n", "done NO_RE", "text\nN", "*NO_REPL", "éNO_"),
    ],
)
def test_text_that_could_still_become_the_token_is_held(text: str):
    """Departure from CoderClaw, which shows it."""
    assert could_become_silent(text)


@pytest.mark.parametrize(
    "text",
    ["NOT", "NO ", "no_", "xNO_", "_N", "NO_REPLYX", "hello", "NO_REPLY", "NO_. ", "O_REPLY", "*"],
)
def test_text_that_cannot_become_the_token_is_not_held(text: str):
    assert not could_become_silent(text)


@given(st.text(alphabet="NO_REPLYx \n.é\ufeff", max_size=12), st.sampled_from(["", " ", "\n", "."]))
def test_the_token_never_shows_while_it_is_coming(before: str, between: str):
    """Whatever stood before, of a reply that turns out silent no beginning of the token is shown."""
    whole = before + between + TOKEN
    for size in range(1, len(TOKEN)) if is_silent(whole) else ():
        partial = whole[: len(whole) - len(TOKEN) + size]
        assert is_silent(partial) or could_become_silent(partial)


def test_the_silent_token_is_found_quickly_in_long_texts():
    long = "NO_REPLY " * 50_000 + "x " + "." * 500_000
    assert is_silent(long)
    assert not is_silent("x " + long + "x")
    assert not could_become_silent("x " + " " * 1_000_000 + "x")


def settings(floor: Any = None, soft: Any = None, **memory: Any) -> FlushSettings:
    flush = {**memory, **({} if soft is None else {"softThresholdTokens": soft})}
    compaction = {"reserveTokensFloor": floor, "memoryFlush": flush}
    return FlushSettings.of(Part.root({"agents": {"defaults": {"compaction": compaction}}}))


def decide(entry: dict[str, Any], window: float | None = 200_000, **turn: Any) -> str:
    chosen = settings(20_000, 4000)
    return flush_reason(chosen, entry, chosen.threshold(window), PlanMemoryFlushParams(**turn))


@pytest.mark.parametrize(
    ("entry", "window", "reason"),
    [
        ({"totalTokens": 176_000}, 200_000, "due"),
        ({"totalTokens": 175_999}, 200_000, "belowThreshold"),
        ({"totalTokens": 180_000, "totalTokensFresh": False}, 200_000, "tokensUnknown"),
        (
            {
                "totalTokens": 180_000,
                "totalTokensFresh": True,
                "compactionCount": 0,
                "memoryFlushCompactionCount": 0,
            },
            200_000,
            "alreadyFlushed",
        ),
        (
            {
                "totalTokens": 180_000,
                "totalTokensFresh": True,
                "compactionCount": 1,
                "memoryFlushCompactionCount": 0,
            },
            200_000,
            "due",
        ),
        (
            {"totalTokens": 180_000, "totalTokensFresh": True, "memoryFlushCompactionCount": 0},
            200_000,
            "alreadyFlushed",
        ),
        ({"totalTokens": 30_000, "totalTokensFresh": True}, 24_000, "windowTooSmall"),
        ({}, 200_000, "tokensUnknown"),
        ({"totalTokens": 0}, 200_000, "tokensUnknown"),
        ({"totalTokens": "180000"}, 200_000, "tokensUnknown"),
        ({"totalTokens": True}, 200_000, "tokensUnknown"),
        ({"totalTokens": float("inf")}, 200_000, "tokensUnknown"),
        ({"totalTokens": 176_000, "memoryFlushCompactionCount": "0"}, 200_000, "due"),
        ({"totalTokens": 176_000, "memoryFlushCompactionCount": False}, 200_000, "due"),
        ({"totalTokens": 176_000, "memoryFlushCompactionCount": 0.0}, 200_000, "alreadyFlushed"),
        ({"totalTokens": 176_000, "totalTokensFresh": None}, 200_000, "due"),
        ({"totalTokens": 1}, 0, "windowTooSmall"),
        ({"totalTokens": 176_000}, 200_000.9, "due"),
    ],
)
def test_memories_are_saved_near_the_end_of_the_window(
    entry: dict[str, Any], window: float, reason: str
):
    assert decide(entry, window) == reason


@pytest.mark.parametrize(
    ("turn", "reason"),
    [
        ({"sandboxed": True, "workspaceAccess": "rw"}, "due"),
        ({"sandboxed": True, "workspaceAccess": "ro"}, "workspaceNotWritable"),
        ({"sandboxed": True, "workspaceAccess": "none"}, "workspaceNotWritable"),
        ({"sandboxed": True}, "workspaceNotWritable"),
        ({"sandboxed": False, "workspaceAccess": "ro"}, "due"),
        ({"heartbeat": True}, "heartbeat"),
        ({"cliProvider": True}, "cliProvider"),
    ],
)
def test_only_some_turns_flush_memory(turn: dict[str, Any], reason: str):
    assert decide({"totalTokens": 176_000}, **turn) == reason


@pytest.mark.parametrize(
    ("floor", "soft", "threshold"),
    [
        (None, None, 176_000),
        (0, 0, 200_000),
        (1.9, 0.9, 199_999),
        (-1, -1, 176_000),
        (float("nan"), float("inf"), 176_000),
        ("1", "1", 176_000),
        (300_000, None, 0),
    ],
)
def test_the_threshold_is_the_window_less_floor_and_margin(floor: Any, soft: Any, threshold: int):
    assert settings(floor, soft).threshold(None) == threshold


def test_the_configuration_may_name_a_window():
    config = Part.root({"agents": {"defaults": {"contextTokens": 100_000}}})
    assert FlushSettings.of(config).threshold(None) == 76_000
    assert FlushSettings.of(config).threshold(50_000) == 26_000


def test_flushes_can_be_disabled():
    chosen = settings(enabled=False)
    assert flush_reason(chosen, {"totalTokens": 10**6}, 1, PlanMemoryFlushParams()) == "disabled"


def test_the_prompts_contain_their_required_instructions():
    chosen = settings()
    for part in ("memory/YYYY-MM-DD.md", "APPEND", "create memory/", "overwrite", TOKEN):
        assert part in chosen.prompt
    for part in ("memory flush turn", "auto-compaction", "durable memories", TOKEN):
        assert part in chosen.system_prompt
    assert all(
        "re-compaction memory flush" in text for text in (chosen.prompt, chosen.system_prompt)
    )


HINT = "\n\nIf no user-visible reply is needed, start with NO_REPLY."


def test_prompts_of_ones_own_get_the_token_explained_unless_they_know_it():
    chosen = settings(prompt=" Save. ", systemPrompt="Mind NO_REPLY")
    assert (chosen.prompt, chosen.system_prompt) == ("Save." + HINT, "Mind NO_REPLY")
    assert settings(prompt="no_reply").prompt == "no_reply" + HINT


@pytest.mark.parametrize(
    ("zone", "shown"),
    [
        (
            "Europe/Berlin",
            "2026-03-29 to 2026-03-29\nCurrent time: 2026-03-29 01:30 (Europe/Berlin)",
        ),
        (
            "America/New_York",
            "2026-03-28 to 2026-03-28\nCurrent time: 2026-03-28 20:30 (America/New_York)",
        ),
    ],
)
def test_the_prompt_contains_the_day_and_the_time(zone: str, shown: str):
    found = dated("YYYY-MM-DD to YYYY-MM-DD", 1_774_744_200_000, ZoneInfo(zone))
    assert found == shown


def test_a_prompt_that_contains_the_time_gets_no_second_one():
    text = "Current time: noon, YYYY-MM-DD"
    assert dated(text, 0, ZoneInfo("UTC")) == "Current time: noon, 1970-01-01"
    assert "Current time: 1970-01-01" in dated("x", 86_400_000 // 2, None)
