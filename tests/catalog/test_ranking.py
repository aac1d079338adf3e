"""Which message of a session is shown, and which session comes first."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from support.app import client_of, engine
from support.commands import run
from support.mcp import mcp
from support.session_lines import header, line

OLD = (1_700_000_000, 1_700_000_000)


def write(folder: Path, name: str, *texts: str, day: int = 1) -> Path:
    """A session of messages e0, e1, ..., of a day in January 2026."""
    path = folder / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    time = f"2026-01-{day:02}T00:00:00.000Z"
    lines = [
        line(f"e{at}", f"e{at - 1}" if at else None, text, timestamp=time)
        for at, text in enumerate(texts)
    ]
    path.write_text(header(name, time=time) + "".join(lines))
    os.utime(path, OLD)
    return path


Search = Callable[..., Any]


@asynccontextmanager
async def searching(home: Path, folder: Path, *, indexed: bool) -> AsyncIterator[Search]:
    options = {} if indexed else {"catalog_cache": False}
    env = {"HOME": str(home)}
    async with engine(home, **options) as made, client_of(made, env) as client:

        async def search(query: str, **more: Any) -> Any:
            params = {"query": query, "sessionDir": str(folder), **more}
            if indexed:
                await client.request("catalog/search", params)
                await made.catalogue.settle(60)
            return await client.request("catalog/search", params)

        yield search


both = pytest.mark.parametrize("indexed", [False, True])


@both
async def test_the_message_with_all_words_is_shown(tmp_path: Path, indexed: bool):
    texts = [f"alpha {number}" for number in range(3_000)]
    texts[2_500] = "alpha 2500 beta"
    write(tmp_path / "s", "one", *texts)
    async with searching(tmp_path, tmp_path / "s", indexed=indexed) as search:
        (hit,) = (await search("alpha beta"))["hits"]
        assert "e2500" in [each["entryId"] for each in hit["snippets"]]
        if indexed:
            assert hit["hasMoreMatches"]
            assert hit["matchCount"] < 3_000
        else:
            assert "hasMoreMatches" not in hit
            assert hit["matchCount"] == 3_000


@both
async def test_rare_words_weigh_more(tmp_path: Path, indexed: bool):
    # No message has all three; two have two words, of which one pair is rare.
    texts = ["common"] * 30 + ["common frequent"] * 30 + ["rare frequent", "frequent"]
    write(tmp_path / "s", "one", *texts)
    async with searching(tmp_path, tmp_path / "s", indexed=indexed) as search:
        (hit,) = (await search("common frequent rare"))["hits"]
        assert "e60" in [each["entryId"] for each in hit["snippets"]]
        assert "hasMoreMatches" not in hit or indexed


@both
async def test_sessions_with_all_words_in_one_message_come_first(tmp_path: Path, indexed: bool):
    folder = tmp_path / "s"
    write(folder, "apart-new", "alpha here", "beta there", day=9)
    write(folder, "together-old", "x", "alpha and beta", day=1)
    write(folder, "together-new", "beta, then alpha", day=2)
    write(folder, "neither", "alpha alone", day=8)
    async with searching(tmp_path, folder, indexed=indexed) as search:
        hits = (await search("alpha beta"))["hits"]
        ids = [hit["info"]["id"] for hit in hits]
        assert ids == ["together-new", "together-old", "apart-new"]
        # On pages, too.
        pages, cursor = [], None
        for _ in ids:
            page = await search("alpha beta", limit=1, cursor=cursor)
            pages += [hit["info"]["id"] for hit in page["hits"]]
            cursor = page.get("nextCursor")
        assert pages == ids
        assert cursor is None


@both
@pytest.mark.parametrize("words", ["q z", "an ox", "alpha qq", "ÄRGER straße", "x" * 100 + " yy"])
async def test_short_and_long_words_count_together(tmp_path: Path, indexed: bool, words: str):
    folder = tmp_path / "s"
    write(folder, "apart", *words.split(), day=9)
    write(folder, "together", f"({words})", day=1)
    async with searching(tmp_path, folder, indexed=indexed) as search:
        hits = (await search(words))["hits"]
        assert [hit["info"]["id"] for hit in hits] == ["together", "apart"]


def test_the_command_and_agents_see_it(tmp_path: Path):
    folder = tmp_path / ".pi/agent/sessions/--w--"
    texts = [f"alpha {number}" for number in range(100)]
    write(folder, "one", *texts[:90], "alpha 2500 beta", *texts[90:])
    printed = run(tmp_path, "search", "alpha beta").stdout
    assert "alpha 2500 beta" in printed


async def test_agents_are_led_to_the_message_with_all_words(tmp_path: Path):
    folder = tmp_path / ".pi/agent/sessions/--w--"
    write(folder, "one", *[f"handler {number}" for number in range(1, 500)])
    async with mcp(tmp_path, everywhere=True) as client:
        assert "handler 412" in await client.text("search_sessions", query="handler 412")
