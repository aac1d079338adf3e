"""Clients with different profiles get the same answers from one daemon as from one each."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from support.app import assistant, user
from support.client import Client, RpcError
from support.fronts import Home
from support.session_lines import header, line

INVALID, CHANGED, OLD = "invalid.jsonl", "changed.jsonl", "old.jsonl"

VERSION_1 = (
    '{"type":"session","id":"old","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}\n'
    '{"type":"message","timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"x"}}\n'
)


def files(directory: Path) -> Path:
    """A directory of sessions as all profiles can name them."""
    directory.mkdir(parents=True)
    (directory / "s.jsonl").write_text(header() + line("a"))
    (directory / INVALID).write_text("text\n")
    (directory / CHANGED).write_text(header() + line("b"))
    (directory / OLD).write_text(VERSION_1)
    return directory


async def conversation(client: Client, directory: Path) -> list[Any]:
    """Every family of methods, on files that the other client uses; the answers and errors."""
    answers: list[Any] = []

    async def ask(method: str, **params: Any) -> Any:
        try:
            answer = await client.request(method, params)
        except RpcError as error:
            answer = {"code": error.code, "message": error.message, "data": error.data}
        answers.append((method, answer))
        return answer

    await ask("initialize")
    await ask("session/open", path=str(directory / INVALID))
    await ask("session/open", path=str(directory / OLD))
    opened = await ask("session/open", path=str(directory / "s.jsonl"))
    handle = opened["session"]
    await ask("session/appendMessage", session=handle, message=user("x"), newEntryId="x")
    await ask("session/appendMessage", session=handle, message=assistant("y"), newEntryId="y")
    await ask("session/getEntries", session=handle)
    await ask("session/buildSessionContext", session=handle)
    changed = await ask("session/open", path=str(directory / CHANGED), readOnly=True)
    (directory / CHANGED).write_text("not a session any more\n")
    await ask("session/getState", session=changed["session"])
    await ask("session/getEntries", session=changed["session"])
    await ask("session/listAll", sessionDir=str(directory))
    await ask("session/list")
    await ask("catalog/stats", path=str(directory / "s.jsonl"))
    await ask("catalog/stats", path=str(directory / INVALID))
    await ask("catalog/check", path=str(directory / INVALID))
    await ask("catalog/repair", path=str(directory / INVALID), dryRun=True)
    await ask("catalog/search", query="x", sessionDir=str(directory))
    await ask("gateway/list")
    await ask("gateway/get", sessionKey="main")
    return answers


def comparable(answers: list[Any], directory: Path, pids: list[int]) -> list[Any]:
    """The answers without what differs between any two daemons."""
    text = json.dumps(answers, ensure_ascii=False).replace(str(directory.parent), "/HOME")
    for number, pid in enumerate(pids):
        text = re.sub(rf"\b{pid}\b", f"-{number + 1}", text)
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "TIME", text)
    text = re.sub(r'"revision": "\w+"', '"revision": ""', text)
    text = re.sub(r'"(\w*(?:Ms|At|Bytes|timestamp)|ts)": \d+(\.\d+)?', r'"\1": 0', text)
    found: list[Any] = json.loads(text)
    return found


async def answers_beside(
    home: Home, where: str, mine: str, other: str, *, shared: bool
) -> list[Any]:
    directory = files(home.path / where / "sessions")
    env = {"HOME": str(directory.parent)}
    async with (
        home.front("--profile", other, env=env, shared=shared) as first,
        home.front("--profile", mine, env=env, shared=shared) as second,
    ):
        assert (first.daemon == second.daemon) is shared
        for name in ("s.jsonl", OLD, CHANGED):
            await first.client.request("session/open", {"path": str(directory / name)})
        with pytest.raises(RpcError, match=f"not a valid {other} session"):
            await first.client.request("session/open", {"path": str(directory / INVALID)})
        answers = await conversation(second.client, directory)
        return comparable(answers, directory, [first.process.pid, second.process.pid])


@pytest.mark.parametrize(("mine", "other"), [("coderclaw", "pi"), ("pi", "openclaw")])
async def test_a_client_beside_one_of_another_profile_gets_the_answers_of_a_daemon_of_its_own(
    home: Home, mine: str, other: str
):
    shared = await answers_beside(home, "a", mine, other, shared=True)
    alone = await answers_beside(home, "b", mine, other, shared=False)
    assert shared == alone
    failed = dict(shared)["catalog/repair"]
    assert f"not a valid {mine} session" in failed["message"]
