"""Translate the messages of a chat of Gemini CLI into entry lines."""

from __future__ import annotations

from collections.abc import Iterator

from sessiond.agents.document_translation import WholeSession, end_of
from sessiond.agents.gemini.chat import CONTEXT, Chat, Message
from sessiond.agents.google_parts import (
    block_of,
    parts_of,
    response_of,
    string_member,
    text_of,
)
from sessiond.agents.messages import (
    Members,
    all_of,
    answer_line,
    call_block,
    content_of,
    count_of,
    members_of,
    prompt_line,
    result_line,
    text_block,
    thinking_block,
    unknown_line,
    usage_of,
)
from sessiond.format.header import Subagent, new_header_line
from sessiond.format.lines import Stamp, compaction_line, custom_line, custom_message_line
from sessiond.text.parts import elements, string_of
from sessiond.text.spans import js_string

_PREFIX = "gemini-cli"
_NOTES = frozenset({"info", "warning", "error"})


def session_of(chat: Chat, cwd: str, parent: str | None) -> WholeSession:
    """Return a chat as a session; `parent` is the path of the one that began it.

    A file without a word beside the chat that was resumed is not listed either.
    """
    about = chat.about
    name = string_of(about.get("sessionId")) or ""
    began, updated = (string_of(about.get(each)) or "" for each in ("startTime", "lastUpdated"))
    is_subagent = parent is not None or string_of(about.get("kind")) == "subagent"
    subagent = Subagent() if is_subagent else None
    lines = [new_header_line(name, began, cwd, parent, subagent=subagent)]
    ends: dict[str | None, str | None] = {None: None}
    every = list(chat.messages.values())
    if every and _is_open(every[-1]):
        every.pop()
    for message in every:
        above = ends.get(message.above)
        entries = list(_entries(message, Stamp(message.id, above, _time(message))))
        ends[message.id] = end_of(entries) or above
        lines += entries
    tip = end_of(lines[1:]) if chat.tip not in ends else ends[chat.tip]
    if tip != end_of(lines[1:]):
        # The last message was taken back.
        at = Stamp(f"{tip or name}.rewound", tip, updated)
        lines.append(custom_line(at, f"{_PREFIX}/rewindTo"))
    lines += chat.damaged
    return WholeSession(name, lines, string_of(about.get("summary")) or "", updated)


def _time(message: Message) -> str:
    return string_of(message.members.get("timestamp")) or ""


def _is_open(message: Message) -> bool:
    """Whether the program will add to the message: an answer that says and calls nothing yet."""
    is_answer = message.kind == "gemini"
    return is_answer and not message.text and "toolCalls" not in message.members


def _entries(message: Message, at: Stamp) -> Iterator[bytes]:
    if message.replaced:
        text = message.text
        yield compaction_line(at, summary=text, first_kept_entry_id=None, tokens_before=b"0")
    elif message.kind == "user":
        yield from _said(message, at)
    elif message.kind == "gemini":
        yield from _answer(message, at)
    elif message.kind in _NOTES:
        yield custom_line(at, f"{_PREFIX}/{message.kind}", all_of(message.members))
    else:
        yield unknown_line(at, _PREFIX, message.kind or "message", all_of(message.members))


def _said(message: Message, at: Stamp) -> Iterator[bytes]:
    content = message.members.get("displayContent", message.members.get("content"))
    parts = parts_of(content)
    if parts and all("functionResponse" in part for part in parts):
        # The answer has the results of its calls.
        return
    blocks = content_of([block_of(part) for part in parts if "functionResponse" not in part])
    if message.text.startswith(CONTEXT):
        yield custom_message_line(at, custom_type=_PREFIX, content=blocks, display=False)
    else:
        yield prompt_line(at, blocks)


def _answer(message: Message, at: Stamp) -> Iterator[bytes]:
    members = message.members
    blocks = [thinking_block(_thought(each)) for each in _list(members.get("thoughts"))]
    text = text_of(members.get("content"))
    if text:
        blocks.append(text_block(js_string(text)))
    calls = _calls(members)
    blocks += [
        call_block(
            string_member(call.get("id")),
            string_member(call.get("name")),
            call.get("args") or b"{}",
        )
        for call in calls
    ]
    yield answer_line(
        at,
        content_of(blocks),
        api=b'"google-generative-ai"',
        provider=b'"google"',
        model=string_member(members.get("model")),
        usage=_usage(members_of(members.get("tokens"))),
        reason=b'"toolUse"' if calls else b'"stop"',
        answer_id=message.id,
    )
    above = at.id
    for number, call in enumerate(calls, 1):
        if "status" not in call:
            # A call that was sent to the model again, without what came of it.
            continue
        entry_id = f"{at.id}.{number}"
        yield result_line(
            Stamp(entry_id, above, string_of(call.get("timestamp")) or at.timestamp),
            string_member(call.get("id")),
            string_member(call.get("name")),
            content_of([text_block(js_string(_result(call)))]),
            failed=string_of(call.get("status")) != "success",
        )
        above = entry_id


def _calls(members: Members) -> list[Members]:
    recorded = _list(members.get("toolCalls"))
    if recorded:
        return recorded
    parts = parts_of(members.get("content"))
    return [members_of(part["functionCall"]) for part in parts if "functionCall" in part]


def _result(call: Members) -> str:
    """Return what a tool answered: texts, or the output or the error of its response."""
    result = call.get("result", b"")
    texts = map(response_of, parts_of(result) if result[:1] in (b'"', b"[", b"{") else ())
    return "\n".join(filter(None, texts)) or string_of(call.get("resultDisplay")) or ""


def _thought(thought: Members) -> bytes:
    texts = (string_of(thought.get(each)) for each in ("subject", "description"))
    return js_string("\n".join(filter(None, texts)))


def _usage(tokens: Members) -> bytes:
    """Return the usage: `input` has the tokens from the cache, `output` lacks those of thoughts."""
    count = {
        each: count_of(tokens.get(each))
        for each in ("input", "output", "cached", "thoughts", "tool")
    }
    given = max(count["input"] - count["cached"], 0) + count["tool"]
    return usage_of(given, count["output"] + count["thoughts"], count["cached"], 0)


def _list(raw: bytes | None) -> list[Members]:
    each = elements(raw) if raw is not None and raw.startswith(b"[") else []
    return [members for one in each if (members := members_of(one))]
