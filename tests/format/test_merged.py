"""Answers whose parts are entries of their own become one message."""

import json
from typing import Any

from sessiond.format.merged import merged_answers


def said(entry_id: str, parent: str | None, role: str, *texts: str, tokens: int = 0) -> str:
    message: dict[str, Any] = {"role": role, "content": [{"text": text} for text in texts]}
    if role == "assistant":
        message["usage"] = {"totalTokens": tokens}
    return json.dumps({"type": "message", "id": entry_id, "parentId": parent, "message": message})


def merged(*lines: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in merged_answers(line.encode() for line in lines)]


def test_parts_are_joined_under_the_id_of_the_last():
    user, answer, after = merged(
        said("u", None, "user", "ask"),
        said("a", "u", "assistant", "one", tokens=7),
        said("b", "a", "assistant", "two"),
        said("c", "b", "assistant", "three"),
        said("v", "c", "user", "more"),
    )
    assert (answer["id"], answer["parentId"]) == ("c", "u")
    assert [each["text"] for each in answer["message"]["content"]] == ["one", "two", "three"]
    assert answer["message"]["usage"] == {"totalTokens": 7}
    assert (user["id"], after["parentId"]) == ("u", "c")


def test_an_answer_that_was_left_for_another_branch_stays():
    lines = [
        said("a", None, "assistant", "one"),
        said("b", "a", "assistant", "two"),
        said("c", "a", "user", "no"),
    ]
    assert merged(*lines) == [json.loads(line) for line in lines]


def test_what_names_a_part_names_the_whole():
    kept = json.dumps({"type": "compaction", "id": "k", "parentId": "b", "firstKeptEntryId": "a"})
    *_, compaction = merged(
        said("a", None, "assistant", "one"), said("b", "a", "assistant", "two"), kept
    )
    assert compaction["firstKeptEntryId"] == "b"


def test_cycles_and_unknown_parents_end():
    lines = [said("a", "b", "assistant", "one"), said("b", "a", "assistant", "two")]
    assert [each["id"] for each in merged(*lines)] == ["b"]
    assert [each["id"] for each in merged(said("a", "nowhere", "assistant", "x"))] == ["a"]
