"""Searches that ask for more than any may have: refused or ended, and nothing else waits for them."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from support.app import client_of, daemon, engine
from support.client import Client, RpcError
from support.sessions_on_disk import write_session

from sessiond.catalog.search.expression import Expression
from sessiond.runtime.isolation import OutOfTime

ENDLESS = "(a|aa)+$"
"""Tries every way to divide a run of `a` that does not end the text."""

pytestmark = pytest.mark.usefixtures("store")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    folder = tmp_path / ".pi" / "agent" / "sessions" / "--w--"
    write_session(folder / "a.jsonl", "a" * 40 + "!", cwd="/w")
    return folder


async def refusal(client: Client, params: dict[str, Any]) -> RpcError:
    with pytest.raises(RpcError) as refused:
        await client.request("catalog/search", params)
    return refused.value


@pytest.mark.parametrize(
    "pattern",
    [
        "a{1000000000}",
        "a{99999999999999999999}",
        "a{,100000}",
        "(?:(?:(?:a{1000}){1000}){1000}){1000}b",
        "(?<=(?:(?:a{10000}){10000}){100})b",
        "(?R)",
        "(?<=a)a",
        "(a)\\1",
        "a" * 1001,
        r"\L<names>",
        "(?P<a>x)(?P<a>y)(?&b)",
        "[",
        "(?i",
        "",
    ],
)
@pytest.mark.parametrize("mode", ["regex", "fuzzy"])
async def test_an_expression_that_is_too_much_is_refused(tmp_path: Path, pattern: str, mode: str):
    query = pattern if mode == "regex" else f"re:{pattern}"
    async with daemon(tmp_path) as client:
        refused = await refusal(client, {"query": query, "mode": mode})
        assert (refused.code, refused.kind) == (1014, "InvalidQuery")
        assert (await client.request("session/listAll"))["total"] == 1


@pytest.mark.parametrize("mode", ["text", "fuzzy", "regex"])
@pytest.mark.parametrize(
    "query", ["x" * 1_000_000, '"' + "x " * 500_000 + '"', "re:" + "x" * 10_000, "é" * 4097]
)
async def test_a_long_query_is_refused_by_its_name(tmp_path: Path, mode: str, query: str):
    async with daemon(tmp_path) as client:
        refused = await refusal(client, {"query": query, "mode": mode})
        assert refused.code == -32602
        assert refused.data["pointer"] == "/query"


async def test_a_query_may_have_128_words(tmp_path: Path, store: Path):
    write_session(store / "b.jsonl", "x" + " y" * 200)
    async with daemon(tmp_path) as client:
        refused = await refusal(client, {"query": "x y " * 65})
        assert refused.kind == "InvalidQuery"
        assert "128" in refused.message
        found = await client.request("catalog/search", {"query": "x y " * 64})
        assert found["total"] == 1


@pytest.mark.parametrize(
    "pattern",
    [ENDLESS[:-1], "(?:" * 200 + "a" + ")" * 200, "(?:a{30}){30}|!", "a{40}!", "[a-z]{40}"],
)
async def test_an_expression_within_the_limits_is_answered(tmp_path: Path, pattern: str):
    async with daemon(tmp_path) as client:
        found = await client.request("catalog/search", {"query": pattern, "mode": "regex"})
        assert found["total"] == 1


async def test_an_endless_expression_takes_linear_time(tmp_path: Path, store: Path):
    write_session(store / "b.jsonl", "a" * 5_000_000 + "!")
    async with daemon(tmp_path) as client:
        found = await client.request("catalog/search", {"query": ENDLESS, "mode": "regex"})
        assert found["total"] == 0


async def test_slow_searches_do_not_delay_lists_and_word_searches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    go_on = threading.Event()
    begun = threading.Semaphore(0)

    def slow(_self: Expression, _text: str) -> bool:
        begun.release()
        return not go_on.wait(60)

    monkeypatch.setattr(Expression, "matches", slow)
    async with daemon(tmp_path) as client:
        params = {"query": "b", "mode": "regex"}
        answers = [client.start("catalog/search", params, id_=f"s{n}") for n in range(40)]
        for _ in range(2):
            assert await asyncio.to_thread(begun.acquire, timeout=60)
        assert (await client.request("session/listAll"))["total"] == 1
        assert (await client.request("catalog/search", {"query": "aaa"}))["total"] == 1
        assert not any(answer.done() for answer in answers)
        for number in range(40):
            client.notify("$/cancelRequest", {"id": f"s{number}"})
        await asyncio.gather(*answers)
        go_on.set()


@pytest.mark.parametrize("query", [{"query": "b", "mode": "regex"}, {"query": "b"}])
async def test_what_there_was_no_time_to_search_is_named(
    tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch, query: dict[str, str]
):
    monkeypatch.setattr("sessiond.catalog.search.pages.SEARCH_SECONDS", 0.0)
    async with daemon(tmp_path) as client:
        answer = await client.request("catalog/search", query)
        assert answer["hits"] == []
        left_out = [(each["path"], each["kind"]) for each in answer["problems"]]
        assert left_out == [(str(store / "a.jsonl"), "timedOut")]


class FewCalls:
    """Stands for the time limit: the time is over after so many calls."""

    left: int
    calls: int

    def begin(self, seconds: float) -> None:
        """Begin nothing."""

    def __call__(self) -> None:
        FewCalls.calls += 1
        if FewCalls.calls > FewCalls.left:
            raise OutOfTime


@pytest.mark.parametrize("is_indexed", [False, True])
@pytest.mark.parametrize("query", [{"query": "word"}, {"query": "wo+rd", "mode": "regex"}])
async def test_a_session_is_a_hit_or_left_out_whenever_time_runs_out(
    tmp_path: Path,
    store: Path,
    monkeypatch: pytest.MonkeyPatch,
    query: dict[str, str],
    is_indexed: bool,
):
    (store / "a.jsonl").unlink()
    texts = {str(store / f"{number}.jsonl"): "word " * 10**number for number in range(1, 5)}
    for path, text in texts.items():
        write_session(Path(path), text, text)
    env = {"HOME": str(tmp_path)}
    async with engine(tmp_path, catalog_cache=is_indexed) as made, client_of(made, env) as client:
        await client.request("catalog/search", {"query": "word"})
        await made.catalogue.settle(60)
        monkeypatch.setattr("sessiond.catalog.search.pages.Asked", FewCalls)
        for FewCalls.left in range(1000):
            FewCalls.calls = 0
            answer = await client.request("catalog/search", query)
            hits = {hit["info"]["path"] for hit in answer["hits"]}
            left_out = {each["path"] for each in answer.get("problems", [])}
            assert hits | left_out == set(texts)
            without = {hit["info"]["path"] for hit in answer["hits"] if not hit["snippets"]}
            assert without <= left_out
            if FewCalls.calls <= FewCalls.left:
                break
            # Small sessions first, so that a large one hides no others.
            if not is_indexed:
                assert sorted(texts)[: len(hits)] == sorted(hits)
        assert hits == set(texts)


async def test_a_statement_of_the_index_ends_when_the_search_is_abandoned(tmp_path: Path):
    from sessiond.catalog.index.database import SearchCache

    kept = SearchCache(str(tmp_path / "kept" / "catalog.sqlite3"))
    endless = (
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
    )
    began = time.monotonic()

    def alive() -> None:
        if time.monotonic() > began + 0.1:
            raise TimeoutError

    with pytest.raises(TimeoutError), kept.connection(alive=alive) as connection:
        connection.execute(endless).fetchone()
    # The next search is independent of this one.
    with kept.connection() as connection:
        assert connection.execute("SELECT count(*) FROM indexed").fetchone() == (0,)
    kept.close()


def test_a_match_is_not_missed_between_two_steps():
    import re

    from sessiond.catalog.search import snippets

    step = snippets._STEP
    pattern = re.compile("needle|hay")
    for at in (0, step - 7, step - 6, step - 3, step - 1, step, 2 * step - 2):
        text = "." * at + "needle" + "." * step + "hay"
        spans = [match.span() for match in snippets._matches(pattern, text)]
        assert spans == [match.span() for match in pattern.finditer(text)]


def test_a_search_for_words_does_not_load_the_package_for_expressions():
    script = "import sys, sessiond.methods.catalog.search; print('re2' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    assert run.stdout == "False\n"
