"""Declare the commands that show, export, check, repair, rename and delete sessions."""

from __future__ import annotations

import click

from sessiond.cli.grammar.declare import (
    HELP_OPTIONS,
    Entry,
    Group,
    Session,
    argument,
    choice,
    command,
    counting_all,
    dates,
    flag,
    number,
    option,
    session,
)
from sessiond.cli.grammar.values import Names, NotEmpty, OneOf, Span, profiles

_LEAF = "The branch that ends with this entry: an id or its beginning, a label, or N."


def _for_others() -> tuple[click.Option, click.Option]:
    """Return the options that leave out what others should not see."""
    return (
        flag("--mask", text="Mask keys and passwords of known forms."),
        flag("--conversation", text="Only what was said: no tools, thinking and settings."),
    )


SHOWING = (
    command(
        "list",
        "commands.list:list_sessions",
        "List sessions, the latest first.",
        option("--cwd", metavar="DIR", help="Sessions of DIR instead of the current directory."),
        flag("-a", "--all", "everything", text="Sessions of all directories."),
        flag("--named", text="Only sessions with a name."),
        flag("--subagents", text="Also sessions that agents began, each below its own."),
        *dates("Used on"),
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
        "Print a branch of a session, by default the current one.",
        session(),
        option("--leaf", type=Entry(), metavar="ENTRY", help=_LEAF),
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
        "With --in, --tool, --file, --role or --model what was done is searched: calls of tools,"
        " their results, commands, thinking, summaries. Without QUERY all of that is shown.",
        argument("query", required=False),
        choice("--mode", among=["text", "fuzzy", "regex"], text="How to match."),
        choice(
            "--in",
            "fields",
            among=["said", "thinking", "calls", "results", "commands", "summaries", "labels"],
            text="What is searched; repeat it for several (by default `said`).",
            multiple=True,
        ),
        option("--tool", "tools", metavar="NAME", multiple=True, help="Only of this tool."),
        option("--file", "files", metavar="PATH", multiple=True, help="Only calls that name PATH."),
        option("--model", metavar="TEXT", help="Only of models whose id contains TEXT."),
        choice(
            "--role",
            "roles",
            among=["user", "assistant", "toolResult", "bashExecution"],
            text="Only of this role.",
            multiple=True,
        ),
        *dates("Said or done on"),
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
        *dates("Of"),
        shares=True,
    ),
    command(
        "usage",
        "commands.usage:usage",
        "Add up tokens and cost of all sessions.\n\nAs the agents recorded them.",
        option(
            "--by",
            type=Names(["day", "week", "month", "model", "project", "session"]),
            default="day",
            metavar="NAME",
            help="What a row stands for: day (default), week, month, model, project or session; two"
            " of them (model,project): rows within rows.",
        ),
        *dates("Of"),
        option("--model", metavar="TEXT", help="Only models with TEXT in their name or provider."),
        option("--cwd", metavar="DIR", help="Only sessions of DIR."),
        flag("-a", "--all", "everything", text="Sessions of all directories (the default)."),
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
        "Choose sessions by typing; prints their ids.\n\n"
        "For example: sessiond show $(sessiond pick --all), or sessiond pick --run resume. The key"
        " ? shows all keys.",
        flag("-a", "--all", "everything", text="Sessions of all directories."),
        choice(
            "--run",
            "command",
            among=["show", "tree", "tail", "stats", "resume", "fork", "open", "check", "delete"],
            text="The command to run on it; `delete` on several.",
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
        option(
            "--from",
            "at",
            type=Entry(),
            metavar="ENTRY",
            help="Continue a copy that ends with this entry: an id, a label, or N (-1: before the"
            " last message of mine).",
        ),
        flag("--here", text="In the current directory."),
        flag("--fork", text="Continue a copy of the session, in the current directory."),
        counting_all(),
        as_json=False,
    ),
    command(
        "fork",
        "commands.fork:fork",
        "Copy a branch into a session of its own; prints its id.\n\n"
        "The copy lies beside the session and can be continued; the session stays as it is.",
        session(),
        option(
            "--at",
            type=Entry(),
            metavar="ENTRY",
            help="The last entry of the copy: an id or its beginning, a label, or N: up to the end"
            " of exchange N; -1: without the last exchange.",
        ),
        option("--name", metavar="NAME", help="The name of the copy."),
    ),
    command(
        "diff",
        "commands.diff:diff",
        "Compare two branches of a session.\n\n"
        "FIRST and SECOND are the last entries of the branches: ids or their beginnings, labels,"
        " or N: the end of exchange N. Without SECOND the current branch.",
        session(),
        argument("first", Entry()),
        argument("second", Entry(), required=False),
        flag("--no-tools", text="Without tool calls and their results."),
        flag("--full", text="Shorten nothing, and show everything that is the same."),
        shares=True,
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
        option("--leaf", type=Entry(), metavar="ENTRY", help=_LEAF),
        *_for_others(),
        as_json=False,
    ),
)


CHANGING = (
    command(
        "import",
        "commands.import_:import_files",
        "Copy session files to where the agent looks for them.\n\n"
        "Their bytes stay as they are, but for what the options change. `-` is standard input.",
        argument("files", NotEmpty("file"), nargs=-1),
        option("--cwd", metavar="DIR", help="The directory that they belong to from now on."),
        flag("--new-id", text="Give each an id of its own."),
    ),
    command(
        "copy",
        "commands.copy:copy",
        "Copy a session to another machine, over ssh.\n\n"
        "TARGET is HOST: or HOST:DIR, the directory there; by default the session's own, with `~`"
        " for the home there. sessiond must be installed on HOST.",
        session(),
        argument("target", NotEmpty("target")),
        option(
            "--program",
            default="sessiond",
            metavar="PATH",
            help="How sessiond is called there (default sessiond).",
        ),
        flag("--mask", text="Mask keys and passwords of known forms."),
        flag("--new-id", text="Give the copy an id of its own."),
        as_json=False,
    ),
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
        option("--leaf", type=Entry(), metavar="ENTRY", help=_LEAF),
        *_for_others(),
        flag("--exact", text="jsonl: with the session's own id, as pi exports it."),
        as_json=False,
        shares=True,
        alone_with=("output",),
    ),
    command(
        "check",
        "commands.check:check",
        "Check session files for damage; nothing is written.",
        session(required=False),
        option("--cwd", metavar="DIR", help="All sessions of DIR."),
        flag("-a", "--all", "everything", text="All sessions of all directories."),
    ),
    command(
        "repair",
        "commands.check:repair",
        "Repair a damaged session file, keeping a backup.",
        session(),
        flag("--apply", text="Repair the file; by default only report what would be done."),
        counting_all(),
    ),
    command(
        "rename",
        "commands.rename:rename",
        "Name a session; an empty NAME removes the name.",
        session(),
        argument("name"),
        counting_all(),
    ),
    command(
        "relink",
        "commands.relink:relink",
        "Let the sessions of a renamed directory belong to its new name.\n\n"
        "Also those of the directories below OLD. The files move to where the agent looks for"
        " them.",
        argument("old", NotEmpty("directory")),
        argument("new", NotEmpty("directory")),
        flag("-y", "--yes", text="Do not ask."),
        as_json=False,
    ),
    command(
        "delete",
        "commands.delete:delete",
        "Move sessions to the trash.",
        argument("sessions", Session(), required=False, nargs=-1),
        option(
            "--older-than",
            type=Span(),
            metavar="SPAN",
            help="All sessions of this directory not used for SPAN: 30d, 6mo, 1y.",
        ),
        flag("--empty", text="All sessions of this directory without messages."),
        flag(
            *("-a", "--all", "everything"),
            text="`last`, `@N`, --older-than and --empty are about all directories.",
        ),
        flag("--permanently", text="Delete instead of moving to the trash."),
        flag("--force", text="Even if another program has it open."),
        flag("-y", "--yes", text="Do not ask."),
    ),
    command(
        "undo",
        "commands.undo:undo",
        "Take back the last delete or rename.\n\nSeveral times: those before it.",
        as_json=False,
    ),
    command(
        "restore",
        "commands.trash:restore",
        "Restore sessions from the trash to their former paths.\n\n"
        "WHATS are former paths, ids or their beginnings, or `last`.",
        argument("whats", NotEmpty("what"), nargs=-1),
    ),
)

TRASH = Group(
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
