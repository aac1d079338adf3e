"""What is generated from the OpenRPC document: one module per language or place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from targets import golang, python, readme, typescript
from targets.unwritable import Unwritable

TARGETS: tuple[Callable[[dict[str, Any]], dict[str, str]], ...] = (
    golang.outputs,
    python.outputs,
    readme.outputs,
    typescript.outputs,
)

__all__ = ["TARGETS", "Unwritable"]
