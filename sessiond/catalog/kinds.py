"""Which kinds of sessions a list has."""

from __future__ import annotations

from typing import NamedTuple

from sessiond.catalog.summaries import Summary


class Kinds(NamedTuple):
    """Which sessions a list has beside those that people began and go on with."""

    subagents: bool = False
    """Also sessions that agents began."""
    past: bool = False
    """Also transcripts that a gateway put away."""

    def have(self, summary: Summary) -> bool:
        """Return whether a list of these kinds has a session."""
        # Only the name of a transcript that was put away ends with a time.
        is_usual = self.subagents or summary.header.subagent is None
        return is_usual and (self.past or not summary.path.endswith("Z"))
