"""Send mutated requests from the published schema, in both framings, in pieces of any size.

In each round an unprivileged user runs a daemon with its own sessions and stores, and sends some
thousands of messages: valid requests, requests with members removed, swapped, of another type,
huge, deep, duplicated, with lone surrogates and null bytes; batches; cancellations. Every id must
be answered exactly once and never by an internal error, while a small request on the same
connection is answered in time; at the end the daemon must exit with code 0.
"""

from __future__ import annotations

import collections
import json
import os
import random
import re
from typing import Any

from sessiond_protocol import openrpc
from sessiond_protocol.errors import INTERNAL_ERROR
from support.client import Client, framed
from support.jsonwire import dumps

from torture.campaigns import Figures, Settings, Violation
from torture.watched import watched

REQUESTS_A_ROUND = 1700
_AT_ONCE = 30
"""Messages sent before waiting for answers; a small request waits until they have started."""
GROWTH_BYTES = 400e6
"""Bytes by which a daemon's memory may grow in a round."""

_DOCUMENT: dict[str, Any] = json.loads(bytes(openrpc.published()))
_SCHEMAS: dict[str, Any] = _DOCUMENT["components"]["schemas"]
# These end the connection, or change the form of all later answers.
_METHODS = [
    method
    for method in _DOCUMENT["methods"]
    if "result" in method and method["name"] not in {"initialize", "shutdown"}
]
_ODD: list[Any] = [
    None, True, False, 0, -1, 1.5, 10**30, -(10**400), 1e308, "", " ", "\0", "\ud83d", "\ufeff",
    "a" * 70_000, "../../x", "~", "/", "/proc/self/fd/0", "/dev/null", "{", [], {}, [[]],
    [None], {"": None}, {"\ud83d": "\udc00"}, {"__proto__": {}}, [1] * 5000, {"role": {}},
]  # fmt: skip
_DEEP = re.compile(rb'"@deep([0-9]+)@"')
_HEADER = {"type": "session", "version": 3, "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/"}


class Maker:
    """Makes requests with existing paths, handles and ids."""

    def __init__(self, chance: random.Random, names: dict[str, list[str]]) -> None:
        self.chance = chance
        self.names = names

    def request(self, id_: object) -> dict[str, Any]:
        method = self.chance.choice(_METHODS)
        params = {
            param["name"]: self.value(param["schema"], param["name"])
            for param in method["params"]
            if param.get("required") or self.chance.random() < 0.3
        }
        message = {"jsonrpc": "2.0", "id": id_, "method": method["name"], "params": params}
        if self.chance.random() < 0.4:
            self.mutate(params)
        return message

    def mutate(self, params: dict[str, Any]) -> None:
        """Remove, swap or replace members, at this level or deeper."""
        names = list(params)
        if not names:
            params["x"] = self.chance.choice(_ODD)
            return
        name = self.chance.choice(names)
        kind = self.chance.randrange(6)
        if kind == 0:
            del params[name]
        elif kind == 1:
            other = self.chance.choice(names)
            params[name], params[other] = params[other], params[name]
        elif kind == 2 and isinstance(params[name], dict):
            self.mutate(params[name])
        elif kind == 3:
            # Written as that many brackets; more than 512 make a body that is refused.
            params[name] = f"@deep{self.chance.choice([5, 100, 500])}@"
        else:
            params[name] = self.chance.choice(_ODD)

    def value(self, schema: dict[str, Any], name: str = "", depth: int = 0) -> Any:
        """Return a value that the schema allows; paths, handles and ids mostly exist."""
        chance = self.chance
        known = self.names.get(name)
        if known and chance.random() < 0.9:
            return chance.choice(known)
        return self.new_value(schema, name, depth)

    def new_value(self, schema: dict[str, Any], name: str, depth: int) -> Any:
        """Return a value made from the schema alone."""
        chance = self.chance
        if "$ref" in schema:
            return self.value(_SCHEMAS[schema["$ref"].rpartition("/")[2]], name, depth)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return chance.choice(schema["enum"])
        for several in ("anyOf", "oneOf"):
            if several in schema:
                return self.value(chance.choice(schema[several]), name, depth)
        return self.typed_value(schema, depth)

    def typed_value(self, schema: dict[str, Any], depth: int) -> Any:
        """Return a value of one of the schema's types."""
        chance = self.chance
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = chance.choice(kind)
        if kind == "object" and depth < 6:
            return self.members(schema, depth)
        if kind == "array":
            items = schema.get("items", {})
            return [self.value(items, "", depth + 1) for _ in range(chance.choice([0, 1, 2, 5]))]
        if kind in {"integer", "number"}:
            return chance.choice([0, 1, 2, 50, schema.get("minimum", -5), schema.get("maximum", 9)])
        simple: dict[Any, Any] = {"boolean": chance.random() < 0.5, "null": None, "object": {}}
        return simple.get(kind, chance.choice(["a", "user", "x y", "é", "\ud83d", "2026-01-01"]))

    def members(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        required = schema.get("required", ())
        return {
            name: self.value(inner, name, depth + 1)
            for name, inner in schema.get("properties", {}).items()
            if name in required or self.chance.random() < 0.3
        }


async def run(settings: Settings) -> Figures:
    figures: collections.Counter[str] = collections.Counter()
    for number in range(settings.rounds):
        await _round(settings, number, figures)
    return dict(figures)


async def _round(settings: Settings, number: int, figures: collections.Counter[str]) -> None:
    chance = settings.random("requests", number)
    home = settings.directory / f"{number}"
    sessions = home / ".coderclaw" / "agents" / "main" / "sessions"
    sessions.mkdir(parents=True)
    paths = []
    for name in "abc":
        path = sessions / f"{name}.jsonl"
        path.write_bytes(b"".join(dumps(line).encode() + b"\n" for line in _lines(name, chance)))
        paths.append(str(path))
    store = {f"agent:main:{name}": {"sessionId": name, "updatedAt": 1} for name in "ab"}
    (sessions / "sessions.json").write_text(json.dumps(store))
    settings.give_away(home)
    framing = chance.choice(["header", "line"])
    arguments = ["--profile", "coderclaw", "--log-level", "error", "--root", str(home)]
    async with watched(settings, home, *arguments, framing=framing) as daemon:
        client = daemon.client
        handles = [(await daemon.ask("session/open", {"path": path}))["session"] for path in paths]
        names = {
            "session": handles,
            "path": paths,
            "cwd": ["/", str(home)],
            "key": list(store),
            "sessionKey": list(store),
            "storePath": [str(sessions / "sessions.json")],
            "entryId": ["e1", "e2", "missing"],
            "leafId": ["e1", "e2", "missing"],
        }
        # Loading the methods of a family takes longer than a small request may wait.
        await daemon.attempt("gateway/list", {})
        await daemon.attempt("catalog/check", {})
        await daemon.attempt("context/estimateTokens", {"session": handles[0]})
        before = _resident(daemon.pid)
        maker = Maker(chance, names)
        await daemon.unhindered(lambda: _converse(client, maker, chance, figures))
        grown = _resident(daemon.pid) - before
        if grown > GROWTH_BYTES:
            raise Violation(f"the requests made the daemon grow by {grown / 1e6:.0f} MB")
        await daemon.ask("daemon/status")
        figures["requests"] += daemon.requests
    if client.exit_code != 0:
        raise Violation(f"the daemon ended with {client.exit_code}")


def _lines(session_id: str, chance: random.Random) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = [{**_HEADER, "id": session_id}]
    parent = None
    for number in range(chance.randrange(3, 40)):
        role = chance.choice(["user", "assistant"])
        message = {"role": role, "content": [{"type": "text", "text": "word " * 20}]}
        entry = {"type": "message", "id": f"e{number}", "parentId": parent, "message": message}
        lines.append({**entry, "timestamp": "2026-01-01T00:00:00.000Z"})
        parent = f"e{number}"
    return lines


async def _converse(
    client: Client, maker: Maker, chance: random.Random, figures: collections.Counter[str]
) -> None:
    """Send everything, in groups; raises Violation unless each id is answered once."""
    sent = 0
    while sent < REQUESTS_A_ROUND:
        owed: dict[str, dict[str, Any]] = {}
        data = b""
        for _ in range(chance.randrange(1, _AT_ONCE)):
            size = chance.choice([1] * 20 + [2, 5, 30])
            made = []
            for _ in range(size):
                id_ = f"r{sent}"
                sent += 1
                made.append(maker.request(id_))
                owed[id_] = made[-1]
            body = _DEEP.sub(_brackets, dumps(made if size > 1 else made[0]).encode())
            if size == 1 and chance.random() < 0.05:
                # Of two members with one name the last counts.
                body = body[:-1] + b',"jsonrpc":"2.0"}'
            elif size == 1 and chance.random() < 0.02:
                body = body[:-1] + b',"x":' + b"[" * 600 + b"]" * 600 + b"}"
            data += framed(body, client.framing)
            figures["batches"] += size > 1
            if chance.random() < 0.1:
                doomed = {"id": chance.choice(list(owed))}
                cancel = {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": doomed}
                data += framed(cancel, client.framing)
                figures["cancellations"] += 1
        step = chance.choice([1 << 20, 1 << 20, 4096, 100])
        pieces = [data[at : at + step] for at in range(0, len(data), step)]
        for piece in pieces if len(pieces) < 2000 else [data]:
            await client.send_raw(piece)
        await _collect(client, owed)
    figures["requests"] += sent


async def _collect(client: Client, owed: dict[str, dict[str, Any]]) -> None:
    while owed:
        try:
            received = await client.receive()
        except TimeoutError:
            raise Violation(f"no answer to {list(owed.values())[:3]!r:.2000}") from None
        except EOFError:
            text = f"{list(owed.values())[:3]!r:.2000}"
            raise Violation(f"the daemon has ended; unanswered: {text}") from None
        answers = received.value if isinstance(received.value, list) else [received.value]
        for answer in answers:
            if "method" in answer:
                continue
            request = owed.pop(answer["id"], None)
            if request is None:
                raise Violation(f"an answer without a request: {answer!r:.2000}")
            if answer.get("error", {}).get("code") == INTERNAL_ERROR:
                raise Violation(f"internal error: {answer['error']} for {request!r:.3000}")


def _brackets(match: re.Match[bytes]) -> bytes:
    return b"[" * int(match[1]) + b"]" * int(match[1])


def _resident(pid: int) -> int:
    """Return the resident memory in bytes; 0 if the system does not provide it."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
