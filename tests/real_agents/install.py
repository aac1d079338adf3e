"""Installs the agents that `make test-agents` runs: python3 install.py DIRECTORY [newest].

`newest`: the newest versions of other agents, in place of the pinned newest ones.

Each has a directory of its own, because they need other versions of the same packages. What is
there already is kept. Only the standard library is used.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

NODE = f"node-{sys.platform}-{'arm64' if platform.machine() in ('arm64', 'aarch64') else 'x64'}"
"""The package with Node itself for this system."""

AGENTS: dict[str, dict[str, Any]] = {
    "pi-0.58.3": {"dependencies": {"@mariozechner/pi-coding-agent": "0.58.3"}},
    # Channels are never used: their native parts are left out, and `libsignal`, which npm would
    # fetch from a repository, is an empty package.
    "openclaw-2026.2.21": {
        "dependencies": {"openclaw": "2026.2.21", "@snazzah/davey-linux-x64-gnu": "*"},
        "overrides": {"linkedom": "0.18.12", "libsignal": "file:./libsignal"},
    },
    # The first version that keeps its sessions in SQLite.
    "openclaw-2026.8.1": {
        "dependencies": {"openclaw": "2026.8.1"},
        "overrides": {"linkedom": "0.18.12"},
    },
    # Keeps its sessions in SQLite, and needs a newer Node than the reference.
    "openclaw-2026.9.6": {
        "dependencies": {"openclaw": "2026.9.6", NODE: "24.21.0"},
        "overrides": {"linkedom": "0.18.12"},
    },
    # Lists and reads sessions of Claude Code; the program it would bring is installed below.
    "claude-agent-sdk-0.3.331": {"dependencies": {"@anthropic-ai/claude-agent-sdk": "0.3.331"}},
}
OTHERS: dict[str, dict[str, Any]] = {
    # Their programs are optional dependencies, one for each platform.
    **{
        f"{name}-{version}": {"dependencies": {package: version}}
        for name, package, versions in (
            ("codex", "@openai/codex", ("0.128.0", "0.144.0", "0.169.0")),
            ("claude-code", "@anthropic-ai/claude-code", ("2.0.64", "2.1.220", "2.1.330")),
            ("opencode", "opencode-ai", ("1.2.6", "1.18.33")),
            ("gemini-cli", "@google/gemini-cli", ("0.24.5", "0.39.1", "0.61.0")),
            ("qwen-code", "@qwen-code/qwen-code", ("0.15.10", "0.24.4")),
            ("copilot", "@github/copilot", ("1.0.24", "1.0.102")),
        )
        for version in versions
    },
    # Runs on bun. Later versions lack a dependency in the registry.
    **{
        f"omp-{version}": {
            "dependencies": {"@oh-my-pi/pi-coding-agent": version, "bun": "1.4.5"},
        }
        for version in ("17.3.5", "18.2.3")
    },
    # Adds up the tokens of other agents, too; a later version has no program for Linux.
    "ccusage-20.0.24": {"dependencies": {"ccusage": "20.0.24"}},
    "inspector-2.12.0": {"dependencies": {"@modelcontextprotocol/inspector": "2.12.0"}},
}
MCP_SDK = "mcp==2.3.0"
"""The official client of the Model Context Protocol, in an environment of its own."""

OPTIONS = [
    *("--ignore-scripts", "--legacy-peer-deps", "--no-package-lock"),
    *("--no-audit", "--no-fund", "--loglevel=error"),
]


def install(directory: Path, package: dict[str, Any], *options: str) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    stub = directory / "libsignal"
    stub.mkdir(exist_ok=True)
    (stub / "package.json").write_text('{"name": "libsignal", "version": "2.0.1"}\n')
    (stub / "index.js").write_text("")
    (directory / "package.json").write_text(json.dumps({"private": True, **package}))
    command = [shutil.which("npm") or "npm", "install", *OPTIONS, *options]
    subprocess.run(command, cwd=directory, check=True)
    (directory / "installed").touch()


def install_sdk(directory: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", str(directory)], check=True)
    pip = [str(directory / "bin" / "python"), "-m", "pip", "install", "--quiet", MCP_SDK]
    subprocess.run(pip, check=True)
    (directory / "installed").touch()


def _installer(package: dict[str, Any], *options: str) -> Callable[[Path], None]:
    return lambda directory: install(directory, package, *options)


def main() -> None:
    directory = Path(sys.argv[1]).resolve()
    # The Node that came with the reference is newer than many systems'.
    for program in sorted(directory.parent.glob("reference/node_modules/node-*-*/bin")):
        os.environ["PATH"] = f"{program}{os.pathsep}{os.environ['PATH']}"
    if "newest" in sys.argv[2:]:
        newest = {
            pinned: _installer({"dependencies": dict.fromkeys(OTHERS[pinned]["dependencies"], "*")})
            for pinned in ("codex-0.169.0", "claude-code-2.1.330", "opencode-1.18.33")
        }
        make_all(directory, newest)
        return
    wanted: dict[str, Callable[[Path], None]] = {
        **{name: _installer(package, "--omit=optional") for name, package in AGENTS.items()},
        **{name: _installer(package) for name, package in OTHERS.items()},
        "mcp-sdk-2.3.0": install_sdk,
    }
    make_all(directory, wanted)


def make_all(directory: Path, wanted: Mapping[str, Callable[[Path], None]]) -> None:
    for name, make in wanted.items():
        if (directory / name / "installed").exists():
            continue
        try:
            make(directory / name)
        except (subprocess.CalledProcessError, OSError) as error:
            print(f"{name} cannot be installed, its tests will be skipped: {error}")


if __name__ == "__main__":
    main()
