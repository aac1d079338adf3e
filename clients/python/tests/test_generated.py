"""Calls come from the contract alone."""

from __future__ import annotations

import copy
import inspect
import json
import sys
from pathlib import Path

import pytest
from sessiond_protocol.openrpc import FILE
from sessiond_protocol.registry import METHODS

from sessiond_client import Session, Sessiond, blocking

sys.path.append(str(Path(__file__).resolve().parents[3] / "protocol"))
from targets import model
from targets.python import outputs

DOCUMENT = json.loads(FILE.read_text(encoding="utf-8"))
BY_THE_CLIENT = {"initialize", "shutdown", "catalog/unsubscribe", "gateway/unsubscribe"}
NEW = {
    "name": "session/fooBar",
    "summary": "Does what no method did.",
    "params": [
        {"name": "session", "required": True, "schema": {"type": "string"}},
        {
            "name": "leafId",
            "required": False,
            "schema": {"anyOf": [{"type": "string"}, {"type": "null"}], "x-nullMeans": "value"},
            "description": "Where.",
        },
    ],
    "result": {"name": "result", "schema": {"$ref": "#/components/schemas/EntriesResult"}},
    "errors": [],
}


@pytest.mark.parametrize(
    "name",
    [each.name for each in METHODS.values() if each.kind == "request"],
)
def test_every_request_is_a_method_in_both_forms(name):
    if name in BY_THE_CLIENT:
        return
    words = "_".join(model.words(name))
    of_session = words.removeprefix("session_")
    if hasattr(Sessiond, words):
        pair = getattr(Sessiond, words), getattr(blocking.Sessiond, words)
    else:
        pair = getattr(Session, of_session), getattr(blocking.Session, of_session)
    parameters, blocked = (list(inspect.signature(each).parameters) for each in pair)
    assert [*parameters, "timeout"] == blocked


def test_a_new_method_of_the_contract_is_generated():
    document = copy.deepcopy(DOCUMENT)
    document["methods"].append(NEW)
    files = outputs.outputs(document)
    for path, text in files.items():
        compile(text, path, "exec")
    calls = files[f"{outputs.FOLDER}/session_calls.py"]
    assert "async def foo_bar(\n        self,\n        *,\n" in calls
    assert "leaf_id: str | UnsetType | None = UNSET," in calls
    assert '"""Does what no method did.\n' in calls


def test_the_generated_files_are_those_of_the_contract():
    root = Path(__file__).resolve().parents[3]
    for path, text in outputs.outputs(DOCUMENT).items():
        assert (root / path).read_text(encoding="utf-8") == text, "run: make generate"
