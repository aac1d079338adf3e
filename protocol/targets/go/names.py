"""Convert names and texts of the contract to names and comments of Go."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

from targets import model

_INITIALISMS = {"api", "ascii", "cpu", "html", "http", "id", "ids", "json", "llm", "os", "rpc"}
_INITIALISMS |= {"uri", "url", "utf", "uuid"}

_OTHER_NAMES = {
    "session/getBranch": "session/branchEntries",
    "GetBranchParams": "BranchEntriesParams",
    "GetEntriesResult": "EntriesPage",
}
"""Names that would mean two things without `get`."""


def exported(name: str) -> str:
    """Return a wire name as an exported identifier: `sessionId` is `SessionID`.

    Go has no `Get` in front of what is read: `session/getTree` is `SessionTree`.
    """
    name = _OTHER_NAMES.get(name, name)
    name = re.sub(r"(^|/)[gG]et(?=[A-Z])", r"\1", name)
    return "".join(_word(word) for word in model.words(name))


def method_name(name: str) -> str:
    """Return the name of a method's function: `session/open` is `SessionOpen`."""
    return exported(name.replace("$/", ""))


def short_name(name: str) -> str:
    """Return the name without the group: `session/open` is `Open`."""
    return exported(_OTHER_NAMES.get(name, name).rpartition("/")[2])


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
