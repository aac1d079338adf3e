"""Decorators that make commands of functions: their options, and how they run.

A command is a module of `sessiond.cli.commands`, which is imported when it is run or explained.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import click
from click.shell_completion import CompletionItem

from sessiond.cli.days import When
from sessiond.cli.settings import is_given
from sessiond.cli.values import PROFILES, NotEmpty, OneOf, profiles

HELP_OPTIONS = {"help_option_names": ["-h", "--help"]}

Work = Callable[..., Any]
"""The function that does the work of a command, with its options."""

Decorator = Callable[[Work], Work]

_ANY = 1000
"""Characters; longer than any first sentence."""


class Group(click.Group):
    """Commands whose help shows the first sentence of each whole."""

    def __init__(self, name: str, text: str, *commands: click.Command) -> None:
        super().__init__(name, commands, help=text, context_settings=HELP_OPTIONS)

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, each.get_short_help_str(_ANY)) for name, each in self.commands.items()]
            )


class _Session(NotEmpty):
    """A session: see `Run.path`. Completion offers ids with titles."""

    def shell_complete(
        self, ctx: click.Context, _param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from sessiond.cli.completing import completions

        return [CompletionItem(name, help=title) for name, title in completions(ctx, incomplete)]


class _Entry(NotEmpty):
    """An entry of the session that is named before it. Completion offers labels and ids."""

    def shell_complete(
        self, ctx: click.Context, _param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from sessiond.cli.completing import entry_completions

        return [
            CompletionItem(name, help=text) for name, text in entry_completions(ctx, incomplete)
        ]


class _Tag(NotEmpty):
    """A tag. Completion offers those that sessions have."""

    def shell_complete(
        self, ctx: click.Context, _param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from sessiond.cli.completing import tag_completions

        return [CompletionItem(tag, help=text) for tag, text in tag_completions(ctx, incomplete)]


class _Count(click.IntRange):
    """A number; click would call any other text "not a valid integer range"."""

    name = "number"


SESSION, ENTRY, TAG = _Session("session"), _Entry("entry"), _Tag("word")


def flag(*names: str, text: str) -> Decorator:
    return click.option(*names, is_flag=True, help=text)


def choice(*names: str, among: Sequence[str], text: str, **more: Any) -> Decorator:
    return click.option(*names, type=click.Choice(among), help=text, **more)


def number(*names: str, text: str, least: int = 1, **more: Any) -> Decorator:
    return click.option(*names, type=_Count(least), metavar="N", help=text, **more)


def _all_of(*options: Decorator) -> Decorator:
    """Return a decorator that adds several options in this order."""
    return lambda work: functools.reduce(lambda made, add: add(made), reversed(options), work)


def session() -> Decorator:
    return click.argument("session", type=SESSION)


def sessions() -> Decorator:
    return click.argument("sessions", nargs=-1, required=True, type=SESSION, metavar="SESSION...")


def leaf() -> Decorator:
    text = "The branch that ends with this entry: an id or its beginning, a label, or N."
    return click.option("--leaf", type=ENTRY, metavar="ENTRY", help=text)


def counting_all() -> Decorator:
    """Add the option `--all` to a command that changes or continues a session."""
    return flag("-a", "--all", "everything", text="`last` and `@N` count those of all directories.")


def counting() -> Decorator:
    """Add the options of a command that changes a session: see `Run.path_to_change`."""
    text = "`last` and `@N` count those of the project, as in `sessiond list`."
    return _all_of(flag("--project", text=text), counting_all())


def here() -> Decorator:
    return flag("--here", text="Only sessions of the current directory.")


def for_others() -> Decorator:
    """Add the options that leave out what others should not see."""
    return _all_of(
        flag("--mask", text="Mask keys and passwords of known forms, and the home directory."),
        click.option(
            "--mask-also",
            multiple=True,
            type=NotEmpty("text"),
            metavar="TEXT",
            help="Also mask TEXT wherever it stands; with --mask, repeatable.",
        ),
        flag("--conversation", text="Only messages, names and labels; no tools or thinking."),
    )


def how_shown() -> Decorator:
    """Add the options that say how much of a transcript is shown."""
    return _all_of(
        flag("--user", text="Only messages of the user."),
        flag("--no-tools", text="Without tool calls and their results."),
        flag("--full", text="Shorten nothing."),
        flag("--details", text="Add entry ids, times, models, tokens and cost."),
        flag("--plain", text="Draw no Markdown; a pipe never gets it drawn."),
    )


def priced() -> Decorator:
    text = "Calculate costs that no agent has recorded, with the package genai-prices."
    return flag("--prices", text=text)


def dates(what: str) -> Decorator:
    """Add the options that choose a period: see `days.period`. `what` names what is chosen."""
    day = functools.partial(click.option, type=When(), metavar="WHEN")
    since = "From then on: 6h, 30d, yesterday, tuesday, 2026-11, 2026-11-20."
    return _all_of(
        day("--on", help=f"{what} that day, month or FROM..TO."),
        day("--since", help=since),
        day("--until", help="Up to then, included."),
        click.option("--timezone", metavar="ZONE", help="Time zone of days, such as Asia/Kolkata."),
    )


def _whose(id_names: Sequence[str] = ("--agent-id",)) -> list[click.Parameter]:
    """Return the options that say whose sessions are meant; `id_names` are those of the last."""
    return [
        click.Option(["--profile"], type=OneOf("NAME", profiles), help=PROFILES),
        click.Option(["--agent-dir"], metavar="DIR", help="The agent's directory."),
        click.Option([*id_names, "agent_id"], metavar="ID", help="Agent id, of a gateway."),
    ]


def command(
    name: str,
    *,
    as_json: bool = True,
    profile: str = "pi",
    agent_names: Sequence[str] = ("--agent-id",),
    shares: bool = False,
    alone_with: Sequence[str] = (),
) -> Callable[[Work], click.Command]:
    """Make a command of `async def work(run: Run, ...) -> int | None`, which takes its options.

    Its docstring is the help. `shares`: it only reads, and uses a shared daemon that runs, unless
    one of the options in `alone_with` is given.
    """

    def made(work: Work) -> click.Command:
        @functools.wraps(work)
        def run(**params: Any) -> None:
            from sessiond.cli.running import execute

            context = click.get_current_context()
            share = shares and not any(is_given(params[each]) for each in alone_with)
            context.exit(execute(context, work, profile, params, share=share))

        declared = click.command(name, context_settings=HELP_OPTIONS)(run)
        declared.params += [*([_json()] if as_json else []), *_whose(agent_names)]
        return declared

    return made


def _json() -> click.Option:
    return click.Option(
        ["--json", "as_json"], is_flag=True, help="Print the daemon's answer as JSON."
    )


def standalone(name: str, *, of_agent: bool = False) -> Callable[[Work], click.Command]:
    """Make a command of a function that needs no engine, and returns the exit code.

    `of_agent`: it also takes the options that say whose sessions are meant.
    """

    def made(work: Work) -> click.Command:
        @functools.wraps(work)
        def run(**params: Any) -> None:
            click.get_current_context().exit(work(**params))

        declared = click.command(name, context_settings=HELP_OPTIONS)(run)
        declared.params += _whose() if of_agent else []
        return declared

    return made
