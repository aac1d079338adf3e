"""`catalog/setMarks`."""

from __future__ import annotations

from sessiond_protocol.catalog import marks as contract
from sessiond_protocol.wire import given

from sessiond.catalog.listing import wire_marks
from sessiond.catalog.marks import MarkChange, MarkKey, checked_tag
from sessiond.files import workers
from sessiond.methods.client import Client
from sessiond.methods.handlers import Handler
from sessiond.runtime.errors import InvalidParams, InvalidSessionFile, ReadOnly

_MOST = 1000


async def set_marks(client: Client, params: contract.SetMarksParams) -> contract.SetMarksResult:
    if len(params.paths) > _MOST:
        raise InvalidParams(f"at most {_MOST} sessions are marked at once", "$.paths")
    change = MarkChange(
        pinned=given(params.pinned),
        hidden=given(params.hidden),
        added=_tags(given(params.addTags), "$.addTags"),
        removed=_tags(given(params.removeTags), "$.removeTags"),
    )
    source = client.engine.source
    keys = []
    for each in params.paths:
        path = client.places.path(each)
        if client.config.read_only:
            raise ReadOnly(path)
        source.refuse("marks", path)
        keys.append(await _key(client, path))
    marks = await source.marks.change(keys, change)
    if source.marks.path is not None:
        # The lists of all clients read the marks again, as after a change of another program.
        client.live.look_at((source.marks.path,))
    return contract.SetMarksResult(marks=[wire_marks(each) for each in marks])


def _tags(words: list[str] | None, place: str) -> frozenset[str]:
    return frozenset(checked_tag(each, f"{place}[{i}]") for i, each in enumerate(words or ()))


async def _key(client: Client, path: str) -> MarkKey:
    """Return what names the marks of a session. Raises as `read_header` does."""
    from sessiond.catalog.discover import read_header

    header = await workers.reading(workers.LONG, read_header, path)
    if header is None:
        raise InvalidSessionFile(path, 1)
    return client.agent_of(path), header.id


METHODS: dict[str, Handler] = {"catalog/setMarks": set_marks}
