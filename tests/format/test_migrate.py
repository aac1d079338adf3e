from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from sessiond.format.context.build import build_context
from sessiond.format.ids import derived_id
from sessiond.format.load import Loaded, load
from sessiond.format.migrate import file_lines, migrate
from sessiond.format.tree.tree import Tree

from .builders import HEADER, dumps, entry, entry_lines, file_of, ids, message

V1 = (
    b'{"type":"session","id":"s1","timestamp":"2024-12-03T14:00:00.000Z","cwd":"/p",'
    b'"provider":"anthropic","modelId":"claude-sonnet-4-5","thinkingLevel":"off",'
    b'"branchedFrom":"/path/to/original/session.jsonl"}'
)
V2 = HEADER.replace(b'"version":3', b'"version":2')


def user(text: str) -> bytes:
    return dumps(
        {"type": "message", "timestamp": "t", "message": {"role": "user", "content": text}}
    )


def compaction(index: Any) -> bytes:
    return dumps(
        {
            "type": "compaction",
            "timestamp": "t",
            "firstKeptEntryIndex": index,
            "summary": "S",
            "tokensBefore": 1,
        }
    )


def migrated(content: bytes) -> Loaded:
    found = migrate(load(content))
    assert found is not None
    return found


def test_entries_of_version_1_become_a_chain_with_new_members_at_the_end() -> None:
    loaded = migrated(file_of(user("a"), user("b"), header=V1))
    first, second = ids(loaded.entries)
    assert entry_lines(loaded) == [
        user("a")[:-1] + b',"id":"%b","parentId":null}' % first.encode(),
        user("b")[:-1] + b',"id":"%b","parentId":"%b"}' % (second.encode(), first.encode()),
    ]
    assert all(len(each) == 8 and int(each, 16) >= 0 for each in (first, second))
    assert [(e.type, e.role, e.timestamp, e.line) for e in loaded.entries] == [
        ("message", "user", "t", 2),
        ("message", "user", "t", 3),
    ]


def test_the_header_keeps_its_members_and_gets_the_version_last() -> None:
    loaded = migrated(file_of(header=V1))
    assert loaded.header_line == V1[:-1] + b',"version":3}'
    header = loaded.header
    assert header is not None
    assert header.version == 3
    assert header.parent_session == "/path/to/original/session.jsonl"
    assert (header.provider, header.model_id, header.thinking_level) == (
        "anthropic",
        "claude-sonnet-4-5",
        "off",
    )


def test_a_version_in_the_header_is_replaced_in_its_place() -> None:
    assert migrated(file_of(header=V2)).header_line == HEADER


@pytest.mark.parametrize("version", [b"3", b"4", b'"3"', b"3.5", b"1e400", b'"x"', b"{}"])
def test_version_3_and_later_versions_do_not_change(version: bytes) -> None:
    header = HEADER.replace(b'"version":3', b'"version":' + version)
    assert migrate(load(file_of(dumps(entry("a")), header=header))) is None


def test_an_empty_file_needs_no_migration() -> None:
    assert migrate(load(b"")) is None


def test_version_2_keeps_ids_and_renames_the_role_of_hook_messages_only() -> None:
    hook = dumps(message("a", None, "hookMessage", {"role": "hookMessage"}, extra=[1]))
    other = dumps(message("b", "a", "user", "hookMessage"))
    loaded = migrated(file_of(hook, other, header=V2))
    assert entry_lines(loaded) == [
        hook.replace(b'{"role":"hookMessage"', b'{"role":"custom"', 1),
        other,
    ]
    assert [e.role for e in loaded.entries] == ["custom", "user"]


def test_hook_messages_of_version_1_are_renamed_as_well() -> None:
    line = b'{"type":"message","timestamp":"t","message":{"content":"\\ud83d","role":"hookMessage","n":1e400}}'
    loaded = migrated(file_of(line, header=V1))
    expected = line.replace(b"hookMessage", b"custom")[:-1]
    assert entry_lines(loaded)[0].startswith(expected + b',"id":"')


# The index counts parsed lines, the header being 0 (pi's rule); lines 2 to 4 are entries 1 to 3.
@pytest.mark.parametrize(
    ("index", "kept"),
    [
        (1, 0),
        (2, 1),
        (2.0, 1),
        (3, 2),
        (0, None),
        (99, None),
        (-1, None),
        (1.5, None),
        (4, None),
    ],
)
def test_index_of_the_first_kept_entry_becomes_its_id(index: float, kept: int | None) -> None:
    loaded = migrated(file_of(user("a"), user("b"), compaction(index), user("c"), header=V1))
    value = json.loads(entry_lines(loaded)[2])
    names = ["type", "timestamp", "summary", "tokensBefore", "id", "parentId"]
    if kept is None:
        assert list(value) == names
    else:
        assert list(value) == [*names, "firstKeptEntryId"]
        assert value["firstKeptEntryId"] == loaded.entries[kept].id


@pytest.mark.parametrize("index", ["1", None, True, [1]])
def test_an_index_that_is_not_a_number_is_kept(index: Any) -> None:
    loaded = migrated(file_of(user("a"), compaction(index), header=V1))
    value = json.loads(entry_lines(loaded)[1])
    assert value["firstKeptEntryIndex"] == index
    assert "firstKeptEntryId" not in value


@pytest.mark.parametrize(
    ("between", "index"),
    [(b"{broken", 2), (b"", 2), (b"null", 2), (b"0", 2), (V1, 3), (b"[]", 3)],
)
def test_lines_the_reader_of_version_1_dropped_are_not_counted(between: bytes, index: int) -> None:
    loaded = migrated(file_of(user("a"), between, user("b"), compaction(index), header=V1))
    assert json.loads(entry_lines(loaded)[2])["firstKeptEntryId"] == loaded.entries[1].id


def test_malformed_lines_before_the_header_are_not_counted_either() -> None:
    content = b"{broken\n" + file_of(user("a"), compaction(1), header=V1)
    loaded = migrated(content)
    assert json.loads(entry_lines(loaded)[1])["firstKeptEntryId"] == loaded.entries[0].id


def test_context_of_a_migrated_compaction_is_summary_and_kept_messages() -> None:
    loaded = migrated(file_of(user("a"), user("b"), compaction(2), user("c"), header=V1))
    tree = Tree(loaded.entries)
    context = build_context(tree, tree.tip_id)
    shown = [json.loads(m) for m in context.messages()]
    assert [m.get("summary") or m["content"] for m in shown] == ["S", "b", "c"]


def test_ids_are_the_same_every_time_and_depend_on_session_and_line() -> None:
    content = file_of(user("a"), user("a"), header=V1)
    assert ids(migrated(content).entries) == ids(migrated(content).entries)
    other = migrated(content.replace(b'"id":"s1"', b'"id":"s2"'))
    assert not set(ids(other.entries)) & set(ids(migrated(content).entries))
    moved = migrated(file_of(b"", user("a"), user("a"), header=V1))
    assert ids(moved.entries)[0] == ids(migrated(content).entries)[1]


def test_ids_that_collide_are_replaced() -> None:
    seeds = b"s1:3", b"s1:3:1", b"s1:3:2"
    digests = [hashlib.sha256(seed).hexdigest()[:8] for seed in seeds]
    assert derived_id("s1", 3, []) == digests[0]
    assert derived_id("s1", 3, digests[:2]) == digests[2]


def test_ids_that_stand_in_a_file_of_version_1_are_replaced_as_pi_does() -> None:
    line = b'{"type":"custom","id":"own","data":{"id":1},"parentId":"x"}'
    loaded = migrated(file_of(line, header=V1))
    (new,) = ids(loaded.entries)
    assert entry_lines(loaded) == [
        line.replace(b'"own"', b'"%b"' % new.encode()).replace(b'"x"', b"null")
    ]


def test_unknown_members_types_and_spellings_are_kept() -> None:
    line = b'{"type":"future", "n":1e21,"n":2,"s":"\\u00e9\\ud83d","big":123456789012345678901234567890 }'
    loaded = migrated(file_of(line, header=V1))
    assert entry_lines(loaded)[0].startswith(line[:-1] + b',"id":"')


def test_lines_for_the_rewritten_file_keep_bad_lines_in_their_places() -> None:
    raw = b'{"type":"message","timestamp":"t","message":{"role":"hookMessage","content":"\xff"}}'
    content = (
        b"{broken\n" + file_of(user("a"), b"null\r", b"", V1, raw, b"\xff", header=V1) + b'{"torn'
    )
    loaded = migrated(content)
    lines = file_lines(loaded)
    assert lines[:2] == [b"{broken", V1[:-1] + b',"version":3}']
    assert lines[3:5] == [b"null\r", V1[:-1] + b',"version":3}']
    assert lines[5].startswith(raw.replace(b"hookMessage", b"custom")[:-1] + b',"id":"')
    assert lines[6:] == [b"\xff", b'{"torn']
    again = load(b"\n".join(lines) + b"\n")
    assert ids(again.entries) == ids(loaded.entries)
    assert entry_lines(again) == entry_lines(loaded)
    assert migrate(again) is None


def test_lines_of_a_session_that_needs_no_migration_are_those_of_its_file() -> None:
    content = file_of(dumps(entry("a")), b"bad", dumps(entry("b")))
    assert b"".join(line + b"\n" for line in file_lines(load(content))) == content


def test_migration_does_not_change_the_loaded_file() -> None:
    loaded = load(file_of(user("a"), header=V1))
    before = entry_lines(loaded)
    assert migrate(loaded) is not None
    assert entry_lines(loaded) == before
    assert loaded.header_line == V1


@pytest.mark.skipif("SESSIOND_SAMPLES" not in os.environ, reason="SESSIOND_SAMPLES is not set")
def test_a_real_session_of_version_1_is_migrated_whole() -> None:
    content = (Path(os.environ["SESSIOND_SAMPLES"]) / "v1-large-session.jsonl").read_bytes()
    loaded = migrated(content)
    tree = Tree(loaded.entries)
    originals = [json.loads(line) for line in content.splitlines()[1:]]
    shown = [json.loads(line) for line in entry_lines(loaded)]
    added = ("id", "parentId", "firstKeptEntryId")
    dropped = ("firstKeptEntryIndex",)
    assert [{k: v for k, v in each.items() if k not in added} for each in shown] == [
        {k: v for k, v in each.items() if k not in dropped} for each in originals
    ]
    assert len(tree.branch(tree.tip_id)) == len(originals)
    assert tree.problems() == []
