"""A copy that ends at an answer with tool calls goes on to the last of their results."""

import json
from typing import Any

import pytest

from sessiond.format.load import load
from sessiond.format.tree.results import last_result
from sessiond.format.tree.tree import Tree

TIME = "2026-01-01T00:00:00.000Z"


def entry(entry_id: str, parent: str | None, role: str, **message: Any) -> dict[str, Any]:
    return {
        "type": "message",
        "id": entry_id,
        "parentId": parent,
        "timestamp": TIME,
        "message": {"role": role, **message},
    }


def answer(entry_id: str, parent: str | None, *calls: str) -> dict[str, Any]:
    blocks = [{"type": "toolCall", "id": call, "name": "ls", "arguments": {}} for call in calls]
    return entry(entry_id, parent, "assistant", content=[{"type": "text", "text": "x"}, *blocks])


def result(entry_id: str, parent: str, call: str) -> dict[str, Any]:
    return entry(entry_id, parent, "toolResult", toolCallId=call, content=[])


def other(entry_id: str, parent: str) -> dict[str, Any]:
    return {"type": "custom", "customType": "c", "id": entry_id, "parentId": parent}


@pytest.mark.parametrize(
    ("entries", "last"),
    [
        ([answer("a", None)], "a"),
        ([answer("a", None, "t")], "a"),
        ([answer("a", None, "t"), result("r", "a", "t")], "r"),
        ([answer("a", None, "t"), result("r", "a", "u")], "a"),
        ([answer("a", None, "t", "u"), result("r", "a", "t"), result("s", "r", "u")], "s"),
        # Entries that are no messages lie between; a prompt ends the turn.
        ([answer("a", None, "t"), other("o", "a"), result("r", "o", "t")], "r"),
        ([answer("a", None, "t"), entry("u", "a", "user"), result("r", "u", "t")], "a"),
        # The branch with more of the results, then the latest.
        (
            [
                answer("a", None, "t", "u"),
                result("r", "a", "t"),
                result("s", "r", "u"),
                result("x", "a", "t"),
            ],
            "s",
        ),
        ([answer("a", None, "t"), result("r", "a", "t"), result("s", "a", "t")], "s"),
        # The same id in another turn.
        (
            [
                answer("a", None, "t"),
                result("r", "a", "t"),
                answer("b", "r", "t"),
                result("s", "b", "t"),
            ],
            "r",
        ),
        ([entry("a", None, "user", content="x"), result("r", "a", "t")], "a"),
    ],
)
def test_the_last_result_of_the_calls_is_found(entries: list[dict[str, Any]], last: str):
    header = {"type": "session", "version": 3, "id": "s", "timestamp": TIME, "cwd": "/w"}
    text = "".join(json.dumps(each) + "\n" for each in (header, *entries))
    assert last_result(Tree(load(text.encode()).entries), "a") == last
