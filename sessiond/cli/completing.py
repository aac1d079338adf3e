"""Offer sessions and entries to a shell that completes a command."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from typing import TYPE_CHECKING, Any

import click

from sessiond.cli.astext import one_line, title
from sessiond.cli.running import Run, is_answer
from sessiond.cli.screen import Screen
from sessiond.cli.settings import settings_of_reader
from sessiond.cli.shared import SharedCommand, run_with_methods

if TYPE_CHECKING:
    from sessiond.cli.local import LocalCommand

_MOST_COMPLETED = 50


def completions(context: click.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    """Yield ids that begin with `incomplete`, with titles; those of this directory come first.

    Paths are completed by the shell.
    """

    async def ask(daemon: LocalCommand | SharedCommand) -> list[dict[str, str]]:
        here = (await daemon.call("session/list", cwd=".", exactCwd=True))["sessions"]
        everywhere = (await daemon.call("session/listAll"))["sessions"]
        return [*here, *everywhere]

    sessions = _asked(context, ask)
    if sessions and "last".startswith(incomplete):
        yield "last", title(sessions[0])
    # An id that is not clean could steer the terminal when the shell shows it.
    titles = {
        info["id"]: title(info)
        for info in sessions
        if info["id"].startswith(incomplete) and one_line(info["id"]) == info["id"]
    }
    yield from list(titles.items())[:_MOST_COMPLETED]


def entry_completions(context: click.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    """Yield labels and ids of entries that begin with `incomplete`, with what they say.

    Without a beginning only labels and messages of the user.
    """
    # Behind an option that has no value yet, click keeps the arguments as they are.
    session = context.params.get("session") or next(iter(context.args), None)

    async def ask(daemon: LocalCommand | SharedCommand) -> list[dict[str, str]]:
        state = await Run(daemon, Screen(), False, _settings(context)).open(str(session))
        params = {"session": state["session"], "detail": "outline"}
        nodes: list[dict[str, str]] = (await daemon.call("session/getTree", **params))["nodes"]
        return nodes

    nodes = _asked(context, ask) if session else []
    offered = {node["label"]: one_line(node["preview"]) for node in nodes if "label" in node}
    offered |= {
        node["id"]: one_line(node["preview"])
        for node in reversed(nodes)
        if incomplete or node.get("role") == "user"
    }
    matches = (
        (name, text)
        for name, text in offered.items()
        if name.startswith(incomplete) and one_line(name) == name
    )
    yield from list(matches)[:_MOST_COMPLETED]


def tag_completions(context: click.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    """Yield the tags of sessions that begin with `incomplete`, with how many have each."""

    async def ask(daemon: LocalCommand | SharedCommand) -> list[dict[str, Any]]:
        sessions: list[dict[str, Any]] = (await daemon.call("session/listAll"))["sessions"]
        return [info["marks"] for info in sessions if "marks" in info]

    tags = Counter(tag for marks in _asked(context, ask) for tag in marks["tags"])
    matches = ((tag, count) for tag, count in sorted(tags.items()) if tag.startswith(incomplete))
    for tag, count in list(matches)[:_MOST_COMPLETED]:
        if one_line(tag) == tag:
            yield tag, "1 session" if count == 1 else f"{count} sessions"


def _settings(context: click.Context) -> dict[str, Any]:
    own = {name: context.params.get(name) for name in ("profile", "agent_dir", "agent_id")}
    return settings_of_reader(context, own)


def _asked(
    context: click.Context,
    ask: Callable[[LocalCommand | SharedCommand], Coroutine[Any, Any, list[dict[str, Any]]]],
) -> list[dict[str, Any]]:
    """Return what completion asks for; nothing if that fails, because it shows no messages."""
    try:
        return run_with_methods(context, _settings(context), ask, share=True)
    except Exception as error:
        if isinstance(error, OSError | click.ClickException) or is_answer(error):
            return []
        raise
