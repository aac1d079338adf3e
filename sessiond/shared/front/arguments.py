"""Decide by the command line alone whether this process is a front."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

OPTIONS = {
    "--profile": ("NAME", "Whose sessions."),
    "--agent-dir": ("DIR", "The agent's directory, instead of the profile's."),
    "--agent-id": ("ID", "Agent id, of a gateway (default main)."),
    "--all-agents": ("", "List and search the sessions of all agents that have some here."),
    "--root": ("DIR", "Allow only paths inside DIR; may be repeated."),
    "--read-only": ("", "Never write a session file."),
    "--framing": ("NAME", "auto, header, line"),
    "--max-message": ("N", "Largest message accepted, in bytes (default 64 MiB)."),
    "--lock-timeout": ("S", "Seconds to wait for another writer's lock (default 10)."),
    "--cache-bytes": ("N", "Session text kept in memory without a handle (default 256 MiB)."),
    "--no-catalog-cache": (
        "",
        "Do not keep summaries and the search index in the user's cache directory.",
    ),
    "--watch": ("NAME", "native, polling, off"),
    "--store": ("URL", "Keep sessions in PostgreSQL at URL instead of files."),
    "--store-durability": ("NAME", "server, relaxed"),
    "--log-level": ("NAME", "debug, info, warning, error"),
    "--log-file": ("FILE", "Write the log to FILE instead of standard error."),
    "--shared": ("", "Serve through one daemon for all clients of this user."),
    "--idle-exit": ("S", "Seconds until a shared daemon without clients ends (default 600)."),
}
"""The options of the daemon: what stands for their value, empty for a flag, and their help."""

VALUES = frozenset(name for name, (value, _) in OPTIONS.items() if value)
"""Options of the daemon with a value."""

FLAGS = OPTIONS.keys() - VALUES
"""Options of the daemon without a value."""

MCP = "mcp"
"""The command that serves the Model Context Protocol. It has all options of the daemon."""

MCP_FLAGS = frozenset({"--all", "-a", "--no-mask"})
"""Options of the command `mcp` that the daemon does not have, without values."""

ENGINE = (
    *("--lock-timeout", "--cache-bytes", "--no-catalog-cache", "--watch"),
    *("--store", "--store-durability"),
)
"""Options of the engine: clients with different values cannot share a daemon."""

DAEMON = "--shared-daemon"
"""First argument of a process that is to be a shared daemon; fronts give it."""

IDLE_SECONDS = "600"
"""Default of `--idle-exit`."""

_YES = frozenset({"1", "true", "t", "yes", "y", "on"})
"""Spellings of a flag in the environment, as click reads them."""


def wants_shared(arguments: Sequence[str], env: Mapping[str, str]) -> bool:
    """Return whether to serve through a shared daemon.

    False for commands, for help, and for arguments that are not known here: the parser of the
    command line explains what is wrong with them.
    """
    given = _options(arguments)
    if given is None:
        return False
    return any(name == "--shared" for name, _ in given) or is_yes(env.get("SESSIOND_SHARED", ""))


def wants_mcp(arguments: Sequence[str]) -> bool:
    """Return whether the command is `mcp`; false for help and for arguments not known here."""
    return (MCP, "") in (_options(arguments) or ())


def normal(arguments: Sequence[str]) -> list[str]:
    """Return the options in one spelling; the word `mcp` comes first, `serve` is left out.

    Call it if `wants_shared`.
    """
    options = _options(arguments) or []
    command = [MCP] if wants_mcp(arguments) else []
    return command + [
        f"{name}={value}" if name in VALUES else name for name, value in options if name != MCP
    ]


def is_yes(text: str) -> bool:
    """Return whether a variable sets a flag."""
    return text.strip().lower() in _YES


def setting(name: str, arguments: Sequence[str], env: Mapping[str, str]) -> str:
    """Return the value of an option as it was given; empty if it was not.

    The last one on the command line wins, and the command line wins over the environment.
    """
    given = [value for option, value in _options(arguments) or () if option == name]
    return given[-1] if given else env.get(variable(name), "").strip()


def variable(name: str) -> str:
    """Return the name of an option's variable: `--agent-dir` is `SESSIOND_AGENT_DIR`."""
    return "SESSIOND_" + name.removeprefix("--").upper().replace("-", "_")


def _options(arguments: Sequence[str]) -> list[tuple[str, str]] | None:
    """Split into options and values; None if there is anything that is not known here.

    The command `mcp` is among them, without a value.
    """
    words = list(arguments)
    given: list[tuple[str, str]] = []
    command = ""
    while words:
        name, sign, value = words.pop(0).partition("=")
        if name in ("serve", MCP) and not sign and not command:
            command = name
            if name == MCP:
                given.append((MCP, ""))
            continue
        if not sign and (name in FLAGS or (name in MCP_FLAGS and command == MCP)):
            value = "1"
        elif name not in VALUES or (not sign and not words):
            return None
        elif not sign:
            value = words.pop(0)
        given.append((name, value))
    return given
