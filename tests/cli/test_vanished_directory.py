"""The directory the daemon was started in is removed, as a git worktree is."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from support.app import user
from support.client import Client, spawned
from support.process import isolated_environment
from support.sessions_on_disk import write_session

SESSIOND = [sys.executable, "-m", "sessiond"]


async def everything(client: Client, tmp_path: Path, cwd: str) -> None:
    """Call methods that depend on the working directory; `cwd` is the expected name of the daemon's."""
    bare = tmp_path / "bare.jsonl"
    bare.write_text('{"type":"session","version":3,"id":"x","timestamp":"2026-01-01T00:00:00Z"}\n')

    async def ask(method: str, **params: Any) -> Any:
        return await client.request(method, params)

    assert (await ask("session/inMemory"))["cwd"] == cwd
    assert (await ask("session/open", path=str(bare)))["cwd"] == cwd
    assert (await ask("session/open", path=str(tmp_path / "new.jsonl")))["cwd"] == cwd
    assert (await ask("session/open", path="relative.jsonl"))["sessionFile"] == (
        f"{cwd}/relative.jsonl"
    )
    exported = await ask("catalog/export", path=str(bare), format="jsonl")
    assert json.loads(exported["content"].splitlines()[0])["cwd"] == cwd
    created = await ask("session/create", cwd="sub", sessionDir=str(tmp_path / "made"))
    assert created["cwd"] == f"{cwd}/sub"
    await ask("session/appendMessage", session=created["session"], message=user("hello"))
    await ask("session/continueRecent", cwd=".")
    assert (await ask("session/list", cwd="."))["total"] == 0
    listed = await ask("session/listAll", sessionDir=str(tmp_path / "made"))
    assert [info["cwd"] for info in listed["sessions"]] == [f"{cwd}/sub"]
    assert (await ask("catalog/search", query="hello", cwd="."))["hits"] == []
    path = write_session(tmp_path / "made" / "gone.jsonl", "bye")
    await ask("catalog/delete", path=str(path))
    assert (await ask("catalog/restore", path=str(path)))["path"] == str(path)


@pytest.mark.parametrize("profile", ["pi", "coderclaw"])
async def test_the_working_directory_keeps_its_name_when_it_is_removed(
    tmp_path: Path, profile: str
):
    worktree = tmp_path / "worktree"
    worktree.mkdir()
    command = [*SESSIOND, "--profile", profile]
    environment = isolated_environment(tmp_path)
    async with spawned(command, cwd=worktree, env=environment) as (client, _):
        await client.request("daemon/status")
        worktree.rmdir()
        await everything(client, tmp_path, str(worktree))
        if profile == "coderclaw":
            begun = {"context": {"From": "telegram:1", "Body": "hello"}, "dryRun": True}
            assert (await client.request("gateway/begin", begun))["isNewSession"] is True


@pytest.mark.parametrize("known", [True, False])
async def test_a_daemon_starts_in_a_removed_directory(tmp_path: Path, known: bool):
    worktree = tmp_path / "worktree"
    worktree.mkdir()
    name = str(worktree) if known else "/"
    # A shell that stays behind in a removed directory starts it.
    script = 'rmdir "$0" && exec env PWD="$@"'
    command = ["sh", "-c", script, str(worktree), name, *SESSIOND]
    environment = isolated_environment(tmp_path)
    async with spawned(command, cwd=worktree, env=environment) as (client, _):
        assert (await client.request("session/inMemory", {}))["cwd"] == name
        opened = await client.request("session/open", {"path": str(tmp_path / "new.jsonl")})
        assert opened["cwd"] == name
