"""Build answers from the lines of a document without parsing and re-encoding them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, islice

import attrs

from sessiond.format.context.build import Context
from sessiond.format.describe.preview import preview
from sessiond.format.entries import Entry
from sessiond.format.header import Header
from sessiond.format.tree.tree import Tree
from sessiond.format.view import acp
from sessiond.format.view.blocks import as_json
from sessiond.format.view.branch import Views
from sessiond.runtime.errors import EntryNotFound
from sessiond.runtime.limits import INLINE_ENTRIES
from sessiond.text.spans import Buffer, Json, js_string

_RUN = 500
"""Values joined in one call: a longer call would block the event loop even from a worker thread,
because it holds the interpreter's lock."""

_LARGE = 1024
"""Average size in bytes from which values are written as they are, which costs less than a copy."""


def runs(values: Iterable[bytes]) -> list[Buffer]:
    """Return the body of an array of JSON values in parts: small values are joined by hundreds."""
    parts: list[Buffer] = []
    remaining = iter(values)
    while run := list(islice(remaining, _RUN)):
        if parts:
            parts.append(b",")
        if sum(map(len, run)) < _LARGE * len(run):
            parts.append(b",".join(run))
        else:
            commas: list[bytes] = [b","] * (2 * len(run) - 1)
            commas[::2] = run
            parts += commas
    return parts


def entries_answer(entries: Iterable[Entry]) -> Json:
    return Json.of(b'{"entries":[', *runs(entry.raw for entry in entries), b"]}")


def entry_answer(entry: Entry | None) -> Json:
    line = entry.raw if entry else b"null"
    return Json.of(b'{"entry":', line, b"}")


@attrs.frozen
class EntryPage:
    """At most `limit` entries in file order. Raises EntryNotFound when it is made.

    It starts after `cursor`: a `nextCursor`, or an entry id, of which the last occurrence counts;
    and at most `from_end` entries before the end.
    """

    tree: Tree
    first: int
    """Index of the first entry."""
    last: int
    """Index after the last entry."""
    views: bool = False
    """Whether to answer what a person sees of the entries also."""

    @classmethod
    def of(
        cls,
        tree: Tree,
        cursor: str | None,
        limit: int | None,
        from_end: int | None = None,
        *,
        views: bool = False,
    ) -> EntryPage:
        total = len(tree.entries)
        first = 0 if cursor is None else _position(tree, cursor) + 1
        if from_end is not None:
            first = max(first, total - from_end)
        return cls(tree, first, total if limit is None else min(total, first + limit), views)

    @property
    def cost(self) -> int:
        """Number of bytes to read, or the cost of all entries if they are many."""
        if self.last - self.first > INLINE_ENTRIES:
            return self.tree.cost
        return sum(len(entry.raw) for entry in self.tree.entries[self.first : self.last])

    def answer(self) -> Json:
        entries, first, last = self.tree.entries, self.first, self.last
        body = runs(entry.raw for entry in entries[first:last])
        tail = f'],"total":{len(entries)}'.encode()
        if self.views:
            views = map(as_json, Views(self.tree).views(first, max(first, last)))
            body += [b'],"views":[', *runs(views)]
        if last < len(entries):
            tail += b',"nextCursor":%b' % js_string(_cursor(entries, last - 1))
        return Json([b'{"entries":[', *body, tail + b"}"])


def _cursor(entries: Sequence[Entry], index: int) -> str:
    # The index is included because ids may occur twice; the id shows if the index is still right.
    return f"#{index}:{entries[index].id if index >= 0 else ''}"


def _position(tree: Tree, cursor: str) -> int:
    """Return the index of the entry that `cursor` names; -1 is before the first."""
    index_by_id = tree.by_id.get(cursor)
    if index_by_id is not None:
        return index_by_id
    number, colon, entry_id = cursor.removeprefix("#").partition(":")
    is_number = number == "-1" or (number.isascii() and number.isdecimal() and len(number) < 16)
    if not (cursor.startswith("#") and colon and is_number):
        raise EntryNotFound(cursor)
    index = int(number)
    if index == -1 or (0 <= index < len(tree.entries) and tree.entries[index].id == entry_id):
        return index
    # The file was rewritten; the entry itself may still exist.
    if entry_id not in tree.by_id:
        raise EntryNotFound(entry_id)
    return tree.by_id[entry_id]


def view_answer(
    tree: Tree,
    branch: Sequence[Entry],
    *,
    around: str | None,
    cursor: str | None,
    last: int | None,
    limit: int | None,
    most: int | None,
) -> Json:
    """Return a page of what a person sees of a branch. Raises EntryNotFound for an id."""
    total = len(branch)
    first = 0
    if around is not None:
        first = max(0, _index(branch, around) - (total if limit is None else limit // 2))
    elif cursor is not None:
        first = _index(branch, cursor) + 1
    if last is not None and around is None:
        first = max(first, total - last)
    stop = total if limit is None else min(total, first + limit)
    items = map(as_json, Views(tree, branch, most=most).views(first, stop))
    return _page(b"items", items, branch, first, stop)


def updates_answer(
    tree: Tree,
    branch: Sequence[Entry],
    header: Header,
    *,
    cursor: str | None,
    limit: int | None,
) -> Json:
    """Return a page of a branch as notifications of ACP. Raises EntryNotFound for the cursor."""
    total = len(branch)
    first = 0 if cursor is None else _index(branch, cursor) + 1
    stop = total if limit is None else min(total, first + limit)
    every = acp.updates(tree, branch, first, stop, header.cwd or "")
    items = (acp.as_json(header.id, each) for each in every)
    return _page(b"updates", items, branch, first, stop)


def _page(
    name: bytes, items: Iterable[bytes], branch: Sequence[Entry], first: int, stop: int
) -> Json:
    """Return the items of the entries from `first` up to `stop`, and where the next page begins."""
    tail = f'],"total":{len(branch)}'.encode()
    if first < stop < len(branch):
        tail += b',"nextCursor":' + js_string(branch[stop - 1].id)
    return Json.of(b'{"%b":[' % name, *runs(items), tail, b"}")


def _index(branch: Sequence[Entry], entry_id: str) -> int:
    """Return the place of an entry on a branch. Raises EntryNotFound."""
    place = next((at for at, entry in enumerate(branch) if entry.id == entry_id), None)
    if place is None:
        raise EntryNotFound(entry_id)
    return place


def context_answer(context: Context) -> Json:
    each = map(context.messages_at, range(len(context.entries)))
    messages = runs(chain.from_iterable(each))
    return Json.of(b'{"messages":[', *messages, b"]", _settings(context), b"}")


def projection_answer(context: Context) -> Json:
    entries = runs(
        b'{"sourceEntry":%b,"messages":[%b]}' % (entry.raw, b",".join(context.messages_at(index)))
        for index, entry in enumerate(context.entries)
    )
    return Json.of(b'{"entries":[', *entries, b"]", _settings(context), b"}")


def _settings(context: Context) -> bytes:
    return b',"thinkingLevel":' + context.thinking_level + b',"model":' + (context.model or b"null")


def tree_answer(tree: Tree, *, outline: bool) -> Json:
    """Return the whole tree as a flat list of nodes, each with the ids of its children.

    The nodes are in the order in which their ids first occur in the file.
    """
    forest = tree.forest()
    make = _outline_node if outline else _full_node
    nodes = runs(
        make(tree, tree.entries[index], _ids(tree, forest.children.get(index, ())))
        for index in tree.by_id.values()
    )
    roots = runs(js_string(tree.entries[index].id) for index in forest.roots)
    return Json.of(b'{"roots":[', *roots, b'],"nodes":[', *nodes, b"]}")


def _ids(tree: Tree, indices: Iterable[int]) -> bytes:
    return b"[" + b",".join(js_string(tree.entries[index].id) for index in indices) + b"]"


def _full_node(tree: Tree, entry: Entry, children: bytes) -> bytes:
    node = b'{"id":' + js_string(entry.id) + b',"children":' + children
    label = tree.labels.get(entry.id)
    if label is not None:
        node += b',"label":' + js_string(label.text)
        node += b',"labelTimestamp":' + js_string(label.timestamp)
    return node + b',"entry":' + entry.raw + b"}"


def _outline_node(tree: Tree, entry: Entry, children: bytes) -> bytes:
    parent = b"null" if entry.parent_id is None else js_string(entry.parent_id)
    node = b'{"id":' + js_string(entry.id) + b',"parentId":' + parent
    node += b',"children":' + children + b',"type":' + js_string(entry.type)
    if entry.role is not None:
        node += b',"role":' + js_string(entry.role)
    node += b',"timestamp":' + js_string(entry.timestamp)
    node += b',"preview":' + js_string(preview(entry))
    label = tree.label(entry.id)
    if label is not None:
        node += b',"label":' + js_string(label)
    return node + b"}"
