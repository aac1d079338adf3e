"""Write valid JSON again token by token, for what the decoders refuse or spell differently.

The walk keeps no values: numbers, the order of members and white space are decided by a `Style`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import attrs

from sessiond.text.spans import STRING, js_string, loads

STRINGS = re.compile(STRING, re.DOTALL)
_TOKEN = re.compile(STRING + rb"|[\[\]{},:]|[^\s\[\]{},:\"]+", re.DOTALL)
_LITERALS = frozenset({b"true", b"false", b"null"})
_COLON, _COMMA, _QUOTE = b':,"'


@attrs.frozen
class Style:
    """How to spell what JSON leaves open."""

    number: Callable[[bytes], bytes]
    """Returns the spelling of a number, given the one in the text."""
    order: Callable[[list[bytes]], list[bytes]]
    """Returns the order of an object's members, given their names (as JSON strings, each once)."""
    indent: bytes | None = None
    """White space for each level; None writes everything on one line without white space."""

    def newline(self, depth: int) -> bytes:
        """Return what comes before a value that begins a line."""
        return b"" if self.indent is None else b"\n" + self.indent * depth


@attrs.define
class _Container:
    """An open array or object; for an object the names so far and where they begin in the output.

    Between two members there is always one piece of output, the comma.
    """

    is_object: bool
    names: list[bytes] = attrs.field(factory=list)
    starts: list[int] = attrs.field(factory=list)
    expects_name: bool = True

    def add_name(self, name: bytes, at: int) -> None:
        self.names.append(name)
        self.starts.append(at)
        self.expects_name = False

    def rearrange(self, out: list[bytes], style: Style) -> None:
        """Sort the members in `out`. Of duplicates the last value takes the place of the first."""
        names, starts = self.names, self.starts
        order = style.order(list(dict.fromkeys(names)))
        if order == names:
            return
        comma = out[starts[1] - 1]
        ends = [*(start - 1 for start in starts[1:]), len(out)]
        written = {name: out[starts[at] : ends[at]] for at, name in enumerate(names)}
        del out[starts[0] :]
        for at, name in enumerate(order):
            if at:
                out.append(comma)
            out += written[name]


def respell(raw: bytes, style: Style, depth: int = 0) -> bytes:
    """Return valid JSON in a style; `depth` is the number of levels it is indented by."""
    return b"".join(_Writer(style, depth).write(raw))


@attrs.define
class _Writer:
    style: Style
    depth: int
    out: list[bytes] = attrs.field(factory=list)
    stack: list[_Container] = attrs.field(factory=list)
    is_empty: bool = False
    """Whether the innermost container was just opened: an empty one stays on its line."""

    def write(self, raw: bytes) -> list[bytes]:
        colon = b":" if self.style.indent is None else b": "
        for token in _TOKEN.findall(raw):
            first = token[0]
            if first in b"]}":
                self._close(token)
            elif first == _COLON:
                self.out.append(colon)
            elif first == _COMMA:
                self.out.append(b"," + self.style.newline(self.depth))
                self.stack[-1].expects_name = True
            else:
                self._write_value(token, first)
        return self.out

    def _close(self, bracket: bytes) -> None:
        self.stack.pop().rearrange(self.out, self.style)
        self.depth -= 1
        if not self.is_empty:
            self.out.append(self.style.newline(self.depth))
        self.out.append(bracket)
        self.is_empty = False

    def _write_value(self, token: bytes, first: int) -> None:
        if self.is_empty:
            self.out.append(self.style.newline(self.depth))
        self.is_empty = first in b"[{"
        if self.is_empty:
            self.depth += 1
            self.stack.append(_Container(first == 0x7B))
            self.out.append(token)
        elif first == _QUOTE:
            self._write_string(token)
        else:
            self.out.append(token if token in _LITERALS else self.style.number(token))

    def _write_string(self, token: bytes) -> None:
        text = js_string(loads(token)) if b"\\" in token else token
        if self.stack and self.stack[-1].is_object and self.stack[-1].expects_name:
            self.stack[-1].add_name(text, len(self.out))
        self.out.append(text)
