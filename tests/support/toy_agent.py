"""An agent of another format: chat logs, which sessiond has never heard of and only reads."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from sessiond.agents.agent import Agent
from sessiond.agents.line_translation import LineTranslation
from sessiond.agents.translation import INSTEAD
from sessiond.errors import Unsupported
from sessiond.home import absolute


@attrs.define
class ChatLines:
    """`log <time> <cwd>`, then lines `<time> me: <text>` or `<time> bot <tokens>: <text>`."""

    session_id: str
    number: int = -1

    def copy(self) -> ChatLines:
        return attrs.evolve(self)

    def translate(self, line: bytes) -> Iterator[bytes]:
        if self.number < 0:
            _, time, cwd = line.decode().split(" ", 2)
            header = {"type": "session", "version": 3, "id": self.session_id, "timestamp": time}
            yield json.dumps({**header, "cwd": cwd}).encode()
        else:
            yield self.entry(*line.decode().partition(": ")[::2])
        self.number += 1

    def entry(self, who: str, text: str) -> bytes:
        time, name, *tokens = who.split(" ")
        message: dict[str, Any] = {"role": "user", "content": text}
        if name == "bot":
            usage = {"input": int(tokens[0]), "output": 1, "cacheRead": 0, "cacheWrite": 0}
            spoken = [{"type": "text", "text": text}]
            message = {"role": "assistant", "content": spoken, "provider": "toy", "model": "t1"}
            message |= {"usage": {**usage, "cost": {}}, "stopReason": "stop"}
        parent = f"t{self.number - 1}" if self.number else None
        entry: dict[str, Any] = {"type": "message", "id": f"t{self.number}", "parentId": parent}
        return json.dumps(entry | {"timestamp": time, "message": message}).encode()


class ChatLogs(LineTranslation):
    """Logs of one file each."""

    suffixes = (".chat",)

    def holds(self, path: str) -> bool:
        return path.endswith(".chat")

    def refusal(self, path: str) -> Unsupported:
        return Unsupported(f"only toychat writes {path}", path, INSTEAD)

    def translator(self, path: str) -> ChatLines:
        return ChatLines(os.path.basename(path).removesuffix(".chat"))


@attrs.frozen
class ToyAgent(Agent):
    """Keeps every log in one directory."""

    @property
    def agent_dir_variable(self) -> str:
        return "TOYCHAT_DIR"

    @property
    def translation(self) -> ChatLogs:
        return LOGS

    def agent_dir(self, env: Mapping[str, str]) -> str:
        return absolute(env.get("TOYCHAT_DIR") or "~/.toychat", env)

    def sessions_dir(self, agent_dir: str, agent_id: str | None) -> str:  # noqa: ARG002
        return os.path.join(agent_dir, "logs")


LOGS = ChatLogs()
TOY = ToyAgent("toychat")
