"""One version everywhere, and archives that are the same in every build."""

import os
import re
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest

from sessiond import __version__

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    ("path", "stated"),
    [
        ("clients/python/pyproject.toml", r'^version = "(.*)"'),
        ("clients/python/pyproject.toml", r'"sessiond==(.*)"'),
        ("clients/rust/Cargo.toml", r'^version = "(.*)"'),
        ("clients/typescript/package.json", r'^  "version": "(.*)"'),
        ("clients/vscode/package.json", r'^  "version": "(.*)"'),
        ("clients/emacs/sessiond.el", r"^;; Version: (.*)"),
        ("clients/emacs/sessiond-client.el", r':version "(.*?)"'),
        ("clients/neovim/lua/sessiond/process.lua", r'return "(\d.*)"'),
        ("CHANGELOG.md", r"\A(?:.|\n)*?^## (\d.*)"),
        ("clients/vscode/CHANGELOG.md", r"\A(?:.|\n)*?^## (\d.*)"),
    ],
)
def test_all_packages_have_the_version_of_the_daemon(path: str, stated: str):
    text = (ROOT / path).read_text()
    assert re.findall(stated, text, re.MULTILINE) == [__version__]


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
