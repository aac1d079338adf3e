"""Notice when the list of sessions changes that a client is shown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from msgspec import UNSET

from sessiond.jsontext.spans import loads
from sessiond.mcp.past import Info, Past
from sessiond.mcp.server import McpServer
from sessiond.rpc.codec import encode


class ShownList:
    """Calls its listeners when a session was added, removed, or has another title."""

    def __init__(self, server: McpServer, past: Past) -> None:
        self._past = past
        self._listeners: list[Callable[[], None]] = []
        self._subscription: str | None = None
        self._titles: dict[str, str] = {}
        """Of the sessions that are shown, by path."""
        self._changing = asyncio.Lock()
        server.listeners["catalog/didChange"] = self._changed

    async def follow(self, listener: Callable[[], None]) -> None:
        """Call `listener` after each change. Raises as `catalog/subscribe`."""
        async with self._changing:
            if self._subscription is None:
                answer = await self._past.call("catalog/subscribe", all=True)
                self._subscription = answer["subscription"]
                self._titles = {
                    info["path"]: self._past.title(info)
                    for info in answer["sessions"]
                    if self._past.shows(info)
                }
            self._listeners.append(listener)

    async def forget(self, listener: Callable[[], None]) -> None:
        """Stop calling `listener`, and watching if there is no other."""
        async with self._changing:
            self._listeners.remove(listener)
            if not self._listeners:
                ended, self._subscription = self._subscription, None
                await self._past.call("catalog/unsubscribe", subscription=ended)

    def _changed(self, params: Any) -> None:
        if params.subscription != self._subscription:
            return
        is_changed = False
        for change in params.changes:
            info: Info | None = None if change.info is UNSET else loads(encode(change.info))
            title = self._past.title(info) if info and self._past.shows(info) else None
            before = self._titles.pop(change.path, None)
            if title is not None:
                self._titles[change.path] = title
            is_changed |= title != before
        if is_changed:
            for listener in self._listeners:
                listener()
