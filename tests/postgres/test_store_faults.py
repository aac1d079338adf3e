"""What clients see when the store fails: no entry lost or doubled, and no answer too late."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import errors
from psycopg.conninfo import make_conninfo
from support.app import daemon, user
from support.client import Client, RpcError
from support.mirrors import HEADER, becomes, message, mirroring, running, until
from support.store_proxy import proxied
from support.stores import Server, find_program, new_server, other_host

from sessiond.postgres import bell
from sessiond.postgres.database import Database
from sessiond.postgres.documents import named
from sessiond.postgres.faults import is_passing, translated
from sessiond.postgres.mirror.copied_files import LeaseLost


async def created(client: Client) -> tuple[str, str]:
    opened = await client.request("session/create", {"cwd": "/w"})
    params = {"session": opened["session"], "message": user("hello")}
    await client.request("session/appendMessage", params)
    return opened["sessionFile"], opened["session"]


async def ids_of(client: Client, handle: str) -> list[str]:
    answer = await client.request("session/getEntries", {"session": handle})
    return [entry["id"] for entry in answer["entries"]]


async def test_an_append_whose_answer_is_lost_is_acknowledged_and_written_once(
    tmp_path: Path, store_url: str
):
    async with proxied(store_url) as proxy, daemon(tmp_path, store=proxy.url) as client:
        path, handle = await created(client)
        proxy.swallows = b"sessiond.write("
        made = await client.request(
            "session/appendMessage", {"session": handle, "message": user("once")}
        )
        assert proxy.swallowed == 1
        assert "existed" not in made
        assert (await ids_of(client, handle))[1:] == [made["id"]]
        async with other_host(store_url) as host:
            stored = await host.get(path)
        assert stored is not None
        assert stored.count(b'"once"') == 1


async def test_a_new_session_whose_answer_is_lost_is_stored_once(tmp_path: Path, store_url: str):
    async with proxied(store_url) as proxy, daemon(tmp_path, store=proxy.url) as client:
        opened = await client.request("session/create", {"cwd": "/w"})
        proxy.swallows = b"sessiond.write("
        made = await client.request(
            "session/appendMessage", {"session": opened["session"], "message": user("first")}
        )
        assert proxy.swallowed == 1
        assert made["written"]
        assert await ids_of(client, opened["session"]) == [made["id"]]


async def test_a_new_session_that_is_stored_after_its_answer_was_given_up_is_continued(
    tmp_path: Path, store_url: str
):
    async with (
        proxied(store_url) as proxy,
        daemon(tmp_path, store=proxy.url, lock_timeout=1.0) as client,
        other_host(store_url) as host,
    ):
        opened = await client.request("session/create", {"cwd": "/w"})
        handle = opened["session"]
        proxy.stalls = b"sessiond.write("
        first = {"session": handle, "message": user("first"), "newEntryId": "feedbeef"}
        with pytest.raises(RpcError) as raised:
            await client.request("session/appendMessage", first)
        assert raised.value.kind == "Busy"
        proxy.flowing.set()

        async def stored() -> bool:
            return await host.get(opened["sessionFile"]) is not None

        await until(stored)
        again = await client.request("session/appendMessage", first)
        assert (again["id"], again["existed"]) == ("feedbeef", True)
        made = await client.request(
            "session/appendMessage", {"session": handle, "message": user("second")}
        )
        assert await ids_of(client, handle) == ["feedbeef", made["id"]]
        lines = (await host.get(opened["sessionFile"]) or b"").splitlines()
        assert [json.loads(line)["id"] for line in lines[1:]] == ["feedbeef", made["id"]]


@pytest.mark.parametrize(("durability", "expected"), [("server", "on"), ("relaxed", "off")])
async def test_only_with_relaxed_durability_a_commit_does_not_wait_for_the_disk(
    tmp_path: Path, server: Server, durability: str, expected: str
):
    url = server.separate()
    with psycopg.connect(url, autocommit=True) as connection:
        # Notes how the transaction that stores a line will be committed.
        connection.execute(
            """
            CREATE TABLE noted (setting text);
            CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
            BEGIN
                INSERT INTO public.noted VALUES (current_setting('synchronous_commit'));
                RETURN NULL;
            END $$;
            CREATE TRIGGER note AFTER INSERT ON sessiond.line
                FOR EACH ROW EXECUTE FUNCTION note();
            """
        )
        async with daemon(tmp_path, store=url, store_durability=durability) as client:
            _, handle = await created(client)
            params = {"session": handle, "message": user("more")}
            await client.request("session/appendMessage", params)
        found = connection.execute("SELECT setting FROM noted").fetchall()
    # The header and two messages.
    assert found == [(expected,)] * 3


async def test_cut_connections_are_made_again(tmp_path: Path, store_url: str):
    async with proxied(store_url) as proxy, daemon(tmp_path, store=proxy.url) as client:
        _, handle = await created(client)
        for number in range(5):
            proxy.cut()
            await client.request(
                "session/appendMessage", {"session": handle, "message": user(str(number))}
            )
        assert len(await ids_of(client, handle)) == 6


async def test_a_network_that_stalls_is_answered_in_time(tmp_path: Path, store_url: str):
    async with (
        proxied(store_url) as proxy,
        daemon(tmp_path, store=proxy.url, lock_timeout=1.0) as client,
    ):
        _, handle = await created(client)
        before = (await client.request("daemon/status"))["store"]
        assert re.fullmatch(r"postgresql://[^:@]*/store", before["server"])
        assert before["untold"] >= 0 <= before["requests"]
        assert "lastError" not in before
        proxy.flowing.clear()
        began = time.monotonic()
        params = {"session": handle, "message": user("later"), "newEntryId": "feedbeef"}
        for method, more in (("session/appendMessage", params), ("session/listAll", {})):
            with pytest.raises(RpcError) as raised:
                await client.request(method, more)
            assert raised.value.kind == "Busy"
        # Two requests with a second each; the rest is for a busy machine.
        assert time.monotonic() - began < 20
        after = (await client.request("daemon/status"))["store"]
        assert "no answer within 1 s" in after["lastError"]
        assert after["lastErrorAt"].endswith("Z")
        proxy.flowing.set()
        made = await client.request("session/appendMessage", params)
        assert made["id"] == "feedbeef"
        assert (await ids_of(client, handle)).count("feedbeef") == 1


async def test_a_limit_of_connections_is_answered_with_busy(tmp_path: Path, server: Server):
    server.admin("CREATE ROLE limited LOGIN CONNECTION LIMIT 0")
    try:
        url = server.to("store", user="limited")
        async with daemon(tmp_path, store=url, lock_timeout=1.5) as client:
            with pytest.raises(RpcError, match="too many connections") as raised:
                await client.request("session/listAll")
            assert raised.value.kind == "Busy"
    finally:
        server.admin("DROP ROLE limited")


async def test_a_replica_is_read_only(tmp_path: Path, store_url: str, server: Server):
    async with daemon(tmp_path, store=store_url) as client:
        path, _ = await created(client)
    replica = server.to("store", options="-c default_transaction_read_only=on")
    async with daemon(tmp_path, store=replica) as client:
        opened = await client.request("session/open", {"path": path})
        with pytest.raises(RpcError, match="read-only replica") as raised:
            await client.request(
                "session/appendMessage", {"session": opened["session"], "message": user("no")}
            )
        assert raised.value.kind == "ReadOnly"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (errors.DiskFull("no space left on device"), "WriteFailed"),
        (errors.TooManyConnections("sorry"), "Busy"),
        (errors.AdminShutdown("terminating connection"), "Busy"),
        (psycopg.OperationalError("connection refused"), "Busy"),
        (errors.OutOfMemory("out of memory"), "OutOfResources"),
        (errors.DataCorrupted("invalid page"), "ReadFailed"),
    ],
)
def test_errors_of_the_database_have_kinds_of_the_contract(error: psycopg.Error, kind: str):
    assert translated(error, "p").kind == kind
    assert is_passing(error) == (kind == "Busy")


@pytest.fixture(scope="module")
def mortal() -> Iterator[Server]:
    with new_server() as made:
        yield made


@pytest.mark.skipif(shutil.which("prlimit") is None, reason="needs prlimit")
async def test_a_full_disk_refuses_what_does_not_fit_and_nothing_else(
    tmp_path: Path, mortal: Server
):
    url = mortal.emptied()
    async with daemon(tmp_path, store=url) as client:
        _, handle = await created(client)
        # A segment of the server's log has 16 MiB, which must still be written.
        mortal.fill(url, 18_000_000)
        mortal.limit_files(17_000_000)
        try:
            large = user(random.Random(1).randbytes(100_000).hex())
            params = {"session": handle, "message": large, "newEntryId": "feedbeef"}
            with pytest.raises(RpcError, match="File too large") as raised:
                await client.request("session/appendMessage", params)
            assert raised.value.kind == "WriteFailed"
            made = await client.request(
                "session/appendMessage", {"session": handle, "message": user("small")}
            )
        finally:
            mortal.limit_files(None)
        await client.request("session/appendMessage", params)
        assert (await ids_of(client, handle))[-2:] == [made["id"], "feedbeef"]


async def test_nothing_acknowledged_is_lost_when_the_server_is_killed(
    tmp_path: Path, mortal: Server
):
    url = mortal.emptied()
    writers, appends = 20, 10
    acknowledged: dict[str, set[str]] = {}
    progress = asyncio.Event()
    crashed = asyncio.Event()

    async def write(client: Client, handle: str, writer: int, path: str) -> None:
        for number in itertools.count():
            # As long as the server is still to be killed, there must be something to lose.
            if number >= appends and crashed.is_set():
                return
            entry_id = f"{writer:04x}{number:04x}"
            params = {"session": handle, "message": user("x"), "newEntryId": entry_id}
            while True:
                try:
                    await client.request("session/appendMessage", params)
                except RpcError as error:
                    assert error.kind == "Busy"
                    continue
                acknowledged.setdefault(path, set()).add(entry_id)
                progress.set()
                break

    async with (
        daemon(tmp_path, store=url, lock_timeout=2.0) as one,
        daemon(tmp_path, store=url, lock_timeout=2.0) as two,
    ):
        paths = [(await created(one))[0] for _ in range(4)]
        work = []
        for writer in range(writers):
            client, path = (one, two)[writer % 2], paths[writer % 4]
            opened = await client.request("session/open", {"path": path})
            work.append(asyncio.create_task(write(client, opened["session"], writer, path)))
        for _ in range(2):
            before = sum(map(len, acknowledged.values()))
            while sum(map(len, acknowledged.values())) < before + writers:
                await progress.wait()
                progress.clear()
            await asyncio.to_thread(mortal.crash)
        crashed.set()
        async with asyncio.timeout(60):
            await asyncio.gather(*work)
    assert sum(map(len, acknowledged.values())) >= writers * appends
    async with daemon(tmp_path, store=url) as client:
        for path in paths:
            opened = await client.request("session/open", {"path": path, "readOnly": True})
            found = (await ids_of(client, opened["session"]))[1:]
            assert sorted(found) == sorted(acknowledged[path])
            assert opened["diagnostics"] == []


async def test_a_standby_that_is_promoted_is_used_by_open_sessions(tmp_path: Path, mortal: Server):
    first = mortal.emptied()
    with mortal.standby() as standby:
        both = f"{mortal.directory},{standby.directory}"
        url = make_conninfo(first, host=both, target_session_attrs="read-write")
        async with daemon(tmp_path, store=url) as client:
            path, handle = await created(client)
            made = await client.request(
                "session/appendMessage", {"session": handle, "message": user("before")}
            )
            async with other_host(make_conninfo(first, host=str(standby.directory))) as second:

                async def followed() -> bool:
                    return made["id"].encode() in (await second.get(path) or b"")

                await until(followed)
            mortal.kill()
            waiting = asyncio.create_task(
                client.request(
                    "session/appendMessage", {"session": handle, "message": user("after")}
                )
            )
            await asyncio.to_thread(standby.promote)
            after = await waiting
            assert (await ids_of(client, handle))[1:] == [made["id"], after["id"]]
    mortal.start()


async def test_clocks_that_differ_change_no_order_and_end_no_lease(
    tmp_path: Path, store_url: str, monkeypatch: pytest.MonkeyPatch
):
    now, now_ns = time.time, time.time_ns
    async with (
        daemon(tmp_path, store=store_url) as one,
        daemon(tmp_path, store=store_url) as two,
        running(store_url, tmp_path) as mirrored,
        other_host(store_url) as host,
    ):
        (tmp_path / "s.jsonl").write_bytes(HEADER)
        await becomes(host, mirrored.copy(tmp_path / "s.jsonl"), HEADER)
        path, handle = await created(one)
        other = (await two.request("session/open", {"path": path}))["session"]
        written = await ids_of(one, handle)
        for hours in (-24, 24, 0):
            for client, name in ((one, handle), (two, other)):
                monkeypatch.setattr(time, "time", lambda h=hours: now() + h * 3600)
                monkeypatch.setattr(time, "time_ns", lambda h=hours: now_ns() + h * 3600 * 10**9)
                made = await client.request(
                    "session/appendMessage",
                    {"session": name, "message": user("x"), "expectedTipId": written[-1]},
                )
                written.append(made["id"])
            async with mirroring(store_url, tmp_path) as second:
                with pytest.raises(LeaseLost):
                    await second.mirror.once()
        assert await ids_of(one, handle) == await ids_of(two, other) == written


async def test_a_copy_that_is_stored_after_the_mirror_gave_up_goes_with_its_file(
    tmp_path: Path, store_url: str, caplog: pytest.LogCaptureFixture
):
    path = tmp_path / "s.jsonl"
    async with (
        other_host(store_url) as host,
        running(store_url, tmp_path, limit=0.5) as one,
        await psycopg.AsyncConnection.connect(store_url) as other,
    ):
        # Nobody can add a session, and the server does not notice that a client is gone.
        await other.execute("LOCK TABLE sessiond.session IN SHARE MODE")
        path.write_bytes(HEADER)

        async def given_up() -> bool:
            return "mirrored for now: The store" in caplog.text

        await until(given_up)
        path.unlink()
        await other.commit()

        async def stored() -> bool:
            return await host.database.rows("", "SELECT count(*) FROM sessiond.session") == [(1,)]

        await until(stored)
        await becomes(host, one.copy(path), None)


@pytest.mark.skipif(find_program("pgbouncer") is None, reason="needs PgBouncer")
async def test_a_daemon_works_through_pgbouncer_in_transaction_mode(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(bell, "_ECHO_SECONDS", 0.2)
    monkeypatch.setattr(bell, "_POLL_SECONDS", 0.1)
    url = server.emptied()
    with server.pooler() as pooled:
        async with (
            daemon(tmp_path, store=make_conninfo(url, host=pooled)) as client,
            other_host(url) as host,
        ):
            path, handle = await created(client)
            params = {"session": handle, "message": user("more")}
            await asyncio.gather(
                *(client.request("session/appendMessage", params) for _ in range(20))
            )
            line = (await host.get(path) or b"").splitlines(keepends=True)[-1]
            await host.append(path, line.replace(b'"id":"', b'"id":"f'))
            # Notifications do not pass: the open sessions are compared.
            await client.notification("session/didChange")
            assert len(await ids_of(client, handle)) == 22
            found = await client.request("catalog/search", {"query": "hello"})
            assert found["total"] == 1


async def test_a_pooler_that_forgets_everything_between_transactions_is_no_obstacle(
    tmp_path: Path, store_url: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(bell, "_ECHO_SECONDS", 0.2)
    monkeypatch.setattr(bell, "_POLL_SECONDS", 0.1)
    async with proxied(store_url) as proxy, daemon(tmp_path, store=proxy.url) as client:
        proxy.discards = True
        path, handle = await created(client)
        async with other_host(store_url) as host:
            stored = await host.get(path)
            assert stored is not None
            line = stored.splitlines(keepends=True)[-1]
            await host.append(path, line.replace(b'"id":"', b'"id":"f'))
        # Without notifications the open sessions are compared.
        await client.notification("session/didChange")
        params = {"session": handle, "message": user("more")}
        await asyncio.gather(*(client.request("session/appendMessage", params) for _ in range(5)))
        assert len(await ids_of(client, handle)) == 7
        assert proxy.discarded > 5


async def test_without_notifications_one_statement_asks_for_all_changes(
    tmp_path: Path, store_url: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(bell, "_ECHO_SECONDS", 0.2)
    monkeypatch.setattr(bell, "_POLL_SECONDS", 0.1)
    statements: list[str] = []
    rows = Database.rows

    async def recorded(
        database: Database, path: str, statement: str, *more: Any, **how: Any
    ) -> Any:
        statements.append(statement)
        return await rows(database, path, statement, *more, **how)

    async def idle() -> bool:
        return len(statements) > 9 and all("sessiond.poll" in each for each in statements[-10:])

    async with proxied(store_url) as proxy, daemon(tmp_path, store=proxy.url) as client:
        proxy.discards = True
        paths = [(await created(client))[0] for _ in range(20)]
        await client.request("catalog/subscribe", {})
        with monkeypatch.context() as patched:
            patched.setattr(Database, "rows", recorded)
            await until(idle)
        async with other_host(store_url) as host:
            await host.append(paths[3], message(5))
            assert await changes(client) == [("changed", paths[3])]
            for permanently, path in ((False, paths[4]), (True, paths[5])):
                removal = "SELECT sessiond.remove(%s, %s)"
                await host.database.rows("", removal, (named(path).session, permanently))
                assert await changes(client) == [("removed", path)]


async def changes(client: Client) -> list[tuple[str, str]]:
    heard = await client.notification("catalog/didChange")
    return [(one["kind"], one["path"]) for one in heard["changes"]]
