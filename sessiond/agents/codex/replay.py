"""Tell which lines of a rollout are copies of its parent's.

A fork, and an agent that was spawned with the context of its parent, begin with their own
`session_meta` and copies of the parent's lines, which have the time of the copy. Paginated threads
(0.169) say where their own lines begin, or copy nothing. Legacy ones begin with the first turn that
was started after the thread.
"""

from __future__ import annotations

import re
from typing import Self

import attrs

from sessiond.agents.messages import Members, count_of
from sessiond.text.dates import parse_js_date
from sessiond.text.parts import string_of

_UUID_7 = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-7")
_PAUSE_MS = 1000
"""Copies are written at once; a turn of an old version that does not say when it was started is the
thread's own if it comes so much later."""


@attrs.define
class Replay:
    """The copies with which a rollout begins."""

    began_ms: float
    """The time of the thread."""
    own_ordinal: int
    """The ordinal of the first own line; 0: not recorded."""
    has_begun: bool = False
    copied_ms: float = 0
    """The time of the first copy."""

    @classmethod
    def of(cls, meta: Members, time: str) -> Self:
        began_ms = parse_js_date(time) or 0
        return cls(began_ms, count_of(meta.get("subagent_history_start_ordinal")))

    def ends(self, kind: str | None, payload: Members, line: Members) -> bool:
        """Return whether a line is the first own one, or nothing was copied; note where it begins.

        `payload` is that of the `line`.
        """
        if self.own_ordinal:
            self.has_begun = True
            return count_of(line.get("ordinal")) >= self.own_ordinal
        at_ms = parse_js_date(string_of(line.get("timestamp"))) or 0
        if kind == "session_meta" and not self.has_begun:
            self.has_begun, self.copied_ms = True, at_ms
        is_turn = kind == "turn_context" or string_of(payload.get("type")) == "task_started"
        # Without copies the first line is followed by a turn of its own.
        return is_turn and (not self.has_begun or self._is_own(payload, at_ms))

    def _is_own(self, turn: Members, at_ms: float) -> bool:
        started_ms = _uuid_ms(string_of(turn.get("turn_id")) or "")
        if started_ms is not None:
            return started_ms >= self.began_ms
        started_s = count_of(turn.get("started_at"))
        if started_s:
            return started_s >= self.began_ms // 1000
        return at_ms - self.copied_ms > _PAUSE_MS


def _uuid_ms(uuid: str) -> int | None:
    """Return the time in a UUID of version 7 in milliseconds; None for any other text."""
    return int(uuid[:13].replace("-", ""), 16) if _UUID_7.match(uuid) else None
