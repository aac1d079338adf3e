"""Transcripts in OpenClaw's database are read as they are, and reading leaves no trace."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import apsw
import pytest
from support.openclaw import (
    COMPRESSED,
    GROUP,
    INCIDENT,
    MAIN,
    OpenClawDatabase,
    everything_in,
    openclaw_database,
    said,
)

from sessiond.agents import database as databases
from sessiond.agents import zstd
from sessiond.agents.openclaw.names import StoredTranscript, transcript_at
from sessiond.agents.openclaw.transcripts import (
    TranscriptReader,
    read_transcript,
    stat_transcript,
    stat_transcripts,
)
from sessiond.agents.sessions import opened_session
from sessiond.runtime.errors import ReadFailed, SessionNotFound, Unsupported

MAKER = databases.Maker("OpenClaw", "OpenClaw 2026.8")
READ_WHILE_CUT_OFF = """
import os, subprocess, sys
from sessiond.agents.database import Maker, read

GATEWAY = '''
import apsw, sys
database = apsw.Connection(sys.argv[1])
sql = "PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1)"
database.execute(sql).fetchall()
print("ready", flush=True)
sys.stdin.read()
'''

path = sys.argv[1]
command = [sys.executable, "-c", GATEWAY, path]
pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
with subprocess.Popen(command, **pipes) as gateway:
    gateway.stdout.readline()

    def count(connection):
        print(connection.execute("SELECT count(*) FROM t").get)

    read(path, count, Maker("x", "x"))
    os.truncate(path + "-shm", 0)
    read(path, count, Maker("x", "x"))
"""


def of(database: OpenClawDatabase, session_id: str = MAIN) -> StoredTranscript:
    return StoredTranscript(str(database.path), session_id)


@pytest.mark.parametrize("session_id", [MAIN, "a b/c", "..", "ünï%", "x.jsonl"])
def test_a_path_names_one_transcript(session_id: str):
    transcript = StoredTranscript("/state/agents/main/agent/openclaw-agent.sqlite", session_id)
    assert transcript_at(transcript.path) == transcript
    assert os.path.normpath(transcript.path) == transcript.path
    assert os.path.dirname(transcript.path) == transcript.database


@pytest.mark.parametrize(
    "path",
    [
        "/state/openclaw-agent.sqlite",
        "/state/openclaw-agent.sqlite/a",
        "/state/openclaw-agent.sqlite/a/b.jsonl",
        "/state/other.sqlite/a.jsonl",
        "openclaw-agent.sqlite/a.jsonl",
    ],
)
def test_other_paths_name_none(path: str):
    assert transcript_at(path) is None


@pytest.mark.parametrize("session_id", [MAIN, INCIDENT, GROUP])
def test_the_lines_are_those_of_the_rows_in_order(database: OpenClawDatabase, session_id: str):
    reading = read_transcript(of(database, session_id))
    assert reading is not None
    assert list(reading.lines) == database.lines(session_id)
    assert reading.state.size == sum(len(line) + 1 for line in database.lines(session_id))


def test_a_compressed_line_is_unpacked(database: OpenClawDatabase):
    reading = read_transcript(of(database, INCIDENT))
    assert reading is not None
    (line,) = [line for line in reading.lines if f'"id":"{COMPRESSED}"'.encode() in line]
    assert len(line) == 8212
    assert json.loads(line)["message"]["content"].startswith("A long text. ")


def test_without_the_package_a_compressed_line_is_unsupported(
    database: OpenClawDatabase, monkeypatch: pytest.MonkeyPatch
):
    zstd._imported.cache_clear()
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(Unsupported) as caught:
        read_transcript(of(database, INCIDENT))
    assert "zstandard" in caught.value.data["instead"]
    assert "pip install '.[zstd]' in a checkout" in caught.value.data["instead"]
    assert read_transcript(of(database, MAIN)) is not None


def test_only_new_lines_are_read_of_a_transcript_that_grew(database: OpenClawDatabase):
    first = read_transcript(of(database))
    assert first is not None
    database.append(said("n1", None, "user", "new"), said("n2", "n1", "user", "newer"))
    grown = read_transcript(of(database), first.place)
    assert grown is not None
    assert grown.is_growth
    assert list(grown.lines) == database.lines()[-2:]
    assert stat_transcript(of(database)) is not None
    assert grown.state.size == first.state.size + grown.size
    again = read_transcript(of(database), grown.place)
    assert again is not None
    assert (again.is_growth, list(again.lines), again.state) == (True, [], grown.state)


def test_a_rewritten_transcript_is_read_again(database: OpenClawDatabase):
    first = read_transcript(of(database))
    assert first is not None
    lines = [line.decode() for line in database.lines()]
    database.rewrite(*lines[:-2], *lines[-2:][::-1])
    changed = read_transcript(of(database), first.place)
    assert changed is not None
    assert not changed.is_growth
    assert list(changed.lines) == database.lines()
    assert changed.state != first.state
    assert changed.state.key == first.state.key


def test_a_line_changed_in_place_is_noticed_at_the_end(database: OpenClawDatabase):
    first = read_transcript(of(database))
    assert first is not None
    with database.writer:
        database.writer.execute(
            "UPDATE transcript_events SET event_json = replace(event_json, 'echo', 'ECHO')"
            " WHERE session_id = ? AND seq = 12",
            (MAIN,),
        )
    changed = read_transcript(of(database), first.place)
    assert changed is not None
    assert not changed.is_growth


def test_a_missing_transcript_and_a_missing_database(database: OpenClawDatabase, tmp_path: Path):
    assert read_transcript(of(database, "absent")) is None
    assert stat_transcript(of(database, "absent")) is None
    with pytest.raises(SessionNotFound):
        stat_transcripts(str(tmp_path / "openclaw-agent.sqlite"))


def test_a_copy_in_memory_has_the_bytes_of_a_file(database: OpenClawDatabase):
    with opened_session(database.transcript(INCIDENT)) as (descriptor, state, _):
        data = os.pread(descriptor, 100_000, 0)
    assert data == b"".join(line + b"\n" for line in database.lines(INCIDENT))
    assert state.size == len(data)


def copy_without_index(database: OpenClawDatabase, directory: Path) -> Path:
    """Copy the database and its `-wal`, without the `-shm`; returns the directory of the copy."""
    left = directory / "left" / "agent"
    left.mkdir(parents=True)
    for name in (database.path.name, f"{database.path.name}-wal"):
        shutil.copy2(database.directory / name, left / name)
    return left


class TestNoTrace:
    """Files, their times and their bytes are the same before and after a reading."""

    def read_all(self, path: Path) -> None:
        """Read all transcripts in another process, as SQLite shares files within a process."""
        script = (
            "import sys; from sessiond.agents.openclaw.transcripts import *\n"
            "from sessiond.agents.openclaw.names import transcript_at\n"
            "for name, _ in stat_transcripts(sys.argv[1]):\n"
            "    print(len(read_transcript(transcript_at(name)).lines))"
        )
        command = [sys.executable, "-c", script, str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert len(done.stdout.split()) == 3

    def check(self, database: OpenClawDatabase, directory: Path) -> None:
        """A copy in this directory has the lines of the database, and reading leaves no trace."""
        before = everything_in(directory)
        copy = directory / database.path.name
        reading = read_transcript(StoredTranscript(str(copy), MAIN))
        assert reading is not None
        assert list(reading.lines) == database.lines()
        self.read_all(copy)
        assert everything_in(directory) == before

    def test_beside_a_writer(self, database: OpenClawDatabase):
        before = everything_in(database.directory)
        self.read_all(database.path)
        assert everything_in(database.directory) == before

    def test_beside_a_writer_in_a_transaction(self, database: OpenClawDatabase):
        expected = database.lines()
        database.writer.execute("BEGIN IMMEDIATE")
        database.writer.execute("DELETE FROM transcript_events")
        reading = read_transcript(of(database))
        database.writer.execute("ROLLBACK")
        assert reading is not None
        assert list(reading.lines) == expected

    def test_after_a_regular_end(self, database: OpenClawDatabase):
        database.writer.close()
        assert [path.name for path in database.directory.iterdir()] == [database.path.name]
        before = everything_in(database.directory)
        self.read_all(database.path)
        assert everything_in(database.directory) == before

    def test_after_a_crash(self, database: OpenClawDatabase, tmp_path: Path):
        """What is only in `-wal` is read, although no program has the database open."""
        database.append(said("last", None, "user", "before the crash"))
        left = tmp_path / "left" / "agent"
        shutil.copytree(database.directory, left)
        assert (left / "openclaw-agent.sqlite-wal").stat().st_size > 0
        self.check(database, left)

    def test_a_journal_without_the_index_of_it(self, database: OpenClawDatabase, tmp_path: Path):
        """The `-shm` is missing, as in a copy: SQLite then needs write access, or no locks."""
        database.append(said("last", None, "user", "before the crash"))
        left = copy_without_index(database, tmp_path)
        self.check(database, left)

    def test_an_index_of_the_journal_that_is_cut_off(self, tmp_path: Path):
        """Reading a mapped part of a file that is not there any more ends a process by SIGBUS."""
        database = tmp_path / "openclaw-agent.sqlite"
        done = subprocess.run(
            [sys.executable, "-c", READ_WHILE_CUT_OFF, str(database)],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert (done.returncode, done.stdout.split()) == (0, ["1", "1"]), done.stderr

    def test_a_gateway_that_starts_during_a_reading_without_locks(
        self, database: OpenClawDatabase, tmp_path: Path
    ):
        """It changes what was read without locks, so the reading is done again."""
        left = copy_without_index(database, tmp_path)
        path = left / database.path.name
        gateways: list[apsw.Connection] = []

        def work(connection: apsw.Connection) -> int:
            count: int = connection.execute("SELECT count(*) FROM transcript_events").get
            if not gateways:
                gateways.append(apsw.Connection(str(path)))
                gateways[0].execute("DELETE FROM transcript_events")
            return count

        try:
            assert databases.read(str(path), work, MAKER) == 0
            assert (left / f"{path.name}-shm").exists()
        finally:
            gateways[0].close()

    @pytest.mark.parametrize("comes_back", [False, True])
    def test_a_database_that_vanishes_during_a_reading(
        self, database: OpenClawDatabase, *, comes_back: bool
    ):
        """As in an upgrade, or while it is restored from a backup."""
        away = database.path.with_name("away")

        def work(connection: apsw.Connection) -> os.stat_result | None:
            is_first = not away.exists()
            if is_first:
                database.path.rename(away)
            try:
                found = TranscriptReader(str(database.path), connection).state(MAIN)
            finally:
                if is_first and comes_back:
                    shutil.copy2(away, database.path)
            return None if found is None else found[1]

        if comes_back:
            assert databases.read(str(database.path), work, MAKER) is not None
        else:
            with pytest.raises(SessionNotFound):
                databases.read(str(database.path), work, MAKER)

    def test_the_writer_can_checkpoint_and_close(self, database: OpenClawDatabase):
        """No lock of a reading remains."""
        self.read_all(database.path)
        busy, *_ = next(database.writer.execute("PRAGMA wal_checkpoint(TRUNCATE)"))
        assert busy == 0
        assert next(database.writer.execute("PRAGMA journal_mode=DELETE")) == ("delete",)


class TestOtherDatabases:
    def test_a_newer_schema_with_more_columns_is_read(self, database: OpenClawDatabase):
        with database.writer:
            database.writer.execute("ALTER TABLE transcript_events ADD COLUMN more TEXT")
            database.writer.execute("PRAGMA user_version=99")
        reading = read_transcript(of(database))
        assert reading is not None
        assert list(reading.lines) == database.lines()

    def test_an_older_schema_without_compression_is_read(self, database: OpenClawDatabase):
        lines = database.lines()
        with database.writer:
            database.writer.execute(
                "CREATE TABLE older AS SELECT session_id, seq, event_json, created_at"
                " FROM transcript_events WHERE event_json IS NOT NULL"
            )
            database.writer.execute("DROP TABLE transcript_rewrite_watermarks")
            database.writer.execute("DROP TABLE transcript_events")
            database.writer.execute("ALTER TABLE older RENAME TO transcript_events")
        reading = read_transcript(of(database))
        assert reading is not None
        assert list(reading.lines) == lines
        assert reading.state.size == sum(len(line) + 1 for line in lines)

    def test_a_schema_without_the_table_is_unsupported_with_its_version(
        self, database: OpenClawDatabase
    ):
        with database.writer:
            database.writer.execute("ALTER TABLE transcript_events RENAME TO events")
            database.writer.execute("PRAGMA user_version=77")
        with pytest.raises(Unsupported, match="77") as caught:
            stat_transcripts(str(database.path))
        assert caught.value.data["path"] == str(database.path)

    @pytest.mark.parametrize("content", [b"", b"no database at all" * 100])
    def test_other_content(self, tmp_path: Path, content: bytes):
        path = tmp_path / "openclaw-agent.sqlite"
        path.write_bytes(content)
        with pytest.raises((ReadFailed, Unsupported)):
            stat_transcripts(str(path))
        assert path.read_bytes() == content

    def test_a_damaged_database(self, database: OpenClawDatabase):
        next(database.writer.execute("PRAGMA wal_checkpoint(TRUNCATE)"))
        database.writer.close()
        data = bytearray(database.path.read_bytes())
        data[4096:] = b"\xff" * (len(data) - 4096)
        database.path.write_bytes(data)
        with pytest.raises(ReadFailed, match="damaged"):
            stat_transcripts(str(database.path))

    def test_a_database_that_is_replaced(self, database: OpenClawDatabase, tmp_path: Path):
        with openclaw_database(tmp_path / "other") as other:
            other.append(said("n1", None, "user", "of the other"))
            expected = other.lines()
            next(other.writer.execute("PRAGMA wal_checkpoint(TRUNCATE)"))
        first = read_transcript(of(database))
        assert first is not None
        database.writer.close()
        os.replace(other.path, database.path)
        second = read_transcript(of(database), first.place)
        assert second is not None
        assert list(second.lines)[-1] == expected[-1]
        assert second.state.key != first.state.key


def test_a_line_feed_in_a_row_does_not_break_the_line(database: OpenClawDatabase):
    database.add_session("odd")
    with database.writer:
        database.writer.execute(
            "INSERT INTO transcript_events(session_id, seq, event_json, created_at)"
            " VALUES('odd', 0, ?, 1)",
            ('{"type":"session",\n"version":4,"id":"odd"}',),
        )
    reading = read_transcript(of(database, "odd"))
    assert reading is not None
    (line,) = reading.lines
    assert json.loads(line)["id"] == "odd"
    assert b"\n" not in line
    assert list(reading.take_blocks()) == [line + b"\n"]
