"""A branch as a session of its own, as pi exports it."""

from __future__ import annotations

from collections.abc import Iterator

from sessiond.catalog.snapshot import Snapshot
from sessiond.format.chain import under
from sessiond.format.header import new_header_line
from sessiond.format.ids import iso_now


def jsonl(snapshot: Snapshot) -> Iterator[bytes]:
    """The lines of the export, each with its newline (as pi 1.5.2's exportToJsonl).

    A new header of version 3 with the same id, the time of the export and no `parentSession`; then
    the entries from the root to the leaf, each under the one before, labels and settings included.
    Unlike `session/createBranchedSession` nothing is taken out and nothing added, so references to
    entries off the branch stay as they are. Entries keep their bytes but for `parentId`.
    """
    yield new_header_line(snapshot.header.id, iso_now(), snapshot.cwd) + b"\n"
    previous: str | None = None
    for entry, line in snapshot.lines(snapshot.tree().branch(snapshot.leaf_id)):
        yield under(line, entry, previous) + b"\n"
        previous = entry.id
