"""Cost beside thousands of open sessions, and messages about a file that changes often."""

from __future__ import annotations

import select
import threading
import time
from pathlib import Path

import attrs
import generate
import orjson
import wire
from live import line
from table import Row, median, percentile, slower_at_most

OPEN = 3_000
NOTICES = 60
OPENS = 200
STREAM = 100
STREAM_SECONDS = 0.02
FLOOD = 10_000


def run() -> list[Row]:
    rows: list[Row] = []
    for layout, per_directory in (("one directory", OPEN + OPENS), ("directories of their own", 1)):
        rows += beside_open_sessions(layout, per_directory)
    return [*rows, *streamed(), flooded()]


@attrs.frozen
class Notice:
    """One foreign append: seconds until it was told, and processor seconds it took."""

    waited: float
    worked: float


def beside_open_sessions(layout: str, per_directory: int) -> list[Row]:
    """Compare the first of many sessions with one more of them."""
    with wire.Process(wire.DAEMON) as daemon:
        files = sessions(daemon.home, OPEN + OPENS, per_directory)
        opened(daemon, files[:1])
        settle(daemon)
        alone = notices(daemon, files[0])
        first, first_work = opened(daemon, files[1:OPENS])
        opened(daemon, files[OPENS:OPEN])
        settle(daemon)
        among = notices(daemon, files[0])
        last, last_work = opened(daemon, files[OPEN:])
    beside = f"{OPEN:,} open, {layout}"
    return [
        slower_at_most(
            f"foreign append → notification, {beside}",
            median(one.waited for one in among),
            median(one.waited for one in alone),
            1.5,
            unit="ms",
            beside="one open",
        ),
        slower_at_most(
            f"processor time of that, {beside}",
            median(one.worked for one in among),
            median(one.worked for one in alone),
            1.5,
            unit="ms",
            beside="one open",
        ),
        slower_at_most(
            f"open a small session, {beside}",
            median(last),
            median(first),
            1.3,
            unit="ms",
            beside=f"the first {OPENS}",
        ),
        slower_at_most(
            f"processor time of that opening, {beside}",
            last_work,
            first_work,
            1.3,
            unit="ms",
            beside=f"the first {OPENS}",
        ),
    ]


def sessions(home: Path, count: int, per_directory: int) -> list[Path]:
    """Small session files, so many in each directory."""
    header = {"type": "session", "version": 3, "id": "s", "timestamp": "", "cwd": generate.CWD}
    files = []
    for number in range(count):
        file = home / f"d{number // per_directory}" / f"{number}.jsonl"
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(orjson.dumps(header) + b"\n" + line(0))
        files.append(file)
    return files


def opened(daemon: wire.Process, files: list[Path]) -> tuple[list[float], float]:
    """Seconds that each opening took, and processor seconds of one on average.

    The mean, because work that is done once for several openings counts too.
    """
    taken = []
    settle(daemon)
    before = processor_seconds(daemon)
    for file in files:
        start = time.perf_counter()
        daemon.request("session/open", path=str(file))
        taken.append(time.perf_counter() - start)
    settle(daemon)
    return taken, (processor_seconds(daemon) - before) / len(files)


def notices(daemon: wire.Process, file: Path) -> list[Notice]:
    """Append one line at a time, each when the daemon is idle again."""
    taken = []
    with file.open("ab", buffering=0) as out:
        for number in range(NOTICES):
            time.sleep(0.12)
            before, start = processor_seconds(daemon), time.perf_counter()
            out.write(line(number))
            daemon.receive()
            waited = time.perf_counter() - start
            time.sleep(0.03)
            taken.append(Notice(waited, processor_seconds(daemon) - before))
    return taken


def streamed() -> list[Row]:
    """Lines at a steady pace, told to a client that reads."""
    with wire.Process(wire.DAEMON) as daemon:
        (file,) = sessions(daemon.home, 1, 1)
        opened(daemon, [file])
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
        Row(
            f"{STREAM} foreign appends, one each 20 ms → notification, p50",
            f"{median(taken) * 1e3:.1f} ms",
            f"p99 {percentile(taken, 0.99) * 1e3:.1f} ms",
            "",
            "≤ 10 ms",
            median(taken) <= 0.01,
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
    """Lines as fast as 10,000 a second, to a client that reads nothing until all are written."""
    with wire.Process(wire.DAEMON) as daemon:
        (file,) = sessions(daemon.home, 1, 1)
        opened(daemon, [file])
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
        "",
        "",
        None,
    )


def settle(daemon: wire.Process) -> None:
    """Wait until the daemon uses no processor time."""
    quiet, last = 0, -1.0
    while quiet < 3:
        now = processor_seconds(daemon)
        quiet, last = (quiet + 1 if now - last < 0.002 else 0), now
        time.sleep(0.1)


def processor_seconds(daemon: wire.Process) -> float:
    """What all threads of the daemon have used so far."""
    threads = Path(f"/proc/{daemon.process.pid}/task").iterdir()
    return sum(int((each / "schedstat").read_text().split()[0]) for each in threads) / 1e9
