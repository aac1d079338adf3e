"""What `dev/release/contract_changes.py` calls a break, and what may be added."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import contract_changes
import pytest
from contract_changes import breaks, may_break, without_prose
from sessiond_protocol import openrpc

DOCUMENT: dict[str, Any] = json.loads(openrpc.FILE.read_text(encoding="utf-8"))
TEXT = {"type": "string"}


def method(document: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(each for each in document["methods"] if each["name"] == name)
    return found


def param(document: dict[str, Any], name: str) -> dict[str, Any]:
    params = method(document, "session/open")["params"]
    found: dict[str, Any] = next(each for each in params if each["name"] == name)
    return found


def schema(document: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = document["components"]["schemas"][name]
    return found


def after(change: Callable[[dict[str, Any]], object]) -> list[str]:
    new = copy.deepcopy(DOCUMENT)
    change(new)
    return list(dict.fromkeys(breaks(DOCUMENT, new)))


BREAKS: list[tuple[str, Callable[[dict[str, Any]], object]]] = [
    ("session/open is gone", lambda d: d["methods"].remove(method(d, "session/open"))),
    (
        "session/open: params.cwd is gone",
        lambda d: method(d, "session/open")["params"].remove(param(d, "cwd")),
    ),
    (
        "session/open: params.cwd is required now",
        lambda d: param(d, "cwd").update(required=True),
    ),
    (
        "session/open: params.cwd may not be null any more",
        lambda d: param(d, "cwd").update(schema=TEXT),
    ),
    (
        "session/open: params.cwd has the maxLength 9 now",
        lambda d: param(d, "cwd")["schema"]["anyOf"][0].update(maxLength=9),
    ),
    (
        "SessionState.leafId is gone",
        lambda d: schema(d, "SessionState")["properties"].pop("leafId"),
    ),
    (
        "SessionState.leafId may be left out now",
        lambda d: schema(d, "SessionState")["required"].remove("leafId"),
    ),
    (
        "SessionState.sessionId may be null now",
        lambda d: schema(d, "SessionState")["properties"].update(
            sessionId={"anyOf": [TEXT, {"type": "null"}]}
        ),
    ),
    ("the error Busy is gone", lambda d: d["components"]["errors"].pop("Busy")),
    (
        "the error Busy has the code 7 now",
        lambda d: d["components"]["errors"]["Busy"].update(code=7),
    ),
]


@pytest.mark.parametrize(("told", "change"), BREAKS, ids=[told for told, _ in BREAKS])
def test_a_break_is_named(told: str, change: Callable[[dict[str, Any]], object]):
    assert told in after(change)


ADDED: list[Callable[[dict[str, Any]], object]] = [
    lambda _: None,
    lambda d: d["methods"].append({**method(d, "session/open"), "name": "session/later"}),
    lambda d: method(d, "session/open")["params"].append({"name": "later", "schema": TEXT}),
    lambda d: param(d, "path").update(required=False),
    lambda d: schema(d, "SessionState")["properties"].update(later=TEXT),
    lambda d: schema(d, "SessionState")["required"].append("name"),
    lambda d: d["components"]["errors"].update(Later={"code": 1999}),
    lambda d: schema(d, "Entry")["anyOf"].insert(0, {"$ref": "#/components/schemas/SessionState"}),
]


@pytest.mark.parametrize("change", ADDED)
def test_what_is_added_breaks_nothing(change: Callable[[dict[str, Any]], object]):
    assert after(change) == []


def test_a_version_says_whether_it_may_break():
    assert may_break("0.2.0", "0.3.0")
    assert may_break("1.4.2", "2.0.0")
    assert may_break("0.9.1", "1.0.0")
    assert not may_break("0.2.0", "0.2.1")
    assert not may_break("1.4.2", "1.5.0")


def test_the_contract_of_the_last_release_decides_whether_a_version_may_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    for name in ("RELEASED", "DOCUMENT", "VERSION"):
        monkeypatch.setattr(contract_changes, name, tmp_path / name)
    contract_changes.DOCUMENT.write_text(json.dumps(DOCUMENT))

    def checked(version: str) -> int:
        contract_changes.VERSION.write_text(f'__version__ = "{version}"')
        return contract_changes.main([])

    contract_changes.VERSION.write_text('__version__ = "0.2.0"')
    assert contract_changes.main(["--keep"]) == 0
    assert checked("0.2.1") == 0
    broken = copy.deepcopy(DOCUMENT)
    broken["methods"].remove(method(broken, "session/open"))
    contract_changes.DOCUMENT.write_text(json.dumps(broken))
    capsys.readouterr()
    # Who changes the contract between releases only learns what the next version must be.
    assert checked("0.2.0") == 0
    assert capsys.readouterr().out.splitlines() == [
        "session/open is gone",
        "1 change breaks programs written for 0.2.0",
        "the next release must be a new minor version",
    ]
    assert checked("0.2.1") == 1
    assert checked("0.3.0") == 0


def test_texts_for_people_are_not_compared():
    described = {"title": "A", "properties": {"title": {"description": "B", "type": "string"}}}
    assert without_prose(described) == {"properties": {"title": {"type": "string"}}}
