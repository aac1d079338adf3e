"""Generate a home with sessions of Claude Code, Codex and pi, of the shapes that they write.

    python dev/bench/mixed.py HOME MB      # half of it Claude Code's, a quarter each of the others

Always the same bytes. Turns have a prompt and some answers with a thought, a text and a call, whose
result is written once for the model and, by Claude Code, once more for its own use.
"""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import attrs
import generate
import orjson

SIZES = (20_000, 80_000, 250_000, 700_000)
"""Bytes of a session, one after another."""


@attrs.frozen
class Step:
    """An answer of a model, with the result of its call."""

    thought: str
    said: str
    output: str
    tokens: dict[str, int]


def write(home: Path, size: int) -> None:
    """Write about `size` bytes of sessions."""
    shares = {claude: 0.5, codex: 0.25, pi: 0.25}
    for number, (agent, share) in enumerate(shares.items()):
        left = size * share
        for seed, length in enumerate(itertools.cycle(SIZES), 1000 * number):
            if left <= 0:
                break
            left -= agent(home, Random(seed), seed, length)


def turns(random: Random, size: int) -> Iterator[tuple[str, list[Step]]]:
    """Yield prompts and what followed, in all of about `size` bytes."""
    pool = generate.paragraphs(random)
    while size > 0:
        steps = []
        for _ in range(random.randrange(1, 6)):
            output = generate.text_of(random, pool, random.choice((300, 1200, 3000, 8000)))
            tokens = {"input": random.randrange(300), "output": random.randrange(2000)}
            tokens |= {"read": random.randrange(90_000), "write": random.randrange(4000)}
            steps.append(Step(random.choice(pool)[:300], random.choice(pool)[:600], output, tokens))
            size -= len(output) + 2000
        yield random.choice(pool)[:300], steps


def claude(home: Path, random: Random, seed: int, size: int) -> int:
    """Write a session of Claude Code, version 2.1; returns its bytes."""
    session = f"{seed:08x}-0000-4000-8000-000000000000"
    lines: list[Any] = [{"type": "mode", "mode": "normal", "sessionId": session}]
    count = itertools.count()

    def add(kind: str, **members: Any) -> None:
        number = next(count)
        uuid, above = (f"{each:08x}-0000-4000-8000-{seed:012x}" for each in (number, number - 1))
        about = {"parentUuid": above if number else None, "isSidechain": False, "type": kind}
        own = {"uuid": uuid, "timestamp": generate.stamp(seed + number), "sessionId": session}
        lines.append(about | own | {"cwd": generate.CWD, "version": "2.1.330"} | members)

    add("attachment", attachment={"type": "prompt", "text": generate.TALK * 100})
    for prompt, steps in turns(random, size // 2):
        add("user", message={"role": "user", "content": prompt})
        for step in steps:
            call = f"toolu_{random.getrandbits(64):016x}"
            known = {"id": f"msg_{call}", "type": "message", "role": "assistant"}
            known |= {"model": "claude-opus-4-5", "stop_reason": "tool_use"}
            known["usage"] = {
                "input_tokens": step.tokens["input"],
                "output_tokens": step.tokens["output"],
                "cache_read_input_tokens": step.tokens["read"],
                "cache_creation_input_tokens": step.tokens["write"],
            }
            for block in (
                {"type": "thinking", "thinking": step.thought, "signature": "A" * 200},
                {"type": "text", "text": step.said},
                {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": "make"}},
            ):
                add("assistant", message={**known, "content": [block]})
            result = {"tool_use_id": call, "type": "tool_result", "content": step.output}
            message = {"role": "user", "content": [result]}
            add("user", message=message, toolUseResult={"stdout": step.output, "stderr": ""})
    return put(home / f".claude/projects/-home-someone-project/{session}.jsonl", lines)


def codex(home: Path, random: Random, seed: int, size: int) -> int:
    """Write a rollout of Codex, version 0.169; returns its bytes."""
    thread = f"019b7e00-{seed:04x}-7000-8000-000000000000"
    lines: list[Any] = []

    def add(kind: str, payload: dict[str, Any]) -> None:
        at = {"timestamp": generate.stamp(seed + len(lines)), "ordinal": len(lines)}
        lines.append({**at, "type": kind, "payload": payload})

    def message(role: str, kind: str, text: str) -> None:
        content = [{"type": kind, "text": text}]
        add("response_item", {"type": "message", "role": role, "content": content})

    add(
        "session_meta",
        {"id": thread, "timestamp": generate.stamp(seed), "cwd": generate.CWD}
        | {"model_provider": "openai", "base_instructions": {"text": generate.TALK * 60}},
    )
    for prompt, steps in turns(random, size):
        add("event_msg", {"type": "task_started", "turn_id": f"{len(lines)}"})
        add("turn_context", {"turn_id": f"{len(lines)}", "model": "gpt-5.1-codex"})
        message("user", "input_text", prompt)
        for step in steps:
            thought = {"type": "summary_text", "text": step.thought}
            add("response_item", {"type": "reasoning", "summary": [thought]})
            message("assistant", "output_text", step.said)
            add("event_msg", {"type": "agent_message", "message": step.said})
            call = f"call_{random.getrandbits(64):016x}"
            given = {"name": "exec_command", "arguments": '{"cmd":"make"}', "call_id": call}
            add("response_item", {"type": "function_call", **given})
            used = {"input_tokens": sum(step.tokens.values()), "total_tokens": 1}
            used |= {"cached_input_tokens": step.tokens["read"]}
            used |= {"output_tokens": step.tokens["output"]}
            add("token_usage_record", {"response_id": f"resp_{call}", "usage": used})
            info = {"total_token_usage": used, "last_token_usage": used}
            add("event_msg", {"type": "token_count", "info": info})
            output = {"call_id": call, "output": step.output}
            add("response_item", {"type": "function_call_output", **output})
    name = f"rollout-2026-01-01T00-00-00-{thread}.jsonl"
    return put(home / ".codex/sessions/2026/01/01" / name, lines)


def pi(home: Path, random: Random, seed: int, size: int) -> int:  # noqa: ARG001 - by the seed
    """Write a session of pi; returns its bytes."""
    file = home / f".pi/agent/sessions/--home-someone-project--/{seed}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    entries = max(3, size // 2500)
    return file.write_bytes(b"".join(generate.session_lines(seed, entries, size, generate.CWD)))


def put(file: Path, lines: list[Any]) -> int:
    file.parent.mkdir(parents=True, exist_ok=True)
    written = file.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    # Long ago, so that what is read of it is kept.
    os.utime(file, (generate.START.timestamp(), generate.START.timestamp()))
    return written


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(float(sys.argv[2]) * 1e6))
