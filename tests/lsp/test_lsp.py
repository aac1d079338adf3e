"""`sessiond lsp` as an editor uses it: a process of its own, and the client of pygls."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from support.editors import editor
from support.session_lines import header, line

from sessiond.files.contents import Contents
from sessiond.format.load import load
from sessiond.format.tree.tree import Tree
from sessiond.lsp.outline import Outline
from sessiond.lsp.rows import RowMaker, Rows, units


def said(role: str, entry_id: str, parent: str | None, content: Any, **more: Any) -> str:
    return line(entry_id, parent, message={"role": role, "content": content, **more})


def conversation(directory: Path) -> Path:
    file = directory / "session.jsonl"
    call = {"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": "a.py"}}
    file.write_text(
        header()
        + line("u1", None, "hello *world*")
        + said("assistant", "a1", "u1", [{"type": "text", "text": "hi"}, call])
        + said(
            "toolResult",
            "r1",
            "a1",
            [{"type": "text", "text": "print()"}],
            toolCallId="c1",
            toolName="read",
        )
        + line("u2", "r1", "one way")
        + line("u3", "r1", "another way")
    )
    return file


async def symbols(client: Any, file: Path) -> Any:
    return await client.about(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, types.DocumentSymbolParams, file)


async def hover(client: Any, file: Path, at: int) -> Any:
    return await client.about(types.TEXT_DOCUMENT_HOVER, types.HoverParams, file, at)


def names(found: Any) -> list[Any]:
    return [(one.name, names(one.children)) if one.children else one.name for one in found]


async def test_the_outline_has_turns_and_branches_where_they_part(tmp_path: Path):
    file = conversation(tmp_path)
    async with editor(tmp_path) as client:
        client.open(file)
        found = await symbols(client, file)
    branches = [
        ("Branch 1 of 2: one way", ["User: one way"]),
        ("Branch 2 of 2 (current): another way", ["User: another way"]),
    ]
    result = found[0].children[1]
    assert len(found) == 1
    assert found[0].name == "User: hello *world*"
    assert found[0].children[0].name == "Assistant: hi"
    assert result.name == "read: a.py → print()"
    assert names(result.children) == branches
    # Each symbol covers those in it.
    assert (found[0].range.start.line, found[0].range.end.line) == (1, 5)
    assert found[0].selection_range.end.line == 1


async def places(client: Any, method: str, file: Path, at: int) -> list[int]:
    # The params of all three have these members.
    found = await client.about(method, types.DefinitionParams, file, at)
    return [place.range.start.line for place in found]


async def test_definition_references_and_implementation_lead_through_the_tree(tmp_path: Path):
    file = conversation(tmp_path)
    async with editor(tmp_path) as client:
        assert await places(client, types.TEXT_DOCUMENT_DEFINITION, file, 5) == [3]
        assert await places(client, types.TEXT_DOCUMENT_DEFINITION, file, 1) == []
        assert await places(client, types.TEXT_DOCUMENT_DEFINITION, file, 0) == []
        found = await client.call(
            types.TEXT_DOCUMENT_REFERENCES,
            types.ReferenceParams(
                types.ReferenceContext(include_declaration=False),
                types.TextDocumentIdentifier(file.as_uri()),
                types.Position(3, 0),
            ),
        )
        assert [place.range.start.line for place in found] == [4, 5]
        assert await places(client, types.TEXT_DOCUMENT_IMPLEMENTATION, file, 2) == [3]


async def test_turns_fold(tmp_path: Path):
    file = conversation(tmp_path)
    async with editor(tmp_path) as client:
        found = await client.about(
            types.TEXT_DOCUMENT_FOLDING_RANGE, types.FoldingRangeParams, file
        )
    assert [(fold.start_line, fold.end_line) for fold in found] == [(1, 3)]


async def told(client: Any) -> list[tuple[int, Any]]:
    async with asyncio.timeout(30):
        params = await client.told.get()
    return [(one.range.start.line, one.code) for one in params.diagnostics]


def undamaged(directory: Path) -> Path:
    file = directory / "session.jsonl"
    file.write_text(header() + line("u1") + line("u2", "u1"))
    return file


async def test_problems_are_told_when_another_program_changes_the_file(tmp_path: Path):
    file = undamaged(tmp_path)
    async with editor(tmp_path) as client:
        client.open(file)
        assert await told(client) == []
        with file.open("a") as out:
            out.write("{broken\n")
            out.write(line("u3", "u2"))
        found: list[tuple[int, Any]] = []
        while not found:
            found = await told(client)
        assert [at for at, _ in found] == [3]
        report = await client.about(
            types.TEXT_DOCUMENT_DIAGNOSTIC, types.DocumentDiagnosticParams, file
        )
        assert [one.range.start.line for one in report.items] == [3]


async def test_an_editor_that_pulls_diagnostics_is_sent_none(tmp_path: Path):
    file = undamaged(tmp_path)
    pulls = types.TextDocumentClientCapabilities(diagnostic=types.DiagnosticClientCapabilities())
    again = types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
    capabilities = types.ClientCapabilities(
        text_document=pulls, workspace=types.WorkspaceClientCapabilities(diagnostics=again)
    )
    async with editor(tmp_path, capabilities=capabilities) as client:
        client.open(file)
        assert await symbols(client, file)
        report = await client.about(
            types.TEXT_DOCUMENT_DIAGNOSTIC, types.DocumentDiagnosticParams, file
        )
        assert not report.items
        assert client.told.empty()


async def test_hints_say_what_a_line_is(tmp_path: Path):
    file = conversation(tmp_path)
    label = {"type": "label", "id": "l1", "parentId": "u3", "targetId": "u1", "label": "here"}
    with file.open("a") as out:
        out.write(json.dumps({**label, "timestamp": "2026-01-01T00:00:01.000Z"}) + "\n")
    seen = types.Range(types.Position(0, 0), types.Position(3, 5))
    document = types.TextDocumentIdentifier(file.as_uri())
    async with editor(tmp_path) as client:
        found = await client.call(
            types.TEXT_DOCUMENT_INLAY_HINT, types.InlayHintParams(document, seen)
        )
    time = "2026-01-01 00:00"
    assert [(hint.position.line, hint.label) for hint in found] == [
        (1, f"User · {time} · hello *world* · [here]"),
        (2, f"Assistant · {time} · hi"),
        (3, f"read · {time} · a.py → print() · 2 branches"),
    ]


async def test_a_file_outside_the_roots_is_refused(tmp_path: Path):
    file = conversation(tmp_path)
    async with editor(tmp_path, "--root", str(tmp_path / "allowed")) as client:
        with pytest.raises(JsonRpcException, match="outside the allowed roots"):
            await hover(client, file, 1)


async def test_workspace_symbols_are_what_a_search_finds(tmp_path: Path):
    directory = tmp_path / ".pi/agent/sessions/--w--"
    directory.mkdir(parents=True)
    file = directory / "2026-01-01T00-00-00-000Z_x.jsonl"
    file.write_text(header() + line("u1", None, "first") + line("u2", "u1", "a needle here"))
    async with editor(tmp_path) as client:
        found = await client.call(
            types.WORKSPACE_SYMBOL, types.WorkspaceSymbolParams("needle", work_done_token=1)
        )
        assert not await client.call(types.WORKSPACE_SYMBOL, types.WorkspaceSymbolParams("absent"))
    assert [(one.name, one.container_name) for one in found] == [("a needle here", "first")]
    assert found[0].location.uri == file.as_uri()
    assert found[0].location.range.start.line == 2


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(parents=st.lists(st.integers(0, 20), max_size=20), users=st.lists(st.booleans()))
def test_the_outline_has_every_entry_once_inside_its_parents(parents: list[int], users: list[bool]):
    """Entries that each continue any earlier one; what grows is equal to what is made at once."""
    nodes: list[dict[str, Any]] = []
    for number, wanted in enumerate([0, *parents]):
        parent = None if wanted >= number else f"e{wanted}"
        is_user = users[number] if number < len(users) else False
        nodes.append(
            {
                "id": f"e{number}",
                "parentId": parent,
                "children": [],
                "type": "message",
                "role": "user" if is_user else "assistant",
                "preview": "x",
            }
        )
        if parent is not None:
            nodes[wanted]["children"].append(f"e{number}")
    text = header() + "".join(
        line(node["id"], node["parentId"], message={"role": node["role"], "content": node["id"]})
        for node in nodes
    )
    contents = Contents.of(load(text.encode()), b"")
    rows = Rows()
    grown = Outline(lambda row: types.Range(*[types.Position(row.line, 0)] * 2))
    made = RowMaker("utf-8", str, {}, migrated=False).rows(contents.tree, 0, len(nodes))
    tree = Tree()
    for entry, row in zip(contents.tree.entries, made, strict=True):
        tree.add(entry)
        rows.add(row)
        found = grown.update(rows, tree)
    again = Outline(lambda row: types.Range(*[types.Position(row.line, 0)] * 2))
    assert found == again.update(rows, tree)
    ids = []
    todo = list(found)
    while todo:
        one = todo.pop()
        if not one.name.startswith("Branch"):
            ids.append(one.name.rpartition(" ")[2])
            assert one.selection_range.start.line == int(ids[-1][1:]) + 1
        assert one.range.start <= one.selection_range.start
        assert one.selection_range.end <= one.range.end
        for below in one.children or ():
            assert one.range.start <= below.range.start
            assert below.range.end <= one.range.end
            todo.append(below)
    assert sorted(ids) == sorted(node["id"] for node in nodes)


async def test_hover_shows_an_entry_as_a_person_reads_it(tmp_path: Path):
    file = conversation(tmp_path)
    async with editor(tmp_path) as client:
        client.open(file)
        user = await hover(client, file, 1)
        result = await hover(client, file, 3)
        whole = await hover(client, file, 0)
        assert await hover(client, file, 99) is None
    assert user.contents.value.split("\n") == ["**User** · 2026-01-01 00:00", "", "hello *world*"]
    assert "```\nprint()\n```" in result.contents.value
    assert "5 messages" in whole.contents.value
    assert "Directory: /w" in whole.contents.value
    assert (user.range.start.line, user.range.end.line) == (1, 1)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_ranges_are_in_the_units_of_the_editor(tmp_path: Path, encoding: str):
    file = tmp_path / "session.jsonl"
    text = "é😀\\ud800"
    written = line("u1").replace('"x"', f'"{text}"').replace("\n", "")
    file.write_text(header() + written + "\r\n")
    async with editor(tmp_path, encodings=[encoding]) as client:
        found = await hover(client, file, 1)
    unit = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
    codec = encoding if unit == 1 else f"{encoding}-le"
    assert found.range.end.character == len(written.encode(codec)) // unit


def test_bytes_that_are_not_utf_8_count_as_their_replacements():
    assert units(b"a\xff\xfe", "utf-8") == 3
    assert units(b"a\xffb", "utf-16") == 3


async def test_what_is_no_session_has_nothing_to_show(tmp_path: Path):
    contents = ("", "{}\n", '{"a":1}\n{"b":2}\n', "no JSON\n")
    others = [tmp_path / f"other{number}.jsonl" for number in range(len(contents))]
    for other, content in zip(others, contents, strict=True):
        other.write_text(content)
    good = conversation(tmp_path)
    async with editor(tmp_path) as client:
        for other in others:
            client.open(other)
        for path in (*others, tmp_path, tmp_path / "missing.jsonl"):
            assert not await symbols(client, path)
            assert await hover(client, path, 0) is None
        unsaved = types.TextDocumentIdentifier("untitled:Untitled-1")
        params = types.DocumentSymbolParams(unsaved)
        assert not await client.call(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, params)
        assert await symbols(client, good)


async def test_a_file_may_be_deleted_and_rewritten_while_it_is_open(tmp_path: Path):
    file = conversation(tmp_path)
    async with editor(tmp_path) as client:
        client.open(file)
        assert await symbols(client, file)
        file.unlink()
        assert not await symbols(client, file)
        file.write_text(header("y") + line("n1", None, "new"))
        async with asyncio.timeout(30):
            while names(await symbols(client, file) or []) != ["User: new"]:  # noqa: ASYNC110
                await asyncio.sleep(0.01)


async def test_a_long_line_is_one_entry(tmp_path: Path):
    file = tmp_path / "session.jsonl"
    text = "é" * 5_000_000
    written = json.dumps(json.loads(line("u1", None, text)), ensure_ascii=False)
    file.write_text(f"{header()}{written}\n")
    async with editor(tmp_path) as client:
        found = await hover(client, file, 1)
    assert found.range.end.character == len(written)
    assert len(found.contents.value) < 10_000


async def test_branches_of_branches_stay_flat_enough_to_be_read(tmp_path: Path):
    file = tmp_path / "session.jsonl"
    lines, parent = [header()], None
    for number in range(1000):
        lines += [line(f"a{number}", parent), line(f"b{number}", parent)]
        parent = f"a{number}"
    file.write_text("".join(lines))
    async with editor(tmp_path) as client:
        found = await symbols(client, file)
    shown, todo = [], list(found)
    while todo:
        one = todo.pop()
        shown += [] if one.name.startswith("Branch") else [one.selection_range.start.line]
        todo += one.children or ()
    assert sorted(shown) == list(range(1, 2001))


async def test_the_methods_of_the_daemon_are_served_on_the_connection(tmp_path: Path):
    file = conversation(tmp_path)
    async with editor(tmp_path) as client:
        state = await client.call("session/open", {"path": str(file), "readOnly": True})
        assert state.leafId == "u3"
        with pytest.raises(JsonRpcException) as refused:
            await client.call("session/getLeafId", {"session": "none"})
        assert refused.value.data["kind"] == "UnknownSession"


def test_nothing_but_this_command_imports_it(tmp_path: Path):
    program = (
        "import sys; from sessiond.__main__ import main; main();"
        "print([name for name in sys.modules"
        " if name.split('.')[0] in ('pygls', 'lsprotocol', 'cattrs')"
        " or name.startswith('sessiond.lsp')], file=sys.stderr)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        input=b"",
        capture_output=True,
        env={"HOME": str(tmp_path), "PATH": ""},
        check=True,
        timeout=50,
    )
    assert ran.stderr.splitlines() == [b"[]"]
