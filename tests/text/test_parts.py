from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest
from format.builders import HEADER, file_of

from sessiond.format.context.build import build_context, current_system_message
from sessiond.format.describe.preview import preview
from sessiond.format.extract import branched_lines
from sessiond.format.load import load
from sessiond.format.migrate import migrate
from sessiond.format.tree.tree import Tree
from sessiond.text.parts import elements, members_of_line, object_members, string_of

Result = TypeVar("Result")


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"[]", []),
        (b" [ ] ", []),
        (b"[1, [2,3],{}]", [b"1", b"[2,3]", b"{}"]),
        (b'["\\ud83d",{"a":[1,"]"]} , "x,\\"" ]', [b'"\\ud83d"', b'{"a":[1,"]"]}', b'"x,\\""']),
        (b"null", []),
        (b'{"a":1}', []),
    ],
)
def test_elements_of_an_array_are_its_bytes(raw: bytes, expected: list[bytes]) -> None:
    assert elements(raw) == expected


def test_elements_nested_deeper_than_the_decoders_allow_are_found() -> None:
    deep = b"[" * 5000 + b"]" * 5000
    assert elements(b"[1," + deep + b"]") == [b"1", deep]


def test_members_nested_deeper_than_the_decoders_allow_are_found() -> None:
    deep = b"[" * 5000 + b"]" * 5000
    assert object_members(b'{"a":1,"b":' + deep + b',"a":2}') == {"a": b"2", "b": deep}


@pytest.mark.parametrize(
    ("raw", "expected"),
    [(b'"\\ud83d\\u00e9"', "\ud83d\u00e9"), (b"5", None), (b"[]", None), (None, None)],
)
def test_only_strings_are_strings(raw: bytes | None, expected: str | None) -> None:
    assert string_of(raw) == expected


def much_deeper(call: Callable[[], Result], frames: int = 300) -> Result:
    """Call with less of the interpreter's stack left than the loader had."""
    return call() if not frames else much_deeper(call, frames - 1)


@pytest.mark.parametrize("version", [b"1", b"2", b"3"])
def test_a_line_that_could_just_be_read_can_be_used_from_further_down_the_stack(
    version: bytes,
) -> None:
    deep = b'["\\ud83d",' + b"[" * 700 + b"]" * 701
    lines = [
        b'{"type":"message","id":"a","parentId":null,"message":{"role":"hookMessage","content":null,"x":%b}}',
        b'{"type":"message","id":"b","parentId":"a","message":{"role":"system","timestamp":1,"x":%b}}',
        b'{"type":"label","id":"c","parentId":"b","targetId":"a","label":"l","x":%b}',
        b'{"type":"session_info","id":"d","parentId":"c","name":"n","x":%b}',
        b'{"type":"compaction","id":"e","parentId":"d","firstKeptEntryId":"a","firstKeptEntryIndex":1,"x":%b}',
        b'{"type":"message","id":"f","parentId":"e","message":{"role":"assistant","content":[],"model":"m","x":%b}}',
        b'{"type":"context_edit","id":"g","parentId":"f","targetId":"f","replacement":{"content":"r","x":%b}}',
    ]
    loaded = load(
        file_of(*(line % deep for line in lines), header=HEADER.replace(b":3,", b":%b," % version))
    )
    assert loaded.bad == []

    def use() -> None:
        current = migrate(loaded) or loaded
        tree = Tree(current.entries)
        assert tree.name == "n"
        assert next(iter(tree.labels.values())).text == "l"
        tree.problems()
        context = build_context(tree, tree.tip_id)
        assert len(list(context.messages())) == 3
        assert context.model == b'{"modelId":"m"}'
        current_system_message(context.messages())
        # Version 1 gets new ids, so there the label's target is gone.
        assert len(list(branched_lines(tree, tree.tip_id or ""))) == (6 if version == b"1" else 7)
        for entry in tree.entries:
            preview(entry)

    much_deeper(use)


def test_members_of_a_line_with_bytes_that_are_not_utf8_have_replaced_characters():
    assert members_of_line(b'{"a\xff":"b\xff","c":[]}') == {
        "a\ufffd": '"b\ufffd"'.encode(),
        "c": b"[]",
    }
