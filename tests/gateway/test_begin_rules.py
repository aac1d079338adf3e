"""Which session a message continues, and which members it keeps: CoderClaw's tables."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sessiond_protocol.gateway.begin import MessageContext

from sessiond.gateway.config import Part
from sessiond.gateway.entry import StoreEntry
from sessiond.gateway.expiry import ResetPolicy
from sessiond.gateway.keys import KeyRules
from sessiond.gateway.message import (
    BeginContext,
    Plan,
    ResolvedMessage,
    entry_after,
    plan,
    resolve_message,
)
from sessiond.gateway.places import Layout

BERLIN = ZoneInfo("Europe/Berlin")
NOW = 1_770_000_000_000
BASE = "/state/agents/main/sessions"
STORE = f"{BASE}/sessions.json"
OLD = {"sessionId": "old", "updatedAt": NOW}
MINUTE = 60_000


def ms(text: str, where: ZoneInfo = BERLIN) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=where).timestamp() * 1000)


NAMES = {
    "text": "Body",
    "thread_id": "MessageThreadId",
    "thread_starter": "ThreadStarterBody",
    "parent_key": "ParentSessionKey",
    "label": "ConversationLabel",
}


def looked(
    config: Any = None, *, authorized: bool = True, source: Any = None, **message: Any
) -> ResolvedMessage:
    """A message; `source` in the names of a context, all else in those of `NAMES` or alike."""
    named = {
        NAMES.get(name, "".join(map(str.capitalize, name.split("_")))): value
        for name, value in message.items()
    }
    part = Part.root(config or {})
    context = MessageContext(**(source or {}), **named)
    return resolve_message(context, part, KeyRules.of(part), authorized=authorized)


def judged(
    entry: Any, *, now: int = NOW, seen: ResolvedMessage | None = None, zone: ZoneInfo = BERLIN
) -> Plan:
    """What happens to a message of a session with this entry; None: there is none."""
    config = Part.root({})
    layout = Layout(config, KeyRules.of(config), {}, None)
    context = BeginContext(layout, STORE, now, zone, lambda: "/", lambda _path: None)
    message = seen or looked()
    return plan(message, {} if entry is None else {message.key: StoreEntry.of(entry)}, context)


def after(
    entry: Any,
    *,
    is_new: bool,
    seen: ResolvedMessage | None = None,
    session_file: str | None = "/f.jsonl",
) -> Any:
    """The entry after a message, as a JSON value."""
    found = entry_after(
        seen or looked(),
        None if entry is None else StoreEntry.of(entry),
        is_new=is_new,
        session_id="id",
        session_file=session_file,
        now=NOW,
    )
    return json.loads(found.text)


# When a session is over


@pytest.mark.parametrize("zone", ["Europe/Berlin", "UTC", "Asia/Kathmandu", "America/St_Johns"])
@pytest.mark.parametrize(
    ("last", "now", "goes_on"),
    [
        ("04:00:00.000", "05:00:00.000", True),
        ("03:59:59.999", "05:00:00.000", False),
        ("03:00:00.000", "04:00:00.000", False),
        ("03:00:00.000", "03:59:00.000", True),
        ("03:00:00.000", "03:59:59.999", True),
        ("04:00:00.000", "04:00:00.000", True),
        ("23:00:00.000", "05:00:00.000", True),
    ],
)
def test_by_default_a_session_is_over_at_four_in_the_morning(
    zone: str, last: str, now: str, goes_on: bool
):
    where = ZoneInfo(zone)
    times = [ms(f"2026-02-05T{clock}", where) for clock in (last, now)]
    found = judged({**OLD, "updatedAt": times[0]}, now=times[1], zone=where)
    assert (found.freshness.fresh, found.is_new) == (goes_on, not goes_on)


@pytest.mark.parametrize(
    ("minutes", "since", "goes_on"),
    [(1, 60_000, True), (1, 60_001, False), (30, 30 * MINUTE, True), (30, 30 * MINUTE + 1, False)],
)
def test_a_session_idle_for_too_long_is_reset(minutes: int, since: int, goes_on: bool):
    seen = looked({"session": {"idleMinutes": minutes}})
    found = judged({**OLD, "updatedAt": NOW - since}, seen=seen)
    assert found.is_new is not goes_on


@pytest.mark.parametrize(
    ("last", "now", "goes_on"),
    [
        ("2026-02-05T05:00", "2026-02-05T05:10", True),
        ("2026-02-05T05:00", "2026-02-05T05:11", False),
        ("2026-02-05T03:55", "2026-02-05T04:00", False),
    ],
)
def test_the_earlier_of_daily_reset_and_idle_expiry_applies(last: str, now: str, goes_on: bool):
    seen = looked({"session": {"reset": {"mode": "daily", "idleMinutes": 10}}})
    assert judged({**OLD, "updatedAt": ms(last)}, now=ms(now), seen=seen).is_new is not goes_on


@pytest.mark.parametrize(("offset", "goes_on"), [(0, True), (-1, False)])
def test_an_hour_that_summer_time_skips_counts_a_day_earlier_an_hour_later(
    offset: int, goes_on: bool
):
    seen = looked({"session": {"reset": {"atHour": 2}}})
    found = judged(
        {**OLD, "updatedAt": 1_774_663_200_000 + offset}, now=1_774_744_200_000, seen=seen
    )
    assert found.freshness.daily_reset_at == 1_774_663_200_000 == ms("2026-03-28T03:00")
    assert found.is_new is not goes_on


@pytest.mark.parametrize(
    ("last", "now", "goes_on"),
    [
        # 03:00 of winter time is four hours after midnight on that day, three on any other.
        ("2026-10-25T02:59:59.999", "2026-10-25T03:00", False),
        ("2026-10-25T03:00", "2026-10-25T23:00", True),
        ("2026-10-24T03:00", "2026-10-25T02:59", True),
        ("2026-03-29T03:00", "2026-03-29T23:00", True),
        ("2026-03-29T01:59", "2026-03-29T03:00", False),
    ],
)
def test_the_day_is_that_of_the_clock_on_the_wall(last: str, now: str, goes_on: bool):
    seen = looked({"session": {"reset": {"atHour": 3}}})
    assert judged({**OLD, "updatedAt": ms(last)}, now=ms(now), seen=seen).is_new is not goes_on


@pytest.mark.parametrize(
    ("updated", "goes_on"),
    [
        ({}, True),
        ({"updatedAt": None}, False),
        ({"updatedAt": 0}, False),
        ({"updatedAt": NOW + 10**9}, True),
        ({"updatedAt": 10**30}, True),
        ({"updatedAt": "yesterday"}, True),
        ({"updatedAt": -1}, False),
    ],
)
def test_an_entry_of_no_time_continues_and_null_is_long_ago(updated: Any, goes_on: bool):
    found = judged({"sessionId": "old", **updated})
    assert (found.is_new, found.trouble) == (not goes_on, None)


def test_without_an_entry_nothing_is_fresh():
    found = judged(None)
    assert found.is_new
    assert not found.freshness.fresh
    assert found.freshness.idle_expires_at is None


def test_a_trigger_starts_a_fresh_session_over():
    found = judged(OLD, seen=looked(text="/new"))
    assert (found.is_new, found.freshness.fresh, found.trouble) == (True, True, None)
    assert not judged(OLD, seen=looked(text="/new", authorized=False)).is_new


@pytest.mark.parametrize(
    ("members", "kind"),
    [
        ({"sessionId": "x"}, None),
        ({"sessionId": " x "}, None),
        ({"sessionId": "a..b"}, None),
        ({"sessionId": "x", "sessionFile": "a/b.jsonl"}, None),
        ({"sessionId": "x", "sessionFile": "  "}, None),
        ({"sessionId": "x", "sessionFile": 5}, None),
        ({"sessionId": "x", "sessionFile": "..x.jsonl"}, None),
        ({"sessionId": "x", "sessionFile": "/other/agents/q/sessions/z.jsonl"}, None),
        ({"sessionId": "not valid", "sessionFile": "x.jsonl"}, None),
        ({}, "invalidSessionId"),
        ({"sessionId": None}, "invalidSessionId"),
        ({"sessionId": 5}, "invalidSessionId"),
        ({"sessionId": ""}, "invalidSessionId"),
        ({"sessionId": ".."}, "invalidSessionId"),
        ({"sessionId": "../x"}, "invalidSessionId"),
        ({"sessionId": "a/b"}, "invalidSessionId"),
        ({"sessionId": "x" * 129}, "invalidSessionId"),
        ({"sessionId": "../x", "sessionFile": " "}, "invalidSessionId"),
        ({"sessionFile": "x.jsonl"}, "invalidSessionId"),
        ({"sessionId": "", "sessionFile": "x.jsonl"}, "invalidSessionId"),
        ({"sessionId": "x", "sessionFile": "../x.jsonl"}, "invalidSessionFile"),
        ({"sessionId": "x", "sessionFile": "a/../../x.jsonl"}, "invalidSessionFile"),
        ({"sessionId": "x", "sessionFile": "./"}, "invalidSessionFile"),
        ({"sessionId": "x", "sessionFile": "a/.."}, "invalidSessionFile"),
        ({"sessionId": "x", "sessionFile": BASE}, "invalidSessionFile"),
        ({"sessionId": "x", "sessionFile": "/etc/passwd"}, "invalidSessionFile"),
        (
            {"sessionId": "x", "sessionFile": "/o/agents/q/sessions/../../../../etc/passwd"},
            "invalidSessionFile",
        ),
        ({"sessionId": "x", "sessionFile": "a\0.jsonl"}, "invalidSessionFile"),
        ({"sessionId": "x", "sessionFile": "\ud800.jsonl"}, "invalidSessionFile"),
        ({"sessionId": "x", "sessionFile": "sessions.json"}, "invalidSessionFile"),
        ({"sessionId": "x", "sessionFile": "./sessions.json.lock"}, "invalidSessionFile"),
        ({"sessionId": "x", "sessionFile": "sessions.json.bak.17"}, "invalidSessionFile"),
        ({"sessionId": "x", "sessionFile": "sessions.json.corrupt.17"}, "invalidSessionFile"),
        ({"sessionId": "x", "sessionFile": "a.json.bak.17.jsonl"}, None),
        (
            {"sessionId": "x", "sessionFile": "/o/agents/q/sessions/sessions.json"},
            "invalidSessionFile",
        ),
        ({"sessionId": "x", "sessionFile": "/o/agents/q/sessions"}, "invalidSessionFile"),
    ],
)
def test_an_entry_that_names_no_session_to_open_is_reported_and_started_over(
    members: Any, kind: str | None
):
    found = judged({"updatedAt": NOW, **members})
    assert found.is_new is (kind is not None)
    assert (None if found.trouble is None else found.trouble.kind) == kind
    # A session that starts over anyway needs no message about it.
    for seen, entry in ((looked(text="/new"), {"updatedAt": NOW}), (looked(), {"updatedAt": 0})):
        assert judged({**entry, **members}, seen=seen).trouble is None


# What is known before anything is read


@pytest.mark.parametrize(
    ("source", "more", "expected"),
    [
        ({}, {}, "direct"),
        ({"From": "+1555"}, {}, "direct"),
        ({"ChatType": "direct"}, {}, "direct"),
        ({"ChatType": "dm", "From": "telegram:1"}, {}, "direct"),
        ({"ChatType": "group"}, {}, "group"),
        ({"ChatType": " Channel "}, {}, "group"),
        ({"ChatType": "room"}, {}, "direct"),
        ({"From": "discord:group:1"}, {}, "group"),
        ({"From": "discord:channel:1", "ChatType": "direct"}, {}, "group"),
        ({"From": "1-2@g.us"}, {}, "group"),
        ({"SessionKey": "agent:main:discord:Channel:1"}, {}, "group"),
        ({"SessionKey": "agent:main:discord:group:1", "ChatType": "direct"}, {}, "group"),
        ({"SessionKey": "agent:main:discord:group:1:thread:2"}, {}, "thread"),
        ({"SessionKey": "agent:main:telegram:group:1:TOPIC:2"}, {}, "thread"),
        ({"ChatType": "group"}, {"thread_id": 7.0}, "thread"),
        ({}, {"thread_id": 0.0}, "thread"),
        ({}, {"thread_id": ""}, "thread"),
        ({}, {"thread_label": " x "}, "thread"),
        ({}, {"thread_starter": "x"}, "thread"),
        ({}, {"parent_key": "agent:main:main"}, "thread"),
        ({}, {"thread_label": " ", "thread_starter": "\ufeff", "parent_key": ""}, "direct"),
    ],
)
def test_the_type_of_a_session_by_which_its_policy_is_found(source: Any, more: Any, expected: str):
    assert looked(source=source, **more).reset_type == expected


BY_CHANNEL = {
    "session": {
        "reset": {"mode": "daily", "atHour": 6},
        "resetByType": {"group": {"mode": "idle", "idleMinutes": 9}},
        "resetByChannel": {
            "discord": {"mode": "idle", "idleMinutes": 5},
            "imessage": {},
            "Slack": {"mode": "idle"},
            "": {"mode": "idle"},
        },
    }
}
DISCORD, IMESSAGE, USUAL = ResetPolicy("idle", 4, 5), ResetPolicy(), ResetPolicy("daily", 6)


@pytest.mark.parametrize(
    ("source", "more", "expected"),
    [
        ({}, {}, USUAL),
        ({"Provider": "discord"}, {}, DISCORD),
        ({"Provider": " Discord "}, {}, DISCORD),
        ({"Provider": "imsg"}, {}, IMESSAGE),
        ({"Provider": "slack"}, {}, USUAL),
        ({"Provider": ""}, {}, USUAL),
        ({"Provider": "discord"}, {"surface": "imessage"}, IMESSAGE),
        ({"Provider": "discord"}, {"surface": ""}, USUAL),
        ({"Provider": "x"}, {"surface": "imessage", "originating_channel": "discord"}, DISCORD),
        ({"From": "discord:group:1"}, {"originating_channel": "imessage"}, DISCORD),
        (
            {"From": "telegram:group:1"},
            {"originating_channel": "discord"},
            ResetPolicy("idle", 6, 9),
        ),
        ({"From": "C1", "ChatType": "group", "Provider": "imsg"}, {}, IMESSAGE),
    ],
)
def test_a_policy_for_the_channel_counts_alone(source: Any, more: Any, expected: ResetPolicy):
    assert looked(BY_CHANNEL, source=source, **more).policy == expected


@pytest.mark.parametrize(
    ("config", "source", "key", "agent"),
    [
        ({}, {}, "agent:main:main", "main"),
        ({}, {"SessionKey": " Agent:OPS:X "}, "agent:ops:x", "ops"),
        ({}, {"SessionKey": "\u00a0"}, "agent:main:main", "main"),
        ({}, {"From": "discord:group:1"}, "agent:main:discord:group:1", "main"),
        ({"session": {"scope": "global"}}, {"From": "discord:group:1"}, "global", "main"),
        ({"session": {"scope": "global"}}, {"SessionKey": "agent:a:b"}, "agent:a:b", "a"),
        ({"agents": {"list": [{"id": "ops"}]}}, {"SessionKey": "x"}, "x", "ops"),
        ({"agents": {"list": [{"id": "ops"}]}}, {"SessionKey": "agent:ops"}, "agent:ops", "ops"),
        # A key that is derived says `main`, but the store is the default agent's.
        ({"agents": {"list": [{"id": "Boss", "default": True}]}}, {}, "agent:main:main", "boss"),
        (
            {"agents": {"list": [{"id": "ops"}]}},
            {"From": "discord:group:1"},
            "agent:main:discord:group:1",
            "ops",
        ),
        (
            {"agents": {"list": [{"id": "ops"}]}},
            {"SessionKey": "agent:main:main"},
            "agent:main:main",
            "main",
        ),
    ],
)
def test_key_and_agent_of_a_message(config: Any, source: Any, key: str, agent: str):
    found = looked(config, source=source)
    assert (found.key, found.agent_id) == (key, agent)


@pytest.mark.parametrize(
    ("source", "text", "expected"),
    [
        ({}, "@123456 /new x", None),
        ({"ChatType": "direct"}, "@123456 /new x", None),
        ({"ChatType": "group"}, "@123456 /new x", "x"),
        ({"From": "1@g.us"}, "@123456 /reset x", "x"),
    ],
)
def test_in_groups_a_mention_may_precede_the_command(source: Any, text: str, expected: str | None):
    assert looked(source=source, text=text).rest == expected


# What is carried over

KEPT_BY_TRIGGER = {
    "thinkingLevel": "high",
    "verboseLevel": "on",
    "reasoningLevel": "stream",
    "ttsAuto": "always",
}
CLEARED = {
    "responseUsage": "full",
    "modelOverride": "m",
    "providerOverride": "p",
    "sendPolicy": "deny",
    "queueMode": "steer",
    "queueDebounceMs": 1,
    "queueCap": 2,
    "queueDrop": "old",
    "displayName": "discord:g",
    "channel": "discord",
    "groupId": "1",
    "subject": "s",
    "groupChannel": "#g",
    "space": "sp",
    "deliveryContext": {"channel": "discord", "to": "+1", "accountId": "a", "threadId": 1},
    "lastChannel": "discord",
    "lastTo": "+1",
    "lastAccountId": "a",
    "lastThreadId": 1,
    "memoryFlushAt": 1,
    "memoryFlushCompactionCount": 2,
    "totalTokens": 3,
    "inputTokens": 4,
    "outputTokens": 5,
    "contextTokens": 6,
}
SURVIVING = {
    "label": "l",
    "spawnedBy": "agent:main:main",
    "spawnDepth": 1,
    "elevatedLevel": "full",
    "execHost": "node",
    "execSecurity": "full",
    "execAsk": "off",
    "execNode": "n",
    "authProfileOverride": "a",
    "authProfileOverrideSource": "user",
    "authProfileOverrideCompactionCount": 1,
    "groupActivation": "always",
    "groupActivationNeedsSystemIntro": True,
    "cliSessionIds": {"c": "1"},
    "claudeCliSessionId": "c",
    "skillsSnapshot": {"prompt": "p", "skills": [], "version": 1},
    "systemPromptReport": {"source": "run"},
    "model": "m",
    "modelProvider": "p",
    "totalTokensFresh": False,
    "lastHeartbeatText": "h",
    "lastHeartbeatSentAt": 1,
    "origin": {"label": "o", "unknown": 1},
    "future": {"a": [1, None]},
    "__proto__": 1,
}
CHANGED = {
    "sessionId": ("old", "id"),
    "updatedAt": (5, NOW),
    "systemSent": (True, False),
    "abortedLastRun": (True, False),
    "chatType": ("group", "direct"),
    "sessionFile": ("/old.jsonl", "/f.jsonl"),
    "compactionCount": (3, 0),
}
FULL = {
    **KEPT_BY_TRIGGER,
    **CLEARED,
    **SURVIVING,
    **{name: old for name, (old, _) in CHANGED.items()},
}
TRIGGER = looked(text="/new")
NEW = {name: new for name, (_, new) in CHANGED.items()}


@pytest.mark.parametrize("name", KEPT_BY_TRIGGER)
def test_a_trigger_keeps_the_levels_and_expiry_does_not(name: str):
    assert after(FULL, is_new=True, seen=TRIGGER)[name] == FULL[name]
    assert name not in after(FULL, is_new=True)


@pytest.mark.parametrize("seen", [TRIGGER, looked()], ids=["trigger", "expiry"])
@pytest.mark.parametrize("name", CLEARED)
def test_members_of_the_old_session_are_removed(name: str, seen: ResolvedMessage):
    assert name not in after(FULL, is_new=True, seen=seen)


@pytest.mark.parametrize("seen", [TRIGGER, looked()], ids=["trigger", "expiry"])
@pytest.mark.parametrize("name", SURVIVING)
def test_these_members_survive(name: str, seen: ResolvedMessage):
    assert after(FULL, is_new=True, seen=seen)[name] == FULL[name]


@pytest.mark.parametrize("seen", [TRIGGER, looked()], ids=["trigger", "expiry"])
@pytest.mark.parametrize("name", CHANGED)
def test_these_members_begin_again(name: str, seen: ResolvedMessage):
    assert after(FULL, is_new=True, seen=seen)[name] == CHANGED[name][1]


def test_nothing_else_is_in_a_new_entry():
    assert after(FULL, is_new=True) == {**SURVIVING, **NEW}
    assert after(FULL, is_new=True, seen=TRIGGER) == {**KEPT_BY_TRIGGER, **SURVIVING, **NEW}
    assert after(None, is_new=True) == NEW


@pytest.mark.parametrize("name", FULL)
def test_a_session_that_continues_keeps_everything_but_the_time(name: str):
    kept = {**FULL, "sessionId": "id"}
    # Only a session that is a thread keeps the thread replies go to.
    thread = looked(source={"SessionKey": "agent:main:x:thread:1"})
    found = after(kept, is_new=False, seen=thread, session_file=None)
    assert found[name] == (NOW if name == "updatedAt" else kept[name])
    assert list(found) == list(kept)


def test_a_continued_session_gets_its_missing_members():
    found = after({"sessionId": "id"}, is_new=False)
    assert found == {name: NEW[name] for name in NEW if name != "compactionCount"}


ROUTE = {"lastChannel": "discord", "lastTo": "+1", "lastAccountId": "a", "lastThreadId": 3}


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, ("discord", "+1", "a", None)),
        ({"originating_channel": "Slack"}, ("slack", "+1", "a", None)),
        ({"originating_channel": "", "to": "", "account_id": ""}, ("discord", "+1", "a", None)),
        ({"to": "t"}, ("discord", "t", "a", None)),
        ({"to": "t", "originating_to": "o"}, ("discord", "o", "a", None)),
        ({"to": "t", "originating_to": ""}, ("discord", "t", "a", None)),
        ({"account_id": "b"}, ("discord", "+1", "b", None)),
        ({"thread_id": 7.9}, ("discord", "+1", "a", 7)),
        ({"thread_id": "t1"}, ("discord", "+1", "a", "t1")),
        ({"thread_id": 0.0}, ("discord", "+1", "a", 3)),
        ({"thread_id": ""}, ("discord", "+1", "a", 3)),
        ({"thread_label": "x"}, ("discord", "+1", "a", 3)),
    ],
)
def test_replies_go_where_the_message_came_from_else_where_they_went(more: Any, expected: Any):
    found = after({**OLD, **ROUTE}, is_new=False, seen=looked(**more))
    assert tuple(found.get(name) for name in ROUTE) == expected
    names = ("channel", "to", "accountId", "threadId")
    wanted = {n: v for n, v in zip(names, expected, strict=True) if v is not None}
    assert found["deliveryContext"] == wanted


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, {}),
        ({"originating_channel": "discord"}, {"lastChannel": "discord"}),
        ({"to": "t"}, {"lastTo": "t"}),
        ({"thread_id": 5.0}, {"lastThreadId": 5}),
        ({"thread_label": "x"}, {}),
    ],
)
def test_a_new_session_takes_its_reply_route_from_the_message(more: Any, expected: Any):
    found = after({**OLD, **ROUTE}, is_new=True, seen=looked(**more))
    assert {name: found[name] for name in ROUTE if name in found} == expected


def test_unknown_members_of_a_route_are_kept():
    entry = {**OLD, "deliveryContext": {"future": 1, "to": "+1"}}
    assert after(entry, is_new=True)["deliveryContext"] == {"future": 1}


MESSAGE = looked(
    source={"From": " discord:channel:C1 ", "ChatType": "Channel", "Provider": "x"},
    to="bot",
    surface=" Discord ",
    account_id=" acc ",
    thread_id=45.0,
    group_subject="#general",
    group_space=" Friends of X ",
    sender_name="Ann",
)
ORIGIN = {
    "label": "#general",
    "provider": "discord",
    "surface": "discord",
    "chatType": "channel",
    "from": "discord:channel:C1",
    "to": "bot",
    "accountId": "acc",
    "threadId": 45,
}


def test_a_new_session_gets_the_origin_and_name_of_its_message():
    found = after(None, is_new=True, seen=MESSAGE)
    assert found == {
        **NEW,
        "chatType": "channel",
        "channel": "discord",
        "groupId": "c1",
        # A title that begins so is a channel's name.
        "groupChannel": "#general",
        "space": "Friends of X",
        "displayName": "discord:friends-of-x#general",
        "origin": ORIGIN,
        "deliveryContext": {
            "channel": "discord",
            "to": "bot",
            "accountId": "acc",
            "threadId": 45,
        },
        "lastChannel": "discord",
        "lastTo": "bot",
        "lastAccountId": "acc",
        "lastThreadId": 45,
    }


def test_a_continued_session_changes_only_by_the_message():
    old = {"label": "was", "to": "there", "future": 1}
    entry = {**OLD, "origin": old, "subject": "was", "space": "kept", "displayName": "n"}
    seen = looked(source={"From": "slack:group:g1"}, group_subject=" Team ", to="  ")
    found = after(entry, is_new=False, seen=seen)
    assert found["origin"] == {**old, "label": "Team", "from": "slack:group:g1"}
    assert (found["subject"], found["space"]) == ("Team", "kept")
    assert (found["displayName"], found["chatType"]) == ("slack:g-team", "group")
    found = after(entry, is_new=True, seen=seen)
    assert found["origin"] == {"label": "Team", "from": "slack:group:g1"}
    assert "space" not in found


@pytest.mark.parametrize("is_new", [True, False])
def test_the_name_of_a_thread_overrides_that_of_its_group(is_new: bool):
    seen = looked(source={"From": "slack:group:g1"}, thread_label=" Bugs ")
    assert after(OLD, is_new=is_new, seen=seen)["displayName"] == "Bugs"


@pytest.mark.parametrize(
    ("source", "more", "expected"),
    [
        ({"From": "+1", "ChatType": "direct"}, {"sender_name": " Ann "}, "Ann"),
        ({"From": " +1 ", "ChatType": "direct"}, {"group_subject": "x"}, "+1"),
        ({"From": "+1"}, {"sender_name": "Ann"}, "+1"),
        ({"From": "g"}, {"group_space": "sp"}, "sp"),
        ({"From": "g"}, {"group_space": "sp", "group_subject": "s"}, "s"),
        ({"From": "g"}, {"group_channel": "c", "group_subject": "s"}, "c"),
        ({"From": "g"}, {"group_channel": "c", "thread_label": "t"}, "t"),
        ({"From": "g"}, {"thread_label": "t", "label": " l "}, "l"),
    ],
)
def test_a_conversation_is_labelled_by_the_first_name_present(
    source: Any, more: Any, expected: str
):
    assert (
        after(OLD, is_new=True, seen=looked(source=source, **more))["origin"]["label"] == expected
    )


@pytest.mark.parametrize(
    ("sender", "more", "expected"),
    [
        ("telegram:group:-100:topic:7", {"group_subject": "Dev"}, "Dev id:7"),
        ("telegram:group:-100", {"group_subject": "Dev"}, "Dev"),
        ("slack:channel:42::", {"group_space": "Team"}, "Team id:42"),
        ("12-3@g.us", {"group_subject": "Family"}, "Family id:12-3@g.us"),
        ("telegram:group:7", {"group_subject": "Dev 7"}, "Dev 7"),
        ("telegram:group:7", {"group_subject": "Dev ID:9"}, "Dev ID:9"),
        ("discord:channel:7", {"group_channel": "#dev"}, "#dev"),
        ("telegram:group:7", {"group_subject": "@dev"}, "@dev"),
        ("telegram:group:\u0667", {"group_subject": "Dev"}, "Dev"),
        ("telegram:group:7", {}, "telegram:group:7"),
        # Names that are given are taken as they are.
        ("telegram:group:7", {"label": "Dev"}, "Dev"),
        ("telegram:group:7", {"thread_label": "Dev"}, "Dev"),
    ],
)
def test_the_label_of_a_group_gets_its_number(sender: str, more: Any, expected: str):
    found = after(OLD, is_new=True, seen=looked(source={"From": sender}, **more))
    assert found["origin"]["label"] == expected


def test_the_label_of_a_direct_chat_gets_no_number():
    seen = looked(source={"From": "telegram:7", "ChatType": "direct"}, sender_name="Ann")
    assert after(OLD, is_new=True, seen=seen)["origin"]["label"] == "Ann"


def test_a_blank_channel_keeps_a_subject_a_subject():
    seen = looked(source={"From": "discord:channel:99"}, group_channel=" ", group_subject="#x")
    found = after(None, is_new=True, seen=seen)
    assert (found["subject"], found["displayName"]) == ("#x", "discord:g-x")
    assert "groupChannel" not in found


@pytest.mark.parametrize(
    ("stored", "blank", "name", "plain"),
    [
        ({"subject": "Was"}, {"group_subject": " "}, "slack:g-g1", "slack:g-was"),
        ({"space": "Area"}, {"group_space": ""}, "slack:g-g1", "slack:g-area"),
        ({"groupChannel": "#c"}, {"group_channel": " "}, "slack:g-g1", "slack:#c"),
    ],
)
def test_a_blank_value_of_a_group_is_not_stored_but_hides_the_stored_one(
    stored: Any, blank: Any, name: str, plain: str
):
    source = {"From": "slack:group:g1"}
    found = after({**OLD, **stored}, is_new=False, seen=looked(source=source, **blank))
    assert found["displayName"] == name
    assert {member: found[member] for member in stored} == stored
    found = after({**OLD, **stored}, is_new=False, seen=looked(source=source))
    assert found["displayName"] == plain
