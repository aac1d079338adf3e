"""Prose is plain English: the phrases that readers had to decode do not come back."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]

PHRASES = (
    "anybody",
    "as it stands",
    "in hand",
    "knows nobody",
    "lay hands on",
    "let go",
    "lets go",
    "of one's own",
    "somebody",
    "take over",
    "takes over",
    "taken over",
    "what is no",
    "what is none",
    "what there is",
    "whoever",
    "whomever",
)
"""Phrases with a standard term or a plain sentence in their place, such as "limit the running
requests" for "bound what is in hand"."""

_SUFFIXES = {
    *(".css", ".el", ".go", ".js", ".json", ".lua", ".md", ".mjs", ".py", ".rs", ".toml", ".ts"),
    *(".txt", ".yml"),
}
_NOT_OURS = ("protocol/vectors/", "tests/golden/", "tests/fixtures/", "tests/cli/snapshots/")
_GAP = r"[\s_-]+(?:[#/*;-]+[\s_]+)?"
"""Between two words: spaces, or the line break and the marks of a comment, or an underscore."""


def _tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    names = [name for name in listed.split("\0") if name and not name.startswith(_NOT_OURS)]
    return [ROOT / name for name in names if Path(name).suffix in _SUFFIXES]


def _pattern(phrases: tuple[str, ...]) -> re.Pattern[str]:
    joined = "|".join(_GAP.join(map(re.escape, phrase.split())) for phrase in phrases)
    return re.compile(rf"(?<![A-Za-z])(?:{joined})(?![A-Za-z])", re.IGNORECASE)


def test_no_file_contains_a_phrase_of_the_list():
    pattern = _pattern(PHRASES)
    uses = [
        f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]}"
        for path in _tracked()
        if path != Path(__file__)
        for text in [path.read_text(errors="replace")]
        for match in pattern.finditer(text)
    ]
    assert uses == []


def test_phrases_are_recognised_in_names_and_across_lines():
    pattern = _pattern(("what is no", "let go"))
    assert pattern.search("def test_what_is_no_such_file")
    assert pattern.search("# Handles that we let\n    # go of.")
    assert not pattern.search("what is not a session; outlet goes")
