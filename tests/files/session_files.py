"""Session files written by hand, and their entries by a naive reader."""

import json
from pathlib import Path

from sessiond.files.document import Document
from sessiond.runtime.errors import SessiondError

HEADER = (
    b'{"type":"session","version":3,"id":"s1","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/x"}'
)
V1_HEADER = (
    b'{"type":"session","id":"s1","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/x","odd":1e3}'
)
V1_LINES = [
    b'{"type":"message","timestamp":"2025-01-01T00:00:01.000Z","message":{"role":"user","content":"one"}}',
    b"{broken",
    b'{"type":"message","timestamp":"2025-01-01T00:00:02.000Z","message":{"role":"assistant","content":[]},"odd":1.50}',
]
V2_HEADER = HEADER.replace(b'"version":3', b'"version":2')


def message(
    entry_id: str, parent: str | None = None, role: str = "user", text: str = "hi"
) -> bytes:
    parent_json = json.dumps(parent).encode()
    return (
        b'{"type":"message","id":"%b","parentId":%b,"timestamp":"2025-01-01T00:00:00.000Z",'
        b'"message":{"role":"%b","content":"%b"}}'
    ) % (entry_id.encode(), parent_json, role.encode(), text.encode())


def label(entry_id: str) -> bytes:
    return (
        b'{"type":"label","id":"%b","parentId":null,"timestamp":"","targetId":"m1","label":"x"}'
        % (entry_id.encode())
    )


def file_of(*lines: bytes) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def naive_ids(content: bytes) -> list[str]:
    """Ids of the entries in a version 3 file: objects with an id on lines after the first."""
    ids = []
    for line in content.split(b"\n")[1:]:
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict) and "id" in value and value.get("type") != "session":
            ids.append(value["id"])
    return ids


M1, M2, M3 = message("m1"), message("m2", "m1", "assistant"), message("m3", "m2")
FILE = file_of(HEADER, M1, M2)


def ids(document: Document) -> list[str]:
    return [entry.id for entry in document.tree.entries]


class Listening:
    """All changes that a document reported, as (kind, ids of the new entries, cause)."""

    def __init__(self, document: Document) -> None:
        self.heard = []
        document.listeners.append(self._hear)

    def _hear(self, change, cause) -> None:
        entries = change.document.tree.entries[change.first : change.first + change.count]
        self.heard.append((change.kind, [entry.id for entry in entries], cause))

    def take(self) -> list:
        heard, self.heard = self.heard, []
        return heard


async def opened(path: Path, *, write: bool = True, **options) -> Document:
    document = Document(str(path), **options)
    async with document.turn:
        await document.open(write=write, new_header=lambda: HEADER)
    return document


async def append(document: Document, line: bytes, cause: object = None):
    async with document.turn:
        (done,) = await document.append(lambda: [line], cause)
    if isinstance(done, SessiondError):
        raise done
    return done


async def refresh(document: Document):
    async with document.turn:
        return await document.refresh()


def add(path: Path, data: bytes) -> None:
    """As the agents append: open, write, close, no lock."""
    with path.open("ab", buffering=0) as file:
        file.write(data)


def at_once(coroutine):
    """The result of a coroutine that does not suspend."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value
    coroutine.close()
    raise AssertionError("it suspended")
