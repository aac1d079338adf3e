"""The methods of the daemon on the connection of an editor."""

import json
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from support.editors import editor
from support.raw_editor import raw
from support.session_lines import header, line


def session(directory: Path) -> Path:
    file = directory / "session.jsonl"
    file.write_text(header() + line("u1", None, "hello"))
    return file


async def test_an_entry_about_json_rpc_is_appended_as_it_is(tmp_path: Path):
    file = session(tmp_path)
    call = {
        "type": "toolCall",
        "id": "c1",
        "name": "send",
        "arguments": {"jsonrpc": "2.0", "id": 7, "method": "shutdown", "params": {"jsonrpc": 1}},
    }
    message = {"role": "toolResult", "toolCallId": "c", "toolName": "send", "isError": False}
    message |= {"content": [], "details": call, "timestamp": 1}
    async with raw(tmp_path) as client:
        await client.greet()
        opened = await client.call(1, "session/open", {"path": str(file)})
        params = {"session": opened["result"]["session"], "message": message}
        appended = await client.call(2, "session/appendMessage", params)
    assert "result" in appended, appended
    assert json.loads(file.read_text().splitlines()[-1])["message"] == message


async def test_the_contract_judges_params(tmp_path: Path):
    cases: list[tuple[str, Any, str]] = [
        ("session/getLeafId", {"session": 7}, "$.session: expected a string"),
        ("session/getLeafId", {}, "$.session: required member is missing"),
        ("session/getLeafId", {"session": "s1", "other": 1}, "$.other: unknown param"),
        ("session/getLeafId", "s1", "expected an object"),
        ("catalog/usage", {"none": 1}, "$.none: unknown param"),
        ("context/estimateTokens", {"none": 1}, "$"),
        ("gateway/list", {"limit": "x"}, "$.limit: expected"),
    ]
    async with editor(tmp_path) as client:
        for method, params, said in cases:
            with pytest.raises(JsonRpcException) as refused:
                await client.call(method, params)
            assert refused.value.code == types.ErrorCodes.InvalidParams
            assert said in refused.value.message


async def test_numbers_that_json_cannot_hold_are_refused(tmp_path: Path):
    file = session(tmp_path)
    before = file.read_bytes()
    async with raw(tmp_path) as client:
        await client.greet()
        opened = await client.call(1, "session/open", {"path": str(file)})
        handle = opened["result"]["session"]
        for at, number in enumerate(("1e400", "-1e400", "NaN", "Infinity"), 2):
            params = f'{{"session":"{handle}","customType":"x","data":{number}}}'
            client.send(
                f'{{"jsonrpc":"2.0","id":{at},"method":"session/appendCustomEntry",'
                f'"params":{params}}}'.encode()
            )
            assert (await client.answer(at))["error"]["code"] == types.ErrorCodes.InvalidParams
    assert file.read_bytes() == before


async def test_handles_of_an_extension_are_its_own(tmp_path: Path):
    file = session(tmp_path)
    async with editor(tmp_path) as client:
        client.open(file)
        kind = types.DocumentSymbolParams
        assert await client.about(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, kind, file)
        for number in range(1, 5):
            await client.call("session/close", {"session": f"s{number}"})
        assert await client.about(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, kind, file)


async def test_an_extension_hears_of_changes_of_its_sessions(tmp_path: Path):
    file = session(tmp_path)
    async with raw(tmp_path) as client:
        await client.greet()
        opened = await client.call(1, "session/open", {"path": str(file), "readOnly": True})
        with file.open("a") as out:
            out.write(line("u2", "u1"))
        while (message := await client.next()).get("method") != "session/didChange":
            pass
    assert message["params"]["session"] == opened["result"]["session"]
    assert [each["id"] for each in message["params"]["entries"]] == ["u2"]


async def test_a_request_can_be_cancelled(tmp_path: Path):
    async with raw(tmp_path) as client:
        await client.greet()
        client.ask(1, "catalog/search", {"query": "x"})
        client.send({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 1}})
        answered = await client.answer(1)
        assert answered["error"]["code"] == types.LSPErrorCodes.RequestCancelled
