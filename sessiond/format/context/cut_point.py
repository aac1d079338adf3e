"""Where a compaction may cut a context in two (as pi 1.5.2)."""

from __future__ import annotations

import attrs

from sessiond.format import entries as types
from sessiond.format.context.build import Context
from sessiond.format.context.entry_messages import entry_messages
from sessiond.format.context.message_view import role_of
from sessiond.format.context.tokens import tokens_at
from sessiond.jsontext.parts import object_members, string_of

_TURN_STARTS = frozenset({"user", "bashExecution", "custom", "branchSummary", "compactionSummary"})
_CUT_POINTS = _TURN_STARTS | {"assistant"}


@attrs.frozen
class CutPoint:
    """Indices into the context's entries.

    `turn_start` is where the turn begins that the cut splits; None where it splits none.
    """

    first_kept: int
    turn_start: int | None = None


def find_cut_point(context: Context, start: int, keep_recent: int) -> CutPoint:
    """Where to cut so that about `keep_recent` tokens stay.

    Never before `start`, at a tool result or a compaction, or at an entry that adds nothing,
    except that those before the cut go with what is kept.
    """
    return _Search(context, start).find(keep_recent)


@attrs.define(eq=False)
class _Search:
    context: Context
    start: int

    def find(self, keep_recent: int) -> CutPoint:
        cut, reached = self._by_tokens(keep_recent)
        if cut is None:
            return CutPoint(self.start)
        if reached and self._follows_omitted_attempt(cut):
            cut += 1
        while cut > self.start and self._is_silent(cut - 1):
            cut -= 1
        if self._is_at(cut, _TURN_STARTS):
            return CutPoint(cut)
        return CutPoint(cut, self._nearest(range(cut, self.start - 1, -1), _TURN_STARTS))

    def _by_tokens(self, keep_recent: int) -> tuple[int | None, bool]:
        """The cut by tokens alone, and whether there are as many as shall be kept."""
        end = len(self.context.entries)
        tokens = 0
        for index in range(end - 1, self.start - 1, -1):
            added = tokens_at(self.context, index)
            tokens += added
            if added and tokens >= keep_recent:
                cut = self._nearest(range(index, end), _CUT_POINTS)
                if cut is None:
                    # What follows are tool results: keep the call they belong to.
                    cut = self._nearest(range(index, self.start - 1, -1), _CUT_POINTS)
                return cut, True
        return self._nearest(range(self.start, end), _CUT_POINTS), False

    def _nearest(self, indices: range, roles: frozenset[str]) -> int | None:
        return next((index for index in indices if self._is_at(index, roles)), None)

    def _is_at(self, index: int, roles: frozenset[str]) -> bool:
        """Whether the entry adds a message of one of these roles."""
        entry = self.context.entries[index]
        if entry.type == types.COMPACTION or self._is_taken_out(index):
            return False
        if entry.type == types.MESSAGE and entry.role:
            return entry.role in roles
        return any(role_of(message) in roles for message in self.context.messages_at(index))

    def _is_silent(self, index: int) -> bool:
        """Whether the entry adds nothing, and is no compaction."""
        return self.context.entries[index].type != types.COMPACTION and (
            self._is_taken_out(index) or not self._could_add(index)
        )

    def _is_taken_out(self, index: int) -> bool:
        return self.context.edits.get(self.context.entries[index].id) == b"null"

    def _could_add(self, index: int) -> bool:
        """Whether the entry would add something if no edit took it out."""
        entry = self.context.entries[index]
        if entry.type == types.MESSAGE and entry.role:
            return True
        return bool(entry_messages(self.context.tree, entry))

    def _follows_omitted_attempt(self, cut: int) -> bool:
        """Whether all that follows is an attempt of the model that edits have taken out again.

        Then the input before it counts as answered, and the cut lies behind it.
        """
        attempted = False
        omitted = set()
        for index in range(cut + 1, len(self.context.entries)):
            entry = self.context.entries[index]
            if entry.type == types.COMPACTION:
                return False
            if self._could_add(index):
                if not self._is_taken_out(index):
                    return False
                omitted.add(entry.id)
                attempted = attempted or entry.role == "assistant"
        return attempted and not self._replaces_others(cut + 1, omitted)

    def _replaces_others(self, start: int, omitted: set[str]) -> bool:
        """Whether an edit from there on replaces the content of an entry that is not omitted."""
        for entry in self.context.entries[start:]:
            if entry.type == types.CONTEXT_EDIT:
                members = object_members(self.context.tree.line(entry))
                target = string_of(members.get("targetId"))
                if members.get("replacement") != b"null" and target not in omitted:
                    return True
        return False
