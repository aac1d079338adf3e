"""Lines of OpenClaw that move the leaf or leave it alone, and resets of the context."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessiond.format.context.build import build_context
from sessiond.format.context.tokens import estimate_context, is_counted
from sessiond.format.extract import branched_lines
from sessiond.format.load import load
from sessiond.format.repair.plan import plan
from sessiond.format.tree.tree import Tree

from .builders import HEADER, dumps, entry, file_of, message, said, time, tree_of

NOWHERE = object()


def leaf(entry_id: str, parent: str | None, target: Any = NOWHERE, **more: Any) -> dict[str, Any]:
    named = {} if target is NOWHERE else {"targetId": target}
    return entry(entry_id, parent, "leaf", **named, **more)


def aside(value: dict[str, Any]) -> dict[str, Any]:
    return {**value, "appendMode": "side"}


TALK = [
    message("u1", None, "user"),
    said("a1", "u1"),
    message("u2", "a1", "user"),
    said("a2", "u2"),
]


def ids(entries: list[Any]) -> list[str]:
    return [each.id for each in entries]


def active(*values: dict[str, Any]) -> list[str]:
    """The branch of the leaf after a file with these lines was opened."""
    tree = tree_of(list(values))
    return ids(tree.branch(tree.leaf_id))


def test_a_leaf_line_moves_the_leaf_to_its_target():
    tree = tree_of([*TALK, leaf("l", "a2", "a1")])
    assert (tree.leaf_id, tree.tip_id) == ("a1", "l")
    assert ids(tree.branch(tree.leaf_id)) == ["u1", "a1"]
    assert ids(tree.branch("l")) == ["u1", "a1"]
    assert ids(build_context(tree, tree.leaf_id).entries) == ["u1", "a1"]
    assert ids(tree.branch("a2")) == ["u1", "a1", "u2", "a2"]


def test_a_leaf_line_can_lead_before_any_entry():
    assert active(*TALK, leaf("l", "a2", None)) == []
    assert active(*TALK, leaf("l", "a2", None), message("u3", None, "user")) == ["u3"]


def test_an_entry_under_a_leaf_line_is_under_its_target():
    lines = [*TALK, leaf("l", "a2", "a1"), message("u3", "l", "user")]
    assert active(*lines) == ["u1", "a1", "u3"]
    tree = tree_of(lines)
    assert ids(tree.children("a1")) == ["u2", "u3"]
    assert ids(tree.children("l")) == []


def test_a_leaf_line_can_lead_to_another_one():
    lines = [*TALK, leaf("l", "a2", "u2"), leaf("m", "l", "l")]
    assert tree_of(lines).leaf_id == "u2"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (leaf("l", "a2", "gone"), "gone"),
        (leaf("l", "a2", "u1", appendParentId="gone"), "gone"),
        (leaf("l", "a2", "later"), "later"),
        (leaf("l", "a2"), "neither"),
        (leaf("l", "a2", 5), "neither"),
        (leaf("l", "a2", ""), "neither"),
        (leaf("l", "a2", "u1", appendMode="front"), "side"),
    ],
    ids=str,
)
def test_a_leaf_line_that_leads_nowhere_is_ignored_and_reported(line: dict[str, Any], why: str):
    lines = [*TALK, line, message("later", "a2", "user")]
    tree = tree_of(lines[:-1])
    assert tree.leaf_id == "a2"
    (problem,) = tree.problems()
    assert (problem.kind, problem.line) == ("missingTarget", 6)
    assert why in problem.message
    assert active(*lines[:-1], message("x", "l", "user")) == ["u1", "a1", "u2", "a2", "x"]


def test_entries_aside_do_not_move_the_leaf():
    side = aside(message("s", "a1", "assistant"))
    assert active(*TALK, side) == ["u1", "a1", "u2", "a2"]
    tree = tree_of([*TALK, side])
    assert (tree.leaf_id, tree.tip_id) == ("a2", "s")
    assert ids(tree.branch("s")) == ["u1", "a1", "s"]
    # OpenClaw chains what it appends next to what it appended last.
    assert active(*TALK, side, message("u3", "s", "user")) == ["u1", "a1", "u2", "a2", "u3"]
    assert active(*TALK, side, message("u3", "a2", "user")) == ["u1", "a1", "u2", "a2", "u3"]


def test_a_leaf_line_sets_where_openclaw_appends():
    lines = [
        message("root", None, "assistant"),
        message("delivered", "root", "assistant"),
        entry("plugin", "delivered", "metadata"),
        leaf("l", "delivered", "root", appendParentId="plugin", appendMode="side"),
    ]
    assert active(*lines) == ["root"]
    assert active(*lines, aside(message("s", "plugin", "assistant"))) == ["root"]
    assert active(*lines, message("u", "plugin", "user")) == ["root", "u"]


def test_the_tree_holds_every_line_once():
    lines = [
        *TALK,
        leaf("l", "a2", "a1"),
        message("u3", "l", "user"),
        aside(message("s", "u3", "")),
    ]
    tree = tree_of(lines)
    forest = tree.forest()
    names = ids(tree.entries)
    below = {names[at]: [names[child] for child in found] for at, found in forest.children.items()}
    assert [names[root] for root in forest.roots] == ["u1"]
    assert below == {"u1": ["a1"], "a1": ["u2", "u3"], "u2": ["a2"], "a2": ["l"], "u3": ["s"]}
    assert tree.count_branches() == 2


def test_a_leaf_line_is_not_reported_as_damage():
    data = file_of(*TALK, leaf("l", "a2", "a1"), aside(message("s", "a1", "user")))
    found = plan([data])
    assert (found.problems, found.actions) == ([], [])


def test_a_repair_renames_targets_along():
    twice = message("u2", "a1", "user", "again")
    data = file_of(*TALK, leaf("l", "a2", "u2", appendParentId="a1"), twice)
    loaded = load(b"".join(map(bytes, plan([data]).parts)))
    tree = Tree(loaded.entries)
    (line,) = [json.loads(each.raw) for each in tree.entries if each.type == "leaf"]
    assert line["targetId"] == tree.entries[2].id != "u2"
    assert line["appendParentId"] == "a1"


def test_a_branch_as_a_file_of_its_own_ends_with_its_leaf():
    lines = [
        *TALK,
        leaf("l", "a2", "a1"),
        message("u3", "l", "user"),
        aside(message("s", "u3", "")),
    ]
    for end in ("u3", "s"):
        tree = tree_of([json.loads(raw) for raw in branched_lines(tree_of(lines), end)])
        assert tree.leaf_id == tree.tip_id == end
        assert ids(tree.branch(end))[:3] == ["u1", "a1", "u3"]


def reset(entry_id: str, parent: str | None, **more: Any) -> dict[str, Any]:
    return entry(entry_id, parent, "reset", reason="new", **more)


def context_of(*values: dict[str, Any], header: bytes = HEADER) -> Any:
    loaded = load(file_of(*values, header=header))
    tree = Tree(loaded.entries)
    return build_context(tree, tree.leaf_id)


def test_the_context_begins_after_a_reset():
    context = context_of(*TALK, reset("r", "a2"), message("u3", "r", "user", "hello"))
    assert ids(context.path) == ["u1", "a1", "u2", "a2", "r", "u3"]
    assert ids(context.entries) == ["u3"]
    assert [json.loads(each)["content"] for each in context.messages()] == ["hello"]
    assert list(context_of(*TALK, reset("r", "a2")).messages()) == []


def test_a_reset_can_keep_entries():
    context = context_of(*TALK, reset("r", "a2", firstKeptEntryId="u2"), message("u3", "r", "user"))
    assert ids(context.entries) == ["u2", "a2", "u3"]
    assert ids(context_of(*TALK, reset("r", "a2", firstKeptEntryId="gone")).entries) == []


def compaction(entry_id: str, parent: str, kept: str) -> dict[str, Any]:
    more = {"summary": "S", "firstKeptEntryId": kept, "tokensBefore": 1}
    return entry(entry_id, parent, "compaction", **more)


def test_the_later_of_a_compaction_and_a_reset_applies():
    before = context_of(*TALK, compaction("c", "a2", "u2"), reset("r", "c"), message("x", "r", ""))
    assert ids(before.entries) == ["x"]
    kept = reset("r", "c", firstKeptEntryId="u2")
    assert ids(context_of(*TALK, compaction("c", "a2", "u2"), kept).entries) == ["u2", "a2"]
    after = [reset("r", "a2"), message("u3", "r", "user"), compaction("c", "u3", "u2")]
    # What came before the reset does not come back.
    assert ids(context_of(*TALK, *after).entries) == ["c", "u3"]


def test_usage_from_before_a_reset_is_ignored():
    used = {"input": 90_000, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 90_000}
    talk = [TALK[0], message("a1", "u1", "assistant", [], usage=used)]
    talk[1]["message"]["usage"] = used
    assert estimate_context(context_of(*talk)).tokens == 90_000
    reset_context = context_of(*talk, reset("r", "a1"), message("u", "r", "user", "abcd"))
    assert estimate_context(reset_context).tokens == 1
    assert is_counted(context_of(*talk, compaction("c", "a1", "a1"))) is False
    assert is_counted(context_of(*talk, compaction("c", "a1", "a1"), reset("r", "c"))) is True


@pytest.mark.parametrize(
    ("version", "kinds"),
    [("3", []), ("4", []), ("5", ["unknownVersion"]), ("4.5", ["unknownVersion"])],
)
def test_version_4_is_known(version: str, kinds: list[str]):
    header = HEADER.replace(b'"version":3', b'"version":%b' % version.encode())
    assert [each.kind for each in load(file_of(*TALK, header=header)).diagnostics()] == kinds


def test_side_entries_are_recognised_off_the_fast_path():
    # A surrogate and a number where a text is expected lead off the fast path.
    odd = b'{"type":"message","id":"s","parentId":"a2","appendMode":"side","message":{"role":"user","content":"\\ud83d"}}'
    number = dumps(message("n", "a2", "user", appendMode=1))
    loaded = load(file_of(*TALK, odd, number))
    assert [each.side for each in loaded.entries] == [False] * 4 + [True, False]


NAMES = [f"e{number}" for number in range(8)]


@st.composite
def files(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Entries with ids of their own, whose references may lead anywhere."""
    values = []
    anywhere = st.sampled_from([None, *NAMES, "gone"])
    for name in NAMES[: draw(st.integers(1, len(NAMES)))]:
        kind = draw(st.sampled_from(["plain", "plain", "side", "leaf"]))
        value: dict[str, Any] = {"type": "custom", "id": name, "timestamp": time(0)}
        value["parentId"] = draw(anywhere)
        if kind == "side":
            value["appendMode"] = "side"
        if kind == "leaf":
            value |= {"type": "leaf", "targetId": draw(anywhere)}
            if draw(st.booleans()):
                value["appendParentId"] = draw(anywhere)
        values.append(value)
    return values


def model(values: list[dict[str, Any]]) -> tuple[str | None, dict[str, str | None]]:
    """The leaf and everybody's parent, by the rules read aloud and nothing clever."""
    at: str | None = None
    cursor: str | None = None
    parents: dict[str, str | None] = {}
    leads: dict[str, str | None] = {}
    before: list[str] = []
    for value in values:
        parent = value["parentId"]
        if value["type"] == "leaf":
            append = value.get("appendParentId", value["targetId"])
            if {value["targetId"], append} <= {None, *before}:
                before.append(value["id"])
                leads[value["id"]] = value["targetId"]
                at, cursor = value["targetId"], append
            else:
                leads[value["id"]] = parent
        else:
            if value.get("appendMode") != "side":
                parents[value["id"]] = at if parent == cursor and at != cursor else parent
                at = value["id"]
            else:
                parents[value["id"]] = parent
            cursor = value["id"]
            before.append(value["id"])
        seen = set()
        while at in leads and at not in seen:
            seen.add(at)
            at = leads[at]
    return at, {**parents, **leads}


@given(files())
def test_any_file_is_followed_by_the_rules(values: list[dict[str, Any]]):
    at, above = model(values)
    tree = tree_of(values)
    assert tree.leaf_id == at
    kinds = {value["id"]: value["type"] for value in values}
    for start in [*above, None]:
        path: list[str] = []
        seen = set()
        walk = start
        while walk in above and walk not in seen:
            seen.add(walk)
            if kinds[walk] != "leaf":
                path.insert(0, walk)
            walk = above[walk]
        assert ids(tree.branch(start)) == path
    forest = tree.forest()
    shown = [*forest.roots, *(child for found in forest.children.values() for child in found)]
    assert sorted(shown) == list(range(len(values)))
    reached = list(forest.roots)
    for index in reached:
        reached += forest.children.get(index, ())
    assert sorted(reached) == list(range(len(values)))
