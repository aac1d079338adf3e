"""A directory whose paths are short enough for sockets, and the end of every daemon in it."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.fronts import Home


@pytest.fixture
def home() -> Iterator[Home]:
    directory = Path(tempfile.mkdtemp(prefix="sd", dir="/tmp"))
    made = Home(directory)
    yield made
    subprocess.run(
        [sys.executable, "-m", "sessiond", "daemon", "stop"],
        env=made.env(),
        capture_output=True,
        timeout=30,
        check=False,
    )
    for pid in made.daemons:
        # Those that a test has stopped or that do not answer.
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    shutil.rmtree(directory)
