"""Values that do not fit become unknown arms or errors; results encode as the wire wants."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given as with_examples
from hypothesis import strategies as st
from msgspec import UNSET, Raw
from sessiond_protocol.connection.progress import PartialSessions, ProgressParams, WorkDoneProgress
from sessiond_protocol.content import BLOCKS, TextContent, ToolCall, UnknownBlock
from sessiond_protocol.convert import (
    Misfit,
    structure,
    structure_block,
    structure_content,
    structure_entry,
    structure_header,
    structure_message,
    unstructure,
)
from sessiond_protocol.entries import (
    ENTRIES,
    CompactionEntry,
    LabelEntry,
    SessionHeader,
    SessionMessageEntry,
    UnknownEntry,
)
from sessiond_protocol.gateway.subscribe import StoredSession
from sessiond_protocol.messages import (
    MESSAGES,
    AssistantMessage,
    SystemMessage,
    UnknownMessage,
    UserMessage,
)
from sessiond_protocol.registry import METHODS
from sessiond_protocol.session.append import AppendResult
from sessiond_protocol.session.context import (
    ModelRef,
    SessionContextResult,
    SessionProjectionResult,
)
from sessiond_protocol.session.list import ListResult
from sessiond_protocol.session.read import (
    EntriesResult,
    EntryCountResult,
    EntryResult,
    LeafIdResult,
    OutlineNode,
    TreeNode,
    TreeResult,
)
from sessiond_protocol.session.state import SessionInfo, SessionState

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


NODE = {"id": "a", "parentId": None, "timestamp": "2024-12-03T14:00:02.000Z"}
COST = {"input": 0.1, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0.1}
USAGE = {"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0, "cost": COST}
# The members that the types of pi 1.5.2 require, with a value for each.
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


def cases(tag, required, classes, common):
    assert list(required) == list(classes)
    return [({tag: name, **common, **members}, classes[name]) for name, members in required.items()]


ENTRY_CASES = cases("type", REQUIRED_OF_ENTRIES, ENTRIES, NODE)
MESSAGE_CASES = cases("role", REQUIRED_OF_MESSAGES, MESSAGES, {"timestamp": 1733234567891})
BLOCK_CASES = cases("type", REQUIRED_OF_BLOCKS, BLOCKS, {})
HEADER = {"type": "session", "id": "u", "timestamp": "t", "cwd": ""}


@pytest.mark.parametrize(
    ("build", "value", "cls"),
    [
        *((structure_entry, *case) for case in ENTRY_CASES),
        *((structure_message, *case) for case in MESSAGE_CASES),
        *((structure_block, *case) for case in BLOCK_CASES),
        (structure_header, HEADER, SessionHeader),
    ],
)
def test_the_members_that_pi_requires_are_required_and_no_others(build, value, cls):
    assert type(build(value)) is cls
    assert unstructure(build(value)) == value
    for name in value:
        without = {member: value[member] for member in value if member != name}
        assert type(build(without)).__name__.startswith("Unknown"), name
        assert unstructure(build(without)) == without


def test_an_entry_is_typed_all_the_way_down():
    entry = structure_entry(
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
        }
    )
    assert isinstance(entry, SessionMessageEntry)
    assert entry.parentId is None
    message = entry.message
    assert isinstance(message, AssistantMessage)
    assert message.content == [
        TextContent(text="Hi!"),
        ToolCall(id="1", name="read", arguments={"path": "a"}),
        UnknownBlock({"type": "hologram", "x": 1}),
    ]
    assert (message.usage.input, message.usage.cost.input) == (1, None)
    assert message.usage.totalTokens is UNSET
    assert type(message.usage.cost.total) is int
    assert message.responseId is UNSET


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
    assert structure_entry(value) == UnknownEntry(value)


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
    entry = structure_entry({"type": "message", **NODE, "message": value})
    assert entry == SessionMessageEntry(**NODE, message=UnknownMessage(value))


def test_a_compaction_carries_its_system_message():
    system = {"role": "system", "content": "p", "timestamp": 1}
    members = {**NODE, **REQUIRED_OF_ENTRIES["compaction"]}
    entry = structure_entry({"type": "compaction", **members, "systemMessage": system})
    expected = SystemMessage(content="p", timestamp=1)
    assert entry == CompactionEntry(**members, systemMessage=expected)


def test_headers_of_every_version_fit():
    first = {"id": "u", "timestamp": "t", "cwd": "/", "provider": "p", "branchedFrom": "/f"}
    assert structure_header({"type": "session", **first}) == SessionHeader(**first)
    assert structure_header({"type": "session", "version": "3"}) == UnknownEntry(
        {"type": "session", "version": "3"}
    )


@with_examples(JSON)
def test_no_json_value_makes_an_entry_a_message_or_a_block_fail(value):
    structure_entry(value)
    structure_message(value)
    structure_block(value)
    structure_entry({"type": "message", "message": value})
    structure_message({"role": "assistant", "content": [value], "usage": value})


def test_content_is_text_or_blocks():
    assert structure_content("x") == "x"
    assert structure_content([3]) == [UnknownBlock(3)]
    with pytest.raises(Misfit):
        structure_content(3)


@pytest.mark.parametrize(
    ("cls", "value", "where"),
    [
        (LeafIdResult, {"leafId": 3}, "$.leafId"),
        (LeafIdResult, {}, "$.leafId"),
        (LeafIdResult, [], "expected an object"),
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
    with pytest.raises(Misfit) as caught:
        structure(value, cls)
    assert where in str(caught.value)


def test_results_give_typed_entries_messages_and_nodes():
    label = {"type": "label", **NODE, "targetId": "t"}
    typed = LabelEntry(**NODE, targetId="t")
    assert structure({"entry": None}, EntryResult).entry is None
    assert structure({"entry": label}, EntryResult).entry == typed
    assert structure({"entries": [label, 7]}, EntriesResult).entries == [
        typed,
        UnknownEntry(7),
    ]
    context = structure(
        {
            "messages": [{"role": "user", "content": "x", "timestamp": 1}],
            "thinkingLevel": "off",
            "model": {"provider": "p", "modelId": "m"},
        },
        SessionContextResult,
    )
    assert context.messages == [UserMessage(content="x", timestamp=1)]
    assert context.model == ModelRef(provider="p", modelId="m")
    projection = structure(
        {
            "entries": [{"sourceEntry": label, "messages": []}],
            "thinkingLevel": "off",
            "model": None,
        },
        SessionProjectionResult,
    )
    assert projection.entries[0].sourceEntry == typed
    outline = {
        "id": "a",
        "parentId": None,
        "children": [],
        "type": "message",
        "timestamp": "t",
        "preview": "p",
    }
    tree = structure(
        {"roots": ["a"], "nodes": [{"id": "a", "children": [], "entry": label}, outline]},
        TreeResult,
    )
    assert [type(node) for node in tree.nodes] == [TreeNode, OutlineNode]


def test_progress_is_told_apart_by_what_it_holds():
    begun = structure({"token": "t", "value": {"kind": "begin", "percentage": 1}}, ProgressParams)
    assert begun.value == WorkDoneProgress(kind="begin", percentage=1)
    partial = structure({"token": 1, "value": {"sessions": [INFO]}}, ProgressParams)
    assert partial.value == PartialSessions(sessions=[SessionInfo(**INFO)])


def test_values_are_equal_by_class_and_members_and_show_what_is_set():
    one = UserMessage(content="x", timestamp=1)
    assert one == UserMessage(content="x", timestamp=1)
    assert one != UserMessage(content="y", timestamp=1)
    assert one != SystemMessage(content="x", timestamp=1)
    assert repr(one) == "UserMessage(role='user', content='x', timestamp=1)"


def test_members_the_class_does_not_know_are_left_out():
    assert structure({"leafId": "a", "fromTheFuture": 1}, LeafIdResult) == LeafIdResult(leafId="a")


def test_the_openrpc_document_is_a_plain_object():
    assert structure({"openrpc": "1"}, METHODS["rpc.discover"].result) == {"openrpc": "1"}


def test_unstructuring_omits_what_is_unset_and_gives_unknown_arms_back():
    value = {
        "type": "message",
        **NODE,
        "message": {
            "role": "user",
            "content": [{"type": "text", "text": "x"}, {"type": "new"}],
            "timestamp": 1,
        },
    }
    assert unstructure(structure_entry(value)) == value
    assert unstructure(structure_entry({"type": "new", "x": [1]})) == {"type": "new", "x": [1]}
    assert unstructure(EntryResult(entry=Raw(b'{"type":"x"}'))) == {"entry": {"type": "x"}}


def test_an_encoded_result_omits_what_is_unset_and_keeps_order_and_null():
    info = msgspec.json.decode(msgspec.json.encode(SessionInfo(**INFO)))
    assert list(info) == [*INFO]
    appended = AppendResult(id="a", parentId=None, timestamp="t", written=False)
    assert msgspec.json.encode(appended) == (
        b'{"id":"a","parentId":null,"timestamp":"t","written":false}'
    )


def test_an_encoded_result_has_the_very_bytes_of_its_raw_members():
    entry = rb'{"type":"x", "n":1e400,"s":"\ud83d","type":"y"}'
    assert msgspec.json.encode(EntryResult(entry=Raw(entry))) == b'{"entry":%s}' % entry
    several = EntriesResult(entries=Raw(b"[%s,%s]" % (entry, entry)))
    assert msgspec.json.encode(several) == b'{"entries":[%s,%s]}' % (entry, entry)


def test_a_state_survives_the_way_over_the_wire():
    state = SessionState(
        session="s1",
        sessionId="u",
        sessionFile=None,
        sessionDir="",
        cwd="/",
        persisted=False,
        readOnly=False,
        leafId=None,
        tipId=None,
        entryCount=0,
        version=3,
        generation=0,
        header=Raw(b'{"type":"session","id":"u","timestamp":"t","cwd":"/"}'),
        diagnostics=[],
    )
    wire = msgspec.json.decode(msgspec.json.encode(state))
    assert "name" not in wire
    assert "inUse" not in wire
    typed = structure(wire, SessionState)
    assert typed.header == SessionHeader(id="u", timestamp="t", cwd="/")
    assert unstructure(typed) == wire


def test_members_of_an_object_of_anything_are_the_values_they_are():
    entry = {"sessionId": "s", "n": None, "list": [1, {"a": 1.5}], "type": 3}
    told = {"agentId": "main", "storePath": "/s", "sessionKey": "k", "entry": entry}
    found = structure(told, StoredSession)
    assert found.entry == entry
    assert unstructure(found) == told
