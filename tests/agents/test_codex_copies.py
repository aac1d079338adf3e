"""Rollouts of Codex that begin with copies, its patches and commands, and what was typed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.app import daemon
from support.codex_lines import CWD, lay

from sessiond.agents.codex.calls import arguments_of
from sessiond.agents.codex.lines import CodexTranslator

PARENT = "01a21fe1-0000-7000-8000-00000000000a"
CHILD = "01a21fe1-0000-7000-8000-00000000000f"
Lines = list[dict[str, Any]]


def line(at: str, kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": f"2026-11-2{at}.000Z", "type": kind, "payload": payload}


def turn(at: str, prompt: str, tokens: int, total: int, *, started_at: int = 0) -> Lines:
    """A turn of one request, as 0.128 writes it."""
    started = {"started_at": started_at} if started_at else {}
    usage = {"input_tokens": tokens, "output_tokens": 1}
    return [
        line(at, "event_msg", type="task_started", turn_id=prompt, **started),
        line(at, "turn_context", turn_id=prompt, model="gpt-9", cwd=CWD),
        line(at, "response_item", type="message", role="user", content=typed(prompt)),
        line(at, "event_msg", type="user_message", message=prompt),
        line(
            at,
            "event_msg",
            type="token_count",
            info={"total_token_usage": {"input_tokens": total}, "last_token_usage": usage},
        ),
    ]


def typed(text: str) -> list[dict[str, str]]:
    return [{"type": "input_text", "text": text}]


def meta(at: str, thread: str, **more: Any) -> dict[str, Any]:
    time = f"2026-11-2{at}.000Z"
    return line(at, "session_meta", id=thread, timestamp=time, cwd=CWD, **more)


def copies(lines: Lines, at: str) -> Lines:
    return [each | {"timestamp": f"2026-11-2{at}.000Z"} for each in lines]


def as_text(lines: Lines) -> str:
    return "".join(json.dumps(each) + "\n" for each in lines)


SECOND = 1_795_168_800
"""The seconds since the epoch of 2026-11-20T10:00:00Z."""


def forked(*, dated: bool, spawned: bool = False) -> tuple[str, str]:
    """A thread of one turn, and a fork or an agent two days later with one of its own."""
    start = {"started_at": SECOND} if dated else {}
    own = {"started_at": SECOND + 172_805} if dated else {}
    parent = [meta("0T10:00:00", PARENT), *turn("0T10:00:01", "parent's", 100, 100, **start)]
    source = {"subagent": {"thread_spawn": {"parent_thread_id": PARENT, "depth": 1}}}
    origin = {"source": source} if spawned else {"forked_from_id": PARENT}
    child = [
        meta("2T10:00:00", CHILD, **origin),
        *copies(parent, "2T10:00:00"),
        *turn("2T10:00:05", "its own task", 30, 130, **own),
    ]
    return as_text(parent), as_text(child)


@pytest.mark.parametrize("dated", [True, False])
async def test_what_a_fork_copies_counts_once_and_on_its_day(tmp_path: Path, dated: bool):
    parent, child = forked(dated=dated)
    original = lay(tmp_path, parent, PARENT)
    lay(tmp_path, child, CHILD)
    async with daemon(tmp_path, profile="codex") as client:
        usage = await client.request("catalog/usage", {"by": "day", "timezone": "UTC"})
        days = {row["key"]: row["sums"]["tokens"]["input"] for row in usage["rows"]}
        assert days == {"2026-11-20": 100, "2026-11-22": 30}
        sessions = (await client.request("session/listAll", {}))["sessions"]
        parents = {each["id"]: each.get("parentSessionPath") for each in sessions}
        assert parents == {PARENT: None, CHILD: str(original)}


async def test_a_spawned_agent_is_named_by_its_task(tmp_path: Path):
    parent, child = forked(dated=True, spawned=True)
    lay(tmp_path, parent, PARENT)
    lay(tmp_path, child, CHILD)
    async with daemon(tmp_path, profile="codex") as client:
        sums = (await client.request("catalog/usage", {}))["sums"]
        assert sums["tokens"]["input"] == 130
        (listed,) = (await client.request("session/listAll", {}))["sessions"]
        assert listed["id"] == PARENT
        every = await client.request("session/listAll", {"subagents": True})
        names = {each["id"]: each.get("name") for each in every["sessions"]}
        assert names == {PARENT: None, CHILD: "its own task"}


def translated(lines: Lines) -> list[dict[str, Any]]:
    made = CodexTranslator(PARENT, lambda *_: [], lambda _: None)
    first = meta("0T10:00:00", PARENT)
    text = as_text([first, *lines]).encode()
    return [json.loads(each) for one in text.split(b"\n") for each in made.translate(one)]


def said(*texts: str) -> dict[str, Any]:
    content = [each for text in texts for each in typed(text)]
    return line("0T10:00:01", "response_item", type="message", role="user", content=content)


@pytest.mark.parametrize(
    ("texts", "prompt"),
    [
        (["<Button> does not render, why?"], "<Button> does not render, why?"),
        (["# AGENTS.md lacks a section on tests"], "# AGENTS.md lacks a section on tests"),
        (["<environment_context> stays open"], "<environment_context> stays open"),
        (["<environment_context>x</environment_context>"], None),
        (["# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>"], None),
        (["<user_instructions>x</user_instructions>", "Hi."], "Hi."),
        (
            [
                "# Context from my IDE setup:\n\n## Open tabs:\n- a\n\n## My request for Codex:\nfix it"
            ],
            "fix it",
        ),
    ],
)
def test_a_prompt_is_what_a_person_typed(texts: list[str], prompt: str | None):
    entries = translated([said(*texts)])
    prompts = [each["message"]["content"] for each in entries if each["type"] == "message"]
    assert prompts == ([] if prompt is None else [[{"type": "text", "text": prompt}]])
    assert len({each["id"] for each in entries}) == len(entries)


PATCH = """*** Begin Patch
*** Update File: src/a.py
@@ def a():
 one
-two
+2
@@
-three
+3
*** Add File: b.txt
+new
*** Delete File: c.txt
*** Update File: d.py
*** Move to: e.py
@@
-x
+y
*** End Patch
"""
EDITS = [
    {"path": "src/a.py", "oldText": "one\ntwo\n", "newText": "one\n2\n"},
    {"path": "src/a.py", "oldText": "three\n", "newText": "3\n"},
    {"path": "b.txt", "oldText": "", "newText": "new\n"},
    {"path": "c.txt", "oldText": "", "newText": ""},
    {"path": "d.py", "oldText": "", "newText": ""},
    {"path": "e.py", "oldText": "x\n", "newText": "y\n"},
]


@pytest.mark.parametrize(
    "given",
    [
        PATCH,
        json.dumps({"input": PATCH}),
        json.dumps({"command": ["apply_patch", PATCH]}),
        json.dumps({"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}EOF\n"]}),
        json.dumps({"cmd": f"cd x && apply_patch <<EOF\n{PATCH}EOF"}),
    ],
)
def test_a_patch_is_the_edits_that_it_makes(given: str):
    arguments = json.loads(arguments_of(json.dumps(given).encode()))
    assert arguments == {"path": "src/a.py", "edits": EDITS}


@pytest.mark.parametrize(
    ("given", "arguments"),
    [
        ({"command": ["bash", "-lc", "ls | wc"], "workdir": "/w"}, {"command": "ls | wc"}),
        ({"command": ["git", "log", "a b"]}, {"command": "git log 'a b'"}),
        ({"cmd": "ls"}, {"cmd": "ls"}),
        ({"command": ["ls", 1]}, {"command": ["ls", 1]}),
        ({"command": []}, {"command": []}),
    ],
)
def test_a_list_of_words_is_the_command(given: dict[str, Any], arguments: dict[str, Any]):
    made = json.loads(arguments_of(json.dumps(json.dumps(given)).encode()))
    assert made == given | arguments
    assert json.loads(arguments_of(json.dumps(given).encode())) == made


async def test_every_file_of_a_patch_is_found_and_its_diff_is_shown(tmp_path: Path):
    called = line(
        "0T10:00:01",
        "response_item",
        type="custom_tool_call",
        name="apply_patch",
        call_id="c1",
        input=PATCH,
    )
    file = lay(tmp_path, as_text([meta("0T10:00:00", PARENT), said("Patch."), called]), PARENT)
    async with daemon(tmp_path, profile="codex") as client:
        for name in ("a.py", "b.txt", "c.txt", "d.py", "e.py"):
            hits = await client.request("catalog/search", {"query": "", "files": [name]})
            assert [hit["info"]["id"] for hit in hits["hits"]] == [PARENT], name
        opened = await client.request("session/open", {"path": str(file), "readOnly": True})
        view = await client.request("session/getView", {"session": opened["session"]})
        blocks = [block for item in view["items"] for block in item["blocks"]]
        call, diff = blocks[-2:]
        assert (call["kind"], call["text"]) == ("call", "src/a.py")
        assert (diff["kind"], diff["text"].split("\n")) == (
            "diff",
            [
                " one",
                "-two",
                "+2",
                "…",
                "-three",
                "+3",
                "b.txt",
                "+new",
                "c.txt",
                "d.py",
                "e.py",
                "-x",
                "+y",
            ],
        )


def test_parts_of_an_answer_name_its_first_entry():
    call = {"type": "function_call", "name": "exec_command", "arguments": "{}"}
    entries = translated(
        [
            said("Run two."),
            line("0T10:00:02", "response_item", **call, call_id="c1"),
            line("0T10:00:02", "response_item", **call, call_id="c2"),
            line(
                "0T10:00:03", "response_item", type="function_call_output", call_id="c1", output=""
            ),
            line(
                "0T10:00:03", "response_item", type="function_call_output", call_id="c2", output=""
            ),
            line("0T10:00:04", "response_item", type="message", role="assistant", content=[]),
        ]
    )
    _, _, first, second, *_, last = entries
    assert (first.get("partOf"), second["partOf"], last.get("partOf")) == (None, first["id"], None)
