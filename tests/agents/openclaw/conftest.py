"""A state directory of OpenClaw, and the database of its agent `main`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.openclaw import OpenClawDatabase, openclaw_database


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """Where OpenClaw looks for it in this home."""
    return tmp_path / ".openclaw"


@pytest.fixture
def database(state: Path) -> Iterator[OpenClawDatabase]:
    with openclaw_database(state) as made:
        yield made
