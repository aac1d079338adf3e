"""One client of a shared daemon sends the same odd message for ever, while another one works.

A round picks an odd message and whether its sender reads the answers. The 99th percentile of the
other client's times is at most ten times that beside a quiet client of the same round, the memory
grows by 64 MiB at most, every answer is right, and the daemon logs no traceback.
"""

from __future__ import annotations

import collections
import json
import random
import tempfile
from pathlib import Path

from support.fronts import Home
from support.session_lines import header, line
from support.storms import MEMORY, TIMES, connections, memory, slowest_of_a_hundred, storming

from torture.campaigns import Figures, Settings, Violation
from torture.watched import expect_no_traceback

_TRIES = 4
"""A busy machine may delay some rounds; work on the loop of the daemon delays each."""

_LINES = [
    *(
        "",
        " ",
        "\t",
        "{",
        "}",
        "[]",
        "[[]]",
        "[1]",
        "null",
        "1",
        '""',
        "\ufeff{}",
        "{}",
        '{"id":1}',
    ),
    *('{"id":{}}', '{"jsonrpc":"2.0"}', '{"jsonrpc":"1.0","id":1,"method":"daemon/status"}'),
    *('{"jsonrpc":"2.0","id":1,"method":"x"}', '{"jsonrpc":"2.0","method":"x"}'),
    *('{"jsonrpc":"2.0","id":1,"result":1}', '{"jsonrpc":"2.0","id":null,"method":"x"}'),
    '{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}',
    '{"jsonrpc":"2.0","method":"$/cancelRequest","params":[]}',
    '{"jsonrpc":"2.0","id":1,"method":"session/open","params":{"path":1}}',
    '{"jsonrpc":"2.0","id":"\\ud83d","method":"\\ud83d"}',
]


def _odd(chance: random.Random) -> str:
    text = chance.choice(_LINES)
    kind = chance.randrange(4)
    if kind == 0 and text:
        at = chance.randrange(len(text))
        return text[:at] + chance.choice('{}[]",:\\ 0x') + text[at + 1 :]
    if kind == 1:
        return "[" + ",".join([text or "1"] * chance.choice([2, 30])) + "]"
    if kind == 2:
        return " " * chance.choice([1, 100, 20_000]) + text
    return text


async def run(settings: Settings) -> Figures:
    figures: collections.Counter[str] = collections.Counter()
    chance = settings.random("storms")
    # Sockets have short names.
    with tempfile.TemporaryDirectory(prefix="sd") as directory:
        home = Home(Path(directory))
        sessions = home.path / "sessions"
        sessions.mkdir()
        (sessions / "s.jsonl").write_text(header() + line("a"))
        async with home.front("--idle-exit", "1") as other:
            for _ in range(settings.rounds):
                odd, reader = _odd(chance), chance.choice(["cat", "cat", "sleep 600"])
                before = await memory(other)
                for left in reversed(range(_TRIES)):
                    quiet = await slowest_of_a_hundred(other, sessions)
                    with storming(home, odd, reader):
                        await connections(other, 2)
                        busy = await slowest_of_a_hundred(other, sessions)
                        grown = await memory(other) - before
                    await connections(other, 1)
                    figures["requests"] += 200
                    if busy <= TIMES * quiet:
                        break
                    if not left:
                        raise Violation(
                            f"{busy * 1000:.0f} ms instead of {quiet * 1000:.0f} beside"
                            f" {json.dumps(odd[:200])}, {reader}"
                        )
                if grown > MEMORY:
                    raise Violation(f"{grown} bytes more beside {json.dumps(odd[:200])}, {reader}")
                figures["storms"] += 1
        for log in home.sockets.glob("*.log"):
            expect_no_traceback(log)
    return dict(figures)
