"""Fixtures: the reference and the daemon side by side, one process each for a module's tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.process import Daemon

from reference.pi import OLDER, Pi, missing


@pytest.fixture(scope="module")
def pi(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pi]:
    reason = missing()
    if reason is not None:
        pytest.skip(reason)
    with Pi(tmp_path_factory.mktemp("pi")) as process:
        yield process


@pytest.fixture(scope="module")
def older_pi(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pi]:
    """0.73.1, as users of the former package run it."""
    reason = missing(OLDER)
    if reason is not None:
        pytest.skip(reason)
    with Pi(tmp_path_factory.mktemp("older pi"), release=OLDER) as process:
        yield process


@pytest.fixture(scope="module")
def roots(tmp_path_factory: pytest.TempPathFactory, pi: Pi) -> tuple[Path, Path]:
    """Where the daemon and where the reference keep their files."""
    return tmp_path_factory.mktemp("ours"), pi.agent_dir.parent.parent


@pytest.fixture(scope="module")
def daemon(roots: tuple[Path, Path]) -> Iterator[Daemon]:
    with Daemon(roots[0], framing="header") as process:
        yield process
