"""Qwen Code itself: its totals, what it sends again, and its subagents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.app import daemon

from real_agents.model import Model, work
from real_agents.test_totals import USED, expect_results, expect_totals, versions
from real_agents.where import environment, installed, output_of

pytestmark = [pytest.mark.node, pytest.mark.timeout(400)]

WITHOUT_FILES = "0.15.10"
"""The version that keeps no files of subagents."""


@pytest.mark.parametrize(
    "version", versions("qwen-code", "@qwen-code/qwen-code", (WITHOUT_FILES, "0.24.4"))
)
async def test_its_chats_are_read(tmp_path: Path, version: str):
    cwd = tmp_path / "project"
    cwd.mkdir()
    package = installed(f"qwen-code-{version}", "@qwen-code/qwen-code")
    program = json.loads((package / "package.json").read_text())["bin"]["qwen"]
    with Model(work, USED) as model:
        env = environment(
            tmp_path, OPENAI_API_KEY="k", OPENAI_BASE_URL=f"{model.url}/v1", OPENAI_MODEL="big"
        )

        def qwen(*arguments: str) -> str:
            run = ["node", str(package / program), "--yolo", "--auth-type", "openai", *arguments]
            return output_of(run, cwd, env)

        qwen("-p", "run three")
        async with daemon(tmp_path, profile="qwen-code") as client:
            (info,) = (await client.request("session/list", {"cwd": str(cwd)}))["sessions"]
            await expect_results(client, info["path"])
        qwen("-p", "and again", "--resume", info["id"])
        sent = json.dumps(model.conversation[-1]["messages"])
        assert all(word in sent for word in ("result-two", "and again"))
        qwen("-p", "delegate it")
    async with daemon(tmp_path, profile="qwen-code") as client:
        asked = {"cwd": str(cwd), "subagents": True}
        listed = (await client.request("session/list", asked))["sessions"]
        said = {each["firstMessage"]: each for each in listed}
        await expect_results(client, said["run three"]["path"])
        # The program also notes its own requests, which have no tools.
        await expect_totals(client, len(model.requests))
        checked = await client.request("catalog/check", {"cwd": str(cwd)})
        assert [each for each in checked["files"] if each["problems"] or each.get("unknown")] == []
        if version != WITHOUT_FILES:
            child = said["run it"]
            assert child["parentSessionPath"] == said["delegate it"]["path"]
