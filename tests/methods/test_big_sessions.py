"""No request on a big session keeps the event loop, and with it a small request, waiting."""

from __future__ import annotations

import itertools
import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sessiond_protocol.session.table import METHODS
from support.effort import effort
from support.lag import late_in_every_run
from support.measured import Caller, measured

COUNT = effort(20_000, 40_000)
TIME = "2026-01-01T00:00:00.000Z"
HEADER = json.dumps({"type": "session", "version": 3, "id": "big", "timestamp": TIME, "cwd": "/w"})


def lines(count: int) -> Iterator[str]:
    """A conversation with tool calls, branches, labels and compactions."""
    yield HEADER
    usage = '"usage":{"input":10,"output":5,"cacheRead":0,"cacheWrite":0,"totalTokens":15}'
    for n in range(count):
        parent = "null" if n == 0 else f'"e{n - 1}"'
        head = f'"id":"e{n}","parentId":{parent},"timestamp":"{TIME}"'
        if n % 1000 == 999:
            yield f'{{"type":"label",{head},"targetId":"e{n - 1}","label":"l{n}"}}'
        elif n % 2:
            yield (
                f'{{"type":"message",{head},"message":{{"role":"assistant","content":[{{"type":'
                f'"text","text":"answer {n}"}},{{"type":"toolCall","id":"t{n}","name":"read",'
                f'"arguments":{{"path":"f{n % 50}"}}}}],"provider":"p","model":"m",{usage},'
                f'"stopReason":"stop","timestamp":1767225600000}}}}'
            )
        else:
            yield (
                f'{{"type":"message",{head},"message":{{"role":"user","content":'
                f'"question {n}","timestamp":1767225600000}}}}'
            )


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("big") / "big.jsonl"
    path.write_text("\n".join([*lines(COUNT), ""]))
    return path


Lags = dict[str, float]
READING: dict[str, dict[str, Any]] = {
    "session/getState": {},
    "session/getTree": {},
    "session/getTree outline": {"detail": "outline"},
    "session/getEntries": {},
    "session/getBranch": {},
    "session/getChildren": {"parentId": None},
    "session/buildSessionContext": {},
    "session/buildContextEntries": {},
    "session/buildSessionProjection": {},
    "context/estimateTokens": {},
    "context/shouldCompact": {"contextWindow": 200_000},
    "context/windowUsage": {"contextWindow": 200_000},
    "context/toLlm": {},
    "context/serialize": {},
    "context/prepareCompaction": {"includePrompts": True},
    "context/prepareBranchSummary": {"targetId": "e5"},
    "catalog/stats": {},
    "catalog/export jsonl": {"format": "jsonl"},
    "catalog/export markdown": {"format": "markdown"},
    "catalog/export html": {"format": "html"},
}
WRITING: dict[str, dict[str, Any]] = {
    "session/appendMessage": {"message": {"role": "user", "content": "more"}},
    "session/appendCompaction": {
        "summary": "s",
        "firstKeptEntryId": "e5",
        "tokensBefore": 5,
    },
    "session/appendContextEdit": {"targetId": "e5", "replacement": None},
    "session/branchWithSummary": {"entryId": "e5", "summary": "s"},
    "context/finishBranchSummary": {"targetId": "e5", "summary": "s"},
    "session/createBranchedSession": {"leafId": f"e{COUNT - 2}"},
}


async def late(home: Path, measure: Callable[[Caller, Path], Awaitable[Lags]]) -> Lags:
    """Delays of a measurement that is repeated with a new daemon and a new directory each time."""
    runs = itertools.count()

    async def once() -> Lags:
        directory = home / str(next(runs))
        directory.mkdir()
        async with measured(directory) as call:
            return await measure(call, directory)

    return await late_in_every_run(once)


async def test_reading_methods(big: Path, tmp_path: Path) -> None:
    async def measure(call: Caller, _: Path) -> Lags:
        state, lag = await call("session/open", path=str(big), readOnly=True)
        lags = {"session/open": lag}
        assert state["entryCount"] == COUNT
        for name, params in READING.items():
            _, lags[name] = await call(name.partition(" ")[0], session=state["session"], **params)
        for method in ("catalog/stats", "catalog/check"):
            _, lags[f"{method} of a file"] = await call(method, path=str(big))
        return lags

    assert await late(tmp_path, measure) == {}


async def test_writing_methods(big: Path, tmp_path: Path) -> None:
    async def measure(call: Caller, home: Path) -> Lags:
        path = home / "own.jsonl"
        path.write_bytes(big.read_bytes())
        state, _ = await call("session/open", path=str(path), sessionDir=str(home / "new"))
        lags = {}
        for name, params in WRITING.items():
            _, lags[name] = await call(name, session=state["session"], **params)
        _, lags["session/forkFrom"] = await call(
            "session/forkFrom", sourcePath=str(path), targetCwd="/v", sessionDir=str(home / "f")
        )
        memory, _ = await call("session/inMemory", cwd="/w")
        _, lags["session/setSessionFile in memory"] = await call(
            "session/setSessionFile", session=memory["session"], path=str(path)
        )
        return lags

    assert await late(tmp_path, measure) == {}


@pytest.mark.parametrize("line", ["{broken", "{}", "x", "null", ""])
async def test_very_many_bad_lines(tmp_path: Path, line: str) -> None:
    async def measure(call: Caller, home: Path) -> Lags:
        path = home / "s.jsonl"
        path.write_text(HEADER + "\n" + f"{line}\n" * effort(50_000, 100_000))
        lags = {}
        for method in ("session/open", "catalog/check", "catalog/stats"):
            _, lags[method] = await call(method, path=str(path))
        return lags

    assert await late(tmp_path, measure) == {}


async def test_many_empty_values_in_memory(tmp_path: Path) -> None:
    async def measure(call: Caller, _: Path) -> Lags:
        state, lag = await call("session/inMemory", entries=[{}] * 100_000)
        assert (len(state["diagnostics"]), state["diagnosticCount"]) == (100, 100_000)
        return {"session/inMemory": lag}

    assert await late(tmp_path, measure) == {}


def test_every_reading_method_is_measured() -> None:
    assert {name.partition(" ")[0] for name in READING if name.startswith("session/")} <= set(
        METHODS
    )
