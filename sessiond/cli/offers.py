"""Complete sessions on the command line."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator

import click

from sessiond.cli.astext import one_line
from sessiond.cli.grammar.given import settings
from sessiond.cli.grammar.serving import config
from sessiond.cli.local import local
from sessiond.cli.titles import title
from sessiond.errors import InvalidParams, SessiondError

_MOST = 50


def sessions(context: click.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    """Yield ids that begin with `incomplete`, with titles; those of this directory come first.

    Paths are completed by the shell.
    """
    given = settings(context, context.params, "pi")
    own = {name: given.get(name) for name in ("profile", "agent_dir", "agent_id")}

    async def ask() -> list[dict[str, str]]:
        async with local(config(own), os.environ) as daemon:
            here = (await daemon.call("session/list", cwd="."))["sessions"]
            everywhere = (await daemon.call("session/listAll"))["sessions"]
            return [*here, *everywhere]

    try:
        listed = asyncio.run(ask())
    except (SessiondError, InvalidParams, OSError):
        # Completion cannot show messages.
        return
    if listed and "last".startswith(incomplete):
        yield "last", title(listed[0])
    # An id that is not clean could steer the terminal when the shell shows it.
    titles = {
        info["id"]: title(info)
        for info in listed
        if info["id"].startswith(incomplete) and one_line(info["id"]) == info["id"]
    }
    yield from list(titles.items())[:_MOST]
