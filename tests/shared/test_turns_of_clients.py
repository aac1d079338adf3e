"""Clients of a shared daemon take turns: much work of one delays no small work of another."""

import asyncio
from pathlib import Path

import pytest
from support.app import user
from support.client import DEADLINE
from support.fronts import Home
from support.session_lines import header, line

STORM = 100
LINES = 3000
"""A file of so many lines is read in a worker thread."""


@pytest.fixture
def sessions(home: Home) -> Path:
    directory = home.path / ".pi" / "agent" / "sessions" / "--w--"
    directory.mkdir(parents=True)
    lines = header() + "".join(line(f"e{number}") for number in range(LINES))
    for number in range(4):
        (directory / f"{number}.jsonl").write_text(lines)
    return directory


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("catalog/check", {}),
        ("session/listAll", {"includeText": True}),
        # No text that the index could look for, so all are compared.
        ("catalog/search", {"query": "[^x]|[w-y]", "mode": "regex"}),
        ("catalog/stats", {"path": "FILE"}),
        ("catalog/export", {"path": "FILE", "format": "html"}),
        ("catalog/repair", {"path": "FILE", "dryRun": True}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_small_requests_do_not_wait_for_much_work_of_another_client(
    home: Home, sessions: Path, method: str, params: dict[str, object]
):
    tiny = home.path / "tiny"
    tiny.mkdir()
    (tiny / "t.jsonl").write_text(header() + line("a"))
    if "path" in params:
        params = {**params, "path": str(sessions / "0.jsonl")}
    async with home.front() as busy, home.front() as other:
        assert busy.daemon == other.daemon
        mine = (await other.client.request("session/create", {"cwd": "/w"}))["session"]
        lists = {"sessionDir": str(tiny)}
        small = [
            ("session/listAll", lists),
            ("catalog/search", {**lists, "query": "nothing", "mode": "regex"}),
            ("catalog/check", {"path": str(sessions / "1.jsonl")}),
            ("session/appendMessage", {"session": mine, "message": user("x" * 500_000)}),
        ]
        await busy.client.request(method, params)
        storm = [busy.client.start(method, params, id_=number) for number in range(STORM)]
        # All have arrived when a later one of another family is answered.
        await busy.client.request("session/inMemory", {"cwd": "/w"}, id_="last")
        for name, given in small:
            await other.client.request(name, given)
        # Without turns, nearly all of the storm was answered before.
        done = sum(each.done() for each in storm)
        assert done < STORM / 2
        for number in range(STORM):
            busy.client.notify("$/cancelRequest", {"id": number})
        async with asyncio.timeout(DEADLINE):
            await asyncio.gather(*storm)
