"""What the daemon imports at its start must not bring along what only clients and makers need."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("absent", ["sessiond_protocol.entries", "sessiond_protocol.schema"])
def test_the_registry_and_the_errors_do_without(absent):
    code = (
        "import sys\n"
        "from sessiond_protocol import errors, openrpc, registry\n"
        f"sys.exit({absent!r} in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=30, check=False).returncode == 0
