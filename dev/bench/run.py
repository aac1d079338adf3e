"""Measure sessiond and its baselines, and print a Markdown table.

    python dev/bench/run.py               # everything: `make bench`
    python dev/bench/run.py opening       # one topic; each row names its topic

All figures of a row come from one run on one machine; compare ratios, not milliseconds. It is not
part of the tests.
"""

from __future__ import annotations

import importlib
import platform
import sys
import time
import traceback

import attrs
import generate
from table import HEAD

TOPICS = [
    "round_trips",
    "opening",
    "appending",
    "starting",
    "shared",
    "fairness",
    "mcp",
    "lsp",
    "commands",
    "listing",
    "first",
    "exporting",
    "catalogue",
    "agents",
    "live",
    "scale",
    "sync",
    "gateway",
    "store",
    "store_growth",
    "clients",
    "joints",
]


def main(chosen: list[str]) -> int:
    unknown = set(chosen) - set(TOPICS)
    if unknown:
        print(f"no such topic: {', '.join(sorted(unknown))}; the topics are {', '.join(TOPICS)}")
        return 2
    generate.big(), generate.plain(), generate.many()
    system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    print(f"{time.strftime('%Y-%m-%d %H:%M')}, {system}\n\n{HEAD}", flush=True)
    failed = False
    for topic in chosen or TOPICS:
        try:
            rows = importlib.import_module(topic).run()
        except Exception:  # noqa: BLE001 - continue with the other topics
            failed = True
            print(f"| {topic} failed | | | | | | `python dev/bench/run.py {topic}` |", flush=True)
            traceback.print_exc()
            continue
        for row in rows:
            print(attrs.evolve(row, topic=topic).markdown(), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
