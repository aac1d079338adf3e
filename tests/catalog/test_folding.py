"""Folding a long text in pieces gives the same result as folding it in one call."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from sessiond.catalog.search import folding

PARTS = [
    "a",
    "B",
    "Σ",
    "ΑΣ",
    "İ",
    "K",
    " ",
    "\n",
    "\t",
    "\x1c",
    "\x85",
    "\ufeff",
    "\u00a0",
    "\u202f",
    "e",
    "\u0301",
    "\u2019",
    "“",
    "\ud83d",
]


@given(st.lists(st.sampled_from(PARTS), max_size=60), st.integers(1, 8))
def test_pieces_join_to_the_whole(parts: list[str], size: int):
    text = "".join(parts)
    # JavaScript's white space at the ends of the whole, which Python may not take for such.
    usual = unicodedata.normalize("NFC", text.lower()).replace("\u2019", "'").replace("“", '"')
    expected = folding.JS_SPACES.sub(" ", usual).strip(folding.JS_SPACE)
    before = folding._PIECE
    folding._PIECE = size
    try:
        assert folding.fold(text) == expected
    finally:
        folding._PIECE = before
