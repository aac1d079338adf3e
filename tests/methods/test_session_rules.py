"""The rules of pi 1.6.0's SessionManager, one by one, through the daemon."""

import json
import os
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from support.app import assistant, daemon, lines_of, user
from support.client import Client, RpcError

TIME = "2026-01-01T00:00:00.000Z"
UUID7 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


def header(**more: Any) -> str:
    return json.dumps(
        {"type": "session", "version": 3, "id": "x", "timestamp": TIME, "cwd": "/w", **more}
    )


def entry(entry_id: str, parent: str | None = None, **more: Any) -> str:
    return json.dumps(
        {
            "type": "message",
            "id": entry_id,
            "parentId": parent,
            "timestamp": TIME,
            "message": {"role": "user", "content": entry_id},
            **more,
        }
    )


@attrs.define
class Session:
    client: Client
    state: dict[str, Any]

    async def call(self, method: str, **params: Any) -> Any:
        session = self.state["session"]
        return await self.client.request(f"session/{method}", {"session": session, **params})

    @property
    def file(self) -> Path:
        return Path(self.state["sessionFile"])

    async def ids(self) -> list[str]:
        return [each["id"] for each in (await self.call("getEntries"))["entries"]]


@attrs.define
class Opener:
    client: Client
    folder: Path

    async def open(self, *lines: str, end: str = "\n", **params: Any) -> Session:
        """Open a file that holds these lines."""
        file = self.folder / "s.jsonl"
        file.write_bytes(("\n".join(lines) + (end if lines else "")).encode())
        return await self.at(file, **params)

    async def at(self, path: Path | str, **params: Any) -> Session:
        state = await self.client.request("session/open", {"path": str(path), **params})
        return Session(self.client, state)

    async def create(self, **params: Any) -> Session:
        params = {"cwd": "/w", "sessionDir": str(self.folder / "new"), **params}
        return Session(self.client, await self.client.request("session/create", params))


@pytest.fixture
async def opener(tmp_path: Path) -> AsyncIterator[Opener]:
    folder = tmp_path / "files"
    folder.mkdir()
    async with daemon(tmp_path) as client:
        yield Opener(client, folder)


@pytest.mark.parametrize("name", ["open", "create", "continueRecent", "forkFrom", "inMemory"])
async def test_a_handle_of_every_opening_method_follows_until_it_is_moved(
    opener: Opener, name: str
):
    source = await opener.open(header(), entry("a"), entry("b", "a"))
    folder = {"sessionDir": str(opener.folder)}
    params = {
        "open": {"path": str(source.file)},
        "create": {"cwd": "/w", **folder},
        "continueRecent": {"cwd": "/w", **folder},
        "forkFrom": {"sourcePath": str(source.file), "targetCwd": "/w", **folder},
        "inMemory": {},
    }
    for follow in (True, False):
        state = await opener.client.request(f"session/{name}", {**params[name], "follow": follow})
        session = Session(opener.client, state)
        own = (await session.call("appendMessage", message=user("own")))["id"]
        if name == "inMemory":
            continue
        other = await opener.at(session.file)
        theirs = (await other.call("appendMessage", message=user("theirs")))["id"]
        assert (await session.call("getLeafId"))["leafId"] == (theirs if follow else own)
        await session.call("branch", entryId=own)
        await other.call("appendMessage", message=user("more"))
        assert (await session.call("getLeafId"))["leafId"] == own


async def refused(awaitable: Any) -> RpcError:
    with pytest.raises(RpcError) as raised:
        await awaitable
    return raised.value


# --- when a file comes into being -----------------------------------------------------------------


@pytest.mark.parametrize("message", [user("a"), assistant("a")])
async def test_the_file_appears_with_the_first_user_or_assistant_message(opener, message):
    session = await opener.create()
    appended = await session.call("appendModelChange", provider="p", modelId="m")
    assert appended["written"] is False
    await session.call("appendMessage", message={"role": "toolResult", "content": []})
    await session.call("appendSessionInfo", name="n")
    assert not session.file.exists()
    assert (await session.call("appendMessage", message=message))["written"] is True
    kinds = [json.loads(line)["type"] for line in lines_of(session.file)]
    assert kinds == ["session", "model_change", "message", "session_info", "message"]


async def test_a_file_that_another_program_created_meanwhile_is_not_touched(opener):
    session = await opener.at(opener.folder / "later.jsonl")
    session.file.write_text("theirs\n")
    error = await refused(session.call("appendMessage", message=user("a")))
    assert error.kind == "AlreadyExists"
    assert session.file.read_text() == "theirs\n"
    assert await session.ids() == []


@pytest.mark.parametrize("method", ["appendMessage", "appendSessionInfo"])
async def test_an_existing_file_without_assistant_is_appended_to_as_any_other(opener, method):
    session = await opener.open(header(), entry("a"))
    params = {"message": user("b")} if method == "appendMessage" else {"name": "b"}
    assert (await session.call(method, **params))["written"] is True
    assert len(lines_of(session.file)) == 3


async def test_a_missing_path_is_kept_and_created_lazily(opener):
    session = await opener.at(opener.folder / "deep" / "x.jsonl")
    assert not session.file.parent.exists()
    await session.call("appendMessage", message=user("a"))
    assert session.file == opener.folder / "deep" / "x.jsonl"
    assert (session.file.parent.stat().st_mode & 0o777, session.file.stat().st_mode & 0o777) == (
        0o700,
        0o600,
    )


async def test_an_empty_file_gets_a_header_at_once_and_keeps_its_name(opener):
    session = await opener.open()
    (line,) = lines_of(session.file)
    assert json.loads(line)["id"] == session.state["sessionId"]


# --- ids ------------------------------------------------------------------------------------------


async def test_ids_are_as_pi_makes_them(opener):
    session = await opener.create()
    assert UUID7.fullmatch(session.state["sessionId"])
    ids = {(await session.call("appendMessage", message=user("a")))["id"] for _ in range(50)}
    assert len(ids) == 50
    assert all(re.fullmatch("[0-9a-f]{8}", each) for each in ids)


@pytest.mark.parametrize("good", ["a", "A-1", "a.b_c-d", "0", "a..b"])
async def test_a_session_id_may_be_chosen(opener, good):
    session = await opener.create(id=good)
    assert session.state["sessionId"] == good
    assert session.file.name.endswith(f"_{good}.jsonl")


@pytest.mark.parametrize("bad", ["", "a/b", "-a", "a-", ".", "..", "a b", "é", "a\n", "../x"])
async def test_other_session_ids_are_refused_in_pi_s_words(opener, bad):
    error = await refused(opener.create(id=bad))
    assert (error.kind, error.data["id"]) == ("InvalidSessionId", bad)
    assert error.message == (
        "Session id must be non-empty, contain only alphanumeric characters, '-', '_', and '.',"
        " and start and end with an alphanumeric character"
    )


# --- what files may look like ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    ["hello\n", " \n\t\n", "\n", "{}\n", "[]\n", "42\n", '{"type":"session"}\n', entry("a") + "\n"],
)
async def test_a_file_that_is_not_a_session_is_refused_unchanged(opener, content):
    file = opener.folder / "s.jsonl"
    file.write_text(content)
    error = await refused(opener.at(file))
    assert error.kind == "InvalidSessionFile"
    assert error.message == f"Session file is not a valid pi session: {file}"
    assert file.read_text() == content


@pytest.mark.parametrize(
    ("lines", "kinds"),
    [
        (["", "  ", "\t"], []),
        (["{broken"], ["malformedLine"]),
        (["null"], ["notAnEntry"]),
        (["42"], ["notAnEntry"]),
        (["[]"], ["notAnEntry"]),
        (['"text"'], ["notAnEntry"]),
        (['{"type":"message"}'], ["missingId"]),
        (['{"id":"b"}'], ["notAnEntry"]),
        (['{"type":"message","id":7}'], ["missingId"]),
        ([header(id="y")], ["secondHeader"]),
        ([entry("a")], ["duplicateId"]),
        ([entry("b", "b")], ["selfParent"]),
        ([entry("b", "gone")], ["orphan"]),
        ([entry("b", "c"), entry("c", "b")], ["cycle"]),
        ([entry("b", "a", timestamp="soon")], ["invalidTimestamp"]),
        (["[" * 100_000 + "]" * 100_000], ["malformedLine"]),
        (['{"type":"message","id":"b\\u0000"}', "\x7f"], ["malformedLine"]),
    ],
)
async def test_malformed_lines_are_reported_kept_and_harmless(opener, lines, kinds):
    session = await opener.open(header(), entry("a"), *lines)
    found = [item["kind"] for item in session.state["diagnostics"]]
    assert [kind for kind in kinds if kind not in found] == []
    if not kinds:
        assert found == []
    for method in ("getTree", "getBranch", "buildSessionContext", "getEntries"):
        await session.call(method)
    before = session.file.read_bytes()
    await session.call("appendMessage", message=user("next"))
    assert session.file.read_bytes().startswith(before)


@pytest.mark.parametrize("last", [0, 1, 3, 5, 9])
@pytest.mark.parametrize(("cursor", "after"), [(None, 0), ("b", 2), ("e", 5)])
@pytest.mark.parametrize("limit", [None, 0, 2, 9])
async def test_the_last_entries_are_read_from_the_cursor_on(opener, last, cursor, after, limit):
    ids = list("abcde")
    session = await opener.open(header(), *map(entry, ids))
    page = await session.call("getEntries", last=last, cursor=cursor, limit=limit)
    expected = [each for number, each in enumerate(ids) if number >= after and number >= 5 - last]
    assert [each["id"] for each in page["entries"]] == expected[:limit]
    assert page["total"] == 5
    assert ("nextCursor" in page) == (len(expected) > len(page["entries"]))


async def test_a_byte_order_mark_is_accepted_and_reported(opener):
    session = await opener.open("\ufeff" + header(), entry("a"))
    assert [item["kind"] for item in session.state["diagnostics"]] == ["byteOrderMark"]
    assert await session.ids() == ["a"]


async def test_line_ends_of_windows_are_read_and_kept(opener):
    file = opener.folder / "crlf.jsonl"
    content = f"{header()}\r\n{entry('a')}\r\n".encode()
    file.write_bytes(content)
    session = await opener.at(file)
    assert (await session.ids(), session.state["diagnostics"]) == (["a"], [])
    await session.call("appendMessage", message=user("b"))
    assert file.read_bytes().startswith(content)


async def test_a_last_line_without_newline_is_ended_before_the_next(opener):
    session = await opener.open(header(), entry("a"), end="")
    assert await session.ids() == ["a"]
    appended = await session.call("appendMessage", message=user("b"))
    assert await session.ids() == ["a", appended["id"]]
    assert [json.loads(line)["type"] for line in lines_of(session.file)][1:] == ["message"] * 2


async def test_a_torn_last_line_stays_as_garbage_and_harms_nothing(opener):
    session = await opener.open(header(), entry("a"), entry("b", "a")[:30], end="")
    assert [item["kind"] for item in session.state["diagnostics"]] == ["tornTail"]
    appended = await session.call("appendMessage", message=user("c"))
    assert await session.ids() == ["a", appended["id"]]
    assert lines_of(session.file)[2].decode() == entry("b", "a")[:30]


async def test_the_first_of_two_headers_counts(opener):
    session = await opener.open(header(), entry("a"), header(id="y", cwd="/other"))
    assert (session.state["sessionId"], session.state["cwd"]) == ("x", "/w")


async def test_a_future_version_is_read_as_it_is(opener):
    session = await opener.open(header(version=9), entry("a"))
    assert session.state["version"] == 9
    assert json.loads(lines_of(session.file)[0])["version"] == 9


# --- the tree -------------------------------------------------------------------------------------


async def test_children_stand_by_time_and_roots_in_file_order(opener):
    def at(second: str) -> dict[str, str]:
        return {"timestamp": f"2026-01-01T00:00:0{second}.000Z"}

    session = await opener.open(
        header(),
        entry("r2", None, **at("9")),
        entry("r1", None, **at("0")),
        entry("late", "r1", **at("5")),
        entry("early", "r1", **at("1")),
        entry("orphan", "nowhere"),
        entry("self", "self"),
    )
    tree = await session.call("getTree")
    assert tree["roots"] == ["r2", "r1", "orphan", "self"]
    children = {node["id"]: node["children"] for node in tree["nodes"]}
    assert children["r1"] == ["early", "late"]


async def test_labels_are_set_and_cleared_and_carry_their_time(opener):
    session = await opener.open(header(), entry("a"))
    set_at = await session.call("appendLabelChange", targetId="a", label="first")
    node = (await session.call("getTree"))["nodes"][0]
    assert (node["label"], node["labelTimestamp"]) == ("first", set_at["timestamp"])
    assert await session.call("getLabel", id="a") == {"label": "first"}
    for clearing in ({}, {"label": ""}, {"label": None}):
        await session.call("appendLabelChange", targetId="a", label="again")
        await session.call("appendLabelChange", targetId="a", **clearing)
        assert await session.call("getLabel", id="a") == {"label": None}


@pytest.mark.parametrize(
    ("given", "kept"),
    [("A\r\nB", "A B"), ("  A  ", "A"), ("A\n\n\nB", "A B"), ("", None), (" \n ", None)],
)
async def test_names_are_one_line_trimmed_and_may_be_cleared(opener, given, kept):
    session = await opener.open(header(), entry("a"))
    await session.call("appendSessionInfo", name="before")
    await session.call("appendSessionInfo", name=given)
    assert await session.call("getSessionName") == {"name": kept}


async def test_the_summary_of_a_branch_names_the_leaf_that_was_left(opener):
    session = await opener.open(header(), entry("a"), entry("b", "a"))
    made = await session.call("branchWithSummary", entryId="a", summary="s")
    stored = (await session.call("getEntry", id=made["id"]))["entry"]
    assert (stored["parentId"], stored["fromId"]) == ("a", "b")
    await session.call("resetLeaf")
    made = await session.call("branchWithSummary", entryId=None, summary="s", usage={"cost": {}})
    stored = (await session.call("getEntry", id=made["id"]))["entry"]
    assert (stored["parentId"], stored["fromId"], stored["usage"]) == (None, "root", {"cost": {}})


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("branch", {"entryId": "gone"}),
        ("branchWithSummary", {"entryId": "gone", "summary": "s"}),
        ("appendLabelChange", {"targetId": "gone", "label": "x"}),
        ("createBranchedSession", {"leafId": "gone"}),
        ("appendContextEdit", {"targetId": "gone", "replacement": None}),
        ("getBranch", {"fromId": "gone"}),
        ("getChildren", {"parentId": "gone"}),
        ("getEntries", {"cursor": "gone"}),
        ("buildSessionContext", {"leafId": "gone"}),
    ],
)
async def test_a_missing_entry_is_named_in_the_error(opener, method, params):
    session = await opener.open(header(), entry("a"))
    error = await refused(session.call(method, **params))
    assert (error.kind, error.message) == ("EntryNotFound", "Entry gone not found")
    assert error.data["entryId"] == "gone"
    assert await session.call("getLeafId") == {"leafId": "a"}
    assert len(lines_of(session.file)) == 2


# --- branching off, forking -----------------------------------------------------------------------


async def test_a_branched_session_is_chained_again_without_its_labels(opener):
    label = {"type": "label", "targetId": "a", "label": "L", "timestamp": TIME}
    compaction = {
        "type": "compaction",
        "summary": "s",
        "firstKeptEntryId": "l",
        "tokensBefore": 1,
        "message": None,
    }
    session = await opener.open(
        header(),
        entry("a"),
        json.dumps({**label, "id": "l", "parentId": "a"}),
        entry("b", "l"),
        json.dumps({**compaction, "id": "c", "parentId": "b", "timestamp": TIME}),
        entry("aside", "a"),
    )
    before = session.file.read_bytes()
    state = await session.call("createBranchedSession", leafId="c")
    old, session = session.file, Session(session.client, state)
    stored = [json.loads(line) for line in lines_of(session.file)]
    assert stored[0]["parentSession"] == str(old)
    assert [(each["id"], each["parentId"]) for each in stored[1:4]] == [
        ("a", None),
        ("b", "a"),
        ("c", "b"),
    ]
    assert stored[3]["firstKeptEntryId"] == "b"
    assert (stored[4]["targetId"], stored[4]["parentId"], stored[4]["timestamp"]) == (
        "a",
        "c",
        TIME,
    )
    assert old.read_bytes() == before


async def test_a_branch_without_conversation_waits_to_be_written(opener):
    change = {"type": "model_change", "provider": "p", "modelId": "m"}
    first = json.dumps({**change, "id": "m", "parentId": None, "timestamp": TIME})
    session = await opener.open(header(), first, entry("a", "m"))
    state = await session.call("createBranchedSession", leafId="m")
    session = Session(session.client, state)
    assert (session.file.exists(), await session.ids()) == (False, ["m"])
    await session.call("appendMessage", message=user("b"))
    assert len(lines_of(session.file)) == 3


async def test_a_fork_of_an_old_file_has_ids_and_a_new_header(opener):
    source = opener.folder / "v1.jsonl"
    old = json.dumps({"type": "session", "id": "old", "timestamp": TIME, "cwd": "/w"})
    said = json.dumps({"type": "message", "timestamp": TIME, "message": user("a")})
    source.write_text(f"{old}\n{said}\n{said}\n")
    before = source.read_bytes()
    params = {"sourcePath": str(source), "targetCwd": "/t", "sessionDir": str(opener.folder)}
    session = Session(opener.client, await opener.client.request("session/forkFrom", params))
    stored = [json.loads(line) for line in lines_of(session.file)]
    assert (stored[0]["version"], stored[0]["cwd"], stored[0]["parentSession"]) == (
        3,
        "/t",
        str(source),
    )
    assert stored[1]["parentId"] is None
    assert stored[2]["parentId"] == stored[1]["id"]
    assert source.read_bytes() == before


@pytest.mark.parametrize("content", [None, "", "notes\n"])
async def test_a_session_that_cannot_be_forked_is_refused_with_pi_s_message(opener, content):
    source = opener.folder / "source.jsonl"
    if content is not None:
        source.write_text(content)
    params = {"sourcePath": str(source), "targetCwd": "/t", "sessionDir": str(opener.folder)}
    error = await refused(opener.client.request("session/forkFrom", params))
    assert error.message == f"Cannot fork: source session file is empty or invalid: {source}"


# --- directories and lists ------------------------------------------------------------------------


async def test_a_custom_session_directory_lists_only_the_sessions_of_the_cwd(opener):
    folder = opener.folder
    (folder / "mine.jsonl").write_text(header(id="mine") + "\n")
    (folder / "other.jsonl").write_text(header(id="other", cwd="/other") + "\n")
    (folder / "none.jsonl").write_text(header(id="none", cwd="") + "\n")
    (folder / "mine.jsonl.bak").write_text(header(id="bak") + "\n")
    (folder / "dir.jsonl").mkdir()
    where = {"cwd": "/w", "sessionDir": str(folder)}
    listed = await opener.client.request("session/list", where)
    assert [each["id"] for each in listed["sessions"]] == ["mine"]
    for wanted, found in (("mine", str(folder / "mine.jsonl")), ("other", None), ("gone", None)):
        answer = await opener.client.request("session/findById", {**where, "id": wanted})
        assert answer["path"] == found
        assert [each["path"] for each in answer["problems"]] == [str(folder / "dir.jsonl")]
    recent = await opener.client.request("session/continueRecent", where)
    assert recent["sessionId"] == "mine"


async def test_to_continue_is_to_open_the_file_that_changed_last_or_a_new_one(opener, tmp_path):
    folder = tmp_path / ".pi/agent/sessions/--w--"
    folder.mkdir(parents=True)
    for number, name in enumerate(["b", "c", "a"]):
        (folder / f"{name}.jsonl").write_text("\nbroken\n" + header(id=name) + "\n")
        os.utime(folder / f"{name}.jsonl", (number, number))
    (folder / "newest.jsonl").write_text("no session\n")
    recent = await opener.client.request("session/continueRecent", {"cwd": "/w"})
    assert recent["sessionId"] == "a"
    new = await opener.client.request("session/continueRecent", {"cwd": "/elsewhere"})
    assert (new["entryCount"], new["cwd"]) == (0, "/elsewhere")


async def test_working_directories_are_resolved(opener, tmp_path):
    state = (await opener.create(cwd="~/x/../y/")).state
    assert state["cwd"] == str(tmp_path / "y")


async def test_the_cwd_of_the_header_may_be_overridden_on_opening(opener):
    assert (await opener.open(header(), cwd="/else")).state["cwd"] == "/else"
    assert (await opener.open(header())).state["cwd"] == "/w"


# --- context --------------------------------------------------------------------------------------


async def test_a_compaction_that_keeps_nothing_names_itself(opener):
    session = await opener.open(header(), entry("a"))
    for given in ({}, {"firstKeptEntryId": None}):
        made = await session.call("appendCompaction", summary="s", tokensBefore=5, **given)
        stored = (await session.call("getEntry", id=made["id"]))["entry"]
        assert stored["firstKeptEntryId"] == made["id"]
    context = await session.call("buildSessionContext")
    assert [message["role"] for message in context["messages"]] == ["compactionSummary"]


async def test_the_system_message_in_force_is_kept_in_the_compaction(opener):
    session = await opener.open(header(), entry("a"))
    system = {"role": "system", "content": "be kind", "timestamp": 1}
    await session.call("appendMessage", message=system)
    made = await session.call("appendCompaction", summary="s", tokensBefore=5)
    stored = (await session.call("getEntry", id=made["id"]))["entry"]
    assert stored["systemMessage"]["content"] == "be kind"
    assert list(stored)[-1] == "systemMessage"
    roles = [each["role"] for each in (await session.call("buildSessionContext"))["messages"]]
    assert roles == ["system", "compactionSummary"]


@pytest.mark.parametrize(
    ("role", "content", "shown"),
    [("user", None, []), ("assistant", None, []), ("toolResult", None, []), ("system", None, "")],
)
async def test_missing_content_is_empty_in_the_context(opener, role, content, shown):
    message = {"role": role, "content": content}
    session = await opener.open(header(), entry("a", message=message))
    context = await session.call("buildSessionContext")
    assert context["messages"] == [{"role": role, "content": shown}]
    assert json.loads(lines_of(session.file)[1])["message"] == message


@pytest.mark.parametrize(
    ("target", "replacement", "error"),
    [
        ("a", {"content": 5}, -32602),
        ("a", {}, -32602),
        ("a", "text", -32602),
        ("aside", None, "NotEditable"),
        ("info", None, "NotEditable"),
    ],
)
async def test_only_entries_on_the_branch_that_reach_the_model_can_be_edited(
    opener, target, replacement, error
):
    info = json.dumps({"type": "session_info", "id": "info", "parentId": "a", "name": "n"})
    session = await opener.open(header(), entry("a"), entry("aside", "a"), info)
    params = {"targetId": target, "replacement": replacement}
    raised = await refused(session.call("appendContextEdit", **params))
    assert error in {raised.code, raised.kind}
    if error == -32602:
        assert raised.data["pointer"].startswith("/replacement")


async def test_an_in_memory_session_may_begin_with_entries(opener):
    entries = [json.loads(header()), json.loads(entry("a")), json.loads(entry("b", "a"))]
    state = await opener.client.request("session/inMemory", {"entries": entries})
    session = Session(opener.client, state)
    assert (state["sessionId"], state["leafId"], state["sessionFile"]) == ("x", "b", None)
    await session.call("appendMessage", message=user("c"))
    assert len(await session.ids()) == 3


@pytest.mark.parametrize(
    ("message", "path"),
    [
        ("text", "/message"),
        (["x"], "/message"),
        ({}, "/message/role"),
        ({"role": 5}, "/message/role"),
        ({"role": "compactionSummary", "summary": "s"}, "/message/role"),
        ({"role": "branchSummary", "summary": "s"}, "/message/role"),
    ],
)
async def test_a_message_needs_a_role_that_may_be_appended(opener, message, path):
    session = await opener.open(header(), entry("a"))
    error = await refused(session.call("appendMessage", message=message))
    assert (error.code, error.data["pointer"]) == (-32602, path)
    assert len(lines_of(session.file)) == 2


async def test_a_new_session_with_the_id_of_the_present_one_is_answered(tmp_path: Path):
    # Gateways name files by the id alone, so both sessions have the same path.
    async with daemon(tmp_path, profile="coderclaw") as client:
        created = await client.request("session/create", {"cwd": "/w"})
        params = {"session": created["session"], "id": "same"}
        first = await client.request("session/newSession", params)
        second = await client.request("session/newSession", params)
        assert first["sessionFile"] == second["sessionFile"]
        message = {"session": created["session"], "message": user("x")}
        assert (await client.request("session/appendMessage", message))["written"]


@pytest.mark.parametrize(
    "cursor", ["#--1:x", "#²:x", "#-:x", "#" + "1" * 5_000 + ":x", "#1e3:x", "# 1:x", "#٣:x"]
)
async def test_a_cursor_that_is_none_is_refused(opener, cursor):
    session = await opener.open(header(), entry("a"))
    with pytest.raises(RpcError) as raised:
        await session.call("getEntries", cursor=cursor)
    assert raised.value.kind == "EntryNotFound"


async def test_a_time_in_nanoseconds_puts_no_session_on_top_of_the_list(tmp_path: Path):
    late = {**user("late"), "timestamp": 1_790_000_000_000_000_000}
    for name, message, time in (
        ("odd", late, "2026-01-01T00:00:00.000Z"),
        ("new", user("new"), "2026-02-01T00:00:00.000Z"),
    ):
        line = {**json.loads(entry("a")), "message": message, "timestamp": time}
        text = f"{header(id=name)}\n{json.dumps(line)}\n"
        (tmp_path / f"{name}.jsonl").write_text(text)
    async with daemon(tmp_path) as client:
        found = await client.request("session/listAll", {"sessionDir": str(tmp_path)})
    assert [info["id"] for info in found["sessions"]] == ["new", "odd"]
    assert found["sessions"][1]["modified"] == "2026-01-01T00:00:00.000Z"


async def test_a_view_around_an_entry_begins_before_it(opener: Opener):
    ids = [f"e{number}" for number in range(9)]
    lines = [entry(each, parent) for each, parent in zip(ids, [None, *ids], strict=False)]
    session = await opener.open(header(), *lines, entry("other", "e1"), entry("last", "e8"))

    async def around(entry_id: str, **params: Any) -> list[str]:
        view = await session.call("getView", around=entry_id, **params)
        return [item["entryId"] for item in view["items"]]

    branch = [*ids, "last"]
    assert await around("e4", limit=4) == ["e2", "e3", "e4", "e5"]
    assert await around("e0", limit=3) == branch[:3]
    assert await around("last", limit=4) == ["e7", "e8", "last"]
    assert await around("e4") == branch
    # Of another branch, what leads to the entry.
    assert await around("other", limit=4) == ["e0", "e1", "other"]
    assert await around("e2", limit=2, leafId="e2") == ["e1", "e2"]
    with pytest.raises(RpcError) as failure:
        await around("gone")
    assert failure.value.kind == "EntryNotFound"
