"""Gemini CLI itself, in versions with one document for each chat and with lines."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support.app import daemon

from real_agents.model import Model, work
from real_agents.test_totals import USED, expect_results, expect_totals, versions
from real_agents.where import environment, installed, output_of

pytestmark = [pytest.mark.node, pytest.mark.timeout(400)]
SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "general": {"disableAutoUpdate": True},
}
ONE_DOCUMENT = "0.24.5"


@pytest.mark.parametrize(
    "version", versions("gemini-cli", "@google/gemini-cli", (ONE_DOCUMENT, "0.39.1", "0.61.0"))
)
async def test_its_chats_are_read(tmp_path: Path, version: str):
    cwd = tmp_path / "project"
    cwd.mkdir()
    settings = tmp_path / ".gemini" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps(SETTINGS))
    package = installed(f"gemini-cli-{version}", "@google/gemini-cli")
    program = json.loads((package / "package.json").read_text())["bin"]["gemini"]
    with Model(work, USED) as model:
        env = environment(
            tmp_path,
            GEMINI_API_KEY="k",
            GOOGLE_GEMINI_BASE_URL=model.url,
            GEMINI_CLI_TRUST_WORKSPACE="true",
        )

        def gemini(*arguments: str) -> str:
            return output_of(
                ["node", str(package / program), "-m", "gemini-2.5-flash", *arguments], cwd, env
            )

        gemini("-y", "-p", "run three")
        async with daemon(tmp_path, profile="gemini-cli") as client:
            (info,) = (await client.request("session/listAll", {}))["sessions"]
            await expect_results(client, info["path"])
            await expect_totals(client, len(model.conversation))
        theirs = gemini("--list-sessions")
        # What it lists: `1. <title> (<age>) [<id>]`.
        assert re.findall(r"\[([0-9a-f-]{36})\]", theirs) == [info["id"]]
        assert info["firstMessage"] in theirs
        gemini("-y", "-p", "and again", "--resume", info["id"])
        sent = json.dumps(model.conversation[-1]["contents"])
        assert "result-two" in sent
        assert "and again" in sent
    async with daemon(tmp_path, profile="gemini-cli") as client:
        (info,) = (await client.request("session/listAll", {}))["sessions"]
        assert info["firstMessage"] == "run three"
        # Its older files do not name the working directory.
        assert info["cwd"] == ("" if version == ONE_DOCUMENT else str(cwd))
        await expect_results(client, info["path"])
        await expect_totals(client, len(model.conversation))
        checked = await client.request("catalog/check", {"path": info["path"]})
        assert checked["files"][0]["problems"] == []
