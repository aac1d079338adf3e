"""`catalog/export`: answer or write a session in another format."""

from __future__ import annotations

import attrs
from msgspec import UNSET
from sessiond_protocol.catalog import export as contract
from sessiond_protocol.wire import given

from sessiond.catalog.export import target as exports
from sessiond.catalog.snapshot import SessionSnapshot
from sessiond.files import workers
from sessiond.files.contents import Contents
from sessiond.format.describe.secrets import Mask
from sessiond.methods.client import Client
from sessiond.methods.handlers import Handler, turn
from sessiond.runtime.errors import AlreadyExists, EntryNotFound, InvalidParams, ReadOnly
from sessiond.runtime.home import absolute
from sessiond.sessions.moment import Moment
from sessiond.text.spans import Json

_MOST_TEXTS = 100
_LOOKING = 20
"""How many times longer than reading a text it takes to look for secrets in it."""


async def export(client: Client, params: contract.ExportParams) -> contract.ExportResult | Json:
    target = _target(client, params)
    path, handle = given(params.path), given(params.session)
    if (path is None) == (handle is None):
        raise InvalidParams("expected exactly one of `path` and `session`")
    if path is None:
        snapshot = await _of_handle(client, handle or "", params)
        return await _exported(client, snapshot, params, target)

    async def work(contents: Contents) -> contract.ExportResult | Json:
        snapshot = attrs.evolve(_of_file(client, contents, params), origin=source)
        return await _exported(client, snapshot, params, target)

    source = client.places.path(path)
    return await client.engine.documents.use(source, work)


async def _exported(
    client: Client, snapshot: SessionSnapshot, params: contract.ExportParams, target: str | None
) -> contract.ExportResult | Json:
    mask, counts = _mask(client, params), given(params.mask) is not None
    conversation = bool(params.conversation)
    if not params.ownId:
        snapshot = attrs.evolve(snapshot, origin=None)
    secrets = None
    if counts or conversation:
        snapshot, secrets = await workers.reading(
            _LOOKING * snapshot.size,
            lambda: exports.prepared(snapshot, params.format, mask, conversation, counts),
        )
    if target is None:
        parts = await workers.reading(snapshot.size, exports.content, snapshot, params.format)
        end = b"}" if secrets is None else b',"secrets":%d}' % secrets
        return Json([b'{"content":', *parts, end])
    kept, force = client.places.kept_directories(), bool(params.force)
    await workers.writing(
        snapshot.size, exports.write, snapshot, params.format, target, kept, force=force
    )
    return contract.ExportResult(path=target, secrets=UNSET if secrets is None else secrets)


def _mask(client: Client, params: contract.ExportParams) -> Mask | None:
    texts = given(params.maskAlso) or []
    if len(texts) > _MOST_TEXTS or not all(texts):
        raise InvalidParams(f"expected at most {_MOST_TEXTS} texts, none empty", "$.maskAlso")
    if not given(params.mask):
        if texts:
            raise InvalidParams("`maskAlso` goes with `mask`", "$.maskAlso")
        return None
    return Mask(absolute("~", client.env), tuple(texts))


def _target(client: Client, params: contract.ExportParams) -> str | None:
    given_path = given(params.outputPath)
    if given_path is None:
        return None
    path = client.places.output(given_path)
    if client.config.read_only:
        raise ReadOnly(path)
    # Sessions that are open, even if their file was removed or is not written yet.
    documents = client.engine.documents
    opened = [document.path for document in documents if documents.users(document)]
    source = given(params.path)
    if exports.is_taken(path, [*opened, *([] if source is None else [client.places.path(source)])]):
        raise AlreadyExists(path)
    return path


async def _of_handle(client: Client, handle: str, params: contract.ExportParams) -> SessionSnapshot:
    async with turn(client, handle) as view:
        await view.document.settle()
        at = Moment.of(view)
        leaf_id = at.leaf_or(params.leafId)
        only_branch = params.leafId is not UNSET
        snapshot = SessionSnapshot.of(
            at.header, view.cwd, leaf_id, at.tree, only_branch=only_branch
        )
        return attrs.evolve(snapshot, origin=view.document.path if view.persisted else "")


def _of_file(client: Client, contents: Contents, params: contract.ExportParams) -> SessionSnapshot:
    tree = contents.tree
    leaf_id = tree.leaf_id if params.leafId is UNSET else given(params.leafId)
    if leaf_id is not None and leaf_id not in tree:
        raise EntryNotFound(leaf_id)
    header = contents.header
    cwd = client.places.cwd_of(header.cwd)
    only_branch = params.leafId is not UNSET
    return SessionSnapshot.of(header, cwd, leaf_id, tree, only_branch=only_branch)


METHODS: dict[str, Handler] = {"catalog/export": export}
