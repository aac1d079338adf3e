"""An agent of another format: chat logs, which sessiond has never heard of and only reads."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import attrs

from sessiond.agents.agent import ReadOnlyAgent
from sessiond.agents.line_translation import LineTranslation
from sessiond.agents.translation import INSTEAD
from sessiond.format.header import new_header_line
from sessiond.runtime.errors import Unsupported

_LOG = re.compile(r".*/logs/[0-9]{4}/[^/]+\.jsonl")


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
            yield new_header_line(self.session_id, time, cwd)
        else:
            yield self.entry(*line.decode().partition(": ")[::2])
        self.number += 1

    def entry(self, who: str, text: str) -> bytes:
        time, name, *tokens = who.split(" ")
        content = [{"type": "text", "text": text}]
        message: dict[str, Any] = {"role": "user", "content": content}
        if name == "bot":
            usage = {"input": int(tokens[0]), "output": 1, "cacheRead": 0, "cacheWrite": 0}
            model = {"provider": "toy", "model": "t1", "usage": {**usage, "cost": {}}}
            message = {"role": "assistant", "content": content, **model, "stopReason": "stop"}
        parent = f"t{self.number - 1}" if self.number else None
        entry = {"type": "message", "id": f"t{self.number}", "parentId": parent}
        return json.dumps({**entry, "timestamp": time, "message": message}).encode()


class ChatLogs(LineTranslation):
    """One file for each log, in a directory for each year, with names like those of pi."""

    def holds(self, path: str) -> bool:
        return _LOG.fullmatch(path) is not None

    def begins(self, head: bytes) -> bool:
        return head.startswith(b"log ")

    def id_of(self, path: str) -> str:
        return super().id_of(path).rpartition("_")[2]

    def refusal(self, path: str) -> Unsupported:
        return Unsupported(f"only toychat writes {path}", path, INSTEAD)

    def translator(self, path: str) -> ChatLines:
        return ChatLines(self.id_of(path))


TOY = ReadOnlyAgent("toychat", "TOYCHAT_DIR", "~/.toychat", "logs", ChatLogs(), depth=1)
