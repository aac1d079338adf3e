from __future__ import annotations

import gc
import json
from collections import deque
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.effort import effort

from sessiond.format.context.build import build_context
from sessiond.format.header import parse_header
from sessiond.format.load import load
from sessiond.format.tree.tree import Tree

from .builders import chain, entry, file_of, ids, message, time, tree_of

MS = 1735689600000
"""2025-01-01T00:00:00.000Z"""


def messages_of(*entries: dict[str, Any]) -> list[Any]:
    tree = tree_of(chain(*entries))
    return [json.loads(m) for m in build_context(tree, tree.tip_id).messages()]


def raw_messages(*lines: bytes) -> list[bytes]:
    loaded = load(file_of(*lines))
    tree = Tree(loaded.entries)
    return list(build_context(tree, tree.tip_id).messages())


# A model of the rules on plain values.


def model_entries(path: list[dict[str, Any]]) -> list[dict[str, Any]]:
    at = [i for i, value in enumerate(path) if value["type"] == "compaction"]
    if not at:
        return path
    last = at[-1]
    kept, found = [], False
    for value in path[:last]:
        found = found or value["id"] == path[last].get("firstKeptEntryId")
        if found and value.get("message", {}).get("role") != "system":
            kept.append(value)
    return [path[last], *kept, *path[last + 1 :]]


def model_messages(value: dict[str, Any], edit: dict[str, Any] | None) -> list[dict[str, Any]]:
    kind, ms = value["type"], MS
    if kind == "message":
        made = dict(value["message"])
        if made.get("content") is None and made["role"] in {"user", "assistant", "toolResult"}:
            made["content"] = []
        if made.get("content") is None and made["role"] == "system":
            made["content"] = ""
        found = [made]
    elif kind == "custom_message":
        made = {
            "role": "custom",
            "customType": value["customType"],
            "content": value.get("content"),
        }
        if made["content"] is None:
            made["content"] = []
        made |= {k: value[k] for k in ("display", "details") if k in value} | {"timestamp": ms}
        found = [made]
    elif kind == "branch_summary" and value["summary"]:
        found = [
            {
                "role": "branchSummary",
                "summary": value["summary"],
                "fromId": value["fromId"],
                "timestamp": ms,
            }
        ]
    elif kind == "compaction":
        found = [
            {
                "role": "compactionSummary",
                "summary": value["summary"],
                "tokensBefore": value["tokensBefore"],
                "timestamp": ms,
            }
        ]
        if value.get("systemMessage"):
            found.insert(0, value["systemMessage"])
    else:
        found = []
    if edit is None:
        return found
    if edit["replacement"] is None:
        return []
    for made in found:
        if made["role"] in {"user", "assistant", "toolResult", "custom"}:
            content = edit["replacement"]["content"]
            if made["role"] in {"assistant", "toolResult"} and isinstance(content, str):
                content = [{"type": "text", "text": content}]
            made["content"] = content
    return found


def model_projection(path: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    inside = model_entries(path)
    edits = {v["targetId"]: v for v in inside if v["type"] == "context_edit"}
    return [
        []
        if value["type"] == "compaction" and at > 0
        else model_messages(value, edits.get(value["id"]))
        for at, value in enumerate(inside)
    ]


def model_settings(path: list[dict[str, Any]]) -> tuple[str, Any]:
    level, model = "off", None
    for value in path:
        if value["type"] == "thinking_level_change":
            level = value["thinkingLevel"]
        elif value["type"] == "model_change":
            model = {"provider": value["provider"], "modelId": value["modelId"]}
        elif value.get("message", {}).get("role") == "assistant":
            model = {"provider": value["message"]["provider"], "modelId": value["message"]["model"]}
    return level, model


KINDS = [
    *["message"] * 3,
    *["context_edit"] * 2,
    "custom_message",
    "branch_summary",
    "compaction",
    "thinking_level_change",
    "model_change",
    "custom",
    "label",
    "usage",
    "future",
]
CONTENT = st.sampled_from([None, "x", "", [], [{"type": "text", "text": "é"}]])


@st.composite
def branches(draw: st.DrawFn) -> list[dict[str, Any]]:
    count = draw(st.integers(0, 10))
    some_id = st.integers(0, count + 1).map(str)
    made = []
    for number in range(count):
        kind = draw(st.sampled_from(KINDS))
        value = entry(str(number), None, kind)
        if kind == "message":
            role = draw(
                st.sampled_from(
                    ["user", "assistant", "toolResult", "system", "bashExecution", "custom"]
                )
            )
            value["message"] = {"role": role, "content": draw(CONTENT), "timestamp": 1}
            if draw(st.booleans()) and value["message"]["content"] is None:
                del value["message"]["content"]
            if role == "assistant":
                value["message"] |= {"provider": "p", "model": draw(st.sampled_from("mn"))}
        elif kind == "custom_message":
            value |= {"customType": "t", "display": draw(st.booleans())}
            if draw(st.booleans()):
                value["content"] = draw(CONTENT)
            if draw(st.booleans()):
                value["details"] = draw(st.sampled_from([None, {"a": 1}]))
        elif kind == "branch_summary":
            value |= {"fromId": draw(some_id), "summary": draw(st.sampled_from(["", "s"]))}
        elif kind == "compaction":
            value |= {"summary": "c" * draw(st.integers(0, 2)), "tokensBefore": 5}
            if draw(st.booleans()):
                value["firstKeptEntryId"] = draw(some_id)
            if draw(st.booleans()):
                value["systemMessage"] = {"role": "system", "content": "S", "timestamp": 3}
        elif kind == "context_edit":
            replacement: Any = draw(st.sampled_from([None, {"content": "r"}, {"content": []}]))
            value |= {"targetId": draw(some_id), "replacement": replacement}
        elif kind == "thinking_level_change":
            value["thinkingLevel"] = draw(st.sampled_from(["low", "high"]))
        elif kind == "model_change":
            value |= {"provider": "q", "modelId": draw(st.sampled_from("kl"))}
        made.append(value)
    return chain(*made)


@given(branches())
@settings(deadline=None, max_examples=effort(40, 400))
def test_context_agrees_with_a_naive_model(path: list[dict[str, Any]]) -> None:
    tree = tree_of(path)
    context = build_context(tree, tree.tip_id)
    assert ids(context.entries) == [value["id"] for value in model_entries(path)]
    places = range(len(context.entries))
    projection = [[json.loads(m) for m in context.messages_at(at)] for at in places]
    expected = model_projection(path)
    assert projection == expected
    # Members stand in the order JavaScript's assignment gives.
    assert [[list(m) for m in each] for each in projection] == [
        [list(m) for m in each] for each in expected
    ]
    assert [json.loads(m) for m in context.messages()] == [m for each in expected for m in each]
    model = json.loads(context.model) if context.model else None
    assert (json.loads(context.thinking_level), model) == model_settings(path)


def test_before_any_entry_the_context_is_empty() -> None:
    tree = tree_of([message("a", None, "user")])
    context = build_context(tree, None)
    assert (list(context.messages()), context.entries, context.thinking_level, context.model) == (
        [],
        [],
        b'"off"',
        None,
    )


def test_settings_in_a_header_of_version_1_are_the_initial_ones() -> None:
    header = parse_header(
        b'{"type":"session","id":"s","provider":"anthropic","modelId":"m","thinkingLevel":"high"}'
    )
    tree = tree_of(
        chain(
            message("a", None, "user"), entry("b", kind="model_change", provider="p", modelId="n")
        )
    )
    context = build_context(tree, "a", initial=header)
    assert context.thinking_level == b'"high"'
    assert context.model == b'{"provider":"anthropic","modelId":"m"}'
    assert build_context(tree, None, initial=header).model == context.model
    assert build_context(tree, "b", initial=header).model == b'{"provider":"p","modelId":"n"}'


def test_stored_messages_keep_every_byte() -> None:
    raw = b'{ "role":"user","content":[{"type":"text","text":"\\u00e9 \\ud83d"}],"n":1.0e3,"n":2 }'
    line = b'{"type":"message","id":"a","parentId":null,"timestamp":"t","message": ' + raw + b" }"
    assert raw_messages(line) == [raw]


def test_values_of_summaries_and_custom_messages_keep_their_spelling() -> None:
    line = (
        b'{"type":"custom_message","customType":"\\u0074","content":"\\ud83d","display":true,'
        b'"details":{"n":1e400},"id":"a","parentId":null,"timestamp":"2025-01-01T00:00:00.000Z"}'
    )
    expected = (
        b'{"role":"custom","customType":"\\u0074","content":"\\ud83d","display":true,'
        b'"details":{"n":1e400},"timestamp":1735689600000}'
    )
    assert raw_messages(line) == [expected]


@pytest.mark.parametrize(
    ("role", "content", "expected"),
    [
        ("user", b'"content":null,', b'{"role":"user","content":[],"timestamp":1}'),
        ("user", b"", b'{"role":"user","timestamp":1,"content":[]}'),
        ("assistant", b'"content":null,', b'{"role":"assistant","content":[],"timestamp":1}'),
        ("toolResult", b"", b'{"role":"toolResult","timestamp":1,"content":[]}'),
        ("system", b'"content":null,', b'{"role":"system","content":"","timestamp":1}'),
        (
            "bashExecution",
            b'"content":null,',
            b'{"role":"bashExecution","content":null,"timestamp":1}',
        ),
        (
            "user",
            b'"content":[],"content":null,',
            b'{"role":"user","content":[],"content":[],"timestamp":1}',
        ),
        (
            "user",
            b'"details":{"content":"x"},',
            b'{"role":"user","details":{"content":"x"},"timestamp":1,"content":[]}',
        ),
    ],
)
def test_missing_content_is_replaced_by_an_empty_one(
    role: str, content: bytes, expected: bytes
) -> None:
    line = b'{"type":"message","id":"a","message":{"role":"%b",%b"timestamp":1}}' % (
        role.encode(),
        content,
    )
    assert raw_messages(line) == [expected]


@pytest.mark.parametrize("bad", [b"null", b"[]", b'"x"', b"5"])
def test_an_entry_without_a_message_object_contributes_nothing(bad: bytes) -> None:
    assert raw_messages(b'{"type":"message","id":"a","message":' + bad + b"}") == []
    assert raw_messages(b'{"type":"message","id":"a"}') == []


def test_a_timestamp_that_is_not_a_date_becomes_null() -> None:
    found = messages_of(
        entry("a", kind="branch_summary", summary="s", fromId="x", timestamp="soon")
    )
    assert found == [{"role": "branchSummary", "summary": "s", "fromId": "x", "timestamp": None}]


def test_a_compaction_that_names_itself_keeps_nothing() -> None:
    found = messages_of(
        message("a", None, "user", "old"),
        entry("c", kind="compaction", summary="S", firstKeptEntryId="c", tokensBefore=9),
        message("d", None, "user", "new"),
    )
    assert [m["role"] for m in found] == ["compactionSummary", "user"]


def test_an_older_compaction_within_the_kept_range_contributes_nothing() -> None:
    values = chain(
        message("a", None, "user"),
        entry("b", kind="compaction", summary="1", firstKeptEntryId="a", tokensBefore=1),
        message("c", None, "user"),
        entry("d", kind="compaction", summary="2", firstKeptEntryId="a", tokensBefore=2),
    )
    tree = tree_of(values)
    context = build_context(tree, "d")
    assert ids(context.entries) == ["d", "a", "b", "c"]
    assert [len(context.messages_at(at)) for at in range(4)] == [1, 1, 0, 1]


def test_an_edit_before_the_kept_range_is_forgotten_and_the_latest_one_wins() -> None:
    def edit(entry_id: str, content: str) -> dict[str, Any]:
        return entry(entry_id, kind="context_edit", targetId="u", replacement={"content": content})

    compaction = entry("c", kind="compaction", summary="S", firstKeptEntryId="u", tokensBefore=1)
    before = [edit("e", "early"), message("u", None, "user", "own"), compaction]
    assert [m.get("content") for m in messages_of(*before)] == [None, "own"]
    after = [*before, edit("f", "one"), edit("g", "two")]
    assert [m.get("content") for m in messages_of(*after)] == [None, "two"]


def test_an_edit_keeps_the_spelling_of_the_replacement() -> None:
    lines = (
        b'{"type":"message","id":"a","message":{"role":"assistant","content":[1],"api":"x"}}',
        b'{"type":"context_edit","id":"b","parentId":"a","targetId":"a","replacement":{"content":"\\u00e9"}}',
    )
    assert raw_messages(*lines) == [
        b'{"role":"assistant","content":[{"type":"text","text":"\\u00e9"}],"api":"x"}'
    ]


@pytest.mark.parametrize("replacement", [b"", b',"replacement":5', b',"replacement":{}'])
def test_an_edit_with_an_unusable_replacement_is_ignored(replacement: bytes) -> None:
    lines = (
        b'{"type":"message","id":"a","message":{"role":"user","content":"x"}}',
        b'{"type":"context_edit","id":"b","parentId":"a","targetId":"a"' + replacement + b"}",
    )
    assert raw_messages(*lines) == [b'{"role":"user","content":"x"}']


def test_missing_members_of_an_assistant_message_are_omitted_from_the_model() -> None:
    tree = tree_of([message("a", None, "assistant", provider="ignored")])
    assert build_context(tree, "a").model == b"{}"


def test_a_cycle_of_parents_is_walked_once() -> None:
    tree = tree_of(
        [message("a", "b", "user"), message("b", "a", "user"), message("c", "c", "user")]
    )
    assert ids(build_context(tree, "b").entries) == ["a", "b"]
    assert len(list(build_context(tree, "c").messages())) == 1


def test_only_the_branch_counts() -> None:
    tree = tree_of(
        [
            message("a", None, "user"),
            entry("b", "a", "compaction", summary="S", firstKeptEntryId="b", tokensBefore=1),
            message("c", "a", "user", timestamp=time(9)),
        ]
    )
    assert ids(build_context(tree, "c").entries) == ["a", "c"]


def test_a_context_of_very_many_entries_is_built() -> None:
    count = effort(50_000, 100_000)
    tree = tree_of(chain(*(message(f"{number:x}", None, "user") for number in range(count))))
    assert len(list(build_context(tree, tree.tip_id).messages())) == count


def test_the_messages_of_a_large_context_give_the_garbage_collector_no_work() -> None:
    """A collection stops all threads: for 130 ms where every entry leaves a list behind."""
    tree = tree_of(chain(*(message(f"{number:x}", None, "user") for number in range(20_000))))
    context = build_context(tree, tree.tip_id)
    gc.collect()
    before = gc.get_stats()[1]["collections"]
    deque(context.messages(), maxlen=0)
    assert gc.get_stats()[1]["collections"] - before < 2
