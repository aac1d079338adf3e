"""`catalog/stats`: statistics of one session."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, UnsetType
from sessiond_protocol.catalog import stats as figures
from sessiond_protocol.wire import given

from sessiond.catalog.usage.prices import Prices
from sessiond.files import workers
from sessiond.files.contents import Contents
from sessiond.format.describe.stats import Counts, Stats, Used, count
from sessiond.methods.client import Client
from sessiond.methods.dates import day_of, zone_of
from sessiond.methods.handlers import Handler, turn
from sessiond.methods.prices import price_data, prices_for
from sessiond.runtime.clock import day_in
from sessiond.runtime.errors import InvalidParams
from sessiond.text.dates import iso_from_ms


async def stats(client: Client, params: figures.StatsParams) -> figures.StatsResult:
    path, handle = given(params.path), given(params.session)
    where = zone_of(params.timezone)

    def day(at: float) -> str | None:
        return day_in(at, where)

    counts = _counts(params)
    prices = await prices_for(params)
    price = None if prices is None else prices.fill_each

    async def counted_file(contents: Contents) -> Stats:
        tree = contents.tree.snapshot()
        return await workers.reading(tree.nbytes, count, tree, counts, day, price)

    if (path is None) == (handle is None):
        raise InvalidParams("expected exactly one of `path` and `session`")
    if handle is not None:
        async with turn(client, handle) as view:
            await view.document.refresh()
            document = view.document
            size = document.state.size if document.state else 0
            tree = document.tree.snapshot()
        counted = await workers.reading(tree.nbytes, count, tree, counts, day, price)
        return _figures(counted, size, prices)
    path = client.places.path(path or "")
    size = await client.engine.catalogue.size(path)
    return _figures(await client.engine.documents.use(path, counted_file), size, prices)


def _counts(params: figures.StatsParams) -> Counts | None:
    """Return which days count; None: all entries. Raises InvalidParams."""
    since, until = day_of(params.since, "since"), day_of(params.until, "until")
    if since is None and until is None:
        return None
    return lambda day: day is not None and (since or "") <= day <= (until or day)


def _figures(counted: Stats, size: int, prices: Prices | None) -> figures.StatsResult:
    return figures.StatsResult(
        branches=counted.branches,
        sizeBytes=size,
        prices=price_data(prices),
        **shared_figures(counted),
    )


def shared_figures(counted: Stats) -> dict[str, Any]:
    """The members that all answers with statistics have in common."""
    first, last = activity(counted)
    return {
        "messages": figures.MessageFigures(byRole=dict(counted.by_role)),
        "toolCalls": counted.tool_calls,
        "toolResults": counted.tool_results,
        "compactions": counted.compactions,
        "tokens": tokens(counted.used),
        **cost(counted.used),
        "byModel": by_model(counted),
        "byDay": by_day(counted),
        "firstActivity": first,
        "lastActivity": last,
    }


def tokens(used: Used) -> figures.TokenFigures:
    return figures.TokenFigures(**used.tokens)


def cost(used: Used) -> dict[str, Any]:
    """Return the members that say what usage cost."""
    is_known = used.has_cost or not used.without_cost
    return {
        "cost": figures.CostFigures(**used.cost) if is_known else UNSET,
        "withoutCost": used.without_cost or UNSET,
        "calculated": used.calculated or UNSET,
    }


def by_model(counted: Stats) -> list[figures.ModelFigures]:
    return [
        figures.ModelFigures(
            provider=provider,
            model=model,
            messages=used.messages,
            tokens=tokens(used),
            **cost(used),
        )
        for (provider, model), used in counted.by_model.items()
    ]


def by_day(counted: Stats) -> list[figures.DayFigures]:
    return [
        figures.DayFigures(day=day, messages=used.messages, tokens=tokens(used), **cost(used))
        for day, used in sorted(counted.by_day.items())
    ]


def activity(counted: Stats) -> tuple[str | UnsetType, str | UnsetType]:
    """Times of the first and the last activity."""
    first, last = (
        None if at is None else iso_from_ms(at)
        for at in (counted.first_activity, counted.last_activity)
    )
    return first or UNSET, last or UNSET


METHODS: dict[str, Handler] = {"catalog/stats": stats}
