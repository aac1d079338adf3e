"""What the generated calls are made of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from sessiond_client.session import Session
    from sessiond_client.subscription import Subscription

T = TypeVar("T")
Snapshot = TypeVar("Snapshot")
Change = TypeVar("Change")


class SessionBase(ABC):
    """Sends requests. `repeat`: it may be sent again if the daemon ended without an answer."""

    @abstractmethod
    async def _request(
        self, method: str, params: dict[str, Any], result: type[T], *, repeat: bool
    ) -> T: ...


class ClientBase(SessionBase):
    """Begins sessions and subscriptions, and listens."""

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
    ) -> Subscription[Snapshot, Change]: ...

    @abstractmethod
    def _listen(
        self, notification: str, kind: type[T], callback: Callable[[T], object]
    ) -> Callable[[], None]: ...
