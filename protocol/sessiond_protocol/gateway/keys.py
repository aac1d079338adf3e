"""CoderClaw's session layer: keys, by rules that need no store.

The methods of this module and of `rules` read no file. A `config` has the members `session`,
`agents`, `channels` and `cron` of a CoderClaw configuration. A value in it that has the wrong
type is reported in `configProblems` and counts as absent; members that no rule reads are ignored.
"""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from msgspec import UNSET, Meta, Raw, UnsetType

from sessiond_protocol.method import Method
from sessiond_protocol.wire import wire

if TYPE_CHECKING:
    JsonObject: TypeAlias = dict[str, Any]
else:
    JsonObject = dict[str, Raw]
"""An object with any JSON values as members; the daemon keeps their bytes."""

Config: TypeAlias = Annotated[
    JsonObject | UnsetType | None,
    Meta(description="`session`, `agents`, `channels` and `cron` of a CoderClaw configuration."),
]
Moment: TypeAlias = Annotated[float, Meta(ge=0, le=253_370_764_800_000)]
"""Milliseconds since the epoch, before the year 9999."""


@wire
class ConfigProblem:
    """A value of the configuration that has the wrong type and was ignored."""

    path: Annotated[
        str, Meta(description="Path in the configuration, such as `session.reset.mode`.")
    ]
    message: Annotated[str, Meta(description="Text for people.")]


Problems: TypeAlias = Annotated[
    list[ConfigProblem] | UnsetType, Meta(description="Absent: there are none.")
]


@wire
class InboundContext:
    """The origin of an inbound message, with CoderClaw's names."""

    SessionKey: Annotated[
        str | UnsetType | None, Meta(description="Key of the session; overrides all other members.")
    ] = UNSET
    From: Annotated[
        str | UnsetType | None,
        Meta(description="Sender or group, as `telegram:group:-100` or a number."),
    ] = UNSET
    ChatType: Annotated[
        str | UnsetType | None, Meta(description="`direct`, `group` or `channel`.")
    ] = UNSET
    Provider: Annotated[
        str | UnsetType | None,
        Meta(description="Channel, if `From` does not begin with one; empty: no channel."),
    ] = UNSET


@wire
class ResolveKeyParams:
    """Exactly one of `context` and `key`."""

    context: Annotated[
        InboundContext | UnsetType | None, Meta(description="A message of the session.")
    ] = UNSET
    key: Annotated[
        str | UnsetType | None, Meta(description="A key as people and old stores write it.")
    ] = UNSET
    config: Config = UNSET
    agentId: Annotated[
        str | UnsetType | None,
        Meta(description="The agent of a `key` that names none; absent: the default agent."),
    ] = UNSET


@wire
class ParsedKey:
    """The parts of `agent:<agentId>:<rest>`, in their original case."""

    agentId: str
    rest: str


@wire
class ResolveKeyResult:
    """The canonical key of a session, and facts that follow from it."""

    sessionKey: Annotated[str, Meta(description="Empty for a blank key.")]
    kind: Literal["global", "unknown", "group", "direct"]
    agentId: Annotated[str, Meta(description="Agent whose store has the session.")]
    parsed: Annotated[
        ParsedKey | None,
        Meta(
            description=(
                "The parts of `key` as it was sent (with `context`: of `sessionKey`); null: it does"
                " not name an agent."
            )
        ),
    ]
    aliases: Annotated[
        list[str],
        Meta(
            description=(
                "Other keys under which an old store may have the session. They and `sessionKey`"
                " may occur there in upper or lower case."
            )
        ),
    ]
    configProblems: Problems = UNSET


METHODS = (
    Method(
        "gateway/resolveKey",
        ResolveKeyParams,
        ResolveKeyResult,
        "Find the canonical key of a session, from a message or another spelling.",
        repeatable=True,
    ),
)
