"""Write the version of the daemon into the packages of all clients; `--check` only compares.

The version stands in `sessiond/__init__.py`. Changelogs get theirs by hand, and a test compares it.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from sessiond import __version__

ROOT = Path(__file__).resolve().parents[2]
PLACES = (
    ("clients/python/pyproject.toml", r'^version = "(.*)"'),
    ("clients/python/pyproject.toml", r'"sessiond==(.*)"'),
    ("clients/rust/Cargo.toml", r'^version = "(.*)"'),
    ("clients/typescript/package.json", r'^  "version": "(.*)"'),
    ("clients/vscode/package.json", r'^  "version": "(.*)"'),
    ("clients/emacs/sessiond.el", r"^;; Version: (.*)"),
    ("clients/emacs/sessiond-client.el", r':version "(.*?)"'),
    ("clients/neovim/lua/sessiond/process.lua", r'return "(\d.*)"'),
)
"""Files with a version, and an expression whose group is the version."""


def main(words: list[str]) -> int:
    stale = 0
    for name, expression in PLACES:
        path = ROOT / name
        text = path.read_text(encoding="utf-8")
        new = with_version(text, expression, __version__)
        if new == text:
            continue
        if words == ["--check"]:
            stale += 1
            print(f"{name} does not have the version {__version__}, which `make generate` writes")
        else:
            path.write_text(new, encoding="utf-8")
    return 1 if stale else 0


def with_version(text: str, expression: str, version: str) -> str:
    """Return the text of a file with another version; raises ValueError if it has none, or two."""
    matches = list(re.finditer(expression, text, re.MULTILINE))
    if len(matches) != 1:
        raise ValueError(f"{len(matches)} versions match {expression}")
    start, end = matches[0].span(1)
    return text[:start] + version + text[end:]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
