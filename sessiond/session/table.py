"""The open handles, and the calls that create them."""

from __future__ import annotations

import asyncio
import itertools
import os
import re
from collections.abc import Mapping, Sequence

from sessiond.catalog import discover
from sessiond.errors import (
    AlreadyExists,
    InvalidSessionFile,
    InvalidSessionId,
    ReadOnly,
    SessionNotFound,
    UnknownSession,
)
from sessiond.files import journal, workers
from sessiond.files.cache import Documents
from sessiond.files.contents import Contents
from sessiond.files.document import Document
from sessiond.format.branch import branched_lines
from sessiond.format.header import new_header_line, parse_header
from sessiond.format.ids import iso_now, new_session_id
from sessiond.format.load import load
from sessiond.profiles import Directories, absolute
from sessiond.session.confine import Roots
from sessiond.session.view import View

_SESSION_ID = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


class Sessions:
    """All views of this daemon. `directories` are those in force, see `initialize`."""

    def __init__(
        self,
        directories: Directories,
        documents: Documents,
        roots: Roots,
        env: Mapping[str, str],
        *,
        read_only: bool = False,
    ) -> None:
        self.directories = directories
        self.documents = documents
        self.roots = roots
        self._env = env
        self._read_only = read_only
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

    def path(self, given: str) -> str:
        """A path a client named: absolute, `~` expanded, inside the roots. Raises PathNotAllowed.

        A relative one is taken from the daemon's own working directory.
        """
        path = absolute(given, self._env)
        self.roots.check(path)
        return path

    def cwd(self, given: str | None) -> str:
        """A working directory: resolved as pi does; the daemon's own where none is given."""
        return absolute(given, self._env) if given is not None else os.getcwd()

    def directory(self, cwd: str, given: str | None) -> tuple[str, str | None]:
        """The session directory that is meant, and the cwd its sessions have to be filtered by.

        The default directory of a working directory is not filtered, other ones are (as pi 1.5.2).
        """
        default = self.directories.default_dir(cwd)
        if given is None:
            self.roots.check(default)
            return default, cwd if self.directories.one_for_all else None
        directory = self.path(given)
        same = directory == default and not self.directories.one_for_all
        return directory, None if same else cwd

    async def create(
        self,
        cwd: str,
        session_dir: str | None,
        session_id: str | None,
        parent_session: str | None,
    ) -> View:
        """A new session, written with its first user or assistant message."""
        cwd = self.cwd(cwd)
        directory, _ = self.directory(cwd, session_dir)
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
        path = self.path(path)
        directory = os.path.dirname(path) if session_dir is None else self.path(session_dir)
        read_only = read_only or self._read_only

        def header() -> bytes:
            return new_header_line(new_session_id(), iso_now(), self.cwd(cwd))

        document = await self.documents.open(
            path, write=not read_only, new_header=None if must_exist or read_only else header
        )
        own = document.header.cwd
        view = self._add(document, self.cwd(cwd if cwd is not None else own), directory)
        view.read_only, view.follow = read_only, follow
        return view

    async def continue_recent(self, cwd: str, session_dir: str | None) -> View:
        """The session of a working directory whose file changed last, else a new one."""
        cwd = self.cwd(cwd)
        directory, only = self.directory(cwd, session_dir)
        recent = await asyncio.to_thread(discover.most_recent, directory, only)
        if recent is None:
            return await self.create(cwd, session_dir, None, None)
        return await self.open(recent, directory, cwd)

    async def in_memory(
        self, cwd: str | None, session_id: str | None, entries: Sequence[bytes]
    ) -> View:
        """A session without a file. `entries` may begin with a header; old ones are migrated."""
        resolved = self.cwd(cwd)
        given = bool(entries) and parse_header(entries[0]) is not None
        header = [] if given else [self._header(resolved, session_id, None)]
        view = self._add(_memory([*header, *entries]), resolved, "")
        view.persisted = False
        return view

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
        source_path, cwd = self.path(source_path), self.cwd(target_cwd)
        directory, _ = self.directory(cwd, session_dir)
        self._check_creating(directory)
        try:
            source = await self.documents.open(source_path, write=False)
        except (InvalidSessionFile, SessionNotFound) as error:
            error.message = f"Cannot fork: source session file is empty or invalid: {source_path}"
            raise
        async with source.turn:
            await source.refresh()
            lines = [source.tree.line(entry) for entry in source.tree.entries]
        self.documents.release(source)
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
        path = self.path(path)

        def header() -> bytes:
            return self._header(view.cwd, None, None)

        if view.persisted:
            document = await self.documents.open(
                path,
                write=not view.read_only,
                new_header=None if view.read_only else header,
            )
        else:
            loaded = await self.documents.open(path, write=False, new_header=header)
            document = _memory(loaded.contents.lines())
            self.documents.release(loaded)
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
        path = os.path.join(directory, self.directories.file_name(session_id, timestamp))
        self.roots.check(path)
        content = b"\n".join([header, *lines])
        if at_once or Contents.new(content).tree.has_conversation:
            await workers.writing(len(content), journal.create, path, [content, b"\n"])
        elif os.path.lexists(path):
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
        self._let_go(previous)

    def _let_go(self, document: Document) -> None:
        if document.status != "memory":
            self.documents.release(document)

    def _add(self, document: Document, cwd: str, session_dir: str) -> View:
        handle = f"s{next(self._numbers)}"
        view = View(handle, document, cwd, session_dir)
        view.attach(document)
        self._views[handle] = view
        return view


def _memory(lines: Sequence[bytes]) -> Document:
    return Document.in_memory(Contents.of(load(b"\n".join(lines) + b"\n"), b""))
