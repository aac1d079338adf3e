"""Faults around the file of an open session: full disk, permissions, directory, clock."""

import contextlib
import errno
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from support.app import daemon, user
from support.client import Client, RpcError, spawned
from support.followers import Follower, Open
from support.preloaded import Preloaded, preloaded
from support.process import isolated_environment
from support.session_lines import append, header, line, replace

SESSIOND = [sys.executable, "-m", "sessiond"]
NOBODY = 65534


async def open_session(client: Client, file: Path, **params: Any) -> Open:
    state = await client.request("session/open", {"path": str(file), **params})
    return Open(client, file, state["session"])


async def refused(opened: Open, text: str = "no") -> RpcError:
    """Attempt an append that fails; afterwards the session must be unchanged, if it can be read."""
    before = await opened.call("getState"), await opened.call("getEntries")
    with pytest.raises(RpcError) as raised:
        await opened.call("appendMessage", message=user(text))
    assert (await opened.call("getState"), await opened.call("getEntries")) == before
    return raised.value


async def appended(opened: Open, parent: str) -> str:
    """Append under `parent`; the id of the new entry."""
    done = await opened.call("appendMessage", message=user("yes"))
    assert (done["parentId"], done["written"]) == (parent, True)
    return str(done["id"])


# --- no room ------------------------------------------------------------------------------------


@contextlib.contextmanager
def tmpfs(directory: Path) -> Iterator[None]:
    """A disk of 64 KiB; skips the test if we may not mount one."""
    directory.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(directory)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("mounting a tmpfs is not permitted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(directory)], check=True)


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="prlimit is a call of Linux")
@pytest.mark.parametrize(
    ("room", "number"), [(0, errno.EFBIG), (1, errno.ENOSPC), (500, errno.ENOSPC)]
)
async def test_a_line_that_does_not_fit_on_the_disk_is_not_written_at_all(
    tmp_path: Path, room: int, number: int
):
    file = tmp_path / "s.jsonl"
    file.write_text(header() + line("a") + line("b", "a"))
    content = file.read_bytes()
    async with spawned(SESSIOND, env=isolated_environment(tmp_path)) as (client, process):
        opened = await open_session(client, file)
        other = await open_session(client, file)
        limits = len(content) + room, resource.RLIM_INFINITY
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, limits)
        for attempt in range(3):
            error = await refused(opened, "x" * 1000)
            assert (error.code, error.kind) == (1007, "WriteFailed")
            # The blank line has taken the space that there was.
            expected = errno.EFBIG if attempt else number
            assert (error.data["path"], error.data["errno"]) == (str(file), expected)
            assert error.data["strerror"]
            # Of a line without space at most a blank one is left.
            assert file.read_bytes().strip() == content.strip()
        # No new file can be written either, and none is left behind in part.
        if room < 500:
            new = await client.request(
                "session/create", {"cwd": "/w", "sessionDir": str(tmp_path / "new")}
            )
            message = {"session": new["session"], "message": user("x" * 1000)}
            with pytest.raises(RpcError) as raised:
                await client.request("session/appendMessage", message)
            assert raised.value.kind == "WriteFailed"
            assert not list(tmp_path.glob("new/*"))
        unlimited = resource.RLIM_INFINITY, resource.RLIM_INFINITY
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, unlimited)
        new_id = await appended(opened, "b")
        told = await client.notification("session/didChange")
    assert (told["session"], told["sequence"], told["kind"]) == (other.session, 1, "appended")
    assert [each["id"] for each in told["entries"]] == [new_id]
    assert file.read_bytes().startswith(content)
    assert len([each for each in file.read_bytes().splitlines() if each.strip()]) == 4


async def test_sessions_are_readable_on_a_full_disk_and_writable_once_space_is_free(
    tmp_path: Path,
):
    disk = tmp_path / "disk"
    with tmpfs(disk):
        file = disk / "s.jsonl"
        file.write_text(header() + line("a") + line("b", "a"))
        content = file.read_bytes()
        async with daemon(tmp_path) as client:
            opened = await open_session(client, file)
            other = await open_session(client, file)
            with contextlib.suppress(OSError), (disk / "filler").open("wb", buffering=0) as filler:
                while True:
                    filler.write(b"x" * 4096)
            for _ in range(3):
                error = await refused(opened, "x" * 9000)
                assert (error.kind, error.data["errno"]) == ("WriteFailed", errno.ENOSPC)
                assert file.read_bytes().strip() == content.strip()
            os.unlink(disk / "filler")
            new_id = await appended(opened, "b")
            told = await client.notification("session/didChange")
        assert (told["session"], told["sequence"]) == (other.session, 1)
        assert [each["id"] for each in told["entries"]] == [new_id]


# --- the rest happens under an open handle ------------------------------------------------------


@attrs.define
class Misfortune(Open):
    """An open session whose file lies in a directory of its own."""

    @property
    def directory(self) -> Path:
        return self.file.parent


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[Misfortune]:
    file = tmp_path / "d" / "s.jsonl"
    file.parent.mkdir()
    file.write_text(header() + line("a") + line("b", "a"))
    async with daemon(tmp_path) as client:
        state = await client.request("session/open", {"path": str(file)})
        yield Misfortune(client, file, state["session"])


# --- no directory -------------------------------------------------------------------------------


async def test_a_directory_renamed_away_and_back(opened: Misfortune):
    away = opened.directory.with_name("away")
    opened.directory.rename(away)
    assert (await opened.told())["kind"] == "deleted"
    error = await refused(opened)
    assert (error.kind, error.data["errno"]) == ("WriteFailed", errno.ENOENT)
    assert not opened.directory.exists()
    away.rename(opened.directory)
    told = await opened.told()
    assert (told["kind"], told["generation"], told["leafId"]) == ("restored", 0, "b")
    new_id = await appended(opened, "b")
    append(opened.file, line("c", new_id))
    assert [each["id"] for each in (await opened.told())["entries"]] == ["c"]


async def test_files_written_in_a_moved_directory_are_reported_after_its_return(
    opened: Misfortune,
):
    away = opened.directory.with_name("away")
    opened.directory.rename(away)
    assert (await opened.told())["kind"] == "deleted"
    append(away / opened.file.name, line("c", "b"))
    away.rename(opened.directory)
    told = await opened.told()
    assert (told["kind"], told["leafId"], told["tipId"]) == ("rewritten", "b", "c")
    await appended(opened, "b")


async def test_another_directory_put_in_its_place_is_a_rewrite(opened: Misfortune):
    other = opened.directory.with_name("other")
    other.mkdir()
    (other / opened.file.name).write_text(header() + line("z"))
    opened.directory.rename(opened.directory.with_name("away"))
    other.rename(opened.directory)
    while (told := await opened.told())["kind"] == "deleted":
        pass
    assert (told["kind"], told["leafId"], told["entryCount"]) == ("rewritten", "z", 1)
    await appended(opened, "z")
    assert len((opened.directory.with_name("away") / "s.jsonl").read_text().splitlines()) == 3


async def test_a_directory_deleted_permanently_leaves_the_session_readable(opened: Misfortune):
    shutil.rmtree(opened.directory)
    assert (await opened.told())["kind"] == "deleted"
    assert (await refused(opened)).kind == "WriteFailed"
    assert not opened.directory.exists()
    assert len((await opened.call("getBranch"))["entries"]) == 2
    # Once there is a directory again, the next append brings the file back whole.
    opened.directory.mkdir()
    await appended(opened, "b")
    assert len(opened.file.read_text().splitlines()) == 4


async def test_a_renamed_directory_of_sessions_is_removed_and_added(tmp_path: Path):
    sessions = tmp_path / ".pi/agent/sessions"
    (sessions / "--a--").mkdir(parents=True)
    for name in "xy":
        (sessions / "--a--" / f"{name}.jsonl").write_text(header(name) + line("a"))
    async with daemon(tmp_path) as client:
        follower = await Follower.of(client)
        assert len(follower.sessions) == 2
        (sessions / "--a--").rename(sessions / "--b--")
        await follower.until({str(sessions / "--b--" / f"{name}.jsonl"): 1 for name in "xy"})
        (sessions / "--b--").rename(tmp_path / "away")
        await follower.until({})


# --- no rights ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def daemons(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Preloaded]:
    with preloaded(tmp_path_factory.mktemp("home"), privileged=False) as process:
        yield process


@pytest.fixture
async def unprivileged(daemons: Preloaded, tmp_path: Path) -> AsyncIterator[Misfortune]:
    """The same in a daemon to which rights mean something."""
    file = tmp_path / "d" / "s.jsonl"
    file.parent.mkdir()
    file.write_text(header() + line("a") + line("b", "a"))
    async with daemons.daemon() as (client, _):
        state = await client.request("session/open", {"path": str(file)})
        yield Misfortune(client, file, state["session"])
    file.parent.chmod(0o700)


async def test_making_a_file_read_only_is_not_a_change_and_prevents_appends(
    unprivileged: Misfortune,
):
    unprivileged.file.chmod(0o400)
    error = await refused(unprivileged)
    assert (error.kind, error.data["errno"]) == ("WriteFailed", errno.EACCES)
    unprivileged.file.chmod(0o600)
    new_id = await appended(unprivileged, "b")
    append(unprivileged.file, line("c", new_id))
    told = await unprivileged.told()
    assert (told["sequence"], [each["id"] for each in told["entries"]]) == (1, ["c"])


async def test_a_file_that_may_not_be_read_any_more_answers_the_last_good_state(
    unprivileged: Misfortune,
):
    unprivileged.file.chmod(0)
    assert (await unprivileged.told())["kind"] == "invalid"
    error = await refused(unprivileged)
    assert (error.kind, error.data["errno"]) == ("ReadFailed", errno.EACCES)
    unprivileged.file.chmod(0o600)
    assert (await unprivileged.told())["kind"] == "restored"
    await appended(unprivileged, "b")


async def test_a_directory_that_may_not_be_entered_answers_the_last_good_state(
    unprivileged: Misfortune,
):
    unprivileged.directory.chmod(0)
    error = await refused(unprivileged)
    assert (error.kind, error.data["errno"]) == ("ReadFailed", errno.EACCES)
    assert (await unprivileged.told())["kind"] == "invalid"
    unprivileged.directory.chmod(0o700)
    assert await unprivileged.call("getEntryCount") == {"count": 2}
    assert (await unprivileged.told())["kind"] == "restored"
    await appended(unprivileged, "b")


async def test_a_directory_that_may_not_be_written_takes_appends_but_no_file_again(
    unprivileged: Misfortune,
):
    unprivileged.directory.chmod(0o500)
    new_id = await appended(unprivileged, "b")
    unprivileged.directory.chmod(0o700)
    unprivileged.file.unlink()
    unprivileged.directory.chmod(0o500)
    assert (await unprivileged.told())["kind"] == "deleted"
    error = await refused(unprivileged)
    assert (error.kind, error.data["errno"]) == ("WriteFailed", errno.EACCES)
    unprivileged.directory.chmod(0o700)
    await appended(unprivileged, new_id)
    assert len(unprivileged.file.read_text().splitlines()) == 5


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
async def test_changing_the_owner_is_not_a_change_and_the_owner_stays(opened: Misfortune):
    os.chown(opened.file, NOBODY, NOBODY)
    opened.file.chmod(0o640)
    new_id = await appended(opened, "b")
    seen = opened.file.stat()
    assert (seen.st_uid, seen.st_gid, seen.st_mode & 0o777) == (NOBODY, NOBODY, 0o640)
    append(opened.file, line("c", new_id))
    told = await opened.told()
    assert (told["sequence"], [each["id"] for each in told["entries"]]) == (1, ["c"])


# --- a wrong clock ------------------------------------------------------------------------------

FUTURE = 4_000_000_000
"""Seconds since the epoch: the year 2096."""


@pytest.mark.parametrize("time", [0, 1_000_000_000, FUTURE])
async def test_setting_the_time_of_a_file_is_not_a_change(opened: Misfortune, time: int):
    os.utime(opened.file, (time, time))
    state = await opened.call("getState")
    assert (state["generation"], state["entryCount"]) == (0, 2)
    new_id = await appended(opened, "b")
    os.utime(opened.file, (time, time))
    append(opened.file, line("c", new_id))
    os.utime(opened.file, (time, time))
    told = await opened.told()
    assert (told["sequence"], told["kind"]) == (1, "appended")
    assert [each["id"] for each in told["entries"]] == ["c"]


def edited(file: Path) -> None:
    content = file.read_text()
    with file.open("r+") as out:
        out.write(content.replace('"content": "x"', '"content": "y"'))


def grown(file: Path) -> None:
    append(file, line("c", "b"))


def replaced(file: Path) -> None:
    replace(file, file.read_text().replace('"content": "x"', '"content": "y"'))


@pytest.mark.parametrize(
    ("change", "kind"), [(edited, "rewritten"), (grown, "appended"), (replaced, "rewritten")]
)
@pytest.mark.parametrize("step", [0, -3600, 3600])
async def test_a_change_is_noticed_with_any_modification_time(
    opened: Misfortune, change: Callable[[Path], None], kind: str, step: int
):
    before = opened.file.stat()
    change(opened.file)
    times = (before.st_atime_ns, before.st_mtime_ns + step * 10**9)
    os.utime(opened.file, ns=times)
    assert (await opened.told())["kind"] == kind
    entry = (await opened.call("getEntry", id="a"))["entry"]
    assert entry["message"]["content"] == ("x" if kind == "appended" else "y")


async def test_entries_from_the_future_and_the_past_stand_in_the_order_of_the_file(
    opened: Misfortune,
):
    """A writer's clock may jump; the leaf, the tip and the branch follow the order of lines."""
    times = ["2099-01-01T00:00:00.000Z", "1970-01-01T00:00:00.000Z", "2099-01-01T00:00:00.000Z"]
    above = "b"
    for number, time in enumerate(times):
        append(opened.file, line(f"t{number}", above, timestamp=time))
        above = f"t{number}"
    follower = await open_session(opened.client, opened.file, follow=True)
    mine = await appended(follower, "t2")
    entries = (await follower.call("getBranch"))["entries"]
    assert [entry["id"] for entry in entries] == ["a", "b", "t0", "t1", "t2", mine]
    assert entries[-1]["timestamp"] < times[2]
    state = await follower.call("getState")
    assert (state["leafId"], state["tipId"], state["diagnostics"]) == (mine, mine, [])
    messages = (await follower.call("buildSessionContext"))["messages"]
    assert [message["content"] for message in messages] == ["x"] * 5 + ["yes"]
