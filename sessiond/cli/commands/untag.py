"""`sessiond untag`."""

from __future__ import annotations

from collections.abc import Sequence

import click

from sessiond.cli.command import TAG, command, session
from sessiond.cli.marking import set_marks
from sessiond.cli.running import Run


@command("untag")
@session()
@click.argument("words", nargs=-1, required=True, type=TAG, metavar="WORD...")
async def main(run: Run, session: str, words: Sequence[str]) -> None:
    """Remove tags of a session."""
    await set_marks(run, [session], removeTags=list(words))
