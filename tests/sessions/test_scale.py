"""The cost of a change, an open and a close does not grow with the number of open sessions."""

import os
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.app import client_of, engine
from support.client import Client
from test_live import append, header, line

from sessiond.files.document import Document
from sessiond.sessions.engine import Engine
from sessiond.sessions.notifications.live import Live

MORE = 60
"""How many more sessions are open when the cost is counted again."""


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """Count looks at files by this thread, which is that of the event loop."""
    calls: Counter[str] = Counter()
    thread = threading.get_ident()

    def count(name: str, really: Any, *args: Any, **more: Any) -> Any:
        if threading.get_ident() == thread:
            calls[name] += 1
        return really(*args, **more)

    with monkeypatch.context() as patch:
        for name in ("stat", "lstat", "listdir", "scandir", "readlink", "open"):
            patch.setattr(os, name, partial(count, name, getattr(os, name)))
        yield calls


class Sessions:
    """Sessions of one client, whose every step is counted."""

    def __init__(self, shared: Engine, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        self.shared = shared
        self.client = client
        self.counted = partial(counted, monkeypatch)
        self.entries = 0

    async def opened(self, path: Path) -> str:
        state = await self.client.request("session/open", {"path": str(path)})
        handle: str = state["session"]
        return handle

    async def cost(self, file: Path, other: Path) -> list[Counter[str]]:
        """Looks at files for a change, for opening another session, and for closing that."""
        self.entries += 1
        append(file, line(f"n{self.entries}", "a"))
        with self.counted() as telling:
            self.shared.report([str(file)])
            told = await self.client.notification("session/didChange")
        assert [entry["id"] for entry in told["entries"]] == [f"n{self.entries}"]
        with self.counted() as opening:
            handle = await self.opened(other)
        with self.counted() as closing:
            await self.client.request("session/close", {"session": handle})
        return [telling, opening, closing]


@pytest.mark.parametrize("place", ["{}.jsonl", "{}/s.jsonl"])
@pytest.mark.parametrize("is_written", [True, False])
async def test_the_looks_at_files_for_a_change_an_opening_and_a_closing_do_not_grow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, *, is_written: bool
):
    first, *others, last = [
        tmp_path / "all" / place.format(number) for number in range(10, MORE + 12)
    ]
    for path in (first, *others, last):
        path.parent.mkdir(parents=True, exist_ok=True)
        if is_written or path is first:
            path.write_text(header() + line("a"))
    async with (
        engine(tmp_path, watch="off") as shared,
        client_of(shared, {"HOME": str(tmp_path)}) as client,
    ):
        sessions = Sessions(shared, client, monkeypatch)
        await sessions.opened(first)
        await sessions.cost(first, last)
        alone = await sessions.cost(first, last)
        for path in others:
            await sessions.opened(path)
        together = await sessions.cost(first, last)
        for before, after in zip(alone, together, strict=True):
            # One look for each open session would be many more; a timer may add one.
            assert after.total() <= before.total() + 2
        assert all(0 < sum(each.values()) < 100 for each in alone[:2])


NAMES = st.lists(st.sampled_from(["a", "b", "a.jsonl", "a-", "a0", "\ud800"]), max_size=3).map(
    lambda names: "/" + "/".join(names)
)


def concerns(name: str, path: str) -> bool:
    is_below = not path.endswith(".jsonl") and name.startswith(path.rstrip("/") + "/")
    return name == path or is_below


@given(st.lists(st.tuples(NAMES, st.integers(0, 3)), max_size=30), st.lists(NAMES, max_size=4))
def test_found_are_the_documents_of_a_path_and_of_all_paths_below_it(
    named: list[tuple[str, int]], reported: list[str]
):
    live = Live.__new__(Live)
    live._named = {}
    documents = [Document(f"/{number}") for number in range(4)]
    for name, number in named:
        live._named.setdefault(name, set()).add(documents[number])
    assert live._concerned(reported) == {
        documents[number] for name, number in named if any(concerns(name, p) for p in reported)
    }
