"""A new agent touches its own package and one line of registration; the rest is generated."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
REGISTRATION = "sessiond/agents/__init__.py"
AGENT = "sessiond/agents/toychat"
LOG = (
    "log 2026-01-02T03:04:05.006Z /work/toys\n"
    "2026-01-02T03:04:06.000Z me: Where is the teddy bear?\n"
)
COPIED = (
    *("sessiond", "protocol", "docs/methods.md", "clients/vscode/package.json"),
    "clients/typescript/package.json",
)


def copy_of_checkout(place: Path) -> None:
    for name in COPIED:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, place / name)


def add_toy_agent(place: Path) -> list[str]:
    """Add the toy agent as a person would; returns the files that this touches."""
    module = (ROOT / "tests" / "support" / "toy_agent.py").read_text()
    (place / AGENT).mkdir()
    (place / AGENT / "__init__.py").write_text('"""An agent of toys."""\n')
    (place / AGENT / "agent.py").write_text(f"{module}\nAGENTS = (TOY,)\n")
    registration = place / REGISTRATION
    lines = registration.read_text().splitlines(keepends=True)
    end = next(at for at, line in enumerate(lines) if line == "}\n")
    lines.insert(end, '    "toychat": ("toychat",),\n')
    registration.write_text("".join(lines))
    return [REGISTRATION, f"{AGENT}/__init__.py", f"{AGENT}/agent.py"]


def test_a_new_agent_touches_its_package_and_one_line(tmp_path: Path):
    place, home = tmp_path / "checkout", tmp_path / "home"
    copy_of_checkout(place)
    log = home / ".toychat" / "logs" / "2026" / "teddy.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text(LOG)
    env = {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": f"{place}{os.pathsep}{place / 'protocol'}",
        "SESSIOND_SHARED": "false",
    }

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=place,
            env=env,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert run("protocol/generate.py").count("clients/vscode/package.json") == 0
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    touched = add_toy_agent(place)
    run("protocol/generate.py")
    run("protocol/generate.py", "--check")
    changed = {
        str(path.relative_to(place))
        for path in place.rglob("*")
        if path.is_file() and path.suffix != ".pyc" and before.get(path) != path.read_bytes()
    }
    assert set(touched) <= changed
    generated = changed - set(touched)
    assert "protocol/sessiond_protocol/connection/profiles.py" in generated
    assert "clients/vscode/package.json" in generated
    manifest = json.loads((place / "clients" / "vscode" / "package.json").read_text())
    setting = manifest["contributes"]["configuration"]["properties"]["sessiond.profile"]
    assert "toychat" in setting["enum"]
    assert "toychat" in run("-m", "sessiond", "help")
    listed = json.loads(run("-m", "sessiond", "--profile", "toychat", "list", "--all", "--json"))
    assert [each["firstMessage"] for each in listed["sessions"]] == ["Where is the teddy bear?"]
