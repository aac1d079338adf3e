"""One version everywhere, and archives that are the same in every build."""

import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sessiond import __version__

ROOT = Path(__file__).parent.parent


VERSIONS = runpy.run_path(str(ROOT / "dev/release/versions.py"))
CHANGELOGS = [
    ("CHANGELOG.md", r"\A(?:.|\n)*?^## (\d.*)"),
    ("clients/vscode/CHANGELOG.md", r"\A(?:.|\n)*?^## (\d.*)"),
]


@pytest.mark.parametrize(("path", "stated"), [*VERSIONS["PLACES"], *CHANGELOGS])
def test_all_packages_have_the_version_of_the_daemon(path: str, stated: str):
    text = (ROOT / path).read_text()
    assert re.findall(stated, text, re.MULTILINE) == [__version__]


def test_another_version_is_written_where_the_old_one_is():
    changed = VERSIONS["with_version"]
    package = 'name = "a"\nversion = "0.2.0"\n[x]\nversion-of = "0.2.0"\n'
    expected = package.replace('"0.2.0"', '"0.3.0"', 1)
    assert changed(package, r'^version = "(.*)"', "0.3.0") == expected
    with pytest.raises(ValueError, match="0 versions"):
        changed("", r'^version = "(.*)"', "0.3.0")


def test_an_archive_depends_on_nothing_but_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    release = runpy.run_path(str(ROOT / "dev/release/dist.py"))
    packed_tree = release["packed_tree"]
    here = packed_tree.__globals__
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    source = tmp_path / "clients/neovim"
    shutil.copytree(ROOT / "clients/neovim/lua", source / "lua")
    (source / "run-tests").write_text("is not packed")
    subprocess.run(["git", "init", "--quiet"], cwd=source, check=True)
    subprocess.run(["git", "add", "."], cwd=source, check=True)
    monkeypatch.setitem(here, "CLIENTS", tmp_path / "clients")
    made = []
    for number in range(2):
        monkeypatch.setitem(here, "DIST", tmp_path / str(number))
        (tmp_path / str(number)).mkdir()
        for path in source.rglob("*.lua"):
            os.utime(path, (number, number))
            path.chmod(0o644 if number else 0o600)
        made.append(packed_tree("neovim", "sessiond.nvim", lambda _: True).read_bytes())
    assert made[0] == made[1]


def test_the_sums_are_those_that_sha256sum_checks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    release = runpy.run_path(str(ROOT / "dev/release/dist.py"))
    sums = release["sums"]
    monkeypatch.setitem(sums.__globals__, "DIST", tmp_path)
    monkeypatch.setitem(sums.__globals__, "SUMS", tmp_path / "SHA256SUMS")
    (tmp_path / "b").write_text("two")
    (tmp_path / "a").write_text("one")
    (tmp_path / "SHA256SUMS").write_text(sums())
    # "one" and "two", as printed by `sha256sum`.
    assert (tmp_path / "SHA256SUMS").read_text() == (
        "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed  a\n"
        "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3  b\n"
    )


@pytest.mark.parametrize("path", sorted(ROOT.glob(".github/workflows/*.yml")), ids=lambda p: p.name)
def test_workflows_pin_actions_by_commit_and_run_what_everybody_can_run(path: Path):
    text = path.read_text()
    actions = re.findall(r"uses: (.*)", text)
    assert actions
    assert [each for each in actions if not re.fullmatch(r"\S+@[0-9a-f]{40} # v[\d.]+", each)] == []
    assert "\npermissions: {}\n" in text
    makefile = (ROOT / "Makefile").read_text()
    targets = [name for line in re.findall(r"\bmake ([a-z -]+)", text) for name in line.split()]
    assert all(re.search(rf"^{name}:", makefile, re.MULTILINE) for name in targets)
    assert targets


def test_the_oldest_dependencies_are_those_that_the_package_allows():
    done = subprocess.run(
        [sys.executable, "dev/oldest.py"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    allowed = re.findall(
        r'^  "(\w[\w-]*)(?:\[\w+\])?>=([\d.]+)', (ROOT / "pyproject.toml").read_text(), re.MULTILINE
    )
    printed = [re.split(r"==|\.\*", line)[:2] for line in done.stdout.splitlines()]
    assert len(printed) > 10
    assert all((name, oldest) in allowed for name, oldest in printed)
