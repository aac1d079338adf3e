"""`sessiond rename`."""

from __future__ import annotations

import click

from sessiond.cli.command import command, counting, session
from sessiond.cli.running import Run


@command("rename")
@session()
@click.argument("name")
@counting()
async def main(run: Run, session: str, name: str, project: bool, everything: bool) -> None:
    """Name a session; an empty NAME removes the name."""
    path = await run.path_to_change(session, everywhere=everything, project=project)
    await run.answer("catalog/rename", path=path, name=name, change=run.change)
