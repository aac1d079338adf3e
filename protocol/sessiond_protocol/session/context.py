"""The context that a model is sent, and facts about a session."""
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
                "Last entry of the branch; absent: the handle's leaf; null: before the"
                " first entry, which gives an empty context."
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
    """The context for a model, before its messages are converted to the roles of a provider."""

    messages: MessagesJson
    thinkingLevel: Annotated[str, Meta(description="`off` unless the branch sets another level.")]
    model: Annotated[ModelRef | None, Meta(description="null: the branch sets no model.")]


@wire
class ProjectedEntry:
    """An entry and the messages that it contributes to the context."""

    sourceEntry: EntryJson
    messages: Annotated[
        MessagesJson,
        Meta(description="Messages after context edits; empty: the entry contributes none."),
    ]


if TYPE_CHECKING:
    ProjectionJson: TypeAlias = list[ProjectedEntry] | Raw
else:
    ProjectionJson = list[ProjectedEntry]


@wire
class SessionProjectionResult:
    """The context together with the entries that contribute to it."""

    entries: ProjectionJson
    thinkingLevel: Annotated[str, Meta(description="`off` unless the branch sets another level.")]
    model: Annotated[ModelRef | None, Meta(description="null: the branch sets no model.")]


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
    """The directory for sessions branched off this one."""

    sessionDir: str


@wire
class SessionIdResult:
    """The id in the session's header."""

    sessionId: str


@wire
class SessionFileResult:
    """Path of the session's file."""

    sessionFile: Annotated[
        str | None,
        Meta(
            description=(
                "Absolute path, also before the file is written; null for a session in memory."
            )
        ),
    ]


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
        "The entries of a branch that remain in the context after compaction.",
    ),
    _build(
        "buildSessionProjection",
        SessionProjectionResult,
        "The context of a branch, entry by entry.",
    ),
    _fact("getHeader", HeaderResult, "The session's header."),
    _fact("getSessionName", SessionNameResult, "The session's name."),
    _fact("getCwd", CwdResult, "The session's working directory."),
    _fact("getSessionDir", SessionDirResult, "The directory for sessions branched off this one."),
    _fact("getSessionId", SessionIdResult, "The id in the session's header."),
    _fact(
        "getSessionFile",
        SessionFileResult,
        "The path of the session's file, also before it is written.",
    ),
    _fact("isPersisted", IsPersistedResult, "Whether the session belongs to a file."),
    _fact(
        "usesDefaultSessionDir",
        UsesDefaultSessionDirResult,
        "Whether its directory is the default one of its working directory.",
    ),
)
