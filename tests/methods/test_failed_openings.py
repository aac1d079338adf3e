"""An opening that fails leaves nothing behind, whichever of its steps it is that fails."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import attrs
import pytest
from msgspec import Raw
from sessiond_protocol.session import open as contract
from support.app import daemon
from support.client import RpcError

import sessiond
from sessiond.daemon import build
from sessiond.files.presence import Presence
from sessiond.methods.client import Client
from sessiond.methods.session import open
from sessiond.runtime.config import Config

pytestmark = [
    # Generators that are not used up are closed, which the injection takes for a call.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
]

TIME = "2026-01-01T00:00:00.000Z"
SOURCES = str(Path(sessiond.__file__).parent)
CLEANING = {
    "__exit__",
    "__aexit__",
    "close",
    "release",
    "opening",
    "reserving",
    "_release",
    "unwatch",
    "_unname",
}
"""Functions that undo an opening; no faults are injected into them and the functions they call."""
TAKING = {"add", "switch_to"}
"""They take a document or a handle over: their first act is to see to it that it is given back."""


def header(**more: Any) -> str:
    return json.dumps(
        {"type": "session", "version": 3, "id": "x", "timestamp": TIME, "cwd": "/w", **more}
    )


def entry(entry_id: str, parent: str | None, role: str = "user", **more: Any) -> str:
    message = {"role": role, "content": "hello"}
    return json.dumps(
        {"type": "message", "id": entry_id, "parentId": parent, "timestamp": TIME, **more}
        | {"message": message}
    )


def session(path: Path, *, version: int = 3) -> Path:
    lines = [header(version=version), entry("a", None), entry("b", "a", "assistant")]
    path.write_text("\n".join([*lines, ""]))
    return path


def is_cleaning(frame: FrameType | None) -> bool:
    while frame is not None and frame.f_code.co_filename.startswith(SOURCES):
        if frame.f_code.co_name in CLEANING:
            return True
        frame = frame.f_back
    return False


@contextmanager
def failing_at(step: int, error: BaseException) -> Iterator[list[str]]:
    """Raise `error` in the `step`-th call of a function of the daemon; yields the called functions."""
    called: list[str] = []

    def look(frame: FrameType, event: str, _: object) -> None:
        code: CodeType = frame.f_code
        if event != "call" or not code.co_filename.startswith(SOURCES):
            return
        if code.co_name in TAKING or is_cleaning(frame):
            return
        task = asyncio.current_task()
        if task is None or task.get_name() != "request":
            # The watcher's work, and what else goes on beside the request.
            return
        called.append(code.co_name)
        if len(called) == step:
            sys.setprofile(None)
            raise error

    sys.setprofile(look)
    try:
        yield called
    finally:
        sys.setprofile(None)


@attrs.frozen
class Kept:
    """Everything that an opening may leave behind."""

    handles: set[str]
    users: dict[str, int]
    watched: dict[Any, int]
    followed: int
    heard: int
    in_use: dict[Any, int]

    @classmethod
    def of(cls, client: Client) -> Kept:
        documents, live = client.engine.documents, client.live
        users = {one.path: documents.users(one) for one in documents if documents.users(one)}
        assert not any(document.turn.locked() for document in documents)
        return cls(
            set(client.sessions._views) | client.sessions._reserved,
            users,
            dict(+Counter(live.watcher._paths)),
            len(live._followed),
            len(live.sessions._heard),
            dict(client.in_use._held),
        )


ERRORS = [
    pytest.param(RuntimeError, 2, id="fault"),
    pytest.param(asyncio.CancelledError, 5, id="cancelled"),
]
"""The errors to raise, and the steps: a sample, because all steps take a minute and find no more."""

CREATING = {
    "create": lambda folder: contract.CreateParams(cwd="/w", sessionDir=str(folder / "new")),
    "open": lambda folder: contract.OpenParams(
        path=str(session(folder / "s.jsonl")), session="mine", leafId="a"
    ),
    "open an old version": lambda folder: contract.OpenParams(
        path=str(session(folder / "old.jsonl", version=2))
    ),
    "open a missing file": lambda folder: contract.OpenParams(path=str(folder / "none.jsonl")),
    "continueRecent": lambda folder: contract.ContinueRecentParams(
        cwd="/w", sessionDir=str(session(folder / "s.jsonl").parent)
    ),
    "inMemory": lambda _: contract.InMemoryParams(
        cwd="/w", entries=[Raw(header().encode()), Raw(entry("a", None).encode())]
    ),
    "forkFrom": lambda folder: contract.ForkFromParams(
        sourcePath=str(session(folder / "s.jsonl")),
        targetCwd="/v",
        sessionDir=str(folder / "forks"),
    ),
}
TURNING = {
    "newSession": lambda handle, _: contract.NewSessionParams(session=handle),
    "setSessionFile": lambda handle, folder: contract.SetSessionFileParams(
        session=handle, path=str(session(folder / "other.jsonl"))
    ),
    "createBranchedSession": lambda handle, _: contract.CreateBranchedSessionParams(
        session=handle, leafId="b"
    ),
}


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[Client]:
    # What the cache keeps without users would make every step longer than the one before.
    client = build(Config(cache_bytes=0), {"HOME": str(tmp_path)})
    in_use = Presence(str(tmp_path / "in-use"))
    client.in_use = client.live._in_use = in_use
    yield client
    client.close()
    await client.engine.close()


def method(name: str) -> Any:
    return open.METHODS[f"session/{name.partition(' ')[0]}"]


async def answer(request: Coroutine[Any, Any, Any]) -> Any:
    """Run a request in a new task, like the daemon; returns its answer, None if it failed.

    The daemon answers within the task: what was done although it was cancelled is answered so.
    """
    answers: list[Any] = []

    async def work() -> None:
        answers.append(await request)

    # Gathered, because an exception that nobody asks for is logged much later, by the collector.
    await asyncio.gather(asyncio.create_task(work(), name="request"), return_exceptions=True)
    return answers[0] if answers else None


async def settle() -> None:
    """Run the callbacks that were deferred to the next iteration of the loop."""
    for _ in range(3):
        await asyncio.sleep(0)


@pytest.mark.parametrize(("error", "stride"), ERRORS)
@pytest.mark.parametrize("name", CREATING)
async def test_an_opening_that_fails_leaves_nothing(
    client: Client, tmp_path: Path, name: str, error: type[BaseException], stride: int
) -> None:
    before = Kept.of(client)
    steps = 0
    while True:
        steps += stride
        folder = tmp_path / f"{name}-{steps}"
        folder.mkdir()
        params = CREATING[name](folder)
        with failing_at(steps, error("injected")) as called:
            state = await answer(method(name)(client, params))
        await settle()
        if state is not None:
            # The step is not there any more, or its failure does no harm.
            handle = json.loads(bytes(state))["session"]
            await open.close(client, contract.SessionParams(session=handle))
        assert Kept.of(client) == before, called[-1]
        if len(called) < steps:
            break
    assert steps > 20


@pytest.mark.parametrize(("error", "stride"), ERRORS)
@pytest.mark.parametrize("name", TURNING)
async def test_a_failed_switch_leaves_one_document_and_a_handle_that_can_be_closed(
    client: Client, tmp_path: Path, name: str, error: type[BaseException], stride: int
) -> None:
    empty = Kept.of(client)
    steps = 0
    while True:
        steps += stride
        folder = tmp_path / f"{name}-{steps}"
        folder.mkdir()
        path = session(folder / "s.jsonl")
        opened = await method("open")(client, contract.OpenParams(path=str(path)))
        handle = json.loads(bytes(opened))["session"]
        asked = contract.SessionParams(session=handle)
        with failing_at(steps, error("injected")) as called:
            await answer(method(name)(client, TURNING[name](handle, folder)))
        await settle()
        assert len(Kept.of(client).users) <= 1, called[-1]
        await open.close(client, asked)
        if len(called) < steps:
            break
        assert Kept.of(client) == empty, called[-1]
    assert steps > 20
    assert not client.sessions


@pytest.mark.parametrize(
    ("version", "shown"),
    [
        ('"abc"', 3),
        ("{}", 3),
        ("[]", 3),
        ("1e400", 3),
        ("-1e400", 3),
        ('"Infinity"', 3),
        ("1" + "0" * 300, 3),
        ("1" + "0" * 500, 3),
        ("9007199254740991", 9007199254740991),
        ("9007199254740993", 3),
        ('"0x10"', 3),
        ('" 3 "', 3),
        ('"1_0"', 3),
        ("true", 3),
        ("3.5", 3),
        ("7", 7),
    ],
)
async def test_a_session_opens_with_any_version_in_its_header(
    tmp_path: Path, version: str, shown: int
) -> None:
    path = tmp_path / "s.jsonl"
    line = header().replace('"version": 3', f'"version": {version}')
    path.write_text("\n".join([line, entry("a", None), ""]))
    async with daemon(tmp_path) as client:
        state = await client.request("session/open", {"path": str(path)})
        assert state["version"] == shown
        assert state["entryCount"] == 1
        assert (await client.request("daemon/status"))["openSessions"] == 1
        looked = await client.request("session/open", {"path": str(path), "readOnly": True})
        assert looked["version"] == shown
        await client.request("catalog/check", {"path": str(path)})
        await client.request("catalog/stats", {"path": str(path)})


async def test_a_path_that_no_session_can_have_is_not_found(tmp_path: Path):
    # An id where a path belongs would otherwise begin a new session with that name.
    async with daemon(tmp_path) as client:
        for name in ("an-id", "01ac0000"):
            with pytest.raises(RpcError) as failed:
                await client.request("session/open", {"path": str(tmp_path / name), "cwd": "/w"})
            assert failed.value.kind == "SessionNotFound"
