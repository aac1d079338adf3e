"""Write the generated files: the names of agents, the OpenRPC document of the contract, its
targets, and the tools of MCP.

    python protocol/generate.py            write
    python protocol/generate.py --check    write nothing; fail if a file is stale

A target is a module in `targets/` with a function `outputs(document) -> {path: text}`; the paths
are relative to the root of the repository. It reads only the document (and the file that it fills
in, if it fills in one). A target that raises `targets.Unwritable` does not stop the others. What
`sessiond mcp` offers, and the names of agents, come from the daemon. The names are written first,
because the contract imports them.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from sessiond.agents import NAMES
from sessiond.shared.front.fixed_answers import GENERATED

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = "protocol/sessiond_protocol/openrpc.json"
PROFILES = "protocol/sessiond_protocol/connection/profiles.py"
FIXED_ANSWERS = f"sessiond/shared/front/{GENERATED}"
OPENED = {
    (),
    ("methods",),
    ("components",),
    ("components", "schemas"),
    ("components", "errors"),
    ("x-errors",),
}
"""Parts of the document whose members have lines of their own."""


def outputs(document: dict[str, Any]) -> tuple[dict[str, str], list[str]]:
    """Return the text of every generated file by path, and the errors of the targets."""
    from targets import TARGETS, Unwritable

    from sessiond.mcp.methods import fixed_lists

    files = {
        PROFILES: profiles(),
        DOCUMENT: _lines(document) + "\n",
        FIXED_ANSWERS: _json(fixed_lists()),
    }
    problems = []
    for target in TARGETS:
        try:
            files |= target(document)
        except Unwritable as error:
            problems.append(str(error))
    return files, problems


def profiles() -> str:
    """Return the module with the names of all agents."""
    names = "\n".join(f"    {json.dumps(name)}," for name in NAMES)
    return f'''"""The names of the agents.

Generated from `sessiond.agents.PACKAGES`. Do not edit; run `make generate`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

Profile: TypeAlias = Literal[
{names}
]
'''


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _lines(value: Any, *path: str) -> str:
    """Return JSON with one line per method, schema and error, which a difference can show."""
    if path not in OPENED:
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        ends = "[]"
        rows = [_lines(each, *path, "") for each in value]
    else:
        ends = "{}"
        rows = [f'"{name}": {_lines(each, *path, name)}' for name, each in value.items()]
    margin = "\n" + "  " * len(path)
    return ends[0] + ",".join(f"{margin}  {row}" for row in rows) + margin + ends[1]


def stale(files: dict[str, str]) -> list[str]:
    """Return the paths whose file is missing or differs."""
    return [path for path, text in files.items() if _read(ROOT / path) != text]


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Write what is generated from the contract.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if stale")
    check = parser.parse_args(arguments).check
    paths = _compare({PROFILES: profiles()}, check=check)
    # Imported here, because they import the names.
    from sessiond_protocol import schema
    from targets.examples import examples

    files, problems = outputs(schema.build(examples(schema.build())))
    del files[PROFILES]
    for problem in problems:
        print(problem, file=sys.stderr)
    paths += _compare(files, check=check)
    if check and paths:
        print("run: make generate", file=sys.stderr)
    return 1 if problems or (check and paths) else 0


def _compare(files: dict[str, str], *, check: bool) -> list[str]:
    """Write the files that differ, or only report them; returns their paths."""
    paths = stale(files)
    for path in paths:
        print(f"{'stale' if check else 'wrote'}: {path}", file=sys.stderr if check else sys.stdout)
        if not check:
            (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / path).write_text(files[path], encoding="utf-8")
    return paths


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
