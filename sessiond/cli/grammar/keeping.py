"""Commands that export sessions and look after their files."""

from __future__ import annotations

import click

from sessiond.cli.grammar.declare import (
    HELP_OPTIONS,
    argument,
    choice,
    command,
    flag,
    option,
    session,
)
from sessiond.cli.grammar.kinds import NotEmpty
from sessiond.cli.grammar.times import Span

COMMANDS = (
    command(
        "export",
        "commands.export:export",
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
        "commands.files:check",
        "Look for damage; writes nothing.",
        session(required=False),
        option("--cwd", metavar="DIR", help="All sessions of DIR."),
        flag("-a", "--all", "everything", text="All sessions of all directories."),
    ),
    command(
        "repair",
        "commands.files:repair",
        "Repair a damaged session file, keeping a backup.",
        session(),
        flag("--apply", text="Repair; without it only what would be done is told."),
    ),
    command(
        "rename",
        "commands.files:rename",
        "Name a session; an empty NAME takes the name away.",
        session(),
        argument("name"),
    ),
    command(
        "delete",
        "commands.trash:delete",
        "Move a session to the trash.",
        session(required=False),
        option(
            "--older-than",
            type=Span(),
            metavar="SPAN",
            help="All sessions of this directory last used before SPAN: 30d, 6mo, 1y.",
        ),
        flag("-a", "--all", "everything", text="With --older-than: of all directories."),
        flag("--permanently", text="Delete instead of moving to the trash."),
        flag("--force", text="Even if a program has it open."),
        flag("-y", "--yes", text="Do not ask."),
    ),
    command(
        "restore",
        "commands.trash:restore",
        "Bring a session back from the trash to where it was.\n\n"
        "WHAT is its old path, its id, or the beginning of one.",
        argument("what", NotEmpty("what")),
    ),
)

TRASH = click.Group(
    "trash",
    help="Look at the sessions in the trash, and empty it of them.",
    context_settings=HELP_OPTIONS,
    commands=[
        command(
            "list", "commands.trash:list_trash", "List sessions in the trash, the latest first."
        ),
        command(
            "empty",
            "commands.trash:empty_trash",
            "Delete the sessions in the trash for good; other files stay.",
            option(
                "--older-than", type=Span(), metavar="SPAN", help="Only those deleted before SPAN."
            ),
            flag("-y", "--yes", text="Do not ask."),
            as_json=False,
        ),
    ],
)
