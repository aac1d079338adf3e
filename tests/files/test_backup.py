"""Backups of files that are about to be replaced, in directories that change meanwhile."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sessiond.files import disk
from sessiond.files.backup import keep, removed_on_failure
from sessiond.runtime.errors import WriteFailed


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "s" / "a.jsonl"
    path.parent.mkdir()
    path.write_text("old\n")
    return path


@pytest.fixture
def descriptor(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDWR)
    yield descriptor
    os.close(descriptor)


def replace_by_a_file(directory: Path) -> None:
    shutil.rmtree(directory)
    directory.write_text("")


def fail(path: Path, backup: str, before: Callable[[], object]) -> None:
    with removed_on_failure(backup):
        before()
        raise WriteFailed(str(path), OSError())


def test_a_failure_removes_the_backup(path: Path, descriptor: int):
    backup = f"{path}.bak"
    keep(str(path), descriptor, backup)
    assert Path(backup).read_text() == "old\n"
    with pytest.raises(WriteFailed):
        fail(path, backup, lambda: None)
    assert os.listdir(path.parent) == [path.name]


def test_a_backup_that_is_gone_with_its_directory_hides_no_failure(path: Path, descriptor: int):
    backup = f"{path}.bak"
    keep(str(path), descriptor, backup)
    with pytest.raises(WriteFailed):
        fail(path, backup, lambda: replace_by_a_file(path.parent))


def test_a_directory_that_vanishes_while_a_file_is_backed_up_is_a_failure(
    path: Path, descriptor: int, monkeypatch: pytest.MonkeyPatch
):
    link = disk.link

    def vanishing(source: str, target: str) -> None:
        link(source, target)
        replace_by_a_file(path.parent)

    monkeypatch.setattr(disk, "link", vanishing)
    with pytest.raises(WriteFailed, match="Not a directory"):
        keep(str(path), descriptor, f"{path}.bak")
