"""Join the parts of an answer that are entries of their own into one message, as pi keeps it.

Some agents write each block of an answer as it comes. pi expects the calls of an answer in one
message: it would add an empty result for every call that another assistant message follows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import attrs

from sessiond.format.entries import MESSAGE
from sessiond.text.parts import elements, object_members, string_of
from sessiond.text.spans import js_string, replace_member

_REFERENCES = ("firstKeptEntryId", "targetId", "fromId")
"""Members in which an entry names another one that is not its parent."""


@attrs.frozen
class _Line:
    raw: bytes
    id: str | None
    parent: bytes
    message: dict[str, bytes]
    """The members of the message of an answer; else empty."""


def merged_answers(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield entry lines in which no assistant message is the only child of another one before it.

    A joined message has the id of its last part, which is what entries below it name.
    """
    every = list(map(_parsed, lines))
    children = Counter(line.parent for line in every)
    parts: dict[bytes, list[_Line]] = {}
    """The parts of an answer so far, by the id of its last one as it is spelled in a `parentId`."""
    for line in every:
        if line.message and line.id is not None:
            before = parts.pop(line.parent, []) if children[line.parent] == 1 else []
            parts[js_string(line.id)] = [*before, line]
    inner = {each.id: part[-1].id for part in parts.values() for each in part[:-1]}
    for line in every:
        if line.id in inner:
            continue
        if line.message and line.id is not None:
            yield _joined(parts.get(js_string(line.id), [line]))
        else:
            yield _renamed(line.raw, inner)


def _parsed(raw: bytes) -> _Line:
    members = object_members(raw)
    is_message = string_of(members.get("type")) == MESSAGE
    message = members.get("message", b"") if is_message else b""
    answer = object_members(message) if message.startswith(b"{") else {}
    if string_of(answer.get("role")) != "assistant":
        answer = {}
    parent = string_of(members.get("parentId"))
    return _Line(
        raw, string_of(members.get("id")), b"" if parent is None else js_string(parent), answer
    )


def _joined(parts: Sequence[_Line]) -> bytes:
    first, last = parts[0], parts[-1]
    if first is last:
        return last.raw
    content = [block for part in parts for block in elements(part.message.get("content", b"[]"))]
    usage = _summed([part.message.get("usage", b"{}") for part in parts])
    message = object_members(last.raw)["message"]
    message = replace_member(message, "content", b"[%b]" % b",".join(content))
    message = replace_member(message, "usage", usage)
    raw = replace_member(last.raw, "message", message)
    return replace_member(raw, "parentId", first.parent or b"null")


def _summed(usages: Sequence[bytes]) -> bytes:
    """Return the usage with the tokens of all parts; costs and other members of the largest."""
    counts: Counter[str] = Counter()
    for usage in usages:
        members = object_members(usage) if usage.startswith(b"{") else {}
        counts.update({name: int(raw) for name, raw in members.items() if raw.isdigit()})
    usage = max(usages, key=_total)
    for name, count in counts.items():
        usage = replace_member(usage, name, b"%d" % count)
    return usage


def _total(usage: bytes) -> int:
    total = object_members(usage).get("totalTokens", b"0") if usage.startswith(b"{") else b"0"
    return int(total) if total.isdigit() else 0


def _renamed(raw: bytes, inner: dict[str | None, str | None]) -> bytes:
    """Name the whole answer where an entry names a part of it."""
    members = object_members(raw)
    for name in _REFERENCES:
        target = string_of(members.get(name))
        whole = None if target is None else inner.get(target)
        if whole is not None:
            raw = replace_member(raw, name, js_string(whole))
    return raw
