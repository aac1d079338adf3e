"""A client of `codex app-server`, which says what Codex itself reads in its threads."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, Self

from real_agents.where import CODEX

SOURCES = ["cli", "exec", "vscode", "appServer"]


class AppServer:
    """The process, whose standard input and output carry one message a line."""

    def __init__(self, cwd: Path, env: dict[str, str], program: Path = CODEX) -> None:
        self._process = subprocess.Popen(
            ["node", str(program), "app-server"],
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._number = 0
        self.ask("initialize", clientInfo={"name": "test", "title": "test", "version": "1"})
        self._send({"method": "initialized"})

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result of a request; notifications before it are passed over."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        answer = self._until(lambda message: message.get("id") == self._number)
        assert "result" in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def turn(self, thread: str, text: str) -> None:
        """Say something in a thread, and wait for the end of the turn."""
        self.ask("turn/start", threadId=thread, input=[{"type": "text", "text": text}])
        self._until(lambda message: message.get("method") == "turn/completed")

    def threads(self, *, archived: bool) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = self.ask(
            "thread/list", sourceKinds=SOURCES, archived=archived
        )["data"]
        return listed

    def items(self, thread: str) -> list[dict[str, Any]]:
        """All items of a thread, in order."""
        read = self.ask("thread/read", threadId=thread, includeTurns=True)["thread"]
        return [item for turn in read["turns"] for item in turn["items"]]

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def _until(self, is_wanted: Any) -> dict[str, Any]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            message: dict[str, Any] = json.loads(line)
            if is_wanted(message):
                return message
        raise AssertionError("the app server has ended")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.communicate()
