"""Find damage in session files, without changing them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping

import attrs

from sessiond.agents.messages import unknown_type
from sessiond.agents.sessions import opened_session, translation_of
from sessiond.catalog.discover import is_of, read_header
from sessiond.catalog.scope import SessionScope
from sessiond.files import reading
from sessiond.format.entries import CUSTOM, Diagnostic
from sessiond.format.repair.plan import problems
from sessiond.format.tree.tree import Tree
from sessiond.runtime.isolation import Fault, Faults, advance

_TRAJECTORY = ".trajectory.jsonl"
"""Suffix of OpenClaw's trajectory files, which are next to the sessions."""


@attrs.frozen
class Checked:
    """One file and its problems, in order of lines."""

    path: str
    problems: list[Diagnostic]
    unknown: Mapping[str, int] = attrs.field(factory=dict)
    """The number of lines of an agent's own format, by types that sessiond does not know."""


def check(path: str) -> Checked:
    """Check one file. Blocking; raises SessionNotFound and ReadFailed."""
    with opened_session(path) as session:
        result = reading.read_open(*session)
    if result.contents is not None:
        contents = result.contents
        diagnostics = problems(contents.loaded, contents.tree)
        translation = translation_of(path)
        if translation is None:
            return Checked(path, diagnostics)
        why = f"{translation.refusal(path).message}, so `repair` cannot mend it."
        named = [Diagnostic(each.line, each.kind, f"{each.message} {why}") for each in diagnostics]
        return Checked(path, named, _unknown(contents.tree))
    if result.state.size == 0:
        return Checked(path, [Diagnostic(0, "notASession", "The file is empty.")])
    message = "The line should be the header of a session; no agent reads the file without one."
    return Checked(path, [Diagnostic(result.bad_line or 1, "notASession", message)])


def _unknown(tree: Tree) -> dict[str, int]:
    """Count the entries of a translated session that stand for lines of unknown types."""
    types: Counter[str] = Counter()
    for entry in tree.entries:
        if entry.type == CUSTOM:
            kind = unknown_type(entry.raw)
            if kind is not None:
                types[kind] += 1
    return dict(sorted(types.items()))


def check_all(scope: SessionScope) -> list[Checked]:
    """Check all files of a scope. Blocking.

    A file or directory that cannot be read is reported as a problem. Files that no longer exist,
    that lead out of the roots, or that are trajectories are left out.
    """
    checked_files: list[Checked] = []
    faults = Faults()
    paths = list(scope.files(faults))
    for number, path in enumerate(paths, 1):
        advance(number, len(paths))
        with faults.isolate(path):
            if _is_selected(path, scope.cwd_at(path)):
                checked_files.append(check(path))
    every = [*checked_files, *map(failed, faults)]
    return sorted(every, key=lambda checked: os.path.split(checked.path))


def failed(fault: Fault) -> Checked:
    """A file that could not be checked: the fault is its only problem."""
    return Checked(fault.path, [Diagnostic(0, fault.kind, fault.message)])


def _is_selected(path: str, cwd: str | None) -> bool:
    if cwd is None and not path.endswith(_TRAJECTORY):
        return True
    header = read_header(path)
    return header is not None and (cwd is None or is_of(header, cwd))
