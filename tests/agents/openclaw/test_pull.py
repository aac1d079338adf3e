"""`sessiond pull` writes a transcript of OpenClaw's database as a session file of pi."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from reference.agent import Home
from support.beside_agents import spoken
from support.commands import run
from support.model_server import ModelServer
from support.openclaw import (
    INCIDENT,
    MAIN,
    OpenClawDatabase,
    everything_in,
    openclaw_database,
    said,
)


def pull(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run(home, "pull", *words)


@pytest.mark.node
def test_pi_continues_after_the_reset(database: OpenClawDatabase, tmp_path: Path):
    with ModelServer() as model:
        home = Home.make(tmp_path / "home", model.url)
        with database.writer:
            database.writer.execute(
                "UPDATE transcript_events SET event_json = replace(event_json, ?, ?) WHERE seq = 0",
                ("/home/someone/workspace", str(home.work)),
            )
        done = pull(tmp_path, MAIN[:4], "--from", "openclaw")
        assert done.returncode == 0, done.stderr
        path = Path(done.stdout.strip())
        header = json.loads(path.read_text().splitlines()[0])
        original = json.loads(database.lines()[0])
        assert header == {**original, "version": 3}
        assert (
            path.name == f"{header['timestamp'].replace(':', '-').replace('.', '-')}_{MAIN}.jsonl"
        )
        assert home.ask("go on", "--session", str(path)) == "heard: go on"
        sent = [text for role, text in spoken(model.last) if role == "user"]
    assert sent == ["after the reset", "go on"]


def test_a_transcript_is_named_by_its_path_or_id(database: OpenClawDatabase, tmp_path: Path):
    target = tmp_path / "out.jsonl"
    # Read first: also the reader in this process changes the `-shm`.
    lines = database.lines(INCIDENT)
    before = everything_in(database.directory)
    done = pull(tmp_path, database.transcript(INCIDENT), "-o", str(target))
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{target}\n", "")
    assert target.read_bytes().splitlines()[1:] == lines[1:]
    again = pull(tmp_path, INCIDENT, "--from", "openclaw", "-o", str(target))
    assert again.returncode == 3
    assert "exists" in again.stderr
    assert everything_in(database.directory) == before


@pytest.mark.usefixtures("database")
def test_what_cannot_be_pulled_is_said(state: Path, tmp_path: Path):
    with openclaw_database(state, "ops"):
        twice = pull(tmp_path, MAIN, "--from", "openclaw")
    assert twice.returncode == 3
    assert "several ids begin" in twice.stderr
    assert pull(tmp_path, "nothing", "--from", "openclaw").returncode == 3
    no_store = pull(tmp_path, MAIN)
    assert (no_store.returncode, "--from openclaw" in no_store.stderr) == (2, True)
    useless = pull(tmp_path, INCIDENT[:4], "--from", "openclaw", "--profile", "openclaw")
    assert useless.returncode == 3
    assert not (state / "agents" / "main" / "sessions").exists()


def test_an_id_leads_nowhere(database: OpenClawDatabase, tmp_path: Path):
    header = {
        "type": "session",
        "version": 4,
        "id": "../../outside",
        "timestamp": "/../../now",
        "cwd": "/w",
    }
    database.add_session("odd", header, said("o1", None, "user", "hello"))
    done = pull(tmp_path, "odd", "--from", "openclaw")
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).parent == tmp_path / ".pi/agent/sessions/--w--"
