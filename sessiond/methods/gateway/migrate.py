"""`gateway/migrate`: merge sessions from the legacy directory into the current store."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import attrs
from sessiond_protocol.gateway import migrate as contract

from sessiond.clock import now_ms
from sessiond.errors import InUse, InvalidParams, WriteFailed
from sessiond.files import workers
from sessiond.files.locks.lock_file import lock_file
from sessiond.gateway.config.layout import Layout
from sessiond.gateway.migrate import files as legacy_files
from sessiond.gateway.migrate.files import LegacyFiles, LegacyPlaces, LegacyStore
from sessiond.gateway.migrate.merge import Merged, merge
from sessiond.gateway.store.agent_store import AgentStore
from sessiond.gateway.store.snapshot import Items, StoreProblem
from sessiond.gateway.store.store import STALE_SECONDS
from sessiond.methods.client import Client
from sessiond.methods.gateway.request import StoreRequest
from sessiond.methods.gateway.transaction import check_idle
from sessiond.methods.handlers import Handler


@attrs.define
class _Migrated:
    merged: Merged = attrs.field(factory=lambda: Merged({}))
    moved: list[str] = attrs.field(factory=list)
    kept: list[str] = attrs.field(factory=list)
    leftover: str | None = None
    problems: list[StoreProblem] = attrs.field(factory=list)


@attrs.frozen
class _Migration:
    """The values of one request."""

    client: Client
    layout: Layout
    store: AgentStore
    places: LegacyPlaces
    now: int

    def survey(self) -> LegacyFiles:
        """The files to move, except those in use."""
        files = legacy_files.survey(self.places)
        for path in list(files.moves):
            try:
                check_idle(self.client, [path], path)
            except InUse:
                files.stuck[path] = "The file is in use"
                del files.moves[path]
        return files

    def merge(self, stored: Items, legacy: LegacyStore, files: LegacyFiles) -> Merged:
        relocate = partial(legacy_files.relocated, self.places, files)
        return merge(stored, legacy.items, self.layout.rules, self.now, relocate)


async def migrate(client: Client, params: contract.MigrateParams) -> contract.MigrateResult:
    request = StoreRequest.of(client, params)
    layout = request.layout
    if layout.state_dir is None:
        name = client.directories.agent.name
        raise InvalidParams(f"expected the profile of a gateway: {name} has no such directory")
    store = request.store() if params.dryRun else request.store_to_change()
    target = layout.sessions_dir(request.agent_id) or ""
    places = LegacyPlaces(layout.state_dir, target, store.path)
    for path in (places.directory, places.target):
        client.places.roots.check(path)
    migration = _Migration(client, layout, store, places, now_ms())
    if places.is_link():
        message = f"{places.directory} is a symbolic link, which is not followed"
        trouble = StoreProblem("moveFailed", message, path=places.directory)
        done = _Migrated(kept=[places.directory], problems=[trouble])
    elif not places.is_legacy():
        done = _Migrated()
    else:
        done = await (_foresee if params.dryRun else _execute)(migration)
    return contract.MigrateResult(
        migrated=done.merged.migrated,
        dropped=done.merged.dropped,
        moved=done.moved,
        kept=done.kept,
        leftover=done.leftover,
        storePath=store.path,
        **request.reported(done.problems),
    )


async def _foresee(migration: _Migration) -> _Migrated:
    places = migration.places
    legacy = await _read(places)
    if legacy.trouble is not None:
        return _left_alone(places, legacy.trouble)
    files = migration.survey()
    snapshot = await migration.store.read()
    merged = migration.merge(snapshot.items, legacy, files)
    done = _Migrated(
        merged, list(files.moves.values()), problems=[*legacy.problems, *snapshot.problems]
    )
    _tell(done, places, files)
    if done.kept and not files.stuck:
        _rename_kept(done, places, legacy_files.leftover_name(places, migration.now))
    return done


async def _execute(migration: _Migration) -> _Migrated:
    places, done = migration.places, _Migrated()
    async with _legacy_lock(migration):
        legacy = await _read(places)
        if legacy.trouble is not None:
            return _left_alone(places, legacy.trouble)
        files = migration.survey()
        # Without maintenance, which would not find the transcripts before they are moved.
        async with migration.store.changing() as draft:
            done.merged = migration.merge(draft.items, legacy, files)
            draft.items.clear()
            draft.items.update(done.merged.items)
        done.problems += [*legacy.problems, *draft.problems]
        sources = list(files.moves)
        done.moved = await workers.undisturbed(legacy_files.move, places, files)
        # Only after the current store has all entries.
        if legacy.state is not None and not done.merged.blocked:
            try:
                legacy_files.remove_store(places.legacy_store, legacy.state)
            except WriteFailed as error:
                files.stuck[places.legacy_store] = error.message
    _tell(done, places, files)
    try:
        left = legacy_files.put_aside(places, migration.now, rename=not files.stuck)
    except WriteFailed as error:
        done.problems.append(StoreProblem("moveFailed", error.message, path=places.directory))
    else:
        if left is not None:
            _rename_kept(done, places, left)
    migration.client.live.look_at([*sources, *done.moved])
    return done


async def _read(places: LegacyPlaces) -> LegacyStore:
    return await workers.undisturbed(legacy_files.read, places.legacy_store)


@asynccontextmanager
async def _legacy_lock(migration: _Migration) -> AsyncIterator[None]:
    """Hold the lock of the legacy store against old gateways that still use it."""
    async with lock_file(
        migration.places.legacy_store, migration.client.engine.config.lock_timeout, STALE_SECONDS
    ):
        yield


def _left_alone(places: LegacyPlaces, trouble: StoreProblem) -> _Migrated:
    return _Migrated(kept=legacy_files.everything(places), problems=[trouble])


def _tell(done: _Migrated, places: LegacyPlaces, files: LegacyFiles) -> None:
    """Report what was not moved, and why."""
    done.kept += sorted({*files.kept, *files.stuck})
    if done.merged.blocked and places.legacy_store not in done.kept:
        done.kept.append(places.legacy_store)
    done.problems += [
        StoreProblem("moveFailed", f"{path} was not moved: {why}", path=path)
        for path, why in files.stuck.items()
    ]
    done.problems += [
        StoreProblem(
            "moveFailed", f"{key} was not merged: the store has a value that is not an entry", key
        )
        for key in done.merged.blocked
    ]


def _rename_kept(done: _Migrated, places: LegacyPlaces, leftover: str) -> None:
    begin = len(places.directory)
    done.leftover, done.kept = leftover, [leftover + path[begin:] for path in done.kept]


METHODS: dict[str, Handler] = {"gateway/migrate": migrate}
