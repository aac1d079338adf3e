"""A mirror keeps the sessions of the store equal to the files of a directory, byte for byte."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.app import daemon, user
from support.client import RpcError
from support.mirrors import HEADER, becomes, message, mirroring, running, until
from support.store_use import run
from support.stores import Server, other_host

from sessiond.files import identity
from sessiond.files.document import Document
from sessiond.format.describe.secrets import masked_line
from sessiond.postgres.documents import StoredDocuments
from sessiond.postgres.mirror import machine, mirror, source
from sessiond.postgres.mirror.copied_files import LeaseLost

_LINES = st.one_of(
    st.integers(0, 20).map(message),
    st.sampled_from([b"\n", b"  \n", b"{\n", b"\xff\xfe\n", b"42\n", b'{"type":"x"}\r\n']),
    st.sampled_from([b'{"type":"message"', b'{"type":"custom","id":"t"}', b"\r", b" "]),
)
_CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.lists(_LINES, min_size=1, max_size=6).map(b"".join)),
        st.tuples(st.just("rewrite"), st.lists(_LINES, max_size=6).map(b"".join)),
        st.tuples(st.just("edit"), st.integers(0, 400)),
        st.tuples(st.just("cut"), st.integers(0, 200)),
        st.tuples(st.just("delete"), st.just(0)),
        st.tuples(st.just("restart"), st.just(0)),
    ),
    max_size=8,
)


def apply(path: Path, kind: str, value: object) -> None:
    """Change a file as other programs do: all of them after the header."""
    before = path.read_bytes() if path.exists() else HEADER
    if isinstance(value, bytes):
        path.write_bytes((before if kind == "append" else HEADER) + value)
    elif kind == "edit" and isinstance(value, int):
        place = len(HEADER) + value
        path.write_bytes(before[:place] + b"Z" + before[place + 1 :])
    elif kind == "cut" and isinstance(value, int):
        path.write_bytes(before[: max(len(HEADER), len(before) - value)])
    elif kind == "delete":
        path.unlink(missing_ok=True)


@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(changes=_CHANGES)
async def test_any_changes_are_copied_byte_for_byte_and_followed(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch, changes: list[tuple[str, int]]
) -> None:
    # Small, so that files of some lines are copied in several parts.
    monkeypatch.setattr(source, "PART_BYTES", 200)
    monkeypatch.setattr(identity, "_CHUNK", 64)
    url = server.emptied()
    path = tmp_path / "s.jsonl"
    path.write_bytes(HEADER)
    async with other_host(url) as host, contextlib.AsyncExitStack() as stack:
        one = await stack.enter_async_context(mirroring(url, tmp_path))
        await one.mirror.once()
        reader = StoredDocuments(host.database)
        document = await reader.open(one.copy(path), write=False)
        for kind, value in changes:
            apply(path, kind, value)
            if kind == "restart":
                one = await stack.enter_async_context(mirroring(url, tmp_path))
            await one.mirror.once()
            expected = path.read_bytes() if path.exists() else None
            assert await host.get(one.copy(path)) == expected
            await document.refresh()
            if expected is not None:
                local = Document(str(path))
                await local.open(write=False)
                assert document.contents.lines() == local.contents.lines()
                assert document.diagnostics() == local.diagnostics()


async def test_lines_are_copied_as_they_are_appended_and_as_files_come_and_go(
    tmp_path: Path, store_url: str
):
    path = tmp_path / "s.jsonl"
    async with other_host(store_url) as host, running(store_url, tmp_path) as one:
        name = one.copy(path)
        path.write_bytes(HEADER)
        await becomes(host, name, path.read_bytes())
        for number in range(5):
            with path.open("ab") as file:
                file.write(message(number))
            await becomes(host, name, path.read_bytes())
        with path.open("ab") as file:
            file.write(b'{"type":"custom"')
        await becomes(host, name, path.read_bytes())
        path.unlink()
        await becomes(host, name, None)
        path.write_bytes(HEADER + message(0, "again"))
        await becomes(host, name, path.read_bytes())


async def test_changes_that_come_faster_than_they_are_copied_end_in_equal_copies(
    tmp_path: Path, store_url: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(source, "PART_BYTES", 4000)
    chosen = random.Random(7)
    paths = [tmp_path / f"{number}.jsonl" for number in range(4)]
    async with other_host(store_url) as host, running(store_url, tmp_path) as one:
        for number in range(300):
            path = chosen.choice(paths)
            kind = chosen.choice(["append"] * 6 + ["rewrite", "edit", "cut", "delete"])
            large = message(number, "x" * chosen.choice([10, 1000]))
            is_text = kind in ("append", "rewrite")
            value = large[: chosen.choice([len(large), 20])] if is_text else number
            apply(path, kind, value)
            await asyncio.sleep(chosen.choice([0, 0, 0.01]))
        for path in paths:
            await becomes(host, one.copy(path), path.read_bytes() if path.exists() else None)


async def test_another_host_lists_finds_and_follows_but_does_not_write(
    tmp_path: Path, store_url: str
):
    path = tmp_path / "sessions" / "s.jsonl"
    path.parent.mkdir()
    path.write_bytes(HEADER + message(0, "needle"))
    async with (
        running(store_url, path.parent) as one,
        other_host(store_url) as host,
        daemon(tmp_path, store=store_url) as client,
    ):
        name = one.copy(path)
        await becomes(host, name, path.read_bytes())
        listed = await client.request("session/listAll")
        assert [(item["id"], item["path"]) for item in listed["sessions"]] == [("m1", name)]
        home = {"host": "laptop", "path": str(path)}
        assert listed["sessions"][0]["home"] == home
        subscribed = await client.request("catalog/subscribe", {})
        found = await client.request("catalog/search", {"query": "needle"})
        assert [(hit["info"]["path"], hit["info"]["home"]) for hit in found["hits"]] == [
            (name, home)
        ]
        opened = await client.request("session/open", {"path": name})
        assert (opened["readOnly"], opened["home"]) == (True, home)
        with path.open("ab") as file:
            file.write(message(1))
        # They come in any order.
        told: dict[str, Any] = {}
        while set(told) != {"session/didChange", "catalog/didChange"}:
            received = (await client.receive()).value
            told[received["method"]] = received["params"]
        assert told["session/didChange"]["session"] == opened["session"]
        changed = told["catalog/didChange"]
        assert [item["info"]["home"] for item in changed["changes"]] == [home]
        assert changed["subscription"] == subscribed["subscription"]
        for method, params in (
            ("session/appendMessage", {"session": opened["session"], "message": user("no")}),
            ("catalog/rename", {"path": name, "name": "no"}),
            ("catalog/delete", {"path": name, "force": True}),
            ("catalog/delete", {"path": name, "force": True, "permanently": True}),
        ):
            with pytest.raises(RpcError, match=f"home is laptop:{path}") as raised:
                await client.request(method, params)
            assert raised.value.kind == "ReadOnly"
        path.unlink()
        await becomes(host, name, None)
        with pytest.raises(RpcError, match="home is laptop"):
            await client.request(
                "session/appendMessage", {"session": opened["session"], "message": user("no")}
            )
        with pytest.raises(RpcError, match="home is laptop"):
            await client.request("catalog/restore", {"path": name})


async def test_of_two_mirrors_of_one_directory_the_second_waits(tmp_path: Path, store_url: str):
    path = tmp_path / "s.jsonl"
    path.write_bytes(HEADER)
    async with other_host(store_url) as host, mirroring(store_url, tmp_path) as second:
        async with running(store_url, tmp_path) as first:
            await becomes(host, first.copy(path), HEADER)
            with pytest.raises(LeaseLost, match="laptop"):
                await second.mirror.once()
        # The first has ended and given the lease back.
        path.write_bytes(HEADER + message(0))
        await second.mirror.once()
        assert await host.get(second.copy(path)) == path.read_bytes()


async def test_a_file_in_two_mirrored_directories_is_copied_by_one_of_them(
    tmp_path: Path, store_url: str, caplog: pytest.LogCaptureFixture
):
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    path = first / "s.jsonl"
    path.write_bytes(HEADER)
    (second / "s.jsonl").symlink_to(path)
    async with other_host(store_url) as host, mirroring(store_url, second) as other:
        async with running(store_url, first) as one:
            name = one.copy(path)
            await becomes(host, name, HEADER)
            await other.mirror.once()
            assert f"{name} is" in caplog.text
            path.write_bytes(HEADER + message(0))
            await becomes(host, name, path.read_bytes())
        with path.open("ab") as file:
            file.write(message(1))
        await other.mirror.once()
        assert await host.get(name) == path.read_bytes()


async def test_a_machine_of_the_same_name_changes_no_copy_and_is_reported(
    tmp_path: Path, store_url: str, caplog: pytest.LogCaptureFixture
):
    """As a clone has it: the same host, directory and files, which then differ."""
    directory, link = tmp_path / "sessions", tmp_path / "link"
    directory.mkdir()
    link.mkdir()
    path = directory / "s.jsonl"
    path.write_bytes(HEADER)
    (link / "s.jsonl").symlink_to(path)
    async with (
        other_host(store_url) as host,
        mirroring(store_url, directory, machine="original") as original,
        mirroring(store_url, directory, machine="clone") as clone,
        mirroring(store_url, link, machine="clone") as another,
    ):
        name = original.copy(path)
        await original.mirror.once()
        path.write_bytes(HEADER + message(0, "of the clone"))
        await another.mirror.once()
        assert f"{name} is" in caplog.text
        path.unlink()
        with pytest.raises(LeaseLost, match="another machine of the same name"):
            await clone.mirror.once()
        assert await host.get(name) == HEADER
        async with running(store_url, directory, machine="clone"):

            async def waits() -> bool:
                return "is mirrored by another machine of the same name" in caplog.text

            await until(waits)
        assert await host.get(name) == HEADER
        path.write_bytes(HEADER + message(1, "of the original"))
        await original.mirror.once()
        assert await host.get(name) == path.read_bytes()
        # The name is free when the copies are gone.
        purged = run(tmp_path, store_url, "store", "purge", "--namespace", "laptop", "--yes")
        assert purged.returncode == 0
        await clone.mirror.once()
        assert await host.get(name) == path.read_bytes()


@pytest.mark.parametrize("former", [None, "machine"])
async def test_a_machine_that_is_not_known_is_that_of_the_copies(
    tmp_path: Path, store_url: str, former: str | None
):
    """Former versions did not know their machine, and some systems do not know it."""
    now = None if former else "machine"
    path = tmp_path / "s.jsonl"
    path.write_bytes(HEADER)
    async with (
        other_host(store_url) as host,
        mirroring(store_url, tmp_path, machine=former) as before,
        mirroring(store_url, tmp_path, machine=now) as after,
        mirroring(store_url, tmp_path, machine="other") as other,
    ):
        await before.mirror.once()
        for number in range(2):
            await after.mirror.once()
            assert await host.get(after.copy(path)) == path.read_bytes()
            with pytest.raises(LeaseLost, match="another machine"):
                await other.mirror.once()
            path.write_bytes(path.read_bytes() + message(number))


def test_a_machine_is_known_by_the_id_that_its_system_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    file = tmp_path / "machine-id"
    monkeypatch.setattr(machine, "_FILE", file)
    monkeypatch.setattr(machine, "_MACOS", (str(tmp_path / "ioreg"),))
    assert machine.machine() is None
    file.write_text("uninitialized\n")
    assert machine.machine() is None
    file.write_text("0123456789abcdef0123456789abcdef\n")
    known = machine.machine()
    assert known is not None
    assert "0123456789abcdef" not in known
    file.write_text("1123456789abcdef0123456789abcdef\n")
    assert machine.machine() not in (None, known)
    file.unlink()
    # As `ioreg` of macOS prints it.
    monkeypatch.setattr(
        machine,
        "_MACOS",
        ("/bin/echo", '  | {"IOPlatformUUID" = "01234567-89AB-CDEF-0123-456789ABCDEF"'),
    )
    assert machine.machine() not in (None, known)


async def test_a_waiting_mirror_begins_when_the_lease_of_a_killed_one_ends(
    tmp_path: Path,
    store_url: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
):
    monkeypatch.setattr(mirror, "_RENEW_SECONDS", 0.05)
    path = tmp_path / "s.jsonl"
    path.write_bytes(HEADER)
    async with other_host(store_url) as host:
        async with mirroring(store_url, tmp_path) as killed:
            await host.database.rows(
                "",
                "INSERT INTO sessiond.lease VALUES"
                " ('laptop', %s, gen_random_uuid(), 'process 1 on laptop', 'infinity')",
                (killed.origin.name,),
            )
        async with running(store_url, tmp_path) as second:

            async def waits() -> bool:
                return "is mirrored by process 1 on laptop; waiting" in caplog.text

            await until(waits)
            assert await host.get(second.copy(path)) is None
            await host.database.rows("", "UPDATE sessiond.lease SET until = now()")
            await becomes(host, second.copy(path), HEADER)


async def test_a_mirror_whose_lease_ended_writes_nothing_more(
    tmp_path: Path, store_url: str, caplog: pytest.LogCaptureFixture
):
    path = tmp_path / "s.jsonl"
    path.write_bytes(HEADER)
    async with other_host(store_url) as host, running(store_url, tmp_path) as first:
        await becomes(host, first.copy(path), HEADER)
        await host.database.rows(
            "", "UPDATE sessiond.lease SET owner = gen_random_uuid(), until = 'infinity'"
        )
        path.write_bytes(HEADER + message(0))

        async def noticed() -> bool:
            return "is mirrored by" in caplog.text

        await until(noticed)
        assert await host.get(first.copy(path)) == HEADER


async def test_nothing_is_lost_while_the_server_crashes(
    tmp_path: Path, server: Server, store_url: str
):
    path = tmp_path / "s.jsonl"
    path.write_bytes(HEADER)
    async with other_host(store_url) as host, running(store_url, tmp_path) as one:
        await becomes(host, one.copy(path), HEADER)
        for number in range(200):
            with path.open("ab") as file:
                file.write(message(number))
            if number == 100:
                await asyncio.to_thread(server.crash)
            await asyncio.sleep(0)
        await becomes(host, one.copy(path), path.read_bytes())


async def test_a_file_that_cannot_be_read_delays_no_other(tmp_path: Path, store_url: str):
    (tmp_path / "a.jsonl").symlink_to("a.jsonl")
    (tmp_path / "b.jsonl").mkdir()
    (tmp_path / "c.jsonl").write_bytes(b"no session")
    path = tmp_path / "d.jsonl"
    path.write_bytes(HEADER)
    async with other_host(store_url) as host, mirroring(store_url, tmp_path) as one:
        await one.mirror.once()
        assert one.mirror.count == 1
        assert await host.get(one.copy(path)) == HEADER


async def test_a_large_file_lets_the_others_go_first(
    tmp_path: Path, store_url: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(source, "PART_BYTES", 200)
    monkeypatch.setattr(identity, "_CHUNK", 64)
    large = tmp_path / "b.jsonl"
    large.write_bytes(HEADER + b"".join(map(message, range(20))))
    small = [tmp_path / "a.jsonl", tmp_path / "c.jsonl"]
    for path in small:
        path.write_bytes(HEADER)
    async with other_host(store_url) as host, mirroring(store_url, tmp_path) as one:
        await one.mirror.once()
        assert await host.get(one.copy(large)) == large.read_bytes()
        order = await host.database.rows("", "SELECT key FROM sessiond.session ORDER BY changed")
        assert one.copy(large).endswith(order[-1][0])
        assert len(order) == 3


async def test_a_file_that_the_store_refuses_delays_no_other(tmp_path: Path, server: Server):
    store_url = server.separate()
    paths = [tmp_path / f"{number}.jsonl" for number in range(8)]
    async with other_host(store_url) as host, mirroring(store_url, tmp_path) as one:
        for path in paths:
            path.write_bytes(HEADER)
        refused = {str(path) for path in paths[:6]}
        await host.database.rows(
            "",
            "ALTER TABLE sessiond.origin ADD CHECK (convert_from(path, 'LATIN1') NOT IN ("
            + ", ".join(f"'{path}'" for path in sorted(refused))
            + "))",
        )
        # Not UTF-8, which a text of the database cannot be.
        named = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.jsonl"))
        named.write_bytes(HEADER)
        await one.mirror.once()
        assert set(one.mirror.failures) == refused
        for path in (*paths[6:], named):
            assert await host.get(one.copy(path)) == HEADER


@pytest.mark.parametrize("kind", ["edited", "restored", "touched"])
async def test_a_file_that_is_written_without_growing_is_copied_again_and_one_that_moves_is_not(
    tmp_path: Path, store_url: str, kind: str
):
    path = tmp_path / "s.jsonl"
    path.write_bytes(HEADER + message(0, "before") + message(1) + message(2))
    async with other_host(store_url) as host, mirroring(store_url, tmp_path) as one:
        await one.mirror.once()
        if kind == "edited":
            with path.open("r+b") as file:
                text = file.read()
                file.seek(0)
                file.write(text.replace(b"before", b"edited"))
        elif kind == "restored":
            shutil.copy2(path, tmp_path / "copy")
            (tmp_path / "copy").rename(path)
        else:
            os.utime(path)
        await one.mirror.once()
        assert await host.get(one.copy(path)) == path.read_bytes()
        generations = await host.database.rows("", "SELECT generation FROM sessiond.session")
        assert generations == [(1 if kind == "restored" else 2,)]


async def test_a_copy_is_continued_after_a_restart_if_its_bytes_are_those_of_the_file(
    tmp_path: Path, store_url: str
):
    path = tmp_path / "s.jsonl"
    path.write_bytes(HEADER + message(0, "first") + message(1, "x" * 200_000))
    async with other_host(store_url) as host:
        for number, (before, after) in enumerate([(b"", b""), (b"first", b"other")]):
            async with mirroring(store_url, tmp_path) as one:
                await one.mirror.once()
            path.write_bytes(path.read_bytes().replace(before, after) + message(1))
            async with mirroring(store_url, tmp_path) as one:
                await one.mirror.once()
                assert await host.get(one.copy(path)) == path.read_bytes()
            generations = await host.database.rows("", "SELECT generation FROM sessiond.session")
            assert generations == [(1 + number,)]


async def test_sessions_of_a_directory_that_is_not_mounted_are_kept(tmp_path: Path, store_url: str):
    directory = tmp_path / "sessions"
    directory.mkdir()
    path = directory / "s.jsonl"
    path.write_bytes(HEADER)
    async with other_host(store_url) as host, mirroring(store_url, directory) as one:
        await one.mirror.once()
        directory.rename(tmp_path / "away")
        await one.mirror.once()
        assert await host.get(one.copy(path)) == HEADER


async def test_secrets_are_masked_in_lines_and_in_what_searches_find(
    tmp_path: Path, store_url: str
):
    secret = "sk-ant-" + "a1" * 20
    path = tmp_path / "s.jsonl"
    path.write_bytes(HEADER + message(0, f"key {secret} end"))
    async with other_host(store_url) as host, mirroring(store_url, tmp_path, masks=True) as one:
        await one.mirror.once()
        masked = HEADER + message(0, "key [masked: Anthropic key] end")
        assert await host.get(one.copy(path)) == masked
        with path.open("ab") as file:
            file.write(message(1, secret) + message(2))
        await one.mirror.once()
        masked += message(1, "[masked: Anthropic key]") + message(2)
        assert await host.get(one.copy(path)) == masked
        text = await host.all_rows()
        assert secret not in text
        assert secret.encode().hex() not in text


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            rb'{"a":"-----BEGIN RSA PRIVATE KEY-----\nMIIE","b":1}',
            rb'{"a":"[masked: private key]","b":1}',
        ),
        (
            b'{"aws_secret_access_key" : "' + b"A" * 40 + rb'","b":"\ud83d"}',
            rb'{"aws_secret_access_key" : "[masked]","b":"\ud83d"}',
        ),
        (rb'{"a":"db:\/\/u:secret@h","n":1e21}', b'{"a":"db://[masked: password]@h","n":1e21}'),
        (b'{"a":"\xff sk-ant-aaaaaaaaaaaaaaa', b'{"a":"\xff [masked: Anthropic key]'),
        (rb'{"a":"sk-ant-","b":"\u0041"}', rb'{"a":"sk-ant-","b":"\u0041"}'),
    ],
)
def test_a_masked_line_keeps_its_form(line: bytes, expected: bytes):
    assert masked_line(line) == expected


async def test_host_and_id_name_the_copy_of_a_host(tmp_path: Path, store_url: str):
    path = tmp_path / "sessions" / "s.jsonl"
    path.parent.mkdir()
    path.write_bytes(HEADER + message(0))
    async with (
        running(store_url, path.parent) as one,
        other_host(store_url) as host,
        daemon(tmp_path, store=store_url) as client,
    ):
        name = one.copy(path)
        await becomes(host, name, path.read_bytes())
        await host.put("sessiond-store:default/m1.jsonl", HEADER + message(0))

        async def found(given: str) -> dict[str, Any]:
            params = {"cwd": "/elsewhere", "id": given, "prefix": True, "unique": True}
            answer: dict[str, Any] = await client.request("session/findById", params)
            return answer

        both = await found("m1")
        assert both["path"] is None
        assert {each["path"] for each in both["candidates"]} == {
            name,
            "sessiond-store:default/m1.jsonl",
        }
        for given in ("laptop:m1", "laptop:m"):
            assert await found(given) == {"path": name}
        assert await found("desk:m1") == {"path": None}
    pulled = run(tmp_path / "other", store_url, "pull", "laptop:m")
    assert (pulled.returncode, Path(pulled.stdout.strip()).read_bytes()) == (0, path.read_bytes())
