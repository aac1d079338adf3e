"""Clients that receive changes: of one open session, or of a list of sessions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs

from support.client import Client


@attrs.define
class Open:
    """A client with one session open, whose file holds a chain of three entries."""

    client: Client
    file: Path
    session: str

    async def call(self, method: str, **params: Any) -> Any:
        return await self.client.request(f"session/{method}", {"session": self.session, **params})

    async def told(self) -> dict[str, Any]:
        told: dict[str, Any] = await self.client.notification("session/didChange")
        assert told["session"] == self.session
        return told


class Follower:
    """A subscription and the list of sessions kept by its messages alone."""

    def __init__(self, client: Client, answer: dict[str, Any]) -> None:
        self.client = client
        self.subscription = answer["subscription"]
        self.sequence = answer["sequence"]
        self.sessions = {info["path"]: info for info in answer["sessions"]}

    @classmethod
    async def of(cls, client: Client, **params: Any) -> Follower:
        return cls(client, await client.request("catalog/subscribe", params))

    async def next(self) -> list[tuple[str, str]]:
        """Receive one message and return its changes, as (kind, path)."""
        told = await self.client.notification("catalog/didChange")
        assert told["subscription"] == self.subscription
        self.sequence += 1
        assert told["sequence"] == self.sequence
        for change in told["changes"]:
            kind, path = change["kind"], change["path"]
            assert (kind == "added") == (path not in self.sessions)
            if kind == "removed":
                del self.sessions[path]
            else:
                self.sessions[path] = change["info"]
        return [(change["kind"], change["path"]) for change in told["changes"]]

    async def until(self, expected: dict[str, int]) -> None:
        """Take in messages until the sessions have these message counts."""
        while {path: info["messageCount"] for path, info in self.sessions.items()} != expected:
            await self.next()
