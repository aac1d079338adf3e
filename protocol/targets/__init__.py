"""Generators that read the OpenRPC document: one module or package per kind of output."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from targets import emacs, future, methods_page, neovim, reference_page, vscode
from targets.go import outputs as go
from targets.python import outputs as python
from targets.rust import outputs as rust
from targets.typescript import outputs as typescript
from targets.unwritable import Unwritable

TARGETS: tuple[Callable[[dict[str, Any]], dict[str, str]], ...] = (
    emacs.outputs,
    future.outputs,
    go.outputs,
    neovim.outputs,
    python.outputs,
    methods_page.outputs,
    reference_page.outputs,
    rust.outputs,
    typescript.outputs,
    vscode.outputs,
)

__all__ = ["TARGETS", "Unwritable"]
