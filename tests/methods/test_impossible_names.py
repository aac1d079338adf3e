"""Names that no file can have are refused like others that the system refuses."""

from __future__ import annotations

import contextlib
import errno
from pathlib import Path
from typing import Any

import pytest
from sessiond_protocol.errors import INTERNAL_ERROR
from support.app import daemon
from support.client import RpcError
from support.every_method import Filling, every_request, lay
from support.lag import loop_lag
from support.session_lines import header, line

NAMES = ["a\0b", "\ud83d", "/a\0b/c", "/\ud83d/c"]
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("session/open", {"path": "NAME"}, "SessionNotFound"),
    ("session/create", {"cwd": "/w", "sessionDir": "NAME"}, "ReadFailed"),
    ("session/forkFrom", {"sourcePath": "NAME", "targetCwd": "/w"}, "ReadFailed"),
    ("catalog/check", {"path": "NAME"}, "ReadFailed"),
    ("catalog/delete", {"path": "NAME"}, "ReadFailed"),
    ("catalog/restore", {"path": "NAME"}, "SessionNotFound"),
    ("catalog/export", {"format": "jsonl", "outputPath": "NAME"}, "WriteFailed"),
]
LISTED: list[tuple[str, dict[str, Any]]] = [
    ("session/list", {"cwd": "NAME"}),
    ("session/listAll", {"sessionDir": "NAME"}),
    ("session/findById", {"cwd": "NAME", "id": "x"}),
    ("catalog/search", {"sessionDir": "NAME", "query": "x"}),
    ("catalog/subscribe", {"cwd": "NAME"}),
]


def named(params: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: name if value == "NAME" else value for key, value in params.items()}


@pytest.mark.parametrize("name", NAMES, ids=ascii)
async def test_requests_with_an_impossible_name_are_refused(tmp_path: Path, name: str):
    async with daemon(tmp_path) as client:
        opened = await client.request("session/inMemory", {"cwd": "/w"})
        for method, params, kind in REFUSED:
            given = named(params, name)
            if method == "catalog/export":
                given["session"] = opened["session"]
            with pytest.raises(RpcError) as raised:
                await client.request(method, given)
            assert raised.value.kind == kind, method


@pytest.mark.parametrize("name", NAMES, ids=ascii)
async def test_lists_of_an_impossible_directory_are_empty(tmp_path: Path, name: str):
    async with daemon(tmp_path) as client:
        for method, params in LISTED:
            answer = await client.request(method, named(params, name))
            kinds = {problem["kind"] for problem in answer.get("problems", [])}
            assert kinds <= {"unreadable"}, method


@pytest.mark.parametrize("name", NAMES[:2], ids=ascii)
async def test_no_text_of_any_request_leads_to_an_internal_error(
    tmp_path: Path, name: str, caplog: pytest.LogCaptureFixture
):
    lay(state := tmp_path / ".coderclaw")
    filling = Filling()
    async with daemon(tmp_path, profile="coderclaw") as client:
        for asked in every_request(state):
            params = filling.filled(asked.params)
            for member in [key for key, value in params.items() if isinstance(value, str)]:
                try:
                    await client.request(asked.method, {**params, member: name})
                except RpcError as error:
                    assert error.code != INTERNAL_ERROR, (asked.method, member)
            with contextlib.suppress(RpcError):
                filling.keep(asked.method, await client.request(asked.method, params))
    assert [record.message for record in caplog.records if record.exc_info] == []


LONG = "/" + "a/" * 100_000
"""A path that is longer than PATH_MAX. Resolving it would take seconds."""
NOTICEABLE = 0.5
"""Seconds; enough for all small work, on a busy machine."""


async def test_requests_with_a_long_path_are_refused_before_anything_looks_at_it(tmp_path: Path):
    requests = [(method, params) for method, params, _ in REFUSED]
    gateway = [
        ("gateway/list", {"storePath": "NAME"}),
        ("gateway/get", {"storePath": "NAME", "sessionKey": "x"}),
        ("gateway/patch", {"storePath": "NAME", "key": "x", "label": "y"}),
    ]
    listed = [*LISTED, ("catalog/listTrash", {"sessionDir": "NAME"})]
    async with daemon(tmp_path, profile="coderclaw") as client:
        opened = await client.request("session/inMemory", {"cwd": "/w"})
        for method, params in [*requests, *listed, *gateway]:
            given = named(params, LONG)
            if method == "catalog/export":
                given["session"] = opened["session"]
            async with loop_lag() as lag:
                with pytest.raises(RpcError) as raised:
                    await client.request(method, given)
            assert raised.value.data["errno"] == errno.ENAMETOOLONG, method
            assert len(raised.value.message) < 1000, method
            assert lag.worst < NOTICEABLE, method


async def test_no_long_text_of_any_request_keeps_others_waiting(tmp_path: Path):
    lay(state := tmp_path / ".coderclaw")
    filling = Filling()
    async with daemon(tmp_path, profile="coderclaw") as client:
        for asked in every_request(state):
            params = filling.filled(asked.params)
            for member in [key for key, value in params.items() if isinstance(value, str)]:
                async with loop_lag() as lag:
                    with contextlib.suppress(RpcError):
                        await client.request(asked.method, {**params, member: LONG})
                assert lag.worst < NOTICEABLE, (asked.method, member)
            with contextlib.suppress(RpcError):
                filling.keep(asked.method, await client.request(asked.method, params))


async def test_a_session_whose_directory_is_too_long_can_be_read(tmp_path: Path):
    cwd = "/w" + "/x" * 50_000
    file = tmp_path / "s.jsonl"
    file.write_text(header(cwd=cwd) + line("a", text="hello"))
    async with daemon(tmp_path) as client:
        opened = await client.request("session/open", {"path": str(file), "readOnly": True})
        assert opened["cwd"] == cwd
        exported = {"path": str(file), "format": "markdown"}
        assert "hello" in (await client.request("catalog/export", exported))["content"]
