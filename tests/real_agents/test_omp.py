"""Oh My Pi itself: what it writes is read, and what we append to its files it reads again."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import attrs
import pytest
from support.app import daemon, user

from real_agents.model import Model, work
from real_agents.test_totals import USED, expect_results, expect_totals, versions
from real_agents.where import environment, installed, output_of

pytestmark = [pytest.mark.node, pytest.mark.timeout(400)]


@attrs.frozen
class Omp:
    """Oh My Pi of one version, in a home of its own."""

    version: str
    home: Path
    cwd: Path

    @classmethod
    def make(cls, version: str, home: Path, url: str) -> Omp:
        cwd = home / "project"
        cwd.mkdir()
        agent = home / ".omp" / "agent"
        agent.mkdir(parents=True)
        cost = "{input: 1, output: 2, cacheRead: 0.1, cacheWrite: 0}"
        (agent / "models.yml").write_text(
            f"providers:\n  mock:\n    baseUrl: {url}/v1\n    api: openai-completions\n"
            f"    apiKey: k\n    models:\n      - {{id: big, contextWindow: 128000,"
            f" maxTokens: 4096, input: [text], cost: {cost}}}\n"
        )
        return cls(version, home, cwd)

    def command(self, *arguments: str) -> list[str]:
        root = f"omp-{self.version}"
        (bun,) = installed(root, "@oven").glob("bun-linux-*/bin/bun")
        program = installed(root, "@oh-my-pi/pi-coding-agent") / "dist" / "cli.js"
        return [str(bun), str(program), "--model", "mock/big", "--auto-approve", *arguments]

    def say(self, *arguments: str) -> str:
        return output_of(self.command("-p", *arguments), self.cwd, environment(self.home))

    def ask(self, session: Path, *requests: dict[str, Any]) -> list[dict[str, Any]]:
        """Send requests to a session in RPC mode; returns their results."""
        process = subprocess.Popen(
            self.command("--mode", "rpc", "--resume", str(session)),
            cwd=self.cwd,
            env=environment(self.home),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        results = []
        with process:
            for request in requests:
                process.stdin.write(json.dumps({"id": "1", **request}) + "\n")
                process.stdin.flush()
                for line in process.stdout:
                    event = json.loads(line)
                    if event.get("type") == "response" and event.get("command") == request["type"]:
                        assert event["success"], event
                        results.append(event.get("data"))
                        break
            process.stdin.close()
        return results

    @property
    def sessions(self) -> list[Path]:
        return sorted((self.home / ".omp" / "agent" / "sessions").glob("*/*.jsonl"))


@pytest.mark.parametrize(
    "version", versions("omp", "@oh-my-pi/pi-coding-agent", ("17.3.5", "18.2.3"))
)
async def test_its_sessions_are_read_and_continued(tmp_path: Path, version: str):
    with Model(work, USED) as model:
        omp = Omp.make(version, tmp_path, model.url)
        omp.say("run three")
        (file,) = omp.sessions
        place = file.parent.name
        theirs = omp.ask(
            file,
            {"type": "set_session_name", "name": "Named by the user"},
            {"type": "get_messages"},
        )[1]["messages"]
        async with daemon(tmp_path, profile="omp") as client:
            (info,) = (await client.request("session/list", {"cwd": str(omp.cwd)}))["sessions"]
            assert (info["path"], info["name"]) == (str(file), "Named by the user")
            await expect_results(client, info["path"])
            await expect_totals(client, len(model.conversation))
            state = await client.request("session/open", {"path": str(file)})
            handle = state["session"]
            context = await client.request("session/buildSessionContext", {"session": handle})
            assert [each["role"] for each in context["messages"]] == [
                each["role"] for each in theirs
            ]
            await client.request(
                "session/appendMessage", {"session": handle, "message": user("from sessiond")}
            )
            created = await client.request("session/create", {"cwd": str(omp.cwd)})
            await client.request(
                "session/appendMessage",
                {"session": created["session"], "message": user("a session of sessiond")},
            )
            assert Path(created["sessionFile"]).parent.name == place
        omp.say("and again", "--resume", str(file))
        sent = json.dumps(model.conversation[-1]["messages"])
        assert all(
            words in sent for words in ("run three", "result-two", "from sessiond", "and again")
        )
        omp.say("go on", "--resume", created["sessionFile"])
        assert "a session of sessiond" in json.dumps(model.conversation[-1]["messages"])
        omp.say("delegate it")
    async with daemon(tmp_path, profile="omp") as client:
        asked = {"cwd": str(omp.cwd)}
        checked = await client.request("catalog/check", asked)
        assert [each for each in checked["files"] if each["problems"]] == []
        listed = (await client.request("session/list", {**asked, "subagents": True}))["sessions"]
        (parent,) = (each["path"] for each in listed if each["firstMessage"] == "delegate it")
        assert [each["parentSessionPath"] for each in listed if "subagent" in each] == [parent]
        (info,) = (each for each in listed if each["path"] == str(file))
        assert info["name"] == "Named by the user"
