"""The table of the daemon's methods: families by prefix, imported on first use.

Importing all of them takes a fifth of the start-up time, and most of a command's; most clients use
few of them.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Coroutine, Iterable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

import attrs
from sessiond_protocol.method import Method as Described
from sessiond_protocol.wire import given

from sessiond.methods.client import Client
from sessiond.methods.handlers import Handlers, Several
from sessiond.rpc.methods import Method
from sessiond.rpc.params import members_of
from sessiond.runtime.errors import ReadFailed


@attrs.frozen
class Family:
    """Methods with a common prefix, whose modules are imported together."""

    contract: str
    """The module whose METHODS describe them."""
    package: str
    """The package of their modules."""
    modules: tuple[str, ...] = ()
    """The modules, each with METHODS. The package of an annex names none: its `load` gets the
    client, prepares the annex and returns the methods."""

    def load(self) -> tuple[ModuleType, ModuleType, list[ModuleType]]:
        """Import the contract, the package and the modules. Raises OSError."""
        contract, package = import_module(self.contract), import_module(self.package)
        return contract, package, [import_module(f"{self.package}.{name}") for name in self.modules]


_CONNECTION = Family(
    "sessiond_protocol.connection.table", "sessiond.methods.connection", ("lifecycle",)
)
FAMILIES = {
    # What commands often call, without the other methods of the family.
    "session/list": Family("sessiond_protocol.session.list", "sessiond.methods.session", ("list",)),
    "catalog/search": Family(
        "sessiond_protocol.catalog.search", "sessiond.methods.catalog", ("search",)
    ),
    "catalog/usage": Family(
        "sessiond_protocol.catalog.usage", "sessiond.methods.catalog", ("usage",)
    ),
    "session/": Family(
        "sessiond_protocol.session.table",
        "sessiond.methods.session",
        ("open", "list", "append", "drafts", "activity", "read"),
    ),
    "context/": Family(
        "sessiond_protocol.context.table", "sessiond.methods.context", ("tokens", "plan")
    ),
    "catalog/sync": Family("sessiond_protocol.catalog.table", "sessiond.sync.methods", ("sync",)),
    "catalog/": Family(
        "sessiond_protocol.catalog.table",
        "sessiond.methods.catalog",
        ("subscribe", "search", "upkeep", "undo", "marks", "stats", "usage", "export", "agents"),
    ),
    "gateway/": Family("sessiond_protocol.gateway.table", "sessiond.gateway.methods"),
    **dict.fromkeys(("initialize", "shutdown", "exit", "rpc.", "daemon/"), _CONNECTION),
}
"""By prefix; the first one that fits has the method."""

_URGENT = ("shutdown", "exit")
"""They run on arrival, before all that waits."""

_LONG = ("session/list", "session/listAll", "catalog/export")
"""Their answers are long, whatever they are asked."""


class MethodTable:
    """The methods for one client, by name."""

    client: Client
    """Set before the first method is asked for."""

    def __init__(self, client: Client | None = None) -> None:
        if client is not None:
            self.client = client
        self._methods: dict[str, Method] = {}

    def find(self, name: str) -> Method | None:
        """Return a method, or None if there is none with this name.

        Raises ReadFailed if its modules cannot be read.
        """
        if name not in self._methods:
            prefix = next(filter(name.startswith, FAMILIES), None)
            if prefix is not None:
                self._load(FAMILIES[prefix])
        return self._methods.get(name)

    def _load(self, family: Family) -> None:
        try:
            # All imports come first, so that a failure adds no method.
            contract, package, modules = family.load()
        except OSError as error:
            raise ReadFailed(os.fsdecode(error.filename or family.package), error) from error
        described = _by_name(contract.METHODS)
        groups: Iterable[Handlers] = (
            [module.METHODS for module in modules] if modules else package.load(self.client)
        )
        for group in groups:
            for name, handler in group.items():
                self._methods[name] = self._method(described[name], handler)

    def _method(self, described: Described, handler: Any) -> Method:
        name, client = described.name, self.client
        run = functools.partial(handler, client)
        if "workDoneToken" in members_of(described.params):
            run = functools.partial(_reporting, client, name, run)
        if name in _LONG:
            run = functools.partial(_at_length, client, run)
        is_joined = isinstance(handler, Several) and handler.is_joined
        return Method(
            name,
            run,
            described.params,
            is_urgent=name in _URGENT,
            # A newer client offers in `initialize` what an older daemon does not know.
            is_closed=described.kind == "request" and name != "initialize",
            together=functools.partial(handler.several, client) if is_joined else None,
        )


def _by_name(described: Mapping[str, Described] | Iterable[Described]) -> Mapping[str, Described]:
    if isinstance(described, Mapping):
        return described
    return {method.name: method for method in described}


Run = Callable[[Any], Coroutine[Any, Any, Any]]


async def _at_length(client: Client, run: Run, params: Any) -> Any:
    async with client.large_answer():
        return await run(params)


async def _reporting(client: Client, name: str, run: Run, params: Any) -> Any:
    if given(params.workDoneToken) is None:
        return await run(params)
    from sessiond.methods.progress import WorkProgress

    with WorkProgress(client.listener, params.workDoneToken, name):
        return await run(params)
