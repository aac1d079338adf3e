"""Read the configuration of a gateway: invalid values are reported and ignored."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Collection, Mapping
from typing import Any, TypeGuard

import attrs

from sessiond.agents.agent import Agent
from sessiond.files.identity import OpenedFile, read_from
from sessiond.runtime.errors import ReadFailed, SessionNotFound
from sessiond.runtime.home import absolute
from sessiond.text.javascript import number_text
from sessiond.text.spans import js_trim, loads

ConfigProblems = dict[str, str]
"""Path in the configuration (`session.reset.mode`) → what is wrong with the value."""

_AMOUNT = re.compile(r"([0-9]+(?:\.[0-9]+)?)([a-z]*)")


@attrs.frozen
class Part:
    """An object in a configuration, or its absence; null counts as absent everywhere.

    CoderClaw rejects the whole file for one bad value. Here a bad value is a problem and counts as
    absent.
    """

    where: str
    members: Mapping[str, Any] | None
    problems: ConfigProblems

    @classmethod
    def root(cls, members: Mapping[str, Any] | None) -> Part:
        """The root of a configuration. Numbers may be infinite or NaN."""
        return cls("", members, {})

    @property
    def present(self) -> bool:
        return self.members is not None

    def part(self, name: str) -> Part:
        return self._part(name, self._get(name))

    def items(self, name: str) -> list[Part]:
        """The objects of an array; any other item becomes a part that is not present."""
        items = self._array(name) or []
        return [self._part(f"{name}[{index}]", item) for index, item in enumerate(items)]

    def text(self, name: str) -> str | None:
        value = self._get(name)
        return value if value is None or isinstance(value, str) else self._refuse(name, "a string")

    def texts(self, name: str) -> list[str] | None:
        """The strings of an array; other items are left out."""
        items = self._array(name)
        for index, item in enumerate(items or ()):
            if not isinstance(item, str):
                self._refuse(f"{name}[{index}]", "a string")
        return None if items is None else [item for item in items if isinstance(item, str)]

    def flag(self, name: str) -> bool | None:
        value = self._get(name)
        return (
            value if value is None or isinstance(value, bool) else self._refuse(name, "a boolean")
        )

    def number(self, name: str) -> float | None:
        value = self._get(name)
        return value if value is None or is_number(value) else self._refuse(name, "a number")

    def count(self, name: str) -> int | None:
        """An integer of at least 1."""
        value = self._get(name)
        if value is None:
            return None
        if is_number(value) and math.isfinite(value) and value >= 1 and value == int(value):
            return int(value)
        self._refuse(name, "a whole number from 1 on")
        return None

    def amount(self, name: str, units: Mapping[str, int], default: str) -> int | None:
        """An amount such as `1.5h` in the base unit of `units`, rounded.

        Numbers, and texts without a unit, are in the `default` unit.
        """
        value = self._get(name)
        if value is None:
            return None
        text = number_text(repr(value).encode()) if is_number(value) else value
        parsed = _AMOUNT.fullmatch(js_trim(text).lower()) if isinstance(text, str) else None
        unit = units.get(parsed[2] or default) if parsed else None
        if parsed is not None and unit is not None:
            amount = float(parsed[1]) * unit
            if math.isfinite(amount):
                return math.floor(amount + 0.5)
        self._refuse(name, f"an amount such as 1.5{default}, in {', '.join(units)}")
        return None

    def choice(self, name: str, values: Collection[str]) -> str | None:
        value = self._get(name)
        if value is None or (isinstance(value, str) and value in values):
            return value
        self._refuse(name, f"one of {', '.join(values)}")
        return None

    def _array(self, name: str) -> list[Any] | None:
        items = self._get(name)
        return items if items is None or isinstance(items, list) else self._refuse(name, "an array")

    def _get(self, name: str) -> Any:
        return None if self.members is None else self.members.get(name)

    def _part(self, name: str, value: Any) -> Part:
        if value is not None and not isinstance(value, dict):
            value = self._refuse(name, "an object")
        return Part(self._path(name), value, self.problems)

    def _path(self, name: str) -> str:
        return f"{self.where}.{name}" if self.where else name

    def _refuse(self, name: str, expected: str) -> Any:
        """Report the value, which then counts as absent."""
        self.problems[self._path(name)] = f"Expected {expected}; ignored"
        return None


def is_number(value: object) -> TypeGuard[float]:
    """Whether JavaScript calls the value a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def finite(value: object) -> float | None:
    """The value where it is a finite number, else None."""
    return value if is_number(value) and math.isfinite(value) else None


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
            content = json5(read_from(descriptor, 0))
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
        import pyjson5

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
