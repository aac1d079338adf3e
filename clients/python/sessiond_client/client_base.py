"""The base class of the generated calls of a client."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, TypeVar

from sessiond_client.base import SessionBase
from sessiond_client.session import Session
from sessiond_client.subscription import Subscription

T = TypeVar("T")
Snapshot = TypeVar("Snapshot")
Change = TypeVar("Change")


class ClientBase(SessionBase):
    """Sends requests, opens sessions, subscribes, and listens to notifications."""

    @abstractmethod
    async def _open(self, method: str, params: dict[str, Any], *, repeat: bool) -> Session: ...

    @abstractmethod
    async def _subscribe(
        self,
        method: str,
        params: dict[str, Any],
        snapshot: type[Snapshot],
        change: type[Change],
        *,
        ending: str,
    ) -> Subscription[Snapshot, Change]:
        """Subscribe with `method`; the method `ending` ends the subscription."""

    @abstractmethod
    def _listen(
        self, notification: str, kind: Any, callback: Callable[[T], object]
    ) -> Callable[[], None]:
        """Listen to a notification; `kind` is the class of its params, or a union of classes."""
