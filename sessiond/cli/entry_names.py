"""Find the entry that a person names on the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, overload

import click

from sessiond.cli.astext import one_line
from sessiond.cli.running import Run

_MOST_CANDIDATES = 10

Node = Mapping[str, Any]


@overload
async def entry_id(run: Run, handle: str, given: str) -> str: ...
@overload
async def entry_id(run: Run, handle: str, given: str | None) -> str | None: ...
async def entry_id(run: Run, handle: str, given: str | None) -> str | None:
    """Return the id of the entry that a person names; `given` itself if there is none.

    It is an id, a label, the beginning of one, or the number of a turn: see `_by_number`.
    Raises ClickException if several entries have this name.
    """
    if given is None:
        return None
    nodes = (await run.daemon.call("session/getTree", session=handle, detail="outline"))["nodes"]
    ids = [node["id"] for node in nodes]
    if given in ids:
        return given
    labelled = [node["id"] for node in nodes if node.get("label") == given]
    if not labelled and given.removeprefix("-").isdecimal():
        leaf = (await run.daemon.call("session/getLeafId", session=handle))["leafId"]
        return _by_number(nodes, leaf, int(given))
    matches = labelled or [each for each in ids if each.startswith(given)]
    matches = matches or [node["id"] for node in nodes if node.get("label", "").startswith(given)]
    if len(matches) > 1:
        candidates = ", ".join(one_line(each) for each in matches[:_MOST_CANDIDATES])
        how = "the label" if labelled else "ids or labels that begin with"
        raise click.ClickException(f"{len(matches)} entries have {how} {given}: {candidates}")
    return matches[0] if matches else given


def _by_number(nodes: Sequence[Node], leaf: str | None, number: int) -> str:
    """Return the last entry of the Nth turn of the branch; with -N the one before the Nth last.

    A turn is a message of the user with everything up to the next one. Raises ClickException.
    """
    branch = branch_of({node["id"]: node for node in nodes}, leaf)
    prompts = [at for at, node in enumerate(branch) if node.get("role") == "user"]
    count = len(prompts)
    if not number or abs(number) > count:
        raise click.ClickException(
            f"there is no turn {number}: the branch has {count} messages of the user"
        )
    kept = number if number > 0 else count + number
    end = prompts[kept] if kept < count else len(branch)
    if end == 0:
        raise click.ClickException("nothing is before the first message of the user")
    return str(branch[end - 1]["id"])


def branch_of(nodes: Mapping[str, Node], leaf: str | None) -> list[Node]:
    """Return the nodes from the root to the leaf; `nodes` are those of an outline by id."""
    path: dict[str, Node] = {}
    while leaf is not None and leaf in nodes and leaf not in path:
        path[leaf] = nodes[leaf]
        leaf = nodes[leaf]["parentId"]
    return list(path.values())[::-1]
