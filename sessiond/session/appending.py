"""Appends: one line is built under the file's lock, and the leaf moves onto the new entry.

Also lookups that are made before the file is locked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from sessiond.errors import LeafConflict, NotEditable, WriteFailed
from sessiond.files import workers
from sessiond.format.context.build import build_context
from sessiond.format.context.entry_messages import is_editable
from sessiond.format.entries import Entry
from sessiond.format.ids import iso_now, new_entry_id
from sessiond.format.lines import Stamp
from sessiond.format.tree.tree import Tree
from sessiond.session.view import View

T = TypeVar("T")
Build = Callable[[Stamp], bytes]
"""Makes the line of a new entry."""


class Conditions(msgspec.Struct, frozen=True):
    """What must be true when the entry is written; UNSET members are not checked."""

    new_entry_id: str | None = None
    leaf_id: str | UnsetType | None = UNSET
    tip_id: str | UnsetType | None = UNSET


class Appended(msgspec.Struct, frozen=True):
    """The result of an append.

    `written`: the entry is in the file. `existed`: the entry was in the session before this
    append, which wrote nothing.
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
    size: int = 0,
) -> Appended:
    """Append one entry under the leaf (or under `parent`) and move the leaf to it.

    `build` gets the stamp and returns the line. It runs under the file's lock, after a refresh, and
    its exceptions leave the file unchanged. An existing entry with the requested id is the answer,
    which makes a retry safe. If `size`, its expected length, is large, the line is built in a
    worker. Raises ReadOnly, LeafConflict, EntryNotFound for the parent, and what Document.append
    raises.
    """
    view.check_writable()
    document = view.document
    existed = False

    def make() -> bytes | Entry:
        nonlocal existed
        # A store calls this again if another host was faster.
        existed = False
        given_id = conditions.new_entry_id
        if given_id is not None and (existing := document.tree.get(given_id)) is not None:
            existed = True
            return existing
        check_conditions(view, conditions)
        parent_id = view.leaf_id if parent is UNSET else parent
        if parent is not UNSET and parent is not None:
            view.entry(parent)
        entry_id = given_id or new_entry_id(document.tree.by_id)
        return build(Stamp(entry_id, parent_id, iso_now()))

    entry = await document.append(make, view, size)
    if not existed or _is_next(view, entry, moved=parent is not UNSET):
        view.chosen = entry.id
    return Appended(entry, document.written, existed)


async def append_several(
    view: View, builds: Iterable[tuple[Build, Conditions] | Exception]
) -> list[Appended | Exception]:
    """Append entries one under the other with one write; returns the results of the first ones.

    `builds` has the build function and the conditions of each entry, or why it is refused. The
    others must be appended one by one: nothing of them is written. That is so for all if the file
    has to be waited for or has changed, because then not even a refusal is certain. Does not
    suspend, with one exception: see `Document.append_several`. The caller holds the turn.
    """
    document = view.document
    if view.read_only or not document.takes_several:
        return []
    tree = document.tree
    leaf, tip, taken = view.leaf_id, tree.tip_id, tree.by_id
    lines: dict[str, bytes] = {}
    results: list[str | Exception] = []
    timestamp = iso_now()
    for each in builds:
        if isinstance(each, Exception):
            results.append(each)
            continue
        build, conditions = each
        entry_id = conditions.new_entry_id or new_entry_id(taken)
        if entry_id in taken or entry_id in lines:
            # The entry exists, or the same digits were drawn twice.
            break
        try:
            _compare(conditions, leaf, tip)
            lines[entry_id] = build(Stamp(entry_id, leaf, timestamp))
        except Exception as error:  # noqa: BLE001 - it becomes the answer of this request
            results.append(error)
        else:
            results.append(entry_id)
            leaf = tip = entry_id
    return _results(view, results, await document.append_several(list(lines.values()), view))


def _results(
    view: View, results: Iterable[str | Exception], written: Sequence[Entry | WriteFailed]
) -> list[Appended | Exception]:
    """The results up to the first entry that was not written; moves the leaf to the last one."""
    answers: list[Appended | Exception] = []
    if not written:
        return answers
    rest = iter(written)
    for result in results:
        if isinstance(result, Exception):
            answers.append(result)
            continue
        entry = next(rest, None)
        if entry is None:
            break
        if isinstance(entry, Entry):
            view.chosen = entry.id
            answers.append(Appended(entry, written=True, existed=False))
        else:
            answers.append(entry)
    return answers


def _is_next(view: View, entry: Entry, *, moved: bool) -> bool:
    """Whether a retry has to move the leaf to the existing entry.

    It has to while the leaf is still the parent of the entry. If the append `moved` the leaf to an
    explicit parent first, it has to unless the entry is on the branch of the leaf already.
    """
    if not moved:
        return view.leaf_id == entry.parent_id
    return all(each is not entry for each in view.document.tree.branch(view.leaf_id))


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


async def foreseen(view: View, look: Callable[[Tree, str | None], T]) -> Callable[[str | None], T]:
    """Call `look` with the tree and the leaf in a worker thread, before an append needs its result.

    The line of an append is built on the event loop, where walking a whole branch takes too long.
    Returns a function from a leaf to the result; it calls `look` again if the tree has changed or
    the leaf is another one. The caller holds the turn.
    """
    await view.document.refresh()
    tree, leaf_id, count = view.document.tree, view.leaf_id, view.document.entry_count
    # The tree does not change meanwhile: this request holds the turn.
    computed = await workers.computing(tree.cost, look, tree, leaf_id)

    def at(present_leaf: str | None) -> T:
        present_tree = view.document.tree
        if present_tree is tree and len(tree) == count and present_leaf == leaf_id:
            return computed
        return look(present_tree, present_leaf)

    return at


async def system_message_ahead(view: View) -> Callable[[str | None], bytes | None]:
    """Return a function from a leaf to the system message that applies there; see `foreseen`."""
    return await foreseen(view, lambda tree, leaf_id: build_context(tree, leaf_id).system_message)


async def on_branch_ahead(view: View, entry_id: str) -> Callable[[str | None], bool]:
    """Return a function from a leaf to whether the entry is on its branch; see `foreseen`."""
    return await foreseen(
        view, lambda tree, leaf_id: any(each.id == entry_id for each in tree.branch(leaf_id))
    )


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
