"""Decide what a compaction summarises and keeps, and build the final summary.

pi 1.6.0: compaction/compaction.js, `prepareCompaction` and `compact`.
"""

from __future__ import annotations

import attrs

from sessiond.format import entries as types
from sessiond.format.context.build import Context
from sessiond.format.context.cut_point import find_cut_point
from sessiond.format.context.file_operations import FileOperations
from sessiond.format.context.llm_text import serialize
from sessiond.format.context.prompts import history_prompt, prefix_prompt
from sessiond.format.context.tokens import estimate_context
from sessiond.text.parts import object_members, string_of

ALREADY_COMPACTED = "Already compacted"
TOO_SMALL = "Nothing to compact (session too small)"

NO_HISTORY = "No prior history."
"""Used as the history if a turn is split and nothing precedes it."""

_BETWEEN = "\n\n---\n\n**Turn Context (split turn):**\n\n"


@attrs.frozen
class Preparation:
    """The input for the summary of a compaction."""

    first_kept: str
    """Id of the first entry that remains in the context."""
    history: list[bytes]
    """Messages to summarise."""
    prefix: list[bytes]
    """Messages of a split turn before the first kept entry, summarised separately."""
    tokens_before: int
    previous_summary: str | None
    files: FileOperations

    @property
    def is_split(self) -> bool:
        return bool(self.prefix)


def prepare_compaction(context: Context, keep_recent: int) -> Preparation | str:
    """Plan a compaction; a string is the reason why there is nothing to do."""
    if context.path and context.path[-1].type == types.COMPACTION:
        return ALREADY_COMPACTED
    compacted = _begins_with_summary(context)
    start = 1 if compacted else 0
    cut = find_cut_point(context, start, keep_recent)
    turn_start = cut.first_kept if cut.turn_start is None else cut.turn_start
    history = _messages(context, start, turn_start)
    prefix = _messages(context, turn_start, cut.first_kept)
    if not history and not prefix:
        return TOO_SMALL
    files = FileOperations()
    previous_summary = None
    if compacted:
        members = object_members(context.entries[0].raw)
        files.add_details(members)
        previous_summary = string_of(members.get("summary"))
    for message in history + prefix:
        files.add_message(message)
    return Preparation(
        first_kept=context.entries[cut.first_kept].id,
        history=history,
        prefix=prefix,
        tokens_before=estimate_context(context).tokens,
        previous_summary=previous_summary,
        files=files,
    )


def _begins_with_summary(context: Context) -> bool:
    first = context.entries[0] if context.entries else None
    return first is not None and first.type == types.COMPACTION and bool(context.messages_at(0))


def _messages(context: Context, start: int, end: int) -> list[bytes]:
    """Return the messages of a range of entries, without system messages.

    The compaction stores the system message itself.
    """
    messages: list[bytes] = []
    for index in range(start, end):
        entry = context.entries[index]
        if entry.type != types.COMPACTION and entry.role != "system":
            messages += context.messages_at(index)
    return messages


def compaction_prompts(plan: Preparation, focus: str | None) -> tuple[str | None, str | None]:
    """Return the prompts for the history and for the beginning of a split turn, if any."""
    history = prefix = None
    if plan.history:
        history = history_prompt(serialize(plan.history), plan.previous_summary, focus)
    if plan.prefix:
        prefix = prefix_prompt(serialize(plan.prefix), focus)
    return history, prefix


def compaction_summary(history: str, prefix: str | None, files: FileOperations) -> str:
    """Join the summaries of the history and of a split turn's beginning, and the list of files."""
    summary = history if prefix is None else f"{history}{_BETWEEN}{prefix}"
    return summary + files.text()
