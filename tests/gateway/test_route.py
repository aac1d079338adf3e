"""Members of old are renamed on loading, and routes are put in order on saving, as CoderClaw does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sessiond.gateway.rules.route import migrated, normal_route, settled
from sessiond.gateway.store.entry import StoreEntry
from sessiond.gateway.store.store import StoreFile


def loaded(members: dict[str, Any]) -> dict[str, Any]:
    return json.loads(migrated(StoreEntry.of(members)).text)


def saved(members: dict[str, Any] | str) -> dict[str, Any]:
    text = members if isinstance(members, str) else json.dumps(members)
    return json.loads(settled(StoreEntry.read(text.encode())).text)


@pytest.mark.parametrize(
    ("stored", "found"),
    [
        (
            {"channel": "x", "provider": "y", "room": "#r", "groupChannel": "#g"},
            {"channel": "x", "provider": "y", "groupChannel": "#g"},
        ),
        ({"provider": "y"}, {"channel": "y"}),
        ({"channel": 5, "provider": "y"}, {"channel": "y"}),
        ({"channel": None, "provider": "y"}, {"channel": "y"}),
        ({"channel": "", "provider": "y"}, {"channel": "", "provider": "y"}),
        ({"provider": 7}, {"provider": 7}),
        ({"provider": ""}, {"channel": ""}),
        ({"lastProvider": "y"}, {"lastChannel": "y"}),
        ({"lastChannel": "x", "lastProvider": "y"}, {"lastChannel": "x", "lastProvider": "y"}),
        ({"lastProvider": None}, {"lastProvider": None}),
        ({"room": "#r"}, {"groupChannel": "#r"}),
        ({"room": "#r", "groupChannel": 1}, {"groupChannel": "#r"}),
        ({"room": 5}, {}),
        ({"room": None, "groupChannel": "#g"}, {"groupChannel": "#g"}),
        ({"origin": {"provider": "p", "room": "r"}}, {"origin": {"provider": "p", "room": "r"}}),
        ({"text": '"room": 1'}, {"text": '"room": 1'}),
    ],
)
def test_legacy_members_get_their_current_names(stored: dict[str, Any], found: dict[str, Any]):
    assert loaded(stored) == found


def test_an_entry_without_legacy_members_is_unchanged():
    entry = StoreEntry.of({"channel": "x", "provider": "y", "origin": {"room": 1}})
    assert migrated(entry) is entry


def test_renamed_members_are_appended_at_the_end():
    stored = {"provider": "p", "a": 1, "lastProvider": "l", "room": "r", "b": 2}
    assert list(loaded(stored)) == ["a", "b", "channel", "lastChannel", "groupChannel"]


def test_a_value_is_renamed_as_it_is_spelled():
    entry = migrated(StoreEntry.read(b'{"provider":"\\ud800\\u00e9"}'))
    assert entry.members == {"channel": b'"\\ud800\xc3\xa9"'}


async def test_changes_made_by_loading_are_written_with_the_next_change(tmp_path: Path):
    path = tmp_path / "sessions.json"
    path.write_text('{"a":{"room":"#r"},"b":{}}')
    store = StoreFile(str(path), 1, lambda _: None)
    entry = (await store.read()).entry("a")
    assert entry is not None
    assert entry.string("groupChannel") == "#r"
    async with store.changing():
        pass
    assert path.read_text() == '{"a":{"room":"#r"},"b":{}}'
    async with store.changing() as draft:
        draft.items["b"] = StoreEntry.of({"x": 1})
    assert json.loads(path.read_text()) == {"a": {"groupChannel": "#r"}, "b": {"x": 1}}


@pytest.mark.parametrize(
    ("stored", "found"),
    [
        (
            {"origin": {"threadId": 7}, "lastTo": " +1 ", "lastChannel": "WhatsApp"},
            {
                "origin": {"threadId": 7},
                "lastTo": "+1",
                "lastChannel": "whatsapp",
                "deliveryContext": {"channel": "whatsapp", "to": "+1", "threadId": 7},
                "lastThreadId": 7,
            },
        ),
        (
            {"channel": "x"},
            {"channel": "x", "deliveryContext": {"channel": "x"}, "lastChannel": "x"},
        ),
        (
            {"channel": " Telegram "},
            {
                "channel": " Telegram ",
                "deliveryContext": {"channel": "telegram"},
                "lastChannel": "telegram",
            },
        ),
        (
            {"deliveryContext": {"channel": "x", "to": "t", "accountId": "a", "threadId": "h"}},
            {
                "deliveryContext": {"channel": "x", "to": "t", "accountId": "a", "threadId": "h"},
                "lastChannel": "x",
                "lastTo": "t",
                "lastAccountId": "a",
                "lastThreadId": "h",
            },
        ),
        (
            # Field by field, what is flat first.
            {"deliveryContext": {"channel": "x", "to": "t"}, "lastTo": "u", "lastAccountId": "b"},
            {
                "deliveryContext": {"channel": "x", "to": "u", "accountId": "b"},
                "lastTo": "u",
                "lastAccountId": "b",
                "lastChannel": "x",
            },
        ),
        (
            {"channel": "a", "lastChannel": "b", "deliveryContext": {"channel": "c"}},
            {"channel": "a", "lastChannel": "b", "deliveryContext": {"channel": "b"}},
        ),
        (
            # A flat value that is there but says nothing: the other one's counts.
            {"lastChannel": " ", "lastTo": 5, "deliveryContext": {"channel": "c", "to": "t"}},
            {"lastChannel": "c", "lastTo": "t", "deliveryContext": {"channel": "c", "to": "t"}},
        ),
        (
            {"lastThreadId": 1, "deliveryContext": {"threadId": 2}, "origin": {"threadId": 3}},
            {"lastThreadId": 1, "deliveryContext": {"threadId": 1}, "origin": {"threadId": 3}},
        ),
        (
            {"lastThreadId": None, "deliveryContext": {"threadId": 2}, "origin": {"threadId": 3}},
            {"lastThreadId": 2, "deliveryContext": {"threadId": 2}, "origin": {"threadId": 3}},
        ),
        ({"lastTo": None, "a": 1}, {"a": 1}),
        ({"lastTo": "  ", "a": 1}, {"a": 1}),
        ({"deliveryContext": {"to": " "}}, {}),
        ({"deliveryContext": "x", "lastTo": "t"}, {"deliveryContext": {"to": "t"}, "lastTo": "t"}),
    ],
)
def test_a_save_puts_the_route_into_both_places(stored: dict[str, Any], found: dict[str, Any]):
    assert saved(stored) == found


@pytest.mark.parametrize(
    "stored",
    [
        {},
        {"sessionId": "s", "updatedAt": 1, "origin": {"provider": "x", "to": "y"}},
        {"deliveryContext": {"channel": "x"}, "lastChannel": "x"},
        {"deliveryContext": {"threadId": 7}, "lastThreadId": 7.0},
    ],
)
def test_an_entry_in_order_does_not_change(stored: dict[str, Any]):
    entry = StoreEntry.of(stored)
    assert settled(entry) is entry


def test_a_route_in_order_stays_in_order():
    once = settled(
        StoreEntry.of({"origin": {"threadId": " t "}, "lastTo": "a", "channel": "GChat"})
    )
    assert settled(once) is once


def test_the_thread_of_the_origin_is_restored_though_it_was_removed():
    entry = settled(StoreEntry.of({"lastTo": "a", "origin": {"threadId": 7}}))
    without = settled(entry.changed({"lastThreadId": None, "deliveryContext": {"to": "a"}}))
    assert json.loads(without.text)["lastThreadId"] == 7


def test_unknown_members_of_the_route_are_kept():
    stored = {"deliveryContext": {"new": [1], "channel": "X", "7": None}, "lastTo": "t"}
    context = saved(stored)["deliveryContext"]
    assert context == {"channel": "x", "to": "t", "new": [1], "7": None}
    assert saved({"deliveryContext": {"new": 1}, "a": 1})["deliveryContext"] == {"new": 1}
    assert saved({"deliveryContext": {"new": 1, "to": " "}})["deliveryContext"] == {"new": 1}


@pytest.mark.parametrize(
    ("given", "normal"),
    [
        ("WhatsApp", "whatsapp"),
        (" imsg ", "imessage"),
        ("Internet-Relay-Chat", "irc"),
        ("google-chat", "googlechat"),
        ("GCHAT", "googlechat"),
        ("Some Thing", "some thing"),
        ("\ufeffx\u3000", "x"),
    ],
)
def test_channels_have_one_spelling(given: str, normal: str):
    assert normal_route({"channel": given}) == {"channel": normal}


@pytest.mark.parametrize(
    ("given", "normal"),
    [
        (7, 7),
        (7.9, 7),
        (-7.9, -7),
        (0, 0),
        (0.5, 0),
        (" t ", "t"),
        ("7.9", "7.9"),
        ("", None),
        (True, None),
        ([7], None),
        (float("inf"), None),
    ],
)
def test_threads_are_whole_numbers_or_strings_that_are_not_empty(given: Any, normal: Any):
    found = normal_route({"threadId": given})
    assert found == ({} if normal is None else {"threadId": normal})
    assert all(type(value) is not bool for value in found.values())


def test_thread_numbers_are_read_as_javascript_reads_them():
    assert saved('{"lastThreadId":1e999}') == {}
    assert saved('{"lastThreadId":7.0}')["deliveryContext"] == {"threadId": 7}
