"""Start and end of a connection, cancellation, discovery and status."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.connection.profiles import Profile
from sessiond_protocol.method import Method
from sessiond_protocol.wire import Path, wire

PositionEncoding: TypeAlias = Literal["utf-16", "utf-8", "utf-32"]
Framing: TypeAlias = Literal["header", "line"]


@wire
class ClientInfo:
    """The name and version of the client, for the log."""

    name: str
    version: str | UnsetType | None = UNSET


@wire
class ClientCapabilities:
    """Capabilities of the client."""

    plainJson: Annotated[
        bool | None,
        Meta(
            description=(
                "Set it if the client's JSON library cannot hold lone surrogates, integers"
                " beyond 2^53 or numbers like 1e400: it is then sent U+FFFD and strings in"
                " their place. Files are not affected."
            )
        ),
    ] = False


@wire
class InitializeParams:
    """Settings of the connection. Without `initialize`, those of the command line apply."""

    clientInfo: ClientInfo | UnsetType | None = UNSET
    processId: Annotated[
        int | UnsetType | None,
        Meta(
            description=(
                "Id of the client's process; the daemon exits when that process has ended."
                " A process that does not run on the daemon's machine is not watched."
            )
        ),
    ] = UNSET
    profile: Annotated[
        Profile | UnsetType | None,
        Meta(description="The agent program whose directories and rules apply."),
    ] = UNSET
    agentDir: Annotated[
        Path | UnsetType | None,
        Meta(description="Directory of the agent program, instead of the profile's."),
    ] = UNSET
    agentId: Annotated[
        str | UnsetType | None,
        Meta(
            description="Agent of a gateway profile; absent: that of the command line. Without"
            " either it is `main`, and lists and searches show the sessions of all agents."
        ),
    ] = UNSET
    allAgents: Annotated[
        bool | UnsetType | None,
        Meta(
            description="Whether lists, searches and usage are of all agents on this machine."
            " New sessions follow `profile`."
        ),
    ] = UNSET
    positionEncoding: Annotated[
        PositionEncoding | UnsetType | None,
        Meta(description="Unit of positions in text; `utf-16` by default."),
    ] = UNSET
    capabilities: ClientCapabilities | UnsetType | None = UNSET
    protocolVersions: Annotated[
        list[str] | UnsetType | None,
        Meta(
            description=(
                "The versions of this contract that the client speaks; absent: any. The answer's"
                " `protocolVersion` is the one that applies."
            )
        ),
    ] = UNSET


@wire
class ServerInfo:
    """The daemon's name and version."""

    version: str
    name: Annotated[Literal["sessiond"], Meta(description="Name of the program.")] = "sessiond"


@wire
class ServerCapabilities:
    """Capabilities of the daemon."""

    framing: Annotated[Framing, Meta(description="Framing of this connection, in both directions.")]
    methods: Annotated[
        list[str],
        Meta(description="Names of all methods and notifications that the daemon accepts."),
    ]
    notifications: Annotated[
        list[str], Meta(description="Names of all notifications that the daemon may send.")
    ]


@wire
class ListedAgent:
    """An agent whose sessions are listed."""

    agent: Annotated[Profile, Meta(description="Name of the agent's profile.")]
    sessionsDir: Annotated[str, Meta(description="Directory or database of its sessions.")]


@wire
class InitializeResult:
    """The settings that apply to the connection."""

    serverInfo: ServerInfo
    protocolVersion: Annotated[str, Meta(description='Version of this contract: `"1"`.')]
    profile: Profile
    agentDir: Annotated[str, Meta(description="Absolute path of the agent's directory.")]
    sessionsDir: Annotated[
        str,
        Meta(
            description="Absolute path of the directory that holds the sessions; of a gateway,"
            " those of the agent."
        ),
    ]
    positionEncoding: PositionEncoding
    capabilities: ServerCapabilities
    agents: Annotated[
        list[ListedAgent] | UnsetType,
        Meta(description="With `allAgents`: those that are listed."),
    ] = UNSET


@wire
class CancelParams:
    """The request to cancel; it is answered with -32800 unless it was finished already."""

    id: Annotated[int | str, Meta(description="The id of the request.")]


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
class StoreStatus:
    """The store in PostgreSQL, as this daemon sees it."""

    server: Annotated[str, Meta(description="Its URL, without user and password.")]
    requests: Annotated[
        int, Meta(description="Number of requests that wait for the store or are worked on there.")
    ]
    untold: Annotated[
        int, Meta(description="Number of changed sessions of which other hosts are still to hear.")
    ]
    lastError: Annotated[
        str | UnsetType,
        Meta(description="Why it failed the last time; absent: it never has."),
    ] = UNSET
    lastErrorAt: Annotated[
        str | UnsetType, Meta(description="When that was, ISO 8601 UTC with milliseconds.")
    ] = UNSET


@wire
class StatusResult:
    """Counters of the daemon, for people and for monitoring."""

    version: str
    pid: int
    uptimeMs: Annotated[int, Meta(description="Milliseconds since the start.")]
    requests: Annotated[int, Meta(description="Number of requests received so far.")]
    openSessions: Annotated[int, Meta(description="Number of open session handles.")]
    cache: CacheStatus
    watch: WatchStatus
    memoryBytes: Annotated[int, Meta(description="Resident memory of the process.")]
    shared: Annotated[
        bool, Meta(description="Whether the process also serves other clients (`--shared`).")
    ] = False
    connections: Annotated[int, Meta(description="Number of clients served now.")] = 1
    store: Annotated[
        StoreStatus | UnsetType, Meta(description="Absent: sessions are in files.")
    ] = UNSET


OpenRpcDocument: TypeAlias = dict[str, Any]

METHODS = (
    Method(
        "initialize",
        InitializeParams,
        InitializeResult,
        "Agree on the settings of the connection; optional.",
        ("Unsupported", "PathNotAllowed", "UnsupportedVersion"),
    ),
    Method(
        "initialized",
        None,
        None,
        "The client has received the answer to `initialize`.",
        (),
        "notification",
    ),
    Method(
        "shutdown",
        None,
        None,
        ("Finish the running requests; every later request is answered with -32600, until `exit`."),
    ),
    Method(
        "exit",
        None,
        None,
        "End the process: exit code 0 after `shutdown`, otherwise 1.",
        (),
        "notification",
    ),
    Method("$/cancelRequest", CancelParams, None, "Cancel a running request.", (), "notification"),
    Method(
        "rpc.discover",
        None,
        OpenRpcDocument,
        "Read the OpenRPC document of this daemon.",
        repeatable=True,
    ),
    Method(
        "daemon/status", None, StatusResult, "Read the counters of the daemon.", repeatable=True
    ),
)
