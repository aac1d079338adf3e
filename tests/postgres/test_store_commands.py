"""Commands show the sessions of a store."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from support import commands
from support.store_use import run
from support.stores import other_host

from sessiond.postgres.faults import said

_LINES = b"""{"type":"session","version":3,"id":"abc","timestamp":"2025-06-01T10:00:00.000Z","cwd":"/w"}
{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"hello"}}
"""


async def test_commands_show_and_change_sessions_of_a_store(tmp_path: Path, store_url: str):
    empty = run(tmp_path, store_url, "list", "--all")
    assert (empty.returncode, empty.stdout) == (1, "")
    assert "the store has no sessions" in empty.stderr
    async with other_host(store_url) as host:
        await host.put("sessiond-store:default/x.jsonl", _LINES)
        assert "hello" in run(tmp_path, store_url, "list", "--all").stdout
        for named in ("abc", "ab", "sessiond-store:default/x.jsonl"):
            assert "hello" in run(tmp_path, store_url, "show", named).stdout
        target = tmp_path / "x.jsonl"
        run(tmp_path, store_url, "export", "abc", "-o", str(target))
        assert b'"hello"' in target.read_bytes()
        assert run(tmp_path, store_url, "rename", "abc", "Named").returncode == 0
        stored = await host.get("sessiond-store:default/x.jsonl")
        assert stored is not None
        assert stored.startswith(_LINES)
        assert b"Named" in stored


PASSWORD = "hunter22SECRET"  # noqa: S105 - made up
URLS = [
    *(f"postgresql://u:{PASSWORD}%zz@127.0.0.1/db", f"postgresql://u:{PASSWORD}@[::1/db"),
    *(f"postgresql://u:{PASSWORD} x@127.0.0.1/db", f"mysql://u:{PASSWORD}@127.0.0.1/db"),
    *(f"postgresql://u:{PASSWORD}/x@127.0.0.1:1/db", f"postgresql://u:y@{PASSWORD}@127.0.0.1:1/db"),
    *(f"postgresql://u:{PASSWORD}\"%zz'@127.0.0.1/db", f"postgresql://u@127.0.0.1:{PASSWORD}/db"),
]


@pytest.mark.parametrize(
    ("url", "command"),
    [
        *((url, command) for url in URLS for command in ("list", "store status")),
        # The others are tried for ten seconds.
        *((url, "mirror --once") for url in URLS[:4]),
    ],
)
def test_the_password_of_a_url_that_cannot_be_used_is_in_no_message(
    tmp_path: Path, url: str, command: str
):
    words = ["--lock-timeout", "0.1", "--log-level", "debug", *command.split()]
    words = command.split() if command != "list" else words
    done = commands.run(tmp_path, *words, cwd=tmp_path, env={"SESSIOND_STORE": url})
    assert done.returncode in (2, 3)
    assert PASSWORD not in done.stdout + done.stderr


def test_a_message_of_the_server_is_passed_on_as_it_is():
    assert said(psycopg.errors.UndefinedTable('relation "x" does not exist')) == (
        'relation "x" does not exist'
    )
    refused = 'connection to server at "127.0.0.1", port 1 failed: Connection refused'
    assert said(psycopg.OperationalError(refused)) == refused
