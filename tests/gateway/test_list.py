"""The sessions of all agents in one list."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from sessiond_protocol.gateway.list import StoreListParams
from support.agents import HEADER, Agents, entry, line, message
from support.client import RpcError

from sessiond.gateway import listing
from sessiond.gateway.entry import NonEntry, StoreEntry
from sessiond.gateway.keys import KeyRules
from sessiond.gateway.listing import AgentItems, Listed
from sessiond.runtime.errors import ReadFailed

NOW = 1_770_000_000_000
MINUTE = 60_000
RULES = KeyRules()


def gathered(stores: Mapping[str, Mapping[str, Any]], rules: KeyRules = RULES) -> dict[str, Listed]:
    """The combined list of agents' stores; values that are no objects are odd ones."""
    read_stores = []
    for agent, items in stores.items():
        read = {
            key: StoreEntry.of(value)
            if isinstance(value, dict)
            else NonEntry(json.dumps(value).encode())
            for key, value in items.items()
        }
        read_stores.append(AgentItems(agent, f"/{agent}/sessions.json", read))
    return listing.sessions_of(read_stores, rules)


def keys_of(items: Mapping[str, Any], **wanted: Any) -> list[str]:
    found = listing.filtered(gathered({"main": items}), StoreListParams(**wanted), NOW, RULES)
    return [listed.key for listed in found]


@pytest.mark.parametrize(
    ("agent", "key", "listed"),
    [
        ("main", "agent:main:x", "agent:main:x"),
        ("main", "Agent:OPS:X", "agent:ops:x"),
        ("ops", "discord:Group:1", "agent:ops:discord:group:1"),
        ("ops", "main", "agent:ops:main"),
        ("ops", "GLOBAL", "global"),
        ("ops", "Unknown", "unknown"),
        ("ops", "agent:broken", "agent:broken"),
    ],
)
def test_the_key_in_the_list(agent: str, key: str, listed: str):
    assert list(gathered({agent: {key: {"sessionId": "s"}}})) == [listed]


@pytest.mark.parametrize(
    ("main", "ops", "entry", "agent"),
    [
        ({"sessionId": "a"}, {"updatedAt": 9}, {"sessionId": "a", "updatedAt": 9}, "ops"),
        ({"sessionId": "a", "updatedAt": 9}, {"sessionId": "b", "updatedAt": 8, "label": "L"},
         {"sessionId": "a", "updatedAt": 9, "label": "L"}, "main"),
        ({"sessionId": "a", "updatedAt": 9}, {"sessionId": "b", "updatedAt": 9},
         {"sessionId": "b", "updatedAt": 9}, "ops"),
        ({"provider": "irc", "updatedAt": 1}, {"channel": "x"}, {"channel": "irc", "updatedAt": 1}, "main"),
    ],
)  # fmt: skip
def test_the_newer_of_two_entries_counts_and_the_older_one_adds(
    main: dict[str, Any], ops: dict[str, Any], entry: dict[str, Any], agent: str
):
    found = gathered({"main": {"global": main}, "ops": {"global": ops}})["global"]
    assert json.loads(found.entry.text) == entry
    assert (found.agent_id, found.store_path) == (agent, f"/{agent}/sessions.json")


def test_spellings_of_a_key_in_one_store_are_one_session():
    items = {
        "agent:main:X:Y": {"sessionId": "newest", "updatedAt": 9},
        "agent:main:x:Y": {"sessionId": "old", "updatedAt": 5, "label": "kept"},
        "agent:main:X:y": {"sessionId": "older", "updatedAt": 4},
    }
    (found,) = gathered({"main": items}).values()
    assert json.loads(found.entry.text) == {**items["agent:main:X:Y"], "label": "kept"}


def test_values_that_are_not_entries_are_skipped():
    assert keys_of({"a": None, "b": "text", "c": [], "d": {}}) == ["agent:main:d"]


ALL: dict[str, Any] = {
    "agent:main:old": {"sessionId": "Sid", "updatedAt": NOW - 10 * MINUTE, "label": "L"},
    "agent:main:new": {"sessionId": "n", "updatedAt": NOW, "spawnedBy": "main"},
    "agent:main:never": {"sessionId": "v", "updatedAt": None, "subject": "A Subject"},
    "agent:main:cron:j": {"sessionId": "c", "updatedAt": NOW - 5 * MINUTE, "archivedAt": 1},
    "agent:main:cron:j:run:r": {"sessionId": "r", "updatedAt": NOW},
    "global": {"sessionId": "g", "updatedAt": NOW - 1, "label": "L", "spawnedBy": "main"},
    "unknown": {"sessionId": "u", "updatedAt": NOW - 2, "label": "L", "spawnedBy": "main"},
    "agent:ops:x": {"sessionId": "x", "updatedAt": NOW - 3, "displayName": "Äpfel"},
    "agent:main:discord:group:1": {"sessionId": "d", "updatedAt": 1, "groupChannel": "#General"},
}
NEW, OPS, CRON = "agent:main:new", "agent:ops:x", "agent:main:cron:j"
OLD, GROUP, NEVER = "agent:main:old", "agent:main:discord:group:1", "agent:main:never"


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({}, [NEW, OPS, CRON, OLD, GROUP, NEVER]),
        ({"includeGlobal": True}, [NEW, "global", OPS, CRON, OLD, GROUP, NEVER]),
        ({"includeUnknown": True}, [NEW, "unknown", OPS, CRON, OLD, GROUP, NEVER]),
        ({"agentId": "Ops"}, [OPS]),
        ({"agentId": "main", "includeGlobal": True}, [NEW, CRON, OLD, GROUP, NEVER]),
        ({"spawnedBy": "agent:main:main", "includeGlobal": True}, [NEW]),
        ({"spawnedBy": "main"}, []),
        ({"label": "L"}, [OLD]),
        (
            {"label": "L", "includeGlobal": True, "includeUnknown": True},
            ["global", "unknown", OLD],
        ),
        ({"label": "l"}, []),
        ({"search": " SID "}, [OLD]),
        ({"search": "äPF"}, [OPS]),
        ({"search": "subject"}, [NEVER]),
        ({"search": "cron:"}, [CRON]),
        ({"search": "discord:#general"}, [GROUP]),
        ({"search": "nothing"}, []),
        ({"search": " "}, [NEW, OPS, CRON, OLD, GROUP, NEVER]),
        ({"archived": True}, [CRON]),
        ({"archived": False, "limit": 3}, [NEW, OPS, OLD]),
        ({"activeMinutes": 5}, [NEW, OPS, CRON]),
        ({"activeMinutes": 4}, [NEW, OPS]),
        ({"limit": 2}, [NEW, OPS]),
        ({"limit": 1, "search": "old"}, [OLD]),
        ({"limit": 1, "activeMinutes": 1, "agentId": "ops"}, [OPS]),
    ],
    ids=str,
)
def test_selected_sessions_are_in_order(wanted: dict[str, Any], expected: list[str]):
    assert keys_of(ALL, **wanted) == expected


def test_equal_times_keep_the_order_of_the_store():
    items = {f"agent:main:{n}": {"updatedAt": at} for n, at in enumerate([0, None, 5, 0, 5, -1])}
    assert [key[-1] for key in keys_of(items)] == ["2", "4", "0", "1", "3", "5"]


@pytest.mark.parametrize(
    ("key", "members", "name"),
    [
        ("agent:main:x", {}, None),
        ("agent:main:x", {"origin": {"label": "o"}}, "o"),
        ("agent:main:x", {"label": "l", "origin": {"label": "o"}}, "l"),
        ("agent:main:discord:group:1", {"label": "l"}, "discord:g-1"),
        ("agent:main:discord:channel:1", {"groupChannel": "#general"}, "discord:#general"),
        (
            "agent:main:discord:channel:1",
            {"space": "Friends of X", "groupChannel": "general"},
            "discord:friends-of-x#general",
        ),
        ("agent:main:x", {"channel": "slack", "subject": "#foo"}, "slack:g-foo"),
        (
            "agent:main:whatsapp:group:120363406150318674@g.us",
            {"channel": "whatsapp"},
            "whatsapp:g-120363406150318674@g.us",
        ),
        ("agent:main:discord:group:1", {"displayName": "", "label": "l"}, ""),
        ("agent:main:x", {"displayName": 3, "label": 4, "origin": []}, None),
        (
            "agent:main:discord:channel:9",
            {"provider": "discord", "room": "#general", "space": "friends"},
            "discord:friends#general",
        ),
    ],
)
def test_the_name_of_a_session(key: str, members: dict[str, Any], name: str | None):
    assert listing.display_name(Listed(key, StoreEntry.of(members), "main", "/s")) == name


LONG = "word " * 20


@pytest.mark.parametrize(
    ("members", "text", "title"),
    [
        ({"label": " L ", "displayName": "D"}, "said", "L"),
        ({"displayName": " D ", "subject": "S"}, "said", "D"),
        ({"displayName": " ", "subject": " S "}, "said", "S"),
        ({}, "  one\n\ttwo\u00a0three  ", "one two three"),
        ({}, "x" * 60, "x" * 60),
        ({}, "x" * 61, "x" * 59 + "…"),
        ({}, LONG, "word " * 10 + "word…"),
        ({}, "x" * 37 + " " + "y" * 40, "x" * 37 + "…"),
        ({}, "x" * 36 + " " + "y" * 40, "x" * 36 + " " + "y" * 22 + "…"),
        ({}, "Fix https://" + "y" * 80, "Fix https://" + "y" * 47 + "…"),
        ({"sessionId": "0123456789"}, None, "01234567"),
        ({"sessionId": "ab", "updatedAt": 1}, " ", "ab"),
        ({}, None, None),
    ],
)
def test_a_title_is_made_from_the_present_members(
    members: dict[str, Any], text: str | None, title: str
):
    assert listing.title(StoreEntry.of(members), text) == title


def transcript(*values: Any) -> bytes:
    return b"".join(value if isinstance(value, bytes) else line(value) for value in values)


def user(text: Any, **more: Any) -> dict[str, Any]:
    return message("u", None, "user", text, **more)


BLANK_THEN_TEXT = [
    {"type": "image"},
    {"type": "text", "text": " "},
    {"type": "text", "text": " b "},
]


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ([], None),
        ([HEADER, user(" one "), user("two")], "one"),
        ([HEADER, message("a", None, "assistant", "no"), user("yes")], "yes"),
        ([HEADER, user(" "), user([]), user(BLANK_THEN_TEXT)], "b"),
        ([HEADER, user("other", provenance={"kind": "inter_session"}), user("me")], "me"),
        ([HEADER, user("me", provenance={"kind": "external_user"})], "me"),
        ([HEADER, b"{bad\n", b"[]\n", b"3\n", b'{"message":3}\n', user("x")], "x"),
        ([HEADER, *[entry("e", None, "custom")] * 8, user("tenth")], "tenth"),
        ([HEADER, *[entry("e", None, "custom")] * 9, user("eleventh")], None),
        ([HEADER, user("x" * 8192)], None),
        ([b"\r\n", HEADER, user("crlf")], "crlf"),
        ([HEADER, message("a", None, ["user"], "odd"), user("x")], "x"),
        ([HEADER, user([{"type": {"a": 1}, "text": "odd"}, {"type": "text", "text": "x"}])], "x"),
        ([HEADER, line(user("a?b")).replace(b"?", b"\xff")], "a\ufffdb"),
    ],
)
def test_the_first_message_of_the_user_is_found(lines: list[Any], text: str | None):
    assert listing.first_user_text(transcript(*lines)[:8192].split(b"\n")) == text


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ([], None),
        ([HEADER], None),
        ([user("one"), message("a", None, "assistant", " two ")], "two"),
        ([user("one"), message("t", None, "toolResult", "out")], "one"),
        ([user("one"), message("a", None, "assistant", [{"type": "toolCall"}])], "one"),
        ([user("one"), *[entry("e", None, "custom")] * 19], "one"),
        ([user("one"), *[entry("e", None, "custom")] * 20], None),
        ([user("one"), b"\n", b" \r\n", *[entry("e", None, "custom")] * 19], "one"),
        ([user("one"), b'{"torn'], "one"),
        ([user("x" * 16_384)], None),
        ([user("x" * 16_384), user("last")], "last"),
        ([user("one"), message("a", None, {"role": "user"}, "odd")], "one"),
        ([user("one"), message("a", None, "assistant", [{"type": ["text"], "text": "x"}])], "one"),
        ([line(user("a?b")).replace(b"?", b"\xff")], "a\ufffdb"),
    ],
)
def test_the_last_message_is_found(lines: list[Any], text: str | None):
    assert listing.last_text(transcript(*lines)[-16_384:].split(b"\n")) == text


def test_a_transcript_is_read_again_when_it_has_changed(tmp_path: Path):
    path = tmp_path / "s.jsonl"
    path.write_bytes(transcript(HEADER, user("one")))
    paths = [str(tmp_path / "missing.jsonl"), str(path)]
    assert [listing.ends_of(paths), listing.ends_of(paths)] == [("one", "one")] * 2
    path.write_bytes(transcript(HEADER, user("another")))
    assert listing.ends_of(paths) == ("another", "another")


def test_a_fifo_in_place_of_a_transcript_does_not_block(tmp_path: Path):
    os.mkfifo(tmp_path / "s.jsonl")
    with pytest.raises(ReadFailed):
        listing.ends_of([str(tmp_path / "s.jsonl")])


FULL: dict[str, Any] = {
    "sessionId": "s",
    "updatedAt": NOW,
    "label": "l",
    "displayName": "d",
    "channel": "discord",
    "subject": "su",
    "groupChannel": "#g",
    "space": "sp",
    "chatType": "channel",
    "origin": {"label": "o", "threadId": 7},
    "systemSent": True,
    "abortedLastRun": False,
    "thinkingLevel": "high",
    "verboseLevel": "on",
    "reasoningLevel": "stream",
    "elevatedLevel": "ask",
    "sendPolicy": "deny",
    "inputTokens": 1,
    "outputTokens": 2,
    "totalTokens": 3,
    "totalTokensFresh": True,
    "responseUsage": "full",
    "modelProvider": "p",
    "model": "m",
    "contextTokens": 4,
    "deliveryContext": {"channel": "discord", "to": "+1", "accountId": "a", "threadId": 7},
    "lastChannel": "discord",
    "lastTo": "+1",
    "lastAccountId": "a",
}


async def rows(agents: Agents, entries: dict[str, Any], **params: Any) -> list[dict[str, Any]]:
    agents.lay(entries)
    async with agents.daemon() as client:
        found = await client.request("gateway/list", params)
    assert found["count"] == len(found["sessions"])
    listed: list[dict[str, Any]] = found["sessions"]
    return listed


async def test_a_row_has_its_entry_and_what_follows_from_it(tmp_path: Path):
    large = {"skillsSnapshot": {"prompt": "p"}, "systemPromptReport": {"source": "run"}}
    entry = {**FULL, "spawnedBy": "p", "status": "done", "future": 2}
    (row,) = await rows(Agents(tmp_path / "state"), {"agent:main:x": {**entry, **large}})
    assert row == {
        "key": "agent:main:x",
        "agentId": "main",
        "kind": "group",
        "sessionId": "s",
        "updatedAt": NOW,
        "displayName": "d",
        "channel": "discord",
        "modelProvider": "p",
        "model": "m",
        "totalTokens": 3,
        "totalTokensFresh": True,
        "entry": entry,
    }


async def test_a_row_omits_unknown_values(tmp_path: Path):
    (row,) = await rows(Agents(tmp_path / "state"), {"Discord:Group:1": {}})
    assert row == {
        "key": "agent:main:discord:group:1",
        "agentId": "main",
        "kind": "group",
        "displayName": "discord:g-1",
        "channel": "discord",
        "updatedAt": None,
        "totalTokensFresh": False,
        "entry": {},
    }


async def test_members_of_the_wrong_type_are_left_out(tmp_path: Path):
    odd = {name: {"a": 1} if not isinstance(value, dict) else 3 for name, value in FULL.items()}
    (row,) = await rows(Agents(tmp_path / "state"), {"agent:main:x": odd})
    assert row == {
        "key": "agent:main:x",
        "agentId": "main",
        "kind": "direct",
        "updatedAt": None,
        "totalTokensFresh": False,
        "entry": odd,
    }


@pytest.mark.parametrize(
    ("members", "total", "fresh"),
    [
        ({"totalTokens": 5}, 5, True),
        ({"totalTokens": 0, "totalTokensFresh": True}, 0, True),
        ({"totalTokens": 5, "totalTokensFresh": False}, None, False),
        ({"totalTokens": 5, "totalTokensFresh": None}, 5, True),
        ({"totalTokensFresh": True}, None, False),
        ({"totalTokens": "5", "totalTokensFresh": True}, None, False),
        ({"totalTokens": -1}, None, True),
    ],
)
async def test_a_stale_total_is_left_out(
    tmp_path: Path, members: dict[str, Any], total: int | None, fresh: bool
):
    (row,) = await rows(Agents(tmp_path / "state"), {"agent:main:x": members})
    assert (row.get("totalTokens"), row["totalTokensFresh"]) == (total, fresh)


async def test_the_model_is_that_of_the_last_run_else_the_chosen_one(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    agents.configure(
        agents={"defaults": {"model": {"primary": "anthropic/big"}, "contextTokens": 1000}}
    )
    agents.lay(
        {
            "agent:main:a": {"updatedAt": 4, "model": "m", "modelProvider": "p"},
            "agent:main:b": {"updatedAt": 3, "modelOverride": "o", "providerOverride": "q"},
            "agent:main:c": {"updatedAt": 2},
        }
    )
    async with agents.daemon() as client:
        found = await client.request("gateway/list", {})
    told = [(row.get("modelProvider"), row.get("model")) for row in found["sessions"]]
    assert told == [("p", "m"), ("q", "o"), (None, None)]
    defaults = {"modelProvider": "anthropic", "model": "big", "contextTokens": 1000}
    assert found["defaults"] == defaults


async def test_an_empty_gateway_has_an_empty_list(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    before = int(time.time() * 1000)
    async with agents.daemon() as client:
        found = await client.request("gateway/list", {})
    assert before <= found.pop("ts") <= time.time() * 1000
    assert found == {
        "path": "(multiple)",
        "count": 0,
        "defaults": {"modelProvider": None, "model": None, "contextTokens": 200_000},
        "sessions": [],
    }
    assert not agents.state.exists()


async def test_each_agents_store_counts_or_the_one_they_share(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    agents.lay({"x": {"updatedAt": 1}})
    agents.lay({"x": {"updatedAt": 2}}, "ops")
    agents.lay({"x": {"updatedAt": 3}}, "else")
    shared, own = tmp_path / "all.json", f"{tmp_path}/stores/{{agentId}}.json"
    shared.write_text('{"x": {"updatedAt": 1}, "agent:ops:y": {"updatedAt": 2}}')
    (tmp_path / "stores").mkdir()
    (tmp_path / "stores" / "ops.json").write_text('{"z": {"updatedAt": 1}}')
    only_ops = {"agents": {"list": [{"id": "ops"}]}}

    async with agents.daemon() as client:

        async def listed(**params: Any) -> tuple[str, list[str]]:
            found = await client.request("gateway/list", params)
            return found["path"], [row["key"] for row in found["sessions"]]

        everybody = ["agent:else:x", "agent:ops:x", "agent:main:x"]
        assert await listed() == ("(multiple)", everybody)
        assert await listed(config=only_ops) == ("(multiple)", ["agent:ops:x"])
        assert await listed(agentId="Else") == ("(multiple)", ["agent:else:x"])
        assert await listed(agentId="else", config=only_ops) == ("(multiple)", ["agent:else:x"])
        assert await listed(storePath=str(shared)) == (
            str(shared),
            ["agent:ops:y", "agent:main:x"],
        )
        assert await listed(storePath=str(shared), agentId="ops") == (str(shared), ["agent:ops:y"])
        assert await listed(config={"session": {"store": own}}) == (own, ["agent:ops:z"])


async def test_titles_and_last_messages_are_read_on_request(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    said = [HEADER, user("the question"), message("a", "u", "assistant", "the answer")]
    agents.transcript("s.jsonl", *said)
    agents.transcript("named-topic-1.jsonl", HEADER, user("by name"))
    agents.transcript("o.jsonl", HEADER, user("ops asks"), agent="ops")
    agents.lay({"agent:ops:x": {"sessionId": "o", "updatedAt": 5}}, "ops")
    agents.lay(
        {
            "agent:main:a": {"sessionId": "s", "updatedAt": 4},
            "agent:main:b": {"sessionId": "s", "updatedAt": 3, "subject": "Subject"},
            "agent:main:c": {"sessionId": "x", "sessionFile": "named-topic-1.jsonl"},
            "agent:main:d": {"sessionId": "0123456789ab", "updatedAt": 2},
            "agent:main:e": {"updatedAt": 1},
            "agent:main:f": {"sessionId": "../../x", "sessionFile": "/etc/passwd"},
        }
    )
    async with agents.daemon() as client:

        async def told(**params: Any) -> list[tuple[str | None, str | None]]:
            found = await client.request("gateway/list", params)
            return [
                (row.get("derivedTitle"), row.get("lastMessagePreview"))
                for row in found["sessions"]
            ]

        assert await told() == [(None, None)] * 7
        first = ["ops asks", "the question", "Subject", "01234567"]
        expected = [*first, None, "by name", "../../x"]
        assert [title for title, _ in await told(includeDerivedTitles=True)] == expected
        last = ["ops asks", "the answer", "the answer", None, None, "by name", None]
        assert [text for _, text in await told(includeLastMessage=True)] == last
        assert len(await told(includeLastMessage=True, includeDerivedTitles=True, limit=2)) == 2


async def test_transcripts_outside_are_not_read(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    other = Agents(tmp_path / "other").transcript("s.jsonl", HEADER, user("secret"))
    link = agents.sessions() / "t.jsonl"
    agents.lay(
        {
            "agent:main:a": {"sessionId": "s", "sessionFile": str(other)},
            "agent:main:b": {"sessionId": "t"},
        }
    )
    link.symlink_to(other)
    async with agents.daemon(roots=[str(agents.state)]) as client:
        params = {"includeLastMessage": True, "includeDerivedTitles": True}
        found = await client.request("gateway/list", params)
    assert [row["derivedTitle"] for row in found["sessions"]] == ["s", "t"]
    assert not any("lastMessagePreview" in row for row in found["sessions"])


async def test_a_store_that_cannot_be_read_hides_no_other(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    agents.lay({"x": {}, "bad": 3})
    agents.store("ops").mkdir(parents=True)
    async with agents.daemon() as client:
        found = await client.request("gateway/list", {})
        kinds = [problem["kind"] for problem in found["problems"]]
        assert (found["count"], sorted(kinds)) == (1, ["notAnEntry", "unreadableStore"])
        for path in (str(agents.store("ops")), str(tmp_path)):
            with pytest.raises(RpcError) as caught:
                await client.request("gateway/list", {"storePath": path})
            assert caught.value.kind == "ReadFailed"


async def test_a_list_outside_the_roots_is_refused(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    agents.lay({"x": {}})
    root = tmp_path / "root"
    root.mkdir()
    async with agents.daemon(roots=[str(root)]) as client:
        with pytest.raises(RpcError) as caught:
            await client.request("gateway/list", {})
    assert caught.value.kind == "PathNotAllowed"
