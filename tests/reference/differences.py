"""Where sessiond differs from npm's pi, and where the older pi differs from the newest.

A comparison with the reference may depart from plain equality only for a reason in these tables.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

DIFFERENCES = {
    "line separators in lists": (
        "pi lists with Node's readline, which also ends a line at a raw U+2028 or U+2029: it loses"
        " the messages and names that hold one, and the whole session if its header does. The"
        " daemon ends lines at LF alone: pi lists files in which these characters are escaped"
    ),
    "byte order mark": (
        "pi refuses a file that begins with one, the daemon reads it: pi is given the file without"
    ),
    "texts across messages in searches": (
        "pi joins the messages of a session with spaces before it searches, the daemon searches each"
        " by itself: a phrase that begins in one message and ends in the next is found by pi alone"
    ),
    "null content in lists": (
        "pi does not list a session with null content in a user or assistant message, the daemon"
        " does: what pi lists is looked up among what the daemon lists"
    ),
    "halves of surrogate pairs": (
        "pi lists names and messages with them, which strict readers of JSON refuse as a whole: the"
        " daemon's own texts (titles, previews) have U+FFFD instead, entries what they had"
    ),
    "terminal sequences": (
        "pi strips them where it draws, the daemon in its own texts: titles, previews and snippets;"
        " entries keep what they had"
    ),
    "number spelling": (
        "pi re-serialises (1e21 becomes 1e+21, big integers lose digits, a doubled member goes),"
        " the daemon keeps what was sent: sequences with such values compare files as JavaScript"
        " would read them, the others byte by byte"
    ),
    "settings in version 1 headers": (
        "pi ignores provider, modelId and thinkingLevel of a header, the daemon starts with them:"
        " model and level are compared only where an entry sets them"
    ),
    "unknown leaf of a context": (
        "pi's buildSessionContext takes the last entry of the file if there is no entry with the id"
        " it is given, the daemon answers EntryNotFound: the leaves that are compared exist"
    ),
    "unparsable header time": (
        "pi lists such a session with an invalid date, which JSON cannot hold: not compared"
    ),
}

OLDER_READERS = {
    "null content": (
        "0.73.1 passes null and missing content of user, assistant and toolResult messages and"
        " null content of custom messages into the context, 1.6.0 makes it []: so is 0.73.1's"
    ),
    "context edits, usage and system messages": (
        "0.73.1 keeps these entries and system messages, but applies no edit and knows no system"
        " message of a compaction: the contexts of sessions that hold one are not compared"
    ),
}


_SEQUENCE = re.compile(
    r"(?:\x1b[PX\]^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f\r\n]*(?:\x07|\x1b\\|\x9c)"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[ -/]*[0-~]?|[\x80-\x9f]"
)


def without_halves(text: str) -> str:
    """Return a text as the daemon shows it: without terminal sequences, U+FFFD for halves."""
    return re.sub("[\ud800-\udfff]", "\ufffd", _SEQUENCE.sub("", text))


def escape_separators(folder: Path) -> None:
    """Write raw line separators in the session files of `folder` as escapes: the same values."""
    for file in folder.glob("*.jsonl"):
        data = file.read_bytes()
        escaped = data.replace("\u2028".encode(), rb"\u2028").replace("\u2029".encode(), rb"\u2029")
        if escaped != data:
            file.write_bytes(escaped)


def as_the_newest_reads(message: dict[str, Any]) -> dict[str, Any]:
    """Convert a message of 0.73.1's context to the form of 1.6.0."""
    emptied = {"user", "assistant", "toolResult", "custom"}
    if message["role"] in emptied and message.get("content") is None:
        return {**message, "content": []}
    return message
