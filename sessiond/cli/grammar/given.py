"""Combine options of the command line and environment variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click


def settings(context: click.Context, own: Mapping[str, Any], profile: str) -> dict[str, Any]:
    """Return the settings: options of the command override those before its name and defaults."""
    outer = {name: value for name, value in context.find_root().params.items() if is_given(value)}
    outer.setdefault("profile", profile)
    return outer | {name: value for name, value in own.items() if is_given(value)}


def is_given(value: Any) -> bool:
    """Whether an option has a value; false for a flag that is not set and for an empty text."""
    return value not in (None, "", ()) and value is not False


def arguments(given: Mapping[str, Any]) -> list[str]:
    """Return settings as options of the command line, for another process of sessiond."""
    words: list[str] = []
    for name, value in given.items():
        option = f"--{name.replace('_', '-')}"
        values = value if isinstance(value, tuple | list) else [value]
        words += [option if each is True else f"{option}={each}" for each in values]
    return words
