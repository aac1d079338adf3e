"""A model for agents of other vendors: OpenAI's chat and responses, Anthropic's messages, Gemini.

What it answers is decided by a function of what it was asked; every request's body is kept.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler
from typing import Any

import attrs
from support.model_server import LocalServer

Event = tuple[str, dict[str, Any]]
Body = dict[str, Any]


@attrs.frozen
class Asked:
    """What the user said last, the results of tools since then as JSON, and the tools offered."""

    prompt: str
    results: str
    tools: dict[str, str | None]
    """The namespace of each tool, None if it is in none."""

    @property
    def has_results(self) -> bool:
        return self.results != "[]"


@attrs.frozen
class Call:
    """A tool to call."""

    tool: str
    arguments: dict[str, Any]


Answer = Call | Sequence[Call] | str
SHELLS = {
    "Bash": {"command": "echo teddy", "description": "Print it"},
    "bash": {"command": "echo teddy", "description": "Print it"},
    "exec_command": {"cmd": "echo teddy"},
    "shell_command": {"command": "echo teddy"},
    "run_shell_command": {"command": "echo teddy"},
}


TASKS: dict[str, dict[str, Any]] = {
    "task": {
        "context": "none",
        "tasks": [{"name": "Helper", "agent": "task", "task": "run it"}],
        # Those of another program's tool with this name.
        "agent_type": "general-purpose",
        "description": "Print it",
        "prompt": "run it",
        "name": "helper",
        "mode": "sync",
    },
    "codebase_investigator": {"objective": "run it"},
    "generalist": {"request": "run it"},
    "agent": {
        "description": "Print it",
        "prompt": "run it",
        "subagent_type": "general-purpose",
        "run_in_background": False,
    },
}
"""Tools that begin a subagent, and their arguments."""


def _printing(shell: str, word: str) -> dict[str, Any]:
    """Return the arguments of a shell that prints a word."""
    given = SHELLS[shell].items()
    return {name: str(value).replace("teddy", f"result-{word}") for name, value in given}


TOOL_SEARCH = "tool_search"
TOOL_SEARCHES = (TOOL_SEARCH, "ToolSearch")
"""The tools by which models of OpenAI and Claude find tools."""
_OUTPUTS = ("function_call_output", "tool_search_output")


def recall(asked: Asked) -> Answer:
    """Search for "needle", open the first session that was found, and say what was read."""
    wanted, arguments = "search_sessions", {"query": "needle"}
    found = re.search(r'"session\\*": ?\\*"([\w.-]+)|session ([\w.-]+), ', asked.results)
    if found:
        wanted, arguments = "open_session", {"session": found[1] or found[2]}
    is_read = any(mark in asked.results for mark in ("Entries 1 to", '"final', "final\\"))
    for name in asked.tools:
        if name.endswith(wanted) and not is_read:
            return Call(name, arguments)
    return f"heard: {asked.results[-2000:]}"


def recall_deferred(asked: Asked) -> Answer:
    """Do what `recall` does, in an agent that must search for its tools first."""
    search = next((name for name in asked.tools if name in TOOL_SEARCHES), None)
    if search is None or asked.has_results:
        return recall(asked)
    return Call(search, {"query": "search earlier conversations"})


def work(asked: Asked) -> Answer:
    """Run a command if "run it" is asked, begin a subagent for "delegate it", else answer."""
    if not asked.has_results:
        if "delegate it" in asked.prompt and "Agent" in asked.tools:
            task = {
                "description": "Print it",
                "prompt": "run it",
                "subagent_type": "general-purpose",
            }
            return Call("Agent", {**task, "run_in_background": False})
        task_tool = next((name for name in TASKS if name in asked.tools), None)
        if "delegate it" in asked.prompt and task_tool is not None:
            return Call(task_tool, TASKS[task_tool])
        shell = next((name for name in asked.tools if name in SHELLS), None)
        if shell is not None and "run it" in asked.prompt:
            return Call(shell, SHELLS[shell])
        if shell is not None and "run three" in asked.prompt:
            return [Call(shell, _printing(shell, word)) for word in ("one", "two", "three")]
    return f"done: {asked.prompt.strip()[-40:]}"


@attrs.frozen
class Usage:
    """Tokens of a request; `input` is without those that were read from the cache."""

    input: int = 1
    cached: int = 0
    output: int = 1


class Model(LocalServer):
    """Answers what a function of what it was asked says, and uses as many tokens each time."""

    def __init__(self, answer: Callable[[Asked], Answer], usage: Usage = Usage()) -> None:
        super().__init__(_handler(self))
        self.answer = answer
        self.usage = usage
        self.requests: list[Body] = []
        self.numbers = itertools.count(1)

    @property
    def conversation(self) -> list[Body]:
        """The requests of conversations; those for titles and the like have no tools."""
        return [body for body in self.requests if body.get("tools")]

    @property
    def offered(self) -> set[str]:
        """The last parts of the names of all tools that requests had."""
        return set().union(*map(offered, self.requests))


def offered(body: Body) -> set[str]:
    """The last parts of the names of all tools that a request has."""
    return {name.rpartition("__")[2] for name in _tools(body)}


def _tools(body: Body) -> dict[str, str | None]:
    """The namespace of each tool that is offered."""
    tools: dict[str, str | None] = {}
    given = list(body.get("tools") or [])
    for item in body.get("input") or []:
        # What a search for tools has found.
        given += item["tools"] if item.get("type") == "tool_search_output" else []
    for tool in given:
        if tool.get("type") == "namespace":
            tools |= {inner["name"]: tool["name"] for inner in tool["tools"]}
        elif tool.get("type") == TOOL_SEARCH:
            tools[TOOL_SEARCH] = None
        elif "name" in tool or "function" in tool:
            tools[tool.get("name") or tool["function"]["name"]] = None
    return tools


def _text(content: Any) -> str:
    """The text of a message's content, "" if it has none."""
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in content or [] if block.get("text"))


def _asked(
    body: Body, items: list[Any], said: Callable[[Any], str], results: Callable[[Any], list[Any]]
) -> Asked:
    """Read a request: `said` is what the user said in an item, `results` what tools answered."""
    last = max((at for at, item in enumerate(items) if said(item)), default=0)
    found = [result for item in items[last:] for result in results(item)]
    return Asked(said(items[last]) if items else "", json.dumps(found), _tools(body))


def _calls(answer: Answer) -> list[Call]:
    """Return the calls of an answer; none if it is a text."""
    if isinstance(answer, str):
        return []
    return [answer] if isinstance(answer, Call) else list(answer)


def _responses(body: Body, model: Model) -> Iterator[Event]:
    """One turn of OpenAI's responses as a stream."""
    asked = _asked(
        body,
        body["input"],
        lambda item: _text(item.get("content")) if item.get("role") == "user" else "",
        lambda item: [item] if item.get("type") in _OUTPUTS else [],
    )
    answer, number = model.answer(asked), next(model.numbers)
    items: list[dict[str, Any]] = []
    if isinstance(answer, str):
        content = [{"type": "output_text", "text": answer, "annotations": []}]
        items = [{"type": "message", "role": "assistant", "id": f"m{number}", "content": content}]
    for at, call in enumerate(_calls(answer)):
        if call.tool == TOOL_SEARCH:
            found = {"type": "tool_search_call", "execution": "client"}
            arguments: Any = call.arguments
        else:
            namespace = asked.tools[call.tool]
            found = {"type": "function_call", "id": f"f{number}-{at}", "name": call.tool}
            found |= {"namespace": namespace} if namespace else {}
            arguments = json.dumps(call.arguments)
        status = {"call_id": f"c{number}-{at}", "status": "completed"}
        items.append({**found, **status, "arguments": arguments})
    used = model.usage
    usage = {
        "input_tokens": used.input + used.cached,
        "input_tokens_details": {"cached_tokens": used.cached},
        "output_tokens": used.output,
        "total_tokens": used.input + used.cached + used.output,
    }
    yield "response.created", {"response": {"id": f"r{number}"}}
    for at, item in enumerate(items):
        yield "response.output_item.done", {"output_index": at, "item": item}
    yield "response.completed", {"response": {"id": f"r{number}", "usage": usage}}


def _messages(body: Body, model: Model) -> Iterator[Event]:
    """One turn of Anthropic's messages as a stream."""

    def results(message: Any) -> list[Any]:
        blocks = message["content"] if isinstance(message["content"], list) else []
        return [block for block in blocks if block.get("type") == "tool_result"]

    asked = _asked(
        body,
        body["messages"],
        lambda one: _text(one["content"]) if one["role"] == "user" and not results(one) else "",
        results,
    )
    answer, number = model.answer(asked), next(model.numbers)
    used = model.usage
    usage = {
        "input_tokens": used.input,
        "cache_read_input_tokens": used.cached,
        "cache_creation_input_tokens": 0,
        "output_tokens": 1,
    }
    start = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": body["model"]}
    start |= {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    yield "message_start", {"message": start}
    blocks: list[tuple[dict[str, Any], dict[str, Any]]] = []
    if isinstance(answer, str):
        blocks.append(({"type": "text", "text": ""}, {"type": "text_delta", "text": answer}))
    for at, call in enumerate(_calls(answer)):
        block = {"type": "tool_use", "id": f"toolu_{number}_{at}", "name": call.tool, "input": {}}
        given = json.dumps(call.arguments)
        blocks.append((block, {"type": "input_json_delta", "partial_json": given}))
    for at, (block, delta) in enumerate(blocks):
        yield "content_block_start", {"index": at, "content_block": block}
        yield "content_block_delta", {"index": at, "delta": delta}
        yield "content_block_stop", {"index": at}
    reason = "end_turn" if isinstance(answer, str) else "tool_use"
    ended = {"stop_reason": reason, "stop_sequence": None}
    yield "message_delta", {"delta": ended, "usage": {**usage, "output_tokens": used.output}}
    yield "message_stop", {}


def _chat(body: Body, model: Model) -> Iterator[Event]:
    """One turn of OpenAI's chat as a stream."""
    asked = _asked(
        body,
        body["messages"],
        lambda one: _text(one.get("content")) if one["role"] == "user" else "",
        lambda one: [one] if one["role"] == "tool" else [],
    )
    answer, number = model.answer(asked), next(model.numbers)
    delta: dict[str, Any] = {"role": "assistant"}
    if isinstance(answer, str):
        delta["content"], reason = answer, "stop"
    else:
        delta["tool_calls"], reason = [], "tool_calls"
    for at, call in enumerate(_calls(answer)):
        function = {"name": call.tool, "arguments": json.dumps(call.arguments)}
        made = {"index": at, "id": f"c{number}-{at}", "type": "function", "function": function}
        delta["tool_calls"].append(made)
    used = model.usage
    usage = {
        "prompt_tokens": used.input + used.cached,
        "prompt_tokens_details": {"cached_tokens": used.cached},
        "completion_tokens": used.output,
        "total_tokens": used.input + used.cached + used.output,
    }
    chunk = {"id": f"c{number}", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    yield "", {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    choice = {"index": 0, "delta": {}, "finish_reason": reason}
    yield "", {**chunk, "choices": [choice], "usage": usage}


def _gemini(body: Body, model: Model) -> Iterator[Event]:
    """One turn of Gemini as a stream."""

    def parts(content: Any, name: str) -> list[Any]:
        return [part[name] for part in content.get("parts") or [] if part.get(name)]

    asked = _asked(
        {"tools": [one for each in body.get("tools") or [] for one in each["functionDeclarations"]]}
        if body.get("tools")
        else {},
        body["contents"],
        lambda one: "\n".join(parts(one, "text")) if one.get("role") == "user" else "",
        lambda one: parts(one, "functionResponse"),
    )
    answer = model.answer(asked)
    next(model.numbers)
    said: list[dict[str, Any]] = [{"text": answer}] if isinstance(answer, str) else []
    said += [
        {"functionCall": {"name": each.tool, "args": each.arguments}} for each in _calls(answer)
    ]
    used = model.usage
    usage = {
        "promptTokenCount": used.input + used.cached,
        "cachedContentTokenCount": used.cached,
        "candidatesTokenCount": used.output,
        "totalTokenCount": used.input + used.cached + used.output,
    }
    candidate = {"content": {"role": "model", "parts": said}, "finishReason": "STOP", "index": 0}
    yield "", {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "plain"}


_TURNS: dict[str, Callable[[Body, Model], Iterator[Event]]] = {
    "/responses": _responses,
    "/messages": _messages,
    "/completions": _chat,
    ":streamGenerateContent": _gemini,
    ":generateContent": _gemini,
}


def _handler(model: Model) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing on stderr."""

        def do_GET(self) -> None:
            self._send(b'{"data":[],"models":[]}', "application/json")

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            body = json.loads(self.rfile.read(length) or b"{}")
            path = self.path.partition("?")[0]
            turn = next((turn for end, turn in _TURNS.items() if path.endswith(end)), None)
            if turn is None:
                self._send(b'{"input_tokens":1}', "application/json")
                return
            model.requests.append(body)
            if path.endswith(":generateContent"):
                ((_, whole),) = turn(body, model)
                self._send(json.dumps(whole).encode(), "application/json")
                return
            events = [
                f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n"
                if name
                else f"data: {json.dumps(data)}\n\n"
                for name, data in turn(body, model)
            ]
            self._send("".join(events).encode(), "text/event-stream")

        def _send(self, data: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            # Anthropic names each request; readers tell copies of an answer by it.
            self.send_header("request-id", f"req_{next(model.numbers)}")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Handler
