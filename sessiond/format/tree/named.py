"""What lines of labels and session names say."""

from __future__ import annotations

import msgspec

from sessiond.jsontext.parts import object_members, string_of


class Named(msgspec.Struct, gc=False):
    """Those of the members that are strings."""

    targetId: str | None = None  # noqa: N815
    label: str | None = None
    name: str | None = None


_decode = msgspec.json.Decoder(Named).decode


def named(raw: bytes) -> Named:
    """The members of a line, which must be a JSON object."""
    try:
        return _decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        members = object_members(raw)
        names = ("targetId", "label", "name")
        return Named(*(string_of(members.get(name)) for name in names))
