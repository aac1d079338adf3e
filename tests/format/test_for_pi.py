"""Sessions of version 4 become files from which pi builds the context that OpenClaw would."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sessiond.format.context.build import build_context
from sessiond.format.for_pi import lines_for_pi
from sessiond.format.load import load
from sessiond.format.tree.tree import Tree

AT = "2026-11-22T14:00:00.000Z"
HEADER = {"type": "session", "version": 4, "id": "s", "timestamp": AT, "cwd": "/"}


def said(entry_id: str, parent: str | None, **more: Any) -> dict[str, Any]:
    message = {"role": "user", "content": entry_id}
    return line("message", entry_id, parent, message=message, **more)


def line(kind: str, entry_id: str, parent: str | None, **more: Any) -> dict[str, Any]:
    return {"type": kind, "id": entry_id, "parentId": parent, "timestamp": AT, **more}


def tree_of(*entries: dict[str, Any]) -> Tree:
    loaded = load(b"".join(json.dumps(value).encode() + b"\n" for value in (HEADER, *entries)))
    return Tree(loaded.entries)


def as_pi_reads(lines: list[bytes]) -> list[str]:
    """The messages from the root to the last line, and nothing that pi does not know."""
    entries = [json.loads(each) for each in lines]
    by_id = {entry["id"]: entry for entry in entries}
    branch = []
    at = entries[-1]["id"] if entries else None
    while at is not None:
        branch.append(by_id[at])
        at = by_id[at]["parentId"]
    assert {entry["type"] for entry in branch} <= {"message", "custom", "model_change"}
    return [one["message"]["content"] for one in reversed(branch) if one["type"] == "message"]


CASES: dict[str, tuple[list[dict[str, Any]], list[str]]] = {
    "nothing special": ([said("a", None), said("b", "a")], ["a", "b"]),
    "a reset": (
        [said("a", None), line("reset", "r", "a", reason="new"), said("b", "r")],
        ["b"],
    ),
    "a reset at the end": ([said("a", None), line("reset", "r", "a", reason="new")], []),
    "two resets": (
        [
            *(said("a", None), line("reset", "r", "a"), said("b", "r")),
            *(line("reset", "r2", "b"), said("c", "r2")),
        ],
        ["c"],
    ),
    "a reset that keeps": (
        [
            *(said("a", None), said("b", "a"), said("c", "b")),
            *(line("reset", "r", "c", firstKeptEntryId="b"), said("d", "r")),
        ],
        ["b", "c", "d"],
    ),
    "a reset that keeps what was around a summary": (
        [
            *(said("a", None), said("b", "a")),
            line("compaction", "k", "b", summary="S", firstKeptEntryId="b", tokensBefore=1),
            *(said("c", "k"), line("reset", "r", "c", firstKeptEntryId="b"), said("d", "r")),
        ],
        ["b", "c", "d"],
    ),
    "a leaf line": (
        [
            *(said("a", None), said("b", "a"), line("leaf", "l", "b", targetId="a")),
            said("c", "l"),
        ],
        ["a", "c"],
    ),
    "a leaf line at the end": (
        [said("a", None), said("b", "a"), line("leaf", "l", "b", targetId="a")],
        ["a"],
    ),
    "a side entry": (
        [said("a", None), said("s", "a", appendMode="side"), said("b", "s")],
        ["a", "b"],
    ),
    "a side entry at the end": (
        [said("a", None), said("b", "a"), said("s", "b", appendMode="side")],
        ["a", "b"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_pi_sees_the_same_messages(case: str):
    entries, expected = CASES[case]
    tree = tree_of(*entries)
    ours = [
        json.loads(message)["content"] for message in build_context(tree, tree.leaf_id).messages()
    ]
    assert ours == expected
    assert as_pi_reads(list(lines_for_pi(tree))) == expected


@pytest.mark.parametrize("case", CASES)
def test_every_entry_but_leaf_lines_stays_in_the_file(case: str):
    entries, _ = CASES[case]
    written = [json.loads(each) for each in lines_for_pi(tree_of(*entries))]
    kept = {entry["id"]: entry for entry in entries if entry["type"] != "leaf"}
    assert kept.keys() <= {entry["id"] for entry in written}
    for entry in written:
        if entry["type"] == "message":
            assert entry["message"] == kept[entry["id"]]["message"]


def test_lines_that_need_no_change_keep_their_bytes():
    entries = [said("a", None), said("b", "a")]
    assert list(lines_for_pi(tree_of(*entries))) == [json.dumps(one).encode() for one in entries]
