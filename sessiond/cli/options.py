"""The command line of the daemon. Each option has a variable `SESSIOND_<OPTION>`."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from typing import Any

from sessiond import __version__, limits
from sessiond.config import Config
from sessiond.profiles import PROFILES

_DESCRIPTION = """\
Serves coding-agent session files over JSON-RPC on stdin and stdout.
With no option it serves pi's sessions; the framing is told by the first byte.
"""
_EPILOG = """\
Every option has a variable: --agent-dir is SESSIOND_AGENT_DIR (several --root: separated by ':').
For people: `sessiond help` lists commands such as list, show, tree and tail.
The command line wins over variables, and they win over the profile's own ones and defaults.
"""
_TRUE = {"1", "true", "yes", "on"}


def parse(arguments: Sequence[str], env: Mapping[str, str]) -> Config:
    """Read the options; exits with status 2 and a usage line for what does not fit."""
    parser = _parser(env)
    given = parser.parse_args(arguments)
    return Config(
        profile=given.profile,
        agent_dir=given.agent_dir,
        agent_id=given.agent_id,
        roots=given.root,
        read_only=given.read_only,
        framing=given.framing,
        max_message_bytes=given.max_message_bytes,
        lock_timeout=given.lock_timeout,
        cache_bytes=given.cache_bytes,
        catalog_cache=not given.no_catalog_cache,
        watch=given.watch,
        log_level=given.log_level,
        log_file=given.log_file,
    )


def _parser(env: Mapping[str, str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sessiond",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )

    def option(name: str, default: Any, text: str, **more: Any) -> None:
        variable = "SESSIOND_" + name.upper().replace("-", "_")
        # argparse checks a default that is a string like one typed on the command line.
        parser.add_argument(f"--{name}", default=env.get(variable) or default, help=text, **more)

    option("profile", "pi", "whose sessions: " + ", ".join(PROFILES), type=_one_of(PROFILES))
    option("agent-dir", None, "the agent's directory, instead of the profile's", metavar="DIR")
    option("agent-id", "main", "agent of coderclaw and openclaw (default main)", metavar="ID")
    roots = env.get("SESSIOND_ROOT", "")
    parser.add_argument(
        "--root",
        action="append",
        default=None,
        metavar="DIR",
        help="confine every path to DIR; may be given again",
    )
    parser.add_argument(
        "--read-only",
        action="store_true",
        default=env.get("SESSIOND_READ_ONLY", "").lower() in _TRUE,
        help="never write a session file",
    )
    framings = ("auto", "header", "line")
    option("framing", "auto", "auto, header or line", type=_one_of(framings), metavar="KIND")
    option(
        "max-message-bytes",
        limits.MAX_MESSAGE_BYTES,
        "largest request body taken (default 256 MiB)",
        type=_positive,
        metavar="N",
    )
    option(
        "lock-timeout",
        limits.LOCK_TIMEOUT,
        "seconds to wait for another writer's lock (default 10)",
        type=_seconds,
        metavar="S",
    )
    option(
        "cache-bytes",
        limits.CACHE_BYTES,
        "session text kept hot without a handle (default 256 MiB)",
        type=_count,
        metavar="N",
    )
    parser.add_argument(
        "--no-catalog-cache",
        action="store_true",
        default=env.get("SESSIOND_NO_CATALOG_CACHE", "").lower() in _TRUE,
        help="keep no summaries and search index in the user's cache directory",
    )
    modes = ("native", "polling", "off")
    option("watch", "native", ", ".join(modes), type=_one_of(modes), metavar="MODE")
    levels = ("debug", "info", "warning", "error")
    option("log-level", "warning", ", ".join(levels), type=_one_of(levels), metavar="LEVEL")
    option("log-file", None, "write the log there instead of to stderr", metavar="FILE")
    parser.add_argument("--version", action="version", version=f"sessiond {__version__}")
    parser.set_defaults(root=[root for root in roots.split(os.pathsep) if root] or None)
    return parser


def _one_of(names: Any) -> Any:
    def choose(value: str) -> str:
        if value not in names:
            raise argparse.ArgumentTypeError(f"{value!r} is none of: {', '.join(names)}")
        return value

    return choose


def _positive(value: str) -> int:
    number = int(value)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def _count(value: str) -> int:
    number = int(value)
    if number < 0:
        raise argparse.ArgumentTypeError("must not be negative")
    return number


def _seconds(value: str) -> float:
    number = float(value)
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError("must be zero or more seconds")
    return number
