"""The open handles, and the calls that create them."""

from __future__ import annotations

import asyncio
import itertools
import os
import re
from collections.abc import Callable, Sequence

from sessiond.catalog import discover
from sessiond.errors import (
    AlreadyExists,
    InvalidSessionFile,
    InvalidSessionId,
    ReadOnly,
    SessionNotFound,
    UnknownSession,
)
from sessiond.files.cache import Documents
from sessiond.files.contents import Contents
from sessiond.files.document import Document
from sessiond.format.branch import branched_lines
from sessiond.format.header import new_header_line, parse_header
from sessiond.format.ids import iso_now, new_session_id
from sessiond.format.load import load
from sessiond.isolation import Faults
from sessiond.session.places import Places
from sessiond.session.view import View

_SESSION_ID = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


class Sessions:
    """All views of this daemon."""

    def __init__(self, places: Places, documents: Documents, *, read_only: bool = False) -> None:
        self.places = places
        self.documents = documents
        self._read_only = read_only
        self.attached: Callable[[View], None] = _nothing
        """Called with a view that was opened, or turned to another document."""
        self.closed: Callable[[View], None] = _nothing
        """Called with a view that was closed."""
        self._views: dict[str, View] = {}
        self._numbers = itertools.count(1)

    def __len__(self) -> int:
        return len(self._views)

    def view(self, handle: str) -> View:
        """The view of a handle; raises UnknownSession."""
        view = self._views.get(handle)
        if view is None:
            raise UnknownSession(handle)
        return view

    async def create(
        self,
        cwd: str,
        session_dir: str | None,
        session_id: str | None,
        parent_session: str | None,
    ) -> View:
        """A new session, written with its first user or assistant message."""
        cwd = self.places.cwd(cwd)
        directory, _ = self.places.directory(cwd, session_dir)
        document = await self._new(directory, cwd, session_id, parent_session)
        return self._add(document, cwd, directory)

    async def open(
        self,
        path: str,
        session_dir: str | None = None,
        cwd: str | None = None,
        *,
        read_only: bool = False,
        follow: bool = False,
        must_exist: bool = False,
    ) -> View:
        """A session file; one that is missing is a new session bound to that path."""
        path = self.places.path(path)
        directory = os.path.dirname(path) if session_dir is None else self.places.path(session_dir)
        read_only = read_only or self._read_only

        def header() -> bytes:
            return new_header_line(new_session_id(), iso_now(), self.places.cwd(cwd))

        if must_exist and not os.path.lexists(path):
            raise SessionNotFound(path)
        document = await self.documents.open(
            path, write=not read_only, new_header=None if read_only else header
        )
        own = document.header.cwd
        return self._add(
            document,
            self.places.cwd(cwd if cwd is not None else own),
            directory,
            read_only=read_only,
            follow=follow,
        )

    async def continue_recent(self, cwd: str, session_dir: str | None) -> View:
        """The session of a working directory whose file changed last, else a new one."""
        cwd = self.places.cwd(cwd)
        directory, only = self.places.directory(cwd, session_dir)
        recent = await asyncio.to_thread(discover.most_recent, directory, only, Faults())
        if recent is None:
            return await self.create(cwd, session_dir, None, None)
        return await self.open(recent, directory, cwd)

    async def in_memory(
        self, cwd: str | None, session_id: str | None, entries: Sequence[bytes]
    ) -> View:
        """A session without a file. `entries` may begin with a header; old ones are migrated."""
        resolved = self.places.cwd(cwd)
        given = bool(entries) and parse_header(entries[0]) is not None
        header = [] if given else [self._header(resolved, session_id, None)]
        return self._add(_memory([*header, *entries]), resolved, "", persisted=False)

    async def fork_from(
        self,
        source_path: str,
        target_cwd: str,
        session_dir: str | None,
        session_id: str | None,
    ) -> View:
        """A copy of a whole session in a new file that names it as its parent.

        The source is migrated in memory first, so that no entry is written without an id.
        """
        source_path, cwd = self.places.path(source_path), self.places.cwd(target_cwd)
        directory, _ = self.places.directory(cwd, session_dir)
        self._check_creating(directory)
        try:
            source = await self.documents.read(source_path)
        except (InvalidSessionFile, SessionNotFound) as error:
            error.message = f"Cannot fork: source session file is empty or invalid: {source_path}"
            raise
        lines = [source.tree.line(entry) for entry in source.tree.entries]
        document = await self._new(directory, cwd, session_id, source_path, lines, at_once=True)
        return self._add(document, cwd, directory)

    async def new_session(
        self, view: View, session_id: str | None, parent_session: str | None
    ) -> None:
        """Turn a view to a new session in its own directory."""
        if not view.persisted:
            header = self._header(view.cwd, session_id, parent_session)
            self._turn_to(view, _memory([header]))
            return
        view.check_writable()
        document = await self._new(view.session_dir, view.cwd, session_id, parent_session)
        self._turn_to(view, document)

    async def set_session_file(self, view: View, path: str) -> None:
        """Turn a view to another file; an in-memory one loads it and never writes it."""
        path = self.places.path(path)

        def header() -> bytes:
            return self._header(view.cwd, None, None)

        if view.persisted:
            document = await self.documents.open(
                path,
                write=not view.read_only,
                new_header=None if view.read_only else header,
            )
        else:
            missing = not os.path.lexists(path)
            lines = [header()] if missing else (await self.documents.read(path)).lines()
            document = _memory(lines)
        self._turn_to(view, document)

    async def create_branched_session(self, view: View, leaf_id: str) -> None:
        """Take the branch of an entry into a session of its own and turn the view to it."""
        await view.document.refresh()
        view.entry(leaf_id)
        lines = branched_lines(view.document.tree, leaf_id)
        if not view.persisted:
            header = self._header(view.cwd, None, None)
            self._turn_to(view, _memory([header, *lines]))
            return
        view.check_writable()
        parent = view.document.path
        document = await self._new(view.session_dir, view.cwd, None, parent, lines)
        self._turn_to(view, document)

    def close(self, view: View) -> None:
        """Let go of a handle; the document stays in the cache."""
        del self._views[view.handle]
        self.closed(view)
        self._let_go(view.document)

    async def _new(
        self,
        directory: str,
        cwd: str,
        session_id: str | None,
        parent_session: str | None,
        lines: Sequence[bytes] = (),
        *,
        at_once: bool = False,
    ) -> Document:
        """A document for a new file; written at once if it holds a conversation or has to be."""
        self._check_creating(directory)
        timestamp = iso_now()
        session_id = session_id if session_id is not None else new_session_id()
        header = self._header(cwd, session_id, parent_session, timestamp)
        path = os.path.join(directory, self.places.directories.file_name(session_id, timestamp))
        self.places.roots.check(path)
        content = b"\n".join([header, *lines])
        if at_once or Contents.new(content).tree.has_conversation:
            return await self.documents.create(path, [header, *lines])
        if os.path.lexists(path):
            raise AlreadyExists(path)
        return await self.documents.open(path, write=True, new_header=lambda: content)

    def _header(
        self,
        cwd: str,
        session_id: str | None,
        parent_session: str | None,
        timestamp: str | None = None,
    ) -> bytes:
        if session_id is not None and not _SESSION_ID.fullmatch(session_id):
            raise InvalidSessionId(session_id)
        return new_header_line(
            session_id or new_session_id(), timestamp or iso_now(), cwd, parent_session
        )

    def _check_creating(self, directory: str) -> None:
        if self._read_only:
            raise ReadOnly(directory)

    def _turn_to(self, view: View, document: Document) -> None:
        previous = view.document
        view.attach(document)
        self.attached(view)
        self._let_go(previous)

    def _let_go(self, document: Document) -> None:
        if document.status != "memory":
            self.documents.release(document)

    def _add(
        self,
        document: Document,
        cwd: str,
        session_dir: str,
        *,
        persisted: bool = True,
        read_only: bool = False,
        follow: bool = False,
    ) -> View:
        handle = f"s{next(self._numbers)}"
        view = View(handle, document, cwd, session_dir, persisted, read_only, follow)
        view.attach(document)
        self._views[handle] = view
        self.attached(view)
        return view


def _nothing(_view: View) -> None:
    """Nobody wants to know."""


def _memory(lines: Sequence[bytes]) -> Document:
    return Document.in_memory(Contents.of(load(b"\n".join(lines) + b"\n"), b""))
