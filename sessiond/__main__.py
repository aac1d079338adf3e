"""`sessiond`, and `python -m sessiond`."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

# Nothing of what is imported below is ever garbage, and looking for some is a tenth of the start.
gc.disable()

from sessiond.cli.options import parse  # noqa: E402
from sessiond.daemon import run  # noqa: E402


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve on stdio; returns the exit code."""
    return run(parse(sys.argv[1:] if arguments is None else arguments, os.environ), os.environ)


if __name__ == "__main__":
    sys.exit(main())
