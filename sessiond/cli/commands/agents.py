"""`sessiond agents`: which agents have sessions here."""

from __future__ import annotations

from sessiond.cli.astext import Column, homely
from sessiond.cli.command import command
from sessiond.cli.running import FOUND_PROBLEMS, Run

_MOST_VERSIONS = 3


@command("agents", shares=True)
async def main(run: Run) -> int:
    """Say which agents have sessions here, and where.

    It counts them, and also names agents whose sessions cannot be read yet.
    """
    result = await run.answer("catalog/agents")
    rows = [
        [
            each["agent"],
            f"{each['sessions']:,}",
            "read" if each["readOnly"] else "read, written",
            ", ".join(each["versions"][:_MOST_VERSIONS]),
            homely(each["sessionsDir"]),
        ]
        for each in result["agents"]
    ]
    rows += [
        [each["name"], "", "not yet", "", homely(each["directory"])] for each in result["unread"]
    ]
    if not run.json:
        columns = [
            Column("AGENT"),
            Column("SESSIONS", right=True),
            Column("ACCESS", rank=2),
            Column("VERSIONS", least=10, rank=1),
            Column("DIRECTORY", least=14, cut="start"),
        ]
        run.screen.table(columns, rows)
    return 0 if rows else FOUND_PROBLEMS
