"""Lists that are read page by page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Protocol, TypeVar

from msgspec import UnsetType

T = TypeVar("T")


class Page(Protocol):
    """An answer that may have a next page."""

    next_cursor: str | UnsetType


P = TypeVar("P", bound=Page)


async def pages(
    read: Callable[[str | None], Awaitable[P]], items: Callable[[P], Sequence[T]]
) -> AsyncIterator[T]:
    """Yield the items of all pages; each page is read when it is needed."""
    cursor: str | None = None
    while True:
        page = await read(cursor)
        for item in items(page):
            yield item
        if isinstance(page.next_cursor, UnsetType):
            return
        cursor = page.next_cursor
