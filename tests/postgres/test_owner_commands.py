"""`sessiond store`: what the owner of a store does with it."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg
import pytest
from support.app import daemon
from support.mirrors import HEADER, message, running, until
from support.store_use import create, run
from support.stores import Server

from sessiond.postgres.mirror import mirror
from sessiond.postgres.mirror.copied_files import CopiedFiles
from sessiond.postgres.schema import VERSION
from sessiond.runtime.errors import ReadFailed


async def delete(home: Path, url: str, path: str) -> None:
    async with daemon(home, store=url) as client:
        await client.request("catalog/delete", {"path": path})


def rows(url: str) -> int:
    with psycopg.connect(url) as connection:
        tables = ("session", "line", "message", "origin")
        counts = [connection.execute(f"SELECT count(*) FROM sessiond.{t}".encode()) for t in tables]
        return sum(found.fetchone()[0] for found in counts)  # type: ignore[index]


async def test_a_role_is_admitted_and_dismissed(tmp_path: Path, server: Server, store_url: str):
    path = await create(tmp_path, store_url, "own")
    server.admin("CREATE ROLE a_guest LOGIN")
    guest = server.to("store", user="a_guest")
    try:
        assert "permission denied" in run(tmp_path, guest, "list", "--all").stderr
        assert run(tmp_path, store_url, "store", "admit", "a_guest", "own", "more").returncode == 0
        assert json.loads(run(tmp_path, guest, "list", "--all", "--json").stdout)["total"] == 1
        told = json.loads(run(tmp_path, store_url, "store", "list", "--json").stdout)
        shown = {each["namespace"]: each for each in told["namespaces"]}
        assert shown["own"]["readers"] == shown["more"]["readers"] == ["a_guest"]
        assert (shown["own"]["sessions"], shown["more"]["sessions"]) == (1, 0)
        assert run(tmp_path, guest, "rename", path, "Named").returncode == 3
        assert run(tmp_path, store_url, "store", "admit", "-w", "a_guest", "own").returncode == 0
        assert run(tmp_path, guest, "rename", path, "Named").returncode == 0
        assert "a_guest" in run(tmp_path, store_url, "store", "list").stdout
        refused = run(tmp_path, guest, "store", "admit", "-w", "a_guest", "*")
        assert (refused.returncode, "permission denied" in refused.stderr) == (3, True)
        assert run(tmp_path, store_url, "store", "dismiss", "a_guest", "own").returncode == 0
        assert json.loads(run(tmp_path, guest, "list", "--all", "--json").stdout)["total"] == 0
    finally:
        with psycopg.connect(store_url, autocommit=True) as owner:
            owner.execute("DROP OWNED BY a_guest")
        server.admin("DROP ROLE a_guest")


async def test_deleted_sessions_are_purged_and_no_other(tmp_path: Path, store_url: str):
    gone, kept = [await create(tmp_path, store_url, "own") for _ in range(2)]
    await delete(tmp_path, store_url, gone)
    told = json.loads(run(tmp_path, store_url, "trash", "list", "--json").stdout)["sessions"]
    assert [(each["path"], each["info"]["messageCount"]) for each in told] == [(gone, 1)]
    assert "store purge" in run(tmp_path, store_url, "trash", "empty", "--yes").stderr
    named = run(tmp_path, store_url, "store", "purge", "--deleted", "--dry-run")
    assert (named.returncode, named.stdout.split()[0]) == (0, gone)
    assert run(tmp_path, store_url, "store", "purge", "--deleted").returncode == 2
    async with daemon(tmp_path, store=store_url) as client:
        await client.request("catalog/subscribe", {})
        before = rows(store_url)
        done = run(tmp_path, store_url, "store", "purge", "--deleted", "--yes")
        assert "removed for good: 1 sessions" in done.stderr
        assert rows(store_url) == before / 2
        listed = await client.request("session/listAll", {})
        assert [each["path"] for each in listed["sessions"]] == [kept]
    assert run(tmp_path, store_url, "restore", gone).returncode == 3
    assert run(tmp_path, store_url, "store", "purge", "--deleted", "--yes").returncode == 1


async def test_sessions_are_purged_by_namespace_age_and_name(tmp_path: Path, store_url: str):
    one, two, other = [await create(tmp_path, store_url, each) for each in ("own", "own", "other")]
    old = "UPDATE sessiond.session SET changed = changed - interval '40 days' WHERE key = %s"
    with psycopg.connect(store_url, autocommit=True) as connection:
        connection.execute(old, (one.rpartition("/")[2],))
    words = ("store", "purge", "--yes")
    done = run(tmp_path, store_url, *words, "--older-than", "30d", "--namespace", "own")
    assert done.stdout.split()[0] == one
    assert run(tmp_path, store_url, *words, "--older-than", "30d").returncode == 1
    assert run(tmp_path, store_url, *words, "--session", two).returncode == 0
    assert run(tmp_path, store_url, *words, "--namespace", "nowhere").returncode == 1
    assert run(tmp_path, store_url, *words, "--namespace", "other").stdout.split()[0] == other
    assert rows(store_url) == 0


async def test_a_copy_that_a_mirror_would_store_again_stays(tmp_path: Path, store_url: str):
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes(HEADER + message(0))
    async with running(store_url, folder):

        async def is_stored() -> bool:
            return rows(store_url) > 0

        await until(is_stored)
        with psycopg.connect(store_url, autocommit=True) as connection:
            connection.execute("UPDATE sessiond.session SET changed = changed - interval '1 day'")
        done = run(tmp_path, store_url, "store", "purge", "--older-than", "1h", "--yes")
        assert (done.returncode, "a mirror would store it again" in done.stdout) == (1, True)
        assert await is_stored()
    gone = run(tmp_path, store_url, "store", "purge", "--older-than", "1h", "--yes")
    assert (gone.returncode, rows(store_url)) == (0, 0)


async def test_the_status_tells_of_sessions_sizes_and_mirrors(tmp_path: Path, store_url: str):
    def told() -> dict[str, Any]:
        found: dict[str, Any] = json.loads(
            run(tmp_path, store_url, "store", "status", "--json").stdout
        )
        return found

    empty = told()
    assert (empty["version"], empty["sessions"], empty["changed"]) == (VERSION, 0, None)
    assert empty["mirrors"] == []
    await delete(tmp_path, store_url, await create(tmp_path, store_url, "own"))
    folder = tmp_path / "files"
    folder.mkdir()
    content = HEADER + message(0)
    (folder / "a.jsonl").write_bytes(content)
    async with running(store_url, folder):

        async def is_copied() -> bool:
            return any(each["sessions"] for each in told()["mirrors"])

        await until(is_copied)
        found = told()
        (one,) = found["mirrors"]
        assert (one["sessions"], one["bytes"], one["running"]) == (1, len(content), True)
        assert one["directory"].endswith(str(folder))
        assert (found["sessions"], found["deleted"]) == (2, 1)
        assert found["disk"]["session"] > 0 < found["disk"]["line"]
        shown = run(tmp_path, store_url, "store", "status").stdout
        assert f"Schema {VERSION} in PostgreSQL" in shown
        assert "runs (" in shown
    assert [each["running"] for each in told()["mirrors"]] == [False]
    assert "stopped" in run(tmp_path, store_url, "store", "status").stdout


async def test_the_status_tells_what_a_mirror_has_still_to_do_and_cannot(
    tmp_path: Path, store_url: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(mirror, "_RENEW_SECONDS", 0.01)
    failed, goes_on = asyncio.Event(), asyncio.Event()

    async def copy(_self: CopiedFiles, path: str, *, settled: bool) -> str:
        del settled
        if path.endswith("bad.jsonl"):
            failed.set()
            raise ReadFailed(path, OSError(5, "the disk is broken"))
        if not failed.is_set():
            # Behind the others.
            return "now"
        await goes_on.wait()
        return "reported"

    monkeypatch.setattr(CopiedFiles, "copy", copy)
    for name in ("bad", "one", "two"):
        (tmp_path / f"{name}.jsonl").write_bytes(HEADER)

    async def becomes(*, is_behind: bool) -> dict[str, Any]:
        found: dict[str, Any] = {}

        async def same() -> bool:
            nonlocal found
            shown = await asyncio.to_thread(run, tmp_path, store_url, "store", "status", "--json")
            (found,) = json.loads(shown.stdout)["mirrors"]
            return found["failing"] == 1 and bool(found["waiting"]) == is_behind

        await until(same)
        return found

    async with running(store_url, tmp_path):
        found = await becomes(is_behind=True)
        # Perhaps one of them was reported again.
        assert found["waiting"] >= 2
        assert found["behind"] > 0
        assert "the disk is broken" in found["error"]
        shown = await asyncio.to_thread(run, tmp_path, store_url, "store", "status")
        assert re.search(r", \d files wait, since \d+ s, 1 cannot be copied: ", shown.stdout)
        goes_on.set()
        assert (await becomes(is_behind=False))["behind"] is None


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["purge"], "choose sessions"),
        (["purge", "--deleted"], "confirm with --yes"),
        (["purge", "--yes", "--session", "x"], "is not the name of a session"),
        (["admit", "role", "no/namespace"], "is not the name of a namespace"),
        (["admit", "role"], "NAMESPACE"),
    ],
)
def test_a_wrong_use_is_said(tmp_path: Path, words: list[str], told: str):
    done = run(tmp_path, "postgresql:///nowhere", "store", *words)
    assert (done.returncode, told in done.stderr) == (2, True), done.stderr


def test_a_store_is_named_before_the_command_too(tmp_path: Path, server: Server):
    url = server.new_database()
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    command = [sys.executable, "-m", "sessiond", "--store", url, "store"]
    early = subprocess.run([*command, "list"], env=env, capture_output=True, text=True, check=False)
    assert (early.returncode, "version 0" in early.stderr) == (3, True)
    done = subprocess.run([*command, "migrate"], env=env, capture_output=True, check=False)
    assert done.returncode == 0
    empty = subprocess.run([*command, "list"], env=env, capture_output=True, check=False)
    assert (empty.returncode, empty.stdout) == (1, b"")


async def test_a_store_is_dumped_and_restored_elsewhere_as_the_docs_say(
    tmp_path: Path, server: Server, store_url: str
):
    path, gone = [await create(tmp_path, store_url, "own") for _ in range(2)]
    await delete(tmp_path, store_url, gone)
    assert run(tmp_path, store_url, "store", "admit", "-w", "postgres", "own").returncode == 0
    docs = (Path(__file__).parents[2] / "docs" / "remote.md").read_text()
    dump, moved = server.directory / "sessiond.dump", server.new_database()
    known = {"sessiond.dump": str(dump), '"$SESSIOND_STORE"': store_url, '"$NEW_STORE"': moved}
    for line in docs.splitlines():
        if line.startswith(("pg_dump ", "pg_restore ")):
            program, *words = line.split()
            for name, value in known.items():
                words = [word.replace(name, value) for word in words]
            server.run(program, *words)
    dump.unlink()
    before, after = (
        json.loads(run(tmp_path, url, "store", "list", "--json").stdout)
        for url in (store_url, moved)
    )
    assert before == after
    assert "needle" in run(tmp_path, moved, "show", path).stdout
    assert run(tmp_path, moved, "restore", gone).returncode == 0
    assert "needle" in run(tmp_path, moved, "search", "needle", "--all").stdout
    assert run(tmp_path, moved, "rename", path, "Moved").returncode == 0
