"""Carry out what a client planned: a compaction, a branch summary, a move in the tree."""

from __future__ import annotations

from sessiond.files import workers
from sessiond.format import lines
from sessiond.format.context.branch_summary import (
    Destination,
    abandoned_entries,
    branch_summary,
    destination,
    plan_branch_summary,
)
from sessiond.format.context.file_operations import FileOperations
from sessiond.format.lines import Stamp
from sessiond.runtime.errors import EntryNotFound, InvalidParams
from sessiond.sessions.appending import (
    Appended,
    Conditions,
    NewEntry,
    append,
    check_conditions,
    check_kept,
    system_message_at,
    whole_tree,
)
from sessiond.sessions.view import View


async def finish_compaction(
    view: View,
    *,
    summary: str,
    first_kept: str,
    tokens_before: int,
    files: FileOperations,
    usage: bytes | None,
    conditions: Conditions,
) -> Appended:
    """Append the compaction of a plan, in the form that pi writes.

    Raises EntryNotFound, and InvalidParams if the first kept entry is no longer on the branch.
    """

    def build(at: Stamp) -> bytes:
        check_kept(view, first_kept, at.parent_id, "$.preparation.firstKeptEntryId")
        return lines.compaction_line(
            at,
            summary=summary,
            first_kept_entry_id=first_kept,
            tokens_before=str(tokens_before).encode(),
            details=files.details(),
            usage=usage,
            from_hook=False,
            system_message=system_message_at(view, at.parent_id),
        )

    return await append(view, NewEntry(build, conditions), size=whole_tree(view))


async def navigate(
    view: View, target_id: str, label: str | None, conditions: Conditions
) -> Destination:
    """Move to another entry and return the new leaf; a `label` for the target is appended.

    Raises EntryNotFound and LeafConflict; with a label also what `append` raises.
    """
    if target_id == view.leaf_id:
        check_conditions(view, conditions)
        return Destination(target_id)
    to = _destination(view, target_id)
    if not label:
        check_conditions(view, conditions)
        view.move(to.leaf_id)
        return to

    def build(at: Stamp) -> bytes:
        return lines.label_line(at, target_id, label)

    await append(view, NewEntry(build, conditions, to.leaf_id))
    return Destination(view.leaf_id, to.text)


async def finish_branch_summary(
    view: View,
    target_id: str,
    *,
    text: str | None,
    files: FileOperations | None,
    label: str | None,
    usage: bytes | None,
    conditions: Conditions,
) -> tuple[Appended, Destination]:
    """Move to another entry and append a summary of the abandoned branch, which becomes the leaf.

    `text` is the model's summary; None: there was no message to summarise. `files` None: use the
    files of the whole abandoned branch. Raises EntryNotFound, InvalidParams, and what `append`
    raises.
    """
    if target_id == view.leaf_id:
        raise InvalidParams("the target is the leaf already; no branch is left", "$.targetId")
    to = _destination(view, target_id)
    tree = view.document.tree
    # A retry finds no abandoned branch, so that its files cannot be compared.
    derived = ("summary", "details") if files is None else ()
    if files is None:
        leaf_id = view.leaf_id
        # The tree does not change meanwhile: this request holds the turn.
        files = await workers.computing(
            tree.cost,
            lambda: plan_branch_summary(abandoned_entries(tree, leaf_id, target_id).entries).files,
        )
    summary, details = branch_summary(text, files)

    def build(at: Stamp) -> bytes:
        return lines.branch_summary_line(
            at,
            from_id=view.leaf_id,
            summary=summary,
            details=details,
            usage=usage,
            from_hook=False,
        )

    done = await append(view, NewEntry(build, conditions, to.leaf_id, derived))
    if label and view.document.tree.label(done.entry.id) != label:
        await append(view, NewEntry(lambda at: lines.label_line(at, done.entry.id, label)))
    return done, to


def _destination(view: View, target_id: str) -> Destination:
    to = destination(view.document.tree, view.entry(target_id))
    if to.leaf_id is not None and to.leaf_id not in view.document.tree:
        raise EntryNotFound(to.leaf_id)
    return to
