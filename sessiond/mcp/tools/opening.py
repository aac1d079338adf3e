"""`open_session`: read a conversation, window by window."""

from __future__ import annotations

import functools
import json
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from sessiond.mcp import safe_text
from sessiond.mcp.past import Branch, Info, Past, ToolFailure, session_id
from sessiond.mcp.server import McpRequest
from sessiond.mcp.tools.tool import Tool, ToolOutput
from sessiond.mcp.transcript import (
    TOKEN_BYTES,
    BranchText,
    Part,
    ShownEntry,
    Window,
    around,
    from_end,
    quotation,
)
from sessiond.session.moment import Moment

TOKENS = 8000
LEAVE_OUT: list[Part] = ["thinking", "settings"]
_FRAME_BYTES = 300
"""For the lines that say how to go on, without the ids in them."""


class OpenArguments(msgspec.Struct, forbid_unknown_fields=True):
    """The arguments of open_session."""

    session: Annotated[
        str,
        Meta(description="Id of the session, or the beginning of one; `last`: the latest session."),
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
        Meta(description="What to leave out; by default thinking and settings. [] shows all."),
    ] = None
    max_tokens: Annotated[
        Annotated[int, Meta(ge=1000, le=200_000)] | None,
        Meta(description="Maximum size of the answer in tokens; 8000 by default."),
    ] = None


class Continuation(msgspec.Struct, omit_defaults=True):
    """Arguments of open_session that show more."""

    session: str
    before: str | UnsetType = UNSET
    after: str | UnsetType = UNSET
    entry: str | UnsetType = UNSET
    offset: int | UnsetType = UNSET
    branch: str | UnsetType = UNSET


class OpenOutput(msgspec.Struct, omit_defaults=True):
    """A window of a session."""

    notice: str
    session: str
    title: str
    cwd: str
    entries: list[ShownEntry]
    first: Annotated[int, Meta(description="Number of the first entry on the branch, from 1.")]
    final: Annotated[int, Meta(description="Number of the last entry that is shown.")]
    total: Annotated[int, Meta(description="Number of entries of the branch.")]
    earlier: Annotated[
        Continuation | UnsetType, Meta(description="Arguments that show what comes before.")
    ] = UNSET
    later: Annotated[
        Continuation | UnsetType, Meta(description="Arguments that show what comes after.")
    ] = UNSET


async def open_session(past: Past, request: McpRequest, given: OpenArguments) -> ToolOutput:
    chosen = [
        name
        for name in ("around", "last", "whole", "before", "after", "entry")
        if getattr(given, name)
    ]
    if len(chosen) > 1:
        raise ToolFailure(f"Give only one of {', '.join(chosen)}.")
    info = await past.find(request, given.session)
    return await past.read(info, functools.partial(_output, past, info, given))


def _output(past: Past, info: Info, given: OpenArguments, at: Moment) -> ToolOutput:
    """The window that was asked for. Raises ToolFailure and FileChanged."""
    branch, end = _branch(at, given)
    leave_out = given.leave_out
    if leave_out is None:
        leave_out = [] if given.entry else LEAVE_OUT
    transcript = BranchText(branch, leave_out, past)
    output = OpenOutput(
        notice=safe_text.VALUES_NOTICE,
        session=session_id(info),
        title=past.title(info),
        cwd=past.directory(info),
        entries=[],
        first=0,
        final=0,
        total=len(branch),
    )
    budget = (given.max_tokens or TOKENS) * TOKEN_BYTES
    room = budget - max(len(_text(output).encode()), len(msgspec.json.encode(output)))
    more = Continuation(session=output.session, branch=UNSET if end is None else end)
    room -= _FRAME_BYTES + 2 * (len(msgspec.json.encode(more)) + safe_text.LONGEST_ID)
    if given.entry:
        _add_piece(output, transcript, branch.index(given.entry) or 0, given, (room, more))
    else:
        window = transcript.window(_order(branch, given), room)
        if window is not None:
            _add_window(output, window, branch, more)
    return ToolOutput(_text(output), output)


def _branch(at: Moment, given: OpenArguments) -> tuple[Branch, str | None]:
    """The branch to read, and its last entry if it is not the current branch."""
    wanted = given.around or given.before or given.after or given.entry
    for entry in filter(None, (wanted, given.branch)):
        if entry not in at.tree:
            raise ToolFailure(
                f"The session has no entry {safe_text.entry_id(entry)}. search_sessions shows ids"
                " of entries, and open_session without `around` shows the end of the session."
            )
    branch = Branch(at.tree, given.branch or at.leaf_id)
    if wanted is None or branch.index(wanted) is not None:
        return branch, given.branch
    if given.branch is not None:
        raise ToolFailure("The entry is not on this branch; leave `branch` out.")
    # It is on another branch, which is shown up to this entry.
    other = Branch(at.tree, wanted)
    if other.index(wanted) is None:
        raise ToolFailure(
            "This entry only moves the position in the tree and has nothing to show; leave it out."
        )
    return other, wanted


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


def _add_window(output: OpenOutput, window: Window, branch: Branch, more: Continuation) -> None:
    output.entries = window.shown
    output.first, output.final = window.start + 1, window.stop
    first, last = branch.entries[window.start].id, branch.entries[window.stop - 1].id
    if window.start > 0 and safe_text.entry_id(first):
        output.earlier = msgspec.structs.replace(more, before=first)
    if window.stop < len(branch) and safe_text.entry_id(last):
        output.later = msgspec.structs.replace(more, after=last)


def _add_piece(
    output: OpenOutput,
    transcript: BranchText,
    at: int,
    given: OpenArguments,
    limits: tuple[int, Continuation],
) -> None:
    room, more = limits
    shown, following = transcript.piece(at, given.offset or 0, room)
    output.entries = [shown]
    output.first = output.final = at + 1
    if following is not None:
        output.later = msgspec.structs.replace(more, entry=shown.entry, offset=following)


def _text(output: OpenOutput) -> str:
    lines = [f"session {output.session}. {safe_text.NOTICE}", f"> {output.title}"]
    lines += [f"> in {output.cwd}", ""]
    for entry in output.entries:
        lines += [quotation(entry), ""]
    if not output.entries:
        lines += ["Nothing to show: all entries here are left out (see `leave_out`)."]
    else:
        lines += [f"Entries {output.first} to {output.final} of {output.total}."]
    for name, more in (("Earlier", output.earlier), ("Later", output.later)):
        if isinstance(more, Continuation):
            lines += [f"{name}: open_session({_call(more)})"]
    return "\n".join(lines)


def _call(more: Continuation) -> str:
    given = msgspec.to_builtins(more)
    return ", ".join(f"{name}={json.dumps(value)}" for name, value in given.items())


TOOL = Tool(
    name="open_session",
    title="Read a past session",
    description=(
        "Read an earlier conversation as text, with the ids of its entries: its end, or what was"
        " said around an entry that search_sessions has found. Long sessions come in windows; the"
        " answer says how to go on. Tool results are shortened; `entry` shows one completely."
    ),
    arguments=OpenArguments,
    output=OpenOutput,
    run=open_session,
)
