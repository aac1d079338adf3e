"""Listings of sessions by a plain scan of their directories."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import UNSET
from sessiond_protocol.state import SessionInfo

from sessiond.catalog.discover import is_of, session_directories, session_files
from sessiond.catalog.summaries import Summary, summarise
from sessiond.errors import SessiondError
from sessiond.format.jsdate import iso_from_ms


def list_directory(directory: str, cwd: str | None) -> list[Summary]:
    """The sessions of one directory, newest first; with `cwd`, only those of that one."""
    found = _summaries(session_files(directory))
    return _newest_first(item for item in found if cwd is None or is_of(item.header, cwd))


def list_below(parent: str) -> list[Summary]:
    """The sessions of every directory below `parent`, newest first."""
    return _newest_first(
        item
        for directory in session_directories(parent)
        for item in _summaries(session_files(directory))
    )


def _summaries(paths: Iterable[str]) -> Iterable[Summary]:
    for path in paths:
        try:
            summary = summarise(path)
        except (SessiondError, OSError):
            # One file that cannot be read must not hide the others.
            continue
        if summary is not None:
            yield summary


def _newest_first(summaries: Iterable[Summary]) -> list[Summary]:
    return sorted(summaries, key=lambda item: -item.modified)


def session_info(summary: Summary, *, include_text: bool) -> SessionInfo:
    """The wire form of a summary."""
    header = summary.header
    return SessionInfo(
        path=summary.path,
        id=header.id,
        cwd=header.cwd or "",
        name=summary.name or UNSET,
        parentSessionPath=header.parent_session or UNSET,
        created=iso_from_ms(summary.created) or "",
        modified=iso_from_ms(summary.modified) or "",
        messageCount=summary.message_count,
        firstMessage=summary.first_message,
        sizeBytes=summary.state.size,
        allMessagesText=summary.all_messages_text if include_text else UNSET,
    )
