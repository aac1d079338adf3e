"""Commands of `sessiond lsp`: transcripts, pages, forks and repairs, as an editor runs them."""

import asyncio
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.uris import to_fs_path
from support.editors import DEADLINE, Editor, editor
from support.session_lines import append, header, line

SHOWS = types.ClientCapabilities(
    window=types.WindowClientCapabilities(show_document=types.ShowDocumentClientCapabilities(True))
)


def conversation(directory: Path) -> Path:
    file = directory / "session.jsonl"
    lines = (line("a", None, "first words"), line("b", "a", "second"), line("c", "b", "third"))
    file.write_text(header() + "".join(lines))
    return file


async def offered(client: Editor, file: Path, at: int) -> dict[str, types.Command]:
    place = types.Range(types.Position(at, 0), types.Position(at, 0))
    document = types.TextDocumentIdentifier(file.as_uri())
    params = types.CodeActionParams(document, place, types.CodeActionContext([]))
    found = await client.call(types.TEXT_DOCUMENT_CODE_ACTION, params)
    return {each.title: each for each in found}


async def run(client: Editor, command: types.Command) -> Any:
    return await client.run(command.command, *(command.arguments or ()))


async def test_a_transcript_is_written_to_the_cache_and_shown(tmp_path: Path):
    file = conversation(tmp_path)
    async with editor(tmp_path, capabilities=SHOWS) as client:
        actions = await offered(client, file, 2)
        made = []
        for title in ("Open the transcript", "Open the transcript up to here") * 2:
            made.append(await run(client, actions[title]))
            assert await client.next(client.shown) == made[-1]
    whole, part, again, _ = made
    assert whole == again != part
    written = Path(to_fs_path(whole) or "")
    assert written.is_relative_to(tmp_path / ".cache" / "sessiond")
    assert written.stat().st_mode & 0o777 == 0o600
    assert written.suffix == ".md"
    assert "third" in written.read_text()
    text = Path(to_fs_path(part) or "").read_text()
    assert "second" in text
    assert "third" not in text


async def test_an_editor_that_shows_no_documents_gets_the_address(tmp_path: Path):
    file = conversation(tmp_path)
    async with editor(tmp_path) as client:
        address = await client.run("sessiond.openTranscript", file.as_uri())
        path = to_fs_path(address) or ""
        assert await client.next(client.said) == f"Transcript: {path}"
        assert client.shown.empty()
    assert "first words" in Path(path).read_text()


async def test_an_editor_with_virtual_documents_reads_the_transcript_live(tmp_path: Path):
    file = conversation(tmp_path)
    content = types.TextDocumentContentClientCapabilities()
    workspace = types.WorkspaceClientCapabilities(text_document_content=content)
    capabilities = types.ClientCapabilities(window=SHOWS.window, workspace=workspace)

    async def read(client: Editor, address: str) -> str:
        params = types.TextDocumentContentParams(address)
        found: str = (await client.call(types.WORKSPACE_TEXT_DOCUMENT_CONTENT, params)).text
        return found

    async with editor(tmp_path, capabilities=capabilities) as client:
        client.open(file)
        address = await client.run("sessiond.openTranscript", file.as_uri())
        assert await client.next(client.shown) == address
        assert address.startswith("sessiond:")
        assert "third" in await read(client, address)
        # The file is followed once its problems were told.
        await asyncio.wait_for(client.told.get(), DEADLINE)
        append(file, line("d", "c", "fourth"))
        assert await asyncio.wait_for(client.refreshed.get(), DEADLINE) == address
        assert "fourth" in await read(client, address)
        upto = await client.run("sessiond.openTranscript", file.as_uri(), "a")
        assert "second" not in await read(client, upto)
        for wrong in ("file:///etc/hostname", "sessiond:/no/such.jsonl", "sessiond:"):
            with pytest.raises(JsonRpcException):
                await read(client, wrong)
    assert not (tmp_path / ".cache" / "sessiond" / "transcripts").exists()


async def test_a_page_is_exported_and_a_lens_offers_it(tmp_path: Path):
    file = conversation(tmp_path)
    async with editor(tmp_path, capabilities=SHOWS) as client:
        document = types.TextDocumentIdentifier(file.as_uri())
        lenses = await client.call(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensParams(document))
        assert [each.range.start.line for each in lenses] == [0, 0]
        commands = {each.command.title: each.command for each in lenses}
        address = await run(client, commands["page"])
        assert await client.next(client.shown) == address
    assert "first words" in Path(to_fs_path(address) or "").read_text()


async def test_a_fork_is_a_new_session_that_ends_at_the_entry(tmp_path: Path):
    file = conversation(tmp_path)
    before = file.read_bytes()
    async with editor(tmp_path, capabilities=SHOWS) as client:
        actions = await offered(client, file, 2)
        fork = "Branch from here: a new session that ends with this entry"
        address = await run(client, actions[fork])
        assert fork not in await offered(client, file, 0)
        assert await client.next(client.shown) == address
        with pytest.raises(JsonRpcException, match="nope"):
            await client.run("sessiond.fork", file.as_uri(), "nope")
    made = Path(to_fs_path(address) or "")
    assert made != file
    assert [name for name in ("first words", "second", "third") if name in made.read_text()] == [
        "first words",
        "second",
    ]
    assert file.read_bytes() == before


@pytest.mark.parametrize("answer", [None, "Cancel", "Repair"])
async def test_a_repair_is_shown_before_it_is_done(tmp_path: Path, answer: str | None):
    file = conversation(tmp_path)
    append(file, '{"type":"mess')
    before = file.read_bytes()
    async with editor(tmp_path) as client:
        client.answer = answer
        await client.run("sessiond.repair", file.as_uri())
        assert "line 5: " in await client.next(client.questions)
        if answer == "Repair":
            assert (await client.next(client.said)).startswith("Repaired.")
        assert (file.read_bytes() != before) == (answer == "Repair")
        await client.run("sessiond.repair", file.as_uri())
        again = client.said if answer == "Repair" else client.questions
        assert await client.next(again)
    kept = [each for each in tmp_path.iterdir() if ".bak-" in each.name]
    assert [each.read_bytes() for each in kept] == ([before] if answer == "Repair" else [])


async def test_a_command_for_no_session_is_a_clear_error(tmp_path: Path):
    commands = ("openTranscript", "exportPage", "repair")
    uris = ("untitled:one", "file:///no/such.jsonl", "")
    async with editor(tmp_path) as client:
        for command, uri in product(commands, uris):
            with pytest.raises(JsonRpcException) as refused:
                await client.run(f"sessiond.{command}", uri)
            assert refused.value.code != types.ErrorCodes.InternalError, (command, uri)
