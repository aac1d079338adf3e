"""Append entries: lines are built under the file's lock, and the leaf moves onto the last entry.

Also what the functions that build them look up in the session.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from contextlib import suppress
from typing import TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from sessiond.files.session_document import Outcome
from sessiond.format.context.build import build_context
from sessiond.format.context.entry_messages import is_editable
from sessiond.format.entries import Entry
from sessiond.format.ids import iso_now, new_entry_id
from sessiond.format.lines import Stamp, has_equal_content
from sessiond.format.tree.tree import Tree
from sessiond.runtime.errors import (
    IdConflict,
    InvalidParams,
    LeafConflict,
    NotEditable,
    SessiondError,
)
from sessiond.sessions.view import View

T = TypeVar("T")
Build = Callable[[Stamp], bytes]
"""Makes the line of a new entry."""


class Conditions(msgspec.Struct, frozen=True):
    """Conditions that must hold when the entry is written; UNSET members are not checked."""

    new_entry_id: str | None = None
    leaf_id: str | UnsetType | None = UNSET
    tip_id: str | UnsetType | None = UNSET


class Appended(msgspec.Struct, frozen=True):
    """The result of an append.

    `leaf_id`: the leaf after it. `written`: the entry is in the file. `existed`: the entry was in
    the session before this append, which wrote nothing.
    """

    entry: Entry
    leaf_id: str | None
    written: bool
    existed: bool


class NewEntry(msgspec.Struct, frozen=True):
    """An entry to append: under `parent`, which is UNSET for the leaf.

    `derived` are members that depend on the state of the session, so that a retry may build them
    differently.
    """

    build: Build
    conditions: Conditions = Conditions()
    parent: str | UnsetType | None = UNSET
    derived: tuple[str, ...] = ()


async def append(view: View, entry: NewEntry, *, size: int = 0) -> Appended:
    """Append one entry and move the leaf to it: see `append_all`. Raises its exception."""
    (done,) = await append_all(view, [entry], size=size)
    if isinstance(done, Exception):
        raise done
    return done


async def append_all(
    view: View, entries: Sequence[NewEntry], *, size: int = 0
) -> list[Appended | Exception]:
    """Append entries with one write, each under the one before it, and move the leaf to the last.

    A build function gets the stamp and returns the line. It runs under the file's lock, after a
    refresh; its exception refuses its entry alone, and so do LeafConflict and EntryNotFound for the
    parent. If the entry exists already under the requested id, it is the answer, which makes a
    retry safe; another entry with this id is an IdConflict. If
    `size`, the expected length of the lines, is large, they are built in a worker. Raises
    ReadOnly, and what Document.append raises; nothing is written then. The caller holds the turn.
    """
    view.check_writable()
    document = view.document
    plans: list[_Plan] = []

    def make() -> list[bytes]:
        # A store calls this again if another host was faster.
        plans.clear()
        lines: list[bytes] = []
        planned: dict[str, _Planned] = {}
        leaf, tip = view.leaf_id, document.tip_id
        for each in entries:
            plan = _plan(view, each, leaf, tip, planned)
            plans.append(plan)
            if plan.line is not None:
                lines.append(plan.line)
                leaf = tip = plan.entry_id
            elif plan.existing is not None and _is_next(
                document.tree, plan.existing, leaf, moved=each.parent is not UNSET
            ):
                leaf = plan.entry_id
        return lines

    written = await document.append(make, view, size)
    return [
        _result(view, plan, written, moved=each.parent is not UNSET)
        for each, plan in zip(entries, plans, strict=True)
    ]


class _Plan(msgspec.Struct):
    """The plan for an entry: a line, an entry that exists, or a refusal."""

    entry_id: str = ""
    line: bytes | None = None
    place: int = -1
    """Index among the lines of one call."""
    existing: Entry | None = None
    error: Exception | None = None


class _Planned(msgspec.Struct, frozen=True):
    """A line of this call: its index, and what it was built with."""

    place: int
    at: Stamp
    line: bytes


def _plan(
    view: View, entry: NewEntry, leaf: str | None, tip: str | None, planned: dict[str, _Planned]
) -> _Plan:
    """Decide what becomes of one entry; a new line is added to `planned`."""
    tree, parent, given_id = view.document.tree, entry.parent, entry.conditions.new_entry_id
    try:
        if given_id is not None and given_id in planned:
            # The same request twice, among those that are written together.
            first = planned[given_id]
            _check_same(entry, first.at, first.line)
            return _Plan(given_id, place=first.place)
        if given_id is not None and (existing := tree.get(given_id)) is not None:
            at = Stamp(given_id, existing.parent_id, existing.timestamp)
            _check_same(entry, at, existing.raw)
            return _Plan(given_id, existing=existing)
        _compare(entry.conditions, leaf, tip)
        if parent is not UNSET and parent is not None:
            view.entry(parent)
        entry_id = given_id or _unused(tree, planned)
        at = Stamp(entry_id, leaf if parent is UNSET else parent, iso_now())
        line = entry.build(at)
    except Exception as error:  # noqa: BLE001 - it becomes the answer of this request
        return _Plan(error=error)
    planned[entry_id] = _Planned(len(planned), at, line)
    return _Plan(entry_id, line, planned[entry_id].place)


def _check_same(entry: NewEntry, at: Stamp, line: bytes) -> None:
    """Raise IdConflict unless the entry is the one whose line, built at `at`, is `line`."""
    if entry.parent is UNSET or entry.parent == at.parent_id:
        # What cannot be built there is another entry.
        with suppress(SessiondError, InvalidParams, ValueError):
            if has_equal_content(entry.build(at), line, entry.derived):
                return
    raise IdConflict(at.id)


def _unused(tree: Tree, planned: Container[str]) -> str:
    while (entry_id := new_entry_id(tree.by_id)) in planned:
        pass
    return entry_id


def _result(
    view: View, plan: _Plan, written: Sequence[Outcome], *, moved: bool
) -> Appended | Exception:
    if plan.error is not None:
        return plan.error
    entry: Outcome = written[plan.place] if plan.existing is None else plan.existing
    if not isinstance(entry, Entry):
        return entry
    existed = plan.line is None
    if not existed or _is_next(view.document.tree, entry, view.leaf_id, moved=moved):
        view.chosen = entry.id
    return Appended(entry, view.leaf_id, view.document.written, existed)


def _is_next(tree: Tree, entry: Entry, leaf: str | None, *, moved: bool) -> bool:
    """Whether a retry has to move this leaf to the existing entry.

    It has to while the leaf is still the parent of the entry. If the append `moved` the leaf to an
    explicit parent first, it has to unless the entry is on the branch of the leaf already.
    """
    if not moved:
        return leaf == entry.parent_id
    return all(each is not entry for each in tree.branch(leaf))


def check_conditions(view: View, conditions: Conditions) -> None:
    """Raise LeafConflict unless the leaf and the tip are the expected ones."""
    if conditions.leaf_id is UNSET and conditions.tip_id is UNSET:
        return
    _compare(conditions, view.leaf_id, view.document.tip_id)


def _compare(conditions: Conditions, leaf: str | None, tip: str | None) -> None:
    """Raise LeafConflict unless these are the expected leaf and tip."""
    if conditions.leaf_id is not UNSET and conditions.leaf_id != leaf:
        raise LeafConflict("leaf", conditions.leaf_id, leaf, tip)
    if conditions.tip_id is not UNSET and conditions.tip_id != tip:
        raise LeafConflict("tip", conditions.tip_id, leaf, tip)


def whole_tree(view: View) -> int:
    """The size of a line that is built by walking a branch."""
    return view.document.tree.cost


def system_message_at(view: View, leaf_id: str | None) -> bytes | None:
    """Return the system message that is in force with a leaf."""
    return build_context(view.document.tree, leaf_id).system_message


def is_on_branch(view: View, entry_id: str, leaf_id: str | None) -> bool:
    """Whether an entry is on the branch of a leaf."""
    return any(each.id == entry_id for each in view.document.tree.branch(leaf_id))


def check_kept(view: View, entry_id: str, leaf_id: str | None, path: str) -> None:
    """Check the first entry that a compaction under a leaf keeps.

    Raises EntryNotFound, and InvalidParams for the param at `path` if it is on another branch.
    """
    view.entry(entry_id)
    if not is_on_branch(view, entry_id, leaf_id):
        raise InvalidParams(f"Entry {entry_id} is not on the branch of the leaf", path)


def check_editable(target: Entry, *, is_active: bool) -> None:
    """Raise NotEditable unless an edit of this entry would change the context.

    `is_active` says whether the entry is on the active branch.
    """
    if not is_active:
        raise NotEditable(f"Entry {target.id} is not on the active branch", target.id)
    if not is_editable(target):
        raise NotEditable(
            f"Entry {target.id} does not contribute editable model content", target.id
        )
