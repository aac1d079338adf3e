"""Checked by mypy, never run: the `kind` of a change decides which members it has."""

from __future__ import annotations

from typing import Any, assert_type

from sessiond_client import Session, SessionChange, Sessiond, blocking
from sessiond_client.contract import (
    CatalogChange,
    EntryFacts,
    SessionInfo,
    SessionState,
    StoreChange,
    UserMessage,
)


def of_a_session(change: SessionChange) -> str:
    match change.kind:
        case "appended":
            assert_type(change.entries, list[EntryFacts])
            return change.entries[0].id
        case "reconnected":
            assert_type(change.state, SessionState)
            return change.state.session
        case "lost":
            assert_type(change.error, Exception)
            return str(change.error)
        case None:
            return f"{change.unknown_kind} {change.path}"
        case _:
            change.entries[0]  # type: ignore[index]
            return change.path


async def of_a_stream(session: Session) -> list[str]:
    return [
        each.id
        async for change in session.changes()
        if change.kind == "appended"
        for each in change.entries
    ]


def of_the_catalogue(change: CatalogChange) -> str:
    if change.kind == "removed" or change.kind is None:
        return change.path
    assert_type(change.info, SessionInfo)
    return change.info.id


def of_a_store(change: StoreChange) -> object:
    if change.kind == "removed" or change.kind is None:
        return change.session_key
    assert_type(change.entry, dict[str, Any])
    return change.entry["sessionId"]


async def of_a_subscription(client: Sessiond) -> list[str]:
    found = []
    async for event in await client.catalog_subscribe():
        if event.kind == "changed":
            found += [of_the_catalogue(change) for change in event.changes]
        elif event.kind == "reconnected":
            found += [info.path for info in event.snapshot.sessions]
        else:
            found.append(str(event.error))
    return found


def of_lists(client: blocking.Sessiond) -> None:
    client.sessions(named=True, session_dir="/x", timeout=1)
    client.sessions(nonsense=True)  # type: ignore[call-arg]


UserMessage(content="without a time")
