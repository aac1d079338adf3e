"""The server of the Model Context Protocol for one client, and the protocol versions it serves.

https://modelcontextprotocol.io/specification has the versions.

The first messages are usually answered before this module is imported: see `front/first_answers`.

Up to version 2025-11-25 a connection begins with `initialize`, which agrees on the version. From
2026-07-28 on there is no such state: every request names its version in `params._meta`. Both are
served on the same connection (specification 2026-07-28, "Versioning", dual-era servers).
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType
from sessiond_protocol.errors import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND

from sessiond.rpc.methods import Method
from sessiond.rpc.params import decode_params
from sessiond.rpc.server import RpcRules, Server
from sessiond.runtime.config import McpConfig
from sessiond.runtime.errors import InvalidParams, ProtocolError, SessiondError
from sessiond.shared.front import fixed_answers
from sessiond.shared.front.first_answers import BegunConversation
from sessiond.shared.front.fixed_answers import (
    CLIENT_CAPABILITIES,
    HOUR_MS,
    STATELESS,
    SUPPORTED,
    VERSION,
)

UNSUPPORTED_VERSION = -32022
RESOURCE_NOT_FOUND = -32002
"""The code for an unknown resource up to version 2025-11-25; later it is INVALID_PARAMS."""

Era = Literal["handshake", "stateless"]


class RequestMeta(msgspec.Struct, gc=False):
    """The members of `params._meta` that are used here."""

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


Handler = Callable[[Era, Any], Coroutine[Any, Any, dict[str, Any]]]


class ClientProgram(msgspec.Struct, gc=False):
    """Name and version of the client's program."""

    name: str
    version: str = ""


class HandshakeParams(msgspec.Struct, gc=False):
    """The members of `initialize` that are used here."""

    protocol_version: str = msgspec.field(name="protocolVersion")
    client_info: ClientProgram | None = msgspec.field(name="clientInfo", default=None)


class CancelledParams(msgspec.Struct, gc=False):
    """`notifications/cancelled`."""

    request_id: int | str = msgspec.field(name="requestId")


class PageParams(msgspec.Struct):
    """Params of a list."""

    cursor: str | None = None


class NoParams(msgspec.Struct, gc=False):
    """Params of which no member is used."""


class McpServer(Server):
    """Serves MCP on the connection."""

    def __init__(self, config: McpConfig) -> None:
        self._methods: dict[str, Method] = {}
        rules = RpcRules(batches=False, answers_cancelled=False, null_ids=False)
        super().__init__(self._methods.get, "line", config.max_message, rules)
        self.config = config
        self.version: str | None = None
        """The version that `initialize` has agreed on."""
        self.hear_client: Callable[[str], None] | None = None
        """Called with name and version of the client's program."""
        self.answer("initialize", HandshakeParams, self._initialize, era=None)
        self.answer("ping", NoParams, self._ping, era="handshake")
        self.answer("server/discover", NoParams, self._discover, era="stateless", ttl_ms=HOUR_MS)
        for method, result in fixed_answers.generated_lists().items():
            self.answer(method, PageParams, _answering(result), ttl_ms=HOUR_MS)
        self.register("notifications/cancelled", CancelledParams, self._cancelled, is_urgent=True)
        for name in ("notifications/initialized", "notifications/roots/list_changed"):
            self.register(name, None, _ignored, is_urgent=True)

    def register(
        self,
        name: str,
        params_type: type | None,
        run: Callable[[Any], Any],
        *,
        is_urgent: bool = False,
    ) -> None:
        """Serve a method or notification; see `rpc.methods.Method`."""
        self._methods[name] = Method(name, run, params_type, is_urgent)

    def begin(self, begun: BegunConversation) -> None:
        """Continue a conversation; call it before `serve`."""
        self.version = begun.version
        if begun.client and self.hear_client is not None:
            self.hear_client(begun.client)
        self.receive_first(begun.rest)

    def answer(
        self,
        name: str,
        params_type: type,
        handler: Handler,
        *,
        era: Era | Literal["both"] | None = "both",
        ttl_ms: int | None = None,
    ) -> None:
        """Serve `name` with `handler`. `era`: the only one that has the method.

        With `era=None` the method is served whatever the request says about its version.
        """
        decoders: list[msgspec.json.Decoder[Any]] = []

        async def run(raw: msgspec.Raw) -> Any:
            of_request = self._accepted(name, raw, era)
            if not decoders:
                decoders.append(msgspec.json.Decoder(params_type))
            try:
                result = await handler(of_request, decode_params(decoders[0], raw))
            except SessiondError as error:
                data = {"kind": error.kind, **error.data}
                raise ProtocolError(INTERNAL_ERROR, error.message, data) from error
            if of_request == "handshake":
                return result
            return fixed_answers.stateless(result, ttl_ms)

        self.register(name, msgspec.Raw, run)

    def _accepted(self, name: str, raw: msgspec.Raw, era: Era | Literal["both"] | None) -> Era:
        """Return the era of a request. Raises as `era_of` does, and for one without the method."""
        if era is None:
            return "handshake"
        meta = meta_of(raw)
        if name == "ping" and meta.version is msgspec.UNSET:
            # It may come before `initialize`.
            return "handshake"
        of_request = era_of(meta, self.version)
        if era not in ("both", of_request):
            raise ProtocolError(METHOD_NOT_FOUND, f"Method not found: {name}")
        return of_request

    def notify(self, method: str, params: Any) -> None:
        """Send nothing: no notification of the daemon's methods is one of MCP's."""

    async def _initialize(self, _era: Era, params: HandshakeParams) -> dict[str, Any]:
        self.version = fixed_answers.agreed(params.protocol_version)
        info = params.client_info
        if info is not None and self.hear_client is not None:
            self.hear_client(fixed_answers.named_client(info.name, info.version))
        return fixed_answers.initialized(self.version)

    async def _ping(self, _era: Era, _params: NoParams) -> dict[str, Any]:
        return {}

    async def _discover(self, _era: Era, _params: NoParams) -> dict[str, Any]:
        return fixed_answers.discovered()

    def _cancelled(self, params: CancelledParams) -> None:
        self.cancel(params.request_id)


def _answering(result: dict[str, Any]) -> Handler:
    async def answer(_era: Era, _params: Any) -> dict[str, Any]:
        return result

    return answer


def _ignored(_params: None) -> None:
    pass
