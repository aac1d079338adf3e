"""Write the core of the contract: what a front end needs, for people and models to read."""

from __future__ import annotations

import json
import re
from typing import Any

FILE = "docs/openrpc-core.json"
METHODS = (
    "initialize",
    "session/create",
    "session/open",
    "session/continueRecent",
    "session/list",
    "session/listAll",
    "session/close",
    "session/getState",
    "session/getView",
    "session/getBranch",
    "session/buildSessionContext",
    "session/appendMessage",
    "session/appendSessionInfo",
    "session/branch",
    "session/createBranchedSession",
    "catalog/search",
    "catalog/subscribe",
    "catalog/unsubscribe",
    "session/didChange",
    "catalog/didChange",
)
_REFERENCE = re.compile(r'"#/components/(\w+)/(\w+)"')


def outputs(document: dict[str, Any]) -> dict[str, str]:
    """Return the OpenRPC document of these methods with what they refer to."""
    methods = [_short(method) for method in document["methods"] if method["name"] in METHODS]
    components = document["components"]
    used: dict[str, dict[str, Any]] = {name: {} for name in components}
    texts = [json.dumps(methods)]
    while texts:
        for family, name in _REFERENCE.findall(texts.pop()):
            if name not in used[family]:
                # The title of a schema is its name.
                named = components[family][name].items()
                used[family][name] = {key: value for key, value in named if key != "title"}
                texts.append(json.dumps(used[family][name]))
    core = {
        **document,
        "methods": methods,
        "components": {family: dict(sorted(each.items())) for family, each in used.items()},
        "x-errors": {
            name: {"description": document["x-errors"][name]["description"]}
            for name in used["errors"]
        },
    }
    return {FILE: json.dumps(core, ensure_ascii=False, separators=(",", ":")) + "\n"}


def _short(method: dict[str, Any]) -> dict[str, Any]:
    """Return the method without what is said twice or is the default."""
    short = {name: value for name, value in method.items() if name != "x-params"}
    short["params"] = [
        {name: value for name, value in param.items() if (name, value) != ("required", False)}
        for param in method["params"]
    ]
    return short
