"""Where one goes from an entry: its parent, its children, and what belongs together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lsprotocol import types

from sessiond.lsp.lines import Lines, line_range
from sessiond.lsp.outline import title
from sessiond.lsp.shown import on_one_line

_TOOLS = ("toolResult", "bashExecution")


class Tree:
    """The tree of a session by ids, with the lines of its entries."""

    def __init__(self, uri: str, answer: Mapping[str, Any], lines: Lines) -> None:
        self._uri = uri
        self._lines = lines
        self.nodes: dict[str, Mapping[str, Any]] = {node["id"]: node for node in answer["nodes"]}

    def parent(self, entry_id: str) -> list[str]:
        """Return the id of the parent, if it is in the file."""
        node = self.nodes.get(entry_id)
        return [] if node is None or node["parentId"] not in self.nodes else [node["parentId"]]

    def children(self, entry_id: str) -> list[str]:
        node = self.nodes.get(entry_id)
        return [] if node is None else list(node["children"])

    def ancestors(self, entry_id: str) -> Iterator[str]:
        """Yield the ids from the parent to the root."""
        seen = {entry_id}
        while (above := self.parent(entry_id)) and above[0] not in seen:
            entry_id = above[0]
            seen.add(entry_id)
            yield entry_id

    def results(self, entry_id: str) -> list[str]:
        """Return results of tools that follow an answer, before anything else does."""
        found: list[str] = []
        todo = self.children(entry_id)
        seen = {entry_id}
        while todo:
            below = todo.pop(0)
            if below in seen or self.nodes[below].get("role") not in _TOOLS:
                continue
            seen.add(below)
            found.append(below)
            todo += self.children(below)
        return found

    def places(self, ids: list[str]) -> list[types.Location]:
        """Return the lines of entries."""
        numbers = (self._lines.line_of.get(entry_id) for entry_id in ids)
        return [
            types.Location(self._uri, line_range(number, self._lines))
            for number in numbers
            if number is not None
        ]

    def selections(self, entry_id: str) -> types.SelectionRange | None:
        """Return the line of an entry, then its turn, then its branch up to the root."""
        number = self._lines.line_of.get(entry_id)
        if number is None:
            return None
        spans = [number, number, number]
        in_turn = True
        for at in (entry_id, *self.ancestors(entry_id)):
            above = self._lines.line_of.get(at, number)
            spans[2] = min(spans[2], above)
            if in_turn:
                spans[1] = min(spans[1], above)
                in_turn = self.nodes[at].get("role") != "user"
        made: types.SelectionRange | None = None
        end = line_range(number, self._lines).end
        for start in reversed(spans):
            made = types.SelectionRange(types.Range(types.Position(start, 0), end), made)
        return made

    def folds(self) -> list[types.FoldingRange]:
        """Return turns and runs of tools, where they take more than one line."""
        roles = [
            None if entry_id is None else self.nodes.get(entry_id, {}).get("role")
            for entry_id in self._lines.ids
        ]
        last = max((at for at, found in enumerate(self._lines.ids) if found), default=0)
        found: list[types.FoldingRange] = []
        turn = tools = None
        for at, role in enumerate([*roles[: last + 1], "user"]):
            if role not in _TOOLS:
                if tools is not None and at - 1 > tools:
                    found.append(types.FoldingRange(tools, at - 1))
                tools = None
            elif tools is None:
                tools = at
            if role == "user":
                if turn is not None and at - 1 > turn:
                    found.append(types.FoldingRange(turn, at - 1))
                turn = at
        return found

    def hints(self, first: int, last: int) -> list[types.InlayHint]:
        """Return role, time, label and number of branches for the starts of lines."""
        found: list[types.InlayHint] = []
        for at in range(max(first, 0), min(last + 1, len(self._lines.ids))):
            node = self.nodes.get(self._lines.ids[at] or "")
            if node is None:
                continue
            shown = [node.get("role") or node["type"], node["timestamp"]]
            if len(node["children"]) > 1:
                shown.append(f"{len(node['children'])} branches")
            if "label" in node:
                shown.append(f"[{node['label']}]")
            text = on_one_line(" · ".join(filter(None, shown)))
            found.append(types.InlayHint(types.Position(at, 0), text, padding_right=True))
        return found

    def item(self, entry_id: str) -> types.CallHierarchyItem | None:
        """Return an entry as an item of a call hierarchy."""
        number = self._lines.line_of.get(entry_id)
        if number is None or entry_id not in self.nodes:
            return None
        span = line_range(number, self._lines)
        name = title(self.nodes[entry_id])
        return types.CallHierarchyItem(
            name, types.SymbolKind.Function, self._uri, span, span, detail=entry_id
        )
