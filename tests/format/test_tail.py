"""The end of a transcript is a session of its own, whatever went before it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.agents import HEADER, entry, line, message
from support.effort import effort

from sessiond.format.loaded import NotASession
from sessiond.format.tail import LaterVersion, Tail


def tail(keep: int, *values: Any) -> bytes:
    data = b"".join(value if isinstance(value, bytes) else line(value) for value in values)
    return tailed(keep, data)


def tailed(keep: int, data: bytes) -> bytes:
    found = Tail(keep)
    found.look([data])
    return data if found.first is None else b"".join(map(bytes, found.render([data])))


def shape(data: bytes) -> dict[str, str | None]:
    """Entries and their parents."""
    values = [json.loads(raw) for raw in data.splitlines()]
    assert values[0]["type"] == "session"
    return {value["id"]: value["parentId"] for value in values[1:]}


def talk(*ids: str) -> list[Any]:
    """A conversation: entries beginning with u are the user's, with a the model's, with t tools'."""
    roles = {"u": "user", "a": "assistant", "t": "toolResult"}
    parents = [None, *ids]
    return [message(own, parent, roles[own[0]]) for own, parent in zip(ids, parents, strict=False)]


def test_the_header_stays_and_the_first_entry_becomes_the_root():
    entries = talk("u1", "a1", "u2", "a2", "u3")
    data = tail(3, HEADER, *entries)
    assert data.splitlines()[0] == line(HEADER).rstrip()
    assert shape(data) == {"u2": None, "a2": "u2", "u3": "a2"}
    # Everything but the parent is as it was.
    assert data.endswith(line(entries[3]) + line(entries[4]))
    assert json.loads(data.splitlines()[1]) == {**entries[2], "parentId": None}


@pytest.mark.parametrize("keep", [5, 6, 400])
def test_nothing_is_cut_if_all_entries_stay(keep: int):
    data = b"".join(map(line, [HEADER, *talk("u1", "a1", "u2", "a2", "u3")]))
    found = Tail(keep)
    found.look([data])
    assert (found.first, found.lines) == (None, 6)


def test_cutting_again_changes_nothing():
    once = tail(3, HEADER, *talk("u1", "a1", "u2", "a2", "u3"))
    assert tailed(3, once) == once


def test_a_branch_that_began_before_the_cut_gets_a_root_of_its_own():
    left = talk("u1", "a1", "u2", "a2")
    right = [message("u3", "a1", "user"), message("a3", "u3", "assistant")]
    assert shape(tail(3, HEADER, *left, *right)) == {"a2": None, "u3": None, "a3": "u3"}


def test_an_entry_gets_its_nearest_remaining_ancestor_as_parent():
    # The parent stands behind its child, so the cut takes what is between.
    values = [message("a1", "u1", "assistant"), message("u1", "a0", "user")]
    later = [message("a0", None, "assistant"), message("u2", "a1", "user")]
    assert shape(tail(2, HEADER, *values, *later)) == {"a0": None, "u2": "a0"}


def test_an_entry_whose_parent_was_never_there_does_not_change():
    values = [*talk("u1"), message("u2", "lost", "user"), message("a2", "u2", "assistant")]
    assert shape(tail(2, HEADER, *values)) == {"u2": "lost", "a2": "u2"}


def test_results_whose_call_went_have_nothing_after_them():
    entries = talk("u1", "a1", "t1", "t2", "a2", "u2")
    found = shape(tail(4, HEADER, *entries))
    assert found == {"t1": None, "t2": "t1", "a2": None, "u2": "a2"}


def test_that_holds_with_other_entries_between_them():
    entries = [
        *talk("u1", "a1", "t1"),
        entry("c1", "t1", "custom", customType="x"),
        message("t2", "c1", "toolResult"),
        message("a2", "t2", "assistant"),
    ]
    assert shape(tail(4, HEADER, *entries)) == {"t1": None, "c1": None, "t2": "c1", "a2": "c1"}


def test_results_whose_call_stays_stay_in_their_place():
    entries = talk("u1", "a1", "t1", "a2")
    assert shape(tail(3, HEADER, *entries)) == {"a1": None, "t1": "a1", "a2": "t1"}


def test_results_that_never_had_a_call_do_not_change():
    entries = [*talk("u1", "a1"), message("t9", None, "toolResult"), message("a9", "t9", "user")]
    assert shape(tail(2, HEADER, *entries)) == {"t9": None, "a9": "t9"}


def test_a_tail_of_tool_results_only_is_kept():
    assert shape(tail(1, HEADER, *talk("u1", "a1", "t1"))) == {"t1": None}


def compaction(own: str, parent: str | None, first: str) -> Any:
    members = {"summary": "s", "firstKeptEntryId": first, "tokensBefore": 9}
    return entry(own, parent, "compaction", **members)


def first_kept(data: bytes) -> str:
    values = [json.loads(raw) for raw in data.splitlines()]
    return next(str(v["firstKeptEntryId"]) for v in values if v["type"] == "compaction")


@pytest.mark.parametrize(
    ("keep", "first"),
    [
        # It keeps from u2 on; as long as that is there nothing changes.
        (5, "u2"),
        # Of what it kept this is the first that is left.
        (4, "a2"),
        (3, "u3"),
        # Nothing is left of it.
        (2, "c"),
    ],
)
def test_a_compaction_in_a_tail_keeps_its_first_remaining_entry(keep: int, first: str):
    entries = [*talk("u1", "a1", "u2", "a2", "u3"), compaction("c", "u3", "u2")]
    data = tail(keep, HEADER, *entries, message("a3", "c", "assistant"))
    assert first_kept(data) == first
    assert len(data.splitlines()) == keep + 1


def test_a_compaction_keeps_no_results_whose_call_went():
    entries = [*talk("u1", "a1", "t1", "a2"), compaction("c", "a2", "u1")]
    assert first_kept(tail(3, HEADER, *entries)) == "a2"


def test_entries_kept_by_a_compaction_on_another_branch_do_not_change():
    entries = [*talk("u1", "a1"), message("u2", None, "user"), compaction("c", "u2", "u1")]
    assert first_kept(tail(2, HEADER, *entries)) == "u1"


def test_entries_of_all_kinds_do_not_change_except_their_parents():
    label = entry("l", "a1", "label", targetId="u1", label="here")
    kinds = [
        label,
        entry("b", "l", "branch_summary", fromId="u1", summary="s"),
        entry("cm", "b", "custom_message", customType="x", content="y", display=True),
        entry("c", "cm", "custom", customType="x", data={"parentId": "u1"}),
        entry("i", "c", "session_info", name="n"),
        entry("z", "i", "of_tomorrow", anything=[1]),
    ]
    data = tail(6, HEADER, *talk("u1", "a1"), *kinds)
    assert data.splitlines()[1] == line({**label, "parentId": None}).rstrip()
    assert data.splitlines()[2:] == [line(kind).rstrip() for kind in kinds[1:]]


def test_values_keep_their_bytes():
    first = (
        b'{ "type":"message","id":"a","parentId" : null,"timestamp":"x","message":{"role":"user"}}'
    )
    second = (
        b'{"id":"b","n":12345678901234567890,"x":1e400,"s":"\\ud800","parentId" : "a" ,'
        b'"type":"message","message":{"role":"assistant","parentId":"a"}}\r\n'
    )
    assert tail(1, HEADER, first + b"\n", second) == line(HEADER) + second.replace(
        b'"parentId" : "a"', b'"parentId" : null'
    )


def test_blank_lines_go_and_do_not_count():
    first, *rest = talk("u1", "a1", "u2")
    data = tail(2, HEADER, b"\n \n", first, b"\r\n", rest[0], "\u00a0\n".encode(), rest[1], b"\n\n")
    assert shape(data) == {"a1": None, "u2": "a1"}


@pytest.mark.parametrize("bad", [b"{torn\n", b"null\n", b"[]\n", b'{"type":"x"}\n', b"\xff\xfe\n"])
def test_damaged_lines_count_and_do_not_change(bad: bytes):
    u1, a1, u2 = talk("u1", "a1", "u2")
    assert tail(3, HEADER, u1, a1, bad, u2).splitlines() == [
        line(HEADER).rstrip(),
        line({**a1, "parentId": None}).rstrip(),
        bad.rstrip(),
        line(u2).rstrip(),
    ]
    assert tail(2, HEADER, u1, bad, a1, u2).count(bad) == 0


def test_a_line_that_is_not_finished_stays_open():
    u1, a1, u2 = talk("u1", "a1", "u2")
    torn = b'{"type":"message","id":"x"'
    assert tail(2, HEADER, u1, a1, u2, torn) == b"".join(
        [line(HEADER), line({**u2, "parentId": None}), torn]
    )


def test_a_line_that_only_lacks_its_end_gets_it():
    u1, a1, u2 = talk("u1", "a1", "u2")
    assert tail(1, HEADER, u1, a1, line(u2).rstrip()).endswith(b'"content":"u2"}}\n')


def test_text_that_is_not_utf8_does_not_change():
    u1, a1, _ = talk("u1", "a1", "u2")
    raw = line(a1).replace(b'"text":"a1"', b'"text":"\xff"')
    assert tail(1, HEADER, u1, raw) == line(HEADER) + raw.replace(b'"u1"', b"null")


def test_a_byte_order_mark_is_removed():
    data = tail(1, b"\xef\xbb\xbf" + line(HEADER), *talk("u1", "a1", "u2"))
    assert data.startswith(line(HEADER))


def test_a_header_after_damaged_lines_is_moved_to_the_start():
    data = tail(1, b"{\n", HEADER, *talk("u1", "a1"))
    assert shape(data) == {"a1": None}


def test_a_second_header_is_a_line_like_others():
    second = {**HEADER, "id": "s2"}
    data = tail(2, HEADER, *talk("u1"), second, message("a1", "u1", "assistant"))
    assert [json.loads(raw)["id"] for raw in data.splitlines()] == ["s1", "s2", "a1"]


def test_version_1_derives_parents_from_the_order_and_is_migrated():
    header = {key: value for key, value in HEADER.items() if key != "version"}
    entries = [
        {"type": "message", "timestamp": "x", "message": {"role": role, "content": str(at)}}
        for at, role in enumerate(["user", "assistant", "user", "assistant"])
    ]
    compacted = {"type": "compaction", "summary": "s", "firstKeptEntryIndex": 2, "tokensBefore": 1}
    data = tail(3, header, *entries, compacted)
    values = [json.loads(raw) for raw in data.splitlines()]
    assert values[0]["version"] == 3
    assert [value.get("message", {}).get("content") for value in values[1:3]] == ["2", "3"]
    assert [value["parentId"] for value in values[1:]] == [None, values[1]["id"], values[2]["id"]]
    # The second entry was its first kept; of that the third is left.
    assert values[3]["firstKeptEntryId"] == values[1]["id"]


def test_version_2_is_migrated():
    hook = message("h", "u1", "hookMessage")
    data = tail(1, {**HEADER, "version": 2}, *talk("u1"), hook)
    values = [json.loads(raw) for raw in data.splitlines()]
    assert values[0]["version"] == 3
    assert values[1]["message"]["role"] == "custom"


def test_a_session_of_a_later_version_is_refused():
    with pytest.raises(LaterVersion):
        tail(1, {**HEADER, "version": 5}, *talk("u1", "a1"))


@pytest.mark.parametrize(
    "data", [b'{"role":"user","content":"x"}\n' * 3, b"\x00\xff\n{\n}\n", b"null\n1\n2\n"]
)
def test_a_file_that_is_not_a_session_does_not_change(data: bytes):
    with pytest.raises(NotASession):
        tailed(1, data)
    # If nothing has to go it does not matter what it is.
    assert tailed(3, data) == data


def test_an_empty_file_stays_empty():
    assert tailed(1, b"") == b""


def test_later_entries_are_added_after_the_remaining_ones():
    entries = [*map(line, talk("u1", "a1", "u2", "a2"))]
    whole = line(HEADER) + b"".join(entries)
    found = Tail(2)
    found.look([whole])
    before = b"".join(map(bytes, found.render([whole])))
    late = line(message("u3", "a2", "user")) + line(message("u4", "u1", "user"))
    after = b"".join(map(bytes, found.render([whole, late])))
    assert after.startswith(before)
    assert shape(after) == {"u2": None, "a2": "u2", "u3": "a2", "u4": None}


@given(
    st.lists(st.tuples(st.sampled_from("uatc"), st.integers(0, 30), st.booleans()), max_size=25),
    st.integers(1, 25),
    st.integers(1, 64),
)
@settings(max_examples=effort(40, 150))
def test_every_entry_of_any_tail_has_an_existing_parent(
    plan: list[tuple[str, int, bool]], keep: int, size: int
):
    roles = {"u": "user", "a": "assistant", "t": "toolResult"}
    entries: list[Any] = []
    for at, (kind, up, linear) in enumerate(plan):
        parent = None if not entries else entries[-1 if linear else -1 - up % len(entries)]["id"]
        own = f"{kind}{at}"
        if kind == "c":
            first = entries[up % len(entries)]["id"] if entries else own
            entries.append(compaction(own, parent, first))
        else:
            entries.append(message(own, parent, roles[kind]))
    data = b"".join(map(line, [HEADER, *entries]))
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    found = Tail(keep)
    found.look(pieces)
    kept = shape(b"".join(map(bytes, found.render(pieces))))
    expected = entries if found.first is None else entries[-keep:]
    assert list(kept) == [entry["id"] for entry in expected]
    old = {entry["id"]: entry["parentId"] for entry in entries}
    for own, parent in kept.items():
        assert parent is None or parent in kept
        # The ancestors of an entry are the same as before.
        above, at = set(), old[own]
        while at is not None:
            above.add(at)
            at = old[at]
        assert parent is None or parent in above
        # And everybody above that stays still is, but for results without their call.
        stays, at = set(), parent
        while at is not None:
            stays.add(at)
            at = kept[at]
        assert all(lost[0] == "t" for lost in (above & set(kept)) - stays)
