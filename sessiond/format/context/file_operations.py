"""Collect the files that the tools of a conversation read, wrote and edited (as pi 1.6.0)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

import attrs
import msgspec

from sessiond.text.javascript import truthy, utf16_key
from sessiond.text.lenient import lenient
from sessiond.text.parts import elements, object_members, string_of
from sessiond.text.spans import js_string


@attrs.define
class FileOperations:
    """Paths by operation, each once, in order of first occurrence."""

    read: dict[str, None] = attrs.field(factory=dict)
    written: dict[str, None] = attrs.field(factory=dict)
    edited: dict[str, None] = attrs.field(factory=dict)

    @classmethod
    def of(cls, read: Iterable[str], written: Iterable[str], edited: Iterable[str]) -> Self:
        return cls(dict.fromkeys(read), dict.fromkeys(written), dict.fromkeys(edited))

    def add_message(self, message: bytes) -> None:
        """Add the tool calls of an assistant message, or the nested calls of a tool result."""
        if b"toolCall" in message or b"nestedCalls" in message or b"\\u" in message:
            for name, path in _calls(message):
                self._add(name, path)

    def add_details(self, members: dict[str, bytes]) -> None:
        """Add the files in the `details` of a summary, unless an extension made the summary.

        `members` are the members of a `compaction` or `branch_summary` line.
        """
        details = members.get("details", b"")
        if truthy(members.get("fromHook")) or details[:1] != b"{":
            return
        lists = object_members(details)
        self.read |= dict.fromkeys(_strings(lists.get("readFiles")))
        self.edited |= dict.fromkeys(_strings(lists.get("modifiedFiles")))

    def _add(self, tool: str | None, path: str) -> None:
        if tool == "read":
            self.read[path] = None
        elif tool == "write":
            self.written[path] = None
        elif tool == "edit":
            self.edited[path] = None

    @property
    def modified(self) -> list[str]:
        """Files written or edited, sorted by code unit."""
        return sorted({**self.edited, **self.written}, key=utf16_key)

    @property
    def only_read(self) -> list[str]:
        """Files read and not modified, sorted by code unit."""
        modified = {**self.edited, **self.written}
        return sorted((path for path in self.read if path not in modified), key=utf16_key)

    def text(self) -> str:
        """Return the blocks to append to a summary, one for each list that is not empty."""
        blocks = (
            f"\n\n<{name}>\n{chr(10).join(paths)}\n</{name}>"
            for name, paths in (("read-files", self.only_read), ("modified-files", self.modified))
            if paths
        )
        return "".join(blocks)

    def details(self) -> bytes:
        """Return `{readFiles, modifiedFiles}`, as stored in the entry of a summary."""
        read, modified = _array(self.only_read), _array(self.modified)
        return b'{"readFiles":' + read + b',"modifiedFiles":' + modified + b"}"

    def as_json(self) -> bytes:
        """Return `{read, written, edited}`."""
        read, written, edited = (_array(paths) for paths in (self.read, self.written, self.edited))
        return b'{"read":' + read + b',"written":' + written + b',"edited":' + edited + b"}"


class _Call(msgspec.Struct, gc=False):
    type: str | None = None
    name: str | None = None
    arguments: msgspec.Raw = msgspec.Raw()


class _Nested(msgspec.Struct, gc=False):
    calls: list[_Call] | None = None


class _Caller(msgspec.Struct, gc=False):
    role: str = ""
    content: list[_Call] | str | None = None
    nestedCalls: _Nested | None = None  # noqa: N815 - the name on disk


_decode = lenient(_Caller)
_TOOLS = frozenset({"read", "write", "edit"})


def _calls(message: bytes) -> list[tuple[str | None, str]]:
    caller = _decode(message) or _Caller()
    calls: list[_Call] = []
    if caller.role == "assistant" and isinstance(caller.content, list):
        calls = [call for call in caller.content if call.type == "toolCall"]
    elif caller.role == "toolResult" and caller.nestedCalls is not None:
        calls = caller.nestedCalls.calls or []
    paths = ((call.name, _path(bytes(call.arguments))) for call in calls if call.name in _TOOLS)
    return [(name, path) for name, path in paths if path]


def _path(arguments: bytes) -> str | None:
    return string_of(object_members(arguments).get("path")) if arguments[:1] == b"{" else None


def _strings(raw: bytes | None) -> list[str]:
    texts = (string_of(each) for each in elements(raw or b"null"))
    return [text for text in texts if text is not None]


def _array(texts: Iterable[str]) -> bytes:
    return b"[" + b",".join(map(js_string, texts)) + b"]"
