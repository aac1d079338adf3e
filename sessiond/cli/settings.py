"""Declare the options of the daemon, and combine them with their variables `SESSIOND_<OPTION>`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from sessiond.cli.values import PROFILES, OneOf, TextType, profiles
from sessiond.shared.front.arguments import OPTIONS, variable

if TYPE_CHECKING:
    from sessiond.runtime.config import Config, McpConfig


def settings(context: click.Context, own: Mapping[str, Any], profile: str) -> dict[str, Any]:
    """Return the settings: options of the command override those before its name and defaults."""
    outer = {name: value for name, value in context.find_root().params.items() if is_given(value)}
    outer.setdefault("profile", profile)
    return outer | {name: value for name, value in own.items() if is_given(value)}


def settings_of_reader(context: click.Context, own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a command that reads: it is about all agents unless one is named."""
    given = settings(context, own, "")
    if given["profile"]:
        return given
    given["profile"] = "pi"
    if not any(name in given for name in ("agent_dir", "agent_id", "store")):
        given["all_agents"] = True
    return given


def is_given(value: Any) -> bool:
    """Whether an option has a value; false for a flag that is not set and for an empty text."""
    return value not in (None, "", ()) and value is not False


def environment(given: Mapping[str, Any]) -> dict[str, str]:
    """Return the variables for settings that `arguments` leaves out."""
    return {f"SESSIOND_{name.upper()}": str(given[name]) for name in _SECRET if name in given}


def arguments(given: Mapping[str, Any]) -> list[str]:
    """Return settings as options of the command line, for another process of sessiond.

    Without those that may have a password, because everybody sees the arguments of a process.
    """
    words: list[str] = []
    for name, value in given.items():
        if name in _SECRET:
            continue
        option = f"--{name.replace('_', '-')}"
        values = value if isinstance(value, tuple | list) else [value]
        words += [option if each is True else f"{option}={each}" for each in values]
    return words


_SECRET = ("store",)

_SHORT_HELP = ("--profile",)
"""The options that `sessiond --help` shows; `sessiond help serve` shows all."""


if TYPE_CHECKING:
    _Number = click.ParamType[float]
else:
    _Number = click.ParamType


class _Seconds(_Number):
    name = "seconds"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if not 0 <= number < float("inf"):
            self.fail(f"{value!r} is not a number of seconds, zero or more", param, ctx)
        return number


class _Directory(TextType):
    name = "directory"
    envvar_list_splitter = os.pathsep

    def convert(
        self, value: Any, _param: click.Parameter | None, _ctx: click.Context | None
    ) -> str:
        return str(value)


class _Option(click.Option):
    """Reads its variable from the environment of the command line's sender.

    In a shared daemon that is not this process: the mapping is then the context's object.
    """

    def resolve_envvar_value(self, ctx: click.Context) -> str | None:
        given = ctx.find_root().obj
        env = given if isinstance(given, Mapping) else os.environ
        return env.get(str(self.envvar)) or None


_KINDS: dict[str, Any] = {
    "--profile": OneOf("name", profiles),
    "--root": _Directory(),
    "--max-message": click.IntRange(1),
    "--lock-timeout": _Seconds(),
    "--cache-bytes": click.IntRange(0),
    "--idle-exit": _Seconds(),
}
"""The types of options whose values are no texts. One of several names stands in the help."""

_CHOICES = ("--framing", "--watch", "--store-durability", "--log-level")


def options(*, short_help: bool = False) -> list[click.Parameter]:
    """Return all options; with `short_help` the help shows only the most common ones."""
    return [_option(name, hidden=short_help and name not in _SHORT_HELP) for name in OPTIONS]


def _option(name: str, *, hidden: bool) -> click.Option:
    value, text = OPTIONS[name]
    kind = _KINDS.get(name)
    if name in _CHOICES:
        kind = OneOf(name.removeprefix("--"), lambda: text.split(", "))
    more: dict[str, Any] = {"type": kind, "metavar": value} if value else {"is_flag": True}
    return _Option(
        [name],
        envvar=variable(name),
        help=PROFILES if name == "--profile" else text,
        hidden=hidden,
        multiple=name == "--root",
        **more,
    )


def mcp_options() -> list[click.Parameter]:
    """Return the options of `sessiond mcp`: those of the daemon, and its own."""
    return [
        *options(),
        click.Option(
            ["-a", "--all", "everywhere"],
            is_flag=True,
            help="Show sessions of all directories, not only of this project.",
        ),
        click.Option(["--no-mask"], is_flag=True, help="Do not mask keys and passwords."),
    ]


def mcp_config(given: Mapping[str, Any]) -> McpConfig:
    """Return the settings of an MCP server, with defaults for missing options."""
    from sessiond.runtime.config import McpConfig

    named = dict(given)
    masks = not named.pop("no_mask", False)
    everywhere = bool(named.pop("everywhere", False))
    return McpConfig(
        **vars(config({**named, "read_only": True})), everywhere=everywhere, mask=masks
    )


def config(given: Mapping[str, Any]) -> Config:
    """Return the settings of a daemon or a command, with defaults for missing options."""
    from sessiond.runtime.config import Config

    named = {name: value for name, value in given.items() if is_given(value)}
    roots = list(filter(None, named.pop("root", ())))
    for of_front in ("shared", "idle_exit"):
        named.pop(of_front, None)
    cached = not named.pop("no_catalog_cache", False)
    return Config(**named, roots=roots or None, catalog_cache=cached)
