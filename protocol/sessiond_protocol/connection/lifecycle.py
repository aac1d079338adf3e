"""The connection itself: beginning, end, cancellation, discovery, status."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.method import Method
from sessiond_protocol.wire import Path, wire

Profile: TypeAlias = Literal["pi", "clanker", "indusagi", "companion", "coderclaw", "openclaw"]
PositionEncoding: TypeAlias = Literal["utf-16", "utf-8", "utf-32"]
Framing: TypeAlias = Literal["header", "line"]


@wire
class ClientInfo:
    """Who is calling; goes into the log."""

    name: str
    version: str | UnsetType | None = UNSET


@wire
class ClientCapabilities:
    """What the client can take in."""

    plainJson: Annotated[
        bool | None,
        Meta(
            description=(
                "The client's JSON library cannot hold a lone surrogate, an integer beyond 2^53 or"
                " a number like 1e400: it gets U+FFFD and strings in their place. Files are not"
                " affected."
            )
        ),
    ] = False


@wire
class InitializeParams:
    """Settings of the connection. A client that skips `initialize` gets the command line's."""

    clientInfo: ClientInfo | UnsetType | None = UNSET
    processId: Annotated[
        int | UnsetType | None,
        Meta(
            description=(
                "Process of the client; the daemon exits when that process is gone. A process that"
                " does not run on the daemon's machine is not watched."
            )
        ),
    ] = UNSET
    profile: Annotated[
        Profile | UnsetType | None,
        Meta(description="The agent whose directories and rules apply."),
    ] = UNSET
    agentDir: Annotated[
        Path | UnsetType | None,
        Meta(description="Directory of the agent, in place of the profile's."),
    ] = UNSET
    agentId: Annotated[
        str | UnsetType | None,
        Meta(description="Agent of a gateway profile; `main` unless the command line says else."),
    ] = UNSET
    positionEncoding: Annotated[
        PositionEncoding | UnsetType | None,
        Meta(description="Unit in which positions in text are counted; `utf-16` by default."),
    ] = UNSET
    capabilities: ClientCapabilities | UnsetType | None = UNSET


@wire
class ServerInfo:
    """Which daemon answers."""

    version: str
    name: Literal["sessiond"] = "sessiond"


@wire
class ServerCapabilities:
    """What this daemon serves."""

    framing: Annotated[Framing, Meta(description="Framing of this connection, both ways.")]
    methods: Annotated[
        list[str], Meta(description="Every method and notification it takes, by name.")
    ]
    notifications: Annotated[list[str], Meta(description="Every notification it may send.")]


@wire
class InitializeResult:
    """The settings in force."""

    serverInfo: ServerInfo
    protocolVersion: Annotated[str, Meta(description='Version of this contract: `"1"`.')]
    profile: Profile
    agentDir: Annotated[str, Meta(description="Absolute path of the agent's directory.")]
    sessionsDir: Annotated[
        str, Meta(description="Absolute path of the directory that holds the sessions.")
    ]
    positionEncoding: PositionEncoding
    capabilities: ServerCapabilities


@wire
class CancelParams:
    """Which request to give up; it is answered with -32800 unless it was done already."""

    id: Annotated[int | str, Meta(description="The request's id, as it was sent.")]


@wire
class CacheStatus:
    """The documents held in memory."""

    documents: int
    bytes: int
    limitBytes: int
    hits: int
    misses: int
    evictions: int


@wire
class WatchStatus:
    """The watcher of directories."""

    directories: Annotated[int, Meta(description="Number of directories watched.")]
    mode: Literal["native", "polling", "off"]
    events: Annotated[int, Meta(description="Number of events seen since the start.")]


@wire
class StatusResult:
    """The daemon's state, for people and for monitoring."""

    version: str
    pid: int
    uptimeMs: Annotated[int, Meta(description="Milliseconds since the start.")]
    requests: Annotated[int, Meta(description="Number of requests received so far.")]
    openSessions: Annotated[int, Meta(description="Number of open session handles.")]
    cache: CacheStatus
    watch: WatchStatus
    memoryBytes: Annotated[int, Meta(description="Resident memory of the process.")]


OpenRpcDocument: TypeAlias = dict[str, Any]

METHODS = (
    Method(
        "initialize",
        InitializeParams,
        InitializeResult,
        "Settle the connection's settings; optional.",
        ("Unsupported", "PathNotAllowed"),
    ),
    Method(
        "initialized",
        None,
        None,
        "The client has read the answer to `initialize`.",
        (),
        "notification",
    ),
    Method(
        "shutdown",
        None,
        None,
        "Finish work in hand; afterwards every request is -32600 until `exit`.",
    ),
    Method(
        "exit", None, None, "End the process: code 0 after `shutdown`, else 1.", (), "notification"
    ),
    Method(
        "$/cancelRequest", CancelParams, None, "Give up a request in flight.", (), "notification"
    ),
    Method(
        "rpc.discover",
        None,
        OpenRpcDocument,
        "The OpenRPC document of exactly this daemon.",
        repeatable=True,
    ),
    Method("daemon/status", None, StatusResult, "Counters of the daemon.", repeatable=True),
)
