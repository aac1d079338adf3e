"""Error codes and error kinds, with the data of each error."""

from __future__ import annotations

import attrs

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
REQUEST_CANCELLED = -32800

JSON_RPC_ERRORS = {
    "ParseError": (PARSE_ERROR, "The body is not UTF-8 or not JSON. Answered with id `null`."),
    "InvalidRequest": (
        INVALID_REQUEST,
        "Not a JSON-RPC 2.0 message, nested deeper than 512, or sent after `shutdown`.",
    ),
    "MethodNotFound": (METHOD_NOT_FOUND, "This daemon does not serve the method."),
    "InvalidParams": (
        INVALID_PARAMS,
        "The params do not fit; `data.pointer` is its place, as a JSON pointer: `/message/role`.",
    ),
    "InternalError": (INTERNAL_ERROR, "A defect of the daemon; its log has the details."),
    "RequestCancelled": (REQUEST_CANCELLED, "`$/cancelRequest` named this request."),
}
"""Name → (code, description) of the errors of JSON-RPC itself, which any request may get.

Their `error.data` is `{kind, retryable}` as in all errors: the name, and false.
"""

JSON_RPC_KINDS = {code: kind for kind, (code, _) in JSON_RPC_ERRORS.items()}
"""Code → kind of the errors of JSON-RPC itself."""


@attrs.frozen
class ErrorKind:
    """One kind of application error.

    On the wire `error.data` is `{kind, retryable, ...data}`. `retryable`: the same request, sent
    again later without a change, can succeed.
    """

    code: int
    kind: str
    retryable: bool
    data: dict[str, str]
    """Further members of `error.data`: name → description."""
    description: str


_PATH = {"path": "Absolute path of the file."}
_OS_ERROR = {
    **_PATH,
    "errno": "The operating system's error number.",
    "strerror": "The operating system's message.",
}

DATA_SCHEMAS: dict[str, dict[str, object]] = {
    "session": {"type": "string"},
    "path": {"type": "string"},
    "line": {"type": "integer"},
    "entryId": {"type": "string"},
    "expected": {"type": ["string", "null"]},
    "leafId": {"type": ["string", "null"]},
    "tipId": {"type": ["string", "null"]},
    "errno": {"type": "integer"},
    "strerror": {"type": "string"},
    "id": {"type": "string"},
    "limit": {"type": "integer"},
    "owner": {"type": "string"},
    "rule": {"type": "string"},
    "instead": {"type": "string"},
    "pids": {"type": "array", "items": {"type": "integer"}},
    "supported": {"type": "array", "items": {"type": "string"}},
}
"""JSON Schema of every member of `error.data` other than `kind` and `retryable`."""

ERROR_KINDS: dict[str, ErrorKind] = {
    kind.kind: kind
    for kind in (
        ErrorKind(
            1001,
            "UnknownSession",
            retryable=False,
            data={"session": "The handle as it was sent."},
            description="No open session has this handle. Open the session again.",
        ),
        ErrorKind(
            1002,
            "SessionNotFound",
            retryable=False,
            data={"path": "Absolute path of the file; of a session that has no file, its id."},
            description="No session file exists at this path, or no session has this id.",
        ),
        ErrorKind(
            1003,
            "InvalidSessionFile",
            retryable=False,
            data={**_PATH, "line": "Number of the line with the error, from 1."},
            description="The file is neither empty nor a session. It was not changed.",
        ),
        ErrorKind(
            1004,
            "EntryNotFound",
            retryable=False,
            data={"entryId": "The id as it was sent."},
            description="The session has no entry with this id.",
        ),
        ErrorKind(
            1005,
            "NotEditable",
            retryable=False,
            data={"entryId": "Id of the entry to edit."},
            description=(
                "The target of a context edit is not on the active branch, or has no content in"
                " the context that could be replaced."
            ),
        ),
        ErrorKind(
            1006,
            "LeafConflict",
            # The same condition would fail again: the client must read the new entries first.
            retryable=False,
            data={
                "expected": "The id that the client expected; null: before the first entry.",
                "leafId": "The handle's present leaf.",
                "tipId": "The last entry of the file at present.",
            },
            description=(
                "The leaf or the tip is not the one that the client expected. Nothing was written;"
                " read the new entries and decide again."
            ),
        ),
        ErrorKind(
            1007,
            "WriteFailed",
            # Nothing was written, so the request can be sent again when the disk has space.
            retryable=True,
            data=_OS_ERROR,
            description=(
                "The operating system refused the write (disk full, permissions). File and memory"
                " are as they were before."
            ),
        ),
        ErrorKind(
            1008,
            "PathNotAllowed",
            retryable=False,
            data=_PATH,
            description="The path is outside the directories of `--root`.",
        ),
        ErrorKind(
            1009,
            "ReadOnly",
            retryable=False,
            data=_PATH,
            description="The session was opened for reading only.",
        ),
        ErrorKind(
            1010,
            "InvalidSessionId",
            retryable=False,
            data={"id": "The session id as it was sent."},
            description=(
                "Session ids consist of letters, digits, `-`, `_` and `.`, and start and end with a"
                " letter or digit."
            ),
        ),
        ErrorKind(
            1011,
            "TooLarge",
            retryable=False,
            data={"limit": "The limit, in bytes."},
            description="A message or value is larger than the daemon accepts.",
        ),
        ErrorKind(
            1012,
            "AlreadyExists",
            retryable=False,
            data=_PATH,
            description="The file exists already; the daemon never replaces it.",
        ),
        ErrorKind(
            1013,
            "Busy",
            # The other process will release the lock.
            retryable=True,
            data={**_PATH, "owner": "The holder of the lock, as far as it is known."},
            description="Another process held the file's lock for longer than `--lock-timeout`.",
        ),
        ErrorKind(
            1014,
            "InvalidQuery",
            retryable=False,
            data={},
            description="The search query cannot be understood.",
        ),
        ErrorKind(
            1015,
            "Unsupported",
            retryable=False,
            data={
                "path": "Absolute path of the file or directory that it is about.",
                "instead": "Text for people: what to do instead.",
            },
            description=(
                "Not available on this platform, for this profile, or for this store, because"
                " OpenClaw keeps its sessions in the database at `path` now."
            ),
        ),
        ErrorKind(
            1016,
            "GatewayRejected",
            retryable=False,
            data={"rule": "Name of the rule."},
            description="A rule of the gateway's store forbids it.",
        ),
        ErrorKind(
            1017,
            "ReadFailed",
            # The usual reason is the type of the file (a directory, a device): it does not change.
            retryable=False,
            data=_OS_ERROR,
            description=(
                "The file cannot be read: permissions, a directory, a FIFO, a device, a loop of"
                " symbolic links, an I/O error."
            ),
        ),
        ErrorKind(
            1018,
            "InUse",
            # The other processes will close it.
            retryable=True,
            data={**_PATH, "pids": "Processes that have it open for writing."},
            description="A program has the session open for writing; the message names it.",
        ),
        ErrorKind(
            1019,
            "OutOfResources",
            # Other programs and other requests will free some.
            retryable=True,
            data={"strerror": _OS_ERROR["strerror"]},
            description=(
                "The daemon has no file descriptor, no memory or no thread left for the request."
                " Every method can be answered with it."
            ),
        ),
        ErrorKind(
            1020,
            "InvalidCursor",
            # The position of the cursor does not exist any more.
            retryable=False,
            data={},
            description="The cursor does not belong to this list. Start again without a cursor.",
        ),
        ErrorKind(
            1021,
            "UnsupportedVersion",
            retryable=False,
            data={"supported": "The protocol versions that this daemon speaks."},
            description="The daemon speaks none of the client's `protocolVersions`.",
        ),
        ErrorKind(
            1022,
            "TimedOut",
            # Another time there may be fewer others, and what was read is kept.
            retryable=True,
            data={},
            description="The answer took too long and was given up; ask for less, or again later.",
        ),
        ErrorKind(
            1023,
            "IdConflict",
            # The id stays taken.
            retryable=False,
            data={"entryId": "The id."},
            description=(
                "Another entry has the id `newEntryId`: its type, parent or content differs."
                " Nothing was written; choose another id."
            ),
        ),
    )
}
"""Every kind of application error, by name, in the order of their codes."""
