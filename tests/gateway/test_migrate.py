"""Sessions from before each agent had a store are migrated on request."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from support.app import daemon
from support.client import RpcError
from support.session_lines import header

from sessiond.gateway.keys.session_key import KeyRules
from sessiond.gateway.migrate.merge import Merged, canonical_key, merge
from sessiond.gateway.store.entry import NonEntry, StoreEntry
from sessiond.gateway.store.snapshot import Items

NOW = 1_770_000_000_000
EMPTY: dict[str, Any] = {
    "migrated": [],
    "dropped": [],
    "moved": [],
    "kept": [],
    "leftover": None,
}


# Keys and entries


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ("group:ABC", "agent:ops:unknown:group:abc"),
        ("group:120363-1@G.US", "agent:ops:whatsapp:group:120363-1@g.us"),
        ("Group: x ", "agent:ops:unknown:group:x"),
        ("12345-678@g.us", "agent:ops:whatsapp:group:12345-678@g.us"),
        ("whatsapp:12345-678@g.us", "agent:ops:whatsapp:group:12345-678@g.us"),
        ("WhatsApp:group:1@g.us", "agent:ops:whatsapp:group:1@g.us"),
        ("subagent:X", "agent:ops:subagent:x"),
        ("main", "agent:ops:work"),
        (" MAIN ", "agent:ops:work"),
        ("work", "agent:ops:work"),
        ("agent:ops:main", "agent:ops:work"),
        ("agent:OPS:Main", "agent:ops:work"),
        ("+15551234", "agent:ops:+15551234"),
        ("Discord:Group:1", "agent:ops:discord:group:1"),
        ("cron:Job", "agent:ops:cron:job"),
        ("agent:other:X", "agent:other:x"),
        ("global", "global"),
        ("Unknown", "unknown"),
        ("", ""),
    ],
)
def test_every_key_gets_its_current_form(given: str, key: str):
    assert canonical_key(given, KeyRules(False, "work", "ops", "ops")) == key


def test_main_is_the_default_agents_even_where_a_configuration_has_two():
    assert canonical_key("main", KeyRules(main_agent="a", default_agent="b")) == "agent:b:main"


def test_under_global_scope_the_main_session_is_global():
    rules = KeyRules(is_global=True)
    assert canonical_key("main", rules) == "global"
    assert shown(merged({}, {"x": {"sessionId": "a", "updatedAt": 1}}, rules))["global"] == {
        "sessionId": "a",
        "updatedAt": 1,
    }


def items(values: dict[str, Any]) -> Items:
    return {
        key: StoreEntry.of(value)
        if isinstance(value, dict)
        else NonEntry(json.dumps(value).encode())
        for key, value in values.items()
    }


def merged(stored: dict[str, Any], legacy: dict[str, Any], rules: KeyRules | None = None) -> Merged:
    return merge(items(stored), items(legacy), rules or KeyRules(), NOW, lambda _: None)


def shown(found: Merged) -> dict[str, Any]:
    return {key: json.loads(item.text) for key, item in found.items.items()}


def known(session_id: str, updated_at: float | None = None, **more: Any) -> dict[str, Any]:
    return {"sessionId": session_id, "updatedAt": updated_at, **more}


@pytest.mark.parametrize(
    ("stored", "legacy", "winner"),
    [
        (1, 2, "legacy"),
        (2, 1, "stored"),
        (2, 2, "stored"),
        (None, 1, "legacy"),
        (1, None, "stored"),
        (None, None, "stored"),
    ],
)
def test_the_newer_of_two_entries_with_one_key_is_kept(
    stored: float | None, legacy: float | None, winner: str
):
    found = merged({"agent:main:x": known("stored", stored)}, {"X": known("legacy", legacy)})
    assert shown(found)["agent:main:x"]["sessionId"] == winner
    assert (found.migrated[:1], found.dropped) == (
        (["agent:main:x"], []) if winner == "legacy" else (["agent:main:main"], ["X"])
    )


def test_of_equally_old_legacy_entries_the_one_with_the_exact_key_is_kept():
    legacy = {"X": known("a", 5), "agent:main:x": known("b", 5), "x": known("c", 5)}
    found = merged({"agent:main:main": known("m", 1)}, legacy)
    assert shown(found)["agent:main:x"] == known("b", 5)
    assert found.dropped == ["X", "x"]


def test_a_newer_entry_of_the_legacy_store_beats_the_one_under_the_very_key():
    legacy = {"agent:main:x": known("b", 5), "x": known("c", 6)}
    found = merged({"agent:main:main": known("m", 1)}, legacy)
    assert shown(found)["agent:main:x"] == known("c", 6)
    assert (found.migrated, found.dropped) == (["agent:main:x"], ["agent:main:x"])


def test_an_entry_of_the_store_counts_under_any_spelling():
    stored = {"agent:main:Main": known("m", 9), "Agent:Main:X": known("x", 1)}
    found = merged(stored, {"main": known("old", 5), "x": known("new", 2)})
    assert shown(found) == {"agent:main:Main": known("m", 9), "agent:main:x": known("new", 2)}
    assert (found.migrated, found.dropped) == (["agent:main:x"], ["main"])


def test_an_entry_without_an_id_is_dropped_and_one_without_a_time_is_of_now():
    legacy: dict[str, Any] = {"a": {"updatedAt": 9}, "b": {"sessionId": 7}, "c": {"sessionId": "c"}}
    found = merged({"agent:main:main": known("m", 1)}, legacy)
    assert found.dropped == ["a", "b"]
    assert shown(found)["agent:main:c"] == {"sessionId": "c", "updatedAt": NOW}


def test_the_newest_session_with_messages_becomes_the_main_one_too():
    legacy = {
        "telegram:1": known("old", 1),
        "telegram:2": known("new", 2, custom=[1]),
        "group:g": known("group", 9),
        "discord": known("channel", 9, chatType="channel"),
        "subagent:s": known("sub", 9),
        "cron:j": known("cron", 9),
        "agent:other:x": known("other", 9),
        "unknown": known("unknown", 9),
    }
    found = merged({}, legacy)
    assert shown(found)["agent:main:main"] == known("new", 2, custom=[1])
    assert shown(found)["agent:main:telegram:2"] == known("new", 2, custom=[1])
    assert found.migrated[-1] == "agent:main:main"


@pytest.mark.parametrize("main", ["agent:main:main", "main", "agent:main:MAIN"])
def test_an_existing_main_session_is_kept(main: str):
    found = merged({main: known("m", 1)}, {"x": known("x", 9)})
    assert shown(found) == {main: known("m", 1), "agent:main:x": known("x", 9)}


def test_values_that_are_not_entries_are_migrated_where_their_key_is_free():
    stored = {"agent:main:main": "odd", "list": [1]}
    legacy = {"main": known("m", 5), "list": [1], "text": "t", "agent:main:main": "other"}
    found = merged(stored, legacy)
    assert shown(found) == {**stored, "text": "t"}
    assert (found.migrated, found.blocked) == (["text"], ["main", "agent:main:main"])


# LegacyFiles


def lay(home: Path, store: Any = None, **files: str) -> Path:
    """A legacy directory; names of files have `_` for `.`."""
    legacy = home / "sessions"
    legacy.mkdir(parents=True)
    if store is not None:
        text = store if isinstance(store, str) else json.dumps(store)
        (legacy / "sessions.json").write_text(text)
    for name, text in files.items():
        (legacy / name.replace("_", ".")).write_text(text)
    return legacy


def target(home: Path, agent: str = "main") -> Path:
    return home / "agents" / agent / "sessions"


def tree(home: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in home.rglob("*") if path.is_file()}


def stored(home: Path) -> Any:
    return json.loads((target(home) / "sessions.json").read_bytes())


async def migrate(home: Path, *, options: dict[str, Any] | None = None, **params: Any) -> Any:
    where = {"profile": "coderclaw", "agent_dir": str(home), **(options or {})}
    async with daemon(home, **where) as client:
        return await client.request("gateway/migrate", params)


async def test_sessions_and_their_transcripts_go_to_the_agent(tmp_path: Path):
    entry = known("a", 5, provider="Telegram", custom={"n": 9007199254740993})
    legacy = lay(tmp_path, {"telegram:1": entry}, a_jsonl="A", notes_txt="N")
    found = await migrate(tmp_path)
    folder = target(tmp_path)
    assert found == {
        **EMPTY,
        "migrated": ["agent:main:telegram:1", "agent:main:main"],
        "moved": [str(folder / "a.jsonl"), str(folder / "notes.txt")],
        "storePath": str(folder / "sessions.json"),
    }
    after = stored(tmp_path)
    assert after["agent:main:main"] == after["agent:main:telegram:1"]
    assert after["agent:main:main"]["channel"] == "Telegram"
    assert after["agent:main:main"]["custom"] == {"n": 9007199254740993}
    assert (folder / "a.jsonl").read_text() == "A"
    assert not legacy.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["agents"]


async def test_without_a_legacy_directory_nothing_is_done(tmp_path: Path):
    home = tmp_path / "state"
    home.mkdir()
    found = await migrate(home)
    assert found == {**EMPTY, "storePath": str(target(home) / "sessions.json")}
    assert list(home.iterdir()) == []


async def test_an_empty_legacy_directory_is_removed(tmp_path: Path):
    legacy = lay(tmp_path)
    assert await migrate(tmp_path) == {
        **EMPTY,
        "storePath": str(target(tmp_path) / "sessions.json"),
    }
    assert not legacy.exists()


async def test_a_dry_run_gives_the_result_and_writes_nothing(tmp_path: Path):
    entries = {"a": known("a", 5), "bad": {}, "x": known("x", 1)}
    legacy = lay(tmp_path, entries, a_jsonl="A", x_jsonl="X")
    target(tmp_path).mkdir(parents=True)
    (target(tmp_path) / "sessions.json").write_text(json.dumps({"agent:main:x": known("y", 2)}))
    (target(tmp_path) / "x.jsonl").write_text("taken")
    before = tree(tmp_path)
    told = await migrate(tmp_path, dryRun=True, options={"read_only": True})
    assert tree(tmp_path) == before
    done = await migrate(tmp_path)
    for name in ("migrated", "dropped", "moved", "storePath"):
        assert told[name] == done[name] != [], name
    assert told["leftover"].startswith(f"{legacy}.legacy-")
    assert [Path(path).name for path in told["kept"]] == ["x.jsonl"]


async def test_migration_overwrites_nothing_and_renames_the_leftovers(tmp_path: Path):
    legacy = lay(tmp_path, {"x": known("x", 1)}, x_jsonl="old", y_jsonl_lock="{}")
    (legacy / "folder").mkdir()
    (legacy / "folder" / "in.jsonl").write_text("in")
    (tmp_path / "secret").write_text("secret")
    (legacy / "link.jsonl").symlink_to(tmp_path / "secret")
    target(tmp_path).mkdir(parents=True)
    (target(tmp_path) / "x.jsonl").write_text("new")
    found = await migrate(tmp_path)
    leftover = Path(found["leftover"])
    assert leftover.parent == tmp_path
    assert leftover.name.removeprefix("sessions.legacy-").isdecimal()
    names = ["folder", "link.jsonl", "x.jsonl", "y.jsonl.lock"]
    assert found["kept"] == [str(leftover / name) for name in names]
    assert found["moved"] == []
    assert sorted(path.name for path in leftover.iterdir()) == names
    assert (leftover / "x.jsonl").read_text() == "old"
    assert (target(tmp_path) / "x.jsonl").read_text() == "new"
    assert (leftover / "folder" / "in.jsonl").read_text() == "in"
    assert not legacy.exists()


async def test_a_legacy_store_may_be_json5(tmp_path: Path):
    text = "// by hand\n{main: {sessionId: 'm', updatedAt: 5, custom: [1, 2,],},}"
    lay(tmp_path, text)
    assert (await migrate(tmp_path))["migrated"] == ["agent:main:main"]
    assert stored(tmp_path) == {"agent:main:main": known("m", 5, custom=[1, 2])}


@pytest.mark.parametrize("text", ["{", "[]", "null", "7", "{a: }", "\udcff{}"])
async def test_a_store_that_is_not_valid_does_not_change_nor_do_its_files(
    tmp_path: Path, text: str
):
    legacy = lay(tmp_path, "", a_jsonl="A")
    (legacy / "sessions.json").write_bytes(text.encode(errors="surrogateescape"))
    before = tree(tmp_path)
    found = await migrate(tmp_path)
    (problem,) = found.pop("problems")
    assert (problem["kind"], problem["path"]) == ("corruptStore", str(legacy / "sessions.json"))
    kept = [str(legacy / "a.jsonl"), str(legacy / "sessions.json")]
    assert found == {**EMPTY, "kept": kept, "storePath": str(target(tmp_path) / "sessions.json")}
    assert tree(tmp_path) == before


async def test_a_store_that_is_a_link_does_not_change(tmp_path: Path):
    home = tmp_path / "state"
    legacy = lay(home)
    outside = tmp_path / "outside.json"
    outside.write_text(json.dumps({"x": known("x", 1)}))
    (legacy / "sessions.json").symlink_to(outside)
    found = await migrate(home)
    assert [problem["kind"] for problem in found["problems"]] == ["unreadableStore"]
    assert (found["migrated"], found["kept"]) == ([], [str(legacy / "sessions.json")])
    assert not target(home).exists()


async def test_a_directory_that_is_a_link_is_not_followed(tmp_path: Path):
    home, outside = tmp_path / "state", tmp_path / "outside"
    lay(outside, {"x": known("x", 1)}, x_jsonl="X")
    home.mkdir()
    (home / "sessions").symlink_to(outside / "sessions")
    before = tree(outside)
    found = await migrate(home)
    assert (found["moved"], found["kept"]) == ([], [str(home / "sessions")])
    assert [problem["kind"] for problem in found["problems"]] == ["moveFailed"]
    assert tree(outside) == before


async def test_files_do_not_leave_the_state_directory(tmp_path: Path):
    home, outside = tmp_path / "state", tmp_path / "outside"
    legacy = lay(home, {"x": known("x", 1)}, x_jsonl="X")
    outside.mkdir()
    target(home).parent.mkdir(parents=True)
    target(home).symlink_to(outside)
    found = await migrate(home)
    assert (found["moved"], found["leftover"]) == ([], None)
    assert found["kept"] == [str(legacy / "x.jsonl")]
    assert [(p["kind"], p["path"]) for p in found["problems"]] == [
        ("moveFailed", str(legacy / "x.jsonl"))
    ]
    assert (legacy / "x.jsonl").read_text() == "X"
    assert [path.name for path in outside.iterdir()] == ["sessions.json"]


async def test_a_current_store_in_the_legacy_directory_is_not_migrated(tmp_path: Path):
    legacy = lay(tmp_path, {"agent:main:x": known("x", 1)}, x_jsonl="X")
    before = tree(tmp_path)
    path = str(legacy / "sessions.json")
    assert await migrate(tmp_path, storePath=path) == {**EMPTY, "storePath": path}
    assert tree(tmp_path) == before


@pytest.mark.parametrize("named", ["{legacy}/x-topic-7.jsonl", "x-topic-7.jsonl"])
async def test_a_migrated_session_finds_its_moved_transcript(tmp_path: Path, named: str):
    file = named.format(legacy=tmp_path / "sessions")
    legacy = lay(tmp_path, {"x": known("x", 1, sessionFile=file)})
    (legacy / "x-topic-7.jsonl").write_text("topic")
    await migrate(tmp_path)
    after = target(tmp_path) / "x-topic-7.jsonl"
    assert after.read_text() == "topic"
    wanted = str(after) if file.startswith("/") else file
    assert stored(tmp_path)["agent:main:x"]["sessionFile"] == wanted


async def test_with_a_store_elsewhere_transcripts_are_named_in_full(tmp_path: Path):
    home = tmp_path / "state"
    lay(home, {"x": known("x", 1, sessionFile="x.jsonl")}, x_jsonl="X")
    store = tmp_path / "stores" / "main.json"
    found = await migrate(home, storePath=str(tmp_path / "stores" / "{agentId}.json"))
    assert found["storePath"] == str(store)
    after = json.loads(store.read_text())["agent:main:x"]
    assert after["sessionFile"] == str(target(home) / "x.jsonl") == found["moved"][0]


async def test_a_transcript_that_is_being_written_is_left_for_the_next_run(tmp_path: Path):
    legacy = lay(tmp_path, {})
    file = legacy / "x.jsonl"
    entry = known("x", 1, sessionFile=str(file))
    (legacy / "sessions.json").write_text(json.dumps({"x": entry}))
    file.write_text(header("x"))
    where = {"profile": "coderclaw", "agent_dir": str(tmp_path)}
    async with daemon(tmp_path, **where) as client:
        opened = await client.request("session/open", {"path": str(file)})
        busy = await client.request("gateway/migrate", {})
        assert (busy["moved"], busy["kept"], busy["leftover"]) == ([], [str(file)], None)
        assert [(p["kind"], p["path"]) for p in busy["problems"]] == [("moveFailed", str(file))]
        assert stored(tmp_path)["agent:main:x"]["sessionFile"] == str(file)
        await client.request("session/close", {"session": opened["session"]})
        done = await client.request("gateway/migrate", {})
    assert (done["migrated"], done["leftover"]) == ([], None)
    assert done["moved"] == [str(target(tmp_path) / "x.jsonl")]
    assert stored(tmp_path)["agent:main:x"]["sessionFile"] == done["moved"][0]
    assert not legacy.exists()


async def test_a_legacy_store_whose_values_found_no_place_is_kept(tmp_path: Path):
    lay(tmp_path, {"main": known("m", 5), "x": known("x", 1)})
    target(tmp_path).mkdir(parents=True)
    (target(tmp_path) / "sessions.json").write_text('{"agent:main:main": "odd"}')
    found = await migrate(tmp_path)
    (kept,) = found["kept"]
    assert kept == f"{found['leftover']}/sessions.json"
    assert json.loads(Path(kept).read_text())["main"] == known("m", 5)
    assert stored(tmp_path)["agent:main:main"] == "odd"
    assert {(p["kind"], p["sessionKey"]) for p in found["problems"]} == {
        ("moveFailed", "main"),
        ("notAnEntry", "agent:main:main"),
    }


async def test_if_the_store_cannot_be_saved_nothing_is_moved(tmp_path: Path):
    lay(tmp_path, {"x": known("x", 1)}, x_jsonl="X")
    target(tmp_path).mkdir(parents=True)
    store = target(tmp_path) / "sessions.json"
    store.write_text("{}")
    store.chmod(0o400)
    before = tree(tmp_path)
    with pytest.raises(RpcError) as failed:
        await migrate(tmp_path)
    assert failed.value.kind == "WriteFailed"
    assert tree(tmp_path) == before


async def test_a_gateway_that_still_uses_the_legacy_store_is_waited_for(tmp_path: Path):
    legacy = lay(tmp_path, {"x": known("x", 1)}, x_jsonl="X")
    created = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    lock = {"pid": os.getppid(), "createdAt": created}
    (legacy / "sessions.json.lock").write_text(json.dumps(lock))
    before = tree(tmp_path)
    with pytest.raises(RpcError) as failed:
        await migrate(tmp_path, options={"lock_timeout": 0.05})
    assert failed.value.kind == "Busy"
    assert tree(tmp_path) == before


async def test_old_sessions_are_not_pruned_before_their_transcripts_are_found(tmp_path: Path):
    lay(tmp_path, {"main": known("m", 1)}, m_jsonl="M")
    config = {"session": {"maintenance": {"mode": "enforce"}}}
    await migrate(tmp_path, config=config)
    assert stored(tmp_path) == {"agent:main:main": known("m", 1)}
    where = {"profile": "coderclaw", "agent_dir": str(tmp_path)}
    async with daemon(tmp_path, **where) as client:
        pruned = await client.request("gateway/maintain", {"config": config})
    (archived,) = pruned["archived"]
    assert Path(archived).read_text() == "M"


async def test_the_named_agent_gets_the_legacy_sessions(tmp_path: Path):
    lay(tmp_path, {"main": known("m", 1)}, m_jsonl="M")
    found = await migrate(tmp_path, agentId="Ops")
    assert found["migrated"] == ["agent:ops:main"]
    assert found["moved"] == [str(target(tmp_path, "ops") / "m.jsonl")]


async def test_a_daemon_that_only_reads_refuses(tmp_path: Path):
    lay(tmp_path, {"main": known("m", 1)})
    with pytest.raises(RpcError) as refused:
        await migrate(tmp_path, options={"read_only": True})
    assert refused.value.kind == "ReadOnly"
    assert (tmp_path / "sessions" / "sessions.json").exists()


async def test_directories_outside_the_roots_are_refused(tmp_path: Path):
    home, root = tmp_path / "state", tmp_path / "root"
    lay(home, {"main": known("m", 1)})
    root.mkdir()
    with pytest.raises(RpcError) as refused:
        await migrate(home, options={"roots": (str(root),)}, storePath=str(root / "s.json"))
    assert refused.value.kind == "PathNotAllowed"


@pytest.mark.parametrize("params", [{}, {"storePath": "/s.json"}])
async def test_a_profile_without_a_gateway_has_nothing_to_migrate(
    tmp_path: Path, params: dict[str, Any]
):
    with pytest.raises(RpcError) as refused:
        await migrate(tmp_path, options={"profile": "pi"}, **params)
    assert refused.value.code == -32602


async def test_migration_only_happens_on_request(tmp_path: Path):
    lay(tmp_path, {"main": known("m", 1)}, m_jsonl="M")
    before = tree(tmp_path)
    where = {"profile": "coderclaw", "agent_dir": str(tmp_path)}
    async with daemon(tmp_path, **where) as client:
        await client.request("initialize")
        await client.request("gateway/list", {})
        await client.request("gateway/get", {"sessionKey": "main"})
    assert tree(tmp_path) == before
