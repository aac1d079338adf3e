"""Declare the commands that show sessions."""

from __future__ import annotations

from sessiond.cli.grammar.declare import argument, choice, command, flag, number, option, session
from sessiond.cli.grammar.kinds import NotEmpty
from sessiond.cli.grammar.times import Since

_LEAF = "The branch that ends with this entry; a beginning of its id is enough."

COMMANDS = (
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
        "commands.tree:tree",
        "Draw the branches of a session; the current one is marked.",
        session(),
        flag("--users", text="Only messages of the user, and entries with several branches."),
        flag("--no-tools", text="Without tool calls and their results."),
        shares=True,
    ),
    command(
        "tail",
        "commands.show:tail",
        "Print the last entries of a session, and new ones.",
        session(),
        number("-n", "--lines", "count", least=0, default=10, text="Entries to begin with."),
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
        number("-n", "--limit", default=20, text="At most N hits."),
        shares=True,
    ),
    command(
        "stats",
        "commands.stats:stats",
        "Count messages, tokens and cost of a session, by model and by day.",
        session(),
        shares=True,
    ),
    command(
        "usage",
        "commands.usage:usage",
        "Add up tokens and cost of all sessions, as the agents recorded them.",
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
        flag("--here", text="In the current directory."),
        flag("--fork", text="Continue a copy of the session, in the current directory."),
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
