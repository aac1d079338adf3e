"""sessiond and an agent on one session file: notifications, and messages as agents write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support.model_server import Message, text_of
from support.process import Daemon

_AMOUNTS = ("input", "output", "cacheRead", "cacheWrite")
_USAGE = {
    **dict.fromkeys((*_AMOUNTS, "totalTokens"), 0),
    "cost": dict.fromkeys((*_AMOUNTS, "total"), 0),
}


class Ear:
    """A handle of the daemon on a session file, and the entries that were reported to it."""

    def __init__(self, daemon: Daemon, path: str) -> None:
        self.daemon = daemon
        self.path = Path(path)
        self.session = daemon.request("session/open", path=path, follow=True)["session"]
        self.ids = [entry["id"] for entry in self.ask("getEntries")["entries"]]

    def ask(self, method: str, **params: Any) -> Any:
        return self.daemon.request(f"session/{method}", session=self.session, **params)

    def lines(self) -> list[dict[str, Any]]:
        """The entries of the file, read without the daemon."""
        _, *entries = [json.loads(line) for line in self.path.read_bytes().splitlines()]
        return entries

    def hear(self, ids: list[str]) -> None:
        """Wait until the notifications have reported all these entries, in this order."""
        while len(self.ids) < len(ids):
            told = self.daemon.notification("session/didChange")
            if told["session"] == self.session:
                assert told["kind"] == "appended"
                self.ids += [entry["id"] for entry in told["entries"]]
        assert self.ids == ids


def asked(text: str) -> Message:
    return {"role": "user", "content": text, "timestamp": 1}


def said(text: str) -> Message:
    message = {"role": "assistant", "content": [{"type": "text", "text": text}]}
    by = {"api": "openai-completions", "provider": "ours", "model": "plain"}
    return {**message, **by, "usage": _USAGE, "stopReason": "stop", "timestamp": 1}


def spoken(messages: list[Message]) -> list[tuple[str, str]]:
    """Role and text of each message a model is sent, system messages left out."""
    return [(each["role"], text_of(each)) for each in messages if each["role"] != "system"]
