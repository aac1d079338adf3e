"""What becomes of sessions, subscriptions and the client when the daemon ends unexpectedly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, TypeAlias, TypeVar

from sessiond_client.generated.contract import SessionDidChangeParams, SessionState

Snapshot = TypeVar("Snapshot")


@dataclass(frozen=True)
class Lost:
    """The session, subscription or client cannot be used any more. This is the last event."""

    error: Exception
    """What calls raise from now on."""
    kind: Literal["lost"] = "lost"


@dataclass(frozen=True)
class SessionReconnected:
    """The daemon ended, and the session is open again in a new one: read it again."""

    state: SessionState
    """What opening it answered."""
    kind: Literal["reconnected"] = "reconnected"


@dataclass(frozen=True)
class SubscriptionReconnected(Generic[Snapshot]):
    """The daemon ended, and the client subscribed again in a new one."""

    snapshot: Snapshot
    """It replaces the state so far."""
    kind: Literal["reconnected"] = "reconnected"


@dataclass(frozen=True)
class Reconnected:
    """The daemon ended, and the client started a new one and opened everything in it again."""

    lost: list[str]
    """The files of the sessions that could not be opened again; empty: it was in memory."""
    kind: Literal["reconnected"] = "reconnected"


SessionChange: TypeAlias = SessionDidChangeParams | SessionReconnected | Lost
"""A change of a session that was not made with its handle, or what became of it after a crash."""
