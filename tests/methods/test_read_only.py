"""`--read-only`: every method that writes refuses, and none changes a byte."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from sessiond_protocol.registry import METHODS
from support.app import daemon
from support.client import RpcError
from support.every_method import WITHOUT_FILES, Filling, every_request, lay

Tree = dict[str, tuple[int, int, int, bytes]]


def tree(top: Path) -> Tree:
    """Everything below a directory: mode, size, time of the last change, content."""
    found = {}
    for path in (top, *sorted(top.rglob("*"))):
        seen = os.lstat(path)
        content = path.read_bytes() if path.is_file() else b""
        found[str(path)] = (seen.st_mode, seen.st_size, seen.st_mtime_ns, content)
    return found


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where marks of sessions in use would be put."""
    path = tmp_path / "runtime"
    path.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(path))
    return path


def test_every_method_of_the_contract_is_called(tmp_path: Path):
    contract = set(METHODS)
    assert {asked.method for asked in every_request(tmp_path)} | WITHOUT_FILES == contract


@pytest.mark.usefixtures("runtime")
@pytest.mark.parametrize("cache", [True, False])
async def test_nothing_is_written_by_any_method(tmp_path: Path, cache: bool):
    state = tmp_path / "state"
    lay(state)
    before = tree(tmp_path)
    filling = Filling()
    where = {"profile": "coderclaw", "agent_dir": str(state)}
    async with daemon(tmp_path, read_only=True, catalog_cache=cache, **where) as client:
        for asked in every_request(state):
            kind = None
            try:
                result = await client.request(asked.method, filling.filled(asked.params))
            except RpcError as error:
                kind = error.kind or error.message
            else:
                filling.keep(asked.method, result)
            assert kind == ("ReadOnly" if asked.writes else None), asked
            now = tree(tmp_path)
            # Nothing but the catalogue's database, where it is not switched off.
            own = [str(tmp_path), *(path for path in now if path.startswith(f"{tmp_path}/.cache"))]
            assert {p: v for p, v in now.items() if p not in own or not cache} == {
                p: v for p, v in before.items() if p not in own or not cache
            }, asked
    if not cache:
        assert tree(tmp_path) == before


@pytest.mark.usefixtures("runtime")
async def test_without_it_those_that_write_do(tmp_path: Path):
    """Else the table above would promise nothing."""
    state = tmp_path / "state"
    lay(state)
    filling = Filling()
    where = {"profile": "coderclaw", "agent_dir": str(state)}
    still = []
    async with daemon(tmp_path, **where) as client:
        for asked in every_request(state):
            before = tree(tmp_path)
            result = await client.request(asked.method, filling.filled(asked.params))
            filling.keep(asked.method, result)
            if asked.writes and tree(tmp_path) == before:
                still.append(asked.method)
    # These are written with the first message, and not before.
    assert set(still) <= {"session/create", "session/continueRecent", "session/newSession"}
