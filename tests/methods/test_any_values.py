"""Every reading method answers with any JSON value in any member of any entry."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from support.app import daemon
from support.client import Client, RpcError

TIME = "2026-01-01T00:00:00.000Z"
INTERNAL = -32603

SCALARS = r"""
null true false 0 -0 1e400 -1e400 1e-400 2.5 9007199254740993 8640000000000001 [] {} "" "a" "user"
"\ud800" "e0" "2026-13-45" "toolCall" "text" "\u0000" "__proto__"
"""
NAMES = """
type text role content id name arguments path input output cacheRead cost total totalTokens
thinking readFiles
"""
scalars = st.sampled_from([*SCALARS.split(), "1" + "0" * 400, '"' + "x" * 50 + '"'])
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda each: "[" + ",".join(each) + "]")
        | st.dictionaries(
            st.sampled_from(NAMES.split()),
            inner,
            max_size=4,
        ).map(lambda each: "{" + ",".join(f'"{k}":{v}' for k, v in each.items()) + "}")
    ),
    max_leaves=8,
)
USAGE = {"input": 1, "output": 1, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 2}
USAGE |= {"cost": {"input": 0.1, "output": 0.1, "cacheRead": 0, "cacheWrite": 0, "total": 0.2}}
CALL = {"type": "toolCall", "id": "t", "name": "read", "arguments": {"path": "f"}}
TEXT = {"type": "text", "text": "x"}
ENTRIES: list[dict[str, Any]] = [
    {"type": "message", "message": {"role": "system", "content": "s", "sections": {"a": "b"}}},
    {"type": "message", "message": {"role": "user", "content": [TEXT], "timestamp": 1}},
    {
        "type": "message",
        "message": {"role": "assistant", "content": [TEXT, CALL], "provider": "p", "model": "m"}
        | {"usage": USAGE, "stopReason": "stop", "timestamp": 1, "errorMessage": "e"},
    },
    {
        "type": "message",
        "message": {"role": "toolResult", "toolCallId": "t", "toolName": "read"}
        | {"content": [TEXT], "isError": False, "details": {}, "timestamp": 1},
    },
    {
        "type": "message",
        "message": {"role": "bashExecution", "command": "c", "output": "o", "exitCode": 0}
        | {"cancelled": False, "truncated": False, "fullOutputPath": "p", "timestamp": 1},
    },
    {"type": "thinking_level_change", "thinkingLevel": "high"},
    {"type": "model_change", "provider": "p", "modelId": "m"},
    {"type": "custom", "customType": "c", "data": {}},
    {"type": "custom_message", "customType": "c", "content": [TEXT], "display": True}
    | {"details": {}},
    {"type": "label", "targetId": "e1", "label": "l"},
    {"type": "session_info", "name": "n"},
    {"type": "usage", "kind": "k", "provider": "p", "model": "m", "usage": USAGE, "note": "n"},
    {"type": "context_edit", "targetId": "e1", "replacement": {"content": "c"}},
    {"type": "branch_summary", "summary": "s", "fromId": "e1", "fromHook": False}
    | {"details": {"readFiles": ["a"], "modifiedFiles": ["b"]}, "usage": USAGE},
    {"type": "compaction", "summary": "s", "firstKeptEntryId": "e1", "tokensBefore": 5}
    | {"details": {"readFiles": ["a"], "modifiedFiles": []}, "systemMessage": {"role": "system"}},
    {"type": "leaf", "targetId": "e1", "appendParentId": "e1", "appendMode": "side"},
    {"type": "reset", "targetId": "e1"},
]
HEADER = {"type": "session", "version": 3, "id": "s", "timestamp": TIME, "cwd": "/w"}
HEADER |= {"parentSession": "p", "provider": "p", "modelId": "m", "thinkingLevel": "t"}
SPOT = "\ue000"


def spots(value: Any) -> list[list[Any]]:
    """The path of every member and element, nested ones included."""
    found: list[list[Any]] = []
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, member in inner:
        found.append([key])
        if isinstance(member, dict | list):
            found += [[key, *rest] for rest in spots(member)]
    return found


@st.composite
def spoilt(draw: st.DrawFn, whole: dict[str, Any]) -> str:
    """The line with any JSON in some of its members."""
    line = json.loads(json.dumps(whole))
    chosen = draw(st.lists(st.sampled_from(spots(line)), max_size=2))
    put: list[str] = []
    for path in chosen:
        at = line
        for key in path[:-1]:
            if not isinstance(at, dict | list) or (isinstance(at, dict) and key not in at):
                break
            at = at[key]
        else:
            if isinstance(at, dict | list):
                at[path[-1]] = f"{SPOT}{len(put)}{SPOT}"
                put.append(draw(values))
    text = json.dumps(line, ensure_ascii=False)
    for number, value in enumerate(put):
        text = text.replace(f'"{SPOT}{number}{SPOT}"', value)
    return text


@st.composite
def files(draw: st.DrawFn) -> str:
    version = draw(st.sampled_from([1, 2, 3, 4]))
    lines = [draw(st.just(json.dumps(HEADER | {"version": version})) | spoilt(HEADER))]
    for n, one in enumerate(draw(st.permutations(ENTRIES))):
        parent = f"e{n - 1}" if n else None
        whole = {"id": f"e{n}", "parentId": parent, "timestamp": TIME, **one}
        lines.append(draw(spoilt(whole)))
    return "\n".join([*lines, ""])


OF_SESSION: list[tuple[str, dict[str, Any]]] = [
    ("session/getState", {}),
    ("session/getTree", {}),
    ("session/getTree", {"detail": "outline"}),
    ("session/getView", {"maxChars": 50}),
    ("session/getEntries", {}),
    ("session/getEntries", {"limit": 3}),
    ("session/getBranch", {}),
    ("session/getChildren", {"parentId": None}),
    ("session/getChildren", {"parentId": "e1"}),
    ("session/getEntry", {"id": "e1"}),
    ("session/getEntryCount", {}),
    ("session/getLeafId", {}),
    ("session/getLeafEntry", {}),
    ("session/getLabel", {"id": "e1"}),
    ("session/getHeader", {}),
    ("session/getSessionName", {}),
    ("session/getSessionId", {}),
    ("session/buildSessionContext", {}),
    ("session/buildSessionContext", {"leafId": "e9"}),
    ("session/buildContextEntries", {}),
    ("session/buildSessionProjection", {}),
    ("context/estimateTokens", {}),
    ("context/shouldCompact", {"contextWindow": 1000}),
    ("context/windowUsage", {"contextWindow": 1000}),
    ("context/toLlm", {}),
    ("context/serialize", {}),
    ("context/prepareCompaction", {"includePrompts": True, "settings": {"keepRecentTokens": 1}}),
    ("context/prepareBranchSummary", {"targetId": "e2", "includePrompts": True}),
    ("catalog/stats", {}),
    ("catalog/export", {"format": "jsonl"}),
    ("catalog/export", {"format": "markdown"}),
    ("catalog/export", {"format": "html"}),
    ("session/createBranchedSession", {"leafId": "e9"}),
]


async def answered(client: Client, method: str, params: dict[str, Any]) -> Any:
    try:
        return await client.request(method, params)
    except RpcError as error:
        assert error.code != INTERNAL, f"{method} {params}: {error.message}"
        return None


@given(files())
@settings(max_examples=25)
async def test_every_reading_method_answers(tmp_path_factory: Any, text: str) -> None:
    home: Path = tmp_path_factory.mktemp("any")
    directory = home / "sessions"
    directory.mkdir()
    path = directory / "s.jsonl"
    path.write_text(text, errors="surrogatepass")
    async with daemon(home, watch="off") as client:
        for read_only in (True, False):
            params = {"path": str(path), "readOnly": read_only}
            state = await answered(client, "session/open", params)
            if state is None:
                continue
            for method, more in OF_SESSION:
                await answered(client, method, {"session": state["session"], **more})
        where = {"cwd": "/w", "sessionDir": str(directory)}
        await answered(client, "session/list", {**where, "includeText": True})
        await answered(client, "session/findById", {**where, "id": "s"})
        for method in ("catalog/stats", "catalog/check"):
            await answered(client, method, {"path": str(path)})
        await answered(client, "catalog/repair", {"path": str(path), "dryRun": True})
        await answered(client, "catalog/search", {**where, "query": "x"})
        await answered(client, "catalog/usage", {**where, "by": "session"})
        await answered(
            client, "session/inMemory", {"entries": [json.loads(one) for one in ("{}", "[]")]}
        )
        fork = {"sourcePath": str(path), "targetCwd": "/v", "sessionDir": str(home / "f")}
        await answered(client, "session/forkFrom", fork)
