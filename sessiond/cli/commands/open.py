"""`sessiond open`: the exported page in the browser."""

from __future__ import annotations

import os
import tempfile
import webbrowser
from collections.abc import Sequence
from pathlib import Path

from sessiond.cli.astext import one_line
from sessiond.cli.command import command, for_others, leaf, session
from sessiond.cli.commands.export import masking, tell_secrets
from sessiond.cli.entry_names import entry_id
from sessiond.cli.running import FAILED, Run


@command("open", as_json=False)
@session()
@leaf()
@for_others()
async def main(
    run: Run,
    session: str,
    leaf: str | None,
    *,
    mask: bool,
    mask_also: Sequence[str],
    conversation: bool,
) -> int:
    """Show the exported page of a session in the browser."""
    masks = masking(mask=mask, also=mask_also)
    state = await run.open(session)
    # A private directory of the user.
    folder = tempfile.mkdtemp(prefix="sessiond-")
    target = os.path.join(folder, f"{one_line(state['sessionId'])[:40].replace('/', '_')}.html")
    answer = await run.daemon.call(
        "catalog/export",
        path=state["sessionFile"],
        format="html",
        outputPath=target,
        leafId=await entry_id(run, state["session"], leaf),
        **masks,
        conversation=conversation,
    )
    tell_secrets(run, answer, mask=mask)
    run.screen.raw(os.fsencode(target))
    if webbrowser.open(Path(target).as_uri()):
        return 0
    run.tell("sessiond: no browser can be started; the page is in the file above")
    return FAILED
