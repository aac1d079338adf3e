"""`label_session`: the only tool that writes, with `--allow-write`."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from sessiond.mcp.past import Past, ToolFailure, session_id
from sessiond.mcp.server import McpRequest
from sessiond.mcp.tools.tool import Tool, ToolOutput


class LabelArguments(msgspec.Struct, forbid_unknown_fields=True):
    """The arguments of label_session."""

    session: Annotated[str, Meta(description="Id of the session, or the beginning of one.")]
    label: Annotated[
        str,
        Meta(description="A few words, on one line; empty: remove the label.", max_length=200),
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
    text = " ".join(given.label.split())
    async with past.opened(info, write=True) as state:
        target = given.entry or state["leafId"]
        if target is None:
            raise ToolFailure("The session has no entry that could be labelled.")
        await past.call(
            "session/appendLabelChange", session=state["session"], targetId=target, label=text
        )
    output = LabelOutput(session=session_id(info), entry=str(target), label=text)
    done = "labelled" if text else "no longer labelled"
    return ToolOutput(f"Entry {output.entry} of session {output.session} is {done}.", output)


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
