"""Run campaigns and print one line for each: `python -m torture [NAME...] [--rounds N] [--seed N]`.

Exit codes: 0 all promises held, 1 a promise was broken, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

from torture.campaigns import CAMPAIGNS, Settings


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="make torture", description=__doc__)
    parser.add_argument("campaigns", nargs="*", metavar="CAMPAIGN", help=", ".join(CAMPAIGNS))
    parser.add_argument("--rounds", type=float, default=1.0, help="multiple of the usual rounds")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    given = parser.parse_args(arguments)
    if unknown := set(given.campaigns) - set(CAMPAIGNS):
        parser.error(f"no such campaign: {', '.join(sorted(unknown))}")
    broken = [name for name in given.campaigns or CAMPAIGNS if not _holds(name, given)]
    print(f"broken: {', '.join(broken)}" if broken else "all promises held", flush=True)
    return 1 if broken else 0


def _holds(name: str, given: argparse.Namespace) -> bool:
    campaign = importlib.import_module(f"torture.{name}")
    rounds = max(1, round(CAMPAIGNS[name] * given.rounds))
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix=f"torture-{name}-") as directory:
        # The campaign's programs may run as another user.
        os.chmod(directory, 0o711)  # noqa: S103
        try:
            figures = asyncio.run(campaign.run(Settings(Path(directory), given.seed, rounds)))
        except Exception:  # noqa: BLE001 - continue with the other campaigns
            traceback.print_exc()
            print(f"{name}: BROKEN with --seed {given.seed}, {rounds} rounds", flush=True)
            return False
    summary = ", ".join(f"{count:,} {what}" for what, count in figures.items())
    print(f"{name}: {summary} in {time.monotonic() - began:.0f} s (seed {given.seed})", flush=True)
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
