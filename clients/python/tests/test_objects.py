"""Parsed JSON becomes classes of the contract, unknown arms or errors, and the same JSON again."""

from __future__ import annotations

import copy
from datetime import UTC, datetime

import pytest
from hypothesis import given as with_examples
from hypothesis import strategies as st
from msgspec import UNSET
from sessiond_protocol import content, entries, messages

from sessiond_client import (
    AssistantMessage,
    Block,
    CompactionEntry,
    Content,
    EntriesResult,
    Entry,
    EntryCountResult,
    EntryResult,
    Header,
    InvalidAnswer,
    LabelEntry,
    LeafIdResult,
    ListResult,
    Message,
    MessageContext,
    ModelRef,
    OutlineNode,
    PartialSessions,
    ProgressParams,
    SessionContextResult,
    SessionHeader,
    SessionInfo,
    SessionMessageEntry,
    SessionProjectionResult,
    SessionState,
    StoredSession,
    SystemMessage,
    TextContent,
    ToolCall,
    TreeNode,
    TreeResult,
    UnknownBlock,
    UnknownEntry,
    UnknownMessage,
    UserMessage,
    WorkDoneProgress,
    contract,
    parse,
)
from sessiond_client.encoding import encode
from sessiond_client.objects import build


def by_tag(classes):
    return {tag: getattr(contract, cls.__name__) for tag, cls in classes.items()}


ENTRIES = by_tag(entries.ENTRIES)
MESSAGES = by_tag(messages.MESSAGES)
BLOCKS = by_tag(content.BLOCKS)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda values: (
        st.lists(values, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "role", "content", "message", "usage", "id", "cost", "x"])
            | st.text(max_size=3),
            values | st.sampled_from([*ENTRIES, *MESSAGES, "text", "toolCall"]),
            max_size=5,
        )
    ),
    max_leaves=12,
)

INFO = {
    "path": "/s.jsonl",
    "id": "i",
    "cwd": "",
    "created": "c",
    "modified": "m",
    "messageCount": 1,
    "firstMessage": "hi",
    "sizeBytes": 9,
}


PLACE = {"id": "a", "parent_id": None, "timestamp": "2024-12-03T14:00:02.000Z"}
NODE = {"id": "a", "parentId": None, "timestamp": "2024-12-03T14:00:02.000Z"}
COST = {"input": 0.1, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0.1}
USAGE = {"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0, "cost": COST}
# The members that the types of pi 1.6.0 require, with a value for each, except the timestamp of
# messages, which appends do not need.
REQUIRED_OF_ENTRIES = {
    "message": {"message": {"role": "user", "content": "x", "timestamp": 1}},
    "thinking_level_change": {"thinkingLevel": "high"},
    "model_change": {"provider": "p", "modelId": "m"},
    "compaction": {"summary": "s", "firstKeptEntryId": "a", "tokensBefore": 3},
    "branch_summary": {"fromId": "root", "summary": "s"},
    "custom": {"customType": "c"},
    "custom_message": {"customType": "c", "content": "x", "display": True},
    "label": {"targetId": "t"},
    "session_info": {},
    "usage": {"kind": "k", "provider": "p", "model": "m", "usage": USAGE},
    "context_edit": {"targetId": "t", "replacement": None},
    "leaf": {},
    "reset": {},
}
REQUIRED_OF_MESSAGES = {
    "user": {"content": "x"},
    "assistant": {
        "content": [],
        "api": "a",
        "provider": "p",
        "model": "m",
        "usage": USAGE,
        "stopReason": "stop",
    },
    "toolResult": {"toolCallId": "1", "toolName": "read", "content": [], "isError": False},
    "bashExecution": {"command": "ls", "output": "", "cancelled": False, "truncated": False},
    "custom": {"customType": "c", "content": [], "display": False},
    "branchSummary": {"summary": "s", "fromId": None},
    "compactionSummary": {"summary": "s", "tokensBefore": 3},
    "system": {"content": "x"},
}
REQUIRED_OF_BLOCKS = {
    "text": {"text": "x"},
    "image": {"data": "", "mimeType": "image/png"},
    "thinking": {"thinking": ""},
    "toolCall": {"id": "1", "name": "read", "arguments": {}},
}


def json_of(value):
    return parse(encode(value))


def cases(tag, required, classes, common):
    assert list(required) == list(classes)
    return [({tag: name, **common, **members}, classes[name]) for name, members in required.items()]


ENTRY_CASES = cases("type", REQUIRED_OF_ENTRIES, ENTRIES, NODE)
MESSAGE_CASES = cases("role", REQUIRED_OF_MESSAGES, MESSAGES, {})
BLOCK_CASES = cases("type", REQUIRED_OF_BLOCKS, BLOCKS, {})
HEADER = {"type": "session", "id": "u", "timestamp": "t", "cwd": ""}


@pytest.mark.parametrize(
    ("union", "value", "cls"),
    [
        *((Entry, *case) for case in ENTRY_CASES),
        *((Message, *case) for case in MESSAGE_CASES),
        *((Block, *case) for case in BLOCK_CASES),
        (Header, HEADER, SessionHeader),
    ],
)
def test_the_members_that_pi_requires_are_required_and_no_others(union, value, cls):
    assert type(build(value, union)) is cls
    assert json_of(build(value, union)) == value
    for name in value:
        without = {member: value[member] for member in value if member != name}
        assert type(build(without, union)).__name__.startswith("Unknown"), name
        assert json_of(build(without, union)) == without


def test_an_entry_is_typed_all_the_way_down():
    entry = build(
        {
            "type": "message",
            "id": "b2c3d4e5",
            "parentId": None,
            "timestamp": "2024-12-03T14:00:02.000Z",
            "message": {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "Hi!"},
                    {"type": "toolCall", "id": "1", "name": "read", "arguments": {"path": "a"}},
                    {"type": "hologram", "x": 1},
                ],
                "api": "anthropic-messages",
                "provider": "p",
                "model": "m",
                "usage": {**USAGE, "cost": {**COST, "input": None, "total": 1}},
                "stopReason": "stop",
                "timestamp": 1733234567891,
            },
        },
        Entry,
    )
    assert isinstance(entry, SessionMessageEntry)
    assert entry.parent_id is None
    message = entry.message
    assert isinstance(message, AssistantMessage)
    assert message.content == [
        TextContent(text="Hi!"),
        ToolCall(id="1", name="read", arguments={"path": "a"}),
        UnknownBlock({"type": "hologram", "x": 1}),
    ]
    assert (message.usage.input, message.usage.cost.input) == (1, None)
    assert message.usage.total_tokens is UNSET
    assert type(message.usage.cost.total) is int
    assert message.response_id is UNSET


@pytest.mark.parametrize(("value", "cls"), MESSAGE_CASES)
@pytest.mark.parametrize("timestamp", [1733234567891, None])
def test_a_message_may_have_a_timestamp(value, cls, timestamp):
    message = build({**value, "timestamp": timestamp}, Message)
    assert type(message) is cls
    assert message.timestamp == timestamp
    assert json_of(message) == {**value, "timestamp": timestamp}


@pytest.mark.parametrize(
    "value",
    [
        {"type": "brand_new", "id": "a"},
        {**NODE, "type": "session_info", "id": 3},
        {**NODE, "type": "session_info", "timestamp": 5},
        {**NODE, "type": "session_info", "name": None},
        {**NODE, "type": "branch_summary", "fromId": "a", "summary": "s", "fromHook": 1},
        {**NODE, "type": "context_edit", "targetId": "t", "replacement": {"content": 3}},
        {"type": ["message"]},
        {"id": "a"},
        [],
        None,
        42,
    ],
)
def test_an_entry_that_does_not_fit_is_kept_whole_in_the_unknown_arm(value):
    assert build(value, Entry) == UnknownEntry(value)


@pytest.mark.parametrize(
    "value",
    [
        {"role": "hookMessage"},
        {"role": "user", "content": 42, "timestamp": 1},
        {"role": "user", "content": None, "timestamp": 1},
        {"role": "system", "content": "", "sections": {"a": 1}, "timestamp": 1},
        "hello",
    ],
)
def test_a_message_that_does_not_fit_spoils_only_itself(value):
    entry = build({"type": "message", **NODE, "message": value}, Entry)
    assert entry == SessionMessageEntry(**PLACE, message=UnknownMessage(value))


def test_a_compaction_carries_its_system_message():
    system = {"role": "system", "content": "p", "timestamp": 1}
    members = {**NODE, **REQUIRED_OF_ENTRIES["compaction"]}
    entry = build({"type": "compaction", **members, "systemMessage": system}, Entry)
    assert entry == CompactionEntry(
        **PLACE,
        summary="s",
        first_kept_entry_id="a",
        tokens_before=3,
        system_message=SystemMessage(content="p", timestamp=1),
    )


def test_headers_of_every_version_fit():
    first = {"id": "u", "timestamp": "t", "cwd": "/", "provider": "p", "branchedFrom": "/f"}
    assert build({"type": "session", **first}, Header) == SessionHeader(
        id="u", timestamp="t", cwd="/", provider="p", branched_from="/f"
    )
    assert build({"type": "session", "version": "3"}, Header) == UnknownEntry(
        {"type": "session", "version": "3"}
    )


@with_examples(JSON)
def test_no_json_value_makes_an_entry_a_message_or_a_block_fail(value):
    build(value, Entry)
    build(value, Message)
    build(value, Block)
    build({"type": "message", "message": value}, Entry)
    build({"role": "assistant", "content": [value], "usage": value}, Message)


def test_content_is_text_or_blocks():
    assert build("x", Content) == "x"
    assert build([3], Content) == [UnknownBlock(3)]
    with pytest.raises(InvalidAnswer):
        build(3, Content)


@pytest.mark.parametrize(
    ("cls", "value", "where"),
    [
        (LeafIdResult, {"leafId": 3}, "$.leafId"),
        (LeafIdResult, {}, "`leafId`"),
        (LeafIdResult, [], "Expected `object`"),
        (EntryCountResult, {"count": "3"}, "$.count"),
        (EntryCountResult, {"count": True}, "$.count"),
        (EntryCountResult, {"count": 3.0}, "$.count"),
        (EntriesResult, {"entries": "abc"}, "$.entries"),
        (EntriesResult, {"entries": {}}, "$.entries"),
        (ListResult, {"sessions": [{**INFO, "path": 3}], "total": 1}, "$.sessions[0].path"),
        (ListResult, {"sessions": [INFO], "total": 1, "nextCursor": None}, "$.nextCursor"),
        (SessionInfo, {**INFO, "inUse": {"pids": ["1"]}}, "$.inUse.pids[0]"),
        (ProgressParams, {"token": 1.5, "value": {"kind": "end"}}, "$.token"),
    ],
)
def test_a_result_is_never_coerced_and_the_message_has_the_place(cls, value, where):
    with pytest.raises(InvalidAnswer) as caught:
        build(value, cls)
    assert where in str(caught.value)


def test_results_give_typed_entries_messages_and_nodes():
    label = {"type": "label", **NODE, "targetId": "t"}
    typed = LabelEntry(**PLACE, target_id="t")
    assert build({"entry": None}, EntryResult).entry is None
    assert build({"entry": label}, EntryResult).entry == typed
    assert build({"entries": [label, 7]}, EntriesResult).entries == [
        typed,
        UnknownEntry(7),
    ]
    context = build(
        {
            "messages": [{"role": "user", "content": "x", "timestamp": 1}],
            "thinkingLevel": "off",
            "model": {"provider": "p", "modelId": "m"},
        },
        SessionContextResult,
    )
    assert context.messages == [UserMessage(content="x", timestamp=1)]
    assert context.model == ModelRef(provider="p", model_id="m")
    projection = build(
        {
            "entries": [{"sourceEntry": label, "messages": []}],
            "thinkingLevel": "off",
            "model": None,
        },
        SessionProjectionResult,
    )
    assert projection.entries[0].source_entry == typed
    outline = {
        "id": "a",
        "parentId": None,
        "children": [],
        "type": "message",
        "timestamp": "t",
        "preview": "p",
    }
    tree = build(
        {"roots": ["a"], "nodes": [{"id": "a", "children": [], "entry": label}, outline]},
        TreeResult,
    )
    assert [type(node) for node in tree.nodes] == [TreeNode, OutlineNode]


def test_progress_is_told_apart_by_what_it_holds():
    begun = build({"token": "t", "value": {"kind": "begin", "percentage": 1}}, ProgressParams)
    assert begun.value == WorkDoneProgress(kind="begin", percentage=1)
    partial = build({"token": 1, "value": {"sessions": [INFO]}}, ProgressParams)
    assert partial.value == PartialSessions(sessions=[build(INFO, SessionInfo)])


def test_members_the_class_does_not_know_are_left_out():
    assert build({"leafId": "a", "fromTheFuture": 1}, LeafIdResult) == LeafIdResult(leaf_id="a")


def test_the_openrpc_document_is_a_plain_object():
    assert build({"openrpc": "1"}, dict) == {"openrpc": "1"}


def test_the_json_omits_what_is_unset_and_gives_unknown_arms_back():
    value = {
        "type": "message",
        **NODE,
        "message": {
            "role": "user",
            "content": [{"type": "text", "text": "x"}, {"type": "new"}],
            "timestamp": 1,
        },
    }
    assert json_of(build(value, Entry)) == value
    assert json_of(build({"type": "new", "x": [1]}, Entry)) == {"type": "new", "x": [1]}


def test_a_state_survives_the_way_over_the_wire():
    wire = {
        "session": "s1",
        "sessionId": "u",
        "sessionFile": None,
        "sessionDir": "",
        "cwd": "/",
        "persisted": False,
        "readOnly": False,
        "leafId": None,
        "tipId": None,
        "entryCount": 0,
        "version": 3,
        "generation": 0,
        "header": {"type": "session", "id": "u", "timestamp": "t", "cwd": "/"},
        "diagnostics": [],
    }
    typed = build(wire, SessionState)
    assert typed.header == SessionHeader(id="u", timestamp="t", cwd="/")
    assert json_of(typed) == wire


def test_members_of_an_object_of_anything_are_the_values_they_are():
    entry = {"sessionId": "s", "n": None, "list": [1, {"a": 1.5}], "type": 3}
    told = {"agentId": "main", "storePath": "/s", "sessionKey": "k", "entry": entry}
    found = build(told, StoredSession)
    assert found.entry == entry
    assert json_of(found) == told


def test_members_that_a_class_does_not_name_stay_with_stored_objects():
    cost = {**COST, "newest": 1}
    value = {
        "type": "usage",
        **NODE,
        **REQUIRED_OF_ENTRIES["usage"],
        "usage": {**USAGE, "cost": cost, "(extra)": {"a": 1}},
        "\ud83d": 1.5,
    }
    entry = build(value, Entry)
    assert entry.extra == {"\ud83d": 1.5}
    assert entry.usage.extra == {"(extra)": {"a": 1}}
    assert entry.usage.cost.extra == {"newest": 1}
    assert json_of(entry) == value
    assert json_of(copy.copy(entry)) == value
    assert entry != build({**value, "\ud83d": 2}, Entry)


def test_isinstance_accepts_the_classes_of_a_union():
    label = LabelEntry(**PLACE, target_id="t")
    assert isinstance(label, Entry)
    assert isinstance(UnknownEntry(1), Entry)
    assert not isinstance(TextContent(text="x"), Entry)


def test_values_show_what_is_set():
    assert repr(UserMessage(content="x", timestamp=1)) == "UserMessage(content='x', timestamp=1)"


def test_names_that_no_rule_gives_are_sent_right():
    context = MessageContext(from_="+1", body="hello", message_thread_id=1.5)
    assert json_of(context) == {"From": "+1", "Body": "hello", "MessageThreadId": 1.5}


def test_objects_with_a_time_give_it_as_datetime():
    noon = datetime(2025, 6, 1, 12, tzinfo=UTC)
    text, milliseconds = "2025-06-01T12:00:00.000Z", 1748779200000
    assert LabelEntry(id="a", parent_id=None, timestamp=text, target_id="t").time == noon
    assert UserMessage(content="x", timestamp=milliseconds).time == noon
    assert UserMessage(content="x").time is None
    info = build({**INFO, "created": text, "modified": text}, SessionInfo)
    assert (info.created_time, info.modified_time) == (noon, noon)
    with pytest.raises(ValueError, match="isoformat"):
        LabelEntry(id="a", parent_id=None, timestamp="t", target_id="t").time  # noqa: B018
