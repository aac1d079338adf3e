from __future__ import annotations

import json
import re

import pytest

from sessiond.format import entries, ids, lines
from sessiond.format.ids import uuid7

AT = lines.Stamp("e1", "p1", "2025-01-01T00:00:00.000Z")
HEAD = b'"id":"e1","parentId":"p1","timestamp":"2025-01-01T00:00:00.000Z"'
FULL_COMPACTION = (
    b'{"type":"compaction",%b,"summary":"S","firstKeptEntryId":"e1","tokensBefore":1,'
    b'"details":{"d":1},"usage":{"u":1},"fromHook":true,'
    b'"systemMessage":{"role":"system","content":"","timestamp":1735689600000}}'
)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            lines.message_line(AT, b'{"role":"user"}'),
            b'{"type":"message",%b,"message":{"role":"user"}}',
        ),
        (
            lines.entry_line(entries.THINKING_LEVEL_CHANGE, AT, thinkingLevel="high"),
            b'{"type":"thinking_level_change",%b,"thinkingLevel":"high"}',
        ),
        (
            lines.entry_line(entries.MODEL_CHANGE, AT, provider="p", modelId="m"),
            b'{"type":"model_change",%b,"provider":"p","modelId":"m"}',
        ),
        (
            lines.usage_line(AT, kind="k", provider="p", model="m", usage=b"{}", note="n"),
            b'{"type":"usage",%b,"kind":"k","provider":"p","model":"m","usage":{},"note":"n"}',
        ),
        (
            lines.usage_line(AT, kind="k", provider="p", model="m", usage=b"null", note=""),
            b'{"type":"usage",%b,"kind":"k","provider":"p","model":"m","usage":null}',
        ),
        (
            lines.compaction_line(AT, summary="S", first_kept_entry_id="f", tokens_before=b"1.5"),
            b'{"type":"compaction",%b,"summary":"S","firstKeptEntryId":"f","tokensBefore":1.5}',
        ),
        (
            lines.compaction_line(
                AT,
                summary="S",
                first_kept_entry_id=None,
                tokens_before=b"1",
                details=b'{"d":1}',
                usage=b'{"u":1}',
                from_hook=True,
                system_message=b'{"role":"system","content":"","timestamp":5}',
            ),
            FULL_COMPACTION,
        ),
        (
            lines.branch_summary_line(
                AT, from_id="x", summary="S", details=b"[]", usage=b"{}", from_hook=False
            ),
            b'{"type":"branch_summary",%b,"fromId":"x","summary":"S","details":[],"usage":{},"fromHook":false}',
        ),
        (
            lines.branch_summary_line(AT, from_id=None, summary=""),
            b'{"type":"branch_summary",%b,"fromId":"root","summary":""}',
        ),
        (lines.custom_line(AT, "t", b"[1]"), b'{"type":"custom","customType":"t","data":[1],%b}'),
        (lines.custom_line(AT, "t"), b'{"type":"custom","customType":"t",%b}'),
        (
            lines.custom_message_line(
                AT, custom_type="t", content=b'"c"', display=True, details=b"{}"
            ),
            b'{"type":"custom_message","customType":"t","content":"c","display":true,"details":{},%b}',
        ),
        (lines.label_line(AT, "x", "l"), b'{"type":"label",%b,"targetId":"x","label":"l"}'),
        (lines.label_line(AT, "x", None), b'{"type":"label",%b,"targetId":"x"}'),
        (lines.label_line(AT, "x", ""), b'{"type":"label",%b,"targetId":"x","label":""}'),
        (
            lines.session_info_line(AT, " a\r\n\nb\u00a0"),
            b'{"type":"session_info",%b,"name":"a b"}',
        ),
        (
            lines.entry_line(entries.CONTEXT_EDIT, AT, targetId="x", replacement=b"null"),
            b'{"type":"context_edit",%b,"targetId":"x","replacement":null}',
        ),
    ],
)
def test_members_stand_in_the_order_pi_writes_them(line: bytes, expected: bytes) -> None:
    assert line == expected % HEAD


def test_the_first_entry_has_a_null_parent() -> None:
    assert b'"parentId":null' in lines.message_line(lines.Stamp("a", None, "t"), b"{}")


def test_values_keep_their_spelling_and_lose_only_white_space_that_breaks_the_line() -> None:
    spaced = b'{ "n": 1e21, "s": "\\ud83d  x" }'
    assert spaced in lines.message_line(AT, spaced)
    broken = b'{\r\n  "n": 1e21,\n "s": "a  \\n b"\n}'
    assert b'"message":{"n":1e21,"s":"a  \\n b"}' in lines.message_line(AT, broken)


def test_lone_surrogates_are_escaped_as_javascript_does() -> None:
    assert b'"name":"\\ud83d \xc3\xa9"' in lines.session_info_line(AT, "\ud83d é")


@pytest.mark.parametrize(
    ("role", "replacement", "expected"),
    [
        ("assistant", b'{"content":"\\u00e9"}', b'{"content":[{"type":"text","text":"\\u00e9"}]}'),
        ("toolResult", b'{"x":1,"content":"a"}', b'{"content":[{"type":"text","text":"a"}]}'),
        ("user", b'{"content":"a"}', b'{"content":"a"}'),
        (None, b'{"content":"a"}', b'{"content":"a"}'),
        ("assistant", b'{"content":[1],"x":1}', b'{"content":[1],"x":1}'),
        ("assistant", b"null", b"null"),
    ],
)
def test_string_content_for_assistants_and_tools_becomes_a_text_block(
    role: str | None, replacement: bytes, expected: bytes
) -> None:
    assert lines.normalized_replacement(role, replacement) == expected


def test_new_entry_ids_are_8_hexadecimal_digits_not_yet_taken() -> None:
    class Nearly:
        asked = 0

        def __contains__(self, _: object) -> bool:
            self.asked += 1
            return self.asked < 4

    taken = Nearly()
    assert re.fullmatch(r"[0-9a-f]{8}", ids.new_entry_id(taken))
    assert taken.asked == 4


def test_a_whole_uuid_is_used_if_every_short_id_is_taken() -> None:
    class All:
        def __contains__(self, _: object) -> bool:
            return True

    assert len(ids.new_entry_id(All())) == 36


def test_session_ids_are_uuids_of_version_7() -> None:
    # The example of RFC 9562, appendix A.6.
    random = bytes.fromhex("0cc3" + "18c4dc0c0c07398f")
    assert uuid7(0x017F22E279B0, random) == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
    assert re.fullmatch(
        r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}",
        ids.new_session_id(),
    )


def test_times_are_iso_8601_with_milliseconds() -> None:
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", ids.iso_now())


def test_every_line_is_json_on_one_line() -> None:
    line = lines.custom_line(lines.Stamp("\n", "\u2028", "t"), "a\nb", b'{"x":\n1}')
    assert b"\n" not in line
    assert json.loads(line)["customType"] == "a\nb"
