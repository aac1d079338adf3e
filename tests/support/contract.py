"""What the contract says of a method, for tests that send the same params to several."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
from sessiond_protocol.registry import METHODS


def taken(method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the params that the method has: others are refused."""
    kind = METHODS[method].params
    names = attrs.fields_dict(kind) if kind is not None else {}
    return {name: value for name, value in params.items() if name in names}
