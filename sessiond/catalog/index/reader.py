"""The text of messages in the store: which files hold a text, and in which messages."""

from __future__ import annotations

import bisect
from collections.abc import Iterator

import apsw
import msgspec

from sessiond.catalog.index.summary_cache import signed
from sessiond.catalog.message_text import Alive
from sessiond.catalog.search.folding import encode
from sessiond.files.identity import FileState

SHIFT = 20
"""Ids of segments are numbers of files, shifted so, and numbers of segments."""

OVERLAP = 255
"""Characters a segment repeats of what stands before it: longer texts are compared in full."""

END = "\x02\x02"
"""Behind each segment, so that its last two characters begin a trigram as well."""

PLACES = msgspec.msgpack.Decoder(list[tuple[int, int, int]])
"""The messages of a segment: where each begins in it, and its line in the file, in bytes."""

_TRIGRAMS = 32


def clean(text: str) -> str:
    """What the index can hold: no half characters, and no NUL, at which it would end."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\x01")


def times(state: FileState) -> tuple[int, int, int]:
    return state.size, state.mtime_ns, state.ctime_ns


def numbers(connection: apsw.Connection) -> dict[tuple[int, int, int, int, int], int]:
    """All files that are indexed as a whole: (device, inode, size, mtime_ns, ctime_ns) → number."""
    rows = connection.execute(
        "SELECT device, inode, size, mtime_ns, ctime_ns, file FROM indexed WHERE size >= 0"
    )
    return {(device, inode, *times): file for device, inode, *times, file in rows}


def identity(state: FileState) -> tuple[int, int, int, int, int]:
    """The key of a file in `numbers`."""
    return signed(state.device), signed(state.inode), *times(state)


def holding(connection: apsw.Connection, text: str, wanted: set[int], alive: Alive) -> set[int]:
    """Which of the `wanted` files have messages that contain a (folded) text."""
    found: set[int] = set()
    raw = encode(text)
    missing = set(wanted)
    # Two or three characters are a trigram or begin one; these stand for others in the index.
    certain = 2 <= len(text) <= 3 and not set(text) & {"?", "\x01", "\x02"}
    for number in list(_candidates(connection, text, wanted)):
        file = number >> SHIFT
        if file not in missing:
            continue
        alive()
        if certain:
            held = True
        elif len(text) > OVERLAP:
            held = raw in b"".join(_own(connection, file))
            missing.discard(file)
        else:
            held = raw in _body(connection, number)
        if held:
            found.add(file)
            missing.discard(file)
    return found


def _candidates(connection: apsw.Connection, text: str, wanted: set[int]) -> Iterator[int]:
    """Segments that may contain a text, by its trigrams."""
    plain = clean(text[:OVERLAP])
    if len(plain) >= 3:
        trigrams = list(dict.fromkeys(plain[i : i + 3] for i in range(len(plain) - 2)))
        # Trigrams from all over the text tell more than those of its beginning.
        chosen = trigrams[:: -(-len(trigrams) // _TRIGRAMS)]
        match = " AND ".join('"' + trigram.replace('"', '""') + '"' for trigram in chosen)
        rows = connection.execute("SELECT rowid FROM trigrams WHERE trigrams MATCH ?", (match,))
        yield from (number for (number,) in rows)
    elif len(plain) == 2 or not plain.isascii():
        # Every place of such a text begins a trigram.
        rows = connection.execute(
            "SELECT DISTINCT doc FROM temp.occurrences WHERE term >= ? AND term < ?",
            (plain, plain + "\U0010ffff"),
        )
        yield from (number for (number,) in rows)
    else:
        # A letter is in nearly every segment: the first look finds it.
        for file in wanted:
            first, last = file << SHIFT, (file + 1 << SHIFT) - 1
            rows = connection.execute(
                "SELECT id FROM segments WHERE id BETWEEN ? AND ?", (first, last)
            )
            yield from (number for (number,) in rows)


def _body(connection: apsw.Connection, number: int) -> bytes:
    row = connection.execute("SELECT body FROM segments WHERE id = ?", (number,)).fetchone()
    # It may have gone since, with the file or for a newer one.
    return b"" if row is None else row[0]


def _own(connection: apsw.Connection, file: int) -> Iterator[bytes]:
    rows = connection.execute(
        "SELECT own, body FROM segments WHERE id BETWEEN ? AND ? ORDER BY id",
        (file << SHIFT, (file + 1 << SHIFT) - 1),
    )
    yield from (body[own:] for own, body in rows)


def places(
    connection: apsw.Connection, file: int, texts: list[str], most: int
) -> dict[tuple[int, int], set[str]]:
    """Where in the file (start and length in bytes) messages stand that contain any of the texts.

    Looks at no more than `most` occurrences of each text.
    """
    found: dict[tuple[int, int], set[str]] = {}
    left = dict.fromkeys(texts, most)
    rows = connection.execute(
        "SELECT own, body, messages FROM segments WHERE id BETWEEN ? AND ? ORDER BY id",
        (file << SHIFT, (file + 1 << SHIFT) - 1),
    )
    for own, body, packed in rows:
        spans = PLACES.decode(packed)
        begins = [at for at, *_ in spans]
        for text in texts:
            raw = encode(text)
            at = body.find(raw)
            while at >= 0 and left[text]:
                # What ends in the part that is repeated was seen in the segment before.
                end = at + len(raw) - own
                if end > 0 and spans:
                    _, *span = spans[max(0, bisect.bisect_left(begins, end) - 1)]
                    found.setdefault((span[0], span[1]), set()).add(text)
                    left[text] -= 1
                at = body.find(raw, at + len(raw))
        if not any(left.values()):
            break
    return found
