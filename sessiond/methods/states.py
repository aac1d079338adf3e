"""Encode session states and diagnostics; a file may have one diagnostic per line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from sessiond_protocol.session.state import Diagnostic

from sessiond.files import workers
from sessiond.format import entries
from sessiond.methods.client import Client
from sessiond.rpc import codec
from sessiond.runtime.limits import INLINE_ENTRIES, INLINE_READ_BYTES, SHOWN_DIAGNOSTICS
from sessiond.sessions.view import View
from sessiond.text.spans import Buffer, Json

_RUN = 500


async def session_state(client: Client, view: View) -> Json:
    """Return a SessionState, encoded. The caller holds the turn or has just created the view."""
    agent = None if view.session_file is None else client.places.agent_of(view.session_file)
    draft = client.engine.drafts.draft(view, view.document)
    start = codec.encode(view.state(client.in_use, agent, draft)).removesuffix(b"]}")
    contents = view.document.contents
    size = contents.unexamined * (INLINE_READ_BYTES // INLINE_ENTRIES)
    encoded = await workers.computing(size, _encoded, contents.diagnosing())
    return Json.of(start, *encoded, b"}")


def _encoded(diagnose: Callable[[], list[entries.Diagnostic]]) -> list[Buffer]:
    every = diagnose()
    count = b',"diagnosticCount":%d' % len(every) if len(every) > SHOWN_DIAGNOSTICS else b""
    return [*diagnostics(every[:SHOWN_DIAGNOSTICS]), b"]" + count]


def diagnostics(items: Iterable[entries.Diagnostic]) -> Iterator[bytes]:
    """Yield the body of an array of diagnostics, in parts of some hundred each."""
    remaining = iter(items)
    comma = b""
    while run := list(islice(remaining, _RUN)):
        part = [Diagnostic(line=one.line, kind=one.kind, message=one.message) for one in run]
        yield comma + codec.encode(part)[1:-1]
        comma = b","
