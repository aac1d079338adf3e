"""Encode answers with tens of thousands of elements that are JSON already."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs
from msgspec import UNSET

from sessiond.rpc.codec import encode
from sessiond.sessions.results import runs
from sessiond.text.spans import Buffer, Json, js_string


def with_arrays(result: Any, **arrays: Iterable[bytes]) -> Json:
    """The JSON of a result whose members in `arrays` are given as encoded elements.

    If there are none, the member is left out where the result has UNSET.

    For tens of thousands of elements: as objects they would be work for the garbage collector,
    which stops all threads. To be called in a worker.
    """
    parts: list[Buffer] = []
    for field in attrs.fields(type(result)):
        value = getattr(result, field.name)
        elements = runs(arrays.get(field.name, ()))
        if value is UNSET and not elements:
            continue
        parts.append((b"," if parts else b"{") + js_string(field.name) + b":")
        parts += [b"[", *elements, b"]"] if elements else [encode(value)]
    return Json([*parts, b"}"])
