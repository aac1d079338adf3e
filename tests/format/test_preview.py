from __future__ import annotations

from typing import Any

import pytest

from sessiond.format.describe.preview import preview
from sessiond.format.entries import make_entry

from .builders import dumps, entry, message


def shown(value: dict[str, Any] | bytes) -> str:
    line = value if isinstance(value, bytes) else dumps(value)
    return preview(make_entry(line))


TEXT = {"type": "text", "text": " hello\n\n  world "}
CALL = {"type": "toolCall", "name": "read", "id": "1", "arguments": {"path": "x"}}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (message("a", None, "user", "a\tb"), "a b"),
        (message("a", None, "user", [TEXT]), "hello world"),
        (message("a", None, "assistant", [CALL, TEXT]), "hello world"),
        (
            message("a", None, "assistant", [{"type": "thinking", "thinking": "hm"}, CALL, CALL]),
            "read, read",
        ),
        (message("a", None, "assistant", [{"type": "thinking", "thinking": "hm"}]), "hm"),
        (message("a", None, "assistant", None), ""),
        (
            entry("a", kind="message", message={"role": "bashExecution", "command": "ls -l"}),
            "ls -l",
        ),
        (entry("a", kind="message", message=None), ""),
        (entry("a", kind="message", message={"role": "user", "content": 5}), ""),
        (
            entry(
                "a",
                kind="message",
                message={"role": "user", "content": [5, {"type": "text", "text": "x"}]},
            ),
            "x",
        ),
        (entry("a", kind="custom_message", content="c", customType="t"), "c"),
        (entry("a", kind="compaction", summary="S"), "S"),
        (entry("a", kind="branch_summary", summary="B"), "B"),
        (entry("a", kind="thinking_level_change", thinkingLevel="high"), "high"),
        (entry("a", kind="model_change", provider="p", modelId="m"), "p/m"),
        (entry("a", kind="usage", kind_="k", provider="p", model="m"), "p/m"),
        (entry("a", kind="label", targetId="x", label="l"), "l"),
        (entry("a", kind="label", targetId="x", label=None), ""),
        (entry("a", kind="session_info", name="n"), "n"),
        (entry("a", kind="context_edit", targetId="x", replacement=None), "x"),
        (entry("a", kind="custom", customType="t"), "t"),
        (entry("a", kind="future"), ""),
    ],
)
def test_each_type_of_entry_has_its_preview(value: dict[str, Any], expected: str) -> None:
    assert shown(value) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x" * 120, "x" * 120),
        ("x" * 121, "x" * 119 + "…"),
        ("😀" * 60, "😀" * 60),
        ("😀" * 61, "😀" * 59 + "…"),
        ("x" + "😀" * 60, "x" + "😀" * 59 + "…"),
        ("x" * 100_000, "x" * 119 + "…"),
    ],
)
def test_preview_has_at_most_120_characters_and_cuts_none_in_half(text: str, expected: str) -> None:
    assert shown(message("a", None, "user", text)) == expected
    assert len(expected.encode("utf-16-le")) <= 240


@pytest.mark.parametrize(
    "unit", ["é", "😀", "\\\\", "\\u00e9", "\\ud83d\\ude00", "\\ud83d", "\\n x"]
)
@pytest.mark.parametrize("shift", range(13))
def test_preview_of_a_long_text_does_not_depend_on_where_its_bytes_are_cut(
    unit: str, shift: int
) -> None:
    content = '"' + "a" * shift + unit * 3000 + '"'
    line = '{"type":"message","id":"a","message":{"role":"user","content":[{"type":"text","text":%s}]}}'
    whole = '{"type":"message","id":"a","message":{"role":"user","content":%s}}'
    assert shown((line % content).encode()) == shown((whole % content).encode())


def test_preview_has_no_half_of_a_surrogate_pair() -> None:
    line = (
        b'{"type":"message","id":"a","message":{"role":"user","content":"a\\ud83d \\ud83d\\ude00"}}'
    )
    assert shown(line) == "a\ufffd \U0001f600"
