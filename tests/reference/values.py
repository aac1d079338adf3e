"""Seeded random texts, JSON values and messages for sessions. `odd` ones keep a spelling, or hold
what only some JSON libraries can hold."""

from __future__ import annotations

from random import Random
from typing import Any

from support.jsonwire import JsonText

TEXTS = [
    "hello",
    "Fix the failing test, please",
    "naïve - déjà vu",
    "漢字かな交じり文",
    "two 😀 emoji 🎉",
    "several\nlines\r\n\tand a tab",
    "separators \u2028 and \u2029 here",
    'quotes " and \\ backslashes /',
    "control \u0001\u0008\u000c\u001f\u007f\u0085 characters",
    "",
    " ",
    "</script><!-- x",
    '{"type":"session","id":"inner"}',
    "\ufeffstarts with a mark",
]
ODD_TEXTS = [
    "cut \ud83d",
    "\ude00 the other half",
    JsonText('"\\u0041\\/\\u00e9"'),
    JsonText('"\\ud83d\\ude00"'),
    JsonText('"\\uD83D"'),
    JsonText('"\\u2028"'),
]
VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    -7,
    2**53,
    0.5,
    -12.25,
    "",
    [],
    {},
    [None, [], {}],
    {"jsonrpc": "2.0", "id": 1, "method": "exit", "params": []},
    {"id": "inner", "parentId": "nothing", "type": "message", "message": {"role": "assistant"}},
    {"": {"": [1, 2, 3]}, "ключ": "значение", "a b": None},
    {"__proto__": {"x": 1}, "constructor": 2, "toString": None},
    JsonText("[" * 100 + "]" * 100),
]
ODD_VALUES: list[Any] = [
    JsonText("12345678901234567890"),
    JsonText("-9007199254740993"),
    JsonText("1e21"),
    JsonText("1E2"),
    JsonText("1.0"),
    JsonText("0.10"),
    JsonText("-0"),
    JsonText("-0.0"),
    JsonText("1e-7"),
    JsonText("1e400"),
    JsonText("123456789.123456789123456789"),
    JsonText('{"b":1,"10":2,"9":3,"a":4}'),
    JsonText('{"a":1,"a":2}'),
    JsonText('{ "white" : [ 1 ,\t2 ] }'),
    JsonText('{"white":\n[1,\r\n2]}'),
    JsonText('{"a":' * 300 + "null" + "}" * 300),
    ["\ud83d", {"\udc00": 1}],
]
ROLES = (
    ["user"] * 6
    + ["assistant"] * 6
    + ["toolResult"] * 3
    + ["bashExecution", "custom", "newRole", "system"]
)


class Values:
    """Draws from a seeded source; `odd` switches the second halves of the tables on."""

    def __init__(self, random: Random, *, odd: bool) -> None:
        self.random = random
        self.odd = odd
        self._clock = 1_700_000_000_000

    def text(self) -> Any:
        return self.random.choice(TEXTS + ODD_TEXTS if self.odd else TEXTS)

    def value(self) -> Any:
        table = VALUES + ODD_VALUES if self.odd else VALUES
        drawn = self.random.choice(table)
        return {"v": drawn, "n": len(table)} if self.random.random() < 0.3 else drawn

    def blocks(self) -> list[Any]:
        made: list[Any] = [
            {"type": "text", "text": self.text()} for _ in range(self.random.randrange(3))
        ]
        if self.random.random() < 0.2:
            made.append({"type": "image", "data": "aGk=", "mimeType": "image/png"})
        if self.random.random() < 0.1:
            made.append({"type": "somethingNew", "payload": self.value()})
        return made

    def content(self) -> Any:
        return self.text() if self.random.random() < 0.5 else self.blocks()

    def message(self, role: str | None = None) -> dict[str, Any]:
        role = role or self.random.choice(ROLES)
        self._clock += self.random.choice([0, 1, 1000, 86_400_000, -1])
        message = getattr(self, f"_{role}")()
        if self.odd and self.random.random() < 0.2:
            message["extra"] = self.value()
        return {"role": role, **message, "timestamp": self._clock}

    def _user(self) -> dict[str, Any]:
        draw = self.random.random()
        if self.odd and draw < 0.04:
            return {}
        return {"content": None if self.odd and draw < 0.08 else self.content()}

    def _assistant(self) -> dict[str, Any]:
        content = self.blocks()
        if self.random.random() < 0.3:
            content.insert(0, {"type": "thinking", "thinking": self.text()})
        if self.random.random() < 0.4:
            arguments = {"path": self.text(), "v": self.value()}
            content.append({"type": "toolCall", "id": "t1", "name": "read", "arguments": arguments})
        cost = {"input": 0.003, "output": 0.5, "cacheRead": 0, "cacheWrite": 0, "total": 0.503}
        usage = {"input": 3, "output": 5, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 8}
        return {
            "content": content,
            "api": "anthropic-messages",
            "provider": self.random.choice(["anthropic", "openai"]),
            "model": self.random.choice(["model-a", "model-b"]),
            "usage": {**usage, "cost": cost},
            "stopReason": self.random.choice(["stop", "toolUse", "error", "aborted"]),
        }

    def _toolResult(self) -> dict[str, Any]:  # noqa: N802 - named as the role
        result = {"toolCallId": "t1", "toolName": "read", "content": self.blocks()}
        return {**result, "details": self.value(), "isError": False}

    def _bashExecution(self) -> dict[str, Any]:  # noqa: N802 - named as the role
        return {"command": "ls", "output": self.text(), "exitCode": 0, "cancelled": False}

    def _custom(self) -> dict[str, Any]:
        return {"customType": "note", "content": self.content(), "display": True}

    def _system(self) -> dict[str, Any]:
        if self.odd and self.random.random() < 0.1:
            return {"content": None}
        made: dict[str, Any] = {"content": self.random.choice([self.text(), ""])}
        if self.random.random() < 0.5:
            indices = ["10", "2"] if self.odd else []
            names = self.random.sample(["tools", "style", "ключ", *indices], 2)
            made["sections"] = {name: self.random.choice(["text", "", None]) for name in names}
        for member in ("toolsAdded", "toolsRemoved"):
            if self.random.random() < 0.4:
                names = self.random.choices(["read", "bash", "edit"], k=2)
                made[member] = [{"name": name, "v": self.random.randrange(3)} for name in names]
        return made

    def _newRole(self) -> dict[str, Any]:  # noqa: N802 - named as the role
        return {"whatever": self.value()}
