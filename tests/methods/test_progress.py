"""A request with a token is told how far it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.app import daemon
from support.client import RpcError
from support.sessions_on_disk import write_session

ASKED: list[tuple[str, dict[str, Any]]] = [
    ("session/list", {"cwd": "/w"}),
    ("session/listAll", {}),
    ("catalog/search", {"query": "needle"}),
    ("catalog/search", {"query": "needle", "fields": ["said"]}),
    ("catalog/usage", {"by": "session"}),
    ("catalog/check", {}),
    ("catalog/subscribe", {}),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / ".pi" / "agent" / "sessions" / "--w--"
    for number in range(5):
        write_session(folder / f"{number}.jsonl", "needle", session_id=f"s{number}", cwd="/w")
    return folder


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("method", "params"), ASKED)
async def test_progress_begins_grows_and_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, params: dict[str, Any]
):
    monkeypatch.setattr("sessiond.methods.progress._REPORT_SECONDS", 0.0)
    async with daemon(tmp_path) as client:
        await client.request(method, {**params, "workDoneToken": 7})
        told = []
        while not told or told[-1]["kind"] != "end":
            notice = await client.notification("$/progress")
            assert notice["token"] == 7
            told.append(notice["value"])
    reports = [each for each in told if each["kind"] == "report"]
    assert [each["kind"] for each in told] == ["begin", *["report"] * len(reports), "end"]
    shares = [each["percentage"] for each in reports]
    assert shares == sorted(shares)
    assert shares[-1] == 100
    assert {each["total"] for each in reports} == {5}
    assert len(set(shares)) >= 5


@pytest.mark.usefixtures("folder")
async def test_progress_ends_also_when_the_request_fails(tmp_path: Path):
    async with daemon(tmp_path) as client:
        params = {"query": "(", "mode": "regex", "workDoneToken": "t"}
        with pytest.raises(RpcError):
            await client.request("catalog/search", params)
        kinds = [(await client.notification("$/progress"))["value"]["kind"] for _ in range(2)]
    assert kinds == ["begin", "end"]


async def test_an_empty_list_has_no_percentage(tmp_path: Path):
    async with daemon(tmp_path) as client:
        await client.request("session/listAll", {"workDoneToken": "t"})
        told = [(await client.notification("$/progress"))["value"] for _ in range(3)]
    assert told[1] == {"kind": "report", "loaded": 0, "total": 0}
