from __future__ import annotations

from typing import Any

import pytest

from sessiond.format.context.build import current_system_message

from .builders import dumps


def replayed(*messages: dict[str, Any]) -> bytes | None:
    return current_system_message([dumps({"role": "system", **m}) for m in messages])


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([], None),
        ([{"content": "a"}], None),
        ([{"content": "", "timestamp": 5}], b'{"role":"system","content":"","timestamp":5}'),
        (
            [
                {"content": "a", "timestamp": 1},
                {"content": "", "timestamp": 2},
                {"content": "b", "timestamp": 3},
            ],
            b'{"role":"system","content":"a\\n\\nb","timestamp":1}',
        ),
        (
            [
                {
                    "content": [
                        {"type": "text", "text": "a"},
                        {"type": "image"},
                        {"type": "text", "text": "b"},
                    ],
                    "timestamp": 1,
                }
            ],
            b'{"role":"system","content":"a\\nb","timestamp":1}',
        ),
        (
            [
                {"content": "", "sections": {"x": "1", "y": "2"}, "timestamp": 1},
                {"content": "", "sections": {"x": None, "z": "3", "y": "4"}, "timestamp": 2},
                {"content": "", "sections": {"x": "5"}, "timestamp": 2},
            ],
            b'{"role":"system","content":"","sections":{"y":"4","z":"3","x":"5"},"timestamp":1}',
        ),
        (
            [
                {"content": "", "sections": {"x": "1"}, "timestamp": 1},
                {"content": "", "sections": {"x": None}},
            ],
            b'{"role":"system","content":"","timestamp":1}',
        ),
        (
            [
                {
                    "content": "",
                    "toolsAdded": [{"name": "r", "v": 1}, {"name": "w"}],
                    "timestamp": 1,
                },
                {
                    "content": "",
                    "toolsAdded": [{"name": "r", "v": 2}],
                    "toolsRemoved": [{"name": "w"}],
                },
            ],
            b'{"role":"system","content":"","toolsAdded":[{"name":"r","v":2}],"timestamp":1}',
        ),
        (
            [{"content": None, "toolsAdded": [{"name": "r"}]}],
            b'{"role":"system","content":"","toolsAdded":[{"name":"r"}],"timestamp":0}',
        ),
    ],
)
def test_system_messages_are_replayed_in_order(
    messages: list[dict[str, Any]], expected: bytes | None
) -> None:
    assert replayed(*messages) == expected


def test_other_messages_do_not_count() -> None:
    messages = [dumps({"role": "user", "content": "system", "timestamp": 1})]
    assert current_system_message(messages) is None


def test_a_tool_set_again_keeps_its_place_and_one_removed_before_loses_it() -> None:
    found = replayed(
        {"content": "", "toolsAdded": [{"name": "a"}, {"name": "b"}], "timestamp": 1},
        {"content": "", "toolsAdded": [{"name": "a", "v": 2}]},
        {
            "content": "",
            "toolsRemoved": [{"name": "b"}, {"name": "a"}],
            "toolsAdded": [{"name": "b", "v": 3}],
        },
    )
    assert (
        found == b'{"role":"system","content":"","toolsAdded":[{"name":"b","v":3}],"timestamp":1}'
    )
    kept = replayed(
        {"content": "", "toolsAdded": [{"name": "a"}, {"name": "b"}], "timestamp": 1},
        {"content": "", "toolsAdded": [{"name": "a", "v": 2}]},
    )
    assert kept is not None
    assert b'[{"name":"a","v":2},{"name":"b"}]' in kept


def test_values_keep_their_spelling() -> None:
    raw = (
        b'{"role":"system","content":"\\u00e9\\ud83d","sections":{"x":"\\ud83d"},'
        b'"toolsAdded":[{"name":"r","n":1e400,"s":"\\udc00, ]"}],"timestamp":1.0}'
    )
    assert current_system_message([raw]) == raw
