"""Usage over sessions by period, model, project and session, compared with a naive model."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from support.app import daemon
from support.client import RpcError
from support.sessions_on_disk import settle

from sessiond.catalog.usage import readings
from sessiond.catalog.usage.count import FileUsage, read_usage

Value = dict[str, Any]
PARTS = ("input", "output", "cacheRead", "cacheWrite")
MODELS = [("anthropic", "opus"), ("anthropic", "sonnet"), ("openai", "opus-like"), (None, "local")]
ZONES = [
    "UTC",
    "Europe/Berlin",  # whole hours, with a change of clocks
    "Asia/Kolkata",  # half an hour
    "Asia/Kathmandu",  # a quarter of an hour
    "Australia/Lord_Howe",  # a change of clocks by half an hour
    "Pacific/Kiritimati",  # 14 hours ahead
]
BYS = ["day", "week", "month", "model", "project", "session"]


def iso(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03}Z"


def header(session_id: str, at: datetime, cwd: str) -> Value:
    return {"type": "session", "version": 3, "id": session_id, "timestamp": iso(at), "cwd": cwd}


def assistant(
    entry_id: str, at: datetime, usage: Value | None, model: tuple[str | None, str]
) -> Value:
    message: Value = {"role": "assistant", "content": [], "model": model[1]}
    if model[0] is not None:
        message["provider"] = model[0]
    if usage is not None:
        message["usage"] = usage
    return {"type": "message", "id": entry_id, "timestamp": iso(at), "message": message}


def usage(chance: random.Random) -> Value:
    tokens: Value = {name: chance.randrange(100_000) for name in PARTS}
    kind = chance.randrange(6)
    if kind:
        # Eighths add up exactly in any order.
        cost = {name: chance.randrange(64) / 8 for name in PARTS}
        tokens["cost"] = cost if kind == 1 else {**cost, "total": sum(cost.values())}
    return tokens


def write(file: Path, lines: list[Value]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def random_sessions(folder: Path, chance: random.Random) -> list[Path]:
    """Sessions around changes of clocks; some are forks, which begin with copies."""
    files, all_lines = [], []
    for number in range(14):
        at = datetime(2025, chance.choice([1, 3, 4, 10, 12]), chance.randrange(1, 29), tzinfo=UTC)
        cwd = f"/project{number % 3}"
        lines = [header(f"s{number}", at, cwd)]
        if all_lines and number % 4 == 3:
            source = chance.choice(all_lines)
            lines += source[1 : chance.randrange(2, len(source) + 1)]
        for entry in range(chance.randrange(1, 30)):
            at += timedelta(
                minutes=chance.choice([1, 7, 45, 500]), milliseconds=chance.randrange(9)
            )
            used = usage(chance) if chance.random() < 0.9 else None
            lines.append(assistant(f"{number:04x}{entry:04x}", at, used, chance.choice(MODELS)))
            lines.append(
                {
                    "type": "message",
                    "id": f"u{entry}",
                    "timestamp": iso(at),
                    "message": {"role": "user", "content": "usage"},
                }
            )
            if chance.random() < 0.2:
                summary = {"type": "compaction", "id": f"{number}c{entry}", "timestamp": iso(at)}
                lines.append({**summary, "summary": "s", "usage": usage(chance)})
        all_lines.append(lines)
        files.append(write(folder / f"--{number}--" / f"{number:02}.jsonl", lines))
    return files


class Naive:
    """Adds up one entry at a time, with no knowledge of how the daemon does it."""

    def __init__(self, files: list[Path], *, copies: bool = False) -> None:
        self.entries: list[tuple[Value, str, Value]] = []
        self.omitted: list[tuple[Value, str, Value]] = []
        seen: dict[tuple[str, str], str] = {}
        read = [
            (file, [json.loads(line) for line in file.read_text().splitlines()]) for file in files
        ]
        for file, lines in sorted(read, key=lambda item: (item[1][0]["timestamp"], str(item[0]))):
            for line in lines[1:]:
                if (line.get("message") or line).get("role") == "user":
                    continue
                first = seen.setdefault((line["id"], line["timestamp"]), str(file))
                kept = self.entries if copies or first == str(file) else self.omitted
                kept.append((lines[0], str(file), line))

    def rows(
        self,
        by: str,
        zone: str,
        wanted: Callable[[str, str], bool] = lambda _day, _model: True,
    ) -> dict[str, Value]:
        found: dict[str, Value] = {}
        for head, file, line in self.entries:
            at = datetime.fromisoformat(line["timestamp"]).astimezone(ZoneInfo(zone))
            message = line.get("message") or {}
            model = "/".join(filter(None, (message.get("provider"), message.get("model"))))
            if not wanted(f"{at:%Y-%m-%d}", model):
                continue
            key = {
                "day": f"{at:%Y-%m-%d}",
                "week": f"{at:%G-W%V}",
                "month": f"{at:%Y-%m}",
                "model": model,
                "project": head["cwd"],
                "session": file,
            }[by]
            row = found.setdefault(key, {"sums": empty(), "models": {}})
            for sums in (row["sums"], row["models"].setdefault(model, empty())):
                add(sums, (message or line).get("usage"))
        for row in found.values():
            for sums in (row["sums"], *row["models"].values()):
                if sums["withoutCost"] == sums["entries"]:
                    # What nobody has recorded is not 0.
                    del sums["cost"]
        return found


def empty() -> Value:
    zeros = dict.fromkeys((*PARTS, "total"), 0)
    return {"entries": 0, "withoutCost": 0, "tokens": dict(zeros), "cost": dict(zeros)}


def add(sums: Value, used: Value | None) -> None:
    used = used or {}
    sums["entries"] += 1
    sums["withoutCost"] += "cost" not in used
    for name in PARTS:
        sums["tokens"][name] += used.get(name, 0)
        sums["tokens"]["total"] += used.get(name, 0)
        sums["cost"][name] += used.get("cost", {}).get(name, 0)
        sums["cost"]["total"] += used.get("cost", {}).get(name, 0)


def told(answer: Value) -> dict[str, Value]:
    """The rows of an answer in the form of the naive model."""
    return {
        row["key"]: {
            "sums": row["sums"],
            "models": {
                "/".join(filter(None, (each["provider"], each["model"]))): each["sums"]
                for each in row["models"]
            },
        }
        for row in answer["rows"]
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".pi" / "agent" / "sessions"


@pytest.fixture
def files(folder: Path) -> list[Path]:
    files = random_sessions(folder, random.Random(20))
    settle(files)
    return files


async def test_rows_are_those_of_the_naive_model(tmp_path: Path, files: list[Path]):
    naive = Naive(files)
    assert naive.omitted
    async with daemon(tmp_path) as client:
        for by in BYS:
            for zone in ZONES:
                answer = await client.request("catalog/usage", {"by": by, "timezone": zone})
                assert told(answer) == naive.rows(by, zone), (by, zone)
                assert answer["omittedCopies"] == len(naive.omitted)
                assert (answer["timezone"], answer["currency"]) == (zone, "USD")
                whole = empty()
                for _, _, line in naive.entries:
                    add(whole, (line.get("message") or line).get("usage"))
                assert answer["sums"] == whole


@pytest.mark.usefixtures("files")
async def test_rows_have_their_order(tmp_path: Path):
    async with daemon(tmp_path) as client:
        for by in BYS:
            rows = (await client.request("catalog/usage", {"by": by, "timezone": "UTC"}))["rows"]
            if by in {"day", "week", "month"}:
                assert [row["key"] for row in rows] == sorted(row["key"] for row in rows)
            else:
                costs = [row["sums"].get("cost", {"total": 0})["total"] for row in rows]
                assert costs == sorted(costs, reverse=True)
            assert all(("info" in row) == (by == "session") for row in rows)


async def test_filters_choose_days_models_and_directories(tmp_path: Path, files: list[Path]):
    zone = "Asia/Kathmandu"
    naive = Naive(files)
    days = sorted(naive.rows("day", zone))
    since, until = days[len(days) // 4], days[len(days) // 2]
    async with daemon(tmp_path) as client:

        async def ask(**params: Any) -> Value:
            return await client.request("catalog/usage", {"timezone": zone, **params})  # type: ignore[no-any-return]

        answer = await ask(since=since, until=until)
        assert told(answer) == naive.rows("day", zone, lambda day, _: since <= day <= until)
        answer = await ask(since=until, by="model", model="OPUS")
        expected = naive.rows("model", zone, lambda day, model: day >= until and "opus" in model)
        assert told(answer) == expected
        assert set(expected) == {"anthropic/opus", "openai/opus-like"}
        # Of one directory alone, copies of entries of other directories are no copies.
        here = [
            file
            for file in files
            if json.loads(file.read_text().split("\n")[0])["cwd"] == "/project1"
        ]
        answer = await client.request(
            "catalog/usage",
            {"timezone": zone, "cwd": "/project1", "sessionDir": str(files[1].parent)},
        )
        assert told(answer) == Naive([files[1]]).rows("day", zone)
        assert files[1] in here


async def test_usage_with_copies_equals_the_statistics_of_each_session(
    tmp_path: Path, files: list[Path]
):
    async with daemon(tmp_path) as client:
        answer = await client.request("catalog/usage", {"by": "session", "copies": True})
        assert told(answer) == Naive(files, copies=True).rows("session", "UTC")
        assert answer["omittedCopies"] == 0
        for row in answer["rows"]:
            stats = await client.request("catalog/stats", {"path": row["key"]})
            assert row["sums"]["tokens"] == stats["tokens"]
            assert row["sums"].get("cost") == stats.get("cost")
            assert row["sums"]["withoutCost"] == stats.get("withoutCost", 0)
            assert row["info"]["path"] == row["key"]


async def test_a_later_daemon_reads_only_changed_files(
    tmp_path: Path, files: list[Path], monkeypatch: pytest.MonkeyPatch
):
    async with daemon(tmp_path) as client:
        before = await client.request("catalog/usage", {"timezone": "UTC"})
    with files[2].open("a") as file:
        added = assistant("new", datetime(2026, 1, 1, tzinfo=UTC), {"input": 5}, MODELS[0])
        file.write(json.dumps(added) + "\n")
    files[3].write_text(files[3].read_text().replace('"opus"', '"haik"'))
    os.utime(files[3], (1, 1))
    settle(files)
    read: dict[str, int] = {}

    def reading(path: str, known: FileUsage | None) -> FileUsage:
        read[path] = 0 if known is None else known.offset
        return read_usage(path, known)

    monkeypatch.setattr(readings, "read_usage", reading)
    async with daemon(tmp_path) as client:
        after = await client.request("catalog/usage", {"timezone": "UTC"})
        assert set(read) == {str(files[2]), str(files[3])}
        read.clear()
        assert await client.request("catalog/usage", {"timezone": "UTC"}) == after
        assert not read
    assert told(after) == Naive(files).rows("day", "UTC") != told(before)


def test_of_a_file_that_grew_only_the_new_part_is_read(tmp_path: Path):
    file = tmp_path / "s.jsonl"
    at = datetime(2025, 1, 1, tzinfo=UTC)
    lines = [header("s", at, "/w"), assistant("a", at, {"input": 1}, MODELS[0])]
    write(file, lines)
    known = read_usage(str(file))
    # Entries that were read already are not read again, so a change of them does not show.
    known.parts = [
        (quarter, model, (*sums[:2], 7, *sums[3:])) for quarter, model, sums in known.parts
    ]
    with file.open("a") as more:
        more.write(json.dumps(assistant("b", at, {"input": 10}, MODELS[0])) + "\n")
    grown = read_usage(str(file), known)
    assert [sums[2] for _, _, sums in grown.parts] == [17]
    assert len(grown.key_view()) == 2
    # And a file that is another one is read whole.
    write(file, [lines[0], assistant("c", at, {"input": 100}, MODELS[0])])
    assert [sums[2] for _, _, sums in read_usage(str(file), grown).parts] == [100]


ODD = [
    b"null",
    b"[]",
    b"{",
    b'{"usage":{"input":1}}',
    b'{"type":"message","usage":{"input":1}}',
    b'{"type":"message","message":"assistant"}',
    b'{"type":"message","message":{"role":"user","usage":{"input":1}}}',
    b'{"type":"compaction","usage":"much"}',
    b'{"type":"custom","usage":{"input":1}}',
]
COUNTED = [
    (rb'{"type":"message","message":{"role":"assistant","x":"\ud83d","usage":{"input":1}}}', 1, 0),
    (rb'{"type":"message","message":{"role":"assist\u0061nt","\u0075sage":{"input":2}}}', 2, 0),
    (b'{"type":"message","message":{"role":"assistant","x":"\xff","usage":{"input":4}}}', 4, 0),
    (b'{"type":"message","timestamp":5,"message":{"role":"assistant","provider":7}}', 0, 0),
    (b'{"type":"message","message":{"role":"toolResult","usage":{"input":8.9,"cost":{"total":1}}}}', 8, 1),
    (b'{"type":"usage","model":"m","timestamp":"soon","usage":{"output":16,"cost":{}}}', 16, 0),
    (b'{"type":"branch_summary","usage":{"cacheRead":32,"cost":{"input":0.5,"output":null}}}', 32, 0.5),
    (b'{"type":"compaction","timestamp":1e300,"usage":{"cacheWrite":64,"input":1e300}}', 64, 0),
]  # fmt: skip


def test_malformed_lines_count_their_readable_members(tmp_path: Path):
    file = tmp_path / "s.jsonl"
    head = json.dumps(header("s", datetime(2025, 1, 1, tzinfo=UTC), "/w")).encode()
    file.write_bytes(b"\n".join([head, *ODD, *(line for line, _, _ in COUNTED)]))
    found = read_usage(str(file))
    sums = [sums for _, _, sums in found.parts]
    assert sum(each[0] for each in sums) == len(COUNTED)
    assert sum(each[1] for each in sums) == len(COUNTED) - 2
    assert sum(sum(each[2:6]) for each in sums) == 127
    assert sum(each[10] for each in sums) == 1.5
    assert found.models == [("", ""), ("", "m")]
    # The one with a time is of 1970; the others have none.
    assert {quarter for quarter, _, _ in found.parts} == {None, 0}
    assert len(found.key_view()) == 1


def test_long_lines_count(tmp_path: Path):
    at = datetime(2025, 1, 1, tzinfo=UTC)
    long = assistant("a", at, {"input": 7}, MODELS[0])
    long["message"]["content"] = "x" * 3_000_000
    tool = {
        "type": "message",
        "id": "t",
        "message": {"role": "toolResult", "content": "x" * 3_000_000},
    }
    file = write(tmp_path / "s.jsonl", [header("s", at, "/w"), long, tool])
    found = read_usage(str(file))
    assert [(sums[0], sums[2]) for _, _, sums in found.parts] == [(1, 7)]
    assert found.models == [MODELS[0]]


async def test_entries_without_time_count_unless_a_period_is_given(tmp_path: Path, folder: Path):
    at = datetime(2025, 1, 1, tzinfo=UTC)
    lines = [header("s", at, "/w"), assistant("a", at, {"input": 1}, MODELS[0])]
    lines[1]["timestamp"] = "soon"
    write(folder / "--w--" / "s.jsonl", lines)
    # The same lines again are no copies: nothing tells that they are the same entry.
    write(folder / "--w--" / "t.jsonl", lines)
    async with daemon(tmp_path) as client:
        answer = await client.request("catalog/usage", {})
        assert [(row["key"], row["sums"]["tokens"]["input"]) for row in answer["rows"]] == [("", 2)]
        assert (await client.request("catalog/usage", {"since": "1970-01-01"}))["rows"] == []


async def test_sums_beyond_64_bits_are_exact(tmp_path: Path, folder: Path):
    at = datetime(2025, 1, 1, tzinfo=UTC)
    big = {"input": 2**53}
    lines = [assistant(f"e{n}", at, big, MODELS[0]) for n in range(3000)]
    settle([write(folder / "--w--" / "s.jsonl", [header("s", at, "/w"), *lines])])
    async with daemon(tmp_path) as client:
        answer = await client.request("catalog/usage", {})
    assert answer["sums"]["tokens"]["input"] == 3000 * 2**53


@pytest.mark.parametrize(
    "params",
    [
        {"timezone": "Mars/Olympus"},
        {"timezone": "../../etc/passwd"},
        {"since": "yesterday"},
        {"until": "2025-13-01"},
        {"by": "year"},
    ],
)
async def test_wrong_params_are_refused(tmp_path: Path, params: Value):
    async with daemon(tmp_path) as client:
        with pytest.raises(RpcError) as raised:
            await client.request("catalog/usage", params)
    assert raised.value.code == -32602
