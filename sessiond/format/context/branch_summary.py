"""Summarise the branch that is left when a session continues from another entry (as pi 1.6.0)."""

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
from sessiond.format.context.message_view import view_message
from sessiond.format.context.prompts import branch_prompt
from sessiond.format.context.tokens import estimate_tokens
from sessiond.format.entries import Entry
from sessiond.format.tree.tree import Tree
from sessiond.text.parts import object_members

PREAMBLE = (
    "The user explored a different conversation branch before returning here.\n"
    "Summary of that exploration:\n\n"
)
NO_CONTENT = "No content to summarize"
"""The summary of a branch without messages."""

_SUMMARIES = frozenset({types.BRANCH_SUMMARY, types.COMPACTION})
_NEARLY_FULL = 0.9


@attrs.frozen
class AbandonedEntries:
    """The entries from the common ancestor (exclusive) to the old leaf, oldest first."""

    entries: list[Entry]
    ancestor: str | None
    """Id of the deepest entry on both branches; None if there is none."""


@attrs.frozen
class BranchPlan:
    """The input for the summary of a branch."""

    messages: list[bytes]
    files: FileOperations
    tokens: int


@attrs.frozen
class Destination:
    """The new leaf after navigating to an entry, and the text to put into the editor."""

    leaf_id: str | None
    text: str | None = None


def abandoned_entries(tree: Tree, old_leaf: str | None, target: str) -> AbandonedEntries:
    """Return the entries left by going from `old_leaf` to `target`, also across compactions."""
    if not old_leaf:
        return AbandonedEntries([], None)
    path = tree.branch(old_leaf)
    places = {entry.id: at for at, entry in enumerate(path)}
    common = [places[entry.id] for entry in tree.branch(target) if entry.id in places]
    if not common:
        return AbandonedEntries(path, None)
    return AbandonedEntries(path[common[-1] + 1 :], path[common[-1]].id)


def plan_branch_summary(entries: list[Entry], budget: int = 0) -> BranchPlan:
    """Select the newest messages of a branch that fit `budget` tokens (0: all), and list its files.

    The files of all earlier branch summaries are included, and those of the selected messages. A
    summary that exceeds the budget is still selected if a tenth of the budget is free.
    """
    files = FileOperations()
    for entry in entries:
        if entry.type == types.BRANCH_SUMMARY:
            files.add_details(object_members(entry.raw))
    edits = latest_edits(entries)
    messages: list[bytes] = []
    total = 0
    for entry in reversed(entries):
        message = _message(entry, edits.get(entry.id))
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


def _message(entry: Entry, replacement: bytes | None) -> bytes | None:
    if entry.type == types.BRANCH_SUMMARY:
        return branch_summary_message(object_members(entry.raw), entry)
    if entry.type == types.COMPACTION:
        return compaction_message(object_members(entry.raw), entry)
    if entry.role == "toolResult":
        return None
    if entry.type not in {types.MESSAGE, types.CUSTOM_MESSAGE}:
        return None
    messages = edited(entry, entry_messages(entry), replacement)
    return messages[0] if messages else None


def prompt_for_branch(plan: BranchPlan, focus: str | None, *, replace: bool) -> str | None:
    """Return the prompt for a model; None if there is nothing to summarise."""
    if not plan.messages:
        return None
    return branch_prompt(serialize(plan.messages), focus, replace=replace)


def branch_summary(text: str | None, files: FileOperations) -> tuple[str, bytes]:
    """Return the summary to store and its `details`; `text` is the model's answer, or None."""
    if text is None:
        return NO_CONTENT, FileOperations().details()
    return PREAMBLE + text + files.text(), files.details()


def destination(tree: Tree, target: Entry) -> Destination:
    """Return the result of navigating to an entry.

    A user or custom message is edited again: its parent becomes the leaf, and its text goes to the
    editor. Any other entry becomes the leaf itself.
    """
    above = tree.parent_of(tree.by_id[target.id])
    if target.type == types.MESSAGE and target.role == "user":
        return Destination(above, view_message(stored_message(target) or b"{}").text(""))
    if target.type == types.CUSTOM_MESSAGE:
        return Destination(above, view_message(target.raw).text(""))
    # A leaf line means its target.
    return Destination(tree.visible(target.id))
