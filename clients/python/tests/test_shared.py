"""Clients that share one daemon."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from conftest import user

from sessiond_client import Sessiond

CLIENTS = 20
APPENDS = 15


@pytest.fixture
def sharing(agent_dir, monkeypatch):
    """The directory of the socket; its path is short, and the daemon in it ends soon."""
    directory = Path(tempfile.mkdtemp(prefix="sd", dir="/tmp"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(directory))
    monkeypatch.setenv("SESSIOND_IDLE_EXIT", "0.1")
    yield directory
    shutil.rmtree(directory)


async def test_clients_share_a_daemon_where_they_ask_for_it(sharing):
    async with Sessiond(shared=True) as one, Sessiond(shared=True) as two, Sessiond() as alone:
        statuses = [await client.daemon_status() for client in (one, two, alone)]
        assert statuses[0].pid == statuses[1].pid != statuses[2].pid
        assert [status.shared for status in statuses] == [True, True, False]


async def test_no_append_is_lost_or_doubled_when_a_shared_daemon_is_killed(sharing, tmp_path):
    path = str(tmp_path / "s.jsonl")
    acknowledged: list[str] = []

    async def write(client: Sessiond, number: int) -> None:
        session = await client.session_open(path)
        for count in range(APPENDS):
            text = f"{number}-{count}"
            await session.append_message(user(text))
            acknowledged.append(text)

    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(Sessiond(shared=True)) for _ in range(CLIENTS)]
        created = await clients[0].session_open(path, must_exist=False)
        await created.append_message(user("first"))
        writing = asyncio.gather(*(write(client, at) for at, client in enumerate(clients)))
        for threshold in (CLIENTS * APPENDS // 4, CLIENTS * APPENDS // 2):
            async with asyncio.timeout(30):
                while len(acknowledged) < threshold:
                    await asyncio.sleep(0.005)
            os.kill((await clients[0].daemon_status()).pid, 9)
        await writing
        reader = await clients[-1].session_open(path)
        entries = (await reader.get_entries()).entries
    texts = [entry.message.content for entry in entries]
    assert sorted(texts) == sorted([*acknowledged, "first"])
