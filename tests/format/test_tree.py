from __future__ import annotations

import gc
import json
import math
import weakref
from functools import cmp_to_key
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.effort import effort

from sessiond.format.entries import make_entry
from sessiond.format.tree.tree import Tree

from .builders import chain, dumps, entry, ids, message, time, tree_of

IDS = st.sampled_from(list("abcdefgh"))
TIMES = st.one_of(st.integers(0, 5).map(time), st.just("not a date"))


@st.composite
def entries(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Entries of a file as bad as can be: duplicates, orphans, cycles, parents after children."""
    found = []
    for entry_id in draw(st.lists(IDS, max_size=12)):
        kind = draw(st.sampled_from(["custom", "label", "session_info", "message"]))
        made = entry(entry_id, draw(st.none() | IDS), kind, timestamp=draw(TIMES))
        if kind == "label":
            made["targetId"] = draw(IDS)
            if draw(st.booleans()):
                made["label"] = draw(st.sampled_from(["", "x", "y"]))
        elif kind == "session_info":
            made["name"] = draw(st.sampled_from(["", "  ", " n ", "m"]))
        elif kind == "message":
            made["message"] = {"role": draw(st.sampled_from(["user", "system"])), "content": "x"}
        found.append(made)
    return found


class Model:
    """The rules of pi's session manager, one after the other, on plain values."""

    def __init__(self, values: list[dict[str, Any]]) -> None:
        self.values = values
        self.last: dict[str, dict[str, Any]] = {}
        self.labels: dict[str, tuple[str, str]] = {}
        self.name = None
        for value in values:
            self.last[value["id"]] = value
            if value["type"] == "label":
                if value.get("label"):
                    self.labels[value["targetId"]] = (value["label"], value["timestamp"])
                else:
                    self.labels.pop(value["targetId"], None)
            if value["type"] == "session_info":
                self.name = value["name"].strip() or None

    def branch(self, leaf: str | None) -> list[str]:
        path: list[str] = []
        while leaf is not None and leaf in self.last and leaf not in path:
            path.append(leaf)
            leaf = self.last[leaf]["parentId"]
        return path[::-1]

    def children(self, parent: str | None) -> list[str]:
        return [value["id"] for value in self.last.values() if value["parentId"] == parent]

    def in_cycle(self, entry_id: str) -> list[str]:
        """Members of the cycle of two or more that the entry is in."""
        seen: list[str] = []
        at: str | None = entry_id
        while at is not None and at in self.last and at not in seen:
            seen.append(at)
            at = self.last[at]["parentId"]
        return seen if at == entry_id and len(seen) > 1 else []

    def first_of_cycle(self, entry_id: str) -> bool:
        cycle = self.in_cycle(entry_id)
        position = {value["id"]: at for at, value in enumerate(self.values)}
        return bool(cycle) and min(cycle, key=position.__getitem__) == entry_id

    def roots(self) -> list[str]:
        return [
            entry_id
            for entry_id, value in self.last.items()
            if value["parentId"] not in self.last
            or value["parentId"] == entry_id
            or self.first_of_cycle(entry_id)
        ]

    def tree_children(self, parent: str) -> list[str]:
        found = [child for child in self.children(parent) if child not in self.roots()]
        return sorted(found, key=cmp_to_key(self.compare))

    def compare(self, one: str, other: str) -> int:
        times = [self.last[each]["timestamp"] for each in (one, other)]
        numbers = [math.nan if t == "not a date" else int(t[17:19]) for t in times]
        difference = numbers[0] - numbers[1]
        return 0 if math.isnan(difference) else int(difference)

    def problems(self) -> list[tuple[int, str]]:
        found = []
        seen = set()
        for line, value in enumerate(self.values, start=2):
            entry_id, parent = value["id"], value["parentId"]
            if entry_id in seen:
                found.append((line, "duplicateId"))
            seen.add(entry_id)
            if parent == entry_id:
                found.append((line, "selfParent"))
            elif parent is not None and parent not in self.last:
                found.append((line, "orphan"))
            if self.last[entry_id] is value and self.in_cycle(entry_id):
                found.append((line, "cycle"))
            if value["timestamp"] == "not a date":
                found.append((line, "invalidTimestamp"))
            if value["type"] == "label" and value["targetId"] not in self.last:
                found.append((line, "missingTarget"))
        return sorted(found)


def check(tree: Tree, model: Model) -> None:
    assert len(tree) == len(model.values)
    assert list(tree.by_id) == list(model.last)
    for entry_id, index in tree.by_id.items():
        assert json.loads(tree.entries[index].raw) == model.last[entry_id]
    for start in [*"abcdefgh", None]:
        assert ids(tree.branch(start)) == model.branch(start)
        assert ids(tree.children(start)) == model.children(start)
    assert [(target, label.text, label.timestamp) for target, label in tree.labels.items()] == [
        (target, *label) for target, label in model.labels.items()
    ]
    assert tree.name == model.name
    assert tree.has_conversation == any(
        v.get("message", {}).get("role") == "user" for v in model.values
    )
    forest = tree.forest()
    name = {index: tree.entries[index].id for index in range(len(tree))}
    assert [name[root] for root in forest.roots] == model.roots()
    for entry_id in tree.by_id:
        children = forest.children.get(tree.by_id[entry_id], [])
        assert [name[child] for child in children] == model.tree_children(entry_id)
    assert sorted((p.line, p.kind) for p in tree.problems()) == model.problems()


@given(entries())
@settings(deadline=None, max_examples=effort(40, 300))
def test_index_agrees_with_a_naive_model(values: list[dict[str, Any]]) -> None:
    check(tree_of(values), Model(values))


@given(entries())
@settings(deadline=None, max_examples=effort(40, 80))
def test_the_index_is_correct_while_entries_are_added_between_queries(
    values: list[dict[str, Any]],
) -> None:
    tree = tree_of([])
    for count, value in enumerate(values, start=1):
        line = dumps(value)
        tree.add(make_entry(line, count + 1))
        check(tree, Model(values[:count]))


@given(entries())
@settings(deadline=None, max_examples=effort(40, 200))
def test_the_tree_contains_every_id_exactly_once(values: list[dict[str, Any]]) -> None:
    tree = tree_of(values)
    forest = tree.forest()
    seen = []
    stack = list(forest.roots)
    while stack:
        index = stack.pop()
        seen.append(tree.entries[index].id)
        stack += forest.children.get(index, [])
    assert sorted(seen) == sorted(tree.by_id)


def test_siblings_without_a_date_stay_put_among_those_with_one() -> None:
    # pi's comparator answers NaN there, which sorts as equal.
    values = [entry("r")]
    values += [entry(i, "r", timestamp=t) for i, t in [("x", time(2)), ("y", "?"), ("z", time(1))]]
    tree = tree_of(values)
    order = [tree.entries[i].id for i in tree.forest().children[0]]
    assert order == ["x", "y", "z"]


def test_labels_keep_the_order_of_a_map_and_move_to_the_end_when_set_again() -> None:
    def label(entry_id: str, target: str, text: str | None) -> dict[str, Any]:
        return entry(entry_id, None, "label", targetId=target, label=text)

    tree = tree_of(
        [entry("a"), entry("b"), label("1", "a", "x"), label("2", "b", "y"), label("3", "a", "z")]
    )
    assert [(target, found.text) for target, found in tree.labels.items()] == [
        ("a", "z"),
        ("b", "y"),
    ]
    tree = tree_of(
        [label("1", "a", "x"), label("2", "b", "y"), label("3", "a", None), label("4", "a", "z")]
    )
    assert list(tree.labels) == ["b", "a"]
    assert tree.label("a") == "z"
    assert tree.label("c") is None


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["one"], "one"),
        (["one", "\ufefftwo\u00a0"], "two"),
        (["one", ""], None),
        (["one", "  "], None),
        (["one", None], None),
        ([], None),
    ],
)
def test_the_name_is_that_of_the_last_session_info(
    names: list[str | None], expected: str | None
) -> None:
    tree = tree_of([entry(str(i), None, "session_info", name=name) for i, name in enumerate(names)])
    assert tree.name == expected


def test_names_and_labels_with_lone_surrogates_are_read() -> None:
    tree = tree_of([])
    for count, line in enumerate(
        [
            b'{"type":"session_info","id":"a","name":" \\ud83d "}',
            b'{"type":"label","id":"b","targetId":"a","label":"\\udc00"}',
        ]
    ):
        tree.add(make_entry(line, count))
    assert tree.name == "\ud83d"
    assert tree.label("a") == "\udc00"


def test_a_compaction_may_keep_nothing_but_not_something_missing() -> None:
    tree = tree_of(
        chain(
            entry("a", kind="compaction", firstKeptEntryId="a"),
            entry("b", kind="compaction"),
            entry("c", kind="compaction", firstKeptEntryId="gone"),
            entry("d", kind="context_edit", targetId="gone", replacement=None),
        )
    )
    assert [(p.line, p.kind) for p in tree.problems()] == [
        (4, "missingTarget"),
        (5, "missingTarget"),
    ]


def test_tip_is_the_last_entry_in_the_file() -> None:
    tree = tree_of(
        [message("a", None, "user"), message("b", "a", "user"), message("c", "a", "user")]
    )
    assert tree.tip_id == "c"
    assert tree_of([]).tip is None


def test_a_chain_of_100_000_entries_is_walked_without_recursion() -> None:
    count = 100_000
    tree = tree_of(chain(*(entry(f"{number:x}") for number in range(count))))
    leaf = tree.tip_id
    assert len(tree.branch(leaf)) == count
    forest = tree.forest()
    assert forest.roots == [0]
    assert sum(map(len, forest.children.values())) == count - 1
    assert tree.problems() == []
    assert ids(tree.children(f"{count - 2:x}")) == [leaf]


def test_entries_that_stand_on_their_heads_are_walked_in_linear_time() -> None:
    values = chain(*(entry(f"{number:x}") for number in range(20_000)))[::-1]
    tree = tree_of(values)
    assert len(tree.branch(values[0]["id"])) == 20_000
    assert tree.forest().roots == [19_999]
    values[-1]["parentId"] = values[0]["id"]
    ring = tree_of(values)
    assert ring.forest().roots == [0]
    assert len(ring.problems()) == 20_000


def test_a_tree_is_given_back_without_the_garbage_collector():
    """Otherwise the text of every file that is read would stay in memory for a while."""
    tree = tree_of(chain(message("a", None, "user"), message("b", None, "user")))
    tree.problems()
    gone = weakref.ref(tree)
    gc.disable()
    try:
        del tree
        assert gone() is None
    finally:
        gc.enable()
