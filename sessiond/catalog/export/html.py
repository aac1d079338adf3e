"""Export a session, or one of its branches, as one self-contained HTML page.

The page contains a fixed script and style, and the session's lines as data. The data cannot run:
its block has a type that browsers do not execute, and all characters special in HTML are escaped;
the content security policy allows only the script with the given hash; and the script turns data
into text nodes and never into markup.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import html as entities
import pkgutil
import re
from collections.abc import Iterator, Sequence

import attrs

from sessiond.catalog.snapshot import SessionSnapshot
from sessiond.format.ids import iso_now
from sessiond.format.tree.tree import Tree
from sessiond.format.view.blocks import as_json
from sessiond.format.view.branch import Views
from sessiond.text.safe import presentable
from sessiond.text.spans import Buffer, js_string

_PLACE = re.compile(r"\{\{(\w+)\}\}")
# In JSON these occur only in strings, where the escape means the same character.
_ESCAPES = (
    (b"<", rb"\u003c"),
    (b">", rb"\u003e"),
    (b"&", rb"\u0026"),
    ("\u2028".encode(), rb"\u2028"),
    ("\u2029".encode(), rb"\u2029"),
)
_ESCAPED = re.compile(rb"\\u(?:003c|003e|0026|2028|2029)")
_SCRIPTS = (
    # The parts that render entries.
    *("nodes.js", "inline.js", "markdown.js", "languages.js", "code.js"),
    *("entries.js", "head.js", "cards.js"),
    # The page around them.
    *("session.js", "outline.js", "transcript.js", "finding.js", "position.js"),
    *("printing.js", "page.js"),
)
"""Parts of the script, in this order."""
_STYLES = ("colours.css", "transcript.css", "page.css")
_STEP = 1000


def html(snapshot: SessionSnapshot) -> Iterator[bytes]:
    """The parts of the page."""
    tree = snapshot.tree()
    title = snapshot.title(tree)
    for number, piece in enumerate(_PLACE.split(_page().text)):
        if number % 2 == 0:
            yield piece.encode()
        elif piece == "data":
            yield from map(escaped, _data(snapshot, tree))
        elif piece == "title":
            yield entities.escape(presentable(title)).encode()
        else:
            yield getattr(_page(), piece).encode()


def escaped(json: Buffer) -> bytes:
    """Escape all characters of a JSON value that are special in HTML or JavaScript."""
    text = bytes(json)
    for character, escape in _ESCAPES:
        text = text.replace(character, escape)
    return text


def _data(snapshot: SessionSnapshot, tree: Tree) -> Iterator[bytes]:
    """One JSON object. Entries keep their bytes; `views` say what the page shows of each.

    `{header, cwd, exported, isBranch, name: string|null, leafId: string|null, labels: [[id,
    label]], roots: [index], children: [[index, [index]]], entries, stored: [[number, line]],
    views}`; roots and children are those of `session/getTree`, as indices of entries, so an id that
    occurs twice appears in them once. The header and each entry are lines of their own, the header
    with a comma, so that nobody takes the page for a session with lines before it. `stored` has
    those whose bytes cannot be told from these lines, by number; the header is 0.
    """
    forest = snapshot.forest(tree)
    yield b'{"header":\n' + _line(snapshot.header.raw)
    yield b',\n"cwd":' + js_string(snapshot.cwd)
    yield b',"exported":' + js_string(iso_now())
    yield b',"isBranch":true' if snapshot.only_branch else b',"isBranch":false'
    yield b',"name":' + _or_null(tree.name) + b',"leafId":' + _or_null(snapshot.leaf_id)
    labels = (
        b"[%b,%b]" % (js_string(target), js_string(label.text))
        for target, label in tree.labels.items()
    )
    yield b',"labels":[' + b",".join(labels) + b"]"
    yield b',"roots":%b,"children":[' % _indices(forest.roots)
    children = [b"[%d,%b]" % (parent, _indices(below)) for parent, below in forest.children.items()]
    yield b",".join(children) + b'],"entries":[\n'
    # In steps: one call over a big session would block the event loop.
    entries = tree.entries
    for first in range(0, len(entries), _STEP):
        lines = (_line(entry.raw) for entry in entries[first : first + _STEP])
        yield (b",\n" if first else b"") + b",\n".join(lines)
    yield b'\n],"stored":['
    odd = (
        b"[%d,%b]" % (number, js_string(line.decode(errors="replace")))
        for number, line in enumerate((snapshot.header.raw, *(entry.raw for entry in entries)))
        if _is_odd(line)
    )
    yield b",".join(odd) + b'],"views":['
    # An entry on the branch may continue another one than its `parentId` says.
    views = Views(tree, tree.entries if snapshot.only_branch else None)
    for first in range(0, len(entries), _STEP):
        stop = min(first + _STEP, len(entries))
        yield (b"," if first else b"") + b",".join(map(as_json, views.views(first, stop)))
    yield b"]}"


def _is_odd(line: bytes) -> bool:
    """Return whether the page could not find the bytes of a line again.

    Such a line has one of our escapes, or a carriage return, which browsers read as a newline.
    """
    return b"\r" in line or _ESCAPED.search(line) is not None


def _line(raw: bytes) -> bytes:
    return raw.replace(b"\r", b" ")


def _or_null(text: str | None) -> bytes:
    return b"null" if text is None else js_string(text)


def _indices(indices: Sequence[int]) -> bytes:
    return b"[%b]" % b",".join(b"%d" % index for index in indices)


@attrs.frozen
class _PageParts:
    """The parts that are the same in every export."""

    text: str
    style: str
    script: str
    policy: str


@functools.cache
def _page() -> _PageParts:
    text = _installed("page.html")
    style = "".join(map(_installed, _STYLES))
    script = "".join(map(_installed, _SCRIPTS))
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)};"
        " img-src data:; base-uri 'none'; form-action 'none'"
    )
    return _PageParts(text, style, script, policy)


def _installed(name: str) -> str:
    return (pkgutil.get_data("sessiond.catalog.export", f"page/{name}") or b"").decode()


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
