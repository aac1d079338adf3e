"""An example of each method for the OpenRPC document, taken from the vectors."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import jsonschema

VECTORS = Path(__file__).resolve().parents[1] / "vectors"
_PLACEHOLDER = re.compile(r"\$\{(\w+)\}")
_ANY: dict[str, Any] = {
    "string": "s1",
    "integer": 1,
    "id": "0123abcd",
    "time": "2025-06-01T10:00:00.000Z",
    "array": [],
    "object": {},
    "uuid": "01234567-89ab-7def-8123-456789abcdef",
}
"""What is shown in the place of a value that a vector leaves open, by its type."""


class _Open(Exception):
    """The vector does not say the whole value."""


def examples(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the shortest example pairing of each method that a vector shows.

    The params are of the types of the document; vectors also send others. The result is left out if
    the vectors do not say all of it.
    """
    found: dict[str, dict[str, Any]] = {}
    params = {each["name"]: each.get("x-params") for each in document["methods"]}
    for path in sorted(VECTORS.glob("*.json")):
        vector = json.loads(path.read_text(encoding="utf-8"))
        begin = {"request": "initialize", **vector.get("initialize", {"error": {}})}
        for step in (begin, *vector["steps"]):
            if "request" in step and "error" not in step:
                pairing = _pairing(vector["title"], step)
                known = found.get(step["request"])
                if known is not None and _rank(pairing) >= _rank(known):
                    continue
                if _fits(pairing, params[step["request"]], document):
                    found[step["request"]] = pairing
    return found


def _fits(pairing: dict[str, Any], params: Any, document: dict[str, Any]) -> bool:
    sent = {each["name"]: each["value"] for each in pairing["params"]}
    if params is None:
        return not sent
    schema = {**params, "components": document["components"]}
    return bool(jsonschema.Draft7Validator(schema).is_valid(sent))


def _pairing(title: str, step: dict[str, Any]) -> dict[str, Any]:
    params = step.get("params")
    with suppress(ValueError):
        # A number may have a placeholder, too.
        params = json.loads(step.get("paramsText", ""))
    pairing: dict[str, Any] = {
        "name": title,
        "params": [
            {"name": name, "value": _shown(value)}
            for name, value in (params.items() if isinstance(params, dict) else ())
        ],
    }
    with suppress(KeyError, _Open):
        pairing["result"] = {"name": "result", "value": _shown(step["result"])}
    return pairing


def _rank(pairing: dict[str, Any]) -> tuple[bool, bool, int]:
    """Order by what says more about the method, then by length."""
    return "result" not in pairing, not pairing["params"], len(json.dumps(pairing))


def _shown(value: Any) -> Any:
    """Return the value without placeholders. Raises _Open."""
    match value:
        case str():
            return _PLACEHOLDER.sub(lambda m: "/project" if m[1] == "dir" else f"{m[1]}1", value)
        case {"$any": str(kind)} if kind in _ANY:
            return _ANY[kind]
        case dict():
            if any(name.startswith("$") for name in value):
                raise _Open
            return {name: _shown(each) for name, each in value.items()}
        case list():
            return [_shown(each) for each in value]
    return value
