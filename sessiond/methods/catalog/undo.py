"""`catalog/undo`: take back what was changed last."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable, Collection

import attrs
from msgspec import UNSET
from sessiond_protocol.catalog import files
from sessiond_protocol.catalog.scope import CatalogScope
from sessiond_protocol.session.state import FileProblem

from sessiond.catalog import changes
from sessiond.catalog.changes import Change
from sessiond.files import disk, workers
from sessiond.files.contents import Contents
from sessiond.format.tree.tree import Tree
from sessiond.methods.catalog import upkeep
from sessiond.methods.client import Client
from sessiond.methods.handlers import Handler
from sessiond.runtime.errors import (
    EntryNotFound,
    ReadOnly,
    SessiondError,
    SessionNotFound,
    Unsupported,
)

Again = Callable[[], Awaitable[object]]
"""Gives a session, or an entry, its former value."""


@attrs.define
class _Undone:
    """The outcome of one change."""

    done: list[files.UndoneChange] = attrs.field(factory=list)
    problems: list[FileProblem] = attrs.field(factory=list)
    left: Change | None = None
    """The part that could not be taken back, but may be later."""

    def fail(self, path: str, error: SessiondError) -> bool:
        """Note a failure; returns whether it may succeed later."""
        self.problems.append(FileProblem(path=path, kind=error.kind, message=error.message))
        # What is gone for ever can never be taken back.
        return not isinstance(error, SessionNotFound | EntryNotFound)

    def keep(self, path: str, message: str) -> None:
        """Note that something was changed again since, which stays."""
        self.problems.append(FileProblem(path=path, kind="changed", message=message))


async def undo(client: Client, _params: None) -> files.UndoResult:
    if client.config.read_only:
        raise ReadOnly("changes.json")
    record = await workers.undisturbed(changes.load, client.env)
    undone = _Undone()
    while record:
        change = record.pop()
        undone = await _take_back(client, change)
        await changes.settle(client.env, change, undone.left)
        # `restore` brings sessions back without this record of them: then the one before counts.
        if undone.done or undone.problems:
            break
    return files.UndoResult(changes=undone.done, problems=undone.problems or UNSET)


async def _take_back(client: Client, change: Change) -> _Undone:
    match change:
        case {"command": "delete", "paths": list(paths)}:
            return await _restore(client, change, [*map(str, paths)])
        case {"command": "rename", "path": str(path), "name": str(name)}:
            renamed = files.UndoneChange(kind="rename", path=path, name=name)
            naming = files.RenameParams(path=path, name=name)
            again: Again = functools.partial(upkeep.rename, client, naming)
            return await _set_again(client, change, renamed, lambda tree: tree.name, again)
        case {"command": "label", "path": str(path), "entry": str(entry), "label": str(label)}:
            labelled = files.UndoneChange(kind="label", path=path, entryId=entry, label=label)
            labelling = files.EntryLabelParams(path=path, entryId=entry, label=label)
            again = functools.partial(upkeep.label, client, labelling)
            return await _set_again(client, change, labelled, lambda tree: tree.label(entry), again)
    raise Unsupported("A newer sessiond made the last change", "changes.json", "use that one")


async def _restore(client: Client, change: Change, paths: list[str]) -> _Undone:
    undone = _Undone()
    back = await _back_already(client, paths)
    failed = []
    for path in paths:
        if path in back:
            continue
        try:
            info = await upkeep.restore(client, files.RestoreParams(path=path))
        except SessiondError as error:
            failed += [path] if undone.fail(path, error) else []
        else:
            undone.done.append(files.UndoneChange(kind="delete", path=info.path))
    undone.left = {**change, "paths": failed} if failed else None
    return undone


async def _back_already(client: Client, paths: Collection[str]) -> set[str]:
    """Return the sessions that exist, and that the trash does not have."""
    existing = {path for path in paths if disk.lexists(path)}
    if not existing:
        return existing
    trash = await upkeep.list_trash(client, CatalogScope())
    return existing.difference(each.path for each in trash.sessions)


async def _set_again(
    client: Client,
    change: Change,
    done: files.UndoneChange,
    value_in: Callable[[Tree], str | None],
    again: Again,
) -> _Undone:
    """Give a name or label its former value, unless it has got another one since."""
    undone, path = _Undone(), done.path

    async def value(contents: Contents) -> str:
        return value_in(contents.tree) or ""

    try:
        now = await client.engine.documents.use(client.places.path(path), value)
        if now != change.get("given", now):
            of = path if done.kind == "rename" else f"{change['entry']} of {path}"
            what = "name" if done.kind == "rename" else "label"
            undone.keep(path, f"{of} has got the {what} {now!r} since, which stays")
        else:
            await again()
            undone.done.append(done)
    except SessiondError as error:
        undone.left = change if undone.fail(path, error) else None
    return undone


METHODS: dict[str, Handler] = {"catalog/undo": undo}
