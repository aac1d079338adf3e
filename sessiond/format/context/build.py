"""Build the context a model receives for a branch, spliced from the stored lines.

pi 1.6.0: session-manager.js, `buildSessionContext`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from functools import cached_property

import attrs

from sessiond.format import entries as types
from sessiond.format.context.entry_messages import edited, entry_messages, stored_message
from sessiond.format.entries import Entry
from sessiond.format.header import Header
from sessiond.format.tree.tree import Tree
from sessiond.text.parts import elements, join_members, object_members, string_of
from sessiond.text.spans import js_string

_RESETS = frozenset({types.RESET, types.RESET_BOUNDARY})
_BEGINNINGS = frozenset({types.COMPACTION, *_RESETS})
"""Types of entries that start a new context."""


@attrs.define(eq=False)
class Context:
    """The context at a leaf. Lines are read when a property needs them."""

    path: list[Entry]
    """The branch, root first."""
    entries: list[Entry]
    """Entries in the context: the latest compaction, the entries it keeps, and those that follow.
    After a later reset: the entries that it keeps, and those that follow. Otherwise the branch."""
    initial: Header | None

    def messages(self) -> Iterator[bytes]:
        """Yield all messages in order without keeping them.

        A list for every entry would make the garbage collector stop all threads for long.
        """
        for index in range(len(self.entries)):
            yield from self.messages_at(index)

    @cached_property
    def system_message(self) -> bytes | None:
        """The system message in force, or None. Reads no other messages."""
        messages: list[bytes] = []
        for index, entry in enumerate(self.entries):
            if entry.role == "system" or entry.type == types.COMPACTION:
                messages += self.messages_at(index)
        return current_system_message(messages)

    @cached_property
    def edits(self) -> dict[str, bytes]:
        """The latest replacement for each target, from the entries in the context only."""
        return latest_edits(self.entries)

    def messages_at(self, index: int) -> list[bytes]:
        """Return the messages of the entry at an index of `entries`."""
        entry = self.entries[index]
        if entry.type == types.COMPACTION and index > 0:
            # An older compaction in the range that the latest one keeps.
            return []
        replacement = self.edits.get(entry.id)
        if replacement == b"null":
            return []
        return edited(entry, entry_messages(entry), replacement)

    @cached_property
    def thinking_level(self) -> bytes:
        """The thinking level as a JSON string.

        From the last change on the branch, else from a header of version 1, else `"off"`.
        """
        for entry in reversed(self.path):
            if entry.type == types.THINKING_LEVEL_CHANGE:
                level = object_members(entry.raw).get("thinkingLevel", b"")
                return level if level[:1] == b'"' else b'"off"'
        if self.initial is not None and self.initial.thinking_level is not None:
            return js_string(self.initial.thinking_level)
        return b'"off"'

    @cached_property
    def model(self) -> bytes | None:
        """The model as `{"provider":…,"modelId":…}`; members that are unknown are omitted.

        From the last model change or assistant message on the branch, else from a header of version
        1; None if there is neither.
        """
        for entry in reversed(self.path):
            if entry.type == types.MODEL_CHANGE:
                members = object_members(entry.raw)
                provider, slash, name = (string_of(members.get("model")) or "").partition("/")
                if slash:
                    # Oh My Pi, which also notes the models of other roles than the conversation's.
                    if string_of(members.get("role")) in (None, "default"):
                        return _model(js_string(provider), js_string(name))
                    continue
                return _model(members.get("provider"), members.get("modelId"))
            if entry.role == "assistant":
                members = object_members(stored_message(entry) or b"{}")
                return _model(members.get("provider"), members.get("model"))
        header = self.initial
        if header is None or (header.provider is None and header.model_id is None):
            return None
        return _model(_string(header.provider), _string(header.model_id))


def build_context(tree: Tree, leaf_id: str | None, initial: Header | None = None) -> Context:
    """Build the context at the entry `leaf_id`; it is empty for None and for an unknown id.

    `initial` is the header whose settings apply until the branch changes them.
    """
    path = tree.branch(leaf_id)
    return Context(path, _in_context(path), initial)


def latest_edits(entries: list[Entry]) -> dict[str, bytes]:
    """Return the latest replacement for each target of the context edits among `entries`."""
    edits = {}
    for entry in entries:
        if entry.type == types.CONTEXT_EDIT:
            members = object_members(entry.raw)
            target = string_of(members.get("targetId"))
            if target is not None:
                edits[target] = members.get("replacement", b"")
    return edits


def _in_context(path: list[Entry]) -> list[Entry]:
    at = _last_of(path, _BEGINNINGS, len(path))
    if at is None:
        return path
    boundary = path[at]
    first_kept = string_of(object_members(boundary.raw).get("firstKeptEntryId"))
    start = next((i for i in range(at) if path[i].id == first_kept), at)
    if boundary.type in _RESETS:
        # An earlier summary belongs to a context that the reset ended.
        kept = [entry for entry in path[start:at] if entry.type not in _BEGINNINGS]
        return [*kept, *path[at + 1 :]]
    # A later compaction cannot bring back entries from before a reset.
    reset = _last_of(path, _RESETS, at)
    start = start if reset is None else max(start, reset + 1)
    # The compaction's own system message replaces those of the kept entries.
    kept = [entry for entry in path[start:at] if entry.role != "system"]
    return [boundary, *kept, *path[at + 1 :]]


def _last_of(path: list[Entry], kinds: Container[str], end: int) -> int | None:
    return next((at for at in range(end - 1, -1, -1) if path[at].type in kinds), None)


def _model(provider: bytes | None, model_id: bytes | None) -> bytes:
    return join_members(("provider", provider), ("modelId", model_id))


def _string(text: str | None) -> bytes | None:
    return None if text is None else js_string(text)


def current_system_message(messages: Iterable[bytes]) -> bytes | None:
    """Apply all system messages in order (as pi 1.6.0); None if no system message is in force.

    Texts are joined by a blank line. Sections are set by name, and `null` removes one. Tools are
    first removed and then set by name. Members of the result:
    `role,content[,sections][,toolsAdded],timestamp`; the timestamp is that of the first system
    message that has one. Values keep their spelling.
    """
    current = _SystemMessage()
    for message in messages:
        if b"system" not in message and b"\\u" not in message:
            # Without an escape the role cannot be spelled in another way.
            continue
        members = object_members(message)
        if string_of(members.get("role")) == "system":
            current.apply(members)
    return current.encode()


@attrs.define
class _SystemMessage:
    texts: list[bytes] = attrs.field(factory=list)
    sections: dict[str, bytes] = attrs.field(factory=dict)
    tools: dict[str | None, bytes] = attrs.field(factory=dict)
    timestamp: bytes | None = None

    def apply(self, members: dict[str, bytes]) -> None:
        timestamp = members.get("timestamp", b"null")
        if self.timestamp is None and timestamp != b"null":
            self.timestamp = timestamp
        text = _inside(members.get("content", b"null"))
        if text:
            self.texts.append(text)
        for name, value in _members(members.get("sections")).items():
            if value == b"null":
                self.sections.pop(name, None)
            else:
                self.sections[name] = value
        for tool in elements(members.get("toolsRemoved", b"null")):
            self.tools.pop(_name(tool), None)
        for tool in elements(members.get("toolsAdded", b"null")):
            self.tools[_name(tool)] = tool

    def encode(self) -> bytes | None:
        if self.timestamp is None and not self.tools:
            return None
        parts = [b'{"role":"system","content":"', rb"\n\n".join(self.texts), b'"']
        if self.sections:
            pairs = (js_string(name) + b":" + value for name, value in self.sections.items())
            parts += [b',"sections":{', b",".join(pairs), b"}"]
        if self.tools:
            parts += [b',"toolsAdded":[', b",".join(self.tools.values()), b"]"]
        parts += [b',"timestamp":', self.timestamp or b"0", b"}"]
        return b"".join(parts)


def _inside(content: bytes) -> bytes:
    """Return the inside of a JSON string: the content, or its text blocks as lines."""
    if content[:1] == b'"':
        return content[1:-1]
    texts = []
    for block in elements(content):
        members = _members(block)
        if members.get("type") == b'"text"':
            text = members.get("text", b"")
            texts.append(text[1:-1] if text[:1] == b'"' else b"")
    return rb"\n".join(texts)


def _members(raw: bytes | None) -> dict[str, bytes]:
    return object_members(raw) if raw is not None and raw[:1] == b"{" else {}


def _name(tool: bytes) -> str | None:
    return string_of(_members(tool).get("name"))
