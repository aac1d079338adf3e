"""Which files can be sessions, and when a file counts as unchanged."""

import errno
import os
import socket
from pathlib import Path

import pytest

from sessiond.files import identity
from sessiond.files.identity import FileState, open_regular, resolve_path, stat_regular
from sessiond.runtime.errors import ReadFailed, SessionNotFound


@pytest.mark.parametrize(
    ("path", "base", "resolved"),
    [
        ("a.jsonl", "/base", "/base/a.jsonl"),
        ("../a.jsonl", "/base/deep", "/base/a.jsonl"),
        ("/x/./y//z", "/base", "/x/y/z"),
        ("~", "/base", "/home/user"),
        ("~/s/a.jsonl", "/base", "/home/user/s/a.jsonl"),
        ("~other/a.jsonl", "/base", "/base/~other/a.jsonl"),
        ("a~/b", "/base", "/base/a~/b"),
    ],
)
def test_a_path_is_resolved_as_node_does_with_the_tilde_for_home(path, base, resolved, monkeypatch):
    monkeypatch.setenv("HOME", "/home/user")
    assert resolve_path(path, base) == resolved


def loop_of_links(path: Path) -> None:
    path.symlink_to(path.with_name("b"))
    path.with_name("b").symlink_to(path)


def below_a_file(path: Path) -> None:
    path.parent.rmdir()
    path.parent.write_text("a file")


def unix_socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # the length of a socket's address is limited
    try:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(path.name)
    finally:
        os.chdir(here)


SPECIAL = [
    (Path.mkdir, errno.EISDIR),
    (os.mkfifo, errno.EINVAL),
    (unix_socket, errno.EINVAL),
    (lambda path: path.symlink_to("/dev/null"), errno.EINVAL),
    (lambda path: path.symlink_to("/dev"), errno.EISDIR),
    (loop_of_links, errno.ELOOP),
    (below_a_file, errno.ENOTDIR),
]


@pytest.mark.parametrize("look", [open_regular, stat_regular])
@pytest.mark.parametrize(
    ("make", "number"),
    SPECIAL,
    ids=["directory", "fifo", "socket", "device", "linked", "loop", "below"],
)
def test_a_path_that_is_not_a_regular_file_is_refused_immediately(make, number, look, tmp_path):
    path = tmp_path / "dir" / "a"
    path.parent.mkdir()
    make(path)
    with pytest.raises(ReadFailed) as caught:
        look(str(path))
    assert caught.value.data["errno"] == number
    assert caught.value.data["path"] == str(path)
    assert caught.value.data["strerror"]


@pytest.mark.parametrize("path", ["with\0nul", "x" * 5000])
def test_a_path_the_system_cannot_hold_is_a_failed_read(path, tmp_path):
    with pytest.raises(ReadFailed):
        stat_regular(str(tmp_path / path))


def test_a_fifo_put_in_place_after_the_look_is_not_waited_for(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.touch()
    really = identity.stat_regular

    def swap(name):
        seen = really(name)
        path.unlink()
        os.mkfifo(path)
        return seen

    monkeypatch.setattr(identity, "stat_regular", swap)
    with pytest.raises(ReadFailed):
        open_regular(str(path))


def test_a_missing_file_is_not_found(tmp_path):
    assert stat_regular(str(tmp_path / "a")) is None
    with pytest.raises(SessionNotFound):
        open_regular(str(tmp_path / "a"))


def test_a_link_that_leads_nowhere_is_a_missing_file(tmp_path):
    (tmp_path / "a").symlink_to(tmp_path / "b")
    assert stat_regular(str(tmp_path / "a")) is None


def test_links_of_both_kinds_lead_to_the_same_identity(tmp_path):
    path = tmp_path / "a"
    path.write_text("x")
    (tmp_path / "soft").symlink_to(path)
    (tmp_path / "hard").hardlink_to(path)
    keys = {FileState.of(os.stat(tmp_path / name)).key for name in ("a", "soft", "hard")}
    assert len(keys) == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda path: path.write_text("xyz"),
        lambda path: os.utime(path, ns=(1, 1)),
        lambda path: os.replace(path.with_name("other"), path),
    ],
    ids=["size", "times", "inode"],
)
def test_a_state_matches_only_an_unchanged_file(change, tmp_path):
    path = tmp_path / "a"
    path.write_text("x")
    path.with_name("other").write_text("x")
    state = FileState.of(path.stat())
    assert state.matches(path.stat())
    change(path)
    assert not state.matches(path.stat())
