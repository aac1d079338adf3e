"""Descriptions of members whose class does not describe them, because they always mean the same."""

from __future__ import annotations

from typing import Any

_TOKENS = {
    "input": "Number of input tokens.",
    "output": "Number of output tokens.",
    "cacheRead": "Number of tokens read from the provider's cache.",
    "cacheWrite": "Number of tokens written to the provider's cache.",
}
_COSTS = {
    "input": "Cost of the input in US dollars.",
    "output": "Cost of the output in US dollars.",
    "cacheRead": "Cost of reading from the provider's cache, in US dollars.",
    "cacheWrite": "Cost of writing to the provider's cache, in US dollars.",
    "total": "Whole cost in US dollars.",
}
_SESSION_KIND = "`direct`, `group`, `global` or `unknown`, by the key."
_ENTRY_ID = {"id": "Id of the entry."}
_NEW_ENTRY_ID = {"id": "Id of the new entry."}
_EXPIRY = {"mode": "`daily`: expires at an hour of the day; `idle`: only after time without use."}

_MEMBERS = {
    "abortedLastRun": "Whether the previous run was aborted.",
    "agentId": "Id of the agent.",
    "bytes": "Size in bytes.",
    "cache": "The cache of documents.",
    "cancelled": "Whether the command was cancelled.",
    "capabilities": "What this side supports.",
    "changes": "What changed, one per file or key.",
    "channel": "The messaging service, such as `telegram`.",
    "chatType": "Kind of the chat, such as `direct` or `group`.",
    "clientInfo": "Name and version of the client.",
    "command": "The command line.",
    "compact": "Whether the context should be compacted now.",
    "compactions": "Number of compactions.",
    "content": "The new content.",
    "contextTokens": "Size of the model's context window in tokens.",
    "cost": "Costs in US dollars.",
    "count": "Number of entries.",
    "cwd": "Working directory of the session.",
    "default": "Whether the session is in the default directory of its agent.",
    "defaults": "Settings of sessions that have none of their own.",
    "deliveryContext": "Where answers are delivered.",
    "diagnostics": "Damaged and unusual lines of the file.",
    "displayName": "Name to show.",
    "elevatedLevel": "The stored level of elevated rights.",
    "endTurn": "Whether the model ended its turn.",
    "entries": "The entries.",
    "entry": "The entry.",
    "errorMessage": "Why the turn failed.",
    "fileOps": "Files that the summarized messages used.",
    "flush": "Whether to run a turn that saves memories first.",
    "fresh": "Whether the session has not expired.",
    "freshness": "Whether the session had expired before the message.",
    "groupChannel": "Channel of the group.",
    "header": "The session's header.",
    "hits": "The results, the best first.",
    "inputTokens": "Number of input tokens.",
    "info": "The session.",
    "isError": "Whether the tool failed.",
    "items": "The messages, in file order.",
    "label": "Label of the session.",
    "lastAccountId": "Account through which the last answer was delivered.",
    "lastChannel": "Channel to which the last answer was delivered.",
    "lastTo": "Recipient of the last answer.",
    "message": "The message.",
    "messages": "The messages.",
    "model": "Id of the model.",
    "modelId": "Id of the model.",
    "modelProvider": "Provider of the model, such as `anthropic`.",
    "name": "Name of the program.",
    "origin": "Where the session came from.",
    "output": "What it printed.",
    "outputTokens": "Number of output tokens.",
    "peerKind": "Kind of the other side of the conversation.",
    "persisted": "Whether the session belongs to a file.",
    "pid": "Process id.",
    "policy": "When the session expires.",
    "positionEncoding": "Unit of positions in text.",
    "previews": "The previews, one per key, in the order of the keys.",
    "profile": "The agent whose sessions are served by default.",
    "provider": "Provider of the model, such as `anthropic`.",
    "providerThinkingLevel": "The thinking level as the provider spells it.",
    "reasoningLevel": "The stored level of shown reasoning.",
    "responseUsage": "Footer of answers: `off`, `tokens` or `full`.",
    "rest": "The key without the agent.",
    "role": "Role of the message.",
    "rows": "The sums, one row per group.",
    "sendPolicy": "The stored policy: `allow` or `deny`.",
    "serverInfo": "Name and version of the daemon.",
    "sessionDir": "Directory of the session's file.",
    "sessionId": "Id of the session.",
    "sessionKey": "Key of the session in the store.",
    "sessions": "The sessions.",
    "settings": "The settings of compaction.",
    "sizeBytes": "Size of the file in bytes.",
    "sourceEntry": "The entry.",
    "space": "Workspace or server of the group.",
    "subject": "Subject of the group.",
    "subscription": "Handle of the subscription.",
    "summary": "Text of the summary.",
    "sums": "The sums.",
    "systemSent": "Whether the introduction of the first turn was sent.",
    "text": "The text.",
    "thinking": "Text of the thinking.",
    "thinkingLevel": "The thinking level, such as `off` or `high`.",
    "timestamp": "ISO 8601 UTC with milliseconds.",
    "tokens": "Numbers of tokens.",
    "toolName": "Name of the tool.",
    "total": "The sums of all rows.",
    "type": "Type of the entry.",
    "usage": "Tokens and cost.",
    "verboseLevel": "The stored level of verbose output.",
    "version": "Version of the program.",
    "watch": "How changes of files are noticed.",
}

_CLASSES: dict[str, dict[str, str]] = {
    "AppendResult": _NEW_ENTRY_ID,
    "CacheStatus": {
        "documents": "Number of documents in memory.",
        "bytes": "Memory that they use, in bytes.",
        "limitBytes": "Limit of that memory, in bytes.",
        "hits": "How often a document was in memory.",
        "misses": "How often a document had to be read.",
        "evictions": "How often a document was removed from memory to make room.",
    },
    "CatalogChange": {"kind": "`added`, `changed` or `removed`."},
    "Cost": _COSTS,
    "CostFigures": _COSTS,
    "EntryFacts": _ENTRY_ID,
    "EstimateTokensResult": {"tokens": "Estimated number of tokens."},
    "FileOperations": {
        "read": "Paths of files that were read.",
        "written": "Paths of files that were written.",
        "edited": "Paths of files that were edited.",
    },
    "FinishBranchSummaryResult": _NEW_ENTRY_ID,
    "GivenPolicy": _EXPIRY,
    "MaintainResult": {"mode": "`enforce`: entries were removed; `warn`: they would be."},
    "OutlineNode": _ENTRY_ID,
    "ResetPolicy": _EXPIRY,
    "ResolveKeyResult": {"kind": _SESSION_KIND},
    "SendPolicyResult": {"policy": "Whether the session may send."},
    "SessionRow": {"kind": _SESSION_KIND},
    "StatsResult": {"messages": "Numbers of messages."},
    "StoreChange": {"kind": "`added`, `changed` or `removed`."},
    "TokenFigures": _TOKENS,
    "TreeNode": _ENTRY_ID,
    "Usage": _TOKENS,
    "UsageFigures": {"messages": "Numbers of messages."},
    "UsageSums": {"entries": "Number of entries."},
    "WatchStatus": {"mode": "`native`: by the system's events; `polling`; or `off`."},
    "WorkDoneProgress": {"kind": "`begin`, `report` or `end`."},
}


class Undescribed(Exception):
    """A member has no description; the message names it."""


def describe(name: str, schema: dict[str, Any]) -> None:
    """Describe the members of a class that have no description. Raises `Undescribed`."""
    for member, value in schema["properties"].items():
        if "description" in value or "const" in value:
            continue
        text = _CLASSES.get(name, {}).get(member) or _MEMBERS.get(member)
        if text is None:
            raise Undescribed(f"{name}.{member} has no description: add one to its class")
        value["description"] = text
