"""Agents go on with sessions that came by sync from a machine with another home directory."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from real_agents.model import Model, work
from real_agents.where import CLAUDE, claude_environment, needs, output_of
from sessiond.sync.exchange import Exchange, Options
from sessiond.sync.files_side import FilesSide


def side(home: Path) -> FilesSide:
    return FilesSide({"HOME": str(home), "CLAUDE_CONFIG_DIR": str(home / ".claude")}, 5)


@needs(CLAUDE)
def test_claude_code_resumes_a_session_under_another_home(tmp_path: Path):
    homes = tmp_path / "home/me", tmp_path / "Users/me"
    for home in homes:
        (home / "my.shop").mkdir(parents=True)
    with Model(work) as model:

        def claude(home: Path, *arguments: str) -> str:
            run = [str(CLAUDE), "-p", *arguments, "--dangerously-skip-permissions"]
            env = claude_environment(home, model.url, IS_SANDBOX="1")
            output = output_of([*run, "--output-format", "json"], home / "my.shop", env)
            session: str = json.loads(output)["session_id"]
            return session

        def sync() -> list[str]:
            report = asyncio.run(Exchange(side(homes[0]), side(homes[1]), Options()).run())
            assert report.problems == []
            return [move.kind for move in report.moves]

        session = claude(homes[0], "run it, and remember the blue elephant")
        delegating = claude(homes[0], "delegate it")
        assert set(sync()) == {"session"}
        assert claude(homes[1], "what was it?", "--resume", session) == session
        asked = json.dumps(model.conversation[-1])
        assert "blue elephant" in asked
        assert "what was it?" in asked
        claude(homes[1], "and there?", "--resume", delegating)
        # It goes on there, and comes back.
        assert set(sync()) <= {"bytes", "session"}
        assert claude(homes[0], "and here?", "--resume", session) == session
        asked = json.dumps(model.conversation[-1])
        assert "what was it?" in asked
        assert "and here?" in asked
