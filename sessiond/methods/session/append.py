"""Methods that append one entry and move the handle's leaf onto it.

A function here builds the line from the stamp and the params; `METHODS` names it, and
`session/appending.py` calls it once the file is locked and current.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from msgspec import UNSET, Raw, UnsetType
from sessiond_protocol.session import append as contract
from sessiond_protocol.wire import given

from sessiond.format import lines
from sessiond.methods.client import Client
from sessiond.methods.handlers import Handler, turn
from sessiond.session.appending import (
    Appended,
    Conditions,
    Stamp,
    append,
    append_compaction,
    append_context_edit,
    branch_with_summary,
    check_message,
)
from sessiond.session.view import View

P = TypeVar("P", bound=contract.AppendParams)


def _writing(write: Callable[[View, P, Conditions], Awaitable[Appended]]) -> Handler:
    """A method that prepares more than a line before it appends."""

    async def handler(client: Client, params: P) -> contract.AppendResult:
        async with turn(client, params.session) as view:
            done = await write(view, params, conditions_of(params))
        return result_of(done)

    return handler


def _line(build: Callable[[Stamp, P], bytes], check: Callable[[P], None] | None = None) -> Handler:
    """A method that appends the line built from the stamp and the params.

    `check` raises for params that are refused, also if a retry finds its entry there already.
    """

    async def handler(client: Client, params: P) -> contract.AppendResult:
        async with turn(client, params.session) as view:
            if check is not None:
                check(params)
            done = await append(view, lambda at: build(at, params), conditions_of(params))
        return result_of(done)

    return handler


def conditions_of(params: contract.AppendParams) -> Conditions:
    """What the caller demands of the moment of writing."""
    return Conditions(given(params.newEntryId), params.expectedLeafId, params.expectedTipId)


def result_of(done: Appended) -> contract.AppendResult:
    """The entry that was appended, as every append answers it."""
    entry = done.entry
    return contract.AppendResult(
        id=entry.id,
        parentId=entry.parent_id,
        timestamp=entry.timestamp,
        written=done.written,
        existed=done.existed or UNSET,
    )


def raw_of(value: Any) -> bytes | None:
    """A raw member as bytes; None where it is absent."""
    return None if isinstance(value, UnsetType) else _bytes(value)


def _bytes(value: Any) -> bytes:
    assert isinstance(value, Raw)  # noqa: S101 - what the contract's classes hold in the daemon
    return bytes(value)


def _check_message(params: contract.AppendMessageParams) -> None:
    check_message(_bytes(params.message))


def message(at: Stamp, params: contract.AppendMessageParams) -> bytes:
    return lines.message_line(at.id, at.parent_id, at.timestamp, _bytes(params.message))


def thinking_level_change(at: Stamp, params: contract.AppendThinkingLevelChangeParams) -> bytes:
    return lines.thinking_level_change_line(at.id, at.parent_id, at.timestamp, params.thinkingLevel)


def model_change(at: Stamp, params: contract.AppendModelChangeParams) -> bytes:
    return lines.model_change_line(
        at.id, at.parent_id, at.timestamp, params.provider, params.modelId
    )


async def append_compaction_entry(
    view: View, params: contract.AppendCompactionParams, conditions: Conditions
) -> Appended:
    def build(at: Stamp, system_message: bytes | None) -> bytes:
        return lines.compaction_line(
            at.id,
            at.parent_id,
            at.timestamp,
            summary=params.summary,
            first_kept_entry_id=given(params.firstKeptEntryId),
            tokens_before=str(params.tokensBefore).encode(),
            details=raw_of(params.details),
            usage=raw_of(params.usage),
            from_hook=given(params.fromHook),
            system_message=system_message,
        )

    return await append_compaction(view, build, conditions)


def custom_entry(at: Stamp, params: contract.AppendCustomEntryParams) -> bytes:
    return lines.custom_line(
        at.id, at.parent_id, at.timestamp, params.customType, data=raw_of(params.data)
    )


def session_info(at: Stamp, params: contract.AppendSessionInfoParams) -> bytes:
    return lines.session_info_line(at.id, at.parent_id, at.timestamp, params.name)


def custom_message_entry(at: Stamp, params: contract.AppendCustomMessageEntryParams) -> bytes:
    return lines.custom_message_line(
        at.id,
        at.parent_id,
        at.timestamp,
        custom_type=params.customType,
        content=_bytes(params.content),
        display=params.display,
        details=raw_of(params.details),
    )


async def append_label_change(
    view: View, params: contract.AppendLabelChangeParams, conditions: Conditions
) -> Appended:
    def build(at: Stamp) -> bytes:
        target = view.entry(params.targetId)
        return lines.label_line(at.id, at.parent_id, at.timestamp, target.id, given(params.label))

    return await append(view, build, conditions)


def usage(at: Stamp, params: contract.AppendUsageParams) -> bytes:
    return lines.usage_line(
        at.id,
        at.parent_id,
        at.timestamp,
        kind=params.kind,
        provider=params.provider,
        model=params.model,
        usage=_bytes(params.usage),
        note=given(params.note),
    )


async def append_context_edit_entry(
    view: View, params: contract.AppendContextEditParams, conditions: Conditions
) -> Appended:
    return await append_context_edit(view, params.targetId, _bytes(params.replacement), conditions)


async def branch_with_summary_entry(
    view: View, params: contract.BranchWithSummaryParams, conditions: Conditions
) -> Appended:
    def build(at: Stamp, from_id: str | None) -> bytes:
        return lines.branch_summary_line(
            at.id,
            at.parent_id,
            at.timestamp,
            from_id=from_id,
            summary=params.summary,
            details=raw_of(params.details),
            usage=raw_of(params.usage),
            from_hook=given(params.fromHook),
        )

    return await branch_with_summary(view, params.entryId, build, conditions)


METHODS: dict[str, Handler] = {
    "session/appendMessage": _line(message, _check_message),
    "session/appendThinkingLevelChange": _line(thinking_level_change),
    "session/appendModelChange": _line(model_change),
    "session/appendCompaction": _writing(append_compaction_entry),
    "session/appendCustomEntry": _line(custom_entry),
    "session/appendSessionInfo": _line(session_info),
    "session/appendCustomMessageEntry": _line(custom_message_entry),
    "session/appendLabelChange": _writing(append_label_change),
    "session/appendUsage": _line(usage),
    "session/appendContextEdit": _writing(append_context_edit_entry),
    "session/branchWithSummary": _writing(branch_with_summary_entry),
}
