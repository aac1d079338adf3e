"""Which session a message continues or starts, and what its entry becomes."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Sequence
from typing import Any, Final

import attrs
from sessiond_protocol.gateway.begin import MessageContext
from sessiond_protocol.gateway.store import StoreProblem
from sessiond_protocol.wire import given

from sessiond.files import disk
from sessiond.gateway import expiry, keys, message_key
from sessiond.gateway.config import Part, is_number
from sessiond.gateway.entry import ABSENT, Items, NonEntry, StoreEntry
from sessiond.gateway.expiry import Freshness, ResetPolicy, ResetType
from sessiond.gateway.keys import KeyRules, trim
from sessiond.gateway.message_key import Group
from sessiond.gateway.origin import (
    chat_type,
    group_members,
    is_in_thread,
    origin_members,
    route_from,
    route_members,
    text_of,
    thread_of,
    with_normal_route,
)
from sessiond.gateway.places import Directory, Layout, is_transcript, session_id_of
from sessiond.gateway.store import NOT_SESSIONS
from sessiond.gateway.transcript import Transcript, begun, fork
from sessiond.runtime.clock import Zone
from sessiond.runtime.errors import GatewayRejected
from sessiond.text.dates import iso_from_ms
from sessiond.text.spans import JS_SPACE

DEFAULT_TRIGGERS = ("/new", "/reset")
_NUMBER = re.compile(r"@[0-9+]{5,}")
_NUMBERS = re.compile(rf"(?:[{JS_SPACE}]*{_NUMBER.pattern})*")


def triggers_of(config: Part) -> Sequence[str]:
    """`session.resetTriggers`; the defaults if it is empty."""
    return config.part("session").texts("resetTriggers") or DEFAULT_TRIGGERS


def after_trigger(text: str, triggers: Sequence[str], *, in_group: bool) -> str | None:
    """The text after the trigger at the start of a message, in any case; None without a trigger.

    White space ends a trigger; empty triggers are ignored. In a group, numbers that are mentioned
    before the trigger are left out, and one right after it ends it, too.
    """
    numbers = _NUMBERS.match(text) if in_group else None
    said = trim(text if numbers is None else text[numbers.end() :])
    for trigger in triggers:
        start, rest = said[: len(trigger)], said[len(trigger) :]
        left = rest.lstrip(JS_SPACE)
        ends = not rest or left != rest or (in_group and _NUMBER.match(rest))
        if trigger and start.lower() == trigger.lower() and ends:
            return left
    return None


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
    """Everything that follows from a message and the configuration alone."""

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
    surfaces = message_key.surfaces(config)
    key = message_key.message_key(message, rules, surfaces)
    agent_id = message_key.message_agent(message, rules)
    group = message_key.group_of(message, surfaces, rules.dialect)
    in_thread = is_in_thread(message) or keys.is_thread(key)
    grouped = group is not None or chat_type(message) in {"group", "channel"}
    triggers = triggers_of(config)
    if in_thread:
        reset_type: ResetType = "thread"
    else:
        reset_type = "group" if grouped or keys.kind(key) == "group" else "direct"
    stated = map(given, (message.OriginatingChannel, message.Surface, message.Provider))
    said = next((channel for channel in stated if channel is not None), None)
    return ResolvedMessage(
        message,
        key,
        agent_id,
        group,
        reset_type,
        expiry.reset_policy(config, reset_type, said if group is None else group.channel),
        in_thread,
        after_trigger(text_of(message), triggers, in_group=grouped) if authorized else None,
    )


def _judge(
    resolved: ResolvedMessage, entry: StoreEntry | None, context: BeginContext
) -> tuple[Freshness, bool, StoreProblem | None]:
    """Whether the entry as it was before the message is fresh, and whether a new session starts.

    An entry without a valid session cannot be continued; the problem says why.
    """
    updated = None if entry is None else _updated_at(entry)
    judged = expiry.evaluate(resolved.policy, updated, context.now, context.zone)
    if entry is None:
        return attrs.evolve(judged, fresh=False), True, None
    if resolved.rest is not None or not judged.fresh:
        return judged, True, None
    trouble = _trouble(resolved, entry, context)
    return judged, trouble is not None, trouble


def _updated_at(entry: StoreEntry) -> float | None:
    at = entry.get("updatedAt")
    if is_number(at):
        return at
    # As in JavaScript comparisons: null is 0, and a text compares with nothing.
    return 0 if at is None and "updatedAt" in entry else None


def _trouble(
    resolved: ResolvedMessage, entry: StoreEntry, context: BeginContext
) -> StoreProblem | None:
    """Why an entry that has not expired cannot be continued."""
    session_id, session_file = entry.string("sessionId"), named_file(entry)
    kind, why = "invalidSessionFile", None
    try:
        if session_file is not None:
            path = context.directories(resolved)[0].locate(session_file)
            if path == context.store_path or not is_transcript(path):
                why = f"{path} is not a transcript"
        if why is None and (session_file is None or not session_id):
            kind = "invalidSessionId"
            session_id_of(session_id or "")
    except GatewayRejected as error:
        why = error.message
    if why is None:
        return None
    message = f"{resolved.key}: {why}; a new session was started"
    return StoreProblem(kind=kind, message=message, sessionKey=resolved.key)


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
    if is_new:
        # Otherwise what is dropped would come back under its old name.
        old = old.with_present_names()
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


@attrs.frozen
class BeginContext:
    """The context of a `gateway/begin` request."""

    layout: Layout
    store_path: str
    now: int
    """Epoch milliseconds."""
    zone: Zone
    cwd: Callable[[], str]
    """Gives the working directory of a new transcript."""
    check: Callable[[str], None]
    """Raises for a path outside the roots."""

    def directories(self, resolved: ResolvedMessage) -> list[Directory]:
        """The directories of transcripts; `sessionFile` is resolved against the first."""
        return self.layout.directories(resolved.agent_id, self.store_path)

    @property
    def timestamp(self) -> str:
        return iso_from_ms(self.now) or ""


@attrs.frozen
class Plan:
    """The fate of a message: the session that it continues or starts."""

    entry: StoreEntry
    """The entry to store."""
    previous: StoreEntry | None
    freshness: Freshness
    is_new: bool
    trouble: StoreProblem | None
    """Why a session that has not expired cannot continue."""
    session_id: str
    session_file: str
    """Absolute path."""
    transcript: Transcript | None
    """The transcript to create; None if the file exists."""
    forked_from: str | None


def plan(resolved: ResolvedMessage, items: Items, context: BeginContext) -> Plan:
    """Plan by the items of the store. Blocking.

    Raises GatewayRejected, InvalidSessionFile, ReadFailed and whatever `check` raises.
    """
    entry = _entry(resolved.key, items)
    freshness, is_new, trouble = _judge(resolved, entry, context)
    continued = None if is_new else entry
    named = None if continued is None else named_file(continued)
    transcript, forked_from = _fork(resolved, items, context) if is_new else (None, None)
    if transcript is not None:
        session_id, session_file = transcript.session_id, transcript.path
    else:
        old_id = None if continued is None else continued.string("sessionId")
        session_id = old_id or str(uuid.uuid4())
        if named is not None:
            session_file = context.directories(resolved)[0].locate(named)
        else:
            session_file = _default_file(resolved, session_id, context, continues=not is_new)
        context.check(session_file)
        if not _exists(session_file):
            transcript = begun(session_id, session_file, context.timestamp, context.cwd())
    return Plan(
        entry_after(
            resolved,
            entry,
            is_new=is_new,
            session_id=session_id,
            session_file=session_file if named is None else None,
            now=context.now,
        ),
        entry,
        freshness,
        is_new,
        trouble,
        session_id,
        session_file,
        transcript,
        forked_from,
    )


def _default_file(
    resolved: ResolvedMessage, session_id: str, context: BeginContext, *, continues: bool
) -> str:
    """Return where a session without `sessionFile` is: in the agent's directory.

    A session that `continues` may have its transcript beside a store that lies elsewhere.
    """
    own = context.layout.own_directory(resolved.agent_id, context.store_path)
    topic = thread_of(resolved.message)
    path = own.default(session_id, topic)
    if continues and not _exists(path):
        others = (other.default(session_id, topic) for other in context.directories(resolved))
        path = next(filter(_exists, others), path)
    return path


def _entry(key: str, items: Items) -> StoreEntry | None:
    item = items.get(key)
    if key in NOT_SESSIONS:
        raise GatewayRejected(f"{key} cannot be the key of a session", "sessionKey")
    if isinstance(item, NonEntry):
        if item.text != b"null":
            message = f"{key} has a value in the store that is not a session; it is kept"
            raise GatewayRejected(message, "sessionKey")
        return None
    return item


def _fork(
    resolved: ResolvedMessage, items: Items, context: BeginContext
) -> tuple[Transcript | None, str | None]:
    """The transcript of a thread and the path of its parent's; None if there is no parent."""
    parent_key = trim(given(resolved.message.ParentSessionKey) or "")
    parent = items.get(parent_key)
    if not parent_key or parent_key == resolved.key or not isinstance(parent, StoreEntry):
        return None, None
    directories = context.directories(resolved)
    named, session_id = named_file(parent), parent.string("sessionId") or ""
    if named is not None:
        paths = [directories[0].locate(named)]
    else:
        paths = [directory.default(session_id) for directory in directories]
    for path in paths:
        context.check(path)
        if not _exists(path):
            continue
        transcript = fork(path, context.timestamp, context.cwd())
        if transcript is not None:
            context.check(transcript.path)
            return transcript, path
    return None, None


def _exists(path: str) -> bool:
    try:
        return disk.lexists(path)
    except ValueError:
        # A lone surrogate, which no file name can contain.
        return False
