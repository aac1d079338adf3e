"""`sessiond lsp`: serve session files to an editor over the Language Server Protocol."""

from __future__ import annotations

import os
from typing import Any

import click

from sessiond.cli.grammar.serving import config, settings


def lsp(**_params: Any) -> int:
    """Serve on standard input and output; returns the exit code."""
    # Imported by this command alone: pygls takes as long as the start of the whole daemon.
    from sessiond.lsp.serving import run  # noqa: PLC0415

    context = click.get_current_context()
    return run(config(settings(context, context.params, "pi")), os.environ)
