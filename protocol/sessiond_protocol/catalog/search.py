"""Searching the names, ids, working directories and messages of sessions."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.method import Method
from sessiond_protocol.session.state import FileProblems, SessionInfo
from sessiond_protocol.wire import Count, Path, wire

SearchMode: TypeAlias = Literal["text", "fuzzy", "regex"]


@wire
class CatalogSearchParams:
    """What to look for, and where: without `cwd` and `sessionDir` in all sessions."""

    query: Annotated[
        str,
        Meta(
            description=(
                'Words and "quoted phrases", all of which must be in a session, each in its name,'
                " id, working directory or messages; in mode `regex` one regular expression."
                " An empty one finds every session, except in mode `regex`. At most 4096 characters"
                " and 128 words; an expression at most 1000 characters, repeating nothing more than"
                " 10,000 times."
            ),
            max_length=4096,
        ),
    ]
    cwd: Annotated[
        str | UnsetType | None,
        Meta(description="Only sessions of this working directory; resolved, `~` expanded."),
    ] = UNSET
    sessionDir: Annotated[
        Path | UnsetType | None,
        Meta(
            description=(
                "Directory to look in, in place of the profile's; with `cwd` as in `session/list`."
            )
        ),
    ] = UNSET
    mode: Annotated[
        SearchMode | UnsetType | None,
        Meta(
            description=(
                "`text` (default): words and phrases as they stand. `fuzzy`: words also by their"
                " characters in order, scattered over the name or the working directory; a query"
                " that begins with `re:` is a regular expression (as pi 1.5.2). `regex`: in the"
                " syntax of Python's package `regex`, not case-sensitive; messages are joined by a"
                " space; white space at the ends counts."
            )
        ),
    ] = UNSET
    limit: Annotated[
        Count | UnsetType | None,
        Meta(description="Greatest number of hits in the answer; 50 where it is absent."),
    ] = UNSET
    cursor: Annotated[
        str | UnsetType | None, Meta(description="`nextCursor` of the page before; opaque.")
    ] = UNSET


@wire
class SearchSnippet:
    """A piece of a user or assistant message, in one line."""

    entryId: Annotated[str, Meta(description="Id of the message's entry; empty: it has none.")]
    role: Literal["user", "assistant"]
    text: Annotated[
        str,
        Meta(description="At most 240 characters; each control character shown as a space."),
    ]
    ranges: Annotated[
        list[tuple[int, int]],
        Meta(
            description=(
                "What matched: start and end (excluded) in `text`, in units of the connection's"
                " `positionEncoding`. Empty where a match stretches over several messages."
            )
        ),
    ]


@wire
class SearchHit:
    """A session that was found."""

    info: SessionInfo
    score: Annotated[
        float,
        Meta(
            description=(
                "Lower is better, summed up over words and phrases (pi 1.5.2's scores): below"
                " 1,000,000 where the name has it, 1,000,000 where the id, a message or the"
                " working directory has it, about 2,000,000 where characters are scattered."
            )
        ),
    ]
    snippets: Annotated[
        list[SearchSnippet],
        Meta(description="Up to three messages that have most of what was asked, in file order."),
    ]


@wire
class CatalogSearchResult:
    """A page of hits, the best score first; of the same score the latest `modified` first."""

    hits: list[SearchHit]
    total: Annotated[int, Meta(description="Number of hits on all pages.")]
    nextCursor: Annotated[
        str | UnsetType, Meta(description="Where the next page begins; absent: this is the last.")
    ] = UNSET
    problems: FileProblems = UNSET


METHODS = (
    Method(
        "catalog/search",
        CatalogSearchParams,
        CatalogSearchResult,
        "Find sessions by their names, ids, working directories and messages; gives up after 30 s.",
        ("InvalidCursor", "InvalidQuery", "PathNotAllowed", "ReadFailed"),
        repeatable=True,
    ),
)
