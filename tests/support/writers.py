"""Programs that write one session file at the same time, with the notifications of each."""

from __future__ import annotations

import asyncio
import collections
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs

from support.app import user
from support.client import DEADLINE, Client

_PLAIN = """
import json, os, sys

path, name, parent = sys.argv[1:]
file = os.open(path, os.O_WRONLY | os.O_APPEND)
number = 0
while sys.stdin.buffer.read(1):
    entry = {
        "type": "message",
        "id": f"{name}{number}",
        "parentId": parent,
        "timestamp": "2026-01-01T00:00:00.000Z",
        "message": {"role": "user", "content": "x" * (number % 50)},
    }
    os.write(file, json.dumps(entry).encode() + b"\\n")
    parent = entry["id"]
    number += 1
"""


@asynccontextmanager
async def plain_writer(path: Path, name: str, parent: str) -> AsyncIterator[asyncio.StreamWriter]:
    """A process that locks nothing and appends a whole line for every byte it is sent.

    Its entries are a chain below `parent`, called `name` and a number. At the end it is waited for.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _PLAIN, str(path), name, parent), stdin=subprocess.PIPE
    )
    assert process.stdin is not None
    try:
        yield process.stdin
    finally:
        process.stdin.close()
        assert await asyncio.wait_for(process.wait(), DEADLINE) == 0


@attrs.define
class Ear:
    """The notifications of one client's handles, by handle."""

    client: Client
    told: dict[str, list[dict[str, Any]]] = attrs.field(
        factory=lambda: collections.defaultdict(list)
    )

    def ids(self, session: str) -> list[str]:
        """The entries that were reported to one handle, in order."""
        return [each["id"] for told in self.told[session] for each in told.get("entries", ())]

    async def until(self, session: str, count: int) -> None:
        """Listen until this many entries were reported to a handle."""
        while len(self.ids(session)) < count:
            self._take(await self.client.notification("session/didChange"))

    async def until_silence(self) -> None:
        """End the daemon's input and listen to the last it says."""
        self.client.end_input()
        for received in await self.client.rest():
            assert received.value["method"] == "session/didChange"
            self._take(received.value["params"])

    def _take(self, told: dict[str, Any]) -> None:
        self.told[told["session"]].append(told)


@attrs.define
class Handle:
    """A session open in one of the daemons; the ids of its entries begin with `name`."""

    ear: Ear
    session: str
    name: str

    @classmethod
    async def open(cls, ear: Ear, path: Path, name: str, **params: Any) -> Handle:
        state = await ear.client.request("session/open", {"path": str(path), **params})
        return cls(ear, state["session"], name)

    async def call(self, method: str, **params: Any) -> Any:
        return await self.ear.client.request(
            f"session/{method}", {"session": self.session, **params}
        )

    def start_append(self, entry_id: str, text: str = "x") -> asyncio.Future[Any]:
        """Send an append now; the future is the answer, errors included."""
        return self.ear.client.start(
            "session/appendMessage",
            {"session": self.session, "newEntryId": entry_id, "message": user(text)},
        )


def ids_in(path: Path) -> list[str]:
    """The ids of all entries of a file in which every line is whole and parses.

    Lines may be empty: whoever reads while another program writes can see half of its line, and
    begins a new one before appending.
    """
    content = path.read_bytes()
    assert content.endswith(b"\n")
    header, *entries = [json.loads(line) for line in content.splitlines() if line]
    assert header["type"] == "session"
    return [entry["id"] for entry in entries]
