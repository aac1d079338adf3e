"""A short part of every campaign of `make torture`, with a fixed seed."""

import importlib
import tempfile
from pathlib import Path

import pytest
from support.effort import effort
from torture.campaigns import CAMPAIGNS, Settings


@pytest.mark.timeout(180)
@pytest.mark.parametrize("name", CAMPAIGNS)
async def test_a_short_campaign_breaks_no_promise(name: str):
    campaign = importlib.import_module(f"torture.{name}")
    # Not below pytest's own directories: the campaign's programs may run as another user.
    with tempfile.TemporaryDirectory(prefix=f"torture-{name}-") as directory:
        Path(directory).chmod(0o711)
        figures = await campaign.run(Settings(Path(directory), seed=1, rounds=effort(1, 2)))
    assert figures
    assert all(figures.values()), figures
