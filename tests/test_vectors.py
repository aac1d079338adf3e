"""The vectors of the contract: they hold together, and the daemon answers as they say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import jsonschema
import msgspec
import pytest
from sessiond_protocol.errors import ERROR_KINDS
from sessiond_protocol.registry import METHODS, NOTIFICATIONS
from support import replay
from support.app import daemon
from support.replay import PLACEHOLDER, Replay, load, names

from sessiond.cli.main import parse

OPENRPC = json.loads(
    (replay.VECTORS.parent / "sessiond_protocol" / "openrpc.json").read_text(encoding="utf-8")
)
RESULTS = {
    method["name"]: method["result"]["schema"]
    for method in OPENRPC["methods"]
    if "result" in method
}
ERROR_DATA = {kind: OPENRPC["x-errors"][kind]["data"] for kind in ERROR_KINDS}

NOT_IN_VECTORS = {
    "Busy": "needs another process that holds a lock",
    "TimedOut": "needs a search that takes seconds",
}
"""Kinds of errors that methods name and no vector can show everywhere."""

NOT_COVERED: dict[str, str] = {}
"""Methods that no vector shows yet."""

STEP_MEMBERS = {
    "request": {
        "params",
        "paramsText",
        "result",
        "resultText",
        "error",
        "plain",
        "cancel",
        "capture",
    },
    "notify": {"params", "exitCode"},
    "notification": {"params", "capture"},
    "edit": {"append", "write", "replace", "truncate", "delete"},
    "check": {"text", "base64"},
}
VECTOR_MEMBERS = {
    "title",
    "rule",
    "covers",
    "fidelity",
    "options",
    "generate",
    "initialize",
    "files",
    "steps",
}
SAMPLES = {
    "string": "s",
    "integer": 1,
    "time": "2025-01-01T00:00:00.000Z",
    "id": "0123abcd",
    "array": [],
    "object": {},
    "uuid": "01234567-89ab-7def-8123-456789abcdef",
}


PENDING: dict[str, str] = {}
"""Vectors that the daemon does not pass yet, with the reason; a test fails when one passes."""


def vectors(*fidelities: str) -> list[Any]:
    return [
        pytest.param(name, marks=marks(name))
        for name in names()
        if load(name)["fidelity"] in fidelities
    ]


def marks(name: str) -> list[Any]:
    reason = PENDING.get(name)
    return [pytest.mark.xfail(reason=reason, strict=True)] if reason else []


async def replayed(name: str, directory: Path, *, plain: bool) -> None:
    vector = load(name)
    values = {"dir": str(directory.resolve())}
    values |= {key: text * times for key, (text, times) in vector.get("generate", {}).items()}
    options = ["--agent-dir", "${dir}/agent", *vector.get("options", ())]
    config = parse([option.replace("${dir}", values["dir"]) for option in options])
    chosen = attrs.asdict(config, filter=lambda attribute, _: attribute.name != "framing")
    async with daemon(directory, **chosen) as client:
        conversation = Replay(client, values, plain)
        replay.lay(vector, conversation)
        await conversation.run(vector)


@pytest.mark.parametrize("name", vectors("exact", "value"))
async def test_the_daemon_answers_as_the_vector_says(name: str, tmp_path: Path):
    await replayed(name, tmp_path, plain=False)


@pytest.mark.parametrize("name", vectors("exact", "value", "plain"))
async def test_a_plain_client_is_answered_as_the_vector_says(name: str, tmp_path: Path):
    await replayed(name, tmp_path, plain=True)


def requests(vector: dict[str, Any]) -> Iterator[dict[str, Any]]:
    opening = vector.get("initialize", {})
    yield {"request": "initialize", "params": {}, **opening}
    yield from (step for step in vector["steps"] if "request" in step)


@pytest.mark.parametrize("name", names())
def test_a_vector_has_the_documented_members(name: str):
    vector = load(name)
    assert vector.keys() <= VECTOR_MEMBERS
    assert vector.keys() >= {"title", "rule", "covers", "fidelity", "steps"}
    assert vector["fidelity"] in {"exact", "value", "plain"}
    for file in vector.get("files", ()):
        assert "path" in file
        assert len(file.keys() & {"text", "base64"}) == 1
        assert file.keys() <= {"path", "text", "base64", "modified"}
    for step in vector["steps"]:
        (kind,) = step.keys() & STEP_MEMBERS.keys()
        assert step.keys() - {kind} <= STEP_MEMBERS[kind]
        assert len(step.keys() & {"params", "paramsText"}) <= 1
        assert len(step.keys() & {"result", "resultText", "error"}) <= 1
        if kind == "edit":
            assert len(step) == 2
        if "cancel" in step:
            assert step["cancel"] is True
            assert "capture" not in step
        if "resultText" in step or "plain" in step:
            assert vector["fidelity"] == "exact"


@pytest.mark.parametrize("name", names())
def test_a_vector_uses_every_method_it_covers_and_defines_its_placeholders(name: str):
    vector = load(name)
    steps = vector["steps"]
    used = {
        step[kind]
        for step in steps
        for kind in ("request", "notify", "notification")
        if kind in step
    }
    used |= {"$/cancelRequest" for step in steps if "cancel" in step}
    assert set(vector["covers"]) <= used | {"initialize"}
    known = {"dir", *vector.get("generate", {})}
    for item in (vector.get("options"), vector.get("initialize"), vector.get("files")):
        assert set(PLACEHOLDER.findall(json.dumps(item))) <= known
    for step in steps:
        assert set(PLACEHOLDER.findall(json.dumps(step))) <= known
        known |= step.get("capture", {}).keys()


@pytest.mark.parametrize("name", names())
def test_params_in_a_vector_fit_the_contract_unless_they_are_to_be_refused(name: str):
    vector = load(name)
    for step in requests(vector):
        method = METHODS.get(step["request"])
        if method is None:
            assert step["error"]["code"] == -32601
        elif method.params is not None and step.get("error", {}).get("code") != -32602:
            # Members of a later contract are ignored.
            later = {**(step.get("params") or {}), "unknownMember": {"jsonrpc": "2.0"}}
            text = step.get("paramsText", json.dumps(later))
            for key in vector.get("generate", {}):
                text = text.replace(f"${{{key}}}", "")
            with_data = text.replace('"data":}', '"data":0}')
            if "\\ud" not in text:
                msgspec.json.decode(with_data, type=method.params)


@pytest.mark.parametrize("name", names())
def test_expected_answers_fit_the_contract(name: str):
    for step in requests(load(name)):
        kind = step.get("error", {}).get("data", {}).get("kind")
        if kind is not None:
            assert step["error"]["code"] == ERROR_KINDS[kind].code
            assert kind in METHODS[step["request"]].errors
            _validate(_sample(step["error"]["data"]), ERROR_DATA[kind])
        for expected in (step, step.get("plain", {})):
            if "result" in expected and replay.matcher(expected["result"]) is None:
                _validate(_sample(expected["result"]), RESULTS[step["request"]])


def _sample(expected: Any) -> Any:
    """A value that the expectation would take."""
    found = replay.matcher(expected)
    if found is not None:
        name, operand = found
        if name == "$any":
            return SAMPLES[operand]
        if name == "$oneOf":
            return operand[0]
        if name == "$between":
            return "".join(operand)
        return _sample(operand)
    if isinstance(expected, dict):
        return {name: _sample(value) for name, value in expected.items()}
    return [_sample(item) for item in expected] if isinstance(expected, list) else expected


def _validate(value: Any, schema: dict[str, Any]) -> None:
    root = {**schema, "components": OPENRPC["components"]}
    jsonschema.Draft202012Validator(root).validate(value)


def test_every_method_is_covered():
    covered = {method for name in names() for method in load(name)["covers"]}
    assert covered <= METHODS.keys() | NOTIFICATIONS.keys()
    assert METHODS.keys() - covered <= NOT_COVERED.keys()


def test_every_kind_of_error_a_method_may_answer_is_shown():
    named = {kind for method in METHODS.values() for kind in method.errors}
    steps = [step for name in names() for step in requests(load(name))]
    shown = {_kind(step["error"]) for step in steps if "error" in step}
    assert named - shown == NOT_IN_VECTORS.keys()


def _kind(error: dict[str, Any]) -> str | None:
    data = error.get("data", {})
    return data.get("$subset", data).get("kind")


@attrs.frozen
class Example:
    expected: Any
    fits: list[Any]
    fails: list[Any]


MATCHING = [
    Example({"a": 1}, [{"a": 1}, {"a": 1.0}], [{}, {"a": 1, "b": 2}, {"a": True}, {"a": "1"}, []]),
    Example([1, 2], [[1, 2]], [[2, 1], [1], {}]),
    Example(None, [None], [0, False, ""]),
    Example({"$any": "integer"}, [3, -1], [True, 1.5, "3", None]),
    Example({"$any": "id"}, ["0a1b2c3d"], ["0A1B2C3D", "0a1b2c3", 12345678]),
    Example({"$any": "time"}, ["2025-01-01T00:00:00.000Z"], ["2025-01-01T00:00:00Z", 0]),
    Example({"$oneOf": ["a", "b"]}, ["a", "b"], ["c", "", None]),
    Example({"$between": ["ab", "bc"]}, ["abbc", "abxbc"], ["abc", "ab", 1]),
    Example({"$subset": {"a": {"$any": "string"}}}, [{"a": "", "b": 1}], [{"b": 1}, {"a": 1}, []]),
    Example({"$unordered": [1, {"a": 1}]}, [[{"a": 1}, 1]], [[1], [1, 1], [1, {"a": 2}], 1]),
]


@pytest.mark.parametrize("example", MATCHING, ids=lambda example: json.dumps(example.expected))
def test_matchers_accept_exactly_the_fitting_values(example: Example):
    for value in example.fits:
        replay.match(example.expected, value)
    for value in example.fails:
        with pytest.raises(replay.Mismatch):
            replay.match(example.expected, value)
