"""The record of one method."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import attrs


@attrs.frozen
class Method:
    """A method or notification of the contract.

    `params` is None for a method without params; absent, null, `{}` and `[]` are then accepted.
    `result` is None where the answer is `null`, and for notifications, which have no answer.
    `errors` names kinds of `ERROR_KINDS`; JSON-RPC's own errors and `OutOfResources`
    apply to every method.
    """

    name: str
    params: type[Any] | None
    result: type[Any] | None
    summary: str
    errors: tuple[str, ...] = ()
    kind: Literal["request", "notification"] = "request"
    writes_store: bool = False
    """Whether it changes a gateway's store, except in a dry run."""
    repeatable: bool = False
    """Whether a client may send it again, unchanged, if the daemon ended before it answered.

    That is safe for a method that changes nothing, for one whose second call leaves the same state
    as the first, and for one that takes a `newEntryId`. False for notifications.
    """


def by_name(*groups: Iterable[Method]) -> dict[str, Method]:
    """Return all methods of these groups by name, in their order."""
    return {method.name: method for group in groups for method in group}
