"""An agent that is registered with one call: everything that reads works on its sessions."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.app import daemon, user
from support.client import Client, RpcError
from support.mcp import mcp
from support.toy_agent import TOY
from support.toy_database import DATABASE, TOY_DATABASE

from sessiond.agents import registry

LOG = (
    "log 2026-01-02T03:04:05.006Z /work/toys\n"
    "2026-01-02T03:04:06.000Z me: Where is the teddy bear?\n"
    "2026-01-02T03:04:07.000Z bot 11: Under the sofa, behind the blue ball.\n"
)
MORE = "2026-01-02T03:04:08.000Z me: Thank you, found it.\n"
USAGE = "2026-01-02T03:04:09.000Z bot 7: You are welcome.\n"


class Log:
    """A file for each log, in nested directories, with names like those of pi's sessions."""

    agent = TOY

    def __init__(self, home: Path, name: str = "teddy") -> None:
        self.home = home
        year = home / ".toychat" / "logs" / "2026"
        self.path = year / f"2026-01-02T03-04-05-006Z_{name}.jsonl"
        year.mkdir(parents=True, exist_ok=True)

    def add(self, text: str) -> None:
        with self.path.open("a") as file:
            file.write(text)

    def replace(self, text: str) -> None:
        self.path.write_text(text)


class Chat:
    """Rows of a database."""

    agent = TOY_DATABASE

    def __init__(self, home: Path, name: str = "teddy") -> None:
        self.home, self.name = home, name
        self.database = home / ".toychat" / DATABASE
        self.path = self.database / f"{name}.jsonl"
        self.database.parent.mkdir(parents=True, exist_ok=True)

    def add(self, text: str, *, anew: bool = False) -> None:
        with contextlib.closing(sqlite3.connect(self.database)) as database, database:
            database.execute(
                "CREATE TABLE IF NOT EXISTS line"
                " (number INTEGER PRIMARY KEY AUTOINCREMENT, chat TEXT, line TEXT)"
            )
            if anew:
                database.execute("DELETE FROM line WHERE chat = ?", (self.name,))
            rows = [(self.name, line) for line in text.splitlines()]
            database.executemany("INSERT INTO line (chat, line) VALUES (?, ?)", rows)

    def replace(self, text: str) -> None:
        self.add(text, anew=True)


Toy = Log | Chat


@pytest.fixture(params=[Log, Chat])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Toy]:
    toy: Toy = request.param(tmp_path)
    toy.add(LOG)
    registry.register(toy.agent)
    yield toy
    del registry.AGENTS["toychat"]
    registry.translations().remove(toy.agent.translation)


def content(toy: Toy) -> dict[Path, bytes]:
    """Every file of the agent."""
    files = (each for each in (toy.home / ".toychat").rglob("*") if each.is_file())
    return {file: file.read_bytes() for file in files}


def texts(entries: list[dict[str, Any]]) -> list[str]:
    return [json.dumps(entry["message"]["content"]) for entry in entries]


async def opened(client: Client, log: Toy) -> str:
    state = await client.request("session/open", {"path": str(log.path), "readOnly": True})
    assert (state["sessionId"], state["cwd"], state["leafId"]) == ("teddy", "/work/toys", "t1")
    handle: str = state["session"]
    return handle


async def test_lists_searches_usage_and_statistics(tmp_path: Path, log: Toy):
    async with daemon(tmp_path, profile="toychat") as client:
        for method, params in (("session/list", {"cwd": "/work/toys"}), ("session/listAll", {})):
            (info,) = (await client.request(method, params))["sessions"]
            assert (info["path"], info["id"], info["messageCount"]) == (str(log.path), "teddy", 2)
            assert info["firstMessage"] == "Where is the teddy bear?"
        for query, kind in (("blue BALL", "text"), ("b.ue", "regex")):
            (hit,) = (await client.request("catalog/search", {"query": query, "mode": kind}))[
                "hits"
            ]
            assert hit["info"]["path"] == str(log.path)
            assert "blue ball" in json.dumps(hit["snippets"])
        usage = await client.request("catalog/usage", {})
        assert usage["sums"]["tokens"]["input"] == 11
        stats = await client.request("catalog/stats", {"path": str(log.path)})
        assert stats["messages"]["byRole"]["user"] == 1
        checked = await client.request("catalog/check", {"path": str(log.path)})
        assert checked["files"][0]["ok"]


async def test_windows_context_and_view_of_an_open_session(tmp_path: Path, log: Toy):
    async with daemon(tmp_path, profile="toychat") as client:
        handle = await opened(client, log)
        entries = (await client.request("session/getEntries", {"session": handle}))["entries"]
        assert [entry["id"] for entry in entries] == ["t0", "t1"]
        last = await client.request("session/getEntries", {"session": handle, "last": 1})
        assert [entry["id"] for entry in last["entries"]] == ["t1"]
        context = await client.request("session/buildSessionContext", {"session": handle})
        assert [each["role"] for each in context["messages"]] == ["user", "assistant"]
        asked = {"session": handle, "entryId": "t1", "maxBytes": 1000}
        (record,) = (await client.request("session/getSource", asked))["records"]
        assert "behind the blue ball" in record["text"]
        view = await client.request("session/getView", {"session": handle})
        assert "behind the blue ball" in json.dumps(view)


async def test_exports_and_a_fork_that_pi_continues(tmp_path: Path, log: Toy):
    async with daemon(tmp_path, profile="toychat") as client:
        for form in ("markdown", "html", "jsonl"):
            made = tmp_path / f"out.{form}"
            asked = {"path": str(log.path), "format": form, "outputPath": str(made)}
            await client.request("catalog/export", asked)
            assert "behind the blue ball" in made.read_text()
        target = {
            "sourcePath": str(log.path),
            "targetCwd": "/w",
            "sessionDir": str(tmp_path / "pi"),
        }
        fork = await client.request("session/forkFrom", target)
        entries = await client.request("session/getEntries", {"session": fork["session"]})
        assert [entry["id"] for entry in entries["entries"]] == ["t0", "t1"]
        assert fork["sessionFile"].startswith(str(tmp_path / "pi"))


async def test_a_log_that_grows_is_followed(tmp_path: Path, log: Toy):
    async with daemon(tmp_path, profile="toychat") as client:
        await client.request("catalog/subscribe", {})
        handle = await opened(client, log)
        log.add(MORE)
        change, changed = await client.notifications("session/didChange", "catalog/didChange")
        assert (change["session"], change["kind"]) == (handle, "appended")
        assert [entry["id"] for entry in change["entries"]] == ["t2"]
        assert changed["changes"][0]["info"]["messageCount"] == 3
        found = await client.request("catalog/search", {"query": "thank you"})
        assert len(found["hits"]) == 1
        log.add(USAGE)
        assert (await client.request("catalog/usage", {}))["sums"]["tokens"]["input"] == 18
        # What is written anew is another session under the same name.
        log.replace(LOG.replace("teddy", "rubber"))
        entries = (await client.request("session/getEntries", {"session": handle}))["entries"]
        assert "rubber bear" in texts(entries)[0]


async def test_nothing_is_written(tmp_path: Path, log: Toy):
    before = content(log)
    async with daemon(tmp_path, profile="toychat") as client:
        handle = await opened(client, log)
        refused = [
            ("catalog/rename", {"path": str(log.path), "name": "n"}),
            ("catalog/delete", {"path": str(log.path)}),
            ("catalog/repair", {"path": str(log.path), "dryRun": False}),
        ]
        for method, params in refused:
            with pytest.raises(RpcError, match="only toychat writes") as error:
                await client.request(method, params)
            assert error.value.kind == "Unsupported"
        with pytest.raises(RpcError, match="open for reading only"):
            await client.request("session/appendMessage", {"session": handle, "message": user("x")})
        state = await client.request("session/open", {"path": str(log.path)})
        assert state["readOnly"]
        assert "only toychat writes" in state["readOnlyReason"]
        params = {"session": state["session"], "message": user("x")}
        with pytest.raises(RpcError, match=r"reading only.*only toychat writes") as error:
            await client.request("session/appendMessage", params)
        assert error.value.kind == "ReadOnly"
        for method in ("session/create", "session/continueRecent"):
            with pytest.raises(RpcError, match="toychat") as error:
                await client.request(method, {"cwd": "/elsewhere"})
            assert error.value.kind == "Unsupported"
    assert content(log) == before


@pytest.mark.usefixtures("log")
async def test_agents_find_it_over_mcp(tmp_path: Path):
    async with mcp(tmp_path, Path("/work/toys"), profile="toychat") as client:
        (found,) = (await client.call("search_sessions", query="sofa"))["sessions"]
        assert found["session"] == "teddy"
        assert "behind the blue ball" in await client.text("open_session", session="teddy")


@pytest.mark.parametrize("written", ["", "log 2026-01-02", "log\n", LOG + "2026 bot many: x\n"])
async def test_a_log_that_is_empty_or_half_written_concerns_its_session_alone(
    tmp_path: Path, log: Toy, written: str, caplog: pytest.LogCaptureFixture
):
    async with daemon(tmp_path, profile="toychat") as client:
        handle = await opened(client, log)
        other = type(log)(log.home, "other")
        other.add(LOG)
        log.replace(written)
        told = await client.notification("session/didChange")
        # A database has no empty chats.
        assert told["kind"] == ("invalid" if written or isinstance(log, Log) else "deleted")
        # What was read before is still answered.
        found = await client.request("session/getEntries", {"session": handle})
        assert len(found["entries"]) == 2
        listed = await client.request("session/listAll", {})
        assert str(other.path) in {info["path"] for info in listed["sessions"]}
        log.replace(LOG)
        await client.notification("session/didChange")
        found = await client.request("session/getEntries", {"session": handle})
        assert len(found["entries"]) == 2
    assert "was never retrieved" not in caplog.text
