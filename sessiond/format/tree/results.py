"""Find the results of the tool calls of an answer in the tree."""

from __future__ import annotations

from sessiond.format.entries import Entry
from sessiond.format.tree.tree import Tree
from sessiond.text.parts import elements, object_members, string_of


def last_result(tree: Tree, entry_id: str) -> str:
    """Return the id of the last result of the calls of an answer; without one, `entry_id`.

    Of several branches the one with most of the results counts, then the latest.
    """
    answer = tree.get(entry_id)
    calls = _calls(answer) if answer is not None and answer.role == "assistant" else set[str]()
    most, last = 0, entry_id
    for entry in tree.entries if calls else ():
        if entry.role == "toolResult" and _answered(entry) in calls:
            count = _count_between(tree, entry_id, entry, calls)
            if count >= max(most, 1):
                most, last = count, entry.id
    return last


def _count_between(tree: Tree, answer_id: str, result: Entry, calls: set[str]) -> int:
    """Return how many calls have results up to this one; 0 if it does not belong to the answer."""
    answered: set[str | None] = set()
    entry: Entry | None = result
    for _ in range(len(tree)):
        if entry is None or entry.id == answer_id:
            break
        if entry.role == "toolResult":
            answered.add(_answered(entry))
        elif entry.is_conversation and "partOf" not in object_members(entry.raw):
            return 0
        parent_id = tree.parent_of(tree.by_id[entry.id])
        entry = None if parent_id is None else tree.get(parent_id)
    return 0 if entry is None else len(answered & calls)


def _calls(answer: Entry) -> set[str]:
    blocks = elements(_message(answer).get("content", b"null"))
    parts = [object_members(block) for block in blocks if block[:1] == b"{"]
    ids = [string_of(each.get("id")) for each in parts if each.get("type") == b'"toolCall"']
    return {id_ for id_ in ids if id_ is not None}


def _answered(result: Entry) -> str | None:
    return string_of(_message(result).get("toolCallId"))


def _message(entry: Entry) -> dict[str, bytes]:
    message = object_members(entry.raw).get("message", b"{}")
    return object_members(message) if message[:1] == b"{" else {}
