"""Writing to a session: every method appends one entry and moves the handle's leaf onto it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from msgspec import UNSET, Raw, UnsetType
from sessiond_protocol.session import append as contract
from sessiond_protocol.wire import given

from sessiond.format import lines
from sessiond.methods.app import App, Handler, turn
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


def _appending(write: Callable[[View, P, Conditions], Awaitable[Appended]]) -> Handler:
    async def handler(app: App, params: P) -> contract.AppendResult:
        async with turn(app, params.session) as view:
            done = await write(view, params, conditions_of(params))
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


async def append_message(
    view: View, params: contract.AppendMessageParams, conditions: Conditions
) -> Appended:
    message = _bytes(params.message)
    check_message(message)

    def build(at: Stamp) -> bytes:
        return lines.message_line(at.id, at.parent_id, at.timestamp, message)

    return await append(view, build, conditions)


async def append_thinking_level_change(
    view: View, params: contract.AppendThinkingLevelChangeParams, conditions: Conditions
) -> Appended:
    def build(at: Stamp) -> bytes:
        return lines.thinking_level_change_line(
            at.id, at.parent_id, at.timestamp, params.thinkingLevel
        )

    return await append(view, build, conditions)


async def append_model_change(
    view: View, params: contract.AppendModelChangeParams, conditions: Conditions
) -> Appended:
    def build(at: Stamp) -> bytes:
        return lines.model_change_line(
            at.id, at.parent_id, at.timestamp, params.provider, params.modelId
        )

    return await append(view, build, conditions)


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


async def append_custom_entry(
    view: View, params: contract.AppendCustomEntryParams, conditions: Conditions
) -> Appended:
    def build(at: Stamp) -> bytes:
        return lines.custom_line(
            at.id, at.parent_id, at.timestamp, params.customType, data=raw_of(params.data)
        )

    return await append(view, build, conditions)


async def append_session_info(
    view: View, params: contract.AppendSessionInfoParams, conditions: Conditions
) -> Appended:
    def build(at: Stamp) -> bytes:
        return lines.session_info_line(at.id, at.parent_id, at.timestamp, params.name)

    return await append(view, build, conditions)


async def append_custom_message_entry(
    view: View, params: contract.AppendCustomMessageEntryParams, conditions: Conditions
) -> Appended:
    def build(at: Stamp) -> bytes:
        return lines.custom_message_line(
            at.id,
            at.parent_id,
            at.timestamp,
            custom_type=params.customType,
            content=_bytes(params.content),
            display=params.display,
            details=raw_of(params.details),
        )

    return await append(view, build, conditions)


async def append_label_change(
    view: View, params: contract.AppendLabelChangeParams, conditions: Conditions
) -> Appended:
    def build(at: Stamp) -> bytes:
        target = view.entry(params.targetId)
        return lines.label_line(at.id, at.parent_id, at.timestamp, target.id, given(params.label))

    return await append(view, build, conditions)


async def append_usage(
    view: View, params: contract.AppendUsageParams, conditions: Conditions
) -> Appended:
    def build(at: Stamp) -> bytes:
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

    return await append(view, build, conditions)


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
    "session/appendMessage": _appending(append_message),
    "session/appendThinkingLevelChange": _appending(append_thinking_level_change),
    "session/appendModelChange": _appending(append_model_change),
    "session/appendCompaction": _appending(append_compaction_entry),
    "session/appendCustomEntry": _appending(append_custom_entry),
    "session/appendSessionInfo": _appending(append_session_info),
    "session/appendCustomMessageEntry": _appending(append_custom_message_entry),
    "session/appendLabelChange": _appending(append_label_change),
    "session/appendUsage": _appending(append_usage),
    "session/appendContextEdit": _appending(append_context_edit_entry),
    "session/branchWithSummary": _appending(branch_with_summary_entry),
}
