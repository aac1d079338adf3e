"""Installs the agents that `make test-agents` runs: python3 install.py DIRECTORY.

Each has a directory of its own, because they need other versions of the same packages. What is
there already is kept. Only the standard library is used.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

AGENTS: dict[str, dict[str, Any]] = {
    "pi-0.58.3": {"dependencies": {"@mariozechner/pi-coding-agent": "0.58.3"}},
    # Channels are never used: their native parts are left out, and `libsignal`, which npm would
    # fetch from a repository, is an empty package.
    "openclaw-2026.2.21": {
        "dependencies": {"openclaw": "2026.2.21", "@snazzah/davey-linux-x64-gnu": "*"},
        "overrides": {"linkedom": "0.18.12", "libsignal": "file:./libsignal"},
    },
}
OPTIONS = [
    *("--ignore-scripts", "--legacy-peer-deps", "--omit=optional", "--no-package-lock"),
    *("--no-audit", "--no-fund", "--loglevel=error"),
]


def install(directory: Path, package: dict[str, Any]) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    stub = directory / "libsignal"
    stub.mkdir(exist_ok=True)
    (stub / "package.json").write_text('{"name": "libsignal", "version": "2.0.1"}\n')
    (stub / "index.js").write_text("")
    (directory / "package.json").write_text(json.dumps({"private": True, **package}))
    subprocess.run([shutil.which("npm") or "npm", "install", *OPTIONS], cwd=directory, check=True)
    (directory / "installed").touch()


def main() -> None:
    directory = Path(sys.argv[1]).resolve()
    # The Node that came with the reference is newer than many systems'.
    for program in sorted(directory.parent.glob("reference/node_modules/node-*-*/bin")):
        os.environ["PATH"] = f"{program}{os.pathsep}{os.environ['PATH']}"
    for name, package in AGENTS.items():
        if (directory / name / "installed").exists():
            continue
        try:
            install(directory / name, package)
        except (subprocess.CalledProcessError, OSError) as error:
            print(f"{name} cannot be installed, its tests will be skipped: {error}")


if __name__ == "__main__":
    main()
