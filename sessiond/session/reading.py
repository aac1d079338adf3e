"""Answers spliced from the lines of a document; nothing stored is parsed and written again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sessiond.errors import EntryNotFound
from sessiond.files.document import Document
from sessiond.format.context import Context
from sessiond.format.entries import Entry
from sessiond.format.preview import preview
from sessiond.format.tree import Tree
from sessiond.jsontext import Buffer, Json, js_string


def line(document: Document, entry: Entry) -> bytes:
    return document.tree.line(entry)


def array(document: Document, entries: Iterable[Entry]) -> bytes:
    """A JSON array of entries, in the order given."""
    return b"[" + b",".join(line(document, entry) for entry in entries) + b"]"


def entries_answer(document: Document, entries: Iterable[Entry]) -> Json:
    return Json.of(b'{"entries":', array(document, entries), b"}")


def entry_answer(document: Document, entry: Entry | None) -> Json:
    return Json.of(b'{"entry":', line(document, entry) if entry else b"null", b"}")


def page(document: Document, after: str | None, limit: int | None) -> Json:
    """A run of the file's entries as they lie in memory, which costs no copy however long it is.

    `after` is an entry id (its last occurrence counts) or a `nextAfter`. Raises EntryNotFound.
    """
    entries = document.tree.entries
    first = 0 if after is None else _position(document, after) + 1
    last = len(entries) if limit is None else min(len(entries), first + limit)
    body: list[Buffer] = []
    if last > first:
        body = document.tree.text.buffers(entries[first].start, entries[last - 1].end)
    tail = f'],"total":{len(entries)}'.encode()
    if last < len(entries):
        tail += b',"nextAfter":' + js_string(_cursor(entries, last - 1))
    return Json([b'{"entries":[', *body, tail + b"}"])


def _cursor(entries: Sequence[Entry], index: int) -> str:
    # Ids may occur twice in a file, so the index comes along; the id tells whether it still holds.
    return f"#{index}:{entries[index].id if index >= 0 else ''}"


def _position(document: Document, after: str) -> int:
    tree = document.tree
    found = tree.by_id.get(after)
    if found is not None:
        return found
    number, colon, entry_id = after.removeprefix("#").partition(":")
    if after.startswith("#") and colon and number.lstrip("-").isdigit():
        index = int(number)
        if index == -1 or (0 <= index < len(tree.entries) and tree.entries[index].id == entry_id):
            return index
        # The file was rewritten; the entry itself may still be there.
        after = entry_id
        found = tree.by_id.get(entry_id)
    if found is None:
        raise EntryNotFound(after)
    return found


def context_answer(context: Context) -> Json:
    messages = b",".join(context.messages)
    return Json.of(b'{"messages":[', messages, b"]", _settings(context), b"}")


def projection_answer(document: Document, context: Context) -> Json:
    entries = b",".join(
        b'{"sourceEntry":' + line(document, entry) + b',"messages":[' + b",".join(messages) + b"]}"
        for entry, messages in context.projection
    )
    return Json.of(b'{"entries":[', entries, b"]", _settings(context), b"}")


def _settings(context: Context) -> bytes:
    return b',"thinkingLevel":' + context.thinking_level + b',"model":' + (context.model or b"null")


def tree_answer(document: Document, *, outline: bool) -> Json:
    """The whole tree, flat: nodes in the order their ids came up, each with its children's ids."""
    tree = document.tree
    forest = tree.forest()
    make = _outline_node if outline else _full_node
    nodes = b",".join(
        make(document, tree.entries[index], _ids(tree, forest.children.get(index, ())))
        for index in tree.by_id.values()
    )
    return Json.of(b'{"roots":', _ids(tree, forest.roots), b',"nodes":[', nodes, b"]}")


def _ids(tree: Tree, indices: Iterable[int]) -> bytes:
    return b"[" + b",".join(js_string(tree.entries[index].id) for index in indices) + b"]"


def _full_node(document: Document, entry: Entry, children: bytes) -> bytes:
    node = b'{"id":' + js_string(entry.id) + b',"children":' + children
    label = document.tree.labels.get(entry.id)
    if label is not None:
        node += b',"label":' + js_string(label.text)
        node += b',"labelTimestamp":' + js_string(label.timestamp)
    return node + b',"entry":' + line(document, entry) + b"}"


def _outline_node(document: Document, entry: Entry, children: bytes) -> bytes:
    parent = b"null" if entry.parent_id is None else js_string(entry.parent_id)
    node = b'{"id":' + js_string(entry.id) + b',"parentId":' + parent
    node += b',"children":' + children + b',"type":' + js_string(entry.type)
    if entry.role is not None:
        node += b',"role":' + js_string(entry.role)
    node += b',"timestamp":' + js_string(entry.timestamp)
    node += b',"preview":' + js_string(preview(entry, line(document, entry)))
    label = document.tree.label(entry.id)
    if label is not None:
        node += b',"label":' + js_string(label)
    return node + b"}"
