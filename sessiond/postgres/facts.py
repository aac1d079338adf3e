"""Facts that the database keeps beside the lines: for lists, and texts for searches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs
import msgspec

from sessiond.catalog.discover import first_header
from sessiond.catalog.search.folding import encode, fold, storable
from sessiond.catalog.search.query import TITLE
from sessiond.catalog.summaries import Summary, take_lines
from sessiond.files.identity import FileState, resolve_path
from sessiond.format.entries import LEAF
from sessiond.format.header import Header
from sessiond.format.line import Line, parse_lines
from sessiond.format.line_texts import texts_of
from sessiond.format.load import NotASession
from sessiond.text.spelling import plain_spelling


@attrs.frozen
class SessionFacts:
    """The facts that lists and searches show of a session; texts in the encoding of `encode`."""

    header: bytes
    id: bytes
    cwd: bytes
    name: bytes | None
    messages: int
    first_message: bytes | None
    created: float
    latest: float
    fields: str
    after: bytes | None
    """The entry that the first of the entries continues: its id, or nothing for a root; None: there
    are no entries."""
    tip: bytes | None
    """The id of the last entry, if each continues the one before, so that all are on one branch."""


def stored_texts(line: bytes) -> str | None:
    """The texts of a line as a JSON array of rows of `sessiond.message`; None: it has none."""
    texts = [
        {
            "part": each.part,
            "field": each.field,
            "role": each.role,
            "time": each.time,
            "tool": each.tool and storable(each.tool.lower()),
            "file": each.file and storable(plain_spelling(each.file)),
            "model": each.model and storable(each.model.lower()),
            "body": body,
        }
        for each in texts_of(0, line)
        if (body := storable(fold(each.text)))
    ]
    return msgspec.json.encode(texts).decode() if texts else None


def session_facts(lines: Sequence[bytes], now_ms: float) -> SessionFacts:
    """The facts of a whole session. Raises NotASession if it does not begin with a header."""
    rest = iter(lines)
    header = first_header(rest)
    if header is None:
        raise NotASession(1)
    return _facts(summary_of(header, now_ms), rest)


def facts_added(header: Header, name: str | None, lines: Sequence[bytes]) -> SessionFacts:
    """The facts that lines add to those of a session, which had this name before."""
    summary = summary_of(header, 0)
    summary.name = name
    return _facts(summary, lines)


def _facts(summary: Summary, lines: Iterable[bytes]) -> SessionFacts:
    """Facts of what is known of a session, and of lines that follow."""
    header = summary.header
    parsed = parse_lines(b"".join(line + b"\n" for line in lines))
    take_lines(summary, parsed)
    summary.date()
    return SessionFacts(
        header=header.raw,
        id=encode(header.id),
        cwd=encode(cwd_of(header)),
        name=None if summary.name is None else encode(summary.name),
        messages=summary.message_count,
        first_message=encode(summary.first_message) if summary.first_message else None,
        created=summary.created,
        latest=summary.latest,
        fields=fields_of(header, summary),
        **_branch(parsed),
    )


def _branch(lines: Sequence[Line]) -> dict[str, bytes | None]:
    """The facts `after` and `tip`; in doubt there is no tip."""
    if not lines:
        return {"after": None, "tip": None}
    tip: str | None = lines[0].parent_id or ""
    after = tip
    for line in lines:
        moves_on = line.id and (line.parent_id or "") == tip
        tip = line.id if moves_on and line.append_mode is None and line.type != LEAF else None
        if tip is None:
            break
    return {"after": encode(after or ""), "tip": None if tip is None else encode(tip)}


def summary_of(header: Header, now_ms: float) -> Summary:
    """An empty summary, whose time of creation is now if the header has none."""
    return Summary("", header, FileState(0, 0, 0, int(now_ms * 1e6), 0))


def cwd_of(header: Header) -> str:
    """The working directory by which a session is listed; empty if its header has none."""
    return resolve_path(header.cwd, "/") if header.cwd else ""


def fields_of(header: Header, summary: Summary) -> str:
    """The text in which a search finds name (the first line), id, working directory and title.

    White space is folded in words, too: no word that is searched for has any.
    """
    title = "" if summary.name else fold((summary.first_message or "")[:TITLE])
    lines = fold(summary.name or ""), header.id.lower(), fold(header.cwd or ""), title
    return storable("\n".join(lines))
