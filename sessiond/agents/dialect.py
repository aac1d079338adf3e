"""The rules in which the gateways of agents differ.

They share one format of the store, but later versions of OpenClaw changed rules. A rule that
differs asks the dialect; all other rules are those of CoderClaw, its fork of February 2026.
"""

from __future__ import annotations

import attrs


@attrs.frozen
class Dialect:
    """The rules of one gateway in which gateways differ."""

    keeps_case: bool = False
    """Whether ids of Signal groups and Matrix rooms keep their case in keys (OpenClaw 2026.7.1)."""
    silence_is_whole: bool = False
    """Whether only a reply that is the token in any case is silent (OpenClaw 2026.7.1)."""


USUAL = Dialect()
"""The rules of CoderClaw, and of a store without an agent."""
