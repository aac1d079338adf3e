"""Writing session files: complete lines or nothing, complete files or none, no bytes lost."""

import errno
import fcntl
import os
import resource
import stat
import subprocess
import sys
import threading

import pytest

from sessiond.files import disk, journal
from sessiond.runtime.errors import AlreadyExists, WriteFailed

LINE = b'{"type":"message"}\n'


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(LINE)
    return path


@pytest.fixture
def descriptor(path):
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    yield descriptor
    os.close(descriptor)


def upper(pieces):
    return [piece.upper() for piece in pieces]


@pytest.fixture
def umask():
    old = os.umask(0o022)
    yield os.umask
    os.umask(old)


class TestAppend:
    def test_a_line_is_one_write(self, path, descriptor, monkeypatch):
        writes = []
        really = os.write
        monkeypatch.setattr(os, "write", lambda fd, data: writes.append(data) or really(fd, data))
        seen = journal.append(str(path), descriptor, LINE)
        assert writes == [LINE]
        assert path.read_bytes() == LINE * 2
        assert seen.st_size == 2 * len(LINE)

    def test_a_partly_written_line_becomes_blank(self, path, descriptor, monkeypatch):
        really = os.write
        monkeypatch.setattr(os, "write", lambda fd, data: really(fd, data[:5]))
        with pytest.raises(WriteFailed) as caught:
            journal.append(str(path), descriptor, LINE)
        assert caught.value.data["errno"] == errno.ENOSPC
        assert path.read_bytes() == LINE + b"    \n"
        monkeypatch.undo()
        journal.append(str(path), descriptor, LINE)
        assert path.read_bytes() == LINE + b"    \n" + LINE

    def test_what_another_program_appends_meanwhile_stays_whole(
        self, path, descriptor, monkeypatch
    ):
        really = os.write

        def short_then_foreign(fd, data):
            done = really(fd, data[:5])
            with path.open("ab") as file:
                file.write(b"foreign\n")
            return done

        monkeypatch.setattr(os, "write", short_then_foreign)
        with pytest.raises(WriteFailed):
            journal.append(str(path), descriptor, LINE)
        assert path.read_bytes() == LINE + b"    \nforeign\n"

    def test_what_another_program_appends_at_the_last_moment_stays(
        self, path, descriptor, monkeypatch
    ):
        write, fstat = os.write, os.fstat

        def late(fd):
            seen = fstat(fd)
            with path.open("ab") as file:
                file.write(b"foreign\n")
            return seen

        monkeypatch.setattr(os, "write", lambda fd, data: write(fd, data[:5]))
        monkeypatch.setattr(os, "fstat", late)
        with pytest.raises(WriteFailed):
            journal.append(str(path), descriptor, LINE)
        assert path.read_bytes() == LINE + b"    \nforeign\n"

    @pytest.mark.parametrize("number", [errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO])
    def test_a_write_error_carries_its_errno(self, number, path, descriptor, monkeypatch):
        def fail(*_):
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(os, "write", fail)
        with pytest.raises(WriteFailed) as caught:
            journal.append(str(path), descriptor, LINE)
        assert caught.value.data["errno"] == number

    @pytest.mark.parametrize("room", range(len(LINE)))
    def test_a_real_limit_in_the_middle_of_a_line_leaves_only_a_blank_one(
        self, room, path, descriptor
    ):
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(LINE) + room, before[1]))
        try:
            with pytest.raises(WriteFailed):
                journal.append(str(path), descriptor, LINE)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert path.read_bytes() == LINE + (b" " * (room - 1) + b"\n" if room else b"")

    @pytest.mark.parametrize("room", range(3 * len(LINE)))
    def test_of_several_lines_all_are_written_or_none(self, room, path, descriptor, monkeypatch):
        really = os.write
        monkeypatch.setattr(os, "write", lambda fd, data: really(fd, data[:room]))
        with pytest.raises(WriteFailed):
            journal.append(str(path), descriptor, LINE * 3)
        assert path.read_bytes() == LINE + (b" " * (room - 1) + b"\n" if room else b"")


class TestFillingOpenFiles:
    @pytest.fixture
    def emptied(self, path, descriptor):
        os.ftruncate(descriptor, 0)
        return path

    def test_an_empty_file_is_filled(self, emptied, descriptor):
        journal.fill(str(emptied), descriptor, [LINE, LINE])
        assert emptied.read_bytes() == LINE * 2

    def test_a_file_that_cannot_be_filled_is_empty_again(self, emptied, descriptor):
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(LINE) + 5, before[1]))
        try:
            with pytest.raises(WriteFailed):
                journal.fill(str(emptied), descriptor, [LINE, LINE])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert emptied.read_bytes() == b""

    def test_what_another_program_appends_meanwhile_stays(self, emptied, descriptor, monkeypatch):
        write, calls = os.write, []

        def short_then_foreign(fd, data):
            calls.append(fd)
            if len(calls) == 3:
                raise OSError(errno.ENOSPC, "no space")
            done = write(fd, data[:5])
            with emptied.open("ab") as file:
                file.write(b"foreign\n")
            return done

        monkeypatch.setattr(os, "write", short_then_foreign)
        with pytest.raises(WriteFailed):
            journal.fill(str(emptied), descriptor, [LINE])
        assert emptied.read_bytes() == b"    \nforeign\n" * 2


class TestCreate:
    def test_a_new_file_is_whole_and_private_and_so_are_its_directories(self, tmp_path, umask):
        umask(0)
        path = tmp_path / "one" / "two" / "a.jsonl"
        seen = journal.create(str(path), [b"one", b"\n", memoryview(b"two\n")])
        assert path.read_bytes() == b"one\ntwo\n"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert stat.S_IMODE(path.parent.parent.stat().st_mode) == 0o700
        assert seen.st_ino == path.stat().st_ino
        assert seen.st_ctime_ns == path.stat().st_ctime_ns
        assert os.listdir(path.parent) == ["a.jsonl"]

    def test_an_existing_file_is_never_touched(self, path):
        with pytest.raises(AlreadyExists):
            journal.create(str(path), [b"other"])
        assert path.read_bytes() == LINE
        assert os.listdir(path.parent) == ["a.jsonl"]

    def test_of_two_who_create_one_wins(self, tmp_path, monkeypatch):
        path = tmp_path / "a.jsonl"
        really = os.link

        def late(source, target, **options):
            path.write_bytes(b"theirs\n")
            really(source, target, **options)

        monkeypatch.setattr(os, "link", late)
        with pytest.raises(AlreadyExists):
            journal.create(str(path), [b"ours\n"])
        assert path.read_bytes() == b"theirs\n"
        assert os.listdir(tmp_path) == ["a.jsonl"]

    def test_a_file_system_without_hard_links_will_do(self, tmp_path, monkeypatch):
        def refuse(*_, **__):
            raise PermissionError(errno.EPERM, "no links here")

        monkeypatch.setattr(os, "link", refuse)
        path = tmp_path / "a.jsonl"
        journal.create(str(path), [b"ours\n"])
        assert path.read_bytes() == b"ours\n"
        assert os.listdir(tmp_path) == ["a.jsonl"]
        with pytest.raises(AlreadyExists):
            journal.create(str(path), [b"again\n"])

    def test_writing_through_a_dangling_link_creates_its_target(self, tmp_path):
        (tmp_path / "link").symlink_to(tmp_path / "dir" / "a.jsonl")
        journal.create(str(tmp_path / "link"), [b"ours\n"])
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "dir" / "a.jsonl").read_bytes() == b"ours\n"

    def test_a_file_in_the_way_of_a_directory_is_a_failed_write(self, path):
        with pytest.raises(WriteFailed):
            journal.create(str(path / "below" / "b.jsonl"), [b"ours"])

    def test_a_vanished_directory_is_a_failed_write_where_none_may_be_made(self, tmp_path):
        with pytest.raises(WriteFailed) as caught:
            journal.create(str(tmp_path / "gone" / "a.jsonl"), [b"ours"], directories=False)
        assert caught.value.data["errno"] == errno.ENOENT
        assert os.listdir(tmp_path) == []

    def test_a_full_disk_leaves_no_file(self, tmp_path):
        script = (
            "import resource, sys; from sessiond.files import journal;"
            "from sessiond.runtime.errors import WriteFailed;"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
            "try: journal.create(sys.argv[1], [b'x' * 5000])\n"
            "except WriteFailed as error: print(error.data['strerror'])"
        )
        done = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / "a.jsonl")],
            capture_output=True,
            check=True,
        )
        assert done.stdout
        assert not done.stderr
        assert os.listdir(tmp_path) == []


class TestFill:
    def test_a_file_that_cannot_be_filled_is_empty_again(self, tmp_path):
        path = tmp_path / "a.jsonl"
        path.touch()
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND)

        def parts():
            yield b"x" * 3_000_000
            raise OSError(errno.ENOSPC, "full")

        with pytest.raises(WriteFailed):
            journal.fill(str(path), descriptor, parts())
        assert path.read_bytes() == b""
        inode = path.stat().st_ino
        journal.fill(str(path), descriptor, [b"one\n"])
        os.close(descriptor)
        assert path.read_bytes() == b"one\n"
        assert path.stat().st_ino == inode


class TestRewrite:
    def test_the_file_is_replaced_by_a_new_one_with_its_mode(self, path, descriptor):
        path.chmod(0o640)
        inode = path.stat().st_ino
        journal.rewrite(str(path), descriptor, upper)
        assert path.read_bytes() == LINE.upper()
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        assert path.stat().st_ino != inode
        assert os.listdir(path.parent) == ["a.jsonl"]

    def test_a_symbolic_link_stays_one(self, path, descriptor):
        link = path.with_name("link")
        link.symlink_to(path)
        journal.rewrite(str(link), descriptor, upper)
        assert link.is_symlink()
        assert path.read_bytes() == LINE.upper()

    @pytest.mark.parametrize("call", ["fsync", "rename", "stat", "fchown", "fstat"])
    @pytest.mark.parametrize("when", ["before", "after"])
    def test_lines_of_a_writer_without_locks_are_copied(
        self, call, when, path, descriptor, monkeypatch
    ):
        late = os.open(path, os.O_WRONLY | os.O_APPEND)
        really = getattr(os, call)
        left = [b"added\n"]

        def busy(*arguments, **options):
            if when == "before" and left:
                os.write(late, left.pop())
            result = really(*arguments, **options)
            if when == "after" and left:
                os.write(late, left.pop())
            return result

        monkeypatch.setattr(os, call, busy)
        journal.rewrite(str(path), descriptor, upper)
        monkeypatch.undo()
        os.close(late)
        assert path.read_bytes() == LINE.upper() + b"ADDED\n" * (1 - len(left))

    def test_a_rewrite_waits_for_writers_of_the_old_file(self, path, descriptor, monkeypatch):
        """It has lost its name by the time the line is written."""
        late = [os.open(path, os.O_WRONLY | os.O_APPEND)]

        def meanwhile(_):
            if late:
                os.write(late[0], b"added\n")
                os.close(late.pop())

        monkeypatch.setattr(journal.time, "sleep", meanwhile)
        journal.rewrite(str(path), descriptor, upper)
        assert path.read_bytes() == LINE.upper() + b"ADDED\n"

    def test_a_torn_line_finished_during_a_rewrite_is_copied_unchanged(
        self, path, descriptor, monkeypatch
    ):
        """Rendered whole it no longer begins as its rendered first half did."""
        os.write(descriptor, b"to")
        late = os.open(path, os.O_WRONLY | os.O_APPEND)
        really = os.fsync

        def finish(fd):
            if late_once:
                os.write(late, late_once.pop())
            really(fd)

        late_once = [b"rn\n"]
        monkeypatch.setattr(os, "fsync", finish)
        journal.rewrite(
            str(path), descriptor, lambda pieces: [b"".join(pieces).replace(b"torn", b"whole")]
        )
        os.close(late)
        assert path.read_bytes() == LINE + b"torn\n"

    def test_a_new_file_of_another_program_is_never_replaced(self, path, descriptor, monkeypatch):
        really = os.fsync

        def replaced(fd):
            really(fd)
            path.with_name("new").write_bytes(b"theirs\n")
            os.replace(path.with_name("new"), path)

        monkeypatch.setattr(os, "fsync", replaced)
        with pytest.raises(journal.Replaced):
            journal.rewrite(str(path), descriptor, upper)
        assert path.read_bytes() == b"theirs\n"
        assert os.listdir(path.parent) == ["a.jsonl"]

    def test_a_rewrite_that_fails_leaves_the_file_and_nothing_else(
        self, path, descriptor, monkeypatch
    ):
        def fail(_):
            raise OSError(errno.EIO, "broken")

        monkeypatch.setattr(os, "fsync", fail)
        with pytest.raises(WriteFailed):
            journal.rewrite(str(path), descriptor, upper)
        assert path.read_bytes() == LINE
        assert os.listdir(path.parent) == ["a.jsonl"]

    def test_others_that_lock_wait_for_the_new_file_as_for_the_old(
        self, path, descriptor, monkeypatch
    ):
        really = os.rename
        free = []

        def look(source, target, **options):
            really(source, target, **options)
            other = os.open(target, os.O_RDWR)
            try:
                fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
                free.append(target)
            except BlockingIOError:
                pass
            os.close(other)

        monkeypatch.setattr(os, "rename", look)
        journal.rewrite(str(path), descriptor, upper)
        assert not free

    def test_a_writer_in_a_thread_loses_no_line(self, path, descriptor):
        """The writer opens, appends, closes, as the agents do, while the file is replaced."""
        lines = [b"line %d\n" % number for number in range(400)]

        def write():
            for line in lines:
                with open(path, "ab", buffering=0) as file:
                    file.write(line)

        writer = threading.Thread(target=write)
        writer.start()
        journal.rewrite(str(path), descriptor, upper)
        writer.join()
        seen = path.read_bytes().upper().splitlines(keepends=True)
        assert sorted(seen[1:]) == sorted(line.upper() for line in lines)


class TestNamesThatAreTaken:
    """A file that appears under a name while another one is prepared for it is never replaced."""

    @pytest.fixture
    def target(self, tmp_path):
        return tmp_path / "new" / "b.jsonl"

    def test_a_moved_file(self, path, descriptor, target):
        def render(pieces):
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(b"of another program")
            return pieces

        with pytest.raises(AlreadyExists):
            journal.rewrite(str(path), descriptor, render, str(target))
        assert target.read_bytes() == b"of another program"
        assert path.read_bytes() == LINE

    @pytest.mark.parametrize("renames", [True, False])
    def test_where_there_are_no_hard_links(self, path, target, monkeypatch, renames):
        def lacks(*_, **__):
            raise OSError(errno.EPERM if renames else errno.ENOSYS, "none here")

        monkeypatch.setattr(os, "link", lacks)
        if not renames:
            monkeypatch.setattr(disk, "rename_exclusively", lacks)
        target.parent.mkdir()
        target.write_bytes(b"of another program")
        path.chmod(0o640)
        with pytest.raises(FileExistsError):
            journal.publish(str(path), str(target))
        assert target.read_bytes() == b"of another program"
        target.unlink()
        journal.publish(str(path), str(target))
        assert (target.read_bytes(), path.exists()) == (LINE, False)
        assert stat.S_IMODE(target.stat().st_mode) == 0o640

    def test_a_file_that_cannot_be_removed_is_not_moved(
        self, path, descriptor, target, monkeypatch
    ):
        unlink = disk.unlink

        def refuse(name):
            if name == str(path):
                raise OSError(errno.EIO, "Input/output error")
            unlink(name)

        monkeypatch.setattr(disk, "unlink", refuse)
        with pytest.raises(WriteFailed):
            journal.rewrite(str(path), descriptor, upper, str(target))
        assert (path.read_bytes(), os.listdir(target.parent)) == (LINE, [])

    def test_a_published_file_whose_temporary_name_stays_is_no_failure(self, target, monkeypatch):
        unlink = os.unlink

        def refuse(*_, **__):
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(os, "unlink", refuse)
        journal.create(str(target), [LINE])
        monkeypatch.setattr(os, "unlink", unlink)
        assert target.read_bytes() == LINE
