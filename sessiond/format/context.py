"""What a model gets to see of a branch (as pi 1.5.2), spliced from the lines as they are."""

from __future__ import annotations

import re
from functools import cached_property

import attrs
import msgspec

from sessiond.format import entries as types
from sessiond.format.entries import Entry
from sessiond.format.header import Header
from sessiond.format.jsdate import json_ms
from sessiond.format.lines import text_block
from sessiond.format.parts import object_members, string_of
from sessiond.format.systemmessage import current_system_message
from sessiond.format.tree import Tree
from sessiond.jsontext import js_string, replace_member

__all__ = ["Context", "build_context", "context_entries", "current_system_message"]

_EMPTY_CONTENT = {"system": b'""', "user": b"[]", "assistant": b"[]", "toolResult": b"[]"}
_EDITABLE_ROLES = frozenset({"user", "assistant", "toolResult", "custom"})
# A message whose content is a top-level string or array, told from its first bytes: nothing but
# simple string members before it. Fits nearly all of them, and saves a second look at the rest.
_HAS_CONTENT = re.compile(rb'\{(?:"(?!content")[^"\\]*":"[^"\\]*",)*"content":["\[]')


class _Holder(msgspec.Struct, gc=False):
    message: msgspec.Raw


_decode_holder = msgspec.json.Decoder(_Holder).decode


@attrs.define(eq=False)
class Context:
    """The context at a leaf. Reads lines when it is asked for what needs them."""

    tree: Tree
    path: list[Entry]
    """The branch, root first."""
    entries: list[Entry]
    """Entries in context: the latest compaction, what it keeps, what follows; or the branch."""
    initial: Header | None

    @cached_property
    def projection(self) -> list[tuple[Entry, list[bytes]]]:
        """The same entries, each with the messages it contributes, context edits applied."""
        edits = self._edits()
        return [
            (entry, self._project(entry, index, edits.get(entry.id)))
            for index, entry in enumerate(self.entries)
        ]

    @cached_property
    def messages(self) -> list[bytes]:
        """All messages in order, as JSON."""
        return [message for _, messages in self.projection for message in messages]

    @cached_property
    def thinking_level(self) -> bytes:
        """A JSON string: by the last change on the branch, else the header of version 1, else
        `"off"`.
        """
        for entry in reversed(self.path):
            if entry.type == types.THINKING_LEVEL_CHANGE:
                level = object_members(self.tree.line(entry)).get("thinkingLevel", b"")
                return level if level[:1] == b'"' else b'"off"'
        if self.initial is not None and self.initial.thinking_level is not None:
            return js_string(self.initial.thinking_level)
        return b'"off"'

    @cached_property
    def model(self) -> bytes | None:
        """`{"provider":…,"modelId":…}` by the last model change or assistant message on the branch,
        else the header of version 1; None where nothing says. What a message lacks is left out.
        """
        for entry in reversed(self.path):
            if entry.type == types.MODEL_CHANGE:
                members = object_members(self.tree.line(entry))
                return _model(members.get("provider"), members.get("modelId"))
            if entry.role == "assistant":
                members = object_members(self._message(entry) or b"{}")
                return _model(members.get("provider"), members.get("model"))
        header = self.initial
        if header is None or (header.provider is None and header.model_id is None):
            return None
        return _model(_string(header.provider), _string(header.model_id))

    def _edits(self) -> dict[str, bytes]:
        """Latest replacement by target, among the entries in context only."""
        edits = {}
        for entry in self.entries:
            if entry.type == types.CONTEXT_EDIT:
                members = object_members(self.tree.line(entry))
                target = string_of(members.get("targetId"))
                if target is not None:
                    edits[target] = members.get("replacement", b"")
        return edits

    def _project(self, entry: Entry, index: int, replacement: bytes | None) -> list[bytes]:
        if entry.type == types.COMPACTION and index > 0:
            # An older compaction that lies in the range the latest one keeps.
            return []
        if replacement == b"null":
            return []
        messages = self._messages(entry)
        if replacement is None or replacement[:1] != b"{":
            return messages
        role = entry.role if entry.type == types.MESSAGE else "custom"
        content = object_members(replacement).get("content")
        if content is None or role not in _EDITABLE_ROLES or entry.type in _SUMMARIES:
            return messages
        if role in {"assistant", "toolResult"} and content[:1] == b'"':
            content = text_block(content)
        return [replace_member(message, "content", content) for message in messages]

    def _messages(self, entry: Entry) -> list[bytes]:
        if entry.type == types.MESSAGE:
            message = self._message(entry)
            return [] if message is None else [_with_content(message, entry.role)]
        maker = _MAKERS.get(entry.type)
        return [] if maker is None else maker(object_members(self.tree.line(entry)), entry)

    def _message(self, entry: Entry) -> bytes | None:
        line = self.tree.line(entry)
        try:
            message = bytes(_decode_holder(line).message)
        except (msgspec.MsgspecError, RecursionError):
            message = object_members(line).get("message", b"")
        return message if message[:1] == b"{" else None


def build_context(tree: Tree, leaf_id: str | None, initial: Header | None = None) -> Context:
    """The context at the entry `leaf_id`; that of None, or of an unknown id, is empty.

    `initial` is the header whose settings count until the branch changes them.
    """
    path = tree.branch(leaf_id)
    return Context(tree, path, _in_context(tree, path), initial)


def context_entries(tree: Tree, leaf_id: str | None) -> list[Entry]:
    """The entries in context at a leaf: see `Context.entries`."""
    return _in_context(tree, tree.branch(leaf_id))


def _in_context(tree: Tree, path: list[Entry]) -> list[Entry]:
    at = next(
        (at for at in range(len(path) - 1, -1, -1) if path[at].type == types.COMPACTION), None
    )
    if at is None:
        return path
    compaction = path[at]
    first_kept = string_of(object_members(tree.line(compaction)).get("firstKeptEntryId"))
    start = next((i for i in range(at) if path[i].id == first_kept), at)
    # Its own system message stands for those among the kept entries.
    kept = [entry for entry in path[start:at] if entry.role != "system"]
    return [compaction, *kept, *path[at + 1 :]]


def _with_content(message: bytes, role: str | None) -> bytes:
    """Content that is missing or null replaced by an empty one, for the roles that need some."""
    empty = _EMPTY_CONTENT.get(role or "")
    if empty is None:
        return message
    if message.count(b'"content"') == 1 and _HAS_CONTENT.match(message):
        return message
    if object_members(message).get("content", b"null") == b"null":
        return replace_member(message, "content", empty)
    return message


def _custom_message(members: dict[str, bytes], entry: Entry) -> list[bytes]:
    content = members.get("content", b"null")
    return [
        _join(
            ("role", b'"custom"'),
            ("customType", members.get("customType")),
            ("content", b"[]" if content == b"null" else content),
            ("display", members.get("display")),
            ("details", members.get("details")),
            ("timestamp", json_ms(entry.timestamp)),
        )
    ]


def _branch_summary(members: dict[str, bytes], entry: Entry) -> list[bytes]:
    summary = members.get("summary")
    if summary is None or not _is_true(summary):
        return []
    return [
        _join(
            ("role", b'"branchSummary"'),
            ("summary", summary),
            ("fromId", members.get("fromId")),
            ("timestamp", json_ms(entry.timestamp)),
        )
    ]


def _compaction(members: dict[str, bytes], entry: Entry) -> list[bytes]:
    summary = _join(
        ("role", b'"compactionSummary"'),
        ("summary", members.get("summary")),
        ("tokensBefore", members.get("tokensBefore")),
        ("timestamp", json_ms(entry.timestamp)),
    )
    system = members.get("systemMessage", b"")
    return [system, summary] if system[:1] == b"{" else [summary]


_MAKERS = {
    types.CUSTOM_MESSAGE: _custom_message,
    types.BRANCH_SUMMARY: _branch_summary,
    types.COMPACTION: _compaction,
}
_SUMMARIES = frozenset({types.BRANCH_SUMMARY, types.COMPACTION})


def _model(provider: bytes | None, model_id: bytes | None) -> bytes:
    return _join(("provider", provider), ("modelId", model_id))


def _string(text: str | None) -> bytes | None:
    return None if text is None else js_string(text)


def _is_true(raw: bytes) -> bool:
    """Whether JavaScript takes the value for true."""
    if raw[:1] in b"-0123456789":
        return float(raw) != 0
    return raw not in {b'""', b"null", b"false"}


def _join(*pairs: tuple[str, bytes | None]) -> bytes:
    parts = [b'"%b":%b' % (name.encode(), value) for name, value in pairs if value is not None]
    return b"{" + b",".join(parts) + b"}"
