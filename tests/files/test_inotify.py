"""The events that Linux reports for directories, and those that it does not."""

import errno
import os
import threading
from types import SimpleNamespace

import pytest

from sessiond.files.watch import inotify
from sessiond.files.watch.plan import WatchPlan

pytestmark = pytest.mark.skipif(not inotify.AVAILABLE, reason="inotify is part of Linux")

DEADLINE = 30


def plan(*names, anchors=()):
    return WatchPlan(
        {str(name): {str(name)} for name in names},
        frozenset(),
        frozenset(map(str, anchors)),
        frozenset(),
        {},
    )


@pytest.fixture
def watches(tmp_path):
    """Everything in tmp_path is watched."""
    with inotify.Inotify(0.001) as watches:
        watches.watch(plan(tmp_path))
        yield watches


def happened(watches):
    """The events there are at this moment."""
    found = set()
    while more := watches.changes(0):
        found |= more
    return found


def descriptors():
    return len(os.listdir("/dev/fd"))


def write(path):
    with open(path, "a", encoding="utf-8") as file:
        file.write("x\n")


def test_creating_changing_moving_and_deleting_are_events_under_the_paths_concerned(
    watches, tmp_path
):
    a, b = tmp_path / "a", tmp_path / "b"
    write(a)
    assert happened(watches) == {(False, str(a))}
    write(a)
    assert happened(watches) == {(False, str(a))}
    os.truncate(a, 0)
    assert happened(watches) == {(False, str(a))}
    a.chmod(0o600)
    assert happened(watches) == {(False, str(a))}
    a.rename(b)
    assert happened(watches) == {(True, str(a)), (False, str(b))}
    b.unlink()
    assert happened(watches) == {(True, str(b))}
    b.mkdir()
    assert happened(watches) == {(False, str(b))}
    b.rmdir()
    assert happened(watches) == {(True, str(b))}


def test_the_pause_before_reading_doubles_up_to_eight_times_while_changes_keep_coming(
    tmp_path, monkeypatch
):
    """After a wait of at least the shortest pause it is the shortest again."""
    now, waited, pauses = 0.0, 0.0, []

    def monotonic():
        nonlocal now
        now += waited
        return now

    clock = SimpleNamespace(monotonic=monotonic, sleep=pauses.append)
    monkeypatch.setattr(inotify, "time", clock)
    with inotify.Inotify(1.0) as watches:
        watches.watch(plan(tmp_path))
        for waited in (1.0, 0.0, 0.0, 0.5, 0.0, 0.0, 1.0, 0.0, 7.0):  # noqa: B007 - in `monotonic`
            write(tmp_path / "a")
            assert watches.changes(0) == {(False, str(tmp_path / "a"))}
    assert pauses == [1.0, 2.0, 4.0, 8.0, 8.0, 8.0, 1.0, 2.0, 1.0]


def test_opening_reading_and_closing_cause_no_events(watches, tmp_path):
    write(tmp_path / "a")
    happened(watches)
    (tmp_path / "a").read_bytes()
    os.listdir(tmp_path)
    with open(tmp_path / "a", "r+b"):
        pass
    assert happened(watches) == set()


def test_a_write_to_a_deleted_file_is_not_an_event(watches, tmp_path):
    with open(tmp_path / "a", "ab", buffering=0) as file:
        (tmp_path / "a").unlink()
        happened(watches)
        file.write(b"x")
        assert happened(watches) == set()


@pytest.mark.parametrize("how", ["deleted", "moved"])
def test_removing_a_watched_directory_causes_an_event(tmp_path, how):
    directory = tmp_path / "directory"
    directory.mkdir()
    with inotify.Inotify(0.001) as watches:
        watches.watch(plan(directory))
        if how == "deleted":
            directory.rmdir()
        else:
            directory.rename(tmp_path / "moved")
        assert (True, str(directory)) in happened(watches)


def test_in_a_directory_watched_for_a_missing_path_only_creations_cause_events(tmp_path):
    write(tmp_path / "log")
    with inotify.Inotify(0.001) as watches:
        watches.watch(plan(anchors=[tmp_path]))
        write(tmp_path / "log")
        (tmp_path / "log").unlink()
        assert happened(watches) == set()
        (tmp_path / "agent").mkdir()
        assert happened(watches) == {(False, str(tmp_path / "agent"))}


def test_a_directory_watched_under_two_paths_reports_both(tmp_path):
    # As where it is mounted twice: one of the two may be watched for arrivals only.
    real, other = tmp_path / "real", tmp_path / "other"
    real.mkdir()
    other.symlink_to(real)
    write(real / "a")
    with inotify.Inotify(0.001) as watches:
        watches.watch(plan(other, anchors=[real]))
        write(real / "a")
        assert happened(watches) == {(False, str(real / "a")), (False, str(other / "a"))}


def test_a_name_that_is_not_utf_8_comes_as_the_system_module_would_spell_it(watches, tmp_path):
    raw = os.fsencode(tmp_path) + b"/\xff"
    os.mkdir(raw)
    assert happened(watches) == {(False, os.fsdecode(raw))}


def test_the_root_directory_can_be_watched():
    with inotify.Inotify(0.001) as watches:
        watches.watch(plan("/"))


def test_a_directory_that_has_become_a_file_is_refused(tmp_path):
    write(tmp_path / "a")
    with inotify.Inotify(0.001) as watches, pytest.raises(NotADirectoryError):
        watches.watch(plan(tmp_path / "a"))


def test_a_limit_is_not_reported_as_a_full_disk(watches, tmp_path, monkeypatch):
    monkeypatch.setattr(inotify, "_add_watch", lambda *_: -1)
    monkeypatch.setattr(inotify.ctypes, "get_errno", lambda: errno.ENOSPC)
    with pytest.raises(OSError, match="limit of inotify watches") as raised:
        watches.watch(plan(tmp_path))
    assert raised.value.errno == errno.ENOSPC
    assert raised.value.filename == str(tmp_path)


def test_wake_ends_the_current_or_the_next_wait(watches):
    thread = threading.Thread(target=watches.changes, args=(1000,))
    thread.start()
    watches.wake()
    thread.join(DEADLINE)
    assert not thread.is_alive()
    assert watches.changes(1000) == set()
    watches.wake()


def test_ending_leaves_no_descriptor_and_may_be_followed_by_a_call_to_wake(tmp_path):
    before = descriptors()
    with inotify.Inotify(0.001) as watches:
        watches.watch(plan(tmp_path))
    watches.wake()
    # Of threads that other tests have left there may be fewer by now.
    assert descriptors() <= before


def test_without_a_descriptor_to_spare_none_is_left_open(monkeypatch):
    before = descriptors()

    def refuse():
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(inotify.os, "pipe", refuse)
    with pytest.raises(OSError, match="Too many open files"):
        inotify.Inotify(0.001)
    # Of threads that other tests have left there may be fewer by now.
    assert descriptors() <= before
