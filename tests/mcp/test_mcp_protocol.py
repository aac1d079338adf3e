"""The messages of the Model Context Protocol, by the specifications 2025-06-18 to 2026-07-28."""

import json
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.client import RpcError, spawned
from support.mcp import HELLO, STATELESS, mcp, unopened

VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"


@pytest.mark.parametrize(
    ("offered", "agreed"),
    [
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2024-11-05", "2025-11-25"),
        # Served, but not after a handshake.
        ("2026-07-28", "2025-11-25"),
        ("1900-01-01", "2025-11-25"),
    ],
)
async def test_initialize_agrees_on_a_version(tmp_path: Path, offered: str, agreed: str):
    async with unopened(tmp_path) as client:
        answer = await client.request("initialize", {"protocolVersion": offered, **HELLO})
        assert answer["protocolVersion"] == agreed
        assert answer["serverInfo"]["name"] == "sessiond"
        assert "search_sessions" in answer["instructions"]
        assert "tools" in answer["capabilities"]
        # Members of the stateless version are not sent.
        assert "resultType" not in answer
        assert "_meta" not in answer


async def test_without_a_handshake_every_request_names_its_version(tmp_path: Path):
    async with unopened(tmp_path) as client:
        found = await client.request("server/discover", {"_meta": STATELESS})
        assert found["supportedVersions"] == ["2026-07-28", "2025-11-25", "2025-06-18"]
        assert found["resultType"] == "complete"
        assert found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "sessiond"
        assert (found["cacheScope"], found["ttlMs"] >= 0) == ("private", True)
        listed = await client.request("tools/list", {"_meta": STATELESS})
        assert listed["resultType"] == "complete"
        assert isinstance(listed["ttlMs"], int)


async def test_both_eras_are_served_on_one_connection(tmp_path: Path):
    async with mcp(tmp_path) as client:
        await client.request("ping")
        assert "resultType" not in await client.request("tools/list")
        listed = await client.wire.request("tools/list", {"_meta": STATELESS})
        assert listed["resultType"] == "complete"


@pytest.mark.parametrize(
    ("method", "meta", "code"),
    [
        ("tools/list", {**STATELESS, VERSION: "2030-01-01"}, -32022),
        ("tools/list", {**STATELESS, VERSION: "2025-11-25"}, -32022),
        ("server/discover", {**STATELESS, VERSION: "2030-01-01"}, -32022),
        ("tools/list", {VERSION: "2026-07-28"}, -32602),
        ("tools/list", {CAPABILITIES: {}}, -32602),
        ("tools/list", {**STATELESS, VERSION: 5}, -32602),
        ("tools/list", {**STATELESS, CAPABILITIES: []}, -32602),
        ("tools/list", 5, -32602),
        # Before `initialize`, and without what would make it unnecessary.
        ("tools/list", {}, -32602),
        ("tools/call", None, -32602),
        # Methods of the other era.
        ("ping", STATELESS, -32601),
        ("resources/unknown", STATELESS, -32601),
        ("logging/setLevel", STATELESS, -32601),
        ("prompts/list", STATELESS, -32601),
        ("session/open", STATELESS, -32601),
    ],
)
async def test_requests_that_cannot_be_served(tmp_path: Path, method: str, meta: object, code: int):
    async with unopened(tmp_path) as client:
        with pytest.raises(RpcError) as caught:
            await client.request(method, {"_meta": meta})
        assert caught.value.code == code
        if code == -32022:
            assert caught.value.data["supported"][0] == "2026-07-28"
            assert caught.value.data["requested"] == meta[VERSION]  # type: ignore[index]


async def test_discovery_belongs_to_the_stateless_era(tmp_path: Path):
    async with mcp(tmp_path) as client:
        with pytest.raises(RpcError) as caught:
            await client.request("server/discover")
        assert caught.value.code == -32601


async def test_a_ping_may_come_before_the_handshake(tmp_path: Path):
    async with unopened(tmp_path) as client:
        assert await client.request("ping") == {}


async def test_a_batch_is_refused_as_a_whole(tmp_path: Path):
    async with mcp(tmp_path) as client:
        ping = {"jsonrpc": "2.0", "id": 7, "method": "ping"}
        client.wire.write([ping, ping])
        answer = (await client.wire.receive()).value
        assert (answer["error"]["code"], answer["id"]) == (-32600, None)
        await client.request("ping")


@pytest.mark.parametrize(
    ("sent", "code"),
    [(b"{", -32700), (b'"x"', -32600), (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600)],
)
async def test_messages_that_are_not_requests(tmp_path: Path, sent: bytes, code: int):
    async with mcp(tmp_path) as client:
        client.wire.write(sent)
        assert (await client.wire.receive()).value["error"]["code"] == code
        await client.request("ping")


async def test_notifications_are_never_answered(tmp_path: Path):
    async with mcp(tmp_path) as client:
        client.wire.notify("notifications/unknown")
        client.wire.notify("notifications/cancelled", {"requestId": 99})
        client.wire.notify("notifications/cancelled", {"requestId": []})
        client.wire.notify("notifications/roots/list_changed")
        # A request without an id is not carried out.
        client.wire.notify("tools/call", {"name": "list_sessions"})
        await client.request("ping")
        client.wire.end_input()
        assert await client.wire.rest() == []


async def test_unknown_tools_and_params_that_are_no_call_are_protocol_errors(tmp_path: Path):
    async with mcp(tmp_path) as client:
        for params in ({"name": "rm"}, {"name": 5}, {}):
            with pytest.raises(RpcError) as caught:
                await client.wire.request("tools/call", params)
            assert caught.value.code == -32602


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4)
    ),
    max_leaves=8,
)
METHODS = (
    *("initialize", "ping", "server/discover", "tools/list", "tools/call", "resources/list"),
    *("resources/read", "resources/templates/list", "resources/subscribe", "completion/complete"),
    *("resources/unsubscribe", "subscriptions/listen", "nonsense"),
)
TOOLS = ("search_sessions", "open_session", "list_sessions", "label_session", "x")
ARGUMENTS = (
    *("query", "session", "limit", "since", "cwd", "around", "last", "leave_out", "max_tokens"),
    *("name", "arguments", "_meta", "uri", "ref", "argument", "notifications", "protocolVersion"),
)


@given(data=st.data())
@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
async def test_any_params_get_exactly_one_answer_by_the_rules(tmp_path: Path, data: st.DataObject):
    members = st.dictionaries(st.sampled_from(ARGUMENTS), json_values, max_size=5)
    calls = st.fixed_dictionaries({"name": st.sampled_from(TOOLS), "arguments": members})
    params = data.draw(st.lists(st.tuples(st.sampled_from(METHODS), members | calls), max_size=12))
    stateless = data.draw(st.booleans())
    async with mcp(tmp_path, stateless=stateless) as client:
        for method, given_params in params:
            sent = {**given_params}
            if stateless and isinstance(sent.get("_meta", {}), dict):
                sent["_meta"] = {**sent.get("_meta", {}), **STATELESS}
            try:
                result = await client.wire.request(method, sent)
            except RpcError as error:
                assert error.code in (-32601, -32602, -32002, -32022), error
            else:
                assert isinstance(result, dict)
        await client.request("server/discover" if stateless else "ping")


async def test_a_process_of_its_own_serves_stdio_and_ends_with_its_input(tmp_path: Path):
    command = [sys.executable, "-m", "sessiond", "mcp"]
    env = {"HOME": str(tmp_path), "PATH": ""}
    async with spawned(command, "line", env=env, cwd=tmp_path) as (client, process):
        answer = await client.request("initialize", {"protocolVersion": "2025-06-18", **HELLO})
        assert answer["protocolVersion"] == "2025-06-18"
        result = await client.request("tools/call", {"name": "list_sessions", "arguments": {}})
        assert result["content"][0]["text"].startswith("No session")
        assert json.dumps(result)
    assert process.returncode == 0


INITIALIZE = {"protocolVersion": "2025-11-25", **HELLO}


@pytest.mark.parametrize(
    ("first", "answers"),
    [
        # All in one write, as a client in a hurry sends them.
        ([("initialize", INITIALIZE), ("tools/list", {}), ("ping", {})], ["result"] * 3),
        ([("ping", {}), ("initialize", INITIALIZE)], ["result"] * 2),
        ([("initialize", {}), ("initialize", INITIALIZE)], ["error", "result"]),
        ([("tools/list", {"_meta": STATELESS}), ("ping", {})], ["result"] * 2),
    ],
)
async def test_a_process_answers_whatever_comes_first(
    tmp_path: Path, first: list[tuple[str, dict[str, object]]], answers: list[str]
):
    command = [sys.executable, "-m", "sessiond", "mcp"]
    sent = [
        {"jsonrpc": "2.0", "id": f"a{number}", "method": method, "params": params}
        for number, (method, params) in enumerate(first)
    ]
    env = {"HOME": str(tmp_path), "PATH": ""}
    async with spawned(command, "line", env=env, cwd=tmp_path) as (client, process):
        await client.send_raw(b"".join(json.dumps(each).encode() + b"\n" for each in sent))
        got = {}
        while len(got) < len(sent):
            message = (await client.receive()).value
            got[message["id"]] = message
        for each, wanted in zip(sent, answers, strict=True):
            assert wanted in got[each["id"]], got
    assert process.returncode == 0


@pytest.mark.parametrize(
    "first", [b"{", b"[]\n", b'{"jsonrpc":"2.0"}\n', b"\n", b"", b"\xff\n" * 9]
)
async def test_a_process_survives_whatever_comes_first(tmp_path: Path, first: bytes):
    command = [sys.executable, "-m", "sessiond", "mcp"]
    env = {"HOME": str(tmp_path), "PATH": ""}
    async with spawned(command, "line", env=env, cwd=tmp_path) as (client, process):
        await client.send_raw(first)
        if first.endswith(b"\n"):
            answer = await client.request("initialize", INITIALIZE, id_="i")
            assert answer["protocolVersion"] == "2025-11-25"
    assert process.returncode in (0, 1)
