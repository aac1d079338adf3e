"""Find sessions on disk without opening them."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.method import Method
from sessiond_protocol.prices import PricesUsed, WithPrices
from sessiond_protocol.session.state import FileProblems, Hidden, PinnedFirst, SessionInfo, Tag
from sessiond_protocol.wire import Count, Path, Token, WorkDoneToken, wire


@wire
class ListingParams:
    """Params of every list."""

    limit: Annotated[
        Count | UnsetType | None, Meta(description="Maximum number of sessions in the answer.")
    ] = UNSET
    cursor: Annotated[
        str | UnsetType | None, Meta(description="`nextCursor` of the page before; opaque.")
    ] = UNSET
    includeText: Annotated[
        bool | None, Meta(description="Add `allMessagesText` to every session.")
    ] = False
    includeUsage: Annotated[
        bool | None, Meta(description="Add `usage` to every session of the page.")
    ] = False
    prices: WithPrices = False
    includeShortId: Annotated[
        bool | None, Meta(description="Add `shortId` to every session of the page.")
    ] = False
    named: Annotated[bool | None, Meta(description="Only sessions that have a name.")] = False
    since: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "Only sessions that were last used on this day (`YYYY-MM-DD` in `timezone`) or"
                " later, or at this time (ISO 8601) or later."
            )
        ),
    ] = UNSET
    until: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "Only sessions that were created on this day or earlier, or before this time. With"
                " `since`: the time between the creation and the last use of the session overlaps"
                " the one that is asked for."
            )
        ),
    ] = UNSET
    timezone: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "IANA name of the time zone for days; by default that of the daemon's machine."
            )
        ),
    ] = UNSET
    model: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "Only sessions that used a model whose `provider/model` contains this text, in any"
                " case."
            )
        ),
    ] = UNSET
    agents: Annotated[
        list[str] | UnsetType | None,
        Meta(description="Only sessions of these agents, by the names of their profiles."),
    ] = UNSET
    sort: Annotated[
        Literal["modified", "used", "size", "messages", "cost"] | UnsetType | None,
        Meta(
            description=(
                "What comes first: the latest (by default), largest, longest or most expensive"
                " session. With `used` a fork without messages of its own is as late as its"
                " creation (`lastUsed`)."
            )
        ),
    ] = UNSET
    subagents: Annotated[
        bool | None, Meta(description="Also sessions that agents began, for their subagents.")
    ] = False
    past: Annotated[
        bool | None,
        Meta(description="Also transcripts that a gateway put away when a conversation ended."),
    ] = False
    tag: Tag = UNSET
    hidden: Hidden = UNSET
    pinnedFirst: PinnedFirst = False
    workDoneToken: WorkDoneToken = UNSET
    partialResultToken: Annotated[
        Token | UnsetType | None,
        Meta(
            description=(
                "Token under which `$/progress` reports `PartialSessions` while the list is"
                " made; the answer still contains the whole page."
            )
        ),
    ] = UNSET


@wire
class ListParams(ListingParams):
    """The sessions of one working directory."""

    cwd: Annotated[str, Meta(description="Working directory; resolved, `~` expanded.")]
    sessionDir: Annotated[
        Path | UnsetType | None,
        Meta(
            description=(
                "Directory to search instead of the profile's. If it is not the default one"
                " of `cwd`, only sessions of that `cwd` are listed."
            )
        ),
    ] = UNSET
    exactCwd: Annotated[
        bool | None,
        Meta(
            description=(
                "Only sessions whose working directory is `cwd`, also in its default directory,"
                " which others with the same encoded name share (as in pi: all of them)."
            )
        ),
    ] = False


@wire
class ListAllParams(ListingParams):
    """The sessions of all working directories."""

    sessionDir: Annotated[
        Path | UnsetType | None,
        Meta(description="A single directory to search, instead of all of the profile's."),
    ] = UNSET
    project: Annotated[
        Path | UnsetType | None,
        Meta(
            description=(
                "Only sessions of the project of this directory: those of the nearest repository"
                " (a directory with `.git`) around it, else of the directory and what is below"
                " it. The home directory and `/` are no projects: there only sessions of the"
                " directory itself are listed."
            )
        ),
    ] = UNSET


@wire
class ListResult:
    """A page of sessions, in the order of `sort`."""

    sessions: list[SessionInfo]
    total: Annotated[int, Meta(description="Number of sessions on all pages.")]
    nextCursor: Annotated[
        str | UnsetType, Meta(description="Where the next page begins; absent: this is the last.")
    ] = UNSET
    prices: PricesUsed = UNSET
    problems: FileProblems = UNSET


@wire
class FindByIdParams:
    """A session id to find, or its beginning."""

    cwd: Annotated[
        str | UnsetType | None,
        Meta(description="Working directory; resolved, `~` expanded. Absent: all directories."),
    ] = UNSET
    id: Annotated[
        str,
        Meta(
            description=(
                "The whole id, or with `prefix` how it begins; `HOST:ID` then means a copy in a"
                " store of a session that is written on that host."
            )
        ),
    ]
    sessionDir: Annotated[
        Path | UnsetType | None,
        Meta(description="Directory to search instead of the profile's."),
    ] = UNSET
    prefix: Annotated[
        bool | None,
        Meta(
            description=(
                "The id may be the beginning of one: the session whose id is the same, else the"
                " only one whose id begins so. All directories are searched; of several sessions"
                " those of `cwd` count, then those of the connection's own agent. Of several files"
                " with one id the latest counts."
            )
        ),
    ] = False
    unique: Annotated[
        bool | None,
        Meta(
            description=(
                "With `prefix`: if several files have the id, answer all of them as `candidates`,"
                " because what is to be changed must be named by its path."
            )
        ),
    ] = False


@wire
class FindByIdResult:
    """The file that was found."""

    path: Annotated[
        str | None, Meta(description="Path of its file; null: no session, or more than one.")
    ]
    candidates: Annotated[
        list[SessionInfo] | UnsetType,
        Meta(description="With `prefix`: the sessions that can be meant, the latest first."),
    ] = UNSET
    problems: FileProblems = UNSET


METHODS = (
    Method(
        "session/findById",
        FindByIdParams,
        FindByIdResult,
        "Find the file of the session with this id.",
        ("PathNotAllowed", "ReadFailed"),
        repeatable=True,
    ),
    Method(
        "session/list",
        ListParams,
        ListResult,
        "List the sessions of a working directory.",
        ("InvalidCursor", "PathNotAllowed", "ReadFailed"),
        repeatable=True,
    ),
    Method(
        "session/listAll",
        ListAllParams,
        ListResult,
        "List the sessions of all working directories.",
        ("InvalidCursor", "PathNotAllowed", "ReadFailed"),
        repeatable=True,
    ),
)
