"""Replay a vector of `protocol/vectors` over a connection; its README.md defines the format."""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs

from support.client import Client, Received

VECTORS = Path(__file__).parent.parent.parent / "protocol" / "vectors"

NOTIFIED_WITHIN = 30.0
"""Seconds until a notification that does not come fails the vector."""

CANCELLED = -32800

PLACEHOLDER = re.compile(r"\$\{(\w+)\}")

_ANY: dict[str, Callable[[Any], bool]] = {
    "value": lambda _: True,
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "time": lambda value: _is(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", value),
    "id": lambda value: _is(r"([0-9a-f]{8}){1,2}", value),
    "uuid": lambda value: _is(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", value),
}


class Mismatch(AssertionError):
    """A value that is not the expected one; `where` is its path."""

    def __init__(self, where: str, expected: Any, actual: Any) -> None:
        super().__init__(f"{where}: expected {_shown(expected)}, got {_shown(actual)}")


def load(name: str) -> dict[str, Any]:
    vector: dict[str, Any] = json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))
    return vector


def names() -> list[str]:
    return sorted(path.stem for path in VECTORS.glob("*.json"))


def matcher(expected: Any) -> tuple[str, Any] | None:
    """The name and operand of a matcher, an object such as `{"$any": "string"}`."""
    if isinstance(expected, dict) and len(expected) == 1:
        ((name, operand),) = expected.items()
        if name in {"$any", "$oneOf", "$between", "$subset", "$unordered"}:
            return name, operand
    return None


def match(expected: Any, actual: Any, where: str = "$") -> None:
    """Raise Mismatch unless the value is the expected one."""
    found = matcher(expected)
    if found is not None:
        _match_special(*found, actual, where)
    elif isinstance(expected, dict):
        if not isinstance(actual, dict) or expected.keys() != actual.keys():
            raise Mismatch(where, expected, actual)
        for name, value in expected.items():
            match(value, actual[name], f"{where}.{name}")
    elif isinstance(expected, list):
        if not isinstance(actual, list) or len(expected) != len(actual):
            raise Mismatch(where, expected, actual)
        for index, value in enumerate(expected):
            match(value, actual[index], f"{where}[{index}]")
    elif expected != actual or isinstance(expected, bool) != isinstance(actual, bool):
        raise Mismatch(where, expected, actual)


def _match_special(name: str, operand: Any, actual: Any, where: str) -> None:
    if name == "$any":
        ok = _ANY[operand](actual)
    elif name == "$oneOf":
        ok = actual in operand
    elif name == "$between":
        begin, end = operand
        ok = (
            isinstance(actual, str)
            and len(actual) >= len(begin) + len(end)
            and actual.startswith(begin)
            and actual.endswith(end)
        )
    elif name == "$subset":
        ok = isinstance(actual, dict) and operand.keys() <= actual.keys()
        for member, value in operand.items() if ok else ():
            match(value, actual[member], f"{where}.{member}")
    else:
        ok = isinstance(actual, list) and len(operand) == len(actual)
        left = list(actual) if ok else []
        for value in operand if ok else ():
            _take(value, left, where)
    if not ok:
        raise Mismatch(where, {name: operand}, actual)


def _take(expected: Any, left: list[Any], where: str) -> None:
    for index, value in enumerate(left):
        try:
            match(expected, value, where)
        except Mismatch:
            continue
        del left[index]
        return
    raise Mismatch(f"{where}[any]", expected, left)


def _is(pattern: str, value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(pattern, value) is not None


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 1500 else f"{text[:1500]}…"


@attrs.define
class Replay:
    """One vector on one connection; `values` are the placeholders known so far."""

    client: Client
    values: dict[str, Any]
    plain: bool = False
    _notifications: list[dict[str, Any]] = attrs.field(factory=list)
    _ids: itertools.count[int] = attrs.field(factory=lambda: itertools.count(1))

    async def run(self, vector: Mapping[str, Any]) -> None:
        opening = vector.get("initialize", {})
        params = dict(opening.get("params", {}))
        if self.plain:
            params["capabilities"] = {"plainJson": True}
        step = {**opening, "request": "initialize", "params": params}
        for number, item in enumerate([step, *vector["steps"]]):
            try:
                await self._step(item)
            except Mismatch as error:
                error.add_note(f"in step {number}: {_shown(self.fill(item))}")
                raise

    def fill(self, value: Any) -> Any:
        """The value with the placeholders in its strings replaced."""
        if isinstance(value, str):
            whole = PLACEHOLDER.fullmatch(value)
            if whole:
                return self.values[whole[1]]
            return PLACEHOLDER.sub(lambda found: str(self.values[found[1]]), value)
        if isinstance(value, list):
            return [self.fill(item) for item in value]
        if isinstance(value, dict):
            return {name: self.fill(item) for name, item in value.items()}
        return value

    async def _step(self, step: Mapping[str, Any]) -> None:
        if "request" in step:
            await self._request(step)
        elif "notify" in step:
            await self._notify(step)
        elif "notification" in step:
            params = await self._notification(step)
            match(self.fill(step["params"]), params)
            self._capture(step, params)
        elif "edit" in step:
            edit(Path(self.fill(step["edit"])), step, self)
        else:
            check(Path(self.fill(step["check"])), step, self)

    async def _request(self, step: Mapping[str, Any]) -> None:
        if self.plain and "plain" in step:
            step = {key: step[key] for key in step.keys() - {"result", "resultText"}}
            step |= step["plain"]
        params = step.get("params")
        text = self.fill(step["paramsText"]) if "paramsText" in step else None
        if text is None and params is not None:
            text = json.dumps(self.fill(params))
        answer = await self._call(step["request"], text, cancel=step.get("cancel", False))
        if step.get("cancel") and answer.value.get("error", {}).get("code") == CANCELLED:
            return
        if "error" in step:
            if "error" not in answer.value:
                raise Mismatch("error", step["error"], answer.value)
            match({"$subset": self.fill(step["error"])}, answer.value["error"], "error")
            return
        if "result" not in answer.value:
            raise Mismatch("result", step.get("result", step.get("resultText")), answer.value)
        result = answer.value["result"]
        if "resultText" in step:
            self._match_text(self.fill(step["resultText"]), answer)
        elif "result" in step:
            match(self.fill(step["result"]), result, "result")
        self._capture(step, result)

    def _match_text(self, expected: str, answer: Received) -> None:
        actual = answer.raw.partition(b'"result":')[2].removesuffix(b"}")
        if self.plain:
            match(json.loads(expected), json.loads(actual), "result")
        elif actual != expected.encode():
            raise Mismatch("result", expected, actual.decode(errors="replace"))

    async def _call(self, method: str, params: str | None, *, cancel: bool) -> Received:
        number = next(self._ids)
        self.client.write(_body(method, params, number))
        if cancel:
            self.client.notify("$/cancelRequest", {"id": number})
        while True:
            received = await self.client.receive()
            if received.value.get("id") == number:
                return received
            self._notifications.append(received.value)

    async def _notify(self, step: Mapping[str, Any]) -> None:
        params = step.get("params")
        self.client.write(_body(step["notify"], params and json.dumps(self.fill(params))))
        if "exitCode" in step:
            match(step["exitCode"], await self.client.ends(), "exit code")

    async def _notification(self, step: Mapping[str, Any]) -> Any:
        try:
            async with asyncio.timeout(NOTIFIED_WITHIN):
                return await self._next(step["notification"])
        except TimeoutError:
            raise Mismatch("notification", step, self._notifications) from None

    async def _next(self, method: str) -> Any:
        """The params of the oldest notification of that name; others wait."""
        for index, message in enumerate(self._notifications):
            if message.get("method") == method:
                del self._notifications[index]
                return message.get("params")
        while (message := (await self.client.receive()).value).get("method") != method:
            self._notifications.append(message)
        return message.get("params")

    def _capture(self, step: Mapping[str, Any], result: Any) -> None:
        for name, path in step.get("capture", {}).items():
            value = result
            for part in path.split("."):
                value = value[int(part) if isinstance(value, list) else part]
            self.values[name] = value


def _body(method: str, params: str | None, number: int | None = None) -> bytes:
    parts = ['{"jsonrpc":"2.0"']
    parts += [] if number is None else [f'"id":{number}']
    parts += [f'"method":{json.dumps(method)}']
    parts += [] if params is None else [f'"params":{params}']
    return (",".join(parts) + "}").encode()


def content(text: str | list[str], replay: Replay) -> bytes:
    """The bytes of a text: a list is lines, each of them ended."""
    filled = replay.fill(text)
    return (filled if isinstance(filled, str) else "".join(f"{x}\n" for x in filled)).encode()


def lay(vector: Mapping[str, Any], replay: Replay) -> None:
    """Put down the files a vector begins with."""
    for file in vector.get("files", ()):
        path = Path(replay.fill(file["path"]))
        path.parent.mkdir(parents=True, exist_ok=True)
        data = base64.b64decode(file["base64"]) if "base64" in file else None
        path.write_bytes(content(file["text"], replay) if data is None else data)
        if "modified" in file:
            os.utime(path, (file["modified"], file["modified"]))


def edit(path: Path, step: Mapping[str, Any], replay: Replay) -> None:
    """Change a file as another program would."""
    if "append" in step:
        with path.open("ab") as file:
            file.write(content(step["append"], replay))
    elif "write" in step:
        path.write_bytes(content(step["write"], replay))
    elif "replace" in step:
        beside = path.with_name(f"{path.name}.new")
        beside.write_bytes(content(step["replace"], replay))
        beside.rename(path)
    elif "truncate" in step:
        os.truncate(path, step["truncate"])
    else:
        path.unlink()


def check(path: Path, step: Mapping[str, Any], replay: Replay) -> None:
    """Compare a file's bytes; `null` as text means that it is not there."""
    actual = path.read_bytes() if path.exists() else None
    if "base64" in step:
        expected: bytes | None = base64.b64decode(step["base64"])
    else:
        expected = None if step["text"] is None else content(step["text"], replay)
    if actual != expected:
        shown = [x and x.decode(errors="backslashreplace") for x in (expected, actual)]
        raise Mismatch(f"file {path}", *shown)
