from __future__ import annotations

import pytest

from sessiond.format.line_texts import texts_of


def test_deep_arguments_hide_nothing_else_of_their_line() -> None:
    read = 0
    # How deep is too deep depends on the caller: the decoder counts from there, and so does what
    # encodes the arguments again.
    for depth in range(1, 1200, 7):
        deep = b"[" * depth + b"]" * depth
        line = (
            b'{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z",'
            b'"message":{"role":"assistant","content":[{"type":"text","text":"needle"},'
            b'{"type":"toolCall","id":"c","name":"t","arguments":{"x":%b,"path":"/f"}}]}}' % deep
        )
        texts = list(texts_of(0, line))
        if texts:
            read = depth
            said, call = texts
            assert (said.field, said.text) == ("said", "needle")
            assert (call.field, call.file) == ("calls", "/f")
            assert call.text.endswith("path: /f")
    assert read > 500


@pytest.mark.parametrize("odd", ["{}", "[]", '{"a":[1]}', "1", "null", "true"])
@pytest.mark.parametrize(
    "line",
    [
        '{"type":"message","id":"a","message":{"role":ODD,"content":"x"}}',
        '{"type":"message","id":"a","message":{"role":"assistant","model":ODD,"content":ODD}}',
        '{"type":"message","id":"a","message":{"role":"toolResult","toolName":ODD,"content":ODD}}',
        '{"type":"message","id":"a","message":{"role":"assistant","content":[{"type":ODD,"text":ODD}]}}',
        '{"type":ODD,"id":ODD,"timestamp":ODD,"message":ODD}',
    ],
)
def test_members_of_any_type_have_no_text_or_are_left_out(line: str, odd: str):
    assert list(texts_of(0, line.replace("ODD", odd).encode())) == []
