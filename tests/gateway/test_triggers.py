"""Words that reset a session, and the remaining text of the message."""

from __future__ import annotations

from typing import Any

import pytest

from sessiond.gateway.config.reader import Part
from sessiond.gateway.rules.triggers import (
    DEFAULT_TRIGGERS,
    command_text,
    find_trigger,
    triggers_of,
    without_mentions,
)

SPACES = "\t\v\f \u00a0\u1680\u2000\u2028\u2029\u202f\u205f\u3000\ufeff"


def found(text: str, *triggers: str) -> str | None:
    return find_trigger(text, command_text(text), triggers or DEFAULT_TRIGGERS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hello", None),
        ("", None),
        ("/new", ""),
        ("/reset", ""),
        ("  /NEW  Hello World", "Hello World"),
        ("/new\nhello", "hello"),
        ("/new\thello", "hello"),
        ("[Dec 4 17:35] /reset do it", "do it"),
        ("/newx", None),
        ("say /new", None),
        ("/new http://x", "http://x"),
        ("/new a   b\n\nc", "a b c"),
        ("/new\\nhello", "hello"),
        ("Ann Lee (+1): /new", ""),
        ("[Chat]\nBob: earlier\n[Current message - respond to this]\nAnn: /new go", "go"),
        ("/new [now] go", "go"),
        ("/new\u00a0x", "x"),
        ("/new\x1cx", None),
        ("/NEW İstanbul", "İstanbul"),
    ],
)
def test_a_trigger_is_found_at_the_start_inside_any_envelope(text: str, expected: str | None):
    assert found(text) == expected


@pytest.mark.parametrize(
    ("trigger", "text", "expected"),
    [
        ("!r", "/reset", None),
        ("!r", "!R now", "now"),
        ("new", "new topic: please look at this", "topic: please look at this"),
        ("new", "new", ""),
        ("a:", "a: b", "b"),
        (" /x ", "/x", None),
        (" /x ", "/x y", None),
        ("", "", None),
        ("", "anything", None),
        ("İx", "İx Hello", "Hello"),
        ("İx", "i\u0307x Hello", "Hello"),
        ("[x]", "[x] hello", "hello"),
        ("日本", "日本 語", "語"),
        ("\ud800", "\ud800 x", "x"),
    ],
)
def test_the_text_after_a_trigger_is_that_of_the_matched_form(
    trigger: str, text: str, expected: str | None
):
    assert found(text, trigger) == expected


def test_the_first_trigger_that_fits_counts():
    assert found("/new deep dive", "/new", "/new deep") == "deep dive"
    assert found("/new deep dive", "/new deep", "/new") == "dive"


@pytest.mark.parametrize(
    ("session", "expected", "problems"),
    [
        (None, DEFAULT_TRIGGERS, []),
        ({}, DEFAULT_TRIGGERS, []),
        ({"resetTriggers": []}, DEFAULT_TRIGGERS, []),
        ({"resetTriggers": None}, DEFAULT_TRIGGERS, []),
        ({"resetTriggers": [""]}, [""], []),
        ({"resetTriggers": ["!r"]}, ["!r"], []),
        ({"resetTriggers": "!r"}, DEFAULT_TRIGGERS, ["session.resetTriggers"]),
        ({"resetTriggers": ["!r", 3]}, ["!r"], ["session.resetTriggers[1]"]),
        ({"resetTriggers": [3]}, DEFAULT_TRIGGERS, ["session.resetTriggers[0]"]),
    ],
)
def test_triggers_are_configured(session: Any, expected: Any, problems: list[str]):
    config = Part.root({"session": session})
    assert triggers_of(config) == expected
    assert list(config.problems) == problems


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://x", "//x"),
        ("see http://x", "//x"),
        ("/new http://x", "/new http://x"),
        ("a [b] c", "a c"),
        ("a [] c", "a [] c"),
        ("[[a] b]", "b]"),
        ("[a", "[a"),
        ("[a\nb] c", "c"),
        ("A: x\nB-1: y\n\u2028C: z", "x y z"),
        ("日: x", "日: x"),
        (f"a{SPACES}b", "a b"),
        ("a\x1cb", "a\x1cb"),
        ("a\\nb\\n", "a b"),
        ("", ""),
    ],
)
def test_the_envelope_of_a_message_is_removed(text: str, expected: str):
    assert command_text(text) == expected


@pytest.mark.parametrize(
    "text", ["[" * 200_000, " " * 200_000 + "x", "a " * 100_000, "[]" * 90_000]
)
def test_the_time_for_a_message_is_proportional_to_its_length(text: str):
    assert find_trigger(text, command_text(text), DEFAULT_TRIGGERS) is None


GROUP_CHAT = {"groupChat": {"mentionPatterns": ["@?sam\\b", "\\bbot:"]}}


@pytest.mark.parametrize(
    ("agents", "text", "expected"),
    [
        (None, "@12345 /new", "/new"),
        (None, "@+4915 /new", "/new"),
        (None, "@1234 /new", "@1234 /new"),
        (None, "@sam /new", "@sam /new"),
        ([{"id": "main", **GROUP_CHAT}], "@Sam  /new @sam", "/new"),
        ([{"id": "other"}, {"id": "MAIN", **GROUP_CHAT}], "bot: /new", "/new"),
        ([{"id": "other", **GROUP_CHAT}], "@sam /new", "@sam /new"),
    ],
)
def test_in_a_group_the_names_of_the_agent_are_removed(agents: Any, text: str, expected: str):
    config = Part.root({"agents": {"list": agents}})
    assert without_mentions(text, config, "main") == expected


def test_patterns_for_all_agents_count_where_an_agent_has_none():
    config = Part.root({"agents": {"list": [{"id": "main"}]}, "messages": GROUP_CHAT})
    assert without_mentions("@sam /new", config, "main") == "/new"


@pytest.mark.parametrize("pattern", ["(", "(a|aa)+[bc]", "\\p{Nonsense}", "a{99999999999}"])
def test_a_pattern_of_no_use_is_reported_and_left_out(pattern: str):
    chat = {"groupChat": {"mentionPatterns": [pattern, "sam"]}}
    config = Part.root({"agents": {"list": [{"id": "main", **chat}]}})
    assert without_mentions("sam " + "a" * 40, config, "main") == "a" * 40
    assert list(config.problems) == ["agents.list[0].groupChat.mentionPatterns[0]"]
