"""The protocol versions, and what a request says about the version that it uses.

Up to 2025-11-25 a connection begins with `initialize`, which agrees on the version. From 2026-07-28
on there is no such state: every request names its version in `params._meta`. Both are served on the
same connection (specification 2026-07-28, "Versioning", dual-era servers).
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType
from sessiond_protocol.errors import INVALID_PARAMS

from sessiond.errors import InvalidParams, ProtocolError
from sessiond.front.fixed_answers import (
    CLIENT_CAPABILITIES,
    META_PREFIX,
    STATELESS,
    SUPPORTED,
    VERSION,
)
from sessiond.rpc.params import decode_params

UNSUPPORTED_VERSION = -32022
RESOURCE_NOT_FOUND = -32002
"""Used up to version 2025-11-25; later it is INVALID_PARAMS."""

SUBSCRIPTION_ID = f"{META_PREFIX}subscriptionId"

Era = Literal["handshake", "stateless"]


class RequestMeta(msgspec.Struct, gc=False):
    """The members of `params._meta` that are used here."""

    progress_token: int | str | None = msgspec.field(name="progressToken", default=None)
    version: str | UnsetType = msgspec.field(name=VERSION, default=UNSET)
    capabilities: dict[str, Any] | UnsetType = msgspec.field(
        name=CLIENT_CAPABILITIES, default=UNSET
    )


class _WithMeta(msgspec.Struct, gc=False):
    meta: RequestMeta | None = msgspec.field(name="_meta", default=None)


_META = msgspec.json.Decoder(_WithMeta)


def meta_of(params: msgspec.Raw) -> RequestMeta:
    """Decode `_meta`. Raises InvalidParams."""
    return decode_params(_META, params).meta or RequestMeta()


def era_of(meta: RequestMeta, agreed: str | None) -> Era:
    """Return the era of a request; `agreed` is the version from `initialize`, if any.

    Raises InvalidParams, and ProtocolError for a version that is not served.
    """
    if meta.version is UNSET and meta.capabilities is UNSET:
        if agreed is None:
            raise InvalidParams(
                f"the version is unknown: send `initialize` first, or `{VERSION}` and"
                f" `{CLIENT_CAPABILITIES}` with every request",
                "$._meta",
            )
        return "handshake"
    for name, value in ((VERSION, meta.version), (CLIENT_CAPABILITIES, meta.capabilities)):
        if value is UNSET:
            raise InvalidParams("required member is missing", f"$._meta.{name}")
    if meta.version != STATELESS:
        raise ProtocolError(
            UNSUPPORTED_VERSION,
            "Unsupported protocol version",
            {"supported": list(SUPPORTED), "requested": meta.version},
        )
    return "stateless"


def not_found(era: Era, uri: str) -> ProtocolError:
    """The error for a resource that does not exist."""
    code = INVALID_PARAMS if era == "stateless" else RESOURCE_NOT_FOUND
    return ProtocolError(code, "Resource not found", {"uri": uri})
