"""pi itself goes on with a transcript that was copied out of OpenClaw's database."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from reference.agent import Home
from support.app import daemon
from support.beside_agents import spoken
from support.model_server import ModelServer
from support.openclaw import openclaw_database


@pytest.mark.node
async def test_pi_continues_after_the_reset(tmp_path: Path):
    with openclaw_database(tmp_path / "state") as database, ModelServer() as model:
        home = Home.make(tmp_path / "home", model.url)
        async with daemon(tmp_path) as client:
            params = {
                "sourcePath": database.transcript(),
                "targetCwd": str(home.work),
                "sessionDir": str(tmp_path / "out"),
            }
            path = (await client.request("session/forkFrom", params))["sessionFile"]
        assert json.loads(Path(path).read_text().splitlines()[0])["version"] == 3
        assert home.ask("go on", "--session", path) == "heard: go on"
        sent = [text for role, text in spoken(model.last) if role == "user"]
    assert sent == ["after the reset", "go on"]
