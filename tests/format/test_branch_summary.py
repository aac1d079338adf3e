"""Leaving a branch by the tables of pi 1.6.0."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sessiond.format.context.branch_summary import (
    abandoned_entries,
    branch_summary,
    destination,
    plan_branch_summary,
    prompt_for_branch,
)
from sessiond.format.context.file_operations import FileOperations
from sessiond.format.load import load
from sessiond.format.tree.tree import Tree

from .builders import chain, dumps, entry, file_of, ids, message, tree_of

FORK = [
    entry("a"),
    entry("b", "a"),
    entry("c", "b"),
    entry("d", "b"),
    entry("e", "d"),
]


@pytest.mark.parametrize(
    ("old", "target", "left", "ancestor"),
    [
        ("e", "c", "de", "b"),
        ("e", "a", "bde", "a"),
        ("e", "e", "", "e"),
        ("a", "e", "", "a"),
        (None, "e", "", None),
        ("", "e", "", None),
        ("e", "unknown", "abde", None),
        ("unknown", "e", "", None),
    ],
)
def test_the_abandoned_branch_is_between_the_common_ancestor_and_the_old_leaf(
    old: Any, target: str, left: str, ancestor: Any
):
    found = abandoned_entries(tree_of(FORK), old, target)
    assert (ids(found.entries), found.ancestor) == (list(left), ancestor)


def test_two_roots_have_no_common_ancestor():
    found = abandoned_entries(tree_of([entry("a"), entry("b", "a"), entry("c")]), "b", "c")
    assert (ids(found.entries), found.ancestor) == (["a", "b"], None)


def test_abandoned_entries_include_those_before_a_compaction():
    compaction = entry("c", "b", "compaction", summary="s", firstKeptEntryId="c", tokensBefore=1)
    tree = tree_of([entry("a"), entry("b", "a"), compaction, entry("d", "c"), entry("x", "a")])
    assert ids(abandoned_entries(tree, "d", "x").entries) == ["b", "c", "d"]


def test_cycles_end():
    tree = tree_of([entry("a", "b"), entry("b", "a"), entry("c")])
    assert set(ids(abandoned_entries(tree, "b", "c").entries)) == {"a", "b"}


def long_branch() -> Tree:
    """User, assistant, tool result, branch summary (100 tokens each), compaction of 50, user of
    100, a model change, and an assistant that edits a file (4 tokens).
    """
    hundred = "x" * 400
    call = {"type": "toolCall", "id": "c", "name": "edit", "arguments": {"path": "f"}}
    details = {"readFiles": ["r1"], "modifiedFiles": ["m1"]}
    entries = [
        message("u", None, "user", hundred),
        message("a", None, "assistant", [{"type": "text", "text": hundred}]),
        message("t", None, "toolResult", hundred),
        entry("bs", kind="branch_summary", fromId="x", summary=hundred, details=details),
        entry("cs", kind="compaction", summary="x" * 200, firstKeptEntryId="u", tokensBefore=7),
        message("v", None, "user", hundred),
        entry("m", kind="model_change", provider="p", modelId="m"),
        message("e", None, "assistant", [call]),
    ]
    return tree_of(chain(*entries))


SHORT = {
    "user": "U",
    "assistant": "A",
    "branchSummary": "B",
    "compactionSummary": "C",
    "custom": "N",
    "system": "S",
    "bashExecution": "X",
}


def shown(messages: list[bytes]) -> str:
    return "".join(SHORT[json.loads(each)["role"]] for each in messages)


@pytest.mark.parametrize(
    ("budget", "messages", "tokens"),
    [
        (0, "UABCUA", 454),
        (200, "BCUA", 254),
        (120, "CUA", 154),
        (130, "CUA", 154),
        (1, "", 0),
        (10_000, "UABCUA", 454),
    ],
)
def test_the_newest_messages_that_fit_are_taken(budget: int, messages: str, tokens: int):
    tree = long_branch()
    found = plan_branch_summary(tree.branch("e"), budget)
    assert (shown(found.messages), found.tokens) == (messages, tokens)
    assert (found.files.only_read, found.files.modified) == (["r1"], ["f", "m1"])


def test_a_summary_that_does_not_fit_is_left_out_where_the_budget_is_nearly_used():
    tree = long_branch()
    assert shown(plan_branch_summary(tree.branch("e"), 105).messages) == "UA"


def test_each_type_of_entry_gives_its_message():
    entries = [
        message("s", None, "system", "s"),
        entry("n", kind="custom_message", customType="c", content="note", display=True),
        entry("b", kind="branch_summary", fromId="x", summary=""),
        entry(
            "x", kind="message", message={"role": "bashExecution", "command": "ls", "output": ""}
        ),
        message("t", None, "toolResult", "left out"),
        message("z", None, "assistant", None),
        entry("l", kind="label", targetId="n", label="l"),
        entry("q", kind="usage", provider="p", model="m", usage={}),
    ]
    tree = tree_of(chain(*entries))
    assert shown(plan_branch_summary(tree.branch("q")).messages) == "SNBXA"


def test_edits_of_the_branch_count_and_the_last_one_wins():
    entries = [
        message("u", None, "user", "a"),
        message("v", None, "user", "b"),
        entry("n", kind="custom_message", customType="c", content="note", display=True),
        entry("e", kind="context_edit", targetId="u", replacement={"content": "A"}),
        entry("f", kind="context_edit", targetId="v", replacement={"content": "B"}),
        entry("g", kind="context_edit", targetId="v", replacement=None),
        entry("h", kind="context_edit", targetId="n", replacement={"content": "N"}),
    ]
    tree = tree_of(chain(*entries))
    found = plan_branch_summary(tree.branch("h")).messages
    assert [json.loads(each)["content"] for each in found] == ["A", "N"]
    # Those beyond the common ancestor are not looked at.
    assert len(plan_branch_summary(tree.branch("f")[:3]).messages) == 3


def test_details_of_an_extension_do_not_count():
    details = {"readFiles": ["r"], "modifiedFiles": []}
    summary = entry("b", kind="branch_summary", summary="s", details=details, fromHook=True)
    tree = tree_of(chain(summary))
    assert plan_branch_summary(tree.branch("b")).files == FileOperations()


def test_the_stored_summary_has_a_preamble_and_the_files():
    files = FileOperations.of(["a"], ["b"], [])
    summary, details = branch_summary("TEXT", files)
    assert summary == (
        "The user explored a different conversation branch before returning here.\n"
        "Summary of that exploration:\n\nTEXT\n\n<read-files>\na\n</read-files>\n\n"
        "<modified-files>\nb\n</modified-files>"
    )
    assert details == b'{"readFiles":["a"],"modifiedFiles":["b"]}'


def test_the_summary_of_nothing_has_no_preamble_and_no_files():
    files = FileOperations.of(["a"], [], [])
    assert branch_summary(None, files) == (
        "No content to summarize",
        b'{"readFiles":[],"modifiedFiles":[]}',
    )


def test_the_prompt_has_the_headings_and_the_focus():
    tree = tree_of(chain(message("u", None, "user", "hi")))
    plan = plan_branch_summary(tree.branch("u"))
    prompt = prompt_for_branch(plan, "tests", replace=False)
    assert prompt is not None
    assert prompt.startswith("<conversation>\n[User]: hi\n</conversation>\n\n")
    assert prompt.endswith("\n\nAdditional focus: tests")
    assert [line for line in prompt.split("\n") if line.startswith("##")] == [
        "## Goal",
        "## Constraints & Preferences",
        "## Progress",
        "### Done",
        "### In Progress",
        "### Blocked",
        "## Key Decisions",
        "## Next Steps",
    ]
    own = prompt_for_branch(plan, "Only this.", replace=True)
    assert own == "<conversation>\n[User]: hi\n</conversation>\n\nOnly this."
    assert prompt_for_branch(plan, None, replace=True) == prompt_for_branch(
        plan, None, replace=False
    )


def test_a_branch_without_messages_needs_no_prompt():
    assert prompt_for_branch(plan_branch_summary([]), None, replace=False) is None


TEXT = [{"type": "text", "text": "a"}, {"type": "image", "data": ""}, {"type": "text", "text": "b"}]


@pytest.mark.parametrize(
    ("made", "leaf", "text"),
    [
        (message("t", "p", "user", "hi"), "p", "hi"),
        (message("t", "p", "user", TEXT), "p", "ab"),
        (message("t", None, "user", "hi"), None, "hi"),
        (message("t", "p", "user", None), "p", ""),
        (message("t", "p", "user", [None, 5]), "p", ""),
        (entry("t", "p", "custom_message", customType="c", content=TEXT), "p", "ab"),
        (entry("t", "p", "custom_message", customType="c"), "p", ""),
        (message("t", "p", "assistant", TEXT), "t", None),
        (message("t", "p", "custom", "hi"), "t", None),
        (message("t", "p", "toolResult", "hi"), "t", None),
        (entry("t", "p", "branch_summary", summary="s"), "t", None),
        (entry("t", "p", "label", targetId="p"), "t", None),
    ],
)
def test_a_message_to_be_written_again_leads_to_its_parent(made: Any, leaf: Any, text: Any):
    tree = tree_of([entry("p"), made])
    target = tree.get("t")
    assert target is not None
    found = destination(tree, target)
    assert (found.leaf_id, found.text) == (leaf, text)


def test_text_with_half_a_character_is_returned_unchanged():
    raw = dumps(message("t", None, "user", "X")).replace(b'"X"', rb'"a\ud83d"')
    loaded = load(file_of(raw))
    tree = Tree(loaded.entries)
    target = tree.get("t")
    assert target is not None
    assert destination(tree, target).text == "a\ud83d"
