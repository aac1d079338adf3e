"""The union of two replicas, beside a naive model of it."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessiond.format.load import NotASession, load
from sessiond.sync.union import EntryLine, lines_of, parse, unite, unite_file

HEADER = b'{"type":"session","version":3,"id":"s","timestamp":"2026-11-01T10:00:00Z","cwd":"/p"}\n'


def entry(name: str, parent: str | None, text: str = "") -> bytes:
    return json.dumps(
        {"type": "message", "id": name, "parentId": parent, "timestamp": "2026-11-01T10:00:00Z"}
        | {"message": {"role": "user", "content": text or name}}
    ).encode()


def file_of(*entries: bytes) -> bytes:
    return HEADER + b"".join(line + b"\n" for line in entries)


def ids(data: bytes) -> list[str]:
    return [json.loads(line)["id"] for line in data.split(b"\n")[1:] if line.strip()]


def sync(one: bytes, other: bytes) -> tuple[bytes, bytes]:
    """Give each the entries of the other, as one sync does."""
    ones, others = lines_of(load(one)), lines_of(load(other))
    return unite_file(one, others).data, unite_file(other, ones).data


A, B, C, D = entry("a", None), entry("b", "a"), entry("c", "b"), entry("d", "b")


def test_an_entry_that_continues_the_leaf_is_appended():
    assert unite_file(file_of(A, B), parse(C + b"\n")).data == file_of(A, B, C)


def test_another_branch_goes_before_the_last_entry():
    assert unite_file(file_of(A, B, C), parse(D + b"\n")).data == file_of(A, B, D, C)


def test_a_branch_that_goes_on_elsewhere_leaves_both_leaves_where_they_are():
    """The picture in docs/sync.md: both sides wrote after the same entry."""
    here, there = sync(file_of(A, B, C), file_of(A, B, D))
    assert ids(here)[-1] == "c"
    assert ids(there)[-1] == "d"
    more = entry("e", "d")
    assert ids(unite_file(here, parse(more)).data) == ["a", "b", "d", "e", "c"]


def test_parents_come_first_whatever_the_order_of_the_other_file():
    deep = [entry("z", "y"), entry("y", "x"), entry("x", "a")]
    assert ids(unite_file(file_of(A, B), parse(b"\n".join(deep))).data) == ["a", *"xyz", "b"]


def test_a_circle_of_parents_ends():
    circle = parse(b"\n".join([entry("x", "y"), entry("y", "x"), entry("z", "z")]))
    assert sorted(ids(unite_file(file_of(A), circle).data)) == ["a", "x", "y", "z"]


def test_equal_ids_with_different_content_are_kept_apart_and_named():
    here = file_of(A, entry("b", "a", "mine"), C)
    united = unite_file(here, parse(b"\n".join([A, entry("b", "a", "yours"), C, D])))
    assert united.union.conflicts == ["b"]
    assert united.data == file_of(A, entry("b", "a", "mine"), D, C)


@pytest.mark.parametrize("rest", [b"", b"\n\n  \n", b"not json\n", b'{"type":"message"}\n'])
def test_all_other_bytes_stay(rest: bytes):
    before = file_of(A) + b"\r\n\xff\xfe\n" + B + b"\r\n" + C + b" \r\n" + rest
    united = unite_file(before, parse(D))
    at = before.index(C)
    assert united.data == before[:at] + D + b"\n" + before[at:]


def test_bytes_that_are_no_text_are_kept():
    odd = A.replace(b'"content": "a"', b'"content": "\xff\xfe"')
    assert lines_of(load(file_of(odd))) == parse(odd) == [EntryLine("a", None, odd)]
    assert unite_file(file_of(B), parse(odd)).data == file_of(odd, B)


def test_a_last_line_without_an_end_gets_one_before_lines_follow():
    assert unite_file(file_of(A, B)[:-1], parse(C)).data == file_of(A, B, C)
    assert unite_file(file_of(A, B, C)[:-1], parse(D)).data == file_of(A, B, D, C)[:-1]
    torn = unite_file(file_of(A, B) + b'{"type":"mess', parse(C))
    assert torn.is_torn
    assert torn.data == file_of(A, B) + b'{"type":"mess\n' + C + b"\n"


def test_a_header_and_lines_that_are_no_entries_do_not_travel():
    sent = parse(HEADER + b"[]\n5\n\n{}\nnot json\n" + A + b"\n")
    assert [each.id for each in sent] == ["a"]
    with pytest.raises(NotASession):
        unite_file(b"{}\n", sent)


def test_an_older_file_is_migrated_only_if_it_gets_an_entry():
    old = HEADER.replace(b"3", b"2", 1) + A.replace(b"user", b"hookMessage") + b"\n"
    custom = A.replace(b"user", b"custom")
    assert unite_file(old, parse(custom)).is_same
    assert lines_of(load(unite_file(old, parse(B)).data))[0].line == custom


SHAPES = st.lists(st.tuples(st.booleans(), st.integers(0, 5), st.booleans()), max_size=14)
"""Steps: on which side, how far above its last entry the parent is, and whether both sync then."""


@given(steps=SHAPES, seed=st.integers())
def test_two_syncs_give_both_the_same_entries_and_a_third_moves_nothing(
    steps: list[tuple[bool, int, bool]], seed: int
):
    sides = [file_of(), file_of()]
    every: dict[str, bytes] = {}
    for number, (side, above, both) in enumerate(steps):
        own = ids(sides[side])
        parent = own[max(0, len(own) - 1 - above)] if own else None
        line = entry(f"e{number}", parent)
        every[f"e{number}"] = line
        sides[side] += line + b"\n"
        if both:
            sides = list(sync(*sides))
    tips = [ids(each)[-1:] for each in sides]
    parents = {name: json.loads(line)["parentId"] for name, line in every.items()}
    after = list(sync(*sides))
    for data, old, tip in zip(after, sides, tips, strict=True):
        assert sorted(ids(data)) == sorted(every)
        assert set(data.split(b"\n")[1:-1]) == set(every.values())
        # Whoever works here stays on their branch: the last entry is the old one or below it.
        if tip:
            last = ids(data)[-1]
            while last not in (None, *tip):
                last = parents[last]
            assert [last] == tip
        # What was there keeps its order.
        old_ids = set(ids(old))
        assert [each for each in ids(data) if each in old_ids] == ids(old)
        for at, name in enumerate(ids(data)):
            assert parents[name] is None or parents[name] in ids(data)[:at]
    assert list(sync(*after)) == after
    shuffled = parse(b"\n".join(random.Random(seed).sample(list(every.values()), len(every))))
    assert unite(shuffled, lines_of(load(after[0]))).inserted == []
