"""`sessiond show`, `tail` and `tree`: a branch as a conversation, and all branches as a drawing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import attrs
from rich.text import Text

from sessiond.cli.astext import one_line
from sessiond.cli.entries import ROLE_STYLES, Teller, TranscriptLine, Wanted
from sessiond.cli.entry_names import Node, branch_of, entry_id
from sessiond.cli.running import Run
from sessiond.cli.terminal import hanging, shortened
from sessiond.errors import EntryNotFound

_ENTRIES_AT_FIRST = 16
_TITLE = 80
"""Characters of a heading that is made of a message."""


async def show(
    run: Run,
    *,
    session: str,
    leaf: str | None,
    last: int | None,
    user: bool,
    no_tools: bool,
    full: bool,
    details: bool,
) -> None:
    state = await run.open(session)
    handle = state["session"]
    from_id = await entry_id(run, handle, leaf)
    if run.json:
        raw = await run.daemon.call_raw("session/getBranch", session=handle, fromId=from_id)
        run.screen.raw(raw)
        return
    leaf_id = state["leafId"] if from_id is None else from_id
    wanted = Wanted(users_only=user, tools=not no_tools, full=full, details=details)
    told, _ = await _told(run, wanted, last, session=handle, leafId=leaf_id)
    heading = await _heading(run, state)
    with run.screen.paged():
        run.screen.line(Text(heading, style="bold underline"))
        for lines in told:
            _print(run, lines)


async def print_last(run: Run, path: str, count: int) -> None:
    """Print the last entries of a session file, none before its last reset.

    Raises what opening it raises.
    """
    state = await run.open_path(path)
    asked = {"session": state["session"], "last": 2 * count + _ENTRIES_AT_FIRST}
    items = (await run.daemon.call("session/getView", **asked))["items"]
    resets = [at for at, item in enumerate(items) if item["type"] == "reset"]
    teller = Teller(Wanted())
    told = [list(teller.lines(item)) for item in items[resets[-1] + 1 if resets else 0 :]]
    for lines in list(filter(None, told))[-count:]:
        _print(run, lines)


async def _heading(run: Run, state: Mapping[str, Any]) -> str:
    """Return the session's name, else its first message, on one line."""
    if state.get("name"):
        return one_line(state["name"])
    asked = {"session": state["session"], "limit": _ENTRIES_AT_FIRST, "maxChars": _TITLE}
    for item in (await run.daemon.call("session/getView", **asked))["items"]:
        if item["role"] != "user":
            continue
        texts = (block.get("text", "") for block in item.get("blocks", ()))
        said = next(filter(None, map(one_line, texts)), "")
        if said:
            return said if len(said) < _TITLE else f"{said[: _TITLE - 1]}…"
    return "(no messages)"


async def tail(
    run: Run,
    *,
    session: str,
    count: int,
    follow: bool,
    user: bool,
    no_tools: bool,
    full: bool,
    details: bool,
) -> None:
    state = await run.open(session)
    handle = {"session": state["session"]}
    wanted = Wanted(users_only=user, tools=not no_tools, full=full, details=details)
    if run.json:
        teller = Teller(wanted)
        told = (await run.daemon.call("session/getEntries", **handle, last=count))["entries"]
    else:
        told, teller = await _told(run, wanted, count, **handle)
    for each in told:
        _put(run, each)
    run.screen.file.flush()
    while follow:
        method, change = await run.here.told.get()
        if method != "session/didChange":
            continue
        if change["kind"] != "appended":
            run.screen.line(Text(f"· the file was {change['kind']}", style="dim"))
        for new in change.get("entries", ()):
            await _put_new(run, teller, handle, new["id"])
        run.screen.file.flush()


async def _told(
    run: Run, wanted: Wanted, last: int | None, **branch: str | None
) -> tuple[list[list[TranscriptLine]], Teller]:
    """Return the lines of the last entries of a branch that have any, and what has told them.

    Only as many entries are read as have to be: most have lines.
    """
    window = None if last is None else 2 * last + _ENTRIES_AT_FIRST
    while True:
        view = await run.daemon.call("session/getView", **branch, last=window)
        teller = Teller(wanted)
        told = [lines for item in view["items"] if (lines := list(teller.lines(item)))]
        if last is None or window is None:
            return told, teller
        if len(told) >= last or window >= view["total"]:
            return told[max(0, len(told) - last) :], teller
        window *= 4


async def _put_new(run: Run, teller: Teller, handle: Mapping[str, str], entry_id: str) -> None:
    """Print an entry that was appended, unless it is gone again."""
    if run.json:
        entry = (await run.daemon.call("session/getEntry", **handle, id=entry_id))["entry"]
        if entry is not None:
            _put(run, entry)
        return
    with suppress(EntryNotFound):
        view = await run.daemon.call("session/getView", **handle, leafId=entry_id, last=1)
        for item in view["items"]:
            _put(run, list(teller.lines(item)))


def _put(run: Run, each: Any) -> None:
    """Print an entry as JSON, or its lines."""
    if run.json:
        run.screen.file.write(json.dumps(each) + "\n")
    else:
        _print(run, each)


def _print(run: Run, lines: Sequence[TranscriptLine]) -> None:
    for line in lines:
        if run.screen.is_terminal:
            for piece in hanging(run.screen.console, line.text, line.indent):
                run.screen.line(piece)
        else:
            run.screen.line(f"{' ' * line.indent}{line.text.plain}")


_MINOR = ("model_change", "thinking_level_change", "session_info", "label", "custom", "usage")
"""Types of entries that are not part of the conversation."""


@attrs.frozen
class TreeRow:
    """A node and the lines that are drawn to the left of it."""

    node: Node
    guides: str


async def tree(run: Run, session: str, user: bool, no_tools: bool) -> None:
    state = await run.open(session)
    params = {"session": state["session"], "detail": "outline"}
    if run.json:
        run.screen.raw(await run.daemon.call_raw("session/getTree", **params))
        return
    outline = await run.daemon.call("session/getTree", **params)
    nodes = {node["id"]: node for node in outline["nodes"]}
    active = {node["id"] for node in branch_of(nodes, state["leafId"])}

    def wanted(node: Node) -> bool:
        if node["id"] == state["leafId"] or len(node["children"]) > 1:
            return True
        if user:
            return node.get("role") == "user"
        tool = node.get("role") in ("toolResult", "bashExecution")
        return not (no_tools and (tool or node["type"] in _MINOR))

    heading = await _heading(run, state) if run.screen.is_terminal else ""
    with run.screen.paged():
        if run.screen.is_terminal:
            run.screen.line(Text(shortened(heading, run.screen.width), style="bold underline"))
        for row in rows(outline["roots"], nodes, wanted):
            _print_row(run, row, active, state["leafId"])


def rows(roots: list[str], nodes: Mapping[str, Node], wanted: Any) -> Iterator[TreeRow]:
    """Yield the nodes in reading order with their guides.

    A node with one child is followed by it in the same column. Several children are indented by one
    column, with `├─` and for the last child `└─`. A node that is not `wanted` is replaced by its
    children.
    """
    # (id, guides of its own line, guides of the lines below it)
    todo = _below("", list(roots))
    while todo:
        node_id, here, below = todo.pop()
        node = nodes[node_id]
        children = list(node["children"])
        if wanted(node):
            yield TreeRow(node, here)
            here = below
        todo += [(children[0], here, below)] if len(children) == 1 else _below(below, children)


def _below(guides: str, children: list[str]) -> list[tuple[str, str, str]]:
    if len(children) == 1:
        return [(children[0], guides, guides)]
    last = len(children) - 1
    return [
        (
            child,
            guides + ("└─ " if at == last else "├─ "),
            guides + ("   " if at == last else "│  "),
        )
        for at, child in reversed(list(enumerate(children)))
    ]


def _print_row(run: Run, row: TreeRow, active: set[str], leaf: str | None) -> None:
    node = row.node
    is_active = node["id"] in active
    mark = "◆" if node["id"] == leaf else "●" if is_active else "○"
    role = node.get("role") or node["type"]
    line = Text().append(row.guides, style="dim")
    line.append(f"{mark} ", style="bold cyan" if is_active else "dim")
    line.append(f"{one_line(node['id'])} ", style="dim")
    line.append(f"{one_line(role)}: ", style=ROLE_STYLES.get(role, "magenta"))
    line.append(one_line(node["preview"]), style="" if is_active else "dim")
    if "label" in node:
        line.append(f" [{one_line(node['label'])}]", style="bold magenta")
    if node["id"] == leaf:
        line.append(" ← here", style="bold cyan")
    if run.screen.is_terminal:
        line.truncate(run.screen.width, overflow="ellipsis")
    run.screen.line(line)
