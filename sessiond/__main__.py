"""`sessiond`, and `python -m sessiond`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from sessiond.cli.options import parse
from sessiond.daemon import run


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve on stdio; returns the exit code."""
    return run(parse(sys.argv[1:] if arguments is None else arguments, os.environ), os.environ)


if __name__ == "__main__":
    sys.exit(main())
