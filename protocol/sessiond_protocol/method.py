"""The record of one method."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import attrs


@attrs.frozen
class Method:
    """A method or notification of the contract.

    `params` is None where nothing may be asked for (absent, null, `{}` and `[]` are then all fine);
    `result` is None where the answer is `null`, as it is for notifications, which have none.
    `errors` names kinds of `ERROR_KINDS`; JSON-RPC's own errors apply to every method.
    """

    name: str
    params: type[Any] | None
    result: type[Any] | None
    summary: str
    errors: tuple[str, ...] = ()
    kind: Literal["request", "notification"] = "request"
    writes_store: bool = False
    """Whether it changes a gateway's store, unless it was asked for a dry run. `gateway/resolve` is
    not one of these: it moves an entry to its key only where the store may be written."""


def by_name(*groups: Iterable[Method]) -> dict[str, Method]:
    """All methods of some groups, in their order."""
    return {method.name: method for group in groups for method in group}
