"""Sessions that were deleted on one side."""

import shutil
from pathlib import Path

import pytest
from machines import Machine, moves
from support.session_lines import append, line

from sessiond.catalog import trash

A, B = line("a"), line("b", "a")


@pytest.fixture
def laptop(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "laptop")


@pytest.fixture
def desktop(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "desktop")


def delete(machine: Machine, session_id: str) -> None:
    (path,) = machine.sessions.rglob(f"*_{session_id}.jsonl")
    trash.to_trash(str(path), machine.env)


async def test_a_deleted_session_does_not_come_back(laptop: Machine, desktop: Machine):
    laptop.write("one", A)
    laptop.write("two", A)
    await laptop.sync(desktop)
    delete(laptop, "one")
    report = await laptop.sync(desktop)
    assert (report.moves, report.problems) == ([], [])
    assert set(laptop.entries()) == {"two"}
    assert set(desktop.entries()) == {"one", "two"}
    trial = await laptop.sync(desktop, deletions=True, is_trial=True)
    assert moves(trial) == [("one", "deletion", False, 0)]
    assert (await laptop.sync(desktop, deletions=True, pushes=False)).moves == []
    assert set(desktop.entries()) == {"one", "two"}
    assert moves(await laptop.sync(desktop, deletions=True)) == [("one", "deletion", False, 1)]
    assert set(desktop.entries()) == {"two"}
    (kept,) = (desktop.home / ".local/share/Trash/files").iterdir()
    assert kept.read_text().endswith(A)
    assert (await laptop.sync(desktop, deletions=True)).moves == []


async def test_a_session_that_went_on_elsewhere_is_never_deleted(laptop: Machine, desktop: Machine):
    laptop.write("one", A)
    await laptop.sync(desktop)
    delete(laptop, "one")
    append(desktop.paths()[0], B)
    report = await laptop.sync(desktop, deletions=True)
    assert report.moves == []
    assert "differs from the one that was deleted" in report.problems[0].text
    assert desktop.entries() == {"one": ["a", "b"]}


async def test_a_folder_has_a_trash_of_its_own(laptop: Machine, desktop: Machine, tmp_path: Path):
    folder = tmp_path / "cloud"
    path = laptop.write("one", A)
    runs = path.with_suffix("") / "run/run-0"
    runs.mkdir(parents=True)
    (runs / "session.jsonl").write_text(path.read_text().replace('"one"', '"sub"'))
    await laptop.sync(folder)
    await desktop.sync(folder)
    delete(laptop, "one")
    await laptop.sync(folder)
    assert (folder / "pi/one.jsonl").exists()
    await laptop.sync(folder, deletions=True)
    assert sorted(each.name for each in folder.rglob("*.jsonl")) == ["one.jsonl", "session.jsonl"]
    assert (folder / "trash/pi/one.jsonl").exists()
    # The desktop does not bring it back, and may delete it, too.
    assert (await desktop.sync(folder)).moves == []
    await desktop.sync(folder, deletions=True)
    assert desktop.paths() == []
    # A second session with this id is deleted beside the first.
    shutil.rmtree(desktop.home / ".local")
    desktop.write("one", B)
    assert (await desktop.sync(folder, deletions=True)).moves == []
    shutil.move(folder / "trash/pi/one.jsonl", folder / "pi/one.jsonl")
    await desktop.sync(folder)
    assert desktop.entries() == {"one": ["a", "b"]}
