"""Compare sessions of another agent, translated line by line, with pi's own of the same texts."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import generate
import orjson
import wire
from budgets import BUDGETS, Budget
from table import Row, amount, compared, limited, median

sys.path.append(str(Path(__file__).parents[2] / "tests"))
from support.opencode_database import Opencode

BUDGET = BUDGETS["agents"]
ROUNDS = 3
APPENDS = 60
ENTRIES, TURN = 40, 20
"""Entries of a session of 300 kB, and of a turn."""
SMALL, LARGE = 50_000, 50_000_000
DIRECTORY = "-home-someone-project"
AGENT = ["--profile", "claude-code"]


def run() -> list[Row]:
    source = generate.many()
    size = sum(path.stat().st_size for path in source.iterdir())
    pi_cold, pi_again, cold, again = [], [], [], []
    for _ in range(ROUNDS):
        with wire.Process(wire.DAEMON) as daemon:
            daemon.request("initialize")
            asked = {"cwd": generate.CWD, "sessionDir": str(source)}
            pi_cold.append(listing(daemon, **asked))
            pi_again += [listing(daemon, **asked) for _ in range(5)]
        with wire.Process([*wire.DAEMON, *AGENT]) as daemon:
            theirs = translated(source, daemon.home)
            cold.append(listing(daemon, cwd=generate.CWD))
            again += [listing(daemon, cwd=generate.CWD) for _ in range(5)]
    # As if both had the same number of bytes.
    factor = theirs / size
    work = f"list 1,000 sessions of Claude Code ({amount(theirs, 'MB')}), cold"
    small, large = edit(SMALL), edit(LARGE)
    return [
        compared(
            work,
            median(cold),
            median(pi_cold) * factor,
            BUDGET["cold"],
            unit="ms",
            beside="pi's, for as many bytes",
        ),
        compared(
            "list them again",
            median(again),
            median(pi_again),
            BUDGET["again"],
            unit="ms",
            beside="pi's",
        ),
        compared(
            "a line that Claude Code adds to 50 MB → notification, p50",
            large,
            small,
            BUDGET["edit"],
            unit="ms",
            beside="to 50 kB",
        ),
        compared(
            "a line that Claude Code adds → notification, p50",
            small,
            edit_of_pi(),
            BUDGET["told"],
            unit="ms",
            beside="a line of pi's",
        ),
        limited("an answer that opencode adds → notification, p50", *edit_of_opencode()),
    ]


def listing(daemon: wire.Process, **asked: str) -> float:
    start = time.perf_counter()
    answer = daemon.request("session/list", **asked)
    assert answer["total"] == generate.MANY, answer["total"]
    return time.perf_counter() - start


def translated(source: Path, home: Path) -> int:
    """Write all sessions of a directory as Claude Code's; returns their bytes."""
    target = home / ".claude" / "projects" / DIRECTORY
    target.mkdir(parents=True)
    kept = generate.CACHE / "claude"
    if not kept.is_dir():
        kept.mkdir()
        for number, path in enumerate(sorted(source.iterdir())):
            lines = claude_lines(path.read_bytes().splitlines())
            (kept / f"{session_id(number)}.jsonl").write_bytes(b"".join(lines))
    for path in kept.iterdir():
        shutil.copy2(path, target / path.name)
    return sum(path.stat().st_size for path in target.iterdir())


def session_id(number: int) -> str:
    return f"{number:08x}-0000-4000-8000-000000000000"


def claude_lines(lines: list[bytes]) -> Iterator[bytes]:
    """Yield lines of Claude Code with the messages of a session of pi, and the context around."""
    yield from bookkeeping(0, None)
    above: str | None = None
    for number, line in enumerate(lines[:ENTRIES]):
        entry = orjson.loads(line)
        message = entry.get("message")
        if message is None:
            continue
        for block, part in enumerate(parts(message)):
            uuid = f"00000000-0000-4000-8000-{number:08x}{block:04x}"
            kind = "user" if message["role"] != "assistant" else "assistant"
            yield said(kind, uuid, above, entry["timestamp"], message=part)
            above = uuid
        if number % TURN == TURN - 1:
            yield from bookkeeping(number, above)


def bookkeeping(number: int, above: str | None) -> Iterator[bytes]:
    """Yield what Claude Code 2.1.330 writes beside a turn: 145 of 148 kB, in about 30 lines."""
    for part, size in enumerate([1_400, 800, 1_300, 3_900, 13_600, 1_100, 400, 500, 7_500, 56_600]):
        uuid = f"00000000-0000-4000-a000-{number:08x}{part:04x}"
        attachment = {"type": "context", "text": generate.TALK * (size // len(generate.TALK) + 1)}
        yield said("attachment", uuid, above, generate.stamp(number), attachment=attachment)
    for kind, size in (("api-request-shape", 38_200), ("api-request-blob", 10_900), ("mode", 80)):
        filling = generate.TALK * (size // len(generate.TALK) + 1)
        yield orjson.dumps({"type": kind, "sessionId": "s", "shape": filling}) + b"\n"


def said(kind: str, uuid: str, parent: str | None, time_: str, **members: Any) -> bytes:
    known = {"parentUuid": parent, "isSidechain": False, "type": kind, "uuid": uuid}
    known |= {"timestamp": time_, "cwd": generate.CWD, "sessionId": "s", "version": "2.1.330"}
    return orjson.dumps(known | members) + b"\n"


def parts(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the messages of lines: of an answer one for each block."""
    if message["role"] == "toolResult":
        result = {"type": "tool_result", "tool_use_id": message["toolCallId"]}
        yield {"role": "user", "content": [{**result, "content": message["content"]}]}
        return
    if message["role"] == "user":
        yield {"role": "user", "content": message["content"]}
        return
    usage = {"input_tokens": message["usage"]["input"], "output_tokens": 512}
    for block in message["content"]:
        shown = dict(block)
        if block["type"] == "toolCall":
            shown = {"type": "tool_use", "id": block["id"], "name": block["name"]}
            shown["input"] = block["arguments"]
        yield {
            "id": f"msg_{message['timestamp']}",
            "role": "assistant",
            "model": message["model"],
            "content": [shown],
            "usage": usage,
        }


def edit(size: int) -> float:
    """Return the seconds from a line that is added to an open session to its notification."""
    with wire.Process([*wire.DAEMON, *AGENT]) as daemon:
        file = daemon.home / ".claude" / "projects" / DIRECTORY / f"{session_id(0)}.jsonl"
        file.parent.mkdir(parents=True)
        lines = generate.session_lines(1, size // 3000 + 1, size, generate.CWD)
        made = list(lines)
        turns = (made[at : at + ENTRIES] for at in range(0, len(made), ENTRIES))
        file.write_bytes(b"".join(line for turn in turns for line in claude_lines(turn)))
        daemon.request("session/open", path=str(file), readOnly=True)
        with file.open("ab", buffering=0) as out:

            def add(number: int) -> None:
                uuid = f"00000000-0000-4000-9000-{number:012x}"
                content = {"role": "user", "content": "more"}
                out.write(said("user", uuid, None, generate.stamp(number), message=content))

            return told(daemon, add)


def edit_of_pi() -> float:
    """Return the seconds from a line of pi's in an open session of 50 kB to its notification."""
    with wire.Process(wire.DAEMON) as daemon:
        file = daemon.home / "s.jsonl"
        file.write_bytes(
            b"".join(generate.session_lines(1, SMALL // 3000 + 1, SMALL, generate.CWD))
        )
        daemon.request("session/open", path=str(file))
        with file.open("ab", buffering=0) as out:

            def add(number: int) -> None:
                entry = {"type": "custom", "customType": "x", "id": f"{number:08x}"}
                at = {"parentId": None, "timestamp": generate.stamp(number)}
                out.write(orjson.dumps(entry | at) + b"\n")

            return told(daemon, add)


def edit_of_opencode() -> tuple[float, Budget]:
    """Return the seconds from an answer in the database to its notification, and the budget."""
    with wire.Process([*wire.DAEMON, "--profile", "opencode"]) as daemon:
        opencode = Opencode(daemon.home)
        opencode.session()
        opencode.turn()
        daemon.request("session/open", path=opencode.session_path(), readOnly=True)

        def add(number: int) -> None:
            opencode.answer(f"answer {number}")

        spent = told(daemon, add)
        opencode.close()
    return spent, BUDGET["opencode"]


def told(daemon: wire.Process, add: Callable[[int], None]) -> float:
    """Return the median time from an edit to its notification, while the agent writes."""
    spans = []
    for number in range(APPENDS):
        time.sleep(0.12)
        start = time.perf_counter()
        add(number)
        daemon.receive()
        spans.append(time.perf_counter() - start)
    return median(spans)
