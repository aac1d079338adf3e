"""Following the sessions of a gateway's stores when any program writes them."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
from support.agents import store_at
from support.app import daemon
from support.client import Client, RpcError
from support.process import DEADLINE

from sessiond.files.watcher import Watcher
from sessiond.gateway.config import Part
from sessiond.gateway.entry import StoreEntry
from sessiond.gateway.followed_store import Followed, StoreNews
from sessiond.gateway.keys import KeyRules
from sessiond.gateway.notifications import GatewayNotices
from sessiond.gateway.places import Layout, StoreScope
from sessiond.gateway.store import Draft, Store, Stores
from sessiond.runtime.errors import Busy

Key = tuple[str, str]


class Follower:
    """A subscription, and the sessions kept by its messages alone: entries by agent and key."""

    def __init__(self, client: Client, answer: dict[str, Any]) -> None:
        self.client = client
        self.answer = answer
        self.subscription = answer["subscription"]
        self.sequence = answer["sequence"]
        self.entries: dict[Key, Any] = {
            (one["agentId"], one["sessionKey"]): one["entry"] for one in answer["sessions"]
        }

    @classmethod
    async def of(cls, client: Client, **params: Any) -> Follower:
        return cls(client, await client.request("gateway/subscribe", params))

    async def next(self) -> list[tuple[str, str]]:
        """Receive one message and return its changes, as (kind, key)."""
        told = await self.client.notification("gateway/didChange")
        assert told["subscription"] == self.subscription
        self.sequence += 1
        assert told["sequence"] == self.sequence
        assert told["changes"]
        for change in told["changes"]:
            kind, key = change["kind"], (told["agentId"], change["sessionKey"])
            assert (kind == "added") == (key not in self.entries)
            assert ("entry" in change) == (kind != "removed")
            if kind == "removed":
                del self.entries[key]
            else:
                self.entries[key] = change["entry"]
        return [(change["kind"], change["sessionKey"]) for change in told["changes"]]

    async def until(self, expected: dict[Key, Any]) -> None:
        while self.entries != expected:
            await self.next()


def store_of(home: Path, agent: str = "main") -> Path:
    return home / "agents" / agent / "sessions" / "sessions.json"


def entry(number: int) -> dict[str, Any]:
    return {"sessionId": f"s{number}", "updatedAt": number}


def write(store: Path, **numbers: int) -> None:
    """As a gateway does: a new file in place of the old one."""
    store.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({key: entry(number) for key, number in numbers.items()}, indent=2)
    temporary = store.parent / f"sessions.json.{os.getpid()}.tmp"
    temporary.write_text(text)
    temporary.replace(store)


def following(home: Path, **options: Any) -> Any:
    return daemon(home, profile="coderclaw", agent_dir=str(home), **options)


async def test_a_subscription_sends_a_snapshot_and_then_every_change(tmp_path: Path):
    store = store_of(tmp_path)
    write(store, a=1)
    async with following(tmp_path) as client:
        follower = await Follower.of(client)
        assert follower.answer == {
            "subscription": follower.subscription,
            "sequence": 0,
            "sessions": [
                {
                    "agentId": "main",
                    "storePath": str(store),
                    "sessionKey": "a",
                    "entry": entry(1),
                }
            ],
        }
        write(store, a=1, b=2)
        assert await follower.next() == [("added", "b")]
        write(store, a=3, b=2)
        assert await follower.next() == [("changed", "a")]
        write(store, b=2)
        assert await follower.next() == [("removed", "a")]
    assert follower.entries == {("main", "b"): entry(2)}


async def test_an_edit_in_place_is_reported(tmp_path: Path):
    store = store_of(tmp_path)
    write(store, a=1, b=1)
    async with following(tmp_path) as client:
        follower = await Follower.of(client)
        store.write_text(store.read_text().replace('"updatedAt": 1', '"updatedAt": 7', 1))
        assert await follower.next() == [("changed", "a")]
    assert follower.entries[("main", "a")]["updatedAt"] == 7


async def test_a_rewrite_with_equal_entries_is_not_reported(tmp_path: Path):
    store = store_of(tmp_path)
    write(store, a=1, b=1)
    async with following(tmp_path) as client:
        follower = await Follower.of(client)
        compact = json.dumps(json.loads(store.read_text()), separators=(",", ":"))
        store.write_text(compact)
        write(store, b=1, a=1)
        write(store, b=1, a=2)
        assert await follower.next() == [("changed", "a")]


async def test_a_save_of_another_process_under_the_lock_is_reported(tmp_path: Path):
    store = store_of(tmp_path)
    async with following(tmp_path) as client:
        follower = await Follower.of(client)

        def edit(draft: Draft) -> None:
            draft.put("x", StoreEntry.of({"sessionId": "s", "channel": "discord"}))

        await store_at(store).change(edit)
        assert await follower.next() == [("added", "x")]
    assert follower.entries[("main", "x")]["sessionId"] == "s"


async def test_own_saves_are_reported_without_watching(tmp_path: Path):
    store = store_of(tmp_path)
    write(store, **{"agent:main:old": 1})
    async with following(tmp_path, watch="off") as client:
        follower = await Follower.of(client)
        assert (await client.request("gateway/maintain", {"mode": "enforce"}))["pruned"]
        assert await follower.next() == [("removed", "agent:main:old")]


async def test_all_agents_are_followed_and_those_to_come(tmp_path: Path):
    write(store_of(tmp_path, "zoe"), z=1)
    write(store_of(tmp_path), a=1)
    async with following(tmp_path) as client:
        follower = await Follower.of(client)
        assert [one["agentId"] for one in follower.answer["sessions"]] == ["main", "zoe"]
        write(store_of(tmp_path, "ops"), o=1)
        await follower.until(
            {("main", "a"): entry(1), ("zoe", "z"): entry(1), ("ops", "o"): entry(1)}
        )
        write(store_of(tmp_path, "ops"), o=2)
        assert await follower.next() == [("changed", "o")]


async def test_the_directory_of_all_agents_may_come_later(tmp_path: Path):
    home = tmp_path / "state"
    async with following(home) as client:
        follower = await Follower.of(client)
        assert follower.entries == {}
        write(store_of(home), a=1)
        await follower.until({("main", "a"): entry(1)})


async def test_with_an_agent_only_its_store_is_followed(tmp_path: Path):
    write(store_of(tmp_path), a=1)
    async with following(tmp_path) as client:
        follower = await Follower.of(client, agentId=" OPS ")
        assert follower.entries == {}
        write(store_of(tmp_path), a=2)
        write(store_of(tmp_path, "ops"), o=1)
        assert await follower.next() == [("added", "o")]
    assert follower.entries == {("ops", "o"): entry(1)}


async def test_a_store_that_all_share_is_followed_once(tmp_path: Path):
    store = tmp_path / "shared" / "sessions.json"
    write(store, **{"agent:main:a": 1, "agent:ops:b": 1})
    async with daemon(tmp_path) as client:
        follower = await Follower.of(client, storePath=str(store))
        assert set(follower.entries) == {("main", "agent:main:a"), ("main", "agent:ops:b")}
        write(store, **{"agent:main:a": 1})
        assert await follower.next() == [("removed", "agent:ops:b")]


async def test_stores_named_by_agent_are_those_of_the_configured_agents(tmp_path: Path):
    agents = {"agents": {"list": [{"id": "a"}, {"id": "b"}]}}
    template = f"{tmp_path}/{{agentId}}/{{agentId}}.json"
    async with daemon(tmp_path) as client:
        follower = await Follower.of(client, storePath=template, config=agents)
        write(tmp_path / "c" / "c.json", c=1)
        write(tmp_path / "b" / "b.json", b=1)
        assert await follower.next() == [("added", "b")]


async def test_a_linked_store_is_followed_where_it_is(tmp_path: Path):
    real = tmp_path / "elsewhere" / "real.json"
    write(real, a=1)
    store = store_of(tmp_path)
    store.parent.mkdir(parents=True)
    store.symlink_to(real)
    async with following(tmp_path) as client:
        follower = await Follower.of(client)
        write(real, a=2)
        assert await follower.next() == [("changed", "a")]


async def test_a_store_that_becomes_a_link_is_followed_to_where_it_leads(tmp_path: Path):
    store = store_of(tmp_path)
    write(store, a=1)
    async with following(tmp_path) as client:
        follower = await Follower.of(client)
        for number in (2, 3):
            real = tmp_path / f"elsewhere{number}" / "real.json"
            write(real, a=number)
            link = store.with_suffix(".link")
            link.symlink_to(real)
            link.replace(store)
            assert await follower.next() == [("changed", "a")]
            write(real, a=number * 10)
            assert await follower.next() == [("changed", "a")]
            assert follower.entries == {("main", "a"): entry(number * 10)}


async def test_a_deleted_store_has_lost_its_sessions(tmp_path: Path):
    store = store_of(tmp_path)
    write(store, a=1, b=1)
    async with following(tmp_path) as client:
        follower = await Follower.of(client)
        store.unlink()
        assert sorted(await follower.next()) == [("removed", "a"), ("removed", "b")]
        write(store, a=1)
        assert await follower.next() == [("added", "a")]


@pytest.mark.parametrize("between", [None, "", '{"a": {"sess', "[]", "{}"])
async def test_a_store_that_is_empty_for_a_moment_causes_no_changes(
    tmp_path: Path, between: str | None
):
    store = store_of(tmp_path)
    write(store, a=1, b=1)
    followed = Followed("main", str(store), store_at(store))
    assert [change.kind for change in (await followed.look()).changes] == ["added", "added"]

    def take_away() -> None:
        store.rename(store.parent / "sessions.json.bak.1")
        if between is not None:
            store.write_text(between)

    take_away()
    assert await followed.look() == StoreNews([], None)
    assert followed.is_doubtful
    write(store, a=2, b=1)
    assert [(change.kind, change.sessionKey) for change in (await followed.look()).changes] == [
        ("changed", "a")
    ]
    take_away()
    assert await followed.look() == StoreNews([], None)
    assert [change.kind for change in (await followed.look()).changes] == ["removed", "removed"]
    assert not followed.is_doubtful


async def test_a_store_that_cannot_be_read_has_no_changes(tmp_path: Path):
    store = store_of(tmp_path)
    write(store, a=1)
    async with following(tmp_path) as client:
        follower = await Follower.of(client)
        store.unlink()
        store.mkdir()
        other = await Follower.of(client)
        assert other.entries == {}
        assert [p["kind"] for p in other.answer["problems"]] == ["unreadableStore"]
        store.rmdir()
        write(store, a=2)
        assert await follower_next(client, follower, other) == {
            follower.subscription: [("changed", "a")],
            other.subscription: [("added", "a")],
        }


async def follower_next(client: Client, *followers: Follower) -> dict[str, Any]:
    """One message for each, in whatever order."""
    found = {}
    while len(found) < len(followers):
        told = await client.notification("gateway/didChange")
        changes = [(change["kind"], change["sessionKey"]) for change in told["changes"]]
        found.setdefault(told["subscription"], changes)
    return found


async def test_values_that_are_not_entries_are_reported_once_and_never_as_changes(tmp_path: Path):
    store = store_of(tmp_path)
    store.parent.mkdir(parents=True)
    store.write_text('{"odd": "x", "a": {"sessionId": "s"}, "b": {"sessionId": "s"}}')
    async with following(tmp_path) as client:
        follower = await Follower.of(client)
        assert [(p["kind"], p["sessionKey"]) for p in follower.answer["problems"]] == [
            ("notAnEntry", "odd")
        ]
        assert set(follower.entries) == {("main", "a"), ("main", "b")}
        store.write_text('{"odd": {"sessionId": "s"}, "a": 3, "b": {"sessionId": "s"}}')
        assert sorted(await follower.next()) == [("added", "odd"), ("removed", "a")]


async def test_entries_travel_as_they_are_in_the_store(tmp_path: Path):
    store = store_of(tmp_path)
    store.parent.mkdir(parents=True)
    store.write_text('{"a": {"b": [1, 12345678901234567890, "\\ud800"], "x": {"jsonrpc": "2.0"}}}')
    async with following(tmp_path) as client:
        answer = await client.request_raw("gateway/subscribe", {})
    assert b'{"b":[1,12345678901234567890,"\\ud800"],"x":{"jsonrpc":"2.0"}}' in answer.raw


class SlowClient:
    """A channel that is full until it is drained, with the sent messages."""

    def __init__(self) -> None:
        self.reads = False
        self.queued = 0
        self.sent: asyncio.Queue[Any] = asyncio.Queue()
        self.waited_for = asyncio.Event()
        self._drained = asyncio.Event()

    @property
    def has_drained(self) -> bool:
        return self.reads

    async def drained(self) -> None:
        self.waited_for.set()
        await self._drained.wait()

    def drain(self) -> None:
        self.reads = True
        self._drained.set()

    def notify(self, method: str, params: Any) -> None:
        assert self.reads
        assert method == "gateway/didChange"
        self.sent.put_nowait(params)


async def test_a_client_that_does_not_read_gets_merged_changes(tmp_path: Path):
    store = store_of(tmp_path)
    write(store, a=1, b=1)
    client = SlowClient()
    stores = Stores(1)
    notices = GatewayNotices(client, client.notify, stores, Watcher(lambda _: None, mode="off"))
    scope = StoreScope(
        Layout(Part.root({}), KeyRules(), {}, str(tmp_path)), None, is_allowed=lambda _: True
    )
    notices.start(await notices.subscribe(scope))
    for number in range(2, 40):
        write(store, a=number)
        notices.report({str(store)})
    await client.waited_for.wait()
    write(store, a=40, c=1)
    notices.report({str(store)})
    client.drain()
    told = await asyncio.wait_for(client.sent.get(), 30)
    assert told.sequence == 1
    assert sorted((change.kind, change.sessionKey) for change in told.changes) == [
        ("added", "c"),
        ("changed", "a"),
        ("removed", "b"),
    ]
    write(store, a=40)
    notices.saved(str(store))
    assert [change.kind for change in (await client.sent.get()).changes] == ["removed"]
    notices.stop()
    notices.report({str(store)})
    assert client.sent.empty()


async def test_an_ended_subscription_is_silent(tmp_path: Path):
    store = store_of(tmp_path)
    write(store, a=1)
    async with following(tmp_path) as client:
        first = await Follower.of(client)
        second = await Follower.of(client)
        ended = {"subscription": first.subscription}
        assert await client.request("gateway/unsubscribe", ended) is None
        assert await client.request("gateway/unsubscribe", ended) is None
        assert await client.request("gateway/unsubscribe", {"subscription": "none"}) is None
        write(store, a=2)
        assert await second.next() == [("changed", "a")]
        await client.request("gateway/unsubscribe", {"subscription": second.subscription})
        while (await client.request("daemon/status"))["watch"]["directories"]:
            pass


async def test_catalogue_and_gateway_subscriptions_work_together(tmp_path: Path):
    store = store_of(tmp_path)
    write(store, a=1)
    transcript = store.parent / "x.jsonl"
    header = {"type": "session", "version": 3, "id": "x", "timestamp": "", "cwd": "/w"}
    async with following(tmp_path) as client:
        await client.request("catalog/subscribe", {})
        follower = await Follower.of(client)
        transcript.write_text(json.dumps(header) + "\n")
        told = await client.notification("catalog/didChange")
        assert [change["path"] for change in told["changes"]] == [str(transcript)]
        write(store, a=2)
        assert await follower.next() == [("changed", "a")]


async def test_a_profile_without_a_gateway_needs_a_store(tmp_path: Path):
    async with daemon(tmp_path) as client:
        with pytest.raises(RpcError) as raised:
            await client.request("gateway/subscribe", {})
    assert raised.value.kind == "Unsupported"
    assert "storePath" in raised.value.data["instead"]


async def test_stores_outside_the_roots_are_left_out_or_refused(tmp_path: Path):
    write(store_of(tmp_path, "ops"), o=1)
    write(store_of(tmp_path), a=1)
    roots = [str(tmp_path / "agents" / "ops")]
    async with following(tmp_path, roots=roots) as client:
        follower = await Follower.of(client)
        assert set(follower.entries) == {("ops", "o")}
        for params in ({"agentId": "main"}, {"storePath": str(tmp_path / "s.json")}):
            with pytest.raises(RpcError) as raised:
                await client.request("gateway/subscribe", params)
            assert raised.value.kind == "PathNotAllowed"


async def test_churn_ends_where_the_store_does(tmp_path: Path):
    stores = [store_of(tmp_path, agent) for agent in ("main", "ops")]
    async with following(tmp_path) as client:
        follower = await Follower.of(client)
        for number in range(120):
            store = stores[number % 2]
            if number % 30 == 29:
                store.unlink(missing_ok=True)
            else:
                write(store, **{f"k{number % 7}": number, f"k{number % 3}": number, "last": number})
        expected = {
            (agent, key): value
            for agent, store in zip(("main", "ops"), stores, strict=True)
            for key, value in (json.loads(store.read_text()) if store.exists() else {}).items()
        }
        await follower.until(expected)
        again = await Follower.of(client)
    assert again.entries == expected


def databases_of(home: Path, agent: str) -> Path:
    path = home / "agents" / agent / "agent" / "openclaw-agent.sqlite"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


@pytest.mark.parametrize("params", [{}, {"agentId": "main"}])
@pytest.mark.parametrize("made_before", [False, True])
async def test_a_database_that_replaces_a_store_is_reported(
    tmp_path: Path, params: dict[str, str], made_before: bool
):
    """OpenClaw is upgraded while a client follows its store, and downgraded again."""
    store = store_of(tmp_path)
    write(store, a=1)
    if made_before:
        databases_of(tmp_path, "main")
    async with following(tmp_path) as client:
        follower = await Follower.of(client, **params)
        database = databases_of(tmp_path, "main")
        database.write_bytes(b"SQLite format 3\0")
        told = await client.notification("gateway/didChange")
        assert told["sequence"] == follower.sequence + 1
        assert (told["storePath"], told["changes"]) == (str(store), [])
        [problem] = told["problems"]
        assert (problem["kind"], problem["path"]) == ("replacedStore", str(database))
        write(store, a=2)
        later = await client.notification("gateway/didChange")
        assert [change["kind"] for change in later["changes"]] == ["changed"]
        assert "problems" not in later
        database.unlink()
        assert (await client.notification("gateway/didChange"))["problems"] == []


async def test_problems_of_the_snapshot_are_not_repeated(tmp_path: Path):
    store = store_of(tmp_path)
    write(store, a=1)
    databases_of(tmp_path, "main").write_bytes(b"SQLite format 3\0")
    async with following(tmp_path) as client:
        follower = await Follower.of(client)
        assert [one["kind"] for one in follower.answer["problems"]] == ["replacedStore"]
        write(store, a=2)
        assert await follower.next() == [("changed", "a")]


async def test_an_entry_replaced_by_another_value_is_removed_and_reported(tmp_path: Path):
    store = store_of(tmp_path)
    write(store, a=1, b=1)
    async with following(tmp_path) as client:
        await Follower.of(client)
        store.write_text(json.dumps({"a": entry(1), "b": 5}))
        told = await client.notification("gateway/didChange")
        assert [change["kind"] for change in told["changes"]] == ["removed"]
        assert [(one["kind"], one["sessionKey"]) for one in told["problems"]] == [
            ("notAnEntry", "b")
        ]


async def test_very_many_changes_are_split_into_several_notifications(tmp_path: Path):
    store = store_of(tmp_path)
    write(store, **{f"k{number}": 1 for number in range(600)})
    async with following(tmp_path) as client:
        follower = await Follower.of(client)
        write(store, **{f"k{number}": 2 for number in range(600)})
        await follower.until({("main", f"k{number}"): entry(2) for number in range(600)})
        assert follower.sequence == 3


def failing(monkeypatch: pytest.MonkeyPatch, agent: str, *errors: Exception) -> asyncio.Event:
    """Let the next readings of an agent's store raise errors, as a busy database does.

    The event is set when all have been raised.
    """
    left, done = list(errors), asyncio.Event()
    read = Store.read

    async def failing_first(store: Store) -> Any:
        if store.agent_id == agent and left:
            error = left.pop(0)
            if not left:
                done.set()
            raise error
        return await read(store)

    monkeypatch.setattr(Store, "read", failing_first)
    return done


@pytest.mark.parametrize("error", [Busy("db", "OpenClaw"), ValueError("unexpected")], ids=type)
async def test_a_store_that_fails_once_silences_no_other_and_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
):
    for agent in ("main", "ops"):
        write(store_of(tmp_path, agent), a=1)
    async with following(tmp_path) as client:
        follower = await Follower.of(client)
        failing(monkeypatch, "main", error)
        for agent in ("main", "ops"):
            write(store_of(tmp_path, agent), a=2)
        await follower.until({("main", "a"): entry(2), ("ops", "a"): entry(2)})


async def test_a_store_that_stays_busy_is_read_with_the_next_report_of_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for agent in ("main", "ops"):
        write(store_of(tmp_path, agent), a=1)
    async with following(tmp_path) as client:
        follower = await Follower.of(client)
        failed = failing(monkeypatch, "main", *[Busy("db", "OpenClaw")] * 2)
        write(store_of(tmp_path, "main"), a=2)
        await asyncio.wait_for(failed.wait(), DEADLINE)
        write(store_of(tmp_path, "ops"), a=2)
        await follower.until({("main", "a"): entry(2), ("ops", "a"): entry(2)})


async def test_a_busy_store_is_a_problem_of_the_list_and_hides_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for agent in ("main", "ops"):
        write(store_of(tmp_path, agent), **{f"agent:{agent}:a": 1})
    async with following(tmp_path) as client:
        failing(monkeypatch, "ops", *[Busy("db", "OpenClaw")] * 2)
        found = await client.request("gateway/list", {})
        assert [row["key"] for row in found["sessions"]] == ["agent:main:a"]
        assert [problem["kind"] for problem in found["problems"]] == ["unreadableStore"]
        follower = await Follower.of(client)
        assert list(follower.entries) == [("main", "agent:main:a")]
        assert [problem["kind"] for problem in follower.answer["problems"]] == ["unreadableStore"]
