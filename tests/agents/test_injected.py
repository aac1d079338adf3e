"""What agents put before a prompt is told from the prompt."""

from __future__ import annotations

import pytest

from sessiond.agents.injected import injected_length
from sessiond.format.describe.metadata import split_metadata

TAGS = frozenset({"context", "note"})
SENDER = 'Sender (untrusted metadata):\n```json\n{\n  "id": "tui"\n}\n```\n\n'
CONVERSATION = "Conversation info (untrusted metadata):\n```json\n{}\n```\n\n"


@pytest.mark.parametrize(
    ("text", "prompt"),
    [
        ("<context>x</context>", ""),
        ("<context a='b'>x</context>\n<note>y</note> Hi.", " Hi."),
        ("<context>x Hi.", "<context>x Hi."),
        ("<context>x</note> Hi.", "<context>x</note> Hi."),
        ("<div>x</div>", "<div>x</div>"),
        ("Hi <note>y</note>", "Hi <note>y</note>"),
        ("", ""),
    ],
)
def test_only_elements_that_their_own_tag_closes_are_injected(text: str, prompt: str):
    assert text[injected_length(text, TAGS) :] == prompt


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        (f"{SENDER}[Sun 2026-11-08 06:03 UTC] plan the trip", "plan the trip"),
        (f"{CONVERSATION}{SENDER}plan", "plan"),
        ("Sender (untrusted metadata): is what it says", None),
        ("Sender (untrusted metadata):\n```json\n{", None),
        ("[Sun 2026-11-08 06:03 UTC] plan", None),
    ],
)
def test_a_title_is_what_a_person_wrote(text: str, typed: str | None):
    metadata, said = split_metadata(text)
    assert said == (text if typed is None else typed)
    assert (metadata == "") == (typed is None)
