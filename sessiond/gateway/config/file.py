"""Read the gateway's own configuration file, for clients that send none."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any

from sessiond.agents.agent import Agent
from sessiond.errors import ReadFailed, SessionNotFound
from sessiond.files import journal
from sessiond.files.identity import OpenedFile
from sessiond.gateway.config.reader import Part
from sessiond.home import absolute
from sessiond.jsontext.spans import loads


def config_path(profile: Agent, state_dir: str, env: Mapping[str, str]) -> str:
    """`<state>/coderclaw.json`, or the path in the agent's environment variable."""
    named = env.get(f"{profile.variable_prefix}_CONFIG_PATH", "").strip()
    return absolute(named, env) if named else os.path.join(state_dir, f"{profile.name}.json")


def read_config(path: str) -> Part:
    """The configuration in a file.

    A file that cannot be read counts as empty and is reported as a problem.
    """
    try:
        with OpenedFile(path) as (descriptor, _):
            content = json5(journal.read_from(descriptor, 0))
    except SessionNotFound:
        return Part.root({})
    except ReadFailed as error:
        return _ignored(error.message)
    except ValueError as error:
        return _ignored(f"{path} is not JSON5 ({error})")
    if not isinstance(content, dict):
        return _ignored(f"{path} does not hold an object")
    session = content.get("session")
    if isinstance(session, dict):
        # A running CoderClaw always uses `main`, whatever its file says.
        session.pop("mainKey", None)
    return Part.root(content)


def _ignored(why: str) -> Part:
    return Part("", {}, {"": f"{why}; ignored"})


def json5(text: bytes) -> Any:
    """Parse JSON or JSON5. Raises ValueError."""
    decoded = text.decode("utf-8-sig")
    try:
        return loads(decoded.encode())
    except ValueError:
        # Import only for files that are not plain JSON.
        import pyjson5  # noqa: PLC0415

        try:
            return _in_range(pyjson5.decode(decoded))
        except pyjson5.Json5Exception as error:
            raise ValueError(error.args[0] if error.args else "malformed") from None


def _in_range(value: Any) -> Any:
    """The value with infinity for integers that no double can hold, as `loads` returns them."""
    if isinstance(value, dict):
        return {name: _in_range(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_in_range(item) for item in value]
    if isinstance(value, int):
        try:
            float(value)
        except OverflowError:
            return math.copysign(math.inf, value > 0 or -1)
    return value
