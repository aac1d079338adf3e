"""Finding a session under its key or another one that means it, and giving it its own key."""

from __future__ import annotations

from typing import Any

import pytest

from sessiond.gateway import keys
from sessiond.gateway.entry import NonEntry, StoreEntry
from sessiond.gateway.keys import KeyRules
from sessiond.gateway.store import Draft, claim_session, find_session, spellings

RULES = KeyRules(main_key="work", main_agent="ops", default_agent="ops")
ODD = "odd"


def items(*names: str) -> dict[str, StoreEntry | NonEntry]:
    """Entries that say under which key they stood; those in `!` are odd values."""
    return {
        name.strip("!"): NonEntry(b"null") if "!" in name else StoreEntry.of({"sessionId": name})
        for name in names
    }


def content(found: dict[str, StoreEntry | NonEntry]) -> dict[str, Any]:
    return {
        key: item.get("sessionId") if isinstance(item, StoreEntry) else ODD
        for key, item in found.items()
    }


CASES = [
    # What is asked for, what is in the store, which is found, what is left of the store.
    ("x", ["agent:ops:x", "other"], "agent:ops:x", {"agent:ops:x": "agent:ops:x"}),
    ("x", ["x"], "x", {"agent:ops:x": "x"}),
    ("X", ["X"], "X", {"agent:ops:x": "X"}),
    ("x", ["X"], "X", {"agent:ops:x": "X"}),
    ("x", ["Agent:Ops:X"], "Agent:Ops:X", {"agent:ops:x": "Agent:Ops:X"}),
    ("x", ["X", "x", "agent:ops:x"], "agent:ops:x", {"agent:ops:x": "agent:ops:x"}),
    ("x", ["X", "x"], "x", {"agent:ops:x": "x"}),
    ("agent:ops:x", ["x"], None, {"x": "x"}),
    ("agent:alpha:x", ["agent:ops:x", "x"], None, {"agent:ops:x": "agent:ops:x", "x": "x"}),
    ("main", ["agent:ops:main"], "agent:ops:main", {"agent:ops:work": "agent:ops:main"}),
    ("main", ["agent:ops:MAIN"], "agent:ops:MAIN", {"agent:ops:work": "agent:ops:MAIN"}),
    ("work", ["agent:ops:main", "work"], "work", {"agent:ops:work": "work"}),
    (
        "work",
        ["agent:ops:main", "main"],
        "agent:ops:main",
        {"agent:ops:work": "agent:ops:main", "main": "main"},
    ),
    (
        "agent:ops:main",
        ["agent:ops:work", "agent:ops:main"],
        "agent:ops:work",
        {"agent:ops:work": "agent:ops:work"},
    ),
    (
        "agent:alpha:main",
        ["agent:alpha:Work"],
        "agent:alpha:Work",
        {"agent:alpha:work": "agent:alpha:Work"},
    ),
    ("global", ["GLOBAL"], "GLOBAL", {"global": "GLOBAL"}),
    (" x ", ["x"], "x", {"agent:ops:x": "x"}),
    # Values that are no entries stay, and are passed over.
    ("x", ["x!"], None, {"x": ODD}),
    ("x", ["x!", "X"], "X", {"x": ODD, "agent:ops:x": "X"}),
    ("x", ["agent:ops:x!"], None, {"agent:ops:x": ODD}),
    ("x", ["agent:ops:x!", "X", "x"], "x", {"agent:ops:x": ODD, "X": "X", "x": "x"}),
]


@pytest.mark.parametrize(("asked", "stored", "found", "left"), CASES)
def test_a_session_is_found_and_claimed(
    asked: str, stored: list[str], found: str | None, left: Any
):
    key = keys.canonical(asked, RULES)
    before = items(*stored, "agent:else:y")
    entry = find_session(before, key, asked, RULES)
    assert (entry and entry.get("sessionId")) == found
    draft = Draft(dict(before), [], 0)
    claimed = claim_session(draft, key, asked, RULES)
    assert claimed is entry
    rest = {"agent:else:y": "agent:else:y"} | ({"other": "other"} if "other" in stored else {})
    assert content(draft.items) == left | rest


def test_an_entry_under_its_canonical_key_keeps_its_place():
    draft = Draft(items("a", "agent:ops:x", "b"), [], 0)
    before = dict(draft.items)
    claim_session(draft, "agent:ops:x", "x", RULES)
    assert list(draft.items) == list(before)
    assert draft.items == before


def test_the_exact_key_precedes_the_requested_one_and_other_spellings():
    stored = items("X", "AGENT:OPS:X", "x", "agent:ops:x")
    assert spellings(stored, "agent:ops:x", "x", RULES) == ["agent:ops:x", "x", "X", "AGENT:OPS:X"]
