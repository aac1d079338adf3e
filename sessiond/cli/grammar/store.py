"""Declare `sessiond store ...`, `mirror`, `push` and `pull`: commands that move sessions."""

from __future__ import annotations

import click

from sessiond.cli.grammar.declare import (
    HELP_OPTIONS,
    Group,
    agent_options,
    argument,
    flag,
    option,
    standalone,
)
from sessiond.cli.grammar.values import NotEmpty


def _url(name: str, text: str) -> click.Option:
    return option(name, "url", metavar="URL", envvar="SESSIOND_STORE", required=True, help=text)


STORE = Group(
    "store",
    commands=[
        standalone(
            "migrate",
            "store",
            "Create the schema of the store, or bring it to the version of this sessiond.",
            _url("--store", "The database, as a user who may create schemas."),
        )
    ],
    help="Look after a store of sessions in PostgreSQL.",
    context_settings=HELP_OPTIONS,
)

MOVING = (
    standalone(
        "mirror",
        "store",
        "Copy the sessions of an agent into a store as their files grow, until Ctrl-C."
        "\n\nOther hosts can list, search, read and follow the copies, but not change them.",
        _url("--to", "The store (SESSIOND_STORE)."),
        flag("--once", text="Copy everything as it is now, then end."),
        option(
            "--namespace", metavar="NAME", help="Where to store them; default: the host's name."
        ),
        option("--host", metavar="NAME", help="The name of this host, if others have the same."),
        flag("--mask", text="Mask keys and passwords of known forms in the copies."),
        *agent_options(),
    ),
    standalone(
        "push",
        "store",
        "Store a copy of a session file, which every host can continue.",
        argument("file", NotEmpty("file")),
        _url("--to", "The store (SESSIOND_STORE)."),
        option("--namespace", metavar="NAME", help="Where to store it (default: default)."),
        flag("--mask", text="Mask keys and passwords of known forms in the copy."),
    ),
    standalone(
        "pull",
        "store",
        "Write a session of a store, or of an agent that alone writes its sessions, into a file"
        " that another agent can continue."
        "\n\nSESSION is its id, the beginning of its id, its name in the store, or its path.",
        argument("session", NotEmpty("session")),
        option(
            "--from",
            "url",
            metavar="URL",
            envvar="SESSIOND_STORE",
            help="The store (SESSIOND_STORE), or the profile of such an agent.",
        ),
        option(
            "-o",
            "--output",
            type=NotEmpty("file"),
            metavar="FILE",
            help="Write FILE; default: a file where the agent looks for sessions.",
        ),
        *agent_options(),
    ),
)
