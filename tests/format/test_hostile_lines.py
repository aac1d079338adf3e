"""What is done for one hostile line does not grow with the lines before it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from support.claude_lines import answer, call, line, user, uuid
from support.codex_lines import Rollout

from format.builders import HEADER, entry, file_of, message, tree_of
from sessiond.agents.claude.lines import ClaudeTranslator
from sessiond.agents.codex.lines import CodexTranslator
from sessiond.agents.dialect import Dialect
from sessiond.agents.line_translation import Translator
from sessiond.format.context.build import build_context
from sessiond.format.for_pi import lines_for_pi
from sessiond.format.load import load
from sessiond.format.repair.plan import plan
from sessiond.format.tree.tree import Tree
from sessiond.gateway.keys import folded
from sessiond.gateway.message import after_trigger

SIZE = 500
Lines = list[dict[str, Any]]


def leaf_lines(count: int) -> Lines:
    """Each leaf line leads to the one before it."""
    lines = [message("u", None, "user")]
    for number in range(count):
        before = lines[-1]["id"]
        lines += [entry(f"l{number}", before, "leaf", targetId=before)]
        if number % 2:
            lines += [message(f"m{number}", before, "user")]
            lines[-1], lines[-2] = lines[-2], lines[-1]
    return lines


def only_leaf_lines(count: int) -> Lines:
    lines = [message("u", None, "user")]
    for number in range(count):
        lines += [entry(f"l{number}", "u", "leaf", targetId=lines[-1]["id"])]
    return lines


def ignored_leaf_lines(count: int) -> Lines:
    """Each leads to one that comes only later, and entries name the first of them."""
    lines = [message("u", None, "user")]
    lines += [entry(f"l{number}", f"l{number + 1}", "leaf", targetId="") for number in range(count)]
    return lines + [message(f"m{number}", "l0", "user") for number in range(count)]


def resets(count: int) -> Lines:
    """Each reset keeps nearly all that was before."""
    lines = [message("u", None, "user"), message("v", "u", "user")]
    for number in range(count):
        before = lines[-1]["id"]
        lines += [entry(f"r{number}", before, "reset", firstKeptEntryId="v", reason="new")]
    return lines


def compactions(count: int) -> Lines:
    """Each compaction keeps entries from one that is lost."""
    lines = [message("u", None, "user")]
    for number in range(count):
        before = lines[-1]["id"]
        kept = {"firstKeptEntryId": "gone", "summary": "s", "tokensBefore": 1}
        lines += [entry(f"c{number}", before, "compaction", **kept)]
    return lines


def lost_chain(count: int) -> bytes:
    """Fragments of entries, each under the one before it, and entries under the last of them."""
    parent = "u"
    parts = [HEADER, json.dumps(message("u", None, "user")).encode()]
    for number in range(count):
        whole = json.dumps(message(f"x{number}", parent, "user"))
        parts.append(whole[: whole.index('"message":')].encode())
        parent = f"x{number}"
    parts += [json.dumps(message(f"m{n}", parent, "user")).encode() for n in range(count)]
    return b"\n".join(parts) + b"\n"


def opened(lines: Lines) -> Callable[[], object]:
    data = file_of(*lines)

    def work() -> None:
        loaded = load(data)
        tree = Tree(loaded.entries)
        build_context(tree, tree.leaf_id)
        tree.forest()
        tree.problems()

    return work


def for_pi(lines: Lines) -> Callable[[], object]:
    tree = tree_of(lines)
    return lambda: list(lines_for_pi(tree))


def repaired(data: bytes) -> Callable[[], object]:
    return lambda: plan([data])


def damaged(lines: Lines) -> bytes:
    """The file, of which an entry called `gone` is only a fragment."""
    fragment = b'{"type":"message","id":"gone","parentId":null,"timestamp":"2025-01-01T00:00:0'
    first, *others = lines
    return file_of(first, fragment, *others)


def prompts_of_codex(size: int) -> Callable[[], object]:
    rollout = Rollout().meta()
    for number in range(size):
        rollout.prompt(f"{number}").event("thread_rolled_back", num_turns=size)
    return translated(CodexTranslator("x", lambda _thread, _end: (), lambda _: None), rollout.text)


def answers_of_claude(size: int) -> Callable[[], object]:
    lines = [user(1, None, "go")]
    for number in range(2, size):
        lines.append(answer(number, number - 1, "m", call(f"c{number}", "Bash", x=1)))
        lines.append(line("last-prompt", leafUuid=uuid(number // 2)))
    return translated(ClaudeTranslator("x"), "".join(lines))


def translated(made: Translator, text: str) -> Callable[[], object]:
    lines = text.encode().split(b"\n")
    return lambda: [list(copy.translate(one)) for copy in [made.copy()] for one in lines]


OPENCLAW = Dialect(keeps_case=True)
WORK: dict[str, Callable[[int], Callable[[], object]]] = {
    "leaf lines with entries": lambda size: opened(leaf_lines(size)),
    "leaf lines": lambda size: opened(only_leaf_lines(size)),
    "ignored leaf lines": lambda size: opened(ignored_leaf_lines(size)),
    "resets": lambda size: opened(resets(size)),
    "resets for pi": lambda size: for_pi(resets(size)),
    "compactions": lambda size: opened(compactions(size)),
    "repaired compactions": lambda size: repaired(damaged(compactions(size))),
    "repaired fragments": lambda size: repaired(lost_chain(size)),
    "prompts of Codex": prompts_of_codex,
    "answers of Claude Code": answers_of_claude,
    "a trigger": lambda size: lambda: after_trigger("İ" * size + " x", ["i̇" * size], in_group=True),
    "a key": lambda size: lambda: folded(":signal:group:x" * size, OPENCLAW),
}


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time of a call, the least of a few."""
    times = []
    for _ in range(2):
        begin = time.thread_time()
        work()
        times.append(time.thread_time() - begin)
    return min(times)


@pytest.mark.parametrize("name", WORK)
def test_four_times_the_lines_take_less_than_nine_times_as_long(name: str):
    short, long = seconds(WORK[name](SIZE)), seconds(WORK[name](4 * SIZE))
    assert long < 0.02 or long < 9 * short
