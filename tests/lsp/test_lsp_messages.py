"""Messages of the Language Server Protocol that are wrong, odd, or out of order, as bytes."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from support.editors import editor
from support.raw_editor import raw
from support.session_lines import header, line


def session(directory: Path) -> Path:
    file = directory / "session.jsonl"
    file.write_text(header() + line("u1", None, "hello") + line("u2", "u1", "again"))
    return file


@pytest.mark.parametrize("is_shut_down", [True, False])
async def test_the_exit_code_says_whether_the_end_was_in_order(tmp_path: Path, is_shut_down: bool):
    async with raw(tmp_path) as client:
        await client.greet()
        if is_shut_down:
            assert (await client.call(1, "shutdown"))["result"] is None
        client.send({"jsonrpc": "2.0", "method": "exit"})
        assert await client.end() == (0 if is_shut_down else 1, b"")


@pytest.mark.parametrize("how", ["SIGTERM", "SIGINT", "end of input", "half a message", "gone"])
async def test_it_ends_without_a_traceback_however_it_is_ended(tmp_path: Path, how: str):
    file = session(tmp_path)
    async with raw(tmp_path) as client:
        await client.greet()
        opened = {"uri": file.as_uri(), "languageId": "x", "version": 1, "text": ""}
        params = {"textDocument": opened}
        client.send({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": params})
        document = {"textDocument": {"uri": file.as_uri()}}
        await client.call(1, "textDocument/documentSymbol", document)
        if how.startswith("SIG"):
            os.kill(client.process.pid, signal.Signals[how])
        elif how == "gone":
            # Nobody reads any more.
            client.ask(2, "textDocument/documentSymbol", document)
            assert client.process.stdout is not None
            client.process.stdout._transport.close()  # type: ignore[attr-defined]
            client.close()
        else:
            if how == "half a message":
                assert client.process.stdin is not None
                client.process.stdin.write(b"Content-Length: 100\r\n\r\n{")
            client.close()
        assert await client.end() == (0, b"")


HOVER = {"textDocument": {"uri": "file:///x"}, "position": {"line": 1, "character": 0}}


async def test_wrong_params_are_answered(tmp_path: Path):
    cases: list[tuple[str, Any]] = [
        ("textDocument/hover", {**HOVER, "position": {"line": -1, "character": 0}}),
        ("textDocument/hover", {"textDocument": {"uri": "file:///x"}}),
        ("textDocument/hover", []),
        ("textDocument/hover", "x"),
        ("textDocument/hover", None),
        ("textDocument/inlayHint", HOVER),
        ("workspace/executeCommand", {"command": "none.such"}),
    ]
    async with raw(tmp_path) as client:
        await client.greet()
        for number, (method, params) in enumerate(cases, 1):
            refused = await client.call(number, method, params)
            assert refused["error"]["code"] == types.ErrorCodes.InvalidParams, (method, params)
            assert (await client.call(100, "textDocument/hover", HOVER))["result"] is None


async def test_what_is_no_request_is_answered(tmp_path: Path):
    cases: list[tuple[bytes, int | None, int]] = [
        (b"{", None, types.ErrorCodes.ParseError),
        (b"[" * 100_000, None, types.ErrorCodes.ParseError),
        (b"[]", None, types.ErrorCodes.InvalidRequest),
        (b'{"id":7,"method":"shutdown"}', 7, types.ErrorCodes.InvalidRequest),
        (b'{"jsonrpc":"2.0","id":[],"method":"shutdown"}', None, types.ErrorCodes.InvalidRequest),
        (b'{"jsonrpc":"2.0","id":7,"method":8}', 7, types.ErrorCodes.InvalidRequest),
        (b'{"jsonrpc":"2.0","id":7,"method":"x/y"}', 7, types.ErrorCodes.MethodNotFound),
        (b'{"jsonrpc":"2.0","id":7,"method":"initialize"}', 7, types.ErrorCodes.InvalidRequest),
    ]
    async with raw(tmp_path) as client:
        await client.greet()
        for sent, number, code in cases:
            client.send(sent)
            assert (await client.answer(number))["error"]["code"] == code, sent[:50]
        assert "result" in await client.call(8, "shutdown")


async def test_requests_before_and_after_the_conversation_are_refused(tmp_path: Path):
    async with raw(tmp_path) as client:
        early = await client.call(1, "textDocument/hover", HOVER)
        assert early["error"]["code"] == types.ErrorCodes.ServerNotInitialized
        await client.greet()
        await client.call(2, "shutdown")
        late = await client.call(3, "textDocument/hover", HOVER)
        assert late["error"]["code"] == types.ErrorCodes.InvalidRequest


async def test_an_edit_of_the_buffer_is_ignored(tmp_path: Path):
    file = session(tmp_path)
    async with editor(tmp_path) as client:
        client.open(file)
        document = types.VersionedTextDocumentIdentifier(version=2, uri=file.as_uri())
        change = types.TextDocumentContentChangeWholeDocument("x")
        client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))
        found = await client.about(
            types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, types.DocumentSymbolParams, file
        )
        assert len(found) == 2
        assert client.messages == []


async def test_transcripts_are_offered_as_documents(tmp_path: Path):
    async with raw(tmp_path) as client:
        offered = (await client.greet())["capabilities"]["workspace"]["textDocumentContent"]
    assert offered == {"schemes": ["sessiond"]}


async def test_progress_of_the_daemon_is_passed_on(tmp_path: Path):
    session(tmp_path)
    async with raw(tmp_path) as client:
        await client.greet()
        params = {"sessionDir": str(tmp_path), "workDoneToken": "t"}
        client.ask(1, "session/listAll", params)
        reports = []
        while "method" in (message := await client.next()) or message["id"] != 1:
            reports.append(message)
        told = [each["params"]["token"] for each in reports if each.get("method") == "$/progress"]
        assert told
        assert set(told) == {"t"}


ODD = "\ud83d\u202e\u2066<b>"


async def test_strict_editors_can_read_every_text(tmp_path: Path):
    """Agents cut strings within a character; msgspec refuses a whole answer for such a half."""
    file = tmp_path / "session.jsonl"
    call = {"type": "toolCall", "id": ODD, "name": ODD, "arguments": {"path": ODD}}
    answer = {"role": "assistant", "content": [{"type": "text", "text": ODD}, call]}
    result = {
        "role": "toolResult",
        "toolCallId": ODD,
        "toolName": ODD,
        "content": [{"type": "text", "text": ODD}],
    }
    label = {
        "type": "label",
        "id": "l1",
        "parentId": "r1",
        "targetId": "u1",
        "label": ODD,
        "timestamp": "2026-01-01T00:00:01.000Z",
    }
    file.write_text(
        header()
        + line("u1", None, ODD)
        + line("a1", "u1", message=answer)
        + line("r1", "a1", message=result)
        + json.dumps(label)
        + "\n"
        + line(ODD, "l1", "x")
        + line("u3", ODD, "x")
        + line("u4", "nowhere" + ODD, "x")
    )
    document = {"textDocument": {"uri": file.as_uri()}}
    whole = {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}}
    here = {"position": {"line": 2, "character": 0}}
    texts = []
    async with raw(tmp_path) as client:
        await client.greet()
        for number, (method, params) in enumerate(
            [
                ("textDocument/documentSymbol", {}),
                ("textDocument/inlayHint", whole),
                ("textDocument/foldingRange", {}),
                ("textDocument/diagnostic", {}),
                ("textDocument/codeLens", {}),
                ("textDocument/codeAction", {**whole, "context": {"diagnostics": []}}),
                ("textDocument/hover", here),
                ("textDocument/references", {**here, "context": {"includeDeclaration": True}}),
            ],
            1,
        ):
            answered = await client.call(number, method, {**document, **params})
            assert answered["result"], method
            texts.append(json.dumps(answered["result"], ensure_ascii=False))
    assert not {"\u202e", "\u2066"} & set("".join(texts))
