"""Cut a JSON text outside of its strings, and complete the parts so that each is JSON by itself."""

from __future__ import annotations

from sessiond.jsontext.quotes import without_escapes

_PASSES = 8
_OPENING = {0x5B: b"[", 0x7B: b'{"":'}
_AFTER_COMMA = {0x5B: b"[0,", 0x7B: b'{"":0,'}
_BEFORE_END = {0x5B: b"0", 0x7B: b'"":0'}
_CLOSING = {0x5B: b"]", 0x7B: b"}"}


def opening(open_: bytearray) -> bytes:
    """What precedes a text that begins after a comma, or at the start if nothing is open.

    `open_` are the opening brackets of the containers that are open there.
    """
    if not open_:
        return b""
    outer = [_OPENING[bracket] for bracket in open_[:-1]]
    return b"".join((*outer, _AFTER_COMMA[open_[-1]]))


def cut(part: bytes) -> tuple[int, int]:
    """Return where to cut a part that begins outside of strings: behind its last comma there.

    0 if there is none. Then the second number is the position of a string that the part does not
    contain whole, -1 if there is none.
    """
    text = without_escapes(part)
    last = text.rfind(b'"')
    comma = text.rfind(b",")
    is_inside = text.count(b'"', 0, comma + 1) % 2
    while comma >= 0 and is_inside:
        quote = text.rfind(b'"', 0, comma)
        comma = text.rfind(b",", 0, quote)
        is_inside = text.count(b'"', comma + 1, quote) % 2
    if comma >= 0:
        return comma + 1, -1
    return 0, last if text.count(b'"') % 2 else -1


def open_after(open_: bytearray, brackets: bytes) -> tuple[bytearray, int]:
    """Return the opening brackets without a closing one, after `brackets` follow `open_`.

    Also returns the lowest depth on the way.
    """
    for _ in range(_PASSES):
        size = len(brackets)
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
        if len(brackets) == size:
            break
    after = bytearray(open_)
    lowest = len(after)
    for bracket in brackets:
        if bracket in b"[{":
            after.append(bracket)
        elif after:
            after.pop()
            lowest = min(lowest, len(after))
    return after, lowest


def closing(open_: bytearray) -> bytes:
    """What completes a text that ends after a comma; `open_` as for `opening`."""
    if not open_:
        return b""
    outer = [_CLOSING[bracket] for bracket in reversed(open_)]
    return b"".join((_BEFORE_END[open_[-1]], *outer))
