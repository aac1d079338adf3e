"""Search the index: which files contain a text, and in which messages."""

from __future__ import annotations

import bisect
from collections.abc import Iterator

import apsw
import msgspec

from sessiond.catalog.index.file_rows import signed
from sessiond.catalog.message_text import Alive
from sessiond.catalog.search.folding import encode
from sessiond.files.identity import FileState

SHIFT = 20
"""Segment ids are `file number << SHIFT | segment number`."""

OVERLAP = 255
"""Characters that a segment repeats of the one before; longer texts are compared file by file."""

END = "\x02\x02"
"""Appended to each segment, so that its last two characters begin trigrams too."""

PLACES = msgspec.msgpack.Decoder(list[tuple[int, int, int]])
"""Messages of a segment: position in it, position and length of the line, all in bytes."""

_TRIGRAMS = 32


def clean(text: str) -> str:
    """Replace what the index cannot store: lone surrogates, and NUL, which would end the text."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\x01")


def times(state: FileState) -> tuple[int, int, int]:
    return state.size, state.mtime_ns, state.ctime_ns


def numbers(connection: apsw.Connection) -> dict[tuple[int, int, int, int, int], int]:
    """Completely indexed files: (device, inode, size, mtime_ns, ctime_ns) → file number."""
    rows = connection.execute(
        "SELECT device, inode, size, mtime_ns, ctime_ns, file FROM indexed WHERE size >= 0"
    )
    return {(device, inode, *times): file for device, inode, *times, file in rows}


def identity(state: FileState) -> tuple[int, int, int, int, int]:
    """The key of a file in `numbers`."""
    return signed(state.device), signed(state.inode), *times(state)


def holding(connection: apsw.Connection, text: str, wanted: set[int], alive: Alive) -> set[int]:
    """The files of `wanted` whose messages contain a folded text."""
    files: set[int] = set()
    raw = encode(text)
    missing = set(wanted)
    # Two or three characters are, or begin, a trigram. `clean` maps other characters to these.
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
            files.add(file)
            missing.discard(file)
    return files


def _candidates(connection: apsw.Connection, text: str, wanted: set[int]) -> Iterator[int]:
    """Segments that may contain a text, by its trigrams."""
    plain = clean(text[:OVERLAP])
    if len(plain) >= 3:
        trigrams = list(dict.fromkeys(plain[i : i + 3] for i in range(len(plain) - 2)))
        # Trigrams from the whole text are more selective than those of its beginning.
        chosen = trigrams[:: -(-len(trigrams) // _TRIGRAMS)]
        match = " AND ".join('"' + trigram.replace('"', '""') + '"' for trigram in chosen)
        rows = connection.execute("SELECT rowid FROM trigrams WHERE trigrams MATCH ?", (match,))
        yield from (number for (number,) in rows)
    elif len(plain) == 2 or not plain.isascii():
        # Every occurrence of such a text begins a trigram.
        rows = connection.execute(
            "SELECT DISTINCT doc FROM temp.occurrences WHERE term >= ? AND term < ?",
            (plain, plain + "\U0010ffff"),
        )
        yield from (number for (number,) in rows)
    else:
        # A single letter is in nearly every segment, so the first one usually decides.
        for file in wanted:
            first, last = file << SHIFT, (file + 1 << SHIFT) - 1
            rows = connection.execute(
                "SELECT id FROM segments WHERE id BETWEEN ? AND ?", (first, last)
            )
            yield from (number for (number,) in rows)


def _body(connection: apsw.Connection, number: int) -> bytes:
    row = connection.execute("SELECT body FROM segments WHERE id = ?", (number,)).fetchone()
    # The segment may have been removed or replaced since.
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
    """The messages with any of the texts: (start, length) of their lines in bytes → texts.

    Considers at most `most` occurrences of each text.
    """
    lines: dict[tuple[int, int], set[str]] = {}
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
                # An occurrence that ends in the repeated part was counted in the segment before.
                end = at + len(raw) - own
                if end > 0 and spans:
                    _, *span = spans[max(0, bisect.bisect_left(begins, end) - 1)]
                    lines.setdefault((span[0], span[1]), set()).add(text)
                    left[text] -= 1
                at = body.find(raw, at + len(raw))
        if not any(left.values()):
            break
    return lines
