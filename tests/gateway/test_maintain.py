"""Maintenance of a store: asked for, and with everything that is saved."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from support.app import daemon
from support.client import RpcError
from support.session_lines import header

from sessiond.files import disk

DAY = 86_400_000
STAMP = "2020-02-05T09-30-00.000Z"


def now() -> int:
    return int(time.time() * 1000)


def aged(days: float, **members: Any) -> dict[str, Any]:
    return {"updatedAt": now() - int(days * DAY), **members}


def sessions(home: Path, agent: str = "main") -> Path:
    return home / "agents" / agent / "sessions"


def lay(home: Path, entries: dict[str, Any], agent: str = "main", **config: Any) -> Path:
    """A store with these sessions, their transcripts, and a configuration of maintenance."""
    folder = sessions(home, agent)
    folder.mkdir(parents=True)
    store = folder / "sessions.json"
    store.write_text(json.dumps(entries))
    for entry in entries.values():
        if isinstance(entry, dict) and isinstance(entry.get("sessionId"), str):
            (folder / f"{entry['sessionId']}.jsonl").write_text(entry["sessionId"])
    if config:
        settings = {"session": {"maintenance": config}}
        (home / "coderclaw.json").write_text(json.dumps(settings))
    return store


def files(home: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in home.rglob("*") if path.is_file()}


async def maintain(home: Path, *, options: dict[str, Any] | None = None, **params: Any) -> Any:
    where = {"profile": "coderclaw", "agent_dir": str(home), **(options or {})}
    async with daemon(home, **where) as client:
        return await client.request("gateway/maintain", params)


NOTHING: dict[str, Any] = {
    "pruned": [],
    "capped": [],
    "reaped": [],
    "archived": [],
    "removed": [],
}


async def test_maintain_tells_what_it_would_do_by_default(tmp_path: Path):
    entries = {"agent:main:old": aged(31, sessionId="a"), "agent:main:new": aged(1, sessionId="b")}
    store = lay(tmp_path, entries)
    before = files(tmp_path)
    assert await maintain(tmp_path) == {
        **NOTHING,
        "mode": "warn",
        "storePath": str(store),
        "pruned": ["agent:main:old"],
        "archived": [str(store.parent / "a.jsonl")],
    }
    assert files(tmp_path) == before


async def test_old_and_excess_sessions_are_removed_and_only_old_ones_archived(tmp_path: Path):
    entries = {
        "agent:main:old": aged(3, sessionId="old"),
        "agent:main:none": {"sessionId": "none"},
        "agent:main:b": aged(1, sessionId="b"),
        "agent:main:a": aged(0, sessionId="a", custom={"n": 1}),
        "odd": "kept",
    }
    store = lay(tmp_path, entries, mode="enforce", pruneAfter="2d", maxEntries=1)
    folder = store.parent
    found = await maintain(tmp_path)
    assert found["mode"] == "enforce"
    assert found["pruned"] == ["agent:main:old"]
    assert found["capped"] == ["agent:main:b", "agent:main:none"]
    assert found["removed"] == []
    assert [problem["kind"] for problem in found["problems"]] == ["notAnEntry"]
    left = json.loads(store.read_text())
    assert left == {"agent:main:a": entries["agent:main:a"], "odd": "kept"}
    (archived,) = found["archived"]
    assert archived.startswith(f"{folder}/old.jsonl.deleted.")
    assert Path(archived).read_text() == "old"
    assert {path.name for path in folder.iterdir()} == {
        *("sessions.json", "a.jsonl", "b.jsonl", "none.jsonl"),
        Path(archived).name,
    }


async def test_a_dry_run_gives_the_result_and_writes_nothing(tmp_path: Path):
    entries = {
        "agent:main:old": aged(3, sessionId="old"),
        "agent:main:a": aged(0, sessionId="a"),
        "agent:main:b": aged(1, sessionId="b"),
    }
    config = {"mode": "enforce", "pruneAfter": "2d", "maxEntries": 1}
    store = lay(tmp_path, entries, **config)
    gone = store.parent / f"x.jsonl.deleted.{STAMP}"
    gone.write_text("")
    before = files(tmp_path)
    told = await maintain(tmp_path, dryRun=True, options={"read_only": True})
    assert files(tmp_path) == before
    done = await maintain(tmp_path)
    for name in ("mode", "pruned", "capped", "reaped", "removed", "storePath"):
        assert told[name] == done[name], name
    assert told["removed"] == [str(gone)]
    assert told["archived"] == [f"{store.parent}/old.jsonl"]


async def test_the_mode_of_the_request_overrides_that_of_the_configuration(tmp_path: Path):
    store = lay(tmp_path, {"agent:main:old": aged(31, sessionId="a")}, mode="enforce")
    before = store.read_bytes()
    assert (await maintain(tmp_path, mode="warn"))["mode"] == "warn"
    assert store.read_bytes() == before
    assert (await maintain(tmp_path, mode="enforce"))["pruned"] == ["agent:main:old"]
    assert store.read_text() == "{}"


async def test_a_configuration_may_come_with_the_request(tmp_path: Path):
    lay(tmp_path, {"agent:main:old": aged(2, sessionId="a")})
    config = {"session": {"maintenance": {"mode": "enforce", "pruneAfter": "1d"}}}
    assert (await maintain(tmp_path, config=config))["pruned"] == ["agent:main:old"]


async def test_bad_settings_are_reported_and_the_rest_holds(tmp_path: Path):
    bad = {"mode": "enforce", "pruneAfter": "soon", "maxEntries": 0}
    lay(tmp_path, {"agent:main:old": aged(31, sessionId="a")})
    config = {"session": {"maintenance": bad}, "cron": {"sessionRetention": "x"}}
    found = await maintain(tmp_path, config=config)
    assert found["pruned"] == ["agent:main:old"]
    assert {problem["path"] for problem in found["configProblems"]} == {
        "session.maintenance.pruneAfter",
        "session.maintenance.maxEntries",
        "cron.sessionRetention",
    }


async def test_runs_of_jobs_are_reaped_and_their_transcripts_stay(tmp_path: Path):
    run = "agent:main:cron:job:run:one"
    entries = {run: aged(1.1, sessionId="run"), "agent:main:cron:job": aged(2, sessionId="job")}
    store = lay(tmp_path, entries, mode="enforce")
    kept = {"session": {"maintenance": {"mode": "enforce"}}, "cron": {"sessionRetention": False}}
    assert (await maintain(tmp_path, config=kept))["reaped"] == []
    found = await maintain(tmp_path)
    assert (found["reaped"], found["pruned"], found["archived"]) == ([run], [], [])
    assert list(json.loads(store.read_text())) == ["agent:main:cron:job"]
    assert (store.parent / "run.jsonl").exists()


async def test_a_transcript_is_archived_in_any_directory_of_its_session(tmp_path: Path):
    old = aged(31, sessionId="a", sessionFile="a-topic-7.jsonl")
    store = lay(tmp_path, {"agent:main:old": old})
    (store.parent / "a-topic-7.jsonl").write_text("topic")
    found = await maintain(tmp_path, mode="enforce")
    names = {Path(path).name.partition(".deleted.")[0] for path in found["archived"]}
    assert names == {"a.jsonl", "a-topic-7.jsonl"}


@pytest.mark.parametrize(
    "file",
    [
        "../../../outside.jsonl",
        "/etc/passwd",
        "sessions.json",
        "{home}/agents/ops/sessions/sessions.json",
        "",
        3,
        None,
    ],
)
async def test_a_file_that_is_not_a_transcript_never_changes(tmp_path: Path, file: Any):
    home = tmp_path / "state"
    (tmp_path / "outside.jsonl").write_text("outside")
    lay(home, {"x": aged(0, sessionId="x")}, agent="ops")
    named = file.replace("{home}", str(home)) if isinstance(file, str) else file
    entries = {
        "agent:main:old": aged(31, sessionId="../bad", sessionFile=named),
        "agent:main:new": aged(1, sessionId="b"),
    }
    (home / "agents/main/sessions").mkdir(parents=True)
    store = home / "agents/main/sessions/sessions.json"
    store.write_text(json.dumps(entries))
    found = await maintain(home, mode="enforce")
    assert (found["pruned"], found["archived"]) == (["agent:main:old"], [])
    assert list(json.loads(store.read_text())) == ["agent:main:new"]
    assert (tmp_path / "outside.jsonl").read_text() == "outside"
    assert (home / "agents/ops/sessions/sessions.json").exists()


async def test_transcripts_outside_the_roots_stay(tmp_path: Path):
    home = tmp_path / "state"
    other = tmp_path / "agents" / "q" / "sessions"
    other.mkdir(parents=True)
    (other / "z.jsonl").write_text("z")
    lay(home, {"agent:main:old": aged(31, sessionId="a", sessionFile=str(other / "z.jsonl"))})
    found = await maintain(home, mode="enforce", options={"roots": [str(home)]})
    assert [Path(path).name.partition(".deleted.")[0] for path in found["archived"]] == ["a.jsonl"]
    assert (other / "z.jsonl").read_text() == "z"
    with pytest.raises(RpcError) as raised:
        await maintain(home, mode="enforce", storePath="/x/s.json", options={"roots": [str(home)]})
    assert raised.value.kind == "PathNotAllowed"


async def test_old_archives_are_deleted_where_something_was_archived_just_now(tmp_path: Path):
    store = lay(tmp_path, {"agent:main:old": aged(31, sessionId="a")}, mode="enforce")
    elsewhere = sessions(tmp_path, "ops")
    elsewhere.mkdir(parents=True)
    fresh = time.strftime("%Y-%m-%dT%H-%M-%S.000Z", time.gmtime())
    kept = [
        elsewhere / f"x.jsonl.deleted.{STAMP}",
        *(store.parent / f"x.jsonl.{reason}.{STAMP}" for reason in ("reset", "bak")),
        *(store.parent / f"x.jsonl.deleted.{when}" for when in (fresh, "2020", "x", "")),
    ]
    for path in kept:
        path.write_text("kept")
    folder = store.parent / f"dir.deleted.{STAMP}"
    folder.mkdir()
    link = store.parent / f"link.deleted.{STAMP}"
    link.symlink_to(kept[0])
    old = store.parent / f"x.jsonl.deleted.{STAMP}"
    old.write_text("old")
    found = await maintain(tmp_path)
    assert found["removed"] == [str(old)]
    assert not old.exists()
    assert all(path.exists() for path in [*kept, folder, link])
    # Nothing is archived the second time, so nothing is deleted.
    old.write_text("old")
    assert (await maintain(tmp_path))["removed"] == []
    assert old.exists()


async def test_a_store_that_is_not_valid_does_not_change(tmp_path: Path):
    store = lay(tmp_path, {}, mode="enforce")
    store.write_text("{not json")
    found = await maintain(tmp_path)
    assert [problem["kind"] for problem in found["problems"]] == ["corruptStore"]
    assert [path.name for path in store.parent.iterdir()] == ["sessions.json"]
    assert store.read_text() == "{not json"


async def test_a_missing_store_is_not_created(tmp_path: Path):
    found = await maintain(tmp_path, mode="enforce", agentId="ops")
    assert found == {
        **NOTHING,
        "mode": "enforce",
        "storePath": f"{tmp_path}/agents/ops/sessions/sessions.json",
    }
    assert list(tmp_path.iterdir()) == []


async def test_each_agent_has_a_store_or_all_share_one(tmp_path: Path):
    lay(tmp_path, {"agent:ops:old": aged(31, sessionId="o")}, agent="ops")
    lay(tmp_path, {"agent:main:old": aged(31, sessionId="m")})
    found = await maintain(tmp_path, mode="enforce", agentId="ops")
    assert found["pruned"] == ["agent:ops:old"]
    shared = tmp_path / "shared.json"
    shared.write_text(json.dumps({"agent:main:old": aged(31, sessionId="m")}))
    found = await maintain(tmp_path, mode="enforce", storePath=str(shared))
    assert (found["storePath"], found["pruned"]) == (str(shared), ["agent:main:old"])
    assert [Path(path).parent for path in found["archived"]] == [sessions(tmp_path)]


async def test_a_daemon_that_only_reads_refuses(tmp_path: Path):
    lay(tmp_path, {"agent:main:old": aged(31, sessionId="a")})
    with pytest.raises(RpcError) as raised:
        await maintain(tmp_path, mode="enforce", options={"read_only": True})
    assert raised.value.kind == "ReadOnly"


async def test_a_transcript_that_cannot_be_archived_is_reported(tmp_path: Path, monkeypatch):
    store = lay(tmp_path, {"agent:main:old": aged(31, sessionId="a")})

    def refuse(*_: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(disk, "rename_exclusively", refuse)
    found = await maintain(tmp_path, mode="enforce")
    assert (found["pruned"], found["archived"]) == (["agent:main:old"], [])
    transcript = str(store.parent / "a.jsonl")
    assert [(p["kind"], p["sessionKey"], p["path"]) for p in found["problems"]] == [
        ("archiveFailed", "agent:main:old", transcript)
    ]


async def test_a_transcript_that_is_being_written_to_stays(tmp_path: Path):
    store = lay(tmp_path, {"agent:main:old": aged(31, sessionId="a")})
    transcript = store.parent / "a.jsonl"
    transcript.write_text(header("a"))
    async with daemon(tmp_path, profile="coderclaw", agent_dir=str(tmp_path)) as client:
        await client.request("session/open", {"path": str(transcript)})
        found = await client.request("gateway/maintain", {"mode": "enforce"})
        assert (found["pruned"], found["archived"]) == (["agent:main:old"], [])
        assert [(p["kind"], p["path"]) for p in found["problems"]] == [
            ("archiveFailed", str(transcript))
        ]
    assert transcript.read_text() == header("a")
