"""Any part of any word is found by the words in the index, also of very long words."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.sessions_on_disk import settle, write_session

from sessiond.catalog.index import texts
from sessiond.catalog.index.database import SearchCache
from sessiond.catalog.index.indexer import sweep
from sessiond.catalog.index.texts import fill
from sessiond.catalog.index.vocabulary import UNINDEXED, is_part, parts_of, words_of
from sessiond.catalog.listing import Listing
from sessiond.catalog.scope import SessionScope
from sessiond.runtime.isolation import Faults

ALPHABET = "aab1é漢字😀\x01-_=. "


@st.composite
def texts_with_parts(draw: st.DrawFn) -> tuple[str, str]:
    text = draw(st.text(ALPHABET, max_size=20)) + draw(st.text("ab漢", max_size=120))
    text += draw(st.text(ALPHABET, max_size=20))
    start = draw(st.integers(0, len(text)))
    return text, text[start : start + draw(st.integers(0, 60))]


@given(texts_with_parts())
def test_each_part_of_a_text_is_in_a_word(pair: tuple[str, str]):
    text, part = pair
    words = [word.decode() for word in words_of(text)]
    assert max(map(len, words), default=0) <= 32
    for piece, begins, ends in parts_of(part):
        assert any(
            piece in word
            and (not begins or word.startswith(piece))
            and (not ends or word.endswith(piece))
            for word in words
        ), piece


@given(st.text("ab漢 -", max_size=90), st.text("ab漢 -", min_size=1, max_size=20))
def test_a_part_of_a_word_is_in_a_text_exactly_if_it_is_in_a_word(text: str, part: str):
    if is_part(part):
        assert (part in text) == any(part.encode() in word for word in words_of(text))


@pytest.fixture
def store(tmp_path: Path):
    with closing(SearchCache(str(tmp_path / "cache" / "c.sqlite3"))) as made:
        yield made


def index(folder: Path, store: SearchCache) -> dict[str, int]:
    """Index all sessions of a folder; returns their numbers by name."""
    settle(list(folder.iterdir()))
    sessions = Listing(SessionScope(str(folder))).read().newest_first()
    fill(store, [each.path for each in sessions], lambda: None, Faults())
    with store.connection() as connection:
        numbers = texts.numbers(connection)
    return {Path(each.path).stem: numbers[texts.identity(each.state)] for each in sessions}


def having(store: SearchCache, text: str, numbers: dict[str, int]) -> set[str]:
    with store.connection() as connection:
        held, _ = texts.containing(connection, [text], set(numbers.values()))
    return {name for name, number in numbers.items() if number in held}


@pytest.mark.parametrize("filler", ["x", "漢", "é1"])
def test_parts_of_words_are_found_that_fts5_would_cut(
    tmp_path: Path, store: SearchCache, filler: str
):
    # A token of FTS5 has 32,768 bytes at most.
    long = filler * 40_000
    write_session(tmp_path / "s" / "long.jsonl", f"{long}needle{long}", "other")
    write_session(tmp_path / "s" / "none.jsonl", f"{long}needl")
    numbers = index(tmp_path / "s", store)
    for part in (
        "needle",
        "dle" + filler * 70,
        filler * 10 + "needle",
        filler * 30 + "needle" + filler * 30,
    ):
        assert having(store, part, numbers) == {"long"}, part
    assert having(store, filler * 50 + "needl", numbers) == {"long", "none"}


def test_a_word_stays_as_long_as_one_index_has_it(
    tmp_path: Path, store: SearchCache, monkeypatch: pytest.MonkeyPatch
):
    # The two files lie in different indexes.
    monkeypatch.setattr("sessiond.catalog.index.texts._NEIGHBOURS", 1)
    folder = tmp_path / "s"
    for name in ("one", "two"):
        write_session(folder / f"{name}.jsonl", f"shared only{name}", session_id=name)
    numbers = index(folder, store)
    assert having(store, "share", numbers) == {"one", "two"}
    assert having(store, "nlyon", numbers) == {"one"}
    (folder / "one.jsonl").unlink()
    sweep(store)
    assert having(store, "share", numbers) == {"two"}
    with store.connection() as connection:
        words = {word for (word,) in connection.execute("SELECT word FROM words")}
    assert "onlyone" not in words
    assert {"shared", "onlytwo"} <= words
    (folder / "two.jsonl").unlink()
    sweep(store)
    with store.connection() as connection:
        for table in ("words", "said_bodies", "done_bodies", "texts"):
            assert connection.execute(f"SELECT count(*) FROM {table}").get == 0


def test_groups_with_very_many_words_are_compared(
    tmp_path: Path, store: SearchCache, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("sessiond.catalog.index.vocabulary._MOST_IN_GROUP", 4)
    folder = tmp_path / "s"
    spoken = {"many": "one two three four five", "few": "two three", "else": "x=1 absent"}
    for name, text in spoken.items():
        write_session(folder / f"{name}.jsonl", text, session_id=name)
    numbers = index(folder, store)
    for part in ("two", "o thr", "ive", "nothing", "x=1", "e", "=", "fiv"):
        expected = {name for name, text in spoken.items() if part in text}
        assert having(store, part, numbers) == expected, part
    with store.connection() as connection:
        words = {word for (word,) in connection.execute("SELECT word FROM words")}
    assert words == {UNINDEXED, "two", "three", "x", "1", "absent"}
