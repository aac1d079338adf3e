"""Costs that no agent recorded, compared with genai-prices itself, one request at a time."""

from __future__ import annotations

import json
import random
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from genai_prices import Usage, calc_price
from support import claude_lines
from support.app import daemon
from support.client import RpcError

from sessiond.catalog.usage.count import QUARTER_MS
from sessiond.catalog.usage.prices import Model, Prices, Tokens

Value = dict[str, Any]

MODELS = [
    ("anthropic", "claude-sonnet-4-5-20250929"),  # more for prompts above 200,000 tokens
    ("anthropic", "claude-opus-4-1"),
    ("openai-codex", "gpt-5.1-codex"),  # pi's name of the provider
    ("openai", "o3"),  # cheaper since a day in 2025
    ("google-gemini-cli", "gemini-2.5-pro"),
    ("", "claude-haiku-4-5"),
]
UNPRICED = [("ollama", "gpt-oss:20b"), ("anthropic", "claude-of-another-world"), ("", "")]
AT = datetime(2026, 3, 4, 5, 0, tzinfo=UTC)


def quarter(at: datetime) -> int:
    return int(at.timestamp() * 1000) // QUARTER_MS


def reference(model: Model, at: datetime, used: Tokens) -> float:
    """The price of a request as the package calculates it."""
    provider, name = model
    hour = {"cache_write_1h_tokens": used.cache_write_hour} if used.cache_write_hour else {}
    usage = Usage(
        input_tokens=used.prompt,
        output_tokens=used.output,
        cache_read_tokens=used.cache_read,
        cache_write_tokens=used.cache_write,
        **hour,
    )
    at_once = calc_price(usage, name, provider_id=provider or None, genai_request_timestamp=at)
    return float(at_once.total_price)


@pytest.mark.parametrize("model", MODELS)
def test_a_request_costs_what_the_package_says(model: Model):
    prices, chance = Prices.load(), random.Random(model[1])
    for _ in range(200):
        at = datetime(2025, 1, 1, tzinfo=UTC) + timedelta(days=chance.randrange(600))
        most = 10 ** chance.randrange(1, 7)
        given, output, read, written = (chance.randrange(most) for _ in range(4))
        # The package knows caches of an hour for models of Anthropic only.
        hour = chance.randrange(written + 1) if "claude" in model[1] else 0
        used = Tokens(given, output, read, written, hour)
        dollars = prices.dollars(model, quarter(at), used)
        assert dollars is not None
        assert sum(dollars) == pytest.approx(reference(model, at, used), rel=1e-9)


@pytest.mark.parametrize("model", UNPRICED)
def test_a_model_that_the_package_does_not_know_has_no_price(model: Model):
    assert Prices.load().dollars(model, quarter(AT), Tokens(1, 1, 1, 1, 0)) is None


def pi_session(tmp_path: Path, name: str, entries: list[tuple[Model, Value]]) -> Path:
    """A session with one answer a minute."""
    lines: list[Value] = [
        {"type": "session", "version": 3, "id": name, "timestamp": stamp(0), "cwd": "/w"}
    ]
    for number, ((provider, model), used) in enumerate(entries, 1):
        message = {
            "role": "assistant",
            "content": [],
            "provider": provider,
            "model": model,
            "usage": used,
        }
        lines.append(
            {
                "type": "message",
                "id": f"{name}{number:07}",
                "parentId": None,
                "timestamp": stamp(number),
                "message": message,
            }
        )
    file = tmp_path / ".pi" / "agent" / "sessions" / "--w--" / f"{name}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def stamp(minutes: int) -> str:
    return (AT + timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def usage(given: int, output: int, **more: Any) -> Value:
    return {"input": given, "output": output, "cacheRead": 0, "cacheWrite": 0, **more}


async def test_only_what_is_not_recorded_is_calculated(tmp_path: Path):
    sonnet, local = MODELS[0], UNPRICED[0]
    entries = [
        (sonnet, usage(1000, 10, cost={"total": 7.0})),
        (sonnet, usage(2000, 20)),
        (sonnet, usage(0, 0, cacheWrite=300, cacheWrite1h=300)),
        (local, usage(5000, 50)),
    ]
    file = pi_session(tmp_path, "s1", entries)
    calculated = reference(sonnet, AT, Tokens(2000, 20, 0, 0, 0))
    calculated += reference(sonnet, AT, Tokens(0, 0, 0, 300, 300))
    async with daemon(tmp_path) as client:
        recorded = await client.request("catalog/usage", {"by": "model"})
        assert (recorded["sums"]["cost"]["total"], recorded["sums"]["withoutCost"]) == (7.0, 3)
        assert "prices" not in recorded
        assert "calculated" not in recorded["sums"]
        filled = await client.request("catalog/usage", {"by": "model", "prices": True})
        sums = filled["sums"]
        assert sums["cost"]["total"] == pytest.approx(7.0 + calculated)
        assert (sums["withoutCost"], sums["calculated"]) == (1, 2)
        assert filled["prices"] == {"package": "genai-prices", "version": Prices.load().version}
        unknown = next(row for row in filled["rows"] if row["key"] == "/".join(local))
        assert "cost" not in unknown["sums"]
        # The statistics of the session, and lists, say the same.
        stats = await client.request("catalog/stats", {"path": str(file), "prices": True})
        assert stats["cost"]["total"] == pytest.approx(7.0 + calculated)
        assert (stats["withoutCost"], stats["calculated"]) == (1, 2)
        assert stats["prices"] == filled["prices"]
        listed = await client.request("session/listAll", {"includeUsage": True, "prices": True})
        session = listed["sessions"][0]["usage"]
        assert session["cost"] == pytest.approx(7.0 + calculated)
        assert (session["withoutCost"], session["calculated"]) == (1, 2)


async def test_statistics_and_reports_agree_on_answers_without_usage(tmp_path: Path):
    """As Codex writes them, whose requests record the tokens."""
    file = pi_session(tmp_path, "s1", [(MODELS[2], usage(2000, 20))])
    answer = {"role": "assistant", "content": [], "provider": "openai", "model": MODELS[2][1]}
    entry = {"type": "message", "id": "plain", "timestamp": stamp(9), "message": answer}
    with file.open("a") as more:
        more.write(json.dumps(entry) + "\n")
    async with daemon(tmp_path) as client:
        sums = (await client.request("catalog/usage", {"prices": True}))["sums"]
        stats = await client.request("catalog/stats", {"path": str(file), "prices": True})
        assert (sums["withoutCost"], sums["calculated"]) == (0, 1)
        assert (stats.get("withoutCost", 0), stats["calculated"]) == (0, 1)
        assert stats["cost"]["total"] == pytest.approx(sums["cost"]["total"])


async def test_copies_cost_once(tmp_path: Path):
    entries = [(MODELS[0], usage(2000, 20))]
    first = pi_session(tmp_path, "s1", entries)
    copy = first.with_name("s2.jsonl")
    copy.write_text(first.read_text().replace('"id": "s1"', '"id": "s2"'))
    expected = reference(MODELS[0], AT, Tokens(2000, 20, 0, 0, 0))
    async with daemon(tmp_path) as client:
        answer = await client.request("catalog/usage", {"prices": True})
        assert answer["sums"]["cost"]["total"] == pytest.approx(expected)
        assert answer["omittedCopies"] == 1


async def test_lists_are_in_the_order_of_calculated_costs(tmp_path: Path):
    pi_session(tmp_path, "dear", [(MODELS[1], usage(1000, 1000))])
    pi_session(tmp_path, "paid", [(MODELS[1], usage(1, 1, cost={"total": 0.01}))])
    pi_session(tmp_path, "free", [(UNPRICED[0], usage(9000, 9000))])
    async with daemon(tmp_path) as client:

        async def ids(**params: Any) -> list[str]:
            answer = await client.request("session/listAll", {"sort": "cost", **params})
            return [each["id"] for each in answer["sessions"]]

        assert (await ids())[0] == "paid"
        assert await ids(prices=True) == ["dear", "paid", "free"]
        # The pages of one order do not go on in another.
        first = await client.request(
            "session/listAll", {"sort": "cost", "prices": True, "limit": 1}
        )
        with pytest.raises(RpcError, match="cursor"):
            await client.request("session/listAll", {"sort": "cost", "cursor": first["nextCursor"]})


def claude_session(tmp_path: Path, lines: list[str]) -> None:
    folder = tmp_path / ".claude" / "projects" / claude_lines.DIRECTORY
    folder.mkdir(parents=True)
    (folder / f"{claude_lines.SESSION}.jsonl").write_text("".join(lines))


def cost_state(dollars: float) -> str:
    model = {
        "inputTokens": 100,
        "outputTokens": 20,
        "cacheReadInputTokens": 40,
        "cacheCreationInputTokens": 10,
        "costUSD": dollars,
    }
    return claude_lines.line(
        "cost-state",
        sessionId=claude_lines.SESSION,
        totalCostUSD=dollars,
        modelUsage={"claude-opus-5-5": model},
    )


async def test_answers_whose_run_recorded_its_cost_are_not_calculated_again(tmp_path: Path):
    first = [
        claude_lines.user(1, None, "hello"),
        claude_lines.answer(2, 1, "m1", claude_lines.text("one")),
    ]
    second = [claude_lines.answer(3, 2, "m2", claude_lines.text("two"))]
    claude_session(tmp_path, [*first, cost_state(0.5), *second])
    # Each answer of these lines has used the same.
    model = ("anthropic", "claude-opus-5-5")
    price = reference(model, AT, Tokens(100, 20, 40, 10, 0))
    async with daemon(tmp_path, profile="claude-code") as client:
        sums = (await client.request("catalog/usage", {"prices": True}))["sums"]
        assert sums["cost"]["total"] == pytest.approx(0.5 + price)
        assert (sums["withoutCost"], sums["calculated"]) == (0, 1)


async def test_a_cache_for_an_hour_costs_more(tmp_path: Path):
    answer = json.loads(claude_lines.answer(2, 1, "m1", claude_lines.text("one")))
    answer["message"]["usage"]["cache_creation"] = {
        "ephemeral_5m_input_tokens": 4,
        "ephemeral_1h_input_tokens": 6,
    }
    claude_session(tmp_path, [claude_lines.user(1, None, "hello"), json.dumps(answer) + "\n"])
    model = ("anthropic", "claude-opus-5-5")
    async with daemon(tmp_path, profile="claude-code") as client:
        sums = (await client.request("catalog/usage", {"prices": True}))["sums"]
        expected = reference(model, AT, Tokens(100, 20, 40, 10, 6))
        assert sums["cost"]["total"] == pytest.approx(expected)
        assert expected > reference(model, AT, Tokens(100, 20, 40, 10, 0))


async def test_without_the_package_the_request_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    pi_session(tmp_path, "s1", [(MODELS[0], usage(1, 1))])
    monkeypatch.setitem(sys.modules, "genai_prices.data_snapshot", None)
    async with daemon(tmp_path) as client:
        for method in ("catalog/usage", "session/listAll"):
            with pytest.raises(RpcError, match="genai-prices") as refused:
                await client.request(method, {"prices": True})
            assert refused.value.kind == "Unsupported"
        assert (await client.request("catalog/usage", {}))["sums"]["entries"] == 1


def naive_blocks(times: list[datetime]) -> dict[str, int]:
    """Entries by windows of five hours that begin with the hour of their first entry."""
    blocks: dict[str, int] = {}
    end, name = datetime.min.replace(tzinfo=UTC), ""
    for at in sorted(times):
        if at >= end:
            begin = at.replace(minute=0, second=0, microsecond=0)
            end, name = begin + timedelta(hours=5), f"{begin:%Y-%m-%d %H:%M}"
        blocks[name] = blocks.get(name, 0) + 1
    return blocks


async def test_blocks_are_those_of_the_naive_model(tmp_path: Path):
    chance = random.Random(5)
    minutes = sorted(chance.randrange(20_000) for _ in range(120))
    for number in range(3):
        file = pi_session(tmp_path, f"s{number}", [])
        with file.open("a") as more:
            for minute in minutes[number::3]:
                message = {"role": "assistant", "content": [], "usage": usage(1, 1)}
                entry = {"type": "message", "id": f"{number}-{minute}", "message": message}
                more.write(json.dumps({**entry, "timestamp": stamp(minute)}) + "\n")
    expected = naive_blocks([AT + timedelta(minutes=minute) for minute in set(minutes)])
    assert len(expected) > 20
    async with daemon(tmp_path) as client:
        answer = await client.request("catalog/usage", {"by": "block", "timezone": "UTC"})
        assert {row["key"]: row["sums"]["entries"] for row in answer["rows"]} == expected
        nested = await client.request(
            "catalog/usage", {"by": "session", "thenBy": "block", "timezone": "UTC"}
        )
        inner = [each["key"] for row in nested["rows"] for each in row["rows"]]
        assert set(inner) == set(expected)
