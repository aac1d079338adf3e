"""What OpenClaw does otherwise than CoderClaw, its fork of February 2026.

The store has one format for both, and later versions of OpenClaw changed rules. A rule that differs
asks the dialect; all others are CoderClaw's.
"""

from __future__ import annotations

import attrs


@attrs.frozen
class Dialect:
    """The rules of one gateway, where gateways differ."""

    keeps_case: bool = False
    """Whether ids of Signal groups and Matrix rooms keep their case in keys (OpenClaw 2026.7.1)."""
    accounts_are_slugs: bool = False
    """Whether `accountId` in routes is spelled as an agent's id (`Acct 1`: `acct-1`)."""
    new_keeps_model: bool = False
    """Whether `/new` keeps `modelOverride` and `providerOverride`."""
    has_session_times: bool = False
    """Whether the day counts from `sessionStartedAt` and being idle from `lastInteractionAt`, where
    an entry has them, and mode `idle` without minutes never expires (OpenClaw 2026.4.29)."""
    silence_is_whole: bool = False
    """Whether a reply is silent only if the token is all of it, in any case (OpenClaw 2026.7.1)."""


CODERCLAW = Dialect()
OPENCLAW = Dialect(
    keeps_case=True,
    accounts_are_slugs=True,
    new_keeps_model=True,
    has_session_times=True,
    silence_is_whole=True,
)


def dialect_of(profile: str) -> Dialect:
    """The dialect of a profile, by its name; CoderClaw's for those that have no gateway."""
    return OPENCLAW if profile == "openclaw" else CODERCLAW
