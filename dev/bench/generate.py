"""Generate the sessions for the measurements: always the same bytes, kept below .cache/bench.

python dev/bench/generate.py        # creates missing files and prints their sizes
"""

from __future__ import annotations

import json
import string
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

CACHE = Path(__file__).resolve().parents[2] / ".cache" / "bench"
BIG_ENTRIES = 60_000
BIG_BYTES = 150_000_000
PLAIN_ENTRIES = 30_000
PLAIN_BYTES = 65_000_000
MANY = 1_000
MANY_BYTES = 300_000_000
CWD = "/home/someone/project"
START = datetime(2026, 1, 1, tzinfo=UTC)

TALK = (
    "the function returns a list of entries when the test fails because of an empty path and "
    "naïve Größe Überprüfung déjà été façade 漢字 テスト 関数 проверка файла ключ 😀 🎉 "
    'import "os" \\n {"key": "value"} <tag attr=\'x\'> if (a && b) return; // done'
)
WORDS = TALK.split()


def paragraphs(random: Random) -> list[str]:
    """Return a pool of texts of 50 to 400 words, similar to those of models, users and tools."""
    return [" ".join(random.choices(WORDS, k=random.randrange(50, 400))) + "\n" for _ in range(400)]


def text_of(random: Random, pool: list[str], size: int) -> str:
    parts: list[str] = []
    while size > 0:
        parts.append(random.choice(pool))
        size -= len(parts[-1]) * 5 // 4
    text = "".join(parts)
    return text[: max(1, len(text) + size)]


def stamp(seconds: float) -> str:
    moment = START + timedelta(seconds=seconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03}Z"


def message(random: Random, role: str, text: str, seconds: float) -> dict[str, Any]:
    at = int((START.timestamp() + seconds) * 1000)
    block = {"type": "text", "text": text}
    if role == "user":
        return {"role": role, "content": [block], "timestamp": at}
    if role == "toolResult":
        called = {"toolCallId": f"toolu_{at}", "toolName": "read"}
        return {"role": role, **called, "content": [block], "isError": False, "timestamp": at}
    call: dict[str, Any] = {"type": "toolCall", "id": f"toolu_{at}", "name": "read"}
    call |= {"arguments": {"path": f"src/{random.randrange(500)}.ts", "limit": 200}}
    tokens = random.randrange(100, 90_000)
    usage: dict[str, Any] = {"input": tokens, "output": 512, "cacheRead": 0, "cacheWrite": 0}
    cost = {"input": 0.003, "output": 0.0075, "cacheRead": 0, "cacheWrite": 0, "total": 0.0105}
    return {
        "role": role,
        "content": [{"type": "thinking", "thinking": text[:300]}, block, call],
        "api": "anthropic-messages",
        "provider": "anthropic",
        "model": "claude-sonnet-4-5",
        "usage": {**usage, "totalTokens": tokens + 512, "cost": cost},
        "stopReason": "toolUse",
        "timestamp": at,
    }


def session_lines(seed: int, entries: int, size: int, cwd: str) -> Iterator[bytes]:
    """Yield a header and `entries` lines of about `size` bytes.

    They contain turns with tools, branches, labels, some model changes, custom entries and
    compactions.
    """
    random = Random(seed)
    pool = paragraphs(random)
    header = {"type": "session", "version": 3, "id": f"bench-{seed}", "timestamp": stamp(seed)}
    yield line({**header, "cwd": cwd})
    ids: list[str] = []
    parent: str | None = None
    left = size
    for i in range(entries):
        entry_id, seconds = f"{(i * 2_654_435_761 + seed) % 2**32:08x}", seed + i * 0.5
        base: dict[str, Any] = {"id": entry_id, "parentId": parent, "timestamp": stamp(seconds)}
        draw = random.random()
        if i % 4_000 == 3_999:
            made = {"type": "compaction", **base, "summary": text_of(random, pool, 3000)}
            made |= {"firstKeptEntryId": ids[-40], "tokensBefore": 150_000}
        elif draw < 0.01 and ids:
            made = {"type": "label", **base, "targetId": random.choice(ids[-50:]), "label": f"L{i}"}
        elif draw < 0.015:
            made = {"type": "model_change", **base, "provider": "openai", "modelId": "gpt-5"}
        elif draw < 0.02:
            made = {"type": "custom", "customType": "todo", "data": {"items": [i, "x"]}, **base}
        elif draw < 0.021:
            made = {"type": "session_info", **base, "name": f"Größe {i}"}
        else:
            role = "user" if draw < 0.12 else "assistant" if draw < 0.55 else "toolResult"
            share = {"user": 0.15, "assistant": 0.5, "toolResult": 1.7}[role]
            want = int(left / (entries - i) * share * random.choice([0.3, 0.6, 1, 2.1]))
            text = text_of(random, pool, max(10, want - 150))
            made = {"type": "message", **base, "message": message(random, role, text, seconds)}
        written = line(made)
        left -= len(written)
        ids.append(entry_id)
        parent = random.choice(ids[-200:]) if random.random() < 0.01 else entry_id
        yield written


def line(entry: dict[str, Any]) -> bytes:
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def big() -> Path:
    """Return the session of 150 MB with 60,000 entries."""
    path = CACHE / f"big-{BIG_ENTRIES}-{BIG_BYTES}.jsonl"
    if not path.exists():
        write(path, session_lines(1, BIG_ENTRIES, BIG_BYTES, CWD))
    return path


def plain() -> Path:
    """A session of 65 MB: 30,000 messages of plain text, the lines that pi reads fastest."""
    path = CACHE / f"plain-{PLAIN_ENTRIES}-{PLAIN_BYTES}.jsonl"
    if not path.exists():
        write(path, plain_lines(3, PLAIN_ENTRIES, PLAIN_BYTES, CWD))
    return path


def plain_lines(seed: int, entries: int, size: int, cwd: str) -> Iterator[bytes]:
    random = Random(seed)
    header = {"type": "session", "version": 3, "id": f"bench-{seed}", "timestamp": stamp(seed)}
    yield line({**header, "cwd": cwd})
    parent: str | None = None
    for i in range(entries):
        entry_id = f"{(i * 2_654_435_761 + seed) % 2**32:08x}"
        role = "assistant" if i % 2 else "user"
        text = "".join(random.choices(string.ascii_lowercase + " ", k=50)) * (size // entries // 50)
        block = {"role": role, "content": [{"type": "text", "text": text[:-240]}], "timestamp": i}
        base = {"id": entry_id, "parentId": parent, "timestamp": stamp(seed + i * 0.5)}
        yield line({"type": "message", **base, "message": block})
        parent = entry_id


def many() -> Path:
    """Return a directory of 1,000 sessions of a few KB to a few MB, 300 MB in total."""
    folder = CACHE / f"many-{MANY}-{MANY_BYTES}"
    if folder.exists():
        return folder
    unfinished = folder.with_suffix(".unfinished")
    unfinished.mkdir(parents=True, exist_ok=True)
    random = Random(2)
    shares = [random.lognormvariate(0, 1.2) for _ in range(MANY)]
    for number, share in enumerate(shares):
        size = int(MANY_BYTES * share / sum(shares))
        lines = session_lines(number + 10, max(3, size // 2_500), size, CWD)
        write(unfinished / f"2026-01-01T00-00-00-000Z_{number:04}.jsonl", lines)
    unfinished.rename(folder)
    return folder


def write(path: Path, lines: Iterator[bytes]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    with unfinished.open("wb", buffering=1 << 20) as file:
        file.writelines(lines)
    unfinished.rename(path)


if __name__ == "__main__":
    print(f"{big()}: {big().stat().st_size:,} bytes")
    sizes = [path.stat().st_size for path in many().iterdir()]
    print(f"{many()}: {len(sizes):,} files, {sum(sizes):,} bytes")
