"""Decide whether a session has expired, by the daily reset or by idle time."""

from __future__ import annotations

import math
from datetime import timedelta
from typing import Literal

import attrs

from sessiond.gateway.config import Part
from sessiond.gateway.keys import token
from sessiond.runtime.clock import Zone, epoch_ms, local

Mode = Literal["daily", "idle"]
ResetType = Literal["direct", "group", "thread"]

DEFAULT_HOUR = 4
DEFAULT_IDLE_MINUTES = 60
_MINUTE = 60_000
_NEVER = 2**53
"""Above this number, minutes or milliseconds count as never."""
_ALIASES = {"imsg": "imessage", "internet-relay-chat": "irc"}
_ALIASES |= {"google-chat": "googlechat", "gchat": "googlechat"}


@attrs.frozen
class ResetPolicy:
    """When a session expires. In mode `daily` both limits apply, whichever comes first."""

    mode: Mode = "daily"
    at_hour: int = DEFAULT_HOUR
    idle_minutes: int | None = None
    """None means no idle limit."""


def reset_policy(config: Part, reset_type: ResetType, channel: str | None = None) -> ResetPolicy:
    """The policy for a type of session; a policy for its channel replaces all others."""
    session = config.part("session")
    name = normal_channel(channel)
    of_channel = session.part("resetByChannel").part(name)
    if name and of_channel.present:
        nothing = Part("", None, config.problems)
        return _policy(of_channel, nothing, None, otherwise="daily")
    base, by_type = session.part("reset"), session.part("resetByType")
    of_type = by_type.part(reset_type)
    if reset_type == "direct" and not of_type.present:
        of_type = by_type.part("dm")
    legacy = session.number("idleMinutes")
    old = legacy is not None and not base.present and not by_type.present
    otherwise: Mode = "idle" if old else "daily"
    return _policy(of_type, base, legacy, otherwise=otherwise)


def _policy(special: Part, base: Part, legacy: float | None, *, otherwise: Mode) -> ResetPolicy:
    modes = [part.choice("mode", ("daily", "idle")) for part in (special, base)]
    mode: Mode = "idle" if next(filter(None, modes), otherwise) == "idle" else "daily"
    hour = _first(special.number("atHour"), base.number("atHour"))
    idle = _first(special.number("idleMinutes"), base.number("idleMinutes"), legacy)
    if idle is None and mode == "idle":
        idle = DEFAULT_IDLE_MINUTES
    return ResetPolicy(mode, _hour(hour), _minutes(idle))


def _first(*numbers: float | None) -> float | None:
    return next((number for number in numbers if number is not None), None)


def _hour(hour: float | None) -> int:
    if hour is None or math.isnan(hour):
        return DEFAULT_HOUR
    return int(min(max(hour, 0), 23))


def _minutes(idle: float | None) -> int | None:
    if idle is None or not math.isfinite(idle) or idle > _NEVER:
        return None
    return max(math.floor(idle), 1)


def normal_channel(channel: str | None) -> str:
    """A channel's id, trimmed, in lower case, with aliases resolved."""
    name = token(channel)
    return _ALIASES.get(name, name)


@attrs.frozen
class Freshness:
    """Whether a session is fresh, and the times that decided it, in milliseconds."""

    fresh: bool
    daily_reset_at: int | None
    """The latest daily reset; None if the policy has none."""
    idle_expires_at: float | None
    """The time of idle expiry; None if it never expires."""


def evaluate(
    policy: ResetPolicy, updated_at: float | None, now: float, where: Zone = None
) -> Freshness:
    """Judge a session by its `updatedAt` before the message; None means it has none.

    An entry without `updatedAt` is fresh. Times in milliseconds; at the limit itself it is fresh.
    """
    reset = daily_reset(now, policy.at_hour, where) if policy.mode == "daily" else None
    if updated_at is None:
        return Freshness(fresh=True, daily_reset_at=reset, idle_expires_at=None)
    expires: float | None = None
    if policy.idle_minutes is not None:
        expires = updated_at + policy.idle_minutes * _MINUTE
    missed = reset is not None and updated_at < reset
    stale = missed or (expires is not None and now > expires)
    if expires is not None and abs(expires) > _NEVER:
        expires = None
    return Freshness(fresh=not stale, daily_reset_at=reset, idle_expires_at=expires)


def daily_reset(now: float, hour: int, where: Zone = None) -> int:
    """The latest time at which the local clock showed that hour.

    As in JavaScript: an hour that today's clock change skips is moved to an existing time before
    the day before is tried.
    """
    wall = local(now, where).replace(hour=hour, minute=0, second=0)
    today = epoch_ms(wall, where)
    if today <= now:
        return today
    return epoch_ms(local(today, where) - timedelta(days=1), where)
