"""Paths that may have changed are reported: in time, and under the names that were asked for."""

import asyncio
import errno
import logging
import mmap
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
import watchfiles

from sessiond.files import polling, watch_source
from sessiond.files import watcher as module
from sessiond.files.watcher import Watcher

# Far more than anything takes; running into it is the failure.
DEADLINE = 40
LIMIT = 'OS file watch limit reached. about ["/x"]'


AGAIN = 2.0
"""Seconds after which a file is written again."""


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
        """Wait until all of these have been reported since the last `clear`.

        A source that begins just then tells directories as a whole: files are written again.
        """
        loop = asyncio.get_running_loop()
        again = loop.time() + AGAIN
        async with asyncio.timeout(DEADLINE):
            while missing := {str(path) for path in paths} - set().union(*self.all):
                self.news.clear()
                try:
                    with suppress(TimeoutError):
                        await asyncio.wait_for(self.news.wait(), AGAIN)
                except asyncio.CancelledError:
                    pytest.fail(f"not reported: {missing}; but {self.all}")
                if loop.time() > again:
                    again = loop.time() + AGAIN
                    for path in filter(os.path.isfile, missing):
                        write(Path(path))

    async def until_any(self, *paths):
        async with asyncio.timeout(DEADLINE):
            while not {str(path) for path in paths} & set().union(*self.all):
                self.news.clear()
                await self.news.wait()


@pytest.fixture
def reports():
    return Reports()


@pytest.fixture(autouse=True)
def _fast_polling(monkeypatch):
    monkeypatch.setattr(polling, "POLL_SECONDS", 0.02)


@pytest.fixture(params=["native", "polling"])
async def watcher(request, reports, monkeypatch):
    monkeypatch.setattr(module, "_CHECK_SECONDS", 0.05)
    watcher = Watcher(reports, mode=request.param)
    yield watcher
    await watcher.close()
    assert not threads()


@pytest.fixture
async def native(reports):
    watcher = Watcher(reports)
    yield watcher
    await watcher.close()


def threads():
    return [thread for thread in threading.enumerate() if thread.name == "sessiond watch"]


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


async def followed(reports, path, written=None):
    """Write until that is reported of the file itself; its directory is reported as a whole, too,
    until it is watched, and now and then."""
    while str(path) not in set().union(*reports.all):
        reports.clear()
        write(written or path)
        await reports.until_any(path.parent, path)
    reports.clear()


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
    while str(later / "c.jsonl") not in set().union(*reports.all):
        reports.clear()
        write(later / "c.jsonl")
        await reports.until_any(tmp_path, later / "c.jsonl")


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
    await followed(reports, sessions / "a.jsonl")


async def test_directories_created_level_by_level_are_watched(watcher, reports, tmp_path):
    sessions = tmp_path / "agent" / "sessions"
    await watching(watcher, reports, sessions)
    (tmp_path / "agent").mkdir()
    await reports.until(sessions)
    reports.clear()
    sessions.mkdir()
    await reports.until(sessions)
    await followed(reports, sessions / "a.jsonl")


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
    await followed(reports, sessions / "a.jsonl")


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
        await followed(reports, sessions / "a.jsonl")
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
    await followed(reports, link / "a.jsonl", tmp_path / "two" / "a.jsonl")


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
    # One round, and perhaps the look of each second at a part of them.
    assert len(reports.all) <= 3
    assert watcher.directories == 50


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
    native, reports, tmp_path
):
    directory = f"{tmp_path}/{chr(0xDCFF)}"
    os.mkdir(directory)
    await watching(native, reports, directory)
    assert native.mode == "polling"
    write(f"{directory}/a.jsonl")
    await reports.until(f"{directory}/a.jsonl")


DENIED = """
import asyncio, os, sys, watchfiles
from sessiond.files import polling
from sessiond.files.watcher import Watcher
async def main(root):
    mode = sys.argv[2]
    polling.POLL_SECONDS = 0.02
    if os.geteuid() == 0:
        os.seteuid(65534)
        os.setreuid(65534, 65534)
    os.mkdir(root + "/a"); os.mkdir(root + "/b"); os.mkdir(root + "/c")
    os.chmod(root + "/b", 0)
    found, news = set(), asyncio.Event()
    def report(paths):
        found.update(paths)
        news.set()
    async def until(*paths):
        async with asyncio.timeout(30):
            while found.isdisjoint(paths):
                news.clear()
                await news.wait()
    watcher = Watcher(report, mode=mode)
    watcher.watch(root, recursive=True)
    watcher.watch(root + "/b")
    await until(root)
    for name in "ac":
        # A source that has just begun tells the directories whose files are compared.
        found.clear()
        open(f"{root}/{name}/x.jsonl", "w").close()
        await until(f"{root}/{name}/x.jsonl", f"{root}/{name}", root)
    assert watcher.directories == 3, watcher.directories
    found.clear()
    os.chmod(root + "/b", 0o700)
    await until(root + "/b")
    found.clear()
    open(f"{root}/b/x.jsonl", "w").close()
    await until(f"{root}/b/x.jsonl", root + "/b")
    assert watcher.mode == mode
    await watcher.close()
asyncio.run(main(sys.argv[1]))
"""


@pytest.mark.parametrize("how", ["native", "polling"])
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


TOO_MANY = RuntimeError("Error creating recommended watcher: Too many open files (os error 24)")


@pytest.mark.parametrize("error", [OSError(LIMIT), TOO_MANY])
async def test_beyond_the_systems_limits_it_looks_for_changes_itself(
    reports, tmp_path, monkeypatch, caplog, error
):
    monkeypatch.setattr(watchfiles, "watch", failing(error))
    before = descriptors()
    watcher = Watcher(reports)
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


async def test_after_a_passing_shortage_the_system_reports_changes_again(
    reports, tmp_path, monkeypatch, caplog
):
    loop = asyncio.get_running_loop()
    # Stands still, so that only these steps let time pass.
    now = loop.time()
    monkeypatch.setattr(loop, "time", lambda: now)
    tried = asyncio.Event()

    def tell_and_refuse(*_, **__):
        loop.call_soon_threadsafe(tried.set)
        raise OSError(LIMIT)

    async def refused_again():
        await tried.wait()
        while watcher.mode != "polling":  # noqa: ASYNC110 - a thread tells the loop
            await asyncio.sleep(0)
        tried.clear()
        return now

    watcher = Watcher(reports)
    with monkeypatch.context() as shortage:
        shortage.setattr(watchfiles, "watch", tell_and_refuse)
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
    reports, tmp_path, monkeypatch
):
    really, calls = watchfiles.watch, []

    def vanish_once(*paths, **options):
        calls.append(paths)
        if len(calls) == 1:
            raise VANISHED
        return really(*paths, **options)

    monkeypatch.setattr(watchfiles, "watch", vanish_once)
    watcher = Watcher(reports)
    watcher.watch(str(tmp_path))
    await reports.until(tmp_path)
    assert watcher.mode == "native"
    await watcher.close()


@pytest.fixture
def watched(monkeypatch):
    """The paths of every source that the system reports changes to."""
    really, calls = watchfiles.watch, []

    def watch(*paths, **options):
        calls.append(sorted(paths))
        return really(*paths, **options)

    monkeypatch.setattr(watchfiles, "watch", watch)
    return calls


async def test_a_new_directory_is_watched_beside_the_others_until_nothing_more_is_asked_for(
    native, reports, tmp_path, watched, monkeypatch
):
    monkeypatch.setattr(module, "_SETTLING_SECONDS", 0.2)
    names = [str(tmp_path / str(number)) for number in range(7)]
    for name in names:
        os.mkdir(name)
    for name in names[:5]:
        native.watch(name)
    await reports.until(*names[:5])
    for name in names[5:]:
        await watching(native, reports, name)
    assert watched[:3] == [names[:5], [names[5]], names[5:]]
    async with asyncio.timeout(DEADLINE):
        while watched[-1] != names or len(threads()) > 1:  # noqa: ASYNC110 - threads change it
            await asyncio.sleep(0.01)
    reports.clear()
    for name in names:
        write(f"{name}/a.jsonl")
    await reports.until(*(f"{name}/a.jsonl" for name in names))


async def test_no_change_is_lost_when_a_source_is_replaced(
    native, reports, tmp_path, watched, monkeypatch
):
    monkeypatch.setattr(module, "_CHECK_SECONDS", 1000)
    monkeypatch.setattr(module, "_YOUNG", 0)
    one, *more = [tmp_path / str(number) for number in range(6)]
    for path in (one, *more):
        path.mkdir()
    await watching(native, reports, one)
    written = []
    for path in more:
        started = len(watched)
        native.watch(str(path))
        # On until the new source has begun, and a little longer.
        while len(watched) == started or str(path) not in set().union(*reports.all):
            written.append(one / f"{len(written)}.jsonl")
            write(written[-1])
            await asyncio.sleep(0.001)
    await reports.until(*written)


async def test_many_new_directories_are_watched_with_all_others(
    native, reports, tmp_path, watched, monkeypatch
):
    monkeypatch.setattr(module, "_YOUNG", 2)
    names = [str(tmp_path / str(number)) for number in range(4)]
    for name in names:
        os.mkdir(name)
    await watching(native, reports, names[0])
    for name in names[1:]:
        native.watch(name)
    await reports.until(*names[1:])
    assert watched == [names[:1], names]


async def test_no_thread_watches_while_nothing_is_asked_for(watcher, reports, tmp_path):
    await watching(watcher, reports, tmp_path)
    assert len(threads()) == 1
    watcher.unwatch(str(tmp_path))
    async with asyncio.timeout(DEADLINE):
        while threads():  # noqa: ASYNC110 - the thread ends by itself
            await asyncio.sleep(0.01)
    await watching(watcher, reports, tmp_path)
    write(tmp_path / "a.jsonl")
    await reports.until(tmp_path / "a.jsonl")


async def test_after_a_while_without_changes_the_thread_wakes_up_less_often(monkeypatch):
    source = watch_source.WatchSource([], str, polls=False, is_settled=True)
    waits = []
    clock = SimpleNamespace(monotonic=time.monotonic, sleep=waits.append)
    monkeypatch.setattr(watch_source, "time", clock)
    assert not source.is_set()
    assert waits == []
    source._lively_until = 0.0
    assert not source.is_set()
    assert waits == [pytest.approx(0.06)]


async def test_what_the_system_does_not_report_is_reported_with_everything_else(
    native, reports, tmp_path, monkeypatch
):
    monkeypatch.setattr(module, "_CHECK_SECONDS", 0.01)
    (tmp_path / "a.jsonl").write_bytes(b"x" * 4096)
    await watching(native, reports, tmp_path)
    with (tmp_path / "a.jsonl").open("r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        reports.clear()
        memory[0:1] = b"y"
        await reports.until(tmp_path)


async def test_the_variables_of_watchfiles_have_no_influence(reports, tmp_path, monkeypatch, capfd):
    really, options = watchfiles.watch, {}

    def remember(*paths, **given):
        options.update(given)
        return really(*paths, **given)

    monkeypatch.setattr(watchfiles, "watch", remember)
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


def test_a_watcher_that_is_never_closed_ends_with_its_event_loop(tmp_path):

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
    really = module.find_places

    def find_and_then_create(asked):
        found = really(asked)
        late.mkdir(exist_ok=True)
        return found

    monkeypatch.setattr(module, "find_places", find_and_then_create)
    native.watch(str(tmp_path), recursive=True)
    await reports.until(tmp_path)
    await number(native, 2)
    while str(late / "s.jsonl") not in set().union(*reports.all):
        reports.clear()
        write(late / "s.jsonl")
        await reports.until_any(tmp_path, late / "s.jsonl")
