"""Words that reset a session, and the remaining text of the message."""

from __future__ import annotations

from typing import Any

import pytest

from sessiond.gateway.config import Part
from sessiond.gateway.message import DEFAULT_TRIGGERS, after_trigger, triggers_of


def found(text: str, *triggers: str, in_group: bool = False) -> str | None:
    return after_trigger(text, triggers or DEFAULT_TRIGGERS, in_group=in_group)


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
        ("[Dec 4 17:35] /reset do it", None),
        ("/newx", None),
        ("say /new", None),
        ("/new http://x", "http://x"),
        ("/new a   b\n\nc", "a   b\n\nc"),
        ("Ann Lee (+1): /new", None),
        ("/new\u00a0x", "x"),
        ("/new\x1cx", None),
        ("/NEW İstanbul", "İstanbul"),
    ],
)
def test_a_trigger_is_found_at_the_start(text: str, expected: str | None):
    assert found(text) == expected


@pytest.mark.parametrize(
    ("trigger", "text", "expected"),
    [
        ("!r", "/reset", None),
        ("!r", "!R now", "now"),
        ("new", "new topic: please look at this", "topic: please look at this"),
        ("new", "new", ""),
        ("a:", "a: b", "b"),
        ("", "", None),
        ("", "anything", None),
        ("İx", "İx Hello", "Hello"),
        ("[x]", "[x] hello", "hello"),
        ("日本", "日本 語", "語"),
        ("\ud800", "\ud800 x", "x"),
    ],
)
def test_a_trigger_may_be_any_text(trigger: str, text: str, expected: str | None):
    assert found(text, trigger) == expected


def test_mentioned_numbers_are_left_out_in_a_group():
    assert found("@15551234567 /new go", in_group=True) == "go"
    assert found("@15551234567 /new go") is None
    assert found("@sam /new", in_group=True) is None


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
        ("/new mail bob@12345.example", "mail bob@12345.example"),
        ("@4915112345678 @12345\n/new call @4915112345678 please", "call @4915112345678 please"),
        ("/new@12345678 hello", "@12345678 hello"),
        ("ask @12345678 /new", None),
    ],
)
def test_numbers_are_left_out_only_before_a_trigger(text: str, expected: str | None):
    assert found(text, in_group=True) == expected
