"""`open_session`: read a conversation as text, window by window, within a budget of tokens."""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Collection, Iterable, Iterator
from typing import Annotated, Any, Literal

import attrs
import msgspec
from msgspec import UNSET, Meta, UnsetType

from sessiond.format import entries as types
from sessiond.format.describe.markdown import markdown_of
from sessiond.format.entries import Entry
from sessiond.format.view import blocks as kinds
from sessiond.format.view.entry import view_of
from sessiond.mcp import safe_text
from sessiond.mcp.sessions import Branch, Info, ShownSessions, ToolFailure, session_id
from sessiond.mcp.tools import Tool
from sessiond.sessions.moment import Moment

TOKEN_BYTES = 3
"""Bytes of UTF-8 that count as a token. Prose has more per token, so this overestimates."""

Part = Literal["thinking", "tool_calls", "tool_results", "summaries", "settings"]
"""The kinds of blocks that can be left out of a transcript."""

_RESULT_CHARACTERS = 1500
"""Maximum length of a tool's result, unless the entry itself was asked for."""
_LEAST_CHARACTERS = 80
_SUMMARIES = (types.COMPACTION, types.BRANCH_SUMMARY)
_CONTENT = (types.MESSAGE, types.CUSTOM_MESSAGE)
_BLOCKS = {"thinking": (kinds.THINKING,), "tool_calls": (kinds.CALL, kinds.DIFF)}
_RESULTS = ("toolResult", "bashExecution")


@attrs.frozen
class ShownEntry:
    """An entry as Markdown; the id is empty if it could be taken for anything else."""

    entry: str
    text: str


@attrs.frozen
class Window:
    """Consecutive entries of a branch; positions count from 0, `stop` is excluded."""

    entries: list[ShownEntry]
    start: int
    stop: int


def size_of(entry: ShownEntry) -> int:
    """Bytes that an entry takes as a quotation."""
    return len(quotation(entry).encode()) + 2


def quotation(entry: ShownEntry) -> str:
    return f"> [{entry.entry or 'entry without an id'}]\n{safe_text.quoted(entry.text)}"


class BranchText:
    """The entries of a branch as texts; `sessions` makes them safe to show."""

    def __init__(
        self,
        branch: Branch,
        leave_out: Collection[Part],
        sessions: ShownSessions,
        always: int | None = None,
    ) -> None:
        """`always` is an entry that is shown, whatever is left out."""
        self._branch = branch
        self._always = always
        self._leave_out = leave_out
        self._without = {kind for part in leave_out for kind in _BLOCKS.get(part, ())}
        self._sessions = sessions

    def whole(self, at: int) -> str:
        """The text of an entry; empty if it is left out or has none."""
        entry = self._branch.entries[at]
        if at != self._always and self._is_left_out(entry):
            return ""
        # A secret in which characters are escaped would not be recognised in the whole text.
        view = view_of(entry, self._branch.label(at), self._sessions.text)
        head, body = markdown_of(view, self._without)
        if entry.role == "assistant" and self._without and not body:
            # Only calls or thinking, which are left out.
            return ""
        return self._sessions.text("\n".join(head + body))

    def _is_left_out(self, entry: Entry) -> bool:
        if entry.type in _SUMMARIES:
            return "summaries" in self._leave_out
        if entry.role in _RESULTS:
            return "tool_results" in self._leave_out
        return entry.type not in _CONTENT and "settings" in self._leave_out

    def shown(self, at: int, most: int) -> ShownEntry | None:
        """An entry with a text of at most `most` characters; None if it is left out."""
        text = self.whole(at)
        if not text:
            return None
        if self._branch.entries[at].role in _RESULTS:
            most = min(most, _RESULT_CHARACTERS)
        return self._made(at, _shortened(text, most))

    def piece(self, at: int, offset: int, room: int) -> tuple[ShownEntry, int | None]:
        """One entry from character `offset` on, and the offset where the next piece begins.

        `room` is the number of bytes that it may take. Raises ToolFailure for an offset after the
        end.
        """
        text = self.whole(at)
        if offset and offset >= len(text):
            raise ToolFailure(f"The entry has {len(text)} characters; `offset` is after its end.")
        length = min(len(text) - offset, room)
        while True:
            entry = self._made(at, text[offset : offset + length])
            over = size_of(entry) - room
            if over <= 0 or length <= 1:
                break
            length = max(1, length - max(1, over // 4))
        following = offset + length
        return entry, following if following < len(text) else None

    def _made(self, at: int, text: str) -> ShownEntry:
        return ShownEntry(safe_text.entry_id(self._branch.entries[at].id), text)

    def window(self, order: Iterable[int], room: int) -> Window | None:
        """Show entries in this order until `room` bytes are used; None if all are left out.

        The order must never leave a gap. The first entry is shortened if it does not fit.
        """
        entries: dict[int, ShownEntry] = {}
        looked: list[int] = []
        left = room
        for at in order:
            # One long message must not take the place of all others.
            entry = self.shown(at, max(_LEAST_CHARACTERS, room // (2 if not entries else 4)))
            if entry is not None:
                while not entries and size_of(entry) > left and len(entry.text) > 1:
                    entry = self.shown(at, len(entry.text) // 2) or entry
                if size_of(entry) > left:
                    break
                left -= size_of(entry)
                entries[at] = entry
            looked.append(at)
        if not entries:
            return None
        return Window([entries[at] for at in sorted(entries)], min(looked), max(looked) + 1)


def _shortened(text: str, most: int) -> str:
    """Cut out the middle; the end of a tool's result often has the error."""
    if len(text) <= most:
        return text
    cut = len(text) - most
    head = most * 2 // 3
    return f"{text[:head]}\n[… {cut} characters left out …]\n{text[head + cut :]}"


def from_end(stop: int) -> Iterator[int]:
    """The order of the entries before a position, the latest first."""
    return iter(range(stop - 1, -1, -1))


def around(at: int, count: int) -> Iterator[int]:
    """The order of all entries by their distance from one."""
    sides = itertools.zip_longest(range(at, count), range(at - 1, -1, -1))
    for position in itertools.chain.from_iterable(sides):
        if position is not None:
            yield position


TOKENS = 8000
AROUND_TOKENS = 3000
"""For what is around a hit: an agent that cuts a long answer in its middle would cut the hit."""
LEAVE_OUT: list[Part] = ["thinking", "settings"]
AROUND_LEAVE_OUT: list[Part] = [*LEAVE_OUT, "tool_results"]
_FRAME_BYTES = 300
"""Bytes kept free for the lines that say how to go on, without the ids in them."""


class OpenArguments(msgspec.Struct, forbid_unknown_fields=True):
    """The arguments of open_session."""

    session: Annotated[
        str,
        Meta(
            description="Id of the session, the beginning of one, or its address"
            " (sessiond://session/…); `last`: the latest session."
        ),
    ]
    around: Annotated[
        str | None, Meta(description="Show what was said around this entry (an id from a hit).")
    ] = None
    last: Annotated[
        Annotated[int, Meta(ge=1)] | None, Meta(description="Show only the last N entries.")
    ] = None
    whole: Annotated[
        bool | None, Meta(description="Begin with the first entry; go on with `after`.")
    ] = None
    before: Annotated[str | None, Meta(description="Show what comes before this entry.")] = None
    after: Annotated[str | None, Meta(description="Show what comes after this entry.")] = None
    entry: Annotated[
        str | None, Meta(description="Show only this entry, but completely; see `offset`.")
    ] = None
    offset: Annotated[
        Annotated[int, Meta(ge=0)] | None,
        Meta(description="With `entry`: begin with this character."),
    ] = None
    branch: Annotated[
        str | None,
        Meta(description="Read the branch that ends with this entry, not the current one."),
    ] = None
    leave_out: Annotated[
        list[Part] | None,
        Meta(
            description="What to leave out; by default thinking and settings, with `around` also"
            " tool_results. [] shows all."
        ),
    ] = None
    max_tokens: Annotated[
        Annotated[int, Meta(ge=1000, le=200_000)] | None,
        Meta(
            description="Maximum size of the answer in tokens; 8000 by default, 3000 with `around`."
        ),
    ] = None


class Continuation(msgspec.Struct, omit_defaults=True):
    """Arguments of open_session that show more."""

    session: str
    before: str | UnsetType = UNSET
    after: str | UnsetType = UNSET
    entry: str | UnsetType = UNSET
    offset: int | UnsetType = UNSET
    branch: str | UnsetType = UNSET


@attrs.define
class _Answer:
    """A window of a session."""

    session: str
    title: str
    cwd: str
    total: int
    """Number of entries of the branch."""
    entries: list[ShownEntry] = attrs.field(factory=list)
    first: int = 0
    """Number of the first entry that is shown on the branch, from 1."""
    final: int = 0
    earlier: Continuation | None = None
    """Arguments that show what comes before."""
    later: Continuation | None = None


async def open_session(sessions: ShownSessions, given: OpenArguments) -> str:
    chosen = [
        name
        for name in ("around", "last", "whole", "before", "after", "entry")
        if getattr(given, name)
    ]
    if len(chosen) > 1:
        raise ToolFailure(f"Give only one of {', '.join(chosen)}.")
    info = await sessions.find(given.session)
    return await sessions.read(info, functools.partial(_output, sessions, info, given))


def _output(sessions: ShownSessions, info: Info, given: OpenArguments, at: Moment) -> str:
    """The window that was asked for. Raises ToolFailure."""
    branch, end = _branch(at, given)
    leave_out = given.leave_out
    if leave_out is None:
        leave_out = [] if given.entry else AROUND_LEAVE_OUT if given.around else LEAVE_OUT
    hit = None if given.around is None else branch.index(given.around)
    transcript = BranchText(branch, leave_out, sessions, hit)
    answer = _Answer(session_id(info), sessions.title(info), sessions.directory(info), len(branch))
    budget = (given.max_tokens or (AROUND_TOKENS if given.around else TOKENS)) * TOKEN_BYTES
    more = Continuation(session=answer.session, branch=UNSET if end is None else end)
    room = budget - len(_text(answer).encode())
    room -= _FRAME_BYTES + 2 * (len(msgspec.json.encode(more)) + safe_text.LONGEST_ID)
    if given.entry:
        _add_piece(answer, transcript, branch.index(given.entry) or 0, given, (room, more))
    else:
        window = transcript.window(_order(branch, given), room)
        if window is not None:
            _add_window(answer, window, branch, more)
    return _text(answer)


def _branch(at: Moment, given: OpenArguments) -> tuple[Branch, str | None]:
    """The branch to read, and its last entry if it is not the current branch."""
    entry_id = given.around or given.before or given.after or given.entry
    for entry in filter(None, (entry_id, given.branch)):
        if entry not in at.tree:
            raise ToolFailure(
                "The session has no such entry. search_sessions shows ids of entries, and"
                " open_session without `around` shows the end of the session."
            )
    branch = Branch(at.tree, given.branch or at.leaf_id)
    if entry_id is None or branch.index(entry_id) is not None:
        return branch, given.branch
    if given.branch is not None:
        raise ToolFailure("The entry is not on this branch; leave `branch` out.")
    # It is on another branch, which is shown up to this entry.
    other = Branch(at.tree, entry_id)
    if other.index(entry_id) is None:
        raise ToolFailure(
            "This entry only moves the position in the tree and has nothing to show; leave it out."
        )
    return other, entry_id


def _order(branch: Branch, given: OpenArguments) -> Any:
    count = len(branch)
    if given.whole:
        return range(count)
    if given.after:
        return range((branch.index(given.after) or 0) + 1, count)
    if given.before:
        return from_end(branch.index(given.before) or 0)
    if given.around:
        return around(branch.index(given.around) or 0, count)
    if given.last:
        return range(count - 1, max(-1, count - 1 - given.last), -1)
    return from_end(count)


def _add_window(answer: _Answer, window: Window, branch: Branch, more: Continuation) -> None:
    answer.entries = window.entries
    answer.first, answer.final = window.start + 1, window.stop
    first, last = branch.entries[window.start].id, branch.entries[window.stop - 1].id
    if window.start > 0 and safe_text.entry_id(first):
        answer.earlier = msgspec.structs.replace(more, before=first)
    if window.stop < len(branch) and safe_text.entry_id(last):
        answer.later = msgspec.structs.replace(more, after=last)


def _add_piece(
    answer: _Answer,
    transcript: BranchText,
    at: int,
    given: OpenArguments,
    limits: tuple[int, Continuation],
) -> None:
    room, more = limits
    piece, following = transcript.piece(at, given.offset or 0, room)
    answer.entries = [piece]
    answer.first = answer.final = at + 1
    if following is not None:
        answer.later = msgspec.structs.replace(more, entry=piece.entry, offset=following)


def _text(answer: _Answer) -> str:
    lines = [f"A session. {safe_text.NOTICE}", f"> session {answer.session}", f"> {answer.title}"]
    lines += [f"> in {answer.cwd}", ""]
    for entry in answer.entries:
        lines += [quotation(entry), ""]
    if not answer.entries:
        lines += ["Nothing to show: all entries here are left out (see `leave_out`)."]
    else:
        lines += [f"Entries {answer.first} to {answer.final} of {answer.total}."]
    for name, more in (("Earlier", answer.earlier), ("Later", answer.later)):
        if more is not None:
            lines += [f"{name}: open_session with these arguments:", f"> {_arguments(more)}"]
    return "\n".join(lines)


def _arguments(more: Continuation) -> str:
    given = msgspec.to_builtins(more)
    return ", ".join(f"{name}={json.dumps(value)}" for name, value in given.items())


OPEN_SESSION = Tool(
    name="open_session",
    title="Read a past session",
    description=(
        "Read an earlier conversation as text, with the ids of its entries: its end, or what was"
        " said around an entry that search_sessions has found. Long sessions come in windows; the"
        " answer says how to go on. Tool results are shortened; `entry` shows one completely."
    ),
    arguments=OpenArguments,
    run=open_session,
)
