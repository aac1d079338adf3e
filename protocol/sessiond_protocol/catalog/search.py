"""Search the names, ids, working directories and texts of sessions."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.catalog.scope import CatalogScope
from sessiond_protocol.method import Method
from sessiond_protocol.session.state import FileProblems, SessionInfo
from sessiond_protocol.wire import Count, wire

SearchMode: TypeAlias = Literal["text", "fuzzy", "regex"]
SearchField: TypeAlias = Literal[
    "said", "thinking", "calls", "results", "commands", "summaries", "labels"
]
SearchRole: TypeAlias = Literal[
    "user", "assistant", "toolResult", "bashExecution", "compaction", "branch_summary", "label"
]


@wire
class CatalogSearchParams(CatalogScope):
    """What to search for, and where."""

    query: Annotated[
        str,
        Meta(
            description=(
                'Words and "quoted phrases"; each of them must occur in the name, id,'
                " working directory or one message of a session. In mode `regex`, one regular"
                " expression. An empty query finds every session, except in mode `regex`."
                " At most 4096 characters and 128 words; a regular expression has at most"
                " 1000 characters and repetitions of at most 1000."
            ),
            max_length=4096,
        ),
    ]
    mode: Annotated[
        SearchMode | UnsetType | None,
        Meta(
            description=(
                "`text` (default): words and phrases literally. `fuzzy`: words also match"
                " by their characters in order, scattered over the name or the working"
                " directory; a query that begins with `re:` is a regular expression (as in"
                " pi 1.6.0). `regex`: a regular expression in the syntax of RE2, without"
                " references, lookahead and lookbehind, not case-sensitive, matched in each"
                " message by itself; white space at the ends is significant."
            )
        ),
    ] = UNSET
    fields: Annotated[
        list[SearchField] | UnsetType | None,
        Meta(
            description=(
                "What is searched, by default `said`; with `roles`, `tools`, `files` or `model`"
                " all. Of what nobody said, the first 24 kB and the last 8 kB. With one of these"
                " filters"
                " names, ids and directories do not count, and an empty query finds each session"
                " with such a text."
            )
        ),
    ] = UNSET
    roles: Annotated[
        list[SearchRole] | UnsetType | None,
        Meta(description="Only texts of these roles."),
    ] = UNSET
    tools: Annotated[
        list[str] | UnsetType | None,
        Meta(description="Only calls and results of these tools."),
    ] = UNSET
    files: Annotated[
        list[str] | UnsetType | None,
        Meta(description="Only calls that name one of these files, or a path that ends with it."),
    ] = UNSET
    model: Annotated[
        str | UnsetType | None,
        Meta(description="Only what was said or done by models whose id contains this."),
    ] = UNSET
    currentBranch: Annotated[
        bool | UnsetType | None,
        Meta(
            description="Only texts of the branch that a session is opened at. Reads the files of"
            " the sessions with such texts."
        ),
    ] = UNSET
    agent: Annotated[
        str | UnsetType | None,
        Meta(description="Only sessions of this agent, one of those of `initialize`."),
    ] = UNSET
    since: Annotated[
        str | UnsetType | None,
        Meta(description="Only texts since this day, `YYYY-MM-DD` in `timezone`."),
    ] = UNSET
    until: Annotated[
        str | UnsetType | None,
        Meta(description="Only texts until this day, included."),
    ] = UNSET
    timezone: Annotated[
        str | UnsetType | None,
        Meta(description="IANA name; by default the zone of the daemon's machine."),
    ] = UNSET
    suggest: Annotated[
        bool | UnsetType | None,
        Meta(description="Whether to answer `suggestions` if nothing is found."),
    ] = UNSET
    limit: Annotated[
        Count | UnsetType | None,
        Meta(description="Maximum number of hits in the answer; 50 by default."),
    ] = UNSET
    cursor: Annotated[
        str | UnsetType | None, Meta(description="`nextCursor` of the page before; opaque.")
    ] = UNSET


@wire
class SearchSnippet:
    """A part of a text, on one line."""

    entryId: Annotated[
        str, Meta(description="Id of the message's entry; empty if the entry has none.")
    ]
    role: SearchRole
    text: Annotated[
        str,
        Meta(
            description=(
                "At most 240 characters, with the first match in the first 60; control characters"
                " are replaced by spaces. Where the text is cut, at a word if one is near, is an"
                " ellipsis."
            )
        ),
    ]
    ranges: Annotated[
        list[tuple[int, int]],
        Meta(
            description=(
                "Start and end (exclusive) of each match in `text`, in units of the"
                " connection's `positionEncoding`."
            )
        ),
    ]
    field: Annotated[SearchField | UnsetType, Meta(description="Absent: `said`.")] = UNSET
    time: Annotated[
        str | UnsetType, Meta(description="When it was said or done; absent: unknown.")
    ] = UNSET
    tool: Annotated[str | UnsetType, Meta(description="Of a call or a result: the tool.")] = UNSET
    file: Annotated[str | UnsetType, Meta(description="Of a call: the file that it names.")] = UNSET
    onCurrentBranch: Annotated[
        bool | UnsetType,
        Meta(
            description=(
                "False: the entry is not on the branch that the session is opened at. Absent: it"
                " is, or that is not known: a page of hits reads 16 MB of sessions at most for"
                " it."
            )
        ),
    ] = UNSET


@wire
class SearchHit:
    """A session that was found."""

    info: SessionInfo
    distance: Annotated[
        float,
        Meta(
            description=(
                "Lower is better: the sum over words and phrases of pi 1.6.0's scores."
                " Below 1,000,000 for a match in the name, 1,000,000 in the id, a message"
                " or the working directory, about 2,000,000 for scattered characters."
            )
        ),
    ]
    snippets: Annotated[
        list[SearchSnippet],
        Meta(
            description=(
                "Up to three texts in file order: first those with all words and phrases are"
                " chosen, then those with the most and rarest."
            )
        ),
    ]
    matchCount: Annotated[
        int,
        Meta(
            description=(
                "Number of texts with any of the words and phrases; 0 if the session matches by its"
                " name, id or directory alone."
            )
        ),
    ]
    hasMoreMatches: Annotated[
        bool | UnsetType,
        Meta(
            description=(
                "True: only the first 40 texts with all words and the first 40 with each were"
                " counted, and there are more."
            )
        ),
    ] = UNSET
    alsoIn: Annotated[
        list[str] | UnsetType,
        Meta(
            description=(
                "Paths of other hits of this page that have the same texts of the same entries, as"
                " forks do."
            )
        ),
    ] = UNSET


@wire
class SearchSuggestion:
    """Another search, which finds something; what is absent stays as it was sent."""

    query: Annotated[str, Meta(description="What to search for.")]
    total: Annotated[int, Meta(description="Number of its hits.")]
    fields: Annotated[
        list[SearchField] | UnsetType, Meta(description="The fields that have the texts.")
    ] = UNSET
    everywhere: Annotated[bool | UnsetType, Meta(description="True: without `cwd`.")] = UNSET


@wire
class CatalogSearchResult:
    """A page of hits, the least distance first.

    Of equal distances those with all words in one text come first, then the latest `modified`.
    """

    hits: list[SearchHit]
    total: Annotated[
        int,
        Meta(
            description="Number of hits on all pages, without those in `alsoIn`; of more than a"
            " thousand it may be a little too large."
        ),
    ]
    nextCursor: Annotated[
        str | UnsetType, Meta(description="Where the next page begins; absent: this is the last.")
    ] = UNSET
    problems: FileProblems = UNSET
    suggestions: Annotated[
        list[SearchSuggestion] | UnsetType,
        Meta(
            description=(
                "If nothing was found and `suggest` was sent: at most three other searches, in"
                " other fields and directories, with other spellings and with fewer words."
            )
        ),
    ] = UNSET


METHODS = (
    Method(
        "catalog/search",
        CatalogSearchParams,
        CatalogSearchResult,
        (
            "Find sessions by names, directories, and what was said and done. After 30 s it"
            " answers what it has found, and names in `problems` what it has not searched."
        ),
        ("InvalidCursor", "InvalidQuery", "PathNotAllowed", "TimedOut", "Unsupported"),
        repeatable=True,
    ),
)
