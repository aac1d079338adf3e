"""Resources, subscriptions, completion, progress and cancellation of `sessiond mcp`."""

import asyncio
import json
import signal
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from support.client import RpcError, spawned
from support.mcp import STATELESS, chain, directory_of, mcp, project, session
from support.session_lines import append, line

from sessiond.catalog.search.expression import Expression
from sessiond.limits import SEARCH_WORKERS
from sessiond.mcp.subscriptions import PacedNotice
from sessiond.rpc.server import Server

SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"


@pytest.mark.parametrize("stateless", [False, True])
async def test_sessions_and_entries_are_resources(tmp_path: Path, stateless: bool):
    cwd = project(tmp_path)
    chain(tmp_path, cwd, "first words", "last words")
    session(tmp_path, tmp_path / "elsewhere", "foreign", "x")
    async with mcp(tmp_path, cwd, stateless=stateless) as client:
        listed = await client.request("resources/list")
        (resource,) = listed["resources"]
        assert resource["uri"] == "sessiond://session/chain"
        assert resource["title"] == "first words"
        templates = await client.request("resources/templates/list")
        assert [each["uriTemplate"] for each in templates["resourceTemplates"]] == [
            "sessiond://session/{id}",
            "sessiond://session/{id}/entry/{entryId}",
        ]
        whole = await client.request("resources/read", uri="sessiond://session/chain")
        (content,) = whole["contents"]
        assert (content["uri"], content["mimeType"]) == (resource["uri"], "text/markdown")
        assert "> first words" in content["text"]
        one = await client.request("resources/read", uri="sessiond://session/chain/entry/e1")
        assert "> last words" in one["contents"][0]["text"]
        assert "first words" not in one["contents"][0]["text"].replace("> first words\n> in", "")
        if stateless:
            assert (whole["cacheScope"], whole["ttlMs"], whole["resultType"]) == (
                *("private", 0, "complete"),
            )


@pytest.mark.parametrize(("stateless", "code"), [(False, -32002), (True, -32602)])
async def test_a_resource_that_does_not_exist(tmp_path: Path, stateless: bool, code: int):
    cwd = project(tmp_path)
    chain(tmp_path, cwd, "x")
    session(tmp_path, tmp_path / "elsewhere", "foreign", "x")
    uris = [
        *("sessiond://session/none", "sessiond://session/cha", "sessiond://session/foreign"),
        *("sessiond://session/chain/entry/zz", "sessiond://session/", "file:///etc/passwd"),
        *("sessiond://session/chain/x", "sessiond://session/chain/entry/", ""),
        "sessiond://session/..%2F..%2Fetc",
    ]
    async with mcp(tmp_path, cwd, stateless=stateless) as client:
        for uri in uris:
            with pytest.raises(RpcError) as caught:
                await client.request("resources/read", uri=uri)
            assert caught.value.code == code, uri
            assert caught.value.data["uri"] == uri


async def test_many_sessions_are_listed_page_by_page(tmp_path: Path):
    cwd = project(tmp_path)
    for at in range(230):
        session(tmp_path, cwd, f"s{at}", "x", modified=1767225600000 + at // 3)
    async with mcp(tmp_path, cwd) as client:
        names: list[str] = []
        page = await client.request("resources/list")
        while True:
            names += [each["name"] for each in page["resources"]]
            if "nextCursor" not in page:
                break
            page = await client.request("resources/list", cursor=page["nextCursor"])
        assert sorted(names) == sorted(f"s{at}" for at in range(230))
        for cursor in ("zz", "", "5b5d"):
            with pytest.raises(RpcError) as caught:
                await client.request("resources/list", cursor=cursor)
            assert caught.value.code == -32602


async def test_a_subscriber_is_notified_of_changes_a_few_times_a_second(tmp_path: Path):
    cwd = project(tmp_path)
    file = chain(tmp_path, cwd, "x")
    uri = "sessiond://session/chain"
    async with mcp(tmp_path, cwd) as client:
        await client.request("resources/subscribe", uri=uri)
        append(file, line("e1", "e0", "y"))
        updated = await client.wire.notification("notifications/resources/updated")
        assert updated == {"uri": uri}
        # Many further changes: one notification for all that come within the pause.
        for at in range(2, 40):
            append(file, line(f"e{at}", f"e{at - 1}", "y"))
            await asyncio.sleep(0.002)
        count = 0
        while True:
            shown = await client.call("open_session", session="chain")
            await client.wire.notification("notifications/resources/updated")
            count += 1
            if shown["total"] == 40:
                break
        assert count < 15
        await client.request("resources/unsubscribe", uri=uri)
        append(file, line("e40", "e39", "y"))
        assert (await client.call("open_session", session="chain"))["total"] == 41
        client.wire.end_input()
        rest = [message.value["method"] for message in await client.wire.rest()]
        # At most one that was on its way.
        assert rest in ([], ["notifications/resources/updated"])


async def test_a_second_subscription_to_a_resource_sends_nothing_early():
    sent: list[str] = []
    reader = cast("Server", SimpleNamespace(writable=True))
    notice = PacedNotice(reader, lambda: sent.append("updated"))
    notice.begin()
    notice.due()
    notice.due()
    notice.begin()
    assert sent == ["updated"]
    notice.stop()


async def test_listening_is_acknowledged_and_ends_when_it_is_cancelled(tmp_path: Path):
    cwd = project(tmp_path)
    file = chain(tmp_path, cwd, "x")
    uris = ["sessiond://session/chain", "sessiond://session/chain/entry/e0"]
    wanted = {"resourceSubscriptions": [*uris, "sessiond://session/none"], "toolsListChanged": True}
    async with mcp(tmp_path, cwd, stateless=True) as client:
        for id_ in (7, "seven"):
            params = {"_meta": STATELESS, "notifications": wanted}
            client.wire.write(
                {"jsonrpc": "2.0", "id": id_, "method": "subscriptions/listen", "params": params}
            )
            first = (await client.wire.receive()).value
            assert first["method"] == "notifications/subscriptions/acknowledged"
            assert first["params"]["_meta"] == {SUBSCRIPTION: id_}
            assert first["params"]["notifications"] == {"resourceSubscriptions": uris}
        append(file, line("e1", "e0", "y"))
        told = [await client.wire.notification("notifications/resources/updated") for _ in range(4)]
        assert sorted(json.dumps([each["_meta"][SUBSCRIPTION], each["uri"]]) for each in told) == (
            sorted(json.dumps([id_, uri]) for id_ in (7, "seven") for uri in uris)
        )
        client.wire.notify("notifications/cancelled", {"requestId": 7})
        append(file, line("e2", "e1", "y"))
        told = [await client.wire.notification("notifications/resources/updated") for _ in range(2)]
        assert {each["_meta"][SUBSCRIPTION] for each in told} == {"seven"}
        client.wire.end_input()
        assert not [each for each in await client.wire.rest() if "id" in each.value]


async def test_listening_can_be_cancelled_before_it_is_acknowledged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    cwd = project(tmp_path)
    session(tmp_path, cwd, "kept", "x")
    async with mcp(tmp_path, cwd, stateless=True) as client:
        await client.request("resources/list")
        wanted = {"resourcesListChanged": True}
        request = {"jsonrpc": "2.0", "id": "again", "method": "subscriptions/listen"}
        for is_last in (False, False, True):
            client.wire.write({**request, "params": client.params(notifications=wanted)})
            if not is_last:
                client.wire.notify("notifications/cancelled", {"requestId": "again"})
        await client.wire.notification("notifications/subscriptions/acknowledged")
        session(tmp_path, cwd, "added", "x")
        told = await client.wire.notification("notifications/resources/list_changed")
        assert told["_meta"] == {SUBSCRIPTION: "again"}
        client.wire.end_input()
        assert not [each for each in await client.wire.rest() if "id" in each.value]
    assert not caplog.records


@pytest.mark.parametrize("stateless", [False, True])
async def test_the_client_is_told_when_sessions_come_and_go(tmp_path: Path, stateless: bool):
    cwd = project(tmp_path)
    kept = session(tmp_path, cwd, "kept", "x")
    changed = "notifications/resources/list_changed"
    async with mcp(tmp_path, cwd, stateless=stateless) as client:

        async def ids() -> set[str]:
            listed = await client.request("resources/list")
            return {each["name"] for each in listed["resources"]}

        if stateless:
            params = {"_meta": STATELESS, "notifications": {"resourcesListChanged": True}}
            client.wire.write(
                {"jsonrpc": "2.0", "id": 7, "method": "subscriptions/listen", "params": params}
            )
            agreed = await client.wire.notification("notifications/subscriptions/acknowledged")
            assert agreed["notifications"]["resourcesListChanged"] is True
        assert await ids() == {"kept"}
        append(kept, line("e9", None, "y"))
        session(tmp_path, tmp_path / "elsewhere", "other", "x")
        # Neither of these changes the list.
        await client.call("open_session", session="kept")
        added = session(tmp_path, cwd, "added", "x")
        told = await client.wire.notification(changed)
        assert await ids() == {"kept", "added"}
        added.unlink()
        while await ids() != {"kept"}:
            told = await client.wire.notification(changed)
        assert told.get("_meta") == ({SUBSCRIPTION: 7} if stateless else None)


async def test_a_server_that_is_ended_says_so_to_its_subscribers(tmp_path: Path):
    cwd = project(tmp_path)
    chain(tmp_path, cwd, "x")
    command = [sys.executable, "-m", "sessiond", "mcp"]
    wanted = {"resourceSubscriptions": ["sessiond://session/chain"]}
    env = {"HOME": str(tmp_path), "PATH": ""}
    async with spawned(command, "line", env=env, cwd=cwd) as (client, process):
        answer = client.start(
            "subscriptions/listen", {"_meta": STATELESS, "notifications": wanted}, id_=5
        )
        await client.notification("notifications/subscriptions/acknowledged")
        process.send_signal(signal.SIGTERM)
        result = (await asyncio.wait_for(answer, 30)).value["result"]
        assert result["resultType"] == "complete"
        assert result["_meta"][SUBSCRIPTION] == 5
    assert process.returncode == 0


async def test_ids_are_completed(tmp_path: Path):
    cwd = project(tmp_path)
    chain(tmp_path, cwd, "x", "y")
    session(tmp_path, cwd, "cha2", "x")
    session(tmp_path, tmp_path / "elsewhere", "challenge", "x")
    ref = {"type": "ref/resource", "uri": "sessiond://session/{id}/entry/{entryId}"}
    async with mcp(tmp_path, cwd) as client:
        argument = {"name": "id", "value": "cha"}
        found = await client.request("completion/complete", ref=ref, argument=argument)
        assert sorted(found["completion"]["values"]) == ["cha2", "chain"]
        assert (found["completion"]["total"], found["completion"]["hasMore"]) == (2, False)
        argument = {"name": "entryId", "value": "e"}
        context = {"arguments": {"id": "chain"}}
        found = await client.request(
            "completion/complete", ref=ref, argument=argument, context=context
        )
        assert found["completion"]["values"] == ["e1", "e0"]
        found = await client.request("completion/complete", ref=ref, argument=argument)
        assert found["completion"]["values"] == []
        for wrong in (
            {"ref": {"type": "ref/prompt", "name": "x"}, "argument": argument},
            {"ref": ref, "argument": {"name": "x", "value": ""}},
            {"ref": {"type": "ref/resource", "uri": "x"}, "argument": argument},
        ):
            with pytest.raises(RpcError) as caught:
                await client.request("completion/complete", **wrong)
            assert caught.value.code == -32602


@pytest.mark.parametrize("stateless", [False, True])
async def test_progress_is_reported_under_its_token_and_increases(tmp_path: Path, stateless: bool):
    cwd = project(tmp_path)
    for at in range(30):
        (cwd / f"d{at}").mkdir()
        session(tmp_path, cwd / f"d{at}", f"s{at}", "needle")
    async with mcp(tmp_path, cwd, stateless=stateless) as client:
        params = client.params(
            name="search_sessions", arguments={"query": "needle"}, _meta={"progressToken": "t"}
        )
        answer = client.wire.start("tools/call", params)
        await asyncio.wait_for(answer, 30)
        await client.request("server/discover" if stateless else "ping")
        client.wire.end_input()
        told = [message.value for message in await client.wire.rest()]
        assert {each["method"] for each in told} == {"notifications/progress"}
        assert {each["params"]["progressToken"] for each in told} == {"t"}
        values = [each["params"]["progress"] for each in told]
        assert values == sorted(set(values))
        assert all(each["params"]["progress"] <= each["params"]["total"] for each in told)


def slow_search(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return a search that takes half a second for each text: RE2 alone is never busy for long."""
    matches = Expression.matches

    def match(expression: Expression, text: str) -> bool:
        if expression.pattern == "[cd]":
            time.sleep(0.5)
        return matches(expression, text)

    monkeypatch.setattr(Expression, "matches", match)
    return {"query": "[cd]", "mode": "regex"}


async def test_a_cancelled_request_is_not_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    cwd = project(tmp_path)
    text = "a" * 3000 + "b"
    for at in range(20):
        session(tmp_path, cwd, f"s{at}", *([text] * 20))
    async with mcp(tmp_path, cwd) as client:
        slow = slow_search(monkeypatch)
        client.wire.write(
            {
                "jsonrpc": "2.0",
                "id": "slow",
                "method": "tools/call",
                "params": {"name": "search_sessions", "arguments": slow},
            }
        )
        await client.request("ping")
        client.wire.notify("notifications/cancelled", {"requestId": "slow"})
        assert (await client.call("list_sessions"))["total"] == 20
        client.wire.end_input()
        assert await client.wire.rest() == []


async def test_a_search_reports_progress_and_is_cancelled_in_its_middle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    cwd = project(tmp_path)
    for at in range(3):
        session(tmp_path, cwd / f"d{at}", f"s{at}", *(["a" * 3000 + "b"] * 20))
    async with mcp(tmp_path, cwd) as client:
        slow = slow_search(monkeypatch)
        # More than there are threads for it: a search that goes on would keep the next one waiting.
        for number in range(2 * SEARCH_WORKERS):
            params = {"name": "search_sessions", "arguments": slow}
            meta = {"_meta": {"progressToken": number}}
            client.wire.write(
                {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params | meta}
            )
            while True:
                told = await client.wire.notification("notifications/progress")
                if told["progressToken"] == number and told["message"] == "searching":
                    break
            client.wire.notify("notifications/cancelled", {"requestId": number})
        found = await client.call("search_sessions", query="ab$", mode="regex")
        assert len(found["sessions"]) == 3
        client.wire.end_input()
        assert not [each for each in await client.wire.rest() if "id" in each.value]


@pytest.mark.parametrize("since", [None, "2025-01-01", "2027-01-01"])
async def test_a_search_shows_only_the_best_of_the_project(tmp_path: Path, since: str | None):
    cwd = project(tmp_path)
    for at in range(4):
        session(tmp_path, cwd / f"d{at}", f"s{at}", "needle")
        session(tmp_path, tmp_path / f"proj{at}", f"other{at}", "needle needle")
    async with mcp(tmp_path, cwd) as client:
        found = await client.call("search_sessions", query="needle", limit=3, since=since)
        ids = {hit["session"] for hit in found["sessions"]}
        expected = 0 if since == "2027-01-01" else 3
        assert len(ids) == expected
        assert ids <= {"s0", "s1", "s2", "s3"}
        assert found["more"] is bool(expected)
        found = await client.call("search_sessions", query="needle", cwd=str(cwd / "d1"))
        assert [hit["session"] for hit in found["sessions"]] == ["s1"]
        assert found["more"] is False


async def test_one_damaged_session_hides_no_other(tmp_path: Path):
    cwd = project(tmp_path)
    chain(tmp_path, cwd, "needle")
    bad = directory_of(tmp_path, cwd) / "bad.jsonl"
    bad.write_text('{"type":"session","id":"bad","cwd":"' + str(cwd) + '"}\n{"type":\n\x00\xff')
    empty = directory_of(tmp_path, cwd) / "empty.jsonl"
    empty.write_text("")
    async with mcp(tmp_path, cwd) as client:
        found = await client.call("search_sessions", query="needle")
        assert [hit["session"] for hit in found["sessions"]] == ["chain"]
        for each in (await client.call("list_sessions"))["sessions"]:
            await client.call("open_session", session=each["session"])
