"""Where pi's own settings put sessions, asked of the reference and of our directories."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from reference.pi import PI as RELEASE
from reference.pi import missing, node
from support.process import isolated_environment

from sessiond.agents.directories import directories
from sessiond.agents.registry import AGENTS

pytestmark = pytest.mark.node
BUNDLE = Path(__file__).parents[1] / "reference" / "bundle.mjs"
SCRIPT = """
import { pathToFileURL } from "node:url";
const [bundle, directory, agentDir, ...places] = process.argv.slice(1);
const { everything } = await import(pathToFileURL(bundle).href);
const { SettingsManager } = await everything(directory);
const found = places.map((cwd) => SettingsManager.create(cwd, agentDir).getSessionDir() ?? null);
console.log(JSON.stringify(found));
"""
OF_PROJECTS = [
    None,
    "{}",
    '{"sessionDir": "/somewhere"}',
    '{"sessionDir": "~/kept"}',
    '{"sessionDir": "kept/here"}',
    '{"sessionDir": "../up"}',
    '{"sessionDir": ""}',
    "no JSON",
    '{"sessionDir": "/first", "sessionDir": "/second", "theme": {"a": [1]}}',
]
"""Settings of working directories."""


@pytest.mark.parametrize("own", [None, "{}", '{"sessionDir": "~/all"}'])
def test_a_session_directory_is_that_of_pi(tmp_path: Path, own: str | None):
    if (reason := missing()) is not None:
        pytest.skip(reason)
    agent_dir = tmp_path / ".pi" / "agent"
    agent_dir.mkdir(parents=True)
    if own is not None:
        (agent_dir / "settings.json").write_text(own)
    places = []
    for number, content in enumerate(OF_PROJECTS):
        place = tmp_path / "work" / str(number)
        (place / ".pi").mkdir(parents=True)
        if content is not None:
            (place / ".pi" / "settings.json").write_text(content)
        places.append(place)
    ran = subprocess.run(
        [
            *(node() or "node", "--input-type=module", "-e", SCRIPT, str(BUNDLE)),
            *(str(RELEASE.directory), str(agent_dir), *map(str, places)),
        ],
        env=isolated_environment(tmp_path),
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    for place, told in zip(places, json.loads(ran.stdout), strict=True):
        env = {"HOME": str(tmp_path), "PWD": str(place)}
        # pi resolves a relative path from its working directory, docs/settings.md says.
        expected = os.path.normpath(place / told) if told else None
        assert directories(AGENTS["pi"], env).session_dir == expected, place


def test_variables_and_arguments_count_more(tmp_path: Path):
    pi = AGENTS["pi"]
    agent_dir = tmp_path / ".pi" / "agent"
    agent_dir.mkdir(parents=True)
    (agent_dir / "settings.json").write_text('{"sessionDir": "/configured"}')
    (tmp_path / "work" / ".pi").mkdir(parents=True)
    (tmp_path / "work" / ".pi" / "settings.json").write_text('{"sessionDir": "/project"}')
    env = {"HOME": str(tmp_path), "PWD": str(tmp_path / "work")}
    assert directories(pi, env).session_dir == "/project"
    variable = {**env, "PI_CODING_AGENT_SESSION_DIR": "/variable"}
    assert directories(pi, variable).session_dir == "/variable"
    # A given directory is asked for its own settings alone.
    assert directories(pi, variable, str(agent_dir)).session_dir == "/configured"
    assert directories(pi, variable, str(tmp_path / "other")).session_dir is None
