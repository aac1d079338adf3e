"""Tables of the rules for tokens, as pi 1.6.0 has them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sessiond.format.context.build import build_context
from sessiond.format.context.tokens import (
    CompactionPolicy,
    estimate_context,
    estimate_messages,
    estimate_tokens,
    is_counted,
    trusted_usage,
)

from .builders import chain, dumps, entry, tree_of

IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}


def text(value: Any) -> dict[str, Any]:
    return {"type": "text", "text": value}


def call(arguments: Any, name: str = "read") -> dict[str, Any]:
    return {"type": "toolCall", "id": "c", "name": name, "arguments": arguments}


def said(role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


MESSAGES: list[tuple[dict[str, Any], int]] = [
    (said("user", ""), 0),
    (said("user", "a"), 1),
    (said("user", "abcd"), 1),
    (said("user", "abcde"), 2),
    (said("user", "😀😀"), 1),
    (said("user", [text("abc"), IMAGE]), 1201),
    (said("assistant", [call({"path": "a"})]), 4),
    (said("assistant", [{"type": "thinking", "thinking": "12345678"}]), 2),
    (said("assistant", [text("ab"), {"type": "thinking", "thinking": "cd"}, text("e")]), 2),
    (said("assistant", [call({"é": "漢😀"}, "x")]), 3),
    (said("toolResult", [IMAGE]), 1200),
    (said("toolResult", "abcde"), 2),
    (said("custom", "abcde"), 2),
    (said("custom", [text("a"), text("b"), IMAGE]), 1201),
    ({"role": "bashExecution", "command": "ls", "output": "abc", "excludeFromContext": True}, 2),
    ({"role": "branchSummary", "summary": "abcde", "fromId": "x"}, 2),
    ({"role": "compactionSummary", "summary": "abcd"}, 1),
    (said("system", "abcd"), 1),
    (said("system", [text("abcd")], sections={"a": "1234", "b": None}), 2),
    (said("system", "", toolsAdded=[{"name": "t"}]), 4),
    (said("newRole", "abcd"), 0),
]


@pytest.mark.parametrize(("value", "tokens"), MESSAGES)
def test_four_code_units_make_a_token(value: dict[str, Any], tokens: int):
    assert estimate_tokens(dumps(value)) == tokens


ODD: list[tuple[bytes, int]] = [
    (b'{"role":"user","content":null}', 0),
    (b'{"role":"user"}', 0),
    (b'{"role":"user","content":5}', 0),
    (b'{"role":"user","content":{"type":"text","text":"abcd"}}', 0),
    (b'{"role":"user","content":[null,"abcd",7,[],{"type":"text","text":"abcd"}]}', 1),
    (b'{"role":"user","content":[{"type":"text","text":null},{"type":"new","text":"abcd"}]}', 0),
    (b'{"role":"user","content":[{"type":"text","text":[1]},{"type":"text","text":"abcd"}]}', 1),
    (rb'{"role":"user","content":"\ud83dabc"}', 1),
    (rb'{"role":"user","content":[{"type":"text","text":"\ud83d\ude00\ud83d"}]}', 1),
    (b'{"role":"assistant","content":"abcd"}', 0),
    (b'{"role":"assistant","content":[{"type":"toolCall","name":"abcd"}]}', 1),
    (b'{"role":"assistant","content":[{"type":"toolCall","arguments":{"a":1.0}}]}', 2),
    (b'{"role":"assistant","content":[{"type":"toolCall","name":3,"arguments":null}]}', 1),
    (b'{"role":"bashExecution"}', 0),
    (b'{"role":"bashExecution","command":null,"output":"abcde"}', 2),
    (b'{"role":"branchSummary"}', 0),
    (b'{"role":"system","content":null,"sections":{"a":3,"b":"abcd"},"toolsAdded":null}', 1),
    (b'{"role":7,"content":"abcd"}', 0),
    (b'{"content":"abcd"}', 0),
]


@pytest.mark.parametrize(("raw", "tokens"), ODD)
def test_missing_and_invalid_members_count_as_nothing(raw: bytes, tokens: int):
    assert estimate_tokens(raw) == tokens


def test_arguments_nested_deeper_than_decoders_go_are_counted():
    deep = b"[" * 3000 + b"]" * 3000
    block = b'{"type":"toolCall","name":"abcd","arguments":%b}' % deep
    assert estimate_tokens(b'{"role":"assistant","content":[%b]}' % block) == 1501


def answer(usage: Any, content: str = "abcd", **more: Any) -> dict[str, Any]:
    return said("assistant", [text(content)], usage=usage, **more)


def usage(input_: Any = 0, output: Any = 0, read: Any = 0, write: Any = 0, **more: Any) -> Any:
    return {"input": input_, "output": output, "cacheRead": read, "cacheWrite": write, **more}


USAGES: list[tuple[Any, int | None]] = [
    (usage(1, 2, 3, 4, totalTokens=5), 5),
    (usage(1, 2, 3, 4, totalTokens=0), 10),
    (usage(1, 2, 3, 4), 10),
    (usage(1, 2, 3, None, totalTokens=None), 6),
    ({"input": 1, "output": 2, "cacheRead": 3}, None),
    ({"totalTokens": 7}, 7),
    (usage(), None),
    (usage(totalTokens=-5), None),
    (usage(-3, 1), None),
    (usage(totalTokens="many"), None),
    (usage("1"), None),
    (usage(totalTokens=True), None),
    (usage(totalTokens=10.5), 11),
    (usage(totalTokens=2**53), None),
    (usage(totalTokens=2**53 - 1), 2**53 - 1),
    (usage(totalTokens=10**40), None),
    (None, None),
    ("none", None),
    ([], None),
    ({}, None),
]


@pytest.mark.parametrize(("value", "tokens"), USAGES)
def test_usage_is_the_total_or_the_sum_of_its_parts(value: Any, tokens: int | None):
    assert trusted_usage(dumps(answer(value))) == tokens


def test_usage_beyond_safe_integers_is_ignored():
    raw = b'{"role":"assistant","usage":{"totalTokens":1e400}}'
    assert trusted_usage(raw) is None


@pytest.mark.parametrize("reason", ["aborted", "error"])
def test_usage_of_an_incomplete_answer_is_ignored(reason: str):
    assert trusted_usage(dumps(answer(usage(1, 1), stopReason=reason))) is None


def test_only_an_assistant_has_usage():
    assert trusted_usage(dumps(said("toolResult", [], usage=usage(1, 1)))) is None


USER = said("user", "abcd")
CONTEXTS: list[tuple[list[dict[str, Any]], tuple[int, int, int, int | None]]] = [
    ([USER, answer(usage())], (2, 0, 2, None)),
    ([USER, answer(usage()), USER], (3, 0, 3, None)),
    ([USER, answer(usage(10, 5, 1, totalTokens=0)), said("user", "x" * 8)], (18, 16, 2, 1)),
    (
        [
            USER,
            answer(usage(totalTokens=99)),
            answer(usage(totalTokens=7), "y", stopReason="error"),
        ],
        (100, 99, 1, 1),
    ),
    ([], (0, 0, 0, None)),
    ([said("system", "abcd"), said("system", "abcd")], (2, 0, 2, None)),
]


@pytest.mark.parametrize(("values", "expected"), CONTEXTS)
def test_an_estimate_is_the_last_usage_plus_the_messages_after_it(values: Any, expected: Any):
    found = estimate_messages(list(map(dumps, values)))
    assert (found.tokens, found.usage, found.trailing, found.last_usage) == expected


def context(*entries: dict[str, Any]) -> Any:
    tree = tree_of(chain(*entries))
    return build_context(tree, tree.tip_id)


def talk(entry_id: str, value: dict[str, Any]) -> dict[str, Any]:
    return entry(entry_id, kind="message", message=value)


def edit(entry_id: str, target: str, replacement: Any) -> dict[str, Any]:
    return entry(entry_id, kind="context_edit", targetId=target, replacement=replacement)


def compaction(
    entry_id: str, first_kept: str, summary: str = "abcd", **more: Any
) -> dict[str, Any]:
    kept = {"firstKeptEntryId": first_kept, "tokensBefore": 9}
    return entry(entry_id, kind="compaction", summary=summary, **kept, **more)


COUNTED = talk("a", answer(usage(totalTokens=99)))


def test_usage_is_used_if_the_context_has_not_changed_since():
    found = estimate_context(context(talk("u", USER), COUNTED, entry("x"), talk("v", USER)))
    assert (found.tokens, found.usage, found.trailing, found.last_usage) == (100, 99, 1, 1)


@pytest.mark.parametrize(
    ("change", "tokens"),
    [
        (edit("e", "u", {"content": "abcdefgh"}), 4),
        (edit("e", "u", None), 2),
        (edit("e", "nowhere", None), 3),
        (compaction("e", "u"), 4),
        (compaction("e", "nowhere"), 2),
    ],
)
def test_usage_from_before_an_edit_or_a_compaction_is_ignored(change: Any, tokens: int):
    found = estimate_context(context(talk("u", USER), COUNTED, change, talk("v", USER)))
    assert (found.tokens, found.usage, found.last_usage) == (tokens, 0, None)


def test_usage_from_after_an_edit_or_a_compaction_is_used():
    later = talk("b", answer(usage(totalTokens=7)))
    found = estimate_context(context(talk("u", USER), COUNTED, compaction("c", "u"), later))
    assert (found.tokens, found.last_usage) == (7, 3)


def test_usage_of_a_removed_answer_is_ignored():
    found = estimate_context(context(talk("u", USER), COUNTED, edit("e", "a", None)))
    assert (found.tokens, found.last_usage) == (1, None)


def test_the_system_message_in_force_counts_once():
    entries = [
        talk("s", said("system", "abcd", sections={"x": "12345678"}, timestamp=1)),
        talk("t", said("system", "efgh", sections={"x": None}, timestamp=2)),
        talk("u", USER),
    ]
    # Both texts and the blank line between them: ten characters.
    assert estimate_context(context(*entries)).tokens == 3 + 1


@pytest.mark.parametrize(
    ("tokens", "window", "settings", "expected"),
    [
        (100, 116, CompactionPolicy(reserve=16), False),
        (101, 116, CompactionPolicy(reserve=16), True),
        (1, 0, CompactionPolicy(), True),
        (101, 116, CompactionPolicy(reserve=16, enabled=False), False),
        (1000, 1000, CompactionPolicy(reserve=0), False),
        (1001, 1000, CompactionPolicy(reserve=0), True),
        (183_616, 200_000, CompactionPolicy(), False),
        (183_617, 200_000, CompactionPolicy(), True),
        (180_000, 200_000, CompactionPolicy(reserve_floor=20_000), False),
        (180_001, 200_000, CompactionPolicy(reserve_floor=20_000), True),
        (170_000, 200_000, CompactionPolicy(reserve=30_000, reserve_floor=20_000), False),
        (170_001, 200_000, CompactionPolicy(reserve=30_000, reserve_floor=20_000), True),
    ],
)
def test_compaction_is_due_above_the_window_less_the_reserve(
    tokens: int, window: int, settings: CompactionPolicy, expected: bool
):
    assert settings.should_compact(tokens, window) is expected


@pytest.mark.parametrize(
    ("entries", "known"),
    [
        ([], True),
        ([talk("u", USER)], True),
        ([talk("u", USER), COUNTED, compaction("c", "u")], False),
        ([talk("u", USER), COUNTED, compaction("c", "u"), talk("v", USER)], False),
        ([compaction("c", ""), talk("b", answer(usage(totalTokens=3)))], True),
        ([compaction("c", ""), talk("b", answer(usage()))], False),
        ([compaction("c", ""), talk("b", answer(usage(3), stopReason="error"))], False),
        ([compaction("c", ""), talk("b", answer(usage(3), stopReason="aborted"))], False),
        ([compaction("c", ""), talk("b", answer(usage(3))), talk("d", answer(usage()))], True),
        ([compaction("c", ""), talk("b", answer(usage(3))), edit("e", "u", None)], True),
        ([compaction("c", ""), talk("b", answer(usage(3))), edit("e", "b", None)], False),
        ([compaction("c", ""), talk("b", answer(usage(3))), compaction("d", "b")], False),
        ([compaction("c", ""), talk("b", answer(None))], False),
    ],
)
def test_the_size_is_unknown_from_a_compaction_to_the_next_answer(entries: Any, known: bool):
    copies = json.loads(json.dumps(entries))
    assert is_counted(context(*copies)) is known
