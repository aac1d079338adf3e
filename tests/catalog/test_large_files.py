"""Answers about a file that is not open are the same whether its lines are in memory or not."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.app import assistant, daemon, user
from support.client import Client

from sessiond.catalog.export import html, jsonl
from sessiond.files import reading
from sessiond.files.kept import reopening
from sessiond.session import table

AT = "2025-06-01T10:00:00.000Z"
HEADER = {"type": "session", "version": 3, "id": "s", "timestamp": AT, "cwd": "/w"}
USAGE = {"input": 3, "output": 4, "cacheRead": 0, "cacheWrite": 0, "cost": {"total": 0.5}}


def entry(entry_id: str, parent: str | None, kind: str = "message", **more: Any) -> bytes:
    value = {"type": kind, "id": entry_id, "parentId": parent, "timestamp": AT, **more}
    return json.dumps(value).encode()


MODERN = [
    json.dumps(HEADER).encode(),
    entry("a", None, message=user("one \ud83d")),
    entry("b", "a", message=assistant("two", usage=USAGE)) + b"\r",
    b"{broken",
    b"",
    entry("c", "b", message=user("x" * 300_000)),
    entry("d", "a", message=user("another branch")),
    entry("l", "d", "label", targetId="b", label="here"),
    entry("n", "l", "session_info", name="named"),
    entry("o", "n", "custom", data="odd").replace(b"odd", b"\xff"),
    entry("e", "c", message=assistant("last", usage=USAGE)),
]
OLD = [
    json.dumps({name: value for name, value in HEADER.items() if name != "version"}).encode(),
    json.dumps({"type": "message", "timestamp": AT, "message": user("one")}).encode(),
    json.dumps({"type": "message", "timestamp": AT, "message": assistant("two")}).encode(),
]
FILES = {"modern": b"\n".join([*MODERN, b'{"torn']), "old": b"\n".join([*OLD, b""])}
REQUESTS: dict[str, tuple[str, dict[str, Any]]] = {
    "stats": ("catalog/stats", {}),
    "jsonl": ("catalog/export", {"format": "jsonl"}),
    "markdown": ("catalog/export", {"format": "markdown"}),
    "html": ("catalog/export", {"format": "html", "leafId": None}),
    "jsonl file": ("catalog/export", {"format": "jsonl", "outputPath": "a.out"}),
    "markdown file": ("catalog/export", {"format": "markdown", "outputPath": "a.out"}),
    "html file": ("catalog/export", {"format": "html", "outputPath": "a.out"}),
    "check": ("catalog/check", {}),
}


@pytest.fixture(autouse=True)
def _one_time(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (html, jsonl, table):
        monkeypatch.setattr(module, "iso_now", lambda: AT)


@pytest.fixture
def lower(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From the call on, lines stay in the file, and indexes are kept."""

    def change() -> None:
        for module in (reading, reopening):
            monkeypatch.setattr(module, "STORED_FROM_BYTES", 0)
        monkeypatch.setattr(reading, "KEPT_FROM_BYTES", 0)

    return change


async def ask(client: Client, home: Path, file: Path, name: str) -> Any:
    """The answer, and what it wrote."""
    if name == "fork":
        fork = {"sourcePath": str(file), "targetCwd": "/w", "sessionDir": str(home / "forks")}
        state = await client.request("session/forkFrom", {**fork, "id": "forked"})
        written = Path(state["sessionFile"]).read_bytes()
        await client.request("session/close", {"session": state["session"]})
        os.unlink(state["sessionFile"])
        return written
    if name == "in memory":
        session = (await client.request("session/inMemory", {"cwd": "/w"}))["session"]
        await client.request("session/setSessionFile", {"session": session, "path": str(file)})
        return await client.request("session/getEntries", {"session": session})
    method, params = REQUESTS[name]
    params = {"path": str(file), **params}
    if "outputPath" not in params:
        return await client.request(method, params)
    target = home / params["outputPath"]
    await client.request(method, {**params, "outputPath": str(target)})
    written = target.read_bytes()
    target.unlink()
    return written


NAMES = [*REQUESTS, "fork", "in memory"]


@pytest.mark.parametrize("content", FILES.values(), ids=FILES)
async def test_answers_about_a_large_file_are_those_about_a_small_one(
    tmp_path: Path, content: bytes, lower: Callable[[], None]
) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(content)
    os.utime(file, (1, 1))
    async with daemon(tmp_path) as client:
        wanted = {name: await ask(client, tmp_path, file, name) for name in NAMES}
    lower()
    for _ in ("read", "opened by its index"):
        async with daemon(tmp_path) as client:
            for name in NAMES:
                assert await ask(client, tmp_path, file, name) == wanted[name], name
        seen, indexes = file.stat(), tmp_path / ".cache" / "sessiond" / "indexes"
        kept = indexes / f"{seen.st_dev:x}-{seen.st_ino:x}.index"
        assert kept.exists() == (content is FILES["modern"])
    assert file.read_bytes() == content


@pytest.mark.parametrize("name", NAMES)
async def test_a_change_in_place_while_lines_are_read_gives_the_answer_about_the_new_file(
    tmp_path: Path, name: str, lower: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not an error, and never half of each."""
    file, changed = tmp_path / "a.jsonl", FILES["modern"].replace(b"two", b"owt")
    file.write_bytes(changed)
    async with daemon(tmp_path) as client:
        wanted = await ask(client, tmp_path, file, name)
    lower()
    really = reading.read

    def read(path: str, *args: Any, **options: Any) -> reading.Reading:
        result = really(path, *args, **options)
        if path == str(file):
            file.write_bytes(changed)
        return result

    for _ in ("read", "opened by its index"):
        file.write_bytes(FILES["modern"])
        os.utime(file, (1, 1))
        async with daemon(tmp_path) as client:
            with monkeypatch.context() as patched:
                patched.setattr(reading, "read", read)
                assert await ask(client, tmp_path, file, name) == wanted
