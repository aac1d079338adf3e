"""Convert names and texts of the contract to names and comments of Go."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from targets import model

_INITIALISMS = {"api", "ascii", "cpu", "html", "http", "id", "ids", "json", "llm", "os", "rpc"}
_INITIALISMS |= {"uri", "url", "utf", "uuid"}


def exported(name: str) -> str:
    """Return a wire name as an exported identifier: `sessionId` is `SessionID`."""
    return "".join(_word(word) for word in model.words(name))


def method_name(name: str) -> str:
    """Return the name of a method's function: `session/getTree` is `SessionGetTree`."""
    return exported(name.replace("$/", ""))


def enum_name(cls: str, member: str) -> str:
    """Return the name of the type for a member that is one of several strings."""
    return exported(cls.removesuffix("Params").removesuffix("Result")) + exported(member)


def comment(text: str, indent: str = "") -> Iterator[str]:
    """Return the lines of a doc comment."""
    for i, paragraph in enumerate(text.split("\n\n") if text else ()):
        if i:
            yield f"{indent}//"
        lines = textwrap.wrap(paragraph, 96 - len(indent), break_on_hyphens=False)
        yield from (f"{indent}// {line}" for line in lines)


def sentence(name: str, text: str) -> str:
    """Return a comment that begins with the name, as Go's conventions require."""
    return f"{name}: {text}" if text else f"{name} is defined by the contract."


def _word(word: str) -> str:
    if word == "ids":
        return "IDs"
    return word.upper() if word in _INITIALISMS else word.capitalize()
