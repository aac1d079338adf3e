"""What a model would be sent, and what a session says of itself."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from msgspec import UNSET, Meta, Raw, UnsetType

from sessiond_protocol.json_members import EntryJson, HeaderJson, MessagesJson
from sessiond_protocol.method import Method
from sessiond_protocol.session.open import SessionParams
from sessiond_protocol.session.read import EntriesResult
from sessiond_protocol.wire import NULL_IS_A_VALUE, wire


@wire
class BuildParams:
    """The branch whose context is built."""

    session: Annotated[str, Meta(description="Handle of the session.")]
    leafId: Annotated[
        str | UnsetType | None,
        NULL_IS_A_VALUE,
        Meta(
            description=(
                "Last entry of the branch; absent: the handle's leaf; null: before any entry, so"
                " that the context is empty."
            )
        ),
    ] = UNSET


@wire
class ModelRef:
    """A model."""

    provider: str
    modelId: str


@wire
class SessionContextResult:
    """What a model would be sent, before conversion to its own roles."""

    messages: MessagesJson
    thinkingLevel: Annotated[str, Meta(description="`off` unless the branch says else.")]
    model: Annotated[ModelRef | None, Meta(description="null: the branch names none.")]


@wire
class ProjectedEntry:
    """An entry and what it adds to the context."""

    sourceEntry: EntryJson
    messages: Annotated[
        MessagesJson, Meta(description="After context edits; empty: it adds nothing.")
    ]


if TYPE_CHECKING:
    ProjectionJson: TypeAlias = list[ProjectedEntry] | Raw
else:
    ProjectionJson = list[ProjectedEntry]


@wire
class SessionProjectionResult:
    """The context together with the entries it comes from."""

    entries: ProjectionJson
    thinkingLevel: Annotated[str, Meta(description="`off` unless the branch says else.")]
    model: Annotated[ModelRef | None, Meta(description="null: the branch names none.")]


@wire
class HeaderResult:
    """The header line."""

    header: HeaderJson


@wire
class SessionNameResult:
    """The session's name."""

    name: Annotated[str | None, Meta(description="null: none.")]


@wire
class CwdResult:
    """The session's working directory."""

    cwd: str


@wire
class SessionDirResult:
    """The directory for sessions branched off."""

    sessionDir: str


@wire
class SessionIdResult:
    """The id in the session's header."""

    sessionId: str


@wire
class SessionFileResult:
    """The session's file, written or not yet."""

    sessionFile: Annotated[str | None, Meta(description="null: in memory.")]


@wire
class IsPersistedResult:
    """Whether the session belongs to a file."""

    persisted: bool


@wire
class UsesDefaultSessionDirResult:
    """Whether the session's directory is the default one of its working directory."""

    default: bool


_ANY = ("UnknownSession", "ReadFailed")


def _build(name: str, result: type[Any], summary: str) -> Method:
    return Method(
        f"session/{name}", BuildParams, result, summary, (*_ANY, "EntryNotFound"), repeatable=True
    )


def _fact(name: str, result: type[Any], summary: str) -> Method:
    return Method(f"session/{name}", SessionParams, result, summary, _ANY, repeatable=True)


METHODS = (
    _build(
        "buildSessionContext",
        SessionContextResult,
        "The messages, thinking level and model of a branch.",
    ),
    _build(
        "buildContextEntries",
        EntriesResult,
        "The entries of a branch that are left after compaction.",
    ),
    _build(
        "buildSessionProjection",
        SessionProjectionResult,
        "The context of a branch, entry by entry.",
    ),
    _fact("getHeader", HeaderResult, "The session's header."),
    _fact("getSessionName", SessionNameResult, "The session's name."),
    _fact("getCwd", CwdResult, "The session's working directory."),
    _fact("getSessionDir", SessionDirResult, "The directory for sessions branched off."),
    _fact("getSessionId", SessionIdResult, "The id in the session's header."),
    _fact("getSessionFile", SessionFileResult, "The session's file, written or not yet."),
    _fact("isPersisted", IsPersistedResult, "Whether the session belongs to a file."),
    _fact(
        "usesDefaultSessionDir",
        UsesDefaultSessionDirResult,
        "Whether its directory is the default one of its working directory.",
    ),
)
