"""What is removed or replaced is on disk elsewhere before: only what was synced survives a cut."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.power_cut import PowerCut, Survivors
from support.session_lines import header, line

from sessiond.catalog import repair, trash
from sessiond.catalog.copying import SessionCopy
from sessiond.catalog.export.target import place
from sessiond.catalog.moving_files import relink
from sessiond.files import journal
from sessiond.files.flock import rewriting
from sessiond.format.header import header_in

CONTENT = header() + line("a")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "a.jsonl").write_text(CONTENT)
    return tmp_path


def entries(survivors: Survivors) -> int:
    """The number of files that have all lines after the header."""
    return sum(line("a").encode() in content for content in survivors.values())


def no_links(monkeypatch: pytest.MonkeyPatch, number: int = errno.EXDEV) -> None:
    """Between file systems, or on one without hard links, files are copied."""
    link = os.link

    def refuse(source: str, target: str, **more: Any) -> None:
        if ".sessiond-" not in source:
            raise OSError(number, os.strerror(number))
        link(source, target, **more)

    monkeypatch.setattr(os, "link", refuse)


def env(home: Path) -> dict[str, str]:
    return {"HOME": str(home), "XDG_DATA_HOME": str(home / "data")}


@pytest.mark.parametrize("copied", [False, True])
def test_a_restored_session_is_on_disk_before_the_trash_forgets_it(
    home: Path, monkeypatch: pytest.MonkeyPatch, copied: bool
):
    path = home / "s" / "a.jsonl"
    trash.to_trash(str(path), env(home))
    if copied:
        no_links(monkeypatch)
    cut = PowerCut(monkeypatch, [home], _there)
    trash.restore(str(path), env(home))
    assert cut.survivors() == {str(path): CONTENT.encode()}


def _there(survivors: Survivors) -> None:
    assert entries(survivors) >= 1


def test_the_record_of_a_deleted_session_is_on_disk_before_it_is_moved(
    home: Path, monkeypatch: pytest.MonkeyPatch
):
    path = home / "s" / "a.jsonl"
    cut = PowerCut(monkeypatch, [home], _there)
    trash.to_trash(str(path), env(home))
    info = home / "data/Trash/info/a.jsonl.trashinfo"
    assert f"Path={path}".encode() in cut.survivors()[str(info)]


def damaged(home: Path) -> Path:
    path = home / "s" / "a.jsonl"
    path.write_text(CONTENT + '{"type":\n')
    return path


@pytest.mark.parametrize("copied", [False, True])
def test_a_backup_is_on_disk_before_the_file_is_replaced(
    home: Path, monkeypatch: pytest.MonkeyPatch, copied: bool
):
    path = damaged(home)
    if copied:
        no_links(monkeypatch, errno.EPERM)

    def check(survivors: Survivors) -> None:
        assert any(b'{"type":\n' in content for content in survivors.values())
        _there(survivors)

    cut = PowerCut(monkeypatch, [home], check)

    def work(descriptor: int) -> repair.Repaired:
        return repair.repair(str(path), descriptor)

    done = asyncio.run(rewriting(str(path), 1, work))
    assert set(cut.survivors()) == {str(path), done.backup}


def test_a_replaced_file_is_on_disk_before_its_rename(home: Path, monkeypatch: pytest.MonkeyPatch):
    page = home / "page.md"
    place(str(page), [b"first"])
    os.sync()
    cut = PowerCut(monkeypatch, [home], lambda left: _has(left, page))
    journal.replace(str(page), [b"second"], 0o600)
    assert cut.survivors()[str(page)] == b"second"


def _has(survivors: Survivors, page: Path) -> None:
    assert survivors[str(page)] in (b"first", b"second")


def test_a_moved_session_is_on_disk_before_the_old_one_is_removed(
    home: Path, monkeypatch: pytest.MonkeyPatch
):
    path, target = home / "s" / "a.jsonl", home / "t" / "a.jsonl"
    cut = PowerCut(monkeypatch, [home], _there)
    asyncio.run(relink(str(path), str(target), {"cwd": "/other"}, patience=1))
    assert list(cut.survivors()) == [str(target)]
    assert b'"cwd": "/other"' in cut.survivors()[str(target)]


def imported(copy: Path) -> None:
    journal.create(str(copy), [CONTENT.encode()], settled=True)


def pulled(copy: Path) -> None:
    header_in_file = header_in(CONTENT.encode())
    assert header_in_file is not None
    asyncio.run(SessionCopy(header_in_file[0], [CONTENT.encode()]).write(str(copy)))


@pytest.mark.parametrize("write", [imported, pulled])
def test_a_copy_is_on_disk_when_the_command_ends(
    home: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path], None]
):
    # Whoever started the command may remove the original then.
    cut = PowerCut(monkeypatch, [home])
    copy = home / "new" / "b.jsonl"
    write(copy)
    assert cut.survivors()[str(copy)] == CONTENT.encode()
