"""Run a command: prepare its settings and methods, find its session, report its errors."""

from __future__ import annotations

import shlex
import signal
import sys
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeGuard

import click

from sessiond.cli.astext import calculation, clean, homely, one_line, title
from sessiond.cli.screen import Screen
from sessiond.cli.settings import settings, settings_of_reader
from sessiond.cli.shared import SharedCommand, loads, run_with_methods
from sessiond.shared.front.caller import Failed

if TYPE_CHECKING:
    from sessiond.agents.agent import Agent
    from sessiond.cli.days import Period
    from sessiond.cli.local import LocalCommand
    from sessiond.runtime.errors import InvalidParams, SessiondError


DONE = 0

FOUND_PROBLEMS = 1
"""Exit code: the command worked, but found nothing, or found problems."""

_NAMED = 3
"""How many of the sessions are named that were not searched."""

FAILED = 3
"""Exit code: the command failed; standard error says why."""

INTERRUPTED = 130
"""Exit code: ended by Ctrl-C; the convention of shells."""

_USAGE_KINDS = ("InvalidQuery",)
"""Errors of the daemon that a wrong argument causes."""

_STORED = "sessiond-store:"
"""Begins the name of a session in the store; see `postgres.names`, which is not imported here."""

_DIGITS = 9
"""Maximum number of digits of `@N`."""

_CANDIDATES = 10
"""Maximum number of sessions listed for an ambiguous id."""


_Infos = list[dict[str, Any]]
"""Sessions, as lists answer them."""

_HERE: Mapping[str, Any] = {"cwd": ".", "exactCwd": True}
_PROJECT: Mapping[str, Any] = {"project": "."}
_EVERYWHERE: Mapping[str, Any] = {}
"""Params of lists: the sessions of this directory, of its project, and of all directories."""


class Run:
    """One run of a command.

    `settings` are the given options of the daemon by parameter name: `profile`, and those that
    were set.
    """

    # A plain class: importing attrs takes long.
    def __init__(
        self,
        daemon: LocalCommand | SharedCommand,
        screen: Screen,
        json: bool,
        settings: Mapping[str, Any],
    ) -> None:
        self.daemon = daemon
        self.screen = screen
        self.json = json
        self.settings = settings

    @property
    def here(self) -> LocalCommand:
        """The methods of this process, for a command that never uses a shared daemon."""
        assert not isinstance(self.daemon, SharedCommand), "the command says so"  # noqa: S101
        return self.daemon

    @cached_property
    def change(self) -> str:
        """The name of what this run changes, for `catalog/undo`."""
        from uuid import uuid4

        return uuid4().hex

    @property
    def profile(self) -> str:
        return str(self.settings["profile"])

    def agent_of(self, path: str) -> Agent:
        """Return the agent whose session a path names; that of the profile for any other path."""
        from sessiond.agents.directories import directories
        from sessiond.agents.registry import AGENTS
        from sessiond.runtime.home import environment

        own, env = AGENTS[self.profile], environment()
        if "all_agents" not in self.settings:
            return own
        places = (directories(each, env) for each in (own, *AGENTS.values()))
        return next((where.agent for where in places if where.holds(path)), own)

    @property
    def agent(self) -> str | None:
        """The agent id from the command line, if any."""
        agent: str | None = self.settings.get("agent_id")
        return agent

    async def answer(self, method: str, **params: Any) -> Any:
        """Return the answer of a method; with `--json` it is also printed as it is."""
        content = await self.daemon.call_raw(method, **params)
        if self.json:
            self.screen.raw(content)
        return loads(content)

    async def path(self, session: str) -> str:
        """Return the file of a session: a path, an id, the beginning of an id, `last`, or `@N`.

        `@N` is the Nth session of `sessiond list`, or of `list --all` if this project has none;
        `HOST:ID` in a store is the copy of a session of that host.
        Sessions of this directory have priority (as in pi). Raises ClickException.
        """
        return await self._path(session, counted_in=(_PROJECT, _EVERYWHERE))

    async def path_to_continue(self, session: str, *, everywhere: bool) -> str:
        """Return the file of a session that an agent continues, as `path` does.

        `last` and `@N` count the sessions of this project, or with `everywhere` those of all
        directories: a project without sessions must not lead to those of another one.
        """
        _check_counting(session, everywhere, "--all")
        scope = _EVERYWHERE if everywhere else _PROJECT
        return await self._path(session, counted_in=(scope,), unique=True)

    async def path_to_change(self, session: str, *, everywhere: bool, project: bool) -> str:
        """Return the file of a session that the command changes, as `path` does.

        `last` and `@N` count the sessions of this directory, of its `project`, or `everywhere`.
        People read a number off `sessiond list`, so without options it must mean the same there.
        """
        refuse_several({"--project": project, "--all": everywhere})
        _check_counting(session, everywhere, "--all")
        _check_counting(session, project, "--project")
        scope = _EVERYWHERE if everywhere else _PROJECT if project else _HERE
        path = await self._path(session, counted_in=(scope,), unique=True)
        if scope is _HERE and session.startswith("@"):
            listed = await self._path(session, counted_in=(_PROJECT,))
            if listed != path:
                raise click.ClickException(
                    f"{session} of this directory is another session than {session} of its project,"
                    " which `sessiond list` shows; use --project, or an id"
                )
        return path

    async def _path(
        self, session: str, counted_in: Sequence[Mapping[str, Any]], *, unique: bool = False
    ) -> str:
        if session.startswith(_STORED):
            return session
        if "/" in session or "\\" in session or session.endswith(".jsonl"):
            from sessiond.runtime.home import absolute, environment

            return absolute(session, environment())
        if session == "last" or session.startswith("@"):
            number = _number(session)
            for scope in counted_in:
                # Of a store with many sessions no more than needed.
                pinned_first = session != "last"
                answer = await self.list(scope, limit=number, pinnedFirst=pinned_first)
                if answer["sessions"]:
                    break
            else:
                self.tell_problems(answer)
            return _counted(session, number, answer, scope)
        params = {"id": session, "prefix": True, "unique": unique, "cwd": "."}
        answer = await self.daemon.call("session/findById", **params)
        if answer["path"] is not None:
            return str(answer["path"])
        if "candidates" in answer:
            raise click.ClickException(_ambiguous(session, answer["candidates"]))
        self.tell_problems(answer)
        raise click.ClickException(
            f"no session has the id {session}; `sessiond list --all` shows all"
        )

    async def list(self, scope: Mapping[str, Any], **params: Any) -> dict[str, Any]:
        """Return a list of the sessions of a scope: see `listed_in`."""
        method, own = self.listing(scope)
        answer: dict[str, Any] = await self.daemon.call(method, **{**own, **params})
        return answer

    def listing(self, scope: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return the method that lists the sessions of a scope in order of use, and its params.

        Hidden sessions are left out.

        In a store a project is the directory, and the order that of messages: the directories are
        mostly those of other hosts, and the database finds a page of these lists by an index.
        """
        if self.daemon.in_store and scope == _PROJECT:
            scope = _HERE
        method = "session/list" if "cwd" in scope else "session/listAll"
        sort = "modified" if self.daemon.in_store else "used"
        return method, {**scope, "sort": sort, "hidden": "exclude"}

    async def open(self, session: str) -> dict[str, Any]:
        """Open a session for reading only; returns its state."""
        return await self.open_path(await self.path(session))

    async def open_path(self, path: str) -> dict[str, Any]:
        """Open a session file for reading only; returns its state."""
        state: dict[str, Any] = await self.daemon.call(
            "session/open", path=path, readOnly=True, mustExist=True
        )
        return state

    async def open_to_write(self, path: str) -> dict[str, Any]:
        """Open a session file to append to it; returns its state."""
        state: dict[str, Any] = await self.daemon.call("session/open", path=path, mustExist=True)
        return state

    def tell(self, text: str) -> None:
        """Print a message for the user on standard error."""
        click.echo(one_line(text), err=True)

    def tell_damage(self, state: Mapping[str, Any], session: str) -> None:
        """Print how many problems an open session has, of which its text says nothing."""
        count = state.get("diagnosticCount", len(state["diagnostics"]))
        if count:
            words = ["sessiond", "check", session]
            many = "1 problem" if count == 1 else f"{count} problems"
            self.tell(f"sessiond: the file has {many}; see `{shlex.join(words)}`")

    def confirm(self, question: str, refused: str, infos: Iterable[Mapping[str, Any]] = ()) -> None:
        """Let the user confirm what is about to be done with these sessions. Raises click.Abort.

        Without a terminal raises UsageError, which begins with `refused`.
        """
        if not sys.stdin.isatty():
            raise click.UsageError(f"{refused}; confirm with --yes")
        for info in infos:
            self.tell(f"{info['id']}  {homely(info['cwd'])}  {title(info)}")
        click.confirm(question, abort=True, err=True)

    def tell_zone(self, when: Period) -> None:
        """Print whose days were meant, if the period was given on the command line."""
        if when.is_given:
            self.tell(when.text)

    def tell_prices(self, answer: Mapping[str, Any], count: int) -> None:
        """Print with which prices the costs of so many entries were calculated, if any were."""
        if count:
            self.tell(f"sessiond: {calculation(count, answer['prices'])}")

    def tell_problems(self, answer: Mapping[str, Any]) -> bool:
        """Print the files and directories that could not be read; returns whether there are any."""
        problems = answer.get("problems", ())
        late = [problem["path"] for problem in problems if problem["kind"] == "timedOut"]
        for problem in problems:
            if problem["kind"] != "timedOut":
                self.tell(f"sessiond: {problem['path']}: {problem['message']}")
        if late:
            names = ", ".join(late[:_NAMED]) + (", …" if len(late) > _NAMED else "")
            self.tell(
                f"sessiond: there was no time left to search {len(late)} sessions ({names});"
                " search again: more of them are indexed by then"
            )
        return bool(problems)


def _number(session: str) -> int:
    number = "1" if session == "last" else session[1:]
    if not number.isdecimal() or len(number) > _DIGITS or int(number) == 0:
        raise click.UsageError(f"{session} is not a session: expected @1, @2, ... or `last`")
    return int(number)


def _check_counting(session: str, is_given: bool, option: str) -> None:
    """Raise UsageError for an option that says what is counted, if nothing is counted."""
    if is_given and session != "last" and not session.startswith("@"):
        raise click.UsageError(f"{option} goes with `last` and `@N`")


def _counted(session: str, number: int, answer: Mapping[str, Any], scope: Mapping[str, Any]) -> str:
    infos: _Infos = answer["sessions"]
    if not infos:
        where = "directory" if scope is _HERE else "project"
        wider = "`--project` counts those of its project, " if scope is _HERE else ""
        why = f"this {where} has no sessions; {wider}`--all` counts those of all directories"
        raise click.ClickException(f"{session} does not exist: {why}")
    if number > len(infos):
        total = answer["total"]
        raise click.ClickException(f"{session} does not exist: {total} sessions are listed")
    return str(infos[number - 1]["path"])


def _ambiguous(session: str, matches: Iterable[Mapping[str, Any]]) -> str:
    infos = list(matches)
    if len({info["id"] for info in infos}) == 1:
        # Copies: only their paths tell them apart.
        lines = [f"{len(infos)} files have the id {infos[0]['id']}; name one by its path:"]
        return "\n".join([*lines, *(f"  {one_line(info['path'])}" for info in infos)])
    lines = [f"{len(infos)} sessions have ids that begin with {session}:"]
    for info in infos[:_CANDIDATES]:
        agent = f" ({info['agent']})" if "agent" in info else ""
        lines.append(f"  {one_line(info['id'])}{agent}  {title(info)}")
    if len(infos) > _CANDIDATES:
        lines.append(f"  and {len(infos) - _CANDIDATES} more")
    return "\n".join(lines)


def execute(
    context: click.Context,
    work: Callable[..., Coroutine[Any, Any, int | None]],
    profile: str,
    params: Mapping[str, Any],
    *,
    share: bool,
) -> int:
    """Run the work of a command; returns the exit code.

    `share`: whether to use a shared daemon that runs. Errors of the daemon become messages. Errors
    of standard output are raised.
    """
    own = {name: params.get(name) for name in ("profile", "agent_dir", "agent_id")}
    is_reader = profile == "pi"
    given = settings_of_reader(context, own) if is_reader else settings(context, own, profile)
    work_params = {name: value for name, value in params.items() if name not in own}
    as_json = bool(work_params.pop("as_json", False))

    async def go(daemon: LocalCommand | SharedCommand) -> int | None:
        return await work(Run(daemon, Screen(), as_json, given), **work_params)

    try:
        # The entry point lets Ctrl-C end the process at once; a command can be interrupted.
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return run_with_methods(context, given, go, share=share) or DONE
    except click.UsageError as error:
        error.ctx = error.ctx or context
        raise
    except click.ClickException as error:
        click.echo(clean(f"sessiond: {error.message}"), err=True)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if not is_answer(error):
            raise
        message: str = error.message
        if getattr(error, "kind", None) in (None, *_USAGE_KINDS):
            raise click.UsageError(message, context) from None
        click.echo(clean(f"sessiond: {message}"), err=True)
        return FAILED


def is_answer(error: Exception) -> TypeGuard[Failed | SessiondError | InvalidParams]:
    """Return whether a method was answered with this error."""
    # Imported after a failure only, because this takes long.
    from sessiond.runtime.errors import InvalidParams, SessiondError

    return isinstance(error, Failed | SessiondError | InvalidParams)


def refuse_several(options: Mapping[str, bool]) -> None:
    """Raise UsageError if more than one of these options was given."""
    names = [name for name, is_given in options.items() if is_given]
    if len(names) > 1:
        raise click.UsageError(f"{names[0]} and {names[1]} exclude each other")


def listed_in(*, cwd: str | None = None, here: bool = False, everything: bool) -> Mapping[str, Any]:
    """Return the params of a list that say whose sessions it has.

    By default those of the project of this directory. Raises UsageError.
    """
    refuse_several({"--cwd": cwd is not None, "--here": here, "--all": everything})
    if cwd is not None:
        return {**_HERE, "cwd": cwd}
    return _EVERYWHERE if everything else _HERE if here else _PROJECT
