"""Decide which session a message continues, and what its entry becomes.

Pure: the clock, new ids and what was read from disk are passed in.
"""

from __future__ import annotations

from typing import Any, Final

import attrs
from sessiond_protocol.gateway.begin import MessageContext
from sessiond_protocol.wire import given

from sessiond.clock import Zone
from sessiond.errors import GatewayRejected
from sessiond.gateway.config.reader import Part, is_number
from sessiond.gateway.entry import ABSENT, StoreEntry
from sessiond.gateway.keys import inbound, session_key
from sessiond.gateway.keys.identity import trim
from sessiond.gateway.keys.inbound import Group
from sessiond.gateway.keys.session_key import KeyRules
from sessiond.gateway.rules import freshness
from sessiond.gateway.rules.freshness import Freshness, ResetPolicy, ResetType
from sessiond.gateway.rules.message import (
    chat_type,
    group_members,
    is_in_thread,
    origin_members,
    text_of,
)
from sessiond.gateway.rules.route import route_from, route_members, with_normal_route
from sessiond.gateway.rules.trigger import after_trigger, triggers_of
from sessiond.gateway.store import StoreProblem
from sessiond.gateway.transcripts.paths import Directory, is_transcript, session_id_of

_LEVELS: Final = ("thinkingLevel", "verboseLevel", "reasoningLevel", "ttsAuto")
"""Members kept when a trigger resets a session, but not when it expires."""
_CHOICES: Final = (
    *("responseUsage", "modelOverride", "providerOverride", "sendPolicy"),
    *("queueMode", "queueDebounceMs", "queueCap", "queueDrop"),
)
_PLACE: Final = (
    *("displayName", "chatType", "channel", "groupId"),
    *("subject", "groupChannel", "space"),
)
_COUNTED: Final = (
    *("memoryFlushAt", "memoryFlushCompactionCount"),
    *("totalTokens", "inputTokens", "outputTokens", "contextTokens"),
)


@attrs.frozen
class ResolvedMessage:
    """What follows from a message and the configuration alone."""

    message: MessageContext
    key: str
    agent_id: str
    """The agent whose store has the session."""
    group: Group | None
    reset_type: ResetType
    policy: ResetPolicy
    in_thread: bool
    rest: str | None
    """The text after the reset trigger; None if the message has no trigger."""


def resolve_message(
    message: MessageContext, config: Part, rules: KeyRules, *, authorized: bool
) -> ResolvedMessage:
    """Apply the rules to a message. Only an authorised sender can reset a session."""
    known = inbound.surfaces(config)
    key = inbound.message_key(message, rules, known)
    agent_id = inbound.message_agent(message, rules)
    group = inbound.group_of(message, known, rules.dialect)
    in_thread = is_in_thread(message) or session_key.is_thread(key)
    grouped = group is not None or chat_type(message) in {"group", "channel"}
    triggers = triggers_of(config)
    if in_thread:
        reset_type: ResetType = "thread"
    else:
        reset_type = "group" if grouped or session_key.kind(key) == "group" else "direct"
    stated = map(given, (message.OriginatingChannel, message.Surface, message.Provider))
    said = next((channel for channel in stated if channel is not None), None)
    return ResolvedMessage(
        message,
        key,
        agent_id,
        group,
        reset_type,
        freshness.reset_policy(config, reset_type, said if group is None else group.channel),
        in_thread,
        after_trigger(text_of(message), triggers, in_group=grouped) if authorized else None,
    )


@attrs.frozen
class Verdict:
    """Whether the session of an entry continues."""

    freshness: Freshness
    is_new: bool
    trouble: StoreProblem | None = None
    """Why a session that has not expired cannot continue."""


def judge(
    resolved: ResolvedMessage,
    entry: StoreEntry | None,
    *,
    now: int,
    where: Zone,
    directory: Directory,
    store: str,
) -> Verdict:
    """Judge the entry as it was before the message.

    `sessionFile` is resolved against `directory`; `store` is the path of the store. An entry
    without a valid session cannot be continued.
    """
    updated = None if entry is None else _updated_at(entry)
    judged = freshness.evaluate(resolved.policy, updated, now, where)
    if entry is None:
        return Verdict(attrs.evolve(judged, fresh=False), is_new=True)
    if resolved.rest is not None or not judged.fresh:
        return Verdict(judged, is_new=True)
    trouble = _trouble(resolved.key, entry, directory, store)
    return Verdict(judged, trouble is not None, trouble)


def _updated_at(entry: StoreEntry) -> float | None:
    at = entry.get("updatedAt")
    if is_number(at):
        return at
    # As in JavaScript comparisons: null is 0, and a text compares with nothing.
    return 0 if at is None and "updatedAt" in entry else None


def _trouble(key: str, entry: StoreEntry, directory: Directory, store: str) -> StoreProblem | None:
    try:
        _check(entry, directory, store)
    except GatewayRejected as error:
        of_id = error.data["rule"] == "sessionId"
        message = f"{key}: {error.message}; a new session was started"
        return StoreProblem("invalidSessionId" if of_id else "invalidSessionFile", message, key)
    return None


def _check(entry: StoreEntry, directory: Directory, store: str) -> None:
    session_id, session_file = entry.string("sessionId"), named_file(entry)
    if session_file is not None:
        path = directory.locate(session_file)
        if path == store or not is_transcript(path):
            raise GatewayRejected(f"{path} is not a transcript", "sessionFile")
    if not session_id or session_file is None:
        session_id_of(session_id or "")


def named_file(entry: StoreEntry) -> str | None:
    """`sessionFile` of an entry; None if it is blank or not a string."""
    path = entry.string("sessionFile")
    return path if path is not None and trim(path) else None


def entry_after(
    resolved: ResolvedMessage,
    entry: StoreEntry | None,
    *,
    is_new: bool,
    session_id: str,
    session_file: str | None,
    now: int,
) -> StoreEntry:
    """The entry of the session after this message.

    A new session keeps or drops each member by CoderClaw's table; unknown members stay.
    `session_file` is stored; None keeps the present one.
    """
    old = entry or StoreEntry.of({})
    before = None if is_new else entry
    changes: dict[str, Any] = {"sessionId": session_id, "updatedAt": now}
    for name in ("systemSent", "abortedLastRun"):
        if is_new or old.get(name) is None:
            changes[name] = False
    if is_new:
        gone = set(_CHOICES) if resolved.rest is not None else {*_LEVELS, *_CHOICES}
        changes |= dict.fromkeys((*gone, *_PLACE), ABSENT)
    changes |= _place(resolved, old, before)
    if session_file is not None:
        changes["sessionFile"] = session_file
    if is_new:
        changes["compactionCount"] = 0
        changes |= dict.fromkeys(_COUNTED, ABSENT)
    return with_normal_route(old.changed(changes))


def _place(resolved: ResolvedMessage, old: StoreEntry, before: StoreEntry | None) -> dict[str, Any]:
    """The members on the place of the conversation and the route of replies."""
    message = resolved.message
    changes: dict[str, Any] = {}
    if resolved.group is not None:
        changes |= group_members(message, resolved.group, resolved.key, before)
    if "chatType" not in changes and not (before and before.get("chatType")):
        changes["chatType"] = "direct"
    label = trim(given(message.ThreadLabel) or "")
    if label:
        changes["displayName"] = label
    changes |= route_members(old, route_from(message, before, in_thread=resolved.in_thread))
    return changes | origin_members(message, before)
