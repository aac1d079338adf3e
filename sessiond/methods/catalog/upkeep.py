"""`catalog/rename`, `label`, `delete`, `restore`, `listTrash`, `check` and `repair`."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from msgspec import UNSET, UnsetType
from sessiond_protocol.catalog import files
from sessiond_protocol.catalog.scope import CatalogScope
from sessiond_protocol.session.state import SessionInfo
from sessiond_protocol.wire import given

from sessiond.agents.sessions import refuse_writing
from sessiond.catalog import changes
from sessiond.catalog import check as checking
from sessiond.catalog import repair as repairing
from sessiond.catalog.changes import Change
from sessiond.catalog.listing import problems, session_info
from sessiond.files import disk, workers
from sessiond.files.flock import rewriting
from sessiond.files.identity import Key, stat_regular
from sessiond.format.ids import iso_now, new_entry_id
from sessiond.format.lines import Stamp, clean_name, label_line, session_info_line
from sessiond.methods.client import Client
from sessiond.methods.handlers import Handler
from sessiond.methods.session.list import scope_of
from sessiond.methods.states import diagnostics
from sessiond.rpc import codec
from sessiond.runtime.errors import (
    EntryNotFound,
    InUse,
    InvalidParams,
    ReadOnly,
    SessiondError,
    SessionNotFound,
)
from sessiond.runtime.isolation import Faults
from sessiond.runtime.limits import INLINE_ENTRIES, INLINE_READ_BYTES
from sessiond.sessions.results import runs
from sessiond.text.dates import iso_from_ms
from sessiond.text.spans import Buffer, Json, js_string

if TYPE_CHECKING:
    from sessiond.catalog.trash import TrashedSummary
    from sessiond.files.session_document import SessionDocument
    from sessiond.format.entries import Entry

_PROBLEM_COST = INLINE_READ_BYTES // INLINE_ENTRIES


async def rename(client: Client, params: files.RenameParams) -> files.RenameResult:
    path = _to_change(client, params.path)
    name = clean_name(params.name)
    async with _written(client, path) as document:
        before = document.tree.name or ""
        done = await _append(document, lambda at: session_info_line(at, name))
    noted = {"command": "rename", "path": path, "name": before, "given": name}
    undoable = await _note(client, params.change, noted)
    return files.RenameResult(id=done.id, undoable=undoable)


async def label(client: Client, params: files.EntryLabelParams) -> files.EntryLabelResult:
    path, target = _to_change(client, params.path), params.entryId
    async with _written(client, path) as document:
        if target not in document.tree.by_id:
            raise EntryNotFound(target)
        before = document.tree.label(target) or ""
        text = given(params.label) or ""
        done = await _append(document, lambda at: label_line(at, target, text))
    noted = {"command": "label", "path": path, "entry": target, "label": before, "given": text}
    undoable = await _note(client, params.change, noted)
    return files.EntryLabelResult(id=done.id, undoable=undoable)


@asynccontextmanager
async def _written(client: Client, path: str) -> AsyncIterator[SessionDocument]:
    """Open a session file to append to it, as it is now."""
    documents = client.engine.documents
    document = await documents.open(path, write=True)
    try:
        async with document.turn:
            await document.refresh()
            yield document
    finally:
        documents.release(document)
    client.live.look_at((path,))


async def _append(document: SessionDocument, line: Callable[[Stamp], bytes]) -> Entry:
    """Append a line under the leaf of the file, not of a handle: see the contract."""

    def make() -> list[bytes]:
        tree = document.tree
        return [line(Stamp(new_entry_id(tree.by_id), tree.leaf_id, iso_now()))]

    (done,) = await document.append(make)
    if isinstance(done, SessiondError):
        raise done
    return done


async def _note(client: Client, name: str | UnsetType | None, change: Change) -> bool | UnsetType:
    """Note a change if it has a name; returns whether it can be taken back.

    Not with `--root`, which allows nothing to be written outside, nor in a store.
    """
    if given(name) is None:
        return UNSET
    if disk.is_confined() or client.engine.source.in_store:
        return False
    await changes.note(client.env, {**change, "change": name})
    return True


async def delete(client: Client, params: files.DeleteParams) -> files.DeleteResult:
    path = _to_change(client, params.path)
    # A link itself is deleted, so its own directory must be inside the roots too.
    client.places.roots.check(os.path.dirname(path))
    catalogue = client.engine.catalogue
    key = await catalogue.identity(path)
    if not params.force:
        writers = client.writers(path, key)
        if writers:
            raise InUse(path, writers, _own_use(client, path, key))
    await catalogue.delete(
        path, client.env, permanently=bool(params.permanently), force=bool(params.force)
    )
    client.live.look_at((path,))
    if params.permanently:
        return files.DeleteResult(trashed=False)
    noted = {"command": "delete", "paths": [path]}
    undoable = await _note(client, params.change, noted)
    return files.DeleteResult(trashed=True, undoable=undoable)


def _own_use(client: Client, path: str, key: Key) -> str | None:
    """Return the message if this connection itself has the session open for writing, else None."""
    handles = [
        view.handle
        for view in client.sessions
        if not view.read_only and view.document.state and view.document.state.key == key
    ]
    if not handles:
        return None
    opened = ", ".join(handles)
    return f"Session is open on this connection as {opened}: close it, or use `force`: {path}"


async def restore(client: Client, params: files.RestoreParams) -> SessionInfo:
    path = _to_change(client, params.path)
    client.places.roots.check(os.path.dirname(path))
    await client.engine.catalogue.restore(path, client.env)
    client.live.look_at((path,))
    # The restored file may be a link that leads out of the roots.
    client.places.roots.check(path)
    return client.infos()(await client.engine.catalogue.summary(path))


async def list_trash(client: Client, params: CatalogScope) -> files.ListTrashResult:
    faults = Faults()
    items = await client.engine.catalogue.trashed(scope_of(client, params), client.env, faults)
    sessions = faults.each(items, lambda each: each.item.file, lambda each: _trashed(client, each))
    return files.ListTrashResult(sessions=sessions, problems=problems(faults))


def _trashed(client: Client, each: TrashedSummary) -> files.TrashedSession:
    at = None if each.deleted is None else iso_from_ms(each.deleted)
    return files.TrashedSession(
        path=each.item.origin,
        file=each.item.file,
        deleted=at or UNSET,
        info=session_info(each.summary, (), client.places.agent_of(each.item.origin)),
    )


async def check(client: Client, params: files.CheckParams) -> Json:
    path = given(params.path)
    if path is None:
        # What is no session any more has no working directory.
        scope = scope_of(client, params, exact=False)
        checked = await client.engine.catalogue.check_all(scope)
    elif given(params.cwd) is None and given(params.sessionDir) is None:
        checked = [await client.engine.catalogue.check(client.places.path(path))]
    else:
        raise InvalidParams("expected `path`, or `cwd` and `sessionDir`")
    count = sum(1 + len(item.problems) for item in checked)
    return await workers.computing(count * _PROBLEM_COST, _checked, checked)


def _checked(results: list[checking.Checked]) -> Json:
    """Encode a CheckResult; a file whose problems cannot be encoded has that as its problem."""
    faults = Faults()
    encoded: dict[str, list[Buffer]] = {}
    for item in results:
        with faults.isolate(item.path):
            encoded[item.path] = _checked_file(item)
    for fault in faults:
        encoded[fault.path] = _checked_file(checking.failed(fault))
    parts: list[Buffer] = []
    for path in (item.path for item in results if item.path in encoded):
        parts += [b"," if parts else b"", *encoded[path]]
    return Json([b'{"files":[', *parts, b"]}"])


def _checked_file(item: checking.Checked) -> list[Buffer]:
    is_ok = b"false" if item.problems else b"true"
    start = [b'{"path":', js_string(item.path), b',"ok":', is_ok, b',"problems":[']
    unknown = [files.UnknownLines(type=kind, count=item.unknown[kind]) for kind in item.unknown]
    rest = [b',"unknown":', codec.encode(unknown)] if unknown else []
    return [*start, *diagnostics(item.problems), b"]", *rest, b"}"]


async def repair(client: Client, params: files.RepairParams) -> Json:
    dry_run = params.dryRun
    path = client.places.path(params.path) if dry_run else _to_change(client, params.path)
    refuse_writing(path)
    client.engine.source.refuse("repair", path)
    if dry_run:
        size = _stat(path).st_size
        done = await workers.reading(size, repairing.look, path)
    else:
        done = await _repair(client, path)
        client.live.look_at((path,))
    count = len(done.problems) + len(done.actions)
    return await workers.computing(count * _PROBLEM_COST, _repair_result, done)


def _repair_result(done: repairing.Repaired) -> Json:
    """Encode a RepairResult, which may have a problem and an action for every line."""
    parts: list[Buffer] = [b'{"problems":[', *diagnostics(done.problems), b'],"actions":[']
    parts += runs(
        codec.encode(files.RepairAction(kind=one.kind, line=one.line or UNSET, message=one.message))
        for one in done.actions
    )
    backup = b"" if done.backup is None else b',"backup":' + js_string(done.backup)
    return Json([*parts, b"]", backup, b"}"])


async def _repair(client: Client, path: str) -> repairing.Repaired:
    def work(descriptor: int) -> repairing.Repaired:
        return repairing.repair(path, descriptor)

    try:
        return await rewriting(path, client.engine.config.lock_timeout, work)
    except FileNotFoundError:
        raise SessionNotFound(path) from None


def _to_change(client: Client, given_path: str) -> str:
    """Resolve the path of a file to change; raises PathNotAllowed and ReadOnly."""
    path = client.places.path(given_path)
    if client.config.read_only:
        raise ReadOnly(path)
    return path


def _stat(path: str) -> os.stat_result:
    """Raises SessionNotFound and ReadFailed."""
    state = stat_regular(path)
    if state is None:
        raise SessionNotFound(path)
    return state


METHODS: dict[str, Handler] = {
    "catalog/rename": rename,
    "catalog/label": label,
    "catalog/delete": delete,
    "catalog/restore": restore,
    "catalog/listTrash": list_trash,
    "catalog/check": check,
    "catalog/repair": repair,
}
