"""An immutable copy of a session at one moment, for work in a thread."""

from __future__ import annotations

import attrs

from sessiond.catalog.summaries import NO_MESSAGES
from sessiond.format.describe.secrets import Mask
from sessiond.format.entries import Entry
from sessiond.format.header import Header
from sessiond.format.line import parse_line, text_of
from sessiond.format.reduced import reduced
from sessiond.format.tree.tree import Forest, Tree
from sessiond.text.safe import clean

_TITLE = 80
"""Characters of a title that is made of a message."""
_LOOKED_AT = 4000
"""Maximum number of characters of a message that are read for a title."""


@attrs.frozen
class SessionSnapshot:
    """Lines, index and selected branch of a session, unaffected by its later changes."""

    header: Header
    cwd: str
    """Working directory, resolved."""
    leaf_id: str | None
    """Last entry of the branch; None: before any entry."""
    entries: list[Entry]
    size: int
    """Length of all lines in bytes."""
    only_branch: bool = False
    """Whether all that is not on the branch is left out, also names and labels given later."""
    origin: str | None = None
    """The file that an export with an id of its own names as its parent, empty if there is none.
    None: the export keeps the session's id.
    """

    @classmethod
    def of(
        cls,
        header: Header,
        cwd: str,
        leaf_id: str | None,
        tree: Tree,
        *,
        only_branch: bool = False,
    ) -> SessionSnapshot:
        """Copy the index of a session; lines are shared."""
        return cls(header, cwd, leaf_id, list(tree.entries), tree.nbytes, only_branch)

    def tree(self) -> Tree:
        """Build a separate index. Takes time in proportion to the number of entries."""
        tree = Tree(self.entries)
        return Tree(tree.branch(self.leaf_id)) if self.only_branch else tree

    def reduced(self, *, mask: Mask | None, conversation: bool) -> SessionSnapshot:
        """Return a copy for others: see `format.reduced`."""
        part = reduced(
            self.header,
            self.tree(),
            self.leaf_id,
            mask=mask,
            conversation=conversation,
            only_branch=self.only_branch,
        )
        return attrs.evolve(
            self,
            header=part.header,
            cwd=self.cwd if mask is None else mask.apply(self.cwd),
            origin=mask.apply(self.origin) if mask is not None and self.origin else self.origin,
            leaf_id=part.leaf_id,
            entries=list(part.tree.entries),
            size=part.tree.nbytes,
        )

    def title(self, tree: Tree) -> str:
        """Return the session's name, else the beginning of its first message, on one line.

        `tree` is that of the snapshot.
        """
        if tree.name:
            return tree.name
        for entry in tree.entries:
            if entry.role != "user":
                continue
            read = parse_line(entry.raw)
            said = text_of(read.message.content) if read and read.message else ""
            text = " ".join(clean(said[:_LOOKED_AT]).split())
            if text:
                return text if len(text) <= _TITLE else f"{text[: _TITLE - 1]}…"
        return NO_MESSAGES

    def branch(self, tree: Tree) -> list[Entry]:
        """Return the entries from the root to the leaf; `tree` is that of the snapshot."""
        return tree.entries if self.only_branch else tree.branch(self.leaf_id)

    def forest(self, tree: Tree) -> Forest:
        """Return how the entries of the tree of the snapshot stand below each other."""
        if not self.only_branch:
            return tree.forest()
        # An entry on the branch may continue another one than its `parentId` says.
        count = len(tree.entries)
        return Forest([0] if count else [], {at: [at + 1] for at in range(count - 1)})
