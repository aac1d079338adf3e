"""Commands that export sessions and look after their files."""

from __future__ import annotations

from sessiond.cli.grammar.declare import (
    argument,
    choice,
    command,
    flag,
    option,
    session,
)
from sessiond.cli.grammar.kinds import NotEmpty

COMMANDS = (
    command(
        "export",
        "exporting:export",
        "Export a branch as a page, as text, or as a session file.",
        session(),
        choice(
            "--format",
            "kind",
            among=["html", "markdown", "jsonl"],
            text="By default what the ending of FILE says, else markdown.",
        ),
        option(
            "-o",
            "--output",
            type=NotEmpty("file"),
            metavar="FILE",
            help="Write to FILE; `-` is standard output, as without it.",
        ),
        option("--leaf", metavar="ENTRY", help="The branch that ends with this entry."),
        as_json=False,
    ),
    command(
        "check",
        "upkeep:check",
        "Look for damage; writes nothing.",
        session(required=False),
        option("--cwd", metavar="DIR", help="All sessions of DIR."),
        flag("-a", "--all", "everything", text="All sessions of all directories."),
    ),
    command(
        "repair",
        "upkeep:repair",
        "Repair a damaged session file, keeping a backup.",
        session(),
        flag("--apply", text="Repair; without it only what would be done is told."),
    ),
    command(
        "rename",
        "upkeep:rename",
        "Name a session; an empty NAME takes the name away.",
        session(),
        argument("name"),
    ),
    command(
        "delete",
        "upkeep:delete",
        "Move a session to the trash.",
        session(),
        flag("--permanently", text="Delete instead of moving to the trash."),
        flag("--force", text="Even if a program has it open."),
    ),
    command(
        "restore",
        "upkeep:restore",
        "Bring a session back from the trash to where it was; PATH is its old place.",
        argument("path", NotEmpty("path")),
    ),
)
