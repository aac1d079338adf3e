"""Other processes with a session file open are known while they run."""

import os
import shutil
import signal
import subprocess
import sys

import pytest

from sessiond.files import presence
from sessiond.files.presence import Presence

KEY = (64768, 131074)
OTHER_KEY = (64768, 131075)

HOLDER = """
import sys
from sessiond.files.presence import Presence
use = Presence(sys.argv[1])
use.hold((64768, 131074))
print("held", flush=True)
sys.stdin.readline()
use.release((64768, 131074))
print("released", flush=True)
sys.stdin.readline()
use.close()
"""


@pytest.fixture
def directory(tmp_path):
    return str(tmp_path / "runtime" / "sessiond")


@pytest.fixture
def ours(directory):
    use = Presence(directory)
    yield use
    use.close()


@pytest.fixture
def holder(directory):
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, directory], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"held\n"
        yield process


def go_on(process):
    process.stdin.write(b"\n")
    process.stdin.flush()


def test_another_process_is_known_while_it_holds_the_file(ours, holder):
    assert ours.others(KEY) == [holder.pid]
    assert ours.others(OTHER_KEY) == []
    assert ours.snapshot() == {KEY: [holder.pid]}
    go_on(holder)
    assert holder.stdout.readline() == b"released\n"
    assert ours.others(KEY) == []
    assert ours.snapshot() == {}


def test_ones_own_are_not_among_the_others(ours, directory):
    ours.hold(KEY)
    assert ours.others(KEY) == []
    assert ours.snapshot() == {}
    assert Presence(directory).others(KEY) == [os.getpid()]


def test_holds_are_counted(ours, directory):
    reader = Presence(directory)
    ours.hold(KEY)
    ours.hold(KEY)
    ours.release(KEY)
    assert reader.others(KEY) == [os.getpid()]
    ours.release(KEY)
    assert reader.others(KEY) == []


def test_the_processes_that_use_a_file_are_listed_in_order(ours, holder, directory):
    second = Presence(directory)
    second.hold(KEY)
    assert ours.others(KEY) == sorted([holder.pid, os.getpid()])
    second.close()


@pytest.mark.parametrize("look", ["others", "snapshot"])
def test_a_killed_process_is_forgotten_and_cleared_away(ours, holder, directory, look):
    assert ours.others(KEY) == [holder.pid]
    assert len(os.listdir(directory)) == 1
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert not (ours.others(KEY) if look == "others" else ours.snapshot())
    assert os.listdir(directory) == []


def test_ending_well_leaves_nothing_behind(holder, directory):
    go_on(holder)
    go_on(holder)
    assert holder.wait() == 0
    assert os.listdir(directory) == []


def test_closing_gives_everything_back(directory):
    use = Presence(directory)
    use.hold(KEY)
    use.hold(OTHER_KEY)
    use.close()
    assert os.listdir(directory) == []
    use.close()


def test_looking_creates_nothing(ours, directory):
    assert ours.others(KEY) == []
    assert ours.snapshot() == {}
    assert not os.path.exists(directory)


def test_the_directory_is_for_the_user_alone(ours, directory):
    ours.hold(KEY)
    assert os.stat(directory).st_mode & 0o777 == 0o700


@pytest.mark.parametrize("tidied", ["file", "directory"])
def test_files_tidied_away_are_written_again_with_the_next_hold(ours, directory, tidied):
    ours.hold(KEY)
    if tidied == "directory":
        shutil.rmtree(directory)
    else:
        os.unlink(f"{directory}/{os.listdir(directory)[0]}")
    ours.hold(OTHER_KEY)
    assert Presence(directory).snapshot() == {KEY: [os.getpid()], OTHER_KEY: [os.getpid()]}
    assert len(os.listdir(directory)) == 1


def test_the_file_of_a_client_grows_with_its_open_sessions_only(ours, directory):
    reader = Presence(directory)
    ours.hold(KEY)
    for _ in range(3000):
        ours.hold(OTHER_KEY)
        ours.release(OTHER_KEY)
    assert reader.snapshot() == {KEY: [os.getpid()]}
    [name] = os.listdir(directory)
    assert os.stat(f"{directory}/{name}").st_size < 20_000


def test_a_line_written_in_part_counts_for_nothing(ours, directory, monkeypatch):
    reader, written = Presence(directory), os.write
    ours.hold((1, 1))
    monkeypatch.setattr(presence.os, "write", lambda file, data: written(file, data[:-2]))
    ours.hold(KEY)
    monkeypatch.undo()
    assert reader.others(KEY) == reader.others((KEY[0], KEY[1] >> 4)) == []
    ours.hold(OTHER_KEY)
    assert reader.snapshot() == {(1, 1): [os.getpid()], OTHER_KEY: [os.getpid()]}
    assert reader.others(OTHER_KEY) == [os.getpid()]


def test_foreign_files_do_not_change(ours, directory):
    os.makedirs(directory, mode=0o700)
    for name in ("notes", "1-2-x", "x.open"):
        with open(f"{directory}/{name}", "w", encoding="ascii"):
            pass
    assert ours.snapshot() == {}
    assert len(os.listdir(directory)) == 3


@pytest.mark.parametrize("obstacle", ["a file", "a link", "writable by others", "a missing parent"])
def test_an_untrusted_or_unusable_directory_shows_no_other_processes(tmp_path, obstacle):
    directory = tmp_path / "sessiond"
    if obstacle == "a file":
        directory.write_text("")
    elif obstacle == "a link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        directory.symlink_to(tmp_path / "elsewhere")
    elif obstacle == "writable by others":
        directory.mkdir()
        directory.chmod(0o777)
    else:
        (tmp_path / "file").write_text("")
        directory = tmp_path / "file" / "sessiond"
    use = Presence(str(directory))
    use.hold(KEY)
    assert Presence(str(directory)).others(KEY) == []
    assert Presence(str(directory)).snapshot() == {}
    use.release(KEY)
    use.close()
    assert not (tmp_path / "elsewhere").exists() or not list((tmp_path / "elsewhere").iterdir())


def test_a_directory_of_another_user_is_not_trusted(ours, directory, monkeypatch):
    ours.hold(KEY)
    owner = os.getuid()
    monkeypatch.setattr(presence.os, "getuid", lambda: owner + 1)
    assert Presence(directory).others(KEY) == []


def test_without_locks_no_presence_is_recorded(directory, monkeypatch):
    def refuse(*_):
        raise OSError

    monkeypatch.setattr(presence.fcntl, "flock", refuse)
    use = Presence(directory)
    use.hold(KEY)
    assert os.listdir(directory) == []
    use.close()


def test_no_descriptor_stays_open(directory):
    before = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0
    use, other = Presence(directory), Presence(directory)
    use.hold(KEY)
    other.hold(KEY)
    for _ in range(10):
        use.others(KEY)
        use.snapshot()
    use.close()
    other.close()
    after = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0
    assert before == after


def test_the_directory_is_below_xdg_runtime_dir_if_that_is_usable(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert presence.runtime_directory() == str(tmp_path / "sessiond")
    for unusable in ("", "relative", str(tmp_path / "missing")):
        monkeypatch.setenv("XDG_RUNTIME_DIR", unusable)
        assert presence.runtime_directory() == f"/tmp/sessiond-{os.getuid()}"
