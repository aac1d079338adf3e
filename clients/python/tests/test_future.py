"""Answers of a later daemon: nothing raises, and nothing is lost that this version knows."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from sessiond_protocol.openrpc import FILE

from sessiond_client import (
    CatalogChangeUnknown,
    ErrorAnswer,
    Sessiond,
    SessionDidChangeParamsUnknown,
    UnknownBlock,
    UnknownEntry,
    UnknownMessage,
    contract,
    errors,
)
from sessiond_client.encoding import encode
from sessiond_client.objects import build

sys.path.append(str(Path(__file__).resolve().parents[3] / "protocol"))
from targets import model, reading

PROTOCOL = Path(__file__).resolve().parents[3] / "protocol"
DAEMON = PROTOCOL / "tests/future_daemon.py"
FUTURE = json.loads((PROTOCOL / "future/answers.json").read_text(encoding="utf-8"))
CONTRACT = reading.read(json.loads(FILE.read_text(encoding="utf-8")))
ADDED = "addedLater"
METHODS = {each.name: each for each in (*CONTRACT.requests, *CONTRACT.notifications)}


def known(value):
    if isinstance(value, dict):
        return {name: known(each) for name, each in value.items() if name != ADDED}
    return [known(each) for each in value] if isinstance(value, list) else value


def class_of(method):
    facts = METHODS[method]
    kind = facts.result or model.Ref(facts.params)
    return getattr(contract, kind.name) if isinstance(kind, model.Ref) else None


EVERY = [
    *((method, each["result"]) for each in FUTURE["answers"] for method in each["methods"]),
    *((each["method"], each["params"]) for each in FUTURE["notifications"][:-1]),
]
CASES = [(class_of(method), value) for method, value in EVERY if class_of(method)]


@pytest.mark.parametrize(("cls", "value"), CASES)
def test_what_is_known_of_an_answer_stays(cls, value):
    built = build(value, cls)
    assert known(json.loads(encode(built))) == known(value)


def test_every_kind_of_unknown_value_occurs():
    found = set()

    def look(value):
        found.add(type(value))
        for each in (
            value
            if isinstance(value, list)
            else value.values()
            if isinstance(value, dict)
            else [getattr(value, name) for name in getattr(value, "__struct_fields__", ())]
        ):
            look(each)

    look([build(value, cls) for cls, value in CASES])
    assert found >= {
        UnknownEntry,
        UnknownMessage,
        UnknownBlock,
        CatalogChangeUnknown,
        SessionDidChangeParamsUnknown,
    }


async def test_a_later_daemon_is_a_daemon():
    async with Sessiond(sys.executable, arguments=[str(DAEMON)]) as client:
        assert client.server.position_encoding == "utf-16"
        subscription = await client.gateway_subscribe()
        first, second, *_ = (await anext(aiter(subscription))).changes
        assert (first.kind, second.kind, second.unknown_kind) == ("added", None, ADDED)
        for index, error in enumerate(FUTURE["errors"]):
            with pytest.raises(ErrorAnswer) as caught:
                await client.session_open(f"error: {index}")
            data = error.get("data")
            kind = data["kind"] if isinstance(data, dict) else None
            assert type(caught.value) is errors.KINDS.get(kind, ErrorAnswer)
            assert (caught.value.kind, caught.value.code) == (kind, error["code"])
        assert (await client.daemon_status()).watch.mode == "native"
        assert (await client.daemon_status()).watch.mode == ADDED
