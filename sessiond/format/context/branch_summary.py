"""What is left behind when a session goes on from another entry (as pi 1.5.2)."""

from __future__ import annotations

import attrs

from sessiond.format import entries as types
from sessiond.format.context.build import latest_edits
from sessiond.format.context.entry_messages import (
    branch_summary_message,
    compaction_message,
    edited,
    entry_messages,
    stored_message,
)
from sessiond.format.context.file_operations import FileOperations
from sessiond.format.context.llm_text import serialize
from sessiond.format.context.message_view import read
from sessiond.format.context.prompts import branch_prompt
from sessiond.format.context.tokens import estimate_tokens
from sessiond.format.entries import Entry
from sessiond.format.tree.tree import Tree
from sessiond.jsontext.parts import object_members

PREAMBLE = (
    "The user explored a different conversation branch before returning here.\n"
    "Summary of that exploration:\n\n"
)
NO_CONTENT = "No content to summarize"
"""The summary of a branch without messages."""

_SUMMARIES = frozenset({types.BRANCH_SUMMARY, types.COMPACTION})
_NEARLY_FULL = 0.9


@attrs.frozen
class Left:
    """The entries from the common ancestor (exclusive) to the old leaf, in order of time."""

    entries: list[Entry]
    ancestor: str | None
    """Deepest entry on both branches; None where there is none."""


@attrs.frozen
class BranchPlan:
    """What a summary of a branch is made from."""

    messages: list[bytes]
    files: FileOperations
    tokens: int


@attrs.frozen
class Destination:
    """Where going to an entry leads: the new leaf, and the text that comes back to the editor."""

    leaf_id: str | None
    text: str | None = None


def entries_left(tree: Tree, old_leaf: str | None, target: str) -> Left:
    """What going from one entry to another leaves behind; compactions do not end it."""
    if not old_leaf:
        return Left([], None)
    path = tree.branch(old_leaf)
    places = {entry.id: at for at, entry in enumerate(path)}
    common = [places[entry.id] for entry in tree.branch(target) if entry.id in places]
    if not common:
        return Left(path, None)
    return Left(path[common[-1] + 1 :], path[common[-1]].id)


def plan_branch_summary(tree: Tree, entries: list[Entry], budget: int = 0) -> BranchPlan:
    """The newest messages of a branch that fit `budget` tokens (0: all), and the files it touched.

    Files of all earlier summaries on the branch count, those of messages only as far as it was
    read. A summary that no longer fits is still taken while a tenth of the budget is free.
    """
    files = FileOperations()
    for entry in entries:
        if entry.type == types.BRANCH_SUMMARY:
            files.add_details(object_members(tree.line(entry)))
    edits = latest_edits(tree, entries)
    messages: list[bytes] = []
    total = 0
    for entry in reversed(entries):
        message = _message(tree, entry, edits.get(entry.id))
        if message is None:
            continue
        files.add_message(message)
        tokens = estimate_tokens(message)
        exceeded = 0 < budget < total + tokens
        if exceeded and not (entry.type in _SUMMARIES and total < budget * _NEARLY_FULL):
            break
        messages.append(message)
        total += tokens
        if exceeded:
            break
    messages.reverse()
    return BranchPlan(messages, files, total)


def _message(tree: Tree, entry: Entry, replacement: bytes | None) -> bytes | None:
    if entry.type == types.BRANCH_SUMMARY:
        return branch_summary_message(object_members(tree.line(entry)), entry)
    if entry.type == types.COMPACTION:
        return compaction_message(object_members(tree.line(entry)), entry)
    if entry.role == "toolResult":
        return None
    if entry.type not in {types.MESSAGE, types.CUSTOM_MESSAGE}:
        return None
    messages = edited(entry, entry_messages(tree, entry), replacement)
    return messages[0] if messages else None


def prompt_for_branch(plan: BranchPlan, focus: str | None, *, replace: bool) -> str | None:
    """What to ask a model for; None where there is nothing to summarise."""
    if not plan.messages:
        return None
    return branch_prompt(serialize(plan.messages), focus, replace=replace)


def branch_summary(text: str | None, files: FileOperations) -> tuple[str, bytes]:
    """The summary to store and its `details`; `text` is the model's, None where it had no work."""
    if text is None:
        return NO_CONTENT, FileOperations().details()
    return PREAMBLE + text + files.text(), files.details()


def destination(tree: Tree, target: Entry) -> Destination:
    """Where going to an entry leads.

    A user or custom message is there to be written again: its parent becomes the leaf, and its
    text goes to the editor. Anything else becomes the leaf itself.
    """
    above = tree.parent_of(tree.by_id[target.id])
    if target.type == types.MESSAGE and target.role == "user":
        return Destination(above, read(stored_message(tree, target) or b"{}").text(""))
    if target.type == types.CUSTOM_MESSAGE:
        return Destination(above, read(tree.line(target)).text(""))
    # A leaf line stands for the entry it leads to.
    return Destination(tree.visible(target.id))
