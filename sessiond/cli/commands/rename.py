"""`sessiond rename`."""

from __future__ import annotations

from sessiond.cli import undoing
from sessiond.cli.running import Run


async def rename(run: Run, session: str, name: str, everything: bool) -> None:
    path = await run.path_to_change(session, everywhere=everything)
    before = (await run.open_path(path)).get("name", "")
    done = await run.daemon.call_raw("catalog/rename", path=path, name=name)
    undoing.remember(run, {"command": "rename", "path": path, "name": before})
    if run.json:
        run.screen.raw(done)
