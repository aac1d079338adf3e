"""Faults injected into the daemon's own functions: count their calls, then let one call fail."""

from __future__ import annotations

import functools
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import pytest


class Injection:
    """Every function of some modules, instrumented.

    `calls` counts calls by name; when `fail` was asked for, the chosen call raises in place of
    running, and `failed` tells whether that happened.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, modules: Sequence[str]) -> None:
        self.calls: Counter[str] = Counter()
        self.failed = False
        self._chosen: tuple[str, int, BaseException] | None = None
        self._patch = monkeypatch
        replaced: dict[Any, Callable[..., Any]] = {}
        chosen = [module for name, module in sorted(sys.modules.items()) if name in modules]
        for module in chosen:
            for name, value in list(vars(module).items()):
                if isinstance(value, FunctionType) and value.__module__ == module.__name__:
                    replaced[value] = self._instrumented(f"{module.__name__}.{name}", value)
                elif isinstance(value, type) and value.__module__ == module.__name__:
                    self._instrument_class(value)
        for name, module in list(sys.modules.items()):
            if name.split(".")[0] != "sessiond":
                continue
            for member, value in list(vars(module).items()):
                if isinstance(value, FunctionType) and value in replaced:
                    monkeypatch.setattr(module, member, replaced[value])

    def count(self) -> None:
        """Start counting again; nothing fails."""
        self.calls.clear()
        self._chosen = None

    def fail(self, name: str, call: int, error: BaseException) -> None:
        """Let the `call`-th call (from 1) of a function raise `error`."""
        self.count()
        self.failed = False
        self._chosen = name, call, error

    def _instrument_class(self, owner: type) -> None:
        for name, value in list(vars(owner).items()):
            if name.startswith("__"):
                continue
            label = f"{owner.__module__}.{owner.__name__}.{name}"
            if isinstance(value, FunctionType):
                self._patch.setattr(owner, name, self._instrumented(label, value))
            elif isinstance(value, classmethod):
                wrapped = self._instrumented(label, value.__func__)
                self._patch.setattr(owner, name, classmethod(wrapped))
            elif isinstance(value, property) and value.fget is not None:
                wrapped = self._instrumented(label, value.fget)
                self._patch.setattr(owner, name, property(wrapped, value.fset))

    def _instrumented(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            self.calls[name] += 1
            if self._chosen is not None:
                chosen, call, error = self._chosen
                if chosen == name and call == self.calls[name]:
                    self.failed = True
                    raise error
            return function(*args, **kwargs)

        return called
