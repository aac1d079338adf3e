"""An agent of another format: chat logs, which sessiond has never heard of and only reads."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from sessiond.agents.agent import Agent
from sessiond.agents.translation import INSTEAD, FileTranslation
from sessiond.errors import Unsupported
from sessiond.home import absolute


class ChatLogs(FileTranslation):
    """`log <time> <cwd>`, then lines `<time> me: <text>` or `<time> bot <tokens>: <text>`."""

    suffixes = (".chat",)

    def holds(self, path: str) -> bool:
        return path.endswith(".chat")

    def refusal(self, path: str) -> Unsupported:
        return Unsupported(f"only toychat writes {path}", path, INSTEAD)

    def translate(self, path: str, content: bytes) -> Iterator[bytes]:
        # A last line without its end may still be written.
        first, *lines = content.decode().split("\n")[:-1]
        _, time, cwd = first.split(" ", 2)
        session_id = os.path.basename(path).removesuffix(".chat")
        header = {"type": "session", "version": 3, "id": session_id, "timestamp": time, "cwd": cwd}
        yield json.dumps(header).encode()
        for number, line in enumerate(lines):
            who, _, text = line.partition(": ")
            time, name, *tokens = who.split(" ")
            message: dict[str, Any] = {"role": "user", "content": text}
            if name == "bot":
                usage = {"input": int(tokens[0]), "output": 1, "cacheRead": 0, "cacheWrite": 0}
                spoken = [{"type": "text", "text": text}]
                message = {"role": "assistant", "content": spoken, "provider": "toy", "model": "t1"}
                message |= {"usage": {**usage, "cost": {}}, "stopReason": "stop"}
            parent = f"t{number - 1}" if number else None
            entry: dict[str, Any] = {"type": "message", "id": f"t{number}", "parentId": parent}
            entry |= {"timestamp": time, "message": message}
            yield json.dumps(entry).encode()


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
