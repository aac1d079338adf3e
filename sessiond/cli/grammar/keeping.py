"""Declare the commands that export, check, repair, rename and delete sessions."""

from __future__ import annotations

import click

from sessiond.cli.grammar.declare import (
    HELP_OPTIONS,
    argument,
    choice,
    command,
    counting_all,
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
            text="Default: by the extension of FILE, else markdown.",
        ),
        option(
            "-o",
            "--output",
            type=NotEmpty("file"),
            metavar="FILE",
            help="Write to FILE; default and `-`: standard output.",
        ),
        option("--leaf", metavar="ENTRY", help="The branch that ends with this entry."),
        as_json=False,
        shares=True,
        alone_with=("output",),
    ),
    command(
        "check",
        "commands.files:check",
        "Check session files for damage; nothing is written.",
        session(required=False),
        option("--cwd", metavar="DIR", help="All sessions of DIR."),
        flag("-a", "--all", "everything", text="All sessions of all directories."),
    ),
    command(
        "repair",
        "commands.files:repair",
        "Repair a damaged session file, keeping a backup.",
        session(),
        flag("--apply", text="Repair the file; by default only report what would be done."),
        counting_all(),
    ),
    command(
        "rename",
        "commands.files:rename",
        "Name a session; an empty NAME removes the name.",
        session(),
        argument("name"),
        counting_all(),
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
            help="All sessions of this directory not used for SPAN: 30d, 6mo, 1y.",
        ),
        flag(
            *("-a", "--all", "everything"),
            text="`last`, `@N` and --older-than are about the sessions of all directories.",
        ),
        flag("--permanently", text="Delete instead of moving to the trash."),
        flag("--force", text="Even if another program has it open."),
        flag("-y", "--yes", text="Do not ask."),
    ),
    command(
        "restore",
        "commands.trash:restore",
        "Restore a session from the trash to its former path.\n\n"
        "WHAT is the former path, or the id or its beginning.",
        argument("what", NotEmpty("what")),
    ),
)

TRASH = click.Group(
    "trash",
    help="List the sessions in the trash, and empty the trash.",
    context_settings=HELP_OPTIONS,
    commands=[
        command(
            "list", "commands.trash:list_trash", "List sessions in the trash, the latest first."
        ),
        command(
            "empty",
            "commands.trash:empty_trash",
            "Delete the sessions in the trash permanently; other files stay.",
            option(
                "--older-than",
                type=Span(),
                metavar="SPAN",
                help="Only those deleted SPAN ago or earlier.",
            ),
            flag("-y", "--yes", text="Do not ask."),
            as_json=False,
        ),
    ],
)
