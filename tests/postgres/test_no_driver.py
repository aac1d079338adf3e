"""Users of files need no driver: it is imported for a store alone."""

import subprocess
import sys
from pathlib import Path

import pytest

_SCRIPT = """
import os, sys
sys.modules["psycopg"] = None
from sessiond.__main__ import main
sys.argv = ["sessiond", *sys.argv[1:]]
code = main()
if "SESSIOND_STORE" not in os.environ:
    assert not any(name.startswith("sessiond.postgres.") for name in sys.modules)
sys.exit(code)
"""


def test_files_are_served_without_a_driver(tmp_path: Path):
    request = b'{"jsonrpc":"2.0","id":1,"method":"session/listAll"}\n'
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT],
        input=request,
        capture_output=True,
        check=False,
        env={"HOME": str(tmp_path), "PATH": ""},
    )
    assert b'"sessions":[]' in done.stdout, done.stderr


@pytest.mark.parametrize("command", [["store", "migrate"], [], ["list", "--all"]])
def test_a_store_without_a_driver_is_explained(tmp_path: Path, command: list[str]):
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, *command],
        input=b"",
        capture_output=True,
        check=False,
        env={"HOME": str(tmp_path), "PATH": "", "SESSIOND_STORE": "postgresql://localhost/x"},
    )
    assert done.returncode == 3
    assert b"psycopg[binary]" in done.stderr
    assert b"pip install '.[postgres]' in a checkout" in done.stderr
    assert b"Traceback" not in done.stderr
