"""Params decode with msgspec straight into their classes, and say where they do not fit."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec import UNSET
from sessiond_protocol.catalog import subscribe
from sessiond_protocol.registry import METHODS
from sessiond_protocol.wire import given

ALL = {**METHODS, **{method.name: method for method in subscribe.METHODS}}
SESSION = {"session": "s1"}
APPENDED = {**SESSION, "newEntryId": "e1", "expectedLeafId": None, "expectedTipId": "t"}
PREPARED = {
    "firstKeptEntryId": "e",
    "isSplitTurn": False,
    "tokensBefore": 1,
    "fileOps": {"read": ["a"], "written": [], "edited": []},
}

GOOD: dict[str, list[dict[str, Any]]] = {
    "initialize": [
        {},
        {
            "clientInfo": {"name": "vim", "version": "9"},
            "processId": 12,
            "profile": "clanker",
            "agentDir": "/a",
            "agentId": "main",
            "positionEncoding": "utf-8",
            "capabilities": {"plainJson": True},
            "protocolVersions": ["1", "2"],
        },
        {"processId": None, "clientInfo": None, "capabilities": {"plainJson": None, "new": 1}},
    ],
    "$/cancelRequest": [{"id": 1}, {"id": "a"}],
    "session/create": [{"cwd": "/x"}, {"cwd": "/x", "id": "", "sessionDir": None}],
    "session/open": [{"path": "a"}, {"path": "a", "readOnly": True, "follow": None, "cwd": "/"}],
    "session/continueRecent": [{"cwd": "."}],
    "session/inMemory": [{}, {"entries": [{"type": "session", "id": "a"}, 3], "cwd": None}],
    "session/forkFrom": [{"sourcePath": "/a", "targetCwd": "/b", "id": "x", "leafId": "e"}],
    "session/findById": [{"cwd": "/", "id": "abc"}],
    "session/list": [
        {"cwd": "/"},
        {"cwd": "/", "limit": 0, "cursor": "c", "includeText": True, "named": False},
        {"cwd": "/", "workDoneToken": 1, "partialResultToken": "p", "limit": None},
    ],
    "session/listAll": [{}, {"sessionDir": "/d", "limit": 3}],
    "session/close": [SESSION],
    "session/getState": [SESSION],
    "session/newSession": [SESSION, {**SESSION, "id": "x", "parentSession": "/p"}],
    "session/setSessionFile": [{**SESSION, "path": "/p"}],
    "session/createBranchedSession": [{**SESSION, "leafId": "l"}],
    "session/appendMessage": [{**APPENDED, "message": {"role": "user"}}],
    "session/appendThinkingLevelChange": [{**SESSION, "thinkingLevel": "high"}],
    "session/appendModelChange": [{**SESSION, "provider": "p", "modelId": "m"}],
    "session/appendCompaction": [
        {**SESSION, "summary": "", "tokensBefore": 0},
        {
            **APPENDED,
            "summary": "s",
            "tokensBefore": 3,
            "firstKeptEntryId": None,
            "details": None,
            "fromHook": True,
            "usage": {"input": "many"},
        },
    ],
    "session/appendCustomEntry": [
        {**SESSION, "customType": "c"},
        {**SESSION, "customType": "", "data": 1},
    ],
    "session/appendSessionInfo": [{**SESSION, "name": ""}],
    "session/appendCustomMessageEntry": [
        {**SESSION, "customType": "c", "content": [1], "display": False, "details": []}
    ],
    "session/appendLabelChange": [
        {**SESSION, "targetId": "t"},
        {**SESSION, "targetId": "t", "label": None},
        {**SESSION, "targetId": "t", "label": ""},
    ],
    "session/appendUsage": [
        {**SESSION, "kind": "k", "provider": "p", "model": "m", "usage": {}, "note": None}
    ],
    "session/appendContextEdit": [
        {**SESSION, "targetId": "t", "replacement": None},
        {**SESSION, "targetId": "t", "replacement": {"content": "x"}},
    ],
    "session/branchWithSummary": [
        {**SESSION, "entryId": None, "summary": "s"},
        {**SESSION, "entryId": "e", "summary": "s", "usage": None},
    ],
    "session/getEntry": [{**SESSION, "id": "e"}],
    "session/getEntries": [SESSION, {**SESSION, "cursor": "e", "limit": 1, "views": True}],
    "session/getBranch": [SESSION, {**SESSION, "fromId": None}],
    "session/getChildren": [{**SESSION, "parentId": None}, {**SESSION, "parentId": "e"}],
    "session/getTree": [SESSION, {**SESSION, "detail": "outline"}, {**SESSION, "detail": None}],
    "session/getView": [
        {**SESSION, "leafId": "e", "cursor": "d", "last": 5, "limit": 2, "maxChars": 100}
    ],
    "session/getSource": [{**SESSION, "entryId": "e"}, {**SESSION, "entryId": "e", "maxBytes": 9}],
    "session/getLabel": [{**SESSION, "id": "e"}],
    "session/branch": [{**SESSION, "entryId": "e"}],
    "session/buildSessionContext": [SESSION, {**SESSION, "leafId": None}],
    "session/buildContextEntries": [{**SESSION, "leafId": "e"}],
    "session/buildSessionProjection": [SESSION],
    "context/estimateTokens": [SESSION, {"messages": []}, {"messages": [{"role": "user"}]}],
    "context/shouldCompact": [
        {**SESSION, "contextWindow": 0},
        {**SESSION, "contextWindow": 1, "settings": None},
        {
            **SESSION,
            "contextWindow": 200_000,
            "settings": {"enabled": False, "reserveTokens": 0, "keepRecentTokens": None},
        },
    ],
    "context/windowUsage": [{**SESSION, "contextWindow": 1}],
    "context/prepareCompaction": [
        SESSION,
        {**SESSION, "settings": {"reserveTokensFloor": 20_000}, "includePrompts": True},
    ],
    "context/finishCompaction": [
        {**APPENDED, "preparation": PREPARED, "historySummary": "h", "usage": None},
        {**SESSION, "preparation": {**PREPARED, "previousSummary": None}, "prefixSummary": "p"},
    ],
    "context/prepareBranchSummary": [
        {**SESSION, "targetId": "t"},
        {**SESSION, "targetId": "t", "tokenBudget": 0, "replaceInstructions": True},
    ],
    "context/finishBranchSummary": [
        {**APPENDED, "targetId": "t", "summary": "s", "label": "l", "usage": {}},
        {**SESSION, "targetId": "t", "summary": None, "fileOps": None},
    ],
    "context/navigate": [{**SESSION, "targetId": "t"}, {**SESSION, "targetId": "t", "label": None}],
    "context/toLlm": [SESSION, {"messages": [{"role": "new"}]}],
    "context/serialize": [SESSION],
    "catalog/subscribe": [{}, {"cwd": "/"}, {"sessionDir": "/d"}, {"cwd": "/", "sessionDir": "/d"}],
    "catalog/unsubscribe": [{"subscription": "c1"}],
    "catalog/search": [
        {"query": ""},
        {"query": "a", "mode": "fuzzy", "cwd": "/", "limit": 0},
        {"query": "", "fields": ["calls"], "roles": ["assistant"], "tools": ["edit"]},
        {"query": "", "files": ["a.ts"], "since": "2026-01-01", "until": "2026-01-31"},
    ],
    "catalog/rename": [{"path": "/a", "name": "n"}, {"path": "/a", "name": ""}],
    "catalog/delete": [{"path": "/a"}, {"path": "/a", "permanently": True, "force": True}],
    "catalog/restore": [{"path": "/a"}],
    "catalog/listTrash": [{}, {"cwd": "/"}],
    "catalog/check": [{"path": "/a"}, {"cwd": "/"}, {}],
    "catalog/repair": [{"path": "/a", "dryRun": True}, {"path": "/a", "dryRun": False}],
    "catalog/stats": [{"path": "/a", "timezone": "Asia/Tokyo"}, {"session": "s1"}],
    "catalog/usage": [
        {},
        {
            "by": "week",
            "thenBy": "model",
            "timezone": "Asia/Kolkata",
            "since": "2026-01-01",
            "until": "2026-01-31",
        },
        {"by": "session", "cwd": "/", "sessionDir": "/a", "model": "m", "copies": True},
    ],
    "catalog/export": [
        {"path": "/a", "format": "html", "outputPath": "/b"},
        {"session": "s1", "format": "jsonl", "leafId": None},
    ],
    "gateway/resolveKey": [
        {"key": ""},
        {"context": {"From": "+1", "Provider": None, "Body": "b"}, "config": {"session": 3}},
    ],
    "gateway/evaluateFreshness": [
        {"now": 0, "updatedAt": None, "resetType": "thread"},
        {"now": 1.5, "policy": {"mode": "idle", "atHour": None, "idleMinutes": 1}},
    ],
    "gateway/isSilentReply": [{"text": ""}, {"text": "a", "token": None, "streaming": True}],
    "gateway/patch": [
        {"key": "a"},
        {"key": "a", "label": None, "model": "p/m", "thinkingLevel": "max"},
        {"key": "", "execNode": None, "storePath": "/s"},
    ],
    "gateway/reset": [{"key": "a"}, {"key": "a", "reason": "new", "force": True}],
    "gateway/delete": [{"key": "a"}, {"key": "a", "deleteTranscript": None, "force": None}],
    "gateway/list": [
        {},
        {"limit": 1, "activeMinutes": 1, "includeGlobal": True, "label": "l", "search": ""},
        {"agentId": None, "limit": None, "spawnedBy": None, "includeLastMessage": None},
    ],
    "gateway/begin": [
        {"context": {}},
        {"context": {"SessionKey": None, "MessageThreadId": 7.5, "Unknown": []}, "now": 0},
        {"context": {"MessageThreadId": "a"}, "authorized": None, "dryRun": True, "cwd": "/c"},
    ],
    "gateway/maintain": [{}, {"mode": None, "dryRun": None}, {"mode": "warn", "agentId": "a"}],
    "gateway/subscribe": [{}, {"agentId": None, "storePath": "/s", "config": {}}],
    "gateway/unsubscribe": [{"subscription": "g1"}],
    "gateway/planMemoryFlush": [
        {"entry": {}},
        {"entry": {"a": 1}, "contextWindow": 1.5, "now": None},
        {"sessionKey": "a", "entry": None, "agentId": None, "storePath": "/s"},
    ],
    "gateway/get": [{"sessionKey": "a"}, {"sessionKey": "", "config": {}, "storePath": None}],
    "gateway/recordUsage": [
        {"sessionKey": "a"},
        {"sessionKey": "a", "usage": {"input": 1}, "lastCallUsage": {}, "promptTokens": 0},
        {"sessionKey": "a", "usage": None, "model": None, "contextWindow": 1.5},
    ],
    "gateway/recordCompaction": [{"sessionKey": "a"}, {"sessionKey": "a", "tokensAfter": None}],
    "gateway/recordMemoryFlush": [{"sessionKey": "a", "compactions": n} for n in (None, 0, 2)],
}

ONLY_SESSION = [name for name, method in METHODS.items() if method.params and name not in GOOD]

BAD = [
    ("initialize", {"protocolVersions": "1"}, "$.protocolVersions"),
    ("initialize", {"profile": "vi"}, "$.profile"),
    ("initialize", {"positionEncoding": "latin-1"}, "$.positionEncoding"),
    ("initialize", {"clientInfo": {"name": 3}}, "$.clientInfo.name"),
    ("initialize", {"clientInfo": {}}, "`name` - at `$.clientInfo`"),
    ("initialize", {"processId": "12"}, "$.processId"),
    ("$/cancelRequest", {"id": None}, "$.id"),
    ("session/open", {}, "`path`"),
    ("session/open", {"path": ""}, "$.path"),
    ("session/open", {"path": 3}, "$.path"),
    ("session/open", {"path": "a", "readOnly": "yes"}, "$.readOnly"),
    ("session/open", {"path": "a", "readOnly": 1}, "$.readOnly"),
    ("session/inMemory", {"entries": {}}, "$.entries"),
    ("session/list", {"cwd": "/", "limit": -1}, "$.limit"),
    ("session/list", {"cwd": "/", "limit": "5"}, "$.limit"),
    ("session/list", {"cwd": "/", "limit": 1.5}, "$.limit"),
    ("session/list", {"cwd": "/", "workDoneToken": []}, "$.workDoneToken"),
    ("session/close", {"session": 3}, "$.session"),
    ("session/appendMessage", SESSION, "`message`"),
    ("session/appendMessage", {**SESSION, "message": {}, "newEntryId": ""}, "$.newEntryId"),
    ("session/appendMessage", {**SESSION, "message": {}, "expectedTipId": 1}, "$.expectedTipId"),
    ("session/appendCompaction", {**SESSION, "summary": "", "tokensBefore": -1}, "$.tokensBefore"),
    ("session/appendContextEdit", {**SESSION, "targetId": "t"}, "`replacement`"),
    ("session/branchWithSummary", {**SESSION, "summary": "s"}, "`entryId`"),
    ("context/estimateTokens", {"messages": {}}, "$.messages"),
    ("context/shouldCompact", SESSION, "`contextWindow`"),
    ("context/shouldCompact", {**SESSION, "contextWindow": -1}, "$.contextWindow"),
    ("context/shouldCompact", {**SESSION, "contextWindow": 1e400}, "$.contextWindow"),
    (
        "context/shouldCompact",
        {**SESSION, "contextWindow": 1, "settings": {"reserveTokens": -1}},
        "$.settings.reserveTokens",
    ),
    ("context/windowUsage", {**SESSION, "contextWindow": 0}, "$.contextWindow"),
    ("context/windowUsage", {**SESSION, "contextWindow": 1.5}, "$.contextWindow"),
    (
        "context/prepareCompaction",
        {**SESSION, "settings": {"keepRecentTokens": 2**53}},
        "$.settings.keepRecentTokens",
    ),
    (
        "context/prepareCompaction",
        {**SESSION, "settings": {"reserveTokensFloor": "1"}},
        "$.settings.reserveTokensFloor",
    ),
    ("context/finishCompaction", {**SESSION, "preparation": None}, "$.preparation"),
    (
        "context/finishCompaction",
        {**SESSION, "preparation": {**PREPARED, "tokensBefore": 0.5}},
        "$.preparation.tokensBefore",
    ),
    (
        "context/finishCompaction",
        {**SESSION, "preparation": {**PREPARED, "fileOps": {"read": [1]}}},
        "$.preparation.fileOps.read[0]",
    ),
    ("context/prepareBranchSummary", SESSION, "`targetId`"),
    (
        "context/prepareBranchSummary",
        {**SESSION, "targetId": "t", "tokenBudget": -1},
        "$.tokenBudget",
    ),
    ("context/navigate", {**SESSION, "targetId": None}, "$.targetId"),
    ("gateway/resolveKey", {"config": []}, "$.config"),
    ("gateway/resolveKey", {"context": {"SessionKey": 3}}, "$.context.SessionKey"),
    ("gateway/evaluateFreshness", {"resetType": "direct"}, "`now`"),
    ("gateway/evaluateFreshness", {"now": -1}, "$.now"),
    ("gateway/evaluateFreshness", {"now": 0, "policy": {"mode": "weekly"}}, "$.policy.mode"),
    ("gateway/isSilentReply", {"text": "a", "token": ""}, "$.token"),
    ("gateway/patch", {}, "`key`"),
    ("gateway/patch", {"key": "a", "label": 3}, "$.label"),
    ("gateway/reset", {"key": "a", "reason": "because"}, "$.reason"),
    ("gateway/delete", {"key": "a", "deleteTranscript": 1}, "$.deleteTranscript"),
    ("gateway/list", {"limit": 0}, "$.limit"),
    ("gateway/list", {"activeMinutes": 0}, "$.activeMinutes"),
    ("gateway/list", {"label": ""}, "$.label"),
    ("gateway/list", {"spawnedBy": ""}, "$.spawnedBy"),
    ("gateway/begin", {}, "`context`"),
    ("gateway/begin", {"context": {"Body": 3}}, "$.context.Body"),
    ("gateway/begin", {"context": {}, "now": -1}, "$.now"),
    ("gateway/maintain", {"mode": "on"}, "$.mode"),
    ("gateway/maintain", {"dryRun": 1}, "$.dryRun"),
    ("gateway/subscribe", {"agentId": 1}, "$.agentId"),
    ("gateway/unsubscribe", {}, "`subscription`"),
    ("gateway/planMemoryFlush", {"entry": []}, "$.entry"),
    ("gateway/planMemoryFlush", {"sessionKey": 3}, "$.sessionKey"),
    ("gateway/get", {"sessionKey": None}, "$.sessionKey"),
    ("gateway/recordUsage", {}, "`sessionKey`"),
    ("gateway/recordUsage", {"sessionKey": "a", "usage": []}, "$.usage"),
    ("gateway/recordUsage", {"sessionKey": "a", "promptTokens": -1}, "$.promptTokens"),
    ("gateway/recordCompaction", {"sessionKey": "a", "tokensAfter": "1"}, "$.tokensAfter"),
    ("gateway/recordMemoryFlush", {"sessionKey": "a", "compactions": -1}, "$.compactions"),
    ("session/getChildren", SESSION, "`parentId`"),
    ("session/getTree", {**SESSION, "detail": "all"}, "$.detail"),
    ("session/getView", {**SESSION, "maxChars": -1}, "$.maxChars"),
    ("session/branch", {**SESSION, "entryId": None}, "$.entryId"),
]


def decode(name: str, params: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(params), type=ALL[name].params)


def test_every_method_with_params_has_examples_here_or_takes_the_session_alone():
    assert all(ALL[name].params for name in GOOD)
    assert {METHODS[name].params.__name__ for name in ONLY_SESSION} == {"SessionParams"}


@pytest.mark.parametrize(
    ("name", "params"),
    [(name, params) for name, examples in GOOD.items() for params in examples]
    + [(name, SESSION) for name in ONLY_SESSION],
)
def test_good_params_decode_and_unknown_members_are_ignored(name, params):
    decoded = decode(name, {**params, "unknownMember": {"jsonrpc": "2.0"}})
    for member, value in params.items():
        kept = getattr(decoded, member)
        if isinstance(kept, msgspec.Raw):
            assert msgspec.json.decode(kept) == value
        elif not isinstance(value, dict | list):
            assert kept == value


@pytest.mark.parametrize(("name", "params", "where"), BAD)
def test_bad_params_are_refused_with_the_place(name, params, where):
    with pytest.raises(msgspec.ValidationError) as caught:
        decode(name, params)
    assert where in str(caught.value)


@pytest.mark.parametrize(
    "message",
    [
        b'{"role":"user","content":"a","id":1,"jsonrpc":"2.0"}',
        rb'{"b":1e21,"a":"\u00e9","a":2,"role":"x","n":123456789012345678901234567890}',
        b'{ "role" : "user" }',
        b"null",
    ],
)
def test_opaque_members_keep_their_bytes(message):
    params = msgspec.json.decode(
        b'{"session":"s","message":%s}' % message, type=METHODS["session/appendMessage"].params
    )
    assert bytes(params.message) == message


def test_absent_null_and_a_value_are_three_states():
    states = [
        decode("session/appendCustomEntry", {**SESSION, "customType": "c", **extra})
        for extra in ({}, {"expectedLeafId": None, "data": None}, {"expectedLeafId": "l"})
    ]
    assert [state.expectedLeafId for state in states] == [UNSET, None, "l"]
    assert states[0].data is UNSET
    assert bytes(states[1].data) == b"null"


def test_given_treats_null_and_absent_alike():
    assert [given(UNSET), given(None), given("x")] == [None, None, "x"]
