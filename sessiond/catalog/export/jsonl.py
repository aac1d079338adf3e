"""Export a branch as a separate session file, as pi does."""

from __future__ import annotations

from collections.abc import Iterator

from sessiond.catalog.snapshot import SessionSnapshot
from sessiond.format.extract import on_branch
from sessiond.format.for_pi import is_for_pi, lines_for_pi
from sessiond.format.header import new_header_line
from sessiond.format.ids import iso_now, new_session_id
from sessiond.format.load import load
from sessiond.format.tree.tree import Tree


def jsonl(snapshot: SessionSnapshot) -> Iterator[bytes]:
    """The lines of the export, each with its newline (as pi 1.6.0's exportToJsonl).

    A new header of version 3 with the same id, the time of the export and no `parentSession`, or
    with an id of its own and the `origin` of the snapshot as its parent; then
    the entries from the root to the leaf, each a child of the one before, including labels and
    settings. Unlike `session/createBranchedSession`, nothing is removed or added, so references to
    entries outside of the branch stay. Entries keep their bytes except `parentId`, and
    `appendMode`, which would exclude them from the only branch. Of a session with lines that only
    OpenClaw knows, the lines are those of `lines_for_pi`.
    """
    header = snapshot.header
    named = (header.id, None) if snapshot.origin is None else (new_session_id(), snapshot.origin)
    first = new_header_line(named[0], iso_now(), snapshot.cwd, named[1] or None)
    tree = snapshot.tree()
    lines = _branch(snapshot, tree)
    if not is_for_pi(header.version, tree):
        loaded = load(b"".join(line + b"\n" for line in (first, *lines)))
        lines = lines_for_pi(Tree(loaded.entries))
    yield first + b"\n"
    for line in lines:
        yield line + b"\n"


def _branch(snapshot: SessionSnapshot, tree: Tree) -> Iterator[bytes]:
    previous: str | None = None
    for entry in snapshot.branch(tree):
        yield on_branch(entry.raw, entry, previous)
        previous = entry.id
