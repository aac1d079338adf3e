"""An agent whose chats are rows of a database, which counts as a directory of sessions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

import apsw

from sessiond.agents.agent import ReadOnlyAgent
from sessiond.agents.database import Maker, read, state_of
from sessiond.agents.translation import INSTEAD, DatabaseTranslation, TranslatedReading
from sessiond.files import disk
from sessiond.files.identity import FileState
from sessiond.runtime.errors import Unsupported
from support.toy_agent import ChatLines

DATABASE = "chats.db"
_MAKER = Maker("toychat", "toychat 1")
_STATES = "SELECT chat, count(*), sum(length(line)), max(rowid) FROM line GROUP BY chat"


class ChatRows(DatabaseTranslation):
    """A table with a row for each line of each chat; their rowids only grow."""

    database = DATABASE

    def refusal(self, path: str) -> Unsupported:
        return Unsupported(f"only toychat writes {path}", path, INSTEAD)

    def stat_all(self, place: str) -> Iterable[tuple[str, os.stat_result | None]]:
        return read(place, lambda db: [*self._states(db, place)], _MAKER)

    def stat(self, path: str) -> os.stat_result | None:
        return read(self.file_of(path), lambda db: self._state(db, path), _MAKER)

    def read(self, path: str, known: object | None = None) -> TranslatedReading | None:
        return read(self.file_of(path), lambda db: self._read(db, path, known), _MAKER)

    def _read(self, db: apsw.Connection, path: str, known: object) -> TranslatedReading | None:
        state = self._state(db, path)
        if state is None:
            return None
        rows = list(
            db.execute(
                "SELECT rowid, line FROM line WHERE chat = ? ORDER BY 1", (self.id_of(path),)
            )
        )
        begun, last, translator = known if isinstance(known, tuple) else (None, 0, None)
        is_growth = translator is not None and begun == rows[0][0]
        translator = translator.copy() if is_growth else ChatLines(self.id_of(path))
        new = [line for number, line in rows if not is_growth or number > last]
        lines = [made for line in new for made in translator.translate(line.encode())]
        place = rows[0][0], rows[-1][0], translator
        return TranslatedReading(FileState.of(state), place, lines, is_growth)

    def _state(self, db: apsw.Connection, path: str) -> os.stat_result | None:
        place = self.file_of(path)
        return next((seen for each, seen in self._states(db, place) if each == path), None)

    def _states(self, db: apsw.Connection, place: str) -> Iterator[tuple[str, os.stat_result]]:
        seen = disk.stat(place)
        for chat, count, size, last in db.execute(_STATES):
            yield f"{place}/{chat}.jsonl", state_of(seen, chat, f"{last} {count}", size, last)


TOY_DATABASE = ReadOnlyAgent("toychat", "TOYCHAT_DIR", "~/.toychat", DATABASE, ChatRows())
