"""Plans of repairs: each rule alone, and properties for any damage."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from format.builders import HEADER, dumps, entry, file_of, message, said
from sessiond.format.entries import Diagnostic
from sessiond.format.load import NotASession, load
from sessiond.format.migrate import migrate
from sessiond.format.repair.plan import plan, problems
from sessiond.format.tree.tree import Tree

U1 = message("u1", None, "user", "one")
A1 = said("a1", "u1", "two")
U2 = message("u2", "a1", "user", "three")
A2 = said("a2", "u2", "four")
GOOD = [U1, A1, U2, A2]


def repaired(data: bytes) -> bytes:
    return b"".join(bytes(part) for part in plan([data]).parts)


def told(found: list[Diagnostic]) -> list[tuple[int, str]]:
    return [(item.line, item.kind) for item in found]


def checked(data: bytes) -> list[Diagnostic]:
    loaded = load(data)
    loaded = migrate(loaded) or loaded
    return problems(loaded, Tree(loaded.entries))


def parents(data: bytes) -> dict[str, str | None]:
    """Read naively."""
    values = [json.loads(line) for line in data.split(b"\n")[1:] if line.strip()]
    return {value["id"]: value["parentId"] for value in values}


WHOLE = file_of(*GOOD)
WHOLE_FILES = [
    WHOLE,
    WHOLE.replace(b"\n", b"\r\n"),
    WHOLE.replace(b"\n", b"\n\n \n"),
    WHOLE + b"  ",
    file_of(),
    file_of(*GOOD, entry("r", None, "custom")),
    file_of(
        {"type": "message", "timestamp": U1["timestamp"], "message": U1["message"]},
        header=HEADER.replace(b'"version":3,', b""),
    ),
    file_of(message("a", None, "hookMessage"), header=HEADER.replace(b":3", b":2")),
]


@pytest.mark.parametrize("data", WHOLE_FILES)
def test_a_file_with_nothing_wrong_does_not_change(data: bytes):
    found = plan([data])
    assert found.problems == []
    assert found.actions == []
    assert repaired(data) == data


TORN = dumps(U2)[:70]

# The damaged file, what is found, what is done, and the file afterwards.
DAMAGE: dict[str, tuple[bytes, list[tuple[int, str]], list[tuple[int, str]], bytes]] = {
    "a torn tail": (
        file_of(U1, A1) + TORN,
        [(4, "tornTail")],
        [(4, "tornTail")],
        file_of(U1, A1),
    ),
    "a torn tail with lines after it": (
        file_of(U1, A1) + dumps(message("x", "a1", "user"))[:60] + dumps(U2) + b"\n",
        [(4, "malformedLine")],
        [(4, "malformedLine")],
        file_of(U1, A1, U2),
    ),
    "two entries on one line": (
        file_of(U1) + dumps(A1) + dumps(U2) + b"\n" + dumps(A2) + b"\n",
        [(3, "malformedLine"), (4, "orphan")],
        [(3, "malformedLine")],
        WHOLE,
    ),
    "a last line without newline": (
        WHOLE[:-1],
        [(5, "missingNewline")],
        [(5, "missingNewline")],
        WHOLE,
    ),
    "a byte order mark": (
        b"\xef\xbb\xbf" + WHOLE,
        [(1, "byteOrderMark")],
        [(1, "byteOrderMark")],
        WHOLE,
    ),
    "garbage": (
        file_of(U1, b"{broken", A1, b"null", b"42", b"[]", b'{"id":"x"}', U2, A2),
        [(3, "malformedLine"), *((line, "notAnEntry") for line in (5, 6, 7, 8))],
        [(3, "malformedLine"), *((line, "notAnEntry") for line in (5, 6, 7, 8))],
        WHOLE,
    ),
    "garbage before the header": (
        b"{broken\n\n" + WHOLE,
        [(1, "malformedLine")],
        [(1, "malformedLine")],
        b"\n" + WHOLE,
    ),
    "pi 0.73.1 writing everything into the file again": (
        file_of(U1, HEADER, U1, A1, U2, A2),
        [(3, "secondHeader"), (4, "duplicateId")],
        [(3, "secondHeader"), (4, "duplicateId")],
        WHOLE,
    ),
    "bytes that are not UTF-8": (
        file_of(dumps(U1).replace(b"one", b"\xff"), A1),
        [(2, "invalidUtf8")],
        [(2, "invalidUtf8")],
        file_of(dumps(U1).replace(b"one", "\ufffd".encode()), A1),
    ),
    "an entry of which only the beginning is left": (
        file_of(
            U1,
            A1,
            dumps(message("lost", "u1", "user", "y" * 50))[:90],
            message("b", "lost", "user"),
            A2,
        ),
        [(4, "malformedLine"), (5, "orphan"), (6, "orphan")],
        [(4, "malformedLine"), (5, "orphan"), (6, "orphan")],
        file_of(U1, A1, message("b", "u1", "user"), {**A2, "parentId": "b"}),
    ),
    "a parent of which nothing is left": (
        file_of(U1, A1, message("b", "gone", "user")),
        [(4, "orphan")],
        [(4, "orphan")],
        file_of(U1, A1, message("b", "a1", "user")),
    ),
    "a first entry whose parent is gone": (
        file_of(message("b", "gone", "user")),
        [(2, "orphan")],
        [(2, "orphan")],
        file_of(message("b", None, "user")),
    ),
    "an entry that is its own parent": (
        file_of(U1, message("b", "b", "user")),
        [(3, "selfParent")],
        [(3, "selfParent")],
        file_of(U1, message("b", "u1", "user")),
    ),
    "entries that are each other's ancestors": (
        file_of(U1, message("b", "c", "user"), message("c", "b", "user")),
        [(3, "cycle"), (4, "cycle")],
        [(3, "cycle")],
        file_of(U1, message("b", "u1", "user"), message("c", "b", "user")),
    ),
    "a circle that begins the file": (
        file_of(message("b", "c", "user"), message("c", "b", "user")),
        [(2, "cycle"), (3, "cycle")],
        [(2, "cycle")],
        file_of(message("b", None, "user"), message("c", "b", "user")),
    ),
    "a compaction that keeps from a lost entry on": (
        file_of(
            U1,
            dumps(message("a1", "u1", "assistant", "y" * 50))[:90],
            U2,
            entry("k", "u2", "compaction", summary="s", firstKeptEntryId="a1", tokensBefore=1),
        ),
        [(3, "malformedLine"), (4, "orphan"), (5, "missingTarget")],
        [(3, "malformedLine"), (4, "orphan"), (5, "missingTarget")],
        file_of(
            U1,
            {**U2, "parentId": "u1"},
            entry("k", "u2", "compaction", summary="s", firstKeptEntryId="u2", tokensBefore=1),
        ),
    ),
    "a version that is no number": (
        file_of(U1, header=HEADER.replace(b":3", b':"three"')),
        [(1, "unknownVersion")],
        [(1, "unknownVersion")],
        file_of(U1),
    ),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_found_and_repaired(name: str):
    data, found, done, after = DAMAGE[name]
    planned = plan([data])
    assert told(planned.problems) == found
    assert told(planned.actions) == done
    assert repaired(data) == after
    assert checked(after) == []
    assert plan([after]).actions == []


@pytest.mark.parametrize("name", DAMAGE)
def test_a_repair_does_not_depend_on_the_chunks_that_are_read(name: str):
    data = DAMAGE[name][0]
    pieces = [data[at : at + 7] for at in range(0, len(data), 7)]
    assert b"".join(map(bytes, plan(pieces).parts)) == repaired(data)


def test_of_one_id_the_last_entry_keeps_it_and_references_mean_the_nearest_before():
    data = file_of(
        entry("x", None, "custom", n=1),
        entry("y", "x", "label", targetId="x", label="first"),
        entry("x", "x", "custom", n=2),
        entry("z", "x", "label", targetId="x", label="second"),
        entry("k", "z", "compaction", summary="", firstKeptEntryId="x", tokensBefore=1),
    )
    assert told(plan([data]).problems) == [(4, "duplicateId"), (4, "selfParent")]
    lines = [json.loads(line) for line in repaired(data).splitlines()[1:]]
    new = lines[0]["id"]
    assert [line["id"] for line in lines] == [new, "y", "x", "z", "k"]
    assert len(new) == 8
    assert [line["parentId"] for line in lines] == [None, new, new, "x", "z"]
    assert [line.get("targetId") for line in lines] == [None, new, None, "x", None]
    assert lines[4]["firstKeptEntryId"] == "x"
    assert checked(repaired(data)) == []


def test_a_compaction_that_keeps_nothing_keeps_nothing_under_a_new_id():
    one = entry("k", None, "compaction", summary="one", firstKeptEntryId="k")
    two = entry("k", None, "compaction", summary="two", firstKeptEntryId="k")
    first, second = (json.loads(line) for line in repaired(file_of(one, two)).splitlines()[1:])
    assert first["firstKeptEntryId"] == first["id"] != "k"
    assert second == two


def test_entries_without_id_get_one_and_keep_their_parent():
    bare = {"type": "custom", "parentId": "u1", "timestamp": U1["timestamp"], "n": 1e21}
    adrift = {"type": "custom", "timestamp": U1["timestamp"]}
    data = file_of(U1, dumps(bare).replace(b"1e+21", b"1e21"), adrift, A1)
    assert told(plan([data]).problems) == [(3, "missingId"), (4, "missingId")]
    lines = repaired(data).splitlines()[1:]
    one, two = (json.loads(line) for line in lines[1:3])
    assert one["parentId"] == "u1"
    assert b'"n":1e21' in lines[1]
    assert two["parentId"] == one["id"] != two["id"]
    assert [lines[0], lines[3]] == [dumps(U1), dumps(A1)]
    assert repaired(data) == repaired(data)


V1 = HEADER.replace(b'"version":3,', b"")


def test_a_damaged_file_of_version_1_is_migrated_as_well():
    def old(role: str, **more: Any) -> dict[str, Any]:
        message = {"role": role, "content": [], "usage": {"cost": {}}}
        return {"type": "message", "timestamp": U1["timestamp"], "message": message, **more}

    keeps = {
        "type": "compaction",
        "timestamp": U1["timestamp"],
        "summary": "s",
        "firstKeptEntryIndex": 3,
        "tokensBefore": 1,
    }
    data = file_of(
        old("user"),
        b"42",
        old("assistant"),
        dumps(old("user"))[:30] + dumps(old("custom")),
        keeps,
        header=V1,
    )
    found = plan([data])
    assert told(found.actions) == [(1, "oldVersion"), (3, "notAnEntry"), (5, "malformedLine")]
    after = repaired(data)
    lines = [json.loads(line) for line in after.splitlines()]
    assert lines[0]["version"] == 3
    ids = [line["id"] for line in lines[1:]]
    assert [line["parentId"] for line in lines[1:]] == [None, *ids[:-1]]
    assert [line.get("message", {}).get("role") for line in lines[1:]] == [
        "user",
        "assistant",
        "custom",
        None,
    ]
    # 42 counts, the header is 0: 3 is the assistant's message.
    assert lines[4]["firstKeptEntryId"] == ids[1]
    assert checked(after) == []


def test_a_later_version_is_not_touched():
    data = file_of(U1, b"{broken", header=HEADER.replace(b":3", b":5"))
    found = plan([data])
    assert told(found.problems) == [(1, "unknownVersion"), (3, "malformedLine")]
    assert found.actions == []
    assert repaired(data) == data


def test_problems_that_only_the_author_can_solve_stay():
    data = file_of(
        {**U1, "timestamp": "yesterday"}, entry("l", "u1", "label", targetId="gone", label="x")
    )
    found = plan([data])
    assert told(found.problems) == [(2, "invalidTimestamp"), (3, "missingTarget")]
    assert found.actions == []


def test_an_entry_found_before_the_header_is_moved_after_it():
    early = dumps(entry("early", None))
    data = b'{"type":"mess' + early + b"\n" + file_of(*GOOD)
    after = repaired(data)
    assert after == HEADER + b"\n" + early + b"\n" + b"".join(dumps(one) + b"\n" for one in GOOD)


@given(st.lists(st.binary(max_size=30) | st.sampled_from([HEADER, *map(dumps, GOOD)]), max_size=8))
def test_a_repaired_file_loads_with_all_its_readable_entries(pieces: list[bytes]):
    data = b"".join(pieces) + b"\n" + file_of(*GOOD)
    try:
        before = load(data)
    except NotASession:
        return
    before = migrate(before) or before
    after = load(repaired(data))
    assert {one.id for one in before.entries} <= {one.id for one in after.entries}


def test_a_line_too_deep_for_us_is_left_to_those_who_can_read_it():
    # Deeper than any interpreter lets a decoder go.
    inside = b"[" * 100_000 + b"]" * 100_000
    deep = b'{"type":"custom","id":"d","parentId":"u1","data":' + inside + b"}"
    data = file_of(U1, deep, b"{broken")
    assert told(plan([data]).problems) == [(3, "malformedLine"), (4, "malformedLine")]
    assert repaired(data) == file_of(U1, deep)


@pytest.mark.parametrize("data", [b"", b"\n", b"{broken\n", dumps(U1) + b"\n"])
def test_a_file_that_is_not_a_session_is_not_repaired(data: bytes):
    with pytest.raises(NotASession):
        plan([data])


def test_lines_with_nothing_wrong_keep_their_bytes():
    odd = b'  { "type" : "custom","id":"o","parentId":null,"timestamp":"2025-01-01T00:00:00Z","n":1.0 }\t\r'
    data = file_of(odd, b"{broken", b"  ") + b" "
    assert repaired(data) == file_of(odd, b"  ") + b" "


def test_long_chains_and_many_orphans_are_repaired():
    lines = [message("e0", None, "user")]
    lines += [message(f"e{n}", f"e{n - 1}" if n % 3 else "gone", "user") for n in range(1, 20_000)]
    lines.append(message("fwd", "e5", "user"))
    lines[5]["parentId"] = "fwd"
    assert checked(repaired(file_of(*lines))) == []


@st.composite
def damaged(draw: st.DrawFn) -> tuple[bytes, list[bytes]]:
    """A damaged file, and those of its lines that are still complete entries."""
    lines: list[bytes] = []
    ids = [f"e{n}" for n in range(6)]
    for _ in range(draw(st.integers(0, 8))):
        one = entry(
            draw(st.sampled_from(ids)),
            draw(st.sampled_from([*ids, None, "gone"])),
            draw(st.sampled_from(["custom", "label", "compaction"])),
            n=draw(st.integers(0, 3)),
        )
        one |= {
            "targetId": draw(st.sampled_from(ids)),
            "firstKeptEntryId": draw(st.sampled_from(ids)),
        }
        lines.append(dumps(one))
    kept: list[bytes] = []
    parts: list[bytes] = []
    for line in lines:
        match draw(
            st.sampled_from(["good", "good", "torn", "glued", "idless", "noise", "bytes", "crlf"])
        ):
            case "good":
                kept.append(line)
                parts.append(line + b"\n")
            case "crlf":
                kept.append(line)
                parts.append(line + b"\r\n")
            case "torn":
                parts.append(line[: draw(st.integers(1, len(line) - 1))] + b"\n")
            case "glued":
                kept.append(line)
                parts.append(line)
            case "idless":
                value = json.loads(line)
                del value["id"]
                kept.append(dumps(value))
                parts.append(dumps(value) + b"\n")
            case "noise":
                noise = [b"null", b"42", b"{}", b"[1]", HEADER, b"x", b"", b" ", b'{"type":5}']
                parts.append(draw(st.sampled_from(noise)) + b"\n")
            case "bytes":
                spoilt = line.replace(b'"n":', b'"\xff":')
                kept.append(spoilt.decode(errors="replace").encode())
                parts.append(spoilt + b"\n")
    start = draw(st.sampled_from([b"", b"\xef\xbb\xbf", b"{broken\n"]))
    # What was glued to something broken before the header, and what is left of it.
    for n in range(draw(st.integers(0, 2))):
        whole = dumps(entry(f"early{n}", draw(st.sampled_from([*ids, None]))))
        cut = draw(st.integers(0, len(whole)))
        start += b'{"type":"mess' + draw(st.sampled_from([whole, whole + whole[:cut]])) + b"\n"
    return start + HEADER + b"\n" + b"".join(parts), kept


def essence(line: bytes) -> str:
    """The members of an entry that a repair must not change."""
    value = json.loads(line)
    changing = {"id", "parentId", "targetId", "firstKeptEntryId"}
    return json.dumps({name: value[name] for name in value if name not in changing})


@given(damaged())
def test_a_repair_of_any_damage_keeps_all_entries_and_leaves_no_problems(
    given_: tuple[bytes, list[bytes]],
):
    after = repaired(given_[0])
    left = checked(after)
    remaining = {"missingTarget", "invalidTimestamp", "unknownVersion", "malformedEntry"}
    assert {item.kind for item in left} <= remaining
    assert plan([after]).actions == []
    assert repaired(after) == after
    shown = {one.id for one in load(given_[0]).entries}
    assert shown <= {one.id for one in load(after).entries}
    assert len(parents(after)) == sum(bool(line.strip()) for line in after.split(b"\n")[1:])


@given(damaged())
def test_a_repair_of_any_damage_keeps_every_whole_entry_except_copies(
    given_: tuple[bytes, list[bytes]],
):
    data, kept = given_
    lines = [line for line in repaired(data).split(b"\n")[1:] if line.strip()]
    there = Counter(map(essence, lines))
    assert Counter(map(essence, set(kept))) <= there
