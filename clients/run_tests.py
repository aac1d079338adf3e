"""Build and test each client whose toolchain is installed; report each as run, failed or missing.

If `CI` is set, a missing toolchain is a failure: a suite that never runs must not look green.

A client is a folder here with two files: `toolchain` lists the commands that it needs, one per
line, and `run-tests` builds and tests it. `SESSIOND` is the daemon to test with. Two folders of
`tests` have these files, too: the exported page in a browser, and several clients at once.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DAEMON = ROOT / ".venv" / "bin" / "sessiond"


def main(wanted: list[str]) -> int:
    suites = [*ROOT.glob("clients/*/run-tests"), *ROOT.glob("tests/*/run-tests")]
    clients = sorted((path.parent for path in suites), key=lambda folder: folder.name)
    unknown = set(wanted) - {client.name for client in clients}
    if unknown:
        print(f"no such client: {', '.join(sorted(unknown))}")
        return 2
    results = {
        client.name: test(client) for client in clients if not wanted or client.name in wanted
    }
    print("\nclients:" if results else "clients: none yet")
    for name, result in results.items():
        print(f"  {name:<12} {result}")
    failures = ("failed", "missing") if os.environ.get("CI") else ("failed",)
    return 1 if any(result.startswith(failures) for result in results.values()) else 0


def test(client: Path) -> str:
    commands = (client / "toolchain").read_text().split()
    missing = [command for command in commands if shutil.which(command) is None]
    if missing:
        return f"missing ({', '.join(missing)} not found)"
    print(f"\n== {client.name}", flush=True)
    done = subprocess.run(
        [client / "run-tests"],
        cwd=client,
        # Sessions of tests must not get into the catalogue cache of the user.
        env={**os.environ, "SESSIOND": str(DAEMON), "SESSIOND_NO_CATALOG_CACHE": "1"},
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return "run" if done.returncode == 0 else "failed"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
