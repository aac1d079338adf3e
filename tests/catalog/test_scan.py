"""A search that reads files finds what a search in the index finds, whatever spells the words."""

from __future__ import annotations

import json
import random
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support import claude_lines, codex_lines
from support.opencode_database import Opencode
from support.sessions_on_disk import settle, write_session

from sessiond.catalog.index.database import SearchCache
from sessiond.catalog.index.texts import fill
from sessiond.catalog.search.find import search
from sessiond.catalog.search.query import parse
from sessiond.catalog.search.screen import absent_words
from sessiond.catalog.summaries import Summary, summarise
from sessiond.runtime.isolation import Faults

PIECES = [
    *"kiab.=", "ki", "abb", "needle", " ", " ", "\n", "K", "\u212a", "I", "\u0130", "\u00e9", "e\u0301", "\u2019", "'", "\u202f",
    "\x1b[31m", "\x1b[", "\x9b1m", "\x1b]0;t\x07", "\x85", "<b>", "</b>", "\\", '"', "/", "\u00a7", "\U0001f600", "\ud83d",
]  # fmt: skip
"""What may stand in a text, and spell a word otherwise or break it."""


def respelled(value: Any, chosen: random.Random) -> str:
    """Return a value as JSON in which any character of a string may be escaped."""
    if isinstance(value, dict):
        pairs = (f"{json.dumps(key)}:{respelled(part, chosen)}" for key, part in value.items())
        return f"{{{','.join(pairs)}}}"
    if isinstance(value, list):
        return f"[{','.join(respelled(part, chosen) for part in value)}]"
    if not isinstance(value, str):
        return json.dumps(value)
    if len(value) > 60 or chosen.random() < 0.5:
        return json.dumps(value, ensure_ascii=chosen.random() < 0.5).replace("\ud83d", "\\ud83d")
    units = value.encode("utf-16-be", "surrogatepass")
    codes = [units[at : at + 2].hex() for at in range(0, len(units), 2)]
    return '"' + "".join(f"\\u{chosen.choice([code, code.upper()])}" for code in codes) + '"'


def respell(file: Path, text: str, chosen: random.Random) -> str:
    lines = [respelled(json.loads(line), chosen) for line in text.strip("\n").split("\n")]
    file.write_text("".join(line + "\n" for line in lines))
    return str(file)


def sessions_of_all_agents(home: Path, chosen: random.Random) -> list[Summary]:
    """Write two sessions of each agent with texts made of `PIECES`."""

    def text() -> str:
        return "x" + "".join(chosen.choices(PIECES, k=chosen.randrange(1, 12)))

    paths = []
    for number in range(2):
        file = home / f"{number}.jsonl"
        write_session(file, text(), text())
        lines = file.read_text(errors="surrogatepass")
        paths.append(respell(file, lines, chosen))
        content = claude_lines.user(1, None, text()) + claude_lines.answer(
            2, 1, "m", claude_lines.text(text())
        )
        session = f"{number}{claude_lines.SESSION[1:]}"
        paths.append(respell(claude_lines.lay(home, session=session), content, chosen))
        rollout = codex_lines.Rollout().meta().prompt(text()).said(text())
        thread = f"{number}{codex_lines.THREAD[1:]}"
        paths.append(respell(codex_lines.lay(home, "", thread), rollout.text, chosen))
    database = Opencode(home)
    for name in ("ses_a", "ses_b"):
        database.session(name)
        database.part(database.message("user", name), "text", name, text=text())
        database.answer(text(), name)
        paths.append(database.session_path(name))
    database.close()
    settle([Path(path) for path in paths if Path(path).exists()])
    summaries = [summarise(path) for path in paths]
    return [summary for summary in summaries if summary is not None]


def alive() -> None:
    pass


def hits(
    sessions: list[Summary], query: str, cache: SearchCache | None
) -> list[tuple[float, bool, str]]:
    outcome = search(sessions, parse(query, "text"), cache, alive)
    return [(hit.distance, hit.is_apart, hit.summary.path) for hit in outcome.hits]


@pytest.mark.parametrize("seed", range(20))
def test_a_scan_finds_what_the_index_finds(tmp_path: Path, seed: int):
    chosen = random.Random(seed)
    sessions = sessions_of_all_agents(tmp_path, chosen)
    assert len(sessions) == 8
    with closing(SearchCache(str(tmp_path / "cache" / "catalog.sqlite3"))) as cache:
        fill(cache, [each.path for each in sessions], alive, Faults())
        count = 0
        for _ in range(25):
            words = ["".join(chosen.choices("kiab.='e", k=chosen.randrange(1, 4)))]
            words += chosen.choices(["x", "needle", "i", "a\u0301", "K"], k=chosen.randrange(2))
            query = " ".join(words)
            expected = hits(sessions, query, cache)
            assert hits(sessions, query, None) == expected, query
            count += len(expected)
        assert count


def test_files_without_a_word_are_not_read_further(tmp_path: Path):
    """What screens are for: they say no when nothing spells the word in another way."""
    spoken = "Bonjour \x1b[1mtout le monde\x1b[0m \u00ab\u00a0K\u00bb \\n"
    plain = tmp_path / "plain.jsonl"
    write_session(plain, spoken)
    claude = claude_lines.lay(tmp_path, claude_lines.user(1, None, spoken))
    codex = codex_lines.lay(tmp_path, codex_lines.Rollout().meta().prompt(spoken).text)
    for file in (plain, claude, codex):
        assert absent_words(str(file), ["needle", "monde", "bon"], alive) == {"needle"}
        # Its beginning stands in front of a sequence, so that is not certain.
        assert absent_words(str(file), ["mondeo"], alive) == set()
