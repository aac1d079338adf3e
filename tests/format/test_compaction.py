"""Cut points and preparations by the tables of pi 1.6.0."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sessiond.format.context.build import Context, build_context
from sessiond.format.context.compaction import (
    ALREADY_COMPACTED,
    TOO_SMALL,
    Preparation,
    compaction_prompts,
    compaction_summary,
    prepare_compaction,
)
from sessiond.format.context.cut_point import find_cut_point
from sessiond.format.context.file_operations import FileOperations

from .builders import chain, entry, tree_of


def context(*entries: dict[str, Any]) -> Context:
    """A session of these entries, whose ids are their places: 0, 1, 2 and so on."""
    for place, each in enumerate(entries):
        each["id"] = str(place)
    tree = tree_of(chain(*entries))
    return build_context(tree, tree.tip_id)


def said(role: str, tokens: int = 100) -> dict[str, Any]:
    content = [{"type": "text", "text": "x" * (4 * tokens)}]
    return entry("", kind="message", message={"role": role, "content": content})


def user(tokens: int = 100) -> dict[str, Any]:
    return said("user", tokens)


def assistant(tokens: int = 100) -> dict[str, Any]:
    return said("assistant", tokens)


def result(tokens: int = 100) -> dict[str, Any]:
    return said("toolResult", tokens)


def calling() -> dict[str, Any]:
    block = {"type": "toolCall", "id": "c", "name": "read", "arguments": {"path": "a"}}
    return entry("", kind="message", message={"role": "assistant", "content": [block]})


def shell(tokens: int = 100) -> dict[str, Any]:
    message = {"role": "bashExecution", "command": "", "output": "x" * (4 * tokens)}
    return entry("", kind="message", message=message)


def custom(tokens: int) -> dict[str, Any]:
    content = "x" * (4 * tokens)
    return entry("", kind="custom_message", customType="c", content=content, display=True)


def change() -> dict[str, Any]:
    return entry("", kind="model_change", provider="p", modelId="m")


def edit(target: int, replacement: Any) -> dict[str, Any]:
    return entry("", kind="context_edit", targetId=str(target), replacement=replacement)


def compaction(first_kept: int | None, summary: Any = "S1", **more: Any) -> dict[str, Any]:
    kept = {} if first_kept is None else {"firstKeptEntryId": str(first_kept)}
    return entry("", kind="compaction", summary=summary, tokensBefore=1, **kept, **more)


def branch_summary(tokens: int) -> dict[str, Any]:
    return entry("", kind="branch_summary", fromId="x", summary="x" * (4 * tokens))


TALK = ("user", "assistant", "user", "assistant")
# Entries, tokens to keep, first kept entry, beginning of the split turn.
CUTS: list[tuple[list[dict[str, Any]], int, int, int | None]] = [
    *[(list(map(said, TALK)), keep, 3, 2) for keep in (50, 100)],
    *[(list(map(said, TALK)), keep, 2, None) for keep in (101, 200)],
    (list(map(said, TALK)), 250, 1, 0),
    (list(map(said, TALK)), 1000, 0, None),
    ([user(), assistant(), change(), user(), assistant()], 150, 2, 0),
    ([user(10), assistant(10), user(10), calling(), result(500)], 100, 3, 2),
    ([user(), assistant(), shell(), assistant()], 150, 2, None),
    ([user(), assistant(), custom(100), assistant()], 150, 2, None),
    ([user(), assistant(), custom(1000), assistant(10)], 150, 2, None),
    ([user(), assistant(), branch_summary(100), assistant()], 150, 2, None),
    # A tool result is never first: the next entry that may be is.
    ([user(), calling(), result(), assistant(), user()], 250, 3, 0),
    # What adds nothing goes with what follows it.
    ([user(), assistant(), change(), change(), assistant()], 100, 2, 0),
    ([change(), user(), assistant()], 1000, 0, None),
    # No entry at all, and none to cut at.
    ([result(), change()], 10, 0, None),
    # Keeping nothing cuts at the last entry that weighs something.
    ([user(), assistant(), change()], 0, 1, 0),
    ([user(), assistant(), user(0)], 0, 1, 0),
    # Unknown roles weigh nothing and are no place to cut, but stand in the way.
    ([user(), assistant(), said("new"), user()], 100, 3, None),
]


@pytest.mark.parametrize(("entries", "keep", "first_kept", "turn_start"), CUTS)
def test_the_cut_is_where_the_table_says(entries: Any, keep: int, first_kept: int, turn_start: Any):
    found = find_cut_point(context(*json.loads(json.dumps(entries))), 0, keep)
    assert (found.first_kept, found.turn_start) == (first_kept, turn_start)


def test_an_empty_context_is_too_small_to_compact():
    assert find_cut_point(context(), 0, 100).first_kept == 0
    assert prepare_compaction(context(), 100) == TOO_SMALL


@pytest.mark.parametrize(
    ("entries", "keep", "first_kept", "turn_start"),
    [
        # Taken out of the context: no weight, no cut, and what adds nothing goes along.
        ([user(), assistant(), user(), assistant(), edit(2, None)], 150, 1, 0),
        # An attempt that was taken out again: the input before it is behind the cut as well.
        ([user(), assistant(), user(200), assistant(), edit(3, None)], 150, 3, 2),
        # The input could be replaced without that counting as an answer.
        (
            [
                user(),
                assistant(),
                user(200),
                assistant(),
                edit(3, None),
                edit(2, {"content": "y" * 800}),
            ],
            150,
            2,
            None,
        ),
        # What replaces the attempt itself, and is then taken out with it, does not matter.
        (
            [user(), assistant(), user(200), assistant(), edit(3, {"content": "y"}), edit(3, None)],
            150,
            3,
            2,
        ),
        # Something that is still to be seen follows.
        ([user(), assistant(), user(200), assistant(), edit(3, None), result(1)], 150, 2, None),
        # Nothing of an assistant was taken out.
        ([user(), assistant(), user(200), result(), edit(3, None)], 150, 2, None),
        # The budget was not reached.
        ([user(), assistant(), edit(1, None)], 500, 0, None),
    ],
)
def test_context_edits_move_the_cut(entries: Any, keep: int, first_kept: int, turn_start: Any):
    found = find_cut_point(context(*json.loads(json.dumps(entries))), 0, keep)
    assert (found.first_kept, found.turn_start) == (first_kept, turn_start)


def prepared(keep: int, *entries: dict[str, Any]) -> Preparation:
    found = prepare_compaction(context(*entries), keep)
    assert isinstance(found, Preparation)
    return found


def roles(messages: list[bytes]) -> list[str]:
    return [json.loads(message)["role"] for message in messages]


def test_entries_kept_by_an_earlier_compaction_are_summarised():
    before = [user(), assistant(), user(), assistant()]
    found = prepared(150, *before, compaction(2), user(), assistant())
    assert (found.first_kept, found.previous_summary) == ("5", "S1")
    assert roles(found.history) == ["user", "assistant"]
    assert not found.is_split


def test_only_the_tail_is_summarised_where_the_compaction_kept_nothing():
    found = prepared(150, user(), assistant(), compaction(None), user(), assistant(), user(200))
    assert (found.first_kept, roles(found.history)) == ("5", ["user", "assistant"])


def test_an_older_compaction_among_the_kept_adds_nothing():
    first = [user(), assistant(), compaction(1, "old"), user()]
    found = prepared(150, *first, assistant(), compaction(1, "new"), user(200))
    assert found.previous_summary == "new"
    assert roles(found.history) == ["assistant", "user", "assistant"]


def test_a_split_turn_has_its_beginning_apart():
    found = prepared(50, user(), assistant(), user(), calling(), result(), assistant())
    assert (found.first_kept, found.is_split) == ("5", True)
    assert roles(found.history) == ["user", "assistant"]
    assert roles(found.prefix) == ["user", "assistant", "toolResult"]


def test_a_split_turn_without_earlier_messages_has_no_history():
    found = prepared(50, user(), assistant())
    assert (roles(found.history), roles(found.prefix)) == ([], ["user"])


@pytest.mark.parametrize(
    ("entries", "keep"), [([user(1), assistant(1)], 20_000), ([user()], 0), ([change()], 0)]
)
def test_a_small_session_has_nothing_to_summarise(entries: Any, keep: int):
    assert prepare_compaction(context(*entries), keep) == TOO_SMALL


def test_a_compaction_at_the_end_is_not_compacted_again():
    assert prepare_compaction(context(user(), compaction(0)), 0) == ALREADY_COMPACTED


def test_a_compaction_with_something_behind_it_is():
    found = prepare_compaction(context(user(), compaction(0), change()), 100_000)
    assert found == TOO_SMALL


def test_summarised_messages_are_as_edits_left_them_and_without_the_system_message():
    system = entry("", kind="message", message={"role": "system", "content": "s", "timestamp": 1})
    entries = [system, user(), assistant(), edit(2, {"content": "short"}), user(), edit(1, None)]
    found = prepared(50, *entries)
    content = [{"type": "text", "text": "short"}]
    assert [json.loads(message) for message in found.history] == [
        {"role": "assistant", "content": content}
    ]


def test_tokens_before_are_those_of_the_context():
    assert prepared(150, user(), assistant(), user(), assistant()).tokens_before == 400


@pytest.mark.parametrize("summary", [5, None, [], {"a": 1}])
def test_a_previous_summary_that_is_not_a_string_is_ignored(summary: Any):
    before = [user(), assistant(), compaction(0, summary)]
    assert prepared(50, *before, user()).previous_summary is None


def calls(*names_and_paths: tuple[str, Any]) -> dict[str, Any]:
    blocks = [
        {"type": "toolCall", "id": "c", "name": name, "arguments": {"path": path}}
        for name, path in names_and_paths
    ]
    return entry("", kind="message", message={"role": "assistant", "content": blocks})


def test_files_add_up_over_the_compaction_before_the_history_and_the_prefix():
    details = {"readFiles": ["r", "m"], "modifiedFiles": ["m2", 5, None], "other": 1}
    found = prepared(
        50,
        calls(("read", "not counted")),
        compaction(None, details=details),
        user(),
        calls(("read", "a"), ("edit", "r")),
        user(),
        calls(("write", "b")),
        assistant(),
    )
    assert found.files.only_read == ["a", "m"]
    assert found.files.modified == ["b", "m2", "r"]
    assert json.loads(found.files.as_json()) == {
        "read": ["r", "m", "a"],
        "written": ["b"],
        "edited": ["m2", "r"],
    }


@pytest.mark.parametrize(
    "more",
    [
        {"details": {"readFiles": ["r"]}, "fromHook": True},
        {"details": {"readFiles": "r"}},
        {"details": ["r"]},
        {"details": None},
        {},
    ],
)
def test_details_of_an_extension_or_of_another_shape_do_not_count(more: Any):
    found = prepared(50, user(), compaction(None, **more), user(), assistant())
    assert found.files == FileOperations()


FILES = FileOperations.of(["a", "m"], ["m"], ["e"])
LISTS = "\n\n<read-files>\na\n</read-files>\n\n<modified-files>\ne\nm\n</modified-files>"


def test_a_summary_ends_with_the_files():
    assert compaction_summary("H", None, FILES) == "H" + LISTS
    assert compaction_summary("H", None, FileOperations()) == "H"


def test_the_summary_of_a_split_turn_follows_that_of_the_history():
    expected = "H\n\n---\n\n**Turn Context (split turn):**\n\nP"
    assert compaction_summary("H", "P", FileOperations()) == expected
    assert compaction_summary("H", "P", FILES) == expected + LISTS


HEADINGS = [
    "## Goal",
    "## Constraints & Preferences",
    "## Progress",
    "### Done",
    "### In Progress",
    "### Blocked",
    "## Key Decisions",
    "## Next Steps",
    "## Critical Context",
]


def headings(prompt: str) -> list[str]:
    return [line for line in prompt.split("\n") if line.startswith("##")]


def test_the_history_prompt_contains_the_headings_and_the_conversation():
    history, prefix = compaction_prompts(prepared(150, user(1), assistant(1), user(150)), None)
    assert history is not None
    assert prefix is None
    begin = "<conversation>\n[User]: xxxx\n\n[Assistant]: xxxx\n</conversation>\n\n"
    assert history.startswith(begin)
    assert headings(history) == HEADINGS
    assert "<previous-summary>" not in history


def test_an_update_shows_the_summary_before():
    plan = prepared(50, compaction(None, "OLD"), user(1), assistant(1), user())
    history, _ = compaction_prompts(plan, None)
    assert history is not None
    begin = "<conversation>\n[User]: xxxx\n\n[Assistant]: xxxx\n</conversation>\n\n"
    assert history.startswith(f"{begin}<previous-summary>\nOLD\n</previous-summary>\n\n")
    assert headings(history) == HEADINGS


def test_an_empty_previous_summary_is_not_updated():
    plan = prepared(50, compaction(None, ""), user(1), assistant(1), user())
    history, _ = compaction_prompts(plan, None)
    assert history is not None
    assert "<previous-summary>" not in history


def test_the_beginning_of_a_turn_has_its_own_prompt():
    history, prefix = compaction_prompts(prepared(50, user(1), assistant()), None)
    assert history is None
    assert prefix is not None
    assert prefix.startswith("# Conversation\n[User]: xxxx\n\n# Instructions\n")
    wanted = ["## Original Request", "## Progress So Far", "## Context Needed to Continue"]
    assert headings(prefix) == wanted


def test_every_prompt_ends_with_the_focus():
    plan = prepared(50, user(), assistant(), user(), assistant())
    asked = compaction_prompts(plan, "the tests")
    assert all(text and text.endswith("\n\nAdditional focus: the tests") for text in asked)
