"""A session file of a campaign, and what has to be in it."""

from __future__ import annotations

import collections
import json
import os
from pathlib import Path

import attrs
from support.every_method import entry

from torture.campaigns import Violation


@attrs.define
class Ledger:
    """A session file with an open handle, and what has to be in it."""

    path: Path
    session: str = ""
    promised: set[str] = attrs.field(factory=set)
    """Ids of the entries that were acknowledged, or written by another program."""
    refused: set[str] = attrs.field(factory=set)

    def write(self, entry_id: str) -> None:
        """Append a line as another program does, if the file is there."""
        line = json.loads(entry(0)) | {"id": entry_id, "parentId": "e0"}
        try:
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND)
        except FileNotFoundError:
            return
        try:
            if os.write(descriptor, json.dumps(line).encode() + b"\n"):
                self.promised.add(entry_id)
        except OSError:
            return
        finally:
            os.close(descriptor)

    def lines(self) -> list[bytes]:
        """The lines of the file. What a write without room left is a blank one, and is none."""
        return [line for line in self.path.read_bytes().splitlines() if line.strip()]

    def check(self) -> None:
        """Raise Violation unless each promised entry is in the file once, and no refused one."""
        found = collections.Counter(json.loads(line).get("id") for line in self.lines())
        if lost := [each for each in self.promised if found[each] != 1]:
            raise Violation(f"not once in {self.path.name}: {sorted(lost)[:5]}")
        if kept := [each for each in self.refused if each in found]:
            raise Violation(f"refused, but in {self.path.name}: {sorted(kept)[:5]}")
