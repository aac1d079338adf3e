"""`catalog/sync` for clients: progress, cancel, and what open sessions hear of it."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from machines import Machine
from support.app import daemon
from support.client import RpcError
from support.session_lines import append, line

from sessiond.sync import files_side

A, B, X = line("a"), line("b", "a"), line("x", "a")


@pytest.fixture
def laptop(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "laptop")


async def test_it_reports_progress_and_tells_open_sessions(laptop: Machine, tmp_path: Path):
    folder = tmp_path / "cloud"
    path = laptop.write("one", A, B)
    laptop.write("two", A)
    async with daemon(laptop.home) as client:
        opened = await client.request("session/open", {"path": str(path)})
        params = {"directory": str(folder), "workDoneToken": "t"}
        result = await client.request("catalog/sync", params)
        assert [move["session"] for move in result["moves"]] == ["one", "two"]
        reports = [(await client.notification("$/progress"))["value"] for _ in range(3)]
        assert [each["kind"] for each in reports] == ["begin", "report", "end"]
        assert (reports[1]["loaded"], reports[1]["total"]) == (2, 2)
        append(folder / "pi/one.jsonl", X)
        result = await client.request("catalog/sync", {"directory": str(folder)})
        assert [move["kind"] for move in result["moves"]] == ["entries"]
        change = await client.notification("session/didChange")
        assert (change["kind"], change["leafId"]) == ("rewritten", "b")
        state = await client.request("session/getState", {"session": opened["session"]})
        assert state["entryCount"] == 3


async def test_it_can_be_cancelled(
    laptop: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for number in range(5):
        laptop.write(f"s{number}", A)
    began, go_on = asyncio.Event(), asyncio.Event()
    real = files_side.FilesSide.write

    async def write(self: Any, deliveries: Any) -> Any:
        began.set()
        await go_on.wait()
        return await real(self, deliveries)

    monkeypatch.setattr(files_side.FilesSide, "write", write)
    async with daemon(laptop.home) as client:
        answer = client.start("catalog/sync", {"directory": str(tmp_path / "cloud")}, id_="sync")
        await began.wait()
        client.notify("$/cancelRequest", {"id": "sync"})
        assert (await answer).value["error"]["code"] == -32800
        monkeypatch.setattr(files_side.FilesSide, "write", real)
        result = await client.request("catalog/sync", {"directory": str(tmp_path / "cloud")})
        assert len(result["moves"]) == 5


async def test_only_what_the_client_may_see_is_synced(laptop: Machine, tmp_path: Path):
    laptop.write("one", A)
    folder = str(tmp_path / "cloud")
    async with daemon(laptop.home, roots=[str(laptop.home)]) as client:
        for params in ({"directory": folder}, {"host": "box"}, {}, {"directory": "x", "host": "y"}):
            with pytest.raises(RpcError):
                await client.request("catalog/sync", params)
        inside = {"directory": str(laptop.home / "cloud")}
        assert len((await client.request("catalog/sync", inside))["moves"]) == 1
    assert not Path(folder).exists()
