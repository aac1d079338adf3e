"""`sessiond lsp`: serve session files to an editor over the Language Server Protocol."""

from __future__ import annotations

import os
from typing import Any

import click

from sessiond.cli.command import standalone
from sessiond.cli.settings import config, options, settings

_LEFT_OUT = ("framing", "max_message", "shared", "idle_exit")
"""Beginnings of names of options of the daemon that make no sense here."""


@standalone("lsp")
def main(**_params: Any) -> int:
    """Serve session files to an editor over the Language Server Protocol, on stdio: outline, hover
    and more. docs/editors.md says how to set up each editor.
    """
    # Imported by this command alone: pygls takes as long as the start of the whole daemon.
    from sessiond.lsp.serving import run

    context = click.get_current_context()
    return run(config(settings(context, context.params, "pi")), os.environ)


main.params += [one for one in options() if not str(one.name).startswith(_LEFT_OUT)]
