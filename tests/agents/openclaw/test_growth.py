"""What is known of a transcript follows it while it grows and is rewritten."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from support.openclaw import (
    MAIN,
    OLDER,
    RECORDED,
    OpenClawDatabase,
    openclaw_database,
    said,
    served,
)

from sessiond.catalog.summaries import resume, summarise
from sessiond.catalog.usage.count import read_usage


def answer(number: int, choice: random.Random) -> dict[str, Any]:
    message = said(f"a{number}", None, "assistant", "x" * choice.choice([1, 900, 3000]))
    message["message"]["usage"] = {"input": number, "output": 1, "totalTokens": number + 1}
    message["message"]["model"] = choice.choice(["one", "two"])
    return message


class Changes:
    """Changes a transcript as OpenClaw does, and in ways in which it never does."""

    def __init__(self, database: OpenClawDatabase, session_id: str, seed: int) -> None:
        self.database, self.session_id = database, session_id
        self.choice = random.Random(seed)
        self.number = 0

    def any(self) -> None:
        kinds = (self.grow, self.grow, self.grow, self.rewrite, self.replace_last, self.shorten)
        self.choice.choice(kinds)()

    def grow(self) -> None:
        count = self.choice.choice([1, 1, 2, 7])
        self.number += count
        new = [answer(self.number + each, self.choice) for each in range(count)]
        self.database.append(*new, session_id=self.session_id)

    def rewrite(self) -> None:
        lines = [line.decode() for line in self.database.lines(self.session_id)]
        keep = self.choice.randrange(1, len(lines) + 1)
        again = [json.dumps(answer(self.number + each, self.choice)) for each in range(3)]
        self.database.rewrite(*lines[:keep], *again, session_id=self.session_id)

    def replace_last(self) -> None:
        """In the same transaction something follows, so that the change is before the end."""
        text = json.dumps(answer(self.number + 100, self.choice))
        with self.database.writer:
            self.database.writer.execute(
                "UPDATE transcript_events SET event_json = ?2 WHERE session_id = ?1 AND seq ="
                " (SELECT max(seq) FROM transcript_events WHERE session_id = ?1)",
                (self.session_id, text),
            )
            self.grow()

    def shorten(self) -> None:
        with self.database.writer:
            self.database.writer.execute(
                "DELETE FROM transcript_events WHERE session_id = ?1 AND seq > 0 AND seq ="
                " (SELECT max(seq) FROM transcript_events WHERE session_id = ?1)",
                (self.session_id,),
            )


@pytest.mark.parametrize("recorded", [RECORDED, OLDER], ids=["2026.9.6", "2026.8.1"])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_read_on_equals_a_fresh_reading(tmp_path: Path, recorded: Path, seed: int):
    with openclaw_database(tmp_path, recorded=recorded) as database:
        ids = database.writer.execute("SELECT session_id FROM session_windows LIMIT 1")
        session_id = ids.get
        changes, path = Changes(database, session_id, seed), database.transcript(session_id)
        listed, used = summarise(path), read_usage(path)
        for _ in range(25):
            changes.any()
            assert listed is not None
            listed, used = resume(listed), read_usage(path, used)
            assert listed == summarise(path)
            assert used == read_usage(path)
            assert used.state.size == sum(len(line) + 1 for line in database.lines(session_id))


async def test_lists_and_usage_of_a_daemon_follow(database: OpenClawDatabase, state: Path):
    changes = Changes(database, MAIN, 7)
    async with served(state) as client, served(state, catalog_cache=False) as fresh:
        for _ in range(5):
            changes.any()
            for method in ("session/listAll", "catalog/usage"):
                known = await client.request(method, {})
                assert known == await fresh.request(method, {})
