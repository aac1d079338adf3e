"""`sessiond tree`: all branches as a drawing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs
from rich.text import Text

from sessiond.cli.astext import one_line
from sessiond.cli.command import command, flag, session
from sessiond.cli.entry_names import Node, branch_of
from sessiond.cli.running import Run
from sessiond.cli.telling import heading
from sessiond.cli.terminal import shortened
from sessiond.cli.transcript import ROLE_STYLES

_MINOR = ("model_change", "thinking_level_change", "session_info", "label", "custom", "usage")
"""Types of entries that are not part of the conversation."""

_DEEPEST = 20
"""Columns of branches in branches; what is deeper continues at the left. Without a limit the output
would grow with the square of the number of branches."""


@attrs.frozen
class TreeRow:
    """A node and the lines that are drawn to the left of it."""

    node: Node
    guides: str
    continues: bool = False
    """Whether this row only says that the children of the node continue at the left below it."""


@command("tree", shares=True)
@session()
@flag("--user", text="Only messages of the user, and entries with several branches.")
@flag("--no-tools", text="Without tool calls and their results.")
async def main(run: Run, session: str, user: bool, no_tools: bool) -> None:
    """Draw the branches of a session; the current one is marked."""
    state = await run.open(session)
    outline = await run.answer("session/getTree", session=state["session"], detail="outline")
    if run.json:
        return
    nodes = {node["id"]: node for node in outline["nodes"]}
    active = {node["id"] for node in branch_of(nodes, state["leafId"])}

    def wanted(node: Node) -> bool:
        if node["id"] == state["leafId"] or len(node["children"]) > 1:
            return True
        if user:
            return node.get("role") == "user"
        tool = node.get("role") in ("toolResult", "bashExecution")
        return not (no_tools and (tool or node["type"] in _MINOR))

    title = await heading(run, state) if run.screen.is_terminal else ""
    with run.screen.paged():
        if run.screen.is_terminal:
            run.screen.line(Text(shortened(title, run.screen.width), style="bold underline"))
        for row in rows(outline["roots"], nodes, wanted):
            _print_row(run, row, active, state["leafId"])
    run.tell_damage(state, session)


def rows(roots: list[str], nodes: Mapping[str, Node], names: Any) -> Iterator[TreeRow]:
    """Yield the nodes in reading order with their guides.

    A node with one child is followed by it in the same column. Several children are indented by one
    column, with `├─` and for the last child `└─`. A node that is not `names` is replaced by its
    children. Children below the deepest column stand at the left again.
    """
    # (id, guides of its own line, guides of the lines below it)
    todo = _below("", list(roots))
    while todo:
        node_id, here, below = todo.pop()
        node = nodes[node_id]
        children = list(node["children"])
        if names(node):
            yield TreeRow(node, here)
            here = below
        if len(children) == 1:
            todo.append((children[0], here, below))
        elif children and len(below) >= _DEEPEST * len(_GUIDE):
            yield TreeRow(node, "", continues=True)
            todo += _below("", children)
        else:
            todo += _below(below, children)


_GUIDE = "│  "
"""The text drawn for one column."""


def _below(guides: str, children: list[str]) -> list[tuple[str, str, str]]:
    if len(children) == 1:
        return [(children[0], guides, guides)]
    last = len(children) - 1
    return [
        (
            child,
            guides + ("└─ " if at == last else "├─ "),
            guides + ("   " if at == last else _GUIDE),
        )
        for at, child in reversed(list(enumerate(children)))
    ]


def _print_row(run: Run, row: TreeRow, active: set[str], leaf: str | None) -> None:
    node = row.node
    if row.continues:
        run.screen.line(Text(f"⋯ {one_line(node['id'])} continues:", style="dim"))
        return
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
