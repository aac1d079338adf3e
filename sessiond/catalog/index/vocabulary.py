"""The words of the texts in the database, found by any part of them.

Words are those of FTS5's tokenizer `ascii` (https://www.sqlite.org/fts5.html#ascii_tokenizer): runs
of letters and digits of ASCII and of all other characters. The indexes of texts have whole words.
The vocabulary has each word once, and its trigrams tell which words contain a part.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

import apsw

from sessiond.catalog.index.schema import SHARD_NAMES

_LONGEST = 32
"""Characters of a word. Longer ones are indexed in pieces of this length: languages without spaces
have sentences as words, and FTS5 cuts a token of 32 kB."""

_STEP = 16
"""Characters between the beginnings of pieces, so that any part of this length is in one."""

_TRIGRAM = 3
_MOST_WORDS = 1_000
"""Words in which a part is looked for; a part of more words is in most texts anyway."""

_MOST_IN_GROUP = 10_000
"""Words of a group. One with more, such as a list of a million ids, would fill the vocabulary with
words that nobody looks for."""

UNINDEXED = "\U0010fffd"
"""The only word of a group with too many; its texts are always compared."""

_MOST_PARTS = 16
"""Parts of a long text that are looked up; the text itself is compared anyway."""

_SEPARATORS = bytes(code if code >= 128 or chr(code).isalnum() else 32 for code in range(256))
_WORD = re.compile("[0-9A-Za-z\x80-\U0010ffff]+")


class Part(NamedTuple):
    """A part of a word, with what else is known of the word."""

    text: str
    begins: bool = False
    """Whether the word begins with it."""
    ends: bool = False
    """Whether the word ends with it."""


class Word(NamedTuple):
    """A word that contains a part."""

    word: str
    shards: int
    """The indexes that have it: a bit for each, in the order of `SHARD_NAMES`."""


def words_of(text: str) -> set[bytes]:
    """Return the words of the texts of a group in UTF-8, long ones in pieces."""
    # Bytes are split and compared several times as fast as an expression finds words.
    words = set(text.encode().translate(_SEPARATORS).split())
    if len(max(words, key=len, default=b"")) > _LONGEST:
        for long in [word for word in words if len(word) > _LONGEST]:
            words.remove(long)
            words.update(each.encode() for each in _pieces(long.decode()))
    return words if len(words) <= _MOST_IN_GROUP else {UNINDEXED.encode()}


def _pieces(word: str) -> list[str]:
    """Return the pieces of a word, or the word itself."""
    if len(word) <= _LONGEST:
        return [word]
    return [word[at : at + _LONGEST] for at in range(0, len(word) - _STEP, _STEP)]


def parts_of(text: str) -> list[Part]:
    """Return parts of words, the longest first, each of which is in a word of any text with this.

    There are none if the text has no words.
    """
    parts: set[Part] = set()
    for match in _WORD.finditer(text):
        word, start, end = match[0], match.start() > 0, match.end() < len(text)
        if len(word) <= _STEP:
            parts.add(Part(word, start, end))
        else:
            starts = range(0, len(word) - _STEP + 1, _STEP)
            parts.update(Part(word[at : at + _STEP]) for at in starts)
    return sorted(parts, key=lambda part: (-len(part.text), part))[:_MOST_PARTS]


def is_part(text: str) -> bool:
    """Return whether a text is in another one exactly if it is in a word of it."""
    return parts_of(text) == [Part(text)]


def words_with(connection: apsw.Connection, part: Part) -> list[Word] | None:
    """Return the words that contain a part; None if there are very many."""
    text, size = part.text, len(part.text)
    conditions, bound = ["instr(word, ?)"], [text]
    source = "words"
    if size >= _TRIGRAM:
        source = "parts CROSS JOIN words ON id = parts.rowid"
        trigrams = {text[at : at + _TRIGRAM] for at in range(size - _TRIGRAM + 1)}
        conditions.insert(0, "parts MATCH ?")
        # No part of a word has a quote.
        bound.insert(0, " AND ".join(f'"{trigram}"' for trigram in trigrams))
    if part.begins:
        conditions.append(f"substr(word, 1, {size}) = ?")
        bound.append(text)
    if part.ends:
        conditions.append(f"substr(word, -{size}) = ?")
        bound.append(text)
    rows: Any = connection.execute(
        f"SELECT word, shards FROM {source} WHERE {' AND '.join(conditions)} LIMIT ?",  # noqa: S608
        (*bound, _MOST_WORDS + 1),
    )
    words = [Word(*row) for row in rows]
    if len(words) > _MOST_WORDS:
        return None
    unindexed: Any = connection.execute(
        "SELECT word, shards FROM words WHERE word = ?", (UNINDEXED,)
    )
    return [*words, *(Word(*row) for row in unindexed)]


def are_certain(words: Iterable[Word], kinds: Collection[str]) -> bool:
    """Return whether each group of kinds that has one of the words has what they contain."""
    bits = sum(
        1 << number for number, shard in enumerate(SHARD_NAMES) if shard.partition("_")[0] in kinds
    )
    return all(word != UNINDEXED or not shards & bits for word, shards in words)


def add_words(connection: apsw.Connection, words: Mapping[str, Collection[bytes]]) -> None:
    """Add the words of each index that the vocabulary lacks."""
    last = connection.execute("SELECT coalesce(max(id), 0) FROM words").get
    for shard, some in words.items():
        bit = _bit(shard)
        connection.executemany(
            "INSERT INTO words (word, shards) VALUES (?1, ?2) ON CONFLICT (word)"
            " DO UPDATE SET shards = shards | ?2 WHERE NOT shards & ?2",
            [(word.decode(), bit) for word in some],
        )
    connection.execute(
        "INSERT INTO parts (rowid, body) SELECT id, word FROM words WHERE id > ?", (last,)
    )


def remove_words(connection: apsw.Connection, shards: Iterable[str]) -> None:
    """Remove the words that some indexes have no more, so that nothing is left of them."""
    for shard in shards:
        connection.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.terms_{shard}"
            f" USING fts5vocab(main, {shard}, row)"
        )
        rows: Any = connection.execute(f"SELECT term FROM temp.terms_{shard}")  # noqa: S608
        there = {term for (term,) in rows}
        bit = _bit(shard)
        every: Any = connection.execute("SELECT id, word FROM words WHERE shards & ?", (bit,))
        gone = [(bit, number) for number, word in every if word not in there]
        connection.executemany("UPDATE words SET shards = shards & ~? WHERE id = ?", gone)
    unused: Any = connection.execute("SELECT id, word FROM words WHERE NOT shards").fetchall()
    if unused:
        connection.executemany(
            "INSERT INTO parts (parts, rowid, body) VALUES ('delete', ?, ?)", unused
        )
        connection.execute("DELETE FROM words WHERE NOT shards")
        connection.execute("INSERT INTO parts (parts) VALUES ('optimize')")


def query_of(shard: str, choices: Iterable[Iterable[Word]]) -> str:
    """Return the expression of FTS5 for texts of an index that have a word of each choice.

    Empty if it has no such text.
    """
    bit = _bit(shard)
    some = [[f'"{word}"' for word, shards in words if shards & bit] for words in choices]
    return " AND ".join(f"({' OR '.join(words)})" for words in some) if all(some) else ""


def _bit(shard: str) -> int:
    return 1 << SHARD_NAMES.index(shard)
