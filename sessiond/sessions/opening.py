"""Create handles for sessions, and switch handles to other documents."""

from __future__ import annotations

import os
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import attrs
from msgspec import Raw

from sessiond.agents.sessions import translation_of
from sessiond.files import workers
from sessiond.files.contents import Contents
from sessiond.files.document import Document
from sessiond.files.document_store import DocumentStore
from sessiond.files.session_document import SessionDocument
from sessiond.format.extract import branched_lines
from sessiond.format.for_pi import is_for_pi, lines_for_pi
from sessiond.format.header import Header, new_header_line, parse_header
from sessiond.format.ids import iso_now, new_session_id
from sessiond.format.load import load
from sessiond.format.merged import merged_answers
from sessiond.format.tree.results import last_result
from sessiond.format.tree.tree import Tree
from sessiond.runtime.errors import (
    AlreadyExists,
    EntryNotFound,
    InvalidSessionFile,
    InvalidSessionId,
    ReadOnly,
    SessionNotFound,
)
from sessiond.runtime.isolation import Faults
from sessiond.sessions.handles import Handles, Setting
from sessiond.sessions.places import Places
from sessiond.sessions.view import View
from sessiond.text.spans import Buffer

if TYPE_CHECKING:
    # Not at run time: what opens sessions needs no lists.
    from sessiond.catalog.scope import SessionScope

_SESSION_ID = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


Find = Callable[["SessionScope", str | None, Faults], Awaitable[str | None]]
"""Finds a stored session: see `Catalogue.find`."""


@attrs.frozen
class Copied:
    """The parts that a new session takes from another one."""

    lines: Iterable[bytes] = ()
    """Its entries; they may be read while they are written."""
    size: int = 0
    """Estimated cost of reading them, in bytes that take the same time."""
    header: Header | None = None
    """The header of the other session."""


class Sessions(Handles):
    """All views of one client, and the methods that create them."""

    def __init__(
        self, places: Places, documents: DocumentStore, find: Find, *, read_only: bool = False
    ) -> None:
        super().__init__(documents)
        self._find = find
        self.places = places
        self._read_only = read_only

    async def create(
        self,
        cwd: str,
        session_dir: str | None,
        session_id: str | None,
        parent_session: str | None,
    ) -> View:
        """Create a session; its file is written with its first user or assistant message."""
        cwd = self.places.cwd(cwd)
        directory, _ = self.places.directory(cwd, session_dir)
        document = await self._new(directory, cwd, session_id, parent_session)
        return self.add(document, lambda: Setting(cwd, directory))

    async def open(
        self,
        path: str,
        session_dir: str | None = None,
        cwd: str | None = None,
        *,
        read_only: bool = False,
        must_exist: bool = False,
    ) -> View:
        """Open a session file; if it is missing, create a new session for that path.

        What cannot be written is opened for reading only. Raises SessionNotFound for a missing file
        if it `must_exist`, or is called like no session file.
        """
        path = self.places.path(path)
        directory = os.path.dirname(path) if session_dir is None else self.places.path(session_dir)
        reason = "" if read_only else self._unwritable(path)
        read_only = read_only or bool(reason)

        def header() -> bytes:
            return new_header_line(new_session_id(), iso_now(), self.places.cwd(cwd))

        if must_exist:
            await self._check_exists(path)
        else:
            await self._check_name(path)
        document = await self.documents.open(
            path, write=not read_only, new_header=None if read_only else header
        )

        def setting() -> Setting:
            places = self.places
            where = places.cwd_of(document.header.cwd) if cwd is None else places.cwd(cwd)
            # Only the content of some tells that they cannot be written.
            why = reason if read_only else self._unwritable(path)
            is_read_only = read_only or bool(why)
            return Setting(where, directory, read_only=is_read_only, read_only_reason=why)

        return self.add(document, setting)

    async def find(self, session_id: str, cwd: str | None) -> str:
        """Return the path of the session with this id; with `cwd`, one of that directory.

        Raises SessionNotFound.
        """
        places, faults = self.places, Faults()
        scope = places.everything() if cwd is None else places.sessions_in(places.cwd(cwd), None)
        path = await self._find(scope, session_id, faults)
        faults.raise_shortage()
        if path is None:
            raise SessionNotFound.by_id(session_id)
        return path

    async def _check_name(self, path: str) -> None:
        """Raise SessionNotFound for a missing file that no list would show, such as an id."""
        if not path.endswith(".jsonl"):
            await self._check_exists(path)

    async def _check_exists(self, path: str) -> None:
        if not await self.documents.exists(path):
            raise SessionNotFound(path)

    def _unwritable(self, path: str) -> str:
        """Return why a session cannot be written, for people; empty if it can."""
        translation = translation_of(path)
        if translation is not None:
            refusal = translation.refusal(path)
            return f"{refusal.message}; {refusal.data['instead']}"
        return "the daemon was started with --read-only" if self._read_only else ""

    async def continue_recent(self, cwd: str, session_dir: str | None) -> View:
        """Open the session of a working directory whose file changed last, or create one."""
        cwd = self.places.cwd(cwd)
        directory, only = self.places.directory(cwd, session_dir)
        faults = Faults()
        recent = await self._find(self.places.sessions_of(directory, only), None, faults)
        faults.raise_shortage()
        if recent is None:
            return await self.create(cwd, session_dir, None, None)
        return await self.open(recent, directory, cwd)

    async def in_memory(
        self, cwd: str | None, session_id: str | None, entries: Sequence[Buffer | Raw]
    ) -> View:
        """Create a session without a file.

        `entries` may begin with a header. Entries of versions 1 and 2 are migrated.
        """
        resolved = self.places.cwd(cwd)
        first = bytes(memoryview(entries[0])) if entries else b"{}"
        header = [] if parse_header(first) else [self._header(resolved, session_id, None)]
        document = await workers.computing(
            workers.size_of(entries), lambda: _memory([*header, *entries])
        )
        return self.add(document, lambda: Setting(resolved, "", persisted=False))

    async def fork_from(
        self,
        source_path: str,
        target_cwd: str,
        session_dir: str | None,
        session_id: str | None,
        leaf_id: str | None = None,
        *,
        with_results: bool = False,
    ) -> View:
        """Copy a whole session into a new file, which names the source as its parent.

        With `leaf_id` only the branch up to this entry, or `with_results` up to the last result of
        its calls; raises EntryNotFound. The source is
        migrated in memory first, so that every copied entry has an id. A session of OpenClaw is
        copied as one that pi continues: see `lines_for_pi`.
        """
        source_path, cwd = self.places.path(source_path), self.places.cwd(target_cwd)
        directory, _ = self.places.directory(cwd, session_dir)
        self._check_creating(directory)

        async def copy(source: Contents) -> SessionDocument:
            translation = translation_of(source_path)
            if leaf_id is None:
                copied = _all_lines(source)
            elif leaf_id in source.tree:
                copied = await workers.computing(
                    source.tree.cost, _branch, source, leaf_id, with_results
                )
            else:
                raise EntryNotFound(leaf_id)
            if translation is not None and translation.splits_answers:
                copied = attrs.evolve(copied, lines=merged_answers(copied.lines))
            return await self._new(directory, cwd, session_id, source_path, copied, at_once=True)

        try:
            document = await self.documents.use(source_path, copy)
        except (InvalidSessionFile, SessionNotFound) as error:
            error.message = f"Cannot fork: source session file is empty or invalid: {source_path}"
            raise
        return self.add(document, lambda: Setting(cwd, directory))

    async def new_session(
        self, view: View, session_id: str | None, parent_session: str | None
    ) -> None:
        """Switch a view to a new session in the directory of the view."""
        if not view.persisted:
            header = self._header(view.cwd, session_id, parent_session)
            self.switch_to(view, _memory([header]))
            return
        view.check_writable()
        document = await self._new(view.session_dir, view.cwd, session_id, parent_session)
        self.switch_to(view, document)

    async def set_session_file(self, view: View, path: str) -> None:
        """Switch a view to another file; an in-memory view loads the file and never writes it.

        Raises SessionNotFound for a missing file that is called like no session file.
        """
        path = self.places.path(path)
        await self._check_name(path)

        def header() -> bytes:
            return self._header(view.cwd, None, None)

        if not view.persisted:
            exists = await self.documents.exists(path)
            self.switch_to(
                view,
                await self.documents.use(path, _in_memory) if exists else _memory([header()]),
            )
            return
        is_chosen = view.read_only and not view.read_only_reason
        reason = "" if is_chosen else self._unwritable(path)
        write = not (is_chosen or reason)
        document = await self.documents.open(
            path, write=write, new_header=header if write else None
        )
        self.switch_to(view, document)
        view.read_only, view.read_only_reason = not write, reason

    async def create_branched_session(
        self, view: View, leaf_id: str, *, with_results: bool = False
    ) -> None:
        """Copy the branch of an entry into a new session and switch the view to it.

        `with_results` as in `fork_from`.
        """
        await view.document.settle()
        view.entry(leaf_id)
        tree = view.document.tree
        # The tree does not change meanwhile: this request holds the turn.
        if with_results:
            leaf_id = await workers.computing(tree.cost, last_result, tree, leaf_id)
        lines = branched_lines(tree, leaf_id)
        source = view.document.header
        if not view.persisted:
            header = self._header(view.cwd, None, None, source=source)
            self.switch_to(
                view, await workers.computing(tree.cost, lambda: _memory([header, *lines]))
            )
            return
        view.check_writable()
        parent = view.document.path
        at_once = await workers.computing(
            tree.cost, lambda: any(entry.is_conversation for entry in tree.branch(leaf_id))
        )
        copied = Copied(lines, tree.cost, source)
        document = await self._new(
            view.session_dir, view.cwd, None, parent, copied, at_once=at_once
        )
        self.switch_to(view, document)

    async def _new(
        self,
        directory: str,
        cwd: str,
        session_id: str | None,
        parent_session: str | None,
        copied: Copied | None = None,
        *,
        at_once: bool = False,
    ) -> SessionDocument:
        """Create the document of a new file.

        The file is written with the first message, or now if `at_once`.
        """
        copied = copied or Copied()
        self._check_creating(directory)
        timestamp = iso_now()
        session_id = session_id if session_id is not None else new_session_id()
        header = self._header(cwd, session_id, parent_session, timestamp, copied.header)
        path = self.places.new_path(directory, session_id, timestamp)
        self.places.roots.check(path)
        if at_once:
            return await self.documents.create(path, chain([header], copied.lines), copied.size)
        lines = await workers.computing(copied.size, list, copied.lines)
        if await self.documents.exists(path):
            raise AlreadyExists(path)
        return await self.documents.open(
            path, write=True, new_header=lambda: b"\n".join([header, *lines])
        )

    def _header(
        self,
        cwd: str,
        session_id: str | None,
        parent_session: str | None,
        timestamp: str | None = None,
        source: Header | None = None,
    ) -> bytes:
        if session_id is not None and not _SESSION_ID.fullmatch(session_id):
            raise InvalidSessionId(session_id)
        return new_header_line(
            session_id or new_session_id(),
            timestamp or iso_now(),
            cwd,
            parent_session,
            source=source,
        )

    def _check_creating(self, directory: str) -> None:
        if self._read_only:
            raise ReadOnly(directory)
        self.places.check_creating(directory)


def _all_lines(source: Contents) -> Copied:
    tree = source.tree
    if not is_for_pi(source.header.version, tree):
        return Copied(lines_for_pi(tree), tree.cost)
    return Copied((entry.raw for entry in tree.entries), tree.cost, source.header)


def _branch(source: Contents, leaf_id: str, with_results: bool) -> Copied:
    tree = source.tree
    leaf_id = last_result(tree, leaf_id) if with_results else leaf_id
    lines = branched_lines(tree, leaf_id)
    if is_for_pi(source.header.version, tree):
        return Copied(lines, tree.cost, source.header)
    loaded = load(b"\n".join([source.header.raw, *lines, b""]))
    return Copied(lines_for_pi(Tree(loaded.entries)), tree.cost)


async def _in_memory(contents: Contents) -> SessionDocument:
    return await workers.computing(contents.tree.cost, lambda: _memory(contents.lines()))


def _memory(lines: Sequence[Buffer | Raw]) -> SessionDocument:
    return Document.in_memory(Contents.of(load(b"\n".join([*lines, b""])), b""))
