"""The entry point of `sessiond` and `python -m sessiond`."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Sequence

from sessiond import __version__
from sessiond.shared.front.arguments import DAEMON, wants_mcp, wants_shared

# The imports below create no garbage, and looking for it would take a tenth of the start-up time.
gc.disable()


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve on stdio, or run a command for people; returns the exit code."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # Ctrl-C while modules are imported ends the process without a traceback.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    given = sys.argv[1:] if arguments is None else list(arguments)
    if given == ["--version"]:
        # Handled without the parser, which is slow: editors ask for the version at every start.
        print(f"sessiond {__version__}")  # noqa: T201
        return 0
    if given[:1] == [DAEMON]:
        return _share(given[1:])
    begun = None
    if wants_mcp(given):
        from sessiond.shared.front.first_answers import begin

        begun = begin()
    if wants_shared(given, os.environ):
        from sessiond.shared.front.main import serve as serve_shared

        code = serve_shared(given, b"" if begun is None else begun.pack())
        if code is not None:
            return code
    from sessiond.cli.main import run

    result = run(given)
    if isinstance(result, int):
        return result
    from sessiond.daemon import run as serve

    return serve(result, os.environ, begun)


def _share(words: Sequence[str]) -> int:
    """Run the daemon that fronts share."""
    from sessiond.shared.kept_build import keep_build

    keep_build()
    from sessiond.cli.main import parse_for_client
    from sessiond.shared.server import run

    return run(words, parse_for_client)


if __name__ == "__main__":
    sys.exit(main())
