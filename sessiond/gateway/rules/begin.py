"""Plan what a message changes in a store and its transcripts, before anything is written."""

from __future__ import annotations

import uuid
from collections.abc import Callable

import attrs
from sessiond_protocol.wire import given

from sessiond.clock import Zone
from sessiond.errors import GatewayRejected
from sessiond.files import disk
from sessiond.gateway.config.layout import Layout
from sessiond.gateway.entry import Items, NonEntry, StoreEntry
from sessiond.gateway.keys.identity import trim
from sessiond.gateway.rules import continuation
from sessiond.gateway.rules.continuation import ResolvedMessage, Verdict, named_file
from sessiond.gateway.rules.message import thread_of
from sessiond.gateway.store import NOT_SESSIONS
from sessiond.gateway.transcripts.fork import Transcript, begun, fork
from sessiond.gateway.transcripts.paths import Directory
from sessiond.jsontext.dates import iso_from_ms

Check = Callable[[str], None]
"""Raises for a path outside the roots."""


@attrs.frozen
class BeginContext:
    """The context of a `gateway/begin` request."""

    layout: Layout
    store_path: str
    now: int
    where: Zone
    cwd: str
    """Working directory of a new transcript."""
    check: Check


@attrs.frozen
class BeginPlan:
    """The changes to make for a message."""

    entry: StoreEntry
    """The entry to store."""
    previous: StoreEntry | None
    verdict: Verdict
    session_id: str
    session_file: str
    """Absolute path."""
    transcript: Transcript | None
    """The transcript to create; None if the file exists."""
    forked_from: str | None


async def plan(resolved: ResolvedMessage, items: Items, context: BeginContext) -> BeginPlan:
    """Plan by the items of the store.

    Raises GatewayRejected, InvalidSessionFile, ReadFailed and whatever `check` raises.
    """
    entry = _entry(resolved.key, items)
    directories = context.layout.directories(resolved.agent_id, context.store_path)
    verdict = continuation.judge(
        resolved,
        entry,
        now=context.now,
        where=context.where,
        directory=directories[0],
        store=context.store_path,
    )
    stored_file = None if entry is None or verdict.is_new else named_file(entry)
    forked = await _fork(resolved, items, context, directories) if verdict.is_new else None
    if forked is not None:
        transcript, forked_from = forked
        session_id, session_file = transcript.session_id, transcript.path
    else:
        forked_from = None
        old_id = None if entry is None or verdict.is_new else entry.string("sessionId")
        session_id = old_id or str(uuid.uuid4())
        if stored_file is not None:
            session_file = directories[0].locate(stored_file)
        else:
            own = context.layout.own_directory(resolved.agent_id, context.store_path)
            session_file = own.default(session_id, thread_of(resolved.message))
        context.check(session_file)
        transcript = begun(session_id, session_file, _iso(context), context.cwd)
    return BeginPlan(
        continuation.entry_after(
            resolved,
            entry,
            is_new=verdict.is_new,
            session_id=session_id,
            session_file=session_file if stored_file is None else None,
            now=context.now,
        ),
        entry,
        verdict,
        session_id,
        session_file,
        None if _exists(session_file) else transcript,
        forked_from,
    )


def _entry(key: str, items: Items) -> StoreEntry | None:
    item = items.get(key)
    if key in NOT_SESSIONS:
        raise GatewayRejected(f"{key} cannot be the key of a session", "sessionKey")
    if isinstance(item, NonEntry):
        if item.text != b"null":
            message = f"{key} has a value in the store that is not a session; it is kept"
            raise GatewayRejected(message, "sessionKey")
        return None
    return item


async def _fork(
    resolved: ResolvedMessage, items: Items, context: BeginContext, directories: list[Directory]
) -> tuple[Transcript, str] | None:
    """The transcript of a thread and the path of its parent's; None if there is no parent."""
    parent_key = trim(given(resolved.message.ParentSessionKey) or "")
    parent = items.get(parent_key)
    if not parent_key or parent_key == resolved.key or not isinstance(parent, StoreEntry):
        return None
    named, session_id = named_file(parent), parent.string("sessionId") or ""
    if named is not None:
        paths = [directories[0].locate(named)]
    else:
        paths = [directory.default(session_id) for directory in directories]
    for path in paths:
        context.check(path)
        if not _exists(path):
            continue
        transcript = await fork(path, _iso(context), context.cwd)
        if transcript is not None:
            context.check(transcript.path)
            return transcript, path
    return None


def _exists(path: str) -> bool:
    try:
        return disk.lexists(path)
    except ValueError:
        # A lone surrogate, which no file name can contain.
        return False


def _iso(context: BeginContext) -> str:
    return iso_from_ms(context.now) or ""
