"""Session keys: every table of CoderClaw's rules, row by row."""

from __future__ import annotations

from typing import Any

import attrs
import pytest
from sessiond_protocol.gateway.keys import InboundContext

from sessiond.gateway import keys
from sessiond.gateway.config import Part
from sessiond.gateway.keys import KeyRules, normal_agent_id
from sessiond.gateway.message_key import derived_key, message_key, surfaces


@pytest.mark.parametrize(
    ("given", "normal"),
    [
        ("Main", "main"),
        ("  Ops  ", "ops"),
        ("my agent", "my-agent"),
        ("--x--", "x"),
        ("a_b", "a_b"),
        ("x" * 70, "x" * 64),
        ("a.b", "a-b"),
        ("日本", "main"),
        ("é", "main"),
        ("", "main"),
        ("-abc", "abc"),
        ("_x", "_x"),
        ("a/../b", "a-b"),
        ("A B!!C", "a-b-c"),
        ("\ufeffOps\u00a0", "ops"),
        ("\u212a", "k"),
        ("\u017f", "main"),
        ("\x85a", "a"),
        ("\ud800", "main"),
        (None, "main"),
    ],
)
def test_agent_ids_are_spelled_as_coderclaw_does(given: str | None, normal: str):
    assert normal_agent_id(given) == normal


@pytest.mark.parametrize(("given", "normal"), [(" Work ", "work"), ("", "main"), ("A:b", "a:b")])
def test_main_keys_are_trimmed_and_lower_case(given: str, normal: str):
    assert KeyRules.of(Part.root({"session": {"mainKey": given}})).main_key == normal


@pytest.mark.parametrize(
    ("key", "parsed"),
    [
        ("agent:main:main", ("main", "main")),
        ("agent:Main:Main", ("Main", "Main")),
        ("AGENT:main:main", None),
        ("agent::main:x", ("main", "x")),
        ("agent:main", None),
        ("agent:main:", None),
        ("agent:a: ", None),
        ("agent: x :y", ("x", "y")),
        (" agent:a:b:c ", ("a", "b:c")),
        ("agent:a:b::c", ("a", "b:c")),
        ("x:agent:a:b", None),
        ("", None),
        ("\ufeff \u3000", None),
        ("\x1f", None),
        ("agent: :x", None),
        ("\ud800:\0", None),
    ],
)
def test_a_key_is_taken_apart_at_its_colons(key: str, parsed: Any):
    found = keys.parse(key)
    assert (found and attrs.astuple(found)) == parsed


@pytest.mark.parametrize(
    ("ask", "key", "answer"),
    [
        (keys.is_cron_run, "agent:m:cron:j:run:r", True),
        (keys.is_cron_run, "agent:m:cron:j:run:r:x", False),
        (keys.is_cron_run, "agent:m:Cron:j:run:r", False),
        (keys.is_thread, "thread:1", False),
        (keys.is_thread, "a:Topic:1", True),
    ],
)
def test_facts_are_derived_from_a_key(ask: Any, key: str, answer: Any):
    assert ask(key) == answer


UNGROUPED = "agent:main:main"
CONTEXT = {
    "sender": "From",
    "chat_type": "ChatType",
    "provider": "Provider",
    "session_key": "SessionKey",
}


def source(**members: str) -> InboundContext:
    return InboundContext(**{CONTEXT[name]: value for name, value in members.items()})


@pytest.mark.parametrize(
    ("context", "derived", "resolved"),
    [
        ({}, "unknown", UNGROUPED),
        ({"sender": "+1555"}, "+1555", UNGROUPED),
        ({"sender": "whatsapp:+1 (555)"}, "+1555", UNGROUPED),
        (
            {"sender": "12345-678@g.us"},
            "whatsapp:group:12345-678@g.us",
            "agent:main:whatsapp:group:12345-678@g.us",
        ),
        (
            {"sender": "discord:group:123", "chat_type": "group"},
            "discord:group:123",
            "agent:main:discord:group:123",
        ),
        ({"sender": "Discord:Channel:ABC"}, "+", UNGROUPED),
        (
            {"sender": "C1", "chat_type": "channel", "provider": "Slack"},
            "slack:channel:c1",
            "agent:main:slack:channel:c1",
        ),
        ({"sender": "C1", "chat_type": "group"}, "+1", UNGROUPED),
        (
            {"sender": "group:abc", "chat_type": "group", "provider": "telegram"},
            "telegram:group:group:abc",
            "agent:main:telegram:group:group:abc",
        ),
        (
            {"sender": "telegram:group:-100:topic:5"},
            "telegram:group:-100:topic:5",
            "agent:main:telegram:group:-100:topic:5",
        ),
        (
            {"sender": "matrix:room:!a:b", "chat_type": "group", "provider": "matrix"},
            "matrix:group:matrix:room:!a:b",
            "agent:main:matrix:group:matrix:room:!a:b",
        ),
        (
            {"sender": "telegram:123", "chat_type": "group"},
            "telegram:group:123",
            "agent:main:telegram:group:123",
        ),
        ({"sender": "telegram:", "chat_type": "group"}, "+", UNGROUPED),
        ({"sender": "12345@g.us", "provider": ""}, "+12345", UNGROUPED),
        ({"session_key": " Agent:X:Y "}, "unknown", "agent:x:y"),
    ],
)
def test_an_inbound_message_has_a_key(context: dict[str, str], derived: str, resolved: str):
    origin, rules = source(**context), KeyRules()
    assert derived_key(origin, rules) == derived
    assert message_key(origin, rules) == resolved


@pytest.mark.parametrize(
    ("context", "derived", "resolved"),
    [
        ({"sender": "discord:group:1"}, "global", "global"),
        ({"session_key": "agent:a:b"}, "global", "agent:a:b"),
    ],
)
def test_in_global_scope_only_an_explicit_key_differs_from_global(
    context: dict[str, str], derived: str, resolved: str
):
    origin, rules = source(**context), KeyRules(is_global=True)
    assert derived_key(origin, rules) == derived
    assert message_key(origin, rules) == resolved


def test_a_configured_main_key_is_used():
    rules = KeyRules.of(Part.root({"session": {"mainKey": " Work "}}))
    assert message_key(source(), rules) == "agent:main:work"


def test_a_channel_that_is_configured_can_stand_at_the_head_of_a_sender():
    known = surfaces(Part.root({"channels": {"Matrix": {}, "defaults": {}}}))
    origin = source(sender="matrix:room:!a:b", chat_type="group")
    assert message_key(origin, KeyRules(), known) == "agent:main:matrix:group:room:!a:b"
    assert "defaults" not in known


AGENTS = {"list": [{"id": "ops", "default": True}, {"id": "alpha"}]}
PER_SENDER = KeyRules.of(Part.root({"session": {"mainKey": "work"}, "agents": AGENTS}))
GLOBAL = KeyRules.of(
    Part.root({"session": {"mainKey": "work", "scope": "global"}, "agents": AGENTS})
)


@pytest.mark.parametrize(
    ("key", "per_sender", "global_"),
    [
        *((key, "agent:ops:work", "global") for key in ("main", "MAIN", "work", "WORK")),
        *(
            (key, "agent:ops:work", "global")
            for key in ("agent:ops:main", "agent:ops:MAIN", "agent:OPS:Main")
        ),
        ("agent:alpha:main", "agent:alpha:work", "global"),
        ("agent:alpha:WORK", "agent:alpha:work", "global"),
        *(
            (key, f"agent:ops:{key}", f"agent:ops:{key}")
            for key in ("discord:group:1", "group:1", "cron:j", "hook:u", "subagent:q", "acp:1")
        ),
        ("agent:ops:x", "agent:ops:x", "agent:ops:x"),
        *((key, "global", "global") for key in ("global", "GLOBAL")),
        ("unknown", "unknown", "unknown"),
        *((key, "", "") for key in ("", "  ", "\ufeff")),
        ("agent:ops", "agent:ops", "agent:ops"),
        ("AGENT:ops:main", "agent:ops:main", "agent:ops:main"),
        ("\ud800", "agent:ops:\ud800", "agent:ops:\ud800"),
    ],
)
def test_a_gateway_keeps_one_key_for_all_spellings(key: str, per_sender: str, global_: str):
    assert keys.canonical(key, PER_SENDER) == per_sender
    assert keys.canonical(key, GLOBAL) == global_


@pytest.mark.parametrize(
    ("key", "found"),
    [
        ("main", "agent:ops:work"),
        ("agent:Ops:MAIN", "agent:ops:work"),
        ("global", "global"),
        ("x", "agent:ops:x"),
        (" ", ""),
    ],
)
def test_the_spawning_session_is_named_by_the_same_key(key: str, found: str):
    assert keys.canonical(key, PER_SENDER) == found


@pytest.mark.parametrize(
    ("listed", "main", "other"),
    [
        ([{"id": "a"}, {"default": True}], "agent:a:main", "agent:main:x"),
        ([None, {"id": "b"}], "agent:main:main", "agent:b:x"),
        ([], "agent:main:main", "agent:main:x"),
        ([{"id": "a"}, {"id": "B", "default": True}], "agent:b:main", "agent:b:x"),
    ],
)
def test_the_default_agent_differs_between_the_main_key_and_other_keys(
    listed: Any, main: str, other: str
):
    rules = KeyRules.of(Part.root({"agents": {"list": listed}}))
    assert keys.canonical("main", rules) == main
    assert keys.canonical("x", rules) == other


def test_a_bad_value_of_a_configuration_is_reported_and_the_rest_applies():
    config = Part.root({"session": {"scope": "all", "mainKey": "w"}, "agents": {"list": [3]}})
    assert keys.canonical("main", KeyRules.of(config)) == "agent:main:w"
    assert config.problems.keys() == {"session.scope", "agents.list[0]"}


@pytest.mark.parametrize(
    ("key", "chat_type", "kind"),
    [
        ("global", None, "global"),
        ("unknown", None, "unknown"),
        ("agent:m:x:room:1", None, "direct"),
        ("agent:m:cron:j", None, "direct"),
        ("agent:m:hook:j", None, "direct"),
        ("agent:m:subagent:j", None, "direct"),
        ("agent:m:telegram:direct:group:1", None, "group"),
        ("agent:m:slack:channel:c", None, "group"),
        ("agent:m:x", "channel", "group"),
    ],
)
def test_a_session_is_of_a_kind(key: str, chat_type: str | None, kind: str):
    assert keys.kind(key, chat_type) == kind


@pytest.mark.parametrize(
    ("key", "aliases"),
    [
        (" MAIN ", ["MAIN", "agent:ops:main"]),
        ("agent:ops:work", ["agent:ops:main"]),
        ("Discord:group:1", ["Discord:group:1"]),
        ("agent:ops:x", []),
        ("GLOBAL", ["GLOBAL"]),
        ("", []),
    ],
)
def test_an_old_store_may_have_a_session_under_other_keys(key: str, aliases: list[str]):
    assert keys.aliases(keys.canonical(key, PER_SENDER), key, PER_SENDER) == aliases
