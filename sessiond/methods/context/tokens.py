"""Measure a context, and convert its messages for a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

from msgspec import UNSET, Raw, UnsetType
from sessiond_protocol.context import tokens as contract
from sessiond_protocol.wire import given

from sessiond.files import workers
from sessiond.format.context.build import Context, build_context
from sessiond.format.context.llm_text import PART_SEPARATOR, conversation_parts, to_llm
from sessiond.format.context.repaired import repaired
from sessiond.format.context.tokens import (
    DEFAULT_KEEP_RECENT_TOKENS,
    DEFAULT_RESERVE_TOKENS,
    CompactionPolicy,
    estimate_context,
    estimate_messages,
    is_counted,
)
from sessiond.methods.client import Client
from sessiond.methods.handlers import Handler, moment
from sessiond.runtime.errors import InvalidParams
from sessiond.sessions.results import runs
from sessiond.text.spans import Buffer, Json, js_string, raw_members

T = TypeVar("T")

_PIECE = 1024 * 1024
_RUN = 512


async def planned(client: Client, session: str, plan: Callable[[Context], T]) -> T:
    """Run `plan` on the context at the leaf of a handle; in a worker if the session is large."""
    at = await moment(client, session)
    return await workers.computing(at.tree.cost, lambda: plan(build_context(at.tree, at.leaf_id)))


async def _over_messages(
    client: Client,
    params: contract.MessagesParams,
    of_session: Callable[[Context], T],
    of_messages: Callable[[list[bytes]], T],
) -> T:
    session, sent = given(params.session), given(params.messages)
    if (session is None) == (sent is None):
        raise InvalidParams("expected exactly one of `session` and `messages`")
    if session is not None:
        return await planned(client, session, of_session)
    messages = sent or []
    return await workers.computing(
        workers.size_of(messages),
        lambda: of_messages([_message(raw, at) for at, raw in enumerate(messages)]),
    )


def _message(raw: object, index: int) -> bytes:
    assert isinstance(raw, Raw)  # noqa: S101 - the daemon decodes opaque members as Raw
    message = bytes(raw)
    try:
        role = raw_members(message).get("role")
    except ValueError:
        raise InvalidParams.misfit("an object", message, f"$.messages[{index}]") from None
    if role is None or role[:1] != b'"':
        raise InvalidParams.misfit("a string", role, f"$.messages[{index}].role")
    return message


async def estimate_tokens(
    client: Client, params: contract.MessagesParams
) -> contract.EstimateTokensResult:
    return await _over_messages(client, params, _estimate_of_context, _estimate_of_messages)


def _estimate_of_context(context: Context) -> contract.EstimateTokensResult:
    estimate = estimate_context(context)
    last = estimate.last_usage
    return contract.EstimateTokensResult(
        tokens=estimate.tokens,
        usageTokens=estimate.usage,
        trailingTokens=estimate.trailing,
        lastUsageEntryId=UNSET if last is None else context.entries[last].id,
    )


def _estimate_of_messages(messages: list[bytes]) -> contract.EstimateTokensResult:
    estimate = estimate_messages(messages)
    return contract.EstimateTokensResult(
        tokens=estimate.tokens,
        usageTokens=estimate.usage,
        trailingTokens=estimate.trailing,
        lastUsageIndex=UNSET if estimate.last_usage is None else estimate.last_usage,
    )


async def should_compact(
    client: Client, params: contract.ShouldCompactParams
) -> contract.ShouldCompactResult:
    policy, window = policy_of(params.settings), params.contextWindow
    tokens = await planned(client, params.session, lambda context: estimate_context(context).tokens)
    return contract.ShouldCompactResult(
        compact=policy.should_compact(tokens, window),
        tokens=tokens,
        threshold=policy.threshold(window),
    )


def policy_of(sent: contract.CompactionSettings | UnsetType | None) -> CompactionPolicy:
    settings = given(sent)
    if settings is None:
        return CompactionPolicy()
    reserve, keep = given(settings.reserveTokens), given(settings.keepRecentTokens)
    return CompactionPolicy(
        enabled=settings.enabled is not False,
        reserve=DEFAULT_RESERVE_TOKENS if reserve is None else reserve,
        keep_recent=DEFAULT_KEEP_RECENT_TOKENS if keep is None else keep,
        reserve_floor=given(settings.reserveTokensFloor) or 0,
    )


async def usage(client: Client, params: contract.WindowUsageParams) -> contract.WindowUsageResult:
    window = params.contextWindow
    tokens = await planned(client, params.session, _shown_tokens)
    percent = None if tokens is None else tokens / window * 100
    return contract.WindowUsageResult(tokens=tokens, contextWindow=window, percent=percent)


def _shown_tokens(context: Context) -> int | None:
    return estimate_context(context).tokens if is_counted(context) else None


def array(values: Iterable[bytes]) -> list[Buffer]:
    return [b"[", *runs(values), b"]"]


async def to_llm_messages(client: Client, params: contract.ToLlmParams) -> Json:
    def converted(messages: Iterable[bytes]) -> Json:
        sent = to_llm(messages)
        return Json.of(b'{"messages":', *array(repaired(sent) if params.repair else sent), b"}")

    return await _over_messages(
        client, params, lambda context: converted(context.messages()), converted
    )


def _escaped(parts: Iterable[str]) -> Iterator[bytes]:
    """Yield the inside of a JSON string of joined parts.

    Some hundred parts at a time, in pieces: one call on a large text would block the event loop.
    """
    remaining = iter(parts)
    separator = ""
    while run := list(islice(remaining, _RUN)):
        text = separator + PART_SEPARATOR.join(run)
        separator = PART_SEPARATOR
        for at in range(0, len(text), _PIECE):
            yield js_string(text[at : at + _PIECE])[1:-1]


async def serialized(client: Client, params: contract.MessagesParams) -> Json:
    def text(messages: Iterable[bytes]) -> Json:
        return Json.of(b'{"text":"', *_escaped(conversation_parts(messages)), b'"}')

    return await _over_messages(client, params, lambda context: text(context.messages()), text)


METHODS: dict[str, Handler] = {
    "context/estimateTokens": estimate_tokens,
    "context/shouldCompact": should_compact,
    "context/windowUsage": usage,
    "context/toLlm": to_llm_messages,
    "context/serialize": serialized,
}
