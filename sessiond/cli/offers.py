"""Complete sessions on the command line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from sessiond.cli.astext import one_line
from sessiond.cli.connecting import run_with_methods
from sessiond.cli.grammar.given import settings
from sessiond.cli.running import is_answer
from sessiond.cli.titles import title

if TYPE_CHECKING:
    from sessiond.cli.local import LocalCommand
    from sessiond.cli.shared import SharedCommand

_MOST = 50


def sessions(context: click.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    """Yield ids that begin with `incomplete`, with titles; those of this directory come first.

    Paths are completed by the shell.
    """
    own = {name: context.params.get(name) for name in ("profile", "agent_dir", "agent_id")}
    given = settings(context, own, "pi")

    async def ask(daemon: LocalCommand | SharedCommand) -> list[dict[str, str]]:
        here = (await daemon.call("session/list", cwd="."))["sessions"]
        everywhere = (await daemon.call("session/listAll"))["sessions"]
        return [*here, *everywhere]

    try:
        listed = run_with_methods(context, given, ask, share=True)
    except Exception as error:
        # Completion cannot show messages.
        if isinstance(error, OSError) or is_answer(error):
            return
        raise
    if listed and "last".startswith(incomplete):
        yield "last", title(listed[0])
    # An id that is not clean could steer the terminal when the shell shows it.
    titles = {
        info["id"]: title(info)
        for info in listed
        if info["id"].startswith(incomplete) and one_line(info["id"]) == info["id"]
    }
    yield from list(titles.items())[:_MOST]
