"""The first line of files of Oh My Pi: its title, in 256 bytes that are rewritten in place.

Oh My Pi 18.2.3: `src/session/session-title-slot.ts`. The header is the second line then.
"""

from __future__ import annotations

from sessiond.text.parts import members_of_line, string_of

_BEGINS = b'{"type":"title",'


def title_in_slot(line: bytes) -> str | None:
    """Return the title in a first line, which may be empty; None if the line is no such slot."""
    if not line.startswith(_BEGINS):
        return None
    members = members_of_line(line) or {}
    texts = [string_of(members.get(name)) for name in ("title", "updatedAt", "pad")]
    return None if members.get("v") != b"1" or None in texts else texts[0]
