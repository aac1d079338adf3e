"""JSON text with any value in any place, for tests with hypothesis.

A template is a plain value that a reader would understand. `spoiled` gives its text with any JSON
in the place of some of its values, spelled as no encoder of ours would spell it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from hypothesis import strategies as st

from support.jsonwire import JsonText, dumps

Path = tuple[str | int, ...]

SCALARS = st.sampled_from(
    [
        *("null", "true", "false", "0", "-0", "1", "-1", "1.5", "12e2", "1e400", "-1e400"),
        *("9007199254740993", "18446744073709551616", "1" + "0" * 30, "1" + "0" * 400, "1e-400"),
        *('""', '" "', '"x"', '"main"', '"agent:main:main"', '"/etc/passwd"', '"../x.jsonl"'),
        *(r'"\ud83d"', r'"a\u0000b"', '"é😀"', '"1h"', '"deny"', '"2026-01-02T03:04:05.000Z"'),
        '"' + "y" * 300 + '"',
        *("[]", "{}", "[[]]", '[{"type":"text","text":"x"}]', '{"a":{"b":[1,null]}}'),
        "[" * 400 + "]" * 400,
        '{"a":' * 400 + "1" + "}" * 400,
    ]
)
NAMES = st.sampled_from(["type", "text", "id", "channel", "a", "constructor", "__proto__", ""])
JSON = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[{','.join(items)}]"),
        st.lists(st.tuples(NAMES, inner), max_size=3).map(
            lambda pairs: "{" + ",".join(f"{json.dumps(n)}:{v}" for n, v in pairs) + "}"
        ),
    ),
    max_leaves=4,
)


def paths(value: Any, above: Path = ()) -> Iterator[Path]:
    """The positions of all values within a value."""
    members: Iterable[tuple[Any, Any]] = value.items() if isinstance(value, dict) else ()
    members = enumerate(value) if isinstance(value, list) else members
    for name, member in members:
        yield (*above, name)
        yield from paths(member, (*above, name))


def replaced(value: Any, path: Path, new: Any) -> Any:
    """A copy with another value at that path, if it is still there."""
    if not path:
        return new
    name, rest = path[0], path[1:]
    if isinstance(value, dict) and name in value:
        return {n: replaced(v, rest, new) if n == name else v for n, v in value.items()}
    if isinstance(value, list) and isinstance(name, int) and name < len(value):
        return [replaced(v, rest, new) if n == name else v for n, v in enumerate(value)]
    return value


@st.composite
def spoiled(draw: st.DrawFn, template: Any, most: int = 6) -> str:
    """The template's text, with any JSON in up to so many places."""
    for path in draw(st.lists(st.sampled_from(list(paths(template))), max_size=most)):
        template = replaced(template, path, JsonText(draw(JSON)))
    return dumps(template)
