"""The conversation as a tree of turns, with branches below the entry where they part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
from lsprotocol import types

from sessiond.lsp.lines import MOST_BYTES, Lines, line_range
from sessiond.lsp.shown import on_one_line, shown

Node = Mapping[str, Any]

DEEPEST = 16
"""How deep branches are nested; what is below is listed beside its parent, because editors draw
and decode symbols recursively."""

_KINDS = {
    "user": types.SymbolKind.String,
    "assistant": types.SymbolKind.Function,
    "toolResult": types.SymbolKind.Operator,
    "bashExecution": types.SymbolKind.Operator,
    "compaction": types.SymbolKind.Package,
    "branch_summary": types.SymbolKind.Package,
}


def title(node: Node) -> str:
    """Return an entry on one line, as `sessiond tree` names it."""
    label = f" [{node['label']}]" if "label" in node else ""
    return on_one_line(f"{node.get('role') or node['type']}: {node['preview']}{label}")


@attrs.define
class _Place:
    """Where the next entry of a branch goes."""

    into: list[types.DocumentSymbol]
    turn: types.DocumentSymbol | None
    above: tuple[types.DocumentSymbol, ...]
    """The symbols that contain it, outermost first."""


def symbols(tree: Mapping[str, Any], lines: Lines) -> list[types.DocumentSymbol]:
    """Return the symbols of `session/getTree` with the detail `outline`."""
    nodes: dict[str, Node] = {node["id"]: node for node in tree["nodes"]}
    top: list[types.DocumentSymbol] = []
    if lines.is_partial:
        first = line_range(0, lines)
        said = f"only the first {MOST_BYTES >> 20} MB of this file are shown"
        top.append(types.DocumentSymbol(said, types.SymbolKind.Event, first, first))
    seen: set[str] = set()
    for root in [*tree["roots"], *nodes]:
        todo = [(root, _Place(top, None, ()))]
        while todo:
            entry_id, place = todo.pop()
            while entry_id in nodes and entry_id not in seen:
                seen.add(entry_id)
                node = nodes[entry_id]
                symbol = _add(node, place, lines)
                children = list(node["children"])
                if len(children) != 1:
                    branches = _branches(children, symbol, place)
                    todo += reversed(list(zip(children, branches, strict=True)))
                    break
                entry_id = children[0]
    _widen(top)
    return top


def _add(node: Node, place: _Place, lines: Lines) -> types.DocumentSymbol | None:
    line = lines.line_of.get(node["id"])
    if line is None:
        return None
    role = node.get("role") or node["type"]
    span = line_range(line, lines)
    symbol = types.DocumentSymbol(
        name=title(node) or role,
        kind=_KINDS.get(role, types.SymbolKind.Property),
        range=span,
        selection_range=span,
        detail=shown(node["id"]),
        children=[],
    )
    if role == "user" or place.turn is None:
        place.into.append(symbol)
        place.turn = symbol if role == "user" else None
    else:
        _children(place.turn).append(symbol)
    return symbol


def _branches(
    children: list[str], symbol: types.DocumentSymbol | None, place: _Place
) -> list[_Place]:
    if symbol is None or len(place.above) >= DEEPEST:
        return [attrs.evolve(place, turn=None) for _ in children]
    made = []
    for number, _ in enumerate(children, start=1):
        branch = types.DocumentSymbol(
            name=f"branch {number} of {len(children)}",
            kind=types.SymbolKind.Namespace,
            range=symbol.range,
            selection_range=symbol.selection_range,
            children=[],
        )
        _children(symbol).append(branch)
        made.append(_Place(_children(branch), None, (*place.above, branch)))
    return made


def _children(symbol: types.DocumentSymbol) -> list[types.DocumentSymbol]:
    assert isinstance(symbol.children, list), "made so"  # noqa: S101
    return symbol.children


def _widen(top: list[types.DocumentSymbol]) -> None:
    """Let each symbol cover those in it, as the protocol wants."""
    order = list(top)
    for symbol in order:
        order += symbol.children or ()
    for symbol in reversed(order):
        below = symbol.children or ()
        if symbol.kind is types.SymbolKind.Namespace and below:
            symbol.range = symbol.selection_range = below[0].selection_range
        if below:
            starts = [symbol.range.start, *(child.range.start for child in below)]
            ends = [symbol.range.end, *(child.range.end for child in below)]
            symbol.range = types.Range(min(starts), max(ends))
