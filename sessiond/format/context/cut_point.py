"""Find where a compaction cuts a context in two.

pi 1.6.0: compaction/compaction.js, `findCutPoint` and `findTurnStartIndex`.
"""

from __future__ import annotations

import attrs

from sessiond.format import entries as types
from sessiond.format.context.build import Context
from sessiond.format.context.entry_messages import entry_messages
from sessiond.format.context.message_view import role_of
from sessiond.format.context.tokens import tokens_at
from sessiond.text.parts import object_members, string_of

_TURN_STARTS = frozenset({"user", "bashExecution", "custom", "branchSummary", "compactionSummary"})
_CUT_POINTS = _TURN_STARTS | {"assistant"}


@attrs.frozen
class CutPoint:
    """Indices into the context's entries.

    `turn_start` is the beginning of the turn that the cut splits; None if it splits no turn.
    """

    first_kept: int
    turn_start: int | None = None


def find_cut_point(context: Context, start: int, keep_recent: int) -> CutPoint:
    """Find a cut that keeps about `keep_recent` tokens.

    The cut is never before `start`, nor at a tool result or a compaction. Entries without messages
    right before the cut are kept too.
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
        """Return the cut by tokens alone, and whether the context has `keep_recent` tokens."""
        end = len(self.context.entries)
        tokens = 0
        for index in range(end - 1, self.start - 1, -1):
            added = tokens_at(self.context, index)
            tokens += added
            if added and tokens >= keep_recent:
                cut = self._nearest(range(index, end), _CUT_POINTS)
                if cut is None:
                    # Only tool results follow: keep the call they belong to.
                    cut = self._nearest(range(index, self.start - 1, -1), _CUT_POINTS)
                return cut, True
        return self._nearest(range(self.start, end), _CUT_POINTS), False

    def _nearest(self, indices: range, roles: frozenset[str]) -> int | None:
        return next((index for index in indices if self._is_at(index, roles)), None)

    def _is_at(self, index: int, roles: frozenset[str]) -> bool:
        """Whether the entry has a message of one of these roles."""
        entry = self.context.entries[index]
        if entry.type == types.COMPACTION or self._is_removed(index):
            return False
        if entry.type == types.MESSAGE and entry.role:
            return entry.role in roles
        return any(role_of(message) in roles for message in self.context.messages_at(index))

    def _is_silent(self, index: int) -> bool:
        """Whether the entry has no messages and is not a compaction."""
        return self.context.entries[index].type != types.COMPACTION and (
            self._is_removed(index) or not self._has_messages(index)
        )

    def _is_removed(self, index: int) -> bool:
        return self.context.edits.get(self.context.entries[index].id) == b"null"

    def _has_messages(self, index: int) -> bool:
        """Whether the entry has messages if edits are ignored."""
        entry = self.context.entries[index]
        if entry.type == types.MESSAGE and entry.role:
            return True
        return bool(entry_messages(entry))

    def _follows_omitted_attempt(self, cut: int) -> bool:
        """Whether only an attempt of the model follows that context edits removed.

        The input before it then counts as answered, and the cut comes after it.
        """
        attempted = False
        omitted = set()
        for index in range(cut + 1, len(self.context.entries)):
            entry = self.context.entries[index]
            if entry.type == types.COMPACTION:
                return False
            if self._has_messages(index):
                if not self._is_removed(index):
                    return False
                omitted.add(entry.id)
                attempted = attempted or entry.role == "assistant"
        return attempted and not self._replaces_others(cut + 1, omitted)

    def _replaces_others(self, start: int, omitted: set[str]) -> bool:
        """Whether an edit from `start` on replaces the content of an entry that is not omitted."""
        for entry in self.context.entries[start:]:
            if entry.type == types.CONTEXT_EDIT:
                members = object_members(entry.raw)
                target = string_of(members.get("targetId"))
                if members.get("replacement") != b"null" and target not in omitted:
                    return True
        return False
