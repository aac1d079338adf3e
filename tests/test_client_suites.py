"""The report of `make test-clients` for a client whose toolchain is missing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

RUN_TESTS = Path(__file__).parent.parent / "clients" / "run_tests.py"


@pytest.mark.parametrize(("ci", "code"), [("", 0), ("1", 1)])
def test_a_missing_toolchain_is_named_and_fails_the_run_in_ci_only(
    tmp_path: Path, ci: str, code: int
):
    env = {**os.environ, "CI": ci, "PATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, str(RUN_TESTS), "neovim", "page", "two_clients"],
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code
    assert done.stdout.splitlines()[-3:] == [
        "  neovim       missing (nvim, python3 not found)",
        "  page         missing (node, npm, chromium not found)",
        "  two_clients  missing (node, npm, go not found)",
    ]
