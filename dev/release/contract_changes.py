"""Name what in the contract breaks programs that were written for the last release.

    python dev/release/contract_changes.py [--keep]

The contract of the last release is in `released_contract.json`; `--keep` replaces it by the present
one, which is part of making a release. Before 1.0 a new minor version may break the contract, from
1.0 on a new major version. The check fails if something breaks and the version is a new one that
does not say so. As long as the version is that of the last release, it only reports the breaks.
Members, methods, kinds of errors and arms of open unions may be added.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "protocol/sessiond_protocol/openrpc.json"
VERSION = ROOT / "sessiond/__init__.py"
RELEASED = Path(__file__).parent / "released_contract.json"
_PROSE = ("description", "summary", "title", "examples")
_REFERENCE = "#/components/schemas/"
_LEAST, _MOST = ("minimum", "minLength", "minItems"), ("maximum", "maxLength", "maxItems")

Schema = dict[str, Any]


@attrs.frozen
class Comparison:
    """The schemas of two documents, and which way their values travel."""

    old: Schema
    new: Schema
    is_sent: bool
    """Whether clients send these values; else the daemon does."""
    seen: set[tuple[str, str]] = attrs.field(factory=set)

    def breaks(self, old: Schema, new: Schema, at: str) -> Iterator[str]:
        """Yield what breaks between two schemas of one value."""
        olds, news = _arms(old, self.old), _arms(new, self.new)
        if self.is_sent:
            unfit = [key for key in olds if not _taken(key, news)]
            yield from (f"{at} may not be {_named(key)} any more" for key in unfit)
        elif "x-tagged" not in new:
            unfit = [key for key in news if not _taken(key, olds)]
            yield from (f"{at} may be {_named(key)} now" for key in unfit)
        for key in olds.keys() & news.keys():
            yield from self._same_kind(olds[key], news[key], at)

    def _same_kind(self, old: Schema, new: Schema, at: str) -> Iterator[str]:
        if "$ref" in old or "$ref" in new:
            names = old.get("$ref", at), new.get("$ref", at)
            if names not in self.seen:
                self.seen.add(names)
                whole = _resolved(old, self.old), _resolved(new, self.new)
                yield from self.breaks(*whole, old.get("$ref", at).removeprefix(_REFERENCE))
            return
        yield from self._members(old, new, at)
        for inner in ("items", "additionalProperties"):
            if isinstance(old.get(inner), dict) and isinstance(new.get(inner), dict):
                yield from self.breaks(old[inner], new[inner], f"{at}[]")
        if self.is_sent:
            for bound in (*_LEAST, *_MOST):
                before, after = old.get(bound), new.get(bound)
                is_narrower = after is not None and (
                    before is None or (after > before if bound in _LEAST else after < before)
                )
                if is_narrower:
                    yield f"{at} has the {bound} {after} now"

    def _members(self, old: Schema, new: Schema, at: str) -> Iterator[str]:
        before, after = old.get("properties", {}), new.get("properties", {})
        yield from (f"{at}.{name} is gone" for name in before if name not in after)
        had, has = set(old.get("required", ())), set(new.get("required", ()))
        if self.is_sent:
            yield from (f"{at}.{name} is required now" for name in sorted(has - had))
        else:
            left = sorted((had - has) & after.keys())
            yield from (f"{at}.{name} may be left out now" for name in left)
        for name in before:
            if name in after:
                yield from self.breaks(before[name], after[name], f"{at}.{name}")


def _resolved(schema: Schema, schemas: Schema) -> Schema:
    named: Schema = schemas[schema["$ref"].removeprefix(_REFERENCE)] if "$ref" in schema else schema
    return named


def _arms(schema: Schema, schemas: Schema) -> dict[str, Schema]:
    """The alternatives of a schema by their kind: a constant, a type, or one of several objects."""
    arms: dict[str, Schema] = {}
    for arm in schema.get("anyOf", [schema]):
        whole = _resolved(arm, schemas)
        values = [whole["const"]] if "const" in whole else whole.get("enum")
        if values is not None:
            arms |= {f"={json.dumps(value)}": whole for value in values}
        elif "x-tagged" in schema:
            arms[arm.get("$ref", "object")] = arm
        else:
            arms[whole.get("type") or arm.get("$ref") or "anything"] = arm
    return arms


def _taken(kind: str, by: dict[str, Schema]) -> bool:
    wider = {"integer": "number"}.get(kind)
    is_text = kind.startswith('="') and "string" in by
    return kind in by or "anything" in by or wider in by or is_text


def _named(kind: str) -> str:
    return kind.removeprefix(_REFERENCE).removeprefix("=")


def breaks(old: Schema, new: Schema) -> Iterator[str]:
    """Yield what the new document breaks for a program that was written for the old one."""
    methods = {each["name"]: each for each in new["methods"]}
    schemas = old["components"]["schemas"], new["components"]["schemas"]
    sent, answered = Comparison(*schemas, is_sent=True), Comparison(*schemas, is_sent=False)
    for before in old["methods"]:
        name = before["name"]
        after = methods.get(name)
        if after is None:
            yield f"{name} is gone"
            continue
        told = answered if before.get("x-sender") == "daemon" else sent
        yield from told.breaks(_params(before), _params(after), f"{name}: params")
        if "result" in before and "result" in after:
            result = before["result"]["schema"], after["result"]["schema"]
            yield from answered.breaks(*result, f"{name}: result")
    errors = old["components"]["errors"], new["components"]["errors"]
    for kind, error in errors[0].items():
        if kind not in errors[1]:
            yield f"the error {kind} is gone"
        elif error["code"] != errors[1][kind]["code"]:
            yield f"the error {kind} has the code {errors[1][kind]['code']} now"


def _params(method: Schema) -> Schema:
    params = method["params"]
    return {
        "type": "object",
        "properties": {each["name"]: each["schema"] for each in params},
        "required": [each["name"] for each in params if each.get("required")],
    }


def may_break(old: str, new: str) -> bool:
    """Whether a version may break what an earlier one promised."""
    before, after = (tuple(map(int, text.split(".")[:2])) for text in (old, new))
    return after[0] > before[0] or (before[0] == 0 and after > before)


def without_prose(value: Any) -> Any:
    """Return a part of a document without texts for people, which break nothing."""
    if isinstance(value, list):
        return [without_prose(each) for each in value]
    if not isinstance(value, dict):
        return value
    # A member of a message may have such a name, too; its schema is an object.
    return {
        name: without_prose(each)
        for name, each in value.items()
        if name not in _PROSE or isinstance(each, dict)
    }


def main(arguments: list[str]) -> int:
    new, version = json.loads(DOCUMENT.read_text(encoding="utf-8")), _version()
    if arguments == ["--keep"]:
        contract = {name: without_prose(new[name]) for name in ("methods", "components")}
        kept = json.dumps({"version": version, **contract}, separators=(",", ":"))
        RELEASED.write_text(f"{kept}\n", encoding="utf-8")
        return 0
    old = json.loads(RELEASED.read_text(encoding="utf-8"))
    released: str = old["version"]
    found = list(dict.fromkeys(breaks(old, new)))
    print(*found, sep="\n", end="\n" * bool(found))
    count = "1 change breaks" if len(found) == 1 else f"{len(found)} changes break"
    print(f"{count} programs written for {released}")
    if not found or may_break(released, version):
        return 0
    part = "minor" if released.startswith("0.") else "major"
    print(f"the next release must be a new {part} version")
    return 0 if version == released else 1


def _version() -> str:
    found = re.search(r'"([0-9]+\.[0-9]+\.[0-9]+)"', VERSION.read_text(encoding="utf-8"))
    assert found, "the version is in its module"
    return found[1]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
