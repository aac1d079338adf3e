"""The base class of the generated blocking calls of a client."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Coroutine
from typing import Any, TypeVar

from sessiond_client import session, subscription
from sessiond_client.blocking_base import SessionBase
from sessiond_client.blocking_session import Session, Subscription

Snapshot = TypeVar("Snapshot")
Change = TypeVar("Change")


class ClientBase(SessionBase, ABC):
    """Waits for calls, and wraps the sessions and subscriptions that they return."""

    @abstractmethod
    def _opened(
        self, coroutine: Coroutine[Any, Any, session.Session], timeout: float | None = None
    ) -> Session: ...

    @abstractmethod
    def _subscribed(
        self,
        coroutine: Coroutine[Any, Any, subscription.Subscription[Snapshot, Change]],
        timeout: float | None = None,
    ) -> Subscription[Snapshot, Change]: ...
