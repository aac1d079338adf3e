"""Routes are put in order as CoderClaw does it on saving."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sessiond.gateway.entry import StoreEntry
from sessiond.gateway.origin import normal_route, with_normal_route


def saved(members: dict[str, Any] | str) -> dict[str, Any]:
    text = members if isinstance(members, str) else json.dumps(members)
    return json.loads(with_normal_route(StoreEntry(text.encode())).text)


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
    ],
)
def test_an_entry_in_order_does_not_change(stored: dict[str, Any]):
    entry = StoreEntry.of(stored)
    assert with_normal_route(entry) is entry


def test_a_route_in_order_stays_in_order():
    once = with_normal_route(
        StoreEntry.of({"origin": {"threadId": " t "}, "lastTo": "a", "channel": "GChat"})
    )
    assert with_normal_route(once) is once


def test_the_thread_of_the_origin_is_restored_though_it_was_removed():
    entry = with_normal_route(StoreEntry.of({"lastTo": "a", "origin": {"threadId": 7}}))
    without = with_normal_route(
        entry.changed({"lastThreadId": None, "deliveryContext": {"to": "a"}})
    )
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
