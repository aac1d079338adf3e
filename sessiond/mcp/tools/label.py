"""`label_session`: the only tool that writes, with `--allow-write`."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from sessiond.format.entries import LABEL
from sessiond.mcp import safe_text
from sessiond.mcp.past import Past, ToolFailure, session_id
from sessiond.mcp.server import McpRequest
from sessiond.mcp.tools.tool import Tool, ToolOutput
from sessiond.session.moment import Moment

_LONGEST = 200


class LabelArguments(msgspec.Struct, forbid_unknown_fields=True):
    """The arguments of label_session."""

    session: Annotated[str, Meta(description="Id of the session, or the beginning of one.")]
    label: Annotated[
        str,
        Meta(description="A few words, on one line; empty: remove the label.", max_length=_LONGEST),
    ]
    entry: Annotated[
        str | None, Meta(description="The entry to label; by default the latest of the session.")
    ] = None


class LabelOutput(msgspec.Struct):
    """What was labelled."""

    session: str
    entry: str
    label: str


async def label(past: Past, request: McpRequest, given: LabelArguments) -> ToolOutput:
    info = await past.find(request, given.session)
    text = safe_text.one_line(given.label, _LONGEST)

    def entry(at: Moment) -> str | None:
        return _latest(at) if given.entry is None else at.entry(given.entry).id

    # Opening for writing migrates an old file, which a refused call must not do.
    target = await past.read(info, entry)
    if target is None:
        raise ToolFailure("The session has no entry that could be labelled.")
    async with past.opened(info, write=True) as state:
        await past.call(
            "session/appendLabelChange", session=state["session"], targetId=target, label=text
        )
    output = LabelOutput(session=session_id(info), entry=safe_text.entry_id(target), label=text)
    done = "labelled" if text else "no longer labelled"
    name = f"Entry {output.entry}" if output.entry else "An entry without an id"
    return ToolOutput(f"{name} of session {output.session} is {done}.", output)


def _latest(at: Moment) -> str | None:
    """The latest entry of the branch apart from labels, so that a second call changes the first."""
    branch = reversed(at.tree.branch(at.leaf_id))
    return next((entry.id for entry in branch if entry.type != LABEL), None)


TOOL = Tool(
    name="label_session",
    title="Label a past session",
    description=(
        "Put a label on an entry of a session, by default its latest, as a bookmark for the user."
        " Changes nothing else."
    ),
    arguments=LabelArguments,
    output=LabelOutput,
    run=label,
    writes=True,
)
