"""Export a branch as a separate session file, as pi does."""

from __future__ import annotations

from collections.abc import Iterator

from sessiond.catalog.snapshot import SessionSnapshot
from sessiond.format.extract import on_branch
from sessiond.format.header import new_header_line
from sessiond.format.ids import iso_now


def jsonl(snapshot: SessionSnapshot) -> Iterator[bytes]:
    """The lines of the export, each with its newline (as pi 1.5.2's exportToJsonl).

    A new header of version 3 (4 for a session of version 4) with the same id, the time of the
    export and no `parentSession`; then the entries from the root to the leaf, each a child of the
    one before, including labels and settings. Unlike `session/createBranchedSession`, nothing is
    removed or added, so references to entries outside of the branch stay. Entries keep their bytes
    except `parentId`, and `appendMode`, which would exclude them from the only branch.
    """
    header = snapshot.header
    yield new_header_line(header.id, iso_now(), snapshot.cwd, source=header) + b"\n"
    previous: str | None = None
    for entry, line in snapshot.lines(snapshot.tree().branch(snapshot.leaf_id)):
        yield on_branch(line, entry, previous) + b"\n"
        previous = entry.id
