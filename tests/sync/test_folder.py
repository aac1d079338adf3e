"""Sessions of several machines kept the same through a folder."""

import json
import os
from pathlib import Path

import pytest
from machines import Machine, ids, moves, texts
from support.session_lines import append, line

from sessiond.catalog.projects import Project
from sessiond.runtime.errors import InvalidParams, Unsupported

A, B, C, X, Y = line("a"), line("b", "a"), line("c", "b"), line("x", "b"), line("y", "x")


@pytest.fixture
def laptop(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "home/me")


@pytest.fixture
def desktop(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "Users/me")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cloud/sessions"


async def test_a_session_comes_to_the_same_directory_below_the_other_home(
    laptop: Machine, desktop: Machine, folder: Path
):
    path = laptop.write("one", A, B)
    assert moves(await laptop.sync(folder)) == [("one", "session", False, 2)]
    assert moves(await desktop.sync(folder)) == [("one", "session", True, 2)]
    (copy,) = desktop.paths()
    assert copy.parent.name == f"--{str(desktop.home / 'shop')[1:].replace('/', '-')}--"
    assert copy.name == path.name
    first, *rest = copy.read_text().splitlines(keepends=True)
    assert json.loads(first)["cwd"] == str(desktop.home / "shop")
    assert rest == [A, B]
    assert json.loads((folder / "pi/one.jsonl").read_text().split("\n")[0])["cwd"] == "~/shop"


async def test_two_syncs_give_all_the_same_entries_and_a_third_moves_nothing(
    laptop: Machine, desktop: Machine, folder: Path
):
    laptop.write("one", A, B, C)
    desktop.write("one", A, B, X, Y)
    laptop.write("two", A)
    for machine in (laptop, desktop, laptop):
        await machine.sync(folder)
    assert laptop.entries() == {"one": ["a", "b", "x", "y", "c"], "two": ["a"]}
    assert desktop.entries() == {"one": ["a", "b", "x", "c", "y"], "two": ["a"]}
    before = {path: path.stat() for path in [*laptop.paths(), *desktop.paths()]}
    for machine in (laptop, desktop):
        report = await machine.sync(folder)
        assert (report.moves, report.problems) == ([], [])
    assert {path: path.stat() for path in before} == before


async def test_machines_without_a_folder_between_them(laptop: Machine, desktop: Machine):
    laptop.write("one", A, B, C)
    desktop.write("one", A, B, X)
    assert moves(await laptop.sync(desktop)) == [
        ("one", "entries", False, 1),
        ("one", "entries", True, 1),
    ]
    assert laptop.entries() == {"one": ["a", "b", "x", "c"]}
    assert desktop.entries() == {"one": ["a", "b", "c", "x"]}
    assert (await laptop.sync(desktop)).moves == []


@pytest.mark.parametrize(
    "name",
    [
        "one.sync-conflict-20261128-101010-ABCDEFG.jsonl",
        "one (conflicted copy 2026-11-28).jsonl",
        "one-DESKTOP.jsonl",
        "one 2.jsonl",
    ],
)
async def test_conflict_copies_are_replicas_and_never_sessions_of_their_own(
    laptop: Machine, folder: Path, name: str
):
    laptop.write("one", A, B, C)
    await laptop.sync(folder)
    kept = folder / "pi/one.jsonl"
    copy = kept.read_text().replace(C, X)
    (folder / "pi" / name).write_text(copy)
    await laptop.sync(folder)
    assert laptop.entries() == {"one": ["a", "b", "x", "c"]}
    assert (folder / "pi" / name).read_text() == copy
    assert (await laptop.sync(folder)).moves == []
    # The file synchroniser may have left the copy alone.
    kept.unlink()
    append(laptop.paths()[0], line("d", "c"))
    assert moves(await laptop.sync(folder)) == [("one", "entries", False, 2)]


async def test_what_the_options_leave_out_stays(laptop: Machine, desktop: Machine, folder: Path):
    laptop.write("one", A, below="shop/api")
    laptop.write("two", A, below="site")
    os.utime(laptop.write("old", A, below="shop"), (1, 1))
    shop = Project(str(laptop.home / "shop"))
    report = await laptop.sync(folder, project=shop, since=1e12, is_trial=True)
    assert moves(report) == [("one", "session", False, 0)]
    assert not folder.exists()
    assert (await laptop.sync(folder, pushes=False)).moves == []
    await laptop.sync(folder)
    assert moves(await desktop.sync(folder, project=Project(str(desktop.home / "site")))) == [
        ("two", "session", True, 1)
    ]
    desktop.write("new", A)
    assert (await desktop.sync(folder, pulls=False)).moves[0].item.ref.session == "new"
    with pytest.raises(InvalidParams):
        await desktop.sync(folder, agents=["opencode"])
    assert (await desktop.sync(folder, agents=["clanker"])).moves == []


async def test_directories_are_mapped_both_ways(laptop: Machine, desktop: Machine):
    laptop.write("one", A, below="work/shop")
    desktop.write("two", A, below="src/shop/api")
    mapping = [("~/work", str(desktop.home / "src"))]
    await laptop.sync(desktop, mapping=mapping)
    cwds = {json.loads(text.split("\n")[0])["cwd"] for text in texts(desktop.paths()).values()}
    assert cwds == {str(desktop.home / "src/shop"), str(desktop.home / "src/shop/api")}
    cwds = {json.loads(text.split("\n")[0])["cwd"] for text in texts(laptop.paths()).values()}
    assert cwds == {str(laptop.home / "work/shop"), str(laptop.home / "work/shop/api")}


async def test_forks_and_subagents_find_their_parents(
    laptop: Machine, desktop: Machine, folder: Path
):
    path = laptop.write("one", A)
    laptop.write("fork", A, parentSession=str(path))
    runs = path.with_suffix("") / "run/run-0"
    runs.mkdir(parents=True)
    (runs / "session.jsonl").write_text(path.read_text().replace('"one"', '"sub"'))
    await laptop.sync(folder)
    await desktop.sync(folder)
    copies = {json.loads(each.read_text().split("\n")[0])["id"]: each for each in desktop.paths()}
    parent = copies["one"]
    assert copies["sub"] == parent.with_suffix("") / "run/run-0/session.jsonl"
    assert json.loads(copies["fork"].read_text().split("\n")[0])["parentSession"] == str(parent)
    assert (await desktop.sync(folder)).moves == []
    append(runs / "session.jsonl", B)
    await laptop.sync(folder)
    await desktop.sync(folder)
    assert ids(copies["sub"].read_text()) == ["a", "b"]
    # A conflict copy of a subagent is a replica of it, too.
    kept = folder / "pi/one/run/run-0/session.jsonl"
    conflict = kept.with_name("session.sync-conflict-20261128-101010-ABCDEFG.jsonl")
    conflict.write_text(kept.read_text() + C)
    await desktop.sync(folder)
    assert ids(copies["sub"].read_text()) == ["a", "b", "c"]
    assert len(desktop.paths()) == 3
    assert ids(kept.read_text()) == ["a", "b", "c"]


async def test_hostile_files_harm_no_other(laptop: Machine, desktop: Machine, folder: Path):
    good = laptop.write("good", A)
    evil = laptop.write("evil", A)
    evil.write_text(evil.read_text().replace('"evil"', json.dumps("../../evil\0/x")))
    (evil.parent / "broken.jsonl").write_text("{}\n")
    (evil.parent / "empty.jsonl").write_text("")
    (evil.parent / "twin.jsonl").write_text(good.read_text())
    no_text = laptop.write("text", A)
    no_text.write_text(no_text.read_text().replace('"text"', '"\\ud800"'))
    odd = os.fsencode(evil.parent) + b"/\xff\xfe.jsonl"
    os.symlink(os.fsencode(good), odd)
    os.mkfifo(evil.parent / "pipe.jsonl")
    (evil.parent / "loop.jsonl").symlink_to("loop.jsonl")
    report = await laptop.sync(folder)
    texts = " ".join(each.text for each in report.problems)
    assert "same id" in texts
    assert "not valid Unicode" in texts
    "".join(f"{each.name}{each.text}" for each in report.problems).encode()
    await desktop.sync(folder)
    assert set(desktop.entries()) == {"good", "../../evil\0/x"}
    assert {path.parent.parent for path in desktop.paths()} == {desktop.sessions}


async def test_subagents_that_cannot_be_read_hide_no_session(
    laptop: Machine, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    closed = laptop.write("one", A).with_suffix("")
    closed.mkdir()
    laptop.write("two", A)
    real = os.listdir

    def listdir(path: str) -> list[str]:
        if path == str(closed):
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "listdir", listdir)
    report = await laptop.sync(folder)
    assert [each[0] for each in moves(report)] == ["one", "two"]
    assert [each.text for each in report.problems] == ["It cannot be read: Permission denied."]


async def test_a_folder_among_the_sessions_of_an_agent_is_refused(laptop: Machine):
    laptop.write("one", A)
    for folder in (laptop.sessions / "x", laptop.sessions.parent, laptop.home):
        with pytest.raises(Unsupported):
            await laptop.sync(folder)


async def test_an_older_file_is_migrated_where_it_is_written(laptop: Machine, folder: Path):
    old = A.replace('"user"', '"hookMessage"')
    path = laptop.write("one", old)
    path.write_text(path.read_text().replace('"version": 3', '"version": 2'))
    before = path.read_text()
    await laptop.sync(folder)
    assert path.read_text() == before
    assert (await laptop.sync(folder)).moves == []
    kept = folder / "pi/one.jsonl"
    append(kept, B)
    await laptop.sync(folder)
    assert path.read_text().splitlines(keepends=True)[1:] == [
        A.replace('"user"', '"custom"'),
        B,
    ]


async def test_equal_ids_with_different_content_are_kept_apart(laptop: Machine, folder: Path):
    path = laptop.write("one", A, B)
    await laptop.sync(folder)
    path.write_text(path.read_text().replace(B, line("b", "a", "other") + C))
    report = await laptop.sync(folder)
    assert report.problems[0].text.endswith("which stays: b")
    assert ids((folder / "pi/one.jsonl").read_text()) == ["a", "b", "c"]
    assert B in (folder / "pi/one.jsonl").read_text()
    report = await laptop.sync(folder)
    assert report.moves == []
    assert len(report.problems) == 1


async def test_a_conflict_copy_may_be_removed_after_the_next_sync(
    laptop: Machine, desktop: Machine, folder: Path
):
    """An older file in the place of the newer one lacks the parent of what comes then."""
    laptop.write("one", A, B, C)
    await laptop.sync(folder)
    kept = folder / "pi/one.jsonl"
    copy = kept.with_name("one.sync-conflict-20261128-101010-ABCDEFG.jsonl")
    kept.rename(copy)
    kept.write_text("".join(copy.read_text().splitlines(keepends=True)[:2]))
    assert moves(await laptop.sync(folder, is_trial=True)) == []
    assert ids(kept.read_text()) == ["a"]
    append(laptop.paths()[0], line("d", "c"))
    append(kept, line("e", "c"))
    await desktop.sync(folder)
    assert desktop.entries() == {"one": ["a", "b", "c", "e"]}
    assert sorted(ids(kept.read_text())) == ["a", "b", "c", "e"]
    copy.unlink()
    await laptop.sync(folder)
    assert laptop.entries() == {"one": ["a", "b", "c", "e", "d"]}
