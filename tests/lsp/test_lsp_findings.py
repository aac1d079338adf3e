"""What editors met: damage, old versions, odd paths, restrictions, settings."""

import asyncio
import contextlib
import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.uris import to_fs_path
from support.editors import DEADLINE, Editor, editor
from support.raw_editor import raw
from support.session_lines import append, header, line, replace

EVERYTHING = types.Range(types.Position(0, 0), types.Position(99, 0))


def session(directory: Path, name: str = "session.jsonl") -> Path:
    file = directory / name
    file.write_text(header() + line("u1", None, "hello") + line("u2", "u1", "again"))
    return file


def old_session(directory: Path, version: int) -> Path:
    """A session of version 1, whose entries have no ids, or of version 2."""
    file = directory / "old.jsonl"
    first: dict[str, Any] = {**json.loads(header()), "version": version}
    entries: list[dict[str, Any]] = [json.loads(line("u1", None, "one"))]
    entries.append({**json.loads(line("u2", "u1", "two"))})
    entries.append({**json.loads(line("u3", "u2", "three"))})
    if version == 1:
        del first["version"]
        for entry in entries:
            del entry["id"], entry["parentId"]
    file.write_text("".join(json.dumps(each) + "\n" for each in (first, *entries)))
    return file


async def symbols(client: Editor, file: Path) -> Any:
    return await client.about(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, types.DocumentSymbolParams, file)


async def kinds(client: Editor) -> list[Any]:
    return [
        (one.range.start.line, one.code) for one in (await client.next(client.told)).diagnostics
    ]


async def until(client: Editor, wanted: list[Any]) -> None:
    """Wait until the server tells these problems."""
    async with asyncio.timeout(DEADLINE):
        while await kinds(client) != wanted:
            pass


async def actions(client: Editor, file: Path, at: int, **context: Any) -> list[Any]:
    place = types.Range(types.Position(at, 0), types.Position(at, 0))
    document = types.TextDocumentIdentifier(file.as_uri())
    given = types.CodeActionContext([], **context)
    params = types.CodeActionParams(document, place, given)
    found: list[Any] = await client.call(types.TEXT_DOCUMENT_CODE_ACTION, params)
    return found


@pytest.mark.parametrize(
    ("added", "wanted"),
    [
        ("{damaged\n", (3, "malformedLine")),
        ('{"type":"mess', (3, "tornTail")),
        (line("u9", "gone"), (3, "orphan")),
    ],
)
async def test_damage_is_told_also_if_no_entry_comes_with_it(
    tmp_path: Path, added: str, wanted: Any
):
    file = session(tmp_path)
    async with editor(tmp_path) as client:
        client.open(file)
        await until(client, [])
        append(file, added)
        await until(client, [wanted])
        replace(file, header() + line("u1"))
        await until(client, [])


async def test_problems_of_a_file_that_is_gone_are_cleared(tmp_path: Path):
    file = session(tmp_path)
    append(file, "{damaged\n")
    async with editor(tmp_path) as client:
        client.open(file)
        await until(client, [(3, "malformedLine")])
        file.unlink()
        await until(client, [])


async def test_a_file_that_becomes_a_session_is_followed_from_then_on(tmp_path: Path):
    file = tmp_path / "session.jsonl"
    file.write_text("")
    async with editor(tmp_path) as client:
        client.open(file)
        await until(client, [])
        append(file, header() + line("u1") + "{damaged\n")
        await until(client, [(2, "malformedLine")])


async def test_an_editor_that_asks_but_cannot_be_told_to_ask_again_is_told(tmp_path: Path):
    """As Neovim 0.11: it asks for problems once, and again only when its buffer changes."""
    file = session(tmp_path)
    pulls = types.TextDocumentClientCapabilities(diagnostic=types.DiagnosticClientCapabilities())
    async with editor(
        tmp_path, capabilities=types.ClientCapabilities(text_document=pulls)
    ) as client:
        assert client.offered.diagnostic_provider is None
        client.open(file)
        await until(client, [])
        append(file, "{damaged\n")
        await until(client, [(3, "malformedLine")])


async def test_thousands_of_problems_are_summed_up(tmp_path: Path):
    file = session(tmp_path)
    append(file, "{damaged\n" * 3000)
    async with editor(tmp_path) as client:
        client.open(file)
        found = (await client.next(client.told)).diagnostics
    assert len(found) == 1001
    assert "2,000 more" in found[-1].message


@pytest.mark.parametrize("version", [1, 2])
async def test_sessions_of_old_versions_are_shown_and_forked_and_stay_as_they_are(
    tmp_path: Path, version: int
):
    file = old_session(tmp_path, version)
    before = file.read_bytes()
    async with editor(tmp_path) as client:
        client.open(file)
        found = await symbols(client, file)
        assert [one.name for one in found] == ["User: one", "User: two", "User: three"]
        assert [one.range.start.line for one in found] == [1, 2, 3]
        offered = {each.title: each for each in await actions(client, file, 2)}
        assert not [title for title in offered if "abel" in title]
        fork = offered["Branch from here: a new session that ends with this entry"]
        made = Path(to_fs_path(await client.run(fork.command, *fork.arguments)) or "")
    assert file.read_bytes() == before
    assert "two" in made.read_text()
    assert "three" not in made.read_text()


async def test_transcripts_of_any_path_are_read_and_refreshed(tmp_path: Path):
    content = types.TextDocumentContentClientCapabilities()
    workspace = types.WorkspaceClientCapabilities(text_document_content=content)
    async with editor(
        tmp_path, capabilities=types.ClientCapabilities(workspace=workspace)
    ) as client:
        for name in ("a b.jsonl", "c#?%41;é.jsonl", "line\nfeed.jsonl", "\udcff.jsonl"):
            file = session(tmp_path, name)
            uri = f"file://{quote(os.fsencode(file))}"
            address = await client.run("sessiond.openTranscript", uri)
            # The session itself is not open.
            params = types.TextDocumentContentParams(address)
            text = (await client.call(types.WORKSPACE_TEXT_DOCUMENT_CONTENT, params)).text
            assert "again" in text
            append(file, line("u3", "u2", "third"))
            # That of the file before may be told once more.
            while await client.next(client.refreshed) != address:
                pass
            text = (await client.call(types.WORKSPACE_TEXT_DOCUMENT_CONTENT, params)).text
            assert "third" in text


async def test_restrictions_hold_and_leave_the_transcript(tmp_path: Path):
    (tmp_path / "allowed").mkdir()
    file = session(tmp_path / "allowed")
    append(file, "{damaged\n")
    outside = session(tmp_path)
    before = sorted(os.listdir(tmp_path / "allowed"))
    async with editor(tmp_path, "--root", str(tmp_path / "allowed"), "--read-only") as client:
        client.open(file)
        address = await client.run("sessiond.openTranscript", file.as_uri())
        assert "hello" in Path(to_fs_path(address) or "").read_text()
        found = {each.command for each in await actions(client, file, 1)}
        assert not found & {"sessiond.fork", "sessiond.repair", "sessiond.label"}
        for command in (["fork", "u1"], ["repair"], ["label", "u1", "x"]):
            with pytest.raises(JsonRpcException) as refused:
                await client.run(f"sessiond.{command[0]}", file.as_uri(), *command[1:])
            assert refused.value.data["kind"] == "ReadOnly"
        with pytest.raises(JsonRpcException) as refused:
            await client.run("sessiond.openTranscript", outside.as_uri())
        assert refused.value.data["kind"] == "PathNotAllowed"
    assert sorted(os.listdir(tmp_path / "allowed")) == before


async def test_transcripts_are_removed_when_their_session_is_gone(tmp_path: Path):
    file, other = session(tmp_path), session(tmp_path, "other.jsonl")
    async with editor(tmp_path) as client:
        address = await client.run("sessiond.openTranscript", file.as_uri())
        file.unlink()
        await client.run("sessiond.openTranscript", other.as_uri())
    written = Path(to_fs_path(address) or "")
    assert not written.exists()
    assert len(list(written.parent.iterdir())) == 2


async def test_a_document_that_the_editor_cannot_show_is_named(tmp_path: Path):
    file = session(tmp_path)
    support = types.ShowDocumentClientCapabilities(support=True)
    window = types.WindowClientCapabilities(show_document=support)
    async with editor(tmp_path, capabilities=types.ClientCapabilities(window=window)) as client:
        client.shows = False
        address = await client.run("sessiond.exportPage", file.as_uri())
        assert await client.next(client.said) == f"Page: {to_fs_path(address)}"


async def test_actions_have_kinds_and_repair_only_where_there_is_damage(tmp_path: Path):
    file, damaged = session(tmp_path), session(tmp_path, "damaged.jsonl")
    append(damaged, "{damaged\n")
    literal = {"codeActionKind": {"valueSet": [""]}}
    at = {"line": 1, "character": 0}

    # The client of pygls takes every action with a command for a command.
    async with raw(tmp_path) as client:
        await client.greet(textDocument={"codeAction": {"codeActionLiteralSupport": literal}})

        async def offered(number: int, file: Path, **context: Any) -> list[Any]:
            place = {"range": {"start": at, "end": at}, "textDocument": {"uri": file.as_uri()}}
            params = {**place, "context": {"diagnostics": [], **context}}
            answered = await client.call(number, "textDocument/codeAction", params)
            return [each["kind"] for each in answered["result"]]

        found = await offered(1, file)
        assert {kind.partition(".")[0] for kind in found} == {"source", "refactor"}
        assert await offered(2, damaged, only=["quickfix"]) == ["quickfix"]
        assert not await offered(3, file, only=["source.organizeImports"])
        assert not await offered(4, file, triggerKind=2)


async def test_an_entry_is_labelled_and_the_label_removed(tmp_path: Path):
    file = session(tmp_path)
    async with editor(tmp_path) as client:
        client.open(file)
        await symbols(client, file)
        await client.run("sessiond.label", file.as_uri(), "u1", "start")
        assert (await symbols(client, file))[0].name == "User: hello [start]"
        params = types.ReferenceParams(
            types.ReferenceContext(include_declaration=True),
            types.TextDocumentIdentifier(file.as_uri()),
            types.Position(1, 0),
        )
        found = await client.call(types.TEXT_DOCUMENT_REFERENCES, params)
        assert [place.range.start.line for place in found] == [1, 2, 3]
        await client.run("sessiond.label", file.as_uri(), "u1", "")
        assert (await symbols(client, file))[0].name == "User: hello"


async def test_commands_check_their_arguments(tmp_path: Path):
    file = session(tmp_path)
    async with editor(tmp_path) as client:
        for arguments in ([], [file.as_uri()], [file.as_uri(), "u1", "u2"]):
            with pytest.raises(JsonRpcException) as refused:
                await client.run("sessiond.fork", *arguments)
            assert refused.value.code == types.ErrorCodes.InvalidParams


async def test_files_of_calls_and_the_parent_session_are_links(tmp_path: Path):
    file = tmp_path / "session.jsonl"
    call = {"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": "é/a.py"}}
    first = {**json.loads(header()), "parentSession": "/w/parent.jsonl"}
    message = {"role": "assistant", "content": [call]}
    lines = [json.dumps(first), line("a1", None, message=message).strip()]
    file.write_text("\n".join(lines) + "\n")
    document = types.DocumentLinkParams(types.TextDocumentIdentifier(file.as_uri()))
    async with editor(tmp_path, encodings=["utf-32"]) as client:
        found = await client.call(types.TEXT_DOCUMENT_DOCUMENT_LINK, document)
    texts = [
        lines[one.range.start.line][one.range.start.character : one.range.end.character]
        for one in found
    ]
    assert texts == ["/w/parent.jsonl", json.dumps("é/a.py")[1:-1]]
    assert [to_fs_path(one.target) for one in found] == ["/w/parent.jsonl", "/w/é/a.py"]


async def test_settings_mask_secrets_and_hide_hints(tmp_path: Path):
    file = tmp_path / "session.jsonl"
    secret = "sk-ant-api03-" + "aB3" * 30
    file.write_text(header() + line("u1", None, f"key {secret}"))
    document = types.TextDocumentIdentifier(file.as_uri())
    asked = types.InlayHintParams(document, EVERYTHING)
    async with editor(tmp_path) as client:
        client.open(file)
        assert secret[:20] in str(await client.call(types.TEXT_DOCUMENT_INLAY_HINT, asked))
        given = types.DidChangeConfigurationParams({"sessiond": {"mask": True, "hints": True}})
        client.workspace_did_change_configuration(given)
        hints = str(await client.call(types.TEXT_DOCUMENT_INLAY_HINT, asked))
        assert "masked" in hints
        assert secret[:20] not in hints
        shown = await client.about(types.TEXT_DOCUMENT_HOVER, types.HoverParams, file, 1)
        assert secret[:20] not in shown.contents.value
        assert secret[:20] not in (await symbols(client, file))[0].name
        given = types.DidChangeConfigurationParams({"sessiond": {"hints": False}})
        client.workspace_did_change_configuration(given)
        assert not await client.call(types.TEXT_DOCUMENT_INLAY_HINT, asked)


async def test_symbols_of_a_search_are_resolved_when_one_is_chosen(tmp_path: Path):
    directory = tmp_path / ".pi/agent/sessions/--w--"
    directory.mkdir(parents=True)
    file = session(directory, "2026-01-01T00-00-00-000Z_x.jsonl")
    lazily = types.ClientSymbolResolveOptions(["location.range"])
    symbol = types.WorkspaceSymbolClientCapabilities(resolve_support=lazily)
    workspace = types.WorkspaceClientCapabilities(symbol=symbol)
    async with editor(
        tmp_path, capabilities=types.ClientCapabilities(workspace=workspace)
    ) as client:
        asked = types.WorkspaceSymbolParams("again")
        (found,) = await client.call(types.WORKSPACE_SYMBOL, asked)
        assert isinstance(found.location, types.LocationUriOnly)
        resolved = await client.call(types.WORKSPACE_SYMBOL_RESOLVE, found)
    assert resolved.location.uri == file.as_uri()
    assert resolved.location.range.start.line == 2


async def test_nothing_stays_open_for_requests_about_closed_files(tmp_path: Path):
    file = session(tmp_path)
    async with editor(tmp_path, is_forked=False) as client:
        await symbols(client, file)
        client.open(file)
        await symbols(client, file)
        params = types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(file.as_uri()))
        client.text_document_did_close(params)
        await symbols(client, file)
        listed = f"/proc/{client.process}/fd"
        held = set()
        for each in os.listdir(listed):
            # Some are closed meanwhile.
            with contextlib.suppress(FileNotFoundError):
                held.add(os.readlink(f"{listed}/{each}"))
    assert str(file) not in held


async def test_the_store_is_in_the_arguments_of_no_process(tmp_path: Path):
    """`ps` shows arguments to everybody; the editor gives the store in the environment."""
    word = "pa55word"
    store = f"postgresql://app:{word}@127.0.0.1:1/none"
    async with editor(tmp_path, env={"SESSIOND_STORE": store}, is_forked=False) as client:
        with pytest.raises(JsonRpcException):
            await client.call("session/listAll", {})
        seen = [
            (entry / "cmdline").read_bytes()
            for entry in Path("/proc").iterdir()
            if entry.name.isdigit() and _is_below(int(entry.name), client.process)
        ]
    assert seen
    assert not [each for each in seen if word.encode() in each]


def _is_below(pid: int, ancestor: int) -> bool:
    while pid > 1:
        if pid == ancestor:
            return True
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return False
    return False


async def test_appends_fail_no_request(tmp_path: Path):
    """Each request is answered about some state of the file between its sending and its answer."""
    file = session(tmp_path)
    ended = asyncio.Event()

    async def grow() -> int:
        number = 2
        while not ended.is_set():
            number += 1
            append(file, line(f"u{number}", f"u{number - 1}"))
            await asyncio.sleep(0.005)
        return number

    async with editor(tmp_path) as client:
        client.open(file)
        growing = asyncio.create_task(grow())
        document = types.TextDocumentIdentifier(file.as_uri())
        seen = 0
        for _ in range(50):
            asked = types.DocumentSymbolParams(document)
            found = await client.call(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, asked)
            assert len(found) >= seen
            seen = len(found)
            hints = types.InlayHintParams(document, EVERYTHING)
            assert await client.call(types.TEXT_DOCUMENT_INLAY_HINT, hints)
        ended.set()
        assert len(await symbols(client, file)) == await growing
