"""The made-up sessions of the demo, of the pictures and of the examples in the README."""

from __future__ import annotations

import hashlib
import json
import os
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import attrs

MINUTE, HOUR, DAY = 60, 60 * 60, 24 * 60 * 60
SONNET = ("anthropic", "claude-sonnet-4-5")
GPT = ("openai", "gpt-5.1")

DIFF = """\
 18 def buy(item):
-19     if stock(item) > 0:
-20         take(item)
+19     with transaction():
+20         if stock(item, lock=True) > 0:
+21             take(item)"""


@attrs.define
class Session:
    """A session file that grows; each entry follows the one before, a minute later."""

    id: str
    cwd: str
    age: float
    """Seconds since the last entry."""

    model: tuple[str, str] = SONNET
    lines: list[dict[str, Any]] = attrs.field(factory=list)
    last: str | None = None

    def add(self, kind: str, under: str | None = None, **members: Any) -> str:
        made = hashlib.sha256(f"{self.id} {len(self.lines)}".encode()).hexdigest()[:8]
        entry = {"type": kind, "id": made, **members}
        self.lines.append({**entry, "parentId": under or self.last})
        self.last = str(entry["id"])
        return self.last

    def user(self, text: str, under: str | None = None) -> str:
        return self.add("message", under, message={"role": "user", "content": text})

    def answer(self, text: str, *blocks: dict[str, Any], cost: float) -> str:
        content = [{"type": "text", "text": text}, *blocks]
        tokens = round(cost * 150_000)
        usage: dict[str, Any] = {"input": tokens, "output": tokens // 12}
        usage |= {"cacheRead": tokens * 2, "cacheWrite": 0, "totalTokens": tokens * 37 // 12}
        usage["cost"] = {"input": cost * 0.6, "output": cost * 0.4, "total": cost}
        provider, model = self.model
        message = {"role": "assistant", "content": content, "provider": provider, "model": model}
        return self.add("message", message={**message, "usage": usage, "stopReason": "stop"})

    def result(self, call: dict[str, Any], text: str, **details: Any) -> str:
        message: dict[str, Any] = {"role": "toolResult", "isError": False, "details": details}
        message |= {"toolCallId": call["id"], "toolName": call["name"]}
        message["content"] = [{"type": "text", "text": text}]
        return self.add("message", message=message)

    def write(self, home: Path) -> Path:
        """Write the file where pi keeps the sessions of a working directory."""
        begun = time.time() - self.age - len(self.lines) * MINUTE
        times = [
            datetime.fromtimestamp(begun + number * MINUTE, UTC).isoformat(timespec="milliseconds")
            for number in range(len(self.lines) + 1)
        ]
        stamps = [stamp.replace("+00:00", "Z") for stamp in times]
        header = {"type": "session", "version": 3, "id": self.id, "timestamp": stamps[0]}
        lines = [{**header, "cwd": self.cwd}]
        for stamp, line in zip(stamps[1:], self.lines, strict=True):
            lines.append({**line, "timestamp": stamp})
            if "message" in line:
                milliseconds = int(datetime.fromisoformat(stamp).timestamp() * 1000)
                lines[-1]["message"] = {**line["message"], "timestamp": milliseconds}
        folder = home / ".pi/agent/sessions" / f"--{self.cwd.strip('/').replace('/', '-')}--"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{stamps[0].translate(str.maketrans(':.', '--'))}_{self.id}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        os.utime(path, (time.time(), time.time() - self.age))
        return path


def call(number: int, name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": f"call{number}", "name": name, "arguments": arguments}


def shop() -> Session:
    """Two branches, an edit with its diff, tests and costs."""
    session = Session("01ac4d7e-93b5-7837-b1f8-a5a1cf84100b", "/home/me/shop", 5 * MINUTE)
    session.add("session_info", name="Race condition in the checkout")
    session.user("Two checkouts at once sell the last item twice. Find out why.")
    looked = call(1, "bash", command="grep -n 'stock(' checkout.py")
    session.answer("I look at where the stock is read.", looked, cost=0.012)
    session.result(looked, "19:    if stock(item) > 0:")
    why = session.answer(
        "`buy` reads the stock and takes the item in **two steps**; another checkout fits between"
        " them. A lock in the process or a transaction would help.",
        cost=0.019,
    )
    session.user("Use a lock in the process.")
    session.answer(
        "That would not help with two servers, which you have in `deploy.yml`.", cost=0.021
    )
    session.user("Then use a transaction, and run the tests.", under=why)
    old = "    if stock(item) > 0:\n        take(item)"
    new = "    with transaction():\n        if stock(item, lock=True) > 0:\n            take(item)"
    edited = call(2, "edit", path="checkout.py", edits=[{"oldText": old, "newText": new}])
    session.answer("The row of the item is locked until the sale is written.", edited, cost=0.031)
    session.result(edited, "Edited checkout.py.", diff=DIFF)
    tested = call(3, "bash", command="pytest -q tests/test_checkout.py")
    session.answer("Now the tests.", tested, cost=0.034)
    session.result(tested, "9 passed in 1.52s")
    session.answer(
        "All 9 tests pass, also the one with two checkouts at once:\n\n"
        "```python\nwith two_checkouts() as (first, second):\n"
        '    assert {first.buy("last"), second.buy("last")} == {True, False}\n```',
        cost=0.036,
    )
    return session


def parser() -> Session:
    session = Session("01abe1c6-0a52-7c11-9c3e-2f86d1e0b7a4", "/home/me/parser", 3 * HOUR, GPT)
    session.add("session_info", name="Fix the sign of zero")
    session.user("The parser drops the sign of zero. Find out why.")
    read = call(1, "read", path="numbers.py")
    session.answer("I will look at how numbers are read.", read, cost=0.008)
    session.result(read, "def number(text):\n    return int(text)")
    session.answer("`int` turns `-0` into `0`. Reading a float first keeps the sign.", cost=0.011)
    return session


def site() -> Session:
    """It has no name."""
    session = Session("01a98f20-5d17-7b60-8a09-6c1be0d94f35", "/home/me/site", 4 * DAY)
    session.user("Translate the landing page into French.")
    session.answer("Done; the button says « Commander » now.", cost=0.006)
    return session


def write(home: Path) -> tuple[Path, Path, Path]:
    """Write all sessions below a home directory; returns the paths of their files."""
    return shop().write(home), parser().write(home), site().write(home)
