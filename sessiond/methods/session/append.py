"""Methods that append one entry and move the handle's leaf to it.

A function of this module checks the params, and returns a function that builds the line from a
stamp. `METHODS` lists it; `sessions/appending.py` calls the returned function after the file was
locked and refreshed.
"""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar, cast

import attrs
from msgspec import UNSET, Raw, UnsetType
from sessiond_protocol.session import append as contract
from sessiond_protocol.wire import given

from sessiond.files import workers
from sessiond.format import lines, requirements
from sessiond.format.entries import CONTEXT_EDIT, MODEL_CHANGE, THINKING_LEVEL_CHANGE
from sessiond.format.lines import Stamp
from sessiond.methods.client import Client
from sessiond.methods.handlers import Handler, Several, turn
from sessiond.rpc.params import members_of
from sessiond.sessions.appending import (
    Appended,
    Build,
    Conditions,
    NewEntry,
    append_all,
    check_editable,
    check_kept,
    is_on_branch,
    system_message_at,
    whole_tree,
)
from sessiond.sessions.view import View

P = TypeVar("P", bound=contract.AppendParams)


def _appending(
    prepare: Callable[[View, P], Awaitable[Build]],
    *,
    parent: Callable[[P], str | UnsetType | None] = lambda _: UNSET,
    size: Callable[[View], int] = lambda _: 0,
) -> Several:
    """A method that appends an entry under the leaf, or under the `parent` from the params.

    Invalid params are refused also if a retry finds its entry already in the file. `size` is what
    the line takes to build, besides the params.
    """

    async def several(
        client: Client, requests: Sequence[P]
    ) -> list[contract.AppendResult | Exception]:
        async with turn(client, requests[0].session) as view:
            prepared = [await _prepared(view, params) for params in requests]
            entries = [each for each in prepared if isinstance(each, NewEntry)]
            cost = size(view) + sum(map(_size_of, requests))
            done = iter(await append_all(view, entries, size=cost))
            return [
                each if isinstance(each, Exception) else _answer(next(done)) for each in prepared
            ]

    async def _prepared(view: View, params: P) -> NewEntry | Exception:
        try:
            build = await prepare(view, params)
        except Exception as error:  # noqa: BLE001 - it becomes the answer of this request
            return error
        return NewEntry(build, conditions_of(params), parent(params))

    return Several(several)


def _joinable(make: Callable[[P], Build]) -> Several:
    """The same for an entry that depends only on the params; several are written together.

    `make` checks the params and returns the build function.
    """

    async def prepare(_view: View, params: P) -> Build:
        return await workers.computing(_size_of(params), make, params)

    return attrs.evolve(_appending(prepare), is_joined=True)


def _answer(done: Appended | Exception) -> contract.AppendResult | Exception:
    return done if isinstance(done, Exception) else result_of(done)


def _size_of(params: contract.AppendParams) -> int:
    """The bytes of raw members, and the characters of texts, without ids."""
    size = 0
    for name in _names(cast("Any", type(params))):
        value = getattr(params, name)
        if isinstance(value, str):
            size += len(value)
        elif isinstance(value, Raw):
            size += len(memoryview(value))
    return size


@functools.cache
def _names(params_type: Any) -> tuple[str, ...]:
    of_all = members_of(contract.AppendParams)
    return tuple(field.name for field in attrs.fields(params_type) if field.name not in of_all)


def conditions_of(params: contract.AppendParams) -> Conditions:
    """Return what must be true when the entry is written."""
    return Conditions(given(params.newEntryId), params.expectedLeafId, params.expectedTipId)


def result_of(done: Appended) -> contract.AppendResult:
    """Return the appended entry in the form of the contract."""
    entry = done.entry
    return contract.AppendResult(
        id=entry.id,
        parentId=entry.parent_id,
        leafId=done.leaf_id,
        timestamp=entry.timestamp,
        written=done.written,
        existed=done.existed or UNSET,
    )


def raw_of(value: Any) -> bytes | None:
    """Return a raw member as bytes; None if it is absent."""
    return None if isinstance(value, UnsetType) else _bytes(value)


def _bytes(value: Any) -> bytes:
    assert isinstance(value, Raw)  # noqa: S101 - the daemon decodes opaque members as Raw
    return bytes(value)


def message(params: contract.AppendMessageParams) -> Build:
    sent = _bytes(params.message)
    requirements.check_role(sent)
    if not given(params.unchecked):
        requirements.check_message(sent, "$.message")
    return lambda at: lines.message_line(at, sent)


def thinking_level_change(params: contract.AppendThinkingLevelChangeParams) -> Build:
    return lambda at: lines.entry_line(
        THINKING_LEVEL_CHANGE, at, thinkingLevel=params.thinkingLevel
    )


def model_change(params: contract.AppendModelChangeParams) -> Build:
    return lambda at: lines.entry_line(
        MODEL_CHANGE, at, provider=params.provider, modelId=params.modelId
    )


async def usage_of_summary(sent: Any, *, unchecked: bool | None = False) -> bytes | None:
    """Return the usage of a summary as it was sent. Raises InvalidParams if pi cannot read it."""
    usage = raw_of(sent)
    if usage is not None and usage != b"null" and not unchecked:
        await _checking(requirements.check_usage, usage, "$.usage")
    return usage


async def _checking(check: Callable[[bytes, str], None], value: bytes, path: str) -> None:
    """Check a value, a large one in a worker."""
    await workers.computing(len(value), check, value, path)


async def compaction(view: View, params: contract.AppendCompactionParams) -> Build:
    usage = await usage_of_summary(params.usage, unchecked=given(params.unchecked))
    first_kept = given(params.firstKeptEntryId)

    def build(at: Stamp) -> bytes:
        if first_kept is not None and not given(params.unchecked):
            check_kept(view, first_kept, at.parent_id, "$.firstKeptEntryId")
        return lines.compaction_line(
            at,
            summary=params.summary,
            first_kept_entry_id=first_kept,
            tokens_before=str(params.tokensBefore).encode(),
            details=raw_of(params.details),
            usage=usage,
            from_hook=given(params.fromHook),
            system_message=system_message_at(view, at.parent_id),
        )

    return build


def custom_entry(params: contract.AppendCustomEntryParams) -> Build:
    return lambda at: lines.custom_line(at, params.customType, data=raw_of(params.data))


def session_info(params: contract.AppendSessionInfoParams) -> Build:
    return lambda at: lines.session_info_line(at, params.name)


def custom_message(params: contract.AppendCustomMessageEntryParams) -> Build:
    content = _bytes(params.content)
    if not given(params.unchecked):
        requirements.check_content(content, "$.content")
    return lambda at: lines.custom_message_line(
        at,
        custom_type=params.customType,
        content=content,
        display=params.display,
        details=raw_of(params.details),
    )


async def label_change(view: View, params: contract.AppendLabelChangeParams) -> Build:
    return lambda at: lines.label_line(at, view.entry(params.targetId).id, given(params.label))


def usage(params: contract.AppendUsageParams) -> Build:
    sent = _bytes(params.usage)
    if not given(params.unchecked):
        requirements.check_usage(sent, "$.usage")
    return lambda at: lines.usage_line(
        at,
        kind=params.kind,
        provider=params.provider,
        model=params.model,
        usage=sent,
        note=given(params.note),
    )


async def context_edit(view: View, params: contract.AppendContextEditParams) -> Build:
    replacement = _bytes(params.replacement)
    requirements.check_replacement_form(replacement)
    if not given(params.unchecked):
        await _checking(requirements.check_replacement, replacement, "$.replacement")

    def build(at: Stamp) -> bytes:
        target = view.entry(params.targetId)
        check_editable(target, is_active=is_on_branch(view, target.id, at.parent_id))
        normal = lines.normalized_replacement(target.role, replacement)
        return lines.entry_line(CONTEXT_EDIT, at, targetId=target.id, replacement=normal)

    return build


async def branch_summary(view: View, params: contract.BranchWithSummaryParams) -> Build:
    usage = await usage_of_summary(params.usage, unchecked=given(params.unchecked))
    return lambda at: lines.branch_summary_line(
        at,
        from_id=view.leaf_id,
        summary=params.summary,
        details=raw_of(params.details),
        usage=usage,
        from_hook=given(params.fromHook),
    )


METHODS: dict[str, Handler] = {
    "session/appendMessage": _joinable(message),
    "session/appendThinkingLevelChange": _joinable(thinking_level_change),
    "session/appendModelChange": _joinable(model_change),
    "session/appendCompaction": _appending(compaction, size=whole_tree),
    "session/appendCustomEntry": _joinable(custom_entry),
    "session/appendSessionInfo": _joinable(session_info),
    "session/appendCustomMessageEntry": _joinable(custom_message),
    "session/appendLabelChange": _appending(label_change),
    "session/appendUsage": _joinable(usage),
    "session/appendContextEdit": _appending(context_edit, size=whole_tree),
    "session/branchWithSummary": _appending(branch_summary, parent=lambda params: params.entryId),
}
