"""`catalog/usage`: tokens and cost of many sessions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable

from msgspec import UNSET
from sessiond_protocol.catalog import usage as contract
from sessiond_protocol.catalog.stats import CostFigures, TokenFigures
from sessiond_protocol.session.state import SessionInfo
from sessiond_protocol.wire import given

from sessiond.catalog.listing import problems
from sessiond.catalog.projects import repository_of
from sessiond.catalog.summaries import Summary
from sessiond.catalog.usage.count import FileUsage
from sessiond.catalog.usage.report import Question, ReportRow, Total, report
from sessiond.files import workers
from sessiond.methods.client import Client
from sessiond.methods.dates import day_of, zone_of
from sessiond.methods.handlers import Handler
from sessiond.methods.prices import price_data, prices_for
from sessiond.methods.session.list import project_in, scope_of
from sessiond.rpc.codec import encode
from sessiond.runtime.clock import now_ms, zone_name
from sessiond.runtime.home import absolute
from sessiond.runtime.isolation import Faults
from sessiond.text.spans import Json

Info = Callable[[Summary], SessionInfo]
"""Returns a session in the form of the contract."""


async def usage(client: Client, params: contract.CatalogUsageParams) -> Json:
    question = Question(
        by=given(params.by) or "day",
        then_by=given(params.thenBy),
        zone=zone_of(params.timezone),
        since=day_of(params.since, "since"),
        until=day_of(params.until, "until"),
        model=given(params.model),
        project_of=_project_directories(client),
        agent_of=client.agent_of,
        copies=bool(given(params.copies)),
        prices=await prices_for(params),
    )
    scope = scope_of(client, params)
    listing = await client.engine.catalogue.listing(scope)
    faults = Faults(listing.faults)
    project = project_in(client, given(params.project))
    sessions = listing.newest_first()
    if project is not None:
        sessions = [*filter(project.has_session, sessions)]
    counted = await client.engine.catalogue.usage(sessions, faults)
    # In a worker thread, because there may be thousands of rows.
    rest, rows = await workers.scanning(_answer, counted, question, faults, client.infos())
    rest.problems = problems([*listing.faults, *faults])
    begin = b'{"rows":['
    return Json.of(begin, b",".join(rows), encode(rest).removeprefix(begin))


def _project_directories(client: Client) -> Callable[[Summary], str]:
    """Return what gives the directory of a session's project; each directory is looked at once."""
    home = absolute("~", client.env)
    directory_of = functools.cache(lambda cwd: repository_of(cwd, home))

    def project(summary: Summary) -> str:
        # A directory of another host says nothing about this one's.
        cwd = summary.cwd or ""
        return directory_of(cwd) if cwd and summary.home is None else cwd

    return project


def _answer(
    counted: Iterable[tuple[Summary, FileUsage]], question: Question, faults: Faults, info: Info
) -> tuple[contract.CatalogUsageResult, list[bytes]]:
    """The result without rows and problems, and the encoded rows."""
    usage_report = report(counted, question, faults)
    rows = faults.each(
        usage_report.rows,
        lambda row: row.key if row.summary is None else row.summary.path,
        lambda row: encode(_row(row, info)),
    )
    rest = contract.CatalogUsageResult(
        rows=[],
        sums=_sums(usage_report.total),
        sessionCount=usage_report.sessions,
        omittedCopies=usage_report.copies,
        currency="USD",
        timezone=zone_name(now_ms(), question.zone),
        prices=price_data(question.prices),
    )
    return rest, rows


def _row(row: ReportRow, info: Info) -> contract.UsageRow:
    summary = row.summary
    return contract.UsageRow(
        key=row.key,
        sums=_sums(row.total),
        models=[
            contract.ModelUsage(provider=provider, model=model, sums=_sums(total))
            for (provider, model), total in row.by_model.items()
        ],
        info=UNSET if summary is None else info(summary),
        rows=UNSET if row.inner is None else [_inner(each, info) for each in row.inner],
    )


def _inner(row: ReportRow, info: Info) -> contract.InnerUsageRow:
    return contract.InnerUsageRow(
        key=row.key,
        sums=_sums(row.total),
        info=UNSET if row.summary is None else info(row.summary),
    )


def _sums(total: Total) -> contract.UsageSums:
    return contract.UsageSums(
        entries=total.entries,
        withoutCost=total.without_cost,
        tokens=TokenFigures(
            input=total.input,
            output=total.output,
            cacheRead=total.cache_read,
            cacheWrite=total.cache_write,
            total=total.tokens,
        ),
        cost=CostFigures(
            input=total.input_cost,
            output=total.output_cost,
            cacheRead=total.cache_read_cost,
            cacheWrite=total.cache_write_cost,
            total=total.total_cost,
        )
        if total.has_cost
        else UNSET,
        calculated=total.calculated or UNSET,
    )


METHODS: dict[str, Handler] = {"catalog/usage": usage}
