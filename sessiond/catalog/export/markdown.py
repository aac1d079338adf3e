"""Export a branch as Markdown, for people.

The rules, in addition to those of an entry (`format/describe/markdown.py`):

- Blocks stand one blank line apart; the last line ends with a newline. UTF-8; a lone surrogate
  becomes U+FFFD. CR LF and CR become LF; terminal sequences and other control characters are left
  out.
- First `# ` and the session's name, or `Session ` and its id. Then a list: `Session:` id,
  `Directory:` cwd, `Started:` time of the header where it has one, `Forked from:` parent session
  where it has one, `Branch:` entries on the branch of all entries. Then a rule (`---`).
- Then every entry from the root to the leaf.
"""

from __future__ import annotations

from collections.abc import Iterator

from sessiond.catalog.snapshot import SessionSnapshot
from sessiond.format.describe.markdown import code_span, inline, markdown_of
from sessiond.format.tree.tree import Tree
from sessiond.format.view.branch import Views


def markdown(snapshot: SessionSnapshot) -> Iterator[bytes]:
    """The parts of the export, one for each entry; the module docstring gives the rules."""
    tree = snapshot.tree()
    branch = snapshot.branch(tree)
    yield "\n\n".join(_head(snapshot, tree, len(branch))).encode()
    for view in Views(tree, branch).views(0, len(branch)):
        head, body = markdown_of(view)
        yield "".join(f"\n\n{part}" for part in head + body).encode()
    yield b"\n"


def _head(snapshot: SessionSnapshot, tree: Tree, count: int) -> list[str]:
    header = snapshot.header
    facts = [f"Session: {code_span(header.id)}", f"Directory: {code_span(snapshot.cwd)}"]
    if header.timestamp:
        facts.append(f"Started: {inline(header.timestamp)}")
    if header.parent_session:
        facts.append(f"Forked from: {code_span(header.parent_session)}")
    facts.append(f"Branch: {count} of {len(snapshot.entries)} entries")
    return [f"# {inline(snapshot.title(tree))}", "\n".join(f"- {fact}" for fact in facts), "---"]
