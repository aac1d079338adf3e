"""The notification of a handle when several changes are merged."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from support.client import DEADLINE
from support.session_lines import header, line

from sessiond.files.document import Document
from sessiond.sessions.drafts import Drafts
from sessiond.sessions.notifications.sessions import SessionNotices
from sessiond.sessions.view import View


@attrs.define
class SlowClient:
    """A channel that is full until `drain`."""

    sent: asyncio.Queue[Any] = attrs.field(factory=asyncio.Queue)
    _read: asyncio.Event = attrs.field(factory=asyncio.Event)

    @property
    def has_drained(self) -> bool:
        return self._read.is_set()

    async def drained(self) -> None:
        await self._read.wait()

    def notify(self, _method: str, params: Any) -> None:
        self.sent.put_nowait(params)

    def drain(self) -> None:
        self._read.set()

    def fill(self) -> None:
        self._read.clear()

    async def told(self) -> Any:
        self.drain()
        params = await asyncio.wait_for(self.sent.get(), DEADLINE)
        self.fill()
        return params


@attrs.define
class Followed:
    """A session file, one handle on it, and its client."""

    file: Path
    document: Document
    client: SlowClient

    async def becomes(self, text: str | None) -> None:
        """Write the file, or delete it, and have the document follow."""
        if text is None:
            self.file.unlink()
        else:
            self.file.write_text(text)
        async with self.document.turn:
            await self.document.refresh()


FIRST = header() + line("a")
SECOND = header() + line("b", text="longer than before")


@pytest.fixture
async def followed(tmp_path: Path) -> AsyncIterator[Followed]:
    file = tmp_path / "s.jsonl"
    file.write_text(FIRST)
    document = Document(str(file), status=file.stat())
    async with document.turn:
        await document.open(write=False)
    client = SlowClient()
    notices = SessionNotices(client, client.notify, Drafts())
    view = View("s1", document, "/w", str(tmp_path))
    notices.follow(view)
    yield Followed(file, document, client)
    notices.forget(view)


async def test_a_rewrite_is_reported_even_if_the_file_was_deleted_and_restored_after_it(
    followed: Followed,
):
    for text in (SECOND, None, SECOND):
        await followed.becomes(text)
    assert (await followed.client.told()).kind == "rewritten"


async def test_an_unreported_rewrite_is_reported_when_the_file_is_restored(followed: Followed):
    await followed.becomes(SECOND)
    await followed.becomes(None)
    assert (await followed.client.told()).kind == "deleted"
    await followed.becomes(SECOND)
    assert (await followed.client.told()).kind == "rewritten"


async def test_a_file_that_returns_unchanged_is_reported_as_restored(followed: Followed):
    await followed.becomes(None)
    await followed.becomes(FIRST)
    assert (await followed.client.told()).kind == "restored"
    # A rewrite that was told is not told again.
    await followed.becomes(SECOND)
    assert (await followed.client.told()).kind == "rewritten"
    await followed.becomes(None)
    await followed.becomes(SECOND)
    assert (await followed.client.told()).kind == "restored"
