"""Values keep every byte: on the wire, in the file, and in answers."""

import json
from pathlib import Path

import pytest
from support.app import daemon
from support.client import Client
from support.effort import effort

NASTY = {
    "a lone surrogate": rb'{"role":"user","content":"a\ud83d"}',
    "an escaped backslash before text that looks like an escape": rb'{"role":"user","content":"a\\ud83d"}',
    "a pair written as escapes": rb'{"role":"user","content":"\ud83d\ude00 \u00e9 \/"}',
    "a surrogate in a member's name": rb'{"role":"user","content":[],"\udc00x":1}',
    "an integer of 30 digits": b'{"role":"user","content":[],"n":123456789012345678901234567890}',
    "numbers in odd spellings": b'{"role":"user","content":[],"n":[1e21,1E+2,-0,0.10,1e400]}',
    "a message in the message": b'{"role":"user","content":[],"x":{"jsonrpc":"2.0","id":1,"method":"x"}}',
    "members that occur twice": b'{"role":"user","content":"a","x":1,"content":"b","x":2}',
    "line separators of Unicode": '{"role":"user","content":"a\u2028b\u2029c\u0085d"}'.encode(),
    "control characters as escapes": rb'{"role":"user","content":"\u0000\u001f\n\r\t\u007f"}',
    "white space between tokens": b'{ "role" : "user" ,\t"content" : [ ] }',
    "members called like prototypes": b'{"role":"user","content":[],"__proto__":{"a":1}}',
    "400 levels of nesting": b'{"role":"user","content":[],"x":' + b"[" * 400 + b"]" * 400 + b"}",
    "a string of 20 MB": b'{"role":"user","content":"' + b"x" * 20_000_000 + b'"}',
    "an unknown role": '{"role":"ünknown","anything":null}'.encode(),
}


async def create(client: Client, folder: Path) -> dict[str, str]:
    params = {"cwd": "/w", "sessionDir": str(folder)}
    state = await client.request("session/create", params)
    await client.request(
        "session/appendMessage",
        {"session": state["session"], "message": {"role": "user", "content": "first"}},
    )
    return state


def request(method: str, id_: int, params: bytes) -> bytes:
    return b'{"jsonrpc":"2.0","id":%d,"method":"%b","params":%b}' % (id_, method.encode(), params)


@pytest.mark.parametrize("framing", ["header", "line"])
@pytest.mark.parametrize("message", NASTY.values(), ids=NASTY.keys())
async def test_a_message_is_returned_as_it_was_sent(tmp_path: Path, message: bytes, framing: str):
    async with daemon(tmp_path, framing=framing) as client:
        state = await create(client, tmp_path)
        handle = json.dumps(state["session"]).encode()
        client.write(
            request("session/appendMessage", 77, b'{"session":%b,"message":%b}' % (handle, message))
        )
        appended = json.loads((await client.receive()).raw)["result"]
        assert appended["written"]
        line = Path(state["sessionFile"]).read_bytes().splitlines()[-1]
        assert line.endswith(b',"message":' + message + b"}")

        client.write(
            request(
                "session/getEntry",
                78,
                b'{"session":%b,"id":"%b"}' % (handle, appended["id"].encode()),
            )
        )
        assert (await client.receive()).raw.endswith(b'{"entry":' + line + b"}}")
        client.write(request("session/buildSessionContext", 79, b'{"session":%b}' % handle))
        context = (await client.receive()).raw
        if b'"role":"user"' in message or b'"role" : "user"' in message:
            assert b"," + message + b"]" in context


async def test_a_value_of_several_lines_loses_only_the_white_space_between_tokens(
    tmp_path: Path,
):
    sent = b'{\n  "role": "user",\r\n  "content": "keeps  its\\nspace",\n  "n": [1,\n 2.50]\n}'
    async with daemon(tmp_path) as client:
        state = await create(client, tmp_path)
        handle = json.dumps(state["session"]).encode()
        client.write(
            request("session/appendMessage", 77, b'{"session":%b,"message":%b}' % (handle, sent))
        )
        await client.receive()
    stored = b'{"role":"user","content":"keeps  its\\nspace","n":[1,2.50]}'
    assert Path(state["sessionFile"]).read_bytes().splitlines()[-1].endswith(stored + b"}")


async def test_bytes_that_are_not_utf8_are_replaced_on_the_wire_and_stay_in_the_file(
    tmp_path: Path,
):
    file = tmp_path / "s.jsonl"
    content = (
        b'{"type":"session","version":3,"id":"x","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}\n'
        b'{"type":"message","id":"aaaaaaaa","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z",'
        b'"message":{"role":"user","content":"caf\xe9"}}\n'
    )
    file.write_bytes(content)
    async with daemon(tmp_path) as client:
        state = await client.request("session/open", {"path": str(file)})
        entries = await client.request("session/getEntries", {"session": state["session"]})
        await client.request(
            "session/appendMessage",
            {"session": state["session"], "message": {"role": "user", "content": "next"}},
        )
    assert entries["entries"][0]["message"]["content"] == "caf\ufffd"
    assert [item["kind"] for item in state["diagnostics"]] == ["invalidUtf8"]
    assert file.read_bytes().startswith(content)


async def test_a_plain_json_client_gets_no_values_that_its_parser_cannot_hold(tmp_path: Path):
    message = rb'{"role":"user","content":"\ud83d","n":[9007199254740993,1e400,9007199254740991]}'
    async with daemon(tmp_path) as client:
        await client.request("initialize", {"capabilities": {"plainJson": True}})
        state = await create(client, tmp_path)
        handle = json.dumps(state["session"]).encode()
        client.write(
            request("session/appendMessage", 77, b'{"session":%b,"message":%b}' % (handle, message))
        )
        await client.receive()
        client.write(request("session/getLeafEntry", 78, b'{"session":%b}' % handle))
        answer = (await client.receive()).raw
    plain = rb'{"role":"user","content":"\ufffd","n":["9007199254740993","1e400",9007199254740991]}'
    assert plain in answer
    assert message in Path(state["sessionFile"]).read_bytes()


async def test_a_chain_of_very_many_entries_is_opened_and_answered(tmp_path: Path):
    file = tmp_path / "deep.jsonl"
    count = effort(50_000, 100_000)
    with file.open("w") as out:
        out.write('{"type":"session","version":3,"id":"x","timestamp":"t","cwd":"/w"}\n')
        parent = "null"
        for number in range(count):
            entry_id = f'"{number:08x}"'
            out.write(
                f'{{"type":"message","id":{entry_id},"parentId":{parent},"timestamp":"t",'
                f'"message":{{"role":"user","content":"{number}"}}}}\n'
            )
            parent = entry_id
    async with daemon(tmp_path) as client:
        session = (await client.request("session/open", {"path": str(file)}))["session"]
        branch = await client.request("session/getBranch", {"session": session})
        tree = await client.request("session/getTree", {"session": session})
        outline = await client.request("session/getTree", {"session": session, "detail": "outline"})
        context = await client.request("session/buildSessionContext", {"session": session})
    assert [entry["message"]["content"] for entry in branch["entries"][:3]] == ["0", "1", "2"]
    assert len(branch["entries"]) == len(tree["nodes"]) == len(outline["nodes"]) == count
    assert tree["roots"] == ["00000000"]
    assert context["messages"][-1]["content"] == str(count - 1)
