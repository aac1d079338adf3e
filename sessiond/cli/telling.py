"""The lines of a conversation, read and printed; and its heading."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from sessiond.cli.astext import cost, homely, one_line
from sessiond.cli.entry_names import branch_of
from sessiond.cli.running import Run
from sessiond.cli.terminal import drawn_markdown, hanging, shortened
from sessiond.cli.transcript import Detail, Teller, TranscriptLine

_ENTRIES_AT_FIRST = 16
_AROUND = 20
_TITLE = 80
"""Characters of a heading that is made of a message."""


async def heading(run: Run, state: Mapping[str, Any]) -> str:
    """Return the session's name, else its first message, on one line."""
    if state.get("name"):
        return one_line(state["name"])
    params = {"session": state["session"], "limit": _ENTRIES_AT_FIRST, "maxChars": _TITLE}
    for item in (await run.daemon.call("session/getView", **params))["items"]:
        if item["role"] != "user":
            continue
        texts = (block.get("text", "") for block in item.get("blocks", ()))
        said = next(filter(None, map(one_line, texts)), "")
        if said:
            return said if len(said) < _TITLE else f"{said[: _TITLE - 1]}…"
    return "(no messages)"


def detail_of(run: Run, *, plain: bool, **how: bool) -> Detail:
    """Return what the options of `command.how_shown` say; a pipe gets no Markdown drawn."""
    return Detail.of(plain=plain or not run.screen.is_terminal, **how)


async def facts_of(run: Run, state: Mapping[str, Any]) -> str:
    """Return on one line whose session it is, from when, with which models, and what it cost."""
    stats = await run.daemon.call("catalog/stats", session=state["session"])
    days = sorted({row["day"] for row in stats["byDay"]})
    branches = stats["branches"]
    facts = [
        state.get("agent") or run.profile,
        homely(state["cwd"]),
        days[0] if len(days) == 1 else f"{days[0]}..{days[-1]}" if days else "",
        ", ".join(filter(str.strip, (row["model"] for row in stats["byModel"]))),
        cost(stats) if stats["tokens"]["total"] else "",
        "" if branches < 2 else f"{branches} branches",
    ]
    return " · ".join(one_line(fact) for fact in facts if fact)


async def other_branches(run: Run, state: Mapping[str, Any], leaf_id: str | None) -> dict[str, str]:
    """Return for each entry at which the branch leaves others a line that names them."""
    params = {"session": state["session"], "detail": "outline"}
    nodes = (await run.daemon.call("session/getTree", **params))["nodes"]
    by_id = {node["id"]: node for node in nodes}
    on_branch = {node["id"] for node in branch_of(by_id, leaf_id)}
    others: dict[str, list[Mapping[str, Any]]] = {}
    for node in nodes:
        parent = node.get("parentId")
        if parent in on_branch and node["id"] not in on_branch and node.get("role"):
            others.setdefault(parent, []).append(node)
    return {entry_id: _branches_text(each) for entry_id, each in others.items()}


def _branches_text(nodes: Sequence[Mapping[str, Any]]) -> str:
    first = nodes[0]
    words = shortened(one_line(first["preview"]), _TITLE // 2)
    many = "another branch" if len(nodes) == 1 else f"{len(nodes)} other branches"
    return f"├ {many}: {words} ({one_line(first['id'])})"


async def told(
    run: Run, detail: Detail, last: int | None, **branch: str | None
) -> tuple[list[list[TranscriptLine]], Teller]:
    """Return the lines of the last entries of a branch that have any, and what has told them.

    Only as many entries are read as have to be: most have lines.
    """
    window = None if last is None else 2 * last + _ENTRIES_AT_FIRST
    while True:
        view = await run.daemon.call("session/getView", **branch, last=window)
        items, teller = _lines_of(view, detail)
        if last is None or window is None:
            return items, teller
        if len(items) >= last or window >= view["total"]:
            return items[max(0, len(items) - last) :], teller
        window *= 4


async def told_around(
    run: Run, detail: Detail, entry_id: str | None, count: int | None, *, session: str
) -> list[list[TranscriptLine]]:
    """Return the lines of some entries before and after one of them, by default of 20."""
    count = _AROUND if count is None else count
    view = await run.daemon.call("session/getView", session=session, around=entry_id, limit=count)
    return _lines_of(view, detail)[0]


_FIRST_PAGE, _MORE = 64, 4
"""Entries that are read before a pager can start, and how many times as many each time after."""


async def streamed(
    run: Run, detail: Detail, **branch: str | None
) -> AsyncIterator[tuple[str, list[TranscriptLine]]]:
    """Yield the ids of the entries of a branch with their lines, read page by page.

    The pages grow, because each of them costs time in proportion to the branch.
    """
    teller, limit, cursor = Teller(detail), _FIRST_PAGE, None
    while True:
        page = {**branch, "limit": limit, "cursor": cursor}
        view = await run.daemon.call("session/getView", **page)
        for item in view["items"]:
            yield item["entryId"], list(teller.lines(item))
        limit, cursor = limit * _MORE, view.get("nextCursor")
        if cursor is None:
            return


def _lines_of(view: Mapping[str, Any], detail: Detail) -> tuple[list[list[TranscriptLine]], Teller]:
    """Return the lines of the entries that have any, and what has told them."""
    teller = Teller(detail)
    return [lines for item in view["items"] if (lines := list(teller.lines(item)))], teller


def put(run: Run, lines: Sequence[TranscriptLine]) -> None:
    for line in lines:
        if line.is_markdown and run.screen.is_terminal:
            for piece in drawn_markdown(run.screen.console, line.text.plain, line.indent):
                run.screen.line(piece)
        elif run.screen.is_terminal:
            for piece in hanging(run.screen.console, line.text, line.indent):
                run.screen.line(piece)
        else:
            run.screen.line(f"{' ' * line.indent}{line.text.plain}")
