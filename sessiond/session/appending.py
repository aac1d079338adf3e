"""Appends: one line is built under the file's lock, and the leaf moves onto the new entry.

Also the rules of what may be appended, and lookups that are made before the file is locked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import attrs
from msgspec import UNSET, UnsetType

from sessiond.errors import InvalidParams, LeafConflict, NotEditable
from sessiond.files import workers
from sessiond.format.context.build import build_context
from sessiond.format.entries import CUSTOM_MESSAGE, MESSAGE, Entry
from sessiond.format.ids import iso_now, new_entry_id
from sessiond.format.lines import Stamp
from sessiond.format.tree.tree import Tree
from sessiond.jsontext.spans import raw_members
from sessiond.session.view import View

T = TypeVar("T")
Build = Callable[[Stamp], bytes]
"""Makes the line of a new entry."""

_EDITABLE_ROLES = {"user", "assistant", "toolResult"}


@attrs.frozen
class Conditions:
    """What the caller demands of the moment of writing; UNSET members demand nothing."""

    new_entry_id: str | None = None
    leaf_id: str | UnsetType | None = UNSET
    tip_id: str | UnsetType | None = UNSET


@attrs.frozen
class Appended:
    """The result of an append.

    `written` says whether the entry is in the file, `existed` whether it was in the session before
    this append, which then wrote nothing.
    """

    entry: Entry
    written: bool
    existed: bool


async def append(
    view: View,
    build: Build,
    conditions: Conditions,
    *,
    parent: str | UnsetType | None = UNSET,
) -> Appended:
    """Append one entry under the leaf (or under `parent`) and move the leaf onto it.

    `build` gets the stamp and returns the line; it runs under the file's lock with the session as
    it is now, and what it raises is raised before anything is written. An entry that has the
    wanted id already is answered as it stands: that makes a retry safe. Raises ReadOnly,
    LeafConflict, EntryNotFound for the parent, and what Document.append raises.
    """
    view.check_writable()
    document = view.document
    existed = False

    def make() -> bytes | Entry:
        nonlocal existed
        wanted = conditions.new_entry_id
        if wanted is not None and (there := document.tree.get(wanted)) is not None:
            existed = True
            return there
        _check(view, conditions)
        above = view.leaf_id if parent is UNSET else parent
        if parent is not UNSET and parent is not None:
            view.entry(parent)
        entry_id = wanted or new_entry_id(document.tree.by_id)
        return build(Stamp(entry_id, above, iso_now()))

    entry = await document.append(make, cause=view)
    if not existed or _is_next(view, entry, moved=parent is not UNSET):
        view.chosen = entry.id
    return Appended(entry, document.written, existed)


def _is_next(view: View, entry: Entry, *, moved: bool) -> bool:
    """Whether a retry moves the leaf: only where the lost answer would have done so.

    An entry goes under the leaf, unless it was to move the leaf first; then it counts as done once
    the leaf lies on its branch.
    """
    if not moved:
        return view.leaf_id == entry.parent_id
    return all(each is not entry for each in view.document.tree.branch(view.leaf_id))


def _check(view: View, conditions: Conditions) -> None:
    leaf, tip = view.leaf_id, view.document.tip_id
    if conditions.leaf_id is not UNSET and conditions.leaf_id != leaf:
        raise LeafConflict("leaf", conditions.leaf_id, leaf, tip)
    if conditions.tip_id is not UNSET and conditions.tip_id != tip:
        raise LeafConflict("tip", conditions.tip_id, leaf, tip)


def check_message(message: bytes) -> None:
    """Raise InvalidParams unless this is a message that may be appended."""
    path = "$.message"
    try:
        role = raw_members(message).get("role", b"null")
    except ValueError:
        raise InvalidParams("expected an object", path) from None
    if not role.startswith(b'"'):
        raise InvalidParams("expected a string", f"{path}.role")
    if role in {b'"compactionSummary"', b'"branchSummary"'}:
        verb = "appendCompaction" if role == b'"compactionSummary"' else "branchWithSummary"
        raise InvalidParams(f"use session/{verb} for summaries", f"{path}.role")


async def foreseen(view: View, look: Callable[[Tree, str | None], T]) -> Callable[[str | None], T]:
    """What `look` finds in the tree at a leaf, looked up beside the loop and ahead of an append.

    An append's line is built under the file's lock on the loop, where a look at a whole branch
    takes too long. If the tree or the leaf turns out to be another one then, it is looked up again.
    Needs the turn.
    """
    await view.document.refresh()
    tree, leaf_id, count = view.document.tree, view.leaf_id, view.document.entry_count
    # Nothing is added to the tree meanwhile: that needs the turn.
    found = await workers.computing(tree.cost, look, tree, leaf_id)

    def at(asked: str | None) -> T:
        current = view.document.tree
        if current is tree and len(current) == count and asked == leaf_id:
            return found
        return look(current, asked)

    return at


async def system_message_ahead(view: View) -> Callable[[str | None], bytes | None]:
    """The system message in force at a leaf, looked up ahead of an append; see `foreseen`."""
    return await foreseen(view, lambda tree, leaf_id: build_context(tree, leaf_id).system_message)


async def on_branch_ahead(view: View, entry_id: str) -> Callable[[str | None], bool]:
    """Whether an entry is on the branch of a leaf, looked up ahead of an append; see `foreseen`."""
    return await foreseen(
        view, lambda tree, leaf_id: any(each.id == entry_id for each in tree.branch(leaf_id))
    )


def check_editable(target: Entry, *, is_active: bool) -> None:
    """Raise NotEditable unless an edit of this entry changes what the model sees.

    `is_active` says whether the entry is on the active branch.
    """
    if not is_active:
        raise NotEditable(f"Entry {target.id} is not on the active branch", target.id)
    editable = target.type == CUSTOM_MESSAGE or (
        target.type == MESSAGE and target.role in _EDITABLE_ROLES
    )
    if not editable:
        raise NotEditable(
            f"Entry {target.id} does not contribute editable model content", target.id
        )


def check_replacement(replacement: bytes) -> None:
    """Raise InvalidParams unless this is `null`, or an object with string or array content."""
    problem = "Context edit replacement must be null or contain string/array content"
    if replacement == b"null":
        return
    try:
        content = raw_members(replacement).get("content", b"")
    except ValueError:
        raise InvalidParams(problem, "$.replacement") from None
    if content[:1] not in {b'"', b"["}:
        raise InvalidParams(problem, "$.replacement.content")
