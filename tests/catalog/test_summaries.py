"""Summaries of sessions, read as a whole and continued from the old end."""

import json
from pathlib import Path

import pytest

from sessiond.catalog.summaries import resume, summarise

HEADER = {
    "type": "session",
    "version": 3,
    "id": "x",
    "timestamp": "2026-01-01T00:00:00.000Z",
    "cwd": "/w",
}


def message(role: str, content, **more) -> dict:
    return {"type": "message", "id": "a", "message": {"role": role, "content": content, **more}}


def write(file: Path, *entries: object, mode: str = "a") -> None:
    with file.open(mode) as out:
        for entry in entries:
            out.write(entry if isinstance(entry, str) else json.dumps(entry) + "\n")


def facts(summary) -> tuple:
    return (
        summary.name,
        summary.message_count,
        summary.first_message,
        summary.modified,
        summary.texts,
        summary.state,
        summary.offset,
    )


STEPS = [
    [message("assistant", [{"type": "text", "text": "zero"}], timestamp=1000)],
    [message("user", "one", timestamp=2000), {"type": "session_info", "name": " A "}],
    ["not JSON\n", "42\n", "\n"],
    [message("user", [{"type": "text", "text": "two"}, {"type": "image"}, {"type": "text"}])],
    [message("toolResult", "no text of the list"), message("user", None)],
    [{"type": "session_info", "name": "  "}],
    [message("user", "\ud83d lone"), message("user", 5), {"type": "message"}],
    [message("user", "x" * 3_000_000, timestamp=3000)],
    ['{"type":"message","message":{"role":"user","con'],
    ['tent":"ended late"}}\n'],
]


@pytest.mark.parametrize("with_text", [True, False])
def test_reading_the_new_part_gives_the_same_as_reading_the_whole_file(
    tmp_path: Path, with_text: bool
):
    file = tmp_path / "s.jsonl"
    write(file, HEADER)
    known = summarise(str(file), with_text=with_text)
    for step in STEPS:
        write(file, *step)
        known = resume(known)
        assert facts(known) == facts(summarise(str(file), with_text=with_text))
    assert known.message_count == 10
    assert known.first_message == "one"
    assert resume(known) is known


def test_a_rewritten_file_is_read_again(tmp_path: Path):
    file = tmp_path / "s.jsonl"
    write(file, HEADER, message("user", "one"))
    known = summarise(str(file))
    write(file, HEADER, message("user", "other"), message("user", "more"), mode="w")
    assert facts(resume(known)) == facts(summarise(str(file)))
    write(file, {**HEADER, "id": "y"}, mode="w")
    assert resume(known).header.id == "y"
    write(file, "nothing\n", mode="w")
    assert resume(known) is None


# Rules of pi's session selector.
@pytest.mark.parametrize(
    ("entries", "modified"),
    [
        ([message("user", "a", timestamp=5), message("assistant", [], timestamp=9)], 9),
        ([{**message("user", "a"), "timestamp": "1970-01-01T00:00:00.007Z"}], 7),
        ([message("toolResult", "a", timestamp=5)], 1767225600000),
        # As pi 1.6.0: a message without the member does not count, one that has it empty does.
        ([{"type": "message", "message": {"role": "user", "timestamp": 5000}}], 1767225600000),
        ([message("user", None, timestamp=5000)], 5000),
        ([message("user", "a", timestamp="5")], 1767225600000),
        ([], 1767225600000),
    ],
)
def test_modified_is_the_latest_user_or_assistant_message(tmp_path: Path, entries, modified):
    file = tmp_path / "s.jsonl"
    write(file, HEADER, *entries)
    assert summarise(str(file)).modified == modified


def test_without_any_time_the_modification_time_counts(tmp_path: Path):
    file = tmp_path / "s.jsonl"
    write(file, {**HEADER, "timestamp": "soon"})
    assert summarise(str(file)).modified == file.stat().st_mtime_ns / 1e6


@pytest.mark.parametrize(
    ("content", "is_session"),
    [
        ("", False),
        ("\n\n", False),
        ("[]\n", False),
        ("{}\n", False),
        ('{"type":"message","id":"a"}\n', False),
        ('{"type":"session","id":5}\n', False),
        ("null\nbroken\n\n" + json.dumps(HEADER) + "\n", True),
        (json.dumps(HEADER), True),
        ("\ufeff" + json.dumps(HEADER) + "\n", True),
    ],
)
def test_only_sessions_are_summed_up(tmp_path: Path, content: str, is_session: bool):
    file = tmp_path / "s.jsonl"
    file.write_text(content)
    assert (summarise(str(file)) is not None) == is_session


def edit_in_place(file: Path, old: bytes, new: bytes) -> None:
    at = file.read_bytes().index(old)
    with file.open("r+b") as out:
        out.seek(at)
        out.write(new)


@pytest.mark.parametrize("follows", [0, 5000, 2_000_000])
def test_an_edit_in_place_is_not_taken_for_growth(tmp_path: Path, follows: int):
    file = tmp_path / "s.jsonl"
    write(file, HEADER, message("user", "SECRET"), message("user", "x" * follows))
    known = summarise(str(file), with_text=True)
    edit_in_place(file, b"SECRET", b"XXXXXX")
    write(file, message("user", "more"))
    assert known is not None
    assert facts(resume(known)) == facts(summarise(str(file), with_text=True))
