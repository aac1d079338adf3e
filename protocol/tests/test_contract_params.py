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
PREPARED = {
    "firstKeptEntryId": "e",
    "isSplitTurn": False,
    "tokensBefore": 1,
    "fileOps": {"read": ["a"], "written": [], "edited": []},
}

BAD = [
    ("initialize", {"protocolVersions": "1"}, "$.protocolVersions"),
    ("initialize", {"profile": "vi"}, "$.profile"),
    ("initialize", {"positionEncoding": "latin-1"}, "$.positionEncoding"),
    ("initialize", {"clientInfo": {"name": 3}}, "$.clientInfo.name"),
    ("initialize", {"clientInfo": {}}, "`name` - at `$.clientInfo`"),
    ("initialize", {"processId": "12"}, "$.processId"),
    ("$/cancelRequest", {"id": None}, "$.id"),
    ("session/open", {"path": ""}, "$.path"),
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
