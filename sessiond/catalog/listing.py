"""Listings of sessions by a plain scan of their directories."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import UNSET
from sessiond_protocol.state import SessionInfo

from sessiond.catalog.discover import is_of, session_directories, session_files
from sessiond.catalog.summaries import NO_MESSAGES, Summary, summarise
from sessiond.errors import SessiondError
from sessiond.format.jsdate import iso_from_ms


def list_directory(directory: str, cwd: str | None, *, with_text: bool = False) -> list[Summary]:
    """The sessions of one directory, newest first; with `cwd`, only those of that one."""
    found = _summaries(session_files(directory), with_text=with_text)
    return _newest_first(item for item in found if cwd is None or is_of(item.header, cwd))


def list_below(parent: str, *, with_text: bool = False) -> list[Summary]:
    """The sessions of every directory below `parent`, newest first."""
    return _newest_first(
        item
        for directory in session_directories(parent)
        for item in _summaries(session_files(directory), with_text=with_text)
    )


def _summaries(paths: Iterable[str], *, with_text: bool) -> Iterable[Summary]:
    for path in paths:
        try:
            summary = summarise(path, with_text=with_text)
        except (SessiondError, OSError):
            # One file that cannot be read must not hide the others.
            continue
        if summary is not None:
            yield summary


def _newest_first(summaries: Iterable[Summary]) -> list[Summary]:
    return sorted(summaries, key=lambda item: -item.modified)


def session_info(summary: Summary) -> SessionInfo:
    """The wire form of a summary, with the text of its messages if that was read."""
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
        firstMessage=summary.first_message or NO_MESSAGES,
        sizeBytes=summary.state.size,
        allMessagesText=UNSET if summary.texts is None else " ".join(summary.texts),
    )
