"""Read the members of `label` and `session_info` lines."""

from __future__ import annotations

import msgspec

from sessiond.jsontext.lenient import lenient


class Named(msgspec.Struct, gc=False):
    """The members that are strings; None for the others."""

    targetId: str | None = None  # noqa: N815
    label: str | None = None
    name: str | None = None


_decode = lenient(Named)


def named(raw: bytes) -> Named:
    """Read the members of a line, which must be a JSON object."""
    return _decode(raw) or Named()
