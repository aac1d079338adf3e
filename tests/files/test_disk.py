"""Access by name stays within the roots, even if other processes move links meanwhile."""

import errno
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sessiond.files import confinement, disk
from sessiond.files.confinement import Outside
from sessiond.runtime.errors import PathNotAllowed


class Confined:
    """The functions of `disk`, within some roots."""

    def __init__(self, roots: list[str]) -> None:
        self._roots = roots

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(*args: object) -> Any:
            with disk.confined(self._roots):
                return getattr(disk, name)(*args)

        return call


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """`in/d/f`, `out/d/f`, and links of every kind between them."""
    for side in ("in", "out"):
        (tmp_path / side / "d").mkdir(parents=True)
        (tmp_path / side / "d" / "f").write_text(side)
    inside, outside = tmp_path / "in", tmp_path / "out"
    (inside / "file").symlink_to("d/f")
    (inside / "absolute").symlink_to(inside / "d")
    (inside / "up").symlink_to("d/../../in/d")
    (inside / "loop").symlink_to("loop")
    (inside / "nowhere").symlink_to("d/new")
    (inside / "escape").symlink_to(outside / "d" / "f")
    (inside / "escapes").symlink_to("../out/d")
    (inside / "escape-to-nothing").symlink_to(outside / "nothing")
    (inside / "by-process").symlink_to(f"/proc/self/root{outside}/d")
    (inside / "by-cwd").symlink_to("/proc/self/cwd")
    (tmp_path / "alias").symlink_to(inside)
    return tmp_path


@pytest.fixture
def held(tree: Path) -> Confined:
    return Confined([str(tree / "in")])


def content(held: Confined, path: Path | str) -> str:
    descriptor = held.open(str(path), os.O_RDONLY)
    try:
        return os.read(descriptor, 100).decode()
    finally:
        os.close(descriptor)


@pytest.mark.parametrize(
    "path",
    ["in/d/f", "in/file", "in/absolute/f", "in/up/f", "alias/d/f", "alias/up/../d/f", "in/d//./f"],
)
def test_a_file_inside_is_opened_through_any_links(held: Confined, tree: Path, path: str):
    assert content(held, f"{tree}/{path}") == "in"
    assert held.stat(f"{tree}/{path}").st_ino == os.stat(tree / "in/d/f").st_ino
    assert held.realpath(f"{tree}/{path}") == str(tree / "in/d/f")


OUTSIDE = [
    "out/d/f",
    "out/nothing",
    "in/../out/d/f",
    "in/escape",
    "in/escapes/f",
    "in/escapes/nothing",
    "in/escape-to-nothing",
    "in/by-process/f",
    "in/by-cwd/pyproject.toml",
    "in/by-cwd/nothing",
    "in/d/../../out/d/f",
    "inside/f",
    "",
]


@pytest.mark.parametrize("path", OUTSIDE)
@pytest.mark.parametrize(
    "access",
    [
        lambda held, path: held.open(path, os.O_RDONLY),
        lambda held, path: held.open(path, os.O_WRONLY | os.O_CREAT, 0o600),
        lambda held, path: held.stat(path),
        lambda held, path: held.realpath(path),
        lambda held, path: held.makedirs(path, 0o700),
    ],
    ids=["read", "write", "stat", "realpath", "make"],
)
def test_paths_outside_the_roots_are_refused_whether_they_exist_or_not(
    held: Confined, tree: Path, path: str, access: Callable[[Confined, str], object]
):
    before = sorted(map(str, (tree / "out").rglob("*")))
    with pytest.raises(Outside) as raised:
        access(held, f"{tree}/{path}")
    assert isinstance(raised.value, PathNotAllowed)
    assert raised.value.data == {"path": f"{tree}/{path}"}
    assert str(raised.value.message).endswith(f"{tree}/{path}")
    assert sorted(map(str, (tree / "out").rglob("*"))) == before


@pytest.mark.parametrize("path", ["out/d/f", "in/escapes/f", "in/escapes/nothing", "in/../out/x"])
@pytest.mark.parametrize(
    "access",
    [
        lambda held, path, _: held.unlink(path),
        lambda held, path, _: held.lstat(path),
        lambda held, path, inside: held.rename(path, f"{inside}/n"),
        lambda held, path, inside: held.rename(f"{inside}/d/f", path),
        lambda held, path, inside: held.link(path, f"{inside}/n"),
        lambda held, path, inside: held.link(f"{inside}/d/f", path),
        lambda held, path, _: held.rmdir(path),
    ],
)
def test_no_entry_outside_is_examined_or_changed(
    held: Confined, tree: Path, path: str, access: Callable[[Confined, str, Path], object]
):
    with pytest.raises(Outside):
        access(held, f"{tree}/{path}", tree / "in")
    assert (tree / "out/d/f").read_text() == "out"
    assert sorted(os.listdir(tree / "out/d")) == ["f"]
    assert (tree / "in/d/f").read_text() == "in"


def test_renaming_or_removing_a_link_leaves_its_target(held: Confined, tree: Path):
    held.rename(f"{tree}/in/escape", f"{tree}/in/d/moved")
    held.link(f"{tree}/in/d/moved", f"{tree}/in/again")
    assert os.path.islink(tree / "in/again")
    held.unlink(f"{tree}/in/d/moved")
    assert (tree / "out/d/f").read_text() == "out"


def test_a_missing_path_raises_the_error_of_the_system(held: Confined, tree: Path):
    for path, kind in [
        ("in/nothing", FileNotFoundError),
        ("in/nothing/f", FileNotFoundError),
        ("in/d/f/x", NotADirectoryError),
        ("in/nowhere", FileNotFoundError),
    ]:
        with pytest.raises(kind):
            held.stat(f"{tree}/{path}")
    with pytest.raises(OSError, match="symbolic links") as raised:
        held.stat(f"{tree}/in/loop/x")
    assert raised.value.errno == errno.ELOOP


def test_writing_through_a_dangling_link_creates_its_target(held: Confined, tree: Path):
    os.close(held.open(f"{tree}/in/nowhere", os.O_WRONLY | os.O_CREAT, 0o600))
    assert (tree / "in/d/new").is_file()


def test_directories_are_made_and_listed(held: Confined, tree: Path):
    held.makedirs(f"{tree}/in/absolute/x/y", 0o700)
    held.makedirs(f"{tree}/in/absolute/x/y", 0o700)
    assert (tree / "in/d/x/y").stat().st_mode & 0o777 == 0o700
    assert held.listdir(f"{tree}/in/up/x") == ["y"]
    with pytest.raises(NotADirectoryError):
        held.makedirs(f"{tree}/in/d/f/x", 0o700)


def test_a_root_may_be_created_later_and_may_be_the_file_system_root(tree: Path):
    later = Confined([str(tree / "later/root")])
    with pytest.raises(FileNotFoundError):
        later.listdir(f"{tree}/later/root")
    later.makedirs(f"{tree}/later/root/d", 0o700)
    assert later.listdir(f"{tree}/later/root") == ["d"]
    everything = Confined(["/"])
    assert content(everything, tree / "in/escape") == "out"
    assert "proc" in everything.listdir("/")


def test_a_root_that_became_a_link_is_outside(held: Confined, tree: Path):
    os.rename(tree / "in", tree / "was")
    (tree / "in").symlink_to("out")
    with pytest.raises(Outside):
        held.stat(f"{tree}/in/d/f")


def test_listing_above_the_roots_shows_only_the_directories_on_the_way_to_them(tree: Path):
    held = Confined([str(tree / "in/d"), str(tree / "out")])
    assert held.listdir(str(tree)) == ["in", "out"]
    assert held.listdir(str(tree / "in")) == ["d"]
    with pytest.raises(Outside):
        held.listdir(f"{tree}/in/escapes/../..")


def test_nothing_stays_open(held: Confined, tree: Path):
    def opened() -> int:
        return len(os.listdir("/proc/self/fd"))

    before = opened()
    for path in [*OUTSIDE, "in/d/f", "in/file", "in/up", "in/loop", "in/nothing/x", "in/d/f/x"]:
        for access in (held.stat, held.lstat, held.realpath, held.listdir, held.unlink):
            try:
                access(f"{tree}/{path}")
            except OSError:
                continue
    assert opened() == before


@pytest.fixture
def swapping(tree: Path) -> Iterator[None]:
    """Another thread puts a link to `out/d` in the place of `in/d`, and back, without a pause."""
    stop = threading.Event()
    (tree / "in/link").symlink_to("../out/d")

    def swap() -> None:
        d, link, spare = (str(tree / "in" / name) for name in ("d", "link", "spare"))
        while not stop.is_set():
            os.rename(d, spare)
            os.rename(link, d)
            os.rename(d, link)
            os.rename(spare, d)

    thread = threading.Thread(target=swap)
    thread.start()
    yield
    stop.set()
    thread.join()


@pytest.mark.usefixtures("swapping")
def test_no_swap_of_a_directory_for_a_link_leads_outside(held: Confined, tree: Path):
    path = f"{tree}/in/d/f"
    found = refused = 0
    while min(found, refused) < 50:
        try:
            assert content(held, path) == "in"
            descriptor = held.open(f"{tree}/in/d/n", os.O_WRONLY | os.O_CREAT, 0o600)
            os.close(descriptor)
            held.rename(f"{tree}/in/d/n", f"{tree}/in/d/m")
            held.unlink(f"{tree}/in/d/m")
            found += 1
        except OSError:
            refused += 1
    assert os.listdir(tree / "out/d") == ["f"]


def test_without_roots_it_is_os_itself(tree: Path):
    assert not disk.is_confined()
    assert disk.stat(str(tree / "in/escape")).st_ino == os.stat(tree / "out/d/f").st_ino


def test_a_link_that_was_replaced_before_it_is_read_is_examined_again(
    tree: Path, monkeypatch: pytest.MonkeyPatch
):
    really, looks = os.path.realpath, []

    def realpath(path: str) -> str:
        looks.append(path)
        if len(looks) == 1:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), path)
        return really(path)

    monkeypatch.setattr(os.path, "realpath", realpath)
    assert disk.realname(f"{tree}/alias/file") == str(tree / "in/d/f")
    assert len(looks) == 2


def test_threads_are_confined_as_the_one_that_starts_them(tree: Path):
    disk.confine([str(tree / "in")])
    try:
        answers = []
        work = disk.in_context(lambda: answers.append(disk.lexists(str(tree / "out/d/f"))))
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        disk.confine(None)
    assert answers == [False]


def test_threads_of_a_confined_process_are_confined_by_default(tree: Path):
    disk.confine([str(tree / "in")], process=True)
    try:
        answers = []
        thread = threading.Thread(target=lambda: answers.append(disk.exists(str(tree / "out"))))
        thread.start()
        thread.join()
    finally:
        disk.confine(None, process=True)
    assert answers == [False]


def test_a_path_with_too_many_links_is_refused(held: Confined, tree: Path):
    for number in range(confinement._MOST_LINKS + 2):
        target = f"l{number + 1}" if number <= confinement._MOST_LINKS else "d"
        (tree / "in" / f"l{number}").symlink_to(target)
    with pytest.raises(OSError, match="symbolic links") as raised:
        held.stat(f"{tree}/in/l0/f")
    assert raised.value.errno == errno.ELOOP
