"""A session handle: a leaf into a document, and what the SessionManager says about itself."""

from __future__ import annotations

import asyncio

import attrs
from msgspec import UNSET, Raw
from sessiond_protocol.session import state

from sessiond.errors import EntryNotFound, ReadOnly
from sessiond.files.document import Document
from sessiond.files.locks.presence import Presence
from sessiond.format.entries import Entry


@attrs.define(eq=False)
class View:
    """One SessionManager. `session_dir` is where branches and new sessions of it go.

    `chosen` is the leaf last set by this handle; see `leaf_id` for what that means later.
    """

    handle: str
    document: Document
    cwd: str
    session_dir: str
    persisted: bool = True
    read_only: bool = False
    follow: bool = False
    chosen: str | None = None
    turn: asyncio.Lock = attrs.field(factory=asyncio.Lock)
    """Requests on the handle one after another, whatever document it looks into meanwhile."""

    def attach(self, document: Document) -> None:
        """Look into another document from now on, at the leaf of its file."""
        self.document = document
        self.chosen = document.leaf_id

    @property
    def leaf_id(self) -> str | None:
        """The leaf as the file is now.

        Derived, not stored: a leaf whose entry a rewrite took away gives way to that of the file
        (`Tree.leaf_id`), and is back as soon as the entry is, unless the handle moved in between.
        """
        if self.follow:
            return self.document.leaf_id
        if self.chosen is None or self.chosen in self.document.tree.by_id:
            return self.chosen
        return self.document.leaf_id

    def move(self, entry_id: str | None) -> None:
        """Set the leaf. A handle that followed the file's stays where it was put from now on."""
        if self.follow and entry_id != self.document.leaf_id:
            self.follow = False
        self.chosen = entry_id

    def entry(self, entry_id: str) -> Entry:
        """The entry with that id; raises EntryNotFound."""
        found = self.document.tree.get(entry_id)
        if found is None:
            raise EntryNotFound(entry_id)
        return found

    @property
    def session_file(self) -> str | None:
        """The path of the file, written or not yet; None in memory."""
        return self.document.path if self.persisted else None

    def check_writable(self) -> None:
        if self.read_only:
            raise ReadOnly(self.document.path)

    def state(self, in_use: Presence) -> state.SessionState:
        """What the handle's methods tell of it; `in_use` knows who else has the file open.

        Without the diagnostics, of which there may be a million.
        """
        document = self.document
        pids = in_use.others(document.state.key) if document.state else []
        header = document.header
        return state.SessionState(
            session=self.handle,
            sessionId=header.id,
            sessionFile=self.session_file,
            sessionDir=self.session_dir,
            cwd=self.cwd,
            persisted=self.persisted,
            readOnly=self.read_only,
            leafId=self.leaf_id,
            tipId=document.tip_id,
            entryCount=document.entry_count,
            version=header.whole_version,
            name=document.tree.name or UNSET,
            generation=document.generation,
            header=Raw(header.raw),
            inUse=state.InUse(pids=pids) if pids else UNSET,
            diagnostics=[],
        )
