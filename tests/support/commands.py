"""The commands for people, run as processes of their own."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from support.preloaded import shared
from support.process import isolated_environment

SESSIOND = [sys.executable, "-m", "sessiond"]


def run(
    home: Path, *arguments: str, env: Mapping[str, str] | None = None, **options: Any
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        shared("sessiond.cli", "sessiond.catalog", "sessiond.methods").command(*arguments),
        env=isolated_environment(home, **{"COLUMNS": "100", "PYTHONUTF8": "1", **(env or {})}),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        **options,
    )
