"""Measure costs with thousands of open sessions, and notifications of a busy file."""

from __future__ import annotations

import select
import threading
import time
from pathlib import Path

import attrs
import generate
import orjson
import wire
from budgets import BUDGETS
from live import line
from table import Row, compared, limited, median, percentile

BUDGET = BUDGETS["scale"]
OPEN = 3_000
NOTICES = 60
OPENS = 200
OPENED_AT_ONCE = 20
IDLE_SECONDS = 12.0
STREAM = 100
STREAM_SECONDS = 0.02
FLOOD = 10_000


def run() -> list[Row]:
    rows: list[Row] = []
    for layout, per_directory in (("one directory", OPEN + OPENS), ("separate directories", 1)):
        rows += beside_open_sessions(layout, per_directory)
    return [*rows, *streamed(), flooded()]


@attrs.define
class Cost:
    """Seconds until each answer or notification, and the processor seconds it took."""

    waited: list[float] = attrs.field(factory=list)
    worked: list[float] = attrs.field(factory=list)


def beside_open_sessions(layout: str, per_directory: int) -> list[Row]:
    """Compare a daemon with many open sessions with one that has few, alternately."""
    with wire.Process(wire.DAEMON) as few, wire.Process(wire.DAEMON) as many:
        files = {each: sessions(each.home, OPEN + OPENS, per_directory) for each in (few, many)}
        open_all(few, files[few][:1])
        open_all(many, files[many][:OPEN])
        settle(few)
        settle(many)
        telling = {few: Cost(), many: Cost()}
        opening = {few: Cost(), many: Cost()}
        for number in range(NOTICES):
            time.sleep(0.12)
            for daemon, cost in telling.items():
                notice(daemon, files[daemon][0], number, cost)
        for number in range(OPEN, OPEN + OPENS, OPENED_AT_ONCE):
            for daemon, cost in opening.items():
                opened(daemon, files[daemon][number : number + OPENED_AT_ONCE], cost)
        idle = idle_share(many)
    rows = [
        limited(f"idle, {OPEN:,} open, {layout}", idle, BUDGET["idle"]),
    ]
    for work, cost, budget in (
        ("foreign append → notification", telling, BUDGET["notification"]),
        ("open a small session", opening, BUDGET["opening"]),
    ):
        for part, ours, theirs in (
            ("", cost[many].waited, cost[few].waited),
            (", processor time", cost[many].worked, cost[few].worked),
        ):
            rows.append(
                compared(
                    f"{work}{part}, {OPEN:,} open, {layout}",
                    median(ours),
                    median(theirs),
                    budget,
                    unit="ms",
                    beside="few open",
                )
            )
    return rows


def sessions(home: Path, count: int, per_directory: int) -> list[Path]:
    """Create small session files, `per_directory` of them in each directory."""
    header = {"type": "session", "version": 3, "id": "s", "timestamp": "", "cwd": generate.CWD}
    files = []
    for number in range(count):
        file = home / f"d{number // per_directory}" / f"{number}.jsonl"
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(orjson.dumps(header) + b"\n" + line(0))
        files.append(file)
    return files


def open_all(daemon: wire.Process, files: list[Path]) -> None:
    for file in files:
        daemon.request("session/open", path=str(file))


def opened(daemon: wire.Process, files: list[Path], cost: Cost) -> None:
    before = processor_seconds(daemon)
    for file in files:
        start = time.perf_counter()
        daemon.request("session/open", path=str(file))
        cost.waited.append(time.perf_counter() - start)
    time.sleep(0.1)
    cost.worked.append((processor_seconds(daemon) - before) / len(files))


def notice(daemon: wire.Process, file: Path, number: int, cost: Cost) -> None:
    before, start = processor_seconds(daemon), time.perf_counter()
    with file.open("ab", buffering=0) as out:
        out.write(line(number))
    daemon.receive()
    cost.waited.append(time.perf_counter() - start)
    time.sleep(0.03)
    cost.worked.append(processor_seconds(daemon) - before)


def streamed() -> list[Row]:
    """Measure lines at a steady rate, with a client that reads."""
    with wire.Process(wire.DAEMON) as daemon:
        (file,) = sessions(daemon.home, 1, 1)
        open_all(daemon, [file])
        settle(daemon)
        written: dict[str, float] = {}
        writer = threading.Thread(target=write_steadily, args=(file, written))
        writer.start()
        taken: list[float] = []
        while len(taken) < STREAM:
            told = orjson.loads(daemon.receive())["params"]["entries"]
            now = time.perf_counter()
            taken += [now - written[each["id"]] for each in told]
        writer.join()
    return [
        limited(
            f"{STREAM} foreign appends, one each 20 ms → notification, p50",
            median(taken),
            BUDGET["stream"],
            f"p99 {percentile(taken, 0.99) * 1e3:.1f} ms",
        )
    ]


def write_steadily(file: Path, written: dict[str, float]) -> None:
    with file.open("ab", buffering=0) as out:
        for number in range(STREAM):
            time.sleep(STREAM_SECONDS)
            data = line(number)
            written[f"f{number:07}"] = time.perf_counter()
            out.write(data)


def flooded() -> Row:
    """Measure 10,000 lines per second, with a client that reads only after the last one."""
    with wire.Process(wire.DAEMON) as daemon:
        (file,) = sessions(daemon.home, 1, 1)
        open_all(daemon, [file])
        settle(daemon)
        before = daemon.resident()
        with file.open("ab", buffering=0) as out:
            start = time.perf_counter()
            for number in range(FLOOD):
                while time.perf_counter() < start + number / FLOOD:
                    select.select([], [], [], 0.001)
                out.write(line(number))
        settle(daemon)
        grown = daemon.resident() - before
        messages = told = 0
        while told < FLOOD:
            told += len(orjson.loads(daemon.receive())["params"]["entries"])
            messages += 1
    return Row(
        f"{FLOOD:,} foreign appends in a second, a client that does not read",
        f"{messages} messages, {grown / 1e6:.0f} MB more memory",
        f"{file.stat().st_size / 1e6:.1f} MB written" if file.exists() else "",
    )


def settle(daemon: wire.Process) -> None:
    """Wait until the daemon uses no processor time."""
    quiet, last = 0, -1.0
    while quiet < 3:
        now = processor_seconds(daemon)
        quiet, last = (quiet + 1 if now - last < 0.002 else 0), now
        time.sleep(0.1)


def idle_share(daemon: wire.Process) -> float:
    """Return the share of a core that an idle daemon uses."""
    settle(daemon)
    before, start = processor_seconds(daemon), time.perf_counter()
    time.sleep(IDLE_SECONDS)
    return (processor_seconds(daemon) - before) / (time.perf_counter() - start)


def processor_seconds(daemon: wire.Process) -> float:
    """Return the processor time that all threads of the daemon have used so far."""
    threads = Path(f"/proc/{daemon.process.pid}/task").iterdir()
    return sum(int((each / "schedstat").read_text().split()[0]) for each in threads) / 1e9
