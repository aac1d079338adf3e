from __future__ import annotations

import json
from collections.abc import Container
from typing import Any

from sessiond.format.entries import make_entry
from sessiond.format.extract import branched_lines

from .builders import chain, entry, message, time, tree_of


def numbered(taken: Container[str]) -> str:
    return next(f"new{n}" for n in range(100) if f"new{n}" not in taken)


def branched(entries: list[dict[str, Any]], leaf: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in branched_lines(tree_of(entries), leaf, numbered)]


def label(entry_id: str, target: str, text: str | None, second: int = 0) -> dict[str, Any]:
    return entry(entry_id, kind="label", targetId=target, label=text, timestamp=time(second))


def test_only_the_branch_is_taken_and_its_lines_keep_their_bytes() -> None:
    tree = tree_of(
        [message("a", None, "user"), message("b", "a", "user"), message("c", "a", "user")]
    )
    lines = [each.raw for each in tree.branch("c")]
    assert list(branched_lines(tree, "c")) == lines


def test_labels_are_removed_and_set_again_at_the_end_with_their_times() -> None:
    found = branched(
        chain(
            message("a", None, "user"),
            label("l", "a", "x", 5),
            message("b", None, "user"),
            label("m", "b", "y", 6),
            label("n", "elsewhere", "z"),
        ),
        "m",
    )
    assert [(v["type"], v["id"], v["parentId"]) for v in found] == [
        ("message", "a", None),
        ("message", "b", "a"),
        ("label", "new0", "b"),
        ("label", "new1", "new0"),
    ]
    assert [(v["targetId"], v["label"], v["timestamp"]) for v in found[2:]] == [
        ("a", "x", time(5)),
        ("b", "y", time(6)),
    ]
    assert list(found[2]) == ["type", "id", "parentId", "timestamp", "targetId", "label"]


def test_labels_set_on_other_branches_are_copied_and_cleared_ones_are_not() -> None:
    values = chain(message("a", None, "user"), message("b", None, "user"))
    aside = [label("l", "a", "x"), label("m", "b", "y"), label("n", "b", None)]
    found = branched([*values, *aside], "b")
    assert [v["targetId"] for v in found if v["type"] == "label"] == ["a"]


def test_a_first_kept_label_becomes_the_entry_after_it() -> None:
    found = branched(
        chain(
            message("a", None, "user"),
            label("l", "a", "x"),
            label("m", "a", "y"),
            message("b", None, "user"),
            entry("c", kind="compaction", summary="S", firstKeptEntryId="l", tokensBefore=1),
        ),
        "c",
    )
    assert next(v for v in found if v["id"] == "c")["firstKeptEntryId"] == "b"


def test_a_compaction_that_keeps_nothing_still_does() -> None:
    found = branched(
        chain(
            label("l", "x", "x"),
            message("a", None, "user"),
            entry("c", kind="compaction", summary="S", firstKeptEntryId="c", tokensBefore=1),
        ),
        "c",
    )
    assert found[-1]["firstKeptEntryId"] == "c"
    assert found[0]["parentId"] is None


def test_an_unknown_leaf_yields_nothing() -> None:
    assert list(branched_lines(tree_of([]), "x")) == []


def test_only_the_parent_changes_in_a_line_that_is_chained_again() -> None:
    tree = tree_of([label("l", "x", "x")])
    raw = b'{"n":1e21,"parentId": "l" ,"type":"custom","id":"a","s":"\\ud83d"}'
    tree.add(make_entry(raw))
    assert list(branched_lines(tree, "a")) == [raw.replace(b'"l"', b"null")]
