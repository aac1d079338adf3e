"""The spellings that macOS gives to names become the usual one."""

import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from sessiond.text.spelling import any_spelling, forms, plain_spelling

CHARS = st.sampled_from(
    [*"aAéÜñ'\" \u2019\u2018“”.", "\u00a0", "\u202f", "\u0301", "한", "ﬁ", "\u212b"]
)


@given(st.lists(CHARS).map("".join))
def test_all_spellings_of_a_text_are_one(text: str):
    plain = plain_spelling(text)
    assert plain_spelling(plain) == plain
    assert {plain_spelling(form) for form in forms(text)} == {plain}
    assert not set("\u2019\u2018“”\u00a0\u202f") & set(plain)


@given(st.lists(st.sampled_from([*"aéÜñ'\".한"])).map("".join))
def test_an_expression_matches_each_spelling(plain: str):
    curly = plain.replace("'", "\u2019").replace('"', "”")
    for spelling in (plain, curly, unicodedata.normalize("NFD", curly)):
        assert re.fullmatch(any_spelling(plain), spelling)
