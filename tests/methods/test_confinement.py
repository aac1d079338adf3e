"""`--root` and `--read-only` restrict clients."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.app import daemon, user
from support.client import RpcError
from support.process import isolated_environment

HEADER = '{"type":"session","version":1,"id":"x","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}'


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (outside / "s.jsonl").write_text(HEADER + "\n")
    (inside / "s.jsonl").write_text(HEADER + "\n")
    (inside / "link.jsonl").symlink_to(outside / "s.jsonl")
    (inside / "way-out").symlink_to(outside)
    return inside, outside


def outside_calls(inside: Path, outside: Path):
    return [
        ("session/open", {"path": str(outside / "s.jsonl")}),
        ("session/open", {"path": str(outside / "new.jsonl")}),
        ("session/open", {"path": f"{inside}/../outside/s.jsonl"}),
        ("session/open", {"path": str(inside / "link.jsonl")}),
        ("session/open", {"path": str(inside / "way-out" / "new.jsonl")}),
        ("session/open", {"path": str(inside / "s.jsonl"), "sessionDir": str(outside)}),
        ("session/open", {"path": f"{inside}x/s.jsonl"}),
        ("session/open", {"path": f"{inside}/a\0b.jsonl"}),
        ("session/open", {"path": f"{inside}/\ud800.jsonl"}),
        ("session/create", {"cwd": "/w", "sessionDir": str(outside)}),
        ("session/create", {"cwd": "/w"}),
        ("session/continueRecent", {"cwd": "/w", "sessionDir": str(outside)}),
        ("session/forkFrom", {"sourcePath": str(outside / "s.jsonl"), "targetCwd": "/w"}),
        ("session/findById", {"cwd": "/w", "id": "x", "sessionDir": str(outside)}),
        ("session/list", {"cwd": "/w", "sessionDir": str(outside)}),
        ("session/listAll", {"sessionDir": str(outside)}),
        ("session/listAll", {}),
        ("initialize", {"agentDir": str(outside)}),
        ("initialize", {"agentDir": "~/inside/../outside"}),
        ("initialize", {"agentDir": f"~/inside/../../{inside.parent.name}/outside"}),
        ("initialize", {"agentDir": "~/inside/way-out"}),
    ]


async def test_no_path_leads_out_of_the_roots(places: tuple[Path, Path], tmp_path: Path):
    inside, outside = places
    before = sorted(outside.iterdir()), (outside / "s.jsonl").read_bytes()
    async with daemon(tmp_path, roots=[str(inside)]) as client:
        for method, params in outside_calls(inside, outside):
            with pytest.raises(RpcError) as raised:
                await client.request(method, params)
            assert raised.value.kind == "PathNotAllowed", (method, params)
        state = await client.request("session/open", {"path": str(inside / "s.jsonl")})
        with pytest.raises(RpcError) as raised:
            await client.request(
                "session/setSessionFile",
                {"session": state["session"], "path": str(outside / "s.jsonl")},
            )
        assert raised.value.kind == "PathNotAllowed"
    assert (sorted(outside.iterdir()), (outside / "s.jsonl").read_bytes()) == before


async def test_several_roots_are_all_open(places: tuple[Path, Path], tmp_path: Path):
    inside, outside = places
    async with daemon(tmp_path, roots=[str(inside), str(outside)]) as client:
        await client.request("session/open", {"path": str(inside / "link.jsonl")})
        await client.request("session/create", {"cwd": "/w", "sessionDir": str(outside)})


async def test_the_agent_directory_may_be_named_by_the_home_directory(
    places: tuple[Path, Path], tmp_path: Path
):
    async with daemon(tmp_path, roots=[str(places[0])]) as client:
        answer = await client.request("initialize", {"agentDir": "~/inside/agent"})
    assert answer["agentDir"] == str(places[0] / "agent")


@pytest.mark.parametrize("method", ["session/findById", "catalog/check"])
async def test_targets_of_links_to_the_outside_are_not_reported(
    places: tuple[Path, Path], tmp_path: Path, method: str
):
    inside, outside = places
    sessions = inside / "agent" / "sessions" / "--w--"
    sessions.mkdir(parents=True)
    (sessions / "link.jsonl").symlink_to(outside / "s.jsonl")
    (sessions / "damaged.jsonl").symlink_to(outside / "damaged")
    (sessions / "nothing.jsonl").symlink_to(outside / "nothing.jsonl")
    (sessions.parent / "--x--").symlink_to(outside)
    (outside / "damaged").write_text(HEADER + "\n{")
    params = {"cwd": "/w", "id": "x"} if method == "session/findById" else {}
    async with daemon(tmp_path, roots=[str(inside)]) as client:
        await client.request("initialize", {"agentDir": "~/inside/agent"})
        answer = await client.request(method, params)
    assert answer in ({"path": None}, {"files": []})


@pytest.mark.parametrize("how", ["link", "variable", "state"])
@pytest.mark.parametrize("exists", [True, False])
async def test_a_configuration_outside_the_roots_is_neither_read_nor_reported(
    tmp_path: Path, how: str, exists: bool
):
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    sessions = inside / "agents" / "main" / "sessions"
    sessions.mkdir(parents=True)
    outside.mkdir()
    secret = outside / "coderclaw.json"
    if exists:
        secret.write_text(
            '{"session": {"scope": "SECRET"}, "agents": {"list": [{"id": "SECRET"}]}}'
        )
    path, env, root = inside / "coderclaw.json", {}, inside
    if how == "link":
        path.symlink_to(secret)
    elif how == "variable":
        path, env = secret, {"CODERCLAW_CONFIG_PATH": str(secret)}
    else:
        root = sessions
        if exists:
            secret.rename(path)
    options = {"profile": "coderclaw", "agent_dir": str(inside), "roots": [str(root)]}
    async with daemon(tmp_path, env=env, **options) as client:
        answer = await client.request("gateway/list")
    assert answer["sessions"] == []
    (problem,) = answer["configProblems"]
    assert problem["message"] == f"Path lies outside the allowed roots: {path}; ignored"
    assert "SECRET" not in str(answer)


WRITES = [
    ("session/appendMessage", {"message": user("x")}),
    ("session/appendThinkingLevelChange", {"thinkingLevel": "high"}),
    ("session/appendModelChange", {"provider": "p", "modelId": "m"}),
    ("session/appendCompaction", {"summary": "s", "tokensBefore": 1}),
    ("session/appendCustomEntry", {"customType": "c"}),
    ("session/appendSessionInfo", {"name": "n"}),
    ("session/appendCustomMessageEntry", {"customType": "c", "content": "x", "display": True}),
    ("session/appendLabelChange", {"targetId": "x"}),
    ("session/appendUsage", {"kind": "k", "provider": "p", "model": "m", "usage": {"cost": {}}}),
    ("session/appendContextEdit", {"targetId": "x", "replacement": None}),
    ("session/branchWithSummary", {"entryId": None, "summary": "s"}),
    ("session/newSession", {}),
]


@pytest.mark.parametrize("how", ["daemon", "open"])
async def test_a_read_only_session_is_never_written_not_even_migrated(
    places: tuple[Path, Path], tmp_path: Path, how: str
):
    file = places[0] / "s.jsonl"
    file.write_text(HEADER + '\n{"type":"message","message":{"role":"user","content":"a"}}\n')
    before = file.read_bytes(), os.stat(file)
    async with daemon(tmp_path, read_only=how == "daemon") as client:
        params = {"path": str(file), "readOnly": how == "open"}
        state = await client.request("session/open", params)
        assert state["readOnly"]
        assert state["version"] == 3
        session = {"session": state["session"]}
        for method, more in WRITES:
            with pytest.raises(RpcError) as raised:
                await client.request(method, {**session, **more})
            assert raised.value.kind == "ReadOnly", method
        branch = {**session, "leafId": state["leafId"]}
        with pytest.raises(RpcError) as raised:
            await client.request("session/createBranchedSession", branch)
        assert raised.value.kind == "ReadOnly"
        assert (await client.request("session/getEntryCount", session)) == {"count": 1}
    after = os.stat(file)
    assert (file.read_bytes(), after.st_mtime_ns) == (before[0], before[1].st_mtime_ns)
    assert sorted(path.name for path in file.parent.iterdir()) == [
        "link.jsonl",
        "s.jsonl",
        "way-out",
    ]


async def test_a_read_only_daemon_creates_nothing(tmp_path: Path):
    async with daemon(tmp_path, read_only=True) as client:
        for method, params in [
            ("session/create", {"cwd": "/w"}),
            ("session/continueRecent", {"cwd": "/w"}),
        ]:
            with pytest.raises(RpcError) as raised:
                await client.request(method, params)
            assert raised.value.kind == "ReadOnly"
        await client.request("session/inMemory")
        with pytest.raises(RpcError) as raised:
            await client.request("session/open", {"path": str(tmp_path / "new.jsonl")})
        assert raised.value.kind == "SessionNotFound"
    assert list(tmp_path.iterdir()) == []


IN_A_THREAD = """
import os, sys, threading
import sessiond.daemon
from sessiond.runtime.config import Config
from sessiond.runtime.errors import PathNotAllowed
from sessiond.files import disk

async def serve(client, *descriptors):
    found = []

    def look():
        try:
            found.append(disk.stat(sys.argv[2]).st_mode)
        except PathNotAllowed:
            found.append("refused")

    # A thread of a library has none of the contexts of a client.
    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    sys.stderr.write(str(found))
    return 0

sessiond.daemon.serve = serve
sessiond.daemon.run(Config(roots=(sys.argv[1],)), dict(os.environ))
"""


def test_threads_of_libraries_are_confined_with_the_process(
    places: tuple[Path, Path], tmp_path: Path
):
    inside, outside = map(str, places)
    done = subprocess.run(
        [sys.executable, "-c", IN_A_THREAD, inside, outside],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=isolated_environment(tmp_path),
        check=True,
    )
    assert done.stderr == "['refused']"
