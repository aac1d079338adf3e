"""What of a session is passed on to others."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from support.made_up_secrets import made_up_secrets

from sessiond.format.describe.secrets import Mask
from sessiond.format.load import load
from sessiond.format.reduced import Reduced, reduced
from sessiond.format.tree.tree import Tree

AT = "2026-01-01T00:00:00.000Z"
WORD = "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2Yz3" * 2
SECRETS = [secret for _, secret in made_up_secrets(WORD[:70], "0123456789abcdef")]
HEADER = {"type": "session", "version": 3, "id": "s", "timestamp": AT, "cwd": "/w"}


def entry(name: str, parent: str | None, kind: str = "message", /, **more: Any) -> dict[str, Any]:
    return {"type": kind, "id": name, "parentId": parent, "timestamp": AT, **more}


def message(name: str, parent: str | None, role: str, content: Any) -> dict[str, Any]:
    return entry(name, parent, message={"role": role, "content": content})


def text(said: str) -> dict[str, str]:
    return {"type": "text", "text": said}


CALL = {"type": "toolCall", "id": "c", "name": "bash", "arguments": {"command": "ls"}}
ENTRIES = [
    entry("m", None, "model_change", provider="p", modelId="m"),
    message("u1", "m", "user", "One?"),
    message("a1", "u1", "assistant", [{"type": "thinking", "thinking": "hm"}, text("Two."), CALL]),
    message("r1", "a1", "toolResult", [text("file")]),
    message("a2", "r1", "assistant", [CALL]),
    message("r2", "a2", "toolResult", [text("file")]),
    entry("l1", "r2", "label", targetId="a1", label="good"),
    entry("l2", "l1", "label", targetId="r2", label="gone"),
    message("u2", "l2", "user", [text("Three?")]),
    entry("c", "u2", "compaction", summary="s", firstKeptEntryId="u2", tokensBefore=1),
    entry("n", "c", "session_info", name="Name"),
    message("b", "r1", "user", "Another branch"),
]


def made(*entries: dict[str, Any], leaf: str | None, **wanted: Any) -> Reduced:
    lines = [json.dumps(each).encode() for each in (HEADER, *entries)]
    loaded = load(b"\n".join([*lines, b""]))
    assert loaded.header is not None
    options = {"mask": None, "conversation": False, "only_branch": False, **wanted}
    return reduced(loaded.header, Tree(loaded.entries), leaf, **options)


def told(tree: Tree) -> list[dict[str, Any]]:
    return [json.loads(each.raw) for each in tree.entries]


def test_of_a_conversation_what_was_said_stays():
    found = made(*ENTRIES, leaf="c", conversation=True)
    lines = {line["id"]: line for line in told(found.tree)}
    assert {name: line["parentId"] for name, line in lines.items()} == {
        "u1": None,
        "a1": "u1",
        "l1": "a1",
        "u2": "l1",
        "n": "u2",
        "b": "a1",
    }
    assert lines["a1"]["message"]["content"] == [text("Two.")]
    assert found.leaf_id == "u2"
    assert found.tree.name == "Name"
    assert {target: label.text for target, label in found.tree.labels.items()} == {"a1": "good"}


def test_a_single_branch_stays_one():
    branch = [each for each in ENTRIES if each["id"] != "b"]
    found = made(*branch, leaf="n", conversation=True, only_branch=True)
    ids = [each.id for each in found.tree.branch(found.leaf_id)]
    assert ids == ["u1", "a1", "l1", "u2", "n"]


@pytest.mark.parametrize("secret", SECRETS)
def test_secrets_are_masked_and_everything_else_stays(secret: str):
    entries = [*ENTRIES, message("x", "n", "toolResult", [text(f"before {secret} after")])]
    found = made(*entries, leaf="x", mask=Mask())
    *others, last = told(found.tree)
    assert others == ENTRIES
    assert secret not in json.dumps(last)
    assert "[masked" in json.dumps(last)
    assert found.leaf_id == "x"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("/home/me", "~"),
        ("in /home/me.", "in ~."),
        ("/home/me/shop", "~/shop"),
        ("file:///home/me/a", "file://~/a"),
        ("/home/men /home/me-too /home/me.old", None),
        ("/home/me/.pi/agent/sessions/--home-me-shop--/a", "~/.pi/agent/sessions/--~-shop--/a"),
        ("ACME and acme.", "[masked] and [masked]."),
        ("a.me", None),
    ],
)
def test_the_home_directory_becomes_a_tilde_and_further_texts_are_masked(
    said: str, expected: str | None
):
    mask = Mask("/home/me", ("Acme", "a+b"))
    assert mask.apply(said) == (said if expected is None else expected)
    found = made(message("u1", None, "user", [text(said)]), leaf="u1", mask=mask)
    (entry,) = told(found.tree)
    assert entry["message"]["content"][0]["text"] == mask.apply(said)


def test_a_mask_takes_time_in_proportion_to_the_text():
    mask = Mask("/" + "a" * 500, ("a" * 900 + "b",))
    times = []
    for length in (20_000, 160_000):
        said = "a" * length
        began = time.process_time()
        mask.apply(said)
        times.append(time.process_time() - began)
    assert times[1] < 24 * max(times[0], 0.001)
