"""Error codes and error kinds: what an error answer may carry."""

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
        "The params do not fit; `data.path` is a JSON path from them, such as `$.message.role`.",
    ),
    "InternalError": (INTERNAL_ERROR, "A defect of the daemon; its log has the details."),
    "RequestCancelled": (REQUEST_CANCELLED, "`$/cancelRequest` named this request."),
}
"""Name → (code, description) of the errors that belong to JSON-RPC and to no method."""


@attrs.frozen
class ErrorKind:
    """One kind of application error.

    On the wire `error.data` is `{kind, retryable, ...data}`. `retryable` says whether the very
    same request can succeed later without the client having to change anything in it.
    """

    code: int
    kind: str
    retryable: bool
    data: dict[str, str]
    """Further members of `error.data`: name → what it holds."""
    description: str


_PATH = {"path": "Absolute path of the file concerned."}
_OS_ERROR = {
    **_PATH,
    "errno": "The operating system's error number.",
    "strerror": "The operating system's text for it.",
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
}
"""JSON Schema of every member that `error.data` can have beside `kind` and `retryable`."""

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
            data=_PATH,
            description="There is no session file at this path.",
        ),
        ErrorKind(
            1003,
            "InvalidSessionFile",
            retryable=False,
            data={**_PATH, "line": "Number of the offending line, from 1."},
            description="The file is not empty and not a session. It was left untouched.",
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
            data={"entryId": "Id of the entry that was to be edited."},
            description=(
                "The target of a context edit is not on the active branch, or adds no content to"
                " the context that could be replaced."
            ),
        ),
        ErrorKind(
            1006,
            "LeafConflict",
            # The same expectation would fail again: the client must look at what came in between.
            retryable=False,
            data={
                "expected": "The id the client expected; null: before any entry.",
                "leafId": "The handle's leaf as it is.",
                "tipId": "The last entry of the file as it is.",
            },
            description=(
                "The leaf or the tip is not the one the client expected. Nothing was written; read"
                " what came in between and decide again."
            ),
        ),
        ErrorKind(
            1007,
            "WriteFailed",
            # Nothing of the request was kept, so it can be sent again once there is room.
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
            description="The path lies outside the directories given with `--root`.",
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
            description="A file is there already, and nothing is ever written over it.",
        ),
        ErrorKind(
            1013,
            "Busy",
            # The lock will be let go of.
            retryable=True,
            data={**_PATH, "owner": "Who holds the lock, as far as can be told."},
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
            1014,
            "InvalidCursor",
            # The place the cursor marked is gone for good: begin without one.
            retryable=False,
            data={},
            description="The cursor is not one of this listing. Begin again without a cursor.",
        ),
        ErrorKind(
            1015,
            "Unsupported",
            retryable=False,
            data={
                "path": "Absolute path of the file it cannot be done with.",
                "instead": "What to do instead, for people.",
            },
            description=(
                "Not available here: on this platform, or because OpenClaw keeps the sessions in a"
                " database (`path`) and no longer in the store that was to be written."
            ),
        ),
        ErrorKind(
            1016,
            "GatewayRejected",
            retryable=False,
            data={"rule": "Name of the rule."},
            description="A rule of the gateway's store said no.",
        ),
        ErrorKind(
            1017,
            "ReadFailed",
            # Mostly because of what the path is (a directory, a device), which stays so.
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
            # Whoever has it open will close it.
            retryable=True,
            data={**_PATH, "pids": "Processes that have the session open."},
            description="The session is open, here or in another process.",
        ),
    )
}
"""Every kind of application error, by name, in the order of their codes."""
