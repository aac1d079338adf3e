"""`sessiond`, and `python -m sessiond`."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

# Nothing of what is imported below is ever garbage, and looking for some is a tenth of the start.
gc.disable()

from sessiond.cli.options import parse  # noqa: E402
from sessiond.commandline import carry_argument  # noqa: E402
from sessiond.daemon import run  # noqa: E402


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve on stdio, or run a command for people; returns the exit code."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if (given and not given[0].startswith("-")) or "_SESSIOND_COMPLETE" in os.environ:
        command(given)
    return run(parse(given, os.environ), os.environ)


def command(arguments: Sequence[str]) -> NoReturn:
    """Run a command such as `list`; ends the process."""
    # Whoever serves need not wait for what only people need. Of the modules that add commands to
    # the group this is the last.
    from sessiond.cli.gateway import people  # noqa: PLC0415

    gc.enable()
    given = ["--help"] if arguments[:1] == ["help"] else arguments
    people.main(given, prog_name="sessiond", obj=carry_argument)


if __name__ == "__main__":
    sys.exit(main())
