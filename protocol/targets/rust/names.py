"""Names and doc comments of the Rust client."""

from __future__ import annotations

import inspect

from targets import model

_KEYWORDS = {"as", "box", "enum", "fn", "for", "impl", "in", "loop", "match", "mod", "move", "ref"}
_KEYWORDS |= {"self", "static", "struct", "trait", "type", "use", "where", "yield", "async"}


def snake(name: str) -> str:
    text = "_".join(model.words(name))
    return f"{text}_" if text in _KEYWORDS else text


def pascal(name: str) -> str:
    return "".join(word.capitalize() for word in model.words(name))


def doc(text: str, indent: str = "") -> list[str]:
    """Return the lines of a doc comment."""
    return [f"{indent}/// {line}".rstrip() for line in inspect.cleandoc(text).splitlines()]
