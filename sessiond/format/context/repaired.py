"""Repair what an interrupted turn left, so that providers accept the messages.

pi does this in its provider layer (pi-ai 1.6.0, transform-messages.js, `transformMessages`), for a
model that wrote the answers itself and takes images. One thing differs: pi passes on a result
without a call, which providers refuse.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import attrs

from sessiond.format.context.message_view import role_of
from sessiond.runtime.clock import now_ms
from sessiond.text.javascript import truthy
from sessiond.text.parts import elements, join_members, object_members, string_of
from sessiond.text.spans import js_trim, replace_member

_UNFINISHED = frozenset({"error", "aborted"})
_NO_RESULT = b'[{"type":"text","text":"No result provided"}]'

Members = dict[str, bytes]
_Id = str | bytes | None


@attrs.define
class _Calls:
    """The calls of the latest answer, until the next answer or prompt."""

    members: dict[_Id, Members] = attrs.field(factory=dict)
    """The blocks of the calls, by id."""
    unanswered: set[_Id] = attrs.field(factory=set)
    waiting: list[bytes] = attrs.field(factory=list)
    """System messages, which must not stand between a call and its result."""

    def begin(self, blocks: Iterable[Members]) -> None:
        """Expect results for the calls of an answer."""
        calls = (block for block in blocks if string_of(block.get("type")) == "toolCall")
        self.members = {_id(call.get("id")): call for call in calls}
        self.unanswered = set(self.members)

    def end(self) -> Iterator[bytes]:
        """Yield a result for each unanswered call, then the messages that waited."""
        for id_, call in self.members.items():
            if id_ in self.unanswered:
                yield join_members(
                    ("role", b'"toolResult"'),
                    ("toolCallId", call.get("id")),
                    ("toolName", call.get("name")),
                    ("content", _NO_RESULT),
                    ("isError", b"true"),
                    ("timestamp", b"%d" % now_ms()),
                )
        yield from self.waiting
        self.members, self.unanswered, self.waiting = {}, set(), []


def repaired(messages: Iterable[bytes]) -> Iterator[bytes]:
    """Yield messages with a result for each call, and a call for each result.

    Aborted answers and answers that ended in an error are left out, with their results, and so are
    empty thoughts without a signature. A content of null becomes an empty one. `messages` have the
    roles that `to_llm` yields.
    """
    calls = _Calls()
    for given in messages:
        message, role, members = given, role_of(given), object_members(given)
        if members.get("content", b"null") == b"null":
            message, members["content"] = replace_member(message, "content", b"[]"), b"[]"
        if role == "toolResult":
            id_ = _id(members.get("toolCallId"))
            calls.unanswered.discard(id_)
            if id_ not in calls.members:
                continue
        elif role == "system":
            if calls.members:
                calls.waiting.append(message)
                continue
        else:
            yield from calls.end()
        if role == "assistant":
            if string_of(members.get("stopReason")) in _UNFINISHED:
                continue
            raw = elements(members["content"])
            blocks = [(block, object_members(block)) for block in raw if block[:1] == b"{"]
            kept = [block for block, parts in blocks if not _is_empty_thought(parts)]
            if len(kept) != len(raw):
                message = replace_member(message, "content", b"[" + b",".join(kept) + b"]")
            calls.begin(parts for _, parts in blocks)
        yield message
    yield from calls.end()


def _is_empty_thought(block: Members) -> bool:
    """Return whether a block is a thought without text that no provider needs again."""
    if string_of(block.get("type")) != "thinking":
        return False
    if truthy(block.get("redacted")) or truthy(block.get("thinkingSignature")):
        return False
    return not js_trim(string_of(block.get("thinking")) or "")


def _id(raw: bytes | None) -> _Id:
    """Return the id of a call for comparisons, however its JSON is spelled."""
    text = string_of(raw)
    return raw if text is None else text
