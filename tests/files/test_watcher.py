"""Paths that may have changed are reported: in time, and under the names that were asked for."""

import asyncio
import ctypes
import errno
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from sessiond.files.watch import inotify, inotify_round, plan, steps, watch_round
from sessiond.files.watch.watcher import Watcher

# Far more than anything takes; running into it is the failure.
DEADLINE = 40
LIMIT = 'OS file watch limit reached. about ["/x"]'


class Reports:
    """The reports of a watcher, and functions that wait for more."""

    def __init__(self):
        self.all = []
        self.news = asyncio.Event()

    def __call__(self, found):
        self.all.append(found)
        self.news.set()

    def clear(self):
        self.all.clear()

    async def until(self, *paths):
        """Wait until all of these have been reported since the last `clear`."""
        async with asyncio.timeout(DEADLINE):
            while missing := {str(path) for path in paths} - set().union(*self.all):
                self.news.clear()
                try:
                    await self.news.wait()
                except asyncio.CancelledError:
                    pytest.fail(f"not reported: {missing}; but {self.all}")

    async def until_any(self, *paths):
        async with asyncio.timeout(DEADLINE):
            while not {str(path) for path in paths} & set().union(*self.all):
                self.news.clear()
                await self.news.wait()


@pytest.fixture
def reports():
    return Reports()


needs_inotify = pytest.mark.skipif(not inotify.AVAILABLE, reason="inotify is part of Linux")
NATIVE = [pytest.param("inotify", marks=needs_inotify), "watchfiles"]


@pytest.fixture(params=NATIVE)
def source(request, monkeypatch):
    """The watcher for `native`: watchfiles on systems without inotify."""
    monkeypatch.setattr(inotify, "AVAILABLE", request.param == "inotify")
    return request.param


@pytest.fixture(params=[*NATIVE, "polling"])
async def watcher(request, reports, monkeypatch):
    monkeypatch.setattr(watch_round, "CHECK_SECONDS", 0.2)
    monkeypatch.setattr(inotify, "AVAILABLE", request.param == "inotify")
    before = descriptors()
    mode = "polling" if request.param == "polling" else "native"
    watcher = Watcher(reports, mode=mode, poll_ms=20)
    yield watcher
    await watcher.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "sessiond watch"]
    # Threads of watchfiles end when they like to, also those of the test before.
    assert request.param == "watchfiles" or descriptors() <= before


@pytest.fixture
async def native(reports, source):  # noqa: ARG001
    watcher = Watcher(reports, poll_ms=20)
    yield watcher
    await watcher.close()


async def watching(watcher, reports, directory, *, recursive=False):
    """Watch, and return when that has begun."""
    watcher.watch(str(directory), recursive=recursive)
    await reports.until(directory)
    reports.clear()


async def number(watcher, expected):
    """Wait until so many directories are watched."""
    async with asyncio.timeout(DEADLINE):
        while watcher.directories != expected:  # noqa: ASYNC110 - a thread of the watcher changes it
            await asyncio.sleep(0.001)


def descriptors():
    return len(os.listdir("/dev/fd"))


def write(path, text="x\n"):
    with open(path, "a", encoding="utf-8") as file:
        file.write(text)


async def test_a_directory_is_reported_as_a_whole_when_watching_it_has_begun(
    watcher, reports, tmp_path
):
    watcher.watch(str(tmp_path))
    await reports.until(tmp_path)
    assert watcher.directories == 1


async def test_an_append_is_reported(watcher, reports, tmp_path):
    write(tmp_path / "a.jsonl")
    await watching(watcher, reports, tmp_path)
    for _ in range(3):
        write(tmp_path / "a.jsonl")
        await reports.until(tmp_path / "a.jsonl")
        reports.clear()
    assert watcher.events >= 3


async def test_a_store_of_the_gateway_is_reported(watcher, reports, tmp_path):
    await watching(watcher, reports, tmp_path)
    write(tmp_path / "sessions.json")
    await reports.until(tmp_path / "sessions.json")


async def test_creating_renaming_and_deleting_are_reported_under_every_name_concerned(
    watcher, reports, tmp_path
):
    await watching(watcher, reports, tmp_path)
    write(tmp_path / "a.jsonl")
    await reports.until(tmp_path / "a.jsonl")
    reports.clear()
    (tmp_path / "a.jsonl").rename(tmp_path / "b.jsonl")
    await reports.until(tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    reports.clear()
    (tmp_path / "b.jsonl").unlink()
    await reports.until(tmp_path / "b.jsonl")


async def test_a_file_replaced_by_a_rename_is_reported_and_the_temporary_one_is_not(
    watcher, reports, tmp_path
):
    write(tmp_path / "a.jsonl")
    await watching(watcher, reports, tmp_path)
    write(tmp_path / ".sessiond-0123.tmp", "new\n")
    (tmp_path / ".sessiond-0123.tmp").rename(tmp_path / "a.jsonl")
    await reports.until(tmp_path / "a.jsonl")
    assert set().union(*reports.all) == {str(tmp_path / "a.jsonl")}


async def test_files_that_hold_no_session_are_not_reported(watcher, reports, tmp_path):
    await watching(watcher, reports, tmp_path)
    for name in ("a.jsonl.lock", "sessions.json.lock", "b.txt", ".sessiond-1.tmp", "jsonl"):
        write(tmp_path / name)
    (tmp_path / "directory").mkdir()
    write(tmp_path / "z.jsonl")
    await reports.until(tmp_path / "z.jsonl")
    assert set().union(*reports.all) == {str(tmp_path / "z.jsonl")}


async def test_a_file_in_a_directory_below_is_not_reported_unless_recursive(
    watcher, reports, tmp_path
):
    below = tmp_path / "below"
    below.mkdir()
    await watching(watcher, reports, tmp_path)
    write(below / "a.jsonl")
    write(tmp_path / "z.jsonl")
    await reports.until(tmp_path / "z.jsonl")
    assert set().union(*reports.all) == {str(tmp_path / "z.jsonl")}


async def test_recursive_is_three_levels_deep_and_includes_directories_made_later(
    watcher, reports, tmp_path
):
    sessions = tmp_path / "2026" / "11" / "24"
    (sessions / "deeper").mkdir(parents=True)
    await watching(watcher, reports, tmp_path, recursive=True)
    assert watcher.directories == 4
    write(sessions / "a.jsonl")
    write(tmp_path / "2026" / "b.jsonl")
    await reports.until(sessions / "a.jsonl", tmp_path / "2026" / "b.jsonl")
    reports.clear()
    later = tmp_path / "2027" / "01" / "02"
    later.mkdir(parents=True)
    write(later / "c.jsonl")
    # No event can name the file itself: the whole directory is reported instead.
    await reports.until(tmp_path)
    await number(watcher, 7)
    await reports.until(tmp_path)
    reports.clear()
    write(later / "c.jsonl")
    await reports.until(later / "c.jsonl")


async def test_a_link_to_a_directory_below_a_recursive_one_is_followed(watcher, reports, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    sessions = tmp_path / "sessions"
    sessions.mkdir()
    (sessions / "link").symlink_to(elsewhere)
    (sessions / "loop").symlink_to(sessions)
    await watching(watcher, reports, sessions, recursive=True)
    write(elsewhere / "a.jsonl")
    await reports.until(sessions / "link" / "a.jsonl")


async def test_a_directory_created_later_with_its_parents_is_watched(watcher, reports, tmp_path):
    sessions = tmp_path / "agent" / "sessions" / "--project--"
    await watching(watcher, reports, sessions)
    assert watcher.directories == 0
    sessions.mkdir(parents=True)
    write(sessions / "a.jsonl")
    await reports.until(sessions)
    await number(watcher, 1)
    reports.clear()
    write(sessions / "a.jsonl")
    await reports.until(sessions / "a.jsonl")


async def test_directories_created_level_by_level_are_watched(watcher, reports, tmp_path):
    sessions = tmp_path / "agent" / "sessions"
    await watching(watcher, reports, sessions)
    (tmp_path / "agent").mkdir()
    await reports.until(sessions)
    reports.clear()
    sessions.mkdir()
    await reports.until(sessions)
    reports.clear()
    write(sessions / "a.jsonl")
    await reports.until(sessions / "a.jsonl")


@pytest.mark.parametrize("how", ["deleted", "moved", "moved above"])
async def test_a_directory_that_is_removed_and_created_again_is_watched(
    watcher, reports, tmp_path, how
):
    sessions = tmp_path / "agent" / "sessions"
    sessions.mkdir(parents=True)
    await watching(watcher, reports, sessions)
    if how == "deleted":
        shutil.rmtree(sessions)
    elif how == "moved":
        sessions.rename(tmp_path / "moved")
    else:
        (tmp_path / "agent").rename(tmp_path / "moved")
    await reports.until(sessions)
    reports.clear()
    sessions.mkdir(parents=True)
    await reports.until(sessions)
    reports.clear()
    write(sessions / "a.jsonl")
    await reports.until(sessions / "a.jsonl")


async def test_a_directory_deleted_and_immediately_created_again_is_watched(
    watcher, reports, tmp_path
):
    # Many file systems give the new one the inode of the old one.
    sessions = tmp_path / "sessions"
    sessions.mkdir()
    await watching(watcher, reports, sessions)
    for _ in range(3):
        sessions.rmdir()
        sessions.mkdir()
        write(sessions / "a.jsonl")
        # Until the new one is watched, it is reported as a whole.
        while str(sessions / "a.jsonl") not in set().union(*reports.all):
            reports.clear()
            write(sessions / "a.jsonl")
            await reports.until_any(sessions, sessions / "a.jsonl")
        reports.clear()
        (sessions / "a.jsonl").unlink()
        await reports.until_any(sessions, sessions / "a.jsonl")
        reports.clear()


async def test_every_name_of_a_directory_is_reported(watcher, reports, tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    watcher.watch(str(real))
    watcher.watch(str(link))
    await reports.until(real, link)
    assert watcher.directories == 1
    reports.clear()
    write(real / "a.jsonl")
    await reports.until(real / "a.jsonl", link / "a.jsonl")
    watcher.unwatch(str(real))
    reports.clear()
    write(real / "a.jsonl")
    await reports.until_any(link, link / "a.jsonl")
    assert not {str(real), str(real / "a.jsonl")} & set().union(*reports.all)


async def test_a_link_pointed_elsewhere_is_followed(watcher, reports, tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "one")
    await watching(watcher, reports, link)
    (tmp_path / "new").symlink_to(tmp_path / "two")
    (tmp_path / "new").rename(link)
    await reports.until(link)
    reports.clear()
    write(tmp_path / "two" / "a.jsonl")
    await reports.until(link / "a.jsonl")


async def test_watches_are_counted(watcher, reports, tmp_path):
    await watching(watcher, reports, tmp_path)
    watcher.watch(str(tmp_path))
    watcher.unwatch(str(tmp_path))
    write(tmp_path / "a.jsonl")
    await reports.until(tmp_path / "a.jsonl")


async def test_nothing_is_reported_of_a_directory_no_longer_watched(watcher, reports, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    watcher.watch(str(one))
    await watching(watcher, reports, two)
    watcher.unwatch(str(one))
    write(one / "a.jsonl")
    write(two / "a.jsonl")
    await reports.until_any(two, two / "a.jsonl")
    write(one / "b.jsonl")
    write(two / "b.jsonl")
    await reports.until_any(two, two / "b.jsonl")
    await number(watcher, 1)
    assert not [path for path in set().union(*reports.all) if path.startswith(str(one))]


async def test_a_change_while_another_watch_starts_is_reported(watcher, reports, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    await watching(watcher, reports, one)
    watcher.watch(str(two))
    write(one / "a.jsonl")
    await reports.until(two)
    await reports.until_any(one, one / "a.jsonl")


async def test_many_watch_calls_in_one_turn_start_one_round(watcher, reports, tmp_path):
    directories = [tmp_path / str(number) for number in range(50)]
    for directory in directories:
        directory.mkdir()
        watcher.watch(str(directory))
    await reports.until(*directories)
    assert len(reports.all) == 1
    assert watcher.directories == 50


@needs_inotify
async def test_adding_a_directory_costs_the_same_however_many_are_watched(
    reports, tmp_path, monkeypatch
):
    monkeypatch.setattr(watch_round, "CHECK_SECONDS", 1000.0)
    calls = []
    for module, name in ((plan, "identify"), (inotify, "_add_watch")):

        def count(*args, really=getattr(module, name)):  # noqa: B008 - the one of this turn
            calls.append(args)
            return really(*args)

        monkeypatch.setattr(module, name, count)
    directories = [tmp_path / str(number) for number in range(200)]
    for directory in directories:
        directory.mkdir()
    watcher = Watcher(reports)

    async def cost(directory):
        calls.clear()
        await watching(watcher, reports, directory)
        return len(calls)

    await watching(watcher, reports, directories[0])
    alone = await cost(directories[1])
    for directory in directories[2:-1]:
        watcher.watch(str(directory))
    await reports.until(*directories[2:-1])
    reports.clear()
    assert await cost(directories[-1]) == alone
    # Nor does it cost more that one of them goes and comes again, and no other is reported.
    calls.clear()
    directories[5].rmdir()
    await reports.until(directories[5])
    directories[5].mkdir()
    await reports.until(directories[5])
    reports.clear()
    write(directories[5] / "a.jsonl")
    await reports.until_any(directories[5], directories[5] / "a.jsonl")
    assert len(calls) < 10 * alone
    for directory in directories:
        watcher.unwatch(str(directory))
    await number(watcher, 0)
    await watching(watcher, reports, tmp_path)
    write(directories[1] / "a.jsonl")
    write(tmp_path / "a.jsonl")
    await reports.until(tmp_path / "a.jsonl")
    assert not [path for path in set().union(*reports.all) if path.startswith(f"{directories[1]}/")]
    await watcher.close()


async def test_a_burst_of_a_thousand_changes_is_few_reports(watcher, reports, tmp_path):
    await watching(watcher, reports, tmp_path)
    paths = [tmp_path / f"{number}.jsonl" for number in range(1000)]
    for path in paths:
        write(path)
    await reports.until(*paths)
    assert len(reports.all) < 100


async def test_a_write_of_another_process_is_reported(native, reports, tmp_path):
    await watching(native, reports, tmp_path)
    script = "import sys; open(sys.argv[1], 'a').write('x')"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, str(tmp_path / "a.jsonl")
    )
    await reports.until(tmp_path / "a.jsonl")
    await process.wait()


async def test_a_name_that_is_not_utf_8_does_not_end_the_watching(watcher, reports, tmp_path):
    await watching(watcher, reports, tmp_path)
    for count in range(5):
        os.mkdir(os.fsencode(tmp_path) + b"/\xff%d" % count)
        # watchfiles gives up at such a name; what it had seen until then goes with it.
        write(tmp_path / f"{count}.jsonl")
        await reports.until_any(tmp_path, tmp_path / f"{count}.jsonl")
        reports.clear()


@pytest.mark.parametrize("name", ["nul\0name", chr(0xD800), chr(0xDCFF)])
async def test_a_directory_with_an_impossible_name_does_not_affect_others(
    watcher, reports, tmp_path, name
):
    watcher.watch(f"{tmp_path}/{name}")
    await watching(watcher, reports, tmp_path)
    write(tmp_path / "a.jsonl")
    await reports.until(tmp_path / "a.jsonl")


async def test_a_directory_whose_name_is_not_utf_8_is_watched_by_polling_if_need_be(
    native, reports, tmp_path, source
):
    directory = f"{tmp_path}/{chr(0xDCFF)}"
    os.mkdir(directory)
    await watching(native, reports, directory)
    assert native.mode == ("native" if source == "inotify" else "polling")
    write(f"{directory}/a.jsonl")
    await reports.until(f"{directory}/a.jsonl")


DENIED = """
import asyncio, os, sys
from sessiond.files.watch import inotify, steps
from sessiond.files.watch.watcher import Watcher
async def main(root):
    inotify.AVAILABLE = sys.argv[2] == "inotify"
    mode = "polling" if sys.argv[2] == "polling" else "native"
    if os.geteuid() == 0:
        os.seteuid(65534)
        os.setreuid(65534, 65534)
    os.mkdir(root + "/a"); os.mkdir(root + "/b"); os.mkdir(root + "/c")
    os.chmod(root + "/b", 0)
    found, news = set(), asyncio.Event()
    def report(paths):
        found.update(paths)
        news.set()
    async def until(path):
        async with asyncio.timeout(30):
            while path not in found:
                news.clear()
                await news.wait()
    watcher = Watcher(report, mode=mode, poll_ms=20)
    watcher.watch(root, recursive=True)
    watcher.watch(root + "/b")
    await until(root)
    for name in "ac":
        open(f"{root}/{name}/x.jsonl", "w").close()
        await until(f"{root}/{name}/x.jsonl")
    assert watcher.directories == 3, watcher.directories
    found.clear()
    os.chmod(root + "/b", 0o700)
    await until(root + "/b")
    open(f"{root}/b/x.jsonl", "w").close()
    await until(f"{root}/b/x.jsonl")
    assert watcher.mode == mode
    await watcher.close()
asyncio.run(main(sys.argv[1]))
"""


@pytest.mark.parametrize("how", [*NATIVE, "polling"])
def test_a_directory_that_may_not_be_read_keeps_no_other_from_being_watched(how):
    # Not below tmp_path, which other users may not enter.
    root = tempfile.mkdtemp()
    os.chmod(root, 0o777)  # noqa: S103
    try:
        subprocess.run(
            [sys.executable, "-W", "error", "-c", DENIED, root, how], check=True, timeout=30
        )
    finally:
        shutil.rmtree(root)


async def test_off_watches_nothing(reports, tmp_path):
    watcher = Watcher(reports, mode="off")
    watcher.watch(str(tmp_path))
    write(tmp_path / "a.jsonl")
    for _ in range(100):
        await asyncio.sleep(0)
    assert (watcher.mode, watcher.directories, watcher.events, reports.all) == ("off", 0, 0, [])
    await watcher.close()


def failing(error):
    """A function of a library that raises."""

    def refuse(*_, **__):
        raise error

    return refuse


def refusing(code):
    """A function of the C library that fails."""

    def refuse(*_):
        ctypes.set_errno(code)
        return -1

    return refuse


TOO_MANY = RuntimeError("Error creating recommended watcher: Too many open files (os error 24)")


@pytest.mark.parametrize(
    ("source", "broken"),
    [
        pytest.param("inotify", (inotify, "_init", refusing(errno.EMFILE)), marks=needs_inotify),
        pytest.param(
            "inotify", (inotify, "_add_watch", refusing(errno.ENOSPC)), marks=needs_inotify
        ),
        ("watchfiles", (steps.watchfiles, "watch", failing(OSError(LIMIT)))),
        ("watchfiles", (steps.watchfiles, "watch", failing(TOO_MANY))),
    ],
    indirect=["source"],
)
@pytest.mark.usefixtures("source")
async def test_beyond_the_systems_limits_it_looks_for_changes_itself(
    reports, tmp_path, monkeypatch, caplog, broken
):
    monkeypatch.setattr(*broken)
    before = descriptors()
    watcher = Watcher(reports, poll_ms=20)
    watcher.watch(str(tmp_path))
    await reports.until(tmp_path)
    assert watcher.mode == "polling"
    write(tmp_path / "a.jsonl")
    await reports.until(tmp_path / "a.jsonl")
    await watcher.close()
    assert descriptors() <= before
    [record] = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert "fs.inotify.max_user_watches" in record.message
    assert "max_user_instances" in record.message
    assert "space" not in record.message


async def turns_of_the_loop():
    for _ in range(10):
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("source", "broken"),
    [
        pytest.param("inotify", (inotify, "_init", errno.EMFILE), marks=needs_inotify),
        pytest.param("inotify", (inotify, "_add_watch", errno.ENOSPC), marks=needs_inotify),
        ("watchfiles", (steps.watchfiles, "watch", OSError(LIMIT))),
    ],
    indirect=["source"],
)
@pytest.mark.usefixtures("source")
async def test_after_a_passing_shortage_the_system_reports_changes_again(
    reports, tmp_path, monkeypatch, caplog, broken
):
    loop = asyncio.get_running_loop()
    # Stands still, so that only these steps let time pass.
    now = loop.time()
    monkeypatch.setattr(loop, "time", lambda: now)
    tried = asyncio.Event()
    holder, name, error = broken
    refuse = failing(error) if isinstance(error, Exception) else refusing(error)

    def tell_and_refuse(*args, **options):
        loop.call_soon_threadsafe(tried.set)
        return refuse(*args, **options)

    async def refused_again():
        await tried.wait()
        while watcher.mode != "polling":  # noqa: ASYNC110 - a thread tells the loop
            await asyncio.sleep(0)
        tried.clear()
        return now

    watcher = Watcher(reports, poll_ms=20)
    with monkeypatch.context() as shortage:
        shortage.setattr(holder, name, tell_and_refuse)
        watcher.watch(str(tmp_path))
        refused = await refused_again()
        # The pause doubles, up to five minutes.
        for seconds in [10, 20, 40, 80, 160, 300, 300]:
            # Directories are reported again, because their changes were not seen meanwhile.
            reports.clear()
            now = refused + 1
            await reports.until(tmp_path)
            now = refused + seconds - 1
            await turns_of_the_loop()
            assert watcher.mode == "polling"
            now = refused + seconds
            refused = await refused_again()
        reports.clear()
        now = refused + 1
        await reports.until(tmp_path)
        write(tmp_path / "a.jsonl")
        await reports.until(tmp_path / "a.jsonl")
    reports.clear()
    now = refused + 300
    await reports.until(tmp_path)
    assert watcher.mode == "native"
    write(tmp_path / "b.jsonl")
    await reports.until(tmp_path / "b.jsonl")
    await watcher.close()
    warnings = [r for r in caplog.records if "max_user_watches" in r.message]
    assert len(warnings) == 1


VANISHED = FileNotFoundError(errno.ENOENT, "No path was found.")


async def test_a_directory_removed_while_a_round_starts_is_searched_again(
    reports, tmp_path, monkeypatch, source
):
    at = (inotify.Inotify, "watch") if source == "inotify" else (steps.watchfiles, "watch")
    really, calls = getattr(*at), []

    def vanish_once(*paths, **options):
        calls.append(paths)
        if len(calls) == 1:
            raise VANISHED
        return really(*paths, **options)

    monkeypatch.setattr(*at, vanish_once)
    watcher = Watcher(reports)
    watcher.watch(str(tmp_path))
    await reports.until(tmp_path)
    assert watcher.mode == "native"
    await watcher.close()


@needs_inotify
async def test_where_more_happens_than_the_system_can_keep_every_directory_is_reported(
    reports, tmp_path, monkeypatch
):
    limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    if limit > 100_000:
        pytest.skip("that would take long")
    one, two = tmp_path / "one", tmp_path / "two"
    watcher = Watcher(reports)
    for directory in (one, two):
        directory.mkdir()
        watcher.watch(str(directory))
    await reports.until(one, two)
    reports.clear()
    written = threading.Event()
    clock = SimpleNamespace(monotonic=time.monotonic, sleep=lambda _: written.wait(DEADLINE))
    monkeypatch.setattr(inotify, "time", clock)
    names = [str(one / "a.txt"), str(one / "b.txt")]
    write(names[0])
    for _ in range(limit // 2 + 1):
        os.rename(*names)
        names.reverse()
    write(two / "lost.jsonl")
    written.set()
    await reports.until(one, two)
    assert str(two / "lost.jsonl") not in set().union(*reports.all)
    reports.clear()
    write(two / "a.jsonl")
    await reports.until(two / "a.jsonl")
    assert watcher.mode == "native"
    await watcher.close()


@needs_inotify
async def test_while_nothing_happens_the_thread_waits_for_the_next_check_and_for_the_end(
    reports, tmp_path, monkeypatch
):
    really, waits = inotify.Inotify.changes, []

    def remember(self, patience):
        waits.append(patience)
        return really(self, patience)

    monkeypatch.setattr(inotify.Inotify, "changes", remember)
    monkeypatch.setattr(watch_round, "CHECK_SECONDS", 1000.0)
    watcher = Watcher(reports)
    await watching(watcher, reports, tmp_path)
    write(tmp_path / "a.jsonl")
    await reports.until(tmp_path / "a.jsonl")
    await watcher.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "sessiond watch"]
    # Once until the file is there, once or twice until what is written to it; the thread may end
    # before it waits again.
    assert 1 <= len(waits) <= 3
    assert min(waits) > 900


WITHOUT = {
    "ctypes": "import sys; sys.modules['ctypes'] = None",
    "a C library that can be loaded": """
import ctypes
def CDLL(*_, **__):
    raise OSError
ctypes.CDLL = CDLL""",
    "a C library that knows it": "import ctypes; ctypes.CDLL = lambda *_, **__: object()",
}
WATCHED = """
import asyncio, sys
from sessiond.files.watch import inotify
from sessiond.files.watch.watcher import Watcher
async def main(directory):
    found, news = set(), asyncio.Event()
    def report(paths):
        found.update(paths)
        news.set()
    watcher = Watcher(report)
    watcher.watch(directory)
    for path in (directory, directory + "/a.jsonl"):
        async with asyncio.timeout(30):
            while path not in found:
                news.clear()
                await news.wait()
        open(directory + "/a.jsonl", "w").close()
    assert watcher.mode == "native"
    await watcher.close()
asyncio.run(main(sys.argv[1]))
print(inotify.AVAILABLE, "watchfiles" in sys.modules)
"""


@pytest.mark.parametrize("missing", WITHOUT)
def test_watchfiles_is_used_without_inotify(missing, tmp_path):
    code = WITHOUT[missing] + WATCHED
    command = [sys.executable, "-W", "error", "-c", code, str(tmp_path)]
    done = subprocess.run(command, check=True, timeout=30, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("False True\n", "")


@needs_inotify
def test_with_inotify_watchfiles_is_not_imported(tmp_path):
    command = [sys.executable, "-W", "error", "-c", WATCHED, str(tmp_path)]
    done = subprocess.run(command, check=True, timeout=30, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("True False\n", "")


async def test_the_variables_of_watchfiles_have_no_influence(reports, tmp_path, monkeypatch, capfd):
    really, options = steps.watchfiles.watch, {}

    def remember(*paths, **given):
        options.update(given)
        return really(*paths, **given)

    monkeypatch.setattr(inotify, "AVAILABLE", False)
    monkeypatch.setattr(steps.watchfiles, "watch", remember)
    monkeypatch.setenv("WATCHFILES_FORCE_POLLING", "1")
    monkeypatch.setenv("WATCHFILES_DEBUG", "1")
    watcher = Watcher(reports)
    await watching(watcher, reports, tmp_path)
    await watcher.close()
    assert options["force_polling"] is False
    assert capfd.readouterr() == ("", "")


async def test_closing_is_prompt_and_ends_all_reports(watcher, reports, tmp_path):
    for number in range(10):
        watcher.watch(str(tmp_path / str(number)))
    await reports.until(tmp_path / "0")
    loop = asyncio.get_running_loop()
    before = loop.time()
    await watcher.close()
    assert loop.time() - before < 1
    reports.clear()
    watcher.watch(str(tmp_path))
    watcher.unwatch(str(tmp_path))
    write(tmp_path / "a.jsonl")
    for _ in range(100):
        await asyncio.sleep(0)
    assert not reports.all
    await watcher.close()


async def test_closing_one_that_never_began_is_allowed(reports, tmp_path):
    watcher = Watcher(reports)
    watcher.watch(str(tmp_path))
    await watcher.close()
    assert not reports.all


@pytest.mark.usefixtures("source")
def test_a_watcher_that_is_never_closed_ends_with_its_event_loop(tmp_path, monkeypatch):
    monkeypatch.setattr(watch_round, "CHECK_SECONDS", 0.2)

    async def begin():
        reports = Reports()
        watcher = Watcher(reports)
        watcher.watch(str(tmp_path))
        await reports.until(tmp_path)

    asyncio.run(begin())
    for thread in threading.enumerate():
        if thread.name == "sessiond watch":
            thread.join(DEADLINE)
            assert not thread.is_alive()


async def test_a_report_that_fails_does_not_end_the_watching(tmp_path):
    seen = Reports()
    failures = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: failures.append(context))

    def fail(found):
        seen(found)
        raise ValueError

    watcher = Watcher(fail)
    await watching(watcher, seen, tmp_path)
    write(tmp_path / "a.jsonl")
    await seen.until(tmp_path / "a.jsonl")
    await watcher.close()
    assert failures


async def test_a_directory_that_appears_while_watching_begins_is_watched_too(
    tmp_path, reports, native, monkeypatch
):
    late = tmp_path / "late"
    plan = watch_round.make_plan

    def plan_and_then_create(asked, suffixes):
        made = plan(asked, suffixes)
        late.mkdir(exist_ok=True)
        return made

    for module in (watch_round, inotify_round):
        monkeypatch.setattr(module, "make_plan", plan_and_then_create)
    native.watch(str(tmp_path), recursive=True)
    await reports.until(tmp_path)
    for module in (watch_round, inotify_round):
        monkeypatch.setattr(module, "make_plan", plan)
    # The second round is there when this directory is counted in.
    async with asyncio.timeout(DEADLINE):
        while native.directories < 2:
            reports.news.clear()
            await reports.news.wait()
    reports.clear()
    (late / "s.jsonl").write_text("x")
    await reports.until(late / "s.jsonl")
