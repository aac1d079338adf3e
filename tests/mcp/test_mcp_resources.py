"""Resources and cancellation of `sessiond mcp`."""

import time
from pathlib import Path

import pytest
from support.client import RpcError
from support.mcp import chain, directory_of, mcp, project, session

from sessiond.catalog.search.expression import Expression
from sessiond.runtime.limits import SEARCH_WORKERS

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


def slow_search(monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, str], list[str]]:
    """Return a search that takes half a second for each text, and the texts that it has reached."""
    matches = Expression.matches
    reached: list[str] = []

    def match(expression: Expression, text: str) -> bool:
        if expression.pattern == "[cd]":
            # RE2 alone is never busy for long.
            reached.append(text)
            time.sleep(0.5)
        return matches(expression, text)

    monkeypatch.setattr(Expression, "matches", match)
    return {"query": "[cd]", "mode": "regex"}, reached


async def test_a_cancelled_request_ends_and_is_not_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    cwd = project(tmp_path)
    for at in range(3):
        session(tmp_path, cwd / f"d{at}", f"s{at}", *(["a" * 3000 + "b"] * 20))
    async with mcp(tmp_path, cwd) as client:
        slow, reached = slow_search(monkeypatch)
        # More than there are threads for it: a search that goes on would keep the next one waiting.
        for number in range(2 * SEARCH_WORKERS):
            params = {"name": "search_sessions", "arguments": slow}
            client.wire.write(
                {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
            )
            reached.clear()
            while not reached:
                assert await client.request("ping") == {}
            client.wire.notify("notifications/cancelled", {"requestId": number})
        found = await client.call("search_sessions", query="ab$", mode="regex")
        assert len(found["sessions"]) == 3
        client.wire.end_input()
        assert await client.wire.rest() == []


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
