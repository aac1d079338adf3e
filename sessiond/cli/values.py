"""Types of values on the command line: names, texts and time spans."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from sessiond.agents import NAMES
from sessiond.runtime.clock import period_minutes

if TYPE_CHECKING:
    TextType = click.ParamType[str]
else:
    TextType = click.ParamType


class OneOf(TextType):
    """One of several names or the beginning of one; they are computed when they are needed."""

    def __init__(self, name: str, names: Callable[[], Sequence[str]]) -> None:
        self.name = name
        self._names = names

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        names = self._names()
        begun = [name for name in names if name.startswith(str(value)) and value]
        if value not in names and len(begun) != 1:
            self.fail(f"{value!r} is not one of: {', '.join(names)}", param, ctx)
        return str(value) if value in names else begun[0]

    def shell_complete(
        self, _ctx: click.Context, _param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return [CompletionItem(name) for name in self._names() if name.startswith(incomplete)]


class NotEmpty(TextType):
    """A text with at least one character."""

    def __init__(self, name: str) -> None:
        self.name = name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not value:
            self.fail("must not be empty", param, ctx)
        return str(value)


PROFILES = f"{', '.join(NAMES[:-1])} or {NAMES[-1]}."
"""The names of the profiles for the help, which imports no agent."""


def profiles() -> Sequence[str]:
    """The names of the profiles."""
    from sessiond.agents.registry import AGENTS

    return list(AGENTS)


if TYPE_CHECKING:
    _Minutes = click.ParamType[int]
else:
    _Minutes = click.ParamType


class Span(_Minutes):
    """A time span (`90m`, `6h`, `2d`, `3w`, `6mo`, `1y`); the value is a number of minutes."""

    name = "span"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        minutes = value if isinstance(value, int) else period_minutes(value)
        if minutes is None:
            self.fail(f"{value!r} is not a span such as 6h or 30d", param, ctx)
        return minutes


if TYPE_CHECKING:
    _Names = click.ParamType[tuple[str, ...]]
else:
    _Names = click.ParamType


class Names(_Names):
    """One or two different names of several, with a comma between them."""

    name = "names"

    def __init__(self, among: Sequence[str]) -> None:
        self._among = among

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        names = value if isinstance(value, tuple) else tuple(value.split(","))
        wrong = [name for name in names if name not in self._among]
        if wrong:
            self.fail(f"{wrong[0]!r} is not one of: {', '.join(self._among)}", param, ctx)
        if len(names) > _MOST_NAMES or len(set(names)) < len(names):
            self.fail("expected one or two different names", param, ctx)
        return names

    def shell_complete(
        self, _ctx: click.Context, _param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        first, comma, last = incomplete.rpartition(",")
        names = (name for name in self._among if name.startswith(last) and name != first)
        return [CompletionItem(f"{first}{comma}{name}") for name in names]


_MOST_NAMES = 2
