"""CoderClaw's session layer: cutting transcripts down to their last lines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec import UNSET
from sessiond_protocol.gateway import transcripts as contract

from sessiond.files.identity import stat_regular
from sessiond.files.locks.flock import rewriting
from sessiond.files.locks.lock_file import lock_file
from sessiond.gateway.clock import now_ms
from sessiond.gateway.config.layout import Layout
from sessiond.gateway.keys import session_key
from sessiond.gateway.keys.lookup import claim, find
from sessiond.gateway.rules.record import CUT, touched
from sessiond.gateway.store.snapshot import Problem
from sessiond.gateway.transcripts.shorten import Shortened, shorten
from sessiond.methods.app import App, Handler
from sessiond.methods.gateway.request import key_of, layout_of, store_problems, store_to_change
from sessiond.methods.gateway.rules import problems_of
from sessiond.methods.gateway.transaction import changing, repeating, transcripts_of

_LINES = 400


async def compact(app: App, params: contract.StoreCompactParams) -> contract.StoreCompactResult:
    layout, now = layout_of(app, params), now_ms()
    key = key_of(layout, params.key, "key")
    agent_id = session_key.agent_of(key, layout.rules)
    store = store_to_change(app, layout, agent_id)
    snapshot = await store.read()
    entry, problems = None, list(snapshot.problems)
    # Not even a directory is made for the lock of a store that does not have it.
    if find(snapshot.items, key, params.key, layout.rules) is not None:
        async with changing(app, layout, agent_id, key) as change:
            claim(change.draft, key, params.key, layout.rules)
        # Where a value that is no entry stands under the key, an alias does not stand in for it.
        entry, problems = change.draft.entry(key), change.draft.problems
    done: Shortened | Literal["no sessionId", "no transcript"] = "no sessionId"
    if entry is not None and entry.string("sessionId"):
        paths = transcripts_of(app, layout, agent_id, store.path, entry)
        done = await _shorten(app, paths, params.maxLines or _LINES, now) or "no transcript"
    if isinstance(done, Shortened) and done.archived is not None and entry is not None:
        session_id = entry.get("sessionId")
        # Apart from the rest: the transcript is cut by now, and would be cut again.
        problems = (
            await repeating(lambda: _forget_tokens(app, layout, key, session_id, now)) or problems
        )
    result = contract.StoreCompactResult(
        ok=True,
        key=key,
        compacted=False,
        problems=store_problems(problems),
        configProblems=problems_of(layout.config),
    )
    if isinstance(done, Shortened):
        result.compacted = done.archived is not None
        result.kept = done.kept
        result.archived = UNSET if done.archived is None else done.archived
    else:
        result.reason = done
    return result


async def _shorten(app: App, paths: Iterable[str], lines: int, now: int) -> Shortened | None:
    """Cut the first transcript there is; None: there is none."""
    path = next((path for path in paths if stat_regular(path) is not None), None)
    if path is None:
        return None

    def work(descriptor: int) -> Shortened:
        return shorten(path, descriptor, lines, now, app.config.profile)

    # Both kinds of lock: a gateway knows the one, other daemons and older ones of ours the other.
    async with lock_file(path, app.config.lock_timeout):
        try:
            done = await rewriting(path, app.config.lock_timeout, work)
        except FileNotFoundError:
            return None
    app.live.look_at((path,))
    return done


async def _forget_tokens(
    app: App, layout: Layout, key: str, session_id: str, now: int
) -> list[Problem]:
    """The counters of a session that was cut, unless the key has another one by now."""
    async with changing(app, layout, session_key.agent_of(key, layout.rules), key) as store:
        entry = store.draft.entry(key)
        if entry is not None and entry.get("sessionId") == session_id:
            store.draft.items[key] = touched(entry, CUT, now)
    return store.draft.problems


METHODS: dict[str, Handler] = {"gateway/compact": compact}
