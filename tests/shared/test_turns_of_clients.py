"""Clients of a shared daemon take turns: much work of one delays no small work of another."""

import asyncio
from pathlib import Path

import pytest
from support.app import user
from support.client import DEADLINE
from support.fronts import Home
from support.session_lines import header, line
from support.storms import MEMORY, TIMES, connections, memory, slowest_of_a_hundred, storming

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


REFUSED = {
    "malformed lines": "{",
    "empty batches": "[]",
    "requests without a method": '{"id":1}',
    "unknown methods": '{"jsonrpc":"2.0","id":1,"method":"x"}',
    "batches of bad members": f"[{','.join(['{}'] * 1000)}]",
    "white space": "",
}
ROUNDS = 5
"""A busy machine may delay one round; work on the loop of the daemon delays each."""


@pytest.mark.parametrize("kind", REFUSED)
async def test_nobody_waits_for_a_client_that_is_refused_all_the_time(home: Home, tmp_path, kind):
    async with home.front() as other:
        for _ in range(ROUNDS):
            quiet = await slowest_of_a_hundred(other, tmp_path)
            with storming(home, REFUSED[kind], "cat"):
                await connections(other, 2)
                busy = await slowest_of_a_hundred(other, tmp_path)
            print(f"{kind}: {quiet * 1000:.1f} ms, then {busy * 1000:.1f} ms")
            if busy <= TIMES * quiet:
                return
            await connections(other, 1)
        pytest.fail("others wait in every round")


@pytest.mark.parametrize("reader", ["cat", "sleep 600"], ids=["reads", "does not read"])
@pytest.mark.parametrize("kind", REFUSED)
async def test_a_client_that_is_refused_takes_little_memory(home: Home, tmp_path, kind, reader):
    async with home.front() as other:
        await slowest_of_a_hundred(other, tmp_path)
        before = await memory(other)
        with storming(home, REFUSED[kind], reader):
            await connections(other, 2)
            # Meanwhile it sends as much as the daemon takes.
            for _ in range(5):
                await slowest_of_a_hundred(other, tmp_path)
            assert await memory(other) - before < MEMORY
