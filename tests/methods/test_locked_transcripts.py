"""While a gateway holds the lock of a transcript, no method writes to it and none removes it."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.app import daemon
from support.client import RpcError
from support.commands import run
from support.every_method import Filling, every_request, lay

from sessiond.catalog.moving_files import relink
from sessiond.runtime.errors import Busy


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "runtime").mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "runtime"))
    lay(tmp_path / "state")
    return tmp_path / "state"


@pytest.fixture
def transcripts(state: Path) -> Iterator[dict[Path, bytes]]:
    """All transcripts, each locked as a gateway that runs locks it, and their bytes."""
    files = sorted((state / "agents/main/sessions").glob("*.jsonl"))
    now = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as gateway:
        for file in files:
            held = {"pid": gateway.pid, "createdAt": now}
            Path(f"{file}.lock").write_text(json.dumps(held))
        yield {file: file.read_bytes() for file in files}
        assert gateway.stdin is not None
        gateway.stdin.close()


async def test_no_method_writes_to_a_locked_transcript(
    tmp_path: Path, state: Path, transcripts: dict[Path, bytes]
):
    filling = Filling()
    where = {"profile": "coderclaw", "agent_dir": str(state), "lock_timeout": 0.01}
    refused = set()
    async with daemon(tmp_path, **where) as client:
        for asked in every_request(state):
            params = {name: value for name, value in asked.params.items() if name != "force"}
            try:
                result = await client.request(asked.method, filling.filled(params))
            except RpcError as error:
                if error.kind in ("Busy", "InUse"):
                    refused.add(asked.method)
            else:
                filling.keep(asked.method, result)
            left = {file: file.read_bytes() for file in transcripts if file.exists()}
            assert left == transcripts, asked
    assert refused >= {
        *("catalog/rename", "catalog/repair", "catalog/delete", "session/appendMessage"),
        *("session/open", "gateway/delete", "gateway/reset"),
    }


async def test_a_locked_transcript_is_not_moved(state: Path, transcripts: dict[Path, bytes]):
    path = state / "agents/main/sessions/s1.jsonl"
    with pytest.raises(Busy, match="locked by process"):
        await relink(str(path), str(state / "x.jsonl"), {"cwd": "/x"}, patience=0)
    assert path.read_bytes() == transcripts[path]


@pytest.mark.usefixtures("transcripts")
def test_a_restored_transcript_waits_for_its_gateway(tmp_path: Path, state: Path):
    path = state / "agents/main/sessions/s3.jsonl"
    lock = Path(f"{path}.lock")
    held = lock.read_text()
    lock.unlink()
    options = ("--profile", "coderclaw", "--agent-dir", str(state), "--lock-timeout", "0")
    assert run(tmp_path, *options, "delete", str(path), cwd=tmp_path).returncode == 0
    lock.write_text(held)
    done = run(tmp_path, *options, "restore", str(path), cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    assert "locked by process" in done.stderr
    assert not os.path.lexists(path)
