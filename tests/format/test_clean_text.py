"""Texts for people have no terminal sequences, and lose no text with them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessiond.text.safe import clean, presentable

ESC = "\x1b"
SEQUENCES = {
    "colour": f"{ESC}[31mWORD{ESC}[0m",
    "end of attributes": f"{ESC}[1mWORD{ESC}(B{ESC}[m",
    "curly underline": f"{ESC}[4:3mWORD{ESC}[4:0m",
    "true colour": f"{ESC}[38:2::255:0:0mWORD{ESC}[0m",
    "private markers": f"{ESC}[?25lWO{ESC}[>4;2mRD{ESC}[<35;1;1M{ESC}[=1c",
    "intermediate bytes": f"{ESC}[2 qWORD{ESC}[!p",
    "saved cursor": f"{ESC}7WORD{ESC}8",
    "keypad": f"{ESC}=WORD{ESC}>",
    "reset": f"{ESC}cWORD",
    "sequence of one byte": "\x9b31mWORD\x9b0m",
    "title": f"{ESC}]0;title\x07WORD",
    "title with another end": f"{ESC}]0;title{ESC}\\WORD",
    "title of one byte": "\x9d0;title\x9cWORD",
    "link": f"{ESC}]8;;http://x.example{ESC}\\WORD{ESC}]8;;{ESC}\\",
    "device control": f"{ESC}Pq#0;2;0~-{ESC}\\WORD\x90q~\x9c",
    "image": f"{ESC}_Ga=T;AAAA{ESC}\\WORD\x9fGa=d\x9c",
    "other strings": f"{ESC}Xa{ESC}\\WO\x98b\x9cRD{ESC}^c{ESC}\\\x9ed\x9c",
    "unfinished control": f"WORD{ESC}[38;5",
    "unfinished escape": f"WORD{ESC}(",
    "lone introducer": f"WORD{ESC}",
}


@pytest.mark.parametrize("text", SEQUENCES.values(), ids=SEQUENCES)
def test_nothing_is_left_of_a_sequence(text: str):
    assert clean(f"before {text}") == presentable(f"before {text}") == "before WORD"


@pytest.mark.parametrize("introducer", [f"{ESC}]", f"{ESC}P", f"{ESC}_", "\x9d", "\x90"])
def test_an_unfinished_string_hides_no_text(introducer: str):
    assert clean(f"one {introducer}two\nthree\x07 four") == "one two\nthree four"
    assert clean(f"one {introducer}two{ESC}[31m three") == "one two three"


@given(st.text(st.sampled_from(f"a7m;:[]()PX^_\\ \n{ESC}\x07\x9b\x9c\x9d\x90")))
def test_lines_stay_and_no_control_character_does(text: str):
    cleaned = clean(text)
    assert cleaned.count("\n") == text.count("\n")
    assert not set(cleaned) & set(f"{ESC}\x07\x9b\x9c\x9d\x90")


def without_controls(text: str) -> str:
    """Return what `clean` leaves of a text without terminal sequences, character by character."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    kept = (each for each in lines if each in "\t\n" or (each >= " " and each != "\x7f"))
    return "".join("\ufffd" if "\ud800" <= each <= "\udfff" else each for each in kept)


@given(
    st.text(
        st.one_of(st.characters(), st.sampled_from("\0\a\t\n\r\x7f\xa0\xc2é漢\U0001f600\ud800"))
    )
)
def test_control_characters_go_and_all_other_characters_stay(text: str):
    text = "".join(each for each in text if each != ESC and not "\x80" <= each <= "\x9f")
    assert clean(text) == without_controls(text)


@pytest.mark.parametrize("control", [*map(chr, range(0x80, 0xA0))])
def test_a_control_character_beyond_ascii_goes(control: str):
    assert control not in clean(f"é {control} é")
