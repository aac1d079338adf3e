"""Copilot CLI itself: its totals, what it sends again, and its subagents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.app import daemon

from real_agents.model import Model, work
from real_agents.test_totals import USED, expect_results, expect_totals, versions
from real_agents.where import environment, installed, output_of

pytestmark = [pytest.mark.node, pytest.mark.timeout(400)]


@pytest.mark.parametrize("version", versions("copilot", "@github/copilot", ("1.0.24", "1.0.102")))
async def test_its_sessions_are_read(tmp_path: Path, version: str):
    cwd = tmp_path / "project"
    cwd.mkdir()
    program = installed(f"copilot-{version}", "@github/copilot-linux-x64") / "copilot"
    with Model(work, USED) as model:
        env = environment(
            tmp_path,
            COPILOT_PROVIDER_BASE_URL=f"{model.url}/v1",
            COPILOT_PROVIDER_TYPE="openai",
            COPILOT_PROVIDER_API_KEY="k",
            COPILOT_MODEL="big",
            COPILOT_OFFLINE="true",
        )

        def copilot(*arguments: str) -> str:
            return output_of([str(program), "--allow-all-tools", *arguments], cwd, env)

        copilot("-p", "run three")
        async with daemon(tmp_path, profile="copilot") as client:
            (info,) = (await client.request("session/list", {"cwd": str(cwd)}))["sessions"]
            assert info["name"] == "run three"
            await expect_results(client, info["path"])
        copilot("-p", "and again", "--resume", info["id"])
        sent = json.dumps(model.conversation[-1]["messages"])
        assert all(word in sent for word in ("result-two", "and again"))
        copilot("-p", "delegate it")
    async with daemon(tmp_path, profile="copilot") as client:
        listed = (await client.request("session/list", {"cwd": str(cwd)}))["sessions"]
        said = {each["firstMessage"]: each for each in listed}
        assert set(said) == {"run three", "delegate it"}
        await expect_results(client, said["run three"]["path"])
        await expect_totals(client, len(model.requests))
        checked = await client.request("catalog/check", {"cwd": str(cwd)})
        assert [each for each in checked["files"] if each["problems"] or each.get("unknown")] == []
