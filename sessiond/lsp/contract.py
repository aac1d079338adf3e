"""The methods of the daemon on the editor's connection.

cattrs structures params by the classes of the contract, and msgspec judges them, as in the daemon.
JSON has passed pygls before: numbers may be spelled otherwise, and of members with the same name
the last one counts.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from typing import Any

from msgspec import Raw
from msgspec.json import Decoder
from sessiond_protocol.method import Method

from sessiond.lsp.server import SessionServer, answered
from sessiond.methods.table import FAMILIES
from sessiond.rpc.codec import encode
from sessiond.rpc.params import decode_params, members_of
from sessiond.runtime.errors import InvalidParams
from sessiond.text.spans import Json, loads

_PREFIXES = ("session/", "context/", "catalog/", "gateway/")


def register(server: SessionServer) -> None:
    """Serve the requests of the contract from `session/` to `gateway/`."""
    server.converter.register_structure_hook_factory(_is_of_contract, _structuring)
    for prefix in _PREFIXES:
        methods: dict[str, Method] = import_module(FAMILIES[prefix].contract).METHODS
        for method in methods.values():
            if method.kind == "request":
                _serve(server, method)


def _serve(server: SessionServer, method: Method) -> None:
    @server.feature(method.name)
    @answered
    async def serve(ls: SessionServer, given: Any) -> Any:
        contract_method = ls.contract_methods.find(method.name)
        assert contract_method is not None, "a method of the contract"  # noqa: S101
        params = None
        if method.params is None:
            decode_params(None, _as_json(given))
        else:
            params = ls.converter.structure(given, method.params)
        result = await contract_method.run(params)
        return loads(bytes(result) if isinstance(result, Json) else encode(result))


def _as_json(given: Any) -> Raw:
    try:
        return Raw(json.dumps({} if given is None else given, allow_nan=False).encode())
    except ValueError:
        raise InvalidParams("a number is too large for JSON") from None


def _is_of_contract(kind: Any) -> bool:
    return str(getattr(kind, "__module__", "")).startswith("sessiond_protocol.")


def _structuring(kind: Any) -> Callable[[Any, Any], Any]:
    """Return the hook that makes params of a class; it raises InvalidParams."""
    decoder, members = Decoder(kind), members_of(kind)

    def structure(given: Any, _kind: Any) -> Any:
        return decode_params(decoder, _as_json(given), members)

    return structure
