"""Parse well-formed lines, as the agents write them, as fast as possible."""

from __future__ import annotations

import msgspec

from sessiond.format.entries import (
    MESSAGE,
    SESSION,
    SIDE,
    Entry,
    decode_quickly,
)
from sessiond.format.loaded import Loaded

_CR, _OPEN, _CLOSE = b"\r{}"


class QuickLines:
    """Adds the entries of well-formed lines to `loaded`.

    `shared` holds one object for each type and role. Without `needs_ids` entries may lack an id.
    """

    def __init__(self, loaded: Loaded, shared: dict[str, str], *, needs_ids: bool) -> None:
        self._loaded = loaded
        self._share = shared.setdefault
        self._needs_ids = needs_ids

    def take(self, run: bytes, pos: int, line: int) -> int:
        """Parse lines of valid UTF-8 from `pos` until one that needs all the rules.

        Returns the position of that line or the end of the run. `line` is the number of the line
        before. The hot loop: one copy and one decode for each line.
        """
        loaded = self._loaded
        entries = loaded.entries
        add, find, decode, share = entries.append, run.find, decode_quickly, self._share
        needs_ids = self._needs_ids
        size = len(run)
        last_id = entries[-1].id if entries else None
        while pos < size:
            end = find(b"\n", pos)
            stop = end
            if run[stop - 1] == _CR and stop > pos + 1:
                stop -= 1
                loaded.crlf = True
            if run[pos] != _OPEN or run[stop - 1] != _CLOSE:
                break
            try:
                raw = run[pos:stop]
                facts = decode(raw)
            except (msgspec.MsgspecError, RecursionError):
                break
            kind = facts.type
            entry_id = facts.id
            if kind == SESSION or not (entry_id or not needs_ids):
                break
            role = None
            if kind == MESSAGE:
                kind = MESSAGE
                role = share(facts.message.role, facts.message.role) if facts.message else ""
            else:
                kind = share(kind, kind)
            line += 1
            parent = facts.parent_id
            add(
                Entry(
                    entry_id,
                    last_id if parent == last_id else parent,
                    kind,
                    facts.timestamp,
                    role,
                    raw,
                    line,
                    facts.append_mode == SIDE,
                )
            )
            last_id = entry_id
            pos = end + 1
        return pos
