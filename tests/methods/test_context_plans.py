"""Planning over the wire where it is large, odd, or met by something else."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.app import assistant, daemon, lines_of, user
from support.client import Client, RpcError
from support.effort import effort
from support.jsonwire import dumps

from sessiond.format.context.branch_summary import (
    abandoned_entries,
    plan_branch_summary,
    prompt_for_branch,
)
from sessiond.format.context.build import build_context
from sessiond.format.context.compaction import compaction_prompts, prepare_compaction
from sessiond.format.context.llm_text import serialize, to_llm
from sessiond.format.context.tokens import estimate_context, estimate_messages, is_counted
from sessiond.format.load import load
from sessiond.format.tree.tree import Tree

HEADER = '{"type":"session","version":3,"id":"s","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/w"}'


def line(entry_id: str, parent: str | None, message: dict[str, Any]) -> str:
    base = {"id": entry_id, "parentId": parent, "timestamp": "2025-01-01T00:00:00.000Z"}
    return dumps({"type": "message", **base, "message": message})


def chained(messages: list[dict[str, Any]]) -> Iterator[str]:
    for number, message in enumerate(messages):
        yield line(f"e{number}", f"e{number - 1}" if number else None, message)


async def opened(client: Client, tmp_path: Path, messages: list[dict[str, Any]]) -> str:
    path = tmp_path / "s.jsonl"
    path.write_text("\n".join([HEADER, *chained(messages), ""]), encoding="utf-8")
    state = await client.request("session/open", {"path": str(path)})
    return str(state["session"])


LONG = [each for n in range(4000) for each in (user("x" * 900), assistant(f"{n}" * 300))]


async def test_small_requests_are_answered_while_a_large_session_is_planned(tmp_path: Path):
    async with daemon(tmp_path) as client:
        session = await opened(client, tmp_path, LONG)
        planned = client.start(
            "context/prepareCompaction", {"session": session, "includePrompts": True}
        )
        pinged = client.start("daemon/status")
        done, _ = await asyncio.wait({planned, pinged}, return_when=asyncio.FIRST_COMPLETED)
        assert done == {pinged}
        found = (await planned).value["result"]["preparation"]
        assert len(found["messagesToSummarize"]) > 7000


async def test_a_plan_uses_the_session_at_the_time_of_the_request(tmp_path: Path):
    async with daemon(tmp_path) as client:
        session = await opened(client, tmp_path, LONG)
        planned = client.start("context/toLlm", {"session": session})
        appended = client.start(
            "session/appendMessage", {"session": session, "message": user("later")}
        )
        assert len((await planned).value["result"]["messages"]) == len(LONG)
        assert "result" in (await appended).value


async def test_a_cancelled_plan_leaves_the_session_usable(tmp_path: Path):
    async with daemon(tmp_path) as client:
        session = await opened(client, tmp_path, LONG)
        planned = client.start("context/serialize", {"session": session}, id_="plan")
        client.notify("$/cancelRequest", {"id": "plan"})
        answer = (await planned).value
        assert answer.get("error", {"code": -32800})["code"] == -32800
        await client.request("session/appendMessage", {"session": session, "message": user("x")})
        found = await client.request("context/toLlm", {"session": session})
        assert len(found["messages"]) == len(LONG) + 1


async def test_lone_surrogates_survive_a_compaction(tmp_path: Path):
    call = {"type": "toolCall", "id": "c", "name": "read", "arguments": {"path": "a\ud83d"}}
    async with daemon(tmp_path) as client:
        messages = [user("hi"), assistant("", content=[call]), user("x" * 400)]
        session = await opened(client, tmp_path, messages)
        params = {"session": session, "settings": {"keepRecentTokens": 50}}
        plan = await client.request("context/prepareCompaction", params)
        assert plan["preparation"]["fileOps"]["read"] == ["a\ud83d"]
        done = {"preparation": plan["preparation"], "historySummary": "half \ude00"}
        await client.request("context/finishCompaction", {"session": session, **done})
        written = lines_of(tmp_path / "s.jsonl")[-1]
        assert rb'"summary":"half \ude00\n\n<read-files>\na\ud83d\n</read-files>"' in written
        assert rb'"details":{"readFiles":["a\ud83d"],"modifiedFiles":[]}' in written


async def test_a_retry_of_a_summary_writes_neither_it_nor_its_label_again(tmp_path: Path):
    async with daemon(tmp_path) as client:
        session = await opened(client, tmp_path, [user("a"), assistant("b"), user("c")])
        params = {"targetId": "e1", "summary": "S", "label": "l", "newEntryId": "n1"}
        first = await client.request("context/finishBranchSummary", {"session": session, **params})
        count = len(lines_of(tmp_path / "s.jsonl"))
        again = await client.request("context/finishBranchSummary", {"session": session, **params})
        assert again == {**first, "existed": True}
        assert len(lines_of(tmp_path / "s.jsonl")) == count


async def test_a_following_handle_that_navigates_stays_where_it_went(tmp_path: Path):
    async with daemon(tmp_path) as client:
        await opened(client, tmp_path, [user("a"), assistant("b")])
        params = {"path": str(tmp_path / "s.jsonl"), "follow": True}
        session = (await client.request("session/open", params))["session"]
        await client.request("context/navigate", {"session": session, "targetId": "e0"})
        found = await client.request("session/getLeafId", {"session": session})
        assert found == {"leafId": None}


async def test_a_missing_parent_is_named_in_the_error(tmp_path: Path):
    async with daemon(tmp_path) as client:
        path = tmp_path / "s.jsonl"
        path.write_text(f"{HEADER}\n{line('u', 'gone', user('a'))}\n{line('v', None, user('b'))}\n")
        session = (await client.request("session/open", {"path": str(path)}))["session"]
        with pytest.raises(RpcError) as caught:
            await client.request("context/navigate", {"session": session, "targetId": "u"})
        assert caught.value.data == {"kind": "EntryNotFound", "retryable": False, "entryId": "gone"}


async def test_a_compaction_keeps_the_system_message_in_force(tmp_path: Path):
    async with daemon(tmp_path) as client:
        system = {"role": "system", "content": "be kind", "timestamp": 1}
        session = await opened(client, tmp_path, [system, user("a"), assistant("b"), user("c")])
        prepared = {"firstKeptEntryId": "e3", "isSplitTurn": False, "tokensBefore": 9}
        files: dict[str, list[str]] = {"read": [], "written": [], "edited": []}
        params = {"preparation": {**prepared, "fileOps": files}, "historySummary": "S"}
        await client.request("context/finishCompaction", {"session": session, **params})
        written = json.loads(lines_of(tmp_path / "s.jsonl")[-1])
        assert list(written) == [
            "type",
            "id",
            "parentId",
            "timestamp",
            "summary",
            "firstKeptEntryId",
            "tokensBefore",
            "details",
            "fromHook",
            "systemMessage",
        ]
        assert written["systemMessage"]["content"] == "be kind"


# Whatever a file or a client holds, planning answers.

NAMES = ["role", "content", "type", "text", "thinking", "name", "arguments", "path", "usage"]
NAMES += ["totalTokens", "input", "stopReason", "summary", "command", "output", "exitCode"]
NAMES += ["nestedCalls", "calls", "sections", "toolsAdded", "timestamp", "excludeFromContext"]
WORDS = ["user", "assistant", "toolResult", "custom", "bashExecution", "branchSummary", "system"]
WORDS += [
    "compactionSummary",
    "text",
    "toolCall",
    "thinking",
    "image",
    "read",
    "write",
    "edit",
    "a",
]
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([*WORDS, "", "\ud83d", "😀"])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=6)
    ),
    max_leaves=15,
)
MESSAGES = st.builds(
    lambda role, rest: {**rest, "role": role},
    st.sampled_from([*WORDS[:8], "unheardOf"]),
    st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=6),
)


@settings(max_examples=effort(40, 150))
@given(st.lists(MESSAGES, max_size=4))
def test_any_messages_are_estimated_converted_and_serialized(messages: list[dict[str, Any]]):
    sent = [dumps(each).encode() for each in messages]
    assert estimate_messages(sent).tokens >= 0
    for converted in to_llm(sent):
        json.loads(converted)
    assert isinstance(serialize(sent), str)


ENTRIES = st.lists(
    st.builds(
        lambda kind, message, rest: {**rest, "type": kind, "message": message},
        st.sampled_from(
            ["message", "message", "compaction", "branch_summary", "custom_message", "context_edit"]
        ),
        MESSAGES | VALUES,
        st.dictionaries(
            st.sampled_from(
                ["summary", "firstKeptEntryId", "details", "fromHook", "targetId", "replacement"]
            ),
            VALUES | st.sampled_from(["e0", "e1", "e2"]),
            max_size=5,
        ),
    ),
    max_size=7,
)


@settings(max_examples=effort(40, 150))
@given(ENTRIES, st.sampled_from([0, 1, 20, 1000]))
def test_any_session_is_planned(entries: list[dict[str, Any]], keep: int):
    lines = [HEADER]
    for number, entry in enumerate(entries):
        base = {"id": f"e{number}", "parentId": f"e{number - 1}" if number else None}
        lines.append(dumps({**entry, **base, "timestamp": "2025-01-01T00:00:00.000Z"}))
    loaded = load("\n".join([*lines, ""]).encode())
    tree = Tree(loaded.entries)
    context = build_context(tree, tree.tip_id)
    assert estimate_context(context).tokens >= 0
    is_counted(context)
    plan = prepare_compaction(context, keep)
    if not isinstance(plan, str):
        compaction_prompts(plan, None)
        json.loads(plan.files.as_json())
        assert plan.first_kept in tree
    left = abandoned_entries(tree, tree.tip_id, "e0")
    prompt_for_branch(plan_branch_summary(left.entries, keep), None, replace=False)
