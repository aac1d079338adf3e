"""The error message for invalid params begins with the path of the wrong member."""

from pathlib import Path

import pytest
from sessiond_protocol import openrpc
from support.app import daemon
from support.client import RpcError

from sessiond.text.spans import loads

METHODS = {
    method["name"]: [param["name"] for param in method["params"]]
    for method in loads(openrpc.published())["methods"]
    if "result" in method
}
WRONG = [None, True, 1.5, -1, "\0", "x", [], [1], {}, {"a": 1}]
EXCLUDED = {"shutdown", "initialize"}


@pytest.mark.parametrize("family", ["session/", "catalog/", "gateway/", "context/"])
async def test_every_refusal_names_its_place(tmp_path: Path, family: str):
    refused = 0
    async with daemon(tmp_path, profile="coderclaw", roots=[str(tmp_path)]) as client:
        for method, members in METHODS.items():
            if not method.startswith(family) or method in EXCLUDED:
                continue
            params = [None, [1], *({name: value} for name in members for value in WRONG)]
            for one in params:
                try:
                    await client.request(method, one)
                except RpcError as error:
                    if error.code == -32602:
                        refused += 1
                        path = str(error).removeprefix("-32602: ").split(":")[0]
                        place = (
                            path.replace("[...]", "")
                            .replace("[", ".")
                            .replace("]", "")
                            .replace(".", "/")
                        )
                        assert "$" + error.data["pointer"] == place, (method, one)
                        assert error.data["kind"] == "InvalidParams", (method, one)
    assert refused > 20


@pytest.mark.parametrize(
    ("method", "params", "message"),
    [
        ("session/open", {}, "$: expected exactly one of `path` and `id`"),
        (
            "session/open",
            {"path": "/s.jsonl", "id": "s"},
            "$: expected exactly one of `path` and `id`",
        ),
        ("session/create", {}, "$.cwd: required member is missing"),
        ("session/list", {"limit": "x"}, "$.limit: expected an integer or null, got a string"),
        ("catalog/export", {"format": "html"}, "$: expected exactly one of `path` and `session`"),
        (
            "context/toLlm",
            {"messages": [{"role": "user", "content": ""}, {"role": 5}]},
            "$.messages[1].role: expected a string, got a number",
        ),
        ("context/toLlm", {"messages": [[]]}, "$.messages[0]: expected an object, got an array"),
        ("context/toLlm", {"messages": [{}]}, "$.messages[0].role: required member is missing"),
        ("context/toLlm", [1], "$: expected an object, got an array"),
    ],
)
async def test_a_refusal_reads_as_documented(tmp_path: Path, method, params, message):
    async with daemon(tmp_path) as client:
        with pytest.raises(RpcError) as caught:
            await client.request(method, params)
    assert str(caught.value) == f"-32602: {message}"


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ({"role": 5}, "$.message.role: expected a string, got a number"),
        ({"content": "x"}, "$.message.role: required member is missing"),
        (None, "$.message: expected an object, got null"),
    ],
)
async def test_a_message_that_cannot_be_appended_is_refused_with_its_path(
    tmp_path: Path, message, problem
):
    async with daemon(tmp_path) as client:
        opened = await client.request("session/inMemory", {})
        with pytest.raises(RpcError) as caught:
            await client.request(
                "session/appendMessage", {"session": opened["session"], "message": message}
            )
    assert str(caught.value) == f"-32602: {problem}"


SETTINGS = "known are enabled, keepRecentTokens, reserveTokens, reserveTokensFloor"


@pytest.mark.parametrize(
    ("method", "params", "message"),
    [
        (
            "session/getBranch",
            {"session": "s1", "leafId": "a"},
            "$.leafId: unknown param; known are fromId, session",
        ),
        ("daemon/status", {"b": 1, "a": 2}, "$.a: unknown param; there are none (also unknown: b)"),
        (
            "catalog/unsubscribe",
            {"subscription": "c1", "\ud800": [1]},
            "$.\ud800: unknown param; known are subscription",
        ),
        (
            "context/prepareCompaction",
            {"session": "s1", "settings": {"keepRecentTokenz": 1}},
            f"$.settings.keepRecentTokenz: unknown member; {SETTINGS}",
        ),
        (
            "context/shouldCompact",
            {"session": "s1", "contextWindow": 9, "settings": {"reserveToken": 1, "\ud800": 2}},
            f"$.settings.reserveToken: unknown member; {SETTINGS} (also unknown: \ud800)",
        ),
        (
            "gateway/evaluateFreshness",
            {"updatedAt": 1, "now": 1, "policy": {"mode": "daily", "atHourr": 3}},
            "$.policy.atHourr: unknown member; known are atHour, idleMinutes, mode",
        ),
    ],
)
async def test_params_that_are_not_known_are_refused(tmp_path: Path, method, params, message):
    async with daemon(tmp_path) as client:
        with pytest.raises(RpcError) as caught:
            await client.request(method, params)
    assert str(caught.value) == f"-32602: {message}"


async def test_a_newer_client_may_offer_more_in_initialize(tmp_path: Path):
    async with daemon(tmp_path) as client:
        answer = await client.request("initialize", {"clientInfo": {"name": "n"}, "later": [1]})
    assert answer["protocolVersion"]


async def test_a_client_of_another_protocol_version_is_told_which_one_is_spoken(tmp_path: Path):
    async with daemon(tmp_path) as client:
        with pytest.raises(RpcError) as caught:
            await client.request("initialize", {"protocolVersions": ["2", "3"]})
        assert (caught.value.code, caught.value.data["supported"]) == (1021, ["1"])
        answer = await client.request("initialize", {"protocolVersions": ["2", "1"]})
    assert answer["protocolVersion"] == "1"
