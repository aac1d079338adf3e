"""Declare the commands that show, export, check, repair, rename and delete sessions."""

from __future__ import annotations

from sessiond.cli.grammar.declare import (
    HELP_OPTIONS,
    Group,
    argument,
    choice,
    command,
    counting_all,
    flag,
    number,
    option,
    session,
)
from sessiond.cli.grammar.values import NotEmpty, OneOf, Since, Span, profiles

_LEAF = "The branch that ends with this entry; a beginning of its id is enough."

SHOWING = (
    command(
        "list",
        "commands.list:list_sessions",
        "List sessions, the latest first.",
        option("--cwd", metavar="DIR", help="Sessions of DIR instead of the current directory."),
        flag("-a", "--all", "everything", text="Sessions of all directories."),
        flag("--named", text="Only sessions with a name."),
        option("--since", type=Since(), metavar="WHEN", help="Used since 6h, 2d, 3w or a date."),
        option("--model", metavar="TEXT", help="Only sessions with a model that contains TEXT."),
        choice(
            "--sort",
            among=["age", "size", "cost", "messages"],
            default="age",
            text="Order: the latest (default), largest, dearest or longest first.",
        ),
        number("-n", "--limit", text="At most N sessions."),
        shares=True,
    ),
    command(
        "show",
        "commands.show:show",
        "Print the conversation of a branch, by default the current one.",
        session(),
        option("--leaf", metavar="ENTRY", help=_LEAF),
        number("-n", "--last", text="Only the last N entries."),
        flag("--user", text="Only messages of the user."),
        flag("--no-tools", text="Without tool calls and their results."),
        flag("--full", text="Shorten nothing."),
        flag("--details", text="With entry ids, times, models, tokens and cost."),
        shares=True,
    ),
    command(
        "tree",
        "commands.show:tree",
        "Draw the branches of a session; the current one is marked.",
        session(),
        flag("--user", text="Only messages of the user, and entries with several branches."),
        flag("--no-tools", text="Without tool calls and their results."),
        shares=True,
    ),
    command(
        "tail",
        "commands.show:tail",
        "Print the last entries of a session, and new ones.",
        session(),
        number("-n", "--last", "count", least=0, default=10, text="Entries to begin with."),
        flag("-f", "--follow", text="Continue with new entries until interrupted."),
        flag("--user", text="Only messages of the user."),
        flag("--no-tools", text="Without tool calls and their results."),
        flag("--full", text="Shorten nothing."),
        flag("--details", text="With entry ids, times, models, tokens and cost."),
        shares=True,
        alone_with=("follow",),
    ),
    command(
        "search",
        "commands.search:search",
        "Search names, ids, directories and messages.\n\n"
        "Tool calls and their results are not searched.",
        argument("query"),
        choice("--mode", among=["text", "fuzzy", "regex"], text="How to match."),
        option("--cwd", metavar="DIR", help="Only sessions of DIR."),
        flag("-a", "--all", "everything", text="Sessions of all directories (the default)."),
        number("-n", "--limit", default=20, text="At most N hits."),
        shares=True,
    ),
    command(
        "stats",
        "commands.usage:stats",
        "Count messages, tokens and cost of a session.\n\nBy model and by day.",
        session(),
        shares=True,
    ),
    command(
        "usage",
        "commands.usage:usage",
        "Add up tokens and cost of all sessions.\n\nAs the agents recorded them.",
        choice(
            "--by",
            among=["day", "week", "month", "model", "project", "session"],
            default="day",
            text="What a row stands for (default day).",
        ),
        option("--since", type=Since(), metavar="WHEN", help="From this day on: 30d, 6mo, a date."),
        option("--until", type=Since(), metavar="WHEN", help="Up to this day."),
        option("--model", metavar="TEXT", help="Only models with TEXT in their name or provider."),
        option("--cwd", metavar="DIR", help="Only sessions of DIR."),
        flag("-a", "--all", "everything", text="Sessions of all directories (the default)."),
        option("--timezone", metavar="ZONE", help="Whose days, such as Asia/Kolkata."),
        number("-n", "--limit", text="At most N rows; the latest days, the highest costs."),
        option(
            "--html",
            type=NotEmpty("file"),
            metavar="FILE",
            help="Write a page with charts to FILE; `-` is standard output.",
        ),
        shares=True,
        alone_with=("html",),
    ),
    command(
        "pick",
        "commands.pick:pick",
        "Choose a session by typing; prints its id.\n\n"
        "For example: sessiond show $(sessiond pick --all), or sessiond pick --run resume.",
        flag("-a", "--all", "everything", text="Sessions of all directories."),
        choice(
            "--run",
            "command",
            among=["show", "tree", "tail", "stats", "resume", "open", "check", "delete"],
            text="The command to run on it.",
        ),
        as_json=False,
    ),
    command(
        "resume",
        "commands.resume:resume",
        "Start the agent on a session, in the session's directory.",
        session(),
        option(
            "--agent",
            envvar="SESSIOND_AGENT_COMMAND",
            metavar="COMMAND",
            help="Instead of `pi --session {file}`; also SESSIOND_AGENT_COMMAND.",
        ),
        option(
            "--with",
            "with_agent",
            type=OneOf("name", profiles),
            metavar="NAME",
            help="Another agent goes on: pi with a copy, others with a hand-off.",
        ),
        flag("--here", text="In the current directory."),
        flag("--fork", text="Continue a copy of the session, in the current directory."),
        counting_all(),
        as_json=False,
    ),
    command(
        "handoff",
        "commands.resume:handoff",
        "Print the first message for an agent that takes over.",
        session(),
        as_json=False,
    ),
    command(
        "open",
        "commands.resume:open_page",
        "Show the exported page of a session in the browser.",
        session(),
        option("--leaf", metavar="ENTRY", help=_LEAF),
        as_json=False,
    ),
)


CHANGING = (
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
        "commands.files:delete",
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
        "commands.files:restore",
        "Restore a session from the trash to its former path.\n\n"
        "WHAT is the former path, or the id or its beginning.",
        argument("what", NotEmpty("what")),
    ),
)

TRASH = Group(
    "trash",
    help="List the sessions in the trash, and empty the trash.",
    context_settings=HELP_OPTIONS,
    commands=[
        command(
            "list", "commands.files:list_trash", "List sessions in the trash, the latest first."
        ),
        command(
            "empty",
            "commands.files:empty_trash",
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
