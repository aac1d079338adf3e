"""A request for every method of the contract, and the small world of a gateway that they are about.

For campaigns and tests of what holds for all methods; `tests/methods/test_read_only.py` fails if the
contract has a method that is missing here.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import attrs

KEY = "agent:main:main"
OTHER = "agent:main:other"
HEADER = (
    '{"type":"session","version":3,"id":"%s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}\n'
)
_OLD = '{"type":"session","id":"%s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}\n'

WITHOUT_FILES = {"initialize", "initialized", "shutdown", "exit", "$/cancelRequest"}
"""Methods of the connection itself, which end it or are sent once."""


@attrs.frozen
class Asked:
    """A request. In params, `SESSION` is the handle of the open session, `MEMORY` that of one
    without a file, and `RESULT:<method>` the last result of that method."""

    method: str
    params: dict[str, Any]
    writes: bool = False
    """Whether it changes files, so that a daemon that only reads has to refuse it."""


def entry(number: int, role: str = "user") -> str:
    said: Any = f"said {number}"
    message = {"role": role, "content": said}
    if role == "assistant":
        message = {**message, "content": [{"type": "text", "text": said}], "provider": "p"}
    value = {
        "type": "message",
        "id": f"e{number}",
        "parentId": f"e{number - 1}" if number else None,
        "timestamp": "2026-01-01T00:00:00.000Z",
        "message": message,
    }
    return json.dumps(value) + "\n"


def conversation(session_id: str, count: int = 6) -> str:
    roles = ("user", "assistant")
    return HEADER % session_id + "".join(entry(n, roles[n % 2]) for n in range(count))


def lay(state: Path) -> None:
    """The state directory of a gateway, and a directory `work` and a session of pi beside it."""
    sessions = state / "agents" / "main" / "sessions"
    sessions.mkdir(parents=True, exist_ok=True)
    (state.parent / "work").mkdir(exist_ok=True)
    synced = state.parent / ".pi" / "agent" / "sessions" / "--w--"
    synced.mkdir(parents=True, exist_ok=True)
    (synced / "synced.jsonl").write_text(conversation("synced"))
    for name in ("s1", "s2", "s3", "gone"):
        (sessions / f"{name}.jsonl").write_text(conversation(name))
    (sessions / "old.jsonl").write_text(
        _OLD % "old" + '{"type":"message","message":{"role":"user","content":"old"}}\n'
    )
    (sessions / "damaged.jsonl").write_text(conversation("damaged") + '{"type":\n' + entry(1))
    stored = {
        KEY: {"sessionId": "s1", "updatedAt": 1_800_000_000_000},
        OTHER: {"sessionId": "s2", "updatedAt": 1_800_000_000_000, "label": "label"},
        "agent:main:gone": {"sessionId": "gone", "updatedAt": 1},
    }
    (sessions / "sessions.json").write_text(json.dumps(stored, indent=2))
    (state / "coderclaw.json").write_text('{"session": {"maintenance": {"mode": "enforce"}}} // 5')


def every_request(state: Path) -> list[Asked]:
    """Requests in an order in which each has something to do, in the world that `lay` makes."""
    sessions = state / "agents" / "main" / "sessions"
    work = state.parent / "work"
    return [
        *_opening(str(sessions), work),
        *_reading(),
        *_appending(str(sessions / "s1.jsonl")),
        *_catalog(sessions, work),
        *_gateway(sessions),
        Asked("session/close", {"session": "SESSION"}),
    ]


def _opening(sessions: str, work: Path) -> list[Asked]:
    s1 = f"{sessions}/s1.jsonl"
    return [
        Asked("rpc.discover", {}),
        Asked("daemon/status", {}),
        Asked("session/open", {"path": f"{sessions}/old.jsonl"}),
        Asked("session/open", {"path": f"{sessions}/old.jsonl", "readOnly": True}),
        Asked("session/open", {"path": f"{sessions}/damaged.jsonl"}),
        Asked("session/open", {"path": s1, "follow": True}),
        Asked("session/inMemory", {"cwd": "/w"}),
        Asked("session/getState", {"session": "SESSION"}),
        Asked("session/create", {"cwd": "/w"}, writes=True),
        Asked("session/create", {"cwd": "/w", "sessionDir": str(work)}, writes=True),
        Asked("session/continueRecent", {"cwd": "/w"}),
        Asked("session/continueRecent", {"cwd": "/nowhere", "sessionDir": str(work)}, writes=True),
        Asked("session/forkFrom", {"sourcePath": s1, "targetCwd": "/w"}, writes=True),
        Asked("session/findById", {"cwd": "/w", "id": "s1"}),
        Asked("session/list", {"cwd": "/w", "includeText": True}),
        Asked("session/list", {"cwd": "/w", "sessionDir": str(work)}),
        Asked("session/listAll", {}),
        Asked("session/listAll", {"sessionDir": sessions, "includeText": True}),
        Asked("session/setSessionFile", {"session": "MEMORY", "path": s1}),
        Asked("session/newSession", {"session": "MEMORY"}),
    ]


def _reading() -> list[Asked]:
    own = {"session": "SESSION"}
    names = [
        *(
            "getLeafId",
            "getLeafEntry",
            "getEntries",
            "getEntryCount",
            "getBranch",
            "getTree",
            "getView",
            "getUpdates",
        ),
        *("buildSessionContext", "buildContextEntries", "buildSessionProjection", "getHeader"),
        *("getSessionName", "getCwd", "getSessionDir", "getSessionId", "getSessionFile"),
        *("isPersisted", "usesDefaultSessionDir"),
    ]
    return [
        *(Asked(f"session/{name}", own) for name in names),
        Asked("session/getEntry", {**own, "id": "e1"}),
        Asked("session/getSource", {**own, "entryId": "e1"}),
        Asked("session/getLabel", {**own, "id": "e1"}),
        Asked("session/getChildren", {**own, "parentId": "e1"}),
        Asked("context/estimateTokens", own),
        Asked("context/shouldCompact", {**own, "contextWindow": 1000}),
        Asked("context/windowUsage", {**own, "contextWindow": 1000}),
        Asked("context/toLlm", own),
        Asked("context/toLlm", {**own, "repair": True}),
        Asked("context/serialize", own),
        Asked("context/prepareCompaction", {**own, "settings": {"keepRecentTokens": 1}}),
        Asked("context/prepareBranchSummary", {**own, "targetId": "e1"}),
    ]


def _appending(path: str) -> list[Asked]:
    own = {"session": "SESSION"}
    message = {"role": "user", "content": "more"}
    appended: dict[str, dict[str, Any]] = {
        "context/finishCompaction": {
            "preparation": "RESULT:context/prepareCompaction",
            "historySummary": "s",
            "prefixSummary": "s",
        },
        "session/appendMessage": {"message": message},
        "session/appendThinkingLevelChange": {"thinkingLevel": "high"},
        "session/appendModelChange": {"provider": "p", "modelId": "m"},
        "session/appendCompaction": {
            "summary": "s",
            "tokensBefore": 1,
            "firstKeptEntryId": "e1",
        },
        "session/appendCustomEntry": {"customType": "c"},
        "session/appendSessionInfo": {"name": "n"},
        "session/appendCustomMessageEntry": {"customType": "c", "content": "x", "display": True},
        "session/appendLabelChange": {"targetId": "e1", "label": "l"},
        "session/appendUsage": {"kind": "k", "provider": "p", "model": "m", "usage": {"cost": {}}},
        "session/appendContextEdit": {"targetId": "e1", "replacement": None},
        "session/branchWithSummary": {"entryId": "e1", "summary": "s"},
        "context/finishBranchSummary": {"targetId": "e3", "summary": "s"},
    }
    memory = [
        Asked(method, {**params, "session": "MEMORY"})
        for method, params in appended.items()
        if "targetId" not in params and method != "context/finishCompaction"
    ]
    return [
        *(Asked(method, {**own, **params}, writes=True) for method, params in appended.items()),
        *memory[:3],
        Asked("session/setActivity", {"session": "SESSION", "state": "running"}),
        Asked("session/publishDraft", {"session": "MEMORY", "message": {"role": "assistant"}}),
        Asked("context/navigate", {**own, "targetId": "e1"}),
        Asked("context/navigate", {**own, "targetId": "e5", "label": "l"}, writes=True),
        Asked("session/branch", {**own, "entryId": "e5"}),
        Asked("session/createBranchedSession", {**own, "leafId": "e5"}, writes=True),
        Asked("session/newSession", own, writes=True),
        Asked("session/setSessionFile", {**own, "path": path}),
        Asked("session/resetLeaf", own),
    ]


def _catalog(sessions: Path, work: Path) -> list[Asked]:
    folder = {"directory": f"{work}/folder", "agents": ["pi"]}
    s1, s3, damaged = (str(sessions / f"{name}.jsonl") for name in ("s1", "s3", "damaged"))
    exported = {"path": s1, "format": "html", "outputPath": str(work / "page.html")}
    return [
        Asked("catalog/subscribe", {}),
        Asked("catalog/subscribe", {"sessionDir": str(work)}),
        Asked("catalog/unsubscribe", {"subscription": "RESULT:catalog/subscribe"}),
        Asked("catalog/search", {"query": "said"}),
        Asked("catalog/search", {"query": "said", "sessionDir": str(work)}),
        Asked("catalog/check", {"path": damaged}),
        Asked("catalog/check", {"cwd": "/w"}),
        Asked("catalog/check", {}),
        Asked("catalog/stats", {"path": s1}),
        Asked("catalog/stats", {"session": "SESSION"}),
        Asked("catalog/agents", {}),
        Asked("catalog/usage", {}),
        Asked("catalog/usage", {"by": "session", "sessionDir": str(work)}),
        Asked("catalog/export", {"path": s1, "format": "markdown"}),
        Asked("catalog/export", {"session": "SESSION", "format": "jsonl"}),
        Asked("catalog/export", exported, writes=True),
        Asked("catalog/export", {**exported, "format": "markdown"}, writes=True),
        Asked("catalog/rename", {"path": s3, "name": "n", "change": "1"}, writes=True),
        Asked("catalog/label", {"path": s3, "entryId": "e1"}, writes=True),
        Asked("catalog/undo", {}, writes=True),
        Asked("catalog/setMarks", {"paths": [s1], "pinned": True}, writes=True),
        Asked("catalog/repair", {"path": damaged, "dryRun": True}),
        Asked("catalog/repair", {"path": damaged, "dryRun": False}, writes=True),
        Asked("catalog/sync", {**folder, "dryRun": True}),
        Asked("catalog/sync", folder, writes=True),
        Asked("catalog/delete", {"path": s3, "force": True}, writes=True),
        Asked("catalog/listTrash", {}),
        Asked("catalog/restore", {"path": s3}, writes=True),
        Asked("catalog/delete", {"path": s3, "permanently": True, "force": True}, writes=True),
    ]


def _gateway(sessions: Path) -> list[Asked]:
    own, now = {"sessionKey": KEY}, 1_800_000_000_000
    return [
        Asked("gateway/resolveKey", {"key": "main"}),
        Asked("gateway/evaluateFreshness", {"now": now, "resetType": "direct"}),
        Asked("gateway/isSilentReply", {"text": "NO_REPLY"}),
        Asked("gateway/planMemoryFlush", own),
        Asked("gateway/get", own),
        Asked("gateway/get", {**own, "storePath": str(sessions.parent / "none.json")}),
        Asked("gateway/list", {"includeDerivedTitles": True, "includeLastMessage": True}),
        Asked("gateway/subscribe", {}),
        Asked("gateway/unsubscribe", {"subscription": "RESULT:gateway/subscribe"}),
        Asked("gateway/begin", {"context": {"SessionKey": KEY, "Body": "/new"}, "dryRun": True}),
        Asked("gateway/maintain", {"mode": "warn"}),
        Asked("gateway/maintain", {"mode": "enforce", "dryRun": True}),
        Asked("gateway/maintain", {"mode": "enforce"}, writes=True),
        Asked("gateway/patch", {"key": KEY, "label": "other"}, writes=True),
        Asked("gateway/recordUsage", {**own, "usage": {"input": 1}}, writes=True),
        Asked("gateway/recordCompaction", own, writes=True),
        Asked("gateway/recordMemoryFlush", own, writes=True),
        Asked("gateway/begin", {"context": {"SessionKey": KEY, "Body": "/new"}}, writes=True),
        Asked("gateway/reset", {"key": OTHER, "force": True}, writes=True),
        Asked("gateway/delete", {"key": OTHER, "force": True}, writes=True),
    ]


class Filling:
    """Inserts results of earlier requests into the params of later ones."""

    def __init__(self) -> None:
        self._results: dict[str, Any] = {}

    def filled(self, params: dict[str, Any]) -> dict[str, Any]:
        return {name: self._value(name, value) for name, value in params.items()}

    def keep(self, method: str, result: Any) -> None:
        """Remember a result."""
        self._results[method] = result

    def _value(self, name: str, value: Any) -> Any:
        if value == "SESSION":
            return self._results.get("session/open", {}).get("session", "s0")
        if value == "MEMORY":
            return self._results.get("session/inMemory", {}).get("session", "s0")
        if not isinstance(value, str) or not value.startswith("RESULT:"):
            return value
        found = self._results.get(value.removeprefix("RESULT:"), {})
        return found.get(name, found) if isinstance(found, dict) else found
