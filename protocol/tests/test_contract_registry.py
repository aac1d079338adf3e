"""The registry lists every method of the contract with its params, result and errors."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import attrs
import msgspec
import pytest
from sessiond_protocol import PROTOCOL_VERSION, openrpc
from sessiond_protocol.catalog import subscribe as catalog_subscribe
from sessiond_protocol.catalog import table as catalog
from sessiond_protocol.context import table as context
from sessiond_protocol.errors import DATA_SCHEMAS, ERROR_KINDS
from sessiond_protocol.gateway import subscribe
from sessiond_protocol.gateway import table as gateway
from sessiond_protocol.registry import METHODS, NOTIFICATIONS

STATE = (
    "session sessionId sessionFile sessionDir cwd agent? persisted readOnly readOnlyReason? home?"
    " leafId tipId entryCount version name? generation header inUse? diagnostics diagnosticCount?"
)
INFO = (
    "path id cwd agent? name? parentSessionPath? subagent? created modified messageCount"
    " firstMessage sizeBytes home? inUse? allMessagesText?"
)
STATS = (
    "messages toolCalls toolResults branches compactions tokens cost byModel byDay firstActivity?"
    " lastActivity? sizeBytes"
)
LISTING = "limit? cursor? includeText? named? subagents? workDoneToken? partialResultToken?"
PAGE = "sessions total nextCursor? problems?"
APPEND = "session newEntryId? expectedLeafId? expectedTipId?"
CHECKED = f"{APPEND} unchecked?"
APPENDED = "id parentId timestamp written existed?"
STORE = "agentId? storePath? config?"
RECORD = f"{STORE} sessionKey"
RUN = "usage? lastCallUsage? promptTokens? model? provider? contextWindow?"
RECORDED = "entry problems? configProblems?"
TURN = "sandboxed? workspaceAccess? heartbeat? cliProvider?"

# What the contract says: params → result, `?` marks what may be left out.
CONTRACT: dict[str, tuple[str | None, str | None]] = {
    "initialize": (
        (
            "clientInfo? processId? profile? agentDir? agentId? allAgents? positionEncoding?"
            " capabilities? protocolVersions?"
        ),
        (
            "serverInfo protocolVersion profile agentDir sessionsDir positionEncoding capabilities"
            " agents?"
        ),
    ),
    "initialized": (None, None),
    "shutdown": (None, None),
    "exit": (None, None),
    "$/cancelRequest": ("id", None),
    "rpc.discover": (None, "{}"),
    "daemon/status": (
        None,
        "version pid uptimeMs requests openSessions cache watch memoryBytes shared? connections?",
    ),
    "catalog/subscribe": (
        "cwd? sessionDir? subagents?",
        "subscription sequence sessions problems?",
    ),
    "catalog/unsubscribe": ("subscription", None),
    "catalog/search": (
        (
            "query cwd? sessionDir? mode? fields? roles? tools? files? model? currentBranch? agent?"
            " since? until? timezone? limit? cursor?"
        ),
        "hits total nextCursor? problems?",
    ),
    "catalog/rename": ("path name", "id"),
    "catalog/delete": ("path permanently? force?", "trashed"),
    "catalog/restore": ("path", INFO),
    "catalog/listTrash": ("cwd? sessionDir?", "sessions problems?"),
    "catalog/export": (
        "path? session? format outputPath? leafId? mask? conversation? ownId?",
        "path? content? secrets?",
    ),
    "catalog/check": ("path? cwd? sessionDir?", "files"),
    "catalog/repair": ("path dryRun", "problems actions backup?"),
    "catalog/stats": ("path? session? timezone? since? until?", STATS),
    "catalog/usage": (
        "by? thenBy? cwd? sessionDir? timezone? since? until? model? copies?",
        "rows sums sessionCount omittedCopies currency timezone problems?",
    ),
    "session/create": ("cwd sessionDir? id? parentSession?", STATE),
    "session/open": ("path sessionDir? cwd? readOnly? follow? mustExist?", STATE),
    "session/continueRecent": ("cwd sessionDir?", STATE),
    "session/inMemory": ("cwd? id? entries?", STATE),
    "session/forkFrom": ("sourcePath targetCwd sessionDir? id? leafId?", STATE),
    "session/findById": ("cwd id sessionDir? prefix?", "path candidates? problems?"),
    "session/list": (f"cwd sessionDir? {LISTING}", PAGE),
    "session/listAll": (f"sessionDir? {LISTING}", PAGE),
    "session/close": ("session", None),
    "session/getState": ("session", STATE),
    "session/newSession": ("session id? parentSession?", STATE),
    "session/setSessionFile": ("session path", STATE),
    "session/createBranchedSession": ("session leafId", STATE),
    "session/appendMessage": (f"{CHECKED} message", APPENDED),
    "session/appendThinkingLevelChange": (f"{APPEND} thinkingLevel", APPENDED),
    "session/appendModelChange": (f"{APPEND} provider modelId", APPENDED),
    "session/appendCompaction": (
        f"{CHECKED} summary firstKeptEntryId? tokensBefore details? fromHook? usage?",
        APPENDED,
    ),
    "session/appendCustomEntry": (f"{APPEND} customType data?", APPENDED),
    "session/appendSessionInfo": (f"{APPEND} name", APPENDED),
    "session/appendCustomMessageEntry": (
        f"{CHECKED} customType content display details?",
        APPENDED,
    ),
    "session/appendLabelChange": (f"{APPEND} targetId label?", APPENDED),
    "session/appendUsage": (f"{CHECKED} kind provider model usage note?", APPENDED),
    "session/appendContextEdit": (f"{CHECKED} targetId replacement", APPENDED),
    "session/branchWithSummary": (
        f"{CHECKED} entryId summary details? fromHook? usage?",
        APPENDED,
    ),
    "session/getLeafId": ("session", "leafId"),
    "session/getLeafEntry": ("session", "entry"),
    "session/getEntry": ("session id", "entry"),
    "session/getSource": ("session entryId maxBytes?", "records"),
    "session/getEntries": (
        "session cursor? limit? last? views?",
        "entries total nextCursor? views?",
    ),
    "session/getEntryCount": ("session", "count"),
    "session/getBranch": ("session fromId?", "entries"),
    "session/getChildren": ("session parentId", "entries"),
    "session/getTree": ("session detail?", "roots nodes"),
    "session/getView": (
        "session leafId? cursor? last? limit? maxChars?",
        "items total nextCursor?",
    ),
    "session/getLabel": ("session id", "label"),
    "session/branch": ("session entryId", "leafId"),
    "session/resetLeaf": ("session", "leafId"),
    "session/buildSessionContext": ("session leafId?", "messages thinkingLevel model"),
    "session/buildContextEntries": ("session leafId?", "entries"),
    "session/buildSessionProjection": ("session leafId?", "entries thinkingLevel model"),
    "context/estimateTokens": (
        "session? messages?",
        "tokens usageTokens trailingTokens lastUsageEntryId? lastUsageIndex?",
    ),
    "context/shouldCompact": (
        "session contextWindow settings?",
        "compact tokens threshold",
    ),
    "context/windowUsage": ("session contextWindow", "tokens contextWindow percent"),
    "context/prepareCompaction": (
        "session settings? includePrompts? customInstructions?",
        "preparation reason?",
    ),
    "context/finishCompaction": (
        f"{APPEND} preparation historySummary? prefixSummary? usage?",
        APPENDED,
    ),
    "context/prepareBranchSummary": (
        "session targetId tokenBudget? includePrompts? customInstructions? replaceInstructions?",
        "commonAncestorId entries messages fileOps totalTokens prompts?",
    ),
    "context/finishBranchSummary": (
        f"{APPEND} targetId summary? fileOps? label? usage?",
        f"{APPENDED} editorText?",
    ),
    "context/navigate": (
        "session targetId label? newEntryId? expectedLeafId? expectedTipId?",
        "leafId editorText?",
    ),
    "context/toLlm": ("session? messages?", "messages"),
    "context/serialize": ("session? messages?", "text"),
    "gateway/resolveKey": (
        "context? key? config? agentId?",
        "sessionKey kind agentId parsed aliases configProblems?",
    ),
    "gateway/evaluateFreshness": (
        ("updatedAt? now resetType? policy? config? channel? timezone?"),
        "fresh policy dailyResetAt? idleExpiresAt? configProblems?",
    ),
    "gateway/isSilentReply": ("text token? streaming?", "silent hold"),
    "gateway/planMemoryFlush": (
        f"{STORE} sessionKey? entry? contextWindow? {TURN} now? timezone?",
        "flush reason threshold prompt? systemPrompt? problems? configProblems?",
    ),
    "gateway/get": (RECORD, "sessionKey agentId transcript? storePath " + RECORDED),
    "gateway/recordUsage": (
        f"{RECORD} {RUN} systemPromptReport?",
        RECORDED,
    ),
    "gateway/recordCompaction": (f"{RECORD} tokensAfter?", f"count {RECORDED}"),
    "gateway/recordMemoryFlush": (f"{RECORD} compactions?", RECORDED),
    "gateway/patch": (
        (
            f"{STORE} key label? thinkingLevel? verboseLevel?"
            " reasoningLevel? responseUsage? elevatedLevel? execHost? execSecurity? execAsk?"
            " execNode? model? sendPolicy? groupActivation?"
        ),
        "path key entry problems? configProblems?",
    ),
    "gateway/reset": (f"{STORE} key reason? force?", "key entry problems? configProblems?"),
    "gateway/delete": (
        f"{STORE} key deleteTranscript? force?",
        "key deleted archived problems? configProblems?",
    ),
    "gateway/list": (
        (
            f"{STORE} limit? activeMinutes? includeGlobal? includeUnknown? includeDerivedTitles?"
            " includeLastMessage? label? spawnedBy? archived? search?"
        ),
        "ts path count defaults sessions problems? configProblems?",
    ),
    "gateway/begin": (
        f"context {STORE} authorized? dryRun? now? timezone? cwd?",
        (
            "sessionKey sessionId sessionFile isNewSession resetTriggered bodyStripped? entry"
            " previousEntry? resetType policy freshness archived forkedFrom? storePath problems?"
            " configProblems?"
        ),
    ),
    "gateway/maintain": (
        f"{STORE} mode? dryRun?",
        "mode storePath pruned capped reaped archived removed problems? configProblems?",
    ),
    "gateway/subscribe": (STORE, "subscription sequence sessions problems? configProblems?"),
    "gateway/unsubscribe": ("subscription", None),
    "session/getHeader": ("session", "header"),
    "session/getSessionName": ("session", "name"),
    "session/getCwd": ("session", "cwd"),
    "session/getSessionDir": ("session", "sessionDir"),
    "session/getSessionId": ("session", "sessionId"),
    "session/getSessionFile": ("session", "sessionFile"),
    "session/isPersisted": ("session", "persisted"),
    "session/usesDefaultSessionDir": ("session", "default"),
}

TOLD: dict[str, str] = {
    "$/progress": "token value",
    "catalog/didChange": "subscription sequence changes",
    "gateway/didChange": "subscription sequence agentId storePath changes problems?",
    "session/didChange": (
        "session sequence path generation kind entries? leafId tipId entryCount name? diagnostics?"
    ),
}

ERRORS = {
    "UnknownSession": (1001, "session"),
    "SessionNotFound": (1002, "path"),
    "InvalidSessionFile": (1003, "path line"),
    "EntryNotFound": (1004, "entryId"),
    "NotEditable": (1005, "entryId"),
    "LeafConflict": (1006, "expected leafId tipId"),
    "WriteFailed": (1007, "path errno strerror"),
    "PathNotAllowed": (1008, "path"),
    "ReadOnly": (1009, "path"),
    "InvalidSessionId": (1010, "id"),
    "TooLarge": (1011, "limit"),
    "AlreadyExists": (1012, "path"),
    "Busy": (1013, "path owner"),
    "InvalidQuery": (1014, ""),
    "Unsupported": (1015, "path instead"),
    "GatewayRejected": (1016, "rule"),
    "ReadFailed": (1017, "path errno strerror"),
    "InUse": (1018, "path pids"),
    "OutOfResources": (1019, "strerror"),
    "InvalidCursor": (1020, ""),
    "UnsupportedVersion": (1021, "supported"),
    "TimedOut": (1022, ""),
}


def members(cls: Any) -> set[str] | None:
    if cls is None:
        return None
    if not attrs.has(cls):
        return {"{}"}
    return {
        field.name + ("" if field.default is attrs.NOTHING else "?") for field in attrs.fields(cls)
    }


def expected(text: str | None) -> set[str] | None:
    return None if text is None else set(text.split())


def test_the_registry_has_exactly_the_methods_of_the_contract():
    assert set(METHODS) == set(CONTRACT)
    assert set(NOTIFICATIONS) == set(TOLD)
    assert all(name == method.name for name, method in METHODS.items())


@pytest.mark.parametrize("name", CONTRACT)
def test_a_method_has_the_members_of_the_contract(name):
    params, result = CONTRACT[name]
    assert members(METHODS[name].params) == expected(params)
    assert members(METHODS[name].result) == expected(result)


@pytest.mark.parametrize("name", TOLD)
def test_a_notification_has_the_members_of_the_contract(name):
    assert members(NOTIFICATIONS[name].params) == expected(TOLD[name])
    assert NOTIFICATIONS[name].kind == "notification"


def test_a_change_of_the_catalogue_has_the_members_of_the_contract():
    assert members(catalog_subscribe.CatalogChange) == {"kind", "path", "info?"}


def test_values_of_a_store_have_the_members_of_the_contract():
    assert members(subscribe.StoredSession) == {"agentId", "storePath", "sessionKey", "entry"}
    assert members(subscribe.StoreChange) == {"kind", "sessionKey", "entry?"}


def test_only_what_the_contract_calls_so_is_a_notification_of_the_client():
    told = {name for name, method in METHODS.items() if method.kind == "notification"}
    assert told == {"initialized", "exit", "$/cancelRequest"}


def test_error_kinds_are_those_of_the_contract():
    found = {name: (kind.code, set(kind.data)) for name, kind in ERROR_KINDS.items()}
    assert found == {name: (code, set(data.split())) for name, (code, data) in ERRORS.items()}
    assert {member for kind in ERROR_KINDS.values() for member in kind.data} == set(DATA_SCHEMAS)


def test_methods_name_only_error_kinds_that_exist_and_each_once():
    for method in METHODS.values():
        assert set(method.errors) <= set(ERROR_KINDS)
        assert len(set(method.errors)) == len(method.errors)


def test_every_method_on_a_handle_can_find_it_unknown():
    for method in METHODS.values():
        named = set() if method.params is None else members(method.params)
        # A handle that is closed already stays closed.
        on_handle = bool(named & {"session", "session?"}) and method.name != "session/close"
        assert ("UnknownSession" in method.errors) == on_handle, method.name


NOT_REPEATABLE = {
    # Part of the start and the end of a connection, which the client makes itself.
    *("initialize", "shutdown"),
    # A second call makes a second session, or may find another one. Clients that lose a session
    # open its file again.
    *("session/create", "session/continueRecent", "session/inMemory", "session/forkFrom"),
    *("session/newSession", "session/setSessionFile", "session/createBranchedSession"),
    # A second call writes, moves or removes again.
    *("catalog/rename", "catalog/delete", "catalog/restore", "catalog/repair", "catalog/export"),
    # A second call counts, starts over or archives again.
    *("gateway/reset", "gateway/delete", "gateway/begin"),
    *("gateway/recordUsage", "gateway/recordCompaction", "gateway/recordMemoryFlush"),
    "gateway/maintain",
}


def test_a_request_may_be_sent_again_unless_a_second_call_can_do_more_than_the_first():
    requests = {name for name, method in METHODS.items() if method.kind == "request"}
    repeatable = {name for name, method in METHODS.items() if method.repeatable}
    assert requests - repeatable == NOT_REPEATABLE
    assert repeatable <= requests


def test_every_request_that_takes_an_id_for_its_entry_may_be_sent_again():
    for method in METHODS.values():
        if method.params is not None and "newEntryId?" in (members(method.params) or ()):
            assert method.repeatable, method.name


def test_every_params_class_can_be_decoded_into():
    for method in (*METHODS.values(), *NOTIFICATIONS.values()):
        if method.params is not None:
            msgspec.json.Decoder(method.params)


def test_the_version_of_the_protocol_is_1():
    assert PROTOCOL_VERSION == "1"


@pytest.mark.parametrize(
    ("family", "beginning"),
    [(context, "context/"), (catalog, "catalog/"), (gateway, "gateway/")],
)
def test_methods_loaded_later_are_found_by_name(family: ModuleType, beginning: str):
    assert family.METHODS
    assert all(name.startswith(beginning) for name in {**family.METHODS, **family.NOTIFICATIONS})


def test_the_names_are_known_without_the_classes():
    methods, notifications = openrpc.names()
    assert methods == list(METHODS)
    assert notifications == list(NOTIFICATIONS)
