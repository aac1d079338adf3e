"""No request on a large store of a gateway delays a small request."""

import itertools
import json
from pathlib import Path
from typing import Any

import orjson
from support.effort import effort
from support.lag import late_in_every_run
from support.measured import measured

ENTRIES = effort(6_000, 12_000)
NOW = 1_780_000_000_000


def lay(home: Path) -> Path:
    """A store of 23 or 50 MB, as gateways write it."""
    prompt = '<skill>Use this when asked about the weather, in "quotes".</skill>\n' * 50
    store: dict[str, Any] = {}
    for number in range(ENTRIES):
        route = {"channel": "telegram", "to": f"telegram:{number}"}
        store[key(number)] = {
            "sessionId": f"s{number}",
            "updatedAt": NOW + number,
            "deliveryContext": route,
            "origin": {"label": f"person {number}", "provider": "telegram"},
            "skillsSnapshot": {"prompt": prompt, "skills": [{"name": "weather"}]},
            "totalTokens": number,
        }
    path = home / "agents" / "main" / "sessions" / "sessions.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(orjson.dumps(store, option=orjson.OPT_INDENT_2))
    assert path.stat().st_size > 20_000_000
    return path


def key(number: int) -> str:
    return f"agent:main:telegram:direct:{number}"


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("gateway/get", {"sessionKey": key(5)}),
    ("gateway/list", {}),
    ("gateway/list", {"search": "person 77", "limit": 5}),
    ("gateway/list", {"includeDerivedTitles": True, "includeLastMessage": True, "limit": 5}),
    ("gateway/patch", {"key": key(5), "label": "one"}),
    ("gateway/get", {"sessionKey": key(5)}),
    ("gateway/begin", {"context": {"SessionKey": key(6), "Body": "hello"}}),
    ("gateway/subscribe", {}),
]
MAINTENANCE: list[tuple[str, dict[str, Any]]] = [
    ("gateway/get", {"sessionKey": key(7)}),
    ("gateway/maintain", {}),
    ("gateway/maintain", {"mode": "enforce", "dryRun": True}),
    ("gateway/maintain", {"mode": "enforce"}),
]


async def test_no_request_delays_a_small_one(tmp_path: Path):
    runs = itertools.count()

    async def measure() -> dict[str, float]:
        home = tmp_path / str(next(runs))
        home.mkdir()
        path = lay(home)
        lags = {}
        async with measured(home, profile="coderclaw", agent_dir=str(home)) as call:
            for method, params in CALLS:
                answer, lags[f"{method} {json.dumps(params)}"] = await call(method, **params)
                if params == {} and method in {"gateway/list", "gateway/subscribe"}:
                    assert len(answer["sessions"]) == ENTRIES
            # Another program changes a tenth of the store.
            path.write_bytes(path.read_bytes().replace(b'"totalTokens": 4', b'"totalTokens": 5'))
            for method, params in MAINTENANCE:
                answer, lags[f"{method} {json.dumps(params)}"] = await call(method, **params)
            assert len(answer["pruned"]) == ENTRIES - 2
        return lags

    assert await late_in_every_run(measure) == {}
