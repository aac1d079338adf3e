"""`sessiond mirror`, `push` and `pull` as processes."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest
from reference.fixture import pi
from reference.pi import Pi
from support.mirrors import HEADER, becomes, message, until
from support.process import isolated_environment
from support.store_use import run
from support.stores import other_host

from sessiond.postgres.mirror.origin import Origin

__all__ = ["pi"]


def sessions(home: Path) -> Path:
    directory = home / ".pi/agent/sessions/--w--"
    directory.mkdir(parents=True)
    return directory


async def test_a_pushed_session_is_pulled_byte_for_byte(tmp_path: Path, store_url: str):
    path = tmp_path / "one.jsonl"
    path.write_bytes(HEADER + b"\r\n{damaged\n" + message(0) + b'{"torn')
    for _ in range(2):
        done = run(tmp_path, store_url, "push", str(path))
        assert (done.returncode, done.stdout) == (0, "sessiond-store:default/one.jsonl\n")
    path.write_bytes(path.read_bytes() + b'"}\n' + message(1))
    assert run(tmp_path, store_url, "push", str(path)).returncode == 0
    pulled = run(tmp_path / "other", store_url, "pull", "m1")
    target = tmp_path / "other/.pi/agent/sessions/--w--/one.jsonl"
    assert (pulled.returncode, pulled.stdout) == (0, f"{target}\n")
    assert target.read_bytes() == path.read_bytes()
    # Neither command overwrites anything. The beginning of an id is enough.
    again = run(tmp_path / "other", store_url, "pull", "m")
    assert again.returncode == 3
    assert "exists" in again.stderr
    path.write_bytes(HEADER + message(7))
    refused = run(tmp_path, store_url, "push", str(path))
    assert refused.returncode == 3
    assert "exists" in refused.stderr
    path.write_bytes(b"no session\n")
    refused = run(tmp_path, store_url, "push", str(path), "--namespace", "other")
    assert (refused.returncode, refused.stderr.count("\n")) == (3, 1)
    assert f"{path}" in refused.stderr
    assert run(tmp_path, store_url, "pull", "nothing").returncode == 3


async def test_secrets_of_a_pushed_session_are_masked(tmp_path: Path, store_url: str):
    path = tmp_path / "one.jsonl"
    path.write_bytes(HEADER + message(0, "sk-ant-" + "a1" * 20))
    other = tmp_path / "two.jsonl"
    other.write_bytes(HEADER.replace(b'"m1"', b'"m2"'))
    for each in (path, other):
        assert run(tmp_path, store_url, "push", str(each), "--mask").returncode == 0
    async with other_host(store_url) as host:
        stored = await host.get("sessiond-store:default/one.jsonl")
    assert stored == HEADER + message(0, "[masked: Anthropic key]")
    refused = run(tmp_path, store_url, "pull", "m")
    assert refused.returncode == 3
    assert "several ids begin with m" in refused.stderr


@pytest.mark.node
async def test_pi_continues_a_pulled_session(tmp_path: Path, store_url: str, pi: Pi):
    home = tmp_path / "laptop"
    path = sessions(home) / "s.jsonl"
    path.write_bytes(HEADER + message(0, "from the laptop"))
    assert run(home, store_url, "mirror", "--once", "--host", "laptop").returncode == 0
    pulled = run(tmp_path / "server", store_url, "pull", "m1")
    target = Path(pulled.stdout.strip())
    handle = pi.do("open", path=str(target))
    pi.call(handle, "appendMessage", {"role": "user", "content": "from the server"})
    context = pi.call(handle, "buildSessionContext")
    said = [message["content"] for message in context["messages"]]
    assert said == ["from the laptop", "from the server"]
    assert target.read_bytes().startswith(path.read_bytes())


async def test_a_killed_mirror_is_resumed(tmp_path: Path, store_url: str):
    directory = sessions(tmp_path)
    origin = Origin("laptop", "laptop", str(directory.parent.resolve()))
    # Large enough to be copied in several parts.
    large = directory / "large.jsonl"
    large.write_bytes(HEADER + b"".join(message(n, "x" * 2000) for n in range(5000)))
    name = str(origin.copy(str(large.resolve())))
    command = [sys.executable, "-m", "sessiond", "mirror", "--host", "laptop"]
    env = isolated_environment(tmp_path, SESSIOND_STORE=store_url)
    async with other_host(store_url) as host:
        process = await asyncio.create_subprocess_exec(*command, env=env)

        async def begun() -> bool:
            return await host.get(name) is not None

        await until(begun)
        os.kill(process.pid, 9)
        await process.wait()
        stored = await host.get(name)
        assert stored is not None
        assert large.read_bytes().startswith(stored)
        assert len(stored) < large.stat().st_size
        refused = run(tmp_path, store_url, "mirror", "--once", "--host", "laptop")
        assert refused.returncode == 3
        assert f"mirrored by process {process.pid} on laptop" in refused.stderr
        with large.open("ab") as file:
            file.write(message(5000))
        # The lease of the killed process has ended.
        await host.database.rows("", "UPDATE sessiond.lease SET until = now()")
        process = await asyncio.create_subprocess_exec(*command, env=env)
        await becomes(host, name, large.read_bytes())
        ((generation,),) = await host.database.rows("", "SELECT generation FROM sessiond.session")
        assert generation == 1
        process.terminate()
        assert await process.wait() == 0
        assert await host.database.rows("", "SELECT * FROM sessiond.lease") == []


def mirror_once(home: Path, store_url: str, *options: str) -> None:
    done = run(home, store_url, "mirror", "--once", "--host", "laptop", *options)
    assert done.returncode == 0


async def test_a_directory_that_was_moved_away_and_back_comes_back(tmp_path: Path, store_url: str):
    directory = sessions(tmp_path)
    path = directory / "s.jsonl"
    path.write_bytes(HEADER + message(0))
    name = str(Origin("laptop", "laptop", "").copy(str(path.resolve())))
    mirror_once(tmp_path, store_url)
    away = tmp_path / "away"
    directory.rename(away)
    async with other_host(store_url) as host:
        mirror_once(tmp_path, store_url)
        assert await host.get(name) is None
        away.rename(directory)
        mirror_once(tmp_path, store_url)
        assert await host.get(name) == path.read_bytes()


async def test_mask_replaces_copies_that_were_made_without(tmp_path: Path, store_url: str):
    secret = "sk-ant-" + "a1" * 20
    path = sessions(tmp_path) / "s.jsonl"
    path.write_bytes(HEADER + message(0, f"key {secret} end"))
    name = str(Origin("laptop", "laptop", "").copy(str(path.resolve())))
    mirror_once(tmp_path, store_url)
    async with other_host(store_url) as host:
        assert await host.get(name) == path.read_bytes()
        mirror_once(tmp_path, store_url, "--mask")
        masked = HEADER + message(0, "key [masked: Anthropic key] end")
        assert await host.get(name) == masked
        text = await host.all_rows()
        assert secret not in text
        assert secret.encode().hex() not in text
        # Switched off again, the copies are those of the files.
        mirror_once(tmp_path, store_url)
        assert await host.get(name) == path.read_bytes()
