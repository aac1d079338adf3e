"""Views of entries: `protocol/vectors/view.json` shows the rules; here are their edges."""

from __future__ import annotations

import difflib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessiond.format.load import load
from sessiond.format.tree.tree import Tree
from sessiond.format.view import blocks as kinds
from sessiond.format.view.blocks import Change, EntryView, as_json, limit
from sessiond.format.view.branch import Views
from sessiond.format.view.edits import as_text, changes_of_call, changes_of_diff
from sessiond.format.view.entry import calls_in

from .builders import chain, dumps, entry, file_of, message, tree_of

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
"""Any JSON value."""


def views(entries: list[dict[str, Any]], **options: Any) -> list[EntryView]:
    tree = tree_of(entries)
    branch = tree.branch(tree.leaf_id)
    return list(Views(tree, branch, **options).views(0, len(branch)))


def call(call_id: str, name: str = "bash", **arguments: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": call_id, "name": name, "arguments": arguments}


def result(entry_id: str, call_id: str, **more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": more.pop("text", "ok")}]
    inner = {"role": "toolResult", "toolCallId": call_id, "toolName": "bash", "content": content}
    return entry(entry_id, None, "message", message={**inner, **more})


def results_of(view: EntryView) -> dict[str | None, str | None]:
    return {each.call_id: each.result_entry_id for each in view.blocks if each.kind == kinds.CALL}


def test_each_result_knows_the_call_of_the_answer_before_it():
    shown = views(
        chain(
            message("a1", None, "assistant", [call("x", command="one")]),
            result("r1", "x"),
            message("a2", None, "assistant", [call("x", command="two"), call("y", path="p")]),
            entry("n", None, "session_info", name="between"),
            result("r2", "y"),
            result("r3", "x"),
            result("r4", "x"),
        )
    )
    found = {view.entry_id: view for view in shown}
    assert results_of(found["a1"]) == {"x": "r1"}
    assert results_of(found["a2"]) == {"x": "r3", "y": "r2"}
    joined = [
        (each.blocks[0].call_entry_id, each.blocks[0].title)
        for each in shown
        if "r" in each.entry_id
    ]
    assert joined == [("a1", "one"), ("a2", "p"), ("a2", "two"), ("a2", "two")]


def test_a_result_without_a_call_stands_alone():
    shown = views(chain(message("u", None, "user"), result("r", "gone")))
    assert shown[1].blocks[0].call_entry_id is None


@given(st.integers(0, 8), st.integers(0, 9))
def test_a_page_has_the_views_that_the_whole_has(first: int, stop: int):
    tree = tree_of(
        chain(
            message("u", None, "user"),
            message("a", None, "assistant", [call("x", command="c"), call("y", command="d")]),
            result("r1", "x"),
            entry("l", None, "label", targetId="u", label="here"),
            result("r2", "y"),
            message("b", None, "assistant", [call("z", command="e")]),
            result("r3", "x"),
            message("v", None, "user"),
            result("r4", "z"),
        )
    )
    branch = tree.branch(tree.leaf_id)
    whole = list(Views(tree, branch).views(0, len(branch)))
    assert list(Views(tree, branch).views(first, stop)) == whole[first:stop]


def test_an_edit_is_shown_once():
    edit = call("x", "edit", path="f", oldText="a", newText="b")
    with_diff, plain = {"details": {"diff": "-1 a\n+1 b"}}, {}
    for more, places in ((with_diff, ["r"]), (plain, ["a"])):
        shown = views(chain(message("a", None, "assistant", [edit]), result("r", "x", **more)))
        diffs = [
            (view.entry_id, block.path)
            for view in shown
            for block in view.blocks
            if block.kind == kinds.DIFF
        ]
        assert diffs == [(place, "f") for place in places]


def test_a_failed_command_of_pi_tells_its_exit_code():
    told = "line\n\nCommand exited with code 3"
    shown = views(chain(message("u", None, "user"), result("r", "x", text=told, isError=True)))
    assert (shown[1].blocks[0].exit_code, shown[1].notes) == (3, ["exit code 3"])


@pytest.mark.parametrize(
    "arguments",
    [
        {"oldText": "a\nb", "newText": "a\nc"},
        {"old_string": "a\nb", "new_string": "a\nc"},
        {"edits": [{"oldText": "a\nb", "newText": "a\nc"}]},
    ],
)
def test_the_arguments_of_an_edit_become_a_diff(arguments: dict[str, Any]):
    raw = {name: dumps(value) for name, value in arguments.items()}
    assert as_text(changes_of_call(raw)) == " a\n-b\n+c"


LINES = st.lists(st.sampled_from(["a", "b", "", "- c", "+ d", "--- e"]), min_size=1, max_size=8)


@given(LINES, LINES)
def test_the_diff_of_an_edit_has_both_texts(before: list[str], after: list[str]):
    texts = {"oldText": "\n".join(before) or "x", "newText": "\n".join(after)}
    changes = changes_of_call({name: dumps(text) for name, text in texts.items()})
    sides = {
        name: [each.text for each in changes if each.kind in kinds_of]
        for name, kinds_of in (("oldText", ("same", "removed")), ("newText", ("same", "added")))
    }
    for name, side in sides.items():
        assert "\n".join(side) == texts[name].removesuffix("\n")


@given(LINES, LINES)
def test_a_unified_diff_is_read_with_its_line_numbers(before: list[str], after: list[str]):
    made = list(difflib.unified_diff(before, after, "--- x", "y", lineterm=""))
    for change in changes_of_diff("\n".join(made)) if made else ():
        if change.kind == "gap":
            continue
        side = after if change.kind == "added" else before
        assert change.line is not None
        assert side[change.line - 1] == change.text


def test_a_gap_in_the_diff_of_pi_is_a_gap():
    assert changes_of_diff(" 9 x\n   ...\n-20 y")[1] == Change("gap")


def test_texts_are_safe_before_they_are_cut():
    shown = views(
        [message("u", None, "user", "the secret word")],
        safe=lambda text: text.replace("secret", "******"),
        most=8,
    )
    assert (shown[0].blocks[0].text, shown[0].blocks[0].omitted_chars) == ("the ****", 7)


def test_of_a_long_output_the_end_is_kept():
    shown = views(chain(message("u", None, "user"), result("r", "x", text="a" * 50 + "b" * 50)))
    limit(shown[1], 9)
    assert shown[1].blocks[0].text == "aaaaaa\n…\nbbb"
    assert shown[1].blocks[0].omitted_chars == 91


@pytest.mark.parametrize("text", ["\ud83d", "\x1b[31mred\x1b[0m", "a\r\nb"])
def test_the_view_of_any_text_is_json_without_control_characters(text: str):
    content = [{"type": "text", "text": text}, call(text, text)]
    loaded = load(file_of(json.dumps(message(text, None, "assistant", content)).encode()))
    tree = Tree(loaded.entries)
    (view,) = Views(tree, loaded.entries).views(0, 1)
    shown = json.loads(as_json(view))
    assert (shown["entryId"], shown["blocks"][1]["callId"]) == (text, text)
    assert not set(shown["blocks"][0]["text"]) & {"\x1b", "\r", "\ud83d"}


@given(JSON, st.sampled_from(["user", "assistant", "toolResult", "bashExecution", "odd"]))
def test_no_content_is_too_odd(value: Any, role: str):
    inner = {"role": role, "content": value, "details": value, "output": value, "usage": value}
    for line in (
        entry("a", None, "message", message=inner),
        entry("a", None, "message", message=value),
        entry("a", None, "compaction", summary=value, tokensBefore=value),
        entry("a", None, "label", targetId=value, label=value),
    ):
        for view in views([line]):
            assert json.loads(as_json(view))["entryId"] == "a"


def test_in_a_tree_each_result_knows_the_call_above_it_on_its_branch():
    tree = tree_of(
        [
            message("u1", None, "user", "one"),
            message("a1", "u1", "assistant", [call("x", command="one")]),
            {**result("r1", "x"), "parentId": "a1"},
            entry("n", "r1", "session_info", name="between"),
            message("a2", "u1", "assistant", [call("x", command="two"), call("y", path="p")]),
            {**result("r2", "y"), "parentId": "a2"},
            {**result("r3", "x"), "parentId": "n"},
            {**result("r4", "x"), "parentId": "r2"},
            message("u2", "r4", "user", "go on"),
            {**result("r5", "x"), "parentId": "u2"},
            {**result("r6", "x"), "parentId": "r7"},
            {**result("r7", "x"), "parentId": "r6"},
        ]
    )
    count = len(tree.entries)
    shown = {view.entry_id: view.blocks[0] for view in Views(tree).views(0, count) if view.blocks}
    callers = {"r1": "a1", "r2": "a2", "r3": "a1", "r4": "a2", "r5": "a2", "r6": None, "r7": None}
    assert {name: shown[name].call_entry_id for name in callers} == callers
    assert [shown[name].title for name in ("r1", "r2", "r3", "r4")] == ["one", "p", "one", "two"]
    assert results_of(next(Views(tree).views(1, 2))) == {"x": None}
    for first in range(count):
        later = Views(tree).views(first, count)
        found = {view.entry_id: view.blocks[0].call_entry_id for view in later if view.blocks}
        assert found.items() <= {name: shown[name].call_entry_id for name in shown}.items()


def test_the_calls_of_a_wide_answer_are_read_once_for_all_pages():
    count, page = 900, 100
    lines = [message("a", None, "assistant", [call(f"c{n}", path=f"p{n}") for n in range(count)])]
    lines += [
        {**result(f"r{n}", f"c{n}"), "parentId": f"r{n - 1}" if n else "a"} for n in range(count)
    ]
    tree = tree_of(lines)
    before = calls_in.cache_info().misses
    for branch in (None, tree.entries):
        titles: list[str | None] = []
        for first in range(0, len(tree.entries), page):
            views = Views(tree, branch).views(first, min(first + page, len(tree.entries)))
            titles += [view.blocks[0].title for view in views if view.role == "toolResult"]
        assert titles == [f"p{n}" for n in range(count)]
    assert calls_in.cache_info().misses - before <= 1


def test_what_a_gateway_put_before_a_message_is_no_part_of_it():
    sender = (
        'Sender (untrusted metadata):\n```json\n{"id": "tui"}\n```\n\n[Sun 2026-11-08 06:03 UTC] '
    )
    (view,) = views([message("u", None, "user", f"{sender}plan the trip")])
    assert [(block.kind, block.text) for block in view.blocks] == [
        ("data", sender.strip()),
        ("text", "plan the trip"),
    ]
