"""Display names of groups."""

from __future__ import annotations

import re

from sessiond.gateway.keys import session_key
from sessiond.gateway.keys.identity import token, trim
from sessiond.gateway.keys.inbound import Group
from sessiond.jsontext.spans import JS_SPACES

_OTHERS = re.compile(r"[^a-z0-9#@._+-]+")
_DASHES = re.compile(r"--+")


def parse_group_key(key: str) -> Group | None:
    """The group of a key `<channel>:group:<id>` or `<channel>:channel:<id>`, also with an agent."""
    parsed = session_key.parse(key)
    parts = [part for part in (key if parsed is None else parsed.rest).split(":") if part]
    if len(parts) < 3 or parts[1] not in {"group", "channel"}:
        return None
    return Group(parts[0], "channel" if parts[1] == "channel" else "group", ":".join(parts[2:]))


def group_name(
    key: str,
    channel: str | None = None,
    *,
    group_channel: str | None = None,
    subject: str | None = None,
    space: str | None = None,
    id_: str | None = None,
) -> str:
    """The default name of a group, such as `discord:friends-of-x#general`.

    Built from its channel and space, else from the first of channel, subject, space, id and key
    that is not empty.
    """
    provider = token(channel) or "group"
    room, area = trim(group_channel or ""), trim(space or "")
    if room and area:
        said = f"{area}{room}" if room.startswith("#") else f"{area}#{room}"
    else:
        said = room or trim(subject or "") or area or trim(id_ or "") or key
    name = _slug(said)
    if not room:
        name = name.lstrip("#")
    if name and not name.startswith(("@", "g-")) and "#" not in name:
        name = f"g-{name}"
    return f"{provider}:{name}" if name else provider


def _slug(text: str) -> str:
    dashed = _OTHERS.sub("-", JS_SPACES.sub("-", token(text)))
    return _DASHES.sub("-", dashed).strip("-.")
