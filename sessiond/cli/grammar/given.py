"""What was given on the command line and by variables, put together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click


def settings(context: click.Context, own: Mapping[str, Any], profile: str) -> dict[str, Any]:
    """The settings in force: a command's own over those before its name, over the defaults."""
    outer = {name: value for name, value in context.find_root().params.items() if is_given(value)}
    outer.setdefault("profile", profile)
    return outer | {name: value for name, value in own.items() if is_given(value)}


def is_given(value: Any) -> bool:
    """Whether an option has a value; a flag that was not set and an empty text are none."""
    return value not in (None, "", ()) and value is not False
