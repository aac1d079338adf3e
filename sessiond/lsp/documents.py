"""The session files that an editor asks about, followed from change to change."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import asynccontextmanager, contextmanager
from urllib.parse import quote, unquote_to_bytes, urlsplit

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified

from sessiond.files import workers
from sessiond.files.contents import Contents
from sessiond.files.session_document import SessionDocument
from sessiond.format.describe.markdown import inline, markdown_of
from sessiond.format.entries import Diagnostic
from sessiond.format.repair.plan import malformed_entries, problems
from sessiond.format.tree.tree import Tree
from sessiond.format.view.blocks import Safe, limit
from sessiond.format.view.branch import Views
from sessiond.lsp.figures import local_time, used
from sessiond.lsp.outline import Outline
from sessiond.lsp.rows import Row, RowMaker, Rows, units
from sessiond.methods.client import Client
from sessiond.runtime.errors import InvalidSessionFile, ReadFailed, SessionNotFound
from sessiond.runtime.limits import INLINE_READ_BYTES
from sessiond.text.safe import visible

_NOTHING_TO_SHOW = (SessionNotFound, InvalidSessionFile, ReadFailed)
_TRIES = 5
_PAUSE_SECONDS = 0.005


def uri_of(path: str) -> str:
    """Return the address of a file, whatever bytes its name has."""
    return f"file://{quote(os.fsencode(path))}"


def path_of(uri: str, scheme: str = "file") -> str | None:
    """Return the path in an address; None if it has another scheme, or no path."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    path = os.fsdecode(unquote_to_bytes(parts.path))
    return path if parts.scheme == scheme and path.startswith("/") else None


class SessionFile:
    """One file: its document, and what was made of its entries so far.

    What is made of an entry is kept until the file is rewritten, so that an append costs what was
    appended. `rows` and `tree` belong together right after `update`, until the next await.
    """

    def __init__(self, client: Client, path: str, uri: str, encoding: str, safe: Safe) -> None:
        self.path = path
        self.uri = uri
        self.users = 0
        self.rows = Rows(safe)
        self._outline = Outline(self.range_of)
        self._current: tuple[int, str | None, set[str]] = (0, None, set())
        self._client = client
        self._encoding = encoding
        self._safe = safe
        self._document: SessionDocument | None = None
        self._contents: Contents | None = None
        self._malformed: list[Diagnostic] = []
        self._checked = 0
        self._updating = asyncio.Lock()
        self._checking = asyncio.Lock()

    @property
    def document(self) -> SessionDocument:
        assert self._document is not None, "updated"  # noqa: S101
        return self._document

    @property
    def contents(self) -> Contents:
        return self.document.contents

    @property
    def tree(self) -> Tree:
        return self.contents.tree

    def show_with(self, safe: Safe) -> None:
        """Make all rows anew at the next `update`, with texts that pass `safe` first."""
        self._safe, self._contents = safe, None

    async def update(self) -> bool:
        """Bring `rows` up to date with the file; false if there is no session to show.

        Raises SessiondError, for example PathNotAllowed, and JsonRpcContentModified if other
        programs rewrite the file again and again meanwhile.
        """
        async with self._updating:
            for _ in range(_TRIES):
                if not await self._refreshed():
                    return False
                if await self._extended():
                    return True
            raise JsonRpcContentModified("the file is being rewritten")

    async def _refreshed(self) -> bool:
        try:
            if self._document is None:
                path = self._client.places.path(self.path)
                self._document = await self._client.engine.documents.open(path, write=False)
            else:
                async with self._document.turn:
                    await self._document.refresh()
        except _NOTHING_TO_SHOW:
            return False
        return self._document.status == "ok"

    async def _extended(self) -> bool:
        """Make the rows that are missing; false if the file was rewritten meanwhile."""
        contents = self.contents
        if contents is not self._contents:
            self._contents = contents
            self.rows = Rows(self._safe)
            self._current = (0, None, set())
            self._malformed, self._checked = [], 0
        tree = contents.tree
        first, stop = len(self.rows.all), len(tree)
        if first == stop:
            return True
        raw_lines, migrated = contents.loaded.raw_lines, contents.migrated
        maker = RowMaker(self._encoding, self._safe, raw_lines, migrated=migrated)
        cost = sum(len(entry.raw) for entry in tree.entries[first:])
        at = tree.snapshot() if cost > INLINE_READ_BYTES else tree
        rows = await workers.computing(cost, maker.rows, at, first, stop)
        if self.document.contents is not contents:
            return False
        for row in rows:
            self.rows.add(row)
        return True

    async def problems(self) -> list[Diagnostic]:
        """Return the problems of the file as it is now; none if it is no session."""
        async with self._checking:
            while await self.update():
                contents = self._contents
                while contents is self._contents and self._checked < len(self.tree):
                    self._check_some()
                    # Whoever asks in the meantime is answered first, in many small writes.
                    await asyncio.sleep(_PAUSE_SECONDS)
                if contents is self._contents:
                    return problems(self.contents.loaded, self.tree, self._malformed)
            return []

    def _check_some(self) -> None:
        """Check the next entries, about as many as take a few milliseconds."""
        entries, first = self.tree.entries, self._checked
        stop, size = first, 0
        while stop < len(entries) and size < INLINE_READ_BYTES:
            size += len(entries[stop].raw)
            stop += 1
        self._malformed += malformed_entries(self.tree, first, stop)
        self._checked = stop

    def markdown(self, row: Row, most: int | None = None) -> str:
        """Return an entry as a person reads it; each of its texts has at most `most` characters."""
        index = self.tree.by_id[row.entry.id]
        if self.rows.all[index] is not row:
            # Another entry below has the same id.
            index = self.rows.all.index(row)
        (view,) = Views(self.tree, safe=self._safe).views(index, index + 1)
        if most is not None:
            limit(view, most)
        label = "" if view.label is None else f"[{view.label}]"
        facts = [local_time(view.time), view.model or "", *used(view.tokens, view.cost)]
        heading = [inline(fact) for fact in (*facts, *view.notes, label) if fact]
        drawn = [" · ".join([f"**{inline(view.title)}**", *heading]), *markdown_of(view)[1]]
        return visible("\n\n".join(drawn))

    def outline(self) -> list[types.DocumentSymbol]:
        """Return the symbols of the file."""
        return self._outline.update(self.rows, self.tree)

    def current(self) -> set[str]:
        """Return the ids of the entries on the current branch."""
        tree = self.tree
        before, leaf, ids = self._current
        if before == len(tree):
            return ids
        if len(tree) == before + 1 and leaf and tree.tip_id and tree.parent_of(before) == leaf:
            ids.add(tree.tip_id)
        else:
            ids = {entry.id for entry in tree.branch(tree.leaf_id)}
        self._current = (len(tree), tree.leaf_id, ids)
        return ids

    def whole_line(self, line: int, length: int) -> types.Range:
        return types.Range(types.Position(line, 0), types.Position(line, length))

    def range_of(self, row: Row) -> types.Range:
        """Return the range of an entry, which is its line."""
        return self.whole_line(row.line, row.length)

    def range_of_line(self, line: int) -> types.Range:
        """Return the range of any line, from 0; empty if it is not known."""
        row = self.rows.by_line.get(line)
        if row is not None:
            return self.range_of(row)
        loaded = self.contents.loaded
        raw = b""
        if line == loaded.header_number - 1:
            raw = b"" if self.contents.migrated else loaded.header_line.rstrip(b"\r")
        elif line == loaded.torn_line - 1:
            raw = loaded.torn
        else:
            raw = next((bad.raw for bad in loaded.bad if bad.line == line + 1), b"")
        return self.whole_line(max(line, 0), units(raw, self._encoding))

    def location(self, row: Row) -> types.Location:
        return types.Location(self.uri, self.range_of(row))

    def close(self) -> None:
        """Let go of the document, and of what was made of it."""
        # The outline knows this object, so that only the garbage collector would free both.
        self.rows, self._outline = Rows(), Outline(self.range_of)
        if self._document is not None:
            self._client.engine.documents.release(self._document)
            self._document = None
            self._contents = None


class SessionFiles:
    """The files in use; each is followed while the editor has it open."""

    def __init__(self, client: Client, encoding: str, safe: Safe) -> None:
        self.safe = safe
        self._client = client
        self._encoding = encoding
        self._files: dict[str, SessionFile] = {}
        self._opened: dict[str, tuple[SessionFile, list[str]]] = {}
        """By address: files that the editor has open, and the names that lead to each."""

    def show_with(self, safe: Safe) -> None:
        """Show all texts through `safe` from now on."""
        self.safe = safe
        for file in self._files.values():
            file.show_with(safe)

    def _acquire(self, path: str, uri: str) -> SessionFile:
        file = self._files.get(path)
        if file is None:
            file = SessionFile(self._client, path, uri, self._encoding, self.safe)
            self._files[path] = file
        file.users += 1
        return file

    def _release(self, file: SessionFile) -> None:
        file.users -= 1
        if not file.users:
            del self._files[file.path]
            file.close()

    @contextmanager
    def holding(self, file: SessionFile) -> Iterator[None]:
        """Keep a file that is in use for the block, also if the editor closes it meanwhile."""
        file.users += 1
        try:
            yield
        finally:
            self._release(file)

    @asynccontextmanager
    async def using(self, uri: str) -> AsyncIterator[SessionFile | None]:
        """Yield an updated session for the block; None if there is none at this address."""
        path = path_of(uri)
        if path is None:
            yield None
            return
        file = self._acquire(path, uri)
        try:
            yield file if await file.update() else None
        finally:
            self._release(file)

    def open(self, key: str, path: str, uri: str) -> SessionFile:
        """Follow a file until `close` is called with the same key."""
        if key in self._opened:
            return self._opened[key][0]
        file = self._acquire(path, uri)
        if key == uri:
            # As the editor spells it.
            file.uri = uri
        watcher = self._client.engine.watcher()
        names = list(watcher.names(path)) if self._client.places.roots.allow(path) else []
        for name in names:
            watcher.watch(os.path.dirname(name))
        self._opened[key] = (file, names)
        return file

    def close(self, key: str) -> SessionFile | None:
        """Return the file that is not followed any more; None if none was."""
        opened = self._opened.pop(key, None)
        if opened is None:
            return None
        file, names = opened
        watcher = self._client.engine.watcher()
        for name in names:
            watcher.unwatch(os.path.dirname(name))
        self._release(file)
        return file

    def concerned(self, paths: Collection[str]) -> dict[str, SessionFile]:
        """Return the open files, by key, that a report of changed paths is about."""
        return {
            key: file
            for key, (file, names) in self._opened.items()
            if any(
                f"{name}/".startswith(f"{path.rstrip('/')}/") for name in names for path in paths
            )
        }
