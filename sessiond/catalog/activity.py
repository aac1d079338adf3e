"""The rule for agents that do not say what they do: whether a session shows that they run."""

from __future__ import annotations

from sessiond_protocol.session.activity import SessionActivity

from sessiond.catalog.summaries import Summary
from sessiond.files.own_writes import OWN_WRITES

_SECOND_NS = 1_000_000_000
LATELY_NS = 60 * _SECOND_NS
"""Nanoseconds after a write in which a session counts as one that runs."""

TURN_NS = 30 * 60 * _SECOND_NS
"""The same if its last message waits for a model or a tool, which may take long."""


def shown_activity(summary: Summary, now_ns: int) -> SessionActivity | None:
    """Return the activity that the file of a session shows; None if no agent seems to run.

    Agents do not say that they run, but they write at least when a call begins and ends. Writes of
    this process are not theirs.
    """
    if now_ns - summary.state.mtime_ns >= TURN_NS:
        # Nearly all sessions of a list.
        return None
    written_ns = OWN_WRITES.foreign_ns(summary.state)
    limit_ns = TURN_NS if summary.is_unanswered else LATELY_NS
    if written_ns is None or now_ns - written_ns >= limit_ns:
        return None
    return SessionActivity(state="running")
