"""An index of a session file as bytes, so that a later process need not parse the file.

It has everything except the lines: the facts of each entry, the position of its line in the file,
and a digest of the line. Numbers of all entries are columns in the byte order of the machine, each
of which is decoded in one step.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence

import attrs
import msgspec

from sessiond import __version__
from sessiond.format.entries import Entry
from sessiond.format.header import parse_header
from sessiond.format.loaded import BadLine, Loaded
from sessiond.format.stored_lines import Source, StoredLines
from sessiond.format.text import Text
from sessiond.format.tree.problems import ProblemNotes
from sessiond.format.tree.records import Label, TreeNotes
from sessiond.format.tree.tree import Tree
from sessiond.jsontext.spans import Buffer

FORMAT = f"2 {__version__} {sys.byteorder} {array('q').itemsize} {array('i').itemsize}"
"""Differs between all versions and machines for which the bytes may mean something else."""

_ODD_BYTES = 1024 * 1024
"""No index is kept if more bytes than this are in lines that are not ordinary entries."""

_NO_PARENT = -1


class _Chunk(msgspec.Struct, array_like=True):
    """Stored lines: offset in the file, size, starts and digests. Or lines in memory: `raw`."""

    at: int
    size: int
    starts: bytes
    digests: bytes
    raw: bytes


class _Kept(msgspec.Struct, array_like=True):
    header_line: bytes
    header_number: int
    header_at: int
    bad: list[BadLine]
    raw_lines: dict[int, bytes]
    offset: int
    open_ended: bool
    lines: int
    bom: bool
    crlf: bool
    chunks: list[_Chunk]
    ids: list[str]
    parents: bytes
    """For each entry: index of an entry with its parent's id, -1 for none, or -2 - n for the n-th
    of `strays`."""
    strays: list[str]
    kinds: list[tuple[str, str | None]]
    kind_of: bytes
    timestamps: list[str]
    starts: bytes
    ends: bytes
    line_numbers: bytes
    sides: list[int]
    labels: list[tuple[bytes, bytes, bytes]]
    """Target, text, timestamp; JavaScript writes half surrogate pairs, which UTF-8 cannot hold."""
    name: bytes | None
    has_conversation: bool
    problems: ProblemNotes


_decode = msgspec.msgpack.Decoder(_Kept).decode


@attrs.frozen
class Prepared:
    """The input of an index. It does not change while the document grows."""

    loaded: Loaded
    chunks: list[_Chunk]
    entries: list[Entry]
    notes: TreeNotes


def prepare(loaded: Loaded, tree: Tree) -> Prepared | None:
    """Copy what `encode` needs; None if no index can be kept of this file.

    Files with very many unusual lines have none, nor do OpenClaw files that move their leaf.
    """
    notes, text = tree.notes(), tree.text
    odd = sum(len(bad.raw) + 100 for bad in loaded.bad)
    odd += sum(map(len, loaded.raw_lines.values())) + text.nbytes - text.stored
    if notes is None or odd > _ODD_BYTES:
        return None
    chunks = [_chunk(chunk) for chunk in text.chunks]
    return Prepared(loaded.copy(), chunks, tree.entries.copy(), notes)


def _chunk(chunk: Buffer | StoredLines) -> _Chunk:
    if not isinstance(chunk, StoredLines):
        return _Chunk(0, 0, b"", b"", bytes(chunk))
    starts, digests = chunk.columns()
    return _Chunk(chunk.at, len(chunk), starts.tobytes(), digests.tobytes(), b"")


def encode(prepared: Prepared) -> bytes:
    """Return the index as bytes. Raises ValueError if an id is not Unicode text."""
    loaded, entries, notes = prepared.loaded, prepared.entries, prepared.notes
    index_of = {entry.id: index for index, entry in enumerate(entries)}
    strays: dict[str, int] = {}
    kinds: dict[tuple[str, str | None], int] = {}
    parents, kind_of = array("i"), array("i")
    for entry in entries:
        parent = entry.parent_id
        if parent is None:
            parents.append(_NO_PARENT)
        elif (index := index_of.get(parent)) is not None:
            parents.append(index)
        else:
            parents.append(-2 - strays.setdefault(parent, len(strays)))
        kind_of.append(kinds.setdefault((entry.type, entry.role), len(kinds)))
    return msgspec.msgpack.encode(
        _Kept(
            loaded.header_line,
            loaded.header_number,
            loaded.header_at,
            loaded.bad,
            loaded.raw_lines,
            loaded.offset,
            loaded.open_ended,
            loaded.lines,
            loaded.bom,
            loaded.crlf,
            prepared.chunks,
            [entry.id for entry in entries],
            parents.tobytes(),
            list(strays),
            list(kinds),
            kind_of.tobytes(),
            [entry.timestamp for entry in entries],
            array("q", [entry.start for entry in entries]).tobytes(),
            array("q", [entry.end for entry in entries]).tobytes(),
            array("i", [entry.line for entry in entries]).tobytes(),
            [index for index, entry in enumerate(entries) if entry.side],
            [
                (_bytes(target), _bytes(label.text), _bytes(label.timestamp))
                for target, label in notes.labels.items()
            ],
            None if notes.name is None else _bytes(notes.name),
            notes.has_conversation,
            notes.problems,
        )
    )


def decode(data: bytes, source: Source) -> tuple[Loaded, Tree]:
    """Return the result of loading the file up to its last whole line; `source` is that file.

    Raises ValueError, LookupError and TypeError if the bytes are not an index.
    """
    kept = _decode(data)
    text = _text(kept.chunks, source)
    raw = kept.header_line.decode(errors="replace").encode().strip(b" \t\r\n")
    loaded = Loaded(
        header=parse_header(raw),
        header_line=kept.header_line,
        header_number=kept.header_number,
        header_at=kept.header_at,
        text=text,
        bad=kept.bad,
        raw_lines=kept.raw_lines,
        offset=kept.offset,
        open_ended=kept.open_ended,
        lines=kept.lines,
        bom=kept.bom,
        crlf=kept.crlf,
    )
    if loaded.header is None:
        raise ValueError("no header")
    labels = {
        _text_of(target): Label(_text_of(label), _text_of(timestamp))
        for target, label, timestamp in kept.labels
    }
    name = None if kept.name is None else _text_of(kept.name)
    notes = TreeNotes(labels, name, kept.has_conversation, kept.problems)
    tree = Tree.restored(text, _entries(kept), notes)
    loaded.entries = tree.entries
    return loaded, tree


def _text(chunks: Sequence[_Chunk], source: Source) -> Text:
    text = Text()
    for chunk in chunks:
        if chunk.raw:
            text.add(chunk.raw)
        else:
            starts, digests = array("q", chunk.starts), array("Q", chunk.digests)
            text.add(StoredLines(source, chunk.at, chunk.size, starts, digests))
    return text


def _entries(kept: _Kept) -> list[Entry]:
    ids = kept.ids
    # Negative numbers count from the end of this list: -1 is none, the first stray is before it.
    known: list[str | None] = [*ids, *reversed(kept.strays), None]
    kinds, roles = zip(*kept.kinds, strict=True) if kept.kinds else ((), ())
    kind_of = array("i", kept.kind_of)
    columns = (
        ids,
        [known[index] for index in array("i", kept.parents)],
        [kinds[kind] for kind in kind_of],
        kept.timestamps,
        [roles[kind] for kind in kind_of],
        array("q", kept.starts),
        array("q", kept.ends),
        array("i", kept.line_numbers),
    )
    if {len(column) for column in columns} != {len(ids)}:
        raise ValueError("columns of different lengths")
    entries = list(map(Entry, *columns))
    for index in kept.sides:
        entries[index].side = True
    return entries


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


def _text_of(data: bytes) -> str:
    return data.decode(errors="surrogatepass")
