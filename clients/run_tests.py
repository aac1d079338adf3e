"""Build and test each client whose toolchain is installed; report each as run, failed or missing.

Two run at a time, because each waits for other processes most of the time; what one printed
appears when it has ended. If `CI` is set, a missing toolchain is a failure: a suite that never runs
must not look green.

A client is a folder here with two files: `toolchain` lists the commands that it needs, one per
line, and `run-tests` builds and tests it. `SESSIOND` is the daemon to test with. Two folders of
`tests` have these files, too: the exported page in a browser, and several clients at once.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DAEMON = ROOT / ".venv" / "bin" / "sessiond"


AT_ONCE = 2


def main(wanted: list[str]) -> int:
    # The suites of `tests` use what those of the clients have built.
    suites = {folder: sorted(ROOT.glob(f"{folder}/*/run-tests")) for folder in ("clients", "tests")}
    names = {suite.parent.name for found in suites.values() for suite in found}
    unknown = set(wanted) - names
    if unknown:
        print(f"no such client: {', '.join(sorted(unknown))}")
        return 2
    results: dict[str, str] = {}
    for found in suites.values():
        results |= test_all(
            suite.parent for suite in found if not wanted or suite.parent.name in wanted
        )
    print("\nclients:" if results else "clients: none yet")
    for name, result in results.items():
        print(f"  {name:<12} {result}")
    failures = ("failed", "missing") if os.environ.get("CI") else ("failed",)
    return 1 if any(result.startswith(failures) for result in results.values()) else 0


def test_all(clients: Iterable[Path]) -> dict[str, str]:
    """Print what each suite printed, in their order; returns how each ended, by its name."""
    results = {}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for client, ended in [(client, pool.submit(test, client)) for client in clients]:
            results[client.name], output = ended.result()
            print(f"\n== {client.name}\n{output}", end="", flush=True)
    return results


def test(client: Path) -> tuple[str, str]:
    """How the suite ended, and what it printed."""
    commands = (client / "toolchain").read_text().split()
    missing = [command for command in commands if shutil.which(command) is None]
    if missing:
        return f"missing ({', '.join(missing)} not found)", ""
    start = time.monotonic()
    done = subprocess.run(
        [client / "run-tests"],
        cwd=client,
        # Sessions of tests must not get into the catalogue cache of the user.
        env={**os.environ, "SESSIOND": str(DAEMON), "SESSIOND_NO_CATALOG_CACHE": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    ended = "run" if done.returncode == 0 else "failed"
    return f"{ended} ({time.monotonic() - start:.0f} s)", done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
