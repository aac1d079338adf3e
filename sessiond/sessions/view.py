"""A session handle: a document, a leaf in it, and the state that the handle's methods answer."""

from __future__ import annotations

import asyncio

import attrs
from msgspec import UNSET, Raw
from sessiond_protocol.session import state
from sessiond_protocol.session.drafts import Draft

from sessiond.files.identity import Home
from sessiond.files.presence import Presence
from sessiond.files.session_document import SessionDocument
from sessiond.format.entries import Entry
from sessiond.runtime.errors import EntryNotFound, ReadOnly
from sessiond.text.safe import presentable


@attrs.define(eq=False)
class View:
    """One SessionManager.

    `session_dir` is the directory for its branched and new sessions. `chosen` is the leaf that
    this handle set last; `leaf_id` derives the present leaf from it.
    """

    handle: str
    document: SessionDocument
    cwd: str
    session_dir: str
    persisted: bool = True
    read_only: bool = False
    read_only_reason: str = ""
    """Why writing is not possible, for people; empty if the client chose to read only."""
    follow: bool = False
    chosen: str | None = None
    turn: asyncio.Lock = attrs.field(factory=asyncio.Lock)
    """Serialises the requests on the handle, also while it switches to another document."""

    def attach(self, document: SessionDocument) -> None:
        """Use another document from now on, at the leaf of its file."""
        self.chosen, self.document = document.leaf_id, document

    @property
    def leaf_id(self) -> str | None:
        """The leaf in the present content of the file.

        It is derived on each call: while a rewrite has removed the entry of the chosen leaf, the
        leaf of the file (`Tree.leaf_id`) is used. If the entry returns, the chosen leaf applies
        again, unless the handle was moved meanwhile.
        """
        if self.follow:
            return self.document.leaf_id
        if self.chosen is None or self.chosen in self.document.tree.by_id:
            return self.chosen
        return self.document.leaf_id

    def move(self, entry_id: str | None) -> None:
        """Set the leaf. A handle that followed the leaf of the file stops following it."""
        if self.follow and entry_id != self.document.leaf_id:
            self.follow = False
        self.chosen = entry_id

    def entry(self, entry_id: str) -> Entry:
        """Return the entry with this id; raises EntryNotFound."""
        entry = self.document.tree.get(entry_id)
        if entry is None:
            raise EntryNotFound(entry_id)
        return entry

    @property
    def session_file(self) -> str | None:
        """The path of the file, also before it is written; None for a session in memory."""
        return self.document.path if self.persisted else None

    def check_writable(self) -> None:
        if self.read_only:
            raise ReadOnly(self.document.path, self.read_only_reason)

    def _why_read_only(self, home: Home | None) -> str:
        if self.read_only_reason or home is None:
            return self.read_only_reason
        return f"its home is {home.host}, where it can be written"

    def state(self, in_use: Presence, agent: str | None, draft: Draft | None) -> state.SessionState:
        """Return the state in the form of the contract, without diagnostics.

        `in_use` knows the other processes that have the file open, `agent` is the name of whose
        session it is, if that is told, and `draft` what another handle has published. The caller
        adds the diagnostics, because there may be a million.
        """
        document = self.document
        pids = in_use.others(document.state.key) if document.state else []
        header, home = document.header, document.home
        return state.SessionState(
            session=self.handle,
            sessionId=header.id,
            sessionFile=self.session_file,
            sessionDir=self.session_dir,
            cwd=self.cwd,
            agent=UNSET if agent is None else agent,
            persisted=self.persisted,
            readOnly=self.read_only or home is not None,
            readOnlyReason=self._why_read_only(home) or UNSET,
            home=state.SessionHome(host=home.host, path=home.path) if home else UNSET,
            leafId=self.leaf_id,
            tipId=document.tip_id,
            entryCount=document.entry_count,
            version=header.whole_version,
            name=presentable(document.tree.name or "") or UNSET,
            generation=document.generation,
            header=Raw(header.raw),
            inUse=state.OtherProcesses(pids=pids) if pids else UNSET,
            draft=UNSET if draft is None else draft,
            diagnostics=[],
        )
