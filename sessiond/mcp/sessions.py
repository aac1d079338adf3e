"""The sessions that a server shows to its client: list them, find one, read its branch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote, unquote

import attrs
import msgspec

from sessiond.catalog.projects import Project, project_of
from sessiond.files import workers
from sessiond.format.describe import secrets
from sessiond.format.entries import Entry
from sessiond.format.tree.tree import Tree
from sessiond.mcp import safe_text
from sessiond.methods.handlers import moment
from sessiond.methods.local import Local
from sessiond.methods.table import FAMILIES
from sessiond.rpc.codec import encode
from sessiond.runtime.clock import aware, period_minutes
from sessiond.runtime.home import absolute
from sessiond.runtime.named_times import named_time
from sessiond.sessions.moment import Moment
from sessiond.text.dates import iso_from_ms
from sessiond.text.safe import visible
from sessiond.text.spans import loads

if TYPE_CHECKING:
    from sessiond.catalog.summaries import Summary
    from sessiond.runtime.config import McpConfig


ADDRESS = "sessiond://session/"
ADDRESS_ENTRY = "/entry/"
"""The text before the id of a session, and of an entry, in the address of a resource."""


@attrs.frozen
class Address:
    """A session, or an entry of it."""

    session: str
    entry: str | None

    @property
    def uri(self) -> str:
        start = f"{ADDRESS}{quote(self.session, safe='')}"
        if self.entry is None:
            return start
        return f"{start}{ADDRESS_ENTRY}{quote(self.entry, safe='')}"


def address_of(uri: str) -> Address | None:
    """Read an address; None if it is none of this server's."""
    if not uri.startswith(ADDRESS):
        return None
    session, sign, entry = uri.removeprefix(ADDRESS).partition(ADDRESS_ENTRY)
    if not session or "/" in session or "/" in entry or (sign and not entry):
        return None
    return Address(unquote(session), unquote(entry) if sign else None)


T = TypeVar("T")

Info = Mapping[str, Any]
"""A `SessionInfo` of the contract."""

TITLE = 120
_DIRECTORY = 200


class ToolFailure(Exception):
    """A tool cannot do what it was asked for; the text tells the model what to do instead.

    `quotes` are ids of sessions, which anybody may have chosen.
    """

    def __init__(self, message: str, quotes: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.quotes = quotes


def _import() -> None:
    """Import what the methods need that are called here. Blocking."""
    for prefix in ("session/list", "catalog/"):
        FAMILIES[prefix].load()
    import_module("sessiond_protocol.session.table")
    import_module("sessiond.sessions.notifications.live")


class ShownSessions:
    """The sessions that a server shows to its client."""

    def __init__(self, config: McpConfig, local: Local) -> None:
        self.local = local
        env = local.env
        own = project_of(env.get("PWD") or "/", env.get("HOME") or "/")
        self.project: Project | None = None if config.everywhere else own
        self._mask = config.mask
        self._is_imported = False

    async def call(self, method: str, **params: Any) -> Any:
        """Call a method of the daemon, and raise what it raises. A worker imports it first."""
        await self._prepare()
        return await self.local.call(method, **params)

    async def _prepare(self) -> None:
        if not self._is_imported:
            await workers.reading(workers.LONG, _import)
            self._is_imported = True

    @property
    def scope(self) -> str:
        """Which sessions are shown, for people and models."""
        if self.project is None:
            return "all directories"
        return "this project"

    @property
    def widen(self) -> str:
        """How to see more sessions, as a further sentence; empty where all are shown."""
        if self.project is None:
            return ""
        return (
            " The user can start the server as `sessiond mcp --all` to show those of all"
            " directories."
        )

    def shows(self, info: Info) -> bool:
        """Whether a session is shown."""
        return self.project is None or self.project.holds(str(info["cwd"]))

    def text(self, text: str) -> str:
        """Return a text that may be shown: visible, and without secrets."""
        return visible(secrets.masked(text) if self._mask else text)

    def title(self, info: Info) -> str:
        """Return the session's name, else the beginning of its first message."""
        # A secret that was cut before it is masked would not be recognised.
        name = str(info.get("name") or info.get("firstMessage") or "")
        return safe_text.one_line(self.text(name), TITLE)

    def directory(self, info: Info) -> str:
        return safe_text.one_line(self.text(str(info["cwd"])), _DIRECTORY)

    async def infos(
        self, cwd: str | None = None, period: Period | None = None, model: str | None = None
    ) -> list[Info]:
        """The sessions that are shown, the latest first.

        `cwd` limits them to that directory and those below it, `period` to those that were used
        then. Raises ToolFailure for a directory that is not shown, and what `session/listAll`
        raises.
        """
        holds = self._within(cwd)
        times = {} if period is None else period.times()
        answer = await self.call("session/listAll", **times, model=model)
        sessions: list[Info] = answer["sessions"]
        return sessions if holds is None else [it for it in sessions if holds(str(it["cwd"]))]

    async def search(self, cwd: str | None, period: Period, **params: Any) -> dict[str, Any]:
        """The result of `catalog/search` over the sessions that are shown, with `text` in snippets.

        `cwd` limits them to that directory and those below it, `period` to what was said then.
        Raises ToolFailure for a directory that is not shown, and what `catalog/search` raises.
        """
        in_directory = self._within(cwd)
        await self._prepare()
        from sessiond_protocol.catalog.search import CatalogSearchParams

        from sessiond.methods.catalog.search import search_among

        def holds(summary: Summary) -> bool:
            return in_directory is not None and in_directory(summary.header.cwd or "")

        given = {name: value for name, value in params.items() if value is not None}
        result = await search_among(
            self.local.client,
            msgspec.convert(given, CatalogSearchParams),
            holds=None if in_directory is None else holds,
            clean=self.text,
            between=(period.start, period.end),
        )
        answer: dict[str, Any] = loads(encode(result))
        return answer

    def _within(self, cwd: str | None) -> Callable[[str], bool] | None:
        """Return whether a working directory is wanted; None: each is. Raises ToolFailure."""
        own = self.project
        if cwd is None:
            return None if own is None else own.holds
        path = absolute(cwd, self.local.env)
        if "/" not in cwd and cwd not in (".", "..", "~"):
            # The name of a project, as people say it.
            below = Project(path)

            def is_named(directory: str) -> bool:
                is_wanted = below.holds(directory) or cwd in directory.split("/")
                return is_wanted and (own is None or own.holds(directory))

            return is_named
        project = Project(path)
        if self.project is not None and not self.project.holds(path):
            if project.holds(self.project.root):
                return self.project.holds
            raise ToolFailure(
                f"This server shows only sessions of {self.scope}, and cwd is outside of it."
                " Leave cwd out, or ask the user to start the server as `sessiond mcp --all`."
            )
        return project.holds

    async def find(self, given: str) -> Info:
        """Return the session with this id or address or beginning of an id, or the latest (`last`).

        Raises ToolFailure.
        """
        sessions = await self.infos()
        address = address_of(given)
        if address is not None:
            given = address.session
        if given == "last" and sessions:
            return sessions[0]
        candidates = [info for info in sessions if session_id(info) == given]
        # Of copies with the same id the latest counts.
        candidates = candidates[:1] or [
            info for info in sessions if session_id(info).startswith(given)
        ]
        if len(candidates) == 1 and given:
            return candidates[0]
        if candidates and given:
            ids = [session_id(info) for info in candidates[:10]]
            raise ToolFailure(f"{len(candidates)} sessions have ids that begin so. Name one:", ids)
        raise ToolFailure(
            f"No session of {self.scope} has this id. search_sessions and list_sessions show ids."
            f"{self.widen}"
        )

    async def read(self, info: Info, work: Callable[[Moment], T]) -> T:
        """Open a session and call `work` with a snapshot of it, in a worker if it is large.

        Raises as `session/open`.
        """
        state = await self.call("session/open", path=info["path"], readOnly=True, mustExist=True)
        try:
            at = await moment(self.local.client, state["session"])
            return await workers.computing(at.tree.cost, work, at)
        finally:
            await self.call("session/close", session=state["session"])


class Branch:
    """The entries of a branch from the root on, whose lines are read when they are needed."""

    def __init__(self, tree: Tree, leaf_id: str | None) -> None:
        self._tree = tree
        self.entries: Sequence[Entry] = tree.branch(leaf_id)

    def __len__(self) -> int:
        return len(self.entries)

    def line(self, at: int) -> bytes:
        """The JSON of an entry."""
        return self.entries[at].raw

    def label(self, at: int) -> str | None:
        return self._tree.label(self.entries[at].id)

    def index(self, entry_id: str) -> int | None:
        """The position of an entry, from 0; None if it is not on the branch."""
        return next((at for at, each in enumerate(self.entries) if each.id == entry_id), None)


def session_id(info: Info) -> str:
    return safe_text.session_id(str(info["id"]), str(info["path"]))


@attrs.frozen
class Period:
    """A part of time, in milliseconds since the epoch; None: without a limit."""

    start: float | None = None
    end: float | None = None
    """Excluded."""

    def times(self) -> dict[str, str | None]:
        """Return the params of `session/listAll`."""
        return {"since": _timestamp(self.start), "until": _timestamp(self.end)}


def _timestamp(ms: float | None) -> str | None:
    return None if ms is None else iso_from_ms(ms)


def period_of(since: str | None, until: str | None) -> Period:
    """Read two times as commands do (`named_time`), or of ISO 8601; local without a time zone.

    The day, week or month of `until` is included. Raises ToolFailure.
    """
    return Period(_ms("since", since), _ms("until", until))


def _ms(name: str, given: str | None) -> float | None:
    if given is None:
        return None
    text = given.strip()
    # A span may have spaces.
    span = "".join(text.split())
    try:
        part = named_time(text if period_minutes(span) is None else span, datetime.now(UTC), None)
        at = aware(part.begin if name == "since" else part.end)
    except (ValueError, OverflowError):
        at = _iso_time(name, text)
    return at.timestamp() * 1000


def _iso_time(name: str, text: str) -> datetime:
    """Return a time of ISO 8601, which may have a zone. Raises ToolFailure."""
    try:
        return aware(datetime.fromisoformat(text))
    except ValueError:
        raise ToolFailure(
            f"`{name}` must be a span such as 90m, 6h, 2d, 3w, 6mo, 1y, a word such as yesterday,"
            " tuesday or last week, or a date such as 2026-01-31."
        ) from None
