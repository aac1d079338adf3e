"""Entries with which pi ends in an error: `/tree` (`tree-selector.ts`), `/compact` (`compaction.ts`)."""

from __future__ import annotations

from typing import Any

import pytest

from sessiond.format.load import load
from sessiond.format.repair.plan import problems
from sessiond.format.requirements import check_entry
from sessiond.format.tree.tree import Tree
from sessiond.format.view import blocks as kinds
from sessiond.format.view.branch import Views
from sessiond.runtime.errors import InvalidParams

from .builders import dumps, entry, file_of, tree_of

USAGE = {"cost": {}}


def answer(**more: Any) -> dict[str, Any]:
    return {"type": "message", "message": {"role": "assistant", "usage": USAGE, **more}}


def call(arguments: Any) -> list[Any]:
    return [{"type": "toolCall", "id": "c", "name": "bash", "arguments": arguments}]


@pytest.mark.parametrize(
    ("line", "path"),
    [
        (answer(content=call(None)), "$.message.content[0].arguments"),
        (answer(errorMessage={"message": "overloaded"}), "$.message.errorMessage"),
        (answer(errorMessage=["a"]), "$.message.errorMessage"),
        ({"type": "branch_summary", "fromId": "x"}, "$.summary"),
        ({"type": "branch_summary", "fromId": "x", "summary": None}, "$.summary"),
        ({"type": "compaction", "tokensBefore": 1}, "$.summary"),
        ({"type": "compaction", "tokensBefore": 1, "summary": 5}, "$.summary"),
        ({"type": "custom_message", "customType": "x", "content": None}, "$.content"),
        ({"type": "custom_message", "customType": "x"}, "$.content"),
    ],
)
def test_pi_ends_at_an_entry(line: dict[str, Any], path: str):
    with pytest.raises(InvalidParams) as raised:
        check_entry(dumps(line))
    assert raised.value.path == path


@pytest.mark.parametrize(
    "line",
    [
        answer(content=call({})),
        answer(errorMessage="overloaded"),
        answer(errorMessage=None),
        {"type": "branch_summary", "fromId": "x", "summary": ""},
        {"type": "compaction", "tokensBefore": 1, "summary": ""},
        {"type": "custom_message", "customType": "x", "content": ""},
    ],
)
def test_pi_reads_an_entry(line: dict[str, Any]):
    check_entry(dumps(line))


def test_an_entry_that_pi_cannot_read_is_one_problem():
    lost = entry("b", "a", "compaction", firstKeptEntryId="gone", tokensBefore=1)
    loaded = load(file_of(entry("a", None, "custom", customType="x"), lost))
    found = problems(loaded, Tree(loaded.entries))
    assert [(each.line, each.kind) for each in found] == [(3, "malformedEntry")]


@pytest.mark.parametrize(
    ("error", "text"),
    [
        ("overloaded", "overloaded"),
        ({"name": "APIError", "message": "overloaded"}, "overloaded"),
        ({"code": 529}, '{"code":529}'),
        (["a"], '["a"]'),
    ],
)
def test_a_view_has_the_text_of_an_error(error: Any, text: str):
    failed = answer(content=[], stopReason="error", errorMessage=error)
    tree = tree_of([entry("a", None, "message", message=failed["message"])])
    (view,) = Views(tree, tree.branch("a")).views(0, 1)
    assert [(each.kind, each.text) for each in view.blocks] == [(kinds.ERROR, text)]
