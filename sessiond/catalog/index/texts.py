"""The texts of sessions in the database, found by any part of them.

SQLite's FTS5 finds the groups of texts that have words with all parts of a text
(`vocabulary.py`), and each text of them is compared. Texts are folded (`search/folding.py`).
"""

from __future__ import annotations

import functools
import itertools
import posixpath
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import apsw
import attrs

from sessiond.agents.sessions import SessionBytes, opened_session
from sessiond.catalog.growing import NOTHING, begins_with, checksum
from sessiond.catalog.index.bodies import GROUP, in_groups, read_groups, texts_of, write_groups
from sessiond.catalog.index.database import SearchCache, Unavailable
from sessiond.catalog.index.rows import is_settled, signed
from sessiond.catalog.index.schema import DONE, SAID, SHARDS
from sessiond.catalog.index.vocabulary import (
    Word,
    add_words,
    are_certain,
    is_part,
    parts_of,
    query_of,
    remove_words,
    words_of,
    words_with,
)
from sessiond.catalog.message_text import Alive, MessageReader, Place
from sessiond.catalog.search.folding import encode, fold, storable
from sessiond.catalog.wanted_texts import DEFAULT, WantedTexts
from sessiond.files.identity import FileState
from sessiond.format.line_texts import FIELDS, MessageText
from sessiond.runtime.isolation import Abandoned, Faults
from sessiond.text.spelling import plain_spelling

_SHIFT = 28
"""Ids of texts are `file number << _SHIFT | number of the text in the file`."""

_NEIGHBOURS = 64
"""Files with successive numbers that are in the same shard, because they are written together."""

_TOGETHER = 2 * 1024 * 1024
"""Characters written in one transaction: few enough that nobody else waits long."""

_FEW_WORDS = 64
"""Words that are looked up in any case. If a part is in more, the others tell enough."""

_Words = defaultdict[str, set[bytes]]
"""Words by the name of an index."""

Identity = tuple[int, int, int, int, int]
"""Device, inode, size, and times of a file, as the database has them."""


@attrs.define
class _File:
    """How much of a file is indexed; a negative size means not all of it."""

    number: int = 0
    size: int = -1
    mtime_ns: int = 0
    ctime_ns: int = 0
    offset: int = 0
    tail: bytes = b""
    count: int = 0


@attrs.frozen
class _Part:
    """The texts that the next part of a file adds to the index."""

    path: str
    state: FileState
    before: _File | None
    """The state of the file in the index when the part was read."""
    goes_on: bool
    """Whether that is the beginning of the file; otherwise it is removed."""
    after: _File
    texts: list[MessageText]
    """With folded text; of an unended line, too."""
    is_complete: bool

    @property
    def size(self) -> int:
        return sum(len(each.text) for each in self.texts)


def identity(state: FileState) -> Identity:
    """The key of a file in `numbers`."""
    return signed(state.device), signed(state.inode), state.size, state.mtime_ns, state.ctime_ns


def numbers(connection: apsw.Connection) -> Mapping[Identity, int]:
    """The numbers of the completely indexed files."""
    rows = connection.execute(
        "SELECT device, inode, size, mtime_ns, ctime_ns, file FROM indexed WHERE size >= 0"
    )
    return {(device, inode, *times): file for device, inode, *times, file in rows}


def fill(cache: SearchCache, paths: Iterable[str], alive: Alive, faults: Faults) -> list[str]:
    """Index the current text of files; returns those that changed so recently that more may come.

    Files that cannot be read are noted in `faults`. Raises Unavailable, and whatever `alive`
    raises; what is indexed by then stays. Blocking.
    """
    recent: list[str] = []
    waiting: list[_Part] = []
    with cache.connection() as connection:
        for path in paths:
            try:
                alive()
            except Abandoned:
                _write(cache, waiting)
                raise
            with faults.isolate(path, Unavailable, apsw.Error), opened_session(path) as opened:
                compared: _File | None = None
                while (part := _next_part(connection, path, opened, compared)) is not None:
                    waiting.append(part)
                    compared = part.after
                    if part.is_complete and sum(each.size for each in waiting) < _TOGETHER:
                        break
                    is_written = _write(cache, waiting)[-1]
                    waiting.clear()
                    if part.is_complete and is_written:
                        break
                    alive()
                state = opened.state
                # A file of the future never settles.
                if not is_settled(state) and state.mtime_ns <= time.time_ns():
                    recent.append(path)
    _write(cache, waiting)
    return recent


def _next_part(
    connection: apsw.Connection, path: str, opened: SessionBytes, compared: _File | None
) -> _Part | None:
    """Read the next part of a file; None if the index has all of it.

    `compared` is what was read of the file since it was opened, and need not be compared again.
    Nothing is locked, so that others write while the file is read and its text is folded.
    """
    descriptor, state, end = opened
    file = _known(connection, state)
    times = state.size, state.mtime_ns, state.ctime_ns
    if file is not None and (file.size, file.mtime_ns, file.ctime_ns) == times:
        return None
    goes_on = file is not None and (file == compared or _goes_on(file, opened))
    after = attrs.evolve(file) if file is not None and goes_on else _File()
    messages = MessageReader(descriptor, after.offset, end, everything=True)
    texts: list[MessageText] = []
    size, until = 0, None
    for message in messages:
        if size >= _TOGETHER and message.start != texts[-1].start:
            until = message.start
            break
        message.text = storable(fold(message.text))
        if message.text:
            texts.append(message)
            after.count += not messages.unended
            size += len(message.text)
    is_complete = until is None
    after.offset = messages.offset if until is None else until
    begin = (file.offset, file.tail) if file is not None and goes_on else (0, NOTHING)
    after.tail = checksum(descriptor, begin[0], after.offset, begin[1])
    after.size, after.mtime_ns, after.ctime_ns = times if is_complete else (-1, 0, 0)
    if not is_settled(state):
        # The file may change and keep its times, which must not match then.
        after.mtime_ns, after.ctime_ns = 0, 0
    return _Part(path, state, file, goes_on, after, texts, is_complete)


def _known(connection: apsw.Connection, state: FileState) -> _File | None:
    row = connection.execute(
        "SELECT file, size, mtime_ns, ctime_ns, offset, tail, count FROM indexed"
        " WHERE device = ? AND inode = ?",
        (signed(state.device), signed(state.inode)),
    ).fetchone()
    return None if row is None else _File(*row)


def _goes_on(file: _File, opened: SessionBytes) -> bool:
    """Whether the file only grew after its indexed part, all of whose bytes are the same."""
    if opened.end < file.offset or 0 <= file.size == opened.state.size:
        return False
    return begins_with(opened.descriptor, opened.state, file.offset, file.tail)


def _write(cache: SearchCache, parts: list[_Part]) -> list[bool]:
    """Write parts in one transaction, except those whose file another process has indexed since."""
    if not parts:
        return []
    words: _Words = defaultdict(set)
    with cache.connection(writing=True) as connection:
        are_written = [_write_part(connection, part, words) for part in parts]
        add_words(connection, words)
        return are_written


def _write_part(connection: apsw.Connection, part: _Part, words: _Words) -> bool:
    state, file, before = part.state, part.after, part.before
    if _known(connection, state) != before:
        return False
    if before is not None and part.goes_on:
        # Without those of a last line that had no end.
        _replace(connection, before.number, before.count, part.texts, words)
    else:
        if before is not None:
            forget(connection, [before.number])
        file.number = connection.execute(
            "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'indexed'), 0) + 1"
        ).get
        _replace(connection, file.number, 0, part.texts, words)
    # FTS5 writes what it has at each `OR REPLACE`, which begins a savepoint.
    connection.execute("DELETE FROM indexed WHERE file = ?", (file.number,))
    connection.execute(
        "INSERT INTO indexed VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            file.number,
            signed(state.device),
            signed(state.inode),
            file.size,
            file.mtime_ns,
            file.ctime_ns,
            encode(part.path),
            file.offset,
            file.tail,
            file.count,
        ),
    )
    return True


def _shard(kind: str, file: int) -> str:
    return f"{kind}_{file // _NEIGHBOURS % SHARDS}"


def _replace(
    connection: apsw.Connection, file: int, first: int, texts: list[MessageText], words: _Words
) -> None:
    """Put these texts in place of all texts of a file from number `first` on.

    Adds the words of the groups that were written to those of their indexes.
    """
    start, end = file << _SHIFT | first, (file + 1 << _SHIFT) - 1
    groups = start >> GROUP, end >> GROUP
    for kind in (SAID, DONE):
        before: dict[int, str] = {}
        for _, body in read_groups(connection, [kind], *groups):
            before |= texts_of(body)
        after = {number: text for number, text in before.items() if number < start}
        for number, each in enumerate(texts, start):
            if (each.field == SAID) == (kind == SAID):
                after[number] = each.text
        shard = _shard(kind, file)
        connection.executemany(
            f"INSERT INTO {shard} ({shard}, rowid, body) VALUES ('delete', ?, ?)",  # noqa: S608
            _rows(before, set()),
        )
        connection.executemany(
            f"INSERT INTO {shard} (rowid, body) VALUES (?, ?)",  # noqa: S608
            _rows(after, words[shard]),
        )
        write_groups(connection, kind, *groups, after)
    connection.execute("DELETE FROM texts WHERE id BETWEEN ? AND ?", (start, end))
    connection.executemany(
        "INSERT INTO texts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                number,
                each.start,
                each.length,
                each.part,
                each.field,
                each.role,
                each.time,
                each.tool and storable(each.tool.lower()),
                each.file and storable(plain_spelling(each.file)),
                each.model and storable(each.model.lower()),
            )
            for number, each in enumerate(texts, start)
        ),
    )


def _rows(texts: Mapping[int, str], every: set[bytes]) -> Iterator[tuple[int, str]]:
    """Yield the rows of the groups of texts in an index of words; adds their words to `every`."""
    for group, some in in_groups(texts):
        words = words_of(" ".join(some.values()))
        every |= words
        yield group, b" ".join(words).decode()


def forget(connection: apsw.Connection, files: Iterable[int]) -> None:
    """Remove files within a transaction of the caller, after which nothing is left of their text.

    FTS5 only notes what is removed, until an index is written again as a whole.
    """
    shards = set()
    for file in files:
        _replace(connection, file, 0, [], defaultdict(set))
        connection.execute("DELETE FROM indexed WHERE file = ?", (file,))
        shards |= {_shard(kind, file) for kind in (SAID, DONE)}
    for shard in shards:
        connection.execute(f"INSERT INTO {shard} ({shard}) VALUES ('optimize')")  # noqa: S608
    remove_words(connection, shards)


def containing(
    connection: apsw.Connection,
    texts: Collection[str],
    files: Collection[int],
    wanted: WantedTexts = DEFAULT,
    *,
    certain: int | None = None,
) -> tuple[set[int], bool]:
    """Return the files with a wanted text that has all of these parts; whether that is certain.

    With `certain`, more than so many files are not compared: they have words with all parts
    close together.
    """
    held: set[int] = set()
    lines = _Lines(connection, texts, wanted)
    if lines.is_exact:
        return lines.candidates(files), True
    if certain is not None:
        files = lines.candidates(files)
        if len(files) > certain:
            return files, False
    for file, span in lines.spans(files):
        if file not in held and lines.of(span, 1):
            held.add(file)
    return held, True


class Places:
    """Finds the places of wanted texts with any of some parts, in one file after another."""

    def __init__(
        self, connection: apsw.Connection, texts: Sequence[str], wanted: WantedTexts = DEFAULT
    ) -> None:
        self._connection = connection
        self._texts = texts
        self._wanted = wanted

    @functools.cached_property
    def _lines(self) -> list[_Lines]:
        """The finders of texts with all parts, if there are several, and of those with each."""
        queries = [[text] for text in self._texts]
        if len(queries) > 1:
            queries.insert(0, list(self._texts))
        return [_Lines(self._connection, parts, self._wanted) for parts in queries]

    def of(self, state: FileState, most: int) -> tuple[dict[Place, set[str]], bool] | None:
        """The places of the texts of a file with any of the parts → all parts that are in it.

        Considers the first `most` texts with all parts, then the first `most` with each; returns
        also whether these are all. None if the file is not completely indexed.
        """
        file: int | None = self._connection.execute(
            "SELECT file FROM indexed WHERE device = ? AND inode = ? AND size = ? AND mtime_ns = ?"
            " AND ctime_ns = ?",
            identity(state),
        ).get
        if file is None:
            return None
        matching: dict[Place, set[str]] = {}
        are_all = True
        for lines in self._lines:
            left = most
            for _, span in lines.spans([file]):
                places = lines.of(span, left + 1, self._texts)
                are_all = are_all and len(places) <= left
                matching |= places[:left]
                left -= min(left, len(places))
                if not left:
                    break
        return matching, are_all


class _Lines:
    """Finds the places of texts that have all of some parts, among those that are wanted."""

    def __init__(
        self, connection: apsw.Connection, texts: Iterable[str], wanted: WantedTexts
    ) -> None:
        self._connection = connection
        self._texts = [*map(storable, texts)]
        self._encoded = [text.encode() for text in self._texts]
        self._wants = wanted
        self._kinds = {SAID if field == SAID else DONE for field in wanted.fields}
        self._touched = None if not wanted.files else _touched(connection, wanted)
        self._bound: list[object] = []
        conditions = [self._among("field", wanted.fields)]
        for column, values in [
            ("role", wanted.roles),
            ("tool", wanted.tools),
            ("file", [] if self._touched is None else sorted({path for path, _ in self._touched})),
        ]:
            if values or (column == "file" and self._touched is not None):
                conditions.append(self._among(column, values))
        for condition, at in (
            ("instr(model, ?)", storable(wanted.model) or None),
            ("time >= ?", wanted.since),
            ("time < ?", wanted.until),
        ):
            if at is not None:
                conditions.append(condition)
                self._bound.append(at)
        self._wanted = " AND ".join(conditions)

    def _among(self, column: str, values: Collection[str]) -> str:
        self._bound += map(storable, values)
        return f"{column} IN ({','.join('?' * len(values))})"

    def spans(self, files: Collection[int]) -> Iterator[tuple[int, tuple[int, int]]]:
        """Where in the files the text may be: the file, and the first and last id."""
        numbers = set(files)
        if self._touched is not None:
            numbers &= {number for _, number in self._touched}
        queries = self.queries(numbers, are_compared=True)
        if queries is None:
            for file in numbers:
                yield file, (file << _SHIFT, (file + 1 << _SHIFT) - 1)
            return
        for shard, query in queries.items():
            if not query:
                continue
            rows: Any = self._connection.execute(
                f"SELECT rowid FROM {shard} WHERE {shard} MATCH ?"  # noqa: S608
                " AND rowid BETWEEN ? AND ?",
                (
                    query,
                    min(numbers) << _SHIFT - GROUP,
                    (max(numbers) + 1 << _SHIFT - GROUP) - 1,
                ),
            )
            for (group,) in rows:
                file = group >> _SHIFT - GROUP
                if file in numbers:
                    yield file, (group << GROUP, (group + 1 << GROUP) - 1)

    def candidates(self, files: Collection[int]) -> set[int]:
        """The files that may have the text, as far as words tell."""
        every, candidates = set(files), set[int]()
        queries = self.queries(every, are_compared=False)
        if queries is None:
            return every
        for shard, query in queries.items():
            if query:
                rows: Any = self._connection.execute(
                    f"SELECT DISTINCT rowid >> {_SHIFT - GROUP} FROM {shard}"  # noqa: S608
                    f" WHERE {shard} MATCH ?",
                    (query,),
                )
                candidates.update(file for (file,) in rows)
        return candidates & every

    def queries(self, files: Collection[int], *, are_compared: bool) -> dict[str, str] | None:
        """The query for the text in each index of these files; empty: none has it.

        None if words cannot tell where it is. `are_compared`: whether the texts are, anyway.
        """
        few = [words for words in self._choices if len(words) <= _FEW_WORDS]
        if not few and not (are_compared and len(files) == 1):
            # Comparing one file takes less time than looking up words that most files have.
            few = sorted(self._choices, key=len)[:1]
        if not few:
            return None
        shards = sorted({_shard(kind, file) for kind in self._kinds for file in files})
        return {shard: query_of(shard, few) for shard in shards}

    @functools.cached_property
    def _choices(self) -> list[list[Word]]:
        """The words with each part of the texts, if there are not very many of them."""
        parts = {part for text in self._texts for part in parts_of(text)}
        choices = (words_with(self._connection, part) for part in parts)
        return [words for words in choices if words is not None]

    @property
    def is_exact(self) -> bool:
        """Whether all texts of a group with the words are wanted, and one of them has the text."""
        fields = set(self._wants.fields)
        return (
            bool(self._choices)
            and are_certain(self._choices[0], self._kinds)
            and self._wants == attrs.evolve(DEFAULT, fields=self._wants.fields)
            and (self._kinds == {SAID} or fields >= set(FIELDS) - {SAID})
            and len(self._texts) == 1
            and is_part(self._texts[0])
        )

    def of(
        self, span: tuple[int, int], most: int, texts: Collection[str] = ()
    ) -> list[tuple[Place, set[str]]]:
        """The places of the first texts between two ids, each with those of `texts` that it has."""
        places: list[tuple[Place, set[str]]] = []
        groups = read_groups(self._connection, self._kinds, span[0] >> GROUP, span[1] >> GROUP)
        for group, some in itertools.groupby(groups, lambda row: row[0]):
            for place, text in self._in_group(group, [body for _, body in some]):
                places.append((place, {each for each in texts if storable(each) in text}))
                if len(places) == most:
                    return places
        return places

    def _in_group(self, group: int, bodies: Iterable[bytes]) -> Iterator[tuple[Place, str]]:
        """Yield the places and texts of a group that are wanted and have all parts."""
        held = {
            number: text
            for body in bodies
            for number, text in texts_of(body, self._encoded).items()
            if all(part in text for part in self._texts)
        }
        if held:
            rows: Any = self._connection.execute(
                "SELECT id, start, length, part FROM texts"  # noqa: S608
                f" WHERE id BETWEEN ? AND ? AND {self._wanted} ORDER BY id",
                (group << GROUP, (group + 1 << GROUP) - 1, *self._bound),
            )
            for number, *place in rows:
                if number in held:
                    start, length, part = place
                    yield (start, length, part), held[number]


def _touched(connection: apsw.Connection, wanted: WantedTexts) -> set[tuple[str, int]]:
    """The paths that are wanted files, each with the number of a session that touched it."""
    # All paths of a file agree in their last parts.
    ends = [storable(posixpath.basename(file) or file) for file in wanted.files]
    same = " OR ".join(f"substr(file, -length(?{n})) = ?{n}" for n in range(1, len(ends) + 1))
    every = connection.execute(
        f"SELECT file FROM texts WHERE file IS NOT NULL AND ({same}) GROUP BY file",  # noqa: S608
        ends,
    )
    paths = [str(path) for (path,) in every if wanted.is_file(str(path))]
    rows: Any = connection.execute(
        f"SELECT DISTINCT file, id >> {_SHIFT} FROM texts"  # noqa: S608
        f" WHERE file IN ({','.join('?' * len(paths))})",
        paths,
    )
    return {(path, number) for path, number in rows}
