"""A fault in any step that a reading of many files takes for one file leaves the others answered."""

from __future__ import annotations

import errno
import importlib
import itertools
import os
import pkgutil
import shutil
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.app import daemon
from support.client import Client, RpcError
from support.effort import effort, some
from support.injection import Injection
from support.sessions_on_disk import settle, write_session

import sessiond

FILES = 5
FAMILIES = ("agents", "catalog", "format", "files")
MODULES = ("sessiond.text.spans", "sessiond.text.utf8", "sessiond.runtime.home")
ERRORS: list[Callable[[], Exception]] = [
    lambda: TypeError("unhashable type"),
    MemoryError,
    lambda: RecursionError("maximum recursion depth exceeded"),
    lambda: OSError(errno.EIO, os.strerror(errno.EIO)),
    lambda: UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
    lambda: KeyError("id"),
]
NOT_ABOUT_A_FILE = (
    "sessiond.catalog.index.database.SearchCache",
    "sessiond.catalog.index.database._",
    "sessiond.files.disk.roots",
    "sessiond.files.disk._mode",
    "sessiond.files.disk.isdir",
    "sessiond.files.disk._confinement",
    "sessiond.files.disk.in_context",
    "sessiond.files.workers.",
    "sessiond.runtime.home.absolute",
    "sessiond.files.watch",
    "sessiond.agents.directories.",
    "sessiond.agents.pi.agent.",
    "sessiond.agents.registry.",
    "sessiond.agents.sessions.suffixes",
    "sessiond.agents.sessions.is_session_name",
    "sessiond.agents.sessions.is_place",
    "sessiond.agents.sessions.places_",
    "sessiond.agents.sessions._translation_of_place",
    "sessiond.agents.sessions.further_places",
)
ABOUT_A_DIRECTORY = (
    *(".is_place", ".is_database", ".place_beside", ".further_places", ".prefix_in"),
    ".places_near",
    *(".disk.stat", ".disk.lstat", ".disk.entry", ".disk.listdir"),
)
"""Connections of the database, which directories confine the client, the threads, what watches,
what decodes the ids of requests, too, and steps that are taken for directories, too, or compare
names: for a directory they fail for all its sessions."""
Reading = Callable[[Client], Awaitable[dict[str, Any]]]


def listed(answer: dict[str, Any]) -> set[str]:
    """Names of the files in an answer of any form."""
    kinds = ("sessions", "hits", "rows", "files")
    items = next((items for kind in kinds if (items := answer.get(kind))), [])
    return {Path((item.get("info") or item)["path"]).stem for item in items}


def failures(answer: dict[str, Any]) -> set[str]:
    """Names of the files that an answer says could not be read."""
    checked = (
        {"path": file["path"], **problem}
        for file in answer.get("files", [])
        for problem in file["problems"]
        if problem["kind"] in {"unreadable", "internalError"}
    )
    return {Path(item["path"]).stem for item in [*answer.get("problems", []), *checked]}


def asking(method: str, **params: Any) -> Reading:
    async def ask(client: Client) -> dict[str, Any]:
        answer: dict[str, Any] = await client.request(method, params)
        if "subscription" in answer:
            ended = {"subscription": answer["subscription"]}
            await client.request("catalog/unsubscribe", ended)
        return answer

    return ask


READINGS = {
    "list": asking("session/list", cwd="/w"),
    "listAll": asking("session/listAll", includeText=True),
    "subscribe": asking("catalog/subscribe"),
    "search": asking("catalog/search", query="needle"),
    "search phrase": asking("catalog/search", query='"needle two"', mode="fuzzy"),
    "search fields": asking("catalog/search", query="f", mode="fuzzy"),
    "regex": asking("catalog/search", query="need.e", mode="regex"),
    "usage": asking("catalog/usage", by="session", copies=True, cwd="/w"),
    "check all": asking("catalog/check"),
    "check cwd": asking("catalog/check", cwd="/w"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / ".pi" / "agent" / "sessions" / "--w--"
    files = [
        write_session(
            folder / f"f{n}.jsonl", "needle", "needle two", name=f"n{n}", session_id=f"f{n}"
        )
        for n in range(FILES)
    ]
    for file in files:
        file.write_text(file.read_text().replace('"/c"', '"/w"'))
    settle(files)
    return folder


@pytest.fixture
def injection(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Injection:
    # The marks of daemons that run beside the tests would count as files.
    (tmp_path / "run").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    for module in pkgutil.walk_packages(sessiond.__path__, "sessiond."):
        # Some are imported on first use only.
        if module.name.split(".")[1] in FAMILIES:
            importlib.import_module(module.name)
    modules = [
        name
        for name in sys.modules
        if name in MODULES or (name.startswith("sessiond.") and name.split(".")[1] in FAMILIES)
    ]
    return Injection(monkeypatch, modules)


def steps(injection: Injection) -> Iterator[tuple[str, int, Exception]]:
    """Calls to let fail: of each function that was called for each file, one."""
    errors = itertools.cycle(ERRORS)
    for name, count in sorted(injection.calls.items()):
        is_general = name.startswith(NOT_ABOUT_A_FILE) or name.endswith(ABOUT_A_DIRECTORY)
        if count >= FILES and not is_general:
            yield name, 1 + count // 2, next(errors)()


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.usefixtures("folder")
async def test_a_failure_of_one_file_does_not_affect_the_others(
    tmp_path: Path, injection: Injection, reading: str, kept: bool
):
    ask = READINGS[reading]
    expected = {f"f{n}" for n in range(FILES)}
    tried = 0

    async def answer() -> dict[str, Any]:
        async with daemon(tmp_path, catalog_cache=kept) as client:
            return await ask(client)

    if kept:
        # What earlier daemons learned is looked up, too.
        await answer()
    injection.count()
    assert listed(await answer()) == expected
    for name, call, error in list(some(steps(injection), 6 if reading == "regex" else 2)):
        injection.fail(name, call, error)
        async with daemon(tmp_path, catalog_cache=kept) as client:
            found = await ask(client)
            if not injection.failed:
                continue
            tried += 1
            failed = failures(found)
            assert listed(found) | failed == expected, (name, call, error)
            assert len(failed) <= 1, (name, call, error)
            # And with the next reading everything is there again.
            again = await ask(client)
            assert listed(again) == expected, (name, call, error)
            assert not failures(again), (name, call, error)
    assert tried >= effort(2, 12)


async def test_find_by_id_and_continue_recent_survive_a_failing_file(
    tmp_path: Path, folder: Path, injection: Injection
):
    last = f"f{FILES - 1}"
    for n in range(FILES):
        os.utime(folder / f"f{n}.jsonl", (1_900_000_000 - n, 1_900_000_000 - n))
    by_id = asking("session/findById", cwd="/w", id=last)
    recent = asking("session/continueRecent", cwd="/w")
    async with daemon(tmp_path) as client:
        injection.count()
        assert await by_id(client) == {"path": str(folder / f"{last}.jsonl")}
        todo = [step for step in steps(injection) if ".discover." in step[0]]
        assert len(todo) >= 3
        for name, call, error in todo:
            injection.fail(name, call, error)
            found = await by_id(client)
            failed = failures(found)
            assert injection.failed
            assert len(failed) <= 1
            assert (found["path"] is None) == (failed == {last}), (name, error)
            injection.fail(name, 1, error)
            if isinstance(error, MemoryError):
                # Any other session than the most recent one would be a wrong answer.
                with pytest.raises(RpcError) as raised:
                    await recent(client)
                assert raised.value.kind == "OutOfResources", name
                continue
            state = await recent(client)
            assert Path(state["sessionFile"]).parent == folder, (name, error)


async def test_one_record_of_the_trash_that_fails_keeps_no_other_from_coming_back(
    tmp_path: Path, folder: Path, injection: Injection
):
    path = folder / "f0.jsonl"
    content = path.read_bytes()
    ask = asking("catalog/restore", path=str(path))
    async with daemon(tmp_path) as client:

        async def fill() -> None:
            shutil.rmtree(tmp_path / ".local", ignore_errors=True)
            for _ in range(FILES):
                path.write_bytes(content)
                await client.request("catalog/delete", {"path": str(path)})

        await fill()
        injection.count()
        await ask(client)
        todo = [step for step in steps(injection) if ".trash." in step[0] or "discover" in step[0]]
        assert len(todo) >= 5
        for name, call, error in todo:
            await fill()
            injection.fail(name, call, error)
            assert (await ask(client))["id"] == "f0", (name, error)
            assert injection.failed
            assert path.read_bytes() == content


async def test_subscribers_are_notified_although_one_file_fails(
    tmp_path: Path, folder: Path, injection: Injection
):
    async with daemon(tmp_path, watch="polling") as client:
        await client.request("catalog/subscribe", {})

        async def change() -> set[str]:
            for n in range(FILES):
                with (folder / f"f{n}.jsonl").open("a") as file:
                    file.write('{"type":"session_info","id":"x","parentId":null,"name":"new"}\n')
            heard: set[str] = set()
            while len(heard) < FILES:
                told = await client.notification("catalog/didChange")
                heard |= {Path(change["path"]).stem for change in told["changes"]}
            return heard

        injection.count()
        await change()
        looking = (".scope.", ".listing.", ".summaries.")
        todo = [step for step in steps(injection) if any(part in step[0] for part in looking)]
        assert len(todo) >= 5
        for name, call, error in todo:
            injection.fail(name, call, error)
            # The one that failed is told of as removed, and as added with the next change.
            assert await change() == {f"f{n}" for n in range(FILES)}, (name, error)
            injection.count()
            assert await change() == {f"f{n}" for n in range(FILES)}, (name, error)
