"""Replay the vectors of `protocol/vectors`, as their README describes, through this client."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from sessiond_protocol.registry import METHODS, NOTIFICATIONS

from sessiond_client import contract
from sessiond_client.connection import Connection
from sessiond_client.encoding import encode
from sessiond_client.errors import ErrorAnswer
from sessiond_client.exact import Json, parse, read

VECTORS = Path(__file__).resolve().parents[3] / "protocol" / "vectors"
NOTIFIED_WITHIN = 30.0
PLACEHOLDER = re.compile(r"\$\{(\w+)\}")
PATTERNS = {
    "time": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z",
    "id": r"([0-9a-f]{8}){1,2}",
    "uuid": r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
}
TYPES: dict[str, type] = {"string": str, "array": list, "object": dict}
MATCHERS = {"$any", "$oneOf", "$between", "$subset", "$unordered"}


class Mismatch(AssertionError):
    """A value is not the expected one."""


def contract_class(of_the_daemon: Any) -> Any:
    """Return the client's class for a class of the daemon."""
    if of_the_daemon is None or of_the_daemon.__module__ == "builtins":
        return of_the_daemon or type(None)
    return getattr(contract, of_the_daemon.__name__)


def names() -> list[str]:
    return sorted(path.stem for path in VECTORS.glob("*.json"))


async def replay(name: str) -> None:
    vector = json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))
    directory = os.path.realpath(tempfile.mkdtemp(prefix="sessiond-"))
    try:
        await Replay(directory, vector).run()
    finally:
        shutil.rmtree(directory, ignore_errors=True)


class Replay:
    def __init__(self, directory: str, vector: dict[str, Any]) -> None:
        self.vector = vector
        self.values: dict[str, Any] = {"dir": directory}
        for name, (text, times) in vector.get("generate", {}).items():
            self.values[name] = text * times
        self.told: list[tuple[str, Any]] = []
        self.news = asyncio.Event()

    async def run(self) -> None:
        for file in self.vector.get("files", ()):
            path = Path(self.fill(file["path"]))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(self.contents(file) or b"")
            if "modified" in file:
                os.utime(path, (file["modified"], file["modified"]))
        options = self.fill(self.vector.get("options", []))
        self.connection = await Connection.start(
            None,
            ["--agent-dir", f"{self.values['dir']}/agent", *options],
            on_notification=self.take,
            on_lost=lambda _: self.news.set(),
        )
        try:
            # Python can hold any JSON value, so only vectors about plainJson need it.
            opening = dict(self.vector.get("initialize", {}))
            if self.vector["fidelity"] == "plain":
                plain = {"capabilities": {"plainJson": True}}
                opening["params"] = opening.get("params", {}) | plain
            first = {"params": {}, **opening, "request": "initialize"}
            for number, step in enumerate([first, *self.vector["steps"]]):
                try:
                    await self.step(step)
                except Exception as error:
                    error.add_note(f"in step {number}: {json.dumps(step)[:800]}")
                    raise
        finally:
            await self.connection.close(5.0)

    def take(self, method: str, params: Json) -> None:
        read(params, contract_class(NOTIFICATIONS[method].params))
        self.told.append((method, parse(params)))
        self.news.set()

    async def step(self, step: dict[str, Any]) -> None:
        if "request" in step:
            await self.request(step)
        elif "notify" in step:
            self.connection.notify(step["notify"], self.params(step))
            if "exitCode" in step:
                match(step["exitCode"], await self.connection.wait(), "exit code")
        elif "notification" in step:
            params = await self.notification(step["notification"])
            match(self.fill(step["params"]), params, step["notification"])
            self.capture(step, params)
        elif "edit" in step:
            self.edit(Path(self.fill(step["edit"])), step)
        else:
            path = Path(self.fill(step["check"]))
            actual = path.read_bytes() if path.exists() else None
            if actual != self.contents(step):
                raise Mismatch(f"{path} holds {actual!r}, not {self.contents(step)!r}")

    async def request(self, step: dict[str, Any]) -> None:
        try:
            raw = await self.connection.request(step["request"], self.params(step))
        except ErrorAnswer as error:
            if "error" not in step:
                raise
            answer = {"code": error.code, "message": error.message, "data": error.data}
            match({"$subset": self.fill(step["error"])}, answer, "error")
            return
        if "error" in step:
            raise Mismatch(f"expected an error, got the result {raw!r}")
        if "resultText" in step:
            expected = self.fill(step["resultText"]).encode()
            if raw != expected:
                raise Mismatch(f"expected {expected!r}, got {raw!r}")
        elif "result" in step:
            match(self.fill(step["result"]), parse(raw), "result")
        # The result must also fit its class in the contract.
        read(raw, contract_class(METHODS[step["request"]].result))
        self.capture(step, parse(raw))

    async def notification(self, method: str) -> Any:
        with suppress(TimeoutError):
            async with asyncio.timeout(NOTIFIED_WITHIN):
                while True:
                    for index, (name, params) in enumerate(self.told):
                        if name == method:
                            del self.told[index]
                            return params
                    self.news.clear()
                    await self.news.wait()
        raise Mismatch(f"{method} was not received; received: {self.told}")

    def edit(self, path: Path, step: dict[str, Any]) -> None:
        if "append" in step:
            with path.open("ab") as file:
                file.write(self.text(step["append"]))
        elif "write" in step:
            path.write_bytes(self.text(step["write"]))
        elif "replace" in step:
            beside = path.with_name(f"{path.name}.new")
            beside.write_bytes(self.text(step["replace"]))
            beside.rename(path)
        elif "truncate" in step:
            os.truncate(path, step["truncate"])
        elif "delete" in step:
            path.unlink()
        else:
            raise ValueError(f"unknown edit: {step}")

    def params(self, step: dict[str, Any]) -> bytes | None:
        if "paramsText" in step:
            text: str = self.fill(step["paramsText"])
            return text.encode()
        return encode(self.fill(step["params"])) if "params" in step else None

    def contents(self, holder: dict[str, Any]) -> bytes | None:
        if "base64" in holder:
            return base64.b64decode(holder["base64"])
        return None if holder["text"] is None else self.text(holder["text"])

    def text(self, text: str | list[str]) -> bytes:
        filled = self.fill(text)
        joined = filled if isinstance(filled, str) else "".join(f"{line}\n" for line in filled)
        return joined.encode()

    def fill(self, value: Any) -> Any:
        if isinstance(value, str):
            if whole := PLACEHOLDER.fullmatch(value):
                return self.values[whole[1]]
            return PLACEHOLDER.sub(lambda match: str(self.values[match[1]]), value)
        if isinstance(value, list):
            return [self.fill(item) for item in value]
        if isinstance(value, dict):
            return {name: self.fill(item) for name, item in value.items()}
        return value

    def capture(self, step: dict[str, Any], result: Any) -> None:
        for name, path in step.get("capture", {}).items():
            value = result
            for part in path.split("."):
                value = value[int(part) if isinstance(value, list) else part]
            self.values[name] = value


def match(expected: Any, actual: Any, where: str) -> None:
    """Raise Mismatch unless the value is the expected one."""

    def demand(*, holds: bool) -> None:
        if not holds:
            raise Mismatch(f"{where}: expected {expected!r}, got {actual!r}")

    if isinstance(expected, dict) and len(expected) == 1 and expected.keys() & MATCHERS:
        ((name, operand),) = expected.items()
        _match_special(name, operand, actual, where, demand)
    elif isinstance(expected, dict):
        demand(holds=isinstance(actual, dict) and expected.keys() == actual.keys())
        for name, value in expected.items():
            match(value, actual[name], f"{where}.{name}")
    elif isinstance(expected, list):
        demand(holds=isinstance(actual, list) and len(expected) == len(actual))
        for index, value in enumerate(expected):
            match(value, actual[index], f"{where}[{index}]")
    else:
        same_kind = isinstance(expected, bool) == isinstance(actual, bool)
        demand(holds=expected == actual and same_kind)


def _match_special(
    name: str, operand: Any, actual: Any, where: str, demand: Callable[..., None]
) -> None:
    if name == "$any":
        if operand in PATTERNS:
            match_ = isinstance(actual, str) and re.fullmatch(PATTERNS[operand], actual)
            demand(holds=bool(match_))
        elif operand == "integer":
            demand(holds=isinstance(actual, int) and not isinstance(actual, bool))
        elif operand != "value":
            demand(holds=isinstance(actual, TYPES[operand]))
    elif name == "$oneOf":
        demand(holds=actual in operand)
    elif name == "$between":
        begin, end = operand
        demand(
            holds=isinstance(actual, str)
            and len(actual) >= len(begin) + len(end)
            and actual.startswith(begin)
            and actual.endswith(end)
        )
    elif name == "$subset":
        demand(holds=isinstance(actual, dict) and operand.keys() <= actual.keys())
        for member, value in operand.items():
            match(value, actual[member], f"{where}.{member}")
    else:
        demand(holds=isinstance(actual, list) and len(operand) == len(actual))
        left = list(actual)
        for value in operand:
            index = next((i for i, item in enumerate(left) if _matches(value, item)), None)
            demand(holds=index is not None)
            del left[index]


def _matches(expected: Any, actual: Any) -> bool:
    try:
        match(expected, actual, "")
    except Mismatch:
        return False
    return True
