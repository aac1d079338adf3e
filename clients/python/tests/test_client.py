from __future__ import annotations

import asyncio
import os
import re
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from conftest import DAEMON, OTHER_VERSION, assistant, until, user

from sessiond_client import (
    UNSET,
    InitializeParams,
    Raw,
    Sessiond,
    assistant_message,
    parse,
    raw_json,
    user_text,
)
from sessiond_client.contract import (
    AssistantMessage,
    SessionHeader,
    SessionMessageEntry,
    TextContent,
    ToolCall,
    UnknownEntry,
    UserMessage,
)
from sessiond_client.errors import (
    ClientClosed,
    DaemonCrashed,
    DaemonMissing,
    EntryNotFound,
    ErrorAnswer,
    InvalidParams,
    LeafConflict,
    SessionNotFound,
    UnsupportedVersion,
)
from sessiond_client.feed import Feed
from sessiond_client.objects import build


async def written(client, tmp_path):
    """A session with one message in its file."""
    session = await client.session_create(str(tmp_path))
    await session.append_message(user("hello"))
    return session


async def test_sessions_of_a_folder_are_listed_opened_appended_to_and_followed(client, tmp_path):
    await written(client, tmp_path)
    listing = await client.session_list(str(tmp_path))
    mine = await client.session_open(listing.sessions[0].path)
    other = await client.session_open(listing.sessions[0].path)
    changes = mine.changes()
    appended = await other.append_message(user("again"))
    change = await asyncio.wait_for(anext(changes), 30)
    assert listing.sessions[0].first_message == "hello"
    assert (change.kind, change.entries[0].id) == ("appended", appended.id)


async def test_a_session_is_opened_by_its_id_and_never_made_by_opening(client, tmp_path):
    session = await written(client, tmp_path)
    by_id = await client.session_open(id=session.state.session_id)
    assert by_id.state.session_file == session.state.session_file
    missing = str(tmp_path / "missing.jsonl")
    for unknown in (client.session_open(id="unknown"), client.session_open(missing)):
        with pytest.raises(SessionNotFound):
            await unknown
    new = await client.session_open(missing, must_exist=False)
    assert new.state.entry_count == 0


async def test_an_answer_is_built_with_all_that_pi_needs(client, tmp_path):
    session = await written(client, tmp_path)
    call = ToolCall(id="c", name="ls", arguments={})
    for content, reason in (("hi", "stop"), ([TextContent(text="hi"), call], "toolUse")):
        await session.append_message(assistant_message(content, "p", "m"))
        entry = (await session.get_leaf_entry()).entry
        assert (entry.message.stop_reason, entry.message.provider) == (reason, "p")
        assert entry.message.usage.cost.total is None
    assert session.leaf_id == session.tip_id == entry.id


async def test_entries_are_typed_by_their_tag(client, tmp_path):
    session = await written(client, tmp_path)
    message = build(assistant("hi"), AssistantMessage)
    assert message.content == [TextContent(text="hi")]
    await session.append_message(message)
    first, second = (await session.get_entries()).entries
    assert isinstance(first, SessionMessageEntry)
    assert first.message == build(user("hello"), UserMessage)
    assert second.message == message
    assert isinstance(session.state.header, SessionHeader)


async def test_unknown_members_are_kept_unchanged(client):
    odd = {"type": "future", "id": "f1", "parentId": None, "what": [1]}
    session = await client.session_in_memory(entries=[odd])
    entry = (await session.get_leaf_entry()).entry
    assert entry == UnknownEntry(odd)
    assert (entry.type, entry.id, entry.parent_id, entry.timestamp) == (None, "f1", None, None)


async def test_a_message_that_was_read_is_sent_with_the_members_that_its_class_does_not_name(
    client,
):
    session = await client.session_in_memory()
    usage = {**assistant("")["usage"], "newer": 1}
    given = {**assistant("hi"), "usage": usage, "newer": [1.50], "\ud83d": None}
    given["content"] = [{"type": "text", "text": "hi", "newer": {"a": 1}}]
    await session.append_message(given)
    message = (await session.get_leaf_entry()).entry.message
    assert message.extra == {"newer": [1.5], "\ud83d": None}
    assert message.usage.extra == {"newer": 1}
    await session.append_message(message)
    first, second = (await session.get_entries()).entries
    assert parse(raw_json(second))["message"] == parse(raw_json(first))["message"] == given


async def test_sent_json_is_returned_byte_for_byte(client, tmp_path):
    session = await client.session_create(str(tmp_path))
    text = (
        rb'{"role":"user","content":"\ud83d \u00e9","timestamp":1,'
        rb'"n":123456789012345678901234567890,"f":1.0e2}'
    )
    appended = await session.append_message(Raw(text))
    result = await session.get_entries()
    assert text in raw_json(result)
    assert raw_json(result.entries[0]).endswith(b'"message":%b}' % text)
    assert result.entries[0].message.content == "\ud83d é"
    assert raw_json(result.entries[0].message) == text
    assert raw_json(appended).startswith(b'{"id":')
    tree = await session.get_tree()
    assert raw_json(tree.nodes[0].entry) == raw_json(result.entries[0])
    context = await session.build_session_context()
    assert raw_json(context.messages[0]) == text


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": "x"},
        {"role": "user", "content": [{"type": "text", "text": "x"}], "timestamp": None},
        {"role": "system", "content": "x"},
        {name: value for name, value in assistant("x").items() if name != "timestamp"},
        {
            "role": "toolResult",
            "toolCallId": "c",
            "toolName": "t",
            "content": [{"type": "text", "text": "x"}],
            "isError": False,
        },
    ],
    ids=lambda message: f"{message['role']}, {type(message['content']).__name__}",
)
async def test_a_message_that_an_append_takes_is_read_as_the_class_of_its_role(client, message):
    session = await client.session_in_memory()
    await session.append_message(message)
    read = (await session.get_leaf_entry()).entry.message
    assert (read.role, read.timestamp or None, read.time) == (message["role"], None, None)


async def test_a_text_of_the_user_has_the_current_time(client):
    before = datetime.now(UTC)
    session = await client.session_in_memory()
    await session.append_message(user_text("hello"))
    message = (await session.get_leaf_entry()).entry.message
    assert (type(message), message.content) == (UserMessage, "hello")
    assert before - timedelta(milliseconds=1) <= message.time <= datetime.now(UTC)


async def test_values_with_lone_surrogates_and_huge_integers_are_sent_right(client, tmp_path):
    session = await client.session_create(str(tmp_path))
    await session.append_message({"role": "user", "content": "cut \ud83d", "n": 10**30})
    entry = (await session.get_leaf_entry()).entry
    assert rb'"content":"cut \ud83d","n":1000000000000000000000000000000' in raw_json(entry)


ODD = [
    rb'{"cut":"\ud83d x \uDE00","n":123456789012345678901234567890,"small":1E-7,"zero":-0,"f":1.0}',
    rb'{"esc":"\u00e9\/\u0041","twice":1,"twice":2,"z":0,"a":0}',
    rb'{"jsonrpc":"2.0","id":1,"method":"exit","params":{}}',
    b"[" * 400 + b"]" * 400,
    b'"%s"' % (b"0123456789abcdef" * 65_536),
]


@pytest.mark.parametrize("value", ODD, ids=["numbers", "spelling", "rpc", "deep", "large"])
async def test_any_value_passes_both_ways_to_the_byte(client, tmp_path, value):
    session = await written(client, tmp_path)
    appended = await session.append_custom_entry("c", data=Raw(value), new_entry_id='ä "q" \\ 😀')
    assert appended.id == 'ä "q" \\ 😀'
    found = (await session.get_entry(appended.id)).entry
    assert b'"data":' + value in raw_json(found)
    assert b'"data":' + value in Path(session.state.session_file).read_bytes()


async def test_a_value_nested_too_deep_is_refused(client):
    session = await client.session_in_memory()
    with pytest.raises(ErrorAnswer) as refused:
        await session.append_custom_entry("c", data=Raw(b"[" * 600 + b"]" * 600))
    assert refused.value.code == -32600


def test_values_that_are_not_from_the_daemon_have_no_exact_json():
    with pytest.raises(LookupError):
        raw_json(UserMessage(content="x", timestamp=1))


async def test_members_of_three_states_tell_null_from_absent(client, tmp_path):
    session = await written(client, tmp_path)
    with pytest.raises(LeafConflict) as conflict:
        await session.append_message(user("x"), expected_leaf_id=None)
    assert conflict.value.expected is None
    assert conflict.value.leaf_id == session.leaf_id
    empty = await session.build_session_context(leaf_id=None)
    assert (len(empty.messages), (await session.get_entry_count()).count) == (0, 1)


async def test_errors_have_a_class_per_kind_with_typed_data(client, tmp_path):
    session = await written(client, tmp_path)
    with pytest.raises(EntryNotFound) as missing:
        await session.branch("nope")
    assert (missing.value.entry_id, missing.value.kind) == ("nope", "EntryNotFound")
    assert missing.value.retryable is False
    with pytest.raises(SessionNotFound) as gone:
        await client.session_open(str(tmp_path / "no.jsonl"), must_exist=True)
    assert gone.value.path == str(tmp_path / "no.jsonl")
    with pytest.raises(InvalidParams) as wrong:
        await session.append_message({"no": "role"})
    assert wrong.value.data["pointer"].startswith("/message")


async def test_any_method_can_be_called_by_name(client, tmp_path):
    session = await written(client, tmp_path)
    assert await client.call("session/getEntryCount", {"session": session}) == b'{"count":1}'
    assert (await client.rpc_discover())["openrpc"]


async def test_the_leaf_is_known_without_asking(client, tmp_path):
    session = await written(client, tmp_path)
    first = session.leaf_id
    second = (await session.append_message(user("b"))).id
    assert session.leaf_id == second
    await session.branch(first)
    assert session.leaf_id == first
    await session.reset_leaf()
    assert session.leaf_id is None
    assert (await session.get_leaf_id()).leaf_id is None


async def test_callbacks_get_changes_until_they_are_removed(client, tmp_path):
    session = await written(client, tmp_path)
    other = await client.session_open(session.state.session_file)
    heard, all_heard = [], []
    stop = session.on_change(heard.append)
    client.on_session_did_change(all_heard.append)
    await other.append_session_info("one")
    await until(lambda: len(heard) == 1)
    stop()
    await other.append_session_info("two")
    await until(lambda: len(all_heard) == 2)
    assert [change.name for change in heard] == ["one"]


async def test_an_exception_in_a_callback_does_not_affect_others(client, tmp_path):
    session = await written(client, tmp_path)
    other = await client.session_open(session.state.session_file)
    reported, heard = [], []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context))
    session.on_change(lambda _: 1 / 0)
    session.on_change(heard.append)
    await other.append_session_info("x")
    await until(lambda: bool(heard))
    assert isinstance(reported[0]["exception"], ZeroDivisionError)


async def test_a_subscription_has_a_snapshot_and_then_changes(client, tmp_path):
    session = await written(client, tmp_path)
    async with await client.catalog_subscribe(cwd=str(tmp_path)) as sessions:
        await session.append_session_info("named")
        change = await asyncio.wait_for(anext(aiter(sessions)), 30)
    assert [info.path for info in sessions.snapshot.sessions] == [session.state.session_file]
    assert change.kind == "changed"
    assert change.changes[0].info.name == "named"
    assert [each async for each in sessions] == []


async def test_streams_end_when_their_session_is_closed(client, tmp_path):
    session = await written(client, tmp_path)
    changes = session.changes()
    async with session:
        pass
    assert [change async for change in changes] == []
    with pytest.raises(ClientClosed):
        await session.get_leaf_id()


async def test_a_limited_number_of_changes_waits_to_be_read():
    feed = Feed()
    changes = feed.stream()
    for sequence in range(1500):
        feed.publish(sequence)
    feed.end()
    assert [change async for change in changes] == list(range(1500 - 1024, 1500))


async def test_progress_and_partial_results_come_to_callbacks(fake):
    progress, partial = [], []
    await fake.session_list(".", progress=progress.append, partial=partial.append)
    assert [(each.kind, each.total) for each in progress] == [("begin", 2), ("end", UNSET)]
    assert [each.sessions for each in partial] == [[]]


async def test_lists_read_page_by_page_take_every_param_of_their_methods(client, tmp_path):
    (tmp_path / "mine").mkdir()
    session = await client.session_create(str(tmp_path), session_dir=str(tmp_path / "mine"))
    await session.append_message(user("hello there"))
    await session.append_message(user("again"))
    mine = {"session_dir": str(tmp_path / "mine")}
    for cwd in (None, str(tmp_path)):
        listed = [info async for info in client.sessions(cwd, include_text=True, **mine)]
        assert [info.all_messages_text for info in listed] == ["hello there again"]
        assert [info async for info in client.sessions(cwd, named=True, **mine)] == []
        assert [info async for info in client.sessions(cwd)] == []
    assert [hit async for hit in client.search("h.*o", **mine)] == []
    assert len([hit async for hit in client.search("h.*o", mode="regex", **mine)]) == 1
    assert len([entry async for entry in session.entries(last=1)]) == 1


async def test_notifications_that_do_not_fit_are_left_out(fake, caplog):
    session = await fake.session_open("x.jsonl")
    changes = session.changes()
    assert (await session.get_leaf_id()).leaf_id is None
    assert (await fake.session_list(".")).total == 0
    left_out = [each for each in caplog.records if "left out" in each.message]
    assert len(left_out) >= 5
    await session.close()
    assert [each async for each in changes] == []


async def test_cancelling_a_task_cancels_the_request(fake, tmp_path):
    log = tmp_path / "log"
    task = asyncio.create_task(fake.daemon_status())
    await until(lambda: "daemon/status" in log.read_text())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(lambda: "$/cancelRequest" in log.read_text())
    assert (await fake.session_list(".")).total == 0


async def test_a_session_opened_for_a_cancelled_caller_is_closed(fake, tmp_path):
    log = tmp_path / "log"
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await fake.session_create("/")
    asked = re.search(r'session/create .*("session": "[^"]+")', log.read_text())
    await until(lambda: f"session/close {{{asked[1]}}}" in log.read_text())


async def test_an_answer_that_does_not_fit_raises_an_error(fake):
    with pytest.raises(ValueError, match="path"):
        await fake.session_find_by_id("x")


async def test_closing_ends_the_process_in_order(fake, tmp_path):
    pid = await fake.pid()
    await fake.close()
    methods = [line.split()[0] for line in (tmp_path / "log").read_text().splitlines()]
    assert methods == ["initialize", "initialized", "shutdown", "exit"]
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    with pytest.raises(ClientClosed):
        await fake.session_list(".")


async def test_a_daemon_that_does_not_end_is_killed(fake):
    fake._sender._patience = 0.1
    pid = await fake.pid()
    os.kill(pid, 19)
    await fake.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_requests_in_flight_are_answered_before_the_end(client, tmp_path):
    session = await written(client, tmp_path)
    appends = [asyncio.create_task(session.append_message(user(str(i)))) for i in range(20)]
    await asyncio.sleep(0)
    await client.close()
    assert len({appended.id for appended in await asyncio.gather(*appends)}) == 20


async def test_a_missing_program_is_named():
    with pytest.raises(DaemonMissing, match=r"/no/such/sessiond.*SESSIOND"):
        await Sessiond("/no/such/sessiond").connect()


async def test_the_error_for_a_program_that_ends_immediately_has_its_last_output():
    with pytest.raises(DaemonCrashed, match="no-such-option"):
        await Sessiond(DAEMON, arguments=["--no-such-option"]).connect()


async def test_the_environment_names_the_program(agent_dir, monkeypatch):
    monkeypatch.setenv("SESSIOND", "no-such-sessiond")
    with pytest.raises(DaemonMissing, match="no-such-sessiond"):
        await Sessiond().connect()


async def test_connecting_again_keeps_the_daemon(client):
    pid = await client.pid()
    async with client:
        assert await client.pid() == pid


async def test_the_daemon_starts_only_on_entering():
    with pytest.raises(ClientClosed):
        await Sessiond().session_list(".")


async def test_settings_go_into_initialize(tmp_path, agent_dir):
    elsewhere = str(tmp_path / "other")
    async with Sessiond(settings=InitializeParams(agent_dir=elsewhere)) as client:
        assert client.server.agent_dir == elsewhere


@pytest.mark.parametrize("mode", ["refuses", "ignores"])
async def test_a_daemon_of_another_version_is_refused_by_one_error(mode):
    with pytest.raises(UnsupportedVersion, match="protocol version 2") as refused:
        await Sessiond(sys.executable, arguments=[str(OTHER_VERSION), mode]).connect()
    assert refused.value.supported == ["2"]


def test_error_answers_are_one_family():
    assert issubclass(LeafConflict, ErrorAnswer)
