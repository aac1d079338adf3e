"""Read a session and move its leaf."""

from __future__ import annotations

from contextlib import suppress

import attrs
from msgspec import UNSET, Raw
from sessiond_protocol.session import context, read
from sessiond_protocol.session import updates as updates_of
from sessiond_protocol.session import view as view_of
from sessiond_protocol.session.open import SessionParams
from sessiond_protocol.wire import given

from sessiond.agents.sessions import file_of, records_of
from sessiond.agents.source import Record
from sessiond.files import workers
from sessiond.format.context.build import Context, build_context
from sessiond.methods.client import Client
from sessiond.methods.handlers import (
    Handler,
    from_document,
    from_handle,
    from_snapshot,
    turn,
)
from sessiond.runtime.errors import SessionNotFound
from sessiond.runtime.limits import INLINE_READ_BYTES, SOURCE_BYTES
from sessiond.sessions import results as answers
from sessiond.sessions.moment import Moment
from sessiond.sessions.view import View
from sessiond.text.spans import Json


def get_leaf_id(view: View, _: SessionParams) -> read.LeafIdResult:
    return read.LeafIdResult(leafId=view.leaf_id)


def get_leaf_entry(view: View, _: SessionParams) -> Json:
    leaf = view.leaf_id
    return answers.entry_answer(view.entry(leaf) if leaf is not None else None)


def get_entry(view: View, params: read.GetEntryParams) -> Json:
    return answers.entry_answer(view.document.tree.get(params.id))


async def get_source(client: Client, params: read.GetSourceParams) -> read.GetSourceResult:
    most_bytes = given(params.maxBytes)
    most = SOURCE_BYTES if most_bytes is None else most_bytes
    async with turn(client, params.session) as view:
        await view.document.refresh()
        line = view.entry(params.entryId).raw
        path = view.session_file
    records: list[Record] = []
    if path is not None:
        with suppress(SessionNotFound):
            records = await workers.reading(workers.LONG, records_of, path, params.entryId, most)
    # Nothing on disk: it is in memory or in a store, or of version 1, whose lines have no ids.
    own = Record(file_of(path) if path is not None else "", len(line), line[:most])
    return read.GetSourceResult(records=[_source_record(each) for each in records or [own]])


def _source_record(record: Record) -> read.SourceRecord:
    return read.SourceRecord(
        path=record.path or UNSET,
        line=UNSET if record.line is None else record.line,
        byteOffset=UNSET if record.offset is None else record.offset,
        sizeBytes=record.size,
        text=record.text,
        truncated=len(record.data) < record.size,
    )


async def get_entries(client: Client, params: read.GetEntriesParams) -> Json:
    async with turn(client, params.session) as view:
        await view.document.refresh()
        tree = view.document.tree
        page = answers.EntryPage.of(
            tree,
            given(params.cursor),
            given(params.limit),
            given(params.last),
            views=bool(given(params.views)),
        )
        if page.cost > INLINE_READ_BYTES:
            page = attrs.evolve(page, tree=tree.snapshot())
        else:
            return page.answer()
    return await workers.computing(page.cost, page.answer)


def get_entry_count(view: View, _: SessionParams) -> read.EntryCountResult:
    return read.EntryCountResult(count=len(view.document.tree.by_id))


def get_branch(at: Moment, params: read.GetBranchParams) -> Json:
    start = given(params.fromId)
    leaf = at.leaf_id if start is None else at.entry(start).id
    return answers.entries_answer(at.tree.branch(leaf))


def get_children(at: Moment, params: read.GetChildrenParams) -> Json:
    if params.parentId is not None:
        at.entry(params.parentId)
    return answers.entries_answer(at.tree.children(params.parentId))


def get_tree(at: Moment, params: read.GetTreeParams) -> Json:
    return answers.tree_answer(at.tree, outline=given(params.detail) == "outline")


def get_view(at: Moment, params: view_of.GetViewParams) -> Json:
    around = given(params.around)
    branch = at.tree.branch(at.leaf_or(params.leafId))
    if around is not None and all(entry.id != around for entry in branch):
        branch = at.tree.branch(at.entry(around).id)
    return answers.view_answer(
        at.tree,
        branch,
        around=around,
        cursor=given(params.cursor),
        last=given(params.last),
        limit=given(params.limit),
        most=given(params.maxChars),
    )


def get_updates(at: Moment, params: updates_of.GetUpdatesParams) -> Json:
    return answers.updates_answer(
        at.tree,
        at.tree.branch(at.leaf_or(params.leafId)),
        at.header,
        cursor=given(params.cursor),
        limit=given(params.limit),
    )


def get_label(view: View, params: read.GetEntryParams) -> read.LabelResult:
    return read.LabelResult(label=view.document.tree.label(params.id))


def branch(view: View, params: read.BranchParams) -> read.LeafIdResult:
    leaf = view.document.tree.visible(view.entry(params.entryId).id)
    view.move(leaf)
    return read.LeafIdResult(leafId=leaf)


def reset_leaf(view: View, _: SessionParams) -> read.LeafIdResult:
    view.move(None)
    return read.LeafIdResult(leafId=None)


def _context(at: Moment, params: context.BuildParams) -> Context:
    return build_context(at.tree, at.leaf_or(params.leafId), initial=at.header)


def build_session_context(at: Moment, params: context.BuildParams) -> Json:
    return answers.context_answer(_context(at, params))


def build_context_entries(at: Moment, params: context.BuildParams) -> Json:
    return answers.entries_answer(_context(at, params).entries)


def build_session_projection(at: Moment, params: context.BuildParams) -> Json:
    return answers.projection_answer(_context(at, params))


def get_header(view: View, _: SessionParams) -> context.HeaderResult:
    return context.HeaderResult(header=Raw(view.document.header.raw))


def get_session_name(view: View, _: SessionParams) -> context.SessionNameResult:
    return context.SessionNameResult(name=view.document.tree.name)


def get_session_id(view: View, _: SessionParams) -> context.SessionIdResult:
    return context.SessionIdResult(sessionId=view.document.header.id)


def get_cwd(_: Client, view: View) -> context.CwdResult:
    return context.CwdResult(cwd=view.cwd)


def get_session_dir(_: Client, view: View) -> context.SessionDirResult:
    return context.SessionDirResult(sessionDir=view.session_dir)


def get_session_file(_: Client, view: View) -> context.SessionFileResult:
    return context.SessionFileResult(sessionFile=view.session_file)


def is_persisted(_: Client, view: View) -> context.IsPersistedResult:
    return context.IsPersistedResult(persisted=view.persisted)


def uses_default_session_dir(client: Client, view: View) -> context.UsesDefaultSessionDirResult:
    default = client.places.default_directory(view.cwd)
    return context.UsesDefaultSessionDirResult(default=view.session_dir == default)


METHODS: dict[str, Handler] = {
    "session/getLeafId": from_document(get_leaf_id),
    "session/getLeafEntry": from_document(get_leaf_entry),
    "session/getEntry": from_document(get_entry),
    "session/getSource": get_source,
    "session/getEntries": get_entries,
    "session/getEntryCount": from_document(get_entry_count),
    "session/getBranch": from_snapshot(get_branch),
    "session/getChildren": from_snapshot(get_children),
    "session/getTree": from_snapshot(get_tree),
    "session/getView": from_snapshot(get_view),
    "session/getUpdates": from_snapshot(get_updates),
    "session/getLabel": from_document(get_label),
    "session/branch": from_document(branch),
    "session/resetLeaf": from_document(reset_leaf),
    "session/buildSessionContext": from_snapshot(build_session_context),
    "session/buildContextEntries": from_snapshot(build_context_entries),
    "session/buildSessionProjection": from_snapshot(build_session_projection),
    "session/getHeader": from_document(get_header),
    "session/getSessionName": from_document(get_session_name),
    "session/getSessionId": from_document(get_session_id),
    "session/getCwd": from_handle(get_cwd),
    "session/getSessionDir": from_handle(get_session_dir),
    "session/getSessionFile": from_handle(get_session_file),
    "session/isPersisted": from_handle(is_persisted),
    "session/usesDefaultSessionDir": from_handle(uses_default_session_dir),
}
