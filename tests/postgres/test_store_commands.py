"""Commands show the sessions of a store."""

from __future__ import annotations

from pathlib import Path

from support.store_use import run
from support.stores import other_host

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
