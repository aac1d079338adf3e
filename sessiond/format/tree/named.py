"""Read the members of `label` and `session_info` lines."""

from __future__ import annotations

import msgspec

from sessiond.jsontext.parts import object_members, string_of


class Named(msgspec.Struct, gc=False):
    """The members that are strings; None for the others."""

    targetId: str | None = None  # noqa: N815
    label: str | None = None
    name: str | None = None


_decode = msgspec.json.Decoder(Named).decode


def named(raw: bytes) -> Named:
    """Read the members of a line, which must be a JSON object."""
    try:
        return _decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        members = object_members(raw)
        names = ("targetId", "label", "name")
        return Named(*(string_of(members.get(name)) for name in names))
