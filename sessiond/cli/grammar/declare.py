"""Declare commands: name, parameters, and a module that is imported when the command runs.

Parsing and completion need only these declarations, so they take a tenth of the time of a command.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import click
from click.shell_completion import CompletionItem

from sessiond.cli.days import When
from sessiond.cli.grammar.serving import is_given
from sessiond.cli.grammar.values import PROFILES, NotEmpty, OneOf, TextType, profiles

HELP_OPTIONS = {"help_option_names": ["-h", "--help"]}


class Group(click.Group):
    """Commands whose help shows the first sentence of each whole."""

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, each.get_short_help_str(_ANY)) for name, each in self.commands.items()]
            )


_ANY = 1000
"""Characters; longer than any first sentence."""


class Session(NotEmpty):
    """A session: see `Run.path`. Completion offers ids with titles."""

    def __init__(self) -> None:
        super().__init__("session")

    def shell_complete(
        self, ctx: click.Context, _param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from sessiond.cli.running import completions  # noqa: PLC0415 - only where one is completed

        return [CompletionItem(name, help=title) for name, title in completions(ctx, incomplete)]


class Entry(NotEmpty):
    """An entry of the session that is named before it. Completion offers labels and ids."""

    def __init__(self) -> None:
        super().__init__("entry")

    def shell_complete(
        self, ctx: click.Context, _param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from sessiond.cli.running import entry_completions  # noqa: PLC0415 - only where needed

        return [
            CompletionItem(name, help=text) for name, text in entry_completions(ctx, incomplete)
        ]


def argument(
    name: str, kind: TextType | None = None, *, required: bool = True, nargs: int = 1
) -> click.Argument:
    return click.Argument([name], type=kind, required=required, nargs=nargs)


def session(*, required: bool = True) -> click.Argument:
    return argument("session", Session(), required=required)


def option(*names: str, **attributes: Any) -> click.Option:
    return click.Option(names, **attributes)


def flag(*names: str, text: str) -> click.Option:
    return click.Option(names, is_flag=True, help=text)


def counting_all() -> click.Option:
    """Return the option `--all` of a command that changes or continues a session."""
    return flag("-a", "--all", "everything", text="`last` and `@N` count those of all directories.")


def choice(*names: str, among: Sequence[str], text: str, **attributes: Any) -> click.Option:
    return click.Option(names, type=click.Choice(among), help=text, **attributes)


def number(*names: str, text: str, least: int = 1, **attributes: Any) -> click.Option:
    attributes.setdefault("metavar", "N")
    return click.Option(names, type=click.IntRange(least), help=text, **attributes)


def dates(what: str) -> list[click.Parameter]:
    """Return the options that choose a period: see `days.period`. `what` names what is chosen."""
    return [
        option("--on", type=When(), metavar="WHEN", help=f"{what} that day, month or FROM..TO."),
        option(
            "--since",
            type=When(),
            metavar="WHEN",
            help="From then on: 6h, 30d, yesterday, tuesday, 2026-11, 2026-11-20.",
        ),
        option("--until", type=When(), metavar="WHEN", help="Up to then, included."),
        option("--timezone", metavar="ZONE", help="Whose days, such as Asia/Kolkata."),
    ]


def agent_options(id_names: Sequence[str] = ("--agent-id",)) -> list[click.Parameter]:
    """Return the options that say whose sessions are meant; `id_names` are those of the last."""
    return [
        option("--profile", type=OneOf("NAME", profiles), help=PROFILES),
        option("--agent-dir", metavar="DIR", help="The agent's directory."),
        option(*id_names, "agent_id", metavar="ID", help="Agent id, of a gateway."),
    ]


def _shared(agent_names: Sequence[str], *, as_json: bool) -> list[click.Parameter]:
    shown = flag("--json", "as_json", text="Print the daemon's answer as JSON.")
    return [
        *([shown] if as_json else []),
        *agent_options(agent_names),
    ]


def command(
    name: str,
    target: str,
    text: str,
    *params: click.Parameter,
    as_json: bool = True,
    profile: str = "pi",
    agent_names: Sequence[str] = ("--agent-id",),
    shares: bool = False,
    alone_with: Sequence[str] = (),
) -> click.Command:
    """Declare a command that calls `target`.

    `target` is `module:function` below `sessiond.cli`, such as `commands.list:list_sessions`. The
    function is `async def (run: Run, ...) -> int | None` and takes the params by name.
    `shares`: it only reads, and uses a shared daemon that runs, unless one of the params in
    `alone_with` is given.
    """
    return click.Command(
        name,
        callback=functools.partial(_work, target, profile, alone_with if shares else None),
        params=[*params, *_shared(agent_names, as_json=as_json)],
        help=text,
        context_settings=HELP_OPTIONS,
    )


def standalone(name: str, module: str, text: str, *params: click.Parameter) -> click.Command:
    """Declare a command that needs no engine: it calls the function `name` of a module.

    `module` is below `sessiond.cli.commands`; the function takes the params and returns the exit
    code.
    """
    return click.Command(
        name,
        callback=functools.partial(_work_alone, name, module),
        params=list(params),
        help=text,
        context_settings=HELP_OPTIONS,
    )


def _work_alone(name: str, module: str, /, **params: Any) -> None:
    from importlib import import_module  # noqa: PLC0415 - the arguments are parsed first

    work = getattr(import_module(f"sessiond.cli.commands.{module}"), name)
    click.get_current_context().exit(work(**params))


def _work(target: str, profile: str, alone_with: Sequence[str] | None, /, **params: Any) -> None:
    from sessiond.cli.running import execute  # noqa: PLC0415 - the arguments are parsed first

    context = click.get_current_context()
    share = alone_with is not None and not any(is_given(params[name]) for name in alone_with)
    context.exit(execute(context, target, profile, params, share=share))
