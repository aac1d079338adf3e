"""Two daemons and a gateway change one store at the same time: nothing is lost, nothing is left."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from support.client import DEADLINE, Client, spawned
from support.effort import effort
from support.node import needs_node
from support.process import isolated_environment

UPDATES = effort(150, 1000)
COMMON = "agent:main:common"
DEADLINE_UNDER_LOAD = 600
"""Seconds for all changes. Not a measurement: only a writer that waits for ever takes so long."""

# What a gateway does, in the order in which it does it.
GATEWAY = """
const fs = require("node:fs");
const [path, own, common, count] = process.argv.slice(1);
const lock = path + ".lock";
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

function isStale() {
  let held;
  try {
    held = JSON.parse(fs.readFileSync(lock, "utf8"));
  } catch (error) {
    return error.code !== "ENOENT";
  }
  if (typeof held?.pid !== "number") return true;
  try {
    process.kill(held.pid, 0);
  } catch {
    return true;
  }
  const created = Date.parse(held.createdAt);
  return !Number.isFinite(created) || Date.now() - created > 30_000;
}

async function acquire() {
  const began = Date.now();
  for (let attempt = 1; Date.now() - began < 10_000; attempt++) {
    try {
      const file = fs.openSync(lock, "wx");
      const content = { pid: process.pid, createdAt: new Date().toISOString() };
      fs.writeFileSync(file, JSON.stringify(content, null, 2));
      return file;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
      if (isStale()) fs.rmSync(lock, { force: true });
      else await sleep(Math.min(1000, 50 * attempt));
    }
  }
  throw new Error("session file locked (timeout 10000ms)");
}

function raise(key) {
  const store = JSON.parse(fs.readFileSync(path, "utf8"));
  const before = store[key];
  const compactionCount = (before.compactionCount ?? 0) + 1;
  store[key] = { ...before, compactionCount, updatedAt: Date.now() };
  const temporary = `${path}.${process.pid}.${crypto.randomUUID()}.tmp`;
  fs.writeFileSync(temporary, JSON.stringify(store, null, 2), { mode: 0o600 });
  fs.renameSync(temporary, path);
}

(async () => {
  for (let number = 0; number < 2 * count; number++) {
    const file = await acquire();
    raise(number % 2 ? common : own);
    fs.closeSync(file);
    fs.rmSync(lock, { force: true });
    await new Promise(setImmediate);
  }
})();
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "state/agents/main/sessions/sessions.json"
    path.parent.mkdir(parents=True)
    keys = [COMMON, *(f"agent:main:{name}" for name in ("one", "two", "gateway"))]
    entries = {key: {"sessionId": key.rpartition(":")[2], "text": "x" * 1000} for key in keys}
    path.write_text(json.dumps(entries, indent=2))
    return path


@asynccontextmanager
async def running(tmp_path: Path) -> AsyncIterator[tuple[Client, asyncio.subprocess.Process]]:
    where = ["--profile", "coderclaw", "--agent-dir", str(tmp_path / "state")]
    command = [sys.executable, "-m", "sessiond", *where]
    async with spawned(command, env=isolated_environment(tmp_path)) as both:
        yield both


async def raised(client: Client, key: str, times: int = 1) -> None:
    for _ in range(times):
        await client.request("gateway/recordCompaction", {"sessionKey": key})


async def alternating(client: Client, own: str) -> None:
    for _ in range(UPDATES):
        await raised(client, own)
        await raised(client, COMMON)


async def as_gateway(path: Path, own: str, count: int = UPDATES) -> None:
    node = shutil.which("node") or "node"
    process = await asyncio.create_subprocess_exec(
        *(node, "-e", GATEWAY, str(path), own, COMMON, str(count)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        _, said = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert (process.returncode, said) == (0, b"")


def counts(path: Path) -> dict[str, int]:
    """How often each session in a store was changed; there is nothing but the store."""
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    text = path.read_text()
    stored: dict[str, Any] = json.loads(text)
    assert text == json.dumps(stored, indent=2)
    assert {each["text"] for each in stored.values()} == {"x" * 1000}
    return {key.rpartition(":")[2]: each["compactionCount"] for key, each in stored.items()}


@needs_node
@pytest.mark.timeout(DEADLINE_UNDER_LOAD + 60)
async def test_no_change_of_two_daemons_and_a_gateway_is_lost(tmp_path: Path, path: Path):
    async with AsyncExitStack() as stack:
        one, _ = await stack.enter_async_context(running(tmp_path))
        two, _ = await stack.enter_async_context(running(tmp_path))
        async with asyncio.timeout(DEADLINE_UNDER_LOAD):
            await asyncio.gather(
                alternating(one, "agent:main:one"),
                alternating(two, "agent:main:two"),
                as_gateway(path, "agent:main:gateway"),
            )
    assert counts(path) == {
        "common": 3 * UPDATES,
        "one": UPDATES,
        "two": UPDATES,
        "gateway": UPDATES,
    }


async def test_a_killed_daemon_leaves_a_complete_store_and_no_lock(tmp_path: Path, path: Path):
    stored = json.loads(path.read_text())
    stored["agent:main:big"] = {"sessionId": "big", "text": "x" * 1_000_000}
    path.write_text(json.dumps(stored, indent=2))
    least = most = 0
    for answers in (1, 2, 5, 9, 14):
        async with running(tmp_path) as (client, process):
            request = {"sessionKey": COMMON}
            sent = [client.start("gateway/recordCompaction", request) for _ in range(50)]
            for future in sent[:answers]:
                await asyncio.wait_for(future, DEADLINE)
            process.kill()
            ended = await asyncio.wait_for(asyncio.gather(*sent, return_exceptions=True), DEADLINE)
        answered = sum(not isinstance(each, EOFError) for each in ended)
        assert answers <= answered < len(sent)
        least, most = least + answered, most + len(sent)
        after = json.loads(path.read_text())
        assert least <= after[COMMON]["compactionCount"] <= most
        assert after["agent:main:big"]["text"] == "x" * 1_000_000
    async with running(tmp_path) as (client, _):
        last = await client.request("gateway/recordCompaction", {"sessionKey": COMMON})
    assert last["count"] == after[COMMON]["compactionCount"] + 1
    left = [each.name for each in path.parent.iterdir()]
    # A temporary file of a process that is gone may stay, but no lock.
    assert [name for name in left if not name.endswith(".tmp")] == [path.name]


@needs_node
async def test_a_gateway_continues_after_a_daemon_was_killed(tmp_path: Path, path: Path):
    async with running(tmp_path) as (client, process):
        sent = [client.start("gateway/recordCompaction", {"sessionKey": COMMON}) for _ in range(50)]
        await asyncio.wait_for(sent[3], DEADLINE)
        process.kill()
        await asyncio.wait_for(asyncio.gather(*sent, return_exceptions=True), DEADLINE)
    before = json.loads(path.read_text())[COMMON]["compactionCount"]
    await as_gateway(path, "agent:main:gateway", 5)
    after = json.loads(path.read_text())
    assert after[COMMON]["compactionCount"] == before + 5
    assert after["agent:main:gateway"]["compactionCount"] == 5
    assert not path.with_name(f"{path.name}.lock").exists()
